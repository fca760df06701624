//! The counts for the table at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use pbmserv_core::command::COMMANDS;
use pbmserv_games::GAMES;

use crate::deed::{Act, What};
use crate::laws::Why;
use crate::mail::Letter;
use crate::soak::Soak;
use crate::view::DAY;
use crate::world::{Effect, Taken};

/// Counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    mails: u64,
    /// How often each thing happened, by its kind and its name.
    counts: BTreeMap<(&'static str, String), u64>,
    /// The time of each move without watchers, in microseconds.
    moves: Vec<u64>,
}

impl Tally {
    pub(crate) fn count(&mut self, kind: &'static str, name: impl Into<String>) {
        *self.counts.entry((kind, name.into())).or_default() += 1;
    }

    /// Counts the letters of a step, and what was due.
    pub(crate) fn step(&mut self, why: &Why<'_>, effect: &Effect) {
        for letter in &effect.letters {
            self.count("letter", &letter.kind);
        }
        if matches!(why, Why::Computer(..)) {
            self.count("by itself", "turn of a computer");
        }
        for change in effect.changes.iter().filter(|_| matches!(why, Why::Due)) {
            match change.table.as_str() {
                "boards" if change.alters("ended_at") => self.count("by itself", "game over"),
                "boards" if change.alters("reminded") => self.count("by itself", "reminder"),
                "warnings" if change.new.is_some() => self.count("by itself", "warning"),
                "vacations" => self.count("by itself", "vacation over"),
                "digests" => self.count("by itself", "daily mail due"),
                _ => {}
            }
        }
    }

    pub(crate) fn mail(&mut self, letter: &Letter, taken: &Taken) {
        self.mails += 1;
        self.count("mail", &taken.fate);
        // Of a list of commands it is not known which were carried out.
        let [deed] = letter.deeds() else { return };
        let is_done = taken.fate == "done";
        let kind = if is_done { "command" } else { "refused command" };
        self.count(kind, deed.verb().unwrap_or_default());
        // A move writes more letters the more players watch the board.
        if is_done && matches!(deed.what, What::On(_, Act::Turn(_))) && taken.effect.letters.len() <= 2 {
            let time = u64::try_from(taken.time.as_micros());
            self.moves.push(time.unwrap_or(u64::MAX));
        }
    }

    /// The 10 % quantile of the times of the moves, in microseconds: of the first tenth of all, and of the last.
    /// Slower moves reflect other load on the machine.
    fn move_times(&self) -> [u64; 2] {
        let tenth = self.moves.len() / 10;
        let ends = [&self.moves[..tenth], &self.moves[self.moves.len() - tenth..]];
        ends.map(|times| {
            let mut times = times.to_vec();
            times.sort_unstable();
            times.get(times.len() / 10).copied().unwrap_or_default()
        })
    }

    /// A progress line.
    pub(crate) fn tell_progress(&self, simulated: i64) {
        eprintln!("day {}: {} mails, no fault", simulated / DAY, self.mails);
    }

    /// The table.
    pub(crate) fn print(&self, soak: &Soak, took: Duration) {
        let (days, seconds) = (soak.days(), took.as_secs_f64());
        let a_second = self.mails as f64 / seconds;
        eprintln!(
            "{days} days in {seconds:.0} s: {} mails in ({a_second:.0} a second)",
            self.mails
        );
        let ends = ends(soak)
            .into_iter()
            .map(|(end, count)| (("boards", end), count));
        for ((kind, name), count) in self.counts.clone().into_iter().chain(ends) {
            eprintln!("  {count:>9}  {kind}: {name}");
        }
        let [first, last] = self.move_times();
        eprintln!("the quickest tenth of the moves: {first} us in the beginning, {last} us in the end");
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        let database = soak.world.database();
        for file in [database.clone(), database.with_extension("sqlite-wal")] {
            let bytes = std::fs::metadata(&file).map_or(0, |file| file.len());
            eprintln!("{} has {bytes} bytes", file.display());
        }
        eprintln!("{} (the view and the players too)", peak.unwrap_or_default());
    }
}

/// The number of mails after which everything must have occurred.
const MAILS_TO_BE_COMPLETE: u64 = 100_000;

/// Requirements after that many mails: every command was carried out, every game was resigned and lost on time, some game
/// ended in each other way, and a move takes no longer than at the beginning. With ten games each way in each game would take
/// hours: only the end by the rules differs from game to game, and `crates/games/tests` plays each of them to it.
pub(crate) fn must_be_complete(soak: &Soak) {
    let tally = &soak.tally;
    if tally.mails < MAILS_TO_BE_COMPLETE {
        eprintln!("less than {MAILS_TO_BE_COMPLETE} mails: whether everything has happened is not asked");
        return;
    }
    let ends = ends(soak);
    let verbs = COMMANDS.iter().map(|command| command.verb.to_owned());
    let verbs = verbs.filter(|verb| !tally.counts.contains_key(&("command", verb.clone())));
    let games = GAMES
        .iter()
        .flat_map(|game| ["resignation", "forfeit"].map(|by| format!("{} {by}", game.facts.name)));
    let games = games.filter(|end| !ends.contains_key(end));
    let ways = ["rules", "agreement", "adjudication"]
        .map(str::to_owned)
        .into_iter();
    let ways = ways.filter(|by| !ends.keys().any(|end| end.ends_with(by)));
    let never: Vec<String> = verbs.chain(games).chain(ways).collect();
    assert!(never.is_empty(), "never came to pass: {never:?}");
    let [first, last] = tally.move_times();
    assert!(
        last < 2 * first,
        "a move took {first} us in the beginning and takes {last} us in the end"
    );
}

/// The number of boards of each game by kind of end.
fn ends(soak: &Soak) -> BTreeMap<String, u64> {
    let mut ends = BTreeMap::new();
    for board in &soak.view.boards {
        let by = board.row.text("result_by").unwrap_or("running");
        let end = format!("{} {by}", board.row.text("game").unwrap());
        *ends.entry(end).or_default() += 1;
    }
    ends
}
