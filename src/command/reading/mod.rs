//! Parses text into commands: a line, a list of lines, a reply to a letter. Masks passwords in what is shown of it.

pub(crate) mod batch;
pub(crate) mod echo;
pub(crate) mod hidden;
pub(crate) mod line;
pub(crate) mod near;
pub(crate) mod places;
pub(crate) mod reply;
pub(crate) mod said;
mod said_phrases;
pub(crate) mod script;
pub(crate) mod surplus;
pub(crate) mod tokens;
pub(crate) mod turn_text;
pub(crate) mod word;
