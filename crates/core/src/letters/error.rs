//! Errors in templates.

/// A template cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operator's file cannot be read.
    #[error("template {file} cannot be read")]
    Read {
        /// The path of the file.
        file: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// It is not a valid template, or uses a name that its mail does not have.
    #[error("template {name}, line {line}: {reason}")]
    Template {
        /// Such as `board/body.txt`.
        name: String,
        /// From 1; 0 if unknown.
        line: usize,
        /// The message of the template engine.
        reason: String,
    },
}
