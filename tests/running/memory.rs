//! The memory of a server that has nothing to do, after each kind of load: it goes back to little, whatever came.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::daemon::smtp::{self, Client};
use crate::daemon::{Daemon, Setup, until};

/// The most memory of its own that an idle server keeps, in kilobytes. With the pages of the program's file, 16 to 20 MB in a
/// release build, that is less than 60 MB; a debug build has many more of these, which the kernel takes back as it likes.
const MOST_KILOBYTES: u64 = 40_000;

const CONNECTIONS: usize = 40;

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
            (daemon.kilobytes("RssAnon") <= MOST_KILOBYTES).then_some(())
        });
    };
    idle_after("the start");
    let player = |number: usize| format!("player{number}@example.org");
    flood(&daemon, 60, |number| {
        let sender = player(number);
        let signup = format!("signup player{number} secret{number}");
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
