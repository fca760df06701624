//! The configuration: one TOML file. The environment can set each key too.
//!
//! `[smtp] listen` is `PBMSERV_SMTP_LISTEN` in the environment, which wins. An unknown key is an error that
//! names its place and the nearest known key.

mod bots;
mod differences;
mod http;
pub mod lookup;
mod mailboxes;
mod places;
mod read;
mod store;
mod web;

use std::net::SocketAddr;
use std::path::PathBuf;

pub use bots::Bots;
pub use http::Http;
pub use mailboxes::Mailboxes;
pub use places::Places;
use serde::{Deserialize, Serialize};
pub use web::Web;

use pbmserv_mail::doors::smtp;

/// The whole configuration, with its defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Address, name, data folder and directors.
    pub server: Server,
    /// The database.
    pub store: Store,
    /// The SMTP door.
    pub smtp: Smtp,
    /// The LMTP door.
    pub lmtp: Lmtp,
    /// The Maildir door.
    pub maildir: Maildir,
    /// The IMAP door.
    pub imap: Imap,
    /// The pages for monitoring.
    pub http: Http,
    /// The pages for players.
    pub web: Web,
    /// How mails leave.
    pub delivery: Delivery,
    /// How accounts are made.
    pub accounts: Accounts,
    /// Authentication of senders.
    pub auth: Auth,
    /// Computer players.
    pub bots: Bots,
    /// Limits against abuse.
    pub limits: Limits,
    /// Logging.
    pub log: Log,
    /// The operator's own templates.
    pub templates: Templates,
    /// Where each key was set, for error messages.
    #[serde(skip)]
    pub places: Places,
}

/// Address, name, data folder and directors.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The address that players write to.
    pub address: String,
    /// The addresses that it had before.
    pub former_addresses: Vec<String>,
    /// The display name in `From`.
    pub name: String,
    /// The folder of the database, the key and other permanent files.
    pub data: PathBuf,
    /// The userids of players who may `broadcast`.
    pub directors: Vec<String>,
    /// Free bytes on the disk of the data folder below which mail is put off; 0: never.
    pub min_free_bytes: u64,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            address: "pbmserv@localhost".into(),
            former_addresses: Vec::new(),
            name: "pbmserv".into(),
            data: "pbmserv-data".into(),
            directors: Vec::new(),
            min_free_bytes: 64 * 1024 * 1024,
        }
    }
}

/// The database.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// A database at a server of PostgreSQL: `postgres://user@host/database`; empty: a file in the data folder.
    pub url: String,
    /// The file whose first line is the password of that user.
    pub password_file: PathBuf,
}

/// The URL may hold a password.
impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

/// The SMTP door.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    /// The address to listen on; empty: disabled.
    pub listen: String,
    /// The name in the greeting; empty: the domain of the server's address.
    pub hostname: String,
    /// The certificate for STARTTLS, in PEM; empty: STARTTLS is not offered.
    pub certificate: PathBuf,
    /// The certificate's private key, in PEM.
    pub key: PathBuf,
    /// The networks of mail servers that deliver to this one.
    pub trusted: smtp::Networks,
    /// The longest message, in bytes.
    pub max_message_bytes: usize,
    /// The most recipients of one message.
    pub max_recipients: usize,
    /// The most concurrent connections.
    pub max_connections: usize,
    /// The most concurrent connections from one peer.
    pub max_connections_per_peer: usize,
    /// New connections from one peer in a minute.
    pub connections_a_minute: u32,
    /// Messages from one peer in a minute.
    pub messages_a_minute: u32,
    /// Recipients named by one peer in a minute.
    pub recipients_a_minute: u32,
    /// Refused commands and messages of one peer in a minute.
    pub refusals_a_minute: u32,
    /// Seconds before the greeting in which a client must be silent.
    pub greeting_seconds: u64,
    /// The most commands in a session since its last accepted message.
    pub max_commands: u32,
    /// The most refused commands and messages in a session since its last accepted message.
    pub max_errors: u32,
    /// The most commands in a session.
    pub max_session_commands: u32,
    /// Seconds after which a session ends.
    pub session_seconds: u64,
    /// Seconds within which a session must bring a message.
    pub message_within_seconds: u64,
    /// Seconds without input after which a session ends.
    pub silence_seconds: u64,
}

impl Default for Smtp {
    fn default() -> Self {
        let limits = smtp::Limits::default();
        Self {
            listen: "127.0.0.1:2525".into(),
            hostname: String::new(),
            certificate: PathBuf::new(),
            key: PathBuf::new(),
            trusted: limits.trusted,
            max_message_bytes: limits.max_message_bytes,
            max_recipients: limits.max_recipients,
            max_connections: limits.max_connections,
            max_connections_per_peer: limits.max_connections_per_peer,
            connections_a_minute: limits.connections_a_minute,
            messages_a_minute: limits.messages_a_minute,
            recipients_a_minute: limits.recipients_a_minute,
            refusals_a_minute: limits.refusals_a_minute,
            greeting_seconds: limits.greeting_seconds,
            max_commands: limits.max_commands,
            max_errors: limits.max_errors,
            max_session_commands: limits.max_session_commands,
            session_seconds: limits.session_seconds,
            message_within_seconds: limits.message_within_seconds,
            silence_seconds: limits.silence_seconds,
        }
    }
}

impl Smtp {
    /// The limits for the listener.
    #[must_use]
    pub fn limits(&self) -> smtp::Limits {
        smtp::Limits {
            trusted: self.trusted.clone(),
            max_message_bytes: self.max_message_bytes,
            max_recipients: self.max_recipients,
            max_connections: self.max_connections,
            max_connections_per_peer: self.max_connections_per_peer,
            connections_a_minute: self.connections_a_minute,
            messages_a_minute: self.messages_a_minute,
            recipients_a_minute: self.recipients_a_minute,
            refusals_a_minute: self.refusals_a_minute,
            greeting_seconds: self.greeting_seconds,
            max_commands: self.max_commands,
            max_errors: self.max_errors,
            max_session_commands: self.max_session_commands,
            session_seconds: self.session_seconds,
            message_within_seconds: self.message_within_seconds,
            silence_seconds: self.silence_seconds,
            ..Default::default()
        }
    }
}

/// The LMTP door. It shares the host name and the limits of the SMTP door.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lmtp {
    /// The address to listen on, `127.0.0.1:2424` or `unix:/run/pbmserv/lmtp.sock`; empty: disabled.
    pub listen: String,
}

/// The Maildir door.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Maildir {
    /// The Maildir that receives the server's mail; empty: disabled.
    pub path: PathBuf,
}

/// The IMAP door.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Imap {
    /// The mailbox: `imaps://user@host/INBOX`; empty: disabled.
    pub url: String,
    /// What the server wants: `password`, or an OAuth 2.0 token by `xoauth2` or `oauthbearer`.
    pub auth: String,
    /// The file whose first line is the password or the token.
    pub password_file: PathBuf,
    /// The command that prints it.
    pub password_command: String,
    /// How often the mailbox is checked even if the server announces nothing.
    pub poll_minutes: u64,
    /// The folder for handled messages; empty: they stay in place and get a keyword.
    pub done_folder: String,
}

impl Default for Imap {
    fn default() -> Self {
        Self {
            url: String::new(),
            auth: "password".into(),
            password_file: PathBuf::new(),
            password_command: String::new(),
            poll_minutes: 5,
            done_folder: String::new(),
        }
    }
}

/// How mails leave.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    /// `maildir`: into folders below the data folder; `smtp`: through the relay at `url`; `sendmail`: through
    /// the program at `path`.
    pub transport: String,
    /// Where the Maildirs are; empty: `mail` in the data folder.
    pub maildir: PathBuf,
    /// The relay: `smtps://user@relay:465`, `smtp://user@relay:587?tls=required`, `smtp://127.0.0.1:25`.
    pub url: String,
    /// What the relay wants: `password`, or an OAuth 2.0 token by `xoauth2` or `oauthbearer`.
    pub auth: String,
    /// The file whose first line is the password or the token; empty: none.
    pub password_file: PathBuf,
    /// The command that prints it.
    pub password_command: String,
    /// The sendmail program.
    pub path: PathBuf,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            transport: "maildir".into(),
            maildir: PathBuf::new(),
            url: String::new(),
            auth: "password".into(),
            password_file: PathBuf::new(),
            password_command: String::new(),
            path: "/usr/sbin/sendmail".into(),
        }
    }
}

/// How accounts are made.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accounts {
    /// Whether an address must be confirmed before the server sends it anything else.
    pub confirm: bool,
    /// The hour (UTC) at which the daily mails are sent.
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

/// Authentication of senders.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// `dmarc`: the mail server before this one must report a DMARC pass for the visible sender; empty: no
    /// check.
    pub require: String,
    /// The name in that server's `Authentication-Results` (RFC 8601, section 2.5).
    pub authserv_id: String,
    /// Whether this server itself checks SPF, DKIM and DMARC.
    pub verify: bool,
    /// The name servers that it asks, as `ADDRESS:PORT`; none: those of this machine.
    pub dns: Vec<String>,
}

impl Auth {
    /// The name of that server, if a check is required.
    #[must_use]
    pub fn authserv_id(&self) -> Option<&str> {
        (self.require == "dmarc" && !self.verify).then_some(&self.authserv_id)
    }

    /// The name servers to ask, as far as they can be read.
    #[must_use]
    pub fn name_servers(&self) -> Vec<SocketAddr> {
        self.dns.iter().filter_map(|text| text.parse().ok()).collect()
    }
}

/// Limits against abuse.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Mails that prove nobody, from one source in an hour of the clock. Further ones are dropped.
    pub mails_an_hour: u32,
    /// Refusals of such mails, sent to one address in a day (UTC).
    pub refusals_a_day: u32,
    /// Answers of any kind sent to one address in a day (UTC).
    pub answers_a_day: u32,
    /// Answers sent in a day (UTC) to one address, to mails that prove nobody and come from no player's address.
    pub strangers_answers_a_day: u32,
    /// Mails of the whole server in an hour of the clock because of such mails.
    pub strangers_mails_an_hour: u32,
    /// Confirmation questions sent to one address in a day; and so many to one player, of games that others ask for.
    pub questions_a_day: u32,
    /// Confirmation questions and tokens of `forgot` that one sender or account may cause in a day.
    pub asks_a_day: u32,
    /// Boards that one player may start against another in a day.
    pub challenges_a_day: u32,
    /// Boards that one player may start for two others in a day. The directors have no such limit.
    pub challenges_for_others_a_day: u32,
    /// Messages and chats that one player may send another in a day; and as many letters with other news that need not come.
    pub messages_a_day: u32,
    /// Wrong passwords for one userid from one source in an hour. Further ones are refused unchecked.
    pub wrong_passwords_from_one: u32,
    /// The same from all sources together; and as many from the account's own addresses.
    pub wrong_passwords_from_all: u32,
    /// Wrong passwords from one source in an hour of the clock, whosever they are; ten times as many from around it.
    pub wrong_passwords_over_all: u32,
    /// Seconds that an operator's verb waits for the answer of the running server.
    pub control_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            mails_an_hour: 120,
            refusals_a_day: 50,
            answers_a_day: 500,
            strangers_answers_a_day: 30,
            strangers_mails_an_hour: 1000,
            questions_a_day: 3,
            asks_a_day: 10,
            challenges_a_day: 30,
            challenges_for_others_a_day: 3,
            messages_a_day: 50,
            wrong_passwords_from_one: 5,
            wrong_passwords_from_all: 50,
            wrong_passwords_over_all: 20,
            control_seconds: 300,
        }
    }
}

/// Logging.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `error`, `warn`, `info`, `debug`, or a filter such as `info,pbmserv::doors=debug`.
    pub level: String,
    /// Log JSON, one object per line, instead of text.
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
    /// A folder of templates that replace the built-in ones of the same name; empty: none.
    pub folder: PathBuf,
}

/// The configuration cannot be used: one sentence that names the file, the line and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);
