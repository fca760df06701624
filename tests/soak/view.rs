//! What the server has stored, kept row by row: triggers of the soak write down every change of the tables below, with the row
//! before and after it. So people and laws see what is there without a search, and the laws see each change.

use std::collections::{BTreeMap, HashMap};

use pbmserv_core::table::Dice;
use pbmserv_games::{GAMES, Match, Options, Seat};

use crate::deed::{At, name};
use crate::foreseen::Progress;
use crate::rows::{Change, Row};

/// Milliseconds of a minute, an hour and a day.
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The place of every computer among the accounts: it has none.
pub(crate) const COMPUTER: usize = usize::MAX;

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
        let of = row.text("game").unwrap();
        let game = GAMES.iter().position(|game| game.facts.name == of).unwrap();
        let options = row.text("options").unwrap().split_whitespace();
        let options = Options::parse(GAMES[game].facts, options).unwrap();
        let number = u32::try_from(row.int("number").unwrap()).unwrap();
        Self {
            at: At { game, number },
            players: row.players(),
            progress: Progress::begin(&GAMES[game], options),
            watchers: BTreeMap::new(),
            warnings: BTreeMap::new(),
            row,
        }
    }

    /// What its rolls follow from, if its game has dice.
    pub(crate) fn roller(&self) -> Option<Roller> {
        let seed = self.row.text("dice_seed")?;
        let (first, second) = self.row.text("dice_words").unwrap().split_once(' ').unwrap();
        Some(Roller {
            dice: Dice::of_text(seed, [first, second].map(str::to_owned)).unwrap(),
            name: format!("{} {}", name(self.at.game), self.at.number),
        })
    }

    fn roll(&mut self) {
        if let Some(roller) = self.roller() {
            roller.roll(self.progress.position.as_mut());
        }
    }

    pub(crate) fn seat_of(&self, player: usize) -> Option<Seat> {
        let is_at = |seat: &Seat| self.players[seat.index()] == player;
        Seat::BOTH.into_iter().find(is_at)
    }

    pub(crate) fn to_move(&self) -> Option<Seat> {
        self.row.seat("to_move")
    }

    /// The player to move.
    pub(crate) fn mover(&self) -> Option<usize> {
        self.to_move().map(|seat| self.players[seat.index()])
    }
}

/// Rolls as the server does for a board.
pub(crate) struct Roller {
    dice: Dice,
    name: String,
}

impl Roller {
    /// Rolls the dice that the position waits for.
    pub(crate) fn roll(&self, position: &mut dyn Match) {
        if let Some(due) = position.due_roll() {
            position.roll(self.dice.roll(&self.name, due));
        }
    }
}

/// An account.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    row: Row,
    /// What the people of the soak know; the server has only its hash.
    pub(crate) password: String,
    /// The number of the last mail delivered whose tokens are no longer valid.
    pub(crate) tokens_since: u64,
    /// Its rows in other tables, by table and key.
    rows: BTreeMap<(String, [Option<i64>; 4]), Row>,
    /// Running boards.
    pub(crate) running: Vec<usize>,
}

impl Account {
    pub(crate) fn userid(&self) -> &str {
        self.row.text("userid").unwrap()
    }

    pub(crate) fn is_away(&self) -> bool {
        self.row.has("away_since")
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.row.has("disabled_at")
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.row.has("deleted_at")
    }

    /// Whether boards may begin for its player.
    pub(crate) fn is_here(&self) -> bool {
        let is_gone = self.is_away() || self.is_disabled() || self.is_deleted();
        !is_gone && !self.reached_at().is_empty()
    }

    /// When it has something due: the account itself, its vacation, its daily mail.
    pub(crate) fn dues(&self) -> [Option<i64>; 3] {
        let mut open = self.rows("vacations").filter(|row| row.int("is_over") == Some(0));
        let away_until = open.next().and_then(|row| row.int("ends_at"));
        let digest = self.rows("digests").next().and_then(|row| row.int("due_at"));
        [self.row.int("expires_at"), away_until, digest]
    }

    /// The rows in a table.
    fn rows(&self, table: &str) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter().filter(move |((of, _), _)| of == table);
        rows.map(|(_, row)| row)
    }

    /// What the rows of a table name: the boards of `digest_news` and `watched_boards`, the players in `blocks`.
    pub(crate) fn named(&self, table: &str) -> Vec<usize> {
        let column = if table == "blocks" { "blocked" } else { "board" };
        let numbers = self.rows(table).filter_map(|row| row.int(column));
        numbers.map(place).collect()
    }

    /// A setting, if it is on.
    pub(crate) fn wants(&self, setting: &str) -> bool {
        let row = self.rows("preferences").next();
        row.map_or(!["digest", "gazette"].contains(&setting), |row| {
            row.int(setting) == Some(1)
        })
    }

    fn addresses_if(&self, is_it: impl Fn(&Row) -> bool) -> Vec<String> {
        let rows = self.rows("addresses").filter(|row| is_it(row));
        rows.map(|row| row.text("address_key").unwrap().to_owned())
            .collect()
    }

    pub(crate) fn addresses(&self) -> Vec<String> {
        self.addresses_if(|_| true)
    }

    /// The addresses that are confirmed, or those that are not.
    pub(crate) fn confirmed(&self, is_confirmed: bool) -> Vec<String> {
        self.addresses_if(|row| row.has("confirmed_at") == is_confirmed)
    }

    /// The addresses that get its mail.
    pub(crate) fn reached_at(&self) -> Vec<String> {
        self.addresses_if(|row| row.has("confirmed_at") && row.int("failed_days") < Some(3))
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

impl View {
    /// The account with this userid.
    pub(crate) fn account(&self, userid: &str) -> Option<usize> {
        self.by_userid.get(&userid.to_ascii_lowercase()).copied()
    }

    /// The player with this confirmed address.
    pub(crate) fn known(&self, from: &str) -> Option<usize> {
        let is_own = |account: &Account| account.confirmed(true).iter().any(|own| own == from);
        self.accounts.iter().position(is_own)
    }

    pub(crate) fn blocks(&self, player: usize, other: usize) -> bool {
        let account = self.accounts.get(player);
        account.is_some_and(|account| account.named("blocks").contains(&other))
    }

    /// Whether the clock of this player stands still.
    pub(crate) fn is_timeless(&self, player: usize) -> bool {
        let account = self.accounts.get(player);
        account.is_none_or(|account| account.dues()[1].is_some())
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
            "players" => self.apply_player(owner.unwrap(), new.clone().unwrap()),
            "boards" => self.apply_board(new.clone().unwrap()),
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

    fn apply_player(&mut self, id: usize, row: Row) {
        if id == self.accounts.len() {
            self.accounts.push(Account {
                row: row.clone(),
                password: String::new(),
                tokens_since: 0,
                rows: BTreeMap::new(),
                running: Vec::new(),
            });
        }
        let account = &mut self.accounts[id];
        if account.row.int("generation") != row.int("generation") {
            account.tokens_since = self.delivered;
        }
        self.by_userid.remove(&account.userid().to_ascii_lowercase());
        account.row = row;
        if !account.is_deleted() {
            self.by_userid.insert(account.userid().to_ascii_lowercase(), id);
        }
    }

    fn apply_board(&mut self, row: Row) {
        let id = place(row.int("id").unwrap());
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
        self.boards[id].roll();
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
        let progress = &mut self.boards[change.board().unwrap()].progress;
        let ordinal = usize::try_from(change.number("ordinal").unwrap()).unwrap();
        if change.new.is_none() {
            assert_eq!(ordinal, progress.turns.len(), "{change:?}");
            return progress.take_back();
        }
        let text = change.text("turn").unwrap();
        progress.position.roll_as_written(text);
        let mover = progress.position.to_move();
        let is_next =
            ordinal == progress.turns.len() + 1 && mover.is_some() && mover == change.row().seat("seat");
        assert!(is_next && change.old.is_none(), "{change:?}");
        assert_eq!(progress.play(text).ok(), Some(1), "{change:?}");
        assert_eq!(progress.turns.last().unwrap().1, text, "{change:?}");
    }
}
