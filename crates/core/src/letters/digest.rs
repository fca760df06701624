//! The daily digest: all boards of a player, and the news of each.

use serde::Serialize;

use super::{Button, Comment, LetterKind, Mail, News, Status};

/// A board in a digest.
#[derive(Clone, Debug, Serialize)]
pub struct DigestBoard {
    /// The subject that a mail about the board has: `Pow2 Board 101 alice`. An answer may have it too.
    pub subject: String,
    /// The news, oldest first.
    pub news: Vec<News>,
    /// Whose turn it is, or how the game ended.
    pub status: Status,
    /// Whether the reader is to move.
    pub is_waiting: bool,
    /// Whether an answer can be about it.
    pub can_answer: bool,
    /// The drawing; empty if it is not shown.
    pub board: String,
    /// How a line of an answer begins that is about this board: `Pow2 101`.
    pub prefix: String,
    /// An example of a legal turn; empty if the reader is not to move.
    pub turn: String,
}

/// What waits for the reader's yes or no.
#[derive(Clone, Debug, Serialize)]
pub struct DigestQuestion {
    /// Who asks for what.
    pub sentence: String,
    /// Lines of an answer, with what they do; none if another letter has to be answered.
    pub answers: Vec<Button>,
}

/// The daily digest.
#[derive(Debug, Serialize)]
pub struct Digest {
    /// The recipient.
    pub userid: String,
    /// What has begun, if the mail comes for that; empty if it is the daily one.
    pub occasion: String,
    /// The number of boards that wait for the reader, and of those with news.
    pub sentence: String,
    /// The first deadline; empty if there is none.
    pub first: String,
    /// Offers and questions, which come first.
    pub questions: Vec<DigestQuestion>,
    /// How to answer; empty if nothing can be answered.
    pub how: String,
    /// Lines as an answer may hold them.
    pub examples: Vec<String>,
    /// The boards where the reader is to move come first, by their deadlines.
    pub boards: Vec<DigestBoard>,
    /// Where the reader stands in leagues and cups, a sentence for each.
    pub tables: Vec<String>,
    /// The number of running boards that were left out, because there are too many.
    pub left_out: usize,
}

impl Digest {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            occasion: "the Hex league".into(),
            sentence: "One board waits for your turn, alice.".into(),
            first: "The first: Pow2 Board 101, until 2026-12-11 08:00 UTC.".into(),
            questions: vec![DigestQuestion {
                sentence: "bob offers you a draw on Pow2 Board 101.".into(),
                answers: vec![Button {
                    label: "Accept the draw".into(),
                    word: "Pow2 101 accept".into(),
                }],
            }],
            how: "Answer this mail with a turn alone on the first line, such as:".into(),
            examples: vec!["m13-m5".into()],
            boards: vec![DigestBoard {
                subject: "Pow2 Board 101 alice".into(),
                news: vec![News {
                    sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
                    saying: Some(Comment {
                        by: Some("bob".into()),
                        text: "Hello".into(),
                    }),
                }],
                status: Status {
                    line: "Your turn, alice, until Fri 11 December,".into(),
                    when: "08:00 UTC: in three weeks.".into(),
                    more: "You play Light.".into(),
                    brief: String::new(),
                    is_mine: true,
                },
                is_waiting: true,
                can_answer: true,
                board: "board\n".into(),
                prefix: "Pow2 101".into(),
                turn: "m13-m5".into(),
            }],
            tables: vec!["The Hex league, division 2: you are third of 10.".into()],
            left_out: 1,
        }
    }
}

impl Mail for Digest {
    const KIND: LetterKind = LetterKind::Digest;

    fn sender_name(&self) -> String {
        match self.boards.iter().filter(|board| board.is_waiting).count() {
            0 => String::new(),
            1 => "one board waits".to_owned(),
            many => format!("{many} boards wait"),
        }
    }
}
