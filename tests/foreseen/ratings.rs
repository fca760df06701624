//! The expected ratings, computed from the finished games one after another.

use std::collections::BTreeMap;
use std::fmt::Debug;

use chrono::DateTime;
use pbmserv::games::Outcome;
use pbmserv::table::Standing;
use rusqlite::Connection;
use rusqlite::types::FromSql;

/// Each player's standing in each game. `P` identifies a player.
pub(crate) struct Ratings<P>(BTreeMap<(P, String), Standing>);

impl<P: Ord + Clone + Debug + FromSql> Ratings<P> {
    pub(crate) const fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Counts a game that ended at this time, in milliseconds since 1970.
    pub(crate) fn count(&mut self, game: &str, players: [P; 2], outcome: Outcome, at: i64) {
        let keys = players.map(|player| (player, game.to_owned()));
        let before = keys
            .each_ref()
            .map(|key| self.0.get(key).copied().unwrap_or_default());
        let at = DateTime::from_timestamp_millis(at).unwrap();
        let after = Standing::after_game(before, outcome, at);
        self.0.extend(keys.into_iter().zip(after));
    }

    /// A difference from the stored ratings, if any. `column` is the column of `players` that identifies them
    /// here.
    pub(crate) fn difference(&self, conn: &Connection, column: &str) -> rusqlite::Result<Option<String>> {
        let sql = format!(
            "SELECT p.{column}, r.game, r.won, r.lost, r.drawn, r.rating, r.deviation, r.volatility \
             FROM ratings r JOIN players p ON p.id = r.player"
        );
        let mut statement = conn.prepare(&sql)?;
        let stored = statement.query_map([], |row| {
            let key: (P, String) = (row.get(0)?, row.get(1)?);
            let counts: [u32; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
            let numbers: [f64; 3] = [row.get(5)?, row.get(6)?, row.get(7)?];
            Ok((key, (counts, numbers)))
        })?;
        let stored: BTreeMap<_, _> = stored.collect::<rusqlite::Result<_>>()?;
        let expected: BTreeMap<_, _> = (self.0.iter())
            .map(|(key, standing)| {
                let rating = standing.rating;
                let counts = [standing.won, standing.lost, standing.drawn];
                (
                    key.clone(),
                    (counts, [rating.value, rating.deviation, rating.volatility]),
                )
            })
            .collect();
        Ok((stored != expected).then(|| format!("the ratings are {stored:?}, not {expected:?}")))
    }
}
