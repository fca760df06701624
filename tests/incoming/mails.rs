//! Messages of common mail programs, each with what is read of it.
//!
//! `tests/mails/NAME.eml` is a message with LF line ends, `NAME.expect` what is read. Each is read with LF and
//! with CRLF. `UPDATE_MAILS=1 cargo test --test incoming mails::` rewrites the expectations; read each before
//! committing it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pbmserv_mail::{Address, OwnAddresses, clean_subject, envelope_from_header, plain, read};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mails")
}

/// The files of the folder with this extension, in order.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// What is read of a message, in a form that a person can check.
fn reading(bytes: &[u8]) -> String {
    let own = OwnAddresses::from(Address::parse("pbmserv@games.example").unwrap());
    let envelope = envelope_from_header(bytes, &Default::default(), &own).unwrap();
    let mut out = String::new();
    let sender = envelope.sender.as_ref().map_or("<>", Address::as_str);
    writeln!(out, "envelope: {sender} -> {}", envelope.recipients[0]).unwrap();
    let mail = match read(bytes, &envelope, &own, &crate::fuzzed::fuzz::mail::WORDS) {
        Ok(mail) => mail,
        Err(why) => return format!("{out}unreadable: {why}\n"),
    };
    let from = mail.from.as_ref().map_or("nobody", Address::as_str);
    writeln!(out, "from: {from}").unwrap();
    if let Some(silence) = &mail.silence {
        writeln!(out, "no answer: {silence}").unwrap();
    }
    if let Some(report) = &mail.delivery_report {
        writeln!(out, "reports: {}", report.status).unwrap();
    }
    if let Some(complaint) = &mail.complaint {
        let senders: Vec<_> = complaint.senders.iter().map(Address::as_str).collect();
        let about = complaint.message_id.as_deref().unwrap_or("unknown");
        writeln!(
            out,
            "complains: {} of {about} by {}",
            complaint.kind.word(),
            senders.join(", ")
        )
        .unwrap();
    }
    for id in mail.answers() {
        writeln!(out, "answers: {id}").unwrap();
    }
    writeln!(out, "subject: {}", plain(&clean_subject(&mail.subject))).unwrap();
    if mail.is_cut {
        writeln!(out, "cut").unwrap();
    }
    out.push('\n');
    for line in &mail.text {
        writeln!(out, "{line}").unwrap();
        if plain(line) != *line {
            writeln!(out, "    as a command: {}", plain(line)).unwrap();
        }
    }
    out
}

/// The same message with the other line end.
fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for &c in bytes {
        if c == b'\n' {
            out.push(b'\r');
        }
        out.push(c);
    }
    out
}

#[test]
fn every_message_is_read_as_expected_with_lf_and_with_crlf() {
    let is_update = std::env::var_os("UPDATE_MAILS").is_some();
    let mut wrong = String::new();
    let mails = files("eml");
    assert!(!mails.is_empty());
    for path in &mails {
        let bytes = fs::read(path).unwrap();
        assert!(
            !bytes.contains(&b'\r'),
            "{}: stored with LF alone",
            path.display()
        );
        let found = reading(&bytes);
        let expectation = path.with_extension("expect");
        if is_update {
            fs::write(&expectation, &found).unwrap();
        }
        let expected = fs::read_to_string(&expectation).unwrap_or_default();
        for (ends, found) in [("LF", found), ("CRLF", reading(&with_crlf(&bytes)))] {
            if found != expected {
                let name = path.display();
                writeln!(
                    wrong,
                    "== {name} with {ends}, expected:\n{expected}== found:\n{found}"
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_expectation_has_its_message() {
    for path in files("expect") {
        assert!(path.with_extension("eml").exists(), "{}", path.display());
    }
}
