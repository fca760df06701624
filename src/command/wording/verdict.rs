//! The first sentence of a letter about a turn that was not played.

use crate::table::Board;

/// `Not played on Pow2 Board 101, alice. There is no room.` as `Not played: there is no room.`, since the letter says
/// above which board it is about.
pub(super) fn without_place(sentence: &str, board: &Board, userid: &str) -> String {
    let place = format!(" on {}, {userid}. ", board.name());
    match sentence.split_once(&place) {
        Some((verdict, reason)) if verdict.starts_with("Not ") => {
            format!("{verdict}: {}", continued(reason))
        }
        _ => sentence.to_owned(),
    }
}

/// The sentence as it goes on after a colon: its first word in small letters, unless it may be a name.
fn continued(sentence: &str) -> String {
    const COMMON: [&str; 14] = [
        "A", "An", "At", "From", "Here", "In", "It", "No", "On", "That", "The", "There", "This", "You",
    ];
    match sentence.split_once(' ') {
        Some((first, rest)) if COMMON.contains(&first) => format!("{} {rest}", first.to_lowercase()),
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_goes_on_after_a_colon_with_a_small_letter_unless_it_begins_with_a_name() {
        assert_eq!(continued("There is no room at i11."), "there is no room at i11.");
        assert_eq!(continued("It is not your turn."), "it is not your turn.");
        assert_eq!(
            continued("Light has no piece there."),
            "Light has no piece there."
        );
    }
}
