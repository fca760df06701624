//! Tests of the soak itself: differences are found, in a single mail and in the whole database.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use chrono::TimeDelta;
use rusqlite::Connection;

use crate::check;
use crate::deed::{Act, At, Deed, Who};
use crate::mail::{Letter, Way};
use crate::model::Expected;
use crate::soak::{Plan, Soak};
use crate::world::{Row, Taken};

/// Whether a check fails.
fn fails(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

fn row(to: &str, kind: &str, is_answer: bool, text: &str) -> Row {
    Row {
        to: to.into(),
        kind: kind.into(),
        is_answer,
        text: text.into(),
    }
}

#[test]
fn a_wrong_outcome_of_a_mail_is_noticed() {
    let who = Who {
        userid: "alice".into(),
        password: "fig7elk".into(),
    };
    let at = At { game: 0, number: 101 };
    let letter = Letter {
        from: "alice@example.org".into(),
        way: Way::Subject(Deed::On(at, who, Act::Move("m13-j7".into()))),
        saying: String::new(),
    };
    let expected = Expected {
        fate: "done",
        rows: vec![
            ("alice@example.org".into(), "board", true),
            ("bob@example.org".into(), "board", false),
        ],
        commands: vec![("move", true, "played * on Pow2 Board 101".into())],
    };
    let played = "Pow2 Board 101 alice played m13-j7 on Pow2 Board 101.";
    let right = || Taken {
        fate: "done".into(),
        rows: vec![
            row("bob@example.org", "board", false, played),
            row("alice@example.org", "board", true, played),
        ],
        time: Duration::ZERO,
    };
    check::mail(&letter, &expected, &right());
    let wrong: [fn(&mut Taken); 7] = [
        |taken| taken.fate = "refused".into(),
        |taken| drop(taken.rows.pop()),
        |taken| taken.rows.push(taken.rows[0].clone()),
        |taken| taken.rows[0].to = "carol@example.org".into(),
        |taken| taken.rows[0].kind = "done".into(),
        |taken| taken.rows[1].is_answer = false,
        |taken| taken.rows[1].text = "Pow2 Board 102 alice played m13-j7 on Pow2 Board 102.".into(),
    ];
    for (number, spoil) in wrong.into_iter().enumerate() {
        let mut taken = right();
        spoil(&mut taken);
        assert!(
            fails(|| check::mail(&letter, &expected, &taken)),
            "wrong outcome {number}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_database_is_noticed() {
    let folder = crate::folder();
    let mut soak = Soak::begin(
        Plan {
            seed: 3,
            people: 10,
            real: Duration::from_secs(3600),
            simulated: TimeDelta::days(70),
        },
        folder.path(),
    );
    soak.run().await;
    let running = soak
        .model
        .boards
        .iter()
        .position(|board| board.clock.since.is_some());
    let id = running.unwrap() + 1;
    let other = Connection::open(soak.world.database()).unwrap();
    let write = |sql: &str| assert!(other.execute(sql, []).unwrap() > 0, "{sql}");
    // The first value damages the database, the second repairs it.
    for (update, values) in [
        (
            format!("boards SET to_move = 1 - to_move, turns = turns + # WHERE id = {id}"),
            ["0", "0"],
        ),
        (
            format!("boards SET due_at = due_at + # WHERE id = {id}"),
            ["4000000000", "-4000000000"],
        ),
        (
            "addresses SET failed_days = failed_days + #".to_owned(),
            ["1", "-1"],
        ),
        ("ratings SET won = won + #".to_owned(), ["1", "-1"]),
        ("ratings SET deviation = deviation * #".to_owned(), ["2", "0.5"]),
        (
            "turns SET seat = 1 - seat, ordinal = ordinal + # WHERE board = (SELECT MIN(board) FROM turns)"
                .to_owned(),
            ["0", "0"],
        ),
        (
            "inbox SET commands = # WHERE id = 1".to_owned(),
            ["'XYZZY-1'", "''"],
        ),
    ] {
        check::all(&soak);
        let [spoil, mend] = values.map(|value| format!("UPDATE {}", update.replace('#', value)));
        write(&spoil);
        assert!(fails(|| check::all(&soak)), "{spoil}");
        write(&mend);
    }
    soak.world.stop().await;
}
