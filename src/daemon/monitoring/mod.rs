//! Monitoring of a running server: `/healthz` says whether all parts work, `/metrics` how much they do, a sentence for
//! `systemctl status` both in short.
//!
//! Nothing here waits for the engine. Its state is read from shared memory ([`Engine::busy_for`]). The
//! database is read by a separate connection in a blocking thread; if that takes longer than a second, the
//! page says so.

mod figures;
mod health;
mod judge;
mod sentence;
mod site;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;

use crate::admin::{Fault, Health};
use crate::config::Config;
use pbmserv_core::store::{Holder, Location, Queues, Reader, Replication, Totals};
use pbmserv_mail::doors::http::{self, Answering};
use pbmserv_mail::doors::smtp::Tls;
use pbmserv_mail::doors::{self, Listener};
use pbmserv_mail::outbox;

use super::process;
use super::task::{CONTROL, Task};
use crate::engine::clock::TimeSource;
use crate::engine::disk::Disk;
use crate::engine::log_writer;
use crate::engine::meters::Meters;
use crate::engine::probe::Probe;
use crate::engine::server::Server;
use crate::engine::{Engine, Inspected, Writing};
use health::{Findings, Found, Part, Reach, Room};
use site::Page;

/// How long a page waits for the database.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a test write may take. SQLite waits 5 seconds for a lock, and a batch may wait twice.
const WRITE_TEST: Duration = Duration::from_secs(12);

/// How long the result of a query about the queues is reused.
const QUEUES: Duration = Duration::from_secs(1);

/// The same for boards and players, of which there may be many.
const CENSUS: Duration = Duration::from_secs(15);

/// What one look-up finds.
type Looked = (Queues, Option<Holder>, Option<Replication>);

/// Access to everything that is monitored.
#[derive(Debug)]
pub(super) struct Monitor {
    engine: Engine,
    clock: TimeSource,
    database: Location,
    disk: Arc<Disk>,
    meters: Meters,
    /// `None`: the server waits.
    sender: Option<(AbortHandle, watch::Receiver<outbox::Health>)>,
    tasks: Vec<(&'static str, AbortHandle)>,
    mailboxes: Vec<watch::Receiver<doors::Health>>,
    certificate: watch::Receiver<Option<Tls>>,
    inspected: watch::Receiver<Inspected>,
    queues: Probe<Found<Looked>>,
    census: Probe<Found<Totals>>,
    started: DateTime<Utc>,
}

/// Opens the listener of the pages, if one is configured.
///
/// # Errors
/// One sentence that names the key and what to do.
pub(super) async fn open(config: &Config) -> anyhow::Result<Option<Listener>> {
    let listen = config.http.listen.as_str();
    if listen.is_empty() {
        return Ok(None);
    }
    let listener = Listener::bind(listen).await.with_context(|| {
        config.placed(&format!(
            "http.listen: {listen} cannot be opened; stop what listens there or name another address"
        ))
    })?;
    Ok(Some(listener))
}

impl Monitor {
    pub(super) fn new(
        server: &Arc<Server>,
        clock: &TimeSource,
        sender: Option<(&JoinHandle<()>, watch::Receiver<outbox::Health>)>,
        certificate: watch::Receiver<Option<Tls>>,
        tasks: &[Task],
        mailboxes: Vec<watch::Receiver<doors::Health>>,
    ) -> Self {
        figures::describe(&server.meters);
        Self {
            engine: server.engine.clone(),
            clock: clock.clone(),
            database: server.folder.location(),
            disk: server.disk.clone(),
            meters: server.meters.clone(),
            sender: sender.map(|(task, health)| (task.abort_handle(), health)),
            tasks: tasks
                .iter()
                .map(|(name, task)| (*name, task.abort_handle()))
                .collect(),
            mailboxes,
            certificate,
            inspected: server.inspection.found(),
            queues: Probe::default(),
            census: Probe::default(),
            started: clock.now(),
        }
    }

    async fn find(&self) -> Findings {
        let (database, now) = (self.database.clone(), self.clock.now());
        let queues = self
            .queues
            .get(QUEUES, PATIENCE, move || {
                look(&database, |reader| {
                    Ok((reader.queues(now)?, reader.holder()?, reader.replication()?))
                })
            })
            .await;
        let queues = queues.unwrap_or(Err("it does not answer within a second"));
        let (queues, holder, replication) = match queues {
            Ok((queues, holder, replication)) => (Ok(queues), holder, replication),
            Err(why) => (Err(why), None, None),
        };
        let disk = Room {
            free: self.disk.free().await,
            floor: self.disk.floor,
        };
        let writing = self.engine.writing().borrow().clone();
        let (doors, parts) = self
            .tasks
            .iter()
            .map(|(name, task)| (*name, self.part(name, task)))
            .partition(|(name, _)| doors::NAMES.contains(name) || *name == CONTROL);
        let sender = self.sender.as_ref().map(|(task, sending)| {
            let sending = sending.borrow();
            Part {
                is_running: !task.is_finished(),
                reach: Some(Reach {
                    last_ok: sending.last_ok,
                    last_error: sending.last_error.as_ref().map(|(at, _)| *at),
                    down_since: sending.down_since,
                    aside: 0,
                }),
            }
        });
        Findings {
            now: self.clock.now(),
            is_elsewhere: self.engine.is_elsewhere(),
            holder,
            replication,
            is_engine_gone: self.is_engine_gone(),
            busy_for: self.engine.busy_for(),
            tasks: self.engine.waiting(),
            writing,
            disk,
            log: log_writer::state(),
            certificate: self.certificate.borrow().as_ref().and_then(Tls::expires_at),
            inspected: *self.inspected.borrow(),
            queues,
            sender,
            doors,
            parts,
        }
    }

    fn part(&self, name: &str, task: &AbortHandle) -> Part {
        let mailbox = self.mailboxes.iter().find(|seen| seen.borrow().door == name);
        Part {
            is_running: !task.is_finished(),
            reach: mailbox.map(|seen| {
                let seen = seen.borrow();
                Reach {
                    last_ok: seen.last_ok,
                    last_error: seen.last_error.as_ref().map(|(at, _)| *at),
                    down_since: seen.down_since,
                    aside: seen.aside.count,
                }
            }),
        }
    }

    /// What `check` asks for: the findings of `/healthz`, after a write that tests the disk.
    pub(super) async fn health_now(&self) -> Health {
        let test = async {
            match self.engine.is_elsewhere() {
                true => Ok(()),
                false => self.engine.look().await,
            }
        };
        let slow = match timeout(WRITE_TEST, test).await {
            Ok(Ok(())) => None,
            // The engine answers before it notes the failure.
            Ok(Err(_)) => {
                let mut writing = self.engine.writing();
                let noted = writing.wait_for(|writing| writing.failing_since.is_some());
                drop(timeout(PATIENCE, noted).await);
                None
            }
            Err(_) => Some(Fault {
                part: "engine".to_owned(),
                sentence: format!(
                    "A test write has not ended within {} seconds.",
                    WRITE_TEST.as_secs()
                ),
            }),
        };
        let findings = self.find().await;
        Health {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            faults: slow.into_iter().chain(faults(&findings)).collect(),
            waits: sentence::of_waiting(&findings),
        }
    }

    /// What is wrong at this moment, as `/healthz` has it.
    pub(super) async fn faults(&self) -> Vec<Fault> {
        faults(&self.find().await)
    }

    /// What `/healthz` finds, for the operator's page.
    pub(super) async fn report(&self) -> serde_json::Value {
        // It has only strings, numbers and maps with string keys.
        serde_json::to_value(self.find().await.report()).unwrap_or_default()
    }

    async fn health(&self) -> Page {
        let report = self.find().await.report();
        Page {
            is_well: report.is_well(),
            kind: "application/json",
            text: report.text(),
        }
    }

    async fn metrics(&self) -> Page {
        let (findings, census) = (self.find().await, self.census().await);
        figures::set(&self.meters, &findings, census.as_ref());
        Page {
            is_well: true,
            kind: "text/plain; version=0.0.4; charset=utf-8",
            text: self.meters.page() + &process::metrics(self.started),
        }
    }

    /// Like [`health`](Self::health), in a sentence; if all is well, what the server does.
    pub(super) async fn sentence(&self) -> String {
        let findings = self.find().await;
        sentence::of(&findings, self.census().await.as_ref())
    }

    /// Whether the engine is there and not stuck, as `/healthz` judges it. Never waits.
    pub(super) fn is_engine_alive(&self) -> bool {
        health::is_engine_alive(self.is_engine_gone(), self.engine.busy_for())
    }

    /// A server that waits needs none.
    fn is_engine_gone(&self) -> bool {
        self.engine.is_gone() && !self.engine.is_elsewhere()
    }

    /// Whether commits succeed.
    pub(super) fn writing(&self) -> watch::Receiver<Writing> {
        self.engine.writing()
    }

    async fn census(&self) -> Option<Totals> {
        let database = self.database.clone();
        let look = move || look(&database, Reader::totals);
        self.census.get(CENSUS, PATIENCE, look).await?.ok()
    }
}

impl Answering for Monitor {
    type Body = Full<Bytes>;

    const NAME: &'static str = "a monitoring page";

    async fn answer(&self, request: Request<Incoming>, _peer: IpAddr) -> Response<Full<Bytes>> {
        site::answer(&request, self.health(), self.metrics()).await
    }
}

fn faults(findings: &Findings) -> Vec<Fault> {
    let found = findings.report().trouble.into_iter();
    let fault = |trouble: judge::Trouble| Fault {
        part: trouble.part.to_owned(),
        sentence: trouble.sentence,
    };
    found.map(fault).collect()
}

/// Opens a new connection each time, to notice when the file cannot be opened any more.
fn look<T>(database: &Location, query: impl FnOnce(&Reader) -> pbmserv_core::store::Result<T>) -> Found<T> {
    let found = Reader::open(database).and_then(|reader| query(&reader));
    found.map_err(|error| error.in_a_word())
}

/// Serves the pages until `stop`; returns the address. The tasks are added to `tasks`.
pub(super) fn serve(
    listener: Listener,
    monitor: Arc<Monitor>,
    stop: &watch::Receiver<bool>,
    tasks: &mut Vec<Task>,
) -> String {
    let place = listener.to_string();
    let door = http::serve(listener, site::LIMITS, monitor, stop.clone());
    tasks.push(("http", tokio::spawn(door)));
    place
}
