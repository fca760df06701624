//! The doors that fetch mail, as configured: a Maildir, a mailbox on an IMAP server.

use std::time::Duration;

use anyhow::Context as _;

use super::{Config, Imap};
use pbmserv_mail::doors::{imap, maildir};
use pbmserv_mail::login::Login;

/// The doors that fetch mail, ready to be opened.
#[derive(Debug, Default)]
pub struct Mailboxes {
    pub maildir: Option<maildir::Folder>,
    /// The account on an IMAP server.
    pub imap: Option<(imap::Account, imap::Pace)>,
}

impl Config {
    /// The doors that are to fetch mail.
    ///
    /// # Errors
    /// One sentence that names the key and what to do.
    pub fn mailboxes(&self) -> anyhow::Result<Mailboxes> {
        let mut mailboxes = Mailboxes::default();
        let most = self.smtp.max_message_bytes;
        if !self.maildir.path.as_os_str().is_empty() {
            let folder = maildir::Folder::open(&self.maildir.path, most);
            mailboxes.maildir = Some(folder.with_context(|| self.placed("maildir.path"))?);
        }
        let imap = &self.imap;
        if !imap.url.is_empty() {
            anyhow::ensure!(
                (1..=28).contains(&imap.poll_minutes),
                self.placed("imap.poll_minutes must be from 1 to 28: servers disconnect after half an hour")
            );
            let account = imap
                .account()
                .map_err(|error| anyhow::anyhow!(self.placed(&error.to_string())))?;
            let pace = imap::Pace {
                poll: Duration::from_secs(60 * imap.poll_minutes),
                ..imap::Pace::default()
            };
            mailboxes.imap = Some((account, pace));
        }
        Ok(mailboxes)
    }
}

impl Imap {
    /// The account as configured.
    ///
    /// # Errors
    /// What to change in the configuration.
    pub fn account(&self) -> Result<imap::Account, imap::BadAccount> {
        let login = Login::configured("imap", &self.auth, &self.password_file, &self.password_command)?;
        let account = imap::Account::new(&self.url, login, &self.done_folder)?;
        match self.ca_file.as_os_str().is_empty() {
            true => Ok(account),
            false => account.trusting(&self.ca_file),
        }
    }
}
