//! The doors that fetch mail: a Maildir, a mailbox on an IMAP server.

use std::sync::Arc;

use tokio::sync::watch;

use super::task::Task;
use crate::config::{Config, Mailboxes};
use crate::doors::{Health, Reporter, imap, maildir};
use crate::engine::TimeSource;
use crate::engine::server::Server;

/// Opens them; returns their tasks and health.
pub(super) fn open(
    mailboxes: Mailboxes,
    config: &Config,
    server: &Arc<Server>,
    clock: &TimeSource,
    stop: &watch::Receiver<bool>,
) -> (Vec<Task>, Vec<watch::Receiver<Health>>) {
    let (mut doors, mut health) = (Vec::new(), Vec::new());
    let mut reporter = |door| {
        let (reporter, seen) = Reporter::new(door, clock.wall_clock());
        health.push(seen);
        reporter
    };
    if let Some(folder) = mailboxes.maildir {
        let reporter = reporter("maildir");
        let intake = Arc::new(server.door("maildir"));
        let address = server.address.clone();
        let door = maildir::serve(folder, address, intake, reporter, stop.clone());
        doors.push(("maildir", tokio::spawn(door)));
    }
    if let Some((account, pace)) = mailboxes.imap {
        let reporter = reporter("imap");
        let intake = Arc::new(server.door("imap"));
        let address = server.address.clone();
        let most = config.smtp.max_message_bytes;
        let door = imap::serve(account, most, address, intake, reporter, pace, stop.clone());
        doors.push(("imap", tokio::spawn(door)));
    }
    (doors, health)
}
