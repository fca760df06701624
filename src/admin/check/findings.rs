//! What a check has found, a line each or as JSON.

use std::fmt::Write as _;

use serde::Serialize;

use crate::admin::control::Answer;

/// What is checked, in the order of the table in `check --help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Configuration,
    DataFolder,
    Disk,
    Key,
    Database,
    Place,
    Boards,
    Deep,
    Bots,
    Userids,
    Outbox,
    Inbox,
    Addresses,
    Templates,
    Delivery,
    Certificate,
    Smtp,
    Lmtp,
    Maildir,
    Imap,
    Senders,
    Server,
    Mx,
    Spf,
    Dkim,
    Dmarc,
    Ptr,
}

/// The table of `check --help`.
const TABLE: &[(Subject, &str, &str)] = &[
    (
        Subject::Configuration,
        "configuration",
        "the file can be read; no unknown key, no impossible value",
    ),
    (
        Subject::DataFolder,
        "data folder",
        "it is there, belongs to this account, can be written, and is closed to others",
    ),
    (
        Subject::Disk,
        "disk",
        "more room than server.min_free_bytes, below which mail is put off",
    ),
    (
        Subject::Key,
        "key",
        "the file is a key, and not missing beside a database",
    ),
    (
        Subject::Database,
        "database",
        "it is in its place, readable, whole, and at the migration of this program",
    ),
    (
        Subject::Place,
        "place",
        "the database is where it was in use last, so it is no copy of another server's",
    ),
    (Subject::Boards, "boards", "each running board replays"),
    (
        Subject::Deep,
        "deep",
        "with --deep: every row can be read, and every board replays, also those that have ended",
    ),
    (
        Subject::Bots,
        "bots",
        "no player has the userid of a computer player",
    ),
    (
        Subject::Userids,
        "userids",
        "no player has the name of a game, or a userid that sounds official",
    ),
    (Subject::Outbox, "outbox", "no mail is held or refused for now"),
    (Subject::Inbox, "inbox", "no message failed by an internal error"),
    (
        Subject::Addresses,
        "addresses",
        "mail is taken for every address that letters of the last 90 days bear",
    ),
    (
        Subject::Templates,
        "templates",
        "each of the operator's templates fits this version",
    ),
    (
        Subject::Delivery,
        "delivery",
        "the relay takes our mail, or the sendmail program is there",
    ),
    (
        Subject::Certificate,
        "certificate",
        "smtp.certificate and its key fit, and last for three weeks",
    ),
    (
        Subject::Smtp,
        "smtp",
        "the door greets; without a server: its place is free",
    ),
    (
        Subject::Lmtp,
        "lmtp",
        "the door greets; without a server: its place is free",
    ),
    (Subject::Maildir, "maildir", "its folders can be read and written"),
    (
        Subject::Imap,
        "imap",
        "the mailbox can be opened, read and marked",
    ),
    (
        Subject::Senders,
        "senders",
        "with [auth] verify: the name servers that are asked answer",
    ),
    (
        Subject::Server,
        "server",
        "it runs and answers; a test write reaches the disk; all parts of /healthz are well",
    ),
    (
        Subject::Mx,
        "mx",
        "with --dns: mail for our address has a server to go to",
    ),
    (
        Subject::Spf,
        "spf",
        "with --dns --ip: our domain lets that address send, and not everybody",
    ),
    (
        Subject::Dkim,
        "dkim",
        "with --dns --selector: the key of our signatures is published",
    ),
    (
        Subject::Dmarc,
        "dmarc",
        "with --dns: our domain says what becomes of mail that forges it",
    ),
    (
        Subject::Ptr,
        "ptr",
        "with --dns --ip: that address has a name, which leads back to it",
    ),
];

impl Subject {
    fn name(self) -> &'static str {
        let known = TABLE.iter().find(|(subject, ..)| *subject == self);
        known.map_or("", |(_, name, _)| name)
    }
}

/// All checks, for the help.
pub(in crate::admin) fn table() -> Vec<(&'static str, &'static str)> {
    TABLE.iter().map(|(_, name, what)| (*name, *what)).collect()
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
    /// What a start of the server would stop at.
    pub(super) stoppers: Vec<&'static str>,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Good,
    Advice,
    Fault,
}

/// A line.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    is_fault: bool,
    is_advice: bool,
    found: String,
}

/// The findings as `--json` prints them.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    is_well: bool,
    faults: usize,
    findings: &'a [Finding],
}

impl Findings {
    pub(super) fn good(&mut self, subject: Subject, found: impl std::fmt::Display) {
        self.add(subject, Level::Good, &found);
    }

    pub(super) fn bad(&mut self, subject: Subject, found: impl std::fmt::Display) {
        self.add(subject, Level::Fault, &found);
    }

    /// What works, but asks for a decision of the operator.
    pub(super) fn advise(&mut self, subject: Subject, found: impl std::fmt::Display) {
        self.add(subject, Level::Advice, &found);
    }

    /// A fault at which a start of the server would stop.
    pub(super) fn stops(&mut self, subject: Subject, found: impl std::fmt::Display) {
        if !self.stoppers.contains(&subject.name()) {
            self.stoppers.push(subject.name());
        }
        self.add(subject, Level::Fault, &found);
    }

    fn add(&mut self, subject: Subject, level: Level, found: &dyn std::fmt::Display) {
        self.found.push(Finding {
            check: subject.name(),
            is_fault: level == Level::Fault,
            is_advice: level == Level::Advice,
            found: found.to_string(),
        });
    }

    pub(super) fn has_fault(&self, subject: Subject) -> bool {
        let mut found = self.found.iter();
        found.any(|finding| finding.is_fault && finding.check == subject.name())
    }

    pub(super) fn faults(&self) -> usize {
        self.found.iter().filter(|finding| finding.is_fault).count()
    }

    /// A line each.
    pub(super) fn lines(&self) -> String {
        let mut lines = String::new();
        for Finding {
            check,
            is_fault,
            is_advice,
            found,
        } in &self.found
        {
            let word = match (is_fault, is_advice) {
                (true, _) => "FAULT",
                (false, true) => "NOTE ",
                (false, false) => "ok   ",
            };
            // What a peer has said may have several lines.
            let found = found.replace('\n', " ");
            let _ = writeln!(lines, "{word}  {check}: {found}");
        }
        lines
    }

    /// What to print, and the exit code.
    pub(super) fn answer(&self, is_json: bool) -> anyhow::Result<Answer> {
        let faults = self.faults();
        let out = if is_json {
            let shown = Shown {
                is_well: faults == 0,
                faults,
                findings: &self.found,
            };
            format!("{}\n", serde_json::to_string(&shown)?)
        } else {
            let sum = match faults {
                0 if self.found.iter().any(|finding| finding.is_advice) => {
                    "no fault; read the lines that begin with NOTE".to_owned()
                }
                0 => "all is well".to_owned(),
                1 => "one fault".to_owned(),
                many => format!("{many} faults"),
            };
            format!("{}{sum}\n", self.lines())
        };
        Ok(Answer {
            code: u8::from(faults > 0),
            out,
            err: String::new(),
        })
    }
}
