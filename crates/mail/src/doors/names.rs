//! The names of the doors.

use super::{imap, maildir};

/// The doors: the names of their tasks, in the database, in `/healthz` and in the labels of `/metrics`.
pub const NAMES: [&str; 4] = ["smtp", "lmtp", maildir::NAME, imap::NAME];
