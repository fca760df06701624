//! Checks passwords off the engine's thread, a few at a time, and remembers those just found good.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Semaphore;

use crate::command::{Line, Place, Proof, Proofs, Script, Secret, Sender, Settings};
use crate::mail::Key;
use crate::store::{self, Reader};
use crate::told::Told;

/// Hashes made at once: each takes some ten milliseconds of a processor and 19 MiB.
const AT_ONCE: usize = 2;

/// How many good passwords are remembered.
const REMEMBERED: usize = 4096;

/// The checker of passwords.
#[derive(Debug)]
pub struct Passwords {
    database: PathBuf,
    permits: Arc<Semaphore>,
    /// Tags of (hash, password) under a key that dies with the process; no password can be read from them.
    good: Mutex<VecDeque<[u8; 16]>>,
    key: Key,
    /// Connections that nobody looks through at the moment: to open one costs more than to look up a hash.
    readers: Mutex<Vec<Reader>>,
    told: Mutex<Told>,
}

/// A password could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored hash is none, or no hash could be made.
    #[error("password hash: {0}")]
    Hash(String),
    /// The program is stopping.
    #[error("stopping")]
    Stopping,
}

impl Passwords {
    /// A checker that looks up hashes in this database.
    #[must_use]
    pub fn new(database: PathBuf, key: Key) -> Self {
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        Self {
            database,
            permits,
            good: Mutex::default(),
            key,
            readers: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// Checks the passwords of a message against what is stored now.
    ///
    /// # Errors
    /// [`CheckError`].
    pub async fn check(
        self: &Arc<Self>,
        script: &Script,
        sender: &Sender,
        settings: &Settings,
        now: DateTime<Utc>,
    ) -> Result<Proofs, CheckError> {
        let with_secret = script
            .lines()
            .into_iter()
            .filter(|line| line.secrets().next().is_some());
        let lines: Vec<Line> = with_secret.cloned().collect();
        if lines.is_empty() {
            return Ok(Proofs::default());
        }
        let permit = self
            .permits
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| CheckError::Stopping)?;
        let (this, sender_key) = (self.clone(), sender.key());
        let limits = (settings.guesses_from_one, settings.guesses_from_all);
        let checked = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let reader = this.reader()?;
            let mut proofs = Proofs::default();
            for line in &lines {
                if !proofs.know(line) {
                    let checked = this.check_line(&reader, line, &proofs, &sender_key, limits, now)?;
                    proofs.0.extend(checked.0);
                }
            }
            if let Ok(mut readers) = this.readers.lock() {
                readers.push(reader);
            }
            Ok(proofs)
        });
        let checked = checked.await.map_err(|_| CheckError::Stopping)?;
        self.tell(checked.as_ref().err());
        checked
    }

    fn tell(&self, trouble: Option<&CheckError>) {
        let Ok(mut told) = self.told.lock() else { return };
        match trouble {
            Some(error) if told.trouble() => {
                tracing::error!("passwords cannot be checked, and mail is put off until they can: {error}");
            }
            None if told.over() => tracing::info!("passwords can be checked again"),
            _ => {}
        }
    }

    /// A connection of one's own; there are never more than there are checks at once.
    fn reader(&self) -> store::Result<Reader> {
        match self.readers.lock().ok().and_then(|mut readers| readers.pop()) {
            Some(reader) => Ok(reader),
            None => Reader::open(&self.database),
        }
    }

    fn check_line(
        &self,
        reader: &Reader,
        line: &Line,
        known: &Proofs,
        sender_key: &str,
        (from_one, from_all): (u32, u32),
        now: DateTime<Utc>,
    ) -> Result<Proofs, CheckError> {
        let Some(userid) = line.word_in(Place::Userid) else {
            return Ok(Proofs::default());
        };
        let player = reader.player(&userid.text)?;
        let proving = line.password().map(|(_, password)| password);
        // Where no password proves who writes, a token does, and the command looks at that.
        let mut is_proven = proving.is_none() && player.is_some();
        let mut proofs = Vec::new();
        for (place, password) in line.secrets() {
            let mut proof = Proof {
                userid_key: userid.text.to_ascii_lowercase(),
                password: Secret(password.text.clone()),
                checked: None,
                fresh: None,
            };
            let is_proving = proving.is_some_and(|proving| proving.at == password.at);
            if is_proving {
                // An earlier line of the same mail may have made it the right one.
                is_proven = known.sets(userid, password);
                if let Some(player) = &player {
                    let (one, all) = reader.guesses(player.id, sender_key, now - TimeDelta::hours(1))?;
                    // Beyond the limits a password is not even looked at: the engine refuses it.
                    if one < from_one && all < from_all {
                        let is_good = self.verify(&player.password_hash, &password.text)?;
                        is_proven |= is_good;
                        proof.checked = Some((player.password_hash.clone(), is_good));
                    }
                }
            }
            // A hash costs some time: none is made for whoever has given a wrong password. For a signup one is
            // made even if there is such an account, which an earlier line of the same mail may erase.
            if place == Place::NewPassword && (is_proven || is_proving) {
                proof.fresh = Some(hash(&password.text)?);
            }
            proofs.push(proof);
        }
        Ok(Proofs(proofs))
    }

    fn verify(&self, stored: &str, password: &str) -> Result<bool, CheckError> {
        let tag = self
            .key
            .tag("password", format!("{stored}\n{password}").as_bytes());
        if self.good.lock().is_ok_and(|good| good.contains(&tag)) {
            return Ok(true);
        }
        let parsed = PasswordHash::new(stored).map_err(|error| CheckError::Hash(error.to_string()))?;
        let is_good = Argon2::default()
            .verify_password(password.as_bytes(), &parsed)
            .is_ok();
        if is_good && let Ok(mut good) = self.good.lock() {
            good.push_back(tag);
            if good.len() > REMEMBERED {
                good.pop_front();
            }
        }
        Ok(is_good)
    }
}

/// A new hash of a password, as a PHC string with its own salt (Argon2id, RFC 9106).
///
/// # Errors
/// The system gives no random salt.
pub fn hash(password: &str) -> Result<String, CheckError> {
    let hashed = Argon2::default().hash_password(password.as_bytes());
    hashed
        .map(|hash| hash.to_string())
        .map_err(|error| CheckError::Hash(error.to_string()))
}
