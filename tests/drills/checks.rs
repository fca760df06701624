//! `check` says what is wrong with a server that is dead or refuses all mail, and what a start would do.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, PROGRAM, Setup, until};

pub(crate) const ALICE: &str = "alice@home.example";

/// What `check` prints, and its exit code.
pub(crate) fn check(setup: &Setup, flags: &[&str]) -> (String, i32) {
    let output = setup.run(&[&["check"], flags].concat());
    assert!(output.stderr.is_empty(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    (printed, output.status.code().unwrap())
}

/// `check` exits with 1, and a line that begins with `FAULT` has each of these texts.
#[track_caller]
pub(crate) fn finds(setup: &Setup, faults: &[&str]) {
    let (printed, code) = check(setup, &[]);
    assert_eq!(code, 1, "{printed}");
    has(&printed, faults);
}

#[track_caller]
pub(crate) fn has(printed: &str, faults: &[&str]) {
    for fault in faults {
        let is_found = printed
            .lines()
            .any(|line| line.starts_with("FAULT") && line.contains(fault));
        assert!(is_found, "{fault}: {printed}");
    }
}

#[track_caller]
fn is_well(setup: &Setup, flags: &[&str]) -> String {
    let (printed, code) = check(setup, flags);
    assert_eq!(code, 0, "{printed}");
    assert!(!printed.contains("FAULT"), "{printed}");
    printed
}

/// A running server with an account, and the setup whose `check` finds its door.
pub(crate) fn with_alice(setup: &Setup) -> (Setup, Daemon) {
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let daemon = setup.serve();
    let there = setup.with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", daemon.port));
    is_well(&there, &[]);
    (there, daemon)
}

/// The server's reply to a mail.
fn reply(daemon: &Daemon) -> String {
    let mut client = Client::connect(daemon.port).unwrap();
    client
        .send(ALICE, &message(ALICE, "1@home.example", "help", ""))
        .unwrap()
}

/// The error of a start that must fail.
pub(crate) fn start_fails(setup: &Setup) -> String {
    let error = setup.does_not_start();
    let line = error.lines().find_map(|line| line.strip_prefix("pbmserv: "));
    line.unwrap().to_owned()
}

#[test]
fn a_server_that_does_not_run_is_a_fault_except_before_its_first_start() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    finds(
        &setup,
        &["server: it does not run; a start would create the data folder"],
    );
    let printed = is_well(&setup, &["--offline"]);
    assert!(
        printed.contains("it does not run; a start would create"),
        "{printed}"
    );
    let (there, daemon) = with_alice(&setup);
    daemon.kill();
    let remedy = "systemctl start pbmserv";
    finds(&there, &["a start would open the database as it is", remedy]);
    is_well(&there, &["--offline"]);
}

#[test]
fn a_server_whose_writes_fail_is_a_fault_though_no_mail_came_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).behind(&["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    let (there, daemon) = with_alice(&setup);
    daemon.limit_files("4096");
    finds(&there, &["server: The database cannot be written since"]);
    assert!(reply(&daemon).starts_with("451"), "and so it is");
    daemon.limit_files("unlimited");
    is_well(&there, &[]);
}

#[test]
fn a_database_that_was_moved_away_under_the_server_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (there, daemon) = with_alice(&setup);
    let away = folder.path().join("away.sqlite");
    fs::rename(setup.database(), &away).unwrap();
    finds(
        &there,
        &[
            "its file was moved away: move it back; nothing else is needed",
            "has a key and no database",
        ],
    );
    assert!(reply(&daemon).starts_with("451"), "and so it is");
    fs::rename(&away, setup.database()).unwrap();
    until("it is found well again", || {
        (check(&there, &[]).1 == 0).then_some(())
    });
}

#[test]
fn a_missing_key_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (there, daemon) = with_alice(&setup);
    daemon.stop_well();
    fs::remove_file(setup.data.join("key")).unwrap();
    finds(
        &there,
        &[
            "key: the key ",
            "put it back, or a backup by pbmserv restore",
            "a start would fail: key",
        ],
    );
    assert!(!setup.data.join("key").exists(), "a look makes none");
}

#[test]
fn a_start_that_would_fail_is_told_with_the_words_of_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (there, daemon) = with_alice(&setup);
    daemon.stop_well();
    let whole = folder.path().join("whole");

    fs::rename(setup.database(), &whole).unwrap();
    let said = start_fails(&setup);
    let (_, said) = said.split_once("server.data: ").unwrap();
    finds(&there, &[said, "a start would fail: database"]);

    fs::write(setup.database(), "no database at all, but a text of some length").unwrap();
    let said = start_fails(&setup);
    finds(&there, &[&said, "a start would fail: database"]);
    fs::rename(&whole, setup.database()).unwrap();

    fs::write(setup.data.join("key"), "short").unwrap();
    finds(&there, &[&start_fails(&setup), "a start would fail: key"]);
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_fault_and_a_wrong_word_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    fs::write(&file, "[smtp]\nlistne = \"\"\n").unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_CONFIG", file.to_str().unwrap());
    finds(&setup, &["configuration: ", "the nearest is `listen`"]);
    let wrong = setup.run(&["check", "--onlien"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

#[test]
fn the_findings_are_also_json_and_the_help_has_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let (there, daemon) = with_alice(&setup);
    let help = setup.done(&["check", "--help"]);
    let found: serde_json::Value = serde_json::from_str(&is_well(&there, &["--json"])).unwrap();
    assert_eq!(
        (found["is_well"].as_bool(), found["faults"].as_u64()),
        (Some(true), Some(0))
    );
    for finding in found["findings"].as_array().unwrap() {
        let name = finding["check"].as_str().unwrap();
        let is_told = help.lines().any(|line| line.starts_with(&format!("  {name} ")));
        assert!(is_told, "{name}: {help}");
    }
    daemon.kill();
    let (printed, code) = check(&there, &["--json"]);
    let found: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, found["faults"].as_u64()), (1, Some(1)), "{printed}");
}

/// Runs a verb that must fail as nobody, from a program that nobody may read.
fn as_nobody(setup: &Setup, program: &Path, verb: &str) -> String {
    let command = setup.command();
    let settings = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let output = Command::new(program)
        .envs(settings)
        .arg(verb)
        .stdin(Stdio::null())
        .uid(65534)
        .gid(65534)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
#[ignore = "runs as two accounts: needs root"]
fn a_database_that_this_account_may_not_read_is_no_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("pbmserv");
    let copied = Command::new("cp").arg(PROGRAM).arg(&program).status();
    assert!(copied.unwrap().success());
    let setup = Setup::new(folder.path());
    let (there, daemon) = with_alice(&setup);
    let printed = as_nobody(&there, &program, "check");
    has(
        &printed,
        &["run this as that account, for example with sudo -u '#0'"],
    );
    assert!(!printed.contains("restore a backup"), "{printed}");
    assert!(!printed.contains("does not exist yet"), "{printed}");
    daemon.stop_well();
    let said = as_nobody(&there, &program, "stats");
    assert!(
        said.contains("belongs to the account number 0: run this as"),
        "{said}"
    );
    // The folder is given to another account, and the files in it are forgotten.
    chown(&setup.data, Some(65534), Some(65534)).unwrap();
    let printed = as_nobody(&there, &program, "check");
    has(
        &printed,
        &[
            "data/key cannot be used: Permission denied",
            "give the server's account write permission for the file and its folder",
            "run this as the server's account",
        ],
    );
    assert!(!printed.contains("restore a backup"), "{printed}");
}

#[test]
fn a_userid_that_is_the_name_of_a_game_since_then_is_kept_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    conn.execute(
        "UPDATE players SET userid = 'Reversi', userid_key = 'reversi' WHERE userid = 'alice'",
        [],
    )
    .unwrap();
    drop(conn);
    let printed = is_well(&setup, &["--offline"]);
    let advice = "Reversi has the name of a game, and a command that begins with it means the game: pbmserv user rename Reversi";
    assert!(printed.contains(advice), "{printed}");
}
