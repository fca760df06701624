//! Who is here: the players who wrote lately and take challenges.
//!
//! Only a message that is proven notes that its writer is here: a believed `From` can be forged.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::{GAMES, Game};

use crate::table::PlayerId;

use super::addresses::FAILED_DAYS;
use super::seeks::{SEEK, Seek, seek};
use super::{Reader, Result, Store};

/// How exactly it is stored when a player last wrote, so that most mails need no change.
const GRAIN: TimeDelta = TimeDelta::hours(1);

/// Whom a list of players is for, and how far back it goes.
#[derive(Clone, Copy, Debug)]
pub struct Audience {
    /// Who reads it: neither the readers themselves nor players who have blocked them, or whom they have blocked, are
    /// listed. `None`: it is not known who.
    pub reader: Option<PlayerId>,
    /// Players who have written since then.
    pub since: DateTime<Utc>,
}

/// Whether player `p` has written since `$1` and can be challenged by the reader `$2`; `$3` is [`FAILED_DAYS`]. These are
/// the first parameters of a statement: they are numbered by where they first stand.
const IS_HERE: &str = "p.seen_at >= $1 AND p.id <> $2 AND p.deleted_at IS NULL AND p.away_since IS NULL \
    AND p.disabled_at IS NULL \
    AND EXISTS (SELECT 1 FROM addresses a WHERE a.player = p.id AND a.confirmed_at IS NOT NULL AND a.failed_days < $3) \
    AND NOT EXISTS (SELECT 1 FROM vacations v WHERE v.player = p.id AND v.is_over = 0) \
    AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.player = p.id AND b.blocked = $2) \
    AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.player = $2 AND b.blocked = p.id)";

/// The games of which player `p` takes no more boards now.
const REFUSED: &str = "taking t WHERE t.player = p.id AND (t.is_open = 0 OR t.most <= \
    (SELECT COUNT(*) FROM boards b WHERE b.first_player = p.id AND b.game = t.game AND b.ended_at IS NULL) + \
    (SELECT COUNT(*) FROM boards b WHERE b.second_player = p.id AND b.game = t.game AND b.ended_at IS NULL))";

impl Audience {
    /// The reader as a number; 0 is no player.
    const fn number(self) -> i64 {
        match self.reader {
            Some(reader) => reader.0,
            None => 0,
        }
    }
}

impl Reader {
    /// The open challenges of a game whose players are here, oldest first.
    pub fn seeks_here(&self, game: &Game, audience: Audience, limit: u32) -> Result<Vec<Seek>> {
        let sql = format!(
            "{SEEK} WHERE {IS_HERE} AND s.game = $4 AND NOT EXISTS (SELECT 1 FROM {REFUSED} AND t.game = s.game) \
             ORDER BY s.since, s.player LIMIT $5"
        );
        let (reader, name) = (audience.number(), game.facts.name);
        self.db.all(
            &sql,
            &[&audience.since, &reader, &FAILED_DAYS, &name, &limit],
            seek,
        )
    }

    /// The players who are here and take boards of this game, or of any; who wrote last comes first.
    pub fn players_here(
        &self,
        game: Option<&Game>,
        audience: Audience,
        limit: u32,
    ) -> Result<Vec<(PlayerId, String)>> {
        // Refusing one game is enough if there is only that one, otherwise it must be all.
        let sql = format!(
            "SELECT p.id, p.userid FROM players p WHERE {IS_HERE} \
             AND (SELECT COUNT(*) FROM {REFUSED} AND COALESCE($4, t.game) = t.game) < $5 \
             ORDER BY p.seen_at DESC, p.id LIMIT $6"
        );
        let (reader, name) = (audience.number(), game.map(|game| game.facts.name));
        let games = u32::try_from(game.map_or(GAMES.len(), |_| 1)).unwrap_or(u32::MAX);
        let values: [&dyn super::value::ToValue; 6] =
            [&audience.since, &reader, &FAILED_DAYS, &name, &games, &limit];
        self.db.all(&sql, &values, |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

impl Store {
    /// Notes that a player has written.
    pub fn player_wrote(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET seen_at = $1 WHERE id = $2 AND seen_at < $3";
        self.db.write(sql, &[&now, &player, &(now - GRAIN)])?;
        Ok(())
    }
}
