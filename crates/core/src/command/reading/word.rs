//! The words of a line, and their positions.

use std::ops::Range;

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As written.
    pub text: String,
    /// Its position in the line, in bytes.
    pub at: Range<usize>,
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// Splits at white space.
pub(crate) fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (index, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                words.push(Word {
                    text: text[from..index].to_owned(),
                    at: from..index,
                });
                start = None;
            }
            (false, None) => start = Some(index),
            _ => {}
        }
    }
    words
}
