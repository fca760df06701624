//! Decisions of the operator, on accounts and on boards.

pub mod operate;
pub mod ruling;
pub mod telling;
