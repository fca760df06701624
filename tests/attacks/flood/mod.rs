//! Strangers at full speed beside people who play. `make flood` runs it for five minutes each: one stranger, then a
//! thousand. `FLOOD_SECONDS`, `FLOOD_STRANGERS` and `FLOOD_PAIRS` change the run. Then letters in
//! their thousands wait that one player has caused (`FLOOD_LETTERS`).

mod pictures;
mod players;
mod refused;
mod strangers;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::daemon::{Daemon, Setup, count};
use crate::letters::{waiting, watched};

/// The most that a player may wait for the answer to a mail, in 99 of 100 cases.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The most memory during a flood, and some time after it.
const MAX_KILOBYTES: u64 = 250 * 1024;
const MAX_KILOBYTES_AFTER: u64 = 120 * 1024;

/// After this time the memory must have come back.
const TIME_TO_REST: Duration = Duration::from_secs(10);

/// A number that `make flood` changes.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |number| number.parse().unwrap())
}

/// A setup with the limits that a server has by default.
fn defaults(setup: &Setup) -> Setup {
    [
        ("MAILS_AN_HOUR", "120"),
        ("REFUSALS_A_DAY", "50"),
        ("ANSWERS_A_DAY", "500"),
        ("STRANGERS_ANSWERS_A_DAY", "30"),
        ("STRANGERS_MAILS_AN_HOUR", "1000"),
        ("CHALLENGES_A_DAY", "30"),
        ("MESSAGES_A_DAY", "50"),
    ]
    .into_iter()
    .fold(setup.clone(), |setup, (limit, number)| {
        setup.with(&format!("PBMSERV_LIMITS_{limit}"), number)
    })
    // The players play as much in a minute as others do in a year.
    .with("PBMSERV_LIMITS_ANSWERS_A_DAY", "1000000")
    .with("PBMSERV_LIMITS_CHALLENGES_A_DAY", "1000000")
}

#[test]
fn who_plays_beside_a_flood_is_answered_soon() {
    let seconds = number("FLOOD_SECONDS", 4);
    let strangers = usize::try_from(number("FLOOD_STRANGERS", 50)).unwrap();
    let pairs = usize::try_from(number("FLOOD_PAIRS", 3)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    players::sign_up(daemon.port, pairs);
    setup.wait_for_delivery();
    daemon.stop_well();
    let daemon = defaults(&setup).serve();
    let mut replies_to = vec![None; pairs];
    for strangers in [0, 1, strangers] {
        let time = if strangers == 0 { 3 } else { seconds };
        phase(
            &setup,
            &daemon,
            strangers,
            &mut replies_to,
            Duration::from_secs(time),
        );
    }
    let log = daemon.stop_well();
    assert!(!log.contains("set aside"), "a message failed");
}

/// `make flood` lets 100,000 letters wait, which one player has caused.
#[test]
fn who_plays_beside_letters_that_wait_is_answered_soon() {
    let letters = usize::try_from(number("FLOOD_LETTERS", 2000)).unwrap();
    let seconds = number("FLOOD_LETTERS_SECONDS", 4);
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = watched(&setup).daemon;
    players::sign_up(daemon.port, 1);
    setup.wait_for_delivery();
    daemon.stop_well();
    waiting(&setup, letters);
    let daemon = setup.serve();
    let (is_over, mail) = (AtomicBool::new(false), setup.data.join("mail"));
    let mut waits = std::thread::scope(|scope| {
        let playing = scope.spawn(|| players::play(daemon.port, &mail, 0, &mut None, &is_over));
        std::thread::sleep(Duration::from_secs(seconds));
        is_over.store(true, Ordering::SeqCst);
        playing.join().unwrap()
    });
    waits.sort_unstable();
    let left = count(
        &setup.look(),
        "SELECT COUNT(*) FROM outbox WHERE state = 'waiting' AND message_id LIKE 'flood-%'",
    );
    let at = |share: usize| waits[(waits.len() - 1) * share / 100];
    eprintln!(
        "beside {letters} letters of one player, of which {left} waited at the end, {} mails were answered: median {:?}, \
         99 % {:?}, longest {:?}",
        waits.len(),
        at(50),
        at(99),
        at(100),
    );
    daemon.stop_well();
}

/// Players and so many strangers for this time.
fn phase(
    setup: &Setup,
    daemon: &Daemon,
    strangers: usize,
    replies_to: &mut [Option<String>],
    time: Duration,
) {
    let pairs = replies_to.len();
    let is_over = AtomicBool::new(false);
    let sent = AtomicUsize::new(0);
    let mail = setup.data.join("mail");
    let mut waits = std::thread::scope(|scope| {
        let playing: Vec<_> = (0..)
            .zip(replies_to)
            .map(|(pair, reply_to)| {
                scope.spawn({
                    let (is_over, mail) = (&is_over, &mail);
                    move || players::play(daemon.port, mail, pair, reply_to, is_over)
                })
            })
            .collect();
        let flood = scope.spawn(|| strangers::flood(daemon.port, strangers, pairs, &is_over, &sent));
        std::thread::sleep(time);
        is_over.store(true, Ordering::SeqCst);
        let waits: Vec<Duration> = playing
            .into_iter()
            .flat_map(|pair| pair.join().unwrap())
            .collect();
        flood.join().unwrap();
        waits
    });
    waits.sort_unstable();
    let most = daemon.kilobytes("VmHWM");
    let ended = Instant::now();
    let mut after = daemon.kilobytes("VmRSS");
    while after >= MAX_KILOBYTES_AFTER && ended.elapsed() < TIME_TO_REST {
        std::thread::sleep(Duration::from_millis(100));
        after = daemon.kilobytes("VmRSS");
    }
    let at = |share: usize| waits[(waits.len() - 1) * share / 100];
    eprintln!(
        "{strangers} strangers sent {} mails in {time:?}; {} mails of players were answered: median {:?}, 99 % {:?}, \
         longest {:?}; at most {most} kB, {after} kB {:.1?} later",
        sent.load(Ordering::SeqCst),
        waits.len(),
        at(50),
        at(99),
        at(100),
        ended.elapsed(),
    );
    // A busy machine makes players wait too: only `make flood` judges that.
    assert!(
        std::env::var_os("FLOOD_SECONDS").is_none() || at(99) < MAX_WAIT,
        "{:?}",
        at(99)
    );
    assert!(most < MAX_KILOBYTES, "{most} kB");
    assert!(after < MAX_KILOBYTES_AFTER, "{after} kB");
}
