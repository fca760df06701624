//! Why a command is not done.

use std::ops::Range;

use crate::command::Word;
use crate::games::{self, Refusal};
use crate::store;
use crate::table::{Board, PlayerId, Position, Unreplayable};

/// The kinds of refusal that a player is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// It cannot be read.
    Unreadable,
    /// It can, but is not possible here.
    Impossible,
    /// It could mean several things.
    Ambiguous,
}

/// A command that is not done, and what its writer is told.
#[derive(Debug)]
pub struct Refused {
    /// Which kind.
    pub kind: RefusalKind,
    /// The answer's first sentence.
    pub sentence: String,
    /// The part of the line it is about, in bytes.
    pub at: Option<Range<usize>>,
    /// Up to where the line may be echoed, in bytes, when a password stands in it: what comes after might be
    /// a password in the wrong place.
    pub clear_to: usize,
    /// Whether the part that it is about may be shown, whatever it is.
    pub shows_at: bool,
    /// What could be written instead.
    pub near: Vec<String>,
    /// Whether the syntax of the command helps here.
    pub show_syntax: bool,
    /// The board it is about, as it stands.
    pub board: Option<Box<(Board, Position)>>,
    /// Whose password was given wrongly, so that the guess is counted.
    pub wrong_password_of: Option<PlayerId>,
    /// Who has proved to be the writer before it was refused.
    pub proven: Option<PlayerId>,
}

impl Refused {
    /// A refusal with this first sentence.
    #[must_use]
    pub fn new(kind: RefusalKind, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            sentence: sentence.into(),
            at: None,
            clear_to: 0,
            shows_at: false,
            near: Vec::new(),
            show_syntax: false,
            board: None,
            wrong_password_of: None,
            proven: None,
        }
    }

    /// It cannot be read: the syntax is shown.
    #[must_use]
    pub fn unreadable(sentence: impl Into<String>) -> Self {
        Self {
            show_syntax: true,
            ..Self::new(RefusalKind::Unreadable, sentence)
        }
    }

    /// It is not possible here.
    #[must_use]
    pub fn impossible(sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Impossible, sentence)
    }

    /// About this word, which may be shown.
    #[must_use]
    pub fn about(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: word.at.end,
            shows_at: true,
            ..self
        }
    }

    /// About this word, which is no known word and so might be a password in the wrong place.
    #[must_use]
    pub fn hiding(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: word.at.start,
            shows_at: false,
            ..self
        }
    }

    /// About this word of a line in which every word might stand in the place of another.
    #[must_use]
    pub fn pointing_at(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: 0,
            shows_at: false,
            ..self
        }
    }

    /// With what could be written instead.
    #[must_use]
    pub fn near(self, near: Vec<String>) -> Self {
        Self { near, ..self }
    }

    /// With the board that it is about, as it stands.
    #[must_use]
    pub fn on(self, board: Board, position: Position) -> Self {
        Self {
            board: Some(Box::new((board, position))),
            ..self
        }
    }

    /// The refusal of a turn, which stands in this word of the line.
    #[must_use]
    pub fn of_turn(refusal: Refusal, word: &Word) -> Self {
        let kind = match refusal.kind {
            games::Kind::Unreadable => RefusalKind::Unreadable,
            games::Kind::Illegal => RefusalKind::Impossible,
            games::Kind::Ambiguous => RefusalKind::Ambiguous,
        };
        let within = |at: Range<usize>| {
            let end = (word.at.start + at.end).min(word.at.end);
            (word.at.start + at.start).min(end)..end
        };
        Self {
            at: Some(refusal.at.map_or_else(|| word.at.clone(), within)),
            clear_to: word.at.end,
            shows_at: true,
            near: refusal.choices,
            ..Self::new(kind, refusal.reason)
        }
    }
}

/// A failure of the server itself, which no player has caused.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored board does not replay.
    #[error(transparent)]
    Unreplayable(#[from] Unreplayable),
    /// A letter could not be written.
    #[error("letter: {0}")]
    Letter(String),
    /// Something whose time had come was done and is due all the same: it would be done for ever.
    #[error("it is still due after it was done")]
    StillDue,
    /// A message that failed could not be kept.
    #[error("its bytes cannot be kept: {0}")]
    Disk(std::io::Error),
}

/// Why a command comes to no decision.
#[derive(Debug)]
pub enum Undecided {
    /// It is refused.
    Refused(Box<Refused>),
    /// A password in it is still to be checked against the stored hash, outside the engine's thread.
    PasswordUnchecked,
    /// It met a fault of ours.
    InternalError(InternalError),
}

impl Undecided {
    /// The same, of a command whose writer had proved to be this player: the answer goes there.
    #[must_use]
    pub fn proven_by(self, player: PlayerId) -> Self {
        match self {
            // Once the password has been found right, no other word can be one: it alone is hidden.
            Self::Refused(refused) => Self::Refused(Box::new(Refused {
                proven: Some(player),
                ..*refused
            })),
            other => other,
        }
    }
}

impl From<Refused> for Undecided {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

impl<F: Into<InternalError>> From<F> for Undecided {
    fn from(fault: F) -> Self {
        Self::InternalError(fault.into())
    }
}
