//! The doors that fetch their mail: a Maildir, a mailbox at an IMAP server.

use std::sync::Arc;

use tokio::sync::watch;

use super::task::Task;
use crate::config::{Config, Mailboxes};
use crate::doors::{Health, Reporter, imap, maildir};
use crate::engine::Clock;
use crate::engine::office::Office;

/// Opens them; gives their tasks, and where the health of each can be seen.
pub(super) fn open(
    mailboxes: Mailboxes,
    config: &Config,
    office: &Arc<Office>,
    clock: &Clock,
    stop: &watch::Receiver<bool>,
) -> (Vec<Task>, Vec<watch::Receiver<Health>>) {
    let (mut doors, mut health) = (Vec::new(), Vec::new());
    let mut reporter = |door| {
        let (reporter, seen) = Reporter::new(door, clock.teller());
        health.push(seen);
        reporter
    };
    if let Some(folder) = mailboxes.maildir {
        let reporter = reporter("maildir");
        let intake = Arc::new(office.door("maildir"));
        let address = office.address.clone();
        let door = maildir::serve(folder, address, intake, reporter, stop.clone());
        doors.push(("maildir", tokio::spawn(door)));
    }
    if let Some((account, pace)) = mailboxes.imap {
        let reporter = reporter("imap");
        let intake = Arc::new(office.door("imap"));
        let address = office.address.clone();
        let most = config.smtp.max_message_bytes;
        let door = imap::serve(account, most, address, intake, reporter, pace, stop.clone());
        doors.push(("imap", tokio::spawn(door)));
    }
    (doors, health)
}
