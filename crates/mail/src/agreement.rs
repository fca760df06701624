//! Whether an envelope sender agrees with the mailbox in `From`.
//!
//! Agreement is no proof: anybody can write any envelope. It tells the ways that honest mail takes from those of a
//! forger who wants the answers.

use std::net::Ipv4Addr;

use super::Address;

/// Whether a message with this `From` may well have this envelope sender: both are of one organisation, by the Public
/// Suffix List as DMARC has it (RFC 7489, section 3.2), or the envelope sender is a known rewriting of the mailbox.
///
/// | rewriting | envelope sender for `alice@example.org` | source |
/// |---|---|---|
/// | VERP | `list-return-7-alice=example.org@lists.example` | D. J. Bernstein, "Variable Envelope Return Paths", 1997 |
/// | VERP of Postfix | `list-bounces+alice=example.org@lists.example` | postconf(5), `default_verp_delimiters` |
/// | SRS, first forwarder | `SRS0=HHH=TT=example.org=alice@forwarder.example` | M. Weng, "Sender Rewriting Scheme", 2003 |
/// | SRS, further forwarders | `SRS1=HHH=forwarder.example==HHH=TT=example.org=alice@third.example` | the same; `+` or `-` may follow `SRS0` and `SRS1` |
/// | SRS of Exchange Online | `bob+SRS=HHH=TT=example.org=alice@contoso.example` | Microsoft, "Sender Rewriting Scheme (SRS) in Microsoft 365" |
/// | BATV | `prvs=0123456789=alice@example.org`, also within the others | J. Levine, draft-levine-smtp-batv |
///
/// Known limits: services that send with an envelope of their own, such as `ID@amazonses.com`, do not agree. What Gmail
/// forwards has the sender `bob+caf_=pbmserv=games.example@gmail.com`, which names the recipient and not the author.
#[must_use]
pub fn agree(from: &Address, envelope_sender: &Address) -> bool {
    let (from, sender) = (from.key(), envelope_sender.key());
    let (Some((mailbox, domain)), Some((local, sender_domain))) =
        (from.rsplit_once('@'), sender.rsplit_once('@'))
    else {
        return false;
    };
    is_same_organisation(domain, sender_domain)
        || names_as_verp(local, mailbox, domain)
        || original(local) == Some((mailbox, domain))
}

/// Whether two domains, in lower case, are equal or of one organisation.
#[must_use]
pub fn is_same_organisation(one: &str, other: &str) -> bool {
    let organisation = organisation(one);
    one == other || (organisation.is_some() && organisation == self::organisation(other))
}

/// The organisational domain; `None` for a public suffix, a single label and an IP address.
#[must_use]
pub fn organisation(domain: &str) -> Option<&str> {
    if domain.parse::<Ipv4Addr>().is_ok() {
        return None;
    }
    psl::domain_str(domain)
}

/// Whether the local part ends with this mailbox in the form of VERP.
fn names_as_verp(local: &str, mailbox: &str, domain: &str) -> bool {
    let list = local
        .strip_suffix(domain)
        .and_then(|rest| rest.strip_suffix('='))
        .and_then(|rest| rest.strip_suffix(mailbox))
        .and_then(|rest| rest.strip_suffix(['+', '-']));
    list.is_some_and(|list| !list.is_empty())
}

/// The local part and the domain of the mailbox that a local part in the form of SRS names.
fn original(local: &str) -> Option<(&str, &str)> {
    let after = |text: &'static str| local.strip_prefix(text)?.strip_prefix(SEPARATORS);
    let first = match (after("srs0"), after("srs1")) {
        (Some(first), _) => first,
        (None, Some(further)) => {
            let (_hash, rest) = further.split_once('=')?;
            let (_forwarder, first) = rest.split_once('=')?;
            first.strip_prefix(SEPARATORS)?
        }
        (None, None) => local.split_once("+srs=")?.1,
    };
    let (_hash, rest) = first.split_once('=')?;
    let (_day, rest) = rest.split_once('=')?;
    let (domain, mailbox) = rest.split_once('=')?;
    Some((without_tag(mailbox), domain))
}

/// What may follow `SRS0` and `SRS1`.
const SEPARATORS: [char; 3] = ['=', '+', '-'];

/// The local part without its tag of BATV.
fn without_tag(local: &str) -> &str {
    let tagged = local
        .strip_prefix("prvs=")
        .and_then(|tagged| tagged.split_once('='));
    tagged.map_or(local, |(_tag, bare)| bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap_or_else(|_| panic!("{text}"))
    }

    #[test]
    fn envelopes_of_the_same_organisation_and_known_rewritings_agree() {
        let from = address("Alice@Example.org");
        for sender in [
            "alice@example.org",
            "ALICE@EXAMPLE.ORG",
            "bounces@example.org",
            "alice@mail.example.org",
            "x@a.b.c.example.org",
            "prvs=0123456789=alice@example.org",
            "list-return-7-alice=example.org@lists.example",
            "list-bounces+alice=example.org@lists.example",
            "List-Bounces+Alice=Example.ORG@lists.example",
            "SRS0=HHH=TT=example.org=alice@forwarder.example",
            "srs0+hhh=tt=example.org=alice@forwarder.example",
            "SRS0-HHH=TT=example.org=alice@forwarder.example",
            "SRS0=HHH=TT=example.org=prvs=0123456789=alice@forwarder.example",
            "SRS1=HHH=forwarder.example==HHH=TT=example.org=alice@third.example",
            "SRS1+HHH=forwarder.example=-HHH=TT=example.org=alice@third.example",
            "bob+SRS=44ldt=IX=example.org=alice@contoso.example",
        ] {
            assert!(agree(&from, &address(sender)), "{sender}");
        }
    }

    #[test]
    fn other_envelopes_do_not_agree() {
        let from = address("alice@example.org");
        for sender in [
            "alice@example.net",
            "alice@notexample.org",
            "alice@example.org.evil.example",
            "alice@org",
            "alice=example.org@evil.example",
            "+alice=example.org@evil.example",
            "xalice=example.org@evil.example",
            "list+bob=example.org@lists.example",
            "list+alice=example.org=x@lists.example",
            "SRS0=HHH=TT=example.org=bob@forwarder.example",
            "SRS0=HHH=TT=example.net=alice@forwarder.example",
            "SRS0=HHH=example.org=alice@forwarder.example",
            "SRS0@forwarder.example",
            "SRS1=HHH=forwarder.example=HHH=TT=example.org=alice@third.example",
            "bounces+SRS=44ldt=IX@contoso.example",
            "prvs=0123456789=alice@example.net",
            "0100018f2a-000000@amazonses.com",
            // It names the recipient.
            "bob+caf_=alice=example.org@gmail.com",
        ] {
            assert!(!agree(&from, &address(sender)), "{sender}");
        }
    }

    #[test]
    fn a_public_suffix_a_single_label_or_an_ip_address_is_no_organisation() {
        for (a, b, agrees) in [
            ("a@one.co.uk", "b@two.co.uk", false),
            ("a@x.one.co.uk", "b@y.one.co.uk", true),
            ("a@alice.github.io", "b@bob.github.io", false),
            ("a@co.uk", "b@one.co.uk", false),
            ("a@com", "b@one.com", false),
            ("a@localhost", "b@localhost", true),
            ("a@localhost", "b@home.localhost", false),
            ("a@10.0.0.1", "b@10.0.0.1", true),
            ("a@10.0.0.1", "b@10.9.0.1", false),
            ("a@one.home.example", "b@two.home.example", true),
            ("a@one.home.example", "b@two.other.example", false),
        ] {
            assert_eq!(agree(&address(a), &address(b)), agrees, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn every_address_agrees_with_itself_and_none_panics(
            a in "[a-zA-Z0-9=+_-]{1,30}@[a-z0-9]{1,9}(\\.[a-z0-9]{1,9}){0,3}",
            b in "(srs[01]|prvs|x)[=+a-z0-9-]{0,30}@[a-z0-9]{1,9}(\\.[a-z0-9]{1,9}){0,3}",
        ) {
            let (a, b) = (address(&a), address(&b));
            prop_assert!(agree(&a, &a) && agree(&b, &b));
            let _ = (agree(&a, &b), agree(&b, &a));
            let srs = format!("SRS0=hh=tt={}={}@forwarder.example", a.domain(), a.local());
            if let Ok(rewritten) = Address::parse(&srs)
                && !a.local().starts_with("prvs=")
            {
                prop_assert!(agree(&a, &rewritten), "{}", rewritten);
            }
        }
    }
}
