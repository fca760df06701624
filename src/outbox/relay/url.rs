//! The relay's URL: `smtps://user@relay.example:465`, `smtp://relay.example:587?tls=required`.

/// How the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// Not at all: for a relay on this machine or in a network of one's own.
    Never,
    /// By STARTTLS if it is offered: helps against listeners only.
    Opportunistic,
    /// By STARTTLS, or no mail goes out.
    Required,
    /// From the first byte (RFC 8314).
    Wrapped,
}

/// What a URL says, in the syntax of lettre's own, but for the password, which never stands in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RelayUrl {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Tls,
    pub(super) user: Option<String>,
    /// The path: what we call ourselves in EHLO.
    pub(super) hello: Option<String>,
}

/// The relay is described wrongly; one sentence that says what to do. It never quotes the URL or the password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRelay(pub(super) String);

fn bad<T>(why: &str) -> Result<T, BadRelay> {
    Err(BadRelay(why.to_owned()))
}

impl RelayUrl {
    pub(super) fn parse(url: &str) -> Result<Self, BadRelay> {
        let Some((scheme, rest)) = url.split_once("://") else {
            return bad("the relay's URL begins with smtp:// or smtps://");
        };
        let (rest, query) = rest
            .split_once('?')
            .map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let (tls, usual_port) = match (scheme, query) {
            ("smtps", None) => (Tls::Wrapped, 465),
            ("smtp", None) => (Tls::Never, 25),
            ("smtp", Some("tls=required")) => (Tls::Required, 587),
            ("smtp", Some("tls=opportunistic")) => (Tls::Opportunistic, 587),
            ("smtp", Some(_)) => return bad("after ? only tls=required or tls=opportunistic may stand"),
            ("smtps", Some(_)) => return bad("smtps:// is always encrypted: leave out what follows the ?"),
            _ => return bad("the relay's URL begins with smtp:// or smtps://"),
        };
        let (authority, hello) = rest
            .split_once('/')
            .map_or((rest, None), |(authority, path)| (authority, Some(path)));
        let (user, host_port) = match authority.rsplit_once('@') {
            Some((user, host_port)) => (Some(user), host_port),
            None => (None, authority),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return bad("a password does not belong in the relay's URL: put it into the password file");
        }
        let user = user.map(percent_decode).transpose()?;
        let (host, port) = host_and_port(host_port)?;
        let hello = hello.filter(|name| !name.is_empty());
        if hello.is_some_and(|name| !is_host(name)) {
            return bad(
                "what follows the / in the relay's URL is the name for EHLO: letters, digits, dots, hyphens",
            );
        }
        Ok(Self {
            host,
            port: port.unwrap_or(usual_port),
            tls,
            user,
            hello: hello.map(str::to_owned),
        })
    }

    /// Whether a password sent to this relay is safe from others on the way.
    pub(super) fn is_safe_for_a_password(&self) -> bool {
        matches!(self.tls, Tls::Required | Tls::Wrapped)
            || ["localhost", "127.0.0.1", "::1"].contains(&self.host.as_str())
    }
}

fn is_host(text: &str) -> bool {
    (1..=253).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-' || b == b'_')
}

fn host_and_port(text: &str) -> Result<(String, Option<u16>), BadRelay> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let Some((host, port)) = rest.split_once(']') else {
            return bad("an IPv6 address in the relay's URL stands in brackets");
        };
        if host.parse::<std::net::Ipv6Addr>().is_err() {
            return bad("what stands in brackets in the relay's URL is no IPv6 address");
        }
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            None => return bad("after the host of the relay's URL only a port may stand"),
            port => port,
        };
        (host, port)
    } else {
        let (host, port) = text
            .split_once(':')
            .map_or((text, None), |(host, port)| (host, Some(port)));
        if !is_host(host) {
            return bad("the relay's URL names no host");
        }
        (host, port)
    };
    let port = match port.map(str::parse::<u16>) {
        None => None,
        Some(Ok(port)) if port > 0 => Some(port),
        Some(_) => return bad("the port in the relay's URL is a number up to 65535"),
    };
    Ok((host.to_owned(), port))
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
