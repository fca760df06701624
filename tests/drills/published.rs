//! `check --dns` finds what other mail servers look for in the DNS, and says how each fault is mended.

use serde_json::Value;

use crate::checks::{check, has};
use crate::daemon::Setup;
use crate::daemon::dns::{Dns, Mood};

const KEY: &str = "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const IP: &str = "198.51.100.7";

/// A domain with everything that is asked for.
fn whole() -> Dns {
    let dns = Dns::open();
    dns.mail_server("games.example", "mx.games.example")
        .host("mx.games.example", IP)
        .text("games.example", "some-verification=1")
        .text("games.example", "v=spf1 mx -all")
        .text("s1._domainkey.games.example", KEY)
        .text("_dmarc.games.example", "v=DMARC1; p=reject")
        .reverse(IP, "mx.games.example");
    dns
}

/// The setup of a server in that domain which asks this name server.
fn asking(folder: &tempfile::TempDir, dns: &Dns) -> Setup {
    Setup::new(folder.path())
        .with("PBMSERV_SERVER_ADDRESS", "pbmserv@games.example")
        .with("PBMSERV_AUTH_DNS", &dns.address.to_string())
}

const ALL: [&str; 6] = ["--offline", "--dns", "--ip", IP, "--selector", "s1"];

#[test]
fn a_domain_with_all_records_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let dns = whole();
    let setup = asking(&folder, &dns);
    let (printed, code) = check(&setup, &ALL);
    assert_eq!(code, 0, "{printed}");
    for line in [
        "ok     mx: mail for games.example goes to mx.games.example",
        "ok     spf: games.example lets 198.51.100.7 send its mail",
        "ok     dkim: a key is published at s1._domainkey.games.example",
        "ok     dmarc: games.example asks that mail which forges it is set aside or refused",
        "ok     ptr: 198.51.100.7 is mx.games.example, and mx.games.example is 198.51.100.7",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    // Nothing is asked unless it is wanted, and what was left out is said.
    dns.asked();
    check(&setup, &["--offline"]);
    assert!(dns.asked().is_empty());
    let (printed, code) = check(&setup, &["--offline", "--dns"]);
    assert_eq!(code, 0, "{printed}");
    for left_out in [
        "spf: left out: say --ip",
        "dkim: left out: say --selector",
        "ptr: left out: say --ip",
    ] {
        assert!(
            printed.contains(&format!("NOTE   {left_out}")),
            "{left_out}: {printed}"
        );
    }
    let (printed, _) = check(&setup, &[&ALL[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&printed).unwrap();
    let checks: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["check"].as_str())
        .collect();
    assert!(
        checks.ends_with(&["mx", "spf", "dkim", "dmarc", "ptr"]),
        "{checks:?}"
    );
}

#[test]
fn each_missing_or_wrong_record_is_a_fault_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let domain = "games.example";
    let key = "s1._domainkey.games.example";
    let policy = "_dmarc.games.example";
    let reverse = "7.100.51.198.in-addr.arpa";
    let spf = |record: &str| {
        let dns = whole();
        dns.forget(domain)
            .mail_server(domain, "mx.games.example")
            .text(domain, record);
        dns
    };
    let changed = |name: &str, change: &dyn Fn(&Dns)| {
        let dns = whole();
        dns.forget(name);
        change(&dns);
        dns
    };
    let cases: Vec<(Dns, &str)> = vec![
        (
            changed(domain, &|_| {}),
            "mx: no server takes mail for games.example",
        ),
        (
            changed(domain, &|_| {}),
            "spf: games.example has no record: publish the TXT record \"v=spf1 ip4:198.51.100.7 -all\"",
        ),
        (
            changed("mx.games.example", &|_| {}),
            "mx: mail for games.example goes to mx.games.example, which has no address: publish an A or AAAA record",
        ),
        (
            changed("mx.games.example", &|_| {}),
            "ptr: 198.51.100.7 is called mx.games.example, which does not lead back",
        ),
        (
            spf("v=spf1 ip4:203.0.113.0/24 ~all"),
            "spf: games.example does not let 198.51.100.7 send its mail: add ip4:198.51.100.7",
        ),
        (
            spf("v=spf1 +all"),
            "spf: the record of games.example lets everybody send",
        ),
        (
            spf("v=spf1 include:games.example -all"),
            "spf: the record of games.example is wrong, or needs more than ten lookups",
        ),
        (
            changed(domain, &|dns| {
                dns.text(domain, "v=spf1 mx -all").text(domain, "v=spf1 a -all");
            }),
            "spf: games.example has 2 records, so none counts",
        ),
        (
            changed(key, &|_| {}),
            "dkim: no key is published at s1._domainkey.games.example",
        ),
        (
            changed(key, &|dns| {
                dns.text(key, "v=DKIM1; k=rsa; p=broken");
            }),
            "dkim: what is published at s1._domainkey.games.example is no key",
        ),
        (
            changed(policy, &|_| {}),
            "dmarc: games.example has no record: publish the TXT record \"v=DMARC1; p=none\" at _dmarc.games.example",
        ),
        (
            changed(reverse, &|_| {}),
            "ptr: 198.51.100.7 has no name: have whoever provides the address",
        ),
        (
            changed(key, &|dns| {
                dns.is(key, Mood::Fails);
            }),
            "dkim: the DNS does not answer about s1._domainkey.games.example",
        ),
    ];
    for (dns, fault) in cases {
        let (printed, code) = check(&asking(&folder, &dns), &ALL);
        assert_eq!(code, 1, "{fault}: {printed}");
        has(&printed, &[fault]);
    }
}

#[test]
fn a_policy_that_asks_for_nothing_or_stands_above_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let dns = whole();
    dns.forget("_dmarc.games.example").text(
        "_dmarc.games.example",
        "v=DMARC1; p=none; rua=mailto:postmaster@games.example",
    );
    let setup = asking(&folder, &dns);
    let (printed, code) = check(&setup, &ALL);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("NOTE   dmarc: games.example asks for nothing (p=none)"),
        "{printed}"
    );
    let below = setup.with("PBMSERV_SERVER_ADDRESS", "pbmserv@mail.games.example");
    let (printed, _) = check(&below, &["--offline", "--dns"]);
    assert!(
        printed.contains("NOTE   dmarc: games.example asks for nothing (p=none)"),
        "{printed}"
    );
    let error = setup.run(&["check", "--ip", IP]);
    assert!(
        String::from_utf8_lossy(&error.stderr).contains("--dns"),
        "{error:?}"
    );
}

#[test]
fn a_server_that_verifies_senders_needs_name_servers_that_answer() {
    let folder = tempfile::tempdir().unwrap();
    let dns = whole();
    let setup = asking(&folder, &dns).with("PBMSERV_AUTH_VERIFY", "true");
    let (printed, code) = check(&setup, &["--offline"]);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("ok     senders: the name servers answer"),
        "{printed}"
    );
    dns.is("games.example", Mood::Fails);
    let (printed, code) = check(&setup, &["--offline"]);
    assert_eq!(code, 1, "{printed}");
    has(&printed, &["senders: the name servers do not answer"]);
    let (printed, code) = check(&setup.with("PBMSERV_AUTH_DNS", "localhost"), &["--offline"]);
    assert_eq!(code, 1, "{printed}");
    has(
        &printed,
        &["auth.dns has \"localhost\", which is no address and port"],
    );
    let (printed, code) = check(
        &setup.with("PBMSERV_AUTH_AUTHSERV_ID", "mx.example.org"),
        &["--offline"],
    );
    assert_eq!(code, 1, "{printed}");
    has(&printed, &["auth.verify and auth.authserv_id exclude each other"]);
}
