//! Parses text into commands: a line, a list of lines, a reply to a letter. Masks passwords in what is shown of it.

pub(crate) mod batch;
mod capital;
pub(crate) mod daily;
pub(crate) mod echo;
pub(crate) mod first_lines;
pub(crate) mod hidden;
pub(crate) mod intent;
pub(crate) mod invitation;
pub(crate) mod line;
pub(crate) mod name;
pub(crate) mod near;
pub(crate) mod on_turns;
pub(crate) mod page;
mod phrases;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod reply;
pub(crate) mod script;
mod seat;
mod sorting;
pub(crate) mod surplus;
pub(crate) mod tried;
mod trimmed;
pub(crate) mod turn_text;
pub(crate) mod typed;
pub(crate) mod word;
pub(crate) mod yes_no;
