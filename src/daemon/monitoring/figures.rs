//! The gauges of `/metrics`: values that are looked up when the page is requested.

use chrono::{DateTime, Utc};
use pbmserv_games::GAMES;

use pbmserv_core::store::{QueueState, Totals, Unproven};

use super::health::{Findings, Part};
use crate::engine::meters::Meters;

/// The gauges with their `HELP` texts.
const FIGURES: [(&str, &str); 31] = [
    ("pbmserv_build_info", "The running version; always 1"),
    ("pbmserv_healthy", "1 if /healthz says 200, 0 if 503"),
    (
        "pbmserv_has_engine",
        "1 if this server has the engine, 0 if it waits for another one",
    ),
    ("pbmserv_engine_alive", "1 unless the engine has ended or hangs"),
    (
        "pbmserv_engine_busy_seconds",
        "How long the engine's current batch has been running",
    ),
    ("pbmserv_database_readable", "1 if the database can be read"),
    (
        "pbmserv_database_writable",
        "0 if the last attempt to write failed",
    ),
    (
        "pbmserv_database_bytes",
        "The size of the database without its WAL file",
    ),
    (
        "pbmserv_standby_missing",
        "1 if [store] url names two hosts and no standby is known to have each commit; PostgreSQL only",
    ),
    (
        "pbmserv_standby_kept_wal_bytes",
        "WAL that PostgreSQL keeps for a standby that is away",
    ),
    (
        "pbmserv_disk_free_bytes",
        "Free bytes on the disk of the data folder",
    ),
    (
        "pbmserv_disk_min_free_bytes",
        "Free bytes below which mail is put off",
    ),
    (
        "pbmserv_database_faults",
        "Places of the database that the daily reading found damaged",
    ),
    (
        "pbmserv_database_read_through_timestamp_seconds",
        "When the daily reading of the whole database ended; 0: not since the start",
    ),
    (
        "pbmserv_certificate_expires_timestamp_seconds",
        "When the certificate of the door smtp expires",
    ),
    (
        "pbmserv_log_lines_dropped",
        "Lines of the log that could not be written since the start",
    ),
    ("pbmserv_door_alive", "1 if mail can come in by this door"),
    (
        "pbmserv_door_mails_put_aside",
        "Mails of the mailbox that could not be handled and are tried again now and then",
    ),
    ("pbmserv_sender_alive", "1 if mail can go out"),
    (
        "pbmserv_sender_down_seconds",
        "How long the transport has accepted no mail",
    ),
    (
        "pbmserv_sender_last_success_timestamp_seconds",
        "When the transport last accepted a mail; 0: not since the start",
    ),
    (
        "pbmserv_sender_last_error_timestamp_seconds",
        "When a delivery last failed; 0: not since the start",
    ),
    (
        "pbmserv_queue_mails",
        "Waiting mails, tasks of the engine, and boards that wait for a computer or that it leaves alone; counted up to 10000",
    ),
    (
        "pbmserv_queue_oldest_seconds",
        "The age of the oldest of them; 0 if there is none",
    ),
    ("pbmserv_boards", "Boards, by game"),
    ("pbmserv_players", "Players with an account"),
    (
        "pbmserv_complaints",
        "Addresses that complained of our mail as spam and have sent none since",
    ),
    (
        "pbmserv_last_backup_timestamp_seconds",
        "When the last backup was made; 0: never",
    ),
    (
        "pbmserv_unproven_mails_sent",
        "Mails sent in this hour of the clock because of mail that proves nobody",
    ),
    (
        "pbmserv_unproven_mails_dropped",
        "Messages that proved nobody and were dropped in this hour, since too many such mails were sent",
    ),
    ("pbmserv_part_alive", "1 if this part of the server runs"),
];

/// Registers the `HELP` texts.
pub(super) fn describe(meters: &Meters) {
    for (name, what) in FIGURES {
        meters.describe(name, what);
    }
}

/// Sets all gauges. An unknown value is NaN, so that an old value is not mistaken for a current one.
pub(super) fn set(meters: &Meters, findings: &Findings, census: Option<&Totals>) {
    let one = |name, value| meters.set(name, &[], value);
    meters.set(
        "pbmserv_build_info",
        &[("version", env!("CARGO_PKG_VERSION"))],
        1.0,
    );
    one("pbmserv_healthy", flag(findings.report().is_well()));
    one("pbmserv_has_engine", flag(!findings.is_elsewhere));
    one("pbmserv_engine_alive", flag(findings.is_engine_alive()));
    one(
        "pbmserv_engine_busy_seconds",
        findings.busy_for.unwrap_or_default().as_secs_f64(),
    );
    one("pbmserv_database_readable", flag(findings.queues.is_ok()));
    one(
        "pbmserv_database_writable",
        flag(findings.writing.failing_since.is_none()),
    );
    // A file has no standby, and lacks none.
    let replication = findings.replication.clone().unwrap_or_default();
    one("pbmserv_standby_missing", flag(replication.lacks_standby()));
    let kept = replication.kept.map_or(0, |(_, bytes)| bytes);
    one("pbmserv_standby_kept_wal_bytes", kept as f64);
    let free = findings.disk.free.map_or(f64::NAN, |free| free as f64);
    one("pbmserv_disk_free_bytes", free);
    one("pbmserv_disk_min_free_bytes", findings.disk.floor as f64);
    one("pbmserv_database_faults", findings.inspected.faults as f64);
    one(
        "pbmserv_database_read_through_timestamp_seconds",
        seconds(findings.inspected.at),
    );
    let expires = findings.certificate.map_or(f64::NAN, |at| at.timestamp() as f64);
    one("pbmserv_certificate_expires_timestamp_seconds", expires);
    one("pbmserv_log_lines_dropped", findings.log.dropped as f64);
    for (door, part) in &findings.doors {
        meters.set("pbmserv_door_alive", &[("door", door)], flag(works(part)));
        if let Some(reach) = &part.reach {
            meters.set(
                "pbmserv_door_mails_put_aside",
                &[("door", door)],
                reach.aside as f64,
            );
        }
    }
    for (name, part) in &findings.parts {
        meters.set("pbmserv_part_alive", &[("part", name)], flag(works(part)));
    }
    if let Some(part) = &findings.sender {
        sender(meters, findings, part);
    }
    queues(meters, findings);
    holdings(meters, census);
}

fn sender(meters: &Meters, findings: &Findings, part: &Part) {
    let one = |name, value| meters.set(name, &[], value);
    let reach = part.reach.unwrap_or_default();
    one("pbmserv_sender_alive", flag(works(part)));
    one(
        "pbmserv_sender_down_seconds",
        findings.age(reach.down_since) as f64,
    );
    one(
        "pbmserv_sender_last_success_timestamp_seconds",
        seconds(reach.last_ok),
    );
    one(
        "pbmserv_sender_last_error_timestamp_seconds",
        seconds(reach.last_error),
    );
}

fn queues(meters: &Meters, findings: &Findings) {
    let queues = findings.queues.as_ref().ok();
    let mails = |of: Option<QueueState>| of.map_or(f64::NAN, |of| f64::from(of.mails));
    let age = |of: Option<QueueState>| of.map_or(f64::NAN, |of| findings.age(of.oldest) as f64);
    let computers = queues.map(|queues| queues.computers);
    let (waiting, held, failed) = (
        queues.map(|queues| queues.waiting),
        queues.map(|queues| queues.held),
        queues.map(|queues| queues.failed),
    );
    for (queue, state, value) in [
        ("outbox", "waiting", mails(waiting)),
        ("outbox", "held", mails(held)),
        ("inbox", "failed", mails(failed)),
        ("engine", "waiting", findings.tasks as f64),
        ("bots", "waiting", mails(computers)),
        (
            "bots",
            "failed",
            queues.map_or(f64::NAN, |queues| f64::from(queues.left_alone)),
        ),
    ] {
        let labels = [("queue", queue), ("state", state)];
        meters.set("pbmserv_queue_mails", &labels, value);
    }
    let ages = [
        ("outbox", age(waiting)),
        ("inbox", age(failed)),
        ("bots", age(computers)),
    ];
    for (queue, value) in ages {
        meters.set("pbmserv_queue_oldest_seconds", &[("queue", queue)], value);
    }
    let backed_up = queues.map_or(f64::NAN, |queues| seconds(queues.backed_up));
    meters.set("pbmserv_last_backup_timestamp_seconds", &[], backed_up);
    let unproven =
        |of: fn(&Unproven) -> u32| queues.map_or(f64::NAN, |queues| f64::from(of(&queues.unproven)));
    for (from, value) in [
        ("strangers", unproven(|it| it.for_strangers)),
        ("players", unproven(|it| it.for_players)),
    ] {
        meters.set("pbmserv_unproven_mails_sent", &[("from", from)], value);
    }
    meters.set("pbmserv_unproven_mails_dropped", &[], unproven(|it| it.dropped));
}

fn holdings(meters: &Meters, census: Option<&Totals>) {
    let (players, bytes, complaints) = match census {
        Some(census) => (
            f64::from(census.players),
            census.bytes as f64,
            f64::from(census.complaints),
        ),
        None => (f64::NAN, f64::NAN, f64::NAN),
    };
    meters.set("pbmserv_players", &[], players);
    meters.set("pbmserv_database_bytes", &[], bytes);
    meters.set("pbmserv_complaints", &[], complaints);
    for game in GAMES {
        let name = game.facts.name;
        let (running, over) = match census {
            None => (f64::NAN, f64::NAN),
            Some(census) => {
                let found = census.boards.iter().find(|row| row.game == name);
                found.map_or((0.0, 0.0), |row| (f64::from(row.running), f64::from(row.over)))
            }
        };
        for (state, value) in [("running", running), ("over", over)] {
            meters.set("pbmserv_boards", &[("game", name), ("state", state)], value);
        }
    }
}

fn works(part: &Part) -> bool {
    part.is_running && part.reach.is_none_or(|reach| reach.down_since.is_none())
}

const fn flag(is_so: bool) -> f64 {
    if is_so { 1.0 } else { 0.0 }
}

/// Seconds since 1970; 0 for never.
fn seconds(time: Option<DateTime<Utc>>) -> f64 {
    time.map_or(0.0, |time| time.timestamp_millis() as f64 / 1000.0)
}
