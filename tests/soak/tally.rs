//! The counts for the table at the end.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use pbmserv::admin::Verb;
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
    pub(crate) restarts: u32,
    /// The number of complete checks.
    pub(crate) looks: u32,
    pub(crate) took: Duration,
    /// Turns of computers.
    answers: u64,
    /// What happened by itself, and how often.
    due: BTreeMap<String, u64>,
    pub(crate) simulated_days: i64,
    mails: u64,
    fates: BTreeMap<String, u64>,
    kinds: BTreeMap<String, u64>,
    /// How often each command was carried out and refused.
    commands: BTreeMap<String, (u64, u64)>,
    operations: BTreeMap<String, (u64, u64)>,
    /// The time of each move without watchers, in microseconds.
    moves: Vec<u64>,
}

impl Tally {
    /// Counts the letters of a step, and what was due.
    pub(crate) fn step(&mut self, why: &Why<'_>, effect: &Effect) {
        for letter in &effect.letters {
            *self.kinds.entry(letter.kind.clone()).or_default() += 1;
        }
        self.answers += u64::from(matches!(why, Why::Computer(..)));
        if !matches!(why, Why::Due) {
            return;
        }
        for change in &effect.changes {
            let what = match change.table.as_str() {
                "boards" if change.alters("ended_at") => "games over",
                "boards" if change.alters("reminded") => "reminded",
                "warnings" if change.new.is_some() => "warned",
                "vacations" => "vacations over",
                "players" => "accounts removed",
                "digests" => "daily mails due",
                _ => continue,
            };
            *self.due.entry(what.to_owned()).or_default() += 1;
        }
    }

    pub(crate) fn mail(&mut self, letter: &Letter, taken: &Taken) {
        self.mails += 1;
        *self.fates.entry(taken.fate.clone()).or_default() += 1;
        // Of a list of commands it is not known which were carried out.
        let is_one = letter.deeds().len() == 1;
        for verb in letter
            .deeds()
            .iter()
            .filter_map(|deed| deed.verb())
            .filter(|_| is_one)
        {
            let (done, refused) = self.commands.entry(verb.to_owned()).or_default();
            *(if taken.fate == "done" { done } else { refused }) += 1;
        }
        // A move writes more letters the more players watch the board.
        if let [deed] = letter.deeds()
            && matches!(deed.what, What::On(_, Act::Turn(_)))
            && taken.fate == "done"
            && taken.effect.letters.len() <= 2
        {
            self.moves
                .push(u64::try_from(taken.time.as_micros()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn operation(&mut self, verb: &Verb, is_done: bool) {
        let shown = format!("{verb:?}");
        let name = shown
            .split([' ', '{'])
            .next()
            .unwrap_or_default()
            .replace('(', " ");
        let (done, refused) = self.operations.entry(name).or_default();
        *(if is_done { done } else { refused }) += 1;
    }

    /// The 10 % quantile of the times of the moves, in microseconds: of the first tenth of all, and of the last.
    /// Slower moves reflect other load on the machine.
    pub(crate) fn move_times(&self) -> (u64, u64) {
        let quick = |times: &[u64]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            times.get(times.len() / 10).copied().unwrap_or_default()
        };
        let tenth = self.moves.len() / 10;
        (
            quick(&self.moves[..tenth]),
            quick(&self.moves[self.moves.len() - tenth..]),
        )
    }

    /// A progress line.
    pub(crate) fn tell_progress(&self, simulated: i64) {
        eprintln!("day {}: {} mails, no fault", simulated / DAY, self.mails);
    }

    fn was_done(&self, verb: &str) -> bool {
        self.commands.get(verb).is_some_and(|(done, _)| *done > 0)
    }

    /// The table.
    pub(crate) fn print(&self) {
        let seconds = self.took.as_secs_f64();
        eprintln!(
            "{:.1} simulated years in {seconds:.0} s: {} mails in ({:.0} a second), {} letters out, {} restarts, {} looks at everything",
            self.simulated_days as f64 / 365.25,
            self.mails,
            self.mails as f64 / seconds,
            self.kinds.values().sum::<u64>(),
            self.restarts,
            self.looks
        );
        table("by itself", &self.due);
        table("mails became", &self.fates);
        table("letters", &self.kinds);
        let both = |(done, refused): &(u64, u64)| format!("{done} done, {refused} refused");
        let of = |counts: &BTreeMap<String, (u64, u64)>| {
            let counts = counts.iter().map(|(name, counts)| (name.clone(), both(counts)));
            counts.collect::<BTreeMap<_, _>>()
        };
        table("commands", &of(&self.commands));
        table("operator", &of(&self.operations));
        let (first, last) = self.move_times();
        eprintln!("the quickest tenth of the moves: {first} us in the beginning, {last} us in the end");
    }
}

fn table<T: Display>(title: &str, rows: &BTreeMap<String, T>) {
    eprintln!("{title}:");
    for (name, count) in rows {
        eprintln!("  {count:>12}  {name}");
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
    let mut never: Vec<String> = COMMANDS
        .iter()
        .map(|command| command.verb)
        .filter(|verb| !tally.was_done(verb))
        .map(str::to_owned)
        .collect();
    let ends = ends(soak);
    for game in GAMES {
        for by in ["resignation", "forfeit"] {
            let end = format!("{} {by}", game.facts.name);
            if !ends.contains_key(&end) {
                never.push(end);
            }
        }
    }
    for by in ["rules", "agreement", "adjudication"] {
        if !ends.keys().any(|end| end.ends_with(by)) {
            never.push(by.to_owned());
        }
    }
    assert!(never.is_empty(), "never came to pass: {never:?}");
    let (first, last) = tally.move_times();
    assert!(
        last < 2 * first,
        "a move took {first} us in the beginning and takes {last} us in the end"
    );
}

/// The number of boards of each game by kind of end.
fn ends(soak: &Soak) -> BTreeMap<String, i64> {
    let sql = "SELECT game || ' ' || COALESCE(result_by, 'running'), COUNT(*) FROM boards GROUP BY 1";
    let mut statement = soak.world.look.prepare(sql).unwrap();
    let found = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    found.collect::<Result<_, _>>().unwrap()
}

/// The server's use of the machine.
pub(crate) fn print_sizes(soak: &Soak) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    eprintln!(
        "{} (the view and the players too)",
        peak.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    let look = &soak.world.look;
    let count = |sql: &str| look.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let turns = count("SELECT COUNT(*) FROM turns").max(1);
    let database = soak.world.database();
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    let bytes = size(&database);
    eprintln!(
        "database {bytes} bytes, {} a turn; write-ahead log {} bytes; log {} bytes",
        bytes / u64::try_from(turns).unwrap(),
        size(&database.with_extension("sqlite-wal")),
        size(&database.with_file_name("soak.log")),
    );
    let against = count("SELECT COUNT(*) FROM boards WHERE first_player < 0 OR second_player < 0");
    eprintln!(
        "{against} of {} boards against a computer, which played {} turns",
        count("SELECT COUNT(*) FROM boards"),
        soak.tally.answers
    );
    let ends = ends(soak);
    table("boards", &ends);
}
