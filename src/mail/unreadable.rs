//! Why a message is refused before anything of it is handled.

/// Why a message cannot be read, in one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is no header field at all.
    #[error("this is no mail message: it has no header")]
    NoHeader,
    /// The header of the message or of a part is longer than 256 KiB.
    #[error("the header of the message is too long")]
    HeaderTooLong,
    /// Parts lie in one another more than 10 deep.
    #[error("the message has parts nested too deeply")]
    TooDeep,
    /// There are more than 200 parts before the text.
    #[error("the message has too many parts")]
    TooManyParts,
    /// The reader itself failed on it.
    #[error("the message is damaged beyond reading")]
    Damaged,
}
