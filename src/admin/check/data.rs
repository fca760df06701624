//! Checks of the data folder and what is in it. A fault that stops a start has the sentence of `serve`.

use std::fs;
use std::path::Path;

use chrono::Utc;

use crate::admin::compact;
use crate::admin::control::sentence;
use crate::admin::progress::Progress;
use crate::config::Config;
use crate::engine::configured_folder::database_fault;
use crate::engine::disk;
use crate::engine::folder::{Folder, FolderError};
use crate::engine::{migration, permissions, place};
use pbmserv_core::store::{
    BoardFilter, Error, MailState, Reader, Replication, Result, Scan, State, lacks_migrations,
    newest_migration,
};
use pbmserv_mail::Key;

use super::addresses;
use super::findings::{Findings, Subject};
use super::userids;

/// At most this many rows of a queue are counted.
const COUNTED: u32 = 1000;

/// How to fix a damaged database.
const RESTORE: &str = "restore a backup with pbmserv restore";

/// The same for a setting of PostgreSQL.
const SETTING: &str = "correct postgresql.conf, and reload it";

/// Returns what a start would do with the data.
pub(super) fn check(config: &Config, is_running: bool, is_deep: bool, findings: &mut Findings) -> String {
    let path = &config.server.data;
    let shown = path.display();
    let server = match config.database_server() {
        Ok(server) => server,
        Err(error) => {
            findings.stops(Subject::Database, sentence(&error));
            return String::new();
        }
    };
    let folder = match Folder::existing(path) {
        Ok(folder) => folder.with(server),
        Err(FolderError::Missing(whole)) => {
            findings.good(
                Subject::DataFolder,
                format!("{whole} does not exist yet; the first start creates it"),
            );
            return match server {
                None => format!("create the data folder {whole} and begin a database"),
                Some(server) => {
                    let folder = Folder::at(path).with(Some(server));
                    let would = database(config, &folder, is_running, is_deep, findings);
                    format!("create the data folder {whole} and {would}")
                }
            };
        }
        Err(error) => {
            stops(Subject::DataFolder, error, findings);
            return String::new();
        }
    };
    if let Err(error) = folder.is_ours() {
        // What other accounts can see of the folder says nothing of it.
        stops(Subject::DataFolder, error, findings);
        return String::new();
    }
    if let Err(error) = folder.may_be_written() {
        stops(Subject::DataFolder, error, findings);
    } else if let Some(found) = permissions::remedy(path) {
        findings.bad(Subject::DataFolder, found);
    } else {
        findings.good(Subject::DataFolder, shown);
    }
    for file in permissions::open_to_others(path).unwrap_or_default() {
        let shown = file.display();
        let found =
            format!("other accounts can read {shown}: chmod go= {shown}, or start the server, which does it");
        findings.bad(Subject::DataFolder, found);
    }
    saved(path, findings);
    room(config, findings);
    key(&folder, findings);
    database(config, &folder, is_running, is_deep, findings)
}

fn stops(subject: Subject, error: FolderError, findings: &mut Findings) {
    findings.stops(subject, sentence(&error.into()));
}

/// Databases that the server has saved when its files were taken away.
fn saved(path: &Path, findings: &mut Findings) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let (name, shown) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_saved = name.starts_with("pbmserv.saved-") || name.starts_with("pbmserv.sqlite.aside-");
        if is_saved {
            let found = format!(
                "{} was saved when files of the database were removed or replaced: remove it when nothing is missing",
                shown.display()
            );
            findings.advise(Subject::DataFolder, found);
        }
    }
}

fn room(config: &Config, findings: &mut Findings) {
    let (path, floor) = (&config.server.data, config.server.min_free_bytes);
    match disk::free(path) {
        Ok(free) if free < floor => findings.bad(
            Subject::Disk,
            format!(
                "{} are free, less than server.min_free_bytes ({}), so mail is put off: remove files, or give it a larger disk",
                disk::in_words(free),
                disk::in_words(floor)
            ),
        ),
        Ok(free) => findings.good(Subject::Disk, format!("{} are free", disk::in_words(free))),
        Err(error) => findings.bad(Subject::Disk, format!("{}: {error}", path.display())),
    }
}

fn key(folder: &Folder, findings: &mut Findings) {
    if !folder.has_database_file() {
        findings.good(Subject::Key, "it is in the database");
        return;
    }
    let is_new = || Reader::open(folder.database()).and_then(|reader| reader.is_new());
    let needs_none = !folder.database().exists() || is_new().unwrap_or(false);
    if let Err(error) = folder.has_its_key(needs_none) {
        return stops(Subject::Key, error, findings);
    }
    let path = folder.key();
    if !path.exists() {
        return;
    }
    match Key::load(&path) {
        Ok(_) => findings.good(Subject::Key, path.display()),
        Err(error) => findings.stops(Subject::Key, sentence(&error.into())),
    }
}

fn database(
    config: &Config,
    folder: &Folder,
    is_running: bool,
    is_deep: bool,
    findings: &mut Findings,
) -> String {
    if let Err(error) = folder.was_not_emptied() {
        stops(Subject::Database, error, findings);
        return String::new();
    }
    let path = folder.database();
    if folder.has_database_file() && !path.exists() {
        if is_running {
            findings.bad(Subject::Database, format!("{} is missing", path.display()));
        } else {
            findings.good(
                Subject::Database,
                "it does not exist yet; the first start creates it",
            );
        }
        return "begin a database".to_owned();
    }
    let progress = Progress::begin("checking the database");
    let looked = Reader::open(folder.location()).and_then(|reader| {
        if reader.migration()? == 0 && !folder.has_database_file() {
            let found = format!(
                "{} has no tables yet; the first start makes them",
                folder.location()
            );
            findings.good(Subject::Database, found);
            return Ok("begin a database".to_owned());
        }
        place(folder, &reader, findings)?;
        reader.is_finished()?;
        if let Some(holder) = reader.holder()? {
            let since = holder.since.format("%Y-%m-%d at %H:%M UTC");
            findings.good(
                Subject::Database,
                format!("{} has the engine since {since}", holder.host),
            );
        }
        let found = reader.migration()?;
        if lacks_migrations(folder.location(), found)? {
            let room = migration::room(folder, reader.pages()?.bytes);
            return Ok(migrates(config, folder, found, room, findings));
        }
        let remedy = match folder.has_database_file() {
            true => RESTORE,
            false => SETTING,
        };
        match reader.faults()?.as_slice() {
            [] => match compact::advice(&reader)? {
                None => findings.good(Subject::Database, "whole"),
                Some(advice) => findings.good(Subject::Database, format!("whole; {advice}")),
            },
            faults => {
                for fault in faults {
                    findings.bad(Subject::Database, format!("{fault}: {remedy}"));
                }
            }
        }
        for fault in reader.replication()?.iter().flat_map(Replication::faults) {
            findings.bad(Subject::Database, fault);
        }
        progress.say("replaying the boards");
        boards(&reader, findings, &progress)?;
        if is_deep {
            progress.say("reading the whole database");
            deep(&reader, remedy, findings)?;
        }
        userids::check(config, &reader, findings)?;
        queues(&reader, findings)?;
        addresses::check(config, &reader, Utc::now(), findings)?;
        folder.database_may_be_written()?;
        Ok("open the database as it is".to_owned())
    });
    looked.unwrap_or_else(|error: Error| {
        findings.stops(Subject::Database, database_fault(config, folder, &error));
        String::new()
    })
}

fn place(folder: &Folder, reader: &Reader, findings: &mut Findings) -> Result<()> {
    match place::elsewhere(reader)? {
        Some(found) => stops(Subject::Place, folder.copy(found), findings),
        None => findings.good(Subject::Place, "no copy of another server's"),
    }
    Ok(())
}

/// Returns what a start would do. The other verbs refuse the database until then, so it is a fault.
fn migrates(
    config: &Config,
    folder: &Folder,
    found: i64,
    room: anyhow::Result<()>,
    findings: &mut Findings,
) -> String {
    let (path, known) = (folder.location().to_string(), newest_migration());
    let error = Error::Older { path, found, known };
    findings.bad(Subject::Database, database_fault(config, folder, &error));
    if let Err(error) = room {
        findings.stops(Subject::Disk, sentence(&error));
    }
    format!("keep a copy of the database and bring it from migration {found} to {known}")
}

fn boards(reader: &Reader, findings: &mut Findings, progress: &Progress) -> Result<()> {
    let running = reader.boards(BoardFilter {
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let faults = findings.faults();
    for (done, board) in (0..).zip(&running) {
        progress.at(done, running.len() as u64);
        if let Err(error) = board.replay(reader.turns(board.id)?, usize::MAX) {
            let (game, number) = (board.game.facts.name, board.number);
            let remedy = format!("pbmserv board void {game} {number} --why REASON");
            findings.bad(
                Subject::Boards,
                format!("{error}; nobody can play on it: {remedy}"),
            );
        }
    }
    if findings.faults() == faults {
        findings.good(
            Subject::Boards,
            format!("{} run, and each replays", running.len()),
        );
    }
    Ok(())
}

/// Reads every row, and replays every board.
fn deep(reader: &Reader, remedy: &str, findings: &mut Findings) -> Result<()> {
    let (mut scan, faults) = (Scan::begin(reader)?, findings.faults());
    while !scan.is_over() {
        for fault in scan.step(reader)? {
            findings.bad(Subject::Deep, format!("{fault}: {remedy}"));
        }
    }
    if findings.faults() == faults {
        let (rows, boards) = (scan.rows, scan.boards);
        findings.good(
            Subject::Deep,
            format!("{rows} rows can be read, and {boards} boards replay"),
        );
    }
    Ok(())
}

fn queues(reader: &Reader, findings: &mut Findings) -> Result<()> {
    let waiting = reader.mails(Some(MailState::Waiting), COUNTED)?;
    let failing = waiting.iter().filter(|mail| mail.attempts > 0).count();
    match waiting.iter().find_map(|mail| mail.last_error.as_deref()) {
        Some(why) if failing > 0 => findings.bad(
            Subject::Outbox,
            format!("{failing} mails could not be delivered yet ({why}): pbmserv queue list --state waiting"),
        ),
        _ => findings.good(Subject::Outbox, format!("{} mails wait", waiting.len())),
    }
    let held = reader.mails(Some(MailState::Held), COUNTED)?.len();
    if held > 0 {
        let found = format!("{held} mails are held: pbmserv queue list --state held");
        findings.bad(Subject::Outbox, found);
    }
    match reader.received(Some(State::Failed), COUNTED)?.len() {
        0 => findings.good(Subject::Inbox, "no mail failed"),
        failed => findings.bad(
            Subject::Inbox,
            format!("{failed} mails failed by an internal error: pbmserv queue list --inbox --state failed"),
        ),
    }
    Ok(())
}
