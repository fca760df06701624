//! Mailboxes: `local-part@domain` (RFC 5321, section 4.1.2), with a limited length and without the rare forms.

use std::fmt;
use std::str::FromStr;

/// A mailbox, as written. Two that differ only in case are the same: compare their [`key`](Self::key)s.
///
/// Known limits: no quoted local part, no address literal, ASCII only.
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(String);

/// The text is not a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a mail address")]
pub struct BadAddress;

impl Address {
    /// The longest address accepted, in bytes (RFC 5321, section 4.5.3.1.3, minus the angle brackets).
    pub const LONGEST: usize = 254;

    /// Parses a mailbox without angle brackets or display name.
    ///
    /// # Errors
    /// [`BadAddress`]: too long, no `@`, or an unusual character.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let (local, domain) = text.rsplit_once('@').ok_or(BadAddress)?;
        let is_atext = |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&c);
        let good_local = (1..=64).contains(&local.len())
            && local.bytes().all(is_atext)
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..");
        let good_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let good = text.len() <= Self::LONGEST && good_local && domain.split('.').all(good_label);
        if good {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadAddress)
        }
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for comparison: equal for all spellings of one mailbox.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// The form for rate limits: without the detail and without dots before the `@`, since one person may write their
    /// address in each of these ways. Two people whose addresses differ only in dots share a limit.
    #[must_use]
    pub fn limit_key(&self) -> String {
        let local = self.local();
        let base = local.split_once('+').map_or(local, |(base, _)| base);
        format!("{}@{}", base.replace('.', ""), self.domain()).to_ascii_lowercase()
    }

    /// The part before the `@`.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(local, _)| local)
    }

    /// The part after the `@`.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// The part of the local part after the first `+`, if any (called detail in RFC 5233).
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.local().split_once('+').map(|(_, detail)| detail)
    }

    /// The same mailbox with this detail instead of its own: `pbmserv+TOKEN@host`.
    #[must_use]
    pub fn with_detail(&self, detail: &str) -> Self {
        let base = self
            .local()
            .split_once('+')
            .map_or(self.local(), |(base, _)| base);
        Self(format!("{base}+{detail}@{}", self.domain()))
    }

    /// Whether both are the same mailbox apart from the detail: `pbmserv+x@host` is delivered to `pbmserv@host`.
    #[must_use]
    pub fn is_delivered_to(&self, other: &Self) -> bool {
        let base = self
            .local()
            .split_once('+')
            .map_or(self.local(), |(base, _)| base);
        base.eq_ignore_ascii_case(other.local()) && self.domain().eq_ignore_ascii_case(other.domain())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_addresses_are_read_and_others_refused() {
        for good in [
            "a@b",
            "alice@example.org",
            "a.b+c@x-y.example",
            "o'neil@example.org",
            "x@localhost",
        ] {
            assert_eq!(Address::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "@",
            "a@",
            "@b",
            "a b@c",
            "a@b c",
            "a@b..c",
            "a@-b",
            ".a@b",
            "a@b\r\nc",
            "\"a\"@b",
            "ä@b",
            "a@[1.2.3.4]",
        ] {
            assert_eq!(Address::parse(bad), Err(BadAddress), "{bad}");
        }
        assert!(Address::parse(&format!("a@{}", "b.".repeat(200))).is_err());
    }

    #[test]
    fn the_spellings_of_a_mailbox_share_its_limits() {
        for text in [
            "a.b@x.example",
            "AB+1@X.example",
            "a.b+c+d@x.example",
            "ab@x.example",
        ] {
            assert_eq!(
                Address::parse(text).unwrap().limit_key(),
                "ab@x.example",
                "{text}"
            );
        }
        for other in ["ab@xx.example", "ab-c@x.example", "+@x.example"] {
            assert_ne!(
                Address::parse(other).unwrap().limit_key(),
                "ab@x.example",
                "{other}"
            );
        }
    }

    #[test]
    fn a_detail_is_delivered_to_its_mailbox() {
        let server = Address::parse("pbmserv@host.example").unwrap();
        let seat = server.with_detail("2k-abc");
        assert_eq!(seat.as_str(), "pbmserv+2k-abc@host.example");
        assert_eq!(seat.detail(), Some("2k-abc"));
        assert!(
            Address::parse("PBMserv+x@HOST.example")
                .unwrap()
                .is_delivered_to(&server)
        );
        assert!(
            !Address::parse("other@host.example")
                .unwrap()
                .is_delivered_to(&server)
        );
    }
}
