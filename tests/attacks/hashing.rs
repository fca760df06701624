//! Password hashes cost time and memory on purpose: strangers make the server compute few of them, one at a time, behind
//! the players.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::daemon::mailbox::{Mail, of};
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, SERVER, Setup, count, until};

/// The bound for a hundred mails of twenty signups each, and for a hundred guesses. A hash costs 20 milliseconds, and the rest
/// of a mail more in a build that is not optimised.
const MAX_CPU: Duration = Duration::from_secs(if cfg!(debug_assertions) { 2 } else { 1 });

/// How long a player may wait beside a flood. The aim is a second, on a machine with nothing else to do.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The memory of the daemon after a flood.
const MAX_MEMORY_KB: u64 = 120 * 1024;

const PLAYERS: usize = 5;

fn userid(player: usize) -> String {
    format!("player{player}")
}

fn address(player: usize) -> String {
    format!("{}@home.example", userid(player))
}

/// A server as `init` configures it.
fn setup(folder: &TempDir) -> Setup {
    Setup::new(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "true")
}

/// A daemon and its players, whose password is `fig7elk`. No password was checked yet.
fn with_players(folder: &TempDir) -> (Setup, Daemon) {
    let setup = setup(folder);
    let daemon = setup.serve();
    for player in 0..PLAYERS {
        let words = ["user", "add", &userid(player), &address(player), "--confirmed"];
        let options = ["--password-stdin", "--why", "test"];
        let output = setup.run_with(&[&words[..], &options[..]].concat(), b"fig7elk\n");
        assert!(output.status.success(), "{output:?}");
    }
    (setup, daemon)
}

/// Twenty signups in a mail of less than 670 bytes.
fn signups(from: &str, number: usize) -> Vec<u8> {
    let lines: String = (0..20)
        .map(|line| format!("signup u{number}x{line} mistaken{line}\n"))
        .collect();
    message(from, &format!("signups{number}@away.example"), "", &lines)
}

/// The CPU time of a process so far.
fn cpu_time(daemon: &Daemon) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.pid())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2);
    // Linux counts a hundred ticks a second for every program.
    Duration::from_millis(ticks.map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum())
}

/// What the daemon computes meanwhile.
fn cost(daemon: &Daemon, attack: impl FnOnce()) -> Duration {
    let before = cpu_time(daemon);
    attack();
    let cost = cpu_time(daemon) - before;
    eprintln!("{cost:?} of CPU time");
    cost
}

/// Sends these mails concurrently, each in its own session, and returns the replies.
fn at_once(port: u16, from: &str, mails: &[Vec<u8>]) -> Vec<String> {
    thread::scope(|scope| {
        let send = |mail: &Vec<u8>| Client::connect(port).unwrap().send(from, mail).unwrap();
        let sessions: Vec<_> = mails.iter().map(|mail| scope.spawn(move || send(mail))).collect();
        sessions
            .into_iter()
            .map(|session| session.join().unwrap())
            .collect()
    })
}

/// The only mail in a mailbox.
fn only_letter(setup: &Setup, address: &str) -> Mail {
    setup.wait_for_delivery();
    let letters = of(&setup.data.join("mail").join(address));
    let [letter] = letters.as_slice() else {
        panic!("{} letters", letters.len());
    };
    letter.clone()
}

fn assert_memory_comes_back(daemon: &Daemon) {
    let most = daemon.kilobytes("VmHWM");
    let now = until("the memory comes back", || {
        let now = daemon.kilobytes("VmRSS");
        (now < MAX_MEMORY_KB).then_some(now)
    });
    eprintln!("{now} kB of memory, at most {most} kB");
}

#[test]
fn a_hundred_copies_of_twenty_signups_cost_under_a_second() {
    let folder = TempDir::new().unwrap();
    let daemon = setup(&folder).serve();
    let from = "stranger@away.example";
    let cost = cost(&daemon, || {
        let mut client = Client::connect(daemon.port).unwrap();
        client.say(&format!("MAIL FROM:<{from}>")).unwrap();
        for copy in 0..100 {
            let to = SERVER.replace('@', &format!("+a{copy}@"));
            client.say(&format!("RCPT TO:<{to}>")).unwrap();
        }
        client.say("DATA").unwrap();
        client.write(&signups(from, 0)).unwrap();
        client.write(b".\r\n").unwrap();
        client.reply().unwrap();
    });
    assert!(cost < MAX_CPU, "{cost:?}");
    assert_memory_comes_back(&daemon);
    daemon.stop_well();
}

#[test]
fn a_hundred_mails_of_twenty_signups_from_one_sender_cost_under_a_second() {
    let folder = TempDir::new().unwrap();
    let daemon = setup(&folder).serve();
    let from = "stranger@away.example";
    let mails: Vec<_> = (0..100).map(|number| signups(from, number)).collect();
    let cost = cost(&daemon, || drop(at_once(daemon.port, from, &mails)));
    assert!(cost < MAX_CPU, "{cost:?}");
    assert_memory_comes_back(&daemon);
    daemon.stop_well();
}

#[test]
fn a_player_does_not_wait_behind_a_flood_of_signups() {
    let folder = TempDir::new().unwrap();
    let (setup, daemon) = with_players(&folder);
    let (is_over, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let waits: Vec<_> = thread::scope(|scope| {
        let flood = || {
            let Ok(mut client) = Client::connect(daemon.port) else {
                return;
            };
            while !is_over.load(Ordering::SeqCst) {
                let number = sent.fetch_add(1, Ordering::SeqCst);
                let from = format!("stranger{number}@away.example");
                if client.send(&from, &signups(&from, number)).is_err() {
                    return;
                }
            }
        };
        for _ in 0..40 {
            scope.spawn(flood);
        }
        until("the flood runs", || {
            (sent.load(Ordering::SeqCst) > 60).then_some(())
        });
        let wait = |player: usize| {
            let (from, line) = (address(player), format!("set {} fig7elk small", userid(player)));
            let mail = message(&from, &format!("{player}@home.example"), &line, "");
            let start = Instant::now();
            let reply = Client::connect(daemon.port).unwrap().send(&from, &mail).unwrap();
            assert!(reply.starts_with("250"), "{reply}");
            start.elapsed()
        };
        let waits = (0..PLAYERS).map(wait).collect();
        is_over.store(true, Ordering::SeqCst);
        waits
    });
    eprintln!("{waits:?} beside {sent:?} mails");
    assert!(waits.iter().all(|wait| *wait < MAX_WAIT), "{waits:?}");
    assert_eq!(
        count(&setup.look(), "SELECT COUNT(*) FROM inbox WHERE proven = 1"),
        5
    );
    assert_memory_comes_back(&daemon);
    daemon.stop_well();
}

#[test]
fn a_hundred_guesses_at_once_are_five_hashes() {
    let folder = TempDir::new().unwrap();
    let (setup, daemon) = with_players(&folder);
    let from = "stranger@away.example";
    let guess = |number: usize| {
        let line = format!("set player0 mistaken{number} small");
        message(from, &format!("{number}@away.example"), &line, "")
    };
    let mails: Vec<_> = (0..100).map(guess).collect();
    let cost = cost(&daemon, || drop(at_once(daemon.port, from, &mails)));
    assert!(cost < MAX_CPU, "{cost:?}");
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM guesses"), 5);
    daemon.stop_well();
}

#[test]
fn a_hundred_mails_with_the_right_password_at_once_are_one_hash() {
    let folder = TempDir::new().unwrap();
    let (setup, daemon) = with_players(&folder);
    let mail = |number: usize| {
        let id = format!("{number}@home.example");
        message(&address(0), &id, "set player0 fig7elk small", "")
    };
    let mails: Vec<_> = (0..100).map(mail).collect();
    let cost = cost(&daemon, || {
        let replies = at_once(daemon.port, &address(0), &mails);
        assert!(
            replies.iter().all(|reply| reply.starts_with("250")),
            "{replies:?}"
        );
    });
    assert!(cost < MAX_CPU, "{cost:?}");
    let done = count(&setup.look(), "SELECT COUNT(*) FROM inbox WHERE state = 'done'");
    assert_eq!(done, 100);
    daemon.stop_well();
}

#[test]
fn a_mail_guesses_five_passwords_whosever_they_are() {
    let folder = TempDir::new().unwrap();
    let (setup, daemon) = with_players(&folder);
    let from = "stranger@away.example";
    let send = |from: &str, id: &str, subject: &str, text: &str| {
        let mail = message(from, id, subject, text);
        Client::connect(daemon.port).unwrap().send(from, &mail).unwrap()
    };
    // A right password that is remembered is not read either: it would be a guess that does not count.
    send(&address(4), "right@home.example", "set player4 fig7elk", "");
    let guesses = (0..6).map(|number| format!("set player{} mistaken{number} small\n", number % 4));
    let text = guesses.collect::<String>() + "set player4 fig7elk small\n";
    send(from, "guesses@away.example", "", &text);
    let letter = only_letter(&setup, from).text;
    assert_eq!(
        letter.matches("That is not the password of").count(),
        5,
        "{letter}"
    );
    assert!(
        letter.contains("None of the 7 commands in your mail was done."),
        "{letter}"
    );
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM guesses"), 5);
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM displays"), 0);
    daemon.stop_well();
}

#[test]
fn what_is_refused_costs_no_hash() {
    let folder = TempDir::new().unwrap();
    let (_, daemon) = with_players(&folder);
    let from = "stranger@away.example";
    let lines = [
        "signup player0 mistaken",
        "signup list mistaken",
        "signup newcomer mistaken nobody",
        "signup newcomer mistaken pbmserv@localhost",
        "Pow2 move 999 player0 mistaken a1",
        "reset player0 r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy mistaken",
    ];
    let mails: Vec<_> = (0..90)
        .map(|number| {
            message(
                from,
                &format!("{number}@away.example"),
                lines[number % lines.len()],
                "",
            )
        })
        .collect();
    // The same guess again is a copy, and a guess by a machine is none.
    let copies = (0..40).map(|_| message(from, "same@away.example", "set player1 mistaken small", ""));
    let machine = (0..40).map(|number| {
        let mail = message(
            from,
            &format!("m{number}@away.example"),
            "set player2 mistaken small",
            "",
        );
        [&b"Auto-Submitted: auto-generated\r\n"[..], &mail].concat()
    });
    let cost = cost(&daemon, || {
        at_once(daemon.port, from, &mails);
        let mut client = Client::connect(daemon.port).unwrap();
        for mail in copies.chain(machine) {
            client.send(from, &mail).unwrap();
        }
    });
    assert!(cost < MAX_CPU, "{cost:?}");
    daemon.stop_well();
}

#[test]
fn a_signup_in_another_s_name_costs_no_hash_where_senders_are_authenticated() {
    let folder = TempDir::new().unwrap();
    let setup = setup(&folder)
        .with("PBMSERV_AUTH_REQUIRE", "dmarc")
        .with("PBMSERV_AUTH_AUTHSERV_ID", "mx.home.example");
    let daemon = setup.serve();
    let mut client = Client::connect(daemon.port).unwrap();
    let cost = cost(&daemon, || {
        for number in 0..100 {
            let from = format!("forged{number}@home.example");
            let mail = message(
                &from,
                &format!("{number}@away.example"),
                &format!("signup u{number} mistaken"),
                "",
            );
            assert!(client.send(&from, &mail).unwrap().starts_with("250"));
        }
    });
    assert!(cost < MAX_CPU, "{cost:?}");
    let dropped = count(
        &setup.look(),
        "SELECT COUNT(*) FROM inbox WHERE state = 'dropped'",
    );
    assert_eq!(dropped, 100);
    daemon.stop_well();
}
