//! The capital letter that a telephone writes at the beginning of a line, in games where it makes another turn.

use std::ops::Range;

use pbmserv_games::Match;

use crate::command::reading::phrases::is_wish;
use crate::command::reading::trimmed::{FoundTurn, trimmed_turn};
use crate::command::reading::word::{Word, split};

/// What a line is in which the first letter is a capital.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Capital {
    /// What it says: the letter makes no difference, or is meant as it stands.
    Meant,
    /// The same line with a small letter.
    Small(String),
    /// Either: this part of the line can be played as it stands and with a small letter, and these are the turns.
    Either(Range<usize>, [String; 2]),
}

/// Reads a line as it stands, and with a small first letter.
pub(super) fn first_capital(line: &str, game: &dyn Match) -> Capital {
    let Some((at, letter)) = line.char_indices().find(|(_, c)| c.is_alphabetic()) else {
        return Capital::Meant;
    };
    if game.facts().has_dice {
        return capital_of_dice(line, game);
    }
    if game.capitals().is_none() || !letter.is_ascii_uppercase() {
        return Capital::Meant;
    }
    let mut small = line.to_owned();
    small.replace_range(at..=at, &letter.to_ascii_lowercase().to_string());
    let found = |line: &str| trimmed_turn(line, game);
    match (found(line), found(&small)) {
        (
            Some(FoundTurn {
                at, legal: Some(one), ..
            }),
            Some(FoundTurn {
                legal: Some(other), ..
            }),
        ) if one != other => Capital::Either(at, [one, other]),
        (Some(FoundTurn { legal: Some(_), .. }), _) => Capital::Meant,
        (_, Some(FoundTurn { legal: Some(_), .. })) | (None, Some(_)) => Capital::Small(small),
        _ => Capital::Meant,
    }
}

/// The word for the dice after `roll`: a turn has it in small letters, so that a wish after the turn is none.
fn capital_of_dice(line: &str, game: &dyn Match) -> Capital {
    let words = split(line);
    let is_wish = |word: &Word| is_wish(line.get(word.at.start..).unwrap_or_default());
    let small = line.to_ascii_lowercase();
    let is_meant = trimmed_turn(line, game).is_some() || words.len() != 2 || is_wish(&words[1]);
    match !is_meant && trimmed_turn(&small, game).is_some_and(|found| found.legal.is_some()) {
        true => Capital::Small(small),
        false => Capital::Meant,
    }
}

#[cfg(test)]
mod tests {
    use pbmserv_games::{Options, find};

    use super::*;

    #[test]
    fn the_word_for_the_dice_may_have_a_capital_and_a_wish_is_no_word() {
        let game = find("Hypergammon").unwrap();
        let start = game.start(&Options::none(game.facts)).unwrap();
        for (line, small) in [
            ("Roll Plum", Some("roll plum")),
            ("roll Plum.", Some("roll plum.")),
            ("ROLL PLUM", Some("roll plum")),
            ("Roll plum", None),
            ("Roll", None),
            ("roll Thanks", None),
            ("Roll Good luck", None),
            ("Roll Plum Pear", None),
            ("Hello Plum", None),
        ] {
            let read = first_capital(line, start.as_ref());
            let right = small.map_or(Capital::Meant, |small| Capital::Small(small.to_owned()));
            assert_eq!(read, right, "{line}");
        }
    }
}
