//! Laws that hold for every step of the server, whatever was asked: for each mail, each moment at which something is due, each turn
//! of a computer and each verb of the operator. They are told who has proven to be whom, and what a command means for a board; all
//! else they take from the stored rows and from the rules of the games.

mod boards;
mod letters;
mod owners;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use pbmserv_games::Seat;

use crate::clock::{self, Tick};
use crate::deed::{Act, At, Deed, What};
use crate::foreseen::End;
use crate::mail::{Letter, Way};
use crate::operator::Order;
use crate::rows::{Change, Row};
use crate::view::{DAY, HOUR, View};
use crate::world::Effect;
pub(crate) use boards::holds;
use table::Table;

/// Why something happens.
#[derive(Debug)]
pub(crate) enum Why<'a> {
    /// A mail, and what became of it.
    Mail(&'a Letter, &'a str),
    /// It was due.
    Due,
    /// A computer plays this turn on this board.
    Computer(usize, &'a str),
    /// A verb of the operator, and whether it was carried out.
    Operator(&'a Order, bool),
    /// The clock of the machine was set; this was its time before.
    ClockSet(i64),
    /// The server was started, or has forgotten old texts.
    Nothing,
}

/// What somebody does on a board.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    Act(Seat, Act),
    /// The operator decides.
    Ends(End),
    TakenBack,
    /// A computer, or the operator for a player.
    Plays(String),
    Reseats(usize, usize),
}

/// A board before the step.
struct Was {
    row: Row,
    turns: Vec<(Seat, String)>,
    /// Who watches it, with the watchers of its game.
    watchers: BTreeMap<usize, bool>,
    warnings: BTreeMap<(i64, i64), i64>,
    tick: Option<(i64, Tick)>,
}

impl Was {
    fn of(view: &View, id: usize) -> Self {
        let board = &view.boards[id];
        Self {
            row: board.row.clone(),
            turns: board.progress.turns.clone(),
            watchers: view.watchers_of(id),
            warnings: board.warnings.clone(),
            tick: clock::next(board, view.steady_since, view.now),
        }
    }
}

/// A step, and what is known of it beforehand.
struct Step<'a> {
    why: &'a Why<'a>,
    effect: &'a Effect,
    /// How many accounts there were.
    accounts: usize,
    /// Whose rows may change.
    acting: BTreeSet<usize>,
    /// Who has the address of the mail.
    known: Option<usize>,
    /// Whether it is certain that the commands are carried out if they can be.
    is_sure: bool,
    /// What is done on which board, and what the board must be then.
    does: Vec<(usize, Does)>,
    tables: BTreeMap<usize, Table>,
    /// The boards that changed.
    before: BTreeMap<usize, Was>,
    /// Whose daily mail is due, and of which boards it tells.
    digests: BTreeMap<usize, BTreeSet<usize>>,
}

/// Tells of the step if a law is broken in it.
struct Told<'a>(&'a Why<'a>, &'a Effect);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Effect { letters, changes } = self.1;
            eprintln!("in the step {:?}\nchanges:", self.0);
            for change in changes {
                eprintln!("  {change:?}");
            }
            for letter in letters {
                eprintln!("  {letter:.300?}");
            }
        }
    }
}

/// Takes over a step into the view; a broken law panics.
pub(crate) fn judge(view: &mut View, why: &Why<'_>, effect: &Effect, is_sure: bool) {
    let _told = Told(why, effect);
    let step = Step::begin(view, why, effect, is_sure);
    for change in &effect.changes {
        owners::judge(view, &step, change);
        view.apply(change);
    }
    boards::judge(view, &step);
    letters::judge(view, &step);
}

/// The player whom the password of a command proves.
fn by_password(view: &View, deed: &Deed) -> Option<usize> {
    let who = deed.who.as_ref()?;
    let player = view.account(&who.userid)?;
    let is_right = !who.password.is_empty() && view.accounts[player].password == who.password;
    let account = &view.accounts[player];
    (is_right && !account.is_disabled()).then_some(player)
}

/// The players whom a mail proves to be its writers.
fn proven(view: &View, letter: &Letter) -> BTreeSet<usize> {
    if let Some(answer) = letter.answer() {
        return answer.bearer.into_iter().collect();
    }
    let deeds = letter.deeds().iter();
    deeds
        .filter_map(|deed| by_password(view, deed).or(deed.by_token))
        .collect()
}

/// The boards on which a player leaves all.
pub(crate) fn leaves(view: &View, player: usize) -> Vec<(usize, Does)> {
    let running = view.accounts[player].running.iter();
    let leaves = |board: &usize| {
        let seat = view.boards[*board].seat_of(player).unwrap();
        (*board, Does::Act(seat, Act::Leave))
    };
    running.map(leaves).collect()
}

/// What a mail does on boards.
fn asked(view: &View, letter: &Letter, acting: &BTreeSet<usize>) -> Vec<(usize, Does)> {
    let mut does = Vec::new();
    for deed in letter.deeds() {
        let player = match letter.way {
            Way::Subject(_) | Way::Batch(_) => by_password(view, deed),
            _ => acting.first().copied(),
        };
        let Some(player) = player.filter(|player| acting.contains(player)) else {
            continue;
        };
        match &deed.what {
            What::On(at, act) => {
                if let Some(&board) = view.by_place.get(at)
                    && let Some(seat) = view.boards[board].seat_of(player)
                {
                    does.push((board, Does::Act(seat, act.clone())));
                }
            }
            What::Leave => does.extend(leaves(view, player)),
            _ => {}
        }
    }
    does
}

impl<'a> Step<'a> {
    fn begin(view: &View, why: &'a Why<'a>, effect: &'a Effect, is_sure: bool) -> Self {
        let mut step = Self {
            why,
            effect,
            accounts: view.accounts.len(),
            acting: BTreeSet::new(),
            known: None,
            is_sure,
            does: Vec::new(),
            tables: BTreeMap::new(),
            before: BTreeMap::new(),
            digests: BTreeMap::new(),
        };
        match why {
            // A second copy of a mail does nothing, and so does a program's answer.
            Why::Mail(_, "duplicate" | "ignored") => {}
            Why::Mail(letter, _) => {
                step.acting = proven(view, letter);
                step.known = view.known(&letter.from);
                step.does = asked(view, letter, &step.acting);
            }
            Why::Due => step.begin_due(view),
            Why::Computer(board, turn) => step.does.push((*board, Does::Plays((*turn).to_owned()))),
            Why::Operator(order, true) => {
                step.acting.extend(order.about);
                step.does.extend(order.does.iter().cloned());
            }
            Why::Operator(_, false) | Why::ClockSet(_) | Why::Nothing => {}
        }
        for (board, does) in &step.does {
            let table = step
                .tables
                .entry(*board)
                .or_insert_with(|| Table::of(view, *board));
            table.does(does);
        }
        for id in effect.changes.iter().filter_map(Change::board) {
            if id < view.boards.len() {
                step.before.entry(id).or_insert_with(|| Was::of(view, id));
            }
        }
        step
    }

    /// What is due: accounts without a confirmed address go, and daily mails come.
    fn begin_due(&mut self, view: &View) {
        for (id, account) in view.accounts.iter().enumerate() {
            if account.dues()[0].is_some_and(|at| at <= view.now) {
                self.acting.insert(id);
                self.does.extend(leaves(view, id));
            }
            if account.dues()[2].is_some_and(|at| at <= view.now) {
                let waits = |board: &&usize| view.boards[**board].mover() == Some(id);
                let waiting = account.running.iter().filter(waits);
                let boards = waiting.copied().chain(account.named("digest_news")).collect();
                self.digests.insert(id, boards);
            }
        }
    }

    /// Whether a player is known to have written the mail.
    fn is_writer(&self, player: usize) -> bool {
        self.acting.contains(&player) || self.known == Some(player)
    }

    /// The mail, if it is one.
    fn letter(&self) -> Option<&'a Letter> {
        match self.why {
            Why::Mail(letter, _) => Some(letter),
            _ => None,
        }
    }

    /// The board of the mail that it answers, and what that mail knew of it.
    fn about(&self) -> Option<(At, i64)> {
        self.letter()?.answer()?.about
    }

    /// Whether the mail has a command with this meaning.
    fn asks(&self, is_it: impl Fn(&What) -> bool) -> bool {
        self.letter()
            .is_some_and(|letter| letter.deeds().iter().any(|deed| is_it(&deed.what)))
    }

    /// The row of a board before the step.
    fn row_before<'v>(&'v self, view: &'v View, id: usize) -> &'v Row {
        self.before.get(&id).map_or(&view.boards[id].row, |was| &was.row)
    }

    /// Who watched a board before the step, and whether only the end.
    fn watchers_before(&self, view: &View, id: usize) -> BTreeMap<usize, bool> {
        let was = self.before.get(&id);
        was.map_or_else(|| view.watchers_of(id), |was| was.watchers.clone())
    }
}

/// The time of the next event: of a clock, a vacation, a daily mail, an account without a confirmed address.
pub(crate) fn next_due(view: &View) -> Option<i64> {
    let dues = view.accounts.iter().flat_map(|account| {
        let ticks = account.running.iter().filter_map(|board| {
            clock::next(&view.boards[*board], view.steady_since, view.now).map(|(at, _)| at)
        });
        account.dues().into_iter().flatten().chain(ticks)
    });
    dues.min()
}

/// Nothing that was due is left undone, and the server knows when it has to look again.
pub(crate) fn nothing_is_late(view: &View) {
    let next = next_due(view);
    assert!(
        next.is_none_or(|at| at > view.now),
        "late since {next:?}, at {}",
        view.now
    );
    for account in &view.accounts {
        let is_eight = |at: i64| at.rem_euclid(DAY) == 8 * HOUR && at - view.now <= DAY;
        assert!(account.dues()[2].is_none_or(is_eight), "{} {account:?}", view.now);
        for board in account.running.iter().map(|board| &view.boards[*board]) {
            let at = clock::next(board, view.steady_since, view.now).map(|(at, _)| at);
            assert!(
                at.is_none() || board.row.int("due_at") <= at,
                "{} is due at {at:?}",
                board.at.name()
            );
        }
    }
}
