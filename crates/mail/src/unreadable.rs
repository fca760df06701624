//! Why a message is refused before any of it is handled.

/// Why a message cannot be read. Its text is one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It has no header field.
    #[error("this is no mail message: it has no header")]
    NoHeader,
    /// The header of the message or of a part is longer than 256 KiB.
    #[error("the header of the message is too long")]
    HeaderTooLong,
    /// Parts are nested more than 10 deep.
    #[error("the message has parts nested too deeply")]
    TooDeep,
    /// There are more than 200 parts before the text.
    #[error("the message has too many parts")]
    TooManyParts,
    /// The parser itself failed.
    #[error("the message is damaged beyond reading")]
    Damaged,
}
