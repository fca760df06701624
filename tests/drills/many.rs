//! What is done to many at a time: it is counted first, asked on a terminal, and never done by mistake.

use std::fs;

use crate::daemon::Setup;
use crate::terminal::on_terminal;

/// Two players whose mail waits for a relay that does not run. The numbers of the mails.
fn with_waiting_mail(setup: &Setup) -> Vec<String> {
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    setup.done(&["mail", "bob@other.example", "signup bob oak4jay"]);
    mails(setup, "waiting")
}

fn without_a_relay(setup: &Setup) -> Setup {
    setup
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1")
}

fn mails(setup: &Setup, state: &str) -> Vec<String> {
    let listed = setup.done(&["queue", "list", "--state", state, "--json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
    listed.iter().map(|mail| mail["id"].to_string()).collect()
}

#[test]
fn held_mails_are_retried_together_by_host_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let setup = without_a_relay(&Setup::new(folder.path()));
    let numbers = with_waiting_mail(&setup);
    assert_eq!(numbers.len(), 2);
    for number in &numbers {
        setup.done(&["queue", "hold", number]);
    }
    let held = ["queue", "retry", "--state", "held"];
    let retry = |more: &[&str]| setup.done(&[&held[..], more].concat());
    assert_eq!(
        retry(&["--dry-run"]),
        "2 mails that are held would be tried again now\n"
    );
    assert_eq!(mails(&setup, "held").len(), 2, "nothing was changed");
    let other = retry(&["--dry-run", "--host", "OTHER.example"]);
    assert_eq!(other, "1 mail that is held would be tried again now\n");
    assert_eq!(
        retry(&["--since", "2099-01-01", "--yes"]),
        "there is no such mail\n"
    );
    assert_eq!(
        retry(&["--host", "other.example", "--since", "1h", "--yes"]),
        "1 mail that is held tried again now\n"
    );
    assert_eq!(mails(&setup, "held").len(), 1);
    let all = setup.done(&["queue", "retry", "--all"]);
    assert!(
        all.starts_with("1 mail that waits, 1 mail that is held tried again now"),
        "{all}"
    );
    assert!(mails(&setup, "held").is_empty());
    let audit = setup.done(&["audit"]);
    assert_eq!(audit.matches("queue retry").count(), 2, "{audit}");
    for wrong in [
        &["queue", "retry"][..],
        &["queue", "retry", "1", "--all"],
        &["queue", "retry", "--state", "sent"],
    ] {
        assert_eq!(setup.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let wrong = setup.run(&["queue", "retry", "--all", "--since", "yesterday"]);
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("--since: yesterday is no time"),
        "{wrong:?}"
    );
}

#[test]
fn on_a_terminal_many_are_asked_about_first() {
    let folder = tempfile::tempdir().unwrap();
    let setup = without_a_relay(&Setup::new(folder.path()));
    for number in with_waiting_mail(&setup) {
        setup.done(&["queue", "hold", &number]);
    }
    let words = ["queue", "retry", "--state", "held"];
    let (shown, code) = on_terminal(&setup, &words, "\n");
    assert_eq!(code, 1, "{shown}");
    assert!(
        shown.contains("2 mails that are held would be tried again now"),
        "{shown}"
    );
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!(mails(&setup, "held").len(), 2);
    let (shown, code) = on_terminal(&setup, &words, "y\n");
    assert_eq!(code, 0, "{shown}");
    assert!(mails(&setup, "held").is_empty());
}

#[test]
fn an_account_is_erased_only_by_a_sure_operator() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    setup.done(&["mail", "bob@home.example", "signup bob oak4jay"]);
    setup.done(&["mail", "bob@home.example", "Pow2 challenge alice bob"]);
    let erase = ["user", "erase", "alice", "--why", "she asked"];
    let would = setup.done(&[&erase[..], &["--dry-run"]].concat());
    for part in [
        "alice would be erased for good",
        "address alice@home.example",
        "Pow2 Board 101 ends",
    ] {
        assert!(would.contains(part), "{would}");
    }
    let (shown, code) = on_terminal(&setup, &erase, "no\n");
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains(would.trim_end()), "{shown}");
    setup.done(&["user", "show", "alice"]);
    setup.done(&[&erase[..], &["--yes"]].concat());
    assert!(!setup.run(&["user", "show", "alice"]).status.success());
    let nobody = setup.run(&["user", "erase", "nosuch", "--why", "x", "--dry-run"]);
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
}

#[test]
fn players_are_found_by_name_address_and_state() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    setup.done(&["mail", "bob@other.example", "signup bob oak4jay"]);
    setup.done(&["user", "add", "carol", "carol@other.example", "--why", "x"]);
    setup.done(&["user", "disable", "bob", "--why", "x"]);
    let found = |flags: &[&str]| {
        let listed = setup.done(&[&["user", "list", "--json"], flags].concat());
        let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
        let names: Vec<_> = listed
            .iter()
            .map(|player| player["userid"].as_str().unwrap())
            .collect();
        names.join(" ")
    };
    assert_eq!(found(&[]), "alice bob bot-easy bot-hard bot-medium carol");
    assert_eq!(found(&["OTHER.example"]), "bob carol");
    assert_eq!(found(&["ali"]), "alice");
    assert_eq!(found(&["--state", "disabled"]), "bob");
    assert_eq!(found(&["--state", "computer"]), "bot-easy bot-hard bot-medium");
    assert_eq!(found(&["--unconfirmed"]), "carol");
    assert_eq!(found(&["--failing"]), "");
    setup.done(&["user", "enable", "bob", "--why", "x"]);
    setup.done(&["mail", "bob@other.example", "Pow2 challenge alice bob"]);
    assert_eq!(found(&["--idle"]), "carol");
}

#[test]
fn backups_are_listed_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    let target = folder.path().join("backups");
    let target = target.to_str().unwrap();
    let made: Vec<_> = (0..2)
        .map(|_| setup.done(&["backup", target]).trim().to_owned())
        .collect();
    let listed: Vec<serde_json::Value> =
        serde_json::from_str(&setup.done(&["backup", "list", target, "--json"])).unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|backup| backup["folder"].as_str().unwrap())
        .collect();
    assert_eq!(names, made);
    let verified = setup.done(&["backup", "verify", target]);
    assert_eq!(verified.matches("ok     ").count(), 2, "{verified}");
    assert!(verified.contains(": 1 players, 0 boards"), "{verified}");

    let database = format!("{}/pbmserv.sqlite", made[1]);
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    fs::write(&database, bytes).unwrap();
    fs::remove_file(format!("{}/key", made[0])).unwrap();
    let output = setup.run(&["backup", "verify", target]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let verified = String::from_utf8(output.stdout).unwrap();
    for (backup, reason) in made.iter().zip(["key", "has changed since it was written"]) {
        let line = verified.lines().find(|line| line.contains(backup)).unwrap();
        assert!(line.starts_with("FAULT") && line.contains(reason), "{verified}");
    }
}

#[test]
fn help_and_manual_have_the_same_examples_files_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["man", folder.path().to_str().unwrap()]);
    for (verb, example) in [
        (&["queue", "retry"][..], "pbmserv queue retry --state held --yes"),
        (&["backup"], "pbmserv backup verify /var/lib/pbmserv-backups"),
        (&["check"], "pbmserv check --offline"),
    ] {
        let help = setup.done(&[verb, &["--help"]].concat());
        let page = folder.path().join(format!("pbmserv-{}.1", verb.join("-")));
        let page = fs::read_to_string(page).unwrap().replace("\\-", "-");
        for text in [example, "EXAMPLES", "FILES", "EXIT STATUS", "/etc/pbmserv.toml"] {
            assert!(help.contains(text), "{text}: {help}");
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(
            help.contains("PBMSERV_CONFIG names, or /etc/pbmserv.toml"),
            "{help}"
        );
    }
}
