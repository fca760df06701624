//! The memory of a server that has nothing to do, after each kind of load: it goes back to little, whatever came. And that of
//! computers that think.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon::smtp::{self, Client};
use crate::daemon::{Daemon, Setup, until};

/// The most memory of its own that an idle server keeps, in kilobytes. With the pages of the program's file, 16 to 20 MB in a
/// release build, that is less than 60 MB; a debug build has many more of these, which the kernel takes back as it likes.
const MAX_KILOBYTES: u64 = 40_000;

const CONNECTIONS: usize = 40;

/// The most memory that all thinking may take, in kilobytes.
const MAX_FOR_THINKING: u64 = 128 * 1024;

/// The largest boards of the games with the most turns. On each the computer is to move.
const LARGE_BOARDS: [&str; 8] = [
    "Forms challenge bot-hard player0 -size=18",
    "Forms challenge bot-hard player1 -size=18 -standard",
    "Ringworm challenge bot-hard player2",
    "Amazons challenge bot-hard player3 -size=10",
    "Hex challenge bot-hard player4 -size=19",
    "ShapeChess challenge bot-hard player5",
    "Gomoku challenge bot-hard player6 -size=19",
    "Ringworm challenge bot-hard player7",
];

/// Sends mails over many connections at a time.
fn flood(daemon: &Daemon, mails: usize, mail: impl Fn(usize) -> (String, Vec<u8>) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut client = Client::connect(daemon.port).unwrap();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= mails {
                        return;
                    }
                    let (sender, message) = mail(number);
                    let reply = client.send(&sender, &message).unwrap();
                    assert!(reply.starts_with("250"), "{reply}");
                }
            });
        }
    });
}

#[test]
fn an_idle_server_keeps_little_memory_whatever_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let daemon = setup.serve();
    let idle_after = |load: &str| {
        until(&format!("the memory after {load} is given back"), || {
            (daemon.kilobytes("RssAnon") <= MAX_KILOBYTES).then_some(())
        });
    };
    idle_after("the start");
    let player = |number: usize| format!("player{number}@example.org");
    flood(&daemon, 60, |number| {
        let sender = player(number);
        let signup = format!("signup player{number} yew6hen{number}");
        (
            sender.clone(),
            smtp::message(&sender, &format!("s{number}"), &signup, ""),
        )
    });
    idle_after("signups");
    flood(&daemon, 2000, |number| {
        let sender = player(number % 60);
        (
            sender.clone(),
            smtp::message(&sender, &format!("h{number}"), "Pow2 help", ""),
        )
    });
    idle_after("a flood");
    let long = "A line of a long text that is no command at all.\n".repeat(20_000);
    flood(&daemon, 120, |number| {
        let sender = player(number % 60);
        (
            sender.clone(),
            smtp::message(&sender, &format!("l{number}"), "hello", &long),
        )
    });
    idle_after("long mails");
    daemon.stop_well();
}

#[test]
fn computers_that_think_in_all_threads_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_BOTS_THREADS", "8");
    let daemon = setup.serve();
    let send = |number: usize, id: &str, subject: &str| {
        let sender = format!("player{number}@example.org");
        smtp::send(
            daemon.port,
            &sender,
            &format!("{id}{number}@example.org"),
            subject,
            "",
        );
    };
    for number in 0..LARGE_BOARDS.len() {
        send(number, "s", &format!("signup player{number} yew6hen{number}"));
    }
    let before = daemon.kilobytes("RssAnon");
    for (number, line) in LARGE_BOARDS.iter().enumerate() {
        send(number, "c", line);
    }
    let threads = || {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", daemon.pid())).unwrap();
        let names = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
        names.filter(|name| name.trim() == "bot").count()
    };
    until("all threads think", || {
        (threads() == LARGE_BOARDS.len()).then_some(())
    });
    // They have tables from the first moment, and their longest lists of turns soon.
    let (mut most, began) = (0, Instant::now());
    while threads() > 0 && began.elapsed() < Duration::from_secs(20) {
        most = most.max(daemon.kilobytes("RssAnon").saturating_sub(before));
        thread::sleep(Duration::from_millis(20));
    }
    eprintln!("thinking about {} boards took {most} kB", LARGE_BOARDS.len());
    assert!(most < MAX_FOR_THINKING, "{most} kB");
    daemon.kill();
}
