//! Many fresh accounts that have computers think, beside a player who plays for fun. `FLOOD_THINKERS` and
//! `FLOOD_AGAINST` change their number and the computer.

use std::time::Instant;

use crate::daemon::smtp::send;
use crate::daemon::{Setup, count, until};
use crate::flood::number;

const ALICE: &str = "alice@home.example";

/// The boards that each fresh account begins against a computer that thinks longer.
const BOARDS: usize = 3;

#[test]
fn a_cheap_position_of_a_player_waits_for_one_other_at_most() {
    let strangers = usize::try_from(number("FLOOD_THINKERS", 10)).unwrap();
    let against = std::env::var("FLOOD_AGAINST").unwrap_or_else(|_| "bot-medium".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_BOTS_THREADS", "1");
    setup.done(&["mail", ALICE, "signup alice zebra-41"]);
    for number in 0..strangers {
        let from = format!("eve{number}@evil.example");
        setup.done(&["mail", &from, &format!("signup eve{number} zebra-{number}2")]);
    }
    let daemon = setup.serve();
    for board in 0..BOARDS {
        for number in 0..strangers {
            let from = format!("eve{number}@evil.example");
            // The computer has the first turn.
            let subject = format!("LOA challenge {against} eve{number}");
            send(
                daemon.port,
                &from,
                &format!("{number}.{board}@evil.example"),
                &subject,
                "",
            );
        }
    }
    let database = setup.look();
    let answered = |game: &str| {
        let sql = format!(
            "SELECT COUNT(*) FROM turns JOIN boards ON boards.id = turns.board WHERE game = '{game}'"
        );
        count(&database, &sql)
    };
    let (before, asked) = (answered("LOA"), Instant::now());
    send(
        daemon.port,
        ALICE,
        "1@home.example",
        "Hex challenge bot-easy alice",
        "",
    );
    until("the computer has moved", || (answered("Hex") > 0).then_some(()));
    let waited = asked.elapsed();
    let others = answered("LOA") - before;
    let boards = i64::try_from(strangers * BOARDS).unwrap();
    eprintln!(
        "beside {strangers} accounts with {boards} boards against {against}, of which {before} had been thought about, bot-easy \
         answered after {waited:.2?}; {others} of them came before it"
    );
    assert!(before + others < boards, "nothing waited");
    assert!(
        others <= 1,
        "{others} positions of others were thought about before"
    );
    daemon.stop_well();
}
