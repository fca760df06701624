//! Checks passwords outside the engine's thread, a few at a time, and caches those that were correct.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use chrono::{DateTime, Utc};
use tokio::sync::Semaphore;

use crate::command::{Argument, GuessLimits, Guesser, Line, Proof, Proofs, Script, Secret, Sender, Settings};
use crate::log_throttle::LogThrottle;
use crate::mail::Key;
use crate::store::{self, Reader};

/// Hashes computed at once. Each takes some ten milliseconds of CPU time and 19 MiB.
const AT_ONCE: usize = 2;

/// Size of the cache of correct passwords.
const REMEMBERED: usize = 4096;

/// The password checker.
#[derive(Debug)]
pub struct Passwords {
    database: PathBuf,
    permits: Arc<Semaphore>,
    /// Keyed tags of (hash, password). The key dies with the process, and no password can be recovered from a
    /// tag.
    good: Mutex<Good>,
    key: Key,
    /// Idle connections. Opening one costs more than looking up a hash.
    readers: Mutex<Vec<Reader>>,
    log: Mutex<LogThrottle>,
}

/// A bounded cache of passwords that were correct.
#[derive(Debug, Default)]
struct Good {
    tags: HashSet<[u8; 16]>,
    /// The oldest first.
    order: VecDeque<[u8; 16]>,
}

impl Good {
    fn remember(&mut self, tag: [u8; 16]) {
        if !self.tags.insert(tag) {
            return;
        }
        self.order.push_back(tag);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.tags.remove(&oldest);
        }
    }
}

/// Who asks, and the limits for wrong passwords.
struct Asker {
    sender: Sender,
    limits: GuessLimits,
    now: DateTime<Utc>,
}

/// How much time a check may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// Only a database lookup and the cache: cheaper than waking another thread.
    Remember,
    /// May compute a hash.
    Hash,
}

/// The result, or `None` if it needs a hash and none may be computed.
type Found<T> = Result<Option<T>, CheckError>;

/// Why a password could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored hash is malformed, or hashing failed.
    #[error("password hash: {0}")]
    Hash(String),
    /// The program is stopping.
    #[error("stopping")]
    Stopping,
}

impl Passwords {
    /// A checker that reads the hashes from this database.
    #[must_use]
    pub fn new(database: PathBuf, key: Key) -> Self {
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        Self {
            database,
            permits,
            good: Mutex::default(),
            key,
            readers: Mutex::default(),
            log: Mutex::default(),
        }
    }

    /// Checks the passwords of a message against the stored hashes.
    ///
    /// # Errors
    /// [`CheckError`]: the mail must be tried again later.
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
        let asker = Asker {
            sender: sender.clone(),
            limits: settings.guesses,
            now,
        };
        let checked = match self.check_lines(&lines, &asker, Effort::Remember) {
            Ok(None) => self.check_elsewhere(lines, asker).await,
            remembered => remembered,
        };
        self.log(checked.as_ref().err());
        Ok(checked?.unwrap_or_default())
    }

    /// Checks them in a blocking thread.
    async fn check_elsewhere(self: &Arc<Self>, lines: Vec<Line>, asker: Asker) -> Found<Proofs> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|_| CheckError::Stopping)?;
        let this = self.clone();
        let checked = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            this.check_lines(&lines, &asker, Effort::Hash)
        });
        checked.await.map_err(|_| CheckError::Stopping)?
    }

    fn check_lines(&self, lines: &[Line], asker: &Asker, effort: Effort) -> Found<Proofs> {
        let reader = self.reader()?;
        let mut proofs = Some(Proofs::default());
        for line in lines {
            if let Some(known) = proofs.as_mut().filter(|known| !known.know(line)) {
                match self.check_line(&reader, line, known, asker, effort)? {
                    Some(checked) => known.0.extend(checked.0),
                    None => proofs = None,
                }
            }
        }
        if let Ok(mut readers) = self.readers.lock() {
            readers.push(reader);
        }
        Ok(proofs)
    }

    fn log(&self, failure: Option<&CheckError>) {
        // Stopping is no failure of the password check.
        if matches!(failure, Some(CheckError::Stopping)) {
            return;
        }
        let Ok(mut log) = self.log.lock() else { return };
        match failure {
            Some(error) if log.failed() => {
                tracing::error!("passwords cannot be checked, so mail is deferred: {error}");
            }
            None if log.recovered() => tracing::info!("passwords can be checked again"),
            _ => {}
        }
    }

    /// Takes an idle connection or opens one. There are at most as many as concurrent checks.
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
        asker: &Asker,
        effort: Effort,
    ) -> Found<Proofs> {
        let Some(userid) = line.word_in(Argument::Userid) else {
            return Ok(Some(Proofs::default()));
        };
        let player = reader.player(&userid.text)?;
        let proving = line.password().map(|(_, password)| password);
        // Without a password a token must prove who writes; the command checks it.
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
                // An earlier line of the same mail may have set this password.
                is_proven = known.sets(userid, password);
                if let Some(player) = &player {
                    let guesser = Guesser::of(reader, &asker.sender, player.id)?;
                    // Beyond the limits the password is not checked at all: the engine will refuse it.
                    if !guesser.is_refused(reader, asker.limits, asker.now)? {
                        let Some(is_good) = self.verify(&player.password_hash, &password.text, effort)?
                        else {
                            return Ok(None);
                        };
                        is_proven |= is_good;
                        proof.checked = Some((player.password_hash.clone(), is_good));
                    }
                }
            }
            // Hashing is expensive, so there is no new hash after a wrong password. A signup always gets one,
            // even for an existing userid: an earlier line of the same mail may delete that account.
            if place == Argument::NewPassword && (is_proven || is_proving) {
                if effort == Effort::Remember {
                    return Ok(None);
                }
                proof.fresh = Some(hash(&password.text)?);
            }
            proofs.push(proof);
        }
        Ok(Some(Proofs(proofs)))
    }

    fn verify(&self, stored: &str, password: &str, effort: Effort) -> Found<bool> {
        let tag = self
            .key
            .tag("password", format!("{stored}\n{password}").as_bytes());
        if self.good.lock().is_ok_and(|good| good.tags.contains(&tag)) {
            return Ok(Some(true));
        }
        if effort == Effort::Remember {
            return Ok(None);
        }
        let parsed = PasswordHash::new(stored).map_err(|error| CheckError::Hash(error.to_string()))?;
        let is_good = Argon2::default()
            .verify_password(password.as_bytes(), &parsed)
            .is_ok();
        if is_good && let Ok(mut good) = self.good.lock() {
            good.remember(tag);
        }
        Ok(Some(is_good))
    }
}

/// Hashes a password with a random salt; returns a PHC string (Argon2id, RFC 9106).
///
/// # Errors
/// The system provides no randomness.
pub fn hash(password: &str) -> Result<String, CheckError> {
    let hashed = Argon2::default().hash_password(password.as_bytes());
    hashed
        .map(|hash| hash.to_string())
        .map_err(|error| CheckError::Hash(error.to_string()))
}
