//! Name servers that are slow, broken or lie: their mail is not authenticated, and costs a bounded time.

use std::time::{Duration, Instant};

use pbmserv_mail::authentication::Verdict;

use super::{ALICE, Asked, MAIL, ed25519_record, home, signed, verifier};
use crate::dns::{Dns, Mood};

/// The longest time that one mail may take, on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_name_server_that_fails_or_is_silent_authenticates_nobody_in_bounded_time() {
    let mail = signed("home.example", MAIL);
    let all = [
        "ed._domainkey.home.example",
        "_dmarc.home.example",
        "home.example",
    ];
    for mood in [Mood::Fails, Mood::Silent] {
        for name in all {
            let dns = home();
            dns.is(name, mood);
            let began = Instant::now();
            // With what is broken out of the way, the other one may authenticate.
            let found = Asked::of(&mail).at(&dns).await;
            assert_eq!(found.is_authentic(), name == "home.example", "{name} {mood:?}");
            let found = Asked::of(MAIL).by_client("192.0.2.1").at(&dns).await;
            assert_eq!(found.is_authentic(), name.starts_with("ed."), "{name} {mood:?}");
            assert!(began.elapsed() < LONGEST, "{name} {mood:?}");
        }
    }
}

#[tokio::test]
async fn a_slow_answer_counts_if_it_comes_in_time() {
    let dns = home();
    dns.is("ed._domainkey.home.example", Mood::Slow(300));
    assert_eq!(
        Asked::of(&signed("home.example", MAIL)).at(&dns).await,
        Verdict::Signed
    );
}

#[tokio::test]
async fn lies_and_heaps_authenticate_nobody() {
    let mail = signed("home.example", MAIL);
    // A record as long as the DNS takes, over TCP.
    let dns = home();
    dns.forget("home.example").text(
        "home.example",
        &format!("v=spf1{} -all", " ip4:198.51.100.1".repeat(3000)),
    );
    assert_eq!(
        Asked::of(MAIL).by_client("192.0.2.1").at(&dns).await,
        Verdict::Nothing
    );
    let dns = home();
    dns.forget("ed._domainkey.home.example").text(
        "ed._domainkey.home.example",
        &format!("v=DKIM1; k=rsa; p={}", "A".repeat(50_000)),
    );
    assert!(!Asked::of(&mail).at(&dns).await.is_authentic());
    // Names that are each other.
    let dns = home();
    dns.forget("ed._domainkey.home.example")
        .alias("ed._domainkey.home.example", "x.home.example")
        .alias("x.home.example", "ed._domainkey.home.example");
    assert!(!Asked::of(&mail).at(&dns).await.is_authentic());
    // A record that includes itself, and one that asks for more than ten.
    for record in [
        "v=spf1 include:home.example ip4:192.0.2.1 -all".to_owned(),
        "v=spf1 redirect=home.example".to_owned(),
        format!(
            "v=spf1{} ip4:192.0.2.1",
            (0..11)
                .map(|n| format!(" a:a{n}.home.example"))
                .collect::<String>()
        ),
        "v=spf1 a:%{x} ip4:192.0.2.1".to_owned(),
    ] {
        let dns = home();
        dns.forget("home.example").text("home.example", &record);
        for number in 0..11 {
            dns.host(&format!("a{number}.home.example"), "198.51.100.1");
        }
        assert!(
            !Asked::of(MAIL)
                .by_client("192.0.2.1")
                .at(&dns)
                .await
                .is_authentic(),
            "{record}"
        );
        assert!(dns.asked().len() <= 40, "{record}");
    }
}

#[tokio::test]
async fn one_mail_asks_at_most_forty_questions_and_then_authenticates_nobody() {
    let dns = home();
    // Each of ten names has ten mail servers, whose addresses are asked for one after another.
    let names: String = (0..9).map(|n| format!(" mx:m{n}.home.example")).collect();
    dns.forget("home.example")
        .text("home.example", &format!("v=spf1{names} ip4:192.0.2.1 -all"));
    for name in 0..9 {
        for host in 0..10 {
            let host = format!("h{name}{host}.home.example");
            dns.mail_server(&format!("m{name}.home.example"), &host)
                .host(&host, "198.51.100.1");
        }
    }
    assert_eq!(
        Asked::of(MAIL).by_client("192.0.2.1").at(&dns).await,
        Verdict::Unknown
    );
    assert!(dns.asked().len() <= 40);
}

#[tokio::test]
async fn a_network_that_asks_too_much_gets_no_more_answers_and_others_do() {
    let dns = home();
    let verifier = verifier(&dns);
    let mut last = Verdict::Nothing;
    for number in 0..300 {
        let domain = format!("s{number}.evil.example");
        let mail = MAIL.replace("home.example", &domain);
        let from = format!("x@{domain}");
        let mail = mail.replace("alice@", "x@");
        let asked = Asked {
            from: &from,
            ..Asked::of(&mail).by_client("203.0.113.9").sent_by(&from)
        };
        last = asked.by(&verifier).await;
        if last == Verdict::Unknown {
            break;
        }
    }
    assert_eq!(last, Verdict::Unknown);
    assert_eq!(
        Asked::of(MAIL).by_client("192.0.2.1").by(&verifier).await,
        Verdict::Sent
    );
    // What is kept needs no question.
    let kept = Asked::of(MAIL).by_client("192.0.2.1");
    assert_eq!(kept.by(&verifier).await, Verdict::Sent);
}

/// Where one mail comes after another, a stranger with a slow name server holds up those behind only for a while.
#[tokio::test]
async fn slow_strangers_in_a_mailbox_use_up_the_time_of_strangers_together() {
    let dns = Dns::open();
    let verifier = verifier(&dns);
    let began = Instant::now();
    for number in 0..20 {
        let domain = format!("slow{number}.example");
        dns.is(&format!("ed._domainkey.{domain}"), Mood::Silent);
        let from = format!("x@{domain}");
        let mail = signed(&domain, &MAIL.replace(ALICE, &from));
        let asked = Asked {
            from: &from,
            ..Asked::of(&mail)
        };
        assert!(!asked.by(&verifier).await.is_authentic());
    }
    // Without that bound it is three seconds for each.
    assert!(began.elapsed() < Duration::from_secs(40), "{:?}", began.elapsed());
}

/// A stranger's SPF record that includes the name of a player's key says nothing about that name.
#[tokio::test]
async fn nobody_spoils_what_is_kept_for_others() {
    let dns = home();
    let verifier = verifier(&dns);
    let names = [
        "ed._domainkey.home.example",
        "_dmarc.home.example",
        "home.example",
    ];
    let includes: String = names.iter().map(|name| format!(" ?include:{name}")).collect();
    for (domain, record) in [
        ("one.example", format!("v=spf1{includes} -all")),
        ("two.example", "v=spf1 -all exp=home.example".to_owned()),
        ("three.example", "v=spf1 -all exp=_dmarc.home.example".to_owned()),
    ] {
        dns.text(domain, &record)
            .text(&format!("ed._domainkey.{domain}"), &ed25519_record());
        let from = format!("eve@{domain}");
        let mail = MAIL.replace(ALICE, &from);
        let asked = Asked {
            from: &from,
            ..Asked::of(&mail).by_client("203.0.113.9").sent_by(&from)
        };
        assert!(!asked.by(&verifier).await.is_authentic());
    }
    assert_eq!(
        Asked::of(&signed("home.example", MAIL)).by(&verifier).await,
        Verdict::Signed
    );
    assert_eq!(
        Asked::of(MAIL).by_client("192.0.2.1").by(&verifier).await,
        Verdict::Sent
    );
}

/// What a hostile header or text costs in a debug build, which is many times as slow as a release.
#[tokio::test]
async fn hostile_headers_and_texts_cost_a_bounded_time() {
    let dns = home();
    let names = "x:".repeat(50_000);
    let fields = "X:\r\n".repeat(20_000);
    let long = signed("home.example", MAIL).replace("h=Message-ID", &format!("h={names}Message-ID"));
    let plain = signed("home.example", MAIL);
    let signature = plain.split_once("From:").unwrap().0;
    let kinds: String = [
        "simple/simple",
        "simple/relaxed",
        "relaxed/simple",
        "relaxed/relaxed",
    ]
    .iter()
    .flat_map(|kind| ["rsa-sha1", "rsa-sha256"].map(|algorithm| (kind, algorithm)))
    .map(|(kind, algorithm)| {
        signature
            .replace("c=relaxed/relaxed", &format!("c={kind}"))
            .replace("a=ed25519-sha256", &format!("a={algorithm}"))
    })
    .collect();
    let text = " x\t \r\n".repeat(150_000);
    for (what, mail) in [
        ("names and fields", format!("{fields}{long}")),
        ("names", long.clone()),
        ("fields", format!("{fields}{plain}")),
        ("signatures", format!("{}{MAIL}", signature.repeat(700))),
        ("a long text", format!("{kinds}{MAIL}{text}")),
        (
            "mailboxes",
            MAIL.replace("From: ", &format!("From: {}", "a@home.example, ".repeat(10_000))),
        ),
        (
            "a long value",
            format!(
                "DKIM-Signature: v=1; d=home.example; z={}\r\n{MAIL}",
                "|a:b".repeat(50_000)
            ),
        ),
    ] {
        let began = Instant::now();
        let found = Asked::of(&mail).at(&dns).await;
        assert!(began.elapsed() < LONGEST, "{what}: {:?}", began.elapsed());
        assert!(!found.is_authentic() || what == "signatures", "{what}");
    }
}
