//! Compares the engine with a floor: the same messages, in batches of 64 with one durable commit each, once through reading,
//! dispatch and store, and once by the least that any program must do for the same rows, in bare statements with the
//! engine's settings. It parses the message, looks whether it came before, finds the account of its sender, the board and
//! the turns, compresses the letters, and writes the rows. It decides nothing, words nothing, and has no savepoints.
//!
//! Beside it stands the rate of the rows alone: without those reads, and with letters that are compressed already.
//!
//! `cargo bench --bench floor`; it fails if the engine reaches less than a third of the floor's rate. The statements that a
//! message takes, and the bytes that it has written, are the same on a busy machine; the processor's time for each nearly so.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod town;

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::Utc;
use mail_parser::MessageParser;
use pbmserv_core::command::Proofs;
use pbmserv_core::dispatch::{Purpose, seat_generation, token};
use pbmserv_core::letters::columns;
use pbmserv_core::table::{Board, BoardLetter};
use pbmserv_games::Match;
use pbmserv_mail::Address;
use pbmserv_mail::doors::Message;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, Params, Statement, params_from_iter};
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use town::{Town, game};

/// Messages in one commit.
const BATCH: usize = 64;

/// Batches in one run.
const BATCHES: usize = 16;

/// Runs of each kind, in alternation.
const RUNS: usize = 9;

/// The least share of the floor's rate.
const SHARE: f64 = 1.0 / 3.0;

const PLAYERS: usize = 50;

/// The number of the first board.
const FIRST_BOARD: u32 = 101;

const BOARDS: u32 = (BATCH * BATCHES) as u32;

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let town = Town::open(&folder.path().join("data"), Utc::now());
    town.settle(PLAYERS).await;
    town.add_boards(game("Pow2"), BOARDS, PLAYERS).await;
    let mut tables = tables(&town);
    let floor = Floor::open(&town, folder.path());
    let mut table = vec![
        [
            "messages",
            "engine /s",
            "floor /s",
            "share",
            "rows alone /s",
            "share",
            "engine's us each",
            "floor's",
            "rows alone",
            "rows each",
            "statements each",
            "engine's bytes each",
            "floor's",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let mut is_enough = true;
    for kind in ["show", "move"] {
        let (mut ours, mut floors, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rows, mut statements, mut bytes) = (0, 0, [0, 0]);
        let mut worked = [Duration::ZERO; 3];
        for run in 0..RUNS {
            let messages: Vec<Message> = match kind {
                "show" => (0..BATCH * BATCHES)
                    .map(|number| {
                        town::mail(
                            number % PLAYERS,
                            &format!("Pow2 show {}", FIRST_BOARD as usize + number),
                        )
                    })
                    .collect(),
                _ => tables.iter_mut().map(|table| table.next(&town, run)).collect(),
            };
            let before = floor.seen.last();
            let (begun, run_before) = (written_bytes(), statements_run(&town).await);
            let before_work = processor_time();
            ours.push(through_the_engine(&town, &messages).await);
            worked[0] += processor_time() - before_work;
            bytes[0] += written_bytes() - begun;
            statements += statements_run(&town).await - run_before;
            let written = floor.seen.since(&before);
            rows = written.len();
            let begun = written_bytes();
            let before_work = processor_time();
            floors.push(floor.write(&messages, &written, true));
            worked[1] += processor_time() - before_work;
            bytes[1] += written_bytes() - begun;
            floor.take_back(&written);
            let before_work = processor_time();
            alone.push(floor.write(&messages, &written, false));
            worked[2] += processor_time() - before_work;
            town.deliver().await;
        }
        let rate = |times: Vec<Duration>| (BATCH * BATCHES) as f64 / median(times).as_secs_f64();
        let each = |time: Duration| {
            format!(
                "{:.0}",
                time.as_secs_f64() * 1e6 / (RUNS * BATCH * BATCHES) as f64
            )
        };
        let (ours, floors, alone) = (rate(ours), rate(floors), rate(alone));
        is_enough &= ours >= SHARE * floors;
        table.push(vec![
            kind.into(),
            format!("{ours:.0}"),
            format!("{floors:.0}"),
            format!("{:.2}", ours / floors),
            format!("{alone:.0}"),
            format!("{:.2}", ours / alone),
            each(worked[0]),
            each(worked[1]),
            each(worked[2]),
            format!("{:.1}", rows as f64 / (BATCH * BATCHES) as f64),
            format!("{:.1}", statements as f64 / (RUNS * BATCH * BATCHES) as f64),
            format!("{:.0}", bytes[0] as f64 / (RUNS * BATCH * BATCHES) as f64),
            format!("{:.0}", bytes[1] as f64 / (RUNS * BATCH * BATCHES) as f64),
        ]);
    }
    println!("{}", columns(&table));
    town.close().await;
    if !is_enough {
        println!("The engine should have {SHARE:.2} of the floor's rate.");
        std::process::exit(1);
    }
}

/// The bytes that this process has handed to the system for writing, where the system counts them: pages of the log, and of
/// the database at a checkpoint.
fn written_bytes() -> u64 {
    let counted = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let written = counted.lines().find_map(|line| line.strip_prefix("wchar: "));
    written.and_then(|bytes| bytes.parse().ok()).unwrap_or_default()
}

/// The time that all processors have worked for this process, which other work on the machine changes little.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap()
}

/// The statements that the engine has run so far.
async fn statements_run(town: &Town) -> u64 {
    let run = town.server.engine.act(|_, store, _| Ok(store.statements_run()));
    run.await.unwrap()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Reads the messages and lets the engine handle them, one batch per commit.
async fn through_the_engine(town: &Town, messages: &[Message]) -> Duration {
    let begun = Instant::now();
    for batch in messages.chunks(BATCH) {
        let requests: Vec<_> = batch
            .iter()
            .map(|message| town.server.read("smtp", message).unwrap())
            .collect();
        let handled = town.server.engine.act(move |desk, store, now| {
            for request in requests {
                store.begin_message()?;
                let handled = desk.handle(store, &request, &Proofs::default(), now)?;
                assert_eq!(handled.fate(), ("done", None), "{handled:?}");
                store.keep_message()?;
            }
            Ok(())
        });
        handled.await.unwrap();
    }
    begun.elapsed()
}

/// A board that is played by replies to its mails, so that no password is checked.
struct Table {
    board: Board,
    generations: [i64; 2],
    position: Box<dyn Match>,
}

fn tables(town: &Town) -> Vec<Table> {
    let reader = town.server.reader().unwrap();
    let table = |number| {
        let board = reader.board(game("Pow2"), number).unwrap().unwrap();
        let turns = reader.turns(board.id).unwrap();
        let position = board.replay(turns, usize::MAX).unwrap().game;
        let generation = |seat: usize| {
            let player = board.players[seat].id;
            seat_generation(player, reader.player_by_id(player).unwrap().unwrap().generation)
        };
        Table {
            generations: [generation(0), generation(1)],
            board,
            position,
        }
    };
    (FIRST_BOARD..FIRST_BOARD + BOARDS).map(table).collect()
}

impl Table {
    fn next(&mut self, town: &Town, run: usize) -> Message {
        let seat = self.position.to_move().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(self.board.number) + run as u64);
        let turn = self.position.random_turn(&mut rng).unwrap();
        self.position.play_all(&turn).unwrap();
        // As if it were the newest at any time: then it does not matter which letter it answers.
        let letter = BoardLetter {
            board: self.board.id,
            seat,
            event: u32::MAX,
        };
        let token = token(
            &town.server.key,
            Purpose::Seat,
            letter.number(),
            self.generations[seat.index()],
        );
        let player = &self.board.at(seat).userid;
        let mut message = town::mail(
            town::number_of(player),
            &format!("Re: Pow2 Board {} {player}", self.board.number),
        );
        let text = String::from_utf8(message.bytes.to_vec()).unwrap();
        message.bytes = text
            .replace("\r\n\r\n", &format!("\r\n\r\n{turn}\r\n\r\n"))
            .into_bytes()
            .into();
        message.envelope.recipients =
            vec![Address::parse(&format!("pbmserv+{token}@games.example")).unwrap()];
        message
    }
}

/// The tables to which a message adds a row.
const TABLES: [&str; 3] = ["inbox", "turns", "outbox"];

/// The column that counts their rows. Each run plays one turn on each board.
const COUNTED: [&str; 3] = ["id", "ordinal", "id"];

/// Where the letter stands in a row of the outbox.
const LETTER: &str = "letter";

/// What the server has written, seen from outside.
struct Seen(Connection);

/// The last row of each table, and what is counted.
struct Last {
    rows: [i64; TABLES.len()],
    counts: HashMap<(String, String), i64>,
}

/// What a run has written.
struct Written {
    /// The rows of each table.
    rows: [Vec<Vec<Value>>; TABLES.len()],
    /// The letters of the outbox before they are compressed.
    letters: Vec<Vec<u8>>,
    /// The rows of `tallies` that have changed, and by how much. Within a batch each is written once.
    counts: Vec<(Vec<Value>, i64)>,
}

impl Written {
    fn len(&self) -> usize {
        let counts = self.counts.iter().map(|(_, more)| batches_of(*more));
        self.rows.iter().map(Vec::len).sum::<usize>() + counts.sum::<usize>()
    }
}

/// In how many batches something was counted that was counted so many times.
fn batches_of(times: i64) -> usize {
    usize::try_from(times).unwrap().min(BATCHES)
}

impl Seen {
    fn last(&self) -> Last {
        let counts = self.counts().into_iter();
        Last {
            rows: std::array::from_fn(|table| {
                let sql = format!(
                    "SELECT COALESCE(MAX({}), 0) FROM {}",
                    COUNTED[table], TABLES[table]
                );
                self.0.query_row(&sql, [], |row| row.get(0)).unwrap()
            }),
            counts: counts.map(|row| (name(&row), count(&row))).collect(),
        }
    }

    fn counts(&self) -> Vec<Vec<Value>> {
        self.rows("SELECT day, what, key, count FROM tallies", [])
    }

    fn since(&self, last: &Last) -> Written {
        let rows: [_; TABLES.len()] = std::array::from_fn(|table| {
            let (name, counted) = (TABLES[table], COUNTED[table]);
            let sql = format!("SELECT * FROM {name} WHERE {counted} > $1 ORDER BY {counted}");
            self.rows(&sql, [last.rows[table]])
        });
        let letter = |row: &Vec<Value>| {
            let Value::Blob(packed) = &row[self.place_of_letter()] else {
                panic!("{row:?}");
            };
            let mut json = Vec::new();
            DeflateDecoder::new(&**packed).read_to_end(&mut json).unwrap();
            json
        };
        let more = |row: Vec<Value>| {
            let more = count(&row) - last.counts.get(&name(&row)).unwrap_or(&0);
            (more > 0).then_some((row, more))
        };
        Written {
            letters: rows[2].iter().map(letter).collect(),
            counts: self.counts().into_iter().filter_map(more).collect(),
            rows,
        }
    }

    fn place_of_letter(&self) -> usize {
        let statement = self.0.prepare("SELECT * FROM outbox").unwrap();
        statement.column_index(LETTER).unwrap()
    }

    fn rows(&self, sql: &str, values: impl Params) -> Vec<Vec<Value>> {
        let mut statement = self.0.prepare_cached(sql).unwrap();
        all(&mut statement, values)
    }
}

/// The name of a row of `tallies`.
fn name(row: &[Value]) -> (String, String) {
    let [_, Value::Text(what), Value::Text(key), ..] = row else {
        panic!("{row:?}");
    };
    (what.clone(), key.clone())
}

/// The count in a row of `tallies`.
fn count(row: &[Value]) -> i64 {
    let Some(Value::Integer(count)) = row.last() else {
        panic!("{row:?}");
    };
    *count
}

fn all(statement: &mut Statement<'_>, values: impl Params) -> Vec<Vec<Value>> {
    let columns = statement.column_count();
    let found = statement.query_map(values, |row| (0..columns).map(|column| row.get(column)).collect());
    found.unwrap().map(Result::unwrap).collect()
}

/// A copy of the database, into which the same rows are written by bare statements.
struct Floor {
    conn: Connection,
    seen: Seen,
}

impl Floor {
    fn open(town: &Town, folder: &Path) -> Self {
        let path: PathBuf = folder.join("floor.sqlite");
        town.server.reader().unwrap().copy_to(&path, &mut |_| ()).unwrap();
        let conn = Connection::open(path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        conn.pragma_update(None, "synchronous", "FULL").unwrap();
        conn.pragma_update(None, "foreign_keys", 1).unwrap();
        conn.pragma_update(None, "cache_size", -8192).unwrap();
        conn.pragma_update(None, "temp_store", "MEMORY").unwrap();
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .unwrap();
        conn.set_prepared_statement_cache_capacity(128);
        Self {
            conn,
            seen: Seen(Connection::open(town.server.folder.database()).unwrap()),
        }
    }

    /// Parses the messages and writes the rows, an equal share of each table per batch. If it is to do all, it reads first
    /// what it must know, and compresses the letters.
    fn write(&self, messages: &[Message], written: &Written, does_all: bool) -> Duration {
        let letter = self.seen.place_of_letter();
        let batches = messages.len() / BATCH;
        let begun = Instant::now();
        for (number, batch) in messages.chunks(BATCH).enumerate() {
            let parsed: Vec<_> = batch
                .iter()
                .map(|message| MessageParser::default().parse(&*message.bytes).unwrap())
                .collect();
            let length: usize = parsed
                .iter()
                .map(|parsed| parsed.body_text(0).map_or(0, |text| text.len()))
                .sum();
            assert!(length > 0);
            self.conn.execute_batch("BEGIN IMMEDIATE").unwrap();
            if does_all {
                for (place, message) in batch.iter().enumerate() {
                    self.read(message, FIRST_BOARD as usize + number * BATCH + place);
                }
            }
            // Which rows belong to which message is unknown, so each batch gets its share of each table.
            for (table, rows) in written.rows.iter().enumerate() {
                let share = rows.len() / batches;
                for (place, row) in rows.iter().enumerate().skip(number * share).take(share) {
                    if does_all && TABLES[table] == "outbox" {
                        let mut row = row.clone();
                        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                        encoder.write_all(&written.letters[place]).unwrap();
                        let packed = encoder.finish().unwrap();
                        row[letter] = Value::Blob(packed);
                        self.insert(table, &row);
                    } else {
                        self.insert(table, row);
                    }
                }
            }
            for (row, _) in written
                .counts
                .iter()
                .filter(|(_, more)| number < batches_of(*more))
            {
                let sql = "INSERT INTO tallies (day, what, key, count) VALUES ($1, $2, $3, $4) \
                           ON CONFLICT (day, what, key) DO UPDATE SET count = excluded.count";
                let mut statement = self.conn.prepare_cached(sql).unwrap();
                statement.execute(params_from_iter(row)).unwrap();
            }
            self.conn.execute_batch("COMMIT").unwrap();
        }
        begun.elapsed()
    }

    /// Reads what must be known of a message about this board: whether it came before, whose it is, the board, its turns.
    fn read(&self, message: &Message, board: usize) {
        let digest: [u8; 32] = Sha256::digest(&*message.bytes).into();
        let find = |sql: &str, values: &dyn Fn(&mut Statement<'_>) -> Vec<Vec<Value>>| {
            values(&mut self.conn.prepare_cached(sql).unwrap())
        };
        let before = find(
            "SELECT id FROM inbox WHERE identity = $1 UNION ALL SELECT inbox FROM remembered WHERE digest = $2",
            &|statement| all(statement, (&digest[..], &digest[..16])),
        );
        assert!(before.is_empty());
        let sender = message.envelope.sender.as_ref().unwrap().key();
        let account = find(
            "SELECT p.* FROM addresses a JOIN players p ON p.id = a.player WHERE a.address_key = $1",
            &|statement| all(statement, [&sender]),
        );
        assert_eq!(account.len(), 1);
        let sql = "SELECT b.*, p.userid, q.userid FROM boards b JOIN players p ON p.id = b.first_player \
                   JOIN players q ON q.id = b.second_player WHERE b.game = 'Pow2' AND b.number = $1";
        let boards = find(sql, &|statement| all(statement, [board as i64]));
        let [row] = boards.as_slice() else {
            panic!("{board}")
        };
        find(
            "SELECT seat, turn, played_at, event FROM turns WHERE board = $1 ORDER BY ordinal",
            &|statement| all(statement, [&row[0]]),
        );
    }

    fn insert(&self, table: usize, values: &[Value]) {
        let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}")).collect();
        let sql = format!("INSERT INTO {} VALUES ({})", TABLES[table], places.join(", "));
        let mut statement = self.conn.prepare_cached(&sql).unwrap();
        statement.execute(params_from_iter(values)).unwrap();
        if TABLES[table] == "turns" {
            let sql = "UPDATE boards SET turns = $1, to_move = 1 - to_move, moved_at = $2, due_at = $2 WHERE id = $3";
            let mut statement = self.conn.prepare_cached(sql).unwrap();
            statement.execute((&values[1], &values[4], &values[0])).unwrap();
        }
    }

    /// Deletes the rows again, so that they can be written once more.
    fn take_back(&self, written: &Written) {
        self.conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        for (table, rows) in written.rows.iter().enumerate().rev() {
            let (sql, keys) = match TABLES[table] {
                "turns" => ("DELETE FROM turns WHERE board = $1 AND ordinal = $2", 2),
                "inbox" => ("DELETE FROM inbox WHERE id = $1", 1),
                _ => ("DELETE FROM outbox WHERE id = $1", 1),
            };
            let mut statement = self.conn.prepare(sql).unwrap();
            for row in rows {
                statement.execute(params_from_iter(&row[..keys])).unwrap();
            }
        }
        self.conn.execute_batch("COMMIT").unwrap();
    }
}
