//! The cost of verifying senders (`[auth] verify`): messages and records built to cost time or memory.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use pbmserv_mail::Address;
use pbmserv_mail::authentication::{Claim, Verifier};
use peakmem_alloc::PeakMemAllocTrait as _;
use tokio::runtime::{Builder, Runtime};

use super::{ALONE, MAX_MEMORY, MEMORY, SIZE, TICK, busy, filled};
use crate::dns::Dns;

/// The longest time to verify one message, without the time that name servers take: 40 questions are part of it.
const MAX_TIME: Duration = Duration::from_millis(100);

/// The most memory that is kept of all answers, in bytes.
const MAX_KEPT: usize = 16 * 1024 * 1024;

/// More domains than answers are kept of.
const DOMAINS: usize = 600;

const DOMAIN: &str = "home.example";

/// A name server that publishes a key, and whatever is given.
fn dns(records: &[(&str, &str)]) -> Dns {
    let dns = Dns::open();
    dns.text(
        "ed._domainkey.home.example",
        "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    );
    for (at, record) in records {
        dns.text(at, record);
    }
    dns
}

/// A signature that is no signature, over these fields.
fn signature(canon: &str, fields: &str, selector: &str) -> String {
    format!(
        "DKIM-Signature: v=1; a=ed25519-sha256; c={canon}; d={DOMAIN}; s={selector}; h={fields}; bh={}; b={}\r\n",
        "A".repeat(43) + "=",
        "A".repeat(86) + "==",
    )
}

/// A message with this above its other fields, filled up with its body.
fn message(above: &str, domain: &str, piece: &str) -> Vec<u8> {
    let head = format!("{above}From: x@{domain}\r\nMessage-ID: <1@{domain}>\r\n\r\n");
    let rest = SIZE.saturating_sub(head.len());
    (head + &filled(piece, rest)).into_bytes()
}

/// The claim of a client in a network of its own.
fn claim(bytes: Vec<u8>, domain: &str, number: usize) -> Claim {
    let from = Address::parse(&format!("x@{domain}")).unwrap();
    Claim {
        from: from.clone(),
        sender: Some(from),
        client: Some(IpAddr::from([192, 0, 2, 1])),
        realm: number.to_string(),
        is_known: false,
        bytes: Arc::from(bytes),
    }
}

/// Names, messages and records: each is verified by a verifier that knows nothing yet.
fn cases() -> Vec<(&'static str, Vec<u8>, Dns)> {
    let all = "from:".repeat(99) + "from";
    let mut many = String::new();
    for number in 0..900 {
        write!(many, "X-{number}: y\r\n").unwrap();
    }
    let three: String = (0..3).map(|_| signature("relaxed/relaxed", &all, "ed")).collect();
    let hundred: String = (0..100)
        .map(|_| signature("relaxed/relaxed", "from", "ed"))
        .collect();
    let long = "X: y\r\n".repeat(30_000);
    let spf = format!("v=spf1{} -all", " ip4:198.51.100.1".repeat(3000));
    let chain = |number: usize| {
        format!(
            "v=spf1{} include:%{{d}}.s{number}.home.example -all",
            " exists:%{l}.%{d}.home.example".repeat(500)
        )
    };
    vec![
        ("no signature", message("", DOMAIN, "x\r\n"), dns(&[])),
        (
            "three signatures over all fields",
            message(&(three.clone() + &many), DOMAIN, "x\r\n"),
            dns(&[]),
        ),
        ("spaces, relaxed", message(&three, DOMAIN, " \t"), dns(&[])),
        ("empty lines, relaxed", message(&three, DOMAIN, "\r\n"), dns(&[])),
        (
            "words and spaces, relaxed",
            message(&three, DOMAIN, "x \t\r\n"),
            dns(&[]),
        ),
        (
            "two ways to reduce",
            message(
                &(signature("simple/simple", "from", "ed") + &signature("relaxed/relaxed", "from", "ed")),
                DOMAIN,
                " \r\n",
            ),
            dns(&[]),
        ),
        (
            "a hundred signatures",
            message(&hundred, DOMAIN, "x\r\n"),
            dns(&[]),
        ),
        (
            "thirty thousand fields",
            message(&(three.clone() + &long), DOMAIN, "x\r\n"),
            dns(&[]),
        ),
        (
            "a key as long as the DNS takes",
            message(&signature("relaxed/relaxed", "from", "long"), DOMAIN, "x\r\n"),
            dns(&[(
                "long._domainkey.home.example",
                &format!("v=DKIM1; k=rsa; p={}", "A".repeat(50_000)),
            )]),
        ),
        (
            "a record as long as the DNS takes",
            message("", DOMAIN, "x\r\n"),
            dns(&[(DOMAIN, &spf)]),
        ),
        (
            "a long record with macros",
            message("", DOMAIN, "x\r\n"),
            dns(&[(DOMAIN, &chain(0))]),
        ),
    ]
}

/// Verifies a claim; returns the processor time of this thread.
fn verify(runtime: &Runtime, verifier: &Verifier, claim: Claim) -> Duration {
    let (start, before) = (Instant::now(), busy());
    runtime.block_on(verifier.verify(claim));
    let elapsed = start.elapsed();
    match (before, busy()) {
        (Some(before), Some(after)) => elapsed.min(after.saturating_sub(before) + TICK),
        _ => elapsed,
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
#[ignore = "measures a release build: make slow"]
fn no_message_costs_much_to_verify() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = runtime();
    let mut wrong = String::new();
    for (name, bytes, dns) in cases() {
        let verifiers: Vec<Verifier> = (0..3).map(|_| Verifier::new(&[dns.address]).unwrap()).collect();
        let claim = claim(bytes, DOMAIN, 0);
        MEMORY.reset_peak_memory();
        let before = MEMORY.get_peak_memory();
        let times = verifiers
            .iter()
            .map(|verifier| verify(&runtime, verifier, claim.clone()));
        let time = times.min().unwrap();
        let memory = MEMORY.get_peak_memory().saturating_sub(before);
        eprintln!(
            "{:7.2} ms {:6.2} MiB  {name}",
            time.as_secs_f64() * 1e3,
            memory as f64 / 1048576.0
        );
        if time > MAX_TIME || memory > MAX_MEMORY {
            writeln!(wrong, "{name}: {time:?} with {memory} bytes").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
#[ignore = "measures a release build: make slow"]
fn answers_that_are_kept_take_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = runtime();
    let dns = Dns::open();
    // Nearly as long as is kept.
    let spf = |domain: &str| format!("v=spf1 mx:m.{domain}{} ?all", " a:s.example".repeat(8));
    let policy = format!("v=DMARC1; p=none; rua={}", "mailto:a@b.example,".repeat(20));
    for number in 0..DOMAINS {
        let domain = format!("d{number}.example");
        dns.text(&domain, &spf(&domain))
            .text(&format!("_dmarc.{domain}"), &policy)
            .mail_server(&format!("m.{domain}"), &format!("h.{domain}"))
            .host(&format!("h.{domain}"), "198.51.100.1");
    }
    let verifier = Verifier::new(&[dns.address]).unwrap();
    let short = |number: usize| {
        let domain = format!("d{number}.example");
        let bytes = format!("From: x@{domain}\r\n\r\nhelp\r\n").into_bytes();
        claim(bytes, &domain, number)
    };
    verify(&runtime, &verifier, short(0));
    // Counts from nothing, so its peak is what is kept and what one message takes beside it.
    MEMORY.reset_peak_memory();
    for number in 1..DOMAINS {
        verify(&runtime, &verifier, short(number));
    }
    let kept = MEMORY.get_peak_memory();
    assert!(
        dns.asked().len() > DOMAINS,
        "the name server was asked too little"
    );
    verify(&runtime, &verifier, short(DOMAINS - 1));
    assert_eq!(dns.asked(), Vec::<String>::new(), "the last answers are kept");
    eprintln!("{:.2} MiB are kept", kept as f64 / 1048576.0);
    assert!(kept <= MAX_KEPT, "{kept} bytes");
}
