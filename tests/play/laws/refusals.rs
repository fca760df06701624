//! A refused command changes nothing, and the answer says why.

use pbmserv_core::command::COMMANDS;
use pbmserv_core::table::COMPUTERS;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, all_examples, ask, database, mail};
use crate::stage::{Mail, Stage};

/// Lines that must be refused on a server where alice and bob play board 101 of each game and alice is to move.
fn refused_lines() -> Vec<String> {
    let mut lines: Vec<String> = [
        "",
        "Not done: Pow2",
        "nonsense",
        "signup alice mistaken",
        "signup alice fig7elk",
        "signup bob fig7elk carol@example.org",
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
        "add alice fig7elk",
        "add alice fig7elk nowhere",
        "add alice fig7elk alice@example.org",
        "add alice fig7elk pbmserv@games.example",
        "add alice fig7elk a@b.c b@b.c c@b.c d@b.c e@b.c",
        "add alice fig7elk fig7elk@example.org",
        "add alice mistaken a@b.c",
        "add a@b.c alice fig7elk",
        "remove alice fig7elk",
        "remove alice fig7elk alice@example.org",
        "remove alice fig7elk bob@example.org",
        "remove alice mistaken alice@example.org",
        "change",
        "change alice fig7elk oak4jay",
        "change pasword alice fig7elk oak4jay",
        "change password alice fig7elk",
        "change password alice mistaken oak4jay",
        "change password alice fig7elk fig7elk",
        "change password alice fig7elk short",
        "change password alice fig7elk example.org",
        "change password alice fig7elk oak4jay bay5owl",
        "change password nobody fig7elk oak4jay",
        "change address alice fig7elk",
        "change address alice mistaken a@b.c",
        "change address alice fig7elk nowhere",
        "change address alice fig7elk fig7elk@example.org",
        "forgot",
        "forgot alice fig7elk",
        "reset alice",
        "reset alice fig7elk oak4jay",
        "reset alice r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy oak4jay",
        "reset nobody r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy oak4jay",
        "signup deleted-7 mistaken",
        "signoff alice mistaken",
        "signoff alice",
        "delete alice mistaken",
        "delete alice fig7elk please",
        "block alice fig7elk",
        "block alice fig7elk alice",
        "block alice fig7elk nobody",
        "block alice mistaken bob",
        "block alice fig7elk bob please",
        "unblock alice fig7elk bob",
        "unblock alice mistaken bob",
        "message alice fig7elk",
        "message alice fig7elk bob",
        "message alice mistaken bob",
        "message alice fig7elk a b c d e f g h i j k",
        "broadcast alice fig7elk",
        "broadcast alice mistaken",
        "help nothing",
        "help me get this done please 1 2 3 4 5 6 7 8",
        "list Shogi",
        "vacation alice",
        "vacation alice mistaken 5",
        "vacation nobody fig7elk 5",
        "vacation alice fig7elk off",
        "vacation alice fig7elk 0",
        "vacation alice fig7elk -5",
        "vacation alice fig7elk 31",
        "vacation alice fig7elk 65536",
        "vacation alice fig7elk 5 6",
        "vacation alice fig7elk soon",
        "vacation alice fig7elk until",
        "vacation alice fig7elk until soon",
        "vacation alice fig7elk until 2026-11-19",
        "vacation alice fig7elk until 2027-02-30",
        "vacation alice fig7elk until 9999-12-31",
        "vacation alice fig7elk until 2026-12-01 please",
        "set alice mistaken small",
        "set alice fig7elk huge",
        "set alice fig7elk small large",
        "set nobody fig7elk",
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
            "signup alice fig7elk",
            "mvve 101 alice fig7elk MOVE",
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
            "move 101 alice fig7elk nonsense",
            "move 101 alice fig7elk MOVE#2",
            "move 101 alice fig7elk MOVE#0",
            "move 101 alice fig7elk MOVE#x",
            "move 101#7 alice fig7elk MOVE",
            "move 101#x alice fig7elk MOVE",
            "move 101 alice fig7elk",
            "move 101 alice fig7elk fig7elk",
            "move 101 bob oak4jay MOVE",
            "move 101 bob fig7elk MOVE",
            "move 101 carol fig7elk MOVE",
            "move 999 alice fig7elk MOVE",
            "move 99999999999999999999 alice fig7elk MOVE",
            "move -1 alice fig7elk MOVE",
            "move +101 alice fig7elk MOVE",
            "move alice 101 fig7elk MOVE",
            "queue 101 alice fig7elk MOVE",
            "queue 101 alice fig7elk off",
            "queue 101 alice mistaken MOVE",
            "queue 101 bob oak4jay",
            "queue 101 bob oak4jay ;",
            "queue 101 bob oak4jay none",
            "queue 101 bob oak4jay nonsense",
            "queue 101 bob oak4jay MOVE then nonsense",
            "queue 101 bob oak4jay MOVE then oak4jay",
            "queue 101 bob oak4jay MOVE#2",
            "queue 101 bob oak4jay MOVE#1 then MOVE#x",
            "queue 101#2 bob oak4jay MOVE",
            "queue 101 bob oak4jay resign",
            "queue 101 bob oak4jay propose",
            "queue 101 bob oak4jay flip",
            "queue 101 bob oak4jay MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE;MOVE",
            "submit 101 alice mistaken MOVE",
            "submit 101 alice fig7elk nonsense",
            "submit 101 alice fig7elk fig7elk",
            "submit 101 alice fig7elk MOVE#2",
            "submit 101#2 alice fig7elk MOVE",
            "submit 101 alice fig7elk accept",
            "submit 101 alice fig7elk swap",
            "submit 101 bob oak4jay MOVE",
            "move 101 alice fig7elk swap",
            "confirm 101 alice fig7elk",
            "confirm 101 alice mistaken",
            "confirm 101 alice fig7elk MOVE",
            "confirm 101 bob oak4jay",
            "resign 101 alice mistaken",
            "resign 101 alice fig7elk please",
            "resign 999 alice fig7elk",
            "resign 101 -x alice fig7elk",
            "chat 101 alice fig7elk",
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
            "seek alice fig7elk many",
            "seek alice fig7elk 101",
            "seek alice fig7elk -1",
            "seek alice fig7elk 1 2",
            "seek alice fig7elk 0",
            "seek alice fig7elk -nothing",
            "seek alice fig7elk --nothing",
            "seek alice fig7elk --nagtime=0",
            "seek nobody fig7elk",
            "accept 101 alice fig7elk",
            "accept alice mistaken",
            "accept alice fig7elk 101",
            "reject 101 alice fig7elk",
            "reject alice mistaken",
            "reject alice fig7elk 101",
            "limit alice mistaken",
            "limit alice fig7elk many",
            "limit alice fig7elk 1001",
            "limit alice fig7elk +1",
            "limit alice fig7elk 1 2",
            "subscribe 101 alice fig7elk",
            "subscribe 101 bob mistaken",
            "subscribe 999 bob oak4jay",
            "subscribe everything alice fig7elk",
            "subscribe all alice mistaken",
            "unsubscribe 101 alice fig7elk",
            "unsubscribe all alice fig7elk",
            "notify alice mistaken",
            "notify alice fig7elk 101",
            "notify alice fig7elk 999",
            "notify alice fig7elk what",
            "notify alice fig7elk off",
            "notify alice fig7elk off off",
            "notify alice fig7elk 101 102",
            "showas alice fig7elk",
            "showas alice mistaken 101",
            "showas alice fig7elk 999",
            "showas alice fig7elk 101#0",
            "showas alice fig7elk nobody",
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
        config.limits.wrong_passwords_over_all = u32::MAX;
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
                ["Not done", "Help: what you can do", "Your "]
                    .iter()
                    .any(|own| letter.subject.starts_with(own))
                    || letter.subject.contains(" Board 101 "),
                "`{line}`: {}",
                letter.subject
            );
            let first = letter.text.split("\n\n").next().unwrap_or_default();
            assert!(first.ends_with(['.', '?', ':']), "`{line}` is answered: {first}");
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
