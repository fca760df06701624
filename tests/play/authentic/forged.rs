//! What passes, and what does not.

use std::time::{Duration, SystemTime};

use mail_auth::common::headers::HeaderWriter;
use mail_auth::dkim::{Canonicalization, DkimSigner};
use pbmserv_mail::authentication::{SIGNATURES, Verdict};

use super::{ALICE, Asked, MAIL, base64, ed25519, ed25519_record, home, rsa, signed, signed_by, verifier};
use crate::dns::Dns;

/// The message of RFC 8463, appendix A.3, with both signatures.
const RFC8463: &str = include_str!("rfc8463.eml");

#[tokio::test]
async fn the_message_of_rfc_8463_passes_by_either_signature_with_either_end_of_line() {
    let ed = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let rsa = "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Q\
               vx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB";
    for (selector, key) in [("brisbane", ed), ("test", rsa)] {
        for mail in [RFC8463.to_owned(), RFC8463.replace('\n', "\r\n")] {
            let dns = Dns::open();
            dns.text(&format!("{selector}._domainkey.football.example.com"), key);
            let asked = Asked {
                from: "joe@football.example.com",
                ..Asked::of(&mail)
            };
            assert_eq!(asked.at(&dns).await, Verdict::Signed, "{selector}");
            let changed = mail.replace("hungry", "thirsty");
            let asked = Asked {
                mail: &changed,
                ..asked
            };
            assert_eq!(asked.at(&dns).await, Verdict::Nothing, "{selector}");
        }
    }
}

#[tokio::test]
async fn signatures_of_either_kind_and_canonicalization_pass() {
    let dns = home();
    let public = base64(&rsa().public_key());
    dns.text(
        "rsa._domainkey.home.example",
        &format!("v=DKIM1; k=rsa; p={public}"),
    );
    for kind in [Canonicalization::Relaxed, Canonicalization::Simple] {
        let mail = signed_by("home.example", MAIL, |signer| {
            signer.header_canonicalization(kind).body_canonicalization(kind)
        });
        assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Signed);
        let signer = DkimSigner::from_key(rsa())
            .domain("home.example")
            .selector("rsa")
            .headers(["From", "Subject"])
            .header_canonicalization(kind);
        let mail = format!("{}{MAIL}", signer.sign(MAIL.as_bytes()).unwrap().to_header());
        assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Signed);
    }
}

#[tokio::test]
async fn a_forged_from_is_never_taken_for_authenticated() {
    let dns = home();
    let evil = ["evil.example", "nothome.example", "home.example.evil.example"];
    for domain in evil {
        dns.text(&format!("ed._domainkey.{domain}"), &ed25519_record())
            .text(&format!("_dmarc.{domain}"), "v=DMARC1; p=none")
            .text(domain, "v=spf1 +all");
    }
    let other = signed(
        "home.example",
        &MAIL.replace("Alice <alice@home", "Eve <eve@away"),
    );
    let mut forgeries = vec![
        ("unsigned", MAIL.to_owned()),
        (
            "changed text",
            signed("home.example", MAIL).replace("Hello", "Goodbye"),
        ),
        (
            "changed subject",
            signed("home.example", MAIL).replace("help", "list"),
        ),
        (
            "signed for another From",
            other.replace("Eve <eve@away", "Alice <alice@home"),
        ),
        (
            "a second From above",
            format!("From: eve@evil.example\r\n{}", signed("home.example", MAIL)),
        ),
        (
            "a second From below",
            signed("home.example", MAIL).replace("To:", "From: eve@evil.example\r\nTo:"),
        ),
        (
            "the same From twice",
            format!(
                "From: Alice <alice@home.example>\r\n{}",
                signed("home.example", MAIL)
            ),
        ),
        (
            "a From with a blank before the colon",
            format!("From : eve@evil.example\r\n{}", signed("home.example", MAIL)),
        ),
        (
            "two mailboxes",
            signed(
                "home.example",
                &MAIL.replace("From: ", "From: eve@evil.example, "),
            ),
        ),
        (
            "only a part of the text",
            signed_by("home.example", MAIL, |signer| signer.body_length(true)),
        ),
        (
            "text behind the signed part",
            format!(
                "{}Goodbye.\r\n",
                signed_by("home.example", MAIL, |signer| signer.body_length(true))
            ),
        ),
        ("no version", signed("home.example", MAIL).replace("v=1; ", "")),
    ];
    for domain in evil {
        forgeries.push(("signed by a stranger", signed(domain, MAIL)));
    }
    let without_from = DkimSigner::from_key(ed25519())
        .domain("home.example")
        .selector("ed")
        .headers(["To", "Subject"]);
    let unsigned_from = without_from.sign(MAIL.as_bytes()).unwrap().to_header();
    forgeries.push(("From not signed", format!("{unsigned_from}{MAIL}")));
    for (what, mail) in &forgeries {
        for (client, sender) in [
            (None, ALICE),
            (Some("203.0.113.9"), ALICE),
            (Some("203.0.113.9"), "eve@evil.example"),
            (Some("203.0.113.9"), "alice@nothome.example"),
        ] {
            let asked = Asked {
                client,
                ..Asked::of(mail).sent_by(sender)
            };
            let found = asked.at(&dns).await;
            assert!(
                !found.is_authentic(),
                "{what}: {found:?} from {client:?} by {sender}"
            );
        }
    }
}

#[tokio::test]
async fn a_signature_counts_until_it_expires() {
    let dns = home();
    let mail = signed_by("home.example", MAIL, |signer| signer.expiration(60));
    assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Signed);
    let mail = signed_by("home.example", MAIL, |signer| signer.expiration(1));
    let signed_at = SystemTime::now();
    while signed_at.elapsed().unwrap() < Duration::from_secs(2) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Nothing);
}

#[tokio::test]
async fn keys_that_are_revoked_under_test_or_another_s_do_not_count() {
    let mail = signed("home.example", MAIL);
    let other = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHUR8=";
    let under_test = ed25519_record().replace("k=", "t=y; k=");
    for record in [
        other,
        "v=DKIM1; k=ed25519; p=",
        "v=DKIM1",
        "nonsense",
        &under_test,
    ] {
        let dns = home();
        dns.forget("ed._domainkey.home.example")
            .text("ed._domainkey.home.example", record);
        assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Nothing, "{record}");
    }
    let dns = home();
    dns.forget("ed._domainkey.home.example");
    assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Nothing);
}

#[tokio::test]
async fn the_policy_of_the_domain_says_what_aligns_and_without_one_the_domains_must_be_equal() {
    let by_sub = signed("mail.home.example", MAIL);
    for (policy, aligns) in [
        (Some("v=DMARC1; p=none"), true),
        (Some("v=DMARC1; p=reject; adkim=s; aspf=s"), false),
        (None, false),
    ] {
        let dns = Dns::open();
        dns.text("ed._domainkey.mail.home.example", &ed25519_record())
            .text("mail.home.example", "v=spf1 ip4:192.0.2.1 -all");
        if let Some(policy) = policy {
            dns.text("_dmarc.home.example", policy);
        }
        let found = Asked::of(&by_sub).at(&dns).await;
        assert_eq!(found.is_authentic(), aligns, "{policy:?}");
        let asked = Asked::of(MAIL)
            .by_client("192.0.2.1")
            .sent_by("x@mail.home.example");
        assert_eq!(asked.at(&dns).await.is_authentic(), aligns, "{policy:?}");
    }
    let dns = Dns::open();
    dns.text("ed._domainkey.home.example", &ed25519_record());
    assert_eq!(
        Asked::of(&signed("home.example", MAIL)).at(&dns).await,
        Verdict::Signed
    );
}

#[tokio::test]
async fn a_client_that_the_domain_names_may_send_and_no_other() {
    let dns = home();
    dns.text("wide.example", "v=spf1 include:home.example mx ?all")
        .mail_server("wide.example", "mx.wide.example")
        .host("mx.wide.example", "192.0.2.77")
        .host("mx.wide.example", "2001:db8::7")
        .text("_dmarc.wide.example", "v=DMARC1; p=none");
    let wide = MAIL.replace("home.example", "wide.example");
    for (client, passes) in [("192.0.2.1", true), ("192.0.2.2", false), ("2001:db8::1", false)] {
        let asked = Asked::of(MAIL).by_client(client);
        assert_eq!(asked.at(&dns).await == Verdict::Sent, passes, "{client}");
    }
    for (client, passes) in [
        ("192.0.2.1", true),
        ("192.0.2.77", true),
        ("2001:db8::7", true),
        ("192.0.2.78", false),
    ] {
        let asked = Asked {
            from: "alice@wide.example",
            ..Asked::of(&wide).by_client(client).sent_by("alice@wide.example")
        };
        assert_eq!(asked.at(&dns).await == Verdict::Sent, passes, "{client}");
    }
    // Who brings it is not known, so SPF says nothing.
    assert_eq!(Asked::of(MAIL).at(&dns).await, Verdict::Nothing);
}

#[tokio::test]
async fn what_could_not_count_asks_no_name_server() {
    let dns = home();
    let strangers: String = (0..100)
        .map(|number| {
            let mail = signed(&format!("evil{number}.example"), MAIL);
            mail.split_once("From:").unwrap().0.to_owned()
        })
        .collect();
    let mail = format!("{strangers}{MAIL}");
    let asked = Asked::of(&mail)
        .by_client("203.0.113.9")
        .sent_by("eve@evil.example");
    assert_eq!(asked.at(&dns).await, Verdict::Nothing);
    assert!(dns.asked().is_empty());
    // A hundred signatures in the name of the domain itself.
    let own: String = (0..100)
        .map(|number| {
            let mail = signed("home.example", MAIL).replace("s=ed;", &format!("s=k{number};"));
            mail.split_once("From:").unwrap().0.to_owned()
        })
        .collect();
    let mail = format!("{own}{MAIL}");
    assert_eq!(Asked::of(&mail).at(&dns).await, Verdict::Nothing);
    let asked = dns.asked();
    let keys: std::collections::BTreeSet<_> =
        asked.iter().filter(|name| name.contains("_domainkey")).collect();
    assert_eq!(keys.len(), SIGNATURES, "{asked:?}");
}

#[tokio::test]
async fn answers_are_kept() {
    let dns = home();
    let verifier = verifier(&dns);
    let mail = signed("home.example", MAIL);
    assert_eq!(Asked::of(&mail).by(&verifier).await, Verdict::Signed);
    let first = dns.asked();
    assert!(
        first.contains(&"ed._domainkey.home.example".to_owned()),
        "{first:?}"
    );
    assert_eq!(Asked::of(&mail).by(&verifier).await, Verdict::Signed);
    let again = dns.asked();
    assert!(
        !again.contains(&"ed._domainkey.home.example".to_owned()),
        "{again:?}"
    );
    assert!(!again.contains(&"_dmarc.home.example".to_owned()), "{again:?}");
}
