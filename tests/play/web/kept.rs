//! A visitor keeps a game: it is asked for by mail as to join, and its board begins with the account, once.

use std::sync::atomic::Ordering;

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::{Board, End};
use pbmserv_games::{Seat, find};
use pbmserv_mail::Address;

use super::guest::{encoded, open};
use super::join::{NORA, link_in};
use super::{ALICE, Answer, PATH, Pages};
use crate::stage::{Mail, SERVER, database};

/// A game of two turns at this address of its page; the form that keeps it.
async fn begun(pages: &Pages, name: &str) -> String {
    let at = pages.send("Breakthrough", "turn=a2-a3").await.unwrap();
    let page = pages.visit(&at).await.body;
    assert!(
        page.contains("action=\"/games/play/Breakthrough/keep\""),
        "{page}"
    );
    let so = encoded(at.split_once("?so=").unwrap().1);
    format!("so={so}&name={name}&address={}", encoded(NORA))
}

impl Pages {
    /// Sends the form that keeps a game; returns the answer and the letters.
    async fn keep(&self, form: &str) -> (Answer, Vec<Outgoing>) {
        let path = format!("{PATH}play/Breakthrough/keep");
        let answer = self.post(&path, form).await;
        (answer, self.stage.collect().await)
    }

    /// The letters that an answer to a letter causes.
    async fn say_to(&self, letter: &Outgoing, from: &str, body: &str) -> Vec<Outgoing> {
        let detail = letter.reply_detail.as_ref().unwrap();
        let id = self.sent.fetch_add(1, Ordering::Relaxed);
        let mail = Mail {
            from,
            to: Address::parse(SERVER).unwrap().with_detail(detail),
            header: format!("Message-ID: <answer-{id}@home.example>\r\n"),
            body,
        };
        self.stage.send(&mail).await.1
    }

    fn board(&self, number: u32) -> Option<(Board, Vec<String>)> {
        let reader = self.stage.server.reader().unwrap();
        let board = reader.board(find("Breakthrough").unwrap(), number).unwrap()?;
        let turns = reader.turns(board.id).unwrap();
        Some((board, turns.into_iter().map(|turn| turn.text).collect()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_kept_by_the_page_of_the_letter() {
    let pages = open().await;
    let form = begun(&pages, "nora").await;
    let (kept, letters) = pages.keep(&form).await;
    assert!(kept.body.contains("A mail is on its way"), "{}", kept.body);
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    let said = letter.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("Your game of Breakthrough against bot-easy is kept"),
        "{said}"
    );
    assert_eq!(pages.board(101), None, "it begins with the account");
    let joined = pages.post(&link_in(letter, "j"), "name=nora").await;
    assert_eq!(joined.status, 303, "{}", joined.body);
    let (board, turns) = pages.board(101).unwrap();
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0], "a2-a3");
    assert_eq!(
        Seat::BOTH.map(|seat| board.at(seat).userid.as_str()),
        ["nora", "bot-easy"]
    );
    assert_eq!((board.to_move, board.terms.rated), (Some(Seat::First), false));
    let letters = pages.stage.collect().await;
    let subjects: Vec<_> = letters.iter().map(|letter| letter.subject.as_str()).collect();
    let [welcome, own] = letters.as_slice() else {
        panic!("{subjects:?}")
    };
    assert!(welcome.text.contains("Welcome, nora!"), "{}", welcome.text);
    assert!(own.subject.contains("Breakthrough Board 101"), "{subjects:?}");
    let own_page = pages.get(joined.field("location").unwrap()).await.body;
    assert!(own_page.contains("One board waits for you, nora."), "{own_page}");
    // The letter of the board is answered as any other, and the computer goes on.
    let played = pages.say_to(own, NORA, "b2-b3").await;
    assert!(
        !played.iter().any(|letter| letter.kind == "notdone"),
        "{played:?}"
    );
    pages.stage.server.thinking.until_idle().await.unwrap();
    assert_eq!(pages.board(101).unwrap().1.len(), 4);
    // Joined again, nothing begins again.
    pages.post(&link_in(letter, "j"), "name=nora").await;
    assert_eq!(pages.board(102), None);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_kept_by_an_answer_once() {
    let pages = open().await;
    let form = begun(&pages, "").await;
    let (_, letters) = pages.keep(&form).await;
    // A name that cannot be had begins nothing, and the question is asked again.
    let again = pages.say_to(&letters[0], NORA, "x").await;
    assert_eq!((again.len(), pages.board(101)), (1, None));
    let joined = pages.say_to(&again[0], NORA, "nora").await;
    assert_eq!(joined.len(), 2, "{joined:?}");
    assert_eq!(pages.board(101).unwrap().1.len(), 2);
    let repeated = pages.say_to(&again[0], NORA, "yes").await;
    assert_eq!((repeated.len(), pages.board(102)), (1, None), "{repeated:?}");
    pages.close().await;
}

/// The same bounds as to join, and the same words to everybody: who has an account gets the own link, and no board.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn to_keep_a_game_sends_no_more_mail_than_to_join() {
    let pages = open().await;
    pages.ask(ALICE, "signup alice fig7elk").await;
    let form = begun(&pages, "").await;
    let mut letters = 0;
    let mut said = String::new();
    for _ in 0..5 {
        let (answer, sent) = pages.keep(&form).await;
        letters += sent.len();
        said = answer.body;
    }
    assert_eq!(letters, 3);
    let to_alice = form.replace(&encoded(NORA), &encoded(ALICE));
    let (answer, sent) = pages.keep(&to_alice).await;
    assert_eq!(answer.body, said);
    assert_eq!((sent.len(), sent[0].to.as_str()), (1, ALICE));
    assert_eq!(pages.board(101), None);
    let mut letters = 0;
    for number in 0..20 {
        let other = encoded(&format!("p{number}@far.example"));
        letters += pages.keep(&form.replace(&encoded(NORA), &other)).await.1.len();
    }
    assert_eq!(letters, 4, "ten a day from one network");
    for (from, to, why) in [
        (encoded(NORA), "nora".to_owned(), "That is no mail address."),
        (
            "name=".to_owned(),
            "name=alice".to_owned(),
            "The name alice is taken",
        ),
    ] {
        let (refused, sent) = pages.keep(&form.replace(&from, &to)).await;
        assert_eq!((refused.status, sent.len()), (409, 0));
        assert!(
            refused.body.contains(why) && refused.body.contains("<details open>"),
            "{}",
            refused.body
        );
    }
    let (forged, sent) = pages.keep(&form.replacen("so=", "so=x", 1)).await;
    assert_eq!((forged.status, sent.len()), (400, 0));
    pages.close().await;
}

/// A player gets no second account: the button of the letter makes the game one of the own boards, once. So does a yes by mail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_keeps_a_game_with_the_button_of_the_letter_or_with_a_yes() {
    let pages = open().await;
    pages.ask(ALICE, "signup alice fig7elk").await;
    let form = begun(&pages, "").await.replace(&encoded(NORA), &encoded(ALICE));
    let (_, letters) = pages.keep(&form).await;
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert_eq!(letter.subject, "Your game of Breakthrough is kept, alice");
    let link = link_in(letter, "j");
    for _ in 0..2 {
        let page = pages.get(&link).await.body;
        assert!(
            page.contains("Your game is kept, alice.") && page.contains("Keep this game"),
            "{page}"
        );
        assert_eq!(pages.board(101), None, "scanners open links");
    }
    let kept = pages.post(&link, "").await;
    assert_eq!(kept.status, 303, "{}", kept.body);
    let own_page = pages.get(kept.field("location").unwrap()).await.body;
    assert!(own_page.contains("One board waits for you, alice."), "{own_page}");
    let (board, turns) = pages.board(101).unwrap();
    assert_eq!((turns.len(), board.at(Seat::First).userid.as_str()), (2, "alice"));
    let sent = pages.stage.collect().await;
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].subject.starts_with("Breakthrough Board 101"), "{sent:?}");
    // Neither the link nor an answer begins a second board.
    assert!(pages.post(&link, "").await.body.contains("You have joined."));
    pages.say_to(letter, ALICE, "yes").await;
    assert_eq!(pages.board(102), None);

    let (_, letters) = pages.keep(&form).await;
    let unclear = pages
        .say_to(&letters[0], ALICE, "What is this about, please?")
        .await;
    assert!(unclear[0].text.contains("nothing was done yet"), "{unclear:?}");
    assert_eq!(pages.board(102), None);
    let joined = pages.say_to(&unclear[0], ALICE, "yes").await;
    assert!(joined[0].subject.contains("Breakthrough Board 102"), "{joined:?}");
    assert_eq!(pages.board(102).unwrap().1.len(), 2);

    let (_, letters) = pages.keep(&form).await;
    let refused = pages.say_to(&letters[0], ALICE, "No thank you").await;
    assert!(
        refused[0].text.starts_with("The game is not kept, alice."),
        "{refused:?}"
    );
    pages.say_to(&letters[0], ALICE, "yes").await;
    assert_eq!(pages.board(103), None);
    let reader = pages.stage.server.reader().unwrap();
    assert_eq!(reader.players().unwrap().len(), 1);
    pages.close().await;
}

/// What the operator changes between the question and its answer: the account is made in any case.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_cannot_go_on_begins_no_board() {
    for (turns, is_told) in [
        ("1\na2-a3\na9-a8", true),
        ("9\na2-a3\na7-a6", false),
        ("x", false),
    ] {
        let pages = open().await;
        let form = begun(&pages, "nora").await;
        let (_, letters) = pages.keep(&form).await;
        database::change(pages.stage.data(), &format!("UPDATE joins SET turns = '{turns}'"));
        let joined = pages.say_to(&letters[0], NORA, "yes").await;
        assert!(joined[0].text.contains("Welcome, nora!"), "{joined:?}");
        assert_eq!(pages.board(101), None);
        let ends = |letter: &&Outgoing| letter.subject == "Your game of Breakthrough ends here";
        assert_eq!(
            joined.iter().filter(ends).count(),
            usize::from(is_told),
            "{joined:?}"
        );
        pages.close().await;
    }
    let pages = open().await;
    let form = begun(&pages, "nora").await;
    let (_, letters) = pages.keep(&form).await;
    let pages = pages
        .restarted(TimeDelta::days(1), |config| {
            config.bots.players = vec!["bot-hard".to_owned()];
        })
        .await;
    let joined = pages.say_to(&letters[0], NORA, "yes").await;

    assert!(
        joined[1].subject.contains("Your game of Breakthrough ends here"),
        "{joined:?}"
    );
    assert_eq!(pages.board(101), None);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_game_is_kept_as_finished() {
    let pages = open().await;
    let mut at = format!("{PATH}play/Breakthrough");
    for seed in 0.. {
        if !pages.visit(&at).await.body.contains("<b>Your turn.</b>") {
            break;
        }
        at = pages.turn_by_links("Breakthrough", &at, seed).await;
    }
    let so = encoded(at.split_once("?so=").unwrap().1);
    let (_, letters) = pages
        .keep(&format!("so={so}&name=nora&address={}", encoded(NORA)))
        .await;
    let joined = pages.say_to(&letters[0], NORA, "yes").await;
    let (board, turns) = pages.board(101).unwrap();
    assert!(matches!(board.end, Some(End::Finished(_))) && turns.len() > 10);
    assert!(board.to_move.is_none() && board.ended_at.is_some());
    assert!(joined[1].text.contains("is the finished game"), "{joined:?}");
    let reader = pages.stage.server.reader().unwrap();
    let nora = reader.player("nora").unwrap().unwrap();
    assert_eq!(reader.standing(nora.id, board.game).unwrap().rated_at, None);
    pages.close().await;
}
