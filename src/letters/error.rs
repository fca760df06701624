//! Templates that cannot be used.

/// A template that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operator's file cannot be read.
    #[error("template {file} cannot be read")]
    Read {
        /// Which file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no template, or names what its mail does not have.
    #[error("template {name}, line {line}: {reason}")]
    Template {
        /// Such as `board/body.txt`.
        name: String,
        /// From 1; 0 if unknown.
        line: usize,
        /// What the template engine says.
        reason: String,
    },
}
