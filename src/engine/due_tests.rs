//! Scheduled work: the earliest row first, each once, and a row that fails does not block the others.

use chrono::{DateTime, Utc};

use super::*;
use crate::engine::task::Task;
use crate::engine::tests::Scene;
use pbmserv_core::command::InternalError;
use pbmserv_core::dispatch::Handler;
use pbmserv_core::store::{Reader, Store};

/// Two sources. A note says when rows 1 to 9 are due; handled rows are noted in order.
static SOURCES: &[&DueTask] = &[
    &DueTask {
        name: "even",
        first: |reader| earliest(reader, &[2, 4, 6, 8]),
        run: act,
        is_stepwise: false,
        postpone: set,
    },
    &DueTask {
        name: "odd",
        first: |reader| earliest(reader, &[1, 3, 5, 7, 9]),
        run: act,
        is_stepwise: false,
        postpone: set,
    },
];

const BAD: i64 = 5;
const PANICS: i64 = 6;
const STAYS: i64 = 7;

fn earliest(reader: &Reader, rows: &[i64]) -> store::Result<Option<(DateTime<Utc>, i64)>> {
    let mut found = Vec::new();
    for row in rows {
        let at = reader.note(&format!("due {row}"))?;
        found.extend(at.and_then(|at| Some((at.parse().ok()?, *row))));
    }
    Ok(found.into_iter().min())
}

fn set(store: &Store, row: i64, at: DateTime<Utc>) -> store::Result<()> {
    store.set_note(&format!("due {row}"), &at.to_rfc3339())
}

fn act(_: &mut Handler, store: &Store, row: i64, _: DateTime<Utc>) -> Result<(), InternalError> {
    let done = store.note("done")?.unwrap_or_default();
    store.set_note("done", &format!("{done}{row}"))?;
    match row {
        BAD => Err(InternalError::Letter("as a fault of ours would".to_owned())),
        PANICS => panic!("as a fault of ours would"),
        STAYS => Ok(()),
        _ => Ok(store.set_note(&format!("due {row}"), "")?),
    }
}

/// Returns how many rows were handled.
fn run(worker: &mut Worker) -> usize {
    let (reply, mut done) = tokio::sync::oneshot::channel();
    worker.batch(vec![Task::Due(reply)]);
    done.try_recv().unwrap()
}

fn done(worker: &Worker) -> String {
    worker.store.note("done").unwrap().unwrap_or_default()
}

fn next(worker: &Worker) -> Option<DateTime<Utc>> {
    *worker.next.borrow()
}

#[test]
fn the_earliest_comes_first_and_what_is_not_due_waits() {
    let scene = Scene::new();
    let (mut worker, now) = (scene.worker(), scene.clock().now());
    worker.sources = SOURCES;
    for (row, hours) in [(4, -1), (3, -3), (8, 1), (9, -2), (2, 0)] {
        set(&worker.store, row, now + TimeDelta::hours(hours)).unwrap();
    }
    assert_eq!(run(&mut worker), 4);
    assert_eq!(done(&worker), "3942");
    assert_eq!(next(&worker), Some(now + TimeDelta::hours(1)));
    assert_eq!(run(&mut worker), 0, "each is done once");
}

#[test]
fn a_thing_with_a_fault_is_undone_and_put_off_for_a_day_and_stops_nobody_else() {
    let scene = Scene::new();
    let (mut worker, now) = (scene.worker(), scene.clock().now());
    worker.sources = SOURCES;
    for (row, hours) in [(BAD, -5), (PANICS, -4), (STAYS, -3), (1, -2)] {
        set(&worker.store, row, now + TimeDelta::hours(hours)).unwrap();
    }
    assert_eq!(run(&mut worker), 4, "all are settled");
    assert_eq!(done(&worker), "1", "the others are undone");
    assert_eq!(next(&worker), Some(now + TimeDelta::days(1)));
    assert_eq!(run(&mut worker), 0);
}

#[test]
fn after_an_unclean_stop_a_thing_that_ended_the_program_twice_is_put_off() {
    let scene = Scene::new();
    drop(scene.worker());
    let (mut worker, now) = (scene.worker(), scene.clock().now());
    assert!(worker.is_cautious());
    worker.sources = SOURCES;
    for row in [1, 2] {
        set(&worker.store, row, now - TimeDelta::hours(row)).unwrap();
    }
    let worst = worker.first_due().unwrap().unwrap();
    assert_eq!(worst.row, 2);
    for _ in 0..MAX_BEGUN {
        worker.store.add_begun(&worst.digest(), now).unwrap();
    }
    assert_eq!(run(&mut worker), 1, "one at a time");
    assert_eq!(done(&worker), "", "it is not begun again");
    assert_eq!(run(&mut worker), 1);
    assert_eq!(done(&worker), "1");
    assert_eq!(worker.store.begun(&worst.digest()).unwrap(), None);
}

#[test]
fn what_fails_with_its_batch_is_due_as_before() {
    let scene = Scene::new();
    let (mut worker, now) = (scene.worker(), scene.clock().now());
    worker.sources = SOURCES;
    set(&worker.store, 1, now).unwrap();
    let (reply, mut result) = tokio::sync::oneshot::channel();
    let fails: crate::engine::task::Work = Box::new(|_, _, _| {
        Err(InternalError::Store(store::Error::Database {
            kind: store::ErrorKind::DiskFull,
            message: "database or disk is full".to_owned(),
        }))
    });
    worker.batch(vec![Task::Due(reply), Task::Work(fails)]);
    assert!(result.try_recv().is_err());
    assert_eq!(done(&worker), "");
    assert_eq!(run(&mut worker), 1);
    assert_eq!(done(&worker), "1");
}
