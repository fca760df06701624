//! The configured IMAP account: server, mailbox, encryption, password.

use std::fmt;
use std::path::Path;

use tokio_rustls::rustls::RootCertStore;
use url::{Host, Url};

use crate::login::{Login, NoSecret};
use crate::stream::{Encryption, roots_of, system_roots};

/// The account is configured wrongly; the message says what to do. It never quotes a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadAccount(String);

impl From<NoSecret> for BadAccount {
    fn from(error: NoSecret) -> Self {
        Self(error.to_string())
    }
}

fn bad<T>(why: impl Into<String>) -> Result<T, BadAccount> {
    Err(BadAccount(why.into()))
}

/// How the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// None: for a server on this machine, or on the operator's explicit request.
    Never,
    /// STARTTLS, or no login.
    Starttls,
    /// TLS from the first byte (RFC 8314).
    Wrapped,
}

/// A mailbox on a server: `imaps://user@host/INBOX`.
pub struct Account {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Tls,
    pub(super) user: String,
    /// The name of the mailbox, as the server spells it.
    pub(super) mailbox: String,
    /// The folder for handled messages; `None`: they get a keyword.
    pub(super) done_folder: Option<String>,
    pub(super) login: Login,
    pub(super) encryption: Encryption,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("tls", &self.tls)
            .field("user", &self.user)
            .field("mailbox", &self.mailbox)
            .field("done_folder", &self.done_folder)
            .finish_non_exhaustive()
    }
}

impl Account {
    /// The mailbox at this URL: `imaps://user@host/INBOX`; or `imap://user@host`, with STARTTLS unless the
    /// host is this machine. `?tls=never` is for a private network, `?tls=required` for STARTTLS even on this
    /// machine. Without a path the mailbox is `INBOX`. An empty `done_folder` means that messages stay in
    /// place.
    ///
    /// # Errors
    /// [`BadAccount`]: what to change in the configuration.
    pub fn new(url: &str, login: Option<Login>, done_folder: &str) -> Result<Self, BadAccount> {
        let Ok(url) = Url::parse(url) else {
            return bad(
                "imap.url is not a URL: write it as imaps://user@host/INBOX, with @ in the user as %40",
            );
        };
        if url.password().is_some() {
            return bad("a password does not belong in imap.url: put it into imap.password_file");
        }
        let (host, is_here) = match url.host() {
            // For schemes that it does not know, the URL parser takes an IPv4 address for a name.
            Some(Host::Domain(name)) if is_host(name) => {
                let is_here = name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1";
                (name.to_owned(), is_here)
            }
            Some(Host::Ipv4(address)) => (address.to_string(), address.is_loopback()),
            Some(Host::Ipv6(address)) => (address.to_string(), address.is_loopback()),
            _ => return bad("imap.url names no host: write it as imaps://user@host/INBOX"),
        };
        let (tls, usual_port) = match (url.scheme(), url.query()) {
            ("imaps", None) => (Tls::Wrapped, 993),
            ("imap", None) if is_here => (Tls::Never, 143),
            ("imap", None | Some("tls=required")) => (Tls::Starttls, 143),
            ("imap", Some("tls=never")) => (Tls::Never, 143),
            ("imap", Some(_)) => {
                return bad("in imap.url only ?tls=required or ?tls=never is allowed after the mailbox");
            }
            ("imaps", Some(_)) => {
                return bad("imaps:// is always encrypted: leave out what follows the ? in imap.url");
            }
            _ => return bad("imap.url must begin with imaps:// or imap://"),
        };
        let user = decoded(url.username(), "the user")?;
        if user.is_empty() {
            return bad(
                "imap.url names no user: write it as imaps://user@host/INBOX, with @ in the user as %40",
            );
        }
        let mailbox = match url.path().strip_prefix('/').unwrap_or_default() {
            "" => "INBOX".to_owned(),
            path => decoded(path, "the mailbox")?,
        };
        if !is_mailbox(&mailbox) {
            return bad(
                "the mailbox in imap.url is not plain ASCII: write it as the server itself spells it",
            );
        }
        if !done_folder.is_empty() && !is_mailbox(done_folder) {
            return bad("imap.done_folder is not plain ASCII: write it as the server itself spells it");
        }
        if done_folder.eq_ignore_ascii_case(&mailbox) {
            return bad("imap.done_folder is the mailbox of imap.url itself: name another, or none");
        }
        let Some(login) = login else {
            return bad("imap.password_file is missing: name the file whose first line is the password");
        };
        Ok(Self {
            encryption: Encryption::with(&host, trusted(tls)?)
                .map_err(|error| BadAccount(format!("imap.url: {error}")))?,
            host,
            port: url.port().filter(|port| *port > 0).unwrap_or(usual_port),
            tls,
            user,
            mailbox,
            done_folder: Some(done_folder.to_owned()).filter(|folder| !folder.is_empty()),
            login,
        })
    }

    /// Trusts the CAs of this file in the place of the system's.
    ///
    /// # Errors
    /// The file cannot be read, or has no certificate.
    pub fn trusting(mut self, ca_file: &Path) -> Result<Self, BadAccount> {
        let fault = |why: String| BadAccount(format!("imap.ca_file: {why}"));
        let roots = roots_of(ca_file).map_err(fault)?;
        self.encryption =
            Encryption::with(&self.host, roots).map_err(|error| BadAccount(format!("imap.url: {error}")))?;
        Ok(self)
    }
}

fn is_host(text: &str) -> bool {
    (1..=253).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b))
}

/// Whether a name fits into a quoted string (RFC 3501, section 9) and means the same to every server.
fn is_mailbox(name: &str) -> bool {
    name.len() <= 200
        && name
            .bytes()
            .all(|b| (b' '..=b'~').contains(&b) && b != b'*' && b != b'%')
}

fn decoded(text: &str, what: &str) -> Result<String, BadAccount> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = after.get(..2).filter(|_| byte == b'%');
        match digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()) {
            Some(value) => {
                bytes.push(value);
                rest = &after[2..];
            }
            None => bytes.push(byte),
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => Ok(text),
        _ => bad(format!("{what} in imap.url is not readable")),
    }
}

/// The root certificates that this encryption needs.
fn trusted(tls: Tls) -> Result<RootCertStore, BadAccount> {
    if tls == Tls::Never {
        return Ok(RootCertStore::empty());
    }
    let roots = system_roots();
    if roots.is_empty() {
        return bad(
            "the system has no root certificates, so imap.url cannot be used: install ca-certificates",
        );
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn account(url: &str, done_folder: &str) -> Result<Account, BadAccount> {
        Account::new(url, Some(Login::with_password("imap", "hunter2")), done_folder)
    }

    #[test]
    fn urls_are_read_with_their_usual_ports_and_mailbox() {
        for (url, host, port, tls, user, mailbox) in [
            (
                "imaps://games%40example.org@imap.example.org",
                "imap.example.org",
                993,
                Tls::Wrapped,
                "games@example.org",
                "INBOX",
            ),
            (
                "imap://games@imap.example.org:1143/Play%20by%20mail",
                "imap.example.org",
                1143,
                Tls::Starttls,
                "games",
                "Play by mail",
            ),
            ("imap://u@127.0.0.1/", "127.0.0.1", 143, Tls::Never, "u", "INBOX"),
            ("imap://u@[::1]", "::1", 143, Tls::Never, "u", "INBOX"),
            (
                "imap://u@localhost?tls=required",
                "localhost",
                143,
                Tls::Starttls,
                "u",
                "INBOX",
            ),
            (
                "imap://u@192.0.2.1/INBOX/games?tls=never",
                "192.0.2.1",
                143,
                Tls::Never,
                "u",
                "INBOX/games",
            ),
        ] {
            let found = account(url, "Done").unwrap();
            assert_eq!((found.host.as_str(), found.port), (host, port), "{url}");
            assert_eq!(
                (found.tls, found.user.as_str(), found.mailbox.as_str()),
                (tls, user, mailbox),
                "{url}"
            );
        }
    }

    #[test]
    fn wrong_urls_are_refused_with_a_sentence_and_no_password() {
        for wrong in [
            "",
            "imap.example.org",
            "https://u@imap.example.org",
            "imaps://imap.example.org",
            "imaps://u:hunter2@imap.example.org",
            "imaps://u@",
            "imaps://u@imap.example.org?tls=required",
            "imap://u@imap.example.org?tls=no",
            "imap://u%0d%0a@imap.example.org",
            "imap://u@imap.example.org/Gr%C3%BCn",
            "imap://u@imap.example.org/a%0ab",
            "imap://u@imap.example.org:99999",
            "imap://u@imap.example.org/Done",
        ] {
            let refusal = account(wrong, "Done").unwrap_err().to_string();
            assert!(!refusal.contains("hunter2"), "{refusal}");
            assert!(refusal.contains("imap"), "{refusal}");
        }
    }

    #[test]
    fn a_password_is_asked_for_at_the_start() {
        let refusal = Account::new("imaps://u@imap.example.org", None, "").unwrap_err();
        assert!(
            refusal.to_string().contains("imap.password_file is missing"),
            "{refusal}"
        );
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(url in "(imaps?://)?[ -~é%@:/?\\[\\]]{0,40}") {
            let _ = account(&url, "");
        }
    }
}
