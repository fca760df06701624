//! `init`: each value is checked when it is given, and nothing typed is lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::daemon::Setup;
use crate::terminal::on_terminal;

fn own_name() -> String {
    let own = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(own.stdout).unwrap().trim().to_owned()
}

/// The flags of an `init` in this folder.
fn flags(folder: &Path) -> Vec<String> {
    let (file, data) = (folder.join("pbmserv.toml"), folder.join("data"));
    [
        "--config",
        file.to_str().unwrap(),
        "init",
        "--user",
        &own_name(),
        "--address",
        "play@chess.example",
        "--data",
        data.to_str().unwrap(),
        "--director",
        "alice",
        "--director-address",
        "alice@home.example",
        "--listen",
        "127.0.0.1:0",
        "--mta",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Runs `init` with these flags besides; returns what it says and its exit code.
fn init(folder: &Path, more: &[&str]) -> (String, i32) {
    let flags = flags(folder);
    let words: Vec<_> = flags
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    let output = Setup::new(folder).run(&words);
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8(said).unwrap(), output.status.code().unwrap())
}

#[test]
fn all_missing_flags_are_named_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    let words = ["--config", file.to_str().unwrap(), "init", "--user", &own_name()];
    let output = Setup::new(folder.path()).run(&words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("--address, --data, --director, --director-address, --mta are missing"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_mailbox_is_looked_at_before_a_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    fs::write(&password, "hunter2\n").unwrap();
    let password = password.to_str().unwrap();
    for (mailbox, relay, reason) in [
        (
            "foo",
            "smtps://u@127.0.0.1:1",
            "--imap: foo: imap.url is not a URL",
        ),
        (
            "imaps://host/INBOX",
            "smtps://u@127.0.0.1:1",
            "--imap: imaps://host/INBOX: imap.url names no user",
        ),
        ("imaps://u@host/INBOX", "http://host", "--relay: http://host: "),
    ] {
        let more = [
            "mailbox",
            "--password-file",
            password,
            "--imap",
            mailbox,
            "--relay",
            relay,
        ];
        let (said, code) = init(folder.path(), &more);
        assert!(said.contains(reason), "{said}");
        assert!(
            !said.contains("line "),
            "no line of a file that is not there: {said}"
        );
        assert_eq!(code, 1);
    }
    assert!(!folder.path().join("pbmserv.toml").exists());
}

#[test]
fn force_keeps_a_copy_of_the_former_configuration() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(init(folder.path(), &["none"]).1, 0);
    let file = folder.path().join("pbmserv.toml");
    let former = fs::read_to_string(&file).unwrap() + "# mine\n";
    fs::write(&file, &former).unwrap();
    let (said, code) = init(folder.path(), &["none", "--name", "Other", "--force"]);
    assert_eq!(code, 0, "{said}");
    assert!(fs::read_to_string(&file).unwrap().contains("Other"));
    let kept = said
        .lines()
        .find_map(|line| line.strip_prefix("The former one is kept as "));
    let kept = kept.unwrap().trim_end_matches('.');
    assert_eq!(fs::read_to_string(kept).unwrap(), former);
}

#[test]
fn on_a_terminal_a_refused_answer_is_told_why_and_what_was_typed_is_printed_for_another_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    let data = folder.path().join("data");
    let setup = Setup::new(folder.path());
    let is_root = own_name() == "root";
    let user = if is_root { "no-such-account\nroot\n" } else { "" };
    let typed = format!(
        "{user}nowhere\nplay@chess.example\n/etc/passwd\n{}\nhelp\nalice\nplay@chess.example\nalice@home.example\npigeon\nmailbox\n/none/password\n",
        data.display()
    );
    let words = ["--config", file.to_str().unwrap(), "init"];
    let (shown, code) = on_terminal(&setup, &words, &typed);
    assert_eq!(code, 1, "{shown}");
    for reason in [
        "nowhere is not a mail address",
        "/etc/passwd is not a folder",
        "help is not a userid: it has 2 to 20 letters",
        "play@chess.example is not a mail address of a person",
        "pigeon is unknown: it is one of postfix",
        "/none/password: No such file or directory",
    ] {
        assert!(shown.contains(reason), "{reason}: {shown}");
    }
    if is_root {
        let first = shown.find("The account that pbmserv runs as").unwrap();
        assert!(first < shown.find("The server's address").unwrap(), "{shown}");
        assert!(shown.contains("there is no account no-such-account"), "{shown}");
    }
    let config = format!("pbmserv init --config {} ", file.display());
    assert!(shown.contains(&config), "{shown}");
    let again = format!(
        "--address play@chess.example --data {} --director alice --director-address alice@home.example --mta mailbox",
        data.display()
    );
    assert!(shown.contains(&again), "{shown}");
    assert!(!file.exists() && !data.exists(), "nothing is made");
}

#[test]
fn a_configuration_that_is_there_is_told_before_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.toml");
    fs::write(&file, "").unwrap();
    let words = ["--config", file.to_str().unwrap(), "init"];
    let (shown, code) = on_terminal(&Setup::new(folder.path()), &words, "");
    assert_eq!(code, 1, "{shown}");
    assert!(
        shown.contains("is there already: --force replaces it and keeps a copy"),
        "{shown}"
    );
    assert!(!shown.contains("The server's address"), "{shown}");
}
