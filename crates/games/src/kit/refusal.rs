//! Why a text is not a legal turn.

use std::fmt;
use std::ops::Range;

/// The three reasons. Internal errors are never among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text is not a turn in this game's notation.
    Unreadable,
    /// A rule forbids the turn in this position.
    Illegal,
    /// The text could mean several turns.
    Ambiguous,
}

/// Why a text is not a legal turn here, for the player who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the three reasons.
    pub kind: Kind,
    /// One or two sentences; for an illegal turn they name the rule.
    pub reason: String,
    /// The bytes of the text that the reason is about.
    pub at: Option<Range<usize>>,
    /// Suggestions; for an ambiguous text all its meanings (at most a few dozen).
    pub choices: Vec<String>,
}

impl Refusal {
    /// Builds an [`Kind::Unreadable`] refusal.
    #[must_use]
    pub fn unreadable(reason: impl Into<String>) -> Self {
        Self::new(Kind::Unreadable, reason.into())
    }

    /// Builds an [`Kind::Illegal`] refusal.
    #[must_use]
    pub fn illegal(reason: impl Into<String>) -> Self {
        Self::new(Kind::Illegal, reason.into())
    }

    /// Builds an [`Kind::Ambiguous`] refusal with all meanings.
    #[must_use]
    pub fn ambiguous(reason: impl Into<String>, choices: Vec<String>) -> Self {
        Self {
            choices,
            ..Self::new(Kind::Ambiguous, reason.into())
        }
    }

    /// Adds the part of the text that the refusal is about.
    #[must_use]
    pub fn at(self, at: Range<usize>) -> Self {
        Self { at: Some(at), ..self }
    }

    /// Adds suggestions.
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
