//! `store copy`: the whole database from SQLite to PostgreSQL, or back, while no server runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use crate::config::Config;
use crate::engine::folder::{Folder, FolderError, Lock};
use crate::engine::place::{self, Elsewhere};
use crate::engine::{copies, keys, permissions};
use pbmserv_core::store::{Contents, Copied, Location, Moving, Reader, Server, Target, Transfer};
use pbmserv_mail::Key;
use pbmserv_mail::login::Login;

use super::caller::Caller;
use super::progress::Progress;
use super::replays;
use super::sure::Sure;

// Comments of these are lines of the help.
#[derive(Clone, Debug, Subcommand)]
pub enum StoreVerb {
    /// Copy the whole database from SQLite to PostgreSQL, or back, and compare both. No server may run. A copy that was
    /// interrupted goes on when it is run again.
    Copy(StoreCopy),
}

#[derive(Clone, Debug, Args)]
pub struct StoreCopy {
    /// From here: a data folder, or postgres://USER@HOST/DATABASE. Default: what the configuration names.
    #[arg(long, value_name = "PLACE", required_unless_present = "to")]
    pub from: Option<String>,
    /// To here: an empty database. Default: what the configuration names.
    #[arg(long, value_name = "PLACE")]
    pub to: Option<String>,
    /// The file with the password for PostgreSQL. Default: store.password_file.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    #[command(flatten)]
    pub sure: Sure,
}

/// Where a database is, locked if it is in a folder. That at a server is locked by the session that uses it.
struct End {
    /// `None`: it is at a server.
    folder: Option<(Folder, Lock)>,
    location: Location,
}

impl End {
    /// For messages, and for the note in the source.
    fn name(&self) -> String {
        self.location.to_string()
    }

    /// The file that becomes the database when it is complete, otherwise the database itself.
    fn fresh(&self) -> Location {
        match &self.location {
            Location::File(path) => Location::File(path.with_extension("sqlite.copied")),
            server => server.clone(),
        }
    }
}

impl StoreVerb {
    /// The same as a question, if the operator is to be asked on a terminal.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Self> {
        let Self::Copy(copy) = self;
        let sure = copy.sure.rehearsal()?;
        Some(Self::Copy(StoreCopy { sure, ..copy.clone() }))
    }

    /// Carries it out. Returns what to print.
    ///
    /// # Errors
    /// A server uses one of the databases, or one cannot be read or written. What was copied stays for the next attempt.
    pub fn run(&self, config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
        let Self::Copy(copy) = self;
        copy.run(config, now)
    }
}

impl StoreCopy {
    fn run(&self, config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
        let from = self.end(config, self.from.as_deref(), false)?;
        let to = self.end(config, self.to.as_deref(), true)?;
        anyhow::ensure!(
            from.name() != to.name(),
            "{}: it is both --from and --to",
            to.name()
        );
        let is_left = is_left(&from, &to)?;
        if let Some(file) = to.location.file().filter(|file| file.exists()) {
            anyhow::ensure!(
                is_left,
                "{0}: there is a database already: move it and the file key beside it away, or name another folder",
                file.display()
            );
            return Ok(format!(
                "{} was copied before\n{}",
                from.name(),
                self.next(config, &to)
            ));
        }
        let key = from.key()?;
        to.has_no_other(&key)?;
        if self.sure.dry_run {
            return plan(&from, &to);
        }
        let progress = Progress::begin("opening both databases");
        let transfer = Transfer::open(&from.location, &to.fresh()).map_err(with_remedy)?;
        let out = match transfer.target().map_err(with_remedy)? {
            Target::Used if is_left => format!("{} was copied before\n", from.name()),
            _ => {
                let copied = copy(&transfer, &progress).map_err(with_remedy)?;
                // All rows are equal.
                let replayed = replays::all(transfer.to(), &progress, ", as in the old database");
                let replayed = replayed.map_err(with_remedy)?;
                let said = report(&copied, &transfer.to().contents()?) + &replayed;
                progress.say("opening the copy");
                finish(transfer, &from, &to, &key, &copied, now).map_err(with_remedy)?;
                said
            }
        };
        to.put_in_place(&key)?;
        Ok(format!("{out}{}", self.next(config, &to)))
    }

    /// Where a database is, by the word of the operator or by the configuration. A folder is locked.
    fn end(&self, config: &Config, place: Option<&str>, makes: bool) -> anyhow::Result<End> {
        let server = match place {
            None => config.database_server()?,
            Some(place) if place.starts_with("postgres://") || place.starts_with("postgresql://") => {
                Some(Arc::new(self.server(config, place)?))
            }
            Some(_) => None,
        };
        if let Some(server) = server {
            return Ok(End {
                folder: None,
                location: Location::Server(server),
            });
        }
        let path = place.map_or(config.server.data.as_path(), Path::new);
        let path = std::path::absolute(path)?;
        let folder = match makes {
            true => Folder::open(&path)?,
            false => Folder::existing(&path)?,
        };
        let lock = folder.lock().map_err(|error| match error {
            FolderError::InUse(path) => {
                anyhow::anyhow!("a pbmserv uses the data folder {path}: stop it (systemctl stop pbmserv)")
            }
            other => other.into(),
        })?;
        if makes {
            permissions::close_to_others(&path)?;
        } else {
            folder.was_not_emptied()?;
            anyhow::ensure!(
                folder.database().exists(),
                FolderError::NoDatabase(path.display().to_string())
            );
        }
        let location = folder.location();
        let folder = Some((folder, lock));
        Ok(End { folder, location })
    }

    fn server(&self, config: &Config, url: &str) -> anyhow::Result<Server> {
        let file = self.password_file.as_ref().unwrap_or(&config.store.password_file);
        let login = Login::configured("store", "password", file, "")?;
        // The message has no part of the address.
        Server::new(url, login).map_err(|error| anyhow::anyhow!("the address of the database: {error}"))
    }

    /// What the operator does next.
    fn next(&self, config: &Config, to: &End) -> String {
        let file = config.places.file().unwrap_or("the configuration");
        let is_configured = config
            .database_server()
            .is_ok_and(|server| server.is_some_and(|server| server.to_string() == to.name()));
        match (&to.folder, self.to.is_some()) {
            (_, false) => "next: start the server\n".to_owned(),
            (None, true) if is_configured => "next: start the server\n".to_owned(),
            (None, true) => format!(
                "next: set [store] url in {file} to the address that you gave to --to (and password_file, if it needs one), and start \
                 the server\n"
            ),
            (Some((folder, _)), true) => format!(
                "next: in {file}, set [server] data = \"{}\" and remove [store] url, and start the server\n",
                folder.path().display()
            ),
        }
    }
}

impl End {
    fn reader(&self) -> anyhow::Result<Reader> {
        Reader::open(&self.location).map_err(with_remedy)
    }

    /// The key of tokens.
    fn key(&self) -> anyhow::Result<Key> {
        match &self.folder {
            Some((folder, _)) => keys::load(folder, &self.reader()?),
            None => keys::of_database(&self.reader()?),
        }
    }

    /// A key in the target's folder may be that of a database which was moved away.
    fn has_no_other(&self, key: &Key) -> anyhow::Result<()> {
        let Some((folder, _)) = self.folder.as_ref().filter(|(folder, _)| folder.key().exists()) else {
            return Ok(());
        };
        let shown = folder.key();
        anyhow::ensure!(
            Key::load(&shown)?.text() == key.text(),
            "{}: there is another key already: move it away, or name another folder",
            shown.display()
        );
        Ok(())
    }

    /// Gives a complete copy the name of the database. A key without a database keeps a server from starting, and a database
    /// without its key too.
    fn put_in_place(&self, key: &Key) -> anyhow::Result<()> {
        let (Some((folder, _)), Location::File(fresh)) = (&self.folder, self.fresh()) else {
            return Ok(());
        };
        if !folder.key().exists() {
            key.replace(&folder.key())?;
        }
        let placed = copies::sync(&fresh)
            .and_then(|()| fs::rename(&fresh, folder.database()))
            .and_then(|()| copies::sync(folder.path()));
        placed.with_context(|| folder.database().display().to_string())
    }
}

/// Whether the source was left for this target already; the copy may lack its last step.
fn is_left(from: &End, to: &End) -> anyhow::Result<bool> {
    let found = place::elsewhere(&from.reader()?).map_err(with_remedy)?;
    match (found, &from.folder) {
        (None, _) => Ok(false),
        (Some(Elsewhere::Moved { to: known }), _) if known == to.name() => Ok(true),
        (Some(found), Some((folder, _))) => Err(folder.copy(found).into()),
        (Some(found), None) => {
            anyhow::bail!("{} {found}: pbmserv adopt makes it a server's again", from.name())
        }
    }
}

/// What would be done.
fn plan(from: &End, to: &End) -> anyhow::Result<String> {
    let source = from.reader()?.contents().map_err(with_remedy)?;
    let target = match (&to.location, to.fresh()) {
        (Location::File(_), Location::File(fresh)) if !fresh.exists() => Target::Empty,
        (_, fresh) => Reader::open(fresh)
            .and_then(|reader| reader.as_target())
            .map_err(with_remedy)?,
    };
    let state = match target {
        Target::Empty => "which is empty".to_owned(),
        Target::Begun { from } => format!("which has the beginning of a copy of {from}"),
        Target::Used => anyhow::bail!(pbmserv_core::store::Error::NotEmpty(to.name())),
    };
    Ok(format!(
        "{} has {} players, {} boards, {} turns and {} mails.\n\
         All of it is copied to {}, {state}, and compared. No server may be started meanwhile.\n\
         Afterwards a server that is started with the old database says where the new one is, and ends.\n",
        from.name(),
        source.players,
        source.boards,
        source.turns,
        source.mails,
        to.name()
    ))
}

fn copy(transfer: &Transfer, progress: &Progress) -> pbmserv_core::store::Result<Copied> {
    let mut last = None;
    transfer.run(&mut |stage, rows| {
        if last.replace(stage) != Some(stage) {
            progress.say(match stage {
                Moving::Resuming => "comparing what was copied before",
                Moving::Anew => "the source has changed: beginning anew",
                Moving::Copying => "copying the database",
                Moving::Comparing => "comparing both databases",
            });
        }
        progress.at(rows, transfer.rows());
    })
}

fn finish(
    transfer: Transfer,
    from: &End,
    to: &End,
    key: &Key,
    copied: &Copied,
    now: DateTime<Utc>,
) -> pbmserv_core::store::Result<()> {
    let what = format!("copied from {}: {} rows", from.name(), copied.rows);
    let entry = Caller::of_this_process().audited("store copy", "all", what, String::new());
    // No server uses the old database from here on, and none the new one before it is complete.
    place::leave(transfer.from(), &to.name())?;
    let store = transfer.finish(&[place::PLACE, place::MOVED, keys::KEY], |store| {
        if to.folder.is_none() {
            keys::set_in_database(store, key)?;
        }
        place::record(store)?;
        store.add_audited(now, &entry)
    })?;
    store.close_alone()
}

fn report(copied: &Copied, contents: &Contents) -> String {
    format!(
        "copied: {} players, {} boards, {} turns, {} mails\n\
         all {} rows of {} tables are equal on both sides (SHA-256 {})\n",
        contents.players,
        contents.boards,
        contents.turns,
        contents.mails,
        copied.rows,
        copied.tables,
        copied.digest
    )
}

fn with_remedy(error: pbmserv_core::store::Error) -> anyhow::Error {
    let remedy = error.remedy();
    match &error {
        // They say it themselves.
        pbmserv_core::store::Error::Older { .. }
        | pbmserv_core::store::Error::Newer { .. }
        | pbmserv_core::store::Error::Unreleased { .. }
        | pbmserv_core::store::Error::NotEmpty(_) => error.into(),
        _ => anyhow::anyhow!("{error}: {remedy}; what was copied stays, and the same command goes on"),
    }
}
