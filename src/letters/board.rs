//! The mail about a board: what happened, the board, what to do next.

use serde::Serialize;

use super::Mail;

/// Words of a player to the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comment {
    /// Who wrote.
    pub by: String,
    /// What.
    pub text: String,
}

/// One thing that the reader can do next.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The line to type.
    pub line: String,
    /// What it does.
    pub does: String,
}

/// A word that an answer may hold in the place of a turn.
#[derive(Clone, Debug, Serialize)]
pub struct ReplyWord {
    /// The word.
    pub word: String,
    /// What is to be said of it in a list, with the blank or the bracket before it; may be empty.
    pub note: String,
}

/// A move mail, a receipt, a new board, an end, a word from the other player, or a board that was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct BoardMail {
    /// `Pow2 Board 101 alice`, with the reader's own userid; without one for those who only watch.
    pub subject: String,
    /// What happened, with the game, the board and the player in it.
    pub sentence: String,
    /// What a player wrote with it.
    pub saying: Option<Comment>,
    /// The drawing, in the reader's display.
    pub board: String,
    /// Whose turn it is, or how it ended.
    pub status: String,
    /// The last turns, as lines; empty if none was played.
    pub turns: String,
    /// Whether the reader sits at the board and it runs: then an answer to this mail is a command.
    pub can_answer: bool,
    /// A turn that the reader could play now, as an example; empty if it is not theirs to move.
    pub turn: String,
    /// Who gets the words below a command.
    pub other: String,
    /// The words that an answer may hold in the place of a turn.
    pub verbs: Vec<ReplyWord>,
    /// Lines that the reader could write as the subject of a new mail.
    pub steps: Vec<Step>,
    /// Who plays, by which options, since when.
    pub about: String,
}

impl BoardMail {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 Board 101 alice".into(),
            sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
            saying: Some(Comment {
                by: "bob".into(),
                text: "Hello".into(),
            }),
            board: "board\n".into(),
            status: "It is your turn.".into(),
            turns: "  1. m13-j7  a1-e1".into(),
            can_answer: true,
            turn: "m13-m5".into(),
            other: "bob".into(),
            verbs: [("chat", " and some words"), ("show", "")]
                .map(|(word, note)| ReplyWord {
                    word: word.into(),
                    note: note.into(),
                })
                .into(),
            steps: vec![Step {
                line: "Pow2 move 101 alice PASSWORD m13-m5".into(),
                does: "a turn".into(),
            }],
            about: "alice (Light) against bob (Dark).".into(),
        }
    }
}

impl Mail for BoardMail {
    const KIND: &'static str = "board";
}
