//! The mail about a board: what happened, the board, and what to do next.

use serde::{Deserialize, Serialize};

use super::{LetterKind, Mail};

/// A player's comment to the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The author; `None` if nobody has proven to be it.
    pub by: Option<String>,
    /// The comment.
    pub text: String,
}

/// An event on a board, worded as in the mail about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// What happened.
    pub sentence: String,
    /// A player's comment on it.
    pub saying: Option<Comment>,
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
    pub word: String,
    /// A note for the list, beginning with a blank or a bracket; may be empty.
    pub note: String,
}

/// The running head of a letter about a board.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Head {
    /// The name of the game in prose.
    pub game: String,
    /// The board and the other player, or both.
    pub place: String,
}

/// Whose turn it is and until when, or how the game ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// The one thing to know: `Your turn, alice, until Sat 12 December,`.
    pub line: String,
    /// The end of that sentence: `23:56 UTC: in three weeks.` Empty without a deadline.
    pub when: String,
    /// The side of the reader, offers, and what else is true of the clocks and the queue.
    pub more: String,
    /// What the reader must do, in at most forty characters; empty if nothing.
    pub brief: String,
    /// Whether the reader is to move.
    pub is_mine: bool,
}

/// The likely thing to do next.
#[derive(Clone, Debug, Serialize)]
pub struct Button {
    /// The words on it.
    pub label: String,
    /// What it writes: the text of an answer, or the subject of a new mail if there is no address for answers. Empty if
    /// nothing is safe to send by a careless tap.
    pub word: String,
}

/// The turns of both players in one round.
#[derive(Clone, Debug, Serialize)]
pub struct TurnRow {
    pub number: usize,
    /// The turns of the first and of the second player; empty if there is none.
    pub turns: [String; 2],
    /// Which of the two is the newest turn of the board.
    pub newest: Option<usize>,
}

/// The last turns.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LastTurns {
    /// The players with their sides.
    pub players: [String; 2],
    /// Empty before the first turn.
    pub rows: Vec<TurnRow>,
    /// The same as columns of text.
    pub text: String,
}

/// A mail about a turn, a new board, an end, a comment from the other player, or a board that was requested.
#[derive(Clone, Debug, Serialize)]
pub struct BoardMail {
    /// `Pow2 Board 101 alice`, with the reader's own userid; without a userid for watchers.
    pub subject: String,
    /// Which game, which board, with whom.
    pub head: Head,
    /// What a mailbox shows below the subject.
    pub preheader: String,
    /// `You won, alice: 6 points to 3.`: in the letter about the end, to a player. Otherwise empty.
    pub result: String,
    /// What happened, with the names of game, board and player. If it ends with a colon, the comment follows at once.
    pub sentence: String,
    /// The answers to an offer of the other player, each as a button or a line; empty if there is none.
    pub choices: Vec<Button>,
    /// A player's comment on it.
    pub saying: Option<Comment>,
    /// Who says it.
    pub said: String,
    /// The drawing in the reader's display.
    pub board: String,
    /// Which game it is and its goal, in the first letter of a board to a player; otherwise empty.
    pub goal: String,
    /// Whose turn it is, or how the game ended.
    pub status: Status,
    pub turns: LastTurns,
    /// Whether the reader plays on the board, or played: an answer to this mail is then a command.
    pub can_answer: bool,
    /// An example of a legal turn; empty if the reader is not to move.
    pub turn: String,
    /// The likely thing to do next; `None` if there is none.
    pub action: Option<Button>,
    /// How to answer; the example follows. Empty without an example.
    pub hint: String,
    /// A whole answer: a turn or a word.
    pub example: String,
    /// Who gets the comment below a command.
    pub other: String,
    /// The words that an answer may contain instead of a turn.
    pub verbs: Vec<ReplyWord>,
    /// Lines that the reader could send as the subject of a new mail.
    pub steps: Vec<Step>,
    /// The players, their ratings, the options, and when it began.
    pub about: String,
    /// Whether the board was removed: then it has no page for everybody.
    pub is_removed: bool,
    /// What happened before, and the reader has not heard of; added when the letter is posted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<News>,
    /// Commands with which the reader gets fewer mails, and what each does.
    pub fewer: Vec<Step>,
}

impl BoardMail {
    pub(super) fn sample() -> Self {
        Self {
            subject: "Pow2 Board 101 alice".into(),
            head: Head {
                game: "The Power of Two".into(),
                place: "board 101, with bob".into(),
            },
            preheader: "Your turn: bob played a1-e1.".into(),
            result: String::new(),
            sentence: "bob played a1-e1 on Pow2 Board 101.".into(),
            choices: [("Accept the draw", "accept"), ("No draw", "reject")]
                .map(|(label, word)| Button {
                    label: label.into(),
                    word: word.into(),
                })
                .into(),
            saying: Some(Comment {
                by: Some("bob".into()),
                text: "Hello".into(),
            }),
            said: "bob writes".into(),
            board: "board\n".into(),
            goal: "The goal of The Power of Two: be the first with all sixteen pieces.".into(),
            status: Status {
                line: "Your turn, alice, until Sat 12 December,".into(),
                when: "23:56 UTC: in three weeks.".into(),
                more: "You play Light.".into(),
                brief: "Your turn until Sat 12 December".into(),
                is_mine: true,
            },
            turns: LastTurns {
                players: ["alice (Light)", "bob (Dark)"].map(str::to_owned),
                rows: vec![TurnRow {
                    number: 1,
                    turns: ["m13-j7", "a1-e1"].map(str::to_owned),
                    newest: Some(1),
                }],
                text: "  No.  alice (Light)  bob (Dark)\n  1    m13-j7         a1-e1".into(),
            },
            can_answer: true,
            turn: "m13-m5".into(),
            action: Some(Button {
                label: "Play your turn".into(),
                word: String::new(),
            }),
            hint: "Answer this mail with your turn alone on the first line. For example".into(),
            example: "m13-m5".into(),
            other: "bob".into(),
            verbs: [("chat", " and some words"), ("show", "")]
                .map(|(word, note)| ReplyWord {
                    word: word.into(),
                    note: note.into(),
                })
                .into(),
            steps: vec![Step {
                line: "Pow2 unsubscribe 101".into(),
                does: "ends these mails, which come because you watch".into(),
            }],
            about: "alice (Light) against bob (Dark).".into(),
            is_removed: false,
            earlier: vec![News {
                sentence: "bob offers a draw on Pow2 Board 101.".into(),
                saying: Some(Comment {
                    by: Some("bob".into()),
                    text: "A draw?".into(),
                }),
            }],
            fewer: [("digest on", "one mail a day"), ("reminders off", "no reminders")]
                .map(|(setting, does)| Step {
                    line: format!("set {setting}"),
                    does: does.into(),
                })
                .into(),
        }
    }
}

impl Mail for BoardMail {
    const KIND: LetterKind = LetterKind::Board;
}
