//! The letter about a line of turns that was tried.

use serde::Serialize;

use super::{Button, LetterKind, Mail};

/// A line of turns that nobody has played, or the lines that its reader has kept.
#[derive(Debug, Default, Serialize)]
pub struct TriedMail {
    /// That of the board.
    pub subject: String,
    /// Which line it is; or that it stops, and why.
    pub sentence: String,
    /// The board after the line; empty for a list.
    pub board: String,
    /// Each turn with what it does, or each kept line.
    pub table: String,
    /// The answer that plays the first turns of the line.
    pub action: Option<Button>,
    /// Lines to answer with, each with what it does.
    pub answers: Vec<Button>,
    /// Whose turn it would be.
    pub hint: String,
    /// What the address of the page has after that of the board.
    pub walk: String,
}

impl TriedMail {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 Board 101 alice".into(),
            sentence: "A try on Pow2 Board 101: m13-j7.".into(),
            board: "board\n".into(),
            table: "  1. Light\n      m13-j7".into(),
            action: Some(Button {
                label: "Play m13-j7".into(),
                word: "m13-j7".into(),
            }),
            answers: vec![Button {
                label: "shows this line".into(),
                word: "try plan-b".into(),
            }],
            hint: "It would be the turn of Dark.".into(),
            walk: "/try/0/m13-j7/1".into(),
        }
    }
}

impl Mail for TriedMail {
    const KIND: LetterKind = LetterKind::Tried;
}
