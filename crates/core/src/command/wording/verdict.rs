//! The first sentence of a letter about a turn that was not played.

use crate::table::Board;

/// `Not played on Pow2 Board 101, alice. There is no room.` as `Not played: there is no room.`, since the letter says
/// above which board it is about.
pub(super) fn without_place(sentence: &str, board: &Board, userid: &str) -> String {
    let place = format!(" on {}, {userid}. ", board.name());
    match sentence.split_once(&place) {
        Some((verdict, reason)) if verdict.starts_with("Not ") => {
            let facts = board.game.facts;
            let players = board.players.iter().map(|player| &*player.userid);
            let names = players
                .chain(facts.sides)
                .chain([facts.name, facts.title.trim_start_matches("The ")]);
            format!("{verdict}: {}", continued(reason, names))
        }
        _ => sentence.to_owned(),
    }
}

/// The sentence as it goes on after a colon: its first word in small letters, unless that is one of the names or has other
/// capitals or digits.
fn continued<'a>(sentence: &str, mut names: impl Iterator<Item = &'a str>) -> String {
    let mut letters = sentence.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let rest = letters.as_str();
    let word = rest.split(' ').next().unwrap_or(rest);
    let is_word = word.chars().all(|c| c.is_ascii_lowercase());
    if is_word && !names.any(|name| sentence.starts_with(name)) {
        format!("{}{rest}", first.to_ascii_lowercase())
    } else {
        sentence.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_goes_on_after_a_colon_with_a_small_letter_unless_it_begins_with_a_name() {
        let told = |sentence| continued(sentence, ["alice", "Light", "Dark"].into_iter());
        assert_eq!(told("There is no room at i11."), "there is no room at i11.");
        assert_eq!(told("It is not your turn."), "it is not your turn.");
        assert_eq!(told("More than one piece fits."), "more than one piece fits.");
        assert_eq!(told("A piece is there."), "a piece is there.");
        assert_eq!(told("A9 is not empty."), "A9 is not empty.");
        assert_eq!(told("Light has no piece there."), "Light has no piece there.");
    }
}
