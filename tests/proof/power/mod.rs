//! Power failures: the disk then has the synced writes, and some of the others at random. What had been accepted
//! is there completely, exactly once; anything else is there completely or not at all.
//!
//! The real server, without its doors, plays the mails of several players over a VFS that records what SQLite does
//! to its files. From that the test computes what a disk may hold after a cut at any moment. SQLite's own VFS
//! opens it, and the checker of `tests/proof/book/` checks it. The next server starts from the last cut, so that
//! starts and recoveries are cut too.
//!
//! `PBMSERV_POWER_CUTS=2000 cargo test --test proof power::` cuts more often; `TEST_SEED` repeats a run.

mod disk;
mod tampered;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::Instant;

use crate::book::checker::{Found, Remains};
use crate::book::pair::Pair;
use crate::book::{Delivered, Entry, Fate, Mail, digest};
use crate::stage::{SERVER, Stage};
use chrono::{TimeDelta, TimeZone, Utc};
use disk::{Done, Files, Manner, Syncs, after_a_cut};
use filelayer::Event;
use pbmserv::engine::server::Server;
use pbmserv_core::store::Store;
use pbmserv_games::Seat;
use pbmserv_mail::doors::Message;
use pbmserv_mail::outbox::Queue;
use pbmserv_mail::{Address, Envelope};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

const DATABASE: &str = "pbmserv.sqlite";

/// Pairs of players, whose mails arrive at the same time.
const PAIRS: usize = 6;

/// The recorded changes of the files of each folder.
static LOGS: Mutex<Option<HashMap<PathBuf, Vec<Done>>>> = Mutex::new(None);

/// Starts recording for a folder.
fn watch(folder: &Path) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| filelayer::install(tell));
    LOGS.lock()
        .unwrap()
        .get_or_insert_default()
        .insert(folder.to_owned(), Vec::new());
}

fn tell(path: &Path, event: Event) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    if let Some(log) = LOGS
        .lock()
        .unwrap()
        .as_mut()
        .and_then(|logs| logs.get_mut(path.parent()?))
    {
        log.push((name, event));
    }
}

/// A folder in memory if possible: the test knows which syncs count, and real syncs would only cost time.
fn scratch() -> TempDir {
    TempDir::new_in("/dev/shm").unwrap_or_else(|_| TempDir::new().unwrap())
}

/// The number of changes so far.
fn position(folder: &Path) -> usize {
    LOGS.lock().unwrap().as_ref().unwrap()[folder].len()
}

/// A mail of a run.
struct Sent {
    mail: Arc<Mail>,
    /// The number of changes when its sender got the reply.
    accepted: usize,
}

/// One server from its start to its stop, and what was before it.
#[derive(Default)]
struct Run {
    before: Files,
    events: Vec<Done>,
    /// The server's key.
    key: Vec<u8>,
    sent: Vec<Sent>,
    delivered: Vec<(usize, Delivered)>,
    /// The last reading of letters: the players' knowledge is older.
    read: usize,
}

impl Run {
    /// The mails, replies and letters up to this moment.
    fn at(&self, cut: usize) -> (Vec<Entry>, Vec<Delivered>) {
        let book = self.sent.iter().map(|sent| Entry {
            mail: sent.mail.clone(),
            fate: if sent.accepted <= cut {
                Fate::Accepted
            } else {
                Fate::Open
            },
        });
        let delivered = self.delivered.iter().filter(|(at, _)| *at <= cut);
        (
            book.collect(),
            delivered.map(|(_, delivered)| delivered.clone()).collect(),
        )
    }
}

/// Submits mails, all at the same time; returns the number of changes at the reply of each.
async fn hand_in(stage: &Stage, mails: &[Arc<Mail>]) -> Vec<Sent> {
    let mut tasks = Vec::new();
    for mail in mails {
        let message = Message {
            envelope: Envelope {
                sender: Some(Address::parse(&mail.from).unwrap()),
                recipients: vec![Address::parse(SERVER).unwrap()],
            },
            bytes: mail.bytes(SERVER).into(),
            client: None,
            mark: None,
        };
        let request = stage.server.read("smtp", &message).unwrap();
        let (server, folder, mail) = (stage.server.clone(), stage.data().to_owned(), mail.clone());
        tasks.push(tokio::spawn(async move {
            server.handle(request, false, false).await.unwrap();
            let accepted = position(&folder);
            Sent { mail, accepted }
        }));
    }
    let mut sent = Vec::new();
    for task in tasks {
        sent.push(task.await.unwrap());
    }
    sent
}

/// Delivers the outbox; the pairs read their letters.
async fn deliver(stage: &Stage, pairs: &mut [Pair], run: &mut Run) {
    loop {
        let letters = stage.server.rows.due(stage.server.now(), 100_000).await.unwrap();
        if letters.is_empty() {
            return;
        }
        let written = letters
            .into_iter()
            .map(|letter| stage.server.rows.written(letter));
        let letters: Vec<_> = written.collect();
        // Delivered before it is recorded as delivered.
        run.read = position(stage.data());
        for letter in &letters {
            let to = letter.to.key();
            let in_reply_to = letter.in_reply_to.clone().unwrap_or_default();
            for pair in pairs.iter_mut() {
                if to == pair.address(Seat::First) {
                    pair.letter(&in_reply_to, &letter.subject);
                }
            }
            let delivered = Delivered {
                message_id: letter.message_id.clone(),
                in_reply_to,
                to,
                subject: letter.subject.clone(),
                digest: digest(letter.text.as_bytes()),
            };
            run.delivered.push((run.read, delivered));
        }
        stage.settle(&letters).await;
    }
}

/// A server plays from these files on: first the earlier mails that are missing in them, then `steps` mails of
/// each of some pairs.
async fn play(last: Run, files: Files, seed: u64, pairs: &mut [Pair], rng: &mut StdRng, steps: usize) -> Run {
    let there = taken(&files);
    let data = scratch();
    disk::put(&files, data.path());
    // It is no file of SQLite, and `running/synced` shows that it is on the disk before anything needs it.
    let key = data.path().join("key");
    if files.get(DATABASE).is_some_and(|bytes| !bytes.is_empty()) {
        std::fs::write(&key, &last.key).unwrap();
    }
    let mut run = Run {
        before: files,
        delivered: last
            .delivered
            .into_iter()
            .map(|(_, letter)| (0, letter))
            .collect(),
        ..Run::default()
    };
    watch(data.path());
    let folder = data.path().to_owned();
    let day = Utc.with_ymd_and_hms(2026, 11, 20, 8, 0, 0).unwrap();
    let now = day + TimeDelta::hours(i64::try_from(seed % 100).unwrap());
    // The files of the disk after a cut are other files here.
    let open = match run.before.is_empty() {
        true => Server::open,
        false => Server::open_even_a_copy,
    };
    let stage = Stage::open_by(open, data, now, seed, |config| {
        config.accounts.confirm = false;
        for limit in [
            &mut config.limits.mails_an_hour,
            &mut config.limits.refusals_a_day,
            &mut config.limits.answers_a_day,
            &mut config.limits.strangers_mails_an_hour,
            &mut config.limits.challenges_a_day,
            &mut config.limits.messages_a_day,
        ] {
            *limit = 1_000_000;
        }
    });
    for Sent { mail, .. } in last.sent {
        if there.contains(&mail.id) {
            run.sent.push(Sent { mail, accepted: 0 });
        } else {
            run.sent.extend(hand_in(&stage, &[mail]).await);
        }
    }
    for step in 0..steps {
        stage.pass(TimeDelta::seconds(1));
        let at_once = rng.random_range(1..=PAIRS);
        let mails: Vec<_> = pairs[..at_once]
            .iter_mut()
            .map(|pair| Arc::new(pair.next()))
            .collect();
        run.sent.extend(hand_in(&stage, &mails).await);
        let rest = pairs.len() - at_once;
        pairs.rotate_right(rest % PAIRS);
        if rng.random_ratio(1, 4) && step + 4 < steps {
            deliver(&stage, pairs, &mut run).await;
        }
    }
    run.key = std::fs::read(&key).unwrap();
    stage.close().await;
    run.events = LOGS.lock().unwrap().as_mut().unwrap().remove(&folder).unwrap();
    run
}

/// The Message-IDs of the mails in a database; none if there is no database yet. Reads a copy, since opening the
/// files changes them.
fn taken(files: &Files) -> HashSet<String> {
    let folder = scratch();
    disk::put(files, folder.path());
    let Some(conn) = open(folder.path()) else {
        return HashSet::new();
    };
    let mut statement = conn.prepare("SELECT message_id FROM inbox").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Opens the files through SQLite's own VFS; `None` if there are no tables yet.
fn open(folder: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let conn = Connection::open_with_flags_and_vfs(folder.join(DATABASE), flags, c"unix").ok()?;
    let tables = "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'audit'";
    let is_there: bool = conn.query_row(tables, [], |row| row.get(0)).unwrap_or(false);
    is_there.then_some(conn)
}

/// A moment for a cut: any, or near a sync, before its commit is confirmed.
fn moment(run: &Run, rng: &mut StdRng) -> usize {
    let any = rng.random_range(0..=run.events.len());
    if rng.random() {
        return any;
    }
    let sync = run.events[any..]
        .iter()
        .position(|(_, event)| matches!(event, Event::Synced(_)));
    let after = any + sync.unwrap_or_default() + rng.random_range(0..=1);
    after.min(run.events.len())
}

/// Figures of the cuts of a run.
#[derive(Default)]
struct Tally {
    cuts: usize,
    /// Cuts at which a mail was committed and its sender had no reply.
    unheard: usize,
    /// Cuts with unsynced writes.
    unsynced: usize,
}

impl Tally {
    fn add(&mut self, run: &Run, at: usize, found: Found) {
        self.cuts += 1;
        self.unheard += usize::from(found.unheard > 0);
        let is_synced = matches!(run.events[..at].last(), None | Some((_, Event::Synced(_))));
        self.unsynced += usize::from(!is_synced);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            cuts,
            unheard,
            unsynced,
        } = self;
        write!(
            f,
            "{cuts} cuts, {unsynced} between a write and its sync, {unheard} between a commit and its answer"
        )
    }
}

/// Cuts the power at this moment and checks the result: returns the figures, the faults and the files.
fn cut(run: &Run, at: usize, syncs: Syncs, manner: Manner, rng: &mut StdRng) -> (Found, Vec<String>, Files) {
    let files = after_a_cut(&run.before, &run.events[..at], syncs, manner, rng);
    let folder = scratch();
    disk::put(&files, folder.path());
    let (book, delivered) = run.at(at);
    let mut faults = Vec::new();
    let mut found = Found::default();
    match open(folder.path()) {
        Some(conn) => {
            let remains = Remains {
                conn: &conn,
                book: &book,
                delivered: Some(&delivered),
                server: SERVER,
                is_quiet: false,
            };
            (found, faults) = remains.judge();
        }
        None => {
            if book.iter().any(|entry| entry.fate == Fate::Accepted) {
                faults.push("mails were accepted, and there is no database".to_owned());
            }
        }
    }
    // The server can start from it.
    if let Err(error) = Store::open(folder.path().join(DATABASE)) {
        faults.push(format!("the next server does not start: {error}"));
    }
    (found, faults, files)
}

fn cuts() -> usize {
    std::env::var("PBMSERV_POWER_CUTS").map_or(150, |cuts| cuts.parse().unwrap())
}

fn seed() -> u64 {
    let seed = std::env::var("TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    eprintln!("TEST_SEED={seed}");
    seed
}

fn pairs(seed: u64) -> Vec<Pair> {
    (0..PAIRS).map(|index| Pair::new(index, seed)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_survives_every_power_cut() {
    const SERVERS: usize = 6;
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut pairs = pairs(seed);
    let (mut run, mut files) = (Run::default(), Files::new());
    for server in 1..=SERVERS {
        let start = Instant::now();
        run = play(run, files, server as u64, &mut pairs, &mut rng, 40).await;
        let mut tally = Tally::default();
        let mut judged = |at: usize, manner: Manner, rng: &mut StdRng| {
            let (found, faults, files) = cut(&run, at, Syncs::All, manner, rng);
            assert!(
                faults.is_empty(),
                "server {server}, cut {at}, {manner:?}:\n{}",
                faults.join("\n")
            );
            tally.add(&run, at, found);
            files
        };
        for number in 0..cuts() / SERVERS {
            let at = moment(&run, &mut rng);
            judged(at, Manner::ALL[number % Manner::ALL.len()], &mut rng);
        }
        // The players' knowledge of boards is older than the cut that the next server starts from.
        let at = rng.random_range(run.read..=run.events.len());
        let manner = Manner::ALL[rng.random_range(0..Manner::ALL.len())];
        files = judged(at, manner, &mut rng);
        eprintln!(
            "server {server}: {} mails, {} writes and syncs; {tally}; {} s",
            run.sent.len(),
            run.events.len(),
            start.elapsed().as_secs()
        );
    }
}

/// Proves that the test can find losses: a VFS whose syncs do nothing loses accepted mails, and one that syncs the
/// WAL only when the database is written, as with `synchronous=NORMAL`, loses the last ones.
#[tokio::test(flavor = "multi_thread")]
async fn syncs_that_are_left_out_are_found_out() {
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut pairs = pairs(seed);
    let run = play(Run::default(), Files::new(), 1, &mut pairs, &mut rng, 40).await;
    for syncs in [Syncs::All, Syncs::BeforeCheckpoints, Syncs::None] {
        const CUTS: usize = 24;
        let mut lost = 0;
        for _ in 0..CUTS {
            // Late enough that there is something to lose.
            let at = rng.random_range(run.events.len() / 4..run.read);
            let (_, faults, _) = cut(&run, at, syncs, Manner::Lost, &mut rng);
            let is_loss = faults
                .iter()
                .any(|fault| fault.ends_with("is lost") || fault.ends_with("no database"));
            lost += usize::from(is_loss);
        }
        eprintln!("{syncs:?}: {lost} of {CUTS} cuts lose what was answered");
        match syncs {
            Syncs::All => assert_eq!(lost, 0),
            // Right after a checkpoint nothing is missing.
            Syncs::BeforeCheckpoints => assert!(lost > CUTS / 2, "{lost} of {CUTS}"),
            Syncs::None => assert_eq!(lost, CUTS),
        }
    }
}
