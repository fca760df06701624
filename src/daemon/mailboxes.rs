//! The doors that fetch their mail: a Maildir, a mailbox at an IMAP server.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;

use super::serve::Task;
use crate::config::Config;
use crate::doors::{Health, Reporter, imap, maildir};
use crate::engine::Clock;
use crate::engine::office::Office;

/// The doors that fetch, ready to be opened.
#[derive(Debug, Default)]
pub(super) struct Mailboxes {
    maildir: Option<maildir::Folder>,
    imap: Option<(imap::Account, imap::Pace)>,
}

impl Mailboxes {
    /// Those that are configured.
    ///
    /// # Errors
    /// One sentence that names the key and the remedy.
    pub(super) fn of(config: &Config) -> anyhow::Result<Self> {
        let mut mailboxes = Self::default();
        let most = config.smtp.max_message_bytes;
        if !config.maildir.path.as_os_str().is_empty() {
            let folder = maildir::Folder::open(&config.maildir.path, most);
            mailboxes.maildir = Some(folder.with_context(|| config.placed("maildir.path"))?);
        }
        let imap = &config.imap;
        if !imap.url.is_empty() {
            anyhow::ensure!(
                (1..=28).contains(&imap.poll_minutes),
                config.placed("imap.poll_minutes is from 1 to 28: servers hang up after half an hour")
            );
            let account = imap::Account::new(&imap.url, &imap.password_file, &imap.done_folder)
                .map_err(|error| anyhow::anyhow!(config.placed(&error.to_string())))?;
            let pace = imap::Pace {
                poll: Duration::from_secs(60 * imap.poll_minutes),
                ..imap::Pace::default()
            };
            mailboxes.imap = Some((account, pace));
        }
        Ok(mailboxes)
    }

    /// Opens them; gives their tasks, and where the health of each can be seen.
    pub(super) fn open(
        self,
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
        if let Some(folder) = self.maildir {
            let reporter = reporter("maildir");
            let intake = Arc::new(office.door("maildir"));
            let address = office.address.clone();
            let door = maildir::serve(folder, address, intake, reporter, stop.clone());
            doors.push(("maildir", tokio::spawn(door)));
        }
        if let Some((account, pace)) = self.imap {
            let reporter = reporter("imap");
            let intake = Arc::new(office.door("imap"));
            let address = office.address.clone();
            let most = config.smtp.max_message_bytes;
            let door = imap::serve(account, most, address, intake, reporter, pace, stop.clone());
            doors.push(("imap", tokio::spawn(door)));
        }
        (doors, health)
    }
}
