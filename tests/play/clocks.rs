//! Clocks under faults: outages, a clock that is set, mails that do not arrive, restarts. No player loses without
//! a warning, and nothing happens twice.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::stage::{Mail, SERVER, Stage, database};
use chrono::{DateTime, TimeDelta, Utc};
use pbmserv::config::Config;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::{Board, PlayerId};
use pbmserv_mail::Address;
use pbmserv_mail::outbox::{Outcome, Queue, SettledMail};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn configure(config: &mut Config) {
    config.accounts.confirm = false;
}

fn days(count: i64) -> TimeDelta {
    TimeDelta::days(count)
}

fn minutes(count: i64) -> TimeDelta {
    TimeDelta::minutes(count)
}

async fn ask(stage: &Stage, from: &str, subject: &str) -> Vec<Outgoing> {
    static SENT: AtomicU32 = AtomicU32::new(0);
    let id = SENT.fetch_add(1, Ordering::Relaxed);
    let mail = Mail {
        from,
        to: Address::parse(SERVER).unwrap(),
        header: format!("Message-ID: <clock-{id}@players.example>\r\nSubject: {subject}\r\n"),
        body: "",
    };
    let (handled, letters) = stage.send(&mail).await;
    assert!(matches!(handled, Handled::Recorded(_)), "{subject}: {handled:?}");
    let is_refused = letters
        .iter()
        .any(|letter| letter.text.contains("Nothing was changed."));
    assert!(!is_refused, "{}", letters[0].text);
    letters
}

/// A server on which alice and bob have both moved on Pow2 Board 101, and bob is to move.
async fn game(options: &str) -> Stage {
    let stage = Stage::open(configure);
    ask(&stage, ALICE, "signup alice fig7elk").await;
    ask(&stage, BOB, "signup bob oak4jay").await;
    ask(&stage, ALICE, &format!("Pow2 challenge alice bob {options}")).await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a13-a5").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m5-m13").await;
    stage
}

/// The server is stopped, and started again after this time.
async fn restart(stage: Stage, pause: TimeDelta) -> Stage {
    let now = stage.server.now() + pause;
    let data = stage.close().await;
    let seed = now.timestamp().unsigned_abs();
    Stage::open_in(data, now, seed, configure)
}

/// Sets the clock by this much; the timer notices within the hour.
async fn set(stage: &Stage, jump: TimeDelta) {
    *stage.now.lock().unwrap() += jump;
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 0);
}

fn board(stage: &Stage) -> Board {
    let reader = stage.server.reader().unwrap();
    reader
        .board(pbmserv_games::find("Pow2").unwrap(), 101)
        .unwrap()
        .unwrap()
}

/// The first sentences of the letters since then, with the days since it was bob's turn.
fn sentences(happened: &[(DateTime<Utc>, Vec<Outgoing>)]) -> Vec<(i64, String)> {
    let start: DateTime<Utc> = "2026-11-20T08:00:00Z".parse().unwrap();
    let all = happened.iter().flat_map(|(at, letters)| {
        letters
            .iter()
            .map(|letter| ((*at - start).num_days(), first(letter)))
    });
    all.collect()
}

fn first(letter: &Outgoing) -> String {
    let paragraph = letter.text.split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_reminder(letter: &str) -> bool {
    letter.starts_with("It has been your turn")
}

fn is_warning(letter: &str) -> bool {
    letter.starts_with("One day is left")
}

fn is_forfeit(letter: &str) -> bool {
    letter.contains("because the time ran out")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_outage_the_warning_comes_first_and_the_end_a_day_later() {
    let stage = game("").await;
    assert_eq!(sentences(&stage.live(days(15)).await).len(), 3, "reminders");
    // Down over the day of the warning and the day of the forfeit.
    let stage = restart(stage, days(7)).await;
    let happened = sentences(&stage.live(TimeDelta::zero()).await);
    assert_eq!(happened.len(), 1, "no reminder as well: {happened:?}");
    assert!(
        is_warning(&happened[0].1) && happened[0].1.contains("Sun 13 December, 08:00 UTC"),
        "{happened:?}"
    );
    let happened = sentences(&stage.live(days(1) - minutes(1)).await);
    assert_eq!(happened, [], "nobody loses at once");
    let happened = sentences(&stage.live(minutes(1)).await);
    assert_eq!(happened.len(), 2);
    assert!(
        happened
            .iter()
            .all(|(day, letter)| *day == 23 && is_forfeit(letter)),
        "{happened:?}"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_warned_before_an_outage_is_warned_again_and_has_a_day_after_it() {
    let stage = game("").await;
    let happened = sentences(&stage.live(days(20) + minutes(30)).await);
    assert!(is_warning(&happened.last().unwrap().1));
    let stage = restart(stage, days(7)).await;
    let happened = sentences(&stage.live(days(1) - minutes(1)).await);
    assert_eq!(happened.len(), 1, "{happened:?}");
    assert!(
        is_warning(&happened[0].1) && happened[0].1.contains("Fri 18 December, 08:30 UTC"),
        "{happened:?}"
    );
    // A player who moves in this day continues.
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a5-a13").await;
    let happened = sentences(&stage.live(days(5)).await);
    assert_eq!(happened, []);
    assert_eq!(board(&stage).end, None);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_warned_before_a_pause_is_warned_again_and_has_a_day_after_it() {
    let stage = game("--totaltime=2 --nagtime=30").await;
    let happened = sentences(&stage.live(days(2) - minutes(240)).await);
    assert!(happened.len() == 1 && is_warning(&happened[0].1), "{happened:?}");
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a5-a13").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk pause").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay accept").await;
    // Bob's turn, with four hours left in the whole game, begins while no clock runs.
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
    assert_eq!(sentences(&stage.live(days(60)).await), []);
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk resume").await;
    for letter in &letters {
        let text = letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("Fri 22 January, 04:00 UTC"), "{text}");
    }
    assert_eq!(letters.len(), 2);
    let happened = sentences(&stage.live(days(1) - minutes(1)).await);
    assert!(
        happened.len() == 1
            && is_warning(&happened[0].1)
            && happened[0].1.contains("Fri 22 January, 04:00 UTC"),
        "{happened:?}"
    );
    let happened = sentences(&stage.live(minutes(1)).await);
    assert!(happened.len() == 2 && is_forfeit(&happened[0].1), "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_a_few_minutes_each_day_keeps_no_board_alive() {
    let mut stage = game("").await;
    let mut happened = Vec::new();
    for _ in 0..22 {
        happened.extend(sentences(&stage.live(days(1) - minutes(5)).await));
        stage = restart(stage, minutes(5)).await;
    }
    let ends = happened.iter().filter(|(_, letter)| is_forfeit(letter));
    assert_eq!(ends.map(|(day, _)| *day).collect::<Vec<_>>(), [21, 21]);
    let others = happened.iter().filter(|(_, letter)| !is_forfeit(letter));
    let others: Vec<_> = others.map(|(day, letter)| (*day, is_warning(letter))).collect();
    let reminders = [7, 10, 13, 16, 19].map(|day| (day, false));
    assert_eq!(others, [&reminders[..], &[(20, true)]].concat());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_while_the_server_runs_is_nobodys_thinking() {
    for jump in [days(365), days(-365)] {
        let stage = game("--totaltime=60").await;
        let before = sentences(&stage.live(days(8)).await);
        assert!(is_reminder(&before[0].1) && before.len() == 1);
        set(&stage, jump).await;
        let after = sentences(&stage.live(days(2) - minutes(1)).await);
        assert_eq!(after, [], "{jump}: nobody is reminded, warned or beaten");
        let thinking = board(&stage).clock.thinking(stage.server.now());
        assert_eq!(thinking, days(10) - minutes(1), "{jump}");
        set(&stage, -jump).await;
        let happened = sentences(&stage.live(days(11) + minutes(1)).await);
        let seen: Vec<_> = happened
            .iter()
            .map(|(day, letter)| (*day, is_reminder(letter), is_forfeit(letter)))
            .collect();
        let expected = [
            (10, true, false),
            (13, true, false),
            (16, true, false),
            (19, true, false),
        ];
        assert_eq!(seen[..4], expected, "{jump}");
        assert_eq!(
            seen[4..],
            [(20, false, false), (21, false, true), (21, false, true)],
            "{jump}"
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_waits_is_tried_when_it_would_have_been_and_not_given_up_by_a_wrong_clock() {
    for (jump, is_stopped) in [(-365, false), (365, false), (-365, true)] {
        let mut stage = game("").await;
        stage.pass(days(7));
        assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 1);
        let waiting = stage.server.rows.due(stage.server.now(), 10).await.unwrap();
        let [reminder] = waiting.try_into().unwrap();
        let outcome = Outcome::Deferred {
            until: stage.server.now() + minutes(30),
            why: "busy".into(),
        };
        let deferred = SettledMail {
            id: reminder.id,
            outcome,
        };
        stage.server.rows.settle(vec![deferred]).await.unwrap();
        if is_stopped {
            stage = restart(stage, days(jump)).await;
        } else {
            set(&stage, days(jump)).await;
        }
        let (now, rows) = (stage.server.now(), stage.server.rows.clone());
        // The clock was wrong while the server was down, so the stored time of the next try means nothing.
        let early = rows.due(now + minutes(29), 10).await.unwrap();
        assert_eq!(early.len(), usize::from(is_stopped), "{jump}");
        let [again] = rows.due(now + minutes(30), 10).await.unwrap().try_into().unwrap();
        assert_eq!(again.message_id, reminder.message_id);
        let age = now - again.created_at;
        assert!(
            (days(0)..days(1)).contains(&age),
            "it is given up by its age: {age}"
        );
        drop(rows);
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_forward_while_the_server_is_down_ends_no_game_at_once() {
    let stage = game("").await;
    stage.live(days(3)).await;
    let stage = restart(stage, days(365)).await;
    let happened = sentences(&stage.live(days(1) - minutes(1)).await);
    assert_eq!(happened.len(), 1);
    assert!(is_warning(&happened[0].1), "{happened:?}");
    // The operator notices, and sets the clock back.
    let stage = restart(stage, days(-366)).await;
    let happened = sentences(&stage.live(days(22)).await);
    let reminders = happened.iter().filter(|(_, letter)| is_reminder(letter)).count();
    let warnings = happened.iter().filter(|(_, letter)| is_warning(letter)).count();
    assert_eq!(
        (reminders, warnings),
        (5, 1),
        "as if nothing had been: {happened:?}"
    );
    let end = happened.last().unwrap();
    assert!(is_forfeit(&end.1) && end.0 >= 21, "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_of_a_few_minutes_moves_no_end_and_a_longer_one_is_said() {
    let stage = game("--forfeittime=3 --nagtime=30").await;
    let happened = sentences(&stage.live(days(2) + minutes(1)).await);
    assert!(is_warning(&happened[0].1) && happened.len() == 1, "{happened:?}");
    let stage = restart(stage, minutes(20)).await;
    let happened = sentences(&stage.live(days(1) - minutes(1)).await);
    assert_eq!(happened.len(), 1, "the end has moved: {happened:?}");
    let warning = &happened[0].1;
    assert!(
        is_warning(warning) && warning.contains("Mon 23 November, 08:21 UTC"),
        "{warning}"
    );
    // A stop of a few minutes moves nothing.
    let stage = restart(stage, minutes(5)).await;
    let happened = sentences(&stage.live(minutes(10)).await);
    assert!(is_forfeit(&happened[0].1) && happened.len() == 2, "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_loses_while_the_warning_is_on_its_way_and_a_mail_that_is_given_up_counts() {
    for (is_sent, were_others) in [(true, true), (false, true), (false, false)] {
        let stage = game("--nagtime=30").await;
        stage.pass(days(20));
        assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 1);
        let [warning] = stage
            .server
            .rows
            .due(stage.server.now(), 10)
            .await
            .unwrap()
            .try_into()
            .unwrap();
        let warning = stage.server.rows.written(warning);
        assert!(is_warning(&first(&warning)) && warning.to.as_str() == BOB);
        for _ in 0..5 {
            stage.pass(days(1));
            stage.server.engine.do_what_is_due().await.unwrap();
            assert_eq!(board(&stage).end, None, "it waits for the mail");
        }
        if were_others {
            let now = stage.server.now().timestamp_millis();
            let sent = format!("UPDATE outbox SET settled_at = {now} WHERE id = 1");
            assert_eq!(database::change(stage.data(), &sent), 1);
        }
        let outcome = match is_sent {
            true => Outcome::Sent,
            false => Outcome::Failed {
                why: "given up".into(),
            },
        };
        let settled = SettledMail {
            id: warning.id,
            outcome,
        };
        stage.server.rows.settle(vec![settled]).await.unwrap();
        let happened = sentences(&stage.live(days(1) - minutes(1)).await);
        match (is_sent, were_others) {
            (false, true) => assert_eq!(happened, []),
            // It named a day that was past, or the relay was away: the next one names another.
            _ => assert!(happened.len() == 1 && is_warning(&happened[0].1), "{happened:?}"),
        }
        let happened = sentences(&stage.live(minutes(1)).await);
        assert_eq!(happened.len(), 2, "{happened:?}");
        assert!(is_forfeit(&happened[0].1));
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_warning_that_comes_back_gives_nobody_more_time() {
    let stage = game("--nagtime=30").await;
    stage.pass(days(20));
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 1);
    let [warning] = stage.collect().await.try_into().unwrap();
    assert!(is_warning(&first(&warning)) && warning.to.as_str() == BOB);
    stage.pass(days(1) - minutes(60));
    let id = warning.id;
    let bounced = stage
        .server
        .engine
        .write(move |store, now| store.mail_bounced(id, "bounced: 5.1.1", now));
    assert!(bounced.await.unwrap().is_some());
    assert_eq!(sentences(&stage.live(minutes(59)).await), []);
    let happened = sentences(&stage.live(minutes(1)).await);
    assert_eq!(happened.len(), 2, "{happened:?}");
    assert!(is_forfeit(&happened[0].1));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_due_is_done_once_whatever_stops_in_between() {
    let stage = game("").await;
    stage.pass(days(7));
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 1);
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 0);
    // Stopped after the commit and before the mail is sent.
    let stage = restart(stage, minutes(1)).await;
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 0);
    let letters = stage.collect().await;
    assert_eq!(letters.len(), 1);
    assert!(is_reminder(&first(&letters[0])));
    let reminded = board(&stage).clock.reminded;
    assert_eq!(reminded, Some(days(7)));
    assert_eq!(sentences(&stage.live(days(3) - minutes(2)).await), []);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_no_reminders_is_still_warned() {
    let stage = game("").await;
    let bob = PlayerId(2);
    let set = stage.server.engine.write(move |store, _| {
        let wanted = pbmserv_core::table::Preferences {
            reminders: false,
            ..store.preferences(bob)?
        };
        store.set_preferences(bob, &wanted)
    });
    set.await.unwrap();
    let happened = sentences(&stage.live(days(21)).await);
    assert_eq!(happened.len(), 3, "{happened:?}");
    assert!(happened[0].0 == 20 && is_warning(&happened[0].1));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_is_taken_back_gives_no_time_back() {
    let stage = game("--totaltime=60").await;
    stage.live(days(2)).await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a5-a13").await;
    stage.live(days(3)).await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay undo").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk accept").await;
    let clock = board(&stage).clock;
    assert_eq!(clock.used, [days(3), days(2)]);
    assert_eq!(clock.thinking(stage.server.now()), TimeDelta::zero());
    let happened = sentences(&stage.live(days(7)).await);
    assert_eq!(happened.len(), 1);
    assert!(is_reminder(&happened[0].1) && happened[0].0 == 12, "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vacation_outlasts_a_restart_and_stops_the_thinking_and_the_warning() {
    let stage = game("--totaltime=20").await;
    let happened = sentences(&stage.live(days(19) + minutes(60)).await);
    assert!(is_warning(&happened.last().unwrap().1), "{happened:?}");
    ask(&stage, BOB, "vacation bob oak4jay 10").await;
    let stage = restart(stage, days(2)).await;
    assert_eq!(sentences(&stage.live(days(7)).await), []);
    assert_eq!(
        board(&stage).clock.thinking(stage.server.now()),
        days(19) + minutes(60)
    );
    // Moves of the other player during the vacation count as thinking time only after it.
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a5-a13").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m1-m5:k5").await;
    let happened = sentences(&stage.live(days(2) - minutes(61)).await);
    assert_eq!(happened.len(), 2, "{happened:?}");
    assert_eq!(happened[0].1, "Your vacation is over, bob.");
    // The warning from before the vacation named another end.
    assert!(is_warning(&happened[1].1), "{happened:?}");
    assert_eq!(board(&stage).clock.used[1], days(19) + minutes(60));
    let happened = sentences(&stage.live(days(1)).await);
    assert!(is_forfeit(&happened[0].1), "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vacation_shortly_before_the_end_leaves_a_day_after_a_new_warning() {
    let stage = game("--forfeittime=2 --nagtime=1").await;
    let happened = sentences(&stage.live(days(2) - minutes(21)).await);
    assert!(is_warning(&happened.last().unwrap().1), "{happened:?}");
    let letters = ask(&stage, BOB, "vacation bob oak4jay 1").await;
    let answer: String = letters
        .into_iter()
        .map(|letter| letter.text.replace('\n', " "))
        .collect();
    assert!(
        answer.contains("Little time is left after it: 21 minutes on Pow2 Board 101."),
        "{answer}"
    );
    let lived = stage.live(days(1) + minutes(1)).await;
    let letters: Vec<Outgoing> = lived.into_iter().flat_map(|(_, letters)| letters).collect();
    let over = letters
        .iter()
        .find(|letter| letter.text.starts_with("Your vacation is over, bob."))
        .unwrap();
    // The letter names the end, and so does the new warning.
    let said = over.text.replace('\n', " ");
    let (_, named) = said.split_once("until ").unwrap();
    let (named, _) = named.split_once(" UTC").unwrap();
    let warning = letters.iter().find(|letter| is_warning(&letter.text));
    let warning = warning.unwrap_or_else(|| panic!("{letters:?}"));
    let warning = warning.text.replace('\n', " ");
    assert!(warning.contains(named), "{named}: {warning}");
    assert_eq!(sentences(&stage.live(days(1) - minutes(5)).await), []);
    let happened = sentences(&stage.live(minutes(10)).await);
    assert!(is_forfeit(&happened[0].1), "{happened:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_that_does_not_replay_stops_no_other() {
    let stage = game("").await;
    ask(&stage, BOB, "Pow2 challenge bob alice").await;
    let broken = database::change(stage.data(), "UPDATE turns SET turn = 'nonsense' WHERE board = 1");
    assert_eq!(broken, 3);
    let happened = sentences(&stage.live(days(7)).await);
    assert_eq!(happened.len(), 1, "{happened:?}");
    assert!(happened[0].1.contains("Board 102"));
    let next = *stage.server.engine.next_due().borrow();
    assert_eq!(
        next,
        Some(stage.server.now() + days(1)),
        "it is tried again tomorrow"
    );
    stage.close().await;
}
