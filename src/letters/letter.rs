//! What every mail is to its template.

use serde::Serialize;

/// A mail as a struct: its fields are what its template may name.
pub trait Mail: Serialize {
    /// The folder in `templates/`.
    const KIND: &'static str;
}
