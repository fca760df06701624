//! How the subjects of letters begin whose template takes the subject as a fact.

/// How a subject begins that is not the command itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectMark {
    /// It was not carried out.
    NotDone,
    /// Somebody else was asked first.
    Asked,
    /// A player is away.
    Vacation,
}

impl SubjectMark {
    const ALL: [Self; 3] = [Self::NotDone, Self::Asked, Self::Vacation];

    /// Its words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotDone => "Not done",
            Self::Asked => "Asked",
            Self::Vacation => "Vacation of",
        }
    }

    /// The subject that says what it is about: a command, or a player.
    #[must_use]
    pub fn before(self, what: &str) -> String {
        match self {
            Self::NotDone | Self::Asked => format!("{}: {what}", self.words()),
            Self::Vacation => format!("{} {what}", self.words()),
        }
    }

    /// Whether a subject is one that [`before`](Self::before) makes.
    pub(super) fn begins(subject: &str) -> bool {
        Self::ALL.iter().any(|mark| mark.stands_before(subject))
    }

    fn stands_before(self, subject: &str) -> bool {
        let Some(rest) = subject.strip_prefix(self.words()) else {
            return false;
        };
        match self {
            Self::NotDone => true,
            Self::Asked => rest.starts_with(": "),
            // With more words it is a command.
            Self::Vacation => rest.starts_with(' ') && is_word(rest.trim()),
        }
    }
}

/// Whether it is one word.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}
