//! Decisions of the operator, on accounts and on boards.

pub(crate) mod operate;
pub(crate) mod ruling;
