//! What was seen, for the table at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use pbmserv::admin::Operation;
use pbmserv::command::COMMANDS;

use crate::mail::{Letter, Way};
use crate::model::{Expected, Happened, REFUSALS};
use crate::world::{Row, Taken};

/// Counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) happened: Happened,
    pub(crate) restarts: u32,
    pub(crate) took: Duration,
    pub(crate) simulated_days: i64,
    mails: u64,
    fates: BTreeMap<String, u64>,
    ways: BTreeMap<&'static str, u64>,
    kinds: BTreeMap<String, u64>,
    /// Of each command how often it was done and refused.
    commands: BTreeMap<&'static str, (u64, u64)>,
    refusals: BTreeMap<String, u64>,
    operations: BTreeMap<String, (u64, u64)>,
    /// How long each move took, in microseconds.
    moves: Vec<u64>,
}

impl Tally {
    pub(crate) fn letters(&mut self, rows: &[Row]) {
        for row in rows {
            *self.kinds.entry(row.kind.clone()).or_default() += 1;
        }
    }

    pub(crate) fn mail(&mut self, letter: &Letter, expected: &Expected, taken: &Taken) {
        self.mails += 1;
        *self.fates.entry(taken.fate.clone()).or_default() += 1;
        *self.ways.entry(way(&letter.way)).or_default() += 1;
        self.letters(&taken.rows);
        for (verb, is_done, mark) in &expected.commands {
            let (done, refused) = self.commands.entry(verb).or_default();
            *(if *is_done { done } else { refused }) += 1;
            if !is_done {
                *self.refusals.entry(mark.clone()).or_default() += 1;
            }
        }
        if let [("move", true, _)] = expected.commands.as_slice() {
            self.moves.push(u64::try_from(taken.time.as_micros()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn operation(&mut self, operation: &Operation, is_done: bool) -> String {
        let json = serde_json::to_value(operation).unwrap();
        let verb = json.as_object().and_then(|object| object.keys().next()).cloned().unwrap_or_default();
        let ruling = json.pointer("/Board/ruling");
        let ruling = ruling.map(|ruling| match ruling.as_object().and_then(|object| object.keys().next()) {
            Some(ruling) => ruling.clone(),
            None => ruling.as_str().unwrap_or_default().to_owned(),
        });
        let verb = format!("{verb} {}", ruling.unwrap_or_default()).trim().to_owned();
        let (done, refused) = self.operations.entry(verb).or_default();
        *(if is_done { done } else { refused }) += 1;
        json.to_string()
    }

    /// Commands that were never done.
    pub(crate) fn never_done(&self) -> Vec<&'static str> {
        let was_done = |verb: &str| self.commands.get(verb).is_some_and(|(done, _)| *done > 0);
        COMMANDS.iter().map(|command| command.verb).filter(|verb| !was_done(verb)).collect()
    }

    /// Refusals that were never met.
    pub(crate) fn never_met(&self) -> Vec<&'static str> {
        REFUSALS.iter().copied().filter(|mark| !self.refusals.contains_key(*mark)).collect()
    }

    /// The median time of a move in the first and in the last tenth of them, in microseconds.
    pub(crate) fn move_times(&self) -> (u64, u64) {
        let median = |times: &[u64]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        let tenth = self.moves.len() / 10;
        (median(&self.moves[..tenth]), median(&self.moves[self.moves.len() - tenth..]))
    }

    /// The table.
    pub(crate) fn print(&self) {
        let seconds = self.took.as_secs_f64();
        let per_second = self.mails as f64 / seconds;
        let (first, last) = self.move_times();
        eprintln!(
            "{:.1} simulated years in {seconds:.0} s: {} mails ({per_second:.0} a second), {} letters, {} restarts",
            self.simulated_days as f64 / 365.25,
            self.mails,
            self.kinds.values().sum::<u64>(),
            self.restarts
        );
        eprintln!("fates {:?}\nways {:?}\nletters {:?}", self.fates, self.ways, self.kinds);
        eprintln!("by itself {:?}", self.happened);
        eprintln!("commands (done, refused) {:?}", self.commands);
        eprintln!("operations (done, refused) {:?}", self.operations);
        eprintln!("refusals {:#?}", self.refusals);
        eprintln!("refusals never met {:#?}", self.never_met());
        eprintln!("a move takes {first} us in the first tenth of all moves, {last} us in the last (medians)");
    }
}

const fn way(way: &Way) -> &'static str {
    match way {
        Way::Subject(_) => "subject",
        Way::Batch(_) => "batch",
        Way::Answer { .. } => "answer",
        Way::Confirm(_) => "confirm",
        Way::Leave(..) => "unsubscribe",
        Way::Bounce(..) => "bounce",
        Way::Automatic => "automatic",
        Way::Prose => "prose",
        Way::Again => "again",
    }
}
