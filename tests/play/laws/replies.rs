//! Replies to a board's mail: which seat they authenticate, and what ends that.

use chrono::TimeDelta;
use pbmserv::admin::board::{BoardArgs, BoardVerb};
use pbmserv::admin::{Caller, Verb, VerbRequest, Why};
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::{Mail, Stage};

/// A server with a board, and the mails about it to alice and bob.
async fn begun() -> (Stage, Outgoing, Outgoing) {
    let stage = alice_and_bob().await;
    let letters = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let to = |who: &str| {
        letters
            .iter()
            .find(|letter| letter.to.as_str() == who)
            .unwrap()
            .clone()
    };
    let (alice, bob) = (to(ALICE), to(BOB));
    (stage, alice, bob)
}

/// A reply to a mail, to its token if `token` is there.
fn answer<'a>(from: &'a str, to: &Outgoing, token: Option<&str>, body: &'a str) -> Mail<'a> {
    let mut mail = mail(from, &format!("Re: {}", to.subject), body);
    if let Some(token) = token {
        mail.to = mail.to.with_detail(token);
    }
    mail
}

fn turns(stage: &Stage) -> i64 {
    database::count(stage.data(), "SELECT COUNT(*) FROM turns")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_its_players_seat_from_any_address_and_in_any_case() {
    let (stage, alice, _) = begun().await;
    let token = alice.reply_detail.clone().unwrap();
    let (_, letters) = stage
        .send(&answer(
            "phone@elsewhere.example",
            &alice,
            Some(&token.to_uppercase()),
            "m13-j7",
        ))
        .await;
    assert_eq!(turns(&stage), 1);
    // The answer goes to the account's address, not to the sender's.
    let mut to: Vec<_> = letters.iter().map(|letter| letter.to.to_string()).collect();
    to.sort();
    assert_eq!(to, [ALICE, BOB]);
    // The token of the other seat does not move for this one, and not out of turn.
    stage.send(&answer(ALICE, &alice, Some(&token), "m1-m5")).await;
    assert_eq!(turns(&stage), 1);
    let bob = letters.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    stage
        .send(&answer(BOB, bob, bob.reply_detail.as_deref(), "a1-e1\n\nThanks!"))
        .await;
    assert_eq!(turns(&stage), 2);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_provider_drops_the_token_the_answered_mail_counts_from_its_reader_only() {
    let (stage, alice, _) = begun().await;
    let with = |from, id: &str| {
        let mut mail = answer(from, &alice, None, "m13-j7");
        mail.header.push_str(&format!("In-Reply-To: <{id}>\r\n"));
        mail
    };
    stage.send(&with(BOB, &alice.message_id)).await;
    stage
        .send(&with("mallory@elsewhere.example", &alice.message_id))
        .await;
    stage.send(&with(ALICE, "another@games.example")).await;
    assert_eq!(turns(&stage), 0);
    stage.send(&with(ALICE, &alice.message_id)).await;
    assert_eq!(turns(&stage), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_token_does_nothing_and_a_dead_one_is_told_a_player_once_a_day() {
    let (stage, alice, bob) = begun().await;
    let token = alice.reply_detail.clone().unwrap();
    let (number, tag) = token.split_once('-').unwrap();
    let other = if tag.starts_with('a') { "b" } else { "a" };
    let forged = format!("{number}-{other}{}", &tag[1..]);
    let bobs = bob.reply_detail.clone().unwrap();
    let swapped = format!("{number}-{}", bobs.split_once('-').unwrap().1);
    for token in [
        &forged,
        &swapped,
        &"a".repeat(40),
        &"-".to_owned(),
        &format!("c{token}"),
    ] {
        let (_, letters) = stage
            .send(&answer(
                "mallory@elsewhere.example",
                &alice,
                Some(token),
                "m13-j7",
            ))
            .await;
        assert_eq!((turns(&stage), letters.len()), (0, 0), "{token}");
    }
    let sentences = |letters: Vec<Outgoing>| {
        letters
            .iter()
            .map(|letter| letter.subject.clone())
            .collect::<Vec<_>>()
    };
    let (_, first) = stage.send(&answer(ALICE, &alice, Some(&forged), "m13-j7")).await;
    assert_eq!(sentences(first), ["Not done: an old address"]);
    let (_, second) = stage.send(&answer(ALICE, &alice, Some(&forged), "m13-j7 ")).await;
    assert!(second.is_empty());
    stage.pass(TimeDelta::days(1) + TimeDelta::minutes(1));
    let (_, next_day) = stage
        .send(&answer(ALICE, &alice, Some(&forged), "m13-j7  "))
        .await;
    assert_eq!(next_day.len(), 1);
    assert_eq!(turns(&stage), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_password_and_the_end_of_the_board_end_its_tokens() {
    let (stage, alice, bob) = begun().await;
    let player = stage.server.reader().unwrap().player("alice").unwrap().unwrap();
    let hash = player.password_hash.clone();
    stage
        .server
        .engine
        .write(move |store, _| store.set_password(player.id, &hash))
        .await
        .unwrap();
    stage
        .send(&answer(ALICE, &alice, alice.reply_detail.as_deref(), "m13-j7"))
        .await;
    assert_eq!(turns(&stage), 0);
    // Later mails have a token of the new generation.
    let again = ask(&stage, ALICE, "Pow2 show 101").await.remove(0);
    assert_ne!(again.reply_detail, alice.reply_detail);
    stage
        .send(&answer(ALICE, &again, again.reply_detail.as_deref(), "m13-j7"))
        .await;
    assert_eq!(turns(&stage), 1);
    ask(&stage, ALICE, "Pow2 resign 101 alice fig7elk").await;
    stage
        .send(&answer(BOB, &bob, bob.reply_detail.as_deref(), "a1-e1"))
        .await;
    assert_eq!(turns(&stage), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prose_is_no_command_and_a_command_with_a_password_is_no_comment() {
    let (stage, alice, bob) = begun().await;
    let token = alice.reply_detail.clone();
    let prose = [
        "accept my apologies",
        "pas mal",
        "resign? never",
        "Show me yours",
        "I resign myself to fate",
        "I cannot help it",
        "a1 was a fine move",
        "In 2 days I am back",
        "pass me the salt",
        "Chatting is fun",
        "m13-j7 or m1-m5?",
    ];
    for text in prose {
        // A third one within minutes would be taken for a program's.
        stage.pass(TimeDelta::minutes(11));
        let (_, letters) = stage.send(&answer(ALICE, &alice, token.as_deref(), text)).await;
        assert_eq!(letters.len(), 1, "{text}: {letters:?}");
        let answers = [
            "Nothing was done on Pow2 Board 101, alice",
            "I did not understand your first line",
        ];
        assert!(
            answers.iter().any(|answer| letters[0].text.starts_with(answer)),
            "{text}:\n{}",
            letters[0].text
        );
    }
    assert_eq!(turns(&stage), 0);
    let body = "m13-j7\nYour turn.\nPow2 move 101 alice fig7elk m13-j7\n";
    let (_, letters) = stage.send(&answer(ALICE, &alice, token.as_deref(), body)).await;
    assert_eq!(turns(&stage), 1);
    assert!(
        letters
            .iter()
            .all(|letter| !letter.text.contains("fig7elk") && letter.text.contains("Your turn."))
    );
    let (_, letters) = stage
        .send(&answer(
            BOB,
            &bob,
            bob.reply_detail.as_deref(),
            "Chat: see below\nchat",
        ))
        .await;
    assert!(
        letters[0]
            .text
            .starts_with("I did not understand your first line"),
        "{}",
        letters[0].text
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_game_is_begun_by_an_answer_and_given_up_by_another() {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let letters = ask(&stage, ALICE, &format!("{} challenge alice bob", game.facts.name)).await;
        let alice = letters.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
        let before = turns(&stage);
        let turn = format!("{}\n", game.facts.example[0]);
        stage
            .send(&answer(ALICE, alice, alice.reply_detail.as_deref(), &turn))
            .await;
        assert_eq!(turns(&stage), before + 1, "{}", game.facts.name);
        let (_, letters) = stage
            .send(&answer(
                ALICE,
                alice,
                alice.reply_detail.as_deref(),
                "Resign\n\nWell played.",
            ))
            .await;
        let name = format!("{} Board 101", game.facts.name);
        let told = [
            format!("\n\nalice resigned on {name}: you have won."),
            format!("\n\nYou resigned on {name}: bob has won."),
        ];
        assert_eq!(letters.len(), 2);
        assert!(
            letters
                .iter()
                .zip(told)
                .all(|(letter, told)| letter.text.contains(&told))
        );
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_was_replaced_at_a_board_has_no_token_for_it_and_the_substitute_has() {
    let (stage, alice, _) = begun().await;
    let carol = "carol@home.example";
    ask(&stage, carol, "signup carol bay5owl").await;
    // A mail with alice's seat waits in the outbox, and is sent after the seat has a new player.
    let request = stage
        .server
        .read("smtp", &mail(ALICE, "Pow2 show 101", "").message())
        .unwrap();
    stage.server.handle(request, false, false).await.unwrap();
    let reseat = BoardVerb::Reseat {
        board: BoardArgs {
            game: "Pow2".into(),
            number: 101,
        },
        from: "alice".into(),
        to: "carol".into(),
        why: Why {
            why: "alice is ill".into(),
        },
    };
    let request = VerbRequest {
        verb: Verb::Board(reseat),
        caller: Caller::of_this_process(),
    };
    let answered = request.run(&stage.server).await;
    assert_eq!((answered.code, answered.err.as_str()), (0, ""));
    let letters = stage.collect().await;
    let token_to = |who: &str, at: usize| {
        let mut mails = letters.iter().filter(|letter| letter.to.as_str() == who);
        mails.nth(at).unwrap().reply_detail.clone()
    };
    let (old, late) = (alice.reply_detail.clone(), token_to(ALICE, 0));
    assert_eq!(old, late, "it is made for alice still");
    assert_eq!(token_to(ALICE, 1), None, "alice sits there no more");
    let new = token_to(carol, 0);
    assert!(new.is_some() && new != old);
    for token in [&old, &late] {
        stage
            .send(&answer(ALICE, &alice, token.as_deref(), "m13-j7"))
            .await;
        assert_eq!(turns(&stage), 0);
    }
    let mut by_thread = answer(ALICE, &alice, None, "m13-j7");
    by_thread
        .header
        .push_str(&format!("In-Reply-To: <{}>\r\n", alice.message_id));
    stage.send(&by_thread).await;
    assert_eq!(turns(&stage), 0);
    let (_, letters) = stage.send(&answer(carol, &alice, new.as_deref(), "m13-j7")).await;
    assert_eq!(turns(&stage), 1);
    // The other seat has a token as before.
    let bob = letters.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    stage
        .send(&answer(BOB, bob, bob.reply_detail.as_deref(), "a1-e1"))
        .await;
    assert_eq!(turns(&stage), 2);
    stage.close().await;
}
