//! The text of the first configuration: `deploy/pbmserv.toml` with the chosen values.

use toml::Value;

use super::{Choice, Mta, Wanted};

/// Every key with its comment and its default.
const DOCUMENTED: &str = include_str!("../../../deploy/pbmserv.toml");

/// Where an MTA of this machine hands mail over, unless another place is named.
pub(super) const SOCKET: &str = "unix:/run/pbmserv/lmtp.sock";

/// The relay behind an MTA of this machine.
const OWN_RELAY: &str = "smtp://127.0.0.1:25";

/// # Errors
/// A path is not UTF-8, or a key is not documented, which a test excludes.
pub(super) fn write(wanted: &Wanted, choice: &Choice) -> anyhow::Result<String> {
    let mut text = DOCUMENTED.to_owned();
    for (section, key, value) in values(wanted, choice)? {
        text = put(&text, section, key, &value)?;
    }
    Ok(text)
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

/// Replaces the value of one key.
fn put(text: &str, section: &str, key: &str, value: &Value) -> anyhow::Result<String> {
    let header = format!("[{section}]");
    let start = format!("{key} = ");
    let mut is_inside = false;
    let mut is_put = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            is_inside = line == header;
        }
        if is_inside && line.starts_with(&start) {
            lines.push(format!("{start}{value}"));
            is_put = true;
        } else {
            lines.push(line.to_owned());
        }
    }
    anyhow::ensure!(is_put, "{section}.{key} is not in the documented configuration");
    Ok(lines.join("\n") + "\n")
}
