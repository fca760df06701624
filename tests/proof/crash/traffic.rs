//! The players: each pair in a thread, each mail repeated until it is accepted.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::relay::Relay;
use crate::book::pair::Pair;
use crate::book::{Entry, Fate, Mail, Table};
use crate::daemon::mailbox::{Mailbox, files};
use crate::daemon::smtp::{Client, stuffed};
use crate::daemon::{PATIENCE, SERVER};
use pbmserv_core::store::{Location, Reader};
use pbmserv_games::Seat;

/// Pairs of players, one thread each.
pub(crate) const PAIRS: usize = 8;

/// Where the players' letters are delivered.
pub(crate) enum Letters {
    /// To a relay.
    Relay(Relay),
    /// Into Maildirs in this folder.
    Maildirs(PathBuf),
}

/// State shared by all pairs.
pub(crate) struct Traffic {
    pub(crate) letters: Letters,
    /// The Maildir for some of the mails.
    door: PathBuf,
    /// The database of the server, in which a player looks whether a computer has answered.
    pub(crate) database: Location,
    /// The port of the daemon; 0 while it is down.
    pub(crate) port: AtomicU16,
    is_over: AtomicBool,
    book: Mutex<Vec<Entry>>,
    /// The index of each mail in the book.
    places: Mutex<HashMap<String, usize>>,
    /// Accepted mails of each pair.
    accepted: [AtomicUsize; PAIRS],
    /// Pairs that have sent a mail with its final dot and have no reply yet.
    pub(crate) waiting: [AtomicBool; PAIRS],
    /// Mails sent with their final dot, by all.
    ended: AtomicUsize,
    /// Mails delivered into the Maildir, by file name.
    pub(crate) dropped: Mutex<HashSet<String>>,
    /// Repetitions of mails that had been sent with their final dot.
    pub(crate) repeated: AtomicUsize,
    /// What each pair does: the mail it sends, and what came of its last attempt.
    doing: [Mutex<(String, String)>; PAIRS],
}

impl Traffic {
    pub(crate) fn new(letters: Letters, door: &Path, database: Location) -> Self {
        for part in ["new", "cur", "tmp"] {
            std::fs::create_dir_all(door.join(part)).unwrap();
        }
        Self {
            letters,
            door: door.to_owned(),
            database,
            port: AtomicU16::new(0),
            is_over: AtomicBool::new(false),
            book: Mutex::default(),
            places: Mutex::default(),
            accepted: Default::default(),
            waiting: Default::default(),
            ended: AtomicUsize::new(0),
            dropped: Mutex::default(),
            repeated: AtomicUsize::new(0),
            doing: Default::default(),
        }
    }

    /// All mails so far, with the replies.
    pub(crate) fn book(&self) -> Vec<Entry> {
        self.book.lock().unwrap().clone()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.accepted
            .iter()
            .map(|count| count.load(Ordering::SeqCst))
            .sum()
    }

    /// The mails that are no longer in `new` or `cur` of the Maildir.
    pub(crate) fn vanished(&self) -> Vec<String> {
        let dropped = self.dropped.lock().unwrap().clone();
        let there: HashSet<_> = ["new", "cur", ".Done/new", ".Done/cur"]
            .iter()
            .flat_map(|part| files(&self.door.join(part)))
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                name.split(":2,").next().unwrap().to_owned()
            })
            .collect();
        dropped.difference(&there).cloned().collect()
    }

    /// Where in the Maildir a mail is.
    fn places_of(&self, name: &str) -> Vec<PathBuf> {
        ["", ".Done", ".Refused"]
            .iter()
            .flat_map(|shelf| ["new", "cur", "tmp"].map(|part| self.door.join(shelf).join(part)))
            .flat_map(|folder| files(&folder))
            .filter(|path| path.to_string_lossy().contains(name))
            .collect()
    }

    /// Waits until each pair has had some more mails accepted, so that the kills hit different mails.
    pub(crate) fn progress(&self, mails: usize) {
        let counts = || self.accepted.each_ref().map(|count| count.load(Ordering::SeqCst));
        let (before, start) = (counts(), Instant::now());
        let goes_on = |(before, now): (&usize, usize)| now >= before + mails;
        while !before.iter().zip(counts()).all(goes_on) {
            let (now, doing) = (counts(), &self.doing);
            assert!(
                start.elapsed() < PATIENCE,
                "a pair does not go on: {before:?} mails were accepted, now {now:?}, {doing:#?}"
            );
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for a critical moment for a kill, and returns which: any; right after a reply 250, when the commit
    /// must be complete; soon after a mail was sent, while it is handled; right after a letter was delivered,
    /// before that is recorded.
    pub(crate) fn moment(&self, rng: &mut StdRng) -> &'static str {
        let ended = || self.ended.load(Ordering::SeqCst);
        match (rng.random_range(0..4), &self.letters) {
            (0, _) => {
                thread::sleep(Duration::from_micros(rng.random_range(0..100_000)));
                "any moment"
            }
            (1, _) => {
                next(|| self.accepted());
                "right after a 250"
            }
            (2, Letters::Relay(relay)) => {
                next(|| relay.count());
                spin(Duration::from_micros(rng.random_range(0..300)));
                "right after a letter was taken"
            }
            _ => {
                next(ended);
                spin(Duration::from_micros(rng.random_range(0..3000)));
                "soon after a final dot"
            }
        }
    }

    /// Lets the pairs play while `fault` runs.
    pub(crate) fn run(&self, seed: u64, fault: impl FnOnce()) {
        thread::scope(|scope| {
            let pairs: Vec<_> = (0..PAIRS)
                .map(|index| scope.spawn(move || self.player(index, seed).play()))
                .collect();
            // Also if it fails, or the threads would never end.
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fault));
            self.is_over.store(true, Ordering::SeqCst);
            let ends: Vec<_> = pairs.into_iter().map(thread::ScopedJoinHandle::join).collect();
            caught.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for end in ends {
                end.unwrap();
            }
        });
    }

    fn player(&self, index: usize, seed: u64) -> Player<'_> {
        let pair = Pair::new(index, seed).with_computer();
        let mailbox = match &self.letters {
            Letters::Relay(_) => None,
            Letters::Maildirs(folder) => Some(Mailbox::new(folder, &pair.address(Seat::First))),
        };
        Player {
            traffic: self,
            pair,
            mailbox,
            rng: StdRng::seed_from_u64(seed.wrapping_add(index as u64)),
            session: None,
            dots: 0,
        }
    }

    /// Whether so many turns are played on a board. While no server runs, nobody looks.
    fn has_turns(&self, (game, number): Table, turns: usize) -> bool {
        if self.port.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let game = pbmserv_games::find(game).unwrap();
        // The database may be down.
        let found = Reader::open(&self.database).and_then(|reader| reader.board(game, number));
        found.is_ok_and(|board| board.is_some_and(|board| board.turns as usize >= turns))
    }

    fn write_down(&self, mail: &Arc<Mail>) {
        let mut book = self.book.lock().unwrap();
        self.places.lock().unwrap().insert(mail.id.clone(), book.len());
        book.push(Entry {
            mail: mail.clone(),
            fate: Fate::Open,
        });
    }

    fn is_accepted(&self, mail: &Mail, pair: usize) {
        let place = self.places.lock().unwrap()[&mail.id];
        self.book.lock().unwrap()[place].fate = Fate::Accepted;
        self.accepted[pair].fetch_add(1, Ordering::SeqCst);
    }
}

/// A pair and its mail programs.
struct Player<'a> {
    traffic: &'a Traffic,
    pair: Pair,
    mailbox: Option<Mailbox>,
    rng: StdRng,
    session: Option<Client>,
    /// Mails sent with their final dot.
    dots: usize,
}

impl Player<'_> {
    /// Plays until the traffic is over.
    fn play(mut self) {
        while !self.traffic.is_over.load(Ordering::SeqCst) {
            for (in_reply_to, subject) in self.read() {
                self.pair.letter(&in_reply_to, &subject);
            }
            for (table, turns) in self.pair.awaited() {
                if self.traffic.has_turns(table, turns) {
                    self.pair.answered(table);
                }
            }
            let mail = Arc::new(self.pair.next());
            self.traffic.write_down(&mail);
            *self.doing() = (mail.subject.clone(), String::new());
            if self.rng.random_ratio(1, 10) {
                self.drop(&mail);
            } else {
                self.send(&mail);
            }
            self.traffic.is_accepted(&mail, self.pair.index);
        }
    }

    fn doing(&self) -> MutexGuard<'_, (String, String)> {
        self.traffic.doing[self.pair.index].lock().unwrap()
    }

    fn read(&mut self) -> Vec<(String, String)> {
        match (&self.traffic.letters, &mut self.mailbox) {
            (Letters::Relay(relay), _) => relay.read(&self.pair.address(Seat::First)),
            (_, Some(mailbox)) => mailbox
                .fetch()
                .into_iter()
                .map(|mail| (mail.in_reply_to, mail.subject))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Delivers a mail into the server's Maildir, and waits until it is handled.
    fn drop(&self, mail: &Mail) {
        let door = &self.traffic.door;
        let name = format!("{}.M{}", self.pair.index, mail.id.replace('@', "_"));
        std::fs::write(door.join("tmp").join(&name), mail.bytes(SERVER)).unwrap();
        std::fs::rename(door.join("tmp").join(&name), door.join("new").join(&name)).unwrap();
        self.traffic.dropped.lock().unwrap().insert(name.clone());
        let done = door.join(".Done/new").join(&name);
        self.doing().1 = format!("waits for {}", done.display());
        let start = Instant::now();
        while !done.exists() {
            assert!(
                start.elapsed() < PATIENCE,
                "{name} is not done but in {:?}",
                self.traffic.places_of(&name)
            );
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends one mail, always the same bytes, until the reply is 250.
    fn send(&mut self, mail: &Mail) {
        let bytes = mail.bytes(SERVER);
        let start = Instant::now();
        let before = self.dots;
        loop {
            assert!(
                start.elapsed() < 4 * PATIENCE,
                "{} was never answered",
                mail.subject
            );
            let port = self.traffic.port.load(Ordering::SeqCst);
            if port == 0 {
                let is_over = self.traffic.is_over.load(Ordering::SeqCst);
                assert!(!is_over, "no daemon comes again");
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            let attempt = self.attempt(port, &mail.from, &bytes);
            self.doing().1 = format!("{attempt:?} after {:?}", start.elapsed());
            match attempt {
                Ok(reply) if reply.starts_with("250") => break,
                Ok(reply) => {
                    assert!(reply.starts_with('4'), "{}: {reply}", mail.subject);
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) => {
                    assert!(!error.to_string().starts_with('5'), "{}: {error}", mail.subject);
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
        let repeated = self.dots - before - 1;
        self.traffic.repeated.fetch_add(repeated, Ordering::SeqCst);
    }

    fn attempt(&mut self, port: u16, from: &str, bytes: &[u8]) -> std::io::Result<String> {
        let mut client = match self.session.take() {
            Some(client) => client,
            None => Client::connect(port)?,
        };
        if self.rng.random_ratio(1, 8) {
            client.send_and_go(from, bytes)?;
            self.dots += 1;
            self.traffic.ended.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(self.rng.random_range(0..4)));
            return Ok("400 the reply was not heard".into());
        }
        client.begin(from)?;
        client.write(&stuffed(bytes))?;
        self.dots += 1;
        let waiting = &self.traffic.waiting[self.pair.index];
        waiting.store(true, Ordering::SeqCst);
        self.traffic.ended.fetch_add(1, Ordering::SeqCst);
        let reply = client.reply();
        waiting.store(false, Ordering::SeqCst);
        self.session = Some(client);
        reply.inspect_err(|_| self.session = None)
    }
}

/// Waits until the number grows, for a second at most. A sleep would take longer.
fn next(count: impl Fn() -> usize) {
    let (before, start) = (count(), Instant::now());
    while count() == before && start.elapsed() < Duration::from_secs(1) {
        std::hint::spin_loop();
    }
}

fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}
