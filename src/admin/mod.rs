//! The operator's verbs, a file each: what they print goes to a given writer.

pub mod solve;
