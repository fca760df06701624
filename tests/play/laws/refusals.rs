//! A refused command changes nothing, and the answer says why.

use pbmserv::command::COMMANDS;
use pbmserv::games::GAMES;
use pbmserv::table::COMPUTERS;

use super::{ALICE, BOB, all_examples, ask, database, mail};
use crate::stage::{Mail, Stage};

/// Lines that must be refused on a server where alice and bob play board 101 of each game and alice is to move.
fn refused_lines() -> Vec<String> {
    let mut lines: Vec<String> = [
        "",
        "Not done: Pow2",
        "nonsense",
        "signup alice mistaken",
        "signup alice secret1",
        "signup bob secret1 carol@example.org",
        "signup a mistaken",
        "signup move mistaken",
        "signup all mistaken",
        "signup Pow2 mistaken",
        "signup carol short",
        "signup carol",
        "signup carol mis:taken",
        "signup carol mistaken nowhere",
        "signup carol mistaken pbmserv@games.example",
        "signup carol mistaken pbmserv+x@games.example",
        "signup carol mistaken a@b.c b@b.c c@b.c d@b.c e@b.c f@b.c",
        "signup carol carol@example.org",
        "signup carol1 carol1",
        "add alice secret1",
        "add alice secret1 nowhere",
        "add alice secret1 alice@example.org",
        "add alice secret1 pbmserv@games.example",
        "add alice secret1 a@b.c b@b.c c@b.c d@b.c e@b.c",
        "add alice secret1 secret1@example.org",
        "add alice mistaken a@b.c",
        "add a@b.c alice secret1",
        "remove alice secret1",
        "remove alice secret1 alice@example.org",
        "remove alice secret1 bob@example.org",
        "remove alice mistaken alice@example.org",
        "change",
        "change alice secret1 secret2",
        "change pasword alice secret1 secret2",
        "change password alice secret1",
        "change password alice mistaken secret2",
        "change password alice secret1 secret1",
        "change password alice secret1 short",
        "change password alice secret1 example.org",
        "change password alice secret1 secret2 secret3",
        "change password nobody secret1 secret2",
        "change address alice secret1",
        "change address alice mistaken a@b.c",
        "change address alice secret1 nowhere",
        "change address alice secret1 secret1@example.org",
        "forgot",
        "forgot alice secret1",
        "reset alice",
        "reset alice secret1 secret2",
        "reset alice r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy secret2",
        "reset nobody r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy secret2",
        "signup deleted-7 mistaken",
        "signoff alice mistaken",
        "signoff alice",
        "delete alice mistaken",
        "delete alice secret1 please",
        "block alice secret1",
        "block alice secret1 alice",
        "block alice secret1 nobody",
        "block alice mistaken bob",
        "block alice secret1 bob please",
        "unblock alice secret1 bob",
        "unblock alice mistaken bob",
        "message alice secret1",
        "message alice secret1 bob",
        "message alice mistaken bob",
        "message alice secret1 a b c d e f g h i j k",
        "broadcast alice secret1",
        "broadcast alice mistaken",
        "help nothing",
        "help me get this done please 1 2 3 4 5 6 7 8",
        "list Chess",
        "vacation alice",
        "vacation alice mistaken 5",
        "vacation nobody secret1 5",
        "vacation alice secret1 off",
        "vacation alice secret1 0",
        "vacation alice secret1 -5",
        "vacation alice secret1 31",
        "vacation alice secret1 65536",
        "vacation alice secret1 5 6",
        "vacation alice secret1 soon",
        "vacation alice secret1 until",
        "vacation alice secret1 until soon",
        "vacation alice secret1 until 2026-11-19",
        "vacation alice secret1 until 2027-02-30",
        "vacation alice secret1 until 9999-12-31",
        "vacation alice secret1 until 2026-12-01 please",
        "set alice mistaken small",
        "set alice secret1 huge",
        "set alice secret1 small large",
        "set nobody secret1",
        "all",
        "all show",
        "all games",
        "all list alice",
        "all show nobody",
        "all show alice active next",
        "all games alice bob a b c",
        "all games alice alice alice alice alice alice alice alice alice alice alice",
    ]
    .map(str::to_owned)
    .to_vec();
    for game in GAMES {
        let of_game = [
            "",
            "signup alice secret1",
            "mvve 101 alice secret1 MOVE",
            "challenge alice",
            "challenge alice nobody",
            "challenge alice alice",
            "challenge alice bob carol",
            "challenge alice bob -nothing",
            "challenge alice bob --nothing",
            "challenge alice bob --nagtime=never",
            "challenge alice bob --nagtime=0",
            "challenge alice bob --totaltime=99999999999999999999",
            "move 101 alice mistaken MOVE",
            "move 101 alice secret1 nonsense",
            "move 101 alice secret1 MOVE#2",
            "move 101 alice secret1 MOVE#0",
            "move 101 alice secret1 MOVE#x",
            "move 101#7 alice secret1 MOVE",
            "move 101#x alice secret1 MOVE",
            "move 101 alice secret1",
            "move 101 alice secret1 secret1",
            "move 101 bob secret2 MOVE",
            "move 101 bob secret1 MOVE",
            "move 101 carol secret1 MOVE",
            "move 999 alice secret1 MOVE",
            "move 99999999999999999999 alice secret1 MOVE",
            "move -1 alice secret1 MOVE",
            "move +101 alice secret1 MOVE",
            "move alice 101 secret1 MOVE",
            "queue 101 alice secret1 MOVE",
            "queue 101 alice secret1 off",
            "queue 101 alice mistaken MOVE",
            "queue 101 bob secret2",
            "queue 101 bob secret2 ;",
            "queue 101 bob secret2 none",
            "queue 101 bob secret2 nonsense",
            "queue 101 bob secret2 MOVE then nonsense",
            "queue 101 bob secret2 MOVE then secret2",
            "queue 101 bob secret2 MOVE#2",
            "queue 101 bob secret2 MOVE#1 then MOVE#x",
            "queue 101#2 bob secret2 MOVE",
            "queue 101 bob secret2 resign",
            "queue 101 bob secret2 propose",
            "queue 101 bob secret2 flip",
            "queue 101 bob secret2 MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE",
            "submit 101 alice mistaken MOVE",
            "submit 101 alice secret1 nonsense",
            "submit 101 alice secret1 secret1",
            "submit 101 alice secret1 MOVE#2",
            "submit 101#2 alice secret1 MOVE",
            "submit 101 alice secret1 accept",
            "submit 101 alice secret1 swap",
            "submit 101 bob secret2 MOVE",
            "move 101 alice secret1 swap",
            "confirm 101 alice secret1",
            "confirm 101 alice mistaken",
            "confirm 101 alice secret1 MOVE",
            "confirm 101 bob secret2",
            "resign 101 alice mistaken",
            "resign 101 alice secret1 please",
            "resign 999 alice secret1",
            "resign 101 -x alice secret1",
            "chat 101 alice secret1",
            "chat 101 alice mistaken",
            "preview 101 nonsense",
            "preview 101 -x MOVE",
            "preview new -nothing MOVE",
            "preview 999 MOVE",
            "show",
            "show nobody",
            "show 999",
            "show 101#0",
            "show all active",
            "games nobody",
            "games alice next all",
            "games alice alice alice alice alice alice alice alice alice alice alice",
            "challenge anyone alice",
            "seek alice mistaken",
            "seek alice secret1 many",
            "seek alice secret1 101",
            "seek alice secret1 -1",
            "seek alice secret1 1 2",
            "seek alice secret1 0",
            "seek alice secret1 -nothing",
            "seek alice secret1 --nothing",
            "seek alice secret1 --nagtime=0",
            "seek nobody secret1",
            "accept 101 alice secret1",
            "accept alice mistaken",
            "accept alice secret1 101",
            "reject 101 alice secret1",
            "reject alice mistaken",
            "reject alice secret1 101",
            "limit alice mistaken",
            "limit alice secret1 many",
            "limit alice secret1 1001",
            "limit alice secret1 +1",
            "limit alice secret1 1 2",
            "subscribe 101 alice secret1",
            "subscribe 101 bob mistaken",
            "subscribe 999 bob secret2",
            "subscribe everything alice secret1",
            "subscribe all alice mistaken",
            "unsubscribe 101 alice secret1",
            "unsubscribe all alice secret1",
            "notify alice mistaken",
            "notify alice secret1 101",
            "notify alice secret1 999",
            "notify alice secret1 what",
            "notify alice secret1 off",
            "notify alice secret1 off off",
            "notify alice secret1 101 102",
            "showas alice secret1",
            "showas alice mistaken 101",
            "showas alice secret1 999",
            "showas alice secret1 101#0",
            "showas alice secret1 nobody",
            "record 999",
        ];
        let turn = game.facts.example[0];
        lines.extend(of_game.map(|line| format!("{} {}", game.facts.name, line.replace("MOVE", turn))));
    }
    lines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_command_changes_nothing_and_is_answered_once() {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.limits.refusals_a_day = u32::MAX;
        config.limits.answers_a_day = u32::MAX;
        config.limits.mails_an_hour = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
        config.limits.wrong_passwords_from_one = u32::MAX;
        config.limits.wrong_passwords_from_all = u32::MAX;
    });
    super::sign_up_both(&stage).await;
    for game in GAMES {
        ask(&stage, ALICE, &format!("{} challenge alice bob", game.facts.name)).await;
    }
    let before = database::lasting(stage.data());
    assert_eq!(
        (before["players"].len(), before["boards"].len()),
        (2 + COMPUTERS.len(), GAMES.len())
    );
    // To read the whole database takes longer than to answer a mail.
    for lines in refused_lines().chunks(10) {
        for line in lines {
            let letters = ask(&stage, ALICE, line).await;
            let [letter] = letters.as_slice() else {
                panic!("`{line}` has {} answers", letters.len());
            };
            assert!(
                letter.subject.starts_with("Not done") || letter.subject.contains(" Board 101 "),
                "`{line}`: {}",
                letter.subject
            );
            let first = letter.text.split("\n\n").next().unwrap_or_default();
            assert!(first.ends_with(['.', '?']), "`{line}` is answered: {first}");
            let state = database::text(stage.data(), "SELECT state FROM inbox ORDER BY id DESC LIMIT 1");
            assert_eq!(state, "refused", "`{line}` is answered: {first}");
        }
        assert_eq!(
            database::lasting(stage.data()),
            before,
            "one of these has changed something: {lines:#?}"
        );
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_automatic_answer_asks_for_is_neither_done_nor_answered() {
    let stage = super::alice_and_bob().await;
    ask(
        &stage,
        ALICE,
        &format!("{} challenge alice bob", GAMES[0].facts.name),
    )
    .await;
    let before = database::lasting(stage.data());
    let marks = [
        "Auto-Submitted: auto-replied",
        "Precedence: bulk",
        "List-Id: <list.example.org>",
        "X-Pbmserv-Loop: pbmserv@games.example",
    ];
    for (number, (_, line)) in all_examples().into_iter().enumerate() {
        let mut automatic = mail(ALICE, &line, "");
        automatic.header.push_str(marks[number % marks.len()]);
        automatic.header.push_str("\r\n");
        let (_, letters) = stage.send(&automatic).await;
        assert!(letters.is_empty(), "{line}");
    }
    assert_eq!(database::lasting(stage.data()), before);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_only_show_change_nothing() {
    let stage = super::alice_and_bob().await;
    for game in GAMES {
        ask(&stage, ALICE, &format!("{} challenge alice bob", game.facts.name)).await;
    }
    let before = database::lasting(stage.data());
    for (command, line) in all_examples() {
        if !command.has_secret() && command.verb != "challenge" {
            stage.pass(chrono::TimeDelta::hours(1));
            let letters = ask(&stage, BOB, &line).await;
            assert_eq!(letters.len(), 1, "{line}");
            assert!(
                !letters[0].subject.starts_with("Not done"),
                "{line}: {}",
                letters[0].text
            );
        }
    }
    assert_eq!(database::lasting(stage.data()), before);
    assert!(COMMANDS.iter().any(|command| command.has_secret()));
    let unsent = Mail {
        to: mail(BOB, "", "").to.with_detail("nobody-knows"),
        ..mail(BOB, "", "confirm\n")
    };
    stage.send(&unsent).await;
    assert_eq!(database::lasting(stage.data()), before);
    stage.close().await;
}
