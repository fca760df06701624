//! The one mail a day: all boards of a player, and what happened on each.

use serde::Serialize;

use super::{Comment, Mail};

/// Something that happened on a board, as the mail about it would have said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct News {
    /// The sentence.
    pub sentence: String,
    /// What a player wrote with it.
    pub saying: Option<Comment>,
}

/// One board in a daily mail.
#[derive(Clone, Debug, Serialize)]
pub struct DigestBoard {
    /// `Pow2 Board 101 alice`: what a mail about it has as its subject.
    pub subject: String,
    /// What happened, in order.
    pub news: Vec<News>,
    /// Whose turn it is, or how it ended.
    pub status: String,
    /// The drawing; empty if it is not drawn.
    pub board: String,
    /// The beginning of the line that plays a turn; empty if it is not the reader's turn.
    pub command: String,
    /// A turn that could be played, as an example.
    pub turn: String,
    /// The number of the reader's seat, whose token stands in the address that an answer goes to; none if the board is
    /// over.
    pub seat: Option<i64>,
}

/// The one mail a day.
#[derive(Debug, Serialize)]
pub struct Digest {
    /// Whose boards these are.
    pub userid: String,
    /// How many boards wait, and how many have news.
    pub sentence: String,
    /// Those where it is the reader's turn first.
    pub boards: Vec<DigestBoard>,
    /// How many running boards are left out, since they are too many.
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
                        by: "bob".into(),
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
}
