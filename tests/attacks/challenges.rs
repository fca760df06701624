//! Forged challenges: nobody begins a board or speaks in another's name, and what depends on who one is goes to an
//! address of that account only.

use tempfile::TempDir;

use crate::daemon::mailbox::{Mail, of};
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, Setup, count};

const ALICE: &str = "alice@one.example";
const BOB: &str = "bob@two.example";
const MALLORY: &str = "mallory@evil.example";

/// A daemon with some players, and the mails sent to it so far.
struct Scene {
    setup: Setup,
    daemon: Daemon,
    client: Client,
    sent: usize,
    _folder: TempDir,
}

impl Scene {
    /// With alice and bob.
    fn open(configure: impl FnOnce(Setup) -> Setup) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup::new(folder.path()).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
        let setup = configure(setup.begun());
        for (userid, address) in [("alice", ALICE), ("bob", BOB)] {
            add(&setup, userid, address);
        }
        let daemon = setup.serve();
        let client = Client::connect(daemon.port).unwrap();
        Self {
            setup,
            daemon,
            client,
            sent: 0,
            _folder: folder,
        }
    }

    /// Sends a mail with this envelope sender and these fields of the header, which begin with `From`.
    fn send(&mut self, envelope: &str, header: &str, subject: &str, text: &str) {
        self.sent += 1;
        let id = format!("{}@home.example", self.sent);
        let message = message(header, &id, subject, text);
        let reply = self.client.send(envelope, &message).unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    }

    fn boards(&self) -> i64 {
        count(&self.setup.look(), "SELECT COUNT(*) FROM boards")
    }

    /// What this address has got so far but its welcome, in the order of the subjects.
    fn mails(&self, address: &str) -> Vec<Mail> {
        self.setup.wait_for_delivery();
        let mut mails = of(&self.setup.data.join("mail").join(address));
        mails.retain(|mail| !mail.subject.starts_with("Welcome"));
        mails.sort_by(|a, b| a.subject.cmp(&b.subject));
        mails
    }

    fn end(self) {
        drop(self.client);
        self.daemon.stop_well();
    }
}

/// An account with a confirmed address, made before the daemon starts.
fn add(setup: &Setup, userid: &str, address: &str) {
    let words = [
        "user",
        "add",
        userid,
        address,
        "--confirmed",
        "--password-stdin",
        "--why",
        "a test",
    ];
    let output = setup.run_with(&words, b"fig7elk\n");
    assert!(output.status.success(), "{output:?}");
}

/// All texts on one line.
fn texts(mails: &[Mail]) -> String {
    let words = mails.iter().flat_map(|mail| mail.text.split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn forged_challenges_begin_no_board_and_ask_a_few_players() {
    let players: Vec<String> = (0..13).map(|number| format!("player{number}")).collect();
    let mut scene = Scene::open(|setup| {
        for userid in &players {
            add(&setup, userid, &format!("{userid}@{userid}.example"));
        }
        setup
    });
    let pairs = players.iter().flat_map(|first| {
        let others = players.iter().filter(move |second| *second != first);
        others.map(move |second| format!("Pow2 challenge {first} {second}\n"))
    });
    let lines: Vec<String> = pairs.collect();
    let mut bytes = 0;
    for lines in lines.chunks(10) {
        let text = lines.concat();
        bytes += text.len();
        scene.send(MALLORY, "player0@player0.example", "", &text);
    }
    assert!(bytes > 4_700);
    assert_eq!(scene.boards(), 0);
    scene.setup.wait_for_delivery();
    let conn = scene.setup.look();
    let to_players = "SELECT COUNT(*) FROM outbox WHERE recipient LIKE 'player%' AND kind <> 'welcome'";
    let asked = count(&conn, to_players);
    assert!((1..=10).contains(&asked), "{asked} mails to players");
    let most = "SELECT MAX(mails) FROM (SELECT COUNT(*) AS mails FROM outbox WHERE recipient LIKE 'player%' \
                AND kind <> 'welcome' GROUP BY recipient)";
    assert!(count(&conn, most) <= 3);
    scene.end();
}

#[test]
fn a_stranger_challenges_in_anothers_name_and_the_opponent_gets_neither_words_nor_a_board() {
    let mut scene = Scene::open(|setup| setup);
    let words = "I will crush you.";
    scene.send(MALLORY, ALICE, "Pow2 challenge alice bob", words);
    scene.send(
        MALLORY,
        "Bob <bob@elsewhere.example>",
        "Pow2 challenge alice bob",
        words,
    );
    assert_eq!(scene.boards(), 0);
    assert!(scene.mails(BOB).is_empty());
    let asked = scene.mails(ALICE);
    assert_eq!(asked.len(), 1, "asked once for the same game: {asked:?}");
    assert!(asked[0].subject.starts_with("A game in your name"), "{asked:?}");
    assert!(asked[0].text.contains("Pow2 challenge alice bob"), "{asked:?}");
    assert!(!asked[0].text.contains("crush"), "{asked:?}");
    let told = texts(&scene.mails(MALLORY));
    assert!(told.contains("alice has been asked by mail"), "{told}");
    assert!(!told.contains("one.example"), "{told}");
    scene.end();
}

#[test]
fn a_player_begins_a_board_at_once_and_the_words_are_nobodys() {
    let mut scene = Scene::open(|setup| setup);
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob", "Good luck!");
    assert_eq!(scene.boards(), 1);
    let got = texts(&scene.mails(BOB));
    assert!(got.contains("Good luck!"), "{got}");
    assert!(!got.contains("alice writes"), "an envelope is no proof: {got}");
    scene.end();
}

#[test]
fn words_are_a_players_if_the_message_proves_it() {
    let mut scene = Scene::open(|setup| setup);
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob", "");
    let begun = scene.mails(ALICE);
    let header = format!("{ALICE}\r\nIn-Reply-To: <{}>", begun[0].message_id);
    scene.send(ALICE, &header, "Pow2 challenge alice bob", "Once more?");
    assert_eq!(scene.boards(), 2);
    let got = texts(&scene.mails(BOB));
    assert!(got.contains("alice writes: Once more?"), "{got}");
    // The same from a forger, who knows no Message-ID of hers.
    let header = format!("{ALICE}\r\nIn-Reply-To: <guessed@localhost>");
    scene.send(MALLORY, &header, "Pow2 challenge alice bob", "You fool.");
    assert!(!texts(&scene.mails(BOB)).contains("fool"));
    scene.end();
}

#[test]
fn what_a_forger_sends_counts_against_the_forger() {
    let mut scene = Scene::open(|setup| setup.with("PBMSERV_LIMITS_CHALLENGES_A_DAY", "1"));
    let forged = "list-1-alice=one.example@evil.example";
    for _ in 0..3 {
        scene.send(forged, ALICE, "Pow2 challenge alice bob", "");
    }
    assert_eq!(scene.boards(), 1);
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob", "");
    assert_eq!(scene.boards(), 2);
    scene.end();
}

#[test]
fn the_board_begins_when_the_player_asked_confirms() {
    let mut scene = Scene::open(|setup| setup);
    scene.send(MALLORY, ALICE, "Pow2 challenge alice bob --unrated", "");
    let asked = scene.mails(ALICE);
    assert_eq!((scene.boards(), asked.len()), (0, 1));
    let confirm = |from: &str| format!("{from}\r\nIn-Reply-To: <{}>", asked[0].message_id);
    let subject = format!("Re: {}", asked[0].subject);
    // Only from her address, and not by one who forges it.
    scene.send(MALLORY, &confirm(MALLORY), &subject, "confirm");
    scene.send(MALLORY, &confirm(ALICE), &subject, "confirm");
    assert_eq!(scene.boards(), 0);
    scene.send(ALICE, &confirm(ALICE), &subject, "confirm");
    assert_eq!(scene.boards(), 1);
    let unrated = "SELECT COUNT(*) FROM boards WHERE rated = 0";
    assert_eq!(count(&scene.setup.look(), unrated), 1);
    scene.send(ALICE, &confirm(ALICE), &subject, "confirm\n\nOnce more");
    assert_eq!(scene.boards(), 1, "a question is answered once");
    assert_eq!(scene.mails(BOB).len(), 1);
    scene.end();
}

#[test]
fn known_rewritings_of_the_envelope_are_believed() {
    let mut scene = Scene::open(|setup| setup);
    for (number, envelope) in [
        "office@mail.one.example",
        "list-return-7-alice=one.example@lists.example",
        "SRS0=abcd=XY=one.example=alice@forwarder.example",
        "prvs=0123456789=alice@one.example",
    ]
    .iter()
    .enumerate()
    {
        scene.send(envelope, ALICE, "Pow2 challenge alice bob", "");
        assert_eq!(scene.boards(), i64::try_from(number).unwrap() + 1, "{envelope}");
    }
    scene.end();
}

#[test]
fn a_challenge_for_others_is_limited_and_then_asked_for() {
    let mut scene = Scene::open(|setup| {
        add(&setup, "carol", "carol@three.example");
        add(&setup, "dora", "dora@four.example");
        setup
            .with("PBMSERV_LIMITS_CHALLENGES_FOR_OTHERS_A_DAY", "2")
            .with("PBMSERV_SERVER_DIRECTORS", "dora")
    });
    let carol = "carol@three.example";
    for _ in 0..3 {
        scene.send(carol, carol, "Pow2 challenge alice bob", "");
    }
    assert_eq!(scene.boards(), 2);
    let told = texts(&scene.mails(carol));
    assert!(told.contains("alice has been asked by mail"), "{told}");
    let dora = "dora@four.example";
    for _ in 0..5 {
        scene.send(dora, dora, "Pow2 challenge alice bob", "");
    }
    assert_eq!(scene.boards(), 7, "a director begins boards for others");
    scene.end();
}

#[test]
fn what_depends_on_the_sender_goes_to_an_address_of_the_account_only() {
    let mut scene = Scene::open(|setup| setup);
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob -large", "");
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob", "");
    assert!(scene.boards() > 0);
    for (number, subject) in [
        "Pow2 games next",
        "Pow2 show next",
        "Pow2 record 101",
        "Pow2 show 101",
    ]
    .iter()
    .enumerate()
    {
        scene.send(MALLORY, ALICE, subject, "");
        let mails = scene.mails(MALLORY);
        assert_eq!(mails.len(), number + 1, "{subject}");
        for mail in mails {
            assert!(!mail.subject.contains("alice"), "{mail:?}");
            assert!(!mail.text.contains("Your turn"), "{mail:?}");
        }
    }
    let told = texts(&scene.mails(MALLORY));
    assert!(told.contains("Whose boards?"), "{told}");
    // Whether an account is hers, and which, is not told either.
    scene.send(MALLORY, ALICE, "forgot alice", "");
    scene.send(MALLORY, ALICE, "forgot nobody", "");
    let told = scene.mails(MALLORY);
    let answers: Vec<_> = told.iter().filter(|mail| mail.subject == "forgot").collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0].text, answers[1].text);
    scene.end();
}

#[test]
fn a_signup_from_a_doubted_sender_writes_to_nobody_but_its_envelope() {
    let mut scene = Scene::open(|setup| setup.with("PBMSERV_ACCOUNTS_CONFIRM", "true"));
    scene.send(MALLORY, "victim@five.example", "signup victim ash8emu", "");
    assert!(scene.mails("victim@five.example").is_empty());
    let told = texts(&scene.mails(MALLORY));
    assert!(told.contains("name your address"), "{told}");
    scene.end();
}

#[test]
fn where_authentication_is_required_it_alone_decides() {
    let mut scene = Scene::open(|setup| {
        setup
            .with("PBMSERV_AUTH_REQUIRE", "dmarc")
            .with("PBMSERV_AUTH_AUTHSERV_ID", "mx.example")
    });
    scene.send(ALICE, ALICE, "Pow2 challenge alice bob", "From me");
    assert_eq!(scene.boards(), 0, "the envelope is no authentication");
    let passed = |from: &str, domain: &str| {
        format!("{from}\r\nAuthentication-Results: mx.example; dmarc=pass header.from={domain}")
    };
    let header = passed(ALICE, "one.example");
    scene.send(MALLORY, &header, "Pow2 challenge alice bob", "Good luck!");
    assert_eq!(scene.boards(), 1);
    let got = texts(&scene.mails(BOB));
    assert!(
        got.contains("alice writes") && got.contains("Good luck!"),
        "{got}"
    );
    let header = passed(MALLORY, "evil.example");
    scene.send(MALLORY, &header, "Pow2 challenge alice bob", "");
    assert_eq!(scene.boards(), 1);
    assert_eq!(scene.mails(BOB).len(), 1);
    scene.end();
}
