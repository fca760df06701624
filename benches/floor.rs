//! Compares the engine with a baseline: the same messages, in batches of 64 with one durable commit each, once
//! through reading, dispatch and store, and once only parsed by mail-parser and written as the same rows by bare
//! statements.
//!
//! `cargo bench --bench floor`; it fails if the engine reaches less than a third of the baseline's rate.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod town;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::Utc;
use mail_parser::MessageParser;
use pbmserv::command::Proofs;
use pbmserv::dispatch::{Handled, Purpose, seat_generation, token};
use pbmserv::doors::Message;
use pbmserv::games::Match;
use pbmserv::letters::columns;
use pbmserv::mail::Address;
use pbmserv::store::State;
use pbmserv::table::{Board, BoardLetter};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

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
            "rows each",
            "engine's bytes each",
            "floor's",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let mut is_enough = true;
    for kind in ["show", "move"] {
        let (mut ours, mut floors, mut rows) = (Vec::new(), Vec::new(), 0);
        let mut bytes = [0, 0];
        for run in 0..RUNS {
            let messages: Vec<Message> = match kind {
                "show" => (0..BATCH * BATCHES)
                    .map(|number| town::mail(number % PLAYERS, &format!("Pow2 show {}", 101 + number)))
                    .collect(),
                _ => tables.iter_mut().map(|table| table.next(&town, run)).collect(),
            };
            let before = floor.seen.last(&town);
            let begun = written_bytes();
            ours.push(through_the_engine(&town, &messages).await);
            bytes[0] += written_bytes() - begun;
            let written = floor.seen.since(&before);
            rows = written.len();
            let begun = written_bytes();
            floors.push(floor.write(&messages, &written));
            bytes[1] += written_bytes() - begun;
            town.deliver().await;
        }
        let rate = |times: Vec<Duration>| (BATCH * BATCHES) as f64 / median(times).as_secs_f64();
        let (ours, floors) = (rate(ours), rate(floors));
        is_enough &= ours >= SHARE * floors;
        table.push(vec![
            kind.into(),
            format!("{ours:.0}"),
            format!("{floors:.0}"),
            format!("{:.2}", ours / floors),
            format!("{:.1}", rows as f64 / (BATCH * BATCHES) as f64),
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
                let Handled::Recorded(id) = handled else {
                    panic!("{handled:?}");
                };
                assert_eq!(store.fate(id)?, (State::Done.word().to_owned(), None));
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
    (101..101 + BOARDS).map(table).collect()
}

impl Table {
    fn next(&mut self, town: &Town, run: usize) -> Message {
        let seat = self.position.to_move().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(self.board.number) + run as u64);
        let turn = self.position.random_turn(&mut rng).unwrap();
        self.position.play_all(&turn).unwrap();
        // As if from before events were numbered: then it does not matter which letter it answers.
        let letter = BoardLetter {
            board: self.board.id,
            seat,
            event: None,
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

/// The tables that a message writes to.
const TABLES: [&str; 3] = ["inbox", "turns", "outbox"];

/// What the server has written, seen from outside.
struct Seen(Connection);

/// The last row of each table.
type Last = [i64; TABLES.len()];

/// A row and its table.
type Row = (usize, Vec<Value>);

impl Seen {
    fn last(&self, _: &Town) -> Last {
        TABLES.map(|table| {
            let sql = format!("SELECT COALESCE(MAX(rowid), 0) FROM {table}");
            self.0.query_row(&sql, [], |row| row.get(0)).unwrap()
        })
    }

    fn since(&self, last: &Last) -> Vec<Row> {
        let mut rows = Vec::new();
        for (place, (table, last)) in TABLES.iter().zip(last).enumerate() {
            let sql = format!("SELECT * FROM {table} WHERE rowid > $1 ORDER BY rowid");
            let mut statement = self.0.prepare(&sql).unwrap();
            let columns = statement.column_count();
            let found =
                statement.query_map([last], |row| (0..columns).map(|column| row.get(column)).collect());
            rows.extend(found.unwrap().map(|row| (place, row.unwrap())));
        }
        rows
    }
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
        Self {
            conn,
            seen: Seen(Connection::open(town.server.folder.database()).unwrap()),
        }
    }

    /// Parses the messages and writes the rows, an equal share of each table per batch.
    fn write(&self, messages: &[Message], rows: &[Row]) -> Duration {
        // Which rows belong to which message is unknown, so each batch gets its share of each table.
        let of_table = |table| {
            rows.iter()
                .filter(move |(place, _)| *place == table)
                .collect::<Vec<_>>()
        };
        let rows: Vec<Vec<&Row>> = (0..TABLES.len()).map(of_table).collect();
        let batches = messages.len() / BATCH;
        let begun = Instant::now();
        for (number, batch) in messages.chunks(BATCH).enumerate() {
            let mut length = 0;
            for message in batch {
                let parsed = MessageParser::default().parse(&*message.bytes).unwrap();
                length += parsed.body_text(0).map_or(0, |text| text.len());
            }
            assert!(length > 0);
            self.conn.execute_batch("BEGIN IMMEDIATE").unwrap();
            for (table, rows) in rows.iter().enumerate() {
                let share = rows.len() / batches;
                for (_, values) in &rows[number * share..(number + 1) * share] {
                    self.insert(table, values);
                }
            }
            self.conn.execute_batch("COMMIT").unwrap();
        }
        begun.elapsed()
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
}
