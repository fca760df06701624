//! Many fresh accounts that have computers think, beside a player who plays for fun.

use crate::daemon::smtp::send;
use crate::daemon::{Setup, count, until};

const ALICE: &str = "alice@home.example";

/// Fresh accounts of one domain, and the boards that each begins against a computer that thinks longer.
const STRANGERS: usize = 10;
const BOARDS: usize = 3;

#[test]
fn a_cheap_position_of_a_player_waits_for_one_other_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_BOTS_THREADS", "1");
    setup.done(&["mail", ALICE, "signup alice zebra-41"]);
    for number in 0..STRANGERS {
        let from = format!("eve{number}@evil.example");
        setup.done(&["mail", &from, &format!("signup eve{number} zebra-{number}2")]);
    }
    let daemon = setup.serve();
    for board in 0..BOARDS {
        for number in 0..STRANGERS {
            let from = format!("eve{number}@evil.example");
            // The computer has the first turn.
            let subject = format!("LOA challenge bot-medium eve{number}");
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
    let before = answered("LOA");
    send(
        daemon.port,
        ALICE,
        "1@home.example",
        "Hex challenge bot-easy alice",
        "",
    );
    until("the computer has moved", || (answered("Hex") > 0).then_some(()));
    let others = answered("LOA") - before;
    let boards = i64::try_from(STRANGERS * BOARDS).unwrap();
    assert!(before + others < boards, "nothing waited");
    assert!(
        others <= 1,
        "{others} positions of others were thought about before"
    );
    daemon.stop_well();
}
