//! A report of the kills and what they hit, for people to read.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::book::checker::Found;

/// The kind of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A kill.
    Plain,
    /// A kill while the relay refuses, hangs, dies or is down.
    Relay,
    /// A kill while the disk is full.
    Disk,
    /// SIGTERM.
    Undecided,
}

/// The rounds of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) kills: usize,
    pub(crate) stops: usize,
    /// Accepted mails.
    pub(crate) accepted: usize,
    /// Repeated mails.
    pub(crate) repeated: usize,
    /// Mails that were handled at the kill, but had no reply yet.
    pub(crate) unheard: usize,
    /// Letters that the relay refused or did not confirm.
    pub(crate) relay_faults: usize,
    pub(crate) seconds: f64,
}

/// All rounds of all seasons.
#[derive(Debug, Default)]
pub(crate) struct Report {
    lines: BTreeMap<Kind, Line>,
    moments: BTreeMap<&'static str, usize>,
    /// Kills by the number of pairs that were waiting for a reply.
    waiting: BTreeMap<usize, usize>,
    /// The same, by the number of boards that were waiting for a computer.
    thinking: BTreeMap<usize, usize>,
    /// Starts on a full disk.
    pub(crate) full_starts: usize,
    /// The time of the checks.
    pub(crate) judged: Duration,
    seasons: usize,
    letters: usize,
    copies: usize,
    turns: usize,
    boards: usize,
    finished: usize,
    answers: usize,
}

impl Report {
    pub(crate) fn line(&mut self, kind: Kind) -> &mut Line {
        self.lines.entry(kind).or_default()
    }

    pub(crate) fn moment(&mut self, moment: &'static str) {
        *self.moments.entry(moment).or_default() += 1;
    }

    pub(crate) fn met_waiting(&mut self, pairs: usize) {
        *self.waiting.entry(pairs).or_default() += 1;
    }

    pub(crate) fn met_thinking(&mut self, boards: usize) {
        *self.thinking.entry(boards).or_default() += 1;
    }

    pub(crate) fn season(&mut self, found: Found) {
        self.seasons += 1;
        self.letters += found.letters;
        self.copies += found.copies;
        self.turns += found.turns;
        self.boards += found.boards;
        self.finished += found.finished;
        self.answers += found.answers;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "round   kills  stops  accepted  repeated  done, unheard    relay's faults  seconds"
        )?;
        let mut all = Line::default();
        for (kind, line) in &self.lines {
            all.kills += line.kills;
            all.stops += line.stops;
            all.accepted += line.accepted;
            all.repeated += line.repeated;
            all.unheard += line.unheard;
            all.relay_faults += line.relay_faults;
            all.seconds += line.seconds;
            row(f, &format!("{kind:?}"), line)?;
        }
        row(f, "all", &all)?;
        writeln!(f, "kills by their moment: {:?}", self.moments)?;
        writeln!(
            f,
            "kills by how many pairs had sent a mail and not heard of it: {:?}",
            self.waiting
        )?;
        writeln!(
            f,
            "rounds by how many boards waited for a computer at their end: {:?}",
            self.thinking
        )?;
        writeln!(f, "starts on a full disk: {}", self.full_starts)?;
        write!(
            f,
            "{} seasons: {} letters, {} delivered again; {} boards, {} of them finished, {} turns, {} of \
             them by computers; the checker took {} s",
            self.seasons,
            self.letters,
            self.copies,
            self.boards,
            self.finished,
            self.turns,
            self.answers,
            self.judged.as_secs()
        )
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, line: &Line) -> fmt::Result {
    writeln!(
        f,
        "{name:<6} {:>6} {:>6} {:>9} {:>9} {:>14} {:>17} {:>8.1}",
        line.kills, line.stops, line.accepted, line.repeated, line.unheard, line.relay_faults, line.seconds
    )
}
