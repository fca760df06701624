//! The counters behind `/metrics`. Counting is one atomic addition after a lookup by index or in a list of a
//! few dozen words.
//!
//! Labels take their values from fixed lists - a door, a verb of the registry, a game, a state - never from
//! the text of a mail.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus::{
    Encoder as _, GaugeVec, Histogram, HistogramOpts, IntCounter, IntCounterVec, Opts, Registry, TextEncoder,
};

use pbmserv_core::command::{COMMANDS, RefusalKind};
use pbmserv_core::dispatch::{CommandOutcome, CommandResult};
use pbmserv_core::store::AdviceKind;
use pbmserv_mail::authentication::Verdict;
use pbmserv_mail::doors;
use pbmserv_mail::outbox::Outcome;

/// How messages come in without a door: by the pipe of a mail server, those that the operator hands in, and the forms of pages.
const VERBS: [&str; 4] = ["pipe", "mail", "retry", "web"];

/// How mails come in.
fn ways() -> impl Iterator<Item = &'static str> {
    doors::NAMES.into_iter().chain(VERBS)
}

/// What can become of an incoming message: the states of its record, and results that are not recorded.
const FATES: [&str; 8] = [
    "done",
    "refused",
    "ignored",
    "dropped",
    "failed",
    "duplicate",
    DEFERRED,
    UNUSABLE,
];

/// A message that was temporarily refused.
pub(super) const DEFERRED: &str = "deferred";
/// A message that cannot be read.
pub(super) const UNUSABLE: &str = "unusable";

/// What can become of an outgoing mail.
const SENDINGS: [&str; 4] = ["sent", "deferred", "refused", "failed"];

/// Stands for a line that is no command.
const NO_VERB: &str = "none";

const KINDS: [(RefusalKind, &str); 3] = [
    (RefusalKind::Unreadable, "unreadable"),
    (RefusalKind::Impossible, "impossible"),
    (RefusalKind::Ambiguous, "ambiguous"),
];

/// What a computer is asked to think about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThoughtKind {
    /// Its own turn.
    Turn,
    /// Advice for a player.
    Advice(AdviceKind),
    /// What the gazette is made of.
    Gazette,
}

impl ThoughtKind {
    const ALL: [Self; 4] = [
        Self::Turn,
        Self::Advice(AdviceKind::Hint),
        Self::Advice(AdviceKind::Review),
        Self::Gazette,
    ];

    const fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Advice(advice) => advice.word(),
            Self::Gazette => "gazette",
        }
    }
}

/// What became of a turn of a visitor, whose game is not stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Visited {
    /// It was the first of a game.
    Begun,
    /// It was a later one.
    Turn,
    /// Too many others were answered.
    Busy,
    /// There is no answer because of a fault of ours.
    Failed,
}

const VISITED: [&str; 4] = ["begun", "turn", "busy", "failed"];

/// What can become of a thought: its result was stored, or it was given up because of a fault of ours.
const THOUGHT_FATES: [&str; 2] = ["done", "failed"];

/// Histogram buckets for the duration of a commit or of a message, in seconds.
const SECONDS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Histogram buckets for the number of messages that share a commit.
const MESSAGES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// The counters with their `HELP` texts.
const COUNTERS: [(&str, &str); 7] = [
    (
        "pbmserv_mails_in_total",
        "Incoming messages, by door and by result",
    ),
    ("pbmserv_mails_out_total", "Deliveries of mails, by result"),
    (
        "pbmserv_commands_total",
        "Commands in mails, by verb and by result",
    ),
    ("pbmserv_refusals_total", "Commands that were refused, by kind"),
    (
        "pbmserv_verified_total",
        "Messages of which the server looked whether From is authenticated, by what was found",
    ),
    (
        "pbmserv_thoughts_total",
        "What computers were asked to think about, by kind and by result",
    ),
    (
        "pbmserv_visitors_total",
        "Turns of visitors without an account, by what became of them",
    ),
];
const HISTOGRAMS: [(&str, &str); 4] = [
    (
        "pbmserv_transaction_seconds",
        "The duration of transactions, including the commit",
    ),
    ("pbmserv_batch_messages", "Messages that shared a commit"),
    (
        "pbmserv_message_seconds",
        "From the last byte of a message to the commit of its effects",
    ),
    (
        "pbmserv_thinking_seconds",
        "How long computers thought about a position or a game",
    ),
];

/// The counters. Clones share them.
#[derive(Clone, Debug)]
pub struct Meters(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    page: Option<MetricsPage>,
    mails_in: Vec<[IntCounter; FATES.len()]>,
    mails_out: [IntCounter; SENDINGS.len()],
    /// For each of [`COMMANDS`], and last for lines that are no command: done, refused, dropped.
    commands: Vec<[IntCounter; 3]>,
    refusals: [IntCounter; KINDS.len()],
    verified: [IntCounter; Verdict::WORDS.len()],
    thoughts: [[IntCounter; THOUGHT_FATES.len()]; ThoughtKind::ALL.len()],
    visited: [IntCounter; VISITED.len()],
    transaction: Histogram,
    batch: Histogram,
    message: Histogram,
    thinking: Histogram,
}

/// What the page shows.
#[derive(Debug, Default)]
struct MetricsPage {
    registry: Registry,
    /// The gauges that were set, by their names. Their labels are known only then.
    gauges: Mutex<BTreeMap<&'static str, GaugeVec>>,
    /// The `HELP` texts of the gauges.
    helps: Mutex<BTreeMap<&'static str, &'static str>>,
}

impl Meters {
    /// Counters that nobody reads, for a server without a metrics page.
    ///
    /// # Errors
    /// The name of a metric or a label is invalid: a bug.
    pub fn off() -> prometheus::Result<Self> {
        Ok(Self(Arc::new(Counters::new(&Registry::new())?)))
    }

    /// Counters for a metrics page.
    ///
    /// # Errors
    /// As of [`Self::off`].
    pub fn on() -> prometheus::Result<Self> {
        let page = MetricsPage::default();
        let counters = Counters::new(&page.registry)?;
        Ok(Self(Arc::new(Counters {
            page: Some(page),
            ..counters
        })))
    }

    /// Counts what was found out about a sender.
    pub(super) fn verified(&self, word: &str) {
        if let Some(found) = Verdict::WORDS.iter().position(|known| *known == word) {
            self.0.verified[found].inc();
        }
    }

    /// Counts an incoming message by door and result.
    pub(super) fn came_in(&self, door: &str, fate: &str) {
        let way = ways().position(|known| known == door);
        let fate = FATES.iter().position(|known| *known == fate);
        debug_assert!(way.is_some(), "mails that come in by {door} are not counted");
        if let (Some(way), Some(fate)) = (way, fate) {
            self.0.mails_in[way][fate].inc();
        }
    }

    /// Records how long a message took, from its arrival to the commit.
    pub(super) fn message(&self, took: Duration) {
        self.0.message.observe(took.as_secs_f64());
    }

    /// Records how long a computer thought.
    pub(super) fn thought(&self, took: Duration) {
        self.0.thinking.observe(took.as_secs_f64());
    }

    /// Counts a thought by kind, and by whether its result was stored or it was given up.
    pub(super) fn came_of_thought(&self, kind: ThoughtKind, is_done: bool) {
        if let Some(kind) = ThoughtKind::ALL.iter().position(|known| *known == kind) {
            self.0.thoughts[kind][usize::from(!is_done)].inc();
        }
    }

    /// Counts a turn of a visitor.
    pub(super) fn visited(&self, what: Visited) {
        self.0.visited[what as usize].inc();
    }

    /// Counts deliveries; one number for each of [`SENDINGS`].
    pub(super) fn went_out(&self, sendings: [u64; SENDINGS.len()]) {
        for (counter, count) in self.0.mails_out.iter().zip(sendings) {
            counter.inc_by(count);
        }
    }

    /// Records a committed batch: the duration of its transaction if it wrote anything, its number of
    /// messages, and the results of their commands.
    pub(super) fn committed(&self, took: Option<Duration>, messages: usize, results: &[CommandResult]) {
        if self.0.page.is_none() {
            return;
        }
        if let Some(took) = took {
            self.0.transaction.observe(took.as_secs_f64());
        }
        if messages > 0 {
            self.0.batch.observe(messages as f64);
        }
        for one in results {
            let at = one
                .verb
                .and_then(|verb| COMMANDS.iter().position(|command| command.verb == verb))
                .unwrap_or(COMMANDS.len());
            let fate = match one.outcome {
                CommandOutcome::Done => 0,
                CommandOutcome::Refused(_) => 1,
                CommandOutcome::Dropped => 2,
            };
            self.0.commands[at][fate].inc();
            if let CommandOutcome::Refused(kind) = one.outcome
                && let Some(kind) = KINDS.iter().position(|(known, _)| *known == kind)
            {
                self.0.refusals[kind].inc();
            }
        }
    }

    /// Sets a gauge; NaN means unknown. It always has the same labels.
    pub(crate) fn set(&self, name: &'static str, labels: &[(&'static str, &'static str)], value: f64) {
        let Some(page) = &self.0.page else { return };
        match page.set(name, labels, value) {
            Ok(()) => {}
            Err(error) => tracing::error!(name, %error, "a gauge cannot be set"),
        }
    }

    /// Sets the `HELP` text of a gauge.
    pub(crate) fn describe(&self, name: &'static str, what: &'static str) {
        if let Some(page) = &self.0.page {
            let mut helps = page.helps.lock().unwrap_or_else(PoisonError::into_inner);
            helps.insert(name, what);
        }
    }

    /// The page, in the text format of Prometheus.
    pub(crate) fn page(&self) -> String {
        let Some(page) = &self.0.page else {
            return String::new();
        };
        let mut text = Vec::new();
        if let Err(error) = TextEncoder::new().encode(&page.registry.gather(), &mut text) {
            tracing::error!(%error, "a metric cannot be written");
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl MetricsPage {
    fn set(&self, name: &'static str, labels: &[(&str, &'static str)], value: f64) -> prometheus::Result<()> {
        let mut gauges = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        let gauge = match gauges.entry(name) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let helps = self.helps.lock().unwrap_or_else(PoisonError::into_inner);
                let help = helps.get(name).copied().unwrap_or(name);
                let names: Vec<_> = labels.iter().map(|(name, _)| *name).collect();
                let gauge = GaugeVec::new(Opts::new(name, help), &names)?;
                self.registry.register(Box::new(gauge.clone()))?;
                place.insert(gauge)
            }
        };
        let values: Vec<_> = labels.iter().map(|(_, value)| *value).collect();
        gauge.get_metric_with_label_values(&values)?.set(value);
        Ok(())
    }
}

/// Counts the outcomes by kind, in the order of [`SENDINGS`].
pub(super) fn sendings<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> [u64; SENDINGS.len()] {
    let mut counts = [0; SENDINGS.len()];
    for outcome in outcomes {
        let at = match outcome {
            Outcome::Sent => 0,
            Outcome::Deferred { .. } => 1,
            Outcome::Refused { .. } => 2,
            Outcome::Failed { .. } => 3,
        };
        counts[at] += 1;
    }
    counts
}

impl Counters {
    fn new(registry: &Registry) -> prometheus::Result<Self> {
        let [came_in, went_out, commands, refusals, verified, thoughts, visited] = COUNTERS;
        let [transaction, batch, message, thinking] = HISTOGRAMS;
        let verbs = COMMANDS.iter().map(|command| command.verb).chain([NO_VERB]);
        let mails_in = counters(registry, came_in, &["door", "result"])?;
        let commands = counters(registry, commands, &["verb", "result"])?;
        let thoughts = counters(registry, thoughts, &["kind", "result"])?;
        let [mails_out, verified, visited] =
            [went_out, verified, visited].map(|metric| counters(registry, metric, &["result"]));
        let (mails_out, verified, visited) = (mails_out?, verified?, visited?);
        let refusals = counters(registry, refusals, &["kind"])?;
        Ok(Self {
            page: None,
            mails_in: ways()
                .map(|door| FATES.map(|fate| mails_in.with_label_values(&[door, fate])))
                .collect(),
            mails_out: SENDINGS.map(|result| mails_out.with_label_values(&[result])),
            commands: verbs
                .map(|verb| {
                    ["done", "refused", "dropped"].map(|result| commands.with_label_values(&[verb, result]))
                })
                .collect(),
            refusals: KINDS.map(|(_, kind)| refusals.with_label_values(&[kind])),
            verified: Verdict::WORDS.map(|found| verified.with_label_values(&[found])),
            thoughts: ThoughtKind::ALL
                .map(|kind| THOUGHT_FATES.map(|fate| thoughts.with_label_values(&[kind.word(), fate]))),
            visited: VISITED.map(|result| visited.with_label_values(&[result])),
            transaction: histogram(registry, transaction, &SECONDS)?,
            batch: histogram(registry, batch, &MESSAGES)?,
            message: histogram(registry, message, &SECONDS)?,
            thinking: histogram(registry, thinking, &SECONDS)?,
        })
    }
}

fn counters(
    registry: &Registry,
    (name, help): (&str, &str),
    labels: &[&str],
) -> prometheus::Result<IntCounterVec> {
    let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
    registry.register(Box::new(counters.clone()))?;
    Ok(counters)
}

fn histogram(
    registry: &Registry,
    (name, help): (&str, &str),
    buckets: &[f64],
) -> prometheus::Result<Histogram> {
    let histogram = Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec()))?;
    registry.register(Box::new(histogram.clone()))?;
    Ok(histogram)
}
