//! The same on PostgreSQL: kills of pbmserv, of PostgreSQL, of both, and faults of the connection between them.
//!
//! After each round the database is copied into a file of SQLite, as `store copy` does it, and the same checker looks at that.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;

use super::alone;
use super::relay::Relay;
use super::season::{assert_quiet, replay, scratch};
use super::traffic::{Letters, Traffic};
use crate::book::checker::{Found, Remains};
use crate::book::computers::WAITING;
use crate::daemon::cluster::Cluster;
use crate::daemon::proxy::{Line, Proxy};
use crate::daemon::{Daemon, SERVER, Setup, seed, until};
use pbmserv_core::store::{Location, Server, Transfer};

/// Rounds of a season: a new season begins with an empty database, so that a long run does not slow down.
const ROUNDS_OF_A_SEASON: usize = 30;

/// What becomes of a round.
const FAULTS: [&str; 7] = [
    "pbmserv killed",
    "PostgreSQL stopped at once",
    "PostgreSQL killed",
    "both killed",
    "connections cut",
    "answers lost, then cut",
    "silence, then cut or not",
];

/// The rounds of one kind.
#[derive(Default)]
struct Rounds {
    rounds: usize,
    accepted: usize,
    repeated: usize,
    /// Mails that were handled at the kill, but had no reply yet.
    unheard: usize,
    /// The longest time from the end of the fault until each pair has had a mail taken.
    longest: Duration,
}

#[derive(Default)]
struct Report {
    by_fault: BTreeMap<&'static str, Rounds>,
    /// The longest time in which all boards that waited for a computer had its turn.
    thinking: Duration,
    found: Vec<Found>,
}

impl Report {
    fn table(&self) -> String {
        let mut out = format!(
            "{:<28} rounds  accepted  repeated  done, unheard  longest until all go on\n",
            "fault"
        );
        for (fault, rounds) in &self.by_fault {
            let _ = writeln!(
                out,
                "{fault:<28} {:>6} {:>9} {:>9} {:>14} {:>22.1} s",
                rounds.rounds,
                rounds.accepted,
                rounds.repeated,
                rounds.unheard,
                rounds.longest.as_secs_f64()
            );
        }
        let _ = writeln!(
            out,
            "longest until all computers had answered: {:.1} s",
            self.thinking.as_secs_f64()
        );
        for found in &self.found {
            let _ = writeln!(out, "at the end of a season: {found:?}");
        }
        out
    }
}

struct Season<'a> {
    cluster: Cluster,
    proxy: Proxy,
    setup: Setup,
    traffic: &'a Traffic,
    rng: StdRng,
    daemon: Option<Daemon>,
    report: &'a mut Report,
    is_unclean: bool,
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice_on_postgresql() {
    let _alone = alone();
    let rounds: usize = std::env::var("PBMSERV_CRASH_ROUNDS").map_or(7, |rounds| rounds.parse().unwrap());
    let seed = seed();
    let mut report = Report::default();
    let seasons = rounds.div_ceil(ROUNDS_OF_A_SEASON);
    for season in 0..seasons {
        let of_season = rounds * (season + 1) / seasons - rounds * season / seasons;
        if !play(of_season, seed.wrapping_add(season as u64), &mut report) {
            return;
        }
        eprintln!("after season {} of {seasons}:\n{}", season + 1, report.table());
    }
}

/// Plays a season; false: PostgreSQL is not installed.
fn play(rounds: usize, seed: u64, report: &mut Report) -> bool {
    let Some(cluster) = Cluster::start("kills on PostgreSQL", "max_connections = 60") else {
        return false;
    };
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::start();
    let proxy = Proxy::to(cluster.port);
    let door = folder.path().join("Maildir");
    // On a machine with much else to do a login takes seconds; one whose answer is lost is waited for as long as this.
    let url = |port: u16| format!("postgres://pbmserv@127.0.0.1:{port}/pbmserv?connect_timeout=20");
    let setup = Setup::new(folder.path())
        .with("PBMSERV_STORE_URL", &url(proxy.port))
        .with("PBMSERV_MAILDIR_PATH", &door.to_string_lossy())
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with(
            "PBMSERV_DELIVERY_URL",
            &format!("smtp://127.0.0.1:{}", relay.port),
        );
    let at = Location::Server(Arc::new(Server::new(&url(cluster.port), None).unwrap()));
    let traffic = Traffic::new(Letters::Relay(relay), &door, at);
    let mut season = Season {
        cluster,
        proxy,
        setup,
        traffic: &traffic,
        rng: StdRng::seed_from_u64(seed),
        daemon: None,
        report,
        is_unclean: false,
    };
    season.start();
    traffic.run(seed, || {
        for round in 0..rounds {
            season.round(FAULTS[round % FAULTS.len()]);
        }
        traffic.progress(2);
    });
    season.end();
    true
}

impl Season<'_> {
    fn start(&mut self) {
        let daemon = self.setup.serve();
        let is_unclean = daemon.log().contains("the last stop was not clean");
        assert_eq!(is_unclean, self.is_unclean, "{}", daemon.log());
        self.traffic.port.store(daemon.port, Ordering::SeqCst);
        self.daemon = Some(daemon);
        self.is_unclean = true;
    }

    /// One fault, which the server outlives or not; then it is killed, and the database is checked.
    fn round(&mut self, fault: &'static str) {
        let before = (
            self.traffic.accepted(),
            self.traffic.repeated.load(Ordering::SeqCst),
        );
        self.traffic.progress(2);
        self.let_computers_answer();
        self.traffic.moment(&mut self.rng);
        self.suffer(fault);
        let started = Instant::now();
        let mut longest = Duration::ZERO;
        if self.daemon.is_some() {
            self.traffic.progress(1);
            longest = started.elapsed();
            // No board waits for the next start because the database was away.
            self.let_computers_answer();
            self.traffic.moment(&mut self.rng);
            self.kill();
        }
        let found = self.judge(false);
        if self.rng.random_bool(0.5) {
            self.let_time_pass();
        }
        self.cluster.sql("pbmserv", "DELETE FROM thoughts");
        let started = Instant::now();
        self.start();
        if longest.is_zero() {
            self.traffic.progress(1);
            longest = started.elapsed();
        }
        let rounds = self.report.by_fault.entry(fault).or_default();
        rounds.rounds += 1;
        rounds.accepted += self.traffic.accepted() - before.0;
        rounds.repeated += self.traffic.repeated.load(Ordering::SeqCst) - before.1;
        rounds.unheard += found.unheard;
        rounds.longest = rounds.longest.max(longest);
    }

    fn suffer(&mut self, fault: &'static str) {
        let pause = Duration::from_millis(self.rng.random_range(0..1500));
        match fault {
            "pbmserv killed" => self.kill(),
            "PostgreSQL stopped at once" => self.restart_database("QUIT", pause),
            "PostgreSQL killed" => self.restart_database("KILL", pause),
            "both killed" => {
                self.cluster.end("KILL");
                thread::sleep(Duration::from_micros(self.rng.random_range(0..3000)));
                self.kill();
                self.cluster.begin();
            }
            "connections cut" => {
                self.proxy.set(Line::Closed);
                self.proxy.cut();
                thread::sleep(pause);
            }
            "answers lost, then cut" => {
                self.proxy.set(Line::Deaf);
                thread::sleep(pause / 10);
                self.proxy.cut();
            }
            _ => {
                self.proxy.set(Line::Silent);
                thread::sleep(2 * pause);
                if self.rng.random_bool(0.5) {
                    self.proxy.cut();
                }
            }
        }
        self.proxy.set(Line::Good);
    }

    fn restart_database(&mut self, name: &str, pause: Duration) {
        self.cluster.end(name);
        thread::sleep(pause);
        self.cluster.begin();
    }

    fn kill(&mut self) {
        let log = self.daemon.take().unwrap().kill_and_tell();
        self.traffic.port.store(0, Ordering::SeqCst);
        assert_quiet(&log);
        // Output of the dead process may still be in transit.
        thread::sleep(Duration::from_millis(20));
    }

    /// Waits until the boards that now wait for a computer have its turn.
    fn let_computers_answer(&mut self) {
        let sql = format!("SELECT id || ' ' || turns FROM boards WHERE {WAITING}");
        let waiting = || -> Vec<String> {
            let found = self.cluster.sql("pbmserv", &sql);
            found.lines().map(str::to_owned).collect()
        };
        let (mut left, started) = (waiting(), Instant::now());
        // After a kill they think one after another, and each thought is noted: with many boards that takes minutes in all.
        while !left.is_empty() {
            left = until("a computer has answered", || {
                let now = waiting();
                let still: Vec<_> = left.iter().filter(|board| now.contains(board)).cloned().collect();
                (still.len() < left.len()).then_some(still)
            });
        }
        self.report.thinking = self.report.thinking.max(started.elapsed());
    }

    /// Simulates days of downtime, after which mails are handled several in one commit.
    fn let_time_pass(&mut self) {
        let sql = "UPDATE notes SET value = '0' WHERE name IN ('running', 'cautious_until'); DELETE FROM begun; \
                   DELETE FROM thoughts; UPDATE outbox SET due_at = created_at WHERE state = 'waiting'";
        self.cluster.sql("pbmserv", sql);
        self.is_unclean = false;
    }

    fn judge(&self, is_quiet: bool) -> Found {
        let book = self.traffic.book();
        let Letters::Relay(relay) = &self.traffic.letters else {
            panic!("there is a relay");
        };
        let delivered = relay.taken();
        let folder = scratch();
        let path = folder.path().join("pbmserv.sqlite");
        let transfer = Transfer::open(&self.traffic.database, &Location::File(path.clone())).unwrap();
        let copied = transfer.run(&mut |_, _| ()).unwrap();
        assert_eq!(copied.rows, transfer.rows());
        drop(transfer);
        let conn = Connection::open(&path).unwrap();
        let remains = Remains {
            conn: &conn,
            book: &book,
            delivered: Some(&delivered),
            server: SERVER,
            is_quiet,
        };
        let (found, mut faults) = remains.judge();
        for name in self.traffic.vanished() {
            faults.push(format!("{name} has vanished from the Maildir"));
        }
        assert!(
            faults.is_empty(),
            "{} faults:\n{}",
            faults.len(),
            faults.join("\n")
        );
        if is_quiet {
            replay(&path);
        }
        found
    }

    fn stop(&mut self) {
        let log = self.daemon.take().unwrap().stop_well();
        self.traffic.port.store(0, Ordering::SeqCst);
        assert_quiet(&log);
        self.is_unclean = false;
    }

    /// After the traffic: delivers all letters, and checks everything once more.
    fn end(&mut self) {
        self.stop();
        self.let_time_pass();
        self.start();
        let count = |what: &str| {
            self.cluster
                .sql("pbmserv", &format!("SELECT COUNT(*) FROM {what}"))
        };
        // Who scores at Shape Chess must act again, so a computer may play twice.
        until("no board waits for a computer", || {
            (count(&format!("boards WHERE {WAITING}")) == "0").then_some(())
        });
        until("all letters are delivered", || {
            (count("outbox WHERE state = 'waiting'") == "0").then_some(())
        });
        self.stop();
        let found = self.judge(true);
        self.report.found.push(found);
    }
}
