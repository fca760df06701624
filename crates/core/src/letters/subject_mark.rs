//! How the subjects of letters begin whose template takes the subject as a fact.

/// How a subject begins that is not the command itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectMark {
    /// It was not carried out.
    NotDone,
    /// Somebody else was asked first.
    Asked,
    /// Where players stand in a league or a cup.
    Table,
    /// A cup that one may join.
    Cup,
    /// A player is away.
    Vacation,
    VacationNotSet,
    SettingsNotChanged,
    MessageNotSent,
}

impl SubjectMark {
    const ALL: [Self; 8] = [
        Self::NotDone,
        Self::Asked,
        Self::Table,
        Self::Cup,
        Self::Vacation,
        Self::VacationNotSet,
        Self::SettingsNotChanged,
        Self::MessageNotSent,
    ];

    /// Its words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotDone => "Not done",
            Self::Asked => "Asked",
            Self::Table => "Table",
            Self::Cup => "Cup",
            Self::Vacation => "Vacation of",
            Self::VacationNotSet => "Your vacation was not set",
            Self::SettingsNotChanged => "Your settings were not changed",
            Self::MessageNotSent => "Your message was not sent",
        }
    }

    /// The subject that says what it is about: a command, or a player. Some say it already.
    #[must_use]
    pub fn before(self, what: &str) -> String {
        match self {
            Self::NotDone | Self::Asked | Self::Table | Self::Cup => format!("{}: {what}", self.words()),
            Self::Vacation => format!("{} {what}", self.words()),
            Self::VacationNotSet | Self::SettingsNotChanged | Self::MessageNotSent => self.words().to_owned(),
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
            Self::VacationNotSet | Self::SettingsNotChanged | Self::MessageNotSent => rest.is_empty(),
            Self::Asked | Self::Table | Self::Cup => rest.starts_with(": "),
            // With more words it is a command.
            Self::Vacation => rest.starts_with(' ') && is_word(rest.trim()),
        }
    }
}

/// Whether it is one word.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}
