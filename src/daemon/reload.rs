//! What a new configuration changes only with a restart.

use crate::config::Config;

/// Keys, and whole sections, that are read at the start only. A reload applies the others: limits, the certificate,
/// templates.
const AT_THE_START: &[&str] = &[
    "server",
    "smtp.listen",
    "smtp.hostname",
    "lmtp",
    "maildir",
    "imap",
    "http",
    "delivery",
    "accounts.confirm",
    "bots.threads",
    "auth",
    "log",
    "web",
    "operator",
];

/// Logs which keys differ from those of the start and are not applied.
pub(super) fn warn(running: &Config, new: &Config) {
    let waiting = waiting(running, new);
    if !waiting.is_empty() {
        tracing::warn!("changed, but taken only by a restart: {}", waiting.join(", "));
    }
}

fn waiting(running: &Config, new: &Config) -> Vec<String> {
    let is_at_start = |key: &String| {
        let section = key.split('.').next().unwrap_or_default();
        AT_THE_START.contains(&section) || AT_THE_START.contains(&key.as_str())
    };
    let mut keys = running.differences(new);
    keys.retain(is_at_start);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_key_that_a_reload_leaves_is_named() {
        let running = Config::default();
        let mut new = running.clone();
        new.smtp.max_connections += 1;
        new.limits.mails_an_hour += 1;
        assert_eq!(waiting(&running, &new), [""; 0]);
        new.smtp.listen = "127.0.0.1:25".into();
        new.server.directors.push("alice".into());
        new.log.json = true;
        assert_eq!(
            waiting(&running, &new),
            ["log.json", "server.directors", "smtp.listen"]
        );
    }

    #[test]
    fn each_named_key_exists() {
        let known = toml::Table::try_from(Config::default()).unwrap();
        for key in AT_THE_START {
            let (section, key) = key.split_once('.').unwrap_or((key, ""));
            assert!(
                key.is_empty() || known[section].get(key).is_some(),
                "{section}.{key}"
            );
        }
    }
}
