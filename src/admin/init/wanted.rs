//! The flags of `init`, whose doc comments are lines of the help, and the check of their values.

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};

use crate::command::operator::operate::is_userid;
use crate::mail::Address;

#[derive(Clone, Debug, Default, Args)]
pub struct Wanted {
    /// The server's address, which players write to.
    #[arg(long)]
    pub address: Option<String>,
    /// The display name in From.
    #[arg(long)]
    pub name: Option<String>,
    /// The data folder, such as /var/lib/pbmserv.
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// The relay that sends the mail, such as smtps://user@host:465. Default behind an MTA: the one on this machine.
    #[arg(long, value_name = "URL", conflicts_with = "sendmail")]
    pub relay: Option<String>,
    /// A file whose first line is the password for the relay and the mailbox.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Send with this program instead of a relay.
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, require_equals = true,
          default_missing_value = "/usr/sbin/sendmail")]
    pub sendmail: Option<PathBuf>,
    /// Where to listen for mail: LMTP behind an MTA (unix:PATH or HOST:PORT), otherwise SMTP.
    #[arg(long, value_name = "PLACE")]
    pub listen: Option<String>,
    /// The mailbox to fetch mail from, such as imaps://user@host/INBOX.
    #[arg(long, value_name = "URL")]
    pub imap: Option<String>,
    /// The userid of the first director.
    #[arg(long, value_name = "USERID")]
    pub director: Option<String>,
    /// The director's own mail address.
    #[arg(long, value_name = "ADDRESS")]
    pub director_address: Option<String>,
    /// Where the mail comes from: an MTA on this machine, a mailbox, or none for direct SMTP.
    #[arg(long)]
    pub mta: Option<Mta>,
    /// The account that pbmserv runs as. Required if you run this as root.
    #[arg(long, value_name = "ACCOUNT")]
    pub user: Option<String>,
    /// Replace an existing configuration.
    #[arg(long)]
    pub force: bool,
}

// Postfix, Exim and OpenSMTPD hand mail over by LMTP. `Mailbox` is one at a provider. With `None` the SMTP door
// listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mta {
    Postfix,
    Exim,
    Opensmtpd,
    Mailbox,
    None,
}

/// The checked values.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) address: Address,
    pub(super) data: PathBuf,
    pub(super) director: String,
    pub(super) director_address: String,
    pub(super) mta: Mta,
}

impl Wanted {
    /// # Errors
    /// A flag is missing, or its value cannot be used.
    pub(super) fn complete(&self) -> anyhow::Result<Choice> {
        let address = self.address.as_deref().context(missing("--address"))?;
        let data = self.data.as_deref().context(missing("--data"))?;
        let director = self.director.clone().context(missing("--director"))?;
        let director_address = self.director_address.clone();
        let director_address = director_address.context(missing("--director-address"))?;
        let mta = self.mta.context(missing("--mta"))?;
        if mta == Mta::Mailbox {
            for (flag, is_there) in [
                ("--imap", self.imap.is_some()),
                ("--relay", self.relay.is_some() || self.sendmail.is_some()),
                ("--password-file", self.password_file.is_some()),
            ] {
                ensure!(is_there, missing(flag));
            }
        }
        ensure!(
            is_userid(&director),
            "--director: {director} is not a userid: it has 2 to 20 letters, digits, - or _, begins with a letter, and is not a command"
        );
        let address = Address::parse(address)
            .ok()
            .filter(|address| address.detail().is_none())
            .with_context(|| {
                format!(
                    "--address: {address} is not a mail address, or has a +: write it as pbmserv@example.org"
                )
            })?;
        let is_another = Address::parse(&director_address).is_ok_and(|own| !own.is_delivered_to(&address));
        ensure!(
            is_another,
            "--director-address: {director_address} is not a mail address of a person: write it as alice@example.org"
        );
        Ok(Choice {
            address,
            data: std::path::absolute(data)?,
            director,
            director_address,
            mta,
        })
    }
}

fn missing(flag: &str) -> String {
    format!("{flag} is missing: pbmserv init --help explains it")
}
