//! The ratings after each player's last rated game, and the recount from all finished games.

use std::collections::HashMap;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};
use pbmserv_games::{By, Game, Options};

use crate::table::{BoardId, FORMULA, Gainless, POINTS, PlayerId, Rated, Rating, SHORT_BELOW, Standing};

use super::boards::outcome;
use super::memo::Rows;
use super::row::Row;
use super::value::ToValue;
use super::{Reader, Result, Store};

/// The note that names the formula behind the stored ratings.
const NOTE: &str = "ratings";

const ADD_RATED: &str =
    "INSERT INTO rated (board, first_after, second_after, gainless) VALUES ($1, $2, $3, $4)";

impl Reader {
    /// The player's standing in this game; a new player's if there is no rated game.
    pub fn standing(&self, player: PlayerId, game: &Game) -> Result<Standing> {
        let sql = "SELECT rating, deviation, volatility, won, lost, drawn, rated_at FROM ratings \
                   WHERE player = $1 AND game = $2";
        let key = (player, game.facts.name);
        self.db.memo.once(Rows::Standings, key, |(player, game)| {
            let found = self.db.find(sql, &[player, game], |row| standing(row, 0))?;
            Ok(found.unwrap_or_default())
        })
    }

    /// Whether a short game of these two, in whatever seats, has ended since then and could raise a rating.
    pub fn has_short_game(&self, game: &Game, players: [PlayerId; 2], since: DateTime<Utc>) -> Result<bool> {
        let sql = "SELECT 1 FROM boards b JOIN rated r ON r.board = b.id WHERE b.first_player = $1 \
                   AND b.second_player = $2 AND b.game = $3 AND b.ended_at > $4 AND b.turns < $5 AND r.gainless <> 3 LIMIT 1";
        let [one, other] = players;
        for [first, second] in [[one, other], [other, one]] {
            let values: [&dyn ToValue; 5] = [&first, &second, &game.facts.name, &since, &SHORT_BELOW];
            if self.db.find(sql, &values, |_| Ok(()))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The player's ratings after the newest rated games of this game, the newest first.
    pub fn rating_history(&self, player: PlayerId, game: &Game, limit: u32) -> Result<Vec<f64>> {
        let sql = "SELECT CASE WHEN b.first_player = $1 THEN r.first_after ELSE r.second_after END \
                   FROM boards b JOIN rated r ON r.board = b.id \
                   WHERE b.game = $2 AND b.id IN (SELECT id FROM boards WHERE first_player = $1 \
                   UNION SELECT id FROM boards WHERE second_player = $1) ORDER BY r.ordinal DESC LIMIT $3";
        self.db
            .all(sql, &[&player, &game.facts.name, &limit], |row| row.get(0))
    }
}

impl Store {
    /// Stores the ratings after a game.
    ///
    /// # Errors
    /// The game was counted already.
    pub fn rate(&self, rated: &Rated) -> Result<()> {
        let [first, second] = rated.after.each_ref().map(|after| after.rating.value);
        let gainless = number_of(rated.gainless);
        self.db
            .write(ADD_RATED, &[&rated.board, &first, &second, &gainless])?;
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
        self.db.write(
            sql,
            &[
                &player,
                &game,
                &standing.rating.value,
                &standing.rating.deviation,
                &standing.rating.volatility,
                &standing.won,
                &standing.lost,
                &standing.drawn,
                &standing.rated_at.unwrap_or_default(),
                &standing.established_until(),
            ],
        )?;
        Ok(())
    }

    /// Declares a finished game void and recounts all ratings. Needs a transaction. The time grows with the number of
    /// rated games, but an operator does it once in years.
    pub fn overturn(&self, board: BoardId) -> Result<()> {
        let sql = "UPDATE boards SET result = 'void', result_by = $1 WHERE id = $2 AND ended_at IS NOT NULL";
        self.db.write(sql, &[&By::Adjudication.word(), &board])?;
        let sql = "DELETE FROM rated WHERE board = $1";
        if self.db.execute(sql, &[&board])? > 0 {
            self.recount_ratings()?;
        }
        Ok(())
    }

    /// Recounts all finished rated games in their first order; games that were never counted come first, by end time.
    /// Returns their number. Needs a transaction.
    pub fn recount_ratings(&self) -> Result<usize> {
        let sql = "SELECT b.id, b.game, b.first_player, b.second_player, b.result, b.ended_at, \
                   COALESCE(r.gainless, 0), b.options FROM boards b LEFT JOIN rated r ON r.board = b.id \
                   WHERE b.rated = 1 AND b.result IN ('first', 'second', 'draw') \
                   ORDER BY COALESCE(r.ordinal, 0), b.ended_at, b.id";
        let mut standings: HashMap<(PlayerId, &'static str), Standing> = HashMap::new();
        let mut counted: Vec<(BoardId, [f64; 2], Gainless)> = Vec::new();
        self.db.each(sql, &[], |row| {
            let (name, result): (&str, &str) = (row.get(1)?, row.get(4)?);
            // A game that this server no longer offers has no ratings.
            let Some(game) = pbmserv_games::find(name) else {
                return Ok(ControlFlow::Continue(()));
            };
            let players = [row.get(2)?, row.get(3)?];
            let keys = players.map(|player| (player, game.facts.name));
            let before = keys.map(|key| standings.get(&key).copied().unwrap_or_default());
            let (at, gainless) = (row.get(5)?, gainless(row.get(6)?));
            let options: &str = row.get(7)?;
            // A match that cannot be read has not been begun by this server, and counts as a game.
            let options = Options::parse(game.facts, options.split_whitespace());
            let points = options.map_or(1, |options| options.number(game.facts, POINTS));
            let after = Standing::after_game(before, outcome(result)?, points, at);
            let after = gainless.hold(before, after, at);
            let values = after.each_ref().map(|after| after.rating.value);
            counted.push((row.get(0)?, values, gainless));
            standings.extend(keys.into_iter().zip(after));
            Ok(ControlFlow::Continue(()))
        })?;
        self.db.run("DELETE FROM rated; DELETE FROM ratings")?;
        for (board, [first, second], gainless) in &counted {
            self.db
                .write(ADD_RATED, &[board, first, second, &number_of(*gainless)])?;
        }
        for ((player, game), standing) in &standings {
            self.set_standing(*player, game, standing)?;
        }
        Ok(counted.len())
    }

    /// Recounts all games if that was never done, or if the formula has changed.
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

/// The bits of the column `gainless`.
fn number_of(Gainless([first, second]): Gainless) -> i64 {
    i64::from(first) + 2 * i64::from(second)
}

const fn gainless(number: i64) -> Gainless {
    Gainless([number & 1 != 0, number & 2 != 0])
}

/// Reads a standing, beginning with column `first`.
pub(super) fn standing(row: &Row<'_>, first: usize) -> Result<Standing> {
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
    use crate::store::NewPlayer;
    use crate::store::place_of_tests::place;
    use crate::store::value::time;
    use crate::table::{Board, End, NewBoard, Presence, Seated, Terms};
    use chrono::{DateTime, TimeDelta, Utc};
    use pbmserv_games::{Ending, GAMES, Options, Outcome, Seat};

    /// A database with two players.
    struct Stage {
        _folder: tempfile::TempDir,
        store: Store,
        players: [PlayerId; 2],
        start: DateTime<Utc>,
    }

    fn stage() -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
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
            _folder: folder,
            store,
            players,
            start,
        }
    }

    impl Stage {
        /// A finished game that is not yet counted.
        fn finish(&self, rated: bool, outcome: Outcome, at: DateTime<Utc>) -> Board {
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
                dice: None,
            };
            let mut board = Board::begun(new, Some(Seat::First), [Presence::HERE; 2], self.start);
            board.id = self.store.add_board(&board).unwrap();
            board.ended(End::Finished(Ending::by_rules(outcome)), at);
            self.store.save_board(&board).unwrap();
            board
        }

        /// Finishes a game and counts it at once.
        fn play(&self, outcome: Outcome, gainless: Gainless, at: DateTime<Utc>) {
            let board = self.finish(true, outcome, at);
            let rated = Rated::new(&board, self.standings(), outcome, gainless, at);
            self.store.rate(&rated).unwrap();
        }

        fn standings(&self) -> [Standing; 2] {
            self.players
                .map(|player| self.store.standing(player, &GAMES[0]).unwrap())
        }
    }

    #[test]
    fn a_recount_gives_the_same_ratings() {
        let stage = stage();
        let outcomes = [
            Outcome::Won(Seat::First),
            Outcome::Won(Seat::First),
            Outcome::Drawn,
            Outcome::Won(Seat::Second),
        ];
        for (index, outcome) in (0..).zip(outcomes.into_iter().cycle().take(12)) {
            // Some games end at the same time; one ends before its predecessor, as when the clock was set back.
            let day = [0, 0, 5, 4][index % 4] + 40 * (index as i64 / 4);
            let gainless = Gainless([index % 3 == 0, index % 5 == 0]);
            stage.play(outcome, gainless, stage.start + TimeDelta::days(day));
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
    fn a_short_game_is_found_for_a_week_unless_nobody_could_gain_by_it() {
        let stage = stage();
        let [alice, bob] = stage.players;
        let has_one = |days: i64| {
            let since = stage.start + TimeDelta::days(days - 7);
            stage
                .store
                .has_short_game(&GAMES[0], [bob, alice], since)
                .unwrap()
        };
        stage.play(Outcome::Won(Seat::First), Gainless::BOTH, stage.start);
        assert!(!has_one(0));
        let gainless = Gainless([false, true]);
        stage.play(
            Outcome::Won(Seat::First),
            gainless,
            stage.start + TimeDelta::days(1),
        );
        assert!(has_one(7) && !has_one(8));
        let other = &GAMES[1];
        assert!(
            !stage
                .store
                .has_short_game(other, [alice, bob], stage.start)
                .unwrap()
        );
    }

    #[test]
    fn a_game_counts_once() {
        let stage = stage();
        let outcome = Outcome::Won(Seat::First);
        let board = stage.finish(true, outcome, stage.start);
        let rated = Rated::new(
            &board,
            stage.standings(),
            outcome,
            Gainless::default(),
            stage.start,
        );
        stage.store.rate(&rated).unwrap();
        assert!(stage.store.rate(&rated).is_err());
        assert_eq!(stage.standings()[0].won, 1);
    }

    #[test]
    fn ranks_follow_ratings_and_idle_time_ends_established_ones() {
        let stage = stage();
        let mut at = stage.start;
        for _ in 0..40 {
            at += TimeDelta::days(1);
            stage.play(Outcome::Won(Seat::Second), Gainless::default(), at);
            at += TimeDelta::days(1);
            stage.play(Outcome::Won(Seat::First), Gainless::default(), at);
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
