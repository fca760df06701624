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
use pbmserv_games::bots::{self, Level};
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::outbox::{Health, Identity, Pace, Sender};
use pbmserv_mail::{Address, Envelope};
use rusqlite::Connection;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::mail::Mail;
use crate::post::PostOffice;
use crate::view::{Change, LEFT_OUT, Row, TABLES, place};

/// The address of the server.
pub(crate) const SERVER: &str = "pbmserv@games.example";

/// The beginning of all passwords of the soak, right and wrong, so that one search finds any of them. Base64 has
/// no hyphen, so it cannot occur in a picture by chance.
pub(crate) const SECRET: &str = "xyzzy-";

/// The userid of the director.
pub(crate) const DIRECTOR: &str = "p0";

/// The computer that people play.
pub(crate) const BOT: &str = "bot-easy";

/// A letter in the outbox.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The address.
    pub(crate) to: String,
    /// The folder of its template.
    pub(crate) kind: String,
    /// Whether it answers the current mail.
    pub(crate) is_answer: bool,
    /// The reader's account, if the server names one.
    pub(crate) player: Option<usize>,
    pub(crate) board: Option<usize>,
    /// Its subject and text, with blanks collapsed.
    pub(crate) text: String,
}

/// What the server has done since it was asked last.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    pub(crate) letters: Vec<Written>,
    pub(crate) changes: Vec<Change>,
}

/// The outcome of a mail.
#[derive(Debug)]
pub(crate) struct Taken {
    /// done, refused, ignored, dropped, duplicate.
    pub(crate) fate: String,
    pub(crate) effect: Effect,
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
    last_change: i64,
    last_taken: i64,
    /// A read-only connection.
    pub(crate) look: Connection,
    /// The delivery target.
    pub(crate) post: Arc<PostOffice>,
}

impl World {
    /// Opens a server in this folder at this time.
    pub(crate) fn open(data: &Path, now: DateTime<Utc>) -> Self {
        let mut config = Config::default();
        config.server.address = SERVER.into();
        config.server.data = data.into();
        config.server.directors = vec![DIRECTOR.to_owned()];
        // Letters have links to pages; nobody opens them.
        config.web.listen = "127.0.0.1:2580".into();
        // The people of the soak write as much as they like; they reach the limits of a day.
        config.limits.mails_an_hour = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
        let (now, uptime) = (Arc::new(Mutex::new(now)), Arc::default());
        let post = Arc::new(PostOffice::new());
        let parts = parts(&config, &now, &uptime, &post, 1);
        let look = Connection::open(data.join("pbmserv.sqlite")).unwrap();
        write_changes_down(&look);
        look.pragma_update(None, "query_only", true).unwrap();
        Self {
            config,
            now,
            uptime,
            parts: Some(parts),
            starts: 1,
            last_mail: 0,
            last_change: 0,
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
            effect: self.effect(),
            time,
        }
    }

    /// Has a computer play a turn on a board that waits for it; returns the board and the turn, if there is one.
    ///
    /// The server's threads do this by themselves, and give the advice that players ask for, which takes too long here: so the
    /// turn is chosen at this place, and handed to the engine as they do.
    pub(crate) async fn let_computer_play(&mut self) -> Option<(usize, String)> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let reader = Reader::open(self.database()).unwrap();
        let waiting = reader.waiting_for_computers(1).unwrap().into_iter().next()?;
        let board = reader.board_by_id(waiting.board).unwrap().unwrap();
        let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        let seed = u64::from(board.turns);
        let thought = bots::think(position.game.as_ref(), Level::Easy, seed, &NEVER);
        let found = FoundTurn {
            event: waiting.event,
            turn: thought.unwrap().turn,
            value: 0,
        };
        let (id, turn) = (board.id, found.turn.clone());
        let engine = &self.server().engine;
        let acted = engine.act(move |handler, store, now| handler.computer_turn(store, id, &found, now));
        assert!(acted.await.unwrap(), "{} {turn}", board.name());
        Some((place(id.0), turn))
    }

    /// Does once what is due by now; whether there was anything.
    pub(crate) async fn do_what_is_due(&mut self) -> bool {
        // Clocks wait for the delivery of their warnings.
        self.deliver().await;
        let Some(due) = self.next_due().filter(|due| *due <= self.now()) else {
            return false;
        };
        let done = self.server().engine.do_what_is_due().await.unwrap();
        assert!(done > 0 || self.next_due() != Some(due), "{due}");
        true
    }

    /// The daemon's tasks at its start and once a day.
    pub(crate) async fn forget_old_texts(&self) {
        self.server().engine.forget().await.unwrap();
    }

    /// Runs one of the operator's verbs.
    pub(crate) async fn operate(&mut self, verb: Verb, input: &str) -> Result<(), String> {
        let caller = Caller {
            who: "root".into(),
            input: input.into(),
        };
        let answer = VerbRequest { verb, caller }.run(self.server()).await;
        if answer.code == 0 { Ok(()) } else { Err(answer.err) }
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

    /// The letters and changes since the last call.
    pub(crate) fn effect(&mut self) -> Effect {
        Effect {
            letters: self.new_letters(),
            changes: self.new_changes(),
        }
    }

    fn new_letters(&mut self) -> Vec<Written> {
        let sql = "SELECT id, recipient_key, kind, is_reply, subject, letter, player, board FROM outbox WHERE id > ?1 ORDER BY id";
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
            Ok(Written {
                to: row.get(1)?,
                kind,
                is_answer: row.get(3)?,
                player: row.get::<_, Option<i64>>(6)?.map(place),
                board: row.get::<_, Option<i64>>(7)?.map(place),
                text: words.collect::<Vec<_>>().join(" "),
            })
        });
        let found = found.unwrap().collect::<Result<_, _>>().unwrap();
        drop(statement);
        self.last_mail = newest;
        found
    }

    fn new_changes(&mut self) -> Vec<Change> {
        let sql = "SELECT id, of, old, new FROM soak WHERE id > ?1 ORDER BY id";
        let mut statement = self.look.prepare_cached(sql).unwrap();
        let mut newest = self.last_change;
        let found = statement.query_map([self.last_change], |row| {
            newest = row.get(0)?;
            let json = |text: Option<String>| text.map(|text| Row(serde_json::from_str(&text).unwrap()));
            Ok(Change {
                table: row.get(1)?,
                old: json(row.get(2)?),
                new: json(row.get(3)?),
            })
        });
        let found = found.unwrap().collect::<Result<_, _>>().unwrap();
        drop(statement);
        self.last_change = newest;
        found
    }

    /// Forgets the changes that were read.
    pub(crate) fn forget_changes(&self) {
        let writes = Connection::open(self.database()).unwrap();
        let sql = "DELETE FROM soak WHERE id < ?1";
        writes.execute(sql, [self.last_change]).unwrap();
    }
}

/// Has triggers write every change of the tables into one of our own.
fn write_changes_down(conn: &Connection) {
    conn.execute_batch("CREATE TABLE soak (id INTEGER PRIMARY KEY, of TEXT, old TEXT, new TEXT)")
        .unwrap();
    for table in TABLES.split_whitespace() {
        let mut statement = conn.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let columns = statement.query_map([table], |row| row.get(0)).unwrap();
        let columns: Vec<String> = columns.collect::<Result<_, _>>().unwrap();
        let row = |of: &str| {
            let columns = columns
                .iter()
                .filter(|column| !LEFT_OUT.contains(&column.as_str()));
            let values = columns.map(|column| format!("'{column}', {of}.{column}"));
            format!("json_object({})", values.collect::<Vec<_>>().join(", "))
        };
        let (old, new) = (row("OLD"), row("NEW"));
        for (event, when, old, new) in [
            ("INSERT", "1", "NULL", new.as_str()),
            ("UPDATE", &format!("{old} <> {new}"), &old, &new),
            ("DELETE", "1", &old, "NULL"),
        ] {
            let sql = format!(
                "CREATE TRIGGER soak_{table}_{event} AFTER {event} ON {table} WHEN {when} \
                 BEGIN INSERT INTO soak (of, old, new) VALUES ('{table}', {old}, {new}); END"
            );
            conn.execute_batch(&sql).unwrap();
        }
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
