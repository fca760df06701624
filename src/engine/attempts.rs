//! A position that ends the program while a computer thinks about it is found, and left alone.
//!
//! This is what the engine does for messages ([`worker`](super::worker)): after an unclean stop each thought is noted in the
//! database before it begins, and positions are thought about one at a time, so that the note names the right one. What was
//! begun [`MAX_BEGUN`] times without an end is not begun again.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Mutex as Turnstile, MutexGuard};

use pbmserv_core::store::{self, ThoughtPosition};

use super::worker::{MAX_BEGUN, cautious_until};
use super::{Engine, Unavailable};

/// The thoughts that are under way.
#[derive(Default)]
pub(super) struct Attempts {
    /// Held while a thought is noted, until it has ended.
    alone: Turnstile<()>,
    /// What this process has noted. It has survived that, so one note is enough.
    noted: Mutex<HashSet<ThoughtPosition>>,
}

/// A thought that may begin.
pub(super) struct Attempt<'a> {
    position: ThoughtPosition,
    /// `None` if it is not noted.
    noted: Option<MutexGuard<'a, ()>>,
}

impl Attempts {
    /// Notes that a thought begins, if that must be known after a crash. `None`: the position has ended the program too often.
    pub(super) async fn begin(
        &self,
        engine: &Engine,
        position: ThoughtPosition,
    ) -> Result<Option<Attempt<'_>>, Unavailable> {
        let alone = self.alone.lock().await;
        let is_noted = self.known().contains(&position);
        let noted = engine
            .write(move |store, now| -> store::Result<Option<bool>> {
                if store.thoughts_begun(position)? >= MAX_BEGUN && !is_noted {
                    return Ok(None);
                }
                let is_cautious = cautious_until(store)?.is_some_and(|until| now < until);
                if is_cautious && !is_noted {
                    store.begin_thought(position)?;
                }
                Ok(Some(is_cautious))
            })
            .await?;
        let Some(is_cautious) = noted else {
            return Ok(None);
        };
        if is_cautious {
            self.known().insert(position);
        }
        Ok(Some(Attempt {
            position,
            noted: is_cautious.then_some(alone),
        }))
    }

    /// The thought has ended, and the program has not.
    pub(super) async fn end(&self, engine: &Engine, attempt: Attempt<'_>) -> Result<(), Unavailable> {
        let Attempt { position, noted } = attempt;
        if noted.is_some() {
            engine
                .write(move |store, _| store.end_thought(position.board))
                .await?;
            self.known().remove(&position);
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashSet<ThoughtPosition>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
