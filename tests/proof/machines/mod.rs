//! The machine burns: PostgreSQL with a synchronous standby on two machines, two servers, players at work. In each round the
//! primary's processes are killed, its folder is deleted, and the standby is promoted; in most, the server that has the engine
//! is killed or stopped around that moment. Every mail that was answered 250 has had its effect exactly once, no board has two
//! histories, and every letter is delivered.
//!
//! `PBMSERV_MACHINES_ROUNDS=100 cargo test --test proof machines:: -- --nocapture` (`make machines`). Without the variable, or
//! without PostgreSQL, it is left out.

mod export;
mod pair;
mod traffic;

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use pbmserv_core::store::{BoardFilter, Reader};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::book::checker::{Found, Remains};
use crate::book::{Delivered, Entry, Fate};
use crate::daemon::http::closed_port;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, SERVER, Setup, seed, signal, until};
use pair::Pair;
use traffic::{Traffic, greeting};

/// Rounds between two checks of everything.
const CHECK_EVERY: usize = 10;

/// What happens to the server that has the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// Nothing: only the machine of the database is lost.
    Nothing,
    /// It is killed, as if it ran on the same machine.
    Killed,
    /// It hangs (SIGSTOP), and goes on when the other has taken over.
    Hangs,
    /// The operator stops it (SIGTERM).
    Stopped,
}

const LOSSES: [Loss; 4] = [Loss::Nothing, Loss::Killed, Loss::Hangs, Loss::Stopped];

/// The servers, each with its data folder.
struct Servers {
    setups: [Setup; 2],
    daemons: [Option<Daemon>; 2],
    ports: [u16; 2],
}

impl Servers {
    fn start(&mut self, index: usize) {
        self.daemons[index] = Some(self.setups[index].begin());
    }

    /// The one that takes mail.
    fn active(&self) -> Option<usize> {
        (0..2).find(|&index| greeting(self.ports[index]).is_ok_and(|reply| reply.starts_with("220")))
    }

    /// Waits until one of them takes mail and the other waits. One that has just been started ends if it finds no database.
    fn are_ready(&mut self) {
        until("one server takes mail and the other waits", || {
            self.all_run();
            let replies = self.ports.map(|port| greeting(port).unwrap_or_default());
            let is = |code| replies.iter().any(|reply| reply.starts_with(code));
            (is("220") && is("421")).then_some(())
        });
    }

    /// None ends by itself.
    fn all_run(&mut self) {
        for daemon in self.daemons.iter_mut().flatten() {
            assert!(daemon.is_running(), "a server has ended:\n{}", daemon.log());
        }
    }

    fn pid(&self, index: usize) -> u32 {
        self.daemons[index].as_ref().unwrap().pid()
    }
}

#[test]
fn the_machine_burns_and_no_mail_is_lost() {
    let rounds = std::env::var("PBMSERV_MACHINES_ROUNDS").map_or(0, |rounds| rounds.parse().unwrap());
    if rounds == 0 {
        eprintln!("left out: make machines does it");
        return;
    }
    let mut pair = Pair::start("a machine that burns").expect("PostgreSQL is missing (Debian: postgresql)");
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let ports = [closed_port(), closed_port()];
    let traffic = Traffic::new(ports);
    let setups = [0, 1].map(|index| {
        let place = folder.path().join(index.to_string());
        std::fs::create_dir(&place).unwrap();
        Setup::new(&place)
            .with("PBMSERV_STORE_URL", &pair.url())
            .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", ports[index]))
            .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
            .with(
                "PBMSERV_DELIVERY_URL",
                &format!("smtp://127.0.0.1:{}", traffic.relay.port),
            )
    });
    let mut servers = Servers {
        setups,
        daemons: [None, None],
        ports,
    };
    servers.start(0);
    servers.start(1);
    servers.are_ready();
    let mut report = Report::default();
    traffic.run(seed, || {
        for round in 1..=rounds {
            traffic.progress(2);
            let loss = LOSSES[rng.random_range(0..LOSSES.len())];
            let before = (traffic.accepted(), Instant::now());
            let took = burn(&mut pair, &mut servers, &traffic, loss, &mut rng);
            report.took(loss, took);
            eprintln!(
                "round {round}: {loss:?}, mail is taken again after {:.1} s, {} mails, the round {:.1} s",
                took.as_secs_f64(),
                traffic.accepted() - before.0,
                before.1.elapsed().as_secs_f64()
            );
            if round % CHECK_EVERY == 0 {
                check(&pair, &traffic, false);
            }
        }
        traffic.progress(2);
    });
    end(&pair, &mut servers);
    let found = check(&pair, &traffic, true);
    let repeated = traffic.repeated.load(std::sync::atomic::Ordering::SeqCst);
    eprintln!(
        "{rounds} rounds: {} mails answered 250, {repeated} sent again after the final dot, {} turns on {} boards, {} letters, {} of them \
         twice\n{report}",
        traffic.accepted(),
        found.turns,
        found.boards,
        found.letters,
        found.copies
    );
}

/// PostgreSQL only warns when the wait for the standby was cancelled: the commit is on one disk then.
#[test]
fn a_commit_whose_wait_was_cancelled_is_not_believed() {
    if std::env::var_os("POSTGRES_OF_TESTS").is_none() {
        eprintln!("left out: tests/on-postgres runs it");
        return;
    }
    let pair = Pair::start("a wait that is cancelled").expect("PostgreSQL is missing (Debian: postgresql)");
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_STORE_URL", &pair.url());
    let daemon = setup.serve();
    pair.wait_for("nobody");
    let port = daemon.port;
    let sender = thread::spawn(move || {
        let mut client = Client::connect(port).unwrap();
        let mail = message("a@home.example", "a@home.example", "signup alice fig7elk", "");
        client.send("a@home.example", &mail).unwrap()
    });
    // The commit, and then each look for its fate, which waits as well.
    for _ in 0..5 {
        until("a wait for the standby is cancelled", || {
            let cancelled = pair.ask(
                "SELECT COUNT(*) FROM (SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' \
                 AND query_start < now() - interval '300 ms') AS waits",
            );
            (cancelled != "0").then_some(())
        });
        assert!(
            !sender.is_finished(),
            "it was answered, although one machine alone has it"
        );
    }
    pair.wait_for("*");
    let reply = sender.join().unwrap();
    assert!(reply.starts_with("250"), "{reply}");
    assert_eq!(pair.ask("SELECT COUNT(*) FROM inbox"), "1");
    let log = daemon.stop_well();
    assert!(log.contains("did not wait for the standby"), "{log}");
}

/// One round; returns how long no mail was taken.
fn burn(pair: &mut Pair, servers: &mut Servers, traffic: &Traffic, loss: Loss, rng: &mut StdRng) -> Duration {
    let active = until("a server takes mail", || servers.active());
    // The machine of the database is lost up to a second before or after the server.
    let apart = Duration::from_millis(rng.random_range(0..1000));
    let server_first = rng.random_bool(0.5);
    thread::sleep(Duration::from_millis(rng.random_range(0..500)));
    let since = Instant::now();
    let lose = |servers: &mut Servers| match loss {
        Loss::Nothing => {}
        Loss::Killed => servers.daemons[active].take().unwrap().kill(),
        Loss::Hangs => signal(servers.pid(active), "STOP"),
        Loss::Stopped => signal(servers.pid(active), "TERM"),
    };
    if server_first {
        lose(servers);
        thread::sleep(apart);
    }
    pair.burn();
    if !server_first {
        thread::sleep(apart);
        lose(servers);
    }
    let other = 1 - active;
    until("a server takes mail again", || match loss {
        Loss::Nothing => is_taken_since(traffic, servers),
        _ => {
            if loss != Loss::Stopped {
                servers.all_run();
            }
            let greeting = greeting(servers.ports[other]);
            greeting.is_ok_and(|reply| reply.starts_with("220")).then_some(())
        }
    });
    let took = since.elapsed();
    match loss {
        Loss::Hangs => signal(servers.pid(active), "CONT"),
        Loss::Stopped => {
            let mut daemon = servers.daemons[active].take().unwrap();
            daemon.ended();
        }
        Loss::Nothing | Loss::Killed => {}
    }
    if servers.daemons[active].is_none() {
        servers.start(active);
    }
    pair.add_standby();
    servers.are_ready();
    took
}

/// Whether a mail was accepted from now on.
fn is_taken_since(traffic: &Traffic, servers: &Servers) -> Option<()> {
    let before = traffic.accepted();
    thread::sleep(Duration::from_millis(50));
    (traffic.accepted() > before && servers.active().is_some()).then_some(())
}

/// Compares the database with the mails.
fn check(pair: &Pair, traffic: &Traffic, is_quiet: bool) -> Found {
    // What was accepted before the copy is in it; what is in it was sent before the end of the copy.
    let accepted: std::collections::HashSet<String> = traffic
        .book()
        .into_iter()
        .filter(|entry| entry.fate == Fate::Accepted)
        .map(|entry| entry.mail.id.clone())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy.sqlite");
    let conn = export::export(pair, &file);
    let delivered: Option<Vec<Delivered>> = is_quiet.then(|| traffic.relay.taken());
    let book = traffic.book().into_iter().map(|entry| Entry {
        fate: match accepted.contains(&entry.mail.id) {
            true => Fate::Accepted,
            false => Fate::Open,
        },
        mail: entry.mail,
    });
    let book: Vec<Entry> = book.collect();
    let remains = Remains {
        conn: &conn,
        book: &book,
        delivered: delivered.as_deref(),
        server: SERVER,
        is_quiet,
    };
    let (found, faults) = remains.judge();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    drop(conn);
    replay(&file);
    found
}

/// Every board has one history, which replays.
fn replay(database: &std::path::Path) {
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

/// After the traffic: both servers stop, days pass, and one of them delivers what waits.
fn end(pair: &Pair, servers: &mut Servers) {
    for daemon in &mut servers.daemons {
        assert_quiet(&daemon.take().unwrap().stop_well());
    }
    let days = "UPDATE notes SET value = '0' WHERE name IN ('running', 'cautious_until');;DELETE FROM begun;;\
                UPDATE outbox SET due_at = created_at WHERE state = 'waiting'";
    pair.ask(days);
    let daemon = servers.setups[0].serve();
    until("all letters are delivered", || {
        let waiting = pair.ask("SELECT COUNT(*) FROM outbox WHERE state = 'waiting'");
        (waiting == "0").then_some(())
    });
    assert_quiet(&daemon.stop_well());
}

fn assert_quiet(log: &str) {
    for bad in ["panicked", "set aside", "fault of the program"] {
        assert!(!log.contains(bad), "{log}");
    }
}

/// How long no mail was taken, by loss.
#[derive(Default)]
struct Report(Vec<(Loss, Duration)>);

impl Report {
    fn took(&mut self, loss: Loss, took: Duration) {
        self.0.push((loss, took));
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut table = "the server    rounds  median s  longest s\n".to_owned();
        for loss in LOSSES {
            let mut took: Vec<f64> = self
                .0
                .iter()
                .filter(|(of, _)| *of == loss)
                .map(|(_, took)| took.as_secs_f64())
                .collect();
            took.sort_by(f64::total_cmp);
            if let Some(longest) = took.last() {
                let median = took[took.len() / 2];
                writeln!(
                    table,
                    "{:<13} {:>6}  {median:>8.1}  {longest:>9.1}",
                    format!("{loss:?}"),
                    took.len()
                )?;
            }
        }
        f.write_str(&table)
    }
}
