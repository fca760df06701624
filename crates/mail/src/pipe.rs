//! The envelope of a message that arrived without one: by a pipe, from a Maildir or from IMAP.

use std::panic::catch_unwind;

use super::header::Header;
use super::visible_sender::visible_sender;
use super::{Address, BadAddress, Envelope, OwnAddresses};

/// Parts of the envelope that are known from elsewhere, such as the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given<'a> {
    /// The reverse-path, with or without angle brackets; empty for the null reverse-path.
    pub sender: Option<&'a str>,
    /// The forward-path, with or without angle brackets.
    pub recipient: Option<&'a str>,
}

/// The fields in which delivering servers record the recipient: Postfix and Dovecot, Exim, Fastmail.
const DELIVERED: [&str; 5] = [
    "X-Original-To",
    "Delivered-To",
    "Envelope-To",
    "X-Delivered-To",
    "X-Envelope-To",
];

/// The envelope of a message: the given parts, else what the delivering server wrote into the header.
///
/// The sender comes from the topmost `Return-Path`, or from `From` if there is none, or none that is an address. Only `<>` is the
/// null reverse-path, and `MAILER-DAEMON` without a domain, as some servers write it. The recipient is an address of ours, taken from the topmost field in which a
/// delivering server records it (`X-Original-To`, `Delivered-To` and similar), or from `To` and `Cc`, since many
/// providers keep nothing else. An address with a detail is preferred, because a server may remove the detail on
/// delivery. The last resort is our present address.
///
/// # Errors
/// [`BadAddress`]: a given address is invalid. Invalid values in the header are ignored.
pub fn envelope_from_header(
    bytes: &[u8],
    given: &Given<'_>,
    own: &OwnAddresses,
) -> Result<Envelope, BadAddress> {
    let bare = |text: &str| text.trim().trim_matches(['<', '>']).trim().to_owned();
    let sender = match given.sender.map(bare) {
        Some(path) if is_null(&path) => Some(None),
        Some(path) => Some(Some(Address::noted(&path)?)),
        None => None,
    };
    let recipient = match given.recipient.map(bare) {
        Some(path) => Some(Address::parse(&path)?),
        None => None,
    };
    let found = catch_unwind(|| {
        let Ok((header, _)) = Header::split(bytes) else {
            return (None, own.present().clone());
        };
        let path = header.texts("Return-Path").next().map(|path| bare(&path));
        let sender = match path {
            Some(path) if is_null(&path) => None,
            Some(path) => Address::noted(&path).ok().or_else(|| visible_sender(&header)),
            None => visible_sender(&header),
        };
        let ours: Vec<Address> = DELIVERED
            .into_iter()
            .filter_map(|name| Address::parse(&bare(&header.texts(name).next()?)).ok())
            .chain(["To", "Cc"].into_iter().flat_map(|name| header.mailboxes(name)))
            .filter(|address| own.has(address))
            .collect();
        let with_detail = ours.iter().find(|address| address.detail().is_some());
        let recipient = with_detail.or(ours.first()).unwrap_or(own.present());
        (sender, recipient.clone())
    });
    let (found_sender, found_recipient) = found.unwrap_or_else(|_| (None, own.present().clone()));
    Ok(Envelope {
        sender: sender.unwrap_or(found_sender),
        recipients: vec![recipient.unwrap_or(found_recipient)],
    })
}

/// Whether a path, without its brackets, is the null reverse-path.
fn is_null(path: &str) -> bool {
    path.is_empty() || path.eq_ignore_ascii_case("MAILER-DAEMON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(text: &str, sender: Option<&str>, recipient: Option<&str>) -> (Option<String>, String) {
        let own = OwnAddresses::from(Address::parse("pbmserv@host.example").unwrap());
        let found = envelope_from_header(text.as_bytes(), &Given { sender, recipient }, &own).unwrap();
        (
            found.sender.map(|s| s.to_string()),
            found.recipients[0].to_string(),
        )
    }

    #[test]
    fn given_values_take_precedence() {
        let text = "Return-Path: <a@b>\nDelivered-To: pbmserv+x@host.example\n\n";
        assert_eq!(
            envelope(text, Some("<c@d>"), Some("pbmserv+y@host.example")),
            (Some("c@d".into()), "pbmserv+y@host.example".into())
        );
        assert_eq!(envelope(text, Some(""), None).0, None);
        assert_eq!(envelope(text, Some("<>"), None).0, None);
    }

    #[test]
    fn a_former_address_is_found_like_the_present_one() {
        let address = |text: &str| Address::parse(text).unwrap();
        let own = OwnAddresses::new(address("games@new.example"), vec![address("pbmserv@old.example")]);
        let recipient = |text: &[u8]| {
            let envelope = envelope_from_header(text, &Given::default(), &own).unwrap();
            envelope.recipients[0].to_string()
        };
        let text = b"From: a@b\nDelivered-To: inbox@provider.example\nTo: Games <pbmserv+t@old.example>\n\n";
        assert_eq!(recipient(text), "pbmserv+t@old.example");
        assert_eq!(recipient(b"From: a@b\nTo: c@d\n\n"), "games@new.example");
    }

    #[test]
    fn missing_values_come_from_the_header() {
        for (text, sender, recipient) in [
            (
                "Return-Path: <a@b>\nReturn-Path: <x@y>\nFrom: c@d",
                Some("a@b"),
                "pbmserv@host.example",
            ),
            ("Return-Path: <>\nFrom: c@d", None, "pbmserv@host.example"),
            (
                "Return-Path: <\"odd one\"@d>\nFrom: c@d",
                Some("\"odd one\"@d"),
                "pbmserv@host.example",
            ),
            (
                "Return-Path: <alice>\nFrom: c@d",
                Some("c@d"),
                "pbmserv@host.example",
            ),
            (
                "Return-Path: <MAILER-DAEMON>\nFrom: c@d",
                None,
                "pbmserv@host.example",
            ),
            (
                "From: C <c@d>\nDelivered-To: bob@elsewhere",
                Some("c@d"),
                "pbmserv@host.example",
            ),
            (
                "Delivered-To: pbmserv@host.example\nX-Original-To: pbmserv+t@host.example",
                None,
                "pbmserv+t@host.example",
            ),
            (
                "X-Original-To: alias@host.example\nDelivered-To: <pbmserv+t@host.example>",
                None,
                "pbmserv+t@host.example",
            ),
            (
                "Delivered-To: pbmserv@host.example\nTo: Bob <b@c>, The games <PBMserv+t@host.example>",
                None,
                "PBMserv+t@host.example",
            ),
            (
                "To: b@c\nCc: games: pbmserv+t@host.example, d@e;",
                None,
                "pbmserv+t@host.example",
            ),
            (
                "Delivered-To: pbmserv+t@host.example\nTo: pbmserv+u@host.example",
                None,
                "pbmserv+t@host.example",
            ),
        ] {
            let expected = (sender.map(str::to_owned), recipient.to_owned());
            assert_eq!(envelope(text, None, None), expected, "{text}");
        }
    }

    #[test]
    fn a_bad_given_address_is_refused() {
        let own = OwnAddresses::from(Address::parse("pbmserv@host.example").unwrap());
        let given = Given {
            sender: Some("nobody"),
            recipient: None,
        };
        assert_eq!(envelope_from_header(b"", &given, &own), Err(BadAddress));
    }
}
