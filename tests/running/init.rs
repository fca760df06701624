//! `init`: from nothing to a server that accepts a mail; after an error no configuration is left.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::daemon::smtp::Client;
use crate::daemon::{self, Setup};
use toml::Table;

/// All flags for an `init` in this folder except those of the test.
struct Init {
    file: PathBuf,
    data: PathBuf,
    words: Vec<String>,
}

impl Init {
    fn new(folder: &Path) -> Self {
        let own = Command::new("id").arg("-un").output().unwrap();
        let own = String::from_utf8(own.stdout).unwrap();
        let data = folder.join("data");
        let init = Self {
            file: folder.join("pbmserv.toml"),
            data: data.clone(),
            words: Vec::new(),
        };
        init.with("--address", "play@chess.example")
            .with("--data", data.to_str().unwrap())
            .with("--director", "alice")
            .with("--director-address", "alice@home.example")
            .with("--mta", "none")
            .with("--listen", "127.0.0.1:0")
            .with("--user", own.trim())
    }

    /// The same with this flag.
    fn with(mut self, flag: &str, value: &str) -> Self {
        self = self.without(flag);
        self.words.extend([flag.to_owned(), value.to_owned()]);
        self
    }

    /// The same without this flag.
    fn without(mut self, flag: &str) -> Self {
        if let Some(at) = self.words.iter().position(|word| word == flag) {
            self.words.drain(at..at + 2);
        }
        self
    }

    fn run(&self, setup: &Setup) -> Output {
        let mut words = vec!["--config", self.file.to_str().unwrap(), "init"];
        words.extend(self.words.iter().map(String::as_str));
        setup.run(&words)
    }

    fn done(&self, setup: &Setup) -> String {
        let output = self.run(setup);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Asserts that it fails with these words, and that no configuration exists.
    #[track_caller]
    fn is_refused(&self, setup: &Setup, expected: &str) {
        let before = fs::read(&self.file).ok();
        let output = self.run(setup);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(fs::read(&self.file).ok(), before);
        assert!(!self.file.with_extension("toml.new").exists());
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The generated password.
fn password(printed: &str) -> &str {
    let line = printed
        .lines()
        .find_map(|line| line.strip_prefix("the password is "));
    line.unwrap_or_else(|| panic!("{printed}"))
}

#[test]
fn from_nothing_to_a_server_that_takes_a_mail_and_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let init = Init::new(folder.path()).with("--name", "Games \"and\" more");
    let printed = init.done(&setup);
    assert_eq!(printed.matches("the password is ").count(), 1, "{printed}");
    let password = password(&printed);
    assert_eq!((mode(&init.file), mode(&init.data)), (0o640, 0o700));

    let there = setup.with("PBMSERV_CONFIG", init.file.to_str().unwrap());
    let daemon = there.serve();
    let running = there.with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", daemon.port));
    let printed = running.done(&["check"]);
    assert!(
        printed.contains("it runs and answers") && printed.contains("greets"),
        "{printed}"
    );
    let mut client = Client::connect(daemon.port).unwrap();
    for (line, code) in [
        ("MAIL FROM:<alice@home.example>", "250"),
        ("RCPT TO:<play@chess.example>", "250"),
        ("DATA", "354"),
    ] {
        let reply = client.say(line).unwrap();
        assert!(reply.starts_with(code), "{line}: {reply}");
    }
    let subject = format!("broadcast alice {password}");
    let mail = format!(
        "From: alice@home.example\r\nTo: play@chess.example\r\nMessage-ID: <1@home.example>\r\nSubject: {subject}\r\n\r\nWelcome, all.\r\n."
    );
    let reply = client.say(&mail).unwrap();
    assert!(reply.starts_with("250"), "{reply}");
    let taken = there.done(&["queue", "list", "--inbox", "--state", "done"]);
    assert!(
        taken.contains("broadcast alice"),
        "a director may broadcast: {taken}"
    );
    assert!(!taken.contains(password), "{taken}");
    daemon.stop_well();
    let printed = there.done(&["check", "--offline"]);
    assert!(printed.ends_with("all is well\n"), "{printed}");
}

#[test]
fn the_configuration_has_every_key_with_its_comment_and_the_chosen_values() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let password = folder.path().join("password");
    fs::write(&password, "secret\n").unwrap();
    let init = Init::new(folder.path())
        .with("--mta", "mailbox")
        .with("--imap", "imaps://games@mail.example/INBOX")
        .with("--relay", "smtps://games@127.0.0.1:1")
        .with("--password-file", password.to_str().unwrap())
        .with("--name", "Games \"and\" more");
    let printed = init.done(&setup);
    assert!(!printed.contains("secret"), "{printed}");

    let written = fs::read_to_string(&init.file).unwrap();
    let mut expected: Table = toml::from_str(include_str!("../../deploy/pbmserv.toml")).unwrap();
    let password = password.to_str().unwrap();
    for (section, key, value) in [
        ("server", "address", "play@chess.example"),
        ("server", "name", "Games \"and\" more"),
        ("server", "data", init.data.to_str().unwrap()),
        ("smtp", "listen", "127.0.0.1:0"),
        ("imap", "url", "imaps://games@mail.example/INBOX"),
        ("imap", "password_file", password),
        ("delivery", "transport", "smtp"),
        ("delivery", "url", "smtps://games@127.0.0.1:1"),
        ("delivery", "password_file", password),
    ] {
        expected[section][key] = value.into();
    }
    expected["server"]["directors"] = vec!["alice"].into();
    assert_eq!(toml::from_str::<Table>(&written).unwrap(), expected);
    let comments = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with('#'))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        comments(&written),
        comments(include_str!("../../deploy/pbmserv.toml"))
    );
}

#[test]
fn behind_an_mta_its_lines_are_printed_with_the_address_and_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let socket = format!("unix:{}/lmtp.sock", folder.path().display());
    let init = Init::new(folder.path())
        .with("--mta", "postfix")
        .with("--listen", &socket);
    let printed = init.done(&setup);
    let line = format!("play@chess.example  pbmserv-lmtp:{socket}");
    assert!(printed.lines().any(|printed| printed == line), "{printed}");
    let written: Table = toml::from_str(&fs::read_to_string(&init.file).unwrap()).unwrap();
    assert_eq!(written["lmtp"]["listen"].as_str(), Some(socket.as_str()));
    assert_eq!(written["delivery"]["url"].as_str(), Some("smtp://127.0.0.1:25"));
}

#[test]
fn what_is_missing_or_wrong_is_named_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let all = || Init::new(folder.path());
    for flag in ["--address", "--data", "--director", "--director-address", "--mta"] {
        all()
            .without(flag)
            .is_refused(&setup, &format!("{flag} is missing"));
    }
    all()
        .with("--mta", "mailbox")
        .is_refused(&setup, "--password-file, --imap, --relay are missing");
    all()
        .with("--address", "nowhere")
        .is_refused(&setup, "--address: nowhere is not a mail address");
    all()
        .with("--address", "a+b@chess.example")
        .is_refused(&setup, "has a +");
    all()
        .with("--director", "help")
        .is_refused(&setup, "--director: help is not a userid");
    all()
        .with("--director-address", "play@chess.example")
        .is_refused(&setup, "not a mail address of a person");
    all()
        .with("--user", "no-such-account")
        .is_refused(&setup, "there is no account no-such-account");
    all()
        .with("--relay", "http://relay")
        .is_refused(&setup, "--relay: http://relay: ");
    all()
        .with("--relay", "smtp://u@127.0.0.1:25")
        .with("--password-file", "/none/password")
        .is_refused(&setup, "/none/password");
    assert!(!setup.data.exists(), "nothing is made");

    fs::create_dir(&setup.data).unwrap();
    fs::set_permissions(&setup.data, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(setup.data.join("letter.txt"), "mine").unwrap();
    all().is_refused(&setup, "holds other files");
    assert_eq!(
        mode(&setup.data) & 0o055,
        0o055 & mode(&setup.data),
        "{:o}",
        mode(&setup.data)
    );
    assert_eq!(mode(&setup.data), 0o755, "a folder of others is left alone");
    assert_eq!(fs::read_dir(&setup.data).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_there_is_replaced_only_by_force_and_a_second_time_keeps_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let init = Init::new(folder.path());
    let first = init.done(&setup);
    init.is_refused(&setup, "is there already: --force replaces it");

    // As after a crash between the creation of the account and the rename of the configuration.
    fs::rename(&init.file, folder.path().join("pbmserv.toml.new")).unwrap();
    let printed = init.done(&setup);
    assert!(
        printed.contains("alice has an account already and keeps its password"),
        "{printed}"
    );
    let there = setup.with("PBMSERV_CONFIG", init.file.to_str().unwrap());
    let subject = format!("set alice {} small", password(&first));
    let printed = there.done(&["mail", "alice@home.example", &format!("Pow2 {subject}")]);
    assert!(printed.contains("You will now get the small board"), "{printed}");

    let mut forced = init.with("--name", "Another name");
    forced.words.push("--force".to_owned());
    forced.done(&setup);
    assert!(fs::read_to_string(&forced.file).unwrap().contains("Another name"));
}

#[test]
#[ignore = "makes files for another account: needs root"]
fn the_files_are_the_accounts_when_root_makes_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // The account may lack access to the folder of this repository.
    let program = folder.path().join("pbmserv");
    // Copied by another process: a file just written by this one may still be open in a child of another test, and
    // cannot be executed then.
    let copied = Command::new("cp")
        .arg(daemon::PROGRAM)
        .arg(&program)
        .status()
        .unwrap();
    assert!(copied.success());
    let init = Init::new(folder.path()).with("--user", "nobody");
    let refused = Command::new(&program)
        .args(["init", "--address", "a@b", "--data", "/x", "--director", "alice"])
        .args(["--director-address", "c@d", "--mta", "none"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--user is missing"));
    let made = Command::new(&program)
        .arg("--config")
        .arg(&init.file)
        .arg("init")
        .args(&init.words)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let data = fs::metadata(&init.data).unwrap();
    for entry in fs::read_dir(&init.data).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().uid(), data.uid(), "{entry:?}");
    }
    let file = fs::metadata(&init.file).unwrap();
    assert_ne!(data.uid(), 0);
    assert_eq!((file.uid(), file.gid()), (0, data.gid()));
    let check = Command::new(&program)
        .arg("--config")
        .arg(&init.file)
        .args(["check", "--offline"])
        .uid(data.uid())
        .gid(data.gid())
        .output()
        .unwrap();
    assert!(
        check.status.success(),
        "{}",
        String::from_utf8_lossy(&check.stdout)
    );
}
