//! Checks a database and the delivered letters, and reports every fault.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

use super::world::World;
use super::{Delivered, Entry, Fate, Mail, Table, digest};
use crate::foreseen::ratings::{Finished, Ratings};
use crate::foreseen::{Stand, TurnRow, number};

/// What is checked.
pub(crate) struct Remains<'a> {
    pub(crate) conn: &'a Connection,
    /// All mails that were sent, in the order of each pair.
    pub(crate) book: &'a [Entry],
    /// All delivered letters, copies too; `None` to skip that check.
    pub(crate) delivered: Option<&'a [Delivered]>,
    /// The address of the server.
    pub(crate) server: &'a str,
    /// Whether the traffic is over: every mail was accepted, every letter sent.
    pub(crate) is_quiet: bool,
}

/// Figures for the report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Mails that are handled although their senders have no reply yet.
    pub(crate) unheard: usize,
    pub(crate) turns: usize,
    pub(crate) boards: usize,
    pub(crate) finished: usize,
    /// Turns of computers.
    pub(crate) answers: usize,
    /// Boards that wait for a computer.
    pub(crate) waiting: usize,
    pub(crate) letters: usize,
    /// Deliveries after the first of a letter.
    pub(crate) copies: usize,
}

pub(super) type Rows<T> = rusqlite::Result<Vec<T>>;

impl Remains<'_> {
    /// Every fault, in a sentence each.
    pub(crate) fn judge(&self) -> (Found, Vec<String>) {
        let mut faults = Vec::new();
        let mut found = Found::default();
        if let Err(error) = self.look(&mut found, &mut faults) {
            faults.push(format!("the database cannot be read: {error}"));
        }
        (found, faults)
    }

    fn look(&self, found: &mut Found, faults: &mut Vec<String>) -> rusqlite::Result<()> {
        self.file(faults)?;
        let inbox = self.inbox(faults)?;
        let present: Vec<&Mail> = self
            .book
            .iter()
            .map(|entry| entry.mail.as_ref())
            .filter(|mail| inbox.contains_key(mail.id.as_str()))
            .collect();
        found.unheard = self
            .book
            .iter()
            .filter(|entry| entry.fate == Fate::Open && inbox.contains_key(entry.mail.id.as_str()))
            .count();
        self.begun(&inbox, faults)?;
        let letters = self.letters()?;
        let answers = self.written(&present, &inbox, &letters, faults);
        found.answers = self.answered(&answers, faults)?;
        found.waiting = self.waiting()?;
        if self.is_quiet && found.waiting > 0 {
            faults.push(format!("{} boards still wait for a computer", found.waiting));
        }
        self.posted(&letters, found, faults);
        match World::after(present.iter().copied()) {
            Ok(world) => {
                self.players(&world, faults)?;
                let ends = self.boards(&world, found, faults)?;
                self.ratings(&world, &ends, faults)?;
            }
            Err(why) => faults.push(why),
        }
        Ok(())
    }

    /// All rows of a statement.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Rows<T> {
        self.conn.prepare(sql)?.query_map([], row)?.collect()
    }

    fn file(&self, faults: &mut Vec<String>) -> rusqlite::Result<()> {
        let said: Vec<String> = self.rows("PRAGMA integrity_check(5)", |row| row.get(0))?;
        if said != ["ok"] {
            faults.push(format!("integrity_check: {said:?}"));
        }
        let loose: Vec<String> = self.rows("PRAGMA foreign_key_check", |row| row.get(0))?;
        if !loose.is_empty() {
            faults.push(format!("rows name others that are not there: {loose:?}"));
        }
        Ok(())
    }

    /// The rows of the accepted mails, by Message-ID: none twice, none unknown, none missing.
    fn inbox(&self, faults: &mut Vec<String>) -> rusqlite::Result<HashMap<String, i64>> {
        let rows: Vec<(i64, String, String, Option<String>)> = self
            .rows("SELECT id, message_id, state, reason FROM inbox", |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        let book: HashMap<_, _> = self
            .book
            .iter()
            .map(|entry| (entry.mail.id.as_str(), entry))
            .collect();
        let mut inbox = HashMap::new();
        for (id, message_id, state, reason) in rows {
            match book.get(message_id.as_str()) {
                None => faults.push(format!("{message_id} was taken and never sent")),
                Some(entry) => {
                    let expected = if entry.mail.is_refused { "refused" } else { "done" };
                    if state != expected {
                        faults.push(format!("{message_id} is {state}, not {expected}: {reason:?}"));
                    }
                }
            }
            if inbox.insert(message_id.clone(), id).is_some() {
                faults.push(format!("{message_id} was taken twice"));
            }
        }
        for entry in self.book {
            let is_expected = self.is_quiet || entry.fate == Fate::Accepted;
            if is_expected && !inbox.contains_key(&entry.mail.id) {
                faults.push(format!("{} was accepted and is lost", entry.mail.id));
            }
        }
        Ok(inbox)
    }

    /// A mail that is recorded as begun has no reply yet, and was begun twice at most. It may still have been
    /// accepted, before a kill, and sent again, before the next.
    fn begun(&self, inbox: &HashMap<String, i64>, faults: &mut Vec<String>) -> rusqlite::Result<()> {
        let rows: Vec<(Vec<u8>, i64)> = self.rows("SELECT digest, times FROM begun", |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        if rows.is_empty() {
            return Ok(());
        }
        let open: HashSet<_> = self
            .book
            .iter()
            .filter(|entry| entry.fate == Fate::Open || !inbox.contains_key(&entry.mail.id))
            .map(|entry| digest(&entry.mail.bytes(self.server)))
            .collect();
        for (digest, times) in rows {
            let is_open = <[u8; 32]>::try_from(digest).is_ok_and(|digest| open.contains(&digest));
            if !is_open || times > 2 || self.is_quiet {
                faults.push(format!("a mail is noted as begun {times} times that is not open"));
            }
        }
        Ok(())
    }

    fn players(&self, world: &World, faults: &mut Vec<String>) -> rusqlite::Result<()> {
        let mut players: Vec<String> =
            self.rows("SELECT userid FROM players WHERE id > 0", |row| row.get(0))?;
        players.sort();
        if !players.iter().eq(&world.players) {
            faults.push(format!("the players are {players:?}, not {:?}", world.players));
        }
        let sql = "SELECT p.userid FROM preferences f JOIN players p ON p.id = f.player WHERE f.html = 0";
        let mut plain: Vec<String> = self.rows(sql, |row| row.get(0))?;
        plain.sort();
        if !plain.iter().eq(&world.plain) {
            faults.push(format!("{plain:?} want no HTML, not {:?}", world.plain));
        }
        let sql = "SELECT p.userid, d.game, d.display FROM displays d JOIN players p ON p.id = d.player";
        let displays: Vec<(String, String, String)> =
            self.rows(sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let displays: BTreeMap<_, _> = displays
            .iter()
            .map(|(userid, game, display)| ((userid.as_str(), game.as_str()), display.as_str()))
            .collect();
        let expected: BTreeMap<_, _> = world
            .displays
            .iter()
            .map(|((userid, game), display)| ((userid.as_str(), *game), *display))
            .collect();
        if displays != expected {
            faults.push(format!("the displays are {displays:?}, not {expected:?}"));
        }
        Ok(())
    }

    /// Every board and every turn; returns the times of the ends, by board name.
    fn boards(
        &self,
        world: &World,
        found: &mut Found,
        faults: &mut Vec<String>,
    ) -> rusqlite::Result<HashMap<(String, u32), Ended>> {
        let sql = "SELECT b.game, b.number, f.userid, s.userid, b.turns, b.to_move, b.result, b.result_by, \
                   b.ended_at, b.plan, b.plan_by, b.id, f.created_at, s.created_at FROM boards b \
                   JOIN players f ON f.id = b.first_player JOIN players s ON s.id = b.second_player";
        let rows = self.rows(sql, Row::read)?;
        let mut turns: HashMap<i64, Vec<TurnRow>> = HashMap::new();
        let sql = "SELECT board, ordinal, seat, turn FROM turns ORDER BY board, ordinal";
        for (board, turn) in self.rows(sql, |row| {
            Ok((row.get::<_, i64>(0)?, (row.get(1)?, row.get(2)?, row.get(3)?)))
        })? {
            found.turns += 1;
            turns.entry(board).or_default().push(turn);
        }
        let mut begun: BTreeMap<(&str, &[String; 2]), usize> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut ends = HashMap::new();
        for row in &rows {
            *begun.entry((&row.game, &row.players)).or_default() += 1;
            seen.insert((row.game.as_str(), row.number));
            let turns = turns.remove(&row.id).unwrap_or_default();
            let expected = expected(world, row);
            let is = row.state(turns);
            if is != expected && (self.is_quiet || !waits_for_answer(world, row, &is)) {
                faults.push(format!("{} {} is {is:?}, not {expected:?}", row.game, row.number));
            }
            if let Some(at) = row.ended_at {
                found.finished += 1;
                ends.insert(
                    (row.game.clone(), row.number),
                    Ended {
                        at,
                        players: row.players.clone(),
                        joined: row.joined,
                    },
                );
            }
        }
        found.boards = rows.len();
        let expected: BTreeMap<_, _> = world
            .begun
            .iter()
            .map(|((game, players), count)| ((*game, players), *count))
            .collect();
        if begun != expected {
            faults.push(format!("the boards are {begun:?}, not {expected:?}"));
        }
        for table in world.boards.keys().filter(|table| !seen.contains(*table)) {
            faults.push(format!("{table:?} is lost"));
        }
        for (board, turns) in turns {
            faults.push(format!("{} turns belong to board {board} of nobody", turns.len()));
        }
        Ok(ends)
    }

    /// The ratings follow from the finished boards of people, counted in the order of their ends.
    fn ratings(
        &self,
        world: &World,
        ends: &HashMap<(String, u32), Ended>,
        faults: &mut Vec<String>,
    ) -> rusqlite::Result<()> {
        let mut ratings = Ratings::<String>::none();
        for (game, number) in &world.finished {
            let Some(end) = ends.get(&((*game).to_owned(), *number)) else {
                continue; // Told already.
            };
            let progress = &world.boards[&(*game, *number)].progress;
            let finished = Finished {
                players: end.players.clone(),
                joined: end.joined.map(Some),
                turns: progress.turns.len(),
                outcome: progress.end.unwrap().outcome().unwrap(),
                at: end.at,
            };
            ratings.count(game, finished);
        }
        faults.extend(ratings.difference(self.conn, "userid")?);
        let rated: Vec<(String, u32)> = self.rows(
            "SELECT b.game, b.number FROM rated r JOIN boards b ON b.id = r.board",
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let rated: HashSet<_> = rated
            .iter()
            .map(|(game, number)| (game.as_str(), *number))
            .collect();
        let expected: HashSet<Table> = world.finished.iter().copied().collect();
        if rated != expected {
            faults.push(format!(
                "{} boards are rated, not {}",
                rated.len(),
                expected.len()
            ));
        }
        Ok(())
    }
}

/// When a board ended, and who played.
struct Ended {
    at: i64,
    players: [String; 2],
    /// When their accounts were made.
    joined: [i64; 2],
}

/// A row of `boards`.
struct Row {
    game: String,
    number: u32,
    players: [String; 2],
    turns: i64,
    to_move: Option<i64>,
    result: Option<String>,
    by: Option<String>,
    ended_at: Option<i64>,
    queue: Option<String>,
    queue_by: Option<i64>,
    id: i64,
    joined: [i64; 2],
}

impl Row {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            game: row.get(0)?,
            number: row.get(1)?,
            players: [row.get(2)?, row.get(3)?],
            turns: row.get(4)?,
            to_move: row.get(5)?,
            result: row.get(6)?,
            by: row.get(7)?,
            ended_at: row.get(8)?,
            // "3\nif any then a1": one turn is queued at most.
            queue: row.get::<_, Option<String>>(9)?.map(|plan| {
                let turn = plan.rsplit_once(" then ").map(|(_, turn)| turn.to_owned());
                turn.unwrap_or(plan)
            }),
            queue_by: row.get(10)?,
            id: row.get(11)?,
            joined: [row.get(12)?, row.get(13)?],
        })
    }

    /// The columns that follow from the turns.
    fn state(&self, turns: Vec<TurnRow>) -> State {
        let stand = Stand {
            turns: self.turns,
            to_move: self.to_move,
            end: self.result.clone().zip(self.by.clone()),
        };
        let queue = self.queue_by.zip(self.queue.clone());
        (stand, self.ended_at.is_some(), queue, turns)
    }
}

/// A board: its row, whether it has an end time, its queue, and its turns.
type State = (Stand, bool, Option<(i64, String)>, Vec<TurnRow>);

/// Whether a board stands as it does before its computer has answered.
fn waits_for_answer(world: &World, row: &Row, (stand, is_over, queue, turns): &State) -> bool {
    let board = world.board_of(&row.game, row.number);
    let mut earlier = board.into_iter().flat_map(|board| &board.before_answers);
    !is_over && queue.is_none() && earlier.any(|before| (&before.0, &before.1) == (stand, turns))
}

/// The expected state of this board.
fn expected(world: &World, row: &Row) -> State {
    let Some(board) = world.board_of(&row.game, row.number) else {
        let fresh = Stand {
            turns: 0,
            to_move: Some(0),
            end: None,
        };
        return (fresh, false, None, Vec::new());
    };
    let queue = (board.queue.as_ref()).map(|(seat, turn)| (number(*seat), turn.clone()));
    let is_over = board.progress.end.is_some();
    (board.progress.stand(), is_over, queue, board.progress.rows())
}
