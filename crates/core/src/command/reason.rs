//! Reasons that several commands refuse for: what is wrong, and what helps. Each is printed here alone.

use std::fmt;

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason<'a> {
    /// A limit of the day is reached. The words say which: `You have had enough advice today, alice`.
    EnoughToday(&'a str),
    /// Too many boards were begun for this player from the writer's address today.
    EnoughBoards(&'a str),
    /// A player has had enough messages of another today, so that no more are sent on.
    EnoughMessages {
        /// Who has had them.
        reader: &'a str,
        /// Who writes them.
        writer: &'a str,
    },
    /// The line has a word more than this verb takes.
    SurplusWord(&'a str),
    /// Another player has this userid.
    UseridTaken(&'a str),
    /// A player reads nothing of another one.
    NotHeard {
        /// Who does not read it.
        reader: &'a str,
        /// Who writes; `you` for somebody who may be either of two.
        writer: &'a str,
    },
    /// The command sends the text of the mail on, and there is none.
    NothingToSend,
    /// On this board nothing was played that this player could take back.
    NothingToUndo {
        /// The name of the board.
        board: &'a str,
        /// Its player.
        userid: &'a str,
    },
}

impl Reason<'_> {
    /// What the writer can do about it, as the end of the sentence.
    const fn remedy(self) -> Option<&'static str> {
        match self {
            Self::EnoughToday(_) | Self::EnoughBoards(_) | Self::EnoughMessages { .. } => {
                Some("try again tomorrow")
            }
            Self::UseridTaken(_) => Some("choose another"),
            Self::NothingToSend => Some("write it below the subject"),
            Self::SurplusWord(_) | Self::NotHeard { .. } | Self::NothingToUndo { .. } => None,
        }
    }
}

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EnoughToday(what) => f.write_str(what),
            Self::EnoughBoards(userid) => {
                write!(f, "Enough boards were begun for {userid} from your address today")
            }
            Self::EnoughMessages { reader, writer } => {
                write!(f, "{reader} has had enough messages from {writer} today")
            }
            Self::SurplusWord(verb) => write!(f, "There is a word too many for {verb}"),
            Self::UseridTaken(userid) => write!(f, "The userid {userid} is taken"),
            Self::NotHeard { reader, writer } => write!(f, "{reader} does not wish to hear from {writer}"),
            Self::NothingToSend => f.write_str("There is no text in the mail to send on"),
            Self::NothingToUndo { board, userid } => {
                write!(f, "There is no turn to take back on {board}, {userid}")
            }
        }?;
        match self.remedy() {
            Some(remedy) => write!(f, ": {remedy}."),
            None => f.write_str("."),
        }
    }
}

impl From<Reason<'_>> for String {
    fn from(reason: Reason<'_>) -> Self {
        reason.to_string()
    }
}
