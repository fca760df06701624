//! `adopt`: a data folder that was copied or moved becomes that of this machine, while no server runs.

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;

use crate::config::Config;
use crate::engine::configured_folder::{data_folder, database_fault, existing_folder};
use crate::engine::folder::{Folder, FolderError};
use crate::engine::{keys, permissions, place};
use pbmserv_core::store::{self, BOARDS_LEAP, Reader, Store};

use super::caller::{Caller, PerhapsWhy};
use super::progress::Progress;
use super::replays;
use super::restore::HELD;
use super::sure::Sure;

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Args)]
pub struct Adopt {
    /// Hold the mails that wait, for the original may have sent them.
    #[arg(long)]
    pub hold: bool,
    #[command(flatten)]
    pub sure: Sure,
    #[command(flatten)]
    pub why: PerhapsWhy,
}

impl Adopt {
    /// The same as a question, if the operator is to be asked.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Self> {
        let sure = self.sure.rehearsal()?;
        Some(Self { sure, ..self.clone() })
    }

    /// Carries it out. Returns what to print.
    ///
    /// # Errors
    /// A server runs, or there is no database. Then nothing is changed.
    pub fn run(&self, config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
        // A restored database of PostgreSQL comes without one.
        let folder = match config.store.url.is_empty() {
            true => existing_folder(config)?,
            false => data_folder(config)?,
        };
        let _lock = folder.lock().map_err(|error| match error {
            FolderError::InUse(path) => {
                anyhow::anyhow!("a pbmserv uses the data folder {path}: stop it before you adopt it")
            }
            other => other.into(),
        })?;
        folder.was_begun().with_context(|| config.placed("server.data"))?;
        folder
            .was_not_emptied()
            .with_context(|| config.placed("server.data"))?;
        let look = || {
            let reader = Reader::open(folder.location())?;
            Ok((place::elsewhere(&reader)?, reader.waiting_mails()?))
        };
        let looked = look().map_err(|error| anyhow::anyhow!(database_fault(config, &folder, &error)));
        let (elsewhere, waiting) = looked?;
        // A restored database of PostgreSQL is no copy that could be seen, and nothing else has looked at what came back.
        let checked = match folder.has_database_file() {
            true => String::new(),
            false => {
                checked(&folder).map_err(|error| anyhow::anyhow!(database_fault(config, &folder, &error)))?
            }
        };
        let shown = match folder.has_database_file() {
            true => format!("the data folder {}", folder.path().display()),
            false => format!("the database {}", folder.location()),
        };
        let found = match elsewhere {
            Some(found) => found.to_string(),
            // What cannot be seen, such as a file system brought back to a snapshot, is the operator's to know.
            None if self.hold => "was last in use here".to_owned(),
            None => {
                return Ok(format!(
                    "{checked}{shown} was last in use here: there is nothing to adopt\n"
                ));
            }
        };
        if !self.sure.dry_run {
            permissions::close_to_others(folder.path()).with_context(|| config.placed("server.data"))?;
            let changed = self.change(&folder, &found, waiting, now);
            changed.map_err(|error| anyhow::anyhow!(database_fault(config, &folder, &error)))?;
        }
        Ok(format!("{checked}{shown} {found}\n{}", self.said(waiting)))
    }

    /// All of it in one transaction, with its entry in the audit log.
    fn change(&self, folder: &Folder, found: &str, waiting: u32, now: DateTime<Utc>) -> store::Result<()> {
        let fate = if self.hold { "held" } else { "sent" };
        let what = format!("{found}; waiting mails, {fate}: {waiting}");
        let entry = Caller::of_this_process().audited("adopt", "all", what, self.why.why.clone());
        let store = Store::open(folder.location())?;
        store.begin()?;
        // The original may have gone on: what it gave numbers to since is lost, as after a restore.
        store.leap(now)?;
        if self.hold {
            store.hold_mails()?;
        }
        place::record(&store)?;
        store.add_audited(now, &entry)?;
        store.commit()?;
        store.close_alone()
    }

    fn said(&self, waiting: u32) -> String {
        let mails = if waiting == 1 {
            "1 mail"
        } else {
            &format!("{waiting} mails")
        };
        let mails = match (waiting, self.hold) {
            (0, _) => "no mail waits to be sent".to_owned(),
            (_, true) if self.sure.dry_run => format!("to be held: {mails}"),
            (_, true) => format!("held: {mails}; {HELD}"),
            (_, false) => format!(
                "the next start sends {mails} that waited when this was copied: what the original has sent since goes out twice \
                 (--hold sends none)"
            ),
        };
        format!(
            "{mails}\nthe next boards are numbered {BOARDS_LEAP} further on, so that none has the number of one that the original began later\n"
        )
    }
}

/// Looks at a whole database: what is in it, whether the key of the tokens is there, and whether each board replays.
fn checked(folder: &Folder) -> store::Result<String> {
    let progress = Progress::begin("checking the database");
    let reader = Reader::open(folder.location())?;
    reader.is_finished()?;
    if let Err(error) = keys::load(folder, &reader) {
        return Err(store::Error::Corrupt(error.to_string()));
    }
    let found = reader.contents()?;
    let until = found
        .last_mail()
        .map(|at| at.format(", the last of %Y-%m-%d %H:%M:%S UTC").to_string());
    Ok(format!(
        "found: {} players, {} boards, {} turns, {} mails{}\n{}",
        found.players,
        found.boards,
        found.turns,
        found.mails,
        until.unwrap_or_default(),
        replays::all(&reader, &progress, "")?
    ))
}
