//! Ratings, as of each player's last rated game, and their counting anew from the finished games.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::games::{self, By, Game};
use crate::table::{BoardId, FORMULA, PlayerId, Rated, Rating, Standing};

use super::boards::outcome;
use super::{Reader, Result, Store, millis, time};

/// The note that says by which formula the ratings were counted.
const NOTE: &str = "ratings";

/// A line of the table of ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Who.
    pub userid: String,
    /// What the games come to.
    pub standing: Standing,
    /// How many boards of the game run.
    pub running: u32,
    /// How many the player takes at most.
    pub most: Option<u32>,
    /// How many the player seeks.
    pub seeking: u32,
}

/// The userid of a player `p`; how many boards of the game `$1` run, are taken at most, are sought.
const INTEREST: &str = "p.userid, \
    (SELECT COUNT(*) FROM boards b WHERE b.first_player = p.id AND b.game = $1 AND b.ended_at IS NULL) + \
    (SELECT COUNT(*) FROM boards b WHERE b.second_player = p.id AND b.game = $1 AND b.ended_at IS NULL), \
    (SELECT CASE WHEN t.is_open = 1 THEN t.most ELSE 0 END FROM taking t WHERE t.player = p.id AND t.game = $1), \
    COALESCE((SELECT s.left_over FROM seeks s WHERE s.player = p.id AND s.game = $1), 0)";

impl Reader {
    /// What a player's rated games of a game come to; a new player's standing if there are none.
    ///
    /// # Errors
    /// SQLite's.
    pub fn standing(&self, player: PlayerId, game: &Game) -> Result<Standing> {
        let sql = "SELECT rating, deviation, volatility, won, lost, drawn, rated_at FROM ratings \
                   WHERE player = $1 AND game = $2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement
            .query_row((player.0, game.facts.name), |row| standing(row, 0))
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// The ratings of a game, the best first: those that are established now, or those that are not.
    ///
    /// # Errors
    /// SQLite's.
    pub fn ranked(
        &self,
        game: &Game,
        is_established: bool,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Ranked>> {
        let sql = format!(
            "SELECT {INTEREST}, r.rating, r.deviation, r.volatility, r.won, r.lost, r.drawn, r.rated_at \
             FROM ratings r JOIN players p ON p.id = r.player \
             WHERE r.game = $1 AND (r.established_until > $2) = $3 AND p.deleted_at IS NULL \
             ORDER BY r.rating DESC, r.player LIMIT $4"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let values = (game.facts.name, millis(now), is_established, limit);
        let found = statement.query_map(values, |row| ranked(row, standing(row, 4)?))?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// The players without a rated game of this game who seek one or play one of its newest running boards, in
    /// the order of their userids.
    ///
    /// # Errors
    /// SQLite's.
    pub fn newcomers(&self, game: &Game, limit: usize) -> Result<Vec<Ranked>> {
        // The newest boards alone are looked through: so the cost is bounded however many run.
        let seat = |seat: &str| {
            format!(
                "SELECT player FROM (SELECT {seat} AS player FROM boards WHERE game = $1 AND ended_at IS NULL \
                 ORDER BY id DESC LIMIT $2)"
            )
        };
        let sought = "SELECT player FROM (SELECT player FROM seeks WHERE game = $1 ORDER BY since LIMIT $2)";
        let sql = format!(
            "SELECT {INTEREST} FROM players p WHERE p.id IN ({sought} UNION {} UNION {}) AND p.deleted_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM ratings r WHERE r.player = p.id AND r.game = $1) \
             ORDER BY p.userid_key LIMIT $2",
            seat("first_player"),
            seat("second_player")
        );
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found = statement.query_map((game.facts.name, limit), |row| ranked(row, Standing::default()))?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }
}

impl Store {
    /// A game was counted.
    ///
    /// # Errors
    /// SQLite's: above all when it had been counted already.
    pub fn rate(&self, rated: &Rated) -> Result<()> {
        let sql = "INSERT INTO rated (board) VALUES ($1)";
        self.conn.prepare_cached(sql)?.execute([rated.board.0])?;
        for (player, after) in rated.players.iter().zip(&rated.after) {
            self.set_standing(*player, rated.game.facts.name, after)?;
        }
        Ok(())
    }

    fn set_standing(&self, player: PlayerId, game: &str, standing: &Standing) -> Result<()> {
        let sql = "INSERT INTO ratings (player, game, rating, deviation, volatility, won, lost, drawn, rated_at, \
                   established_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                   ON CONFLICT (player, game) DO UPDATE SET rating = excluded.rating, \
                   deviation = excluded.deviation, volatility = excluded.volatility, won = excluded.won, \
                   lost = excluded.lost, drawn = excluded.drawn, rated_at = excluded.rated_at, \
                   established_until = excluded.established_until";
        let values = (
            player.0,
            game,
            standing.rating.value,
            standing.rating.deviation,
            standing.rating.volatility,
            standing.won,
            standing.lost,
            standing.drawn,
            standing.rated_at.unwrap_or_default(),
            standing.established_until(),
        );
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// A finished game is void after all, and all ratings are what the other games give. It belongs into a
    /// transaction, and takes as long as there are rated games: an operator does it once in years.
    ///
    /// # Errors
    /// SQLite's, or a row that this program cannot have written.
    pub fn overturn(&self, board: BoardId) -> Result<()> {
        let sql = "UPDATE boards SET result = 'void', result_by = $1 WHERE id = $2 AND ended_at IS NOT NULL";
        self.conn
            .prepare_cached(sql)?
            .execute((By::Adjudication.word(), board.0))?;
        let sql = "DELETE FROM rated WHERE board = $1";
        if self.conn.prepare_cached(sql)?.execute([board.0])? > 0 {
            self.recount_ratings()?;
        }
        Ok(())
    }

    /// Counts all finished rated games anew, in the order in which they were counted before; those that never
    /// were come first, by their ends. Gives how many there are. It belongs into a transaction.
    ///
    /// # Errors
    /// SQLite's, or a row that this program cannot have written.
    pub fn recount_ratings(&self) -> Result<usize> {
        let sql = "SELECT b.id, b.game, b.first_player, b.second_player, b.result, b.ended_at \
                   FROM boards b LEFT JOIN rated r ON r.board = b.id \
                   WHERE b.rated = 1 AND b.result IN ('first', 'second', 'draw') \
                   ORDER BY COALESCE(r.ordinal, 0), b.ended_at, b.id";
        let mut statement = self.conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut standings: HashMap<(i64, &'static str), Standing> = HashMap::new();
        let mut counted = Vec::new();
        while let Some(row) = rows.next()? {
            let (name, result): (String, String) = (row.get(1)?, row.get(4)?);
            // A game that is no longer served has no ratings.
            let Some(game) = games::find(&name) else { continue };
            let players = [PlayerId(row.get(2)?), PlayerId(row.get(3)?)];
            let keys = players.map(|player| (player.0, game.facts.name));
            let before = keys.map(|key| standings.get(&key).copied().unwrap_or_default());
            let after = Standing::after_game(before, outcome(&result)?, time(row.get(5)?));
            standings.extend(keys.into_iter().zip(after));
            counted.push(BoardId(row.get(0)?));
        }
        self.conn
            .execute_batch("DELETE FROM rated; DELETE FROM ratings")?;
        let mut add = self
            .conn
            .prepare_cached("INSERT INTO rated (board) VALUES ($1)")?;
        for board in &counted {
            add.execute([board.0])?;
        }
        for ((player, game), standing) in &standings {
            self.set_standing(PlayerId(*player), game, standing)?;
        }
        Ok(counted.len())
    }

    /// Counts all games anew if that was never done, or by another formula.
    pub(super) fn recount_if_outdated(&self) -> Result<()> {
        if self.note(NOTE)?.as_deref() == Some(FORMULA) {
            return Ok(());
        }
        self.begin()?;
        let done = self
            .recount_ratings()
            .and_then(|_| self.set_note(NOTE, FORMULA))
            .and_then(|()| self.commit());
        if done.is_err() {
            self.rollback();
        }
        done
    }
}

fn ranked(row: &Row<'_>, standing: Standing) -> rusqlite::Result<Ranked> {
    Ok(Ranked {
        userid: row.get(0)?,
        running: row.get(1)?,
        most: row.get(2)?,
        seeking: row.get(3)?,
        standing,
    })
}

/// The standing whose columns begin there.
fn standing(row: &Row<'_>, first: usize) -> rusqlite::Result<Standing> {
    Ok(Standing {
        rating: Rating {
            value: row.get(first)?,
            deviation: row.get(first + 1)?,
            volatility: row.get(first + 2)?,
        },
        won: row.get(first + 3)?,
        lost: row.get(first + 4)?,
        drawn: row.get(first + 5)?,
        rated_at: row.get(first + 6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Ending, GAMES, Options, Outcome, Seat};
    use crate::store::NewPlayer;
    use crate::table::{Board, End, NewBoard, Seated, Terms};
    use chrono::TimeDelta;

    /// A database with two players.
    struct Stage {
        folder: tempfile::TempDir,
        store: Store,
        players: [PlayerId; 2],
        start: DateTime<Utc>,
    }

    fn stage() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.sqlite")).unwrap();
        let start = time(1_800_000_000_000);
        let players = ["alice", "bob"].map(|userid| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: String::new(),
                created_at: start,
            };
            store.add_player(&new).unwrap()
        });
        Stage {
            folder,
            store,
            players,
            start,
        }
    }

    impl Stage {
        /// A finished game of the first game, not yet counted.
        fn finish(&self, rated: bool, outcome: Outcome, at: DateTime<Utc>) -> BoardId {
            let game = &GAMES[0];
            let new = NewBoard {
                game,
                number: self.store.next_number(game).unwrap(),
                options: Options::none(game.facts),
                players: self.players.map(|id| Seated {
                    id,
                    userid: String::new(),
                }),
                terms: Terms {
                    rated,
                    ..Terms::default()
                },
            };
            let mut board = Board::begun(new, Some(Seat::First), [false; 2], self.start);
            board.id = self.store.add_board(&board).unwrap();
            board.ended(End::Finished(Ending::by_rules(outcome)), at);
            self.store.save_board(&board).unwrap();
            board.id
        }

        /// The same, counted as it is when it ends.
        fn play(&self, outcome: Outcome, at: DateTime<Utc>) {
            let board = self.finish(true, outcome, at);
            let before = self.standings();
            let rated = Rated::new(&GAMES[0], board, self.players, before, outcome, at);
            self.store.rate(&rated).unwrap();
        }

        fn standings(&self) -> [Standing; 2] {
            self.players
                .map(|player| self.store.standing(player, &GAMES[0]).unwrap())
        }
    }

    #[test]
    fn counted_anew_the_games_come_to_the_same_numbers() {
        let stage = stage();
        let outcomes = [
            Outcome::Won(Seat::First),
            Outcome::Won(Seat::First),
            Outcome::Drawn,
            Outcome::Won(Seat::Second),
        ];
        for (index, outcome) in (0..).zip(outcomes.into_iter().cycle().take(12)) {
            // Two end at the same time, one when the clock has jumped back.
            let day = [0, 0, 5, 4][index % 4] + 40 * (index as i64 / 4);
            stage.play(outcome, stage.start + TimeDelta::days(day));
        }
        stage.finish(false, Outcome::Won(Seat::Second), stage.start);
        let counted = stage.standings();
        assert_eq!(counted.map(|standing| standing.played()), [12, 12]);
        assert_eq!(stage.store.recount_ratings().unwrap(), 12);
        assert_eq!(stage.standings(), counted);
        assert_eq!(stage.store.recount_ratings().unwrap(), 12);
        assert_eq!(stage.standings(), counted, "twice as well");
    }

    #[test]
    fn a_game_counts_once() {
        let stage = stage();
        let outcome = Outcome::Won(Seat::First);
        let board = stage.finish(true, outcome, stage.start);
        let rated = Rated::new(
            &GAMES[0],
            board,
            stage.players,
            stage.standings(),
            outcome,
            stage.start,
        );
        stage.store.rate(&rated).unwrap();
        assert!(stage.store.rate(&rated).is_err());
        assert_eq!(stage.standings()[0].won, 1);
    }

    #[test]
    fn a_database_of_the_first_migration_is_brought_up_to_date_and_its_games_are_counted() {
        let made = stage();
        let path = made.folder.path().join("old.sqlite");
        {
            let old = rusqlite::Connection::open(&path).unwrap();
            old.execute_batch(include_str!("../../migrations/0001_start.sql"))
                .unwrap();
            old.execute_batch(
                "PRAGMA user_version = 1;
                 INSERT INTO players (id, userid, userid_key, password_hash, created_at)
                 VALUES (1, 'alice', 'alice', '', 0), (2, 'bob', 'bob', '', 0);
                 INSERT INTO boards (game, number, options, rules, first_player, second_player, rated, nag_days,
                   forfeit_days, turns, second_moved, result, result_by, started_at, moved_at, ended_at)
                 VALUES ('Pow2', 101, '', 1, 1, 2, 1, 7, 21, 2, 1, 'second', 'resignation', 0, 0, 86400000),
                        ('Pow2', 102, '', 1, 2, 1, 0, 7, 21, 2, 1, 'second', 'resignation', 0, 0, 86400000),
                        ('Pow2', 103, '', 1, 2, 1, 1, 7, 21, 0, 0, 'removed', 'declined', 0, 0, 86400000);",
            )
            .unwrap();
        }
        let store = Store::open(&path).unwrap();
        let game = games::find("Pow2").unwrap();
        let [alice, bob] = [1, 2].map(|id| store.standing(PlayerId(id), game).unwrap());
        assert_eq!(
            (alice.won, alice.lost, alice.rating.shown()),
            (0, 1, "1338".into())
        );
        assert_eq!((bob.won, bob.lost, bob.rating.shown()), (1, 0, "1662".into()));
        assert!(store.board(game, 103).unwrap().is_some());
        drop(store);
        let again = Store::open(&path).unwrap();
        assert_eq!(again.standing(PlayerId(1), game).unwrap(), alice);
    }

    #[test]
    fn ranks_go_by_rating_and_idleness_ends_what_was_established() {
        let stage = stage();
        let mut at = stage.start;
        for _ in 0..40 {
            at += TimeDelta::days(1);
            stage.play(Outcome::Won(Seat::Second), at);
            at += TimeDelta::days(1);
            stage.play(Outcome::Won(Seat::First), at);
        }
        let [alice, bob] = stage.standings();
        let names = |is_established, now| {
            let ranked = stage.store.ranked(&GAMES[0], is_established, now, 10).unwrap();
            ranked.into_iter().map(|row| row.userid).collect::<Vec<_>>()
        };
        assert!(alice.rating.is_established() && bob.rating.is_established());
        assert!(alice.rating.value > bob.rating.value, "who won last");
        assert_eq!(names(true, at), ["alice", "bob"]);
        assert!(names(false, at).is_empty());
        let later = at + TimeDelta::days(365 * 30);
        assert!(names(true, later).is_empty());
        assert_eq!(names(false, later), ["alice", "bob"]);
    }
}
