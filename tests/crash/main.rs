//! The daemon is killed and stopped in the middle of traffic: what was answered 250 has had its effect exactly
//! once, and its letters are delivered.
//!
//! A kill shows what a process loses, not what a machine loses that goes dark: for that there is
//! `synchronous=FULL` and an fsync of every file and folder, which no test here can see.
//!
//! `PBMSERV_CRASH_ROUNDS=100 cargo test --test crash` kills more often; `TEST_SEED` repeats the choices of a
//! run, though not the moments at which the threads meet.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each file of tests uses its part")]
mod daemon;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use daemon::mailbox::{self, Mailbox};
use daemon::smtp::{self, Client, message};
use daemon::{Daemon, House, count, integrity, look, seed, until};
use pbmserv::games::{self, Match, Options, Seat};
use pbmserv::store::{BoardFilter, Reader};
use pbmserv::table::Position;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;

/// Players come in pairs, each pair in a thread of its own.
const PAIRS: usize = 5;

/// Boards that a pair plays at once.
const BOARDS: usize = 4;

/// What all pairs share.
struct Traffic {
    house: House,
    /// Where the daemon listens; 0 while there is none.
    port: AtomicU16,
    is_over: AtomicBool,
    /// Messages of each pair that were answered 250.
    accepted: [AtomicUsize; PAIRS],
    /// Messages that were sent to their final dot, by all.
    ended: AtomicUsize,
    /// The Message-IDs of all those.
    answered: Mutex<Vec<String>>,
    /// Whether some replies are not waited for.
    is_lossy: bool,
}

/// What a pair knows of a board: its turns as they were answered 250.
struct Table {
    number: u32,
    position: Box<dyn Match>,
    turns: Vec<String>,
}

/// What a pair has done, for the comparison at the end.
#[derive(Default)]
struct Diary {
    challenges: usize,
    chats: Vec<String>,
    tables: HashMap<u32, Vec<String>>,
    resent: usize,
}

struct Pair<'a> {
    traffic: &'a Traffic,
    index: usize,
    rng: StdRng,
    session: Option<Client>,
    mailbox: Mailbox,
    sent: usize,
    diary: Diary,
}

impl Pair<'_> {
    fn userid(&self, seat: Seat) -> String {
        format!("{}{}", ["light", "dark"][seat.index()], self.index)
    }

    fn address(&self, seat: Seat) -> String {
        format!("{}@home.example", self.userid(seat))
    }

    /// Plays until the traffic is over; every message is repeated until it is answered 250.
    fn play(mut self) -> Diary {
        for seat in Seat::BOTH {
            self.send(seat, &format!("signup {} secret1", self.userid(seat)), "");
        }
        let mut asked = Vec::new();
        let mut tables: Vec<Table> = Vec::new();
        while !self.traffic.is_over.load(Ordering::SeqCst) {
            for mail in self.mailbox.fetch() {
                if asked.contains(&mail.in_reply_to) {
                    asked.retain(|id| *id != mail.in_reply_to);
                    tables.push(begun(&mail.subject));
                }
            }
            if tables.len() + asked.len() < BOARDS {
                let line = format!(
                    "Pow2 challenge {} {}",
                    self.userid(Seat::First),
                    self.userid(Seat::Second)
                );
                asked.push(self.send(Seat::First, &line, ""));
                self.diary.challenges += 1;
            } else if tables.is_empty() {
                // The first letters are on their way.
                thread::sleep(Duration::from_millis(2));
            } else {
                let at = self.rng.random_range(0..tables.len());
                if self.rng.random_ratio(1, 3) {
                    self.chat(tables[at].number);
                } else if !self.turn(&mut tables[at]) {
                    self.close(tables.swap_remove(at));
                }
            }
        }
        // Those whose letters have not come yet are counted, and have no turns.
        for table in tables {
            self.close(table);
        }
        self.diary
    }

    fn close(&mut self, table: Table) {
        self.diary.tables.insert(table.number, table.turns);
    }

    fn chat(&mut self, board: u32) {
        let seat = Seat::BOTH[self.rng.random_range(0..2)];
        let words = format!("words-{}-{}-of-these-two", self.index, self.sent);
        self.send(
            seat,
            &format!("Pow2 chat {board} {} secret1", self.userid(seat)),
            &words,
        );
        self.diary.chats.push(words);
    }

    /// One turn; false when the game is over.
    fn turn(&mut self, table: &mut Table) -> bool {
        let Some(seat) = table.position.to_move() else {
            return false;
        };
        let turn = table.position.random_turn(&mut self.rng).unwrap();
        let line = format!("Pow2 move {} {} secret1 {turn}", table.number, self.userid(seat));
        self.send(seat, &line, "");
        table.position.play(&turn).unwrap();
        table.turns.push(turn);
        true
    }

    /// Sends one message, the same bytes again and again, until it is answered 250; gives its Message-ID.
    fn send(&mut self, seat: Seat, subject: &str, text: &str) -> String {
        let address = self.address(seat);
        let id = format!("{}-{}@home.example", self.index, self.sent);
        self.sent += 1;
        let bytes = message(&address, &id, subject, text);
        let start = Instant::now();
        let mut tries = 0;
        loop {
            assert!(
                start.elapsed() < 4 * daemon::PATIENCE,
                "{subject} was never answered"
            );
            let port = self.traffic.port.load(Ordering::SeqCst);
            if port == 0 {
                assert!(
                    !self.traffic.is_over.load(Ordering::SeqCst),
                    "no daemon comes again"
                );
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            tries += 1;
            match self.attempt(port, &address, &bytes) {
                Ok(reply) if reply.starts_with("250") => break,
                Ok(reply) => {
                    assert!(reply.starts_with('4'), "{subject}: {reply}");
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) => {
                    assert!(!error.to_string().starts_with('5'), "{subject}: {error}");
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
        self.diary.resent += tries - 1;
        self.traffic.answered.lock().unwrap().push(id.clone());
        id
    }

    fn attempt(&mut self, port: u16, address: &str, bytes: &[u8]) -> std::io::Result<String> {
        let mut client = match self.session.take() {
            Some(client) => client,
            None => Client::connect(port)?,
        };
        if self.traffic.is_lossy && self.rng.random_ratio(1, 8) {
            client.send_and_go(address, bytes)?;
            thread::sleep(Duration::from_millis(self.rng.random_range(0..4)));
            return Ok("400 the reply was not heard".into());
        }
        client.begin(address)?;
        client.write(&smtp::stuffed(bytes))?;
        self.traffic.ended.fetch_add(1, Ordering::SeqCst);
        let reply = client.reply()?;
        if reply.starts_with("250") {
            self.traffic.accepted[self.index].fetch_add(1, Ordering::SeqCst);
        }
        self.session = Some(client);
        Ok(reply)
    }
}

/// The board that a letter with this subject is about, before its first turn.
fn begun(subject: &str) -> Table {
    let game = games::find("Pow2").unwrap();
    Table {
        number: subject.split(' ').nth(2).unwrap().parse().unwrap(),
        position: game.start(&Options::none(game.facts)).unwrap(),
        turns: Vec::new(),
    }
}

impl Traffic {
    fn new(house: House, port: u16, is_lossy: bool) -> Self {
        Self {
            house,
            port: AtomicU16::new(port),
            is_over: AtomicBool::new(false),
            accepted: Default::default(),
            ended: AtomicUsize::new(0),
            answered: Mutex::default(),
            is_lossy,
        }
    }

    fn pair(&self, index: usize, seed: u64) -> Pair<'_> {
        let address = format!("light{index}@home.example");
        Pair {
            traffic: self,
            index,
            rng: StdRng::seed_from_u64(seed.wrapping_add(index as u64)),
            session: None,
            mailbox: Mailbox::new(&self.house.data.join("mail"), &address),
            sent: 0,
            diary: Diary::default(),
        }
    }

    /// Waits until each pair has had some more messages answered: so none is hit twice in a row.
    fn progress(&self, messages: usize) {
        let counts = || {
            self.accepted
                .iter()
                .map(|count| count.load(Ordering::SeqCst))
                .collect::<Vec<_>>()
        };
        let before = counts();
        until("the traffic goes on", || {
            let is_on = before
                .iter()
                .zip(counts())
                .all(|(before, now)| now >= before + messages);
            is_on.then_some(())
        });
    }

    /// Waits for a moment at which a kill may hurt: any; right after somebody has heard 250, when the commit must
    /// be over; soon after somebody has sent a message, when it is under way.
    fn moment(&self, rng: &mut StdRng) {
        let accepted = || {
            self.accepted
                .iter()
                .map(|count| count.load(Ordering::SeqCst))
                .sum()
        };
        let ended = || self.ended.load(Ordering::SeqCst);
        match rng.random_range(0..3) {
            0 => thread::sleep(Duration::from_micros(rng.random_range(0..100_000))),
            1 => next(accepted),
            _ => {
                next(ended);
                spin(Duration::from_micros(rng.random_range(0..3000)));
            }
        }
    }

    /// Lets `PAIRS` threads play while `trouble` goes on; gives what they remember.
    fn run(&self, seed: u64, trouble: impl FnOnce()) -> Vec<Diary> {
        thread::scope(|scope| {
            let pairs: Vec<_> = (0..PAIRS)
                .map(|index| scope.spawn(move || self.pair(index, seed).play()))
                .collect();
            // Also when the trouble fails: or the threads would never end.
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(trouble));
            self.is_over.store(true, Ordering::SeqCst);
            let diaries: Vec<_> = pairs.into_iter().map(thread::ScopedJoinHandle::join).collect();
            caught.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            diaries.into_iter().map(Result::unwrap).collect()
        })
    }
}

/// Waits until the number grows. A sleep would be longer than what is waited for.
fn next(count: impl Fn() -> usize) {
    let (before, start) = (count(), Instant::now());
    while count() == before && start.elapsed() < daemon::PATIENCE {
        std::hint::spin_loop();
    }
}

fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// What must hold of a database at any moment: every message whole, and those that were answered there.
fn check_whole(conn: &Connection, answered: &[String]) {
    assert_eq!(integrity(conn), "ok");
    let of = |verb: &str| {
        count(
            conn,
            &format!("SELECT COUNT(*) FROM inbox WHERE commands LIKE '{verb} %'"),
        )
    };
    assert_eq!(
        count(conn, "SELECT COUNT(*) FROM inbox WHERE state <> 'done'"),
        0,
        "a good message was not done"
    );
    assert_eq!(count(conn, "SELECT COUNT(*) FROM players"), of("signup"));
    assert_eq!(count(conn, "SELECT COUNT(*) FROM boards"), of("Pow2 challenge"));
    assert_eq!(count(conn, "SELECT COUNT(*) FROM turns"), of("Pow2 move"));
    assert_eq!(
        count(conn, "SELECT COALESCE(SUM(turns), 0) FROM boards"),
        of("Pow2 move")
    );
    let letters = of("signup") + 2 * (of("Pow2 challenge") + of("Pow2 move") + of("Pow2 chat"));
    assert_eq!(count(conn, "SELECT COUNT(*) FROM outbox"), letters);
    assert_eq!(
        count(
            conn,
            "SELECT COUNT(*) FROM inbox i WHERE (SELECT COUNT(*) FROM outbox WHERE inbox = i.id) \
             <> CASE WHEN i.commands LIKE 'signup %' THEN 1 ELSE 2 END",
        ),
        0,
        "a message has not the letters that belong to it"
    );
    let mut statement = conn.prepare("SELECT message_id FROM inbox").unwrap();
    let taken: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let known: HashSet<_> = taken.iter().collect();
    assert_eq!(taken.len(), known.len(), "a message was taken twice");
    for id in answered {
        assert!(known.contains(id), "{id} was answered 250 and is lost");
    }
}

/// Looks at a copy of what a killed daemon left: the next one must find it untouched.
fn check_remains(house: &House, answered: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pbmserv.sqlite", "pbmserv.sqlite-wal"] {
        if house.data.join(name).exists() {
            std::fs::copy(house.data.join(name), folder.path().join(name)).unwrap();
        }
    }
    let conn = Connection::open(folder.path().join("pbmserv.sqlite")).unwrap();
    check_whole(&conn, answered);
}

/// Compares what the pairs remember with what is in the database and in their mailboxes.
fn check_all(house: &House, diaries: &[Diary], answered: &[String]) {
    let conn = house.look();
    check_whole(&conn, answered);
    let taken = count(&conn, "SELECT COUNT(*) FROM inbox");
    assert_eq!(
        taken,
        i64::try_from(answered.len()).unwrap(),
        "all were answered in the end"
    );
    let reader = Reader::open(&house.database()).unwrap();
    let filter = BoardFilter {
        limit: 1_000_000,
        ..BoardFilter::default()
    };
    let mut tables: HashMap<_, _> = diaries.iter().flat_map(|diary| &diary.tables).collect();
    let boards = reader.boards(filter).unwrap();
    assert_eq!(
        boards.len(),
        diaries.iter().map(|diary| diary.challenges).sum::<usize>()
    );
    for board in boards {
        let position = Position::replay(&board, reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        let turns: Vec<_> = position.turns.iter().map(|turn| turn.text.clone()).collect();
        let played = tables
            .remove(&board.number)
            .map_or(&[] as &[String], Vec::as_slice);
        assert_eq!(turns, played, "{}", board.name());
    }
    assert!(tables.is_empty(), "boards are lost: {:?}", tables.keys());
    for words in diaries.iter().flat_map(|diary| &diary.chats) {
        let sql = format!("SELECT COUNT(*) FROM outbox WHERE instr(body, '{words}') > 0");
        assert_eq!(count(&conn, &sql), 2, "{words}");
    }
    check_mailboxes(&conn, &house.data.join("mail"), diaries);
}

fn check_mailboxes(conn: &Connection, mail: &Path, diaries: &[Diary]) {
    assert_eq!(
        count(conn, "SELECT COUNT(*) FROM outbox WHERE state <> 'sent'"),
        0
    );
    let mut statement = conn.prepare("SELECT message_id, body FROM outbox").unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let written: HashMap<String, String> = rows.map(Result::unwrap).collect();
    let delivered = mailbox::all(mail);
    let mut copies: HashMap<&str, usize> = HashMap::new();
    for mail in &delivered {
        assert!(
            written.contains_key(&mail.message_id),
            "{} was never written",
            mail.message_id
        );
        *copies.entry(&mail.message_id).or_default() += 1;
    }
    assert_eq!(copies.len(), written.len(), "letters are lost");
    let repeated = delivered.len() - copies.len();
    eprintln!(
        "{} letters, {repeated} of them twice; {} messages repeated",
        written.len(),
        diaries.iter().map(|diary| diary.resent).sum::<usize>()
    );
}

#[test]
fn a_killed_daemon_has_done_what_it_answered_exactly_once() {
    let rounds = std::env::var("PBMSERV_CRASH_ROUNDS").map_or(3, |rounds| rounds.parse().unwrap());
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    let mut daemon = Some(house.serve());
    let traffic = Traffic::new(house.clone(), daemon.as_ref().unwrap().port, true);
    let diaries = traffic.run(seed, || {
        for round in 1..=rounds {
            traffic.progress(6);
            traffic.moment(&mut rng);
            daemon.take().unwrap().kill();
            traffic.port.store(0, Ordering::SeqCst);
            // What the dead one has said may still be on its way.
            thread::sleep(Duration::from_millis(20));
            let answered = traffic.answered.lock().unwrap().clone();
            eprintln!("kill {round}: {} messages were answered", answered.len());
            check_remains(&house, &answered);
            let next = house.serve();
            assert!(
                next.log().contains("the last stop was not clean"),
                "{}",
                next.log()
            );
            traffic.port.store(next.port, Ordering::SeqCst);
            daemon = Some(next);
        }
        traffic.progress(4);
    });
    house.wait_for_delivery();
    daemon.unwrap().stop_well();
    check_all(&house, &diaries, &traffic.answered.lock().unwrap());
}

#[test]
fn a_daemon_that_is_told_to_stop_loses_nothing_and_says_so() {
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    let mut daemon = Some(house.serve());
    let traffic = Traffic::new(house.clone(), daemon.as_ref().unwrap().port, false);
    let diaries = traffic.run(seed, || {
        for _ in 0..3 {
            traffic.progress(4);
            traffic.moment(&mut rng);
            let start = Instant::now();
            daemon.take().unwrap().stop_well();
            traffic.port.store(0, Ordering::SeqCst);
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
            thread::sleep(Duration::from_millis(20));
            let conn = house.look();
            check_whole(&conn, &traffic.answered.lock().unwrap());
            let sql = "SELECT CAST(value AS INTEGER) FROM notes WHERE name = 'running'";
            assert_eq!(count(&conn, sql), 0);
            let next = house.serve();
            assert!(
                !next.log().contains("the last stop was not clean"),
                "{}",
                next.log()
            );
            traffic.port.store(next.port, Ordering::SeqCst);
            daemon = Some(next);
        }
        traffic.progress(4);
    });
    house.wait_for_delivery();
    daemon.unwrap().stop_well();
    check_all(&house, &diaries, &traffic.answered.lock().unwrap());
}

#[test]
fn a_message_whose_250_was_not_heard_has_no_second_effect() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    let daemon = house.serve();
    for (from, userid) in [("a@home.example", "alice"), ("b@home.example", "bob")] {
        smtp::send(daemon.port, from, userid, &format!("signup {userid} secret1"), "");
    }
    let taken = |daemon: &Daemon| {
        let _ = daemon;
        count(&house.look(), "SELECT COUNT(*) FROM inbox")
    };
    let from = "a@home.example";
    let bytes = message(from, "c@home.example", "Pow2 challenge alice bob", "Once only!");
    let client = Client::connect(daemon.port).unwrap();
    client.send_and_go(from, &bytes).unwrap();
    until("the message is taken", || (taken(&daemon) == 3).then_some(()));
    let mut again = Client::connect(daemon.port).unwrap();
    let reply = again.send(from, &bytes).unwrap();
    assert_eq!(reply, "250 2.0.0 Accepted, number 3");
    house.wait_for_delivery();
    daemon.stop_well();
    let conn = look(&house.database());
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM inbox"), 3);
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM boards"), 1);
    let letters = mailbox::all(&house.data.join("mail"));
    let begun = letters.iter().filter(|mail| mail.text.contains("Once only!"));
    assert_eq!(begun.count(), 2, "one for each player");
}
