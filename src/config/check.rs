//! Checks of values that have the right type, and what several keys together mean.

use std::net::SocketAddr;
use std::path::PathBuf;

use pbmserv_mail::{Address, OwnAddresses};

use super::{Config, Error};

impl Config {
    pub(super) fn check(&self) -> Result<(), Error> {
        let bad = |key: &str, why: &str| Err(Error(self.placed(&format!("{key} {why}"))));
        if self.address().is_none() {
            return bad(
                "server.address",
                "is not a mail address in ASCII: write it as pbmserv@example.org",
            );
        }
        if let Some(other) = self
            .server
            .former_addresses
            .iter()
            .find(|text| mailbox(text).is_none())
        {
            let why = format!(
                "names \"{other}\", which is not a mail address in ASCII, or has a +: write it as pbmserv@example.org"
            );
            return bad("server.former_addresses", &why);
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
            return bad("accounts.digest_hour", "is not an hour of the day: use 0 to 23");
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
        if self.auth.verify && !self.auth.authserv_id.is_empty() {
            return bad(
                "auth.verify",
                "and auth.authserv_id exclude each other: either the server before this one says who is authenticated, or this one \
                 finds out: remove one of them",
            );
        }
        if let Some(text) = self
            .auth
            .dns
            .iter()
            .find(|text| text.parse::<SocketAddr>().is_err())
        {
            let why = format!(
                "has \"{text}\", which is no address and port: write it as \"127.0.0.1:53\" or \"[::1]:53\""
            );
            return bad("auth.dns", &why);
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
                "is no address for LMTP: name a port other than 25, or unix: and a path",
            );
        }
        if let Some(fault) = self.http.fault() {
            return bad("http.listen", fault);
        }
        if let Some((key, fault)) = self.web.fault() {
            return bad(key, fault);
        }
        if let Some(fault) = self.operator.fault() {
            return bad("operator.listen", fault);
        }
        if let Some((key, why)) = self.bots.fault() {
            return bad(key, &why);
        }
        if let Some((key, why)) = self.leagues.fault() {
            return bad(key, &why);
        }
        if let Some(wrong) = self.log.level.split(',').find(|part| !is_filter(part)) {
            let why = format!(
                "has \"{wrong}\", which is no level: use error, warn, info, debug, trace or off, or a filter such as \
                 info,pbmserv_mail::doors=debug"
            );
            return bad("log.level", &why);
        }
        if self.smtp.max_message_bytes < 1024 {
            return bad(
                "smtp.max_message_bytes",
                "is too small: a message needs at least 1024",
            );
        }
        Ok(())
    }

    /// The server's address; `None` if it is invalid.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        mailbox(&self.server.address)
    }

    /// The server's address and those that it had before; `None` if the present one is invalid.
    #[must_use]
    pub fn own_addresses(&self) -> Option<OwnAddresses> {
        let former = self.server.former_addresses.iter();
        Some(OwnAddresses::new(
            self.address()?,
            former.filter_map(|text| mailbox(text)).collect(),
        ))
    }

    /// The folder of the Maildirs.
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

/// Whether this is a level of the log, or a module and its level. The log itself would take any word for the name of a module,
/// and then be silent.
fn is_filter(part: &str) -> bool {
    let is_level = |word: &str| ["error", "warn", "info", "debug", "trace", "off"].contains(&word);
    let is_module = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b':')
    };
    match part.split_once('=') {
        Some((module, level)) => is_module(module) && is_level(level),
        None => is_level(part),
    }
}

/// An address of the server, which has no detail, and which every mail server can write to: in ASCII, also if its domain was
/// written in another script.
fn mailbox(text: &str) -> Option<Address> {
    let address = Address::parse(text).ok()?;
    let is_fit = address.detail().is_none() && !address.needs_utf8();
    is_fit.then(|| Address::parse(&address.on_the_wire()).ok())?
}
