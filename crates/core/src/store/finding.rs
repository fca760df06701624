//! Finding boards by game, player and state.

use pbmserv_games::Game;

use crate::table::{Board, BoardId, PlayerId};

use super::boards::{BOARD, board};
use super::value::ToValue;
use super::{Reader, Result};

/// Which boards to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardFilter {
    /// Only boards of this game.
    pub game: Option<&'static Game>,
    /// Only boards of this player.
    pub player: Option<PlayerId>,
    /// `Some(true)`: running boards; `Some(false)`: finished boards; `None`: both.
    pub running: Option<bool>,
    /// Only boards where `player` is to move; without a player it has no effect.
    pub is_to_move: bool,
    /// The highest number of boards to return.
    pub limit: u32,
}

impl Reader {
    /// The boards that match the filter, newest first.
    pub fn boards(&self, filter: BoardFilter) -> Result<Vec<Board>> {
        let mut tests = Vec::new();
        let mut values: Vec<&dyn ToValue> = Vec::new();
        if let Some(game) = filter.game {
            values.push(&game.facts.name);
            tests.push("b.game = $1".to_owned());
        }
        match filter.running {
            Some(true) => tests.push("b.ended_at IS NULL".to_owned()),
            Some(false) => tests.push("b.ended_at IS NOT NULL".to_owned()),
            None => {}
        }
        if let Some(player) = &filter.player {
            values.push(player);
            // Each seat has its own index, so the cost does not grow with the boards of others.
            let seat = |seat: &str, number: i64| {
                // Parameters are numbered by their first use, so the player comes after the game.
                let mut tests = [tests.as_slice(), &[format!("b.{seat} = ${}", values.len())]].concat();
                if filter.is_to_move {
                    tests.push(format!("b.to_move = {number}"));
                }
                format!("SELECT b.id FROM boards b WHERE {}", tests.join(" AND "))
            };
            let both = format!("{} UNION {}", seat("first_player", 0), seat("second_player", 1));
            tests = vec![format!("b.id IN ({both})")];
        }
        let tests = if tests.is_empty() {
            "1 = 1".to_owned()
        } else {
            tests.join(" AND ")
        };
        values.push(&filter.limit);
        let sql = format!("{BOARD} WHERE {tests} ORDER BY b.id DESC LIMIT ${}", values.len());
        self.db.all(&sql, &values, board)
    }

    /// The boards after this one, so many of them, in the order of their rows.
    pub fn boards_after(&self, last: BoardId, limit: u32) -> Result<Vec<Board>> {
        let sql = format!("{BOARD} WHERE b.id > $1 ORDER BY b.id LIMIT $2");
        self.db.all(&sql, &[&last, &limit], board)
    }

    /// The numbers of running and of finished boards of this game.
    pub fn board_counts(&self, game: &Game) -> Result<(u32, u32)> {
        let sql = "SELECT COALESCE(SUM(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END), 0), COUNT(ended_at) \
                   FROM boards WHERE game = $1";
        self.db
            .one(sql, &[&game.facts.name], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::place_of_tests::place;
    use crate::store::{NewPlayer, Store};
    use crate::table::{End, NewBoard, Presence, Seated, Terms};
    use chrono::Utc;
    use pbmserv_games::{GAMES, Options, Seat};

    #[test]
    fn boards_are_found_by_game_player_and_state() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let now = Utc::now();
        let player = |userid: &str| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: String::new(),
                created_at: now,
            };
            store.add_player(&new).unwrap()
        };
        let (alice, bob, carol) = (player("alice"), player("bob"), player("carol"));
        let begin = |game: &'static Game, players: [PlayerId; 2]| {
            let new = NewBoard {
                game,
                number: store.next_number(game).unwrap(),
                options: Options::none(game.facts),
                players: players.map(|id| Seated {
                    id,
                    userid: String::new(),
                }),
                terms: Terms::default(),
                dice: None,
            };
            let board = Board::begun(new, Some(Seat::First), [Presence::HERE; 2], now);
            store.add_board(&board).unwrap()
        };
        let [pow2, other] = [&GAMES[0], &GAMES[1]];
        let first = begin(pow2, [alice, bob]);
        let second = begin(other, [bob, alice]);
        let third = begin(pow2, [bob, carol]);
        let mut removed = store.board_by_id(first).unwrap().unwrap();
        removed.ended(End::Removed(Seat::Second), now);
        store.save_board(&removed).unwrap();
        assert!(
            store.save_board(&removed).is_err(),
            "a board that is over is never changed"
        );
        let find = |game, player, running| {
            let found = store
                .boards(BoardFilter {
                    game,
                    player,
                    running,
                    is_to_move: false,
                    limit: 10,
                })
                .unwrap();
            found.iter().map(|board| board.id).collect::<Vec<_>>()
        };
        assert_eq!(find(None, None, None), [third, second, first]);
        assert_eq!(find(Some(pow2), None, None), [third, first]);
        assert_eq!(find(None, Some(alice), None), [second, first]);
        assert_eq!(find(Some(pow2), Some(alice), None), [first]);
        assert_eq!(find(Some(pow2), Some(bob), Some(true)), [third]);
        assert_eq!(find(Some(pow2), Some(bob), Some(false)), [first]);
        assert_eq!(find(Some(other), Some(carol), None), []);
        assert_eq!(store.next_number(pow2).unwrap(), 103);
    }
}
