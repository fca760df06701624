//! What a letter is made of when it is sent: its facts and its form, as the outbox stores them: JSON, compressed by deflate.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use super::accounts::Forgot;
use super::text::{MAX_TEXT_BYTES, cut};

/// The longest draft of a letter with an HTML part, in bytes. HTML is never cut, so a longer letter has only the text part.
const MAX_WITH_HTML_BYTES: usize = MAX_TEXT_BYTES / 2;

/// The longest draft, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// A letter before its text and HTML are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft<Facts = serde_json::Value> {
    /// The fields of the letter's struct.
    pub facts: Facts,
    /// Columns of prose.
    pub width: u32,
    /// Whether it has an HTML part.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_html: bool,
    /// Whether HTML with a picture has the board as text too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_text_board: bool,
    /// What is said below the letter, as prose; empty for most.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notice: String,
    /// The record of the game that its picture shows, or several with [`BETWEEN_RECORDS`](super::BETWEEN_RECORDS) between
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// An attached file: name and text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachment: Option<(String, String)>,
    /// The most bytes that its text may have as it is sent; `None`: no other bound than that of all letters. The sender of
    /// mail knows what a text takes there, so the outbox cuts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<usize>,
    /// Where the pages are that belong to the letter: known only when it is sent, since a link is a key.
    #[serde(skip)]
    pub links: Links,
}

/// The links of a letter to pages; empty where no pages are served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// The page with all boards that the key of the letter opens.
    pub home: String,
    /// The page of the board that the letter is about.
    pub board: String,
    /// The rules of the game, if everybody can read them.
    pub rules: String,
    /// The page on which the reader plays on that board; empty for a reader who does not play there.
    pub turn: String,
    /// What can be shown to everybody, of a letter whose other links are for its reader alone.
    pub public: String,
    /// That links and reply address are for the reader alone; empty if nothing of it plays for the reader.
    pub alone: &'static str,
}

impl Links {
    /// What [`alone`](Self::alone) says of a letter with links and of one without.
    pub const ALONE: [&str; 2] = [
        "Links and reply address are for you alone: who has them plays for you.",
        "The reply address is for you alone: whoever has it plays for you.",
    ];

    /// What stands above [`public`](Self::public).
    pub const SHARE: &str = "To share, use this link:";

    /// No pages are served.
    pub const NONE: Self = Self {
        home: String::new(),
        board: String::new(),
        rules: String::new(),
        turn: String::new(),
        public: String::new(),
        alone: "",
    };
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference to the predicate"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// A draft could not be stored, or decoding failed.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// It is not JSON, or does not have these fields.
    #[error("a letter is no draft: {0}")]
    Json(#[from] serde_json::Error),
    /// The fields of a letter's struct cannot be written as JSON.
    #[error("the facts of a letter are no JSON")]
    Facts,
    /// It is damaged.
    #[error("a letter is damaged: {0}")]
    Damaged(#[from] std::io::Error),
    /// No letter is as long.
    #[error("a letter has more than {MAX_BYTES} bytes")]
    TooLong,
}

impl<Facts: Serialize> Draft<Facts> {
    /// The draft as it is stored. Facts that are longer than any text are cut: the text would be.
    ///
    /// # Errors
    /// The facts cannot be serialised, which is a programming error, or are longer than any letter's.
    pub fn packed(&self) -> Result<Vec<u8>, DraftError> {
        let mut json = serde_json::to_vec(self)?;
        if json.len() > MAX_TEXT_BYTES {
            let mut draft: Draft = serde_json::from_slice(&json)?;
            shorten(&mut draft.facts);
            json = serde_json::to_vec(&draft)?;
        }
        if json.len() > MAX_BYTES {
            return Err(DraftError::TooLong);
        }
        let mut encoder = DeflateEncoder::new(Vec::with_capacity(json.len() / 2), Compression::default());
        encoder.write_all(&json)?;
        Ok(encoder.finish()?)
    }
}

impl<Facts> Draft<Facts> {
    /// A letter of text alone, with prose wrapped at `width` columns.
    pub const fn of(facts: Facts, width: u32) -> Self {
        Self {
            facts,
            width,
            has_html: false,
            has_text_board: false,
            notice: String::new(),
            record: None,
            attachment: None,
            most_bytes: None,
            links: Links::NONE,
        }
    }
}

impl Draft {
    /// The draft from what is stored.
    ///
    /// # Errors
    /// It is damaged, or a newer version has written it.
    pub fn unpacked(packed: &[u8]) -> Result<Self, DraftError> {
        let most = u64::try_from(MAX_BYTES + 1).unwrap_or(u64::MAX);
        let mut json = Vec::new();
        DeflateDecoder::new(packed).take(most).read_to_end(&mut json)?;
        if json.len() > MAX_BYTES {
            return Err(DraftError::TooLong);
        }
        let mut draft: Self = serde_json::from_slice(&json)?;
        draft.has_html &= json.len() <= MAX_WITH_HTML_BYTES;
        Ok(draft)
    }

    /// The draft with this token in the place of the [placeholder](Forgot::TOKEN).
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        if let Some(place) = self
            .facts
            .get_mut("token")
            .filter(|place| **place == Forgot::TOKEN)
        {
            *place = token.into();
        }
        self
    }

    /// The draft of a letter that is answered in the name of its reader; it has its links already.
    #[must_use]
    pub fn for_one_reader(mut self) -> Self {
        let has_links = !self.links.home.is_empty() || !self.links.turn.is_empty();
        let [with_links, without] = Links::ALONE;
        self.links.alone = if has_links { with_links } else { without };
        self
    }

    /// All words of the facts, below each other: for a letter that no template fits.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        let mut left = vec![&self.facts];
        while let Some(value) = left.pop() {
            match value {
                serde_json::Value::String(text) if !text.trim().is_empty() => {
                    words.push_str(text.trim_end());
                    words.push_str("\n\n");
                }
                serde_json::Value::Array(values) => left.extend(values.iter().rev()),
                serde_json::Value::Object(fields) => left.extend(fields.values().rev()),
                _ => {}
            }
        }
        words
    }
}

/// Cuts the texts that alone are longer than a letter may be.
fn shorten(facts: &mut serde_json::Value) {
    match facts {
        serde_json::Value::String(text) => cut(text, MAX_TEXT_BYTES),
        serde_json::Value::Array(values) => values.iter_mut().for_each(shorten),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
