//! The world of the soak: a real server on a real database, whose messages are submitted as by a door; a simulated clock; and
//! mailboxes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser as _;
use pbmserv::admin::{Caller, Cli, VerbRequest};
use pbmserv::config::Config;
use pbmserv::engine::server::Server;
use pbmserv_core::dispatch::FoundTurn;
use pbmserv_core::letters::Draft;
use pbmserv_core::store::Reader;
use pbmserv_games::bots::{self, Level};
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::{Address, Envelope};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::mail::Mail;
use crate::post::PostOffice;
use crate::rows::{Change, LEFT_OUT, Row, TABLES};
use crate::stage::Stage;
use crate::view::place;

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

/// The server, its clock and the mailboxes.
pub(crate) struct World {
    /// `None` while the server is stopped.
    stage: Option<Stage>,
    starts: u64,
    last_mail: i64,
    last_change: i64,
    last_taken: i64,
    /// A read-only connection.
    pub(crate) look: Connection,
    pub(crate) post: PostOffice,
}

fn configure(config: &mut Config) {
    config.server.directors = vec![DIRECTOR.to_owned()];
    config.leagues.seasons = Vec::new();
    // Letters have links to pages; nobody opens them.
    config.web.listen = "127.0.0.1:2580".into();
    // The people of the soak write as much as they like; they reach the limits of a day.
    config.limits.mails_an_hour = u32::MAX;
    config.limits.strangers_mails_an_hour = u32::MAX;
}

impl World {
    /// Opens a server in this folder at this time.
    pub(crate) fn open(data: TempDir, now: DateTime<Utc>) -> Self {
        let stage = Stage::open_in(data, now, 1, configure);
        let look = Connection::open(stage.server.folder.database()).unwrap();
        write_changes_down(&look);
        look.pragma_update(None, "query_only", true).unwrap();
        Self {
            stage: Some(stage),
            starts: 1,
            last_mail: 0,
            last_change: 0,
            last_taken: 0,
            look,
            post: PostOffice::default(),
        }
    }

    fn stage(&self) -> &Stage {
        self.stage.as_ref().unwrap()
    }

    /// The server behind the doors.
    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.stage().server
    }

    /// The file of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.server().folder.database()
    }

    /// Lets time pass, after all mail has been delivered.
    pub(crate) fn go_to(&self, then: DateTime<Utc>) {
        self.stage().pass(then - self.server().now());
    }

    /// The clock of the machine is set, and the server notices.
    pub(crate) async fn set_clock(&self, then: DateTime<Utc>) {
        *self.stage().now.lock().unwrap() = then;
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
        let Some(due) = self.next_due().filter(|due| *due <= self.server().now()) else {
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

    /// Runs one of the operator's verbs; whether it was carried out.
    pub(crate) async fn operate(&mut self, line: &str) -> bool {
        let words = ["pbmserv"].into_iter().chain(line.split(' '));
        let words = words.chain(["--why", "So it was decided."]);
        let verb = Cli::try_parse_from(words).unwrap().verb;
        let caller = Caller {
            who: "root".into(),
            input: "The server moves to another machine.".into(),
        };
        VerbRequest { verb, caller }.run(self.server()).await.code == 0
    }

    /// Delivers everything in the outbox.
    pub(crate) async fn deliver(&mut self) {
        for letter in self.stage().collect().await {
            self.post.deliver(&letter);
        }
    }

    /// Stops the server cleanly and starts it again after this time.
    pub(crate) async fn restart(&mut self, outage: TimeDelta) {
        self.deliver().await;
        let then = self.server().now() + outage;
        let data = self.stage.take().unwrap().close().await;
        self.starts += 1;
        self.stage = Some(Stage::open_in(data, then, self.starts, configure));
    }

    /// Stops the server cleanly.
    pub(crate) async fn stop(&mut self) {
        self.stage.take().unwrap().close().await;
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
        let rows = self.server().rows.clone();
        let mut statement = self.look.prepare_cached(sql).unwrap();
        let mut newest = self.last_mail;
        let found = statement.query_map([self.last_mail], |row| {
            newest = row.get(0)?;
            let (kind, subject): (String, String) = (row.get(2)?, row.get(4)?);
            // A letter to a stranger is forgotten when it is sent.
            let draft = row
                .get::<_, Option<Vec<u8>>>(5)?
                .map(|letter| Draft::unpacked(&letter).unwrap());
            let text = draft.map_or_else(String::new, |draft| rows.text(&kind, &draft));
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
