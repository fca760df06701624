//! The world of the soak: a real server on a real database, whose messages are submitted as by a door; a real
//! sender; a simulated clock.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv::admin::{Caller, Verb, VerbRequest};
use pbmserv::config::Config;
use pbmserv::engine::TimeSource;
use pbmserv::engine::server::{Closing, Server};
use pbmserv_core::dispatch::FoundTurn;
use pbmserv_core::letters::Draft;
use pbmserv_core::store::Reader;
use pbmserv_games::GAMES;
use pbmserv_games::bots::{self, Level};
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::outbox::{Health, Identity, Pace, Sender};
use pbmserv_mail::{Address, Envelope};
use rusqlite::Connection;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::deed::At;
use crate::mail::Mail;
use crate::model::computers::Answer;
use crate::post::PostOffice;

/// The address of the server.
pub(crate) const SERVER: &str = "pbmserv@games.example";

/// The beginning of all passwords of the soak, right and wrong, so that one search finds any of them. Base64 has
/// no hyphen, so it cannot occur in a picture by chance.
pub(crate) const SECRET: &str = "xyzzy-";

/// A letter in the outbox, as far as the model predicts it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    /// The address.
    pub(crate) to: String,
    /// The folder of its template.
    pub(crate) kind: String,
    /// Whether it answers the current mail.
    pub(crate) is_answer: bool,
    /// Its text, with blanks collapsed.
    pub(crate) text: String,
}

/// The outcome of a mail.
#[derive(Debug)]
pub(crate) struct Taken {
    /// done, refused, ignored, dropped, duplicate.
    pub(crate) fate: String,
    /// The letters that were written.
    pub(crate) rows: Vec<Row>,
    /// The server's time for it.
    pub(crate) time: Duration,
}

/// The simulated time.
type Time<T> = Arc<Mutex<T>>;

/// The running tasks.
struct Parts {
    server: Arc<Server>,
    closing: Closing,
    sender: JoinHandle<()>,
    stop_sender: watch::Sender<bool>,
}

/// The server, its relay and its clock.
pub(crate) struct World {
    config: Config,
    now: Time<DateTime<Utc>>,
    uptime: Time<TimeDelta>,
    parts: Option<Parts>,
    starts: u64,
    last_mail: i64,
    last_taken: i64,
    /// A read-only connection.
    pub(crate) look: Connection,
    /// The delivery target.
    pub(crate) post: Arc<PostOffice>,
}

impl World {
    /// Opens a server in this folder at this time.
    pub(crate) fn open(data: &Path, now: DateTime<Utc>, director: &str) -> Self {
        let mut config = Config::default();
        config.server.address = SERVER.into();
        config.server.data = data.into();
        config.server.directors = vec![director.to_owned()];
        // Letters have links to pages; nobody opens them.
        config.web.listen = "127.0.0.1:2580".into();
        // The people of the soak write as much as they like; the model counts days, not hours.
        config.limits.mails_an_hour = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
        let (now, uptime) = (Arc::new(Mutex::new(now)), Arc::default());
        let post = Arc::new(PostOffice::new());
        let parts = parts(&config, &now, &uptime, &post, 1);
        let look = Connection::open(data.join("pbmserv.sqlite")).unwrap();
        look.pragma_update(None, "query_only", true).unwrap();
        Self {
            config,
            now,
            uptime,
            parts: Some(parts),
            starts: 1,
            last_mail: 0,
            last_taken: 0,
            look,
            post,
        }
    }

    /// The server behind the doors.
    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.parts.as_ref().unwrap().server
    }

    /// The time.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        *self.now.lock().unwrap()
    }

    /// The file of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.server().folder.database()
    }

    /// Lets time pass, after all mail has been delivered.
    pub(crate) fn go_to(&self, then: DateTime<Utc>) {
        let mut now = self.now.lock().unwrap();
        *self.uptime.lock().unwrap() += then - *now;
        *now = then;
    }

    /// The clock of the machine is set, and the server notices.
    pub(crate) async fn set_clock(&self, then: DateTime<Utc>) {
        *self.now.lock().unwrap() = then;
        self.server().engine.do_what_is_due().await.unwrap();
    }

    /// The time of the engine's next due task.
    pub(crate) fn next_due(&self) -> Option<DateTime<Utc>> {
        *self.server().engine.next_due().borrow()
    }

    /// Submits a message as a door does.
    pub(crate) async fn take(&mut self, mail: &Mail) -> Taken {
        let message = Message {
            envelope: Envelope {
                sender: mail.envelope.as_deref().map(|from| Address::parse(from).unwrap()),
                recipients: vec![mail.to.clone()],
            },
            bytes: mail.bytes.clone().into(),
            client: None,
            mark: None,
        };
        let started = Instant::now();
        let verdict = self.server().door("smtp").submit(message).await;
        let time = started.elapsed();
        let Verdict::Accepted(id) = verdict else {
            panic!("not taken: {verdict:?}")
        };
        let is_new = id > self.last_taken;
        self.last_taken = self.last_taken.max(id);
        let sql = "SELECT state FROM inbox WHERE id = ?1";
        let mut statement = self.look.prepare_cached(sql).unwrap();
        let state = statement.query_row([id], |row| row.get(0)).unwrap();
        drop(statement);
        Taken {
            fate: if is_new { state } else { "duplicate".to_owned() },
            rows: self.new_rows(),
            time,
        }
    }

    /// Has a computer play a turn on each board that waits for it; returns these turns, each with its letters.
    ///
    /// The server's threads do this by themselves, and give the advice that players ask for, which takes too long here: so the
    /// turn is chosen at this place, and handed to the engine as they do.
    pub(crate) async fn let_computers_play(&mut self) -> Vec<(Answer, Vec<Row>)> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let reader = Reader::open(self.database()).unwrap();
        let mut played = Vec::new();
        for waiting in reader.waiting_for_computers(1000).unwrap() {
            let board = reader.board_by_id(waiting.board).unwrap().unwrap();
            let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
            let thought = bots::think(
                position.game.as_ref(),
                Level::Easy,
                u64::from(board.turns),
                &NEVER,
            );
            let found = FoundTurn {
                event: waiting.event,
                turn: thought.unwrap().turn,
                value: 0,
            };
            let sql =
                "SELECT EXISTS (SELECT 1 FROM outbox WHERE board = ?1 AND awaits > 0 AND state = 'waiting')";
            let answer = Answer {
                at: At {
                    game: GAMES.iter().position(|game| game == board.game).unwrap(),
                    number: board.number,
                },
                turn: found.turn.clone(),
                had_receipt: self.look.query_row(sql, [board.id.0], |row| row.get(0)).unwrap(),
            };
            let id = board.id;
            let acted = self
                .server()
                .engine
                .act(move |handler, store, now| handler.computer_turn(store, id, &found, now));
            assert!(acted.await.unwrap(), "{answer:?}");
            played.push((answer, self.new_rows()));
        }
        played
    }

    /// Does everything that is due by now; returns the letters.
    pub(crate) async fn do_what_is_due(&mut self) -> Vec<Row> {
        // What a set clock has made due was already done when the change was noticed.
        let mut rows = self.new_rows();
        self.deliver().await;
        while let Some(due) = self.next_due().filter(|due| *due <= self.now()) {
            let done = self.server().engine.do_what_is_due().await.unwrap();
            assert!(done > 0 || self.next_due() != Some(due), "{due}");
            rows.extend(self.new_rows());
            // Clocks wait for the delivery of their warnings.
            self.deliver().await;
        }
        rows
    }

    /// The daemon's tasks at its start and once a day.
    pub(crate) async fn forget_old_texts(&self) {
        self.server().engine.forget().await.unwrap();
    }

    /// Runs one of the operator's verbs; returns the letters.
    pub(crate) async fn operate(&mut self, verb: Verb, input: &str) -> (Result<(), String>, Vec<Row>) {
        let caller = Caller {
            who: "root".into(),
            input: input.into(),
        };
        let answer = VerbRequest { verb, caller }.run(self.server()).await;
        let done = if answer.code == 0 { Ok(()) } else { Err(answer.err) };
        (done, self.new_rows())
    }

    /// Waits until the outbox is empty.
    pub(crate) async fn deliver(&self) {
        let waiting = "SELECT EXISTS (SELECT 1 FROM outbox WHERE state = 'waiting' AND due_at <= ?1)";
        let patience = Instant::now() + Duration::from_secs(60);
        self.post.is_open.send_replace(true);
        loop {
            let mut statement = self.look.prepare_cached(waiting).unwrap();
            let now = self.now().timestamp_millis();
            if !statement.query_row([now], |row| row.get::<_, bool>(0)).unwrap() {
                self.post.is_open.send_replace(false);
                return;
            }
            assert!(Instant::now() < patience, "the sender is stuck");
            self.server().wake.notify_one();
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
    }

    /// Stops the server cleanly and starts it again after this time.
    pub(crate) async fn restart(&mut self, outage: TimeDelta) {
        self.deliver().await;
        self.stop().await;
        *self.now.lock().unwrap() += outage;
        *self.uptime.lock().unwrap() = TimeDelta::zero();
        self.starts += 1;
        let parts = parts(&self.config, &self.now, &self.uptime, &self.post, self.starts);
        self.parts = Some(parts);
    }

    /// Stops the server cleanly.
    pub(crate) async fn stop(&mut self) {
        let Some(parts) = self.parts.take() else { return };
        parts.stop_sender.send_replace(true);
        parts.sender.await.unwrap();
        drop(parts.server);
        let closing = parts.closing;
        tokio::task::spawn_blocking(move || closing.wait()).await.unwrap();
    }

    /// The letters since the last call.
    fn new_rows(&mut self) -> Vec<Row> {
        let sql =
            "SELECT id, recipient_key, kind, is_reply, subject, letter FROM outbox WHERE id > ?1 ORDER BY id";
        let rows = self.parts.as_ref().map(|parts| parts.server.rows.clone());
        let mut statement = self.look.prepare_cached(sql).unwrap();
        let mut newest = self.last_mail;
        let found = statement.query_map([self.last_mail], |row| {
            newest = row.get(0)?;
            let (kind, subject): (String, String) = (row.get(2)?, row.get(4)?);
            // A letter to a stranger is forgotten when it is sent.
            let draft = row
                .get::<_, Option<Vec<u8>>>(5)?
                .map(|letter| Draft::unpacked(&letter).unwrap());
            let text = match (&rows, &draft) {
                (Some(rows), Some(draft)) => rows.text(&kind, draft),
                _ => String::new(),
            };
            let words = subject.split_whitespace().chain(text.split_whitespace());
            Ok(Row {
                to: row.get(1)?,
                kind,
                is_answer: row.get(3)?,
                text: words.collect::<Vec<_>>().join(" "),
            })
        });
        let rows = found.unwrap().collect::<Result<_, _>>().unwrap();
        drop(statement);
        self.last_mail = newest;
        rows
    }
}

fn parts(
    config: &Config,
    now: &Time<DateTime<Utc>>,
    uptime: &Time<TimeDelta>,
    post: &Arc<PostOffice>,
    seed: u64,
) -> Parts {
    let (day, up) = (now.clone(), uptime.clone());
    let clock = TimeSource::new(
        move || *day.lock().unwrap(),
        move || up.lock().unwrap().to_std().unwrap(),
    );
    let (server, closing) = Server::open(config, clock.clone(), Some(seed)).unwrap();
    let identity = Identity::new(server.address.clone(), "Games by mail", (*server.key).clone());
    let sender = Sender {
        queue: server.rows.clone(),
        transport: post.clone(),
        identity: Arc::new(identity.unwrap()),
        now: clock.wall_clock(),
        wake: server.wake.clone(),
        health: watch::channel(Health::default()).0,
        pace: Pace::default(),
    };
    let (stop_sender, stopping) = watch::channel(false);
    Parts {
        server,
        closing,
        sender: tokio::spawn(sender.run(stopping)),
        stop_sender,
    }
}
