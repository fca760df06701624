//! The interface between a mail and its template.

use serde::Serialize;

use super::LetterKind;

/// A mail as a struct. The template may use its fields.
pub trait Mail: Serialize {
    /// Which letter it is.
    const KIND: LetterKind;

    /// The display name in `From`, which the list of an inbox shows first; empty for the name of the server. Letters about
    /// a board have a [`Headline`](super::Headline) instead.
    fn sender_name(&self) -> String {
        String::new()
    }
}
