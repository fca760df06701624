//! Reads the configuration: the file, then the environment, then checks that depend on several keys.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use toml::{Table, Value};

use super::{Accounts, Config, Delivery, Error, Places, Web, lookup, places};

impl Config {
    /// Reads the file, if one is named, and then the environment.
    ///
    /// # Errors
    /// The file cannot be read or is not TOML; a key is unknown or its value has the wrong type.
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
                web: Web::here(),
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
        let unread = |error| Error(format!("{name}: {error}: name a file that can be read"));
        let mut opened = File::open(file).map_err(unread)?;
        let mut text = String::new();
        opened.read_to_string(&mut text).map_err(unread)?;
        let read = Self::parse(&name, &text)?;
        let about = opened.metadata().map_err(unread)?;
        let delivery = &read.delivery;
        let names_a_command = delivery.transport == "sendmail" || delivery.path != Delivery::default().path;
        if names_a_command && !lookup::may_name_commands(&about) {
            return Err(Error(read.placed(&format!(
                "delivery.transport: a file that names a command must belong to root or to the account that runs this, and \
                 nobody else may write it: chown root {name}; chmod go-w {name}"
            ))));
        }
        Ok(read)
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

    /// Prefixes a sentence that names a key with the place where the key was set: file and line, or variable.
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

    /// Checks a text that is about to be written to the file of this name.
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
}

/// All variables that set a key.
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

/// Parses a text as a value of the same type as the current one.
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

/// The message of the TOML parser. For an unknown key, the nearest known key is added.
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
        let error = load("[smtp]\nmax_connections = \"many\"\n", &[])
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
        let config = load("[server]\naddress = \"games@почта.example\"", &[]).unwrap();
        assert_eq!(config.address().unwrap().as_str(), "games@xn--80a1acny.example");
        for former in ["nowhere", "pbmserv+x@old.example", "игры@почта.example", ""] {
            let text = format!(
                "[server]\naddress = \"a@b.example\"\nformer_addresses = [\"c@d.example\", \"{former}\"]"
            );
            let error = load(&text, &[]).unwrap_err().to_string();
            let expected = format!(
                "pbmserv.toml, line 3: server.former_addresses names \"{former}\", which is not a mail address"
            );
            assert!(error.contains(&expected), "{error}");
        }
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
