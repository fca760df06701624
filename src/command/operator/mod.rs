//! What the operator of the server decides, on accounts and on boards.

pub(crate) mod operate;
pub(crate) mod ruling;
