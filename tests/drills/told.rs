//! What the log and the errors tell, and how often.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::process::Stdio;

use crate::daemon::smtp::{Client, message};
use crate::daemon::{Setup, until};

const ALICE: &str = "alice@home.example";

#[test]
fn a_data_folder_that_is_deleted_is_told_once_and_is_whole_again_when_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let mut daemon = setup.serve();
    let key = fs::read(setup.data.join("key")).unwrap();
    setup.wait_for_delivery();
    until("the folder is deleted", || fs::remove_dir_all(&setup.data).ok());
    for number in 0..20 {
        let mut client = Client::connect(daemon.port).unwrap();
        let id = format!("{number}@home.example");
        let reply = client.send(ALICE, &message(ALICE, &id, "help", "")).unwrap();
        assert!(reply.starts_with("451"), "{reply}");
    }
    let log = daemon.log();
    let told: Vec<_> = log
        .lines()
        .filter(|line| line.contains("the open database could not be saved"))
        .collect();
    assert_eq!(told.len(), 1, "{log}");
    let database = setup.data.join("pbmserv.saved-");
    assert!(told[0].contains(database.to_str().unwrap()), "{}", told[0]);
    assert!(
        told[0].contains(&format!("mkdir -m 700 {}", setup.data.display())),
        "{}",
        told[0]
    );
    assert!(
        log.lines().filter(|line| line.contains("ERROR")).count() <= 2,
        "{log}"
    );

    fs::DirBuilder::new().mode(0o700).create(&setup.data).unwrap();
    assert!(!daemon.ended().success(), "it waits for a restart");
    assert_eq!(fs::read(setup.data.join("key")).unwrap(), key);
    let daemon = setup.serve();
    setup.done(&["user", "show", "alice"]);
    daemon.stop_well();
}

#[test]
fn a_reload_names_every_changed_key_that_waits_for_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    fs::write(&file, "").unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_CONFIG", file.to_str().unwrap());
    let daemon = setup.serve();
    fs::write(
        &file,
        "[server]\nname = \"Other\"\n[delivery]\ntransport = \"smtp\"\nurl = \"smtp://127.0.0.1:25\"\n[smtp]\nmax_connections = 300\n",
    )
    .unwrap();
    daemon.signal("HUP");
    let line = until("the reload is logged", || {
        let log = daemon.log();
        log.lines()
            .find(|line| line.contains("taken only by a restart"))
            .map(str::to_owned)
    });
    assert!(
        line.ends_with("restart: delivery.transport, delivery.url, server.name"),
        "{line}"
    );
    fs::write(&file, "").unwrap();
    daemon.signal("HUP");
    until("the second reload is logged", || {
        (daemon.log().matches("limits and templates are reloaded").count() == 2).then_some(())
    });
    daemon.stop_well();
}

#[test]
fn a_log_of_json_has_numbers_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let logging = setup
        .with("PBMSERV_LOG_JSON", "true")
        .with("PBMSERV_LOG_LEVEL", "debug");
    let (code, log) = logging.ingest(ALICE, &message(ALICE, "1@home.example", "help", ""));
    assert_eq!(code, 0, "{log}");
    let mail = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|line| line["fields"]["message"] == "mail")
        .unwrap();
    for (name, value) in mail["fields"].as_object().unwrap() {
        let is_number_as_text = value.as_str().is_some_and(|text| text.parse::<f64>().is_ok());
        assert!(!is_number_as_text, "{name}: {mail}");
    }
    assert!(mail["fields"]["milliseconds"].is_u64(), "{mail}");
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    for words in [
        &["user", "list"][..],
        &["stats"],
        &["perft", "Pow2", "2"],
        &["man"],
        &["check", "--offline"],
    ] {
        let mut child = setup
            .command()
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{words:?}: {output:?}");
    }
}

#[test]
fn an_error_about_a_file_names_it_and_no_cause_is_told_twice() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let missing = folder.path().join("missing");
    let missing = missing.to_str().unwrap();
    for (words, path) in [
        (&["backup", file][..], file),
        (&["backup", "/proc/none"], "/proc/none"),
        (&["backup", "list", missing], missing),
        (&["backup", "verify", file], file),
        (&["restore", missing], missing),
        (&["replay", missing], missing),
        (&["man", missing], missing),
        (&["--config", missing, "stats"], missing),
    ] {
        let output = setup.run(words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
        assert!(error.contains(path), "{words:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{words:?}: {error}");
        assert!(error.matches("(os error").count() <= 1, "{words:?}: {error}");
    }
}

#[test]
fn the_audit_log_knows_who_is_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let output = setup.run(&["audit", "nosuch"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(error.contains("there is nobody called nosuch"), "{error}");
    for known in ["alice", "Pow2 101", "12"] {
        setup.done(&["audit", known]);
    }
}
