//! What the server has stored, kept row by row: triggers of the soak write down every change of the tables below, with the row
//! before and after it. So people and laws see what is there without a search, and the laws see each change.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use pbmserv_games::{GAMES, Options, Seat};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::deed::At;
use crate::foreseen::{End, Progress, number};

/// Milliseconds of a minute, an hour and a day.
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The place of every computer among the accounts: it has none.
pub(crate) const COMPUTER: usize = usize::MAX;

/// The tables whose changes are written down; columns that say only when somebody was there are left out.
pub(crate) const TABLES: [&str; 16] = [
    "players",
    "addresses",
    "preferences",
    "displays",
    "blocks",
    "vacations",
    "page_links",
    "taking",
    "seeks",
    "boards",
    "turns",
    "warnings",
    "watched_boards",
    "watched_games",
    "digests",
    "digest_news",
];
pub(crate) const LEFT_OUT: [&str; 2] = ["seen_at", "estimate"];

/// A change of a row.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) table: String,
    pub(crate) old: Option<Value>,
    pub(crate) new: Option<Value>,
}

impl fmt::Debug for Change {
    /// The row before, and the columns that have changed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = |row: &Option<Value>| {
            let columns = row
                .as_ref()
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            let columns = columns.into_iter().filter(|(name, _)| self.alters(name));
            columns
                .map(|(name, value)| format!("{name} {value}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let id = ["id", "board", "player"].map(|column| self.number(column));
        write!(
            f,
            "{} {id:?}: {} -> {}",
            self.table,
            columns(&self.old),
            columns(&self.new)
        )
    }
}

impl Change {
    /// A column of the row, before the change if there was one.
    pub(crate) fn number(&self, column: &str) -> Option<i64> {
        self.old.as_ref().or(self.new.as_ref())?.get(column)?.as_i64()
    }

    /// A column after the change.
    pub(crate) fn after(&self, column: &str) -> Option<i64> {
        self.new.as_ref()?.get(column)?.as_i64()
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.old.as_ref().or(self.new.as_ref())?.get(column)?.as_str()
    }

    pub(crate) fn new_text(&self, column: &str) -> &str {
        let new = self.new.as_ref().and_then(|row| row.get(column)?.as_str());
        new.unwrap_or_default()
    }

    /// Whether a column is another than before.
    pub(crate) fn alters(&self, column: &str) -> bool {
        let of = |row: &Option<Value>| {
            let value = row.as_ref().and_then(|row| row.get(column)).cloned();
            value.filter(|value| !value.is_null())
        };
        of(&self.old) != of(&self.new)
    }

    /// The account that owns the row.
    pub(crate) fn owner(&self) -> Option<usize> {
        self.number(if self.table == "players" { "id" } else { "player" })
            .map(place)
    }
}

/// A row of `boards`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) game: String,
    pub(crate) number: u32,
    pub(crate) options: String,
    pub(crate) first_player: i64,
    pub(crate) second_player: i64,
    pub(crate) rated: i64,
    pub(crate) nag_days: i64,
    pub(crate) forfeit_days: i64,
    pub(crate) total_days: Option<i64>,
    pub(crate) started_at: i64,
    pub(crate) turns: usize,
    pub(crate) to_move: Option<usize>,
    pub(crate) result: Option<String>,
    pub(crate) result_by: Option<String>,
    pub(crate) ended_at: Option<i64>,
    pub(crate) first_used: i64,
    pub(crate) second_used: i64,
    pub(crate) thought: i64,
    pub(crate) clock_since: Option<i64>,
    pub(crate) reminded: Option<i64>,
    pub(crate) due_at: Option<i64>,
    pub(crate) offer: Option<String>,
    pub(crate) offer_by: Option<usize>,
    pub(crate) queue: Option<String>,
    pub(crate) queue_by: Option<usize>,
    pub(crate) submitted: Option<String>,
    pub(crate) position_event: i64,
    pub(crate) offer_event: i64,
    pub(crate) submitted_event: i64,
}

fn seat(number: Option<usize>) -> Option<Seat> {
    number.map(|number| Seat::BOTH[number])
}

impl Row {
    pub(crate) fn to_move(&self) -> Option<Seat> {
        seat(self.to_move)
    }

    /// What is offered, and by whom.
    pub(crate) fn offer(&self) -> Option<(&str, Seat)> {
        Some((self.offer.as_deref()?, seat(self.offer_by)?))
    }

    pub(crate) fn queue_by(&self) -> Option<Seat> {
        seat(self.queue_by)
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.ended_at.is_some()
    }

    pub(crate) const fn used(&self) -> [i64; 2] {
        [self.first_used, self.second_used]
    }

    pub(crate) fn thinking(&self, now: i64) -> i64 {
        self.thought + self.clock_since.map_or(0, |since| (now - since).max(0))
    }

    pub(crate) fn players(&self) -> [usize; 2] {
        [self.first_player, self.second_player].map(place)
    }

    pub(crate) fn end(&self) -> Option<End> {
        let by = self.result_by.as_deref();
        let hows = ["rules", "resignation", "forfeit", "agreement", "adjudication"];
        let how = || {
            hows.into_iter()
                .find(|how| Some(*how) == by)
                .expect("a way to end")
        };
        Some(match self.result.as_deref()? {
            "first" => End::Finished(Some(Seat::First), how()),
            "second" => End::Finished(Some(Seat::Second), how()),
            "draw" => End::Finished(None, how()),
            "removed" => End::Removed,
            "void" => End::Void,
            other => panic!("no board ends like that: {other}"),
        })
    }
}

/// A board.
pub(crate) struct Board {
    pub(crate) row: Row,
    pub(crate) at: At,
    pub(crate) players: [usize; 2],
    /// Its turns, replayed by the rules.
    pub(crate) progress: Progress,
    /// The watchers, and whether they get only the end.
    pub(crate) watchers: BTreeMap<usize, bool>,
    /// By seat and by whether it is of the whole game: when it was written.
    pub(crate) warnings: BTreeMap<(i64, i64), i64>,
}

impl Board {
    fn new(row: Row) -> Self {
        let game = GAMES.iter().position(|game| game.facts.name == row.game).unwrap();
        let options = Options::parse(GAMES[game].facts, row.options.split_whitespace()).unwrap();
        Self {
            at: At {
                game,
                number: row.number,
            },
            players: row.players(),
            progress: Progress::begin(&GAMES[game], options),
            watchers: BTreeMap::new(),
            warnings: BTreeMap::new(),
            row,
        }
    }

    pub(crate) fn seat_of(&self, player: usize) -> Option<Seat> {
        let is_at = |seat: &Seat| self.players[seat.index()] == player;
        Seat::BOTH.into_iter().find(is_at)
    }

    pub(crate) fn to_move(&self) -> Option<Seat> {
        self.row.to_move()
    }

    /// The player to move.
    pub(crate) fn mover(&self) -> Option<usize> {
        self.to_move().map(|seat| self.players[seat.index()])
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Player {
    userid: String,
    generation: u32,
    away_since: Option<i64>,
    disabled_at: Option<i64>,
    expires_at: Option<i64>,
    deleted_at: Option<i64>,
}

/// An account.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    player: Player,
    /// What the people of the soak know; the server has only its hash.
    pub(crate) password: String,
    /// The number of the last mail delivered whose tokens are no longer valid.
    pub(crate) tokens_since: u64,
    /// Its rows in other tables, by table and key.
    rows: BTreeMap<(String, [Option<i64>; 4]), Value>,
    /// Running boards.
    pub(crate) running: Vec<usize>,
}

impl Account {
    pub(crate) fn userid(&self) -> &str {
        &self.player.userid
    }

    pub(crate) const fn is_away(&self) -> bool {
        self.player.away_since.is_some()
    }

    pub(crate) const fn is_disabled(&self) -> bool {
        self.player.disabled_at.is_some()
    }

    pub(crate) const fn is_deleted(&self) -> bool {
        self.player.deleted_at.is_some()
    }

    pub(crate) const fn expires_at(&self) -> Option<i64> {
        self.player.expires_at
    }

    /// The rows in a table.
    fn rows(&self, table: &str) -> impl Iterator<Item = &Value> {
        self.rows
            .iter()
            .filter(move |((of, _), _)| of == table)
            .map(|(_, row)| row)
    }

    fn numbers(&self, table: &str, column: &str) -> Vec<i64> {
        self.rows(table).filter_map(|row| row[column].as_i64()).collect()
    }

    /// A setting, if it is on.
    pub(crate) fn wants(&self, setting: &str) -> bool {
        let default = !["digest", "news_subjects"].contains(&setting);
        self.rows("preferences")
            .next()
            .map_or(default, |row| row[setting] == 1)
    }

    /// The end of the vacation.
    pub(crate) fn away_until(&self) -> Option<i64> {
        let mut open = self.rows("vacations").filter(|row| row["is_over"] == 0);
        open.next().and_then(|row| row["ends_at"].as_i64())
    }

    pub(crate) fn digest_due(&self) -> Option<i64> {
        self.numbers("digests", "due_at").first().copied()
    }

    /// The boards in the next daily mail.
    pub(crate) fn news(&self) -> Vec<usize> {
        self.numbers("digest_news", "board")
            .into_iter()
            .map(place)
            .collect()
    }

    pub(crate) fn blocked(&self) -> Vec<usize> {
        self.numbers("blocks", "blocked").into_iter().map(place).collect()
    }

    pub(crate) fn watched(&self) -> Vec<usize> {
        self.numbers("watched_boards", "board")
            .into_iter()
            .map(place)
            .collect()
    }

    fn all_addresses(&self, is_it: impl Fn(&Value) -> bool) -> Vec<String> {
        let rows = self.rows("addresses").filter(|row| is_it(row));
        rows.map(|row| row["address_key"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn addresses(&self) -> Vec<String> {
        self.all_addresses(|_| true)
    }

    pub(crate) fn confirmed(&self) -> Vec<String> {
        self.all_addresses(|row| !row["confirmed_at"].is_null())
    }

    pub(crate) fn unconfirmed(&self) -> Vec<String> {
        self.all_addresses(|row| row["confirmed_at"].is_null())
    }

    /// The addresses that get its mail.
    pub(crate) fn reached_at(&self) -> Vec<String> {
        self.all_addresses(|row| !row["confirmed_at"].is_null() && row["failed_days"].as_i64() < Some(3))
    }
}

/// All that is stored.
#[derive(Default)]
pub(crate) struct View {
    /// The time, in milliseconds since 1970.
    pub(crate) now: i64,
    /// The start of the server, or when its clock was set.
    pub(crate) steady_since: i64,
    /// By the number of the row, from 1; an account's row is never removed, nor a board's.
    pub(crate) accounts: Vec<Account>,
    pub(crate) boards: Vec<Board>,
    /// By userid in lower case, without erased accounts.
    pub(crate) by_userid: HashMap<String, usize>,
    pub(crate) by_place: HashMap<At, usize>,
    /// Of each game who watches all of it, and whether only the ends.
    pub(crate) watchers: BTreeMap<usize, BTreeMap<usize, bool>>,
    /// The number of mails delivered so far.
    pub(crate) delivered: u64,
}

/// The index of a row with this number.
pub(crate) fn place(number: i64) -> usize {
    usize::try_from(number - 1).unwrap_or(COMPUTER)
}

fn read<T: DeserializeOwned>(row: &Option<Value>) -> Option<T> {
    let row = row.as_ref()?;
    Some(T::deserialize(row).unwrap_or_else(|error| panic!("{row}: {error}")))
}

impl View {
    /// The account with this userid.
    pub(crate) fn account(&self, userid: &str) -> Option<usize> {
        self.by_userid.get(&userid.to_ascii_lowercase()).copied()
    }

    /// The player with this confirmed address.
    pub(crate) fn known(&self, from: &str) -> Option<usize> {
        let is_own = |account: &Account| account.confirmed().iter().any(|own| own == from);
        self.accounts.iter().position(is_own)
    }

    pub(crate) fn blocks(&self, player: usize, other: usize) -> bool {
        let account = self.accounts.get(player);
        account.is_some_and(|account| account.blocked().contains(&other))
    }

    /// Whether the clock of this player stands still.
    pub(crate) fn is_timeless(&self, player: usize) -> bool {
        let account = self.accounts.get(player);
        account.is_none_or(|account| account.away_until().is_some())
    }

    /// The next number of a board of this game.
    pub(crate) fn next_number(&self, game: usize) -> u32 {
        let mut own = self.boards.iter().rev().filter(|board| board.at.game == game);
        own.next().map_or(101, |board| board.at.number + 1)
    }

    /// Who watches a board of the game, and whether only the end.
    pub(crate) fn watchers_of(&self, board: usize) -> BTreeMap<usize, bool> {
        let board = &self.boards[board];
        let mut all = self.watchers.get(&board.at.game).cloned().unwrap_or_default();
        all.extend(&board.watchers);
        all
    }

    /// Takes over a change. A turn must be the next one, of the player to move, and one that the rules allow; only the last turn
    /// goes.
    pub(crate) fn apply(&mut self, change: &Change) {
        let Change { table, new, .. } = change;
        let owner = change.owner();
        match table.as_str() {
            "players" if owner == Some(COMPUTER) => {}
            "players" => self.apply_player(owner.unwrap(), read(new).expect("players stay")),
            "boards" => self.apply_board(read(new).expect("boards stay")),
            "turns" => self.apply_turn(change),
            "warnings" => {
                let warnings = &mut self.boards[place(change.number("board").unwrap())].warnings;
                let key = (change.number("seat").unwrap(), change.number("total").unwrap());
                warnings.remove(&key);
                warnings.extend(change.after("warned_at").map(|at| (key, at)));
            }
            "watched_games" => {
                let name = change.text("game").unwrap();
                let game = GAMES.iter().position(|game| game.facts.name == name).unwrap();
                let watchers = self.watchers.entry(game).or_default();
                watchers.remove(&owner.unwrap());
                watchers.extend(change.after("ends_only").map(|ends| (owner.unwrap(), ends == 1)));
            }
            table => {
                let key = ["id", "board", "blocked", "player"].map(|column| change.number(column));
                let key = (table.to_owned(), key);
                let rows = &mut self.accounts[owner.unwrap()].rows;
                rows.remove(&key);
                rows.extend(new.clone().map(|row| (key, row)));
                if table == "watched_boards" {
                    let watchers = &mut self.boards[place(change.number("board").unwrap())].watchers;
                    watchers.remove(&owner.unwrap());
                    watchers.extend(change.after("ends_only").map(|ends| (owner.unwrap(), ends == 1)));
                }
            }
        }
    }

    fn apply_player(&mut self, id: usize, player: Player) {
        if id == self.accounts.len() {
            self.accounts.push(Account {
                player: player.clone(),
                password: String::new(),
                tokens_since: 0,
                rows: BTreeMap::new(),
                running: Vec::new(),
            });
        }
        let account = &mut self.accounts[id];
        if account.player.generation != player.generation {
            account.tokens_since = self.delivered;
        }
        self.by_userid.remove(&account.player.userid.to_ascii_lowercase());
        account.player = player;
        if !account.is_deleted() {
            self.by_userid.insert(account.userid().to_ascii_lowercase(), id);
        }
    }

    fn apply_board(&mut self, row: Row) {
        let id = place(row.id);
        let mut touched = row.players().to_vec();
        if id == self.boards.len() {
            self.boards.push(Board::new(row));
            self.by_place.insert(self.boards[id].at, id);
        } else {
            let board = &mut self.boards[id];
            touched.extend(board.players);
            board.players = row.players();
            board.progress.end = row.end();
            board.row = row;
        }
        let board = &self.boards[id];
        for player in touched.into_iter().filter(|player| *player != COMPUTER) {
            let running = &mut self.accounts[player].running;
            let is_in = board.players.contains(&player) && !board.row.is_over();
            match running.iter().position(|running| *running == id) {
                None if is_in => running.push(id),
                Some(at) if !is_in => drop(running.remove(at)),
                _ => {}
            }
        }
    }

    fn apply_turn(&mut self, change: &Change) {
        let board = &mut self.boards[place(change.number("board").unwrap())];
        let name = board.at.name();
        let (ordinal, seat) = (change.number("ordinal").unwrap(), change.number("seat").unwrap());
        let ordinal = usize::try_from(ordinal).unwrap();
        match (&change.old, &change.new) {
            (None, Some(_)) => {
                assert_eq!(ordinal, board.progress.turns.len() + 1, "{name}: {change:?}");
                let mover = board.progress.position.to_move();
                assert_eq!(mover.map(number), Some(seat), "{name}: {change:?}");
                let text = change.text("turn").unwrap();
                let played = board.progress.play(text);
                assert!(matches!(played, Ok(1)), "{name}: {change:?}: {played:?}");
                assert_eq!(board.progress.turns.last().unwrap().1, text, "{name}");
            }
            (Some(_), None) => {
                assert_eq!(ordinal, board.progress.turns.len(), "{name}: {change:?}");
                board.progress.take_back();
            }
            _ => panic!("{name}: a turn became another: {change:?}"),
        }
    }
}
