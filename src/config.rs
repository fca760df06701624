//! The configuration: one TOML file, each key of which the environment can set too.
//!
//! `[smtp] listen` is `PBMSERV_SMTP_LISTEN` in the environment, which wins. Unknown keys are refused with
//! their place and the nearest known one.

mod http;
mod mailboxes;
mod places;
mod read;

use std::path::PathBuf;

pub use http::Http;
pub use mailboxes::Mailboxes;
pub use places::Places;
use serde::{Deserialize, Serialize};

/// The whole configuration, with its defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who the server is.
    pub server: Server,
    /// The SMTP door.
    pub smtp: Smtp,
    /// The LMTP door.
    pub lmtp: Lmtp,
    /// The Maildir door.
    pub maildir: Maildir,
    /// The IMAP door.
    pub imap: Imap,
    /// The pages for a monitoring.
    pub http: Http,
    /// How answers are delivered.
    pub delivery: Delivery,
    /// How accounts are made.
    pub accounts: Accounts,
    /// When a sender is believed.
    pub auth: Auth,
    /// How much strangers may ask for.
    pub limits: Limits,
    /// What is logged, and how.
    pub log: Log,
    /// The operator's own templates.
    pub templates: Templates,
    /// Where each key was set.
    #[serde(skip)]
    pub places: Places,
}

/// Who the server is.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The address that players write to.
    pub address: String,
    /// The name that stands beside it in `From`.
    pub name: String,
    /// The folder of the database, the key, and what else is to last.
    pub data: PathBuf,
    /// The userids of those who may `broadcast`.
    pub directors: Vec<String>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            address: "pbmserv@localhost".into(),
            name: "pbmserv".into(),
            data: "pbmserv-data".into(),
            directors: Vec::new(),
        }
    }
}

/// The SMTP door.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    /// Where it listens; empty: nowhere.
    pub listen: String,
    /// The name it greets with; empty: the domain of the server's address.
    pub hostname: String,
    /// The certificate that STARTTLS is offered with, PEM; empty: not offered.
    pub certificate: PathBuf,
    /// The certificate's key, PEM.
    pub key: PathBuf,
    /// The longest message, in bytes.
    pub max_message_bytes: usize,
    /// Recipients of one message.
    pub max_recipients: usize,
    /// Connections at once, all together.
    pub max_connections: usize,
    /// Connections at once from one peer.
    pub max_connections_per_peer: usize,
    /// Commands of a session since its last accepted message.
    pub max_commands: u32,
    /// Refused commands and messages of a session since its last accepted message.
    pub max_errors: u32,
    /// Seconds of silence after which a session ends.
    pub silence_seconds: u64,
}

impl Default for Smtp {
    fn default() -> Self {
        let limits = crate::doors::smtp::Limits::default();
        Self {
            listen: "127.0.0.1:2525".into(),
            hostname: String::new(),
            certificate: PathBuf::new(),
            key: PathBuf::new(),
            max_message_bytes: limits.max_message_bytes,
            max_recipients: limits.max_recipients,
            max_connections: limits.max_connections,
            max_connections_per_peer: limits.max_connections_per_peer,
            max_commands: limits.max_commands,
            max_errors: limits.max_errors,
            silence_seconds: limits.silence_seconds,
        }
    }
}

impl Smtp {
    /// The limits of the listener.
    #[must_use]
    pub fn limits(&self) -> crate::doors::smtp::Limits {
        crate::doors::smtp::Limits {
            max_message_bytes: self.max_message_bytes,
            max_recipients: self.max_recipients,
            max_connections: self.max_connections,
            max_connections_per_peer: self.max_connections_per_peer,
            max_commands: self.max_commands,
            max_errors: self.max_errors,
            silence_seconds: self.silence_seconds,
            ..Default::default()
        }
    }
}

/// The LMTP door. Its name and its limits are those of the SMTP door.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lmtp {
    /// Where it listens, `127.0.0.1:2424` or `unix:/run/pbmserv/lmtp.sock`; empty: nowhere.
    pub listen: String,
}

/// The Maildir door.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Maildir {
    /// The Maildir that mail for the server is delivered into; empty: none.
    pub path: PathBuf,
}

/// The IMAP door.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Imap {
    /// The mailbox: `imaps://user@host/INBOX`; empty: none.
    pub url: String,
    /// The file whose first line is its password.
    pub password_file: PathBuf,
    /// How often it is looked at though the server tells of nothing new.
    pub poll_minutes: u64,
    /// Where messages are moved that are done with; empty: they stay and get a keyword.
    pub done_folder: String,
}

impl Default for Imap {
    fn default() -> Self {
        Self {
            url: String::new(),
            password_file: PathBuf::new(),
            poll_minutes: 5,
            done_folder: String::new(),
        }
    }
}

/// How answers are delivered.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    /// `maildir`: into folders below the data folder; `smtp`: through the relay of `url`; `sendmail`: by the
    /// program at `path`.
    pub transport: String,
    /// Where the Maildirs are; empty: `mail` in the data folder.
    pub maildir: PathBuf,
    /// The relay: `smtps://user@relay:465`, `smtp://user@relay:587?tls=required`, `smtp://127.0.0.1:25`.
    pub url: String,
    /// The file whose first line is the relay's password; empty: none.
    pub password_file: PathBuf,
    /// The program that takes mail as sendmail does.
    pub path: PathBuf,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            transport: "maildir".into(),
            maildir: PathBuf::new(),
            url: String::new(),
            password_file: PathBuf::new(),
            path: "/usr/sbin/sendmail".into(),
        }
    }
}

/// How accounts are made.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accounts {
    /// Whether an address must be confirmed by its owner before anything else is sent there.
    pub confirm: bool,
    /// The hour of the day, in UTC, at which the daily mails go out.
    pub digest_hour: u32,
}

impl Default for Accounts {
    fn default() -> Self {
        Self {
            confirm: true,
            digest_hour: 8,
        }
    }
}

/// When a sender is believed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// `dmarc`: the mail server before this one must say that the visible sender passed; empty: nothing.
    pub require: String,
    /// The name by which that server signs its `Authentication-Results` (RFC 8601, section 2.5).
    pub authserv_id: String,
}

impl Auth {
    /// The name of the server whose word is needed, if one is.
    #[must_use]
    pub fn authserv_id(&self) -> Option<&str> {
        (self.require == "dmarc").then_some(&self.authserv_id)
    }
}

/// How much strangers may ask for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Mails that prove nothing, from one sender in an hour of the clock; more are dropped.
    pub mails_an_hour: u32,
    /// Refusals mailed to one address in a day.
    pub refusals_a_day: u32,
    /// Answers of any kind mailed to one address in a day (UTC).
    pub answers_a_day: u32,
    /// Answers mailed in a day (UTC) to an address that belongs to no player.
    pub strangers_answers_a_day: u32,
    /// Questions "is this your address?" to one address in a day.
    pub questions_a_day: u32,
    /// Questions "is this your address?" and tokens of `forgot` that one sender or account may ask for in a day.
    pub asks_a_day: u32,
    /// Boards that one player may begin against another in a day.
    pub challenges_a_day: u32,
    /// Messages and chats that one player may send another in a day.
    pub messages_a_day: u32,
    /// Wrong passwords of one userid from one sender in an hour; further ones are refused unread.
    pub wrong_passwords_from_one: u32,
    /// The same from all senders together.
    pub wrong_passwords_from_all: u32,
    /// Seconds that a verb waits for the answer of the running server.
    pub control_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            mails_an_hour: 120,
            refusals_a_day: 50,
            answers_a_day: 500,
            strangers_answers_a_day: 30,
            questions_a_day: 3,
            asks_a_day: 10,
            challenges_a_day: 30,
            messages_a_day: 50,
            wrong_passwords_from_one: 5,
            wrong_passwords_from_all: 50,
            control_seconds: 300,
        }
    }
}

/// What is logged, and how.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `error`, `warn`, `info`, `debug`, or a filter such as `info,pbmserv::doors=debug`.
    pub level: String,
    /// One JSON object a line, not text.
    pub json: bool,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            level: "info".into(),
            json: false,
        }
    }
}

/// The operator's own templates.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Templates {
    /// A folder whose files take the place of the built-in ones of the same name; empty: none.
    pub folder: PathBuf,
}

/// A configuration that cannot be used: one sentence that names the file, the line and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);
