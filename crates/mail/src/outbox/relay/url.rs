//! The relay's URL: `smtps://user@relay.example:465`, `smtp://relay.example:587?tls=required`.

use url::{Host, ParseError, Position, Url};

/// How the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// None: for a relay on this machine or in a private network.
    Never,
    /// STARTTLS if offered: protects against passive listeners only.
    Opportunistic,
    /// STARTTLS, or no mail is sent.
    Required,
    /// TLS from the first byte (RFC 8314).
    Wrapped,
}

/// A parsed relay URL, in the syntax of lettre, but never with a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RelayUrl {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Tls,
    pub(super) user: Option<String>,
    /// The path: our name in EHLO.
    pub(super) hello: Option<String>,
}

/// The URL is wrong; the message says what to do. It never quotes the URL or the password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRelay(pub(super) String);

fn bad<T>(why: &str) -> Result<T, BadRelay> {
    Err(BadRelay(why.to_owned()))
}

impl RelayUrl {
    pub(super) fn parse(text: &str) -> Result<Self, BadRelay> {
        if !text.starts_with("smtp://") && !text.starts_with("smtps://") {
            return bad("the relay's URL must begin with smtp:// or smtps://");
        }
        // There is no fragment: a # is part of the user, or an error.
        let text = &text.replace('#', "%23");
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(ParseError::InvalidPort) => return bad(NO_PORT),
            Err(ParseError::InvalidIpv6Address) => {
                return bad("the text in brackets in the relay's URL is not an IPv6 address");
            }
            Err(_) => return bad(NO_HOST),
        };
        let (tls, usual_port) = match (url.scheme(), url.query()) {
            ("smtps", None) => (Tls::Wrapped, 465),
            ("smtp", None) => (Tls::Never, 25),
            ("smtp", Some("tls=required")) => (Tls::Required, 587),
            ("smtp", Some("tls=opportunistic")) => (Tls::Opportunistic, 587),
            ("smtp", Some(_)) => return bad("after the ? only tls=required or tls=opportunistic is allowed"),
            _ => return bad("smtps:// is always encrypted: leave out what follows the ?"),
        };
        if url.password().is_some() || text.contains(":@") {
            return bad("a password does not belong in the relay's URL: put it into the password file");
        }
        let user = match url.username() {
            "" if !text.contains("://@") => None,
            user => Some(percent_decode(user)?),
        };
        let host = match url.host() {
            // For schemes that it does not know, the URL parser takes an IPv4 address for a name.
            Some(Host::Domain(name)) if is_host(name) => name.to_owned(),
            Some(Host::Ipv6(address)) => address.to_string(),
            _ => return bad(NO_HOST),
        };
        if url.port() == Some(0) {
            return bad(NO_PORT);
        }
        let hello = url.path().strip_prefix('/').filter(|name| !name.is_empty());
        if hello.is_some_and(|name| !is_host(name)) {
            return bad(
                "the name for EHLO, after the / in the relay's URL, may have only letters, digits, dots and hyphens",
            );
        }
        if !is_as_written(&url, text) {
            return bad("the relay's URL is not readable: write it as smtps://user@host:465");
        }
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual_port),
            tls,
            user,
            hello: hello.map(str::to_owned),
        })
    }

    /// Whether the connection protects a password from others.
    pub(super) fn is_safe_for_a_password(&self) -> bool {
        matches!(self.tls, Tls::Required | Tls::Wrapped)
            || ["localhost", "127.0.0.1", "::1"].contains(&self.host.as_str())
    }
}

const NO_HOST: &str = "the relay's URL names no host: write it as smtps://user@host:465";
const NO_PORT: &str = "the port in the relay's URL must be a number from 1 to 65535";

/// Whether host and port were parsed as written. The URL parser tolerates line breaks, trailing spaces, a
/// colon without a port and dots in a path; here these are errors.
fn is_as_written(url: &Url, text: &str) -> bool {
    let from = match url.host() {
        // An IPv6 address has several spellings.
        Some(Host::Ipv6(_)) => Position::AfterHost,
        _ => Position::BeforeHost,
    };
    let before = text.strip_suffix(&url[from..]);
    !text.chars().any(char::is_control) && before.is_some_and(|before| before.ends_with(['/', '@', ']']))
}

/// Whether this can be the name of a host.
pub(super) fn is_host(text: &str) -> bool {
    (1..=253).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b == b'_')
}

fn percent_decode(text: &str) -> Result<String, BadRelay> {
    let no = "the user in the relay's URL is not readable: write @ as %40, / as %2F, % as %25";
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'%' {
            let digits = after.get(..2).and_then(|d| std::str::from_utf8(d).ok());
            let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
            let Some(Ok(value)) = digits.map(|d| u8::from_str_radix(d, 16)) else {
                return bad(no);
            };
            bytes.push(value);
            rest = &after[2..];
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    match String::from_utf8(bytes) {
        Ok(user) if !user.is_empty() && !user.chars().any(char::is_control) => Ok(user),
        _ => bad(no),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(url: &str) -> (String, u16, Tls, Option<String>, Option<String>) {
        let url = RelayUrl::parse(url).unwrap();
        (url.host, url.port, url.tls, url.user, url.hello)
    }

    #[test]
    fn urls_are_read_with_their_usual_ports() {
        let some = |s: &str| Some(s.to_owned());
        let host = || "relay.example".to_owned();
        assert_eq!(
            parsed("smtp://relay.example"),
            (host(), 25, Tls::Never, None, None)
        );
        assert_eq!(
            parsed("smtps://relay.example/"),
            (host(), 465, Tls::Wrapped, None, None)
        );
        assert_eq!(
            parsed("smtp://a%40b.example@relay.example?tls=required"),
            (host(), 587, Tls::Required, some("a@b.example"), None)
        );
        assert_eq!(
            parsed("smtp://relay.example:2525/games.example?tls=opportunistic"),
            (host(), 2525, Tls::Opportunistic, None, some("games.example"))
        );
        assert_eq!(
            parsed("smtp://[::1]:26"),
            ("::1".to_owned(), 26, Tls::Never, None, None)
        );
    }

    #[test]
    fn wrong_urls_are_refused_and_not_quoted() {
        for wrong in [
            "",
            "relay.example",
            "http://relay.example",
            "smtp://",
            "smtp://relay.example:0",
            "smtp://relay.example:x",
            "smtp://relay.example:99999",
            "smtp://relay.example?tls=no",
            "smtps://relay.example?tls=required",
            "smtp://user:hunter2@relay.example",
            "smtp://%zz@relay.example",
            "smtp://%0a@relay.example",
            "smtp://@relay.example",
            "smtp://[::1",
            "smtp://[x]",
            "smtp://[::1]x",
            "smtp://relay.example/a b",
            "smtp://re\r\nlay.example",
        ] {
            let refusal = RelayUrl::parse(wrong).unwrap_err().to_string();
            assert!(!refusal.contains("hunter2"), "{refusal}");
        }
    }

    #[test]
    fn a_password_goes_over_encrypted_or_local_connections_only() {
        let safe = |url: &str| RelayUrl::parse(url).unwrap().is_safe_for_a_password();
        assert!(safe("smtps://u@relay.example"));
        assert!(safe("smtp://u@relay.example?tls=required"));
        assert!(safe("smtp://u@127.0.0.1"));
        assert!(!safe("smtp://u@relay.example"));
        assert!(!safe("smtp://u@relay.example?tls=opportunistic"));
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(url in "(smtps?://)?[ -~é%@:/?\\[\\]]{0,40}") {
            let _ = RelayUrl::parse(&url);
        }
    }
}
