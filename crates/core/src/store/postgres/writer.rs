//! The one writer.
//!
//! The lock is an advisory lock of the session that writes: a server that loses its session loses the lock, and with it
//! the only way in which it could write. So two servers never write at the same time, whatever either of them believes.
//!
//! The table `engine` has one row: who writes, and the number of its last batch, which each batch raises. If the connection is
//! lost during a commit, nobody knows whether it was carried out. A new session takes the lock, which it gets when the old
//! session has ended, and reads the number.
//!
//! A batch that has changed nothing else raises the number too. With synchronous replication its commit waits for the standby,
//! and with that for all commits before: a message that was taken before is answered as taken only when the standby has it.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::engine::Postgres;
use super::error::{lost, unexpected};
use super::hold::Hold;
use super::server::Server;
use super::{migrate, session};
use crate::store::migrations::{migrations, refuse_older};
use crate::store::{Error, Result};

/// How long a lock is waited for that a server has which just ended.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// How long the fate of a commit is asked for.
const FATE_WAIT: Duration = Duration::from_secs(20);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// A session that has not answered for so long is asked whether it is there.
const QUIET: Duration = Duration::from_secs(3);

/// A batch fails if its server is no longer the writer, which would be a defect of the lock.
const RAISE: &str = "UPDATE engine SET batch = $1 / CASE WHEN holder = $2 THEN 1 ELSE 0 END";

/// The machine and the process, for people.
fn host() -> String {
    let names = rustix::system::uname();
    let process = std::process::id();
    format!("{} (process {process})", names.nodename().to_string_lossy())
}

impl Postgres {
    /// Opens the writing connection; creates the tables if there are none.
    pub(in crate::store) fn open_for_writing(server: &Arc<Server>) -> Result<Self> {
        Self::open_with(server, |writer| match writer.migration()? {
            0 => migrate::run(writer, migrations(), &mut |_, _| {}),
            found => refuse_older(server, found),
        })
    }

    /// The same after missing migrations are applied, all or none.
    pub(in crate::store) fn open_migrated(
        server: &Arc<Server>,
        applying: &mut dyn FnMut(i64, i64),
    ) -> Result<Self> {
        Self::open_with(server, |writer| migrate::run(writer, migrations(), applying))
    }

    fn open_with(server: &Arc<Server>, prepare: impl FnOnce(&Self) -> Result<()>) -> Result<Self> {
        let writer = Self::new(server, Some(Hold::new()));
        let mut wire = session::open(server)?;
        let until = Instant::now() + LOCK_WAIT;
        while !session::try_lock(&mut wire)? {
            if Instant::now() > until {
                return Err(in_use(server));
            }
            sleep(PAUSE);
        }
        *writer.wire.borrow_mut() = Some(wire);
        prepare(&writer)?;
        let hold = writer.hold()?;
        let sql = "UPDATE engine SET holder = $1, host = $2, since = $3 RETURNING batch";
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let batch = writer.find(sql, &[&hold.holder, &host(), &now], |row| row.get(0))?;
        hold.batch.set(batch.ok_or_else(unexpected)?);
        Ok(writer)
    }

    fn hold(&self) -> Result<&Hold> {
        self.hold
            .as_ref()
            .ok_or_else(|| lost("this connection only reads"))
    }

    /// Takes the lock with a new session after one was lost; returns the number of the last batch that was committed.
    fn resume(&self) -> Result<i64> {
        let hold = self.hold()?;
        *self.wire.borrow_mut() = None;
        self.is_in_transaction.set(false);
        self.numbers.borrow_mut().clear();
        let mut wire = session::open(&self.server)?;
        if !session::try_lock(&mut wire)? {
            // Either the server has not noticed yet that our old session is over, or another server was quicker.
            return Err(match session::is_last_writer(&mut wire, &hold.holder)? {
                true => in_use(&self.server),
                false => Error::TakenOver,
            });
        }
        *self.wire.borrow_mut() = Some(wire);
        // It writes: what it reads is on the standby when it is believed.
        let sql = "UPDATE engine SET since = since WHERE holder = $1 RETURNING batch";
        let batch = self.find(sql, &[&hold.holder], |row| row.get(0));
        let batch = batch.and_then(|batch| self.with(session::was_replicated).map(|()| batch));
        match batch {
            Ok(Some(batch)) => {
                hold.batch.set(batch);
                hold.heard.set(Instant::now());
                Ok(batch)
            }
            taken => {
                *self.wire.borrow_mut() = None;
                taken?;
                Err(Error::TakenOver)
            }
        }
    }

    /// Checks that the session is there, or makes another one.
    pub(in crate::store) fn look(&self) -> Result<()> {
        let (hold, now) = (self.hold()?, Instant::now());
        let is_quiet = now - hold.heard.get() > QUIET;
        let has_ended = match &mut *self.wire.borrow_mut() {
            Some(wire) => wire.has_ended() || (is_quiet && wire.execute_simple("").is_err()),
            None => true,
        };
        if has_ended {
            self.resume()?;
        } else if is_quiet {
            hold.heard.set(now);
        }
        Ok(())
    }

    pub(in crate::store) fn begin(&self) -> Result<()> {
        if self.run("BEGIN").is_err() {
            self.resume()?;
            self.run("BEGIN")?;
        }
        self.is_in_transaction.set(true);
        Ok(())
    }

    pub(in crate::store) fn commit(&self) -> Result<()> {
        let (hold, now) = (self.hold()?, Instant::now());
        let batch = hold.batch.get() + 1;
        self.write(RAISE, &[&batch, &hold.holder])?;
        let committed = self.with(|wire| {
            wire.was_unsure();
            let done = wire.execute_simple("COMMIT")?;
            Ok((done.is_rolled_back, wire.was_unsure()))
        });
        self.is_in_transaction.set(false);
        match committed {
            Ok((false, false)) => {
                hold.batch.set(batch);
                hold.heard.set(now);
                Ok(())
            }
            Ok((true, _)) => Err(lost("the transaction had failed before its commit")),
            Ok((false, true)) => self.fate(batch, lost("the commit did not wait for the standby")),
            Err(error) => self.fate(batch, error),
        }
    }

    /// Finds out whether a batch was committed.
    fn fate(&self, batch: i64, error: Error) -> Result<()> {
        tracing::warn!(%error, "a commit was not answered: it is found out whether it was carried out");
        let until = Instant::now() + FATE_WAIT;
        loop {
            match self.resume() {
                Ok(last) if last == batch => {
                    tracing::info!("it was");
                    return Ok(());
                }
                Ok(_) => return Err(error),
                Err(Error::TakenOver) => return Err(Error::TakenOver),
                Err(_) if Instant::now() < until => sleep(PAUSE),
                Err(other) => {
                    tracing::error!(%other, "it could not be found out; all senders are asked to try again");
                    return Err(error);
                }
            }
        }
    }

    pub(in crate::store) fn rollback(&self) {
        if !self.is_in_transaction.replace(false) {
            return;
        }
        self.numbers.borrow_mut().clear();
        // What is undone may have failed.
        let settled = self.settle();
        if let Err(error) = self.run("ROLLBACK").and(settled) {
            tracing::debug!(%error, "rollback");
        }
    }
}

fn in_use(server: &Arc<Server>) -> Error {
    let reader = Postgres::open_for_reading(server);
    let by = reader.and_then(|reader| reader.holder()).ok().flatten();
    Error::InUse {
        database: server.to_string(),
        by: by.map(|holder| holder.host).unwrap_or_default(),
    }
}
