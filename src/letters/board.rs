//! The mail about a board: what happened, the board, and what to do next.

use serde::Serialize;

use super::Mail;

/// A player's comment to the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comment {
    /// The author; `None` if nobody has proven to be it.
    pub by: Option<String>,
    /// The comment.
    pub text: String,
}

/// Something that the reader can do next.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The line to type.
    pub line: String,
    /// Its effect.
    pub does: String,
}

/// A word that an answer may contain instead of a turn.
#[derive(Clone, Debug, Serialize)]
pub struct ReplyWord {
    /// The word.
    pub word: String,
    /// A note for the list, beginning with a blank or a bracket; may be empty.
    pub note: String,
}

/// A mail about a turn, a new board, an end, a comment from the other player, or a board that was requested.
#[derive(Clone, Debug, Serialize)]
pub struct BoardMail {
    /// `Pow2 Board 101 alice`, with the reader's own userid; without a userid for watchers.
    pub subject: String,
    /// What happened, with the names of game, board and player.
    pub sentence: String,
    /// A player's comment on it.
    pub saying: Option<Comment>,
    /// The drawing in the reader's display.
    pub board: String,
    /// Whose turn it is, or how the game ended.
    pub status: String,
    /// The last turns, as lines; empty if there are none.
    pub turns: String,
    /// Whether the reader plays on the board, or played: an answer to this mail is then a command.
    pub can_answer: bool,
    /// An example of a legal turn; empty if the reader is not to move.
    pub turn: String,
    /// Who gets the comment below a command.
    pub other: String,
    /// The words that an answer may contain instead of a turn.
    pub verbs: Vec<ReplyWord>,
    /// Lines that the reader could send as the subject of a new mail.
    pub steps: Vec<Step>,
    /// The players, the options, and the time of the start.
    pub about: String,
}

impl BoardMail {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 Board 101 alice".into(),
            sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
            saying: Some(Comment {
                by: Some("bob".into()),
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
