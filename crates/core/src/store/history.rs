//! Finished games: the newest ones of a game, and the score between two players.

use pbmserv_games::Game;

use crate::table::{Board, PlayerId};

use super::boards::{BOARD, board};
use super::value::ToValue;
use super::{Reader, Result};

/// The score between two players in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The name of the game.
    pub game: String,
    /// Games won by the first player.
    pub won: u32,
    /// Games won by the other player.
    pub lost: u32,
    /// Drawn games.
    pub drawn: u32,
}

/// Boards that count as finished games: not those that were removed or declared void.
const FINISHED: &str = "ended_at IS NOT NULL AND result NOT IN ('removed', 'void')";

impl Reader {
    /// The finished boards of a game, newest first, at most `limit`: of all players, of one, or of two against each
    /// other.
    pub fn finished(&self, game: &Game, players: &[PlayerId], limit: usize) -> Result<Vec<Board>> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let newest = "ORDER BY ended_at DESC, id DESC";
        // Each seat has its own index, so the cost grows only with the rows that are returned. Parameters are numbered
        // by their first use, so the limit comes last.
        let limit_at = players.len().min(2) + 2;
        let seat = |test: &str| {
            format!(
                "SELECT id FROM (SELECT id FROM boards WHERE game = $1{test} AND {FINISHED} {newest} LIMIT ${limit_at}) AS newest"
            )
        };
        let (ids, who) = match players {
            [] => (seat(""), vec![]),
            [one] => {
                let seats = [" AND first_player = $2", " AND second_player = $2"].map(seat);
                (seats.join(" UNION "), vec![*one])
            }
            [one, other, ..] => {
                let seats = [
                    " AND first_player = $2 AND second_player = $3",
                    " AND first_player = $3 AND second_player = $2",
                ]
                .map(seat);
                (seats.join(" UNION "), vec![*one, *other])
            }
        };
        let sql =
            format!("{BOARD} WHERE b.id IN ({ids}) ORDER BY b.ended_at DESC, b.id DESC LIMIT ${limit_at}");
        let mut values: Vec<&dyn ToValue> = vec![&game.facts.name];
        values.extend(who.iter().map(|player| player as &dyn ToValue));
        values.push(&limit);
        self.db.all(&sql, &values, board)
    }

    /// The boards of two players against each other, at most `limit`: the running ones, then the finished ones, newest
    /// first.
    pub fn boards_of_two(&self, [one, other]: [PlayerId; 2], limit: usize) -> Result<Vec<Board>> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let newest =
            "ORDER BY CASE WHEN b.ended_at IS NULL THEN 0 ELSE 1 END, b.ended_at DESC, b.id DESC LIMIT $3";
        let seat = |test: &str| {
            format!(
                "SELECT id FROM (SELECT id FROM boards b WHERE {test} AND (ended_at IS NULL OR {FINISHED}) {newest}) AS newest"
            )
        };
        let ids = [
            "first_player = $1 AND second_player = $2",
            "first_player = $2 AND second_player = $1",
        ]
        .map(seat)
        .join(" UNION ");
        let sql = format!("{BOARD} WHERE b.id IN ({ids}) {newest}");
        self.db.all(&sql, &[&one, &other, &limit], board)
    }

    /// The score between two players in each game that they played.
    pub fn scores(&self, one: PlayerId, other: PlayerId) -> Result<Vec<Score>> {
        let sql = format!(
            "SELECT game, SUM(CASE WHEN (result = 'first') = (first_player = $1) AND result <> 'draw' THEN 1 ELSE 0 END), \
             SUM(CASE WHEN (result = 'first') <> (first_player = $1) AND result <> 'draw' THEN 1 ELSE 0 END), \
             SUM(CASE WHEN result = 'draw' THEN 1 ELSE 0 END) FROM boards \
             WHERE ((first_player = $1 AND second_player = $2) OR (first_player = $2 AND second_player = $1)) \
             AND {FINISHED} GROUP BY game ORDER BY game"
        );
        self.db.all(&sql, &[&one, &other], |row| {
            Ok(Score {
                game: row.get(0)?,
                won: row.get(1)?,
                lost: row.get(2)?,
                drawn: row.get(3)?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::place_of_tests::place;
    use crate::store::value::time;
    use crate::store::{NewPlayer, Store};
    use crate::table::{End, NewBoard, Presence, Seated, Terms};
    use pbmserv_games::{By, Ending, GAMES, Options, Outcome, Seat};

    #[test]
    fn finished_games_are_found_by_their_players_newest_first_and_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let start = time(1_800_000_000_000);
        let [alice, bob, carol] = ["alice", "bob", "carol"].map(|userid| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: String::new(),
                created_at: start,
            };
            store.add_player(&new).unwrap()
        });
        let mut at = start;
        let mut play = |game: usize, players: [PlayerId; 2], end: Option<End>| {
            let game = &GAMES[game];
            let number = store.next_number(game).unwrap();
            let new = NewBoard {
                game,
                number,
                options: Options::none(game.facts),
                players: players.map(|id| Seated {
                    id,
                    userid: String::new(),
                }),
                terms: Terms::default(),
                dice: None,
            };
            let mut board = Board::begun(new, Some(Seat::First), [Presence::HERE; 2], start);
            board.id = store.add_board(&board).unwrap();
            at += chrono::TimeDelta::hours(1);
            if let Some(end) = end {
                board.ended(end, at);
                store.save_board(&board).unwrap();
            }
            number
        };
        let ended = |outcome| {
            End::Finished(Ending {
                outcome,
                by: By::Resignation,
            })
        };
        let (first, second) = (
            ended(Outcome::Won(Seat::First)),
            ended(Outcome::Won(Seat::Second)),
        );
        let running = play(1, [bob, alice], None);
        let mut end = |game, players, end| play(game, players, Some(end));
        let numbers = [
            end(0, [alice, bob], first),
            end(0, [bob, alice], first),
            end(0, [bob, carol], ended(Outcome::Drawn)),
            end(0, [bob, alice], second),
            end(0, [alice, bob], End::Removed(Seat::Second)),
            end(0, [alice, bob], End::Void),
            end(0, [alice, bob], ended(Outcome::Drawn)),
            end(1, [alice, bob], second),
        ];
        let found = |players: &[PlayerId], limit| {
            let boards = store.finished(&GAMES[0], players, limit).unwrap();
            boards.into_iter().map(|board| board.number).collect::<Vec<_>>()
        };
        let [a, b, c, d, _, _, f, g] = numbers;
        assert_eq!(found(&[], 10), [f, d, c, b, a]);
        assert_eq!(found(&[], 2), [f, d]);
        assert_eq!(found(&[bob], 10), [f, d, c, b, a]);
        assert_eq!(found(&[alice], 3), [f, d, b]);
        assert_eq!(found(&[carol], 10), [c]);
        assert_eq!(found(&[bob, alice], 10), [f, d, b, a]);
        assert_eq!(found(&[bob, alice], 1), [f]);
        assert!(found(&[alice, carol], 10).is_empty());
        let of_two = |one, other| {
            let boards = store.boards_of_two([one, other], 4).unwrap();
            boards
                .into_iter()
                .map(|board| (board.game.facts.name, board.number))
                .collect::<Vec<_>>()
        };
        let [name, other] = [0, 1].map(|game| GAMES[game].facts.name);
        let newest = [(other, running), (other, g), (name, f), (name, d)];
        assert_eq!(of_two(alice, bob), newest);
        assert_eq!(of_two(bob, alice), newest);
        assert_eq!(of_two(alice, carol), []);
        let score = |game: usize, won, lost, drawn| Score {
            game: GAMES[game].facts.name.into(),
            won,
            lost,
            drawn,
        };
        let mut scores = store.scores(alice, bob).unwrap();
        scores.sort_by_key(|score| score.lost + score.won);
        assert_eq!(scores, [score(1, 0, 1, 0), score(0, 2, 1, 1)]);
        let mut turned = store.scores(bob, alice).unwrap();
        turned.sort_by_key(|score| score.lost + score.won);
        assert_eq!(turned, [score(1, 1, 0, 0), score(0, 1, 2, 1)]);
        assert_eq!(store.scores(alice, carol).unwrap(), []);
    }
}
