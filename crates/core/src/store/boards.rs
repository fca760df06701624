//! Boards and their turns.

use pbmserv_games::{By, Ending, Game, Options, Outcome, Seat};

use crate::table::{
    Board, BoardId, Clock, Dice, End, Events, Offer, Plan, Played, Seated, Stale, Terms, Unsaved,
};

use super::memo::Rows;
use super::numbers::Numbered;
use super::row::Row;
use super::value::ToValue;
use super::{Error, Reader, Result, Store};

pub(super) const BOARD: &str = "SELECT b.id, b.game, b.number, b.options, b.rules, b.first_player, b.second_player, \
    b.rated, b.nag_days, b.forfeit_days, b.total_days, b.turns, b.to_move, b.result, b.result_by, \
    b.started_at, b.moved_at, b.ended_at, p.userid, q.userid, b.second_moved, b.offer, b.offer_by, \
    b.first_used, b.second_used, b.thought, b.clock_since, b.reminded, b.due_at, b.plan, b.plan_by, b.submitted, \
    b.position_event, b.offer_event, b.submitted_event, b.restored_event, b.refill, \
    b.calendar, b.reminder_days, b.paused_until, b.dice_seed, b.dice_words \
    FROM boards b JOIN players p ON p.id = b.first_player JOIN players q ON q.id = b.second_player";

impl Reader {
    /// The number of the next board of this game.
    pub fn next_number(&self, game: &Game) -> Result<u32> {
        let sql = "SELECT next_number FROM games WHERE game = $1";
        let next = self.db.find(sql, &[&game.facts.name], |row| row.get(0))?;
        Ok(next.unwrap_or(101))
    }

    /// Finds a board by its number in the game, which players see.
    pub fn board(&self, game: &Game, number: u32) -> Result<Option<Board>> {
        let is_it = |_: &BoardId, board: &Option<Board>| {
            let board = board.as_ref();
            board.is_some_and(|board| board.number == number && board.game.facts.name == game.facts.name)
        };
        if let Some(board) = self.db.memo.find(Rows::Boards, is_it) {
            return Ok(board);
        }
        let sql = format!("{BOARD} WHERE b.game = $1 AND b.number = $2");
        let found = self.db.find(&sql, &[&game.facts.name, &number], board)?;
        if let Some(board) = &found
            && self.db.memo.is_open()
        {
            self.db.memo.keep(Rows::Boards, board.id, found.clone());
        }
        Ok(found)
    }

    /// Finds a board by the number of its row.
    pub fn board_by_id(&self, id: BoardId) -> Result<Option<Board>> {
        self.db.memo.once(Rows::Boards, id, |id| {
            let sql = format!("{BOARD} WHERE b.id = $1");
            self.db.find(&sql, &[id], board)
        })
    }

    /// The turns of a board, in the order in which they were played.
    pub fn turns(&self, board: BoardId) -> Result<Vec<Played>> {
        self.db.memo.once(Rows::Turns, board, |board| {
            let sql = "SELECT seat, turn, played_at, event FROM turns WHERE board = $1 ORDER BY ordinal";
            self.db.all(sql, &[board], |row| {
                Ok(Played {
                    seat: row.get(0)?,
                    text: row.get(1)?,
                    at: row.get(2)?,
                    event: row.get(3)?,
                })
            })
        })
    }
}

/// The columns that every save writes. Only the index of the clocks contains one of them, and that is intended: SQLite
/// updates every index that contains a column named in the statement, even if the value stays the same.
const SAVED: &str = "turns = $1, second_moved = $2, to_move = $3, offer = $4, offer_by = $5, plan = $6, plan_by = $7, \
    submitted = $8, moved_at = $9, first_used = $10, second_used = $11, thought = $12, clock_since = $13, \
    reminded = $14, due_at = $15, position_event = $16, offer_event = $17, submitted_event = $18, \
    calendar = $19, reminder_days = $20, paused_until = $21, dice_words = $22";

impl Store {
    /// Adds a board, with its turns if it begins with some. Its number is never used again.
    pub fn add_board(&self, board: &Board) -> Result<BoardId> {
        let next = "INSERT INTO games (game, next_number) VALUES ($1, $2) \
                    ON CONFLICT (game) DO UPDATE SET next_number = excluded.next_number";
        self.db
            .write(next, &[&board.game.facts.name, &(board.number + 1)])?;
        let id = self.next_number_of(Numbered::Boards)?;
        // The defaults of the other columns are those of a board without turns.
        let sql = "INSERT INTO boards (id, game, number, options, rules, first_player, second_player, rated, \
                   nag_days, forfeit_days, total_days, refill, to_move, started_at, moved_at, clock_since, due_at, \
                   calendar, reminder_days, dice_seed, dice_words) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";
        let values: [&dyn ToValue; 21] = [
            &id,
            &board.game.facts.name,
            &board.number,
            &board.options.to_string(),
            &board.options.revision(),
            &board.players[0].id,
            &board.players[1].id,
            &board.terms.rated,
            &board.terms.nag_days,
            &board.terms.forfeit_days,
            &board.terms.total_days,
            &board.terms.refill.to_string(),
            &board.to_move,
            &board.started_at,
            &board.moved_at,
            &board.clock.since,
            &board.due_at,
            &board.clock.calendar.to_string(),
            &board.clock.reminders.to_string(),
            &board.dice.as_ref().map(Dice::seed_text),
            &words(board),
        ];
        self.db.write(sql, &values)?;
        let id = BoardId(id);
        if board.turns > 0 {
            self.save_board(&Board { id, ..board.clone() })?;
        }
        Ok(id)
    }

    /// Saves the offer on a finished board, which has no other changes.
    pub fn set_offer(&self, board: &Board) -> Result<()> {
        let (offer, by) = board.offer.map(|(offer, by)| (offer_word(offer), by)).unzip();
        let sql = "UPDATE boards SET offer = $1, offer_by = $2, offer_event = $3 WHERE id = $4 AND ended_at IS NOT NULL";
        self.db
            .write(sql, &[&offer, &by, &board.events.offer, &board.id])?;
        Ok(())
    }

    /// Saves a board that was read in this transaction, with its new turns.
    ///
    /// # Errors
    /// One of the new turns is already stored, or the stored board is over: a finished board never changes.
    pub fn save_board(&self, board: &Board) -> Result<()> {
        self.save_turns(board)?;
        let (offer, offer_by) = board.offer.map(|(offer, by)| (offer_word(offer), by)).unzip();
        let plan = board.plan.as_ref();
        let (plan, plan_by) = plan.map(|(by, plan)| (plan.to_stored(), *by)).unzip();
        let (result, result_by) = board.end.map(end_words).unzip();
        let clock = &board.clock;
        let (calendar, reminder_days) = (clock.calendar.to_string(), clock.reminders.to_string());
        let dice_words = words(board);
        let mut values: Vec<&dyn ToValue> = vec![
            &board.turns,
            &board.second_has_moved,
            &board.to_move,
            &offer,
            &offer_by,
            &plan,
            &plan_by,
            &board.submitted,
            &board.moved_at,
            &clock.used[0],
            &clock.used[1],
            &clock.thought,
            &clock.since,
            &clock.reminded,
            &board.due_at,
            &board.events.position,
            &board.events.offer,
            &board.events.submitted,
            &calendar,
            &reminder_days,
            &board.paused_until,
            &dice_words,
        ];
        let is_over = board.end.is_some();
        let more = if is_over || board.unsaved.is_reseated {
            let [first, second] = &board.players;
            let more: [&dyn ToValue; 5] = [&first.id, &second.id, &result, &result_by, &board.ended_at];
            values.extend(more);
            ", first_player = $23, second_player = $24, result = $25, result_by = $26, ended_at = $27"
        } else {
            ""
        };
        values.push(&board.id);
        let id = values.len();
        let sql = format!("UPDATE boards SET {SAVED}{more} WHERE id = ${id} AND ended_at IS NULL");
        // A board that does not run is not changed.
        self.db.write_one(&sql, &values)?;
        if self.db.memo.is_open() {
            let saved = Board {
                unsaved: Unsaved::default(),
                ..board.clone()
            };
            self.db.memo.keep(Rows::Boards, board.id, Some(saved));
        }
        if let Some(stale) = board.unsaved.stale {
            let which = match stale {
                Stale::Turn => " AND total = 0",
                Stale::All => "",
            };
            let sql = format!("DELETE FROM warnings WHERE board = $1{which}");
            self.db.write(&sql, &[&board.id])?;
        }
        if is_over {
            // A finished board has no watchers.
            let sql = "DELETE FROM watched_boards WHERE board = $1";
            self.db.write(sql, &[&board.id])?;
        }
        Ok(())
    }

    fn save_turns(&self, board: &Board) -> Result<()> {
        let Unsaved {
            played,
            is_taken_back,
            ..
        } = &board.unsaved;
        let before = i64::from(board.turns) - i64::try_from(played.len()).unwrap_or(i64::MAX);
        if *is_taken_back {
            let sql = "DELETE FROM turns WHERE board = $1 AND ordinal > $2";
            self.db.write(sql, &[&board.id, &before])?;
        }
        for (ordinal, played) in (before + 1..).zip(played) {
            let sql = "INSERT INTO turns (board, ordinal, seat, turn, played_at, event) VALUES ($1, $2, $3, $4, $5, $6)";
            let values: [&dyn ToValue; 6] = [
                &board.id,
                &ordinal,
                &played.seat,
                &played.text,
                &played.at,
                &played.event,
            ];
            self.db.write(sql, &values)?;
        }
        Ok(())
    }
}

/// The words of the players for the dice.
fn words(board: &Board) -> Option<String> {
    board.dice.as_ref().map(|dice| dice.words.join(" "))
}

/// The dice of a row.
fn dice(seed: Option<&str>, words: Option<&str>) -> Option<Option<Dice>> {
    let Some(seed) = seed else { return Some(None) };
    let (first, second) = words?.split_once(' ')?;
    Dice::of_text(seed, [first, second].map(str::to_owned)).map(Some)
}

const fn offer_word(offer: Offer) -> &'static str {
    match offer {
        Offer::Draw => "draw",
        Offer::Undo => "undo",
        Offer::Pause => "pause",
        Offer::Rematch => "rematch",
    }
}

fn offer_of(word: &str) -> Result<Offer> {
    match word {
        "draw" => Ok(Offer::Draw),
        "undo" => Ok(Offer::Undo),
        "pause" => Ok(Offer::Pause),
        "rematch" => Ok(Offer::Rematch),
        _ => Err(Error::Corrupt(format!("a board has the unknown offer {word}"))),
    }
}

const fn seat_word(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "first",
        Seat::Second => "second",
    }
}

fn seat_of(word: &str) -> Result<Seat> {
    let seat = Seat::BOTH.into_iter().find(|seat| seat_word(*seat) == word);
    seat.ok_or_else(|| Error::Corrupt(format!("a board has the unknown seat {word}")))
}

const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won(seat) => seat_word(seat),
        Outcome::Drawn => "draw",
    }
}

pub(super) fn outcome(result: &str) -> Result<Outcome> {
    match result {
        "draw" => Ok(Outcome::Drawn),
        seat => seat_of(seat).map(Outcome::Won),
    }
}

const fn end_words(end: End) -> (&'static str, &'static str) {
    match end {
        End::Removed(seat) => ("removed", seat_word(seat)),
        End::Void => ("void", By::Adjudication.word()),
        End::Finished(Ending { outcome, by }) => (outcome_word(outcome), by.word()),
    }
}

fn end(result: &str, by: &str) -> Result<End> {
    match result {
        "removed" => return seat_of(by).map(End::Removed),
        "void" => return Ok(End::Void),
        _ => {}
    }
    let outcome = outcome(result)?;
    let by = By::ALL.into_iter().find(|one| one.word() == by);
    let by = by.ok_or_else(|| Error::Corrupt("a board has an unknown kind of end".to_owned()))?;
    Ok(End::Finished(Ending { outcome, by }))
}

pub(super) fn board(row: &Row<'_>) -> Result<Board> {
    let (name, options): (&str, &str) = (row.get(1)?, row.get(3)?);
    let number = row.get(2)?;
    let game = pbmserv_games::find(name)
        .ok_or_else(|| Error::Corrupt(format!("a board has the unknown game {name}")))?;
    let options = Options::parse(game.facts, options.split_whitespace())
        .map_err(|refusal| Error::Corrupt(format!("{name} Board {number}: {refusal}")))?;
    let players = [
        Seated {
            id: row.get(5)?,
            userid: row.get(18)?,
        },
        Seated {
            id: row.get(6)?,
            userid: row.get(19)?,
        },
    ];
    let terms = Terms {
        rated: row.get(7)?,
        nag_days: row.get(8)?,
        forfeit_days: row.get(9)?,
        total_days: row.get(10)?,
        refill: row.get(36)?,
    };
    let (result, by): (Option<&str>, Option<&str>) = (row.get(13)?, row.get(14)?);
    let end = result.map(|result| end(result, by.unwrap_or_default()));
    let (offer, offer_by): (Option<&str>, Option<Seat>) = (row.get(21)?, row.get(22)?);
    let offer = offer
        .zip(offer_by)
        .map(|(word, by)| offer_of(word).map(|offer| (offer, by)));
    let (plan, plan_by): (Option<&str>, Option<Seat>) = (row.get(29)?, row.get(30)?);
    let plan = plan.zip(plan_by).map(|(text, by)| match Plan::of_stored(text) {
        Some(plan) => Ok((by, plan)),
        None => Err(Error::Corrupt(format!(
            "{name} Board {number} has a plan that cannot be read"
        ))),
    });
    let dice = dice(row.get(40)?, row.get(41)?)
        .ok_or_else(|| Error::Corrupt(format!("{name} Board {number} has dice that cannot be read")))?;
    Ok(Board {
        id: row.get(0)?,
        game,
        number,
        options: options.under(row.get(4)?),
        players,
        terms,
        dice,
        turns: row.get(11)?,
        second_has_moved: row.get(20)?,
        to_move: row.get(12)?,
        end: end.transpose()?,
        offer: offer.transpose()?,
        plan: plan.transpose()?,
        submitted: row.get(31)?,
        events: Events {
            position: row.get(32)?,
            offer: row.get(33)?,
            submitted: row.get(34)?,
            restored: row.get(35)?,
        },
        started_at: row.get(15)?,
        moved_at: row.get(16)?,
        clock: Clock {
            used: [row.get(23)?, row.get(24)?],
            thought: row.get(25)?,
            since: row.get(26)?,
            reminded: row.get(27)?,
            calendar: row.get(37)?,
            reminders: row.get(38)?,
        },
        paused_until: row.get(39)?,
        due_at: row.get(28)?,
        ended_at: row.get(17)?,
        unsaved: Unsaved::default(),
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use pbmserv_games::GAMES;

    use super::*;
    use crate::seasons::Format;
    use crate::store::place_of_tests::place;
    use crate::store::{ContestKind, NewContest, NewPlayer, Seek};
    use crate::table::{NewBoard, Presence};

    #[test]
    fn each_clock_is_read_as_it_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let now: DateTime<Utc> = "2026-11-20T08:00:00Z".parse().unwrap();
        let players = ["alice", "bob"].map(|userid| {
            let new = NewPlayer {
                userid: userid.into(),
                password_hash: String::new(),
                created_at: now,
            };
            let id = store.add_player(&new).unwrap();
            Seated {
                id,
                userid: userid.into(),
            }
        });
        let game = &GAMES[0];
        let options = Options::none(game.facts);
        for text in ["--nagtime=3", "--totaltime=45", "--days=14+1", "--days=10/30"] {
            let terms = Terms::read([text]).unwrap();
            let presence = Presence {
                calendar: "Fri Sat America/New_York".parse().unwrap(),
                reminders: "7 3".parse().unwrap(),
                ..Presence::HERE
            };
            let new = NewBoard {
                game,
                number: store.next_number(game).unwrap(),
                options: options.clone(),
                players: players.clone(),
                terms,
                dice: None,
            };
            let mut board = Board::begun(new, Some(Seat::First), [presence; 2], now);
            board.id = store.add_board(&board).unwrap();
            let clock = |board: Board| (board.terms, board.clock, board.paused_until, board.due_at);
            let found = store.board_by_id(board.id).unwrap();
            assert_eq!(found.map(clock), Some(clock(board.clone())));
            board.paused(None, now + TimeDelta::days(3));
            board.clock.calendar = "Sun UTC".parse().unwrap();
            store.save_board(&board).unwrap();
            let found = store.board_by_id(board.id).unwrap();
            assert_eq!(found.map(clock), Some(clock(board)));

            let seek = Seek {
                player: players[0].id,
                userid: "alice".into(),
                game,
                left_over: 1,
                options: options.clone(),
                terms,
                since: now,
            };
            // The second one replaces the first.
            store.set_seek(&seek).unwrap();
            let found = store.seek(players[0].id, game).unwrap();
            assert_eq!(found.map(|seek| seek.terms), Some(terms));

            let contest = NewContest {
                game,
                kind: ContestKind::Cup {
                    name: text.into(),
                    made_by: players[0].id,
                    is_private: false,
                },
                format: Format::League,
                seats: 4,
                options: options.clone(),
                terms,
                begins_at: now,
            };
            let id = store.add_contest(&contest).unwrap();
            let found = store.contest(id).unwrap();
            assert_eq!(found.map(|contest| contest.new.terms), Some(terms));
        }
    }
}
