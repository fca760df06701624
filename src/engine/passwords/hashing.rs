//! Argon2id (RFC 9106), a few hashes at a time, each in memory that is used again, and freed when no password comes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use rand::TryRng;
use rand::rngs::SysRng;
use tokio::sync::Semaphore;

use pbmserv_core::command::Secret;

/// The memory of one hash: 19 MiB since the first.
type Memory = Vec<Block>;

/// Memory that is not in use, and since when.
type Idle = (Memory, Instant);

/// Computes hashes in blocking threads.
#[derive(Debug)]
pub(super) struct Hashing {
    permits: Arc<Semaphore>,
    /// The last used is taken first.
    idle: Arc<Mutex<Vec<Idle>>>,
    /// How long memory is kept that nobody uses.
    kept: Duration,
}

/// Why there is no hash.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// A stored hash is malformed, or hashing failed.
    #[error("password hash: {0}")]
    Failed(String),
    /// The program is stopping.
    #[error("stopping")]
    Stopping,
}

impl Hashing {
    /// Memory for this many hashes at a time.
    pub(super) fn new(at_once: usize, kept: Duration) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            idle: Arc::default(),
            kept,
        }
    }

    /// Whether a password is the one of this PHC string.
    ///
    /// # Errors
    /// [`HashError`].
    pub(super) async fn verify(&self, password: Secret, stored: String) -> Result<bool, HashError> {
        self.with_memory(move |memory| verify(&password.0, &stored, memory))
            .await
    }

    /// Hashes a password with a random salt; returns a PHC string.
    ///
    /// # Errors
    /// [`HashError`].
    pub(super) async fn hash(&self, password: Secret) -> Result<String, HashError> {
        self.with_memory(move |memory| hash(&password.0, memory)).await
    }

    async fn with_memory<T: Send + 'static>(
        &self,
        compute: impl FnOnce(&mut Memory) -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = self.permits.clone().acquire_owned().await;
        let permit = permit.map_err(|_| HashError::Stopping)?;
        let (idle, kept) = (self.idle.clone(), self.kept);
        let computed = tokio::task::spawn_blocking(move || {
            // Until the memory is idle again, even if nobody waits for the hash any more.
            let _permit = permit;
            let taken = lock(&idle).pop();
            let mut memory = taken.map(|(memory, _)| memory).unwrap_or_default();
            let computed = compute(&mut memory);
            lock(&idle).push((memory, Instant::now()));
            tokio::spawn(async move {
                tokio::time::sleep(kept).await;
                lock(&idle).retain(|(_, since)| since.elapsed() < kept);
            });
            computed
        });
        computed.await.map_err(|_| HashError::Stopping)?
    }
}

fn lock(idle: &Mutex<Vec<Idle>>) -> MutexGuard<'_, Vec<Idle>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn verify(password: &str, stored: &str, memory: &mut Memory) -> Result<bool, HashError> {
    let stored = PasswordHash::new(stored).map_err(failed)?;
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
        return Err(failed("it has no salt or no hash"));
    };
    let algorithm = Algorithm::try_from(stored.algorithm.as_str()).map_err(failed)?;
    let version = stored.version.map_or(Ok(Version::default()), Version::try_from);
    let params = Params::try_from(&stored).map_err(failed)?;
    let argon2 = Argon2::new(algorithm, version.map_err(failed)?, params);
    // Outputs are compared in constant time.
    Ok(output(&argon2, password, salt, memory)? == *expected)
}

fn hash(password: &str, memory: &mut Memory) -> Result<String, HashError> {
    let argon2 = Argon2::default();
    let mut salt = [0; Salt::RECOMMENDED_LENGTH];
    SysRng.try_fill_bytes(&mut salt).map_err(failed)?;
    let salt = Salt::new(&salt).map_err(failed)?;
    let hash = PasswordHash {
        algorithm: Algorithm::default().ident(),
        version: Some(Version::default().into()),
        params: ParamsString::try_from(argon2.params()).map_err(failed)?,
        salt: Some(salt),
        hash: Some(output(&argon2, password, &salt, memory)?),
    };
    Ok(hash.to_string())
}

fn output(
    argon2: &Argon2<'_>,
    password: &str,
    salt: &Salt,
    memory: &mut Memory,
) -> Result<Output, HashError> {
    let blocks = argon2.params().block_count();
    if memory.len() < blocks {
        memory.reserve_exact(blocks - memory.len());
        memory.resize(blocks, Block::new());
    }
    let mut output = [0; Output::MAX_LENGTH];
    let length = argon2.params().output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let output = output.get_mut(..length).ok_or_else(|| failed("it is too long"))?;
    argon2
        .hash_password_into_with_memory(password.as_bytes(), salt, output, memory)
        .map_err(failed)?;
    Output::new(output).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> HashError {
    HashError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::{PasswordHasher, PasswordVerifier};

    use super::*;

    #[test]
    fn hashes_are_those_of_the_library_in_both_directions_and_in_used_memory() {
        let library = Argon2::default();
        let mut memory = Memory::new();
        for password in ["fig7elk", "oak4jay", "pässword"] {
            let theirs = library.hash_password(password.as_bytes()).unwrap().to_string();
            assert!(verify(password, &theirs, &mut memory).unwrap());
            assert!(!verify("mistaken", &theirs, &mut memory).unwrap());
            let ours = hash(password, &mut memory).unwrap();
            assert!(ours.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{ours}");
            let parsed = PasswordHash::new(&ours).unwrap();
            library.verify_password(password.as_bytes(), &parsed).unwrap();
            assert!(library.verify_password(b"mistaken", &parsed).is_err());
        }
        assert_eq!(memory.len(), Params::default().block_count());
    }

    #[test]
    fn a_hash_of_other_parameters_is_verified_by_them() {
        let mut memory = Memory::new();
        for (kib, length) in [(64, 16), (32, 32), (30_000, 24)] {
            let params = Params::new(kib, 3, 2, Some(length)).unwrap();
            let stored = Argon2::new(Algorithm::Argon2id, Version::V0x10, params)
                .hash_password(b"fig7elk")
                .unwrap()
                .to_string();
            assert!(verify("fig7elk", &stored, &mut memory).unwrap(), "{stored}");
            assert!(!verify("oak4jay", &stored, &mut memory).unwrap(), "{stored}");
        }
    }

    #[test]
    fn what_is_no_hash_is_an_error_and_no_wrong_password() {
        for stored in [
            "",
            "fig7elk",
            "$argon2id$v=19$m=19456,t=2,p=1",
            "$scrypt$ln=15$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo",
        ] {
            assert!(verify("fig7elk", stored, &mut Memory::new()).is_err(), "{stored}");
        }
    }

    #[tokio::test]
    async fn memory_is_allocated_once_for_each_hash_at_a_time_and_freed_when_no_password_comes() {
        let hashing = Arc::new(Hashing::new(2, Duration::from_millis(200)));
        let hashes = (0..6).map(|_| {
            let hashing = hashing.clone();
            tokio::spawn(async move { hashing.hash(Secret("fig7elk".to_owned())).await })
        });
        for hash in hashes.collect::<Vec<_>>() {
            hash.await.unwrap().unwrap();
        }
        let kept = || hashing.idle.lock().unwrap().len();
        assert!((1..=2).contains(&kept()));
        while kept() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        hashing.hash(Secret("fig7elk".to_owned())).await.unwrap();
        assert_eq!(kept(), 1);
    }
}
