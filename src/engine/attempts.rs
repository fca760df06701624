//! A position that ends the program while a computer thinks about it is found, and left alone.
//!
//! This is what the engine does for messages ([`worker`](super::worker)): after an unclean stop each thought is noted in the
//! database before it begins, and positions are thought about one at a time, so that the note names the right one. What was
//! begun [`MAX_BEGUN`] times without an end is not begun again.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Mutex as Turnstile, MutexGuard};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use pbmserv_core::store::{self, Store, ThoughtPosition};

use super::worker::{MAX_BEGUN, cautious_until};
use super::{Engine, Unavailable};

/// The thoughts that are under way.
#[derive(Default)]
pub(super) struct Attempts {
    /// Held while a thought is noted, until it has ended.
    alone: Turnstile<()>,
    /// What this process has noted. It has survived that, so one note is enough.
    noted: Mutex<HashSet<Noted>>,
}

/// What is thought about, as the database knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Noted {
    /// The position of a board.
    Board(ThoughtPosition),
    /// The digest of a visitor's game, of which nothing else is stored. It is noted and forgotten as a message is.
    Visitor([u8; 32]),
    /// The search for this issue of the gazette. It is noted as a visitor's game is.
    Gazette(i64),
}

impl Noted {
    /// The digest of what has no position of a board.
    fn digest(self) -> [u8; 32] {
        match self {
            Self::Visitor(game) => game,
            Self::Gazette(number) => Sha256::digest(format!("gazette {number}")).into(),
            Self::Board(_) => [0; 32],
        }
    }

    fn times(self, store: &Store) -> store::Result<u32> {
        match self {
            Self::Board(position) => store.thoughts_begun(position),
            other => Ok(store.begun(&other.digest())?.map_or(0, |(times, _)| times)),
        }
    }

    fn begin(self, store: &Store, now: DateTime<Utc>) -> store::Result<()> {
        match self {
            Self::Board(position) => store.begin_thought(position),
            other => store.add_begun(&other.digest(), now),
        }
    }

    fn end(self, store: &Store) -> store::Result<()> {
        match self {
            Self::Board(position) => store.end_thought(position.board),
            other => store.remove_begun(&other.digest()),
        }
    }
}

/// A thought that may begin.
pub(super) struct Attempt<'a> {
    about: Noted,
    /// `None` if it is not noted.
    noted: Option<MutexGuard<'a, ()>>,
}

impl Attempts {
    /// Notes that a thought begins, if that must be known after a crash. `None`: the position has ended the program too often.
    pub(super) async fn begin(
        &self,
        engine: &Engine,
        about: Noted,
    ) -> Result<Option<Attempt<'_>>, Unavailable> {
        let alone = self.alone.lock().await;
        let is_noted = self.known().contains(&about);
        let noted = engine
            .write(move |store, now| -> store::Result<Option<bool>> {
                if about.times(store)? >= MAX_BEGUN && !is_noted {
                    return Ok(None);
                }
                let is_cautious = cautious_until(store)?.is_some_and(|until| now < until);
                if is_cautious && !is_noted {
                    about.begin(store, now)?;
                }
                Ok(Some(is_cautious))
            })
            .await?;
        let Some(is_cautious) = noted else {
            return Ok(None);
        };
        if is_cautious {
            self.known().insert(about);
        }
        Ok(Some(Attempt {
            about,
            noted: is_cautious.then_some(alone),
        }))
    }

    /// The thought has ended, and the program has not.
    pub(super) async fn end(&self, engine: &Engine, attempt: Attempt<'_>) -> Result<(), Unavailable> {
        let Attempt { about, noted } = attempt;
        if noted.is_some() {
            engine.write(move |store, _| about.end(store)).await?;
            self.known().remove(&about);
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashSet<Noted>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
