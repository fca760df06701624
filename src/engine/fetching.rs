//! What the page of the link to a player's data asks of the server.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use pbmserv_core::dispatch::exporter;
use pbmserv_core::store::{self, RateLimit, Reader};
use pbmserv_core::table::Player;
use pbmserv_mail::Key;

use super::Unavailable;
use super::server::Server;

/// The longest file that the page gives, in bytes. It stands in memory some times over.
const MAX_FETCHED: usize = 32 << 20;

/// How often in a day the page gives a player the file: a browser may break off.
const FETCHES_A_DAY: u32 = 5;

/// What the button of the page gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    File(String),
    /// It is longer than a page gives, or could not be made in time.
    TooLong,
    /// The player has had it a few times today.
    TooOften,
    /// The link gives nothing, or nothing any more.
    Unknown,
}

/// Finds whose data the link with this key gives.
fn whose(
    key: &Arc<Key>,
    link: &str,
) -> impl FnOnce(&Reader, DateTime<Utc>) -> store::Result<Option<Player>> + Send + use<> {
    let (key, link) = (key.clone(), link.to_owned());
    move |reader, now| exporter(&key, reader, &link, now)
}

impl Server {
    /// Whose data the link with this key gives; `None`: nobody's, or nobody's any more.
    ///
    /// # Errors
    /// The database cannot be read now.
    pub async fn exporter(&self, link: &str) -> store::Result<Option<Player>> {
        let (find, now) = (whose(&self.key, link), self.now());
        self.readers.ask(move |reader| find(reader, now)).await
    }

    /// All that is stored of the player whose link this is.
    ///
    /// # Errors
    /// [`Unavailable`]: try again later.
    pub async fn fetch(&self, link: &str) -> Result<Fetched, Unavailable> {
        let Some(player) = self.exporter(link).await? else {
            return Ok(Fetched::Unknown);
        };
        let by = player.id.0.to_string();
        let may = self.engine.write(move |store, now| {
            let may = store.tally(RateLimit::Fetched, &by, now)? < FETCHES_A_DAY;
            if may {
                store.count(RateLimit::Fetched, &by, 1, now)?;
            }
            Ok(may)
        });
        if !may.await? {
            return Ok(Fetched::TooOften);
        }
        tracing::info!(userid = player.userid, door = "web", "fetches all that is stored");
        // Asked again: the key may have ended while the file waited for its turn.
        let (find, clock) = (whose(&self.key, link), self.clock.clone());
        let made = self
            .exports
            .make(MAX_FETCHED, move |reader| find(reader, clock.now()))
            .await?;
        Ok(match made {
            Some(Some(text)) => Fetched::File(text),
            Some(None) => Fetched::TooLong,
            None => Fetched::Unknown,
        })
    }
}
