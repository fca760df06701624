//! The daily digest: all boards of a player, and the news of each.

use serde::Serialize;

use super::{Comment, Mail};

/// An event on a board, worded as in the mail about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct News {
    /// What happened.
    pub sentence: String,
    /// A player's comment on it.
    pub saying: Option<Comment>,
}

/// A board in a digest.
#[derive(Clone, Debug, Serialize)]
pub struct DigestBoard {
    /// The subject that a mail about the board has: `Pow2 Board 101 alice`.
    pub subject: String,
    /// The news, oldest first.
    pub news: Vec<News>,
    /// Whose turn it is, or how the game ended.
    pub status: String,
    /// The drawing; empty if it is not shown.
    pub board: String,
    /// The beginning of the command that plays a turn; empty if the reader is not to move.
    pub command: String,
    /// An example of a legal turn.
    pub turn: String,
    /// The number of a letter from the reader's seat; its token is in the address for answers. `None` if the board is
    /// over.
    pub seat: Option<i64>,
}

/// The daily digest.
#[derive(Debug, Serialize)]
pub struct Digest {
    /// The recipient.
    pub userid: String,
    /// The number of boards that wait for the reader, and of those with news.
    pub sentence: String,
    /// The boards where the reader is to move come first.
    pub boards: Vec<DigestBoard>,
    /// The number of running boards that were left out, because there are too many.
    pub left_out: usize,
}

impl Digest {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            sentence: "One board waits for your turn, alice.".into(),
            boards: vec![DigestBoard {
                subject: "Pow2 Board 101 alice".into(),
                news: vec![News {
                    sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
                    saying: Some(Comment {
                        by: Some("bob".into()),
                        text: "Hello".into(),
                    }),
                }],
                status: "It is your turn, alice (Light).".into(),
                board: "board\n".into(),
                command: "Pow2 move 101 alice PASSWORD".into(),
                turn: "m13-m5".into(),
                seat: Some(2),
            }],
            left_out: 1,
        }
    }
}

impl Mail for Digest {
    const KIND: &'static str = "digest";

    fn sender_name(&self) -> String {
        match self
            .boards
            .iter()
            .filter(|board| !board.command.is_empty())
            .count()
        {
            0 => String::new(),
            1 => "one board waits".to_owned(),
            many => format!("{many} boards wait"),
        }
    }
}
