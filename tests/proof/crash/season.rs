//! A season: a server with its data folder that is killed repeatedly while its players play, and checked each time
//! against what the players know.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;

use super::relay::Relay;
use super::report::{Kind, Report};
use super::traffic::{Letters, Traffic};
use crate::book::checker::{Found, Remains};
use crate::book::computers::WAITING;
use crate::book::{Delivered, digest};
use crate::daemon::disk::Disk;
use crate::daemon::mailbox;
use crate::daemon::{Daemon, SERVER, Setup, count, until};
use pbmserv_core::store::{BoardFilter, Reader};

/// The time limit of a stop: deliveries and sessions have ten seconds to end.
const MAX_STOP: Duration = Duration::from_secs(25);

/// The parameters of a season.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Deliver to a relay, or else into Maildirs.
    pub(crate) has_relay: bool,
    /// Fill the disk in some rounds.
    pub(crate) fills_disk: bool,
    /// Whether a file system may be mounted for that; otherwise the size of files is limited.
    pub(crate) may_mount: bool,
    /// Rounds that end with a kill; others end with a stop, or have a second kill.
    pub(crate) kills: usize,
}

/// The disk of the data folder.
enum Room {
    /// A separate one.
    Mounted(Disk),
    /// The test's: a limit on the size of the daemon's files simulates a full disk.
    Limited,
}

impl Room {
    fn fill(&self, daemon: &Daemon, rng: &mut StdRng) {
        match self {
            Self::Mounted(disk) => disk.fill(rng.random_range(0..200_000)),
            Self::Limited => daemon.limit_files(&rng.random_range(4096..4_000_000).to_string()),
        }
    }

    fn free(&self) {
        if let Self::Mounted(disk) = self {
            disk.free();
        }
    }
}

/// A running season.
struct Season<'a> {
    plan: Plan,
    setup: Setup,
    traffic: &'a Traffic,
    room: Option<Room>,
    rng: StdRng,
    daemon: Option<Daemon>,
    report: &'a mut Report,
    /// Whether the next start must detect an unclean stop.
    is_unclean: bool,
}

/// Plays a season and checks its end.
pub(crate) fn play(plan: Plan, seed: u64, report: &mut Report) {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(folder.path());
    let room = plan.fills_disk.then(|| {
        if plan.may_mount {
            Room::Mounted(Disk::mount(&setup.data, 256 * 1024))
        } else {
            // Exceeding the limit sends SIGXFSZ, which kills unless it is ignored; if ignored, the write fails.
            setup = setup.behind(&["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
            Room::Limited
        }
    });
    let door = folder.path().join("Maildir");
    setup = setup.with("PBMSERV_MAILDIR_PATH", &door.to_string_lossy());
    let letters = if plan.has_relay {
        let relay = Relay::start();
        let url = format!("smtp://127.0.0.1:{}", relay.port);
        setup = setup
            .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
            .with("PBMSERV_DELIVERY_URL", &url);
        Letters::Relay(relay)
    } else {
        let mail = folder.path().join("mail");
        setup = setup.with("PBMSERV_DELIVERY_MAILDIR", &mail.to_string_lossy());
        Letters::Maildirs(mail)
    };
    let traffic = Traffic::new(letters, &door, setup.database().into());
    let mut season = Season {
        plan,
        setup,
        traffic: &traffic,
        room,
        rng: StdRng::seed_from_u64(seed),
        daemon: None,
        report,
        is_unclean: false,
    };
    season.start();
    traffic.run(seed, || {
        let mut kills = 0;
        while kills < plan.kills {
            kills += usize::from(season.round() != Kind::Undecided);
        }
        traffic.progress(2);
    });
    season.end();
    if let Some(Room::Mounted(disk)) = &season.room {
        let status = Command::new("umount").arg("-l").arg(&disk.path).status();
        assert!(status.unwrap().success());
    }
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

    /// One kill or stop, the check, and the next start.
    fn round(&mut self) -> Kind {
        let started = Instant::now();
        let before = (
            self.traffic.accepted(),
            self.traffic.repeated.load(Ordering::SeqCst),
        );
        let kind = self.kind();
        let faults = self.relay().map_or(0, Relay::faults);
        self.traffic.progress(3);
        self.let_computers_answer();
        match kind {
            Kind::Relay => self.trouble_relay(true),
            Kind::Disk => {
                let (room, daemon) = (self.room.as_ref().unwrap(), self.daemon.as_ref().unwrap());
                room.fill(daemon, &mut self.rng);
                thread::sleep(Duration::from_millis(self.rng.random_range(0..400)));
            }
            Kind::Plain | Kind::Undecided => {}
        }
        let moment = self.traffic.moment(&mut self.rng);
        if kind == Kind::Undecided {
            self.stop();
        } else {
            self.report.moment(moment);
            self.kill();
        }
        let found = self.judge(false);
        self.report.met_thinking(found.waiting);
        if kind == Kind::Disk {
            self.restart_without_room();
            self.room.as_ref().unwrap().free();
            self.forgive_two_kills();
        }
        if self.rng.random_bool(0.5) {
            self.let_time_pass();
            if self.rng.random_bool(0.5) {
                self.kill_at_start();
            }
        }
        if kind == Kind::Relay {
            self.trouble_relay(false);
        }
        self.start();
        let line = self.report.line(kind);
        line.kills += usize::from(kind != Kind::Undecided);
        line.stops += usize::from(kind == Kind::Undecided);
        line.accepted += self.traffic.accepted() - before.0;
        line.repeated += self.traffic.repeated.load(Ordering::SeqCst) - before.1;
        line.unheard += found.unheard;
        line.seconds += started.elapsed().as_secs_f64();
        if let Letters::Relay(relay) = &self.traffic.letters {
            line.relay_faults += relay.faults() - faults;
        }
        kind
    }

    fn kind(&mut self) -> Kind {
        match self.rng.random_range(0..10) {
            0 => Kind::Undecided,
            1..=4 if self.plan.has_relay => Kind::Relay,
            5..=8 if self.plan.fills_disk => Kind::Disk,
            _ => Kind::Plain,
        }
    }

    /// Waits until the boards that now wait for a computer have its turn: a position that is thought about at two kills in a row
    /// would be left alone after them.
    fn let_computers_answer(&self) {
        let conn = self.setup.look();
        let waiting = || -> Vec<(i64, i64)> {
            let sql = format!("SELECT id, turns FROM boards WHERE {WAITING}");
            let mut statement = conn.prepare(&sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
        };
        let before = waiting();
        until("the computers have answered", || {
            let now = waiting();
            (!before.iter().any(|board| now.contains(board))).then_some(())
        });
    }

    /// A kill on a full disk, and one while the disk is still full: the third start comes to the same mail in the Maildir and
    /// thinks about the same position, and would set the mail aside and leave the board alone.
    fn forgive_two_kills(&self) {
        let conn = Connection::open(self.setup.database()).unwrap();
        conn.execute_batch("DELETE FROM begun; DELETE FROM thoughts;")
            .unwrap();
    }

    fn relay(&self) -> Option<&Relay> {
        match &self.traffic.letters {
            Letters::Relay(relay) => Some(relay),
            Letters::Maildirs(_) => None,
        }
    }

    fn trouble_relay(&mut self, is_in_trouble: bool) {
        let is_down = is_in_trouble && self.rng.random_ratio(1, 4);
        let pause = self.rng.random_range(0..200);
        let relay = self.relay().unwrap();
        relay.set_trouble(is_in_trouble);
        relay.set_down(is_down);
        if is_in_trouble {
            thread::sleep(Duration::from_millis(pause));
        }
    }

    fn kill(&mut self) {
        let daemon = self.daemon.take().unwrap();
        let waiting = self
            .traffic
            .waiting
            .iter()
            .filter(|waiting| waiting.load(Ordering::SeqCst))
            .count();
        self.report.met_waiting(waiting);
        let log = daemon.kill_and_tell();
        self.traffic.port.store(0, Ordering::SeqCst);
        assert_quiet(&log);
        // Output of the dead process may still be in transit.
        thread::sleep(Duration::from_millis(20));
    }

    fn stop(&mut self) {
        let started = Instant::now();
        let log = self.daemon.take().unwrap().stop_well();
        assert!(started.elapsed() < MAX_STOP, "{:?}:\n{log}", started.elapsed());
        self.traffic.port.store(0, Ordering::SeqCst);
        assert_quiet(&log);
        self.is_unclean = false;
        thread::sleep(Duration::from_millis(20));
    }

    /// Starts and kills the daemon before any mail except through the Maildir.
    fn kill_at_start(&mut self) {
        let daemon = self.setup.begin();
        thread::sleep(Duration::from_micros(self.rng.random_range(0..150_000)));
        assert_quiet(&daemon.kill_and_tell());
        self.report.moment("while it starts");
        self.report.line(Kind::Plain).kills += 1;
        self.judge(false);
        // Its progress at the kill is unknown.
        self.let_time_pass();
    }

    /// A start on a full disk may fail; it must say so, and change nothing.
    fn restart_without_room(&mut self) {
        if matches!(self.room, Some(Room::Limited)) || self.rng.random_bool(0.5) {
            return;
        }
        let mut daemon = self.setup.begin();
        let is_ready = daemon.is_ready();
        thread::sleep(Duration::from_millis(self.rng.random_range(0..50)));
        let log = daemon.kill_and_tell();
        assert_quiet(&log);
        assert!(is_ready || log.contains("full"), "{log}");
        self.report.full_starts += 1;
        self.judge(false);
        self.is_unclean = true;
    }

    /// Simulates days of downtime: the server no longer handles the mails one by one but several in one commit,
    /// and letters that the relay refused are due.
    fn let_time_pass(&mut self) {
        let conn = Connection::open(self.setup.database()).unwrap();
        let sql = "UPDATE notes SET value = '0' WHERE name IN ('running', 'cautious_until');
                   DELETE FROM begun;
                   DELETE FROM thoughts;
                   UPDATE outbox SET due_at = created_at WHERE state = 'waiting';";
        conn.execute_batch(sql).unwrap();
        self.is_unclean = false;
    }

    /// Checks a copy of the data: the next daemon must find the original untouched.
    fn judge(&mut self, is_quiet: bool) -> Found {
        let book = self.traffic.book();
        let started = Instant::now();
        let delivered = match &self.traffic.letters {
            Letters::Relay(relay) => Some(relay.taken()),
            // All of them are read only at the end.
            Letters::Maildirs(folder) => is_quiet.then(|| in_maildirs(folder)),
        };
        let folder = scratch();
        for name in ["pbmserv.sqlite", "pbmserv.sqlite-wal"] {
            if self.setup.data.join(name).exists() {
                std::fs::copy(self.setup.data.join(name), folder.path().join(name)).unwrap();
            }
        }
        let conn = Connection::open(folder.path().join("pbmserv.sqlite")).unwrap();
        let remains = Remains {
            conn: &conn,
            book: &book,
            delivered: delivered.as_deref(),
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
        self.report.judged += started.elapsed();
        found
    }

    /// After the traffic: delivers all letters, and checks everything once more.
    fn end(&mut self) {
        if let Some(relay) = self.relay() {
            relay.set_trouble(false);
            relay.set_down(false);
        }
        self.stop();
        self.let_time_pass();
        self.start();
        let conn = self.setup.look();
        // Who scores at Shape Chess must act again, so a computer may play twice.
        until("no board waits for a computer", || {
            let sql = format!("SELECT COUNT(*) FROM boards WHERE {WAITING}");
            (count(&conn, &sql) == 0).then_some(())
        });
        until("all letters are delivered", || {
            let waiting = count(&conn, "SELECT COUNT(*) FROM outbox WHERE state = 'waiting'");
            (waiting == 0).then_some(())
        });
        drop(conn);
        self.stop();
        let found = self.judge(true);
        self.report.season(found);
        replay(&self.setup.database());
    }
}

/// Every board replays, checked by the server's own code.
pub(super) fn replay(database: &Path) {
    let reader = Reader::open(database).unwrap();
    let filter = BoardFilter {
        limit: 1_000_000,
        ..BoardFilter::default()
    };
    for board in reader.boards(filter).unwrap() {
        let turns = reader.turns(board.id).unwrap();
        let position = board.replay(turns, usize::MAX).unwrap();
        if board.end.is_none() {
            assert_eq!(position.to_move(), board.to_move, "{}", board.name());
        }
    }
}

/// A folder in memory if possible.
pub(super) fn scratch() -> tempfile::TempDir {
    tempfile::TempDir::new_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// All letters in all Maildirs, each with its address.
fn in_maildirs(folder: &Path) -> Vec<Delivered> {
    let mut all = Vec::new();
    for mailbox in mailbox::files(folder) {
        let to = mailbox.file_name().unwrap().to_string_lossy().into_owned();
        let letters = mailbox::of(&mailbox).into_iter();
        all.extend(letters.map(|mail| Delivered {
            to: to.clone(),
            digest: digest(mail.text.as_bytes()),
            message_id: mail.message_id,
            in_reply_to: mail.in_reply_to,
            subject: mail.subject,
        }));
    }
    all
}

pub(super) fn assert_quiet(log: &str) {
    for bad in ["panicked", "set aside", "fault of the program"] {
        assert!(!log.contains(bad), "{log}");
    }
}
