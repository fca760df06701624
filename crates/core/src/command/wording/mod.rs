//! The contents of letters: boards, clocks, queues, tables, refusals.

pub(crate) mod board;
pub(crate) mod clock;
pub(crate) mod dice;
pub(crate) mod digest;
pub(crate) mod gazette;
pub(crate) mod grid;
pub(crate) mod headline;
pub(crate) mod listing;
pub(crate) mod news;
pub(crate) mod older;
pub(crate) mod opponents;
pub(crate) mod planned;
pub(crate) mod refusals;
pub(crate) mod sentence;
pub(crate) mod served;
pub(crate) mod status;
pub(crate) mod tables;
pub(crate) mod turn_summary;
pub(crate) mod turn_words;
pub(crate) mod unread;
pub(crate) mod worked;
