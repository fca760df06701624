//! The interface between a mail and its template.

use serde::Serialize;

/// A mail as a struct. The template may use its fields.
pub trait Mail: Serialize {
    /// The folder in `templates/`.
    const KIND: &'static str;
}
