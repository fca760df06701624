//! The daemon is killed repeatedly under traffic, its relay dies, its disk fills up. Every accepted mail has had
//! its effect exactly once, no other mail has a partial effect, and every letter is delivered.
//!
//! After each kill a checker (`tests/proof/book/`) compares the data with what the players know: it computes the
//! boards, the turns, the ratings and the letters from the mails alone. A kill shows what a process loses;
//! `tests/proof/power/` shows what a power cut loses.
//!
//! `PBMSERV_CRASH_ROUNDS=210 cargo test --test proof crash::` kills more often (`make crash`). `TEST_SEED` repeats
//! the choices of a run, but not the timing of its threads.

mod computers;
mod dice;
mod postgres;
pub(crate) mod relay;
mod report;
mod season;
mod traffic;

use std::sync::{Mutex, MutexGuard, PoisonError};

use report::Report;
use season::Plan;

use crate::daemon::smtp::{self, Client, message};
use crate::daemon::{Setup, count, disk, look, mailbox, seed, until};

/// Kills per season: a new season begins with an empty data folder, so that a long run does not slow down.
const KILLS_OF_A_SEASON: usize = 30;

/// One test of kills at a time: their players send as fast as they are answered, and on a small machine several would starve one
/// another.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice() {
    let _alone = alone();
    let may_mount = disk::may_mount();
    if may_mount && !disk::is_inside("crash::nothing_is_lost_and_nothing_happens_twice") {
        return;
    }
    let kills: usize = std::env::var("PBMSERV_CRASH_ROUNDS").map_or(6, |rounds| rounds.parse().unwrap());
    let seasons = kills.div_ceil(KILLS_OF_A_SEASON).max(3);
    let seed = seed();
    let mut report = Report::default();
    for season in 0..seasons {
        let plan = Plan {
            // To a relay, with a full disk in some rounds; to a relay without limits on the disk; into Maildirs.
            has_relay: season % 3 != 2,
            fills_disk: season % 3 != 1,
            may_mount,
            kills: kills * (season + 1) / seasons - kills * season / seasons,
        };
        season::play(plan, seed.wrapping_add(season as u64), &mut report);
        eprintln!("after season {} of {seasons}, {plan:?}:\n{report}", season + 1);
    }
    if !may_mount {
        eprintln!("no file system can be mounted here: for a full disk files were not let grow");
    }
}

#[test]
fn a_message_whose_250_was_not_heard_has_no_second_effect() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    for (from, userid) in [("a@home.example", "alice"), ("b@home.example", "bob")] {
        smtp::send(daemon.port, from, userid, &format!("signup {userid} fig7elk"), "");
    }
    let taken = || count(&setup.look(), "SELECT COUNT(*) FROM inbox");
    let from = "a@home.example";
    let bytes = message(from, "c@home.example", "Pow2 challenge alice bob", "Once only!");
    let client = Client::connect(daemon.port).unwrap();
    client.send_and_go(from, &bytes).unwrap();
    until("the message is taken", || (taken() == 3).then_some(()));
    let mut again = Client::connect(daemon.port).unwrap();
    let reply = again.send(from, &bytes).unwrap();
    assert_eq!(reply, "250 2.0.0 Accepted, number 3");
    setup.wait_for_delivery();
    daemon.stop_well();
    let conn = look(&setup.database());
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM inbox"), 3);
    assert_eq!(count(&conn, "SELECT COUNT(*) FROM boards"), 1);
    let letters = mailbox::all(&setup.data.join("mail"));
    let begun = letters.iter().filter(|mail| mail.text.contains("Once only!"));
    assert_eq!(begun.count(), 2, "one for each player");
}
