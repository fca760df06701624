//! The counters behind `/metrics`. Counting is one atomic addition after a lookup by index or in a list of a
//! few dozen words; it is a no-op while no page is served.
//!
//! Labels take their values from fixed lists - a door, a verb of the registry, a game, a state - never from
//! the text of a mail.

use std::sync::Arc;
use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, NoopRecorder, Recorder, SharedString,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusRecorder};

use crate::authentication::Verdict;
use crate::command::{COMMANDS, RefusalKind};
use crate::dispatch::{CommandOutcome, CommandResult};
use crate::doors;
use crate::outbox::Outcome;

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

/// What computers are asked to think about.
const THOUGHTS: [&str; 3] = ["turn", "hint", "review"];

/// What can become of a thought: its result was stored, or it was given up because of a fault of ours.
const THOUGHT_FATES: [&str; 2] = ["done", "failed"];

/// Histogram buckets for the duration of a commit or of a message, in seconds.
const SECONDS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Histogram buckets for the number of messages that share a commit.
const MESSAGES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// The counters with their `HELP` texts.
const COUNTERS: [(&str, &str); 6] = [
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
#[derive(Clone)]
pub struct Meters(Arc<Counters>);

struct Counters {
    page: Option<PrometheusRecorder>,
    mails_in: Vec<[Counter; FATES.len()]>,
    mails_out: [Counter; SENDINGS.len()],
    /// For each of [`COMMANDS`], and last for lines that are no command: done, refused, dropped.
    commands: Vec<[Counter; 3]>,
    refusals: [Counter; KINDS.len()],
    verified: [Counter; Verdict::WORDS.len()],
    thoughts: [[Counter; THOUGHT_FATES.len()]; THOUGHTS.len()],
    transaction: Histogram,
    batch: Histogram,
    message: Histogram,
    thinking: Histogram,
}

impl std::fmt::Debug for Meters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meters").finish_non_exhaustive()
    }
}

impl Meters {
    /// Counters that do nothing, for a server without a metrics page.
    #[must_use]
    pub fn off() -> Self {
        Self(Arc::new(Counters::new(&NoopRecorder, None)))
    }

    /// Counters for a metrics page.
    ///
    /// # Errors
    /// The buckets of a histogram are invalid: a bug.
    pub fn on() -> Result<Self, BuildError> {
        let named = |name: &str| Matcher::Full(name.to_owned());
        let recorder = PrometheusBuilder::new()
            .set_buckets(&SECONDS)?
            .set_buckets_for_metric(named("pbmserv_batch_messages"), &MESSAGES)?
            .build_recorder();
        for (name, what) in COUNTERS {
            recorder.describe_counter(KeyName::from_const_str(name), None, SharedString::const_str(what));
        }
        for (name, what) in HISTOGRAMS {
            recorder.describe_histogram(KeyName::from_const_str(name), None, SharedString::const_str(what));
        }
        let counters = Counters::new(&recorder, None);
        Ok(Self(Arc::new(Counters {
            page: Some(recorder),
            ..counters
        })))
    }

    /// Counts what was found out about a sender.
    pub(super) fn verified(&self, word: &str) {
        if let Some(found) = Verdict::WORDS.iter().position(|known| *known == word) {
            self.0.verified[found].increment(1);
        }
    }

    /// Counts an incoming message by door and result.
    pub(super) fn came_in(&self, door: &str, fate: &str) {
        let way = ways().position(|known| known == door);
        let fate = FATES.iter().position(|known| *known == fate);
        debug_assert!(way.is_some(), "mails that come in by {door} are not counted");
        if let (Some(way), Some(fate)) = (way, fate) {
            self.0.mails_in[way][fate].increment(1);
        }
    }

    /// Records how long a message took, from its arrival to the commit.
    pub(super) fn message(&self, took: Duration) {
        self.0.message.record(took);
    }

    /// Records how long a computer thought.
    pub(super) fn thought(&self, took: Duration) {
        self.0.thinking.record(took);
    }

    /// Counts a thought by kind, and by whether its result was stored or it was given up.
    pub(super) fn came_of_thought(&self, kind: &str, is_done: bool) {
        if let Some(kind) = THOUGHTS.iter().position(|known| *known == kind) {
            self.0.thoughts[kind][usize::from(!is_done)].increment(1);
        }
    }

    /// Counts deliveries; one number for each of [`SENDINGS`].
    pub(super) fn went_out(&self, sendings: [u64; SENDINGS.len()]) {
        for (counter, count) in self.0.mails_out.iter().zip(sendings) {
            counter.increment(count);
        }
    }

    /// Records a committed batch: the duration of its transaction if it wrote anything, its number of
    /// messages, and the results of their commands.
    pub(super) fn committed(&self, took: Option<Duration>, messages: usize, results: &[CommandResult]) {
        if self.0.page.is_none() {
            return;
        }
        if let Some(took) = took {
            self.0.transaction.record(took);
        }
        if messages > 0 {
            self.0.batch.record(messages as f64);
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
            self.0.commands[at][fate].increment(1);
            if let CommandOutcome::Refused(kind) = one.outcome
                && let Some(kind) = KINDS.iter().position(|(known, _)| *known == kind)
            {
                self.0.refusals[kind].increment(1);
            }
        }
    }

    /// Folds recorded samples into the histograms. Samples use memory until then, so this must also run when
    /// nobody reads the page.
    pub(crate) fn tidy(&self) {
        if let Some(page) = &self.0.page {
            page.handle().run_upkeep();
        }
    }

    /// Sets a gauge; NaN means unknown.
    pub(crate) fn set(&self, name: &'static str, labels: &[(&'static str, &'static str)], value: f64) {
        if let Some(page) = &self.0.page {
            gauge(page, name, labels).set(value);
        }
    }

    /// Sets the `HELP` text of a gauge.
    pub(crate) fn describe(&self, name: &'static str, what: &'static str) {
        if let Some(page) = &self.0.page {
            page.describe_gauge(KeyName::from_const_str(name), None, SharedString::const_str(what));
        }
    }

    /// The page, in the text format of Prometheus.
    pub(crate) fn page(&self) -> String {
        let page = self.0.page.as_ref();
        page.map(|page| page.handle().render()).unwrap_or_default()
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
    fn new(recorder: &dyn Recorder, page: Option<PrometheusRecorder>) -> Self {
        let count = |name, labels: &[(&'static str, &'static str)]| {
            recorder.register_counter(&key(name, labels), &METADATA)
        };
        let record = |name| recorder.register_histogram(&key(name, &[]), &METADATA);
        let [came_in, went_out, commands, refusals, verified, thoughts] = COUNTERS.map(|(name, _)| name);
        let [transaction, batch, message, thinking] = HISTOGRAMS.map(|(name, _)| name);
        let verbs = COMMANDS.iter().map(|command| command.verb).chain([NO_VERB]);
        Self {
            page,
            mails_in: ways()
                .map(|door| FATES.map(|fate| count(came_in, &[("door", door), ("result", fate)])))
                .collect(),
            mails_out: SENDINGS.map(|result| count(went_out, &[("result", result)])),
            commands: verbs
                .map(|verb| {
                    ["done", "refused", "dropped"]
                        .map(|result| count(commands, &[("verb", verb), ("result", result)]))
                })
                .collect(),
            refusals: KINDS.map(|(_, kind)| count(refusals, &[("kind", kind)])),
            verified: Verdict::WORDS.map(|found| count(verified, &[("result", found)])),
            thoughts: THOUGHTS
                .map(|kind| THOUGHT_FATES.map(|fate| count(thoughts, &[("kind", kind), ("result", fate)]))),
            transaction: record(transaction),
            batch: record(batch),
            message: record(message),
            thinking: record(thinking),
        }
    }
}

static METADATA: Metadata<'static> = Metadata::new("pbmserv", Level::INFO, None);

fn key(name: &'static str, labels: &[(&'static str, &'static str)]) -> Key {
    let labels: Vec<_> = labels
        .iter()
        .map(|(name, value)| Label::from_static_parts(name, value))
        .collect();
    Key::from_parts(name, labels)
}

fn gauge(
    recorder: &PrometheusRecorder,
    name: &'static str,
    labels: &[(&'static str, &'static str)],
) -> Gauge {
    recorder.register_gauge(&key(name, labels), &METADATA)
}
