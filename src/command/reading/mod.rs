//! From text to commands: a line, a list of lines, an answer to a letter; and what of it may be shown.

pub(crate) mod batch;
pub(crate) mod echo;
pub(crate) mod hidden;
pub(crate) mod line;
pub(crate) mod near;
pub(crate) mod reply;
pub(crate) mod script;
pub(crate) mod turn_text;
pub(crate) mod word;
