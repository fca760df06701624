//! `/healthz`: judges the findings and reports them as JSON that a person can read too.
//!
//! The page contains no text from outside: the reply of a relay, for example, may contain an address. The log
//! has it.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::Serialize;

use crate::engine::disk::in_words;
use crate::engine::log_writer::LogState;
use crate::engine::{Inspected, Writing};
use pbmserv_core::store::{Holder, QueueState, Queues, Replication};
use pbmserv_mail::doors::smtp::Tls;

use super::judge::{Judge, State, Trouble};

/// A batch that runs longer hangs: SQLite waits 5 seconds for a lock, and a batch may wait twice.
const HANGS: Duration = Duration::from_secs(15);

/// How long the relay or a mailbox may be unreachable. A shorter outage may be a restart.
pub(super) const OUT_OF_REACH: TimeDelta = TimeDelta::minutes(5);

/// A mail that has waited longer was refused more than once.
const OLD: TimeDelta = TimeDelta::hours(1);

/// The result of a database query, or the kind of error.
pub(super) type Found<T> = Result<T, &'static str>;

/// All findings.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    pub(super) now: DateTime<Utc>,
    /// Whether another server has the engine, and this one waits.
    pub(super) is_elsewhere: bool,
    /// Who has the engine, if several servers use the database.
    pub(super) holder: Option<Holder>,
    /// The standbys of the database, if it is at a server.
    pub(super) replication: Option<Replication>,
    pub(super) is_engine_gone: bool,
    /// How long the engine's current batch has been running.
    pub(super) busy_for: Option<Duration>,
    /// Tasks in the engine's queue.
    pub(super) tasks: usize,
    pub(super) writing: Writing,
    pub(super) disk: Room,
    pub(super) log: LogState,
    /// When the certificate of the door SMTP expires.
    pub(super) certificate: Option<DateTime<Utc>>,
    pub(super) inspected: Inspected,
    pub(super) queues: Found<Queues>,
    /// `None`: the server waits, and sends nothing.
    pub(super) sender: Option<Part>,
    pub(super) doors: Vec<(&'static str, Part)>,
    pub(super) parts: Vec<(&'static str, Part)>,
}

/// The disk of the data folder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// Free bytes, if known.
    pub(super) free: Option<u64>,
    /// Free bytes below which mail is put off.
    pub(super) floor: u64,
}

/// A part of the server that runs as a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) is_running: bool,
    /// The state of its peer, if it depends on one.
    pub(super) reach: Option<Reach>,
}

/// Whether a relay, a mailbox or a folder can be reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    pub(super) last_ok: Option<DateTime<Utc>>,
    pub(super) last_error: Option<DateTime<Utc>>,
    pub(super) down_since: Option<DateTime<Utc>>,
    /// How many mails of a mailbox are put aside.
    pub(super) aside: usize,
}

/// The page. Parts that are not configured are left out.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) status: State,
    version: &'static str,
    time: String,
    /// One sentence for each problem.
    pub(super) trouble: Vec<Trouble>,
    engine: EngineShown,
    database: DatabaseShown,
    disk: DiskShown,
    log: LogShown,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<PartShown>,
    doors: BTreeMap<&'static str, PartShown>,
    parts: BTreeMap<&'static str, PartShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outbox: Option<OutboxShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inbox: Option<InboxShown>,
}

#[derive(Clone, Debug, Serialize)]
struct EngineShown {
    state: State,
    tasks_waiting: usize,
    busy_seconds: u64,
    /// Which server has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct DatabaseShown {
    state: State,
    can_be_read: bool,
    can_be_written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_write: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_write_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_write_error_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writes_fail_since: Option<String>,
    /// When the last reading of the whole of it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_through_at: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct LogShown {
    state: State,
    lines_dropped: u64,
}

#[derive(Clone, Debug, Serialize)]
struct DiskShown {
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    free_bytes: Option<u64>,
    min_free_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
struct PartShown {
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_ok: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    down_since: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct OutboxShown {
    state: State,
    waiting: u32,
    held: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<String>,
    oldest_seconds: i64,
}

#[derive(Clone, Debug, Serialize)]
struct InboxShown {
    state: State,
    failed: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<String>,
    oldest_seconds: i64,
}

impl Report {
    pub(super) fn is_well(&self) -> bool {
        self.status < State::Waiting
    }

    pub(super) fn text(&self) -> String {
        // Cannot fail: there are only strings, numbers and maps with string keys.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl Findings {
    /// Judges the findings.
    pub(super) fn report(&self) -> Report {
        let mut judge = Judge {
            worst: State::Ok,
            trouble: Vec::new(),
        };
        let engine = self.engine(&mut judge);
        let database = self.database(&mut judge);
        let disk = self.disk(&mut judge);
        let log = self.log(&mut judge);
        if let Some(ends) = self.certificate.and_then(|at| Tls::ends(at, self.now)) {
            judge.say(
                "certificate",
                State::Degraded,
                format!("The certificate of the door smtp {ends}."),
            );
        }
        let sender = self.sender.as_ref().map(|sender| {
            self.part(
                ("sender", "the sender"),
                "The sender's transport accepts no mail",
                sender,
                &mut judge,
            )
        });
        let mut shown = |parts: &[(&'static str, Part)], kind: &str| -> BTreeMap<_, _> {
            let show = |(name, part): &(&'static str, Part)| {
                let called = format!("the {kind} {name}");
                (
                    *name,
                    self.part(
                        (name, &called),
                        &format!("The mailbox of {called} cannot be read"),
                        part,
                        &mut judge,
                    ),
                )
            };
            parts.iter().map(show).collect()
        };
        let (doors, parts) = (shown(&self.doors, "door"), shown(&self.parts, "part"));
        // What waits is a matter of the server that has the engine.
        let queues = self.queues.as_ref().ok().filter(|_| !self.is_elsewhere);
        let outbox = queues.map(|queues| self.outbox(queues, &mut judge));
        let inbox = queues.map(|queues| self.inbox(queues, &mut judge));
        Report {
            status: judge.worst,
            version: env!("CARGO_PKG_VERSION"),
            time: shown_time(self.now),
            trouble: judge.trouble,
            engine,
            database,
            disk,
            log,
            sender,
            doors,
            parts,
            outbox,
            inbox,
        }
    }

    pub(super) fn is_engine_alive(&self) -> bool {
        is_engine_alive(self.is_engine_gone, self.busy_for)
    }

    fn engine(&self, judge: &mut Judge) -> EngineShown {
        let busy_seconds = self.busy_for.unwrap_or_default().as_secs();
        let state = if self.is_engine_gone {
            judge.say("engine", State::Down, "The engine has ended.")
        } else if !self.is_engine_alive() {
            let sentence = format!("The engine has been at work on one batch for {busy_seconds} seconds.");
            judge.say("engine", State::Down, sentence)
        } else if self.is_elsewhere {
            // No trouble: somebody has to wait.
            judge.worst = judge.worst.max(State::Waiting);
            State::Waiting
        } else {
            State::Ok
        };
        EngineShown {
            state,
            tasks_waiting: self.tasks,
            busy_seconds,
            at: self.holder.as_ref().map(|holder| holder.host.clone()),
            since: self.holder.as_ref().map(|holder| shown_time(holder.since)),
        }
    }

    fn database(&self, judge: &mut Judge) -> DatabaseShown {
        let writing = &self.writing;
        let mut state = State::Ok;
        if let Err(why) = &self.queues {
            state = judge.say(
                "database",
                State::Down,
                format!("The database cannot be read: {why}."),
            );
        }
        if let Some(since) = writing.failing_since {
            let since = shown_time(since);
            let why = match writing.last_error {
                Some(failed) => format!("{}: {}", failed.why, failed.remedy),
                None => "see the log".to_owned(),
            };
            let sentence = format!("The database cannot be written since {since}: {why}.");
            state = judge.say("database", State::Down, sentence);
        }
        match self.inspected.faults {
            0 => {}
            faults => {
                let sentence = format!(
                    "The reading of the whole database found damage in {faults} places: see pbmserv check --deep, and restore a backup."
                );
                state = state.max(judge.say("database", State::Degraded, sentence));
            }
        }
        for fault in self.replication.iter().flat_map(Replication::faults) {
            let is_down = self.replication.as_ref().is_some_and(Replication::stops_commits);
            let found = if is_down { State::Down } else { State::Degraded };
            state = state.max(judge.say("standby", found, fault));
        }
        DatabaseShown {
            state,
            can_be_read: self.queues.is_ok(),
            can_be_written: !self.is_elsewhere && writing.failing_since.is_none(),
            last_write: writing.last_ok.map(shown_time),
            last_write_error: writing.last_error.map(|failed| failed.why.to_owned()),
            last_write_error_at: writing.last_error.map(|failed| shown_time(failed.at)),
            writes_fail_since: writing.failing_since.map(shown_time),
            read_through_at: self.inspected.at.map(shown_time),
        }
    }

    fn disk(&self, judge: &mut Judge) -> DiskShown {
        let Room { free, floor } = self.disk;
        let state = match free {
            Some(free) if free < floor => {
                let sentence = format!(
                    "The disk has {} free, less than {}, so mail is put off: remove files, or give it a larger disk.",
                    in_words(free),
                    in_words(floor)
                );
                judge.say("disk", State::Down, sentence)
            }
            _ => State::Ok,
        };
        DiskShown {
            state,
            free_bytes: free,
            min_free_bytes: floor,
        }
    }

    fn log(&self, judge: &mut Judge) -> LogShown {
        let LogState { dropped, is_lost } = self.log;
        let state = match is_lost {
            true => judge.say(
                "log",
                State::Degraded,
                format!(
                    "The log cannot be written, {dropped} lines were dropped since the start: is its disk full, or its reader stuck?"
                ),
            ),
            false => State::Ok,
        };
        LogShown {
            state,
            lines_dropped: dropped,
        }
    }

    fn part(
        &self,
        (key, name): (&'static str, &str),
        failure: &str,
        part: &Part,
        judge: &mut Judge,
    ) -> PartShown {
        let reach = part.reach.unwrap_or_default();
        let called = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let state = match reach.down_since {
            _ if !part.is_running => judge.say(key, State::Down, format!("{called} has ended.")),
            Some(since) => {
                let state = if self.now - since > OUT_OF_REACH {
                    State::Down
                } else {
                    State::Degraded
                };
                let since = shown_time(since);
                let sentence = format!("{failure} since {since}: see the log.");
                judge.say(key, state, sentence)
            }
            None => State::Ok,
        };
        PartShown {
            state,
            last_ok: reach.last_ok.map(shown_time),
            last_error_at: reach.last_error.map(shown_time),
            down_since: reach.down_since.map(shown_time),
        }
    }

    fn outbox(&self, queues: &Queues, judge: &mut Judge) -> OutboxShown {
        let QueueState { mails, oldest } = queues.waiting;
        let state = match oldest {
            Some(oldest) if self.now - oldest > OLD => {
                let sentence = format!(
                    "A mail waits to be sent since {}: see pbmserv queue list --state waiting.",
                    shown_time(oldest)
                );
                judge.say("outbox", State::Degraded, sentence)
            }
            _ => State::Ok,
        };
        OutboxShown {
            state,
            waiting: mails,
            held: queues.held.mails,
            oldest: oldest.map(shown_time),
            oldest_seconds: self.age(oldest),
        }
    }

    fn inbox(&self, queues: &Queues, judge: &mut Judge) -> InboxShown {
        let QueueState { mails, oldest } = queues.failed;
        let state = match mails {
            0 => State::Ok,
            _ => judge.say(
                "inbox",
                State::Degraded,
                "Messages could not be handled: see pbmserv queue list --inbox --state failed.",
            ),
        };
        InboxShown {
            state,
            failed: mails,
            oldest: oldest.map(shown_time),
            oldest_seconds: self.age(oldest),
        }
    }

    /// Age in seconds; 0 for `None`.
    pub(super) fn age(&self, since: Option<DateTime<Utc>>) -> i64 {
        since.map_or(0, |since| (self.now - since).num_seconds().max(0))
    }
}

/// Whether the engine is there and not stuck in a batch.
pub(super) fn is_engine_alive(is_gone: bool, busy_for: Option<Duration>) -> bool {
    !is_gone && busy_for.is_none_or(|busy| busy < HANGS)
}

fn shown_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
#[path = "health_tests.rs"]
pub(super) mod tests;
