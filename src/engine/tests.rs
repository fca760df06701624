//! Batches in which something fails: what is committed, what is rolled back, and who gets which answer.

use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::TimeDelta;
use tempfile::TempDir;

use super::*;
use pbmserv_core::command::{
    COMMANDS, Change, Command, CompanySettings, ComputerSettings, Context, Decision, GuessLimits, Line,
    Proofs, Run, Script, Settings, Undecided, is_typed,
};
use pbmserv_core::dispatch::{Arrived, Handled, Limits, Recorded, Request, Witness};
use pbmserv_core::letters::Letters;
use pbmserv_core::store::NewPlayer;
use pbmserv_core::table::PlayerId;
use pbmserv_mail::outbox::{self, Reach};
use pbmserv_mail::{Address, Envelope, Key, LetterWords};

const fn command(run: fn(&Context<'_>, &Line) -> Result<Decision, Undecided>) -> Command {
    Command {
        verb: "test",
        run: Run::Public(run),
        ..Command::USUAL
    }
}

/// A command whose handler panics.
static PANICS: Command = command(|_, _| panic!("as a fault of ours would"));

/// A command that fails after its first change: its second change names players who do not exist.
static HALF: Command = command(|context, _| {
    let player = NewPlayer {
        userid: "half".into(),
        password_hash: "x".into(),
        created_at: context.now,
    };
    let signup = Change::Signup {
        player,
        addresses: vec![],
        confirmed_at: None,
    };
    let block = Change::Block {
        player: PlayerId(998),
        other: PlayerId(999),
        is_on: true,
    };
    Ok(Decision {
        changes: vec![signup, block],
        ..Decision::default()
    })
});

/// A data folder, and the hours since noon.
pub(super) struct Scene {
    folder: TempDir,
    hours: Arc<AtomicI64>,
}

impl Scene {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            hours: Arc::default(),
        }
    }

    pub(super) fn clock(&self) -> TimeSource {
        let hours = self.hours.clone();
        let noon: DateTime<Utc> = "2030-01-01T12:00:00Z".parse().unwrap();
        let uptime = hours.clone();
        let hour = |hours: &AtomicI64| TimeDelta::hours(hours.load(Ordering::Relaxed));
        TimeSource::new(
            move || noon + hour(&hours),
            move || hour(&uptime).to_std().unwrap(),
        )
    }

    pub(super) fn worker(&self) -> Worker {
        let address = address("pbmserv@host.example");
        let handler = Handler {
            settings: Settings {
                reach: Reach::default(),
                own: address.clone().into(),
                confirm: false,
                guesses: GuessLimits {
                    from_one: 5,
                    from_all: 50,
                    over_all: 20,
                },
                questions_a_day: 3,
                asks_a_day: 10,
                challenges_a_day: 30,
                challenges_for_others_a_day: 3,
                messages_a_day: 50,
                digest_hour: 8,
                has_pages: false,
                has_web_notices: true,
                company: CompanySettings::default(),
                computers: ComputerSettings {
                    players: Vec::new(),
                    without: Vec::new(),
                    rated: false,
                    hints_a_day: 10,
                },
                server_name: String::new(),
                directors: Vec::new(),
            },
            limits: Limits {
                mails_an_hour: 10_000,
                refusals_a_day: 10_000,
                answers_a_day: 10_000,
                strangers_answers_a_day: 10_000,
                strangers_mails_an_hour: 10_000,
            },
            letters: Letters::load(None, &address).unwrap().into(),
            key: Arc::new(Key::from_bytes([7; 32])),
            rng: RefCell::new(rand::make_rng()),
            steady_since: self.clock().now(),
            results: Vec::new(),
        };
        let folder = Folder::open(self.folder.path()).unwrap();
        let store = Store::open(folder.database()).unwrap();
        Worker::new(
            store,
            handler,
            folder,
            self.clock(),
            Arc::default(),
            Meters::off().unwrap(),
        )
        .unwrap()
    }

    fn failed(&self) -> std::path::PathBuf {
        self.folder.path().join("failed")
    }
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// A message of this number that asks for help, or has this command.
fn job(number: u8, command: Option<&'static Command>) -> Job {
    // A long answer, which needs several pages of the database.
    let mut line = COMMANDS.read_line("help commands").unwrap();
    if let Some(command) = command {
        line.command = command;
    }
    let envelope = Envelope {
        sender: Some(address("alice@home.example")),
        recipients: vec![address("pbmserv@host.example")],
    };
    let identity =
        outbox::Identity::new(address("pbmserv@host.example"), "", Key::from_bytes([1; 32])).unwrap();
    let bytes = format!("Subject: {number}\r\n\r\n").into_bytes().into();
    let arrived = Arrived {
        door: "smtp",
        client: None,
        envelope: &envelope,
        bytes: &bytes,
        mark: None,
    };
    let request = Request {
        identity: Some([number; 32]),
        digest: [number; 32],
        script: Script::Command(Box::new(line)),
        ..Request::read(arrived, &identity, &Witness::Nobody, &LetterWords::new(is_typed)).unwrap()
    };
    Job {
        request: Arc::new(request),
        proofs: Proofs::default(),
        is_rehearsal: false,
        wants_letters: false,
    }
}

/// Handles the jobs as one batch and returns their answers.
fn batch(worker: &mut Worker, jobs: Vec<Job>) -> Vec<Result<Handled, Unavailable>> {
    let mut tasks = Vec::new();
    let mut waiting = Vec::new();
    for job in jobs {
        let (reply, report) = oneshot::channel();
        tasks.push(Task::Message(Box::new(job), reply));
        waiting.push(report);
    }
    worker.batch(tasks);
    let answers = waiting.into_iter().map(|mut report| report.try_recv().unwrap());
    answers
        .map(|answer| answer.map(|report| report.handled))
        .collect()
}

/// The state of each message taken, oldest first.
fn states(worker: &Worker) -> Vec<String> {
    let mut rows = worker.store.received(None, 1000).unwrap();
    rows.reverse();
    rows.into_iter().map(|row| row.state).collect()
}

/// The kind of each letter written, oldest first.
fn letters(worker: &Worker) -> Vec<String> {
    let mut rows = worker.store.mails(None, 1000).unwrap();
    rows.reverse();
    rows.into_iter().map(|row| row.kind).collect()
}

#[test]
fn a_message_whose_handling_panics_is_set_aside_and_the_others_of_its_batch_are_done() {
    let scene = Scene::new();
    let mut worker = scene.worker();
    let answers = batch(
        &mut worker,
        vec![job(1, None), job(2, Some(&PANICS)), job(3, None)],
    );
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer, Ok(Handled::Recorded(_)))),
        "{answers:?}"
    );
    assert_eq!(states(&worker), ["done", "failed", "done"]);
    assert_eq!(letters(&worker), ["help", "apology", "help"]);
    let failed = &worker.store.received(None, 10).unwrap()[1];
    assert_eq!(failed.reason.as_deref(), Some("as a fault of ours would"));
    let kept = scene.failed().join("2.eml");
    let bytes = String::from_utf8(std::fs::read(&kept).unwrap()).unwrap();
    let lines: Vec<_> = bytes.split("\r\n").collect();
    let [sender, recipient, subject, "", ""] = lines[..] else {
        panic!("with its envelope: {bytes}")
    };
    assert!(
        sender.starts_with("Return-Path: <") && recipient.starts_with("X-Original-To: "),
        "{bytes}"
    );
    assert_eq!(subject, "Subject: 2");
    assert_eq!(
        std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        std::fs::metadata(scene.failed()).unwrap().permissions().mode() & 0o777,
        0o700
    );
    // The same message again is a duplicate.
    let answers = batch(&mut worker, vec![job(2, Some(&PANICS))]);
    assert!(matches!(answers[..], [Ok(Handled::Duplicate(2))]), "{answers:?}");
}

#[test]
fn a_statement_that_the_database_refuses_undoes_its_message_only() {
    let scene = Scene::new();
    let mut worker = scene.worker();
    let answers = batch(&mut worker, vec![job(1, None), job(2, Some(&HALF)), job(3, None)]);
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer, Ok(Handled::Recorded(_)))),
        "{answers:?}"
    );
    assert_eq!(states(&worker), ["done", "failed", "done"]);
    assert_eq!(
        worker.store.players().unwrap().len(),
        0,
        "half of the message was done"
    );
}

#[test]
fn a_message_that_cannot_be_set_aside_has_to_come_again_and_stops_nobody() {
    let scene = Scene::new();
    let mut worker = scene.worker();
    std::fs::write(scene.failed(), "a file where the folder should be").unwrap();
    let jobs = || vec![job(1, None), job(2, Some(&PANICS)), job(3, None)];
    let answers = batch(&mut worker, jobs());
    assert!(
        matches!(
            answers[..],
            [Ok(Handled::Recorded(_)), Err(_), Ok(Handled::Recorded(_))]
        ),
        "{answers:?}"
    );
    assert_eq!(states(&worker), ["done", "done"]);
    assert_eq!(letters(&worker), ["help", "help"]);
    std::fs::remove_file(scene.failed()).unwrap();
    let answers = batch(&mut worker, jobs());
    assert!(matches!(answers[1], Ok(Handled::Recorded(_))), "{answers:?}");
    assert_eq!(states(&worker), ["done", "done", "failed"]);
}

#[test]
fn a_full_disk_in_the_middle_of_a_batch_keeps_nothing_of_it() {
    let scene = Scene::new();
    let mut worker = scene.worker();
    batch(&mut worker, vec![job(1, None)]);
    worker.store.leave_room_for(20).unwrap();
    let jobs = || (2..200).map(|number| job(number, None)).collect::<Vec<_>>();
    let answers = batch(&mut worker, jobs());
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    assert_eq!(states(&worker), ["done"]);
    assert!(!worker.store.is_in_transaction());
    worker.store.leave_room_for(10_000).unwrap();
    let answers = batch(&mut worker, jobs());
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer, Ok(Handled::Recorded(_)))),
        "{answers:?}"
    );
    assert_eq!(states(&worker).len(), 199);
    assert_eq!(letters(&worker).len(), 199);
}

#[test]
fn a_full_disk_ends_the_transaction_by_itself_and_the_rollback_bears_it() {
    let scene = Scene::new();
    let worker = scene.worker();
    worker.store.leave_room_for(2).unwrap();
    worker.store.begin().unwrap();
    worker.store.begin_message().unwrap();
    let full = (0..100_000).find_map(|n: i32| worker.store.set_note(&"x".repeat(1000), &n.to_string()).err());
    assert!(full.is_none(), "one row is written again and again");
    let full = (0..100_000).find_map(|n: i32| worker.store.set_note(&format!("{n:01000}"), "").err());
    assert!(full.unwrap().ends_the_transaction());
    assert!(!worker.store.is_in_transaction());
    assert!(worker.store.undo_message().unwrap_err().ends_the_transaction());
    worker.store.rollback();
    worker.store.begin().unwrap();
    worker.store.commit().unwrap();
}

#[test]
fn work_that_panics_or_is_refused_undoes_itself_only() {
    let scene = Scene::new();
    let mut worker = scene.worker();
    let (reply, mut done) = oneshot::channel::<()>();
    let work = |work: fn(&Store)| -> Work {
        Box::new(move |_, store: &Store, _| {
            work(store);
            Ok(Box::new(|| ()))
        })
    };
    worker.batch(vec![
        Task::Work(work(|store| {
            store.set_note("undone", "1").unwrap();
            panic!("as a fault of ours would")
        })),
        Task::Work(Box::new(|_, store, _| {
            store.set_note("undone", "1")?;
            Err(store::Error::Corrupt("a row that cannot be".into()).into())
        })),
        Task::Work(Box::new(move |_, store, _| {
            store.set_note("done", "1")?;
            Ok(Box::new(move || reply.send(()).unwrap()))
        })),
    ]);
    done.try_recv().unwrap();
    assert_eq!(worker.store.note("undone").unwrap(), None);
    assert_eq!(worker.store.note("done").unwrap().as_deref(), Some("1"));
}

#[test]
fn a_message_that_ended_the_program_twice_is_set_aside_at_its_third_coming() {
    let scene = Scene::new();
    // Two processes noted the message as begun and then died.
    for _ in 0..2 {
        let worker = scene.worker();
        worker.store.add_begun(&[2; 32], scene.clock().now()).unwrap();
    }
    let mut worker = scene.worker();
    // Another message is not affected.
    batch(&mut worker, vec![job(1, None)]);
    assert_eq!(worker.store.begun(&[1; 32]).unwrap(), None);
    let answers = batch(&mut worker, vec![job(2, None)]);
    assert!(
        matches!(answers[..], [Ok(Handled::Recorded(Recorded { id: 2, .. }))]),
        "{answers:?}"
    );
    assert_eq!(states(&worker), ["done", "failed"]);
    assert_eq!(letters(&worker), ["help", "apology"]);
    assert!(scene.failed().join("2.eml").exists());
    assert_eq!(worker.store.begun(&[2; 32]).unwrap(), None);
}

#[test]
fn a_message_that_ended_the_program_once_is_tried_again() {
    let scene = Scene::new();
    let worker = scene.worker();
    worker.store.add_begun(&[1; 32], scene.clock().now()).unwrap();
    drop(worker);
    let mut worker = scene.worker();
    batch(&mut worker, vec![job(1, None)]);
    assert_eq!(states(&worker), ["done"]);
    assert_eq!(worker.store.begun(&[1; 32]).unwrap(), None);
}

#[test]
fn a_message_that_the_disk_had_no_room_for_has_not_ended_the_program() {
    let scene = Scene::new();
    drop(scene.worker());
    let mut worker = scene.worker();
    batch(&mut worker, (1..30).map(|number| job(number, None)).collect());
    worker.store.leave_room_for(0).unwrap();
    let answers: Vec<_> = (0..5)
        .flat_map(|_| batch(&mut worker, vec![job(99, None)]))
        .collect();
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    worker.store.leave_room_for(1000).unwrap();
    let answers = batch(&mut worker, vec![job(99, None)]);
    assert!(matches!(answers[..], [Ok(Handled::Recorded(_))]), "{answers:?}");
    assert!(states(&worker).iter().all(|state| state == "done"));
}

#[test]
fn a_message_that_the_disk_had_no_room_for_is_taken_after_clean_stops_too() {
    let scene = Scene::new();
    drop(scene.worker());
    for round in 0..3 {
        let mut worker = scene.worker();
        // The page of the outbox is full, so that another letter needs room.
        batch(&mut worker, vec![job(round, None)]);
        worker.store.leave_room_for(1).unwrap();
        let filled = (0..1000).find_map(|n: i32| worker.store.set_note(&format!("{n:0100}"), "").err());
        assert!(filled.is_some(), "there is room");
        // There is room for the note that it began, but not for its effects.
        worker.store.leave_room_for(0).unwrap();
        assert_eq!(worker.store.begun(&[99; 32]).unwrap(), None);
        let answers = batch(&mut worker, vec![job(99, None)]);
        assert!(answers.iter().all(Result::is_err), "{answers:?}");
        let is_noted = worker.store.begun(&[99; 32]).unwrap().is_some();
        assert!(is_noted, "it was not even begun");
        let (tasks, waiting) = mpsc::channel(1);
        drop(tasks);
        worker.run(waiting);
    }
    let mut worker = scene.worker();
    batch(&mut worker, vec![job(99, None)]);
    assert_eq!(states(&worker), ["done"; 4]);
}

#[test]
fn caution_outlasts_a_clean_stop_and_ends_after_a_day() {
    let scene = Scene::new();
    let is_noted = |worker: &Worker| worker.store.note("cautious_until").unwrap().is_some();
    let stop = |worker: Worker| {
        let (tasks, waiting) = mpsc::channel(1);
        drop(tasks);
        worker.run(waiting);
    };
    let first = scene.worker();
    assert!(!is_noted(&first));
    stop(first);
    let second = scene.worker();
    assert!(!is_noted(&second), "the first stop was clean");
    // This process dies without a clean stop. In each of the next two, the same message kills it.
    drop(second);
    scene
        .worker()
        .store
        .add_begun(&[1; 32], scene.clock().now())
        .unwrap();
    let between = scene.worker();
    between.store.add_begun(&[1; 32], scene.clock().now()).unwrap();
    stop(between);
    let mut after = scene.worker();
    batch(&mut after, vec![job(1, None)]);
    assert_eq!(states(&after), ["failed"]);
    stop(after);
    scene.hours.store(25, Ordering::Relaxed);
    let mut late = scene.worker();
    late.store.add_begun(&[2; 32], scene.clock().now()).unwrap();
    late.store.add_begun(&[2; 32], scene.clock().now()).unwrap();
    batch(&mut late, vec![job(2, None)]);
    assert_eq!(states(&late), ["failed", "done"]);
    stop(late);
    scene.hours.store(100, Ordering::Relaxed);
    assert_eq!(scene.worker().store.begun(&[2; 32]).unwrap(), None);
}

#[tokio::test]
async fn the_holder_of_an_engine_learns_that_its_thread_has_ended() {
    let (tasks, waiting) = mpsc::channel(1);
    let next = watch::Sender::new(None).subscribe();
    let engine = Engine {
        tasks,
        next,
        heartbeat: Arc::default(),
        is_shared: false,
        is_elsewhere: false,
    };
    drop(waiting);
    engine.ended().await;
    assert!(engine.handle(job(1, None)).await.is_err());
}
