//! A server that cannot start prints one sentence: which file and line, or which variable, and the remedy.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::daemon::PROGRAM;

/// Starts the server with this configuration and these variables.
fn serve(file: &Path, settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PBMSERV_")) {
        command.env_remove(name);
    }
    let command = command.arg("--config").arg(file).arg("serve");
    command
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The error of a server that does not start.
#[track_caller]
fn sentence(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let lines: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("pbmserv: "))
        .collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(!said.contains("panicked"), "{said}");
    lines[0].to_owned()
}

/// The wrong key is in line 5; `{folder}` is the folder of the test.
#[test]
fn each_fault_names_file_line_and_remedy() {
    let cases: &[(&str, &str)] = &[
        (
            "[server]\naddress = \"nowhere\"",
            "server.address is not a mail address in ASCII: write it as",
        ),
        (
            "[delivery]\ntransport = \"pigeon\"",
            "delivery.transport is unknown: use maildir",
        ),
        ("[auth]\nrequire = \"spf\"", "auth.require is unknown: use dmarc"),
        ("[smtp]\ncertificate = \"/a.pem\"", "name both files, or neither"),
        (
            "[lmtp]\nlisten = \"0.0.0.0:25\"",
            "lmtp.listen is no address for LMTP: name a port other",
        ),
        (
            "[http]\nlisten = \"localhost\"",
            "http.listen is no place: name an address and a port",
        ),
        (
            "[http]\nlisten = \"unix:\"",
            "http.listen is no place: name an address",
        ),
        (
            "[http]\nlisten = \"{taken}\"",
            "http.listen: {taken} cannot be opened; stop what listens there or name another address: Address already in use",
        ),
        (
            "[http]\nlisten = \"unix:{folder}/none/h.sock\"",
            "http.listen: unix:{folder}/none/h.sock cannot be opened",
        ),
        (
            "[smtp]\nmax_message_bytes = 5",
            "smtp.max_message_bytes is too small",
        ),
        ("[smtp]\nlistne = \"\"", "the nearest is `listen`"),
        ("[smtp]\nmax_connections = \"many\"", "invalid type"),
        (
            "[smtp]\nlisten = \"{taken}\"",
            "smtp.listen: {taken} cannot be opened; stop what listens there",
        ),
        (
            "[smtp]\nlisten = \"somewhere\"",
            "smtp.listen: somewhere cannot be opened",
        ),
        (
            "[lmtp]\nlisten = \"unix:{folder}/none/l.sock\"",
            "lmtp.listen: unix:{folder}/none/l.sock cannot be opened",
        ),
        (
            "[server]\ndata = \"{folder}/pbmserv.toml\"",
            "server.data: the data folder {folder}/pbmserv.toml cannot be used: give it to the account",
        ),
        (
            "[server]\ndata = \"/proc/none\"",
            "server.data: the data folder /proc/none cannot be used: give it to the account",
        ),
        (
            "[delivery]\nurl = \"http://relay\"\ntransport = \"smtp\"",
            "delivery.url: ",
        ),
        (
            "[delivery]\npassword_file = \"{folder}/none\"\ntransport = \"smtp\"\nurl = \"smtp://127.0.0.1:25\"",
            "delivery.password_file: {folder}/none: name a file that this account can read: No such file",
        ),
        (
            "[delivery]\npath = \"/none/sendmail\"\ntransport = \"sendmail\"",
            "delivery.path: /none/sendmail is not a file: name the sendmail",
        ),
        ("[imap]\nurl = \"http://x\"", "imap.url must begin with imaps://"),
        (
            "[imap]\npoll_minutes = 0\nurl = \"imaps://u@h/INBOX\"",
            "imap.poll_minutes must be from 1 to 28",
        ),
        ("[maildir]\npath = \"{folder}\"", "maildir.path: "),
        (
            "[templates]\nfolder = \"{folder}/none\"",
            "templates.folder: {folder}/none is not a folder: create it, or name none",
        ),
    ];
    for &(section, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let shown = folder.path().to_str().unwrap();
        let filled = |text: &str| {
            text.replace("{folder}", shown)
                .replace("{taken}", &taken.local_addr().unwrap().to_string())
        };
        let file = folder.path().join("pbmserv.toml");
        // The first key of the section is in line 5.
        fs::write(&file, format!("# 1\n# 2\n# 3\n{}\n", filled(section))).unwrap();
        let data = folder.path().join("data");
        let mut settings = vec![];
        if !section.contains("[server]\ndata") {
            settings.push(("PBMSERV_SERVER_DATA", data.to_str().unwrap()));
        }
        if !section.contains("[smtp]") {
            settings.push(("PBMSERV_SMTP_LISTEN", "127.0.0.1:0"));
        }
        let said = sentence(&serve(&file, &settings));
        assert!(said.contains(&filled(expected)), "{said}");
        // An error about a missing key that another key requires names the section.
        let line = if section.contains("certificate") { 4 } else { 5 };
        assert!(
            said.starts_with(&format!("pbmserv: {shown}/pbmserv.toml, line {line}: ")),
            "{said}"
        );
    }
}

#[test]
fn a_bad_certificate_is_told_with_the_line_of_its_own_key() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display();
    let file = folder.path().join("pbmserv.toml");
    fs::write(folder.path().join("empty.pem"), "").unwrap();
    let text = format!(
        "[server]\ndata = \"{shown}/data\"\n[smtp]\nlisten = \"127.0.0.1:0\"\nkey = \"{shown}/empty.pem\"\n\ncertificate = \"{shown}/empty.pem\"\n"
    );
    fs::write(&file, text).unwrap();
    let said = sentence(&serve(&file, &[]));
    let expected = format!(
        "pbmserv: {shown}/pbmserv.toml, line 7: smtp.certificate: {shown}/empty.pem: it holds no certificate: name a PEM file"
    );
    assert!(said.starts_with(&expected), "{said}");
}

#[test]
fn a_variable_that_is_wrong_is_named() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "PBMSERV_SERVER_ADDRESS",
            "nowhere",
            "server.address is not a mail address",
        ),
        (
            "PBMSERV_SERVER_ADDRESS",
            "игры@почта.example",
            "server.address is not a mail address in ASCII",
        ),
        (
            "PBMSERV_SMTP_LISTEN",
            "somewhere",
            "smtp.listen: somewhere cannot be opened",
        ),
        (
            "PBMSERV_SERVER_DATA",
            "/proc/none",
            "server.data: the data folder /proc/none cannot be used",
        ),
    ];
    for &(name, value, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pbmserv.toml");
        let data = folder.path().join("data");
        let text = format!(
            "[server]\naddress = \"play@chess.example\"\ndata = \"{}\"\n[smtp]\nlisten = \"127.0.0.1:0\"\n",
            data.display()
        );
        fs::write(&file, text).unwrap();
        let said = sentence(&serve(&file, &[(name, value)]));
        assert!(
            said.starts_with(&format!("pbmserv: environment, {name}: {expected}")),
            "{said}"
        );
    }
}

/// Otherwise the next start, with the error corrected, would handle messages one at a time for a day.
#[test]
fn a_start_that_fails_late_is_no_unclean_stop() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let file = folder.path().join("pbmserv.toml");
    let text = format!(
        "[server]\ndata = \"{}\"\n[smtp]\nlisten = \"{}\"\n",
        folder.path().join("data").display(),
        taken.local_addr().unwrap()
    );
    fs::write(&file, text).unwrap();
    for _ in 0..2 {
        let output = serve(&file, &[]);
        assert!(sentence(&output).contains("smtp.listen"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("not clean"), "{said}");
    }
}
