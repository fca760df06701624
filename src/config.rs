//! The configuration: one TOML file, each key of which the environment can set too.
//!
//! `[smtp] listen` is `PBMSERV_SMTP_LISTEN` in the environment, which wins. Unknown keys are refused with
//! their place and the nearest known one.

mod http;
mod places;

use std::path::{Path, PathBuf};

pub use http::Http;
pub use places::Places;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::mail::Address;

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

impl Config {
    /// Reads the file, if one is named, and then the environment.
    ///
    /// # Errors
    /// The file cannot be read or is no TOML; a key is unknown, or its value is not of its kind.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Error> {
        let mut config = match file {
            None => Self {
                accounts: Accounts {
                    confirm: false,
                    ..Accounts::default()
                },
                ..Self::default()
            },
            Some(file) => Self::read(file)?,
        };
        config.take_environment(environment)?;
        config.check()?;
        Ok(config)
    }

    fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error(format!("{name}: {error}: name a file that can be read")))?;
        Self::parse(&name, &text)
    }

    fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let read: Self = toml::from_str(text).map_err(|error| {
            let line = places::line(text, error.span().map_or(0, |span| span.start));
            Error(format!("{name}, line {line}: {}", remedy(error.message())))
        })?;
        Ok(Self {
            places: Places::of(name, text),
            ..read
        })
    }

    /// A sentence that names a key, behind the file and line, or the variable, that has set it.
    #[must_use]
    pub fn placed(&self, sentence: &str) -> String {
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
        let is_key = |word: &&str| {
            word.split_once('.')
                .is_some_and(|(section, key)| is_word(section) && is_word(key))
        };
        let key = sentence.split([':', ' ']).find(is_key).unwrap_or_default();
        format!("{}: {sentence}", self.places.of_key(key))
    }

    /// A configuration of this text, which is to become the file of this name.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn of_text(name: &str, text: &str) -> Result<Self, Error> {
        let config = Self::parse(name, text)?;
        config.check()?;
        Ok(config)
    }

    fn take_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), Error> {
        let fault = |error: &dyn std::fmt::Display| Error(format!("configuration: {error}"));
        let mut table = Table::try_from(&*self).map_err(|error| fault(&error))?;
        let mut places = std::mem::take(&mut self.places);
        for (name, text) in environment {
            let Some(rest) = name.strip_prefix("PBMSERV_").filter(|rest| *rest != "CONFIG") else {
                continue;
            };
            let (section, key) = rest.split_once('_').unwrap_or((rest, ""));
            let (section, key) = (section.to_ascii_lowercase(), key.to_ascii_lowercase());
            let slot = table
                .get_mut(&section)
                .and_then(Value::as_table_mut)
                .and_then(|keys| keys.get_mut(&key));
            let Some(slot) = slot else {
                let known = names(&table);
                let near = known
                    .iter()
                    .min_by_key(|known| strsim::osa_distance(known, &name));
                let near = near
                    .map(|near| format!("; the nearest is {near}"))
                    .unwrap_or_default();
                return Err(Error(format!("environment: no key is called {name}{near}")));
            };
            *slot = typed(slot, &text).ok_or_else(|| {
                Error(format!(
                    "environment: {name} is \"{text}\", but takes {}",
                    kind(slot)
                ))
            })?;
            places.set(&section, &key, &name);
        }
        *self = table.try_into().map_err(|error: toml::de::Error| fault(&error))?;
        self.places = places;
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        let bad = |key: &str, why: &str| Err(Error(self.placed(&format!("{key} {why}"))));
        if self.address().is_none() {
            return bad(
                "server.address",
                "is no mail address: write it as pbmserv@example.org",
            );
        }
        if !matches!(self.delivery.transport.as_str(), "maildir" | "smtp" | "sendmail") {
            return bad("delivery.transport", "is unknown: use maildir, smtp or sendmail");
        }
        if self.delivery.transport == "smtp" && self.delivery.url.is_empty() {
            return bad(
                "delivery.url",
                "is missing: the transport smtp needs a relay, such as smtp://127.0.0.1:25",
            );
        }
        if self.accounts.digest_hour > 23 {
            return bad("accounts.digest_hour", "is no hour of the day: use 0 to 23");
        }
        if !matches!(self.auth.require.as_str(), "" | "dmarc") {
            return bad("auth.require", "is unknown: use dmarc, or leave it empty");
        }
        if self.auth.authserv_id().is_some_and(|id| id.trim().is_empty()) {
            return bad(
                "auth.authserv_id",
                "is missing: name the server that writes Authentication-Results before this one, such as mx.example.org",
            );
        }
        for (named, missing, other) in [
            (&self.smtp.certificate, &self.smtp.key, "smtp.key"),
            (&self.smtp.key, &self.smtp.certificate, "smtp.certificate"),
        ] {
            if missing.as_os_str().is_empty() && !named.as_os_str().is_empty() {
                return bad(
                    other,
                    "is missing: smtp.certificate and smtp.key belong together: name both files, or neither",
                );
            }
        }
        if self.lmtp.listen == "unix:" || self.lmtp.listen.ends_with(":25") {
            return bad(
                "lmtp.listen",
                "is no place for LMTP: name a port other than 25, or unix: and a path",
            );
        }
        if let Some(fault) = self.http.fault() {
            return bad("http.listen", fault);
        }
        if self.smtp.max_message_bytes < 1024 {
            return bad(
                "smtp.max_message_bytes",
                "is too small: a message needs at least 1024",
            );
        }
        Ok(())
    }

    /// The server's address, once checked.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        Address::parse(&self.server.address)
            .ok()
            .filter(|address| address.detail().is_none())
    }

    /// Where Maildirs are.
    #[must_use]
    pub fn maildir(&self) -> PathBuf {
        let own = &self.delivery.maildir;
        if own.as_os_str().is_empty() {
            self.server.data.join("mail")
        } else {
            own.clone()
        }
    }
}

/// Every variable that sets a key.
fn names(table: &Table) -> Vec<String> {
    let keys = table
        .iter()
        .filter_map(|(section, keys)| Some((section, keys.as_table()?)));
    keys.flat_map(|(section, keys)| {
        keys.keys()
            .map(move |key| format!("PBMSERV_{section}_{key}").to_uppercase())
    })
    .collect()
}

/// A text as a value of the kind that stands there now.
fn typed(now: &Value, text: &str) -> Option<Value> {
    match now {
        Value::String(_) => Some(Value::String(text.to_owned())),
        Value::Integer(_) => text
            .parse()
            .ok()
            .filter(|number| *number >= 0)
            .map(Value::Integer),
        Value::Boolean(_) => text.parse().ok().map(Value::Boolean),
        Value::Array(_) => Some(Value::Array(
            text.split([',', ' '])
                .filter(|word| !word.is_empty())
                .map(Value::from)
                .collect(),
        )),
        _ => None,
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "a number",
        Value::Boolean(_) => "true or false",
        _ => "a text",
    }
}

/// What the TOML reader says, with the nearest known key when one is unknown.
fn remedy(message: &str) -> String {
    let message = message.lines().collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let [unknown, known @ ..] = words.as_slice() else {
        return message;
    };
    if !message.starts_with("unknown field") {
        return message;
    }
    let near = known
        .iter()
        .min_by_key(|known| strsim::osa_distance(known, unknown));
    let near = near
        .map(|near| format!("; the nearest is `{near}`"))
        .unwrap_or_default();
    format!("no key is called `{unknown}` here{near}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, environment: &[(&str, &str)]) -> Result<Config, Error> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pbmserv.toml");
        std::fs::write(&file, text).unwrap();
        Config::load(
            Some(&file),
            environment
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        )
    }

    #[test]
    fn the_documented_file_holds_every_key_with_its_default() {
        let documented: Table = toml::from_str(include_str!("../deploy/pbmserv.toml")).unwrap();
        assert_eq!(documented, Table::try_from(Config::default()).unwrap());
    }

    #[test]
    fn what_is_not_said_has_its_default() {
        let config = load("[server]\naddress = \"games@example.org\"\n", &[]).unwrap();
        assert_eq!(config.smtp.listen, "127.0.0.1:2525");
        assert_eq!(config.smtp.max_message_bytes, 1_048_576);
        assert!(config.accounts.confirm);
    }

    #[test]
    fn without_a_file_nothing_needs_to_be_confirmed() {
        assert!(!Config::load(None, []).unwrap().accounts.confirm);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_the_nearest() {
        let error = load("[server]\n\n[smtp]\nlistne = \"x\"\n", &[])
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("pbmserv.toml, line 4: no key is called `listne` here; the nearest is `listen`"),
            "{error}"
        );
        let error = load("[sntp]\n", &[]).unwrap_err().to_string();
        assert!(
            error.contains("line 1: no key is called `sntp` here; the nearest is `smtp`"),
            "{error}"
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused_with_its_line() {
        let error = load("[smtp]\nmax_recipients = \"many\"\n", &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 2: invalid type"), "{error}");
    }

    #[test]
    fn the_environment_sets_any_key_and_wins() {
        let config = load(
            "[smtp]\nlisten = \"a:1\"\n",
            &[
                ("PBMSERV_SMTP_LISTEN", "b:2"),
                ("PBMSERV_ACCOUNTS_CONFIRM", "false"),
                ("PBMSERV_LIMITS_MAILS_AN_HOUR", "7"),
                ("PBMSERV_SERVER_DIRECTORS", "alice, bob"),
                ("PBMSERV_CONFIG", "elsewhere"),
                ("HOME", "x"),
            ],
        );
        let config = config.unwrap();
        assert_eq!(
            (config.smtp.listen.as_str(), config.accounts.confirm),
            ("b:2", false)
        );
        assert_eq!(config.limits.mails_an_hour, 7);
        assert_eq!(config.server.directors, ["alice", "bob"]);
    }

    #[test]
    fn a_misspelt_variable_is_refused_with_the_nearest() {
        let error = load("", &[("PBMSERV_SMTP_LISTENS", "x")])
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("no key is called PBMSERV_SMTP_LISTENS; the nearest is PBMSERV_SMTP_LISTEN"),
            "{error}"
        );
        let error = load("", &[("PBMSERV_LOG_JSON", "perhaps")])
            .unwrap_err()
            .to_string();
        assert!(error.contains("takes true or false"), "{error}");
    }

    #[test]
    fn what_cannot_work_is_refused_at_once() {
        assert!(
            load("[server]\naddress = \"nowhere\"", &[])
                .unwrap_err()
                .to_string()
                .contains("server.address")
        );
        assert!(
            load("[delivery]\ntransport = \"pigeon\"", &[])
                .unwrap_err()
                .to_string()
                .contains("maildir, smtp or sendmail")
        );
        for (text, key) in [
            ("[auth]\nrequire = \"spf\"", "auth.require"),
            ("[auth]\nrequire = \"dmarc\"", "auth.authserv_id"),
        ] {
            assert!(load(text, &[]).unwrap_err().to_string().contains(key));
        }
        assert!(
            load("[delivery]\ntransport = \"smtp\"", &[])
                .unwrap_err()
                .to_string()
                .contains("delivery.url")
        );
        for (text, expected) in [
            ("[smtp]\ncertificate = \"/a.pem\"", "smtp.key belong together"),
            ("[smtp]\nkey = \"/a.pem\"", "smtp.key belong together"),
            ("[lmtp]\nlisten = \"0.0.0.0:25\"", "other than 25"),
            ("[lmtp]\nlisten = \"unix:\"", "unix: and a path"),
        ] {
            let error = load(text, &[]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
