//! The capital letter that a telephone writes at the beginning of a line, in games where it makes another turn.

use std::ops::Range;

use pbmserv_games::Match;

use crate::command::reading::trimmed::{FoundTurn, trimmed_turn};

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
