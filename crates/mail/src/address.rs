//! Mailboxes: `local-part@domain` (RFC 5321, section 4.1.2; RFC 6531, section 3.3), with a limited length and without the rare
//! forms.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

use super::script;

/// A mailbox in any script. Its local part is as written. A domain in other characters than ASCII is in its one form, such as
/// `почта.example` for `ПОЧТА.example`.
///
/// Two that differ only in case, in how a letter is composed, or in the two ways to write a domain (`почта.example`,
/// `xn--80a1acny.example`) are the same: compare their [`key`](Self::key)s. Look-alikes are different.
///
/// Known limits: no quoted local part, no address literal; no invisible character and no word of two scripts
/// (`mail/script.rs`). Envelope senders are only noted, so these may be of any form: [`noted`](Self::noted).
#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address(String);

/// The text is not a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a mail address")]
pub struct BadAddress;

/// The longest address that is noted, in bytes: a line of SMTP has no more (RFC 5321, section 4.5.3.1.4).
const MAX_NOTED: usize = 512;
/// The most octets of a local part (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL: usize = 64;

impl Address {
    /// The longest address accepted, in bytes (RFC 5321, section 4.5.3.1.3, minus the angle brackets).
    pub const LONGEST: usize = 254;

    /// Parses a mailbox without angle brackets or display name.
    ///
    /// # Errors
    /// [`BadAddress`]: too long, no `@`, or an unusual character.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        // Before anything else is looked at, so that it takes no time.
        let (local, domain) = text
            .rsplit_once('@')
            .filter(|_| text.len() <= Self::LONGEST)
            .ok_or(BadAddress)?;
        let is_atext = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
        let good_local = (1..=MAX_LOCAL).contains(&local.len())
            && local.chars().all(|c| !c.is_ascii() || is_atext(c))
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
            && script::is_readable(local);
        if !good_local {
            return Err(BadAddress);
        }
        let address = Self(match canonical(domain).ok_or(BadAddress)? {
            Cow::Borrowed(_) => text.to_owned(),
            Cow::Owned(domain) => format!("{local}@{domain}"),
        });
        let wire_length = local.len() + 1 + address.ascii_domain().len();
        let is_short = address.0.len().max(wire_length) <= Self::LONGEST;
        is_short.then_some(address).ok_or(BadAddress)
    }

    /// Notes an envelope sender. Forwarders and lists make local parts over 64 octets (SRS, VERP, BATV); others are quoted, or
    /// have a domain that we would not write to. Mail from there is mail all the same.
    ///
    /// # Errors
    /// [`BadAddress`]: without a domain, over 512 bytes, or with a character that could not stand in a line of SMTP.
    pub fn noted(text: &str) -> Result<Self, BadAddress> {
        Self::parse(text).or_else(|bad| {
            let (local, domain) = text.rsplit_once('@').ok_or(bad)?;
            let is_quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
            let is_word = |text: &str| !text.is_empty() && !text.contains([' ', '<', '>', '"', ',', ';']);
            let is_clean = !text.chars().any(char::is_control) && script::is_visible(text);
            let is_noted = text.len() <= MAX_NOTED
                && is_clean
                && is_word(domain)
                && (is_quoted && !local.contains(['<', '>']) || is_word(local));
            is_noted.then(|| Self(text.to_owned())).ok_or(bad)
        })
    }

    /// Whether mail may be sent there: it is more than [`noted`](Self::noted).
    #[must_use]
    pub fn can_be_written_to(&self) -> bool {
        Self::parse(&self.0).is_ok()
    }

    /// As it was written, but for the form of the domain.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for comparison: equal for all spellings of one mailbox.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}@{}", folded(self.local()), self.ascii_domain())
    }

    /// The form for rate limits: without the detail and without dots before the `@`, since one person may write their
    /// address in each of these ways. Two people whose addresses differ only in dots share a limit.
    #[must_use]
    pub fn limit_key(&self) -> String {
        let base = folded(self.base()).replace('.', "");
        format!("{base}@{}", self.ascii_domain())
    }

    /// The part before the `@`.
    #[must_use]
    pub fn local(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(local, _)| local)
    }

    /// The part before the `@` and the detail.
    fn base(&self) -> &str {
        let local = self.local();
        local.split_once('+').map_or(local, |(base, _)| base)
    }

    /// The part after the `@`.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// The domain as DNS has it: lower case, and A-labels (RFC 5890) for other characters than ASCII.
    #[must_use]
    pub fn ascii_domain(&self) -> Cow<'_, str> {
        ascii_domain(self.domain())
    }

    /// Whether it is a mailbox of this domain, in whichever way that is written.
    #[must_use]
    pub fn is_in(&self, domain: &str) -> bool {
        self.ascii_domain() == ascii_domain(domain)
    }

    /// Whether only mail servers with SMTPUTF8 (RFC 6531) take mail for it: the part before the `@` is not ASCII.
    #[must_use]
    pub fn needs_utf8(&self) -> bool {
        !self.local().is_ascii()
    }

    /// As every mail server takes it if [`needs_utf8`](Self::needs_utf8) is false: the domain in ASCII if it was not.
    #[must_use]
    pub fn on_the_wire(&self) -> Cow<'_, str> {
        if self.domain().is_ascii() || self.needs_utf8() {
            return Cow::Borrowed(&self.0);
        }
        Cow::Owned(format!("{}@{}", self.local(), self.ascii_domain()))
    }

    /// For the operator, who sees many: with the names of scripts beside Latin, whose letters may look the same, as in
    /// `сосо@example.org [Cyrillic]`.
    #[must_use]
    pub fn with_scripts(&self) -> String {
        let names = script::names(&self.0);
        match names.as_slice() {
            [] => self.to_string(),
            names => format!("{self} [{}]", names.join(", ")),
        }
    }

    /// As [`with_scripts`](Self::with_scripts), for a text that the database has as an address.
    #[must_use]
    pub fn stored_with_scripts(text: &str) -> String {
        Self::parse(text).map_or_else(|_| text.to_owned(), |address| address.with_scripts())
    }

    /// The part of the local part after the first `+`, if any (called detail in RFC 5233).
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.local().split_once('+').map(|(_, detail)| detail)
    }

    /// The same mailbox with this detail instead of its own: `pbmserv+TOKEN@host`.
    #[must_use]
    pub fn with_detail(&self, detail: &str) -> Self {
        Self(format!("{}+{detail}@{}", self.base(), self.domain()))
    }

    /// Whether both are the same mailbox apart from the detail: `pbmserv+x@host` is delivered to `pbmserv@host`.
    #[must_use]
    pub fn is_delivered_to(&self, other: &Self) -> bool {
        folded(self.base()) == folded(other.local()) && self.is_in(other.domain())
    }
}

/// ASCII characters that no domain name has (STD 3) are refused, also where another character stands for one.
const NO_SIGNS: AsciiDenyList = AsciiDenyList::STD3;
/// Labels do not begin or end with a hyphen.
const HYPHENS: Hyphens = Hyphens::CheckFirstLast;

/// Whether it is a domain name in ASCII.
fn is_host(domain: &str) -> bool {
    domain.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

/// The one form of a domain: as it is if it is ASCII, and otherwise in U-labels (RFC 5890). `None` if it is none, or deceives.
fn canonical(domain: &str) -> Option<Cow<'_, str>> {
    if domain.is_ascii() {
        return is_host(domain).then_some(Cow::Borrowed(domain));
    }
    // IDNA leaves out what is invisible.
    let ascii = Some(ascii_domain(domain)).filter(|ascii| script::is_visible(domain) && is_host(ascii))?;
    let (shown, _) = Uts46::new().to_unicode(ascii.as_bytes(), NO_SIGNS, HYPHENS);
    let is_readable = shown.split('.').all(script::is_readable);
    is_readable.then(|| Cow::Owned(shown.into_owned()))
}

/// A domain in ASCII and lower case; as it is if there is no such form.
fn ascii_domain(domain: &str) -> Cow<'_, str> {
    if !domain.is_ascii() {
        let ascii = Uts46::new().to_ascii(domain.as_bytes(), NO_SIGNS, HYPHENS, DnsLength::Verify);
        return ascii.unwrap_or(Cow::Borrowed(domain));
    }
    match domain.bytes().any(|c| c.is_ascii_uppercase()) {
        true => Cow::Owned(domain.to_ascii_lowercase()),
        false => Cow::Borrowed(domain),
    }
}

/// A local part as mail servers compare it: in lower case, and composed. The two small sigmas are one letter.
fn folded(local: &str) -> String {
    if local.is_ascii() {
        return local.to_ascii_lowercase();
    }
    let lower = local.chars().flat_map(char::to_lowercase);
    let one_sigma = lower.map(|c| if c == '\u{3c2}' { '\u{3c3}' } else { c });
    script::composed(&one_sigma.collect::<String>())
}

impl fmt::Display for Address {
    /// For sentences and lists. An address that is read from right to left stands between marks that keep it apart from the text
    /// around it, which it would disturb.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if script::is_right_to_left(&self.0) {
            write!(f, "\u{2068}{}\u{2069}", self.0)
        } else {
            f.write_str(&self.0)
        }
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        Self::parse(text)
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
