//! The text of the first configuration: every key with its comment, and the chosen values.

use toml::{Table, Value};

use super::{Choice, Mta, Wanted};
use crate::config::Config;

/// Where an MTA of this machine hands mail over, unless another place is named.
pub(super) const SOCKET: &str = "unix:/run/pbmserv/lmtp.sock";

/// The relay behind an MTA of this machine.
const OWN_RELAY: &str = "smtp://127.0.0.1:25";

/// # Errors
/// A path is not UTF-8.
pub(super) fn write(wanted: &Wanted, choice: &Choice) -> anyhow::Result<String> {
    let mut table = Table::new();
    for (section, key, value) in values(wanted, choice)? {
        let keys = table.entry(section).or_insert_with(|| Table::new().into());
        if let Value::Table(keys) = keys {
            keys.insert(key.to_owned(), value);
        }
    }
    Ok(Config::documented(&table)?)
}

type Chosen = (&'static str, &'static str, Value);

fn values(wanted: &Wanted, choice: &Choice) -> anyhow::Result<Vec<Chosen>> {
    let mut values: Vec<Chosen> = vec![
        ("server", "address", choice.address.as_str().into()),
        ("server", "data", path(&choice.data)?),
        ("server", "directors", vec![choice.director.clone()].into()),
    ];
    if let Some(name) = &wanted.name {
        values.push(("server", "name", name.as_str().into()));
    }
    if let Some(database) = &wanted.database {
        values.push(("store", "url", database.as_str().into()));
    }
    if let Some(file) = &wanted.database_password_file {
        values.push(("store", "password_file", path(file.as_ref())?));
    }
    let listen = wanted.listen.as_deref();
    match choice.mta {
        Mta::Postfix | Mta::Exim | Mta::Opensmtpd => {
            values.push(("smtp", "listen", "".into()));
            values.push(("lmtp", "listen", listen.unwrap_or(SOCKET).into()));
        }
        Mta::Mailbox => {
            values.push(("smtp", "listen", listen.unwrap_or_default().into()));
            values.push(("imap", "url", wanted.imap.as_deref().unwrap_or_default().into()));
            values.extend(login("imap", wanted)?);
        }
        Mta::None => {
            if let Some(listen) = listen {
                values.push(("smtp", "listen", listen.into()));
            }
        }
    }
    let has_mta = choice.mta.speaks_lmtp();
    let relay = wanted.relay.as_deref().or(has_mta.then_some(OWN_RELAY));
    if let Some(sendmail) = &wanted.sendmail {
        values.push(("delivery", "transport", "sendmail".into()));
        values.push(("delivery", "path", path(sendmail)?));
    } else if let Some(relay) = relay {
        values.push(("delivery", "transport", "smtp".into()));
        values.push(("delivery", "url", relay.into()));
        values.extend(login("delivery", wanted)?);
    }
    Ok(values)
}

/// The keys of a section that say how to log in.
fn login(section: &'static str, wanted: &Wanted) -> anyhow::Result<Vec<Chosen>> {
    let mut values: Vec<Chosen> = Vec::new();
    if let Some(file) = &wanted.password_file {
        values.push((section, "password_file", path(file.as_ref())?));
    }
    if let Some(command) = &wanted.password_command {
        values.push((section, "password_command", command.as_str().into()));
    }
    if let Some(auth) = wanted.auth.as_deref().filter(|_| !values.is_empty()) {
        values.push((section, "auth", auth.into()));
    }
    Ok(values)
}

fn path(path: &std::path::Path) -> anyhow::Result<Value> {
    let whole = std::path::absolute(path)?;
    let text = whole.to_str().map(Value::from);
    text.ok_or_else(|| anyhow::anyhow!("{} is not UTF-8: name another path", path.display()))
}
