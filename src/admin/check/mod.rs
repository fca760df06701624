//! `check`: checks everything that a server needs, and prints how to fix each fault.

mod doors;
mod findings;

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::config::Config;
use crate::engine::permissions;
use crate::letters::Letters;
use crate::mail::Key;
use crate::store::{BoardFilter, MailState, Reader, State, newest_migration};

use super::caller::Caller;
use super::control::{self, Answer, VerbRequest};
use super::{Verb, user::UserVerb};
use doors::PATIENCE;
use findings::Findings;

/// At most this many rows of a queue are counted.
const COUNTED: u32 = 1000;

/// How to fix a damaged database.
const RESTORE: &str = "restore a backup with pbmserv restore";

/// Checks everything but the configuration file itself, which has been read. Changes nothing. The exit code is 1 if
/// there is a fault.
pub async fn run(config: &Config) -> Answer {
    let mut findings = Findings::default();
    folder(config, &mut findings);
    let data = &config.server.data;
    let is_running = is_running(&data.join("control.sock"), &mut findings).await;
    database(data, &mut findings);
    templates(config, &mut findings);
    doors::delivery(config, &mut findings).await;
    doors::certificate(config, &mut findings);
    doors::door("smtp", &config.smtp.listen, is_running, &mut findings).await;
    doors::door("lmtp", &config.lmtp.listen, is_running, &mut findings).await;
    doors::maildir(config, &mut findings);
    doors::imap(config, &mut findings).await;
    findings.into()
}

fn folder(config: &Config, findings: &mut Findings) {
    let path = &config.server.data;
    let shown = path.display();
    let Ok(meta) = std::fs::metadata(path) else {
        return findings.good(
            "data folder",
            format!("{shown} does not exist yet; the first start creates it"),
        );
    };
    let owner = std::fs::metadata("/proc/self").map_or(meta.uid(), |own| own.uid());
    if owner != meta.uid() {
        let owner = meta.uid();
        let found = format!(
            "{shown} belongs to the account number {owner}: run this as that account, sudo -u '#{owner}'"
        );
        findings.bad("data folder", found);
    } else if let Some(found) = permissions::remedy(path) {
        findings.bad("data folder", found);
    } else {
        findings.good("data folder", shown);
    }
    for file in permissions::open_to_others(path).unwrap_or_default() {
        let shown = file.display();
        let found =
            format!("other accounts can read {shown}: chmod go= {shown}, or start the server, which does it");
        findings.bad("data folder", found);
    }
    let key = path.join("key");
    if !key.exists() {
        return;
    }
    let shown = key.display();
    match Key::load(&key) {
        Ok(_) => findings.good("key", shown),
        Err(error) => findings.bad("key", format!("{error}: restore it from a backup")),
    }
}

async fn is_running(socket: &Path, findings: &mut Findings) -> bool {
    let request = VerbRequest {
        verb: Verb::User(UserVerb::List { json: false }),
        caller: Caller::default(),
    };
    match control::ask(socket, &request, PATIENCE).await {
        Ok(_) => {
            findings.good("server", "it runs and answers");
            true
        }
        Err(error) if error.kind() == ErrorKind::TimedOut => {
            findings.bad(
                "server",
                "it runs but does not answer: read its log, then restart it",
            );
            true
        }
        Err(_) => {
            findings.good("server", "it does not run");
            false
        }
    }
}

fn database(folder: &Path, findings: &mut Findings) {
    let path = folder.join("pbmserv.sqlite");
    if !path.exists() {
        return findings.good("database", "it does not exist yet; the first start creates it");
    }
    let looked = Reader::open(&path).and_then(|reader| {
        let found = reader.migration()?;
        if found != newest_migration() {
            migration(found, findings);
            return Ok(());
        }
        match reader.faults()?.as_slice() {
            [] => findings.good("database", "whole"),
            faults => {
                for fault in faults {
                    findings.bad("database", format!("{fault}: {RESTORE}"));
                }
            }
        }
        boards(&reader, findings)?;
        queues(&reader, findings)
    });
    if let Err(error) = looked {
        findings.bad("database", format!("{error}: {RESTORE}"));
    }
}

fn migration(found: i64, findings: &mut Findings) {
    let known = newest_migration();
    if found > known {
        let found =
            format!("it is at migration {found}, this program knows {known}: install the newer program");
        findings.bad("database", found);
    } else {
        let found = format!("it is at migration {found}; the next start brings it to {known}");
        findings.good("database", found);
    }
}

fn boards(reader: &Reader, findings: &mut Findings) -> crate::store::Result<()> {
    let running = reader.boards(BoardFilter {
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let faults = findings.faults;
    for board in &running {
        if let Err(error) = board.replay(reader.turns(board.id)?, usize::MAX) {
            let (game, number) = (board.game.facts.name, board.number);
            let remedy = format!("pbmserv board void {game} {number} --why REASON");
            findings.bad("boards", format!("{error}; nobody can play on it: {remedy}"));
        }
    }
    if findings.faults == faults {
        findings.good("boards", format!("{} run, and each replays", running.len()));
    }
    Ok(())
}

fn queues(reader: &Reader, findings: &mut Findings) -> crate::store::Result<()> {
    let waiting = reader.mails(Some(MailState::Waiting), COUNTED)?;
    let failing = waiting.iter().filter(|mail| mail.attempts > 0).count();
    match waiting.iter().find_map(|mail| mail.last_error.as_deref()) {
        Some(why) if failing > 0 => findings.bad(
            "outbox",
            format!("{failing} mails could not be delivered yet ({why}): pbmserv queue list --state waiting"),
        ),
        _ => findings.good("outbox", format!("{} mails wait", waiting.len())),
    }
    let held = reader.mails(Some(MailState::Held), COUNTED)?.len();
    if held > 0 {
        let found = format!("{held} mails are held: pbmserv queue list --state held");
        findings.bad("outbox", found);
    }
    match reader.received(Some(State::Failed), COUNTED)?.len() {
        0 => findings.good("inbox", "no mail failed"),
        failed => findings.bad(
            "inbox",
            format!("{failed} mails failed by an internal error: pbmserv queue list --inbox --state failed"),
        ),
    }
    Ok(())
}

fn templates(config: &Config, findings: &mut Findings) {
    let folder = Some(config.templates.folder.as_path()).filter(|path| !path.as_os_str().is_empty());
    let Some(address) = config.address() else {
        return;
    };
    match Letters::load(folder, &address) {
        Ok(_) => findings.good("templates", "all can be rendered"),
        Err(error) => findings.bad("templates", format!("{error}: correct the file, or remove it")),
    }
}
