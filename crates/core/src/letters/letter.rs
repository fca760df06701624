//! The interface between a mail and its template.

use serde::Serialize;

/// A mail as a struct. The template may use its fields.
pub trait Mail: Serialize {
    /// The name in `templates/`.
    const KIND: &'static str;

    /// The display name in `From`, which the list of an inbox shows first; empty for the name of the server. Letters about
    /// a board have a [`Headline`](super::Headline) instead.
    fn sender_name(&self) -> String {
        String::new()
    }
}
