//! The gazette: results, the game of the week, a position to solve, who seeks a game.

use serde::Serialize;

use super::{LetterKind, Mail};

/// A board in the gazette.
#[derive(Clone, Debug, Serialize)]
pub struct GazetteBoard {
    pub title: String,
    /// What is said of it.
    pub caption: String,
    pub board: String,
    /// Whether its picture is large enough for the names of its cells.
    pub is_large: bool,
}

/// Who seeks a game.
#[derive(Clone, Debug, Serialize)]
pub struct GazetteSeek {
    /// What the answer does.
    pub label: String,
    /// The line that takes the seat.
    pub word: String,
    /// The rating of who seeks, the options, and how many games.
    pub note: String,
}

/// An issue, for one reader.
#[derive(Debug, Serialize)]
pub struct Gazette {
    pub number: i64,
    pub date: String,
    /// What there is.
    pub sentence: String,
    /// Who played the game of the week; empty if there is none.
    pub game: String,
    /// Its board, as `Pow2 101`.
    pub game_board: String,
    /// How many of `boards` are pictures of that game, from the first.
    pub game_pictures: usize,
    /// All boards: those of that game, then the position to solve, if there is one.
    pub boards: Vec<GazetteBoard>,
    /// How to answer; empty without a position.
    pub how: String,
    /// What the last position's solution is, and who found it; empty without one.
    pub solution: String,
    /// The results as a table; empty if there are none.
    pub results: String,
    /// Results that are left out.
    pub left_out: usize,
    /// Who seeks a game, each with the answer that takes the seat.
    pub seeks: Vec<GazetteSeek>,
}

impl Gazette {
    pub(super) fn sample() -> Self {
        let board = |title: &str| GazetteBoard {
            title: title.into(),
            caption: "alice played m13-m5; a1-e1 was better by 34 points in 100.".into(),
            board: "board\n".into(),
            is_large: false,
        };
        Self {
            number: 3,
            date: "28 November 2026".into(),
            sentence: "Seven games ended, and a position waits for you to solve it.".into(),
            game: "alice (Light, 1650) against bob (Dark, 1612): alice won by resignation.".into(),
            game_board: "Pow2 101".into(),
            game_pictures: 1,
            boards: vec![
                board("Turn 31"),
                GazetteBoard {
                    is_large: true,
                    ..board("To solve")
                },
            ],
            how: "Answer this mail with the first turn alone on the first line.".into(),
            solution: "The position of number 2: b4 wins. Two have solved it, among them carol.".into(),
            results: "Board     First  Second\nPow2 101  alice  bob".into(),
            left_out: 1,
            seeks: vec![GazetteSeek {
                label: "Play Hex against carol".into(),
                word: "Hex challenge carol".into(),
                note: "Rating 1650, two games, -size=9".into(),
            }],
        }
    }
}

impl Mail for Gazette {
    const KIND: LetterKind = LetterKind::Gazette;

    fn sender_name(&self) -> String {
        "The gazette".to_owned()
    }
}
