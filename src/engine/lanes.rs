//! How many messages are read and decided at a time. Many sessions bring mail at once; without these bounds each step of a
//! player's session, and of a letter on its way out, would wait for a step of every stranger's.

use tokio::sync::{Semaphore, SemaphorePermit};

use pbmserv_mail::Address;

use super::Unavailable;
use super::readers::Readers;

/// Messages at a time whose envelope sender is a player's address: as many as share a commit. Anybody can forge it, so they
/// have a bound too.
const PLAYERS: usize = 256;

/// Messages at a time of all others.
const STRANGERS: usize = 8;

/// Whose messages have places of their own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lane {
    Players,
    Strangers,
}

/// The bounds. Who waits is served in the order of arrival.
#[derive(Debug)]
pub(super) struct Lanes {
    readers: Readers,
    players: Semaphore,
    strangers: Semaphore,
}

impl Lanes {
    pub(super) fn new(readers: Readers) -> Self {
        Self {
            readers,
            players: Semaphore::new(PLAYERS),
            strangers: Semaphore::new(STRANGERS),
        }
    }

    /// The lane of messages with this envelope sender.
    ///
    /// # Errors
    /// The database cannot be read now.
    pub(super) async fn of(&self, sender: Option<&Address>) -> Result<Lane, Unavailable> {
        let Some(sender) = sender else {
            return Ok(Lane::Strangers);
        };
        Ok(match self.is_player(sender).await? {
            true => Lane::Players,
            false => Lane::Strangers,
        })
    }

    /// Waits for a place. `None`: there are no bounds any more.
    pub(super) async fn enter(&self, lane: Lane) -> Option<SemaphorePermit<'_>> {
        let lane = match lane {
            Lane::Players => &self.players,
            Lane::Strangers => &self.strangers,
        };
        lane.acquire().await.ok()
    }

    /// Whether an address is a player's.
    ///
    /// # Errors
    /// The database cannot be read now.
    pub(super) async fn is_player(&self, address: &Address) -> Result<bool, Unavailable> {
        let address = address.clone();
        Ok(self
            .readers
            .ask(move |reader| reader.is_confirmed(&address))
            .await?)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use pbmserv_core::store::{NewPlayer, Store};

    #[tokio::test]
    async fn strangers_leave_room_for_others_and_get_their_places_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("test.sqlite");
        let store = Store::open(&database).unwrap();
        let [alice, eve] = ["alice@example.org", "eve@far.example"].map(|text| Address::parse(text).unwrap());
        let player = NewPlayer {
            userid: "alice".into(),
            password_hash: String::new(),
            created_at: Utc::now(),
        };
        let player = store.add_player(&player).unwrap();
        let now = Utc::now();
        store.add_address(player, &alice, Some(now), now).unwrap();
        let lanes = Lanes::new(Readers::new(database, 1));
        let to_alice = lanes.of(Some(&alice)).await.unwrap();
        let to_eve = lanes.of(Some(&eve)).await.unwrap();
        let to_nobody = lanes.of(None).await.unwrap();
        let mut held = Vec::new();
        for _ in 0..STRANGERS {
            held.push(lanes.enter(to_eve).await.unwrap());
        }
        let mut waiting = Box::pin(lanes.enter(to_nobody));
        let is_player_first = tokio::select! {
            biased;
            _ = &mut waiting => false,
            _ = lanes.enter(to_alice) => true,
        };
        assert!(is_player_first);
        drop(held.pop());
        assert!(waiting.await.is_some());
    }
}
