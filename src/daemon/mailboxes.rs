//! The doors that fetch mail: a Maildir, a mailbox on an IMAP server.

use std::sync::Arc;

use tokio::sync::watch;

use super::task::Task;
use crate::config::{Config, Mailboxes};
use crate::engine::TimeSource;
use crate::engine::server::Server;
use pbmserv_mail::doors::{Health, Reporter, imap, maildir};

/// Opens them; returns their tasks and health.
pub(super) fn open(
    mailboxes: Mailboxes,
    config: &Config,
    server: &Arc<Server>,
    clock: &TimeSource,
    stop: &watch::Receiver<bool>,
) -> (Vec<Task>, Vec<watch::Receiver<Health>>) {
    let (mut doors, mut health) = (Vec::new(), Vec::new());
    let mut prepare = |name| {
        let (reporter, seen) = Reporter::new(name, clock.wall_clock());
        health.push(seen);
        (Arc::new(server.door(name)), reporter)
    };
    if let Some(folder) = mailboxes.maildir {
        let (intake, reporter) = prepare(maildir::NAME);
        let own = server.own().clone();
        let door = maildir::serve(folder, own, intake, reporter, stop.clone());
        doors.push((maildir::NAME, tokio::spawn(door)));
    }
    if let Some((account, pace)) = mailboxes.imap {
        let (intake, reporter) = prepare(imap::NAME);
        let own = server.own().clone();
        let most = config.smtp.max_message_bytes;
        let door = imap::serve(account, most, own, intake, reporter, pace, stop.clone());
        doors.push((imap::NAME, tokio::spawn(door)));
    }
    drop(server.mailboxes.set(health.clone()));
    (doors, health)
}
