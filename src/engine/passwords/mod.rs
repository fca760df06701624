//! Checks and hashes passwords outside the engine's thread.
//!
//! The engine decides a message with what is known of its passwords. If it needs a hash, it says which and rolls the message
//! back; the hash is computed, and the message is decided again. So a line that is refused for any other reason costs no
//! hash, whatever the lines before it have changed.

mod budget;
mod hash_queue;
mod hashing;
mod remembered;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pbmserv_core::command::{Proofs, Script, Secret, Unchecked};
use pbmserv_core::store;
use pbmserv_mail::Key;
use pbmserv_mail::log_throttle::LogThrottle;

use super::readers::Readers;
use budget::Budget;
pub(super) use hash_queue::HashPermit;
use hash_queue::{AT_ONCE, Busy, HashQueue};
use hashing::{HashError, Hashing};
use remembered::Remembered;

/// How long the memory of hashes is kept, 19 MiB each, when no password comes.
const KEPT: Duration = Duration::from_secs(5);

/// The password checker.
#[derive(Debug)]
pub struct Passwords {
    readers: Readers,
    turns: Arc<HashQueue>,
    hashing: Hashing,
    remembered: Remembered,
    /// The processor time for the hashes of strangers.
    for_strangers: Mutex<Budget>,
    log: Mutex<LogThrottle>,
}

/// Why a password could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// There is no hash.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// Too many messages wait for a hash.
    #[error(transparent)]
    Busy(#[from] Busy),
}

impl Passwords {
    /// A checker that looks up the hashes with these connections.
    #[must_use]
    pub(super) fn new(readers: Readers, key: Key) -> Self {
        Self {
            readers,
            turns: Arc::default(),
            hashing: Hashing::new(AT_ONCE, KEPT),
            remembered: Remembered::new(key),
            for_strangers: Mutex::new(Budget::new(Instant::now())),
            log: Mutex::default(),
        }
    }

    /// The passwords of a message, with those that are remembered as correct. It takes only a database lookup.
    ///
    /// # Errors
    /// [`CheckError`]: the mail must be tried again later.
    pub(super) async fn recall(&self, script: &Script) -> Result<Proofs, CheckError> {
        let mut proofs = Proofs::of_lines(script.lines());
        if proofs.0.is_empty() {
            return Ok(proofs);
        }
        let userids: Vec<_> = proofs.0.iter().map(|proof| proof.userid_key.clone()).collect();
        let read = self.readers.ask(move |reader| {
            let players = userids.iter().map(|userid| reader.player(userid));
            players.collect::<store::Result<Vec<_>>>()
        });
        for (proof, player) in proofs.0.iter_mut().zip(read.await?) {
            if let Some(player) = player
                && self.remembered.has(&player.password_hash, &proof.password.0)
            {
                proof.checked = Some((player.password_hash, true));
            }
        }
        Ok(proofs)
    }

    /// Waits for the turn of a message from this source.
    ///
    /// # Errors
    /// [`CheckError::Busy`].
    pub(super) async fn permit(&self, unchecked: &Unchecked, source: &str) -> Result<HashPermit, CheckError> {
        Ok(self.turns.wait(unchecked, source).await?)
    }

    /// Notes a password as correct if another message has shown it meanwhile; returns whether it has.
    pub(super) fn recall_one(&self, unchecked: &Unchecked, proofs: &mut Proofs) -> bool {
        let Some(stored) = &unchecked.stored else {
            return false;
        };
        let is_good = self.remembered.has(stored, &unchecked.password.0);
        if is_good {
            proofs.note_checked(unchecked, stored.clone(), true);
        }
        is_good
    }

    /// Computes a hash that the engine needs.
    ///
    /// # Errors
    /// [`CheckError`]: the mail must be tried again later.
    pub(super) async fn check(&self, unchecked: &Unchecked, proofs: &mut Proofs) -> Result<(), CheckError> {
        if self.recall_one(unchecked, proofs) {
            return Ok(());
        }
        let started = Instant::now();
        let password = unchecked.password.clone();
        if let Some(stored) = unchecked.stored.clone() {
            let verified = self.hashing.verify(password, stored.clone()).await;
            let is_good = self.logged(verified.map_err(CheckError::from))?;
            if is_good {
                self.remembered.add(&stored, &unchecked.password.0);
            }
            proofs.note_checked(unchecked, stored, is_good);
        } else {
            let hash = self.hash(password).await?;
            self.remembered.add(&hash, &unchecked.password.0);
            proofs.note_fresh(unchecked, hash);
        }
        if !unchecked.is_from_owner {
            self.rest(started.elapsed()).await;
        }
        Ok(())
    }

    /// Waits until the strangers may have taken this much processor time. The message keeps its turn meanwhile.
    async fn rest(&self, taken: Duration) {
        let budget = self.for_strangers.lock();
        let pause = budget
            .unwrap_or_else(PoisonError::into_inner)
            .take(taken, Instant::now());
        tokio::time::sleep(pause).await;
    }

    /// Hashes a new password; returns a PHC string.
    ///
    /// # Errors
    /// [`CheckError`].
    pub(super) async fn hash(&self, password: Secret) -> Result<String, CheckError> {
        let hash = self.hashing.hash(password).await;
        self.logged(hash.map_err(CheckError::from))
    }

    /// Logs a failure when it begins and when it ends.
    fn logged<T>(&self, result: Result<T, CheckError>) -> Result<T, CheckError> {
        let Ok(mut log) = self.log.lock() else {
            return result;
        };
        match &result {
            // Stopping is no failure of the password check.
            Err(CheckError::Hash(HashError::Stopping)) => {}
            Err(error) if log.failed() => {
                tracing::error!("passwords cannot be checked, so mail is deferred: {error}");
            }
            Ok(_) if log.recovered() => tracing::info!("passwords can be checked again"),
            _ => {}
        }
        result
    }
}
