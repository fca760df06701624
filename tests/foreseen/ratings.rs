//! The expected ratings, computed from the finished games one after another.

use std::collections::BTreeMap;
use std::fmt::Debug;

use chrono::DateTime;
use pbmserv_core::table::Standing;
use pbmserv_games::Outcome;
use rusqlite::Connection;
use rusqlite::types::FromSql;

/// The milliseconds of a week.
const WEEK: i64 = 7 * 24 * 3600 * 1000;

/// Each player's standing in each game. `P` identifies a player.
pub(crate) struct Ratings<P> {
    standings: BTreeMap<(P, String), Standing>,
    /// When two players last ended a game of fewer than four turns that counted, by the game and both of them in order.
    short: BTreeMap<(String, [P; 2]), i64>,
}

/// A finished game.
pub(crate) struct Finished<P> {
    /// In the order of the seats.
    pub(crate) players: [P; 2],
    /// When their accounts were made; `None` for a computer.
    pub(crate) joined: [Option<i64>; 2],
    /// How many turns it had.
    pub(crate) turns: usize,
    pub(crate) outcome: Outcome,
    /// When it ended, in milliseconds since 1970, as the other times.
    pub(crate) at: i64,
}

impl<P: Ord + Clone + Debug + FromSql> Ratings<P> {
    pub(crate) const fn none() -> Self {
        Self {
            standings: BTreeMap::new(),
            short: BTreeMap::new(),
        }
    }

    /// Counts a game. Nobody gains by a win against an account in its first week, or by a second short game in a week.
    pub(crate) fn count(&mut self, game: &str, finished: Finished<P>) {
        let keys = finished.players.map(|player| (player, game.to_owned()));
        let mut pair = keys.each_ref().map(|(player, _)| player.clone());
        pair.sort();
        let pair = (game.to_owned(), pair);
        let [first, second] = finished
            .joined
            .map(|joined| joined.is_some_and(|joined| finished.at - joined < WEEK));
        let mut is_held = [second, first];
        if finished.turns < 4 {
            let is_again = self
                .short
                .get(&pair)
                .is_some_and(|last| finished.at - last < WEEK);
            if is_again {
                is_held = [true; 2];
            } else if is_held != [true; 2] {
                self.short.insert(pair, finished.at);
            }
        }
        let before = keys
            .each_ref()
            .map(|key| self.standings.get(key).copied().unwrap_or_default());
        let at = DateTime::from_timestamp_millis(finished.at).unwrap();
        let mut after = Standing::after_game(before, finished.outcome, 1, at);
        for seat in [0, 1] {
            if is_held[seat] && after[seat].rating.value > before[seat].rating.value {
                after[seat].rating = before[seat].rating_at(at);
            }
        }
        self.standings.extend(keys.into_iter().zip(after));
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
        let expected: BTreeMap<_, _> = (self.standings.iter())
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
