//! Why a text is not a turn.

use std::fmt;
use std::ops::Range;

/// The three ways in which a text can fail to be a turn. Our own faults are never among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is no turn in this game's notation.
    Unreadable,
    /// It is one, but a rule forbids it here.
    Illegal,
    /// It could be any of several turns.
    Ambiguous,
}

/// Why a text is not a turn here, in words for the player who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the three.
    pub kind: Kind,
    /// One sentence or two; for an illegal turn it names the rule.
    pub reason: String,
    /// The part of the text that it is about, in bytes of the text as given.
    pub at: Option<Range<usize>>,
    /// What could be written instead; for an ambiguous text, every meaning (at most a few dozen).
    pub choices: Vec<String>,
}

impl Refusal {
    /// The text cannot be read.
    #[must_use]
    pub fn unreadable(reason: impl Into<String>) -> Self {
        Self::new(Kind::Unreadable, reason.into())
    }

    /// A rule forbids it.
    #[must_use]
    pub fn illegal(reason: impl Into<String>) -> Self {
        Self::new(Kind::Illegal, reason.into())
    }

    /// It could mean any of these.
    #[must_use]
    pub fn ambiguous(reason: impl Into<String>, choices: Vec<String>) -> Self {
        Self {
            choices,
            ..Self::new(Kind::Ambiguous, reason.into())
        }
    }

    /// The same, about this part of the text.
    #[must_use]
    pub fn at(self, at: Range<usize>) -> Self {
        Self { at: Some(at), ..self }
    }

    /// The same, with what could be written instead.
    #[must_use]
    pub fn or(self, choices: Vec<String>) -> Self {
        Self { choices, ..self }
    }

    const fn new(kind: Kind, reason: String) -> Self {
        Self {
            kind,
            reason,
            at: None,
            choices: Vec::new(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        if !self.choices.is_empty() {
            write!(f, " Possible: {}.", self.choices.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
