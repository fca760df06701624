//! Errors in templates.

/// A template cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operator's file cannot be read.
    #[error("template {file} cannot be read: {source}")]
    Read {
        /// The path of the file.
        file: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The operator's file replaces nothing.
    #[error("template {0}: there is none of this name")]
    Unknown(String),
    /// It is not a valid template, or uses a name that its mail does not have.
    #[error("template {name}, line {line}: {reason}")]
    Template {
        /// Such as `board.letter`.
        name: String,
        /// From 1; 0 if unknown.
        line: usize,
        /// The message of the template engine.
        reason: String,
    },
}

impl Error {
    pub(super) fn of(name: &str, error: &minijinja::Error) -> Self {
        let reason = error
            .detail()
            .map_or_else(|| error.kind().to_string(), str::to_owned);
        Self::Template {
            name: name.to_owned(),
            line: error.line().unwrap_or_default(),
            reason,
        }
    }
}
