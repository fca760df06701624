//! What the list of an inbox shows: the sender's name, the subject, and one thread for each board and reader.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use pbmserv_core::letters::Headline;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::outbox::{Identity, Queue, build};
use pbmserv_mail::{Address, Key};

use super::{ALICE, BOB, SERVER, Stage, alice_and_bob, ask, database, mail, say};

/// A game with letters of many kinds, from its begin to its end.
const GAME: [(&str, &str); 10] = [
    (ALICE, "Pow2 challenge alice bob"),
    (ALICE, "Pow2 move 101 alice fig7elk m13-j7"),
    (BOB, "Pow2 chat 101 bob oak4jay"),
    (BOB, "Pow2 move 101 bob oak4jay a1-a2"),
    (BOB, "Pow2 move 101 bob oak4jay a1-e1"),
    (ALICE, "Pow2 show 101"),
    (ALICE, "Pow2 move 101 alice fig7elk propose"),
    (BOB, "Pow2 move 101 bob oak4jay reject"),
    (ALICE, "Pow2 resign 101 alice fig7elk"),
    (BOB, "Pow2 rematch 101 bob oak4jay"),
];

/// All letters about the first board, in the order in which they were sent.
async fn played(stage: &Stage, game: &[(&str, &str)]) -> Vec<Outgoing> {
    let mut letters = Vec::new();
    for (from, line) in game {
        letters.extend(say(stage, from, line, "Some words.\n").await);
    }
    letters.retain(|letter| letter.list.as_deref() == Some("Pow2.101"));
    letters
}

fn to<'a>(letters: &'a [Outgoing], reader: &str) -> Vec<&'a Outgoing> {
    letters
        .iter()
        .filter(|letter| letter.to.as_str() == reader)
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_mails_about_a_board_are_one_thread_for_each_reader() {
    let stage = alice_and_bob().await;
    let letters = played(&stage, &GAME).await;
    let known: BTreeSet<_> = letters.iter().map(|letter| &letter.message_id).collect();
    assert_eq!(known.len(), letters.len());
    let mut roots = BTreeSet::new();
    for (reader, userid) in [(ALICE, "alice"), (BOB, "bob")] {
        let own = to(&letters, reader);
        assert!(own.len() >= 8, "{}", own.len());
        let root = &own[0].references[0];
        assert!(
            !known.contains(root),
            "no mail has the root, so that none can prove to be it"
        );
        assert!(roots.insert(root), "letters of two readers do not mix");
        let subject = format!("Pow2 Board 101 {userid}");
        assert_eq!(own[0].subject, subject);
        for (before, letter) in own.iter().zip(&own[1..]) {
            assert_eq!(letter.subject, format!("Re: {subject}"));
            assert_eq!(letter.references[..2], [root.clone(), before.message_id.clone()]);
            assert_eq!(letter.references.last(), letter.in_reply_to.as_ref());
            assert_eq!(letter.references.len(), if letter.is_reply { 3 } else { 2 });
        }
    }
    // News that begin a thread answer nothing, and a receipt answers its command.
    let [alice, bob] = [ALICE, BOB].map(|reader| to(&letters, reader)[0]);
    assert_eq!((&bob.in_reply_to, bob.references.len()), (&None, 1));
    assert!(
        alice
            .in_reply_to
            .as_ref()
            .is_some_and(|id| id.ends_with("@players.example"))
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sender_says_the_news_and_the_address_stays() {
    let stage = alice_and_bob().await;
    let letters = played(&stage, &GAME).await;
    let names = |reader| -> Vec<String> {
        let own = to(&letters, reader).into_iter();
        own.map(|letter| letter.sender_name.clone()).collect()
    };
    assert_eq!(
        names(ALICE),
        [
            "Your first turn \u{2013} bob",
            "bob's turn",
            "Message \u{2013} bob",
            "Your turn \u{2013} bob",
            "Your turn \u{2013} bob",
            "Draw offered to bob",
            "No draw \u{2013} bob",
            "You lost \u{2013} bob",
            "bob offers a rematch",
        ]
    );
    assert_eq!(
        names(BOB),
        [
            "New game \u{2013} alice",
            "Your turn \u{2013} alice",
            "Message sent \u{2013} alice",
            "Not played",
            "alice's turn",
            "alice offers a draw",
            "No draw \u{2013} alice",
            "You won \u{2013} alice",
            "Rematch offered to alice",
        ]
    );
    let identity = Identity::new(Address::parse(SERVER).unwrap(), "Games", Key::from_bytes([1; 32])).unwrap();
    for letter in &letters {
        let message =
            String::from_utf8(build(&letter.clone().with_draft(()), &identity).unwrap().bytes).unwrap();
        let from = message
            .split("\r\n")
            .find(|line| line.starts_with("From:"))
            .unwrap();
        assert!(from.ends_with(&format!(" <{SERVER}>")), "{from}");
        let is_encoded = from.starts_with("From: =?utf-8?");
        assert_eq!(!letter.sender_name.is_ascii(), is_encoded, "{from}");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_the_news_in_the_subjects_gets_it_and_the_other_does_not() {
    let stage = alice_and_bob().await;
    let done = ask(&stage, ALICE, "set alice fig7elk subjects news").await;
    assert!(
        done[0]
            .text
            .starts_with("You will now get the news in the subjects of boards.")
    );
    let letters = played(&stage, &GAME).await;
    let subjects: Vec<_> = to(&letters, ALICE)
        .iter()
        .map(|letter| letter.subject.clone())
        .collect();
    let heads = [
        "Your first turn",
        "Opponent's turn",
        "New message",
        "Your turn",
        "Your turn",
        "Draw offered",
        "No draw",
        "You lost",
        "Rematch offered",
    ];
    assert_eq!(
        subjects,
        heads.map(|head| format!("{head}: Pow2 101 against bob")).to_vec()
    );
    let bobs = to(&letters, BOB);
    assert!(
        bobs.iter()
            .all(|letter| letter.subject.ends_with("Board 101 bob"))
    );
    let roots: BTreeSet<_> = to(&letters, ALICE)
        .iter()
        .map(|letter| letter.references[0].clone())
        .collect();
    assert_eq!(roots.len(), 1);
    // Watchers have their own form of it.
    ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    ask(&stage, "carol@example.org", "set carol bay5owl subjects news").await;
    let shown = ask(&stage, "carol@example.org", "Pow2 showas carol bay5owl 101").await;
    assert_eq!(shown[0].subject, "Over: Pow2 101, alice against bob");
    ask(&stage, ALICE, "set alice fig7elk subjects plain").await;
    let shown = ask(&stage, ALICE, "Pow2 show 101").await;
    assert_eq!(shown[0].subject, "Re: Pow2 Board 101 alice");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reminders_and_the_warning_say_so() {
    let stage = alice_and_bob().await;
    played(&stage, &[GAME[0], GAME[1], GAME[4]]).await;
    let later = stage.live(TimeDelta::days(22)).await;
    let letters: Vec<_> = later.into_iter().flat_map(|(_, letters)| letters).collect();
    let names: BTreeSet<_> = to(&letters, ALICE)
        .iter()
        .map(|letter| letter.sender_name.clone())
        .collect();
    let expected = [
        "One day left \u{2013} bob",
        "Still your turn \u{2013} bob",
        "You lost \u{2013} bob",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_the_root_of_a_thread_proves_nothing() {
    let stage = alice_and_bob().await;
    let letters = played(&stage, &GAME[..1]).await;
    let own = to(&letters, ALICE)[0];
    let turns = || database::count(stage.data(), "SELECT COUNT(*) FROM turns");
    let answer = |from, id: &str| {
        let mut mail = mail(from, &format!("Re: {}", own.subject), "m13-j7\n");
        let (root, letter) = (&own.references[0], &own.message_id);
        let fields = format!("In-Reply-To: <{id}>\r\nReferences: <{root}> <{letter}>\r\n");
        mail.header.push_str(&fields);
        mail
    };
    for from in [ALICE, BOB, "mallory@elsewhere.example"] {
        stage.send(&answer(from, &own.references[0])).await;
        assert_eq!(turns(), 0, "{from}");
    }
    stage.send(&answer(ALICE, &own.message_id)).await;
    assert_eq!(turns(), 1, "its own Message-ID does, from its reader");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_that_is_sent_again_after_a_crash_is_the_same() {
    let stage = alice_and_bob().await;
    played(&stage, &GAME[..2]).await;
    let line = "Pow2 move 101 bob oak4jay a1-e1";
    let request = stage.server.read("smtp", &mail(BOB, line, "").message()).unwrap();
    stage.server.handle(request, false, false).await.unwrap();
    let identity = Identity::new(Address::parse(SERVER).unwrap(), "", Key::from_bytes([1; 32])).unwrap();
    let mut sent = Vec::new();
    let mut stage = stage;
    for seed in [2, 3] {
        let due = stage.server.rows.due(stage.server.now(), 10).await.unwrap();
        let messages: Vec<_> = due
            .iter()
            .map(|letter| stage.server.rows.written(letter.clone()))
            .map(|letter| build(&letter.with_draft(()), &identity).unwrap().bytes)
            .collect();
        assert_eq!(messages.len(), 2);
        sent.push(messages);
        let now = stage.server.now();
        let data = stage.close().await;
        stage = Stage::open_in(data, now, seed, |config| config.accounts.confirm = false);
    }
    assert_eq!(sent[0], sent[1]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subject_that_comes_back_is_no_turn_and_no_command() {
    let stage = alice_and_bob().await;
    let letters = played(&stage, &[GAME[0], GAME[1]]).await;
    let own = to(&letters, BOB).pop().unwrap();
    let token = own.reply_detail.clone().unwrap();
    let before = || {
        let sum = "SELECT COUNT(*) + (SELECT COUNT(*) FROM turns) FROM boards WHERE ended_at IS NULL AND offer IS NULL";
        database::count(stage.data(), sum)
    };
    let quiet = before();
    for headline in Headline::ALL {
        // The limit of mails an hour begins anew.
        stage.pass(TimeDelta::hours(1));
        for board in ["Pow2 101 against alice", "Pow2 101, alice against bob"] {
            for added in [
                "Re: S",
                "Fwd: S",
                "RE: [games] AW: S **",
                "S (fwd)",
                "[EXT] Re: S",
            ] {
                let subject = added.replace('S', &headline.subject(board));
                for text in ["Thank you for the game!\n", ""] {
                    let mut answer = mail(BOB, &subject, text);
                    answer.to = answer.to.with_detail(&token);
                    stage.send(&answer).await;
                    stage.send(&mail(ALICE, &subject, text)).await;
                    assert_eq!(before(), quiet, "{subject}: {text}");
                }
            }
        }
    }
    stage.close().await;
}
