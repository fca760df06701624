//! What a stranger's mail makes the server write: one short answer, and one mail to somebody else.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;
use pbmserv_mail::Key;
use pbmserv_mail::outbox::{Identity, Queue, build};

use super::{ALICE, BOB, all_examples, ask, mail, say};
use crate::stage::Stage;

/// The most bytes of an answer to a stranger, as it is sent.
const MOST: usize = 20_000;

/// An address that makes a long header.
const STRANGER: &str = "stranger@a-domain-with-a-name-that-is-rather-long-for-a-domain.example.net";

/// A server with boards of every game, on which the words of the examples are no passwords.
async fn stage() -> Stage {
    let stage = Stage::open(|config| {
        config.limits.mails_an_hour = u32::MAX;
        config.limits.refusals_a_day = u32::MAX;
        config.limits.strangers_answers_a_day = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
    });
    for (player, line) in [(ALICE, "signup alice jug5mole"), (BOB, "signup bob ivy6crab")] {
        let asked = ask(&stage, player, line).await;
        let mut confirmed = mail(player, "", "confirm\n");
        confirmed.header = format!("In-Reply-To: <{}>\r\n", asked[0].message_id);
        stage.send(&confirmed).await;
    }
    for game in GAMES {
        let line = format!("{} challenge alice bob", game.facts.name);
        assert_eq!(ask(&stage, ALICE, &line).await.len(), 2);
    }
    stage
}

/// The size of a mail as it is sent.
async fn size(stage: &Stage, letter: &Outgoing) -> usize {
    let key = Key::from_bytes([7; 32]);
    let identity = Identity::new(stage.server.address.clone(), "Games by mail", key).unwrap();
    let rendered = stage.server.rows.render(letter.clone()).await.unwrap();
    assert!(rendered.page.as_ref().is_none_or(|page| page.pictures.is_empty()));
    build(&rendered, &identity).unwrap().bytes.len()
}

/// Checks the letters of one mail of a stranger. Returns how large the answer is.
async fn check(stage: &Stage, what: &str, letters: &[Outgoing]) -> usize {
    let own: Vec<_> = letters
        .iter()
        .filter(|letter| letter.to.as_str() == STRANGER)
        .collect();
    assert!(own.len() <= 1, "{what}: {} answers", own.len());
    // The owner of an account is told once a day that somebody guesses its password.
    let others = letters
        .iter()
        .filter(|letter| letter.to.as_str() != STRANGER && !letter.subject.starts_with("Wrong passwords"));
    assert!(others.clone().count() <= 1, "{what}: {} others", others.count());
    let mut largest = 0;
    for letter in letters {
        let size = size(stage, letter).await;
        assert!(size < MOST, "{what}: {size} bytes");
        largest = largest.max(size);
    }
    assert!(
        own.iter().all(|letter| !letter.draft.as_ref().unwrap().has_html),
        "{what}: HTML"
    );
    largest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_is_answered_by_one_short_mail_whatever_the_command() {
    let stage = stage().await;
    let mut lines: Vec<String> = all_examples().into_iter().map(|(_, line)| line).collect();
    for line in [
        "help all",
        "help commands",
        "help tutorial",
        "help mail",
        "help clocks",
        "nonsense",
        "",
    ] {
        lines.push(line.to_owned());
    }
    for game in GAMES {
        let name = game.facts.name;
        lines.push(format!("help {name}"));
        lines.push(format!("{name} show {}", "101 ".repeat(100)));
        lines.push(format!("{name} show {}", "\u{e9}\u{4e2d}".repeat(150)));
        lines.push(format!(
            "signup {name}-player mistaken v1@example.org v2@example.org v3@example.org"
        ));
    }
    lines.sort();
    lines.dedup();
    let mut largest = 0;
    for line in &lines {
        let letters = ask(&stage, STRANGER, line).await;
        largest = largest.max(check(&stage, line, &letters).await);
        stage.pass(TimeDelta::minutes(1));
    }
    assert!(largest > MOST / 2, "{largest}: no long answer was tried");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_is_answered_by_one_short_mail_whatever_the_list() {
    let stage = stage().await;
    let mut lines: Vec<String> = all_examples().into_iter().map(|(_, line)| line).collect();
    lines.sort();
    lines.dedup();
    for some in lines.chunks(4) {
        let list = [some, &["help commands".to_owned(), "forgot alice".to_owned()]].concat();
        let letters = say(
            &stage,
            STRANGER,
            "multiple",
            &format!("{}\n", list.join("\n")).repeat(16),
        )
        .await;
        check(&stage, &list.join("; "), &letters).await;
        stage.pass(TimeDelta::minutes(20));
    }
    let long = format!("{}\n", "help \u{e9}=\u{4e2d} ".repeat(60)).repeat(100);
    let letters = say(&stage, STRANGER, "multiple", &format!("list\n{long}")).await;
    check(&stage, "long lines that are no commands", &letters).await;
    stage.close().await;
}

/// A player whom nothing authenticates gets the picture all the same, and no more of it than answers are allowed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_sees_the_picture_at_the_own_address_only() {
    let stage = stage().await;
    let name = GAMES[0].facts.name;
    for (from, has_picture) in [(ALICE, true), (STRANGER, false)] {
        let letters = ask(&stage, from, &format!("{name} show 101")).await;
        let rendered = stage.server.rows.render(letters[0].clone()).await.unwrap();
        let picture = rendered.page.and_then(|page| page.pictures.first().cloned());
        assert_eq!(picture.is_some(), has_picture, "{from}");
    }
    stage.close().await;
}

/// The answers to strangers wait in their hundreds; the mail of a player's turn is among the next that are sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mails_to_strangers_are_sent_a_few_at_a_time_and_players_do_not_wait_behind_them() {
    let stage = stage().await;
    let (server, now) = (&stage.server, stage.server.now());
    let post = async |from: &str, line: &str| {
        let request = server.read("smtp", &mail(from, line, "").message()).unwrap();
        server.handle(request, false, false).await.unwrap();
    };
    for number in 0..50 {
        post(&format!("s{number}@far{number}.example"), "help").await;
    }
    post(ALICE, "Pow2 move 101 alice jug5mole m13-m5").await;
    let due = server.rows.due(now, 200).await.unwrap();
    let (players, strangers): (Vec<_>, Vec<_>) = due
        .iter()
        .partition(|letter| [ALICE, BOB].contains(&letter.to.as_str()));
    assert_eq!((players.len(), strangers.len()), (2, 8));
    assert!(due.is_sorted_by_key(|letter| letter.id));
    let letters = stage.collect().await;
    assert_eq!(letters.len(), 52, "all of them are sent in the end");
    stage.close().await;
}
