//! Tests of the soak itself: faults are noticed, and somebody writes each command.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use chrono::TimeDelta;
use pbmserv_core::command::COMMANDS;
use rusqlite::Connection;

use crate::check;
use crate::laws::Why;
use crate::people::others::LINES;
use crate::soak::{Plan, Soak};

#[test]
fn somebody_writes_each_command() {
    let written = |line: &str| {
        let mut line = line.replace("{by}", "alice fig7elk").replace("{options}", "");
        for game in ["{game}", "{on}", "{of watched}"] {
            line = line.replace(game, "Pow2");
        }
        for address in ["{new address}", "{address}", "{home}"] {
            line = line.replace(address, "alice@example.org");
        }
        for number in ["{number}", "{watched}", "{count}", "{days}"] {
            line = line.replace(number, "12");
        }
        line.replace(['{', '}'], "")
    };
    let read = |line: &&str| COMMANDS.read_line(&written(line)).ok();
    let lines = LINES.iter().map(|(_, line)| line);
    let mut verbs: BTreeSet<&str> = lines.filter_map(read).map(|read| read.command.verb).collect();
    // By commands on boards, and by people who have no account, or have forgotten a password.
    verbs.extend([
        "move", "queue", "plan", "submit", "confirm", "resign", "rematch", "hint", "review", "chat", "note",
        "comment",
    ]);
    verbs.extend(["signup", "reset", "challenge", "preview"]);
    // It is about people who are not here yet.
    verbs.insert("invite");
    let all: BTreeSet<&str> = COMMANDS.iter().map(|command| command.verb).collect();
    assert_eq!(
        verbs, all,
        "a new command has to stand in the lines of people/others.rs"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_database_is_noticed() {
    let plan = Plan {
        seed: 3,
        people: 10,
        real: Duration::from_secs(3600),
        simulated: TimeDelta::days(70),
    };
    let mut soak = Soak::begin(plan, crate::folder());
    soak.run().await;
    let running = soak
        .view
        .boards
        .iter()
        .position(|board| board.row.has("clock_since"));
    let id = running.unwrap() + 1;
    let other = Connection::open(soak.world.database()).unwrap();
    // The first value damages the database, the second repairs it.
    for (update, values) in [
        (
            format!("boards SET to_move = 1 - to_move, moved_at = moved_at + # WHERE id = {id}"),
            ["0", "0"],
        ),
        (
            format!("boards SET turns = turns + # WHERE id = {id}"),
            ["1", "-1"],
        ),
        (
            format!("boards SET first_used = first_used + # WHERE id = {id}"),
            ["1000", "-1000"],
        ),
        (
            "addresses SET failed_days = failed_days + #".to_owned(),
            ["1", "-1"],
        ),
        ("preferences SET digest = digest + #".to_owned(), ["1", "-1"]),
        (
            "players SET generation = generation + # WHERE id = 1".to_owned(),
            ["1", "-1"],
        ),
        ("ratings SET won = won + #".to_owned(), ["1", "-1"]),
        ("ratings SET deviation = deviation * #".to_owned(), ["2", "0.5"]),
        (
            "inbox SET commands = # WHERE id = 1".to_owned(),
            ["'XYZZY-1'", "''"],
        ),
    ] {
        check::all(&soak);
        for (value, is_right) in values.into_iter().zip([false, true]) {
            let sql = format!("UPDATE {}", update.replace('#', value));
            assert!(other.execute(&sql, []).unwrap() > 0, "{sql}");
            let effect = soak.world.effect();
            if is_right {
                effect.changes.iter().for_each(|change| soak.view.apply(change));
                continue;
            }
            let judged = catch_unwind(AssertUnwindSafe(|| {
                soak.judge(&Why::Nothing, &effect, true);
                check::all(&soak);
            }));
            assert!(judged.is_err(), "{sql}");
        }
    }
    soak.world.stop().await;
}
