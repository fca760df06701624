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
    let asked = Instant::now();
    send(
        daemon.port,
        ALICE,
        "1@home.example",
        "Hex challenge bot-easy alice",
        "",
    );
    until("the computer has moved", || (answered("Hex") > 0).then_some(()));
    let waited = asked.elapsed();
    // By the times of the turns: what this test has seen before may be older than the challenge.
    let of_game = |game: &str| format!("turns JOIN boards ON boards.id = turns.board WHERE game = '{game}'");
    let (loa, hex) = (of_game("LOA"), of_game("Hex"));
    let earlier = format!("SELECT COUNT(*) FROM {loa} AND played_at <= (SELECT played_at FROM {hex})");
    let thought_about = count(&database, &earlier);
    let since = format!("{earlier} AND played_at > (SELECT started_at FROM boards WHERE game = 'Hex')");
    let others = count(&database, &since);
    let boards = i64::try_from(strangers * BOARDS).unwrap();
    eprintln!(
        "beside {strangers} accounts with {boards} boards against {against}, of which {thought_about} had been thought about, bot-easy \
         answered after {waited:.2?}; {others} of them came before it"
    );
    assert!(thought_about < boards, "nothing waited");
    assert!(
        others <= 1,
        "{others} positions of others were thought about before"
    );
    daemon.stop_well();
}
