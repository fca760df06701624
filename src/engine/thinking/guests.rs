//! A computer's answers to visitors without an account. Nothing of their games is stored, so nothing waits in the database: who
//! visits waits here, a little while. They have one place of their own, whatever the number of visitors, and only the time of a
//! processor that nobody else wants, so no mail and no player's computer waits for them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pbmserv_games::Seat;
use pbmserv_games::bots::think;
use pbmserv_games::record::Record;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use pbmserv_core::table::GuestGame;

use crate::engine::Engine;
use crate::engine::attempts::{Attempts, Noted};

use super::thought::seed_of;
use super::thread::{Share, Thinker};

/// Visitors who are answered at a time.
const PLACES: usize = 1;

/// The most visitors who wait or are answered; more are turned away at once.
const MAX_WAITING: usize = 64;

/// How long a visitor waits for an answer, with the time in which it is found: with the weakest level some milliseconds.
const PATIENCE: Duration = Duration::from_secs(8);

/// Why a visitor has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// Too many others are answered: it may be asked again.
    Busy,
    /// Thinking about this game has ended the program several times.
    Left,
    /// A fault of ours.
    Fault(String),
}

/// Where visitors are answered.
#[derive(Debug)]
pub struct Guests {
    /// Room for those who wait or are answered.
    pub waiting: Semaphore,
    places: Arc<Semaphore>,
}

impl Default for Guests {
    fn default() -> Self {
        Self {
            waiting: Semaphore::new(MAX_WAITING),
            places: Arc::new(Semaphore::new(PLACES)),
        }
    }
}

impl Guests {
    pub(super) async fn answer(
        &self,
        game: GuestGame,
        noting: (&Attempts, &Engine),
    ) -> Result<Vec<String>, NoAnswer> {
        let about = Noted::Visitor(digest_of(&game.record()));
        self.served(PATIENCE, Some((noting, about)), move |stop| answer(&game, stop))
            .await
    }

    /// What comes of this work, in a thread that has a place as long as it runs. It is noted as what it is about.
    async fn served<T: Send + 'static>(
        &self,
        patience: Duration,
        noting: Option<((&Attempts, &Engine), Noted)>,
        work: impl FnOnce(&AtomicBool) -> Result<T, String> + Send + 'static,
    ) -> Result<T, NoAnswer> {
        let _waiting = self.waiting.try_acquire().map_err(|_| NoAnswer::Busy)?;
        let served = timeout(patience, async {
            let place = self.places.clone().acquire_owned().await;
            let place = place.map_err(|_| NoAnswer::Busy)?;
            let attempt = match noting {
                None => None,
                Some(((attempts, engine), about)) => {
                    let attempt = attempts.begin(engine, about).await;
                    let attempt = attempt.map_err(|_| NoAnswer::Busy)?.ok_or(NoAnswer::Left)?;
                    Some((attempts, engine, attempt))
                }
            };
            let thinker = Thinker::start(Share::Idle, move |stop| {
                let _place = place;
                work(stop)
            });
            let found = match thinker {
                Ok(mut thinker) => thinker.thought().await,
                Err(why) => Err(why),
            };
            if let Some((attempts, engine, attempt)) = attempt {
                attempts.end(engine, attempt).await.map_err(|_| NoAnswer::Busy)?;
            }
            found.map(|(found, _)| found).map_err(NoAnswer::Fault)
        });
        served.await.unwrap_or(Err(NoAnswer::Busy))
    }
}

/// What is noted of a game while it is thought about.
#[must_use]
pub fn digest_of(game: &Record) -> [u8; 32] {
    Sha256::digest(format!("pbmserv: a visitor's game {game}")).into()
}

fn answer(game: &GuestGame, stop: &AtomicBool) -> Result<Vec<String>, String> {
    let record = game.record();
    let mut position = record.replay().map_err(|error| error.to_string())?.position;
    let mut turns = game.turns.clone();
    let level = GuestGame::opponent().level;
    while position.to_move() == Some(Seat::Second) {
        let seed = seed_of(&format!("{} {}", game.game.facts.name, turns.join(" ")));
        let found = think(position.as_ref(), level, seed, stop).ok_or("it found no turn")?;
        turns.push(
            position
                .play(&found.turn)
                .map_err(|refusal| refusal.to_string())?,
        );
        game.roll(position.as_mut());
    }
    Ok(turns.split_off(game.turns.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use pbmserv_games::GAMES;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_game_is_answered_in_the_same_way_each_time() {
        let guests = Guests::default();
        for game in GAMES {
            let mut visited = match game.facts.has_dice {
                true => GuestGame::with_dice(game, [7; 32], "plum"),
                false => GuestGame::new(game),
            };
            let answer = |visited: &GuestGame| {
                guests.served(LONG, None, {
                    let visited = visited.clone();
                    move |stop| answer(&visited, stop)
                })
            };
            assert_eq!(answer(&visited).await, Ok(Vec::new()), "the visitor is to move");
            visited.turns = vec![visited.record().replay().unwrap().position.turns(1).remove(0)];
            let first = answer(&visited).await.unwrap();
            assert_eq!(answer(&visited).await.as_ref(), Ok(&first));
            visited.turns.extend(first);
            assert_eq!(
                visited.record().replay().unwrap().to_move(),
                Some(Seat::First),
                "{}",
                game.facts.name
            );
        }
    }

    /// However many come: one is answered at a time, and who finds too many before them is told so at once.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn visitors_have_one_place() {
        let guests = Arc::new(Guests::default());
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (go, gate) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(gate));
        let visitors: Vec<_> = (0..MAX_WAITING)
            .map(|_| {
                let (guests, at_once, most) = (guests.clone(), at_once.clone(), most.clone());
                let gate = gate.clone();
                tokio::spawn(async move {
                    let work = move |_: &AtomicBool| {
                        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        gate.lock().unwrap().recv().map_err(|error| error.to_string())?;
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        Ok(())
                    };
                    guests.served(LONG, None, work).await
                })
            })
            .collect();
        while guests.waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(guests.served(LONG, None, |_| Ok(())).await, Err(NoAnswer::Busy));
        for _ in 0..MAX_WAITING {
            go.send(()).unwrap();
        }
        for visitor in visitors {
            assert_eq!(visitor.await.unwrap(), Ok(()));
        }
        assert_eq!(most.load(Ordering::SeqCst), PLACES);
        assert_eq!(guests.served(LONG, None, |_| Ok(1)).await, Ok(1));
    }

    #[tokio::test]
    async fn who_waits_too_long_is_told_so_and_leaves_no_trace() {
        let guests = Guests::default();
        let held = guests.places.clone().acquire_owned().await.unwrap();
        let ran = Arc::new(AtomicBool::new(false));
        let has_run = ran.clone();
        let work = move |_: &AtomicBool| {
            has_run.store(true, Ordering::SeqCst);
            Ok(())
        };
        assert_eq!(
            guests.served(Duration::ZERO, None, work).await,
            Err(NoAnswer::Busy)
        );
        drop(held);
        assert_eq!(guests.served(LONG, None, |_| Ok(())).await, Ok(()));
        assert!(!ran.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_fault_of_ours_frees_the_place() {
        let guests = Guests::default();
        for _ in 0..2 {
            let failed = guests.served::<()>(LONG, None, |_| panic!("a bug")).await;
            assert_eq!(failed, Err(NoAnswer::Fault("a bug".to_owned())));
        }
    }
}
