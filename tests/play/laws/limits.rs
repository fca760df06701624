//! Rate limits: the server cannot be used to guess passwords or to flood anybody.

use chrono::TimeDelta;
use pbmserv::config::Config;
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, ask, database, mail, say, sign_up_both};
use crate::stage::{self, Stage};

const STRANGER: &str = "stranger@example.net";

/// How many warnings of guessed passwords were sent.
const WARNINGS: &str = "SELECT COUNT(*) FROM outbox WHERE kind = 'guesses'";

/// The letters to a sender.
async fn to_sender(stage: &Stage, from: &str, subject: &str) -> Vec<Outgoing> {
    let mut letters = ask(stage, from, subject).await;
    letters.retain(|letter| letter.to.as_str() == from);
    letters
}

/// The first sentence of the only answer.
async fn answer(stage: &Stage, from: &str, subject: &str) -> String {
    let letters = to_sender(stage, from, subject).await;
    let [letter] = letters.as_slice() else {
        panic!("{subject}: {} letters", letters.len());
    };
    letter
        .text
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .replace('\n', " ")
}

async fn open(configure: impl FnOnce(&mut Config)) -> Stage {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        configure(config);
    });
    sign_up_both(&stage).await;
    stage
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_five_wrong_passwords_from_one_sender_none_is_read_for_an_hour() {
    let stage = open(|_| ()).await;
    for number in 1..=5 {
        let reply = answer(&stage, STRANGER, &format!("set alice mistaken{number}")).await;
        assert_eq!(reply, "That is not the password of alice.");
        stage.pass(TimeDelta::minutes(2));
    }
    assert_eq!(database::count(stage.data(), WARNINGS), 1, "alice is told");
    let reply = answer(&stage, STRANGER, "set alice fig7elk").await;
    assert!(
        reply.starts_with("There were too many wrong passwords for alice"),
        "{reply}"
    );
    // Neither another sender nor another player is affected.
    assert_eq!(
        answer(&stage, ALICE, "set alice fig7elk").await,
        "These are your settings."
    );
    assert_eq!(
        answer(&stage, BOB, "set bob oak4jay").await,
        "These are your settings."
    );
    stage.pass(TimeDelta::minutes(51));
    let letters = ask(&stage, STRANGER, "set alice fig7elk").await;
    assert_eq!(letters[0].to.as_str(), ALICE, "the answer goes to the player");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_passwords_from_many_senders_add_up() {
    assert_eq!(Config::default().limits.wrong_passwords_from_one, 5);
    assert_eq!(Config::default().limits.wrong_passwords_from_all, 50);
    let stage = open(|config| config.limits.wrong_passwords_from_all = 7).await;
    for number in 1..=7 {
        let reply = answer(&stage, &format!("s{number}@example.net"), "set alice mistaken").await;
        assert_eq!(reply, "That is not the password of alice.");
    }
    let reply = answer(&stage, "another@example.net", "set alice mistaken").await;
    assert!(
        reply.starts_with("There were too many wrong passwords"),
        "{reply}"
    );
    // Only alice is still read, and told of it.
    assert_eq!(
        answer(&stage, ALICE, "set alice fig7elk").await,
        "These are your settings."
    );
    assert_eq!(database::count(stage.data(), WARNINGS), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unproven_mails_over_the_hour_are_dropped_and_proven_ones_served() {
    let stage = open(|config| config.limits.mails_an_hour = 3).await;
    for _ in 0..3 {
        assert_eq!(ask(&stage, STRANGER, "list").await.len(), 1);
    }
    assert_eq!(ask(&stage, STRANGER, "list").await.len(), 0);
    assert_eq!(
        database::text(stage.data(), "SELECT state FROM inbox ORDER BY id DESC LIMIT 1"),
        "dropped"
    );
    assert_eq!(ask(&stage, STRANGER, "signup stranger mistaken").await.len(), 0);
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM players WHERE id > 0"),
        2
    );
    assert_eq!(ask(&stage, STRANGER, "set alice fig7elk").await.len(), 1);
    assert_eq!(ask(&stage, BOB, "list").await.len(), 1);
    stage.pass(TimeDelta::minutes(61));
    assert_eq!(ask(&stage, STRANGER, "list").await.len(), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_in_a_dropped_mail_counts_as_a_guess() {
    let stage = open(|config| config.limits.mails_an_hour = 1).await;
    ask(&stage, STRANGER, "list").await;
    for _ in 0..5 {
        assert!(
            to_sender(&stage, STRANGER, "set alice mistaken large")
                .await
                .is_empty()
        );
    }
    assert_eq!(ask(&stage, STRANGER, "set alice fig7elk small").await.len(), 0);
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM displays"), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_gets_so_many_refusals_a_day_and_a_stranger_so_many_answers() {
    let stage = open(|config| {
        config.limits.refusals_a_day = 3;
        config.limits.strangers_answers_a_day = 6;
    })
    .await;
    let asked = answer(&stage, STRANGER, "nonsense").await;
    assert!(asked.contains("Under which name"), "once a month: {asked}");
    let mut answers = Vec::new();
    for _ in 0..5 {
        let letters = ask(&stage, STRANGER, "nonsense").await;
        answers.extend(letters.iter().map(|letter| letter.text.replace('\n', " ")));
        answers.extend(letters.is_empty().then(String::new));
    }
    let says = |notice: &str| {
        answers
            .iter()
            .map(|text| text.contains(notice))
            .collect::<Vec<_>>()
    };
    assert_eq!(says("One answer is missing"), [true, true, true, false, false]);
    assert_eq!(
        says("This is the last refusal to this address today."),
        [false, false, true, false, false]
    );
    assert_eq!(
        says("Until Sat 21 November, 00:00 UTC"),
        [false, false, true, false, false]
    );
    for is_last in [false, true] {
        let [letter] = ask(&stage, STRANGER, "list").await.try_into().unwrap();
        let text = letter.text.replace('\n', " ");
        assert_eq!(
            text.contains("This is the last answer to this address today."),
            is_last,
            "{text}"
        );
    }
    assert_eq!(
        ask(&stage, STRANGER, "list").await.len(),
        0,
        "a stranger has had six answers"
    );
    for _ in 0..8 {
        assert_eq!(
            ask(&stage, ALICE, "list").await.len(),
            1,
            "a player is no stranger"
        );
    }
    stage.pass(TimeDelta::hours(25));
    assert_eq!(ask(&stage, STRANGER, "nonsense").await.len(), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_victim_is_asked_three_times_a_day_whoever_signs_up() {
    let stage = Stage::open(|_| ());
    let mut asked = 0;
    for number in 0..6 {
        let line = format!("signup player{number} mistaken victim@example.org");
        for letter in ask(&stage, &format!("s{number}@example.net"), &line).await {
            asked += u32::from(letter.to.as_str() == "victim@example.org");
        }
    }
    assert_eq!(asked, 3);
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM players WHERE id > 0"),
        3
    );
    // A repeated signup with the same password repeats the question, within the limit.
    let reply = answer(&stage, STRANGER, "signup player0 mistaken victim@example.org").await;
    assert!(
        reply.ends_with("asked often enough today: try again tomorrow."),
        "{reply}"
    );
    stage.pass(TimeDelta::hours(25));
    let again = ask(&stage, STRANGER, "signup player0 mistaken victim@example.org").await;
    assert_eq!(again[0].to.as_str(), "victim@example.org");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_ten_boards_are_listed_and_a_long_comment_is_cut() {
    let stage = open(|_| ()).await;
    let game = GAMES[0].facts.name;
    for _ in 0..11 {
        ask(&stage, ALICE, &format!("{game} challenge alice bob")).await;
    }
    let drawn = ask(
        &stage,
        ALICE,
        &format!("{game} show 101 102 103 104 105 106 107 108 109 110"),
    )
    .await;
    let listed = ask(&stage, ALICE, &format!("{game} show alice")).await;
    assert!(drawn[0].text.starts_with(&format!("10 boards of {game}.")));
    assert!(
        listed[0]
            .text
            .starts_with(&format!("11 boards of {game}: too many to draw"))
    );
    assert!(listed[0].text.len() * 5 < drawn[0].text.len());
    let all: Vec<String> = (1..=240).map(|_| "101".to_owned()).collect();
    let most = ask(&stage, ALICE, &format!("{game} show {}", all[..200].join(" "))).await;
    assert!(most[0].text.starts_with("200 boards") && most[0].text.len() <= 256 * 1024);
    let refused = ask(&stage, ALICE, &format!("{game} show {}", all.join(" "))).await;
    assert!(
        refused[0]
            .text
            .starts_with("At most 200 boards are shown at once.")
    );
    let long = "word ".repeat(10_000);
    let said = say(&stage, ALICE, &format!("{game} chat 101 alice fig7elk"), &long).await;
    assert_eq!(said.len(), 2);
    assert!(
        said.iter()
            .all(|letter| letter.text.len() < 16 * 1024 && letter.text.contains("[cut]"))
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_a_mail_does_nothing_and_the_same_words_in_another_mail_do() {
    let stage = open(|_| ()).await;
    let game = GAMES[0].facts.name;
    let challenge = mail(ALICE, &format!("{game} challenge alice bob"), "Hello\n");
    let (first, letters) = stage.send(&challenge).await;
    assert_eq!(letters.len(), 2);
    stage.pass(TimeDelta::days(200));
    let (again, letters) = stage.send(&challenge).await;
    assert!(
        matches!(again, pbmserv_core::dispatch::Handled::Duplicate(_)),
        "{first:?}, {again:?}"
    );
    assert_eq!((first.id(), letters.len()), (again.id(), 0));
    let (_, letters) = stage
        .send(&mail(ALICE, &format!("{game} challenge alice bob"), "Hello\n"))
        .await;
    assert_eq!(letters.len(), 2, "another Message-ID is another mail");
    let mut bare = mail(ALICE, "", "");
    bare.header = format!("Subject: {game} challenge alice bob\r\n");
    for _ in 0..2 {
        assert_eq!(
            stage.send(&bare).await.1.len(),
            2,
            "nothing tells two bare mails apart from one"
        );
    }
    assert_eq!(database::count(stage.data(), "SELECT COUNT(*) FROM boards"), 4);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_spellings_of_a_sender_share_its_limits() {
    let stage = open(|config| {
        config.limits.mails_an_hour = 4;
        config.limits.strangers_answers_a_day = 3;
    })
    .await;
    let spellings = [
        "str.anger@example.net",
        "STRANGER@example.net",
        "stranger+1@example.net",
        "s.t.r+2+3@example.net",
    ];
    let mut answers = Vec::new();
    for from in &spellings[..3] {
        answers.push(ask(&stage, from, "list").await.len());
    }
    assert_eq!(
        ask(&stage, spellings[3], "list").await.len(),
        1,
        "another mailbox"
    );
    answers.push(ask(&stage, STRANGER, "list").await.len());
    answers.push(ask(&stage, STRANGER, "list").await.len());
    assert_eq!(answers, [1, 1, 1, 0, 0]);
    let fates = "SELECT state FROM inbox ORDER BY id DESC LIMIT 2";
    assert_eq!(database::words(stage.data(), fates), "dropped done");
    for number in 0..5 {
        ask(
            &stage,
            &format!("stranger+{number}@example.net"),
            "set alice mistaken large",
        )
        .await;
    }
    assert_eq!(ask(&stage, STRANGER, "set alice fig7elk small").await.len(), 0);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_nonsense_over_the_hour_is_dropped_too() {
    let stage = open(|config| config.limits.mails_an_hour = 1).await;
    ask(&stage, ALICE, "list").await;
    for _ in 0..3 {
        let body = "list nowhere\nlist\nset alice mistaken\n";
        assert!(
            say(&stage, ALICE, "multiple", body).await.is_empty(),
            "in the name of alice"
        );
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_mail_has_few_others_written_to() {
    let stage = Stage::open(|_| ());
    let signups: Vec<String> = (0..18)
        .map(|number| format!("signup player{number} mistaken v{number}@example.org"))
        .collect();
    let forgot: Vec<String> = (0..18).map(|number| format!("forgot player{number}")).collect();
    let letters = say(&stage, STRANGER, "multiple", &signups.join("\n")).await;
    assert_eq!(letters.len(), 2, "one question, and the transcript");
    assert!(
        letters
            .iter()
            .any(|letter| letter.text.replace('\n', " ").contains("send another mail"))
    );
    let mut asked = 0;
    for signup in &signups[1..15] {
        let letters = ask(&stage, "stranger+2@example.net", signup).await;
        asked += letters
            .iter()
            .filter(|letter| letter.subject.starts_with("Is "))
            .count();
    }
    assert_eq!(1 + asked, 10, "asks_a_day");
    // Another sender has a separate count; so has the next day.
    let letters = say(&stage, "other@example.net", "multiple", &forgot.join("\n")).await;
    assert_eq!(letters.len(), 1, "none of them has a confirmed address");
    stage.pass(TimeDelta::days(1));
    let letters = ask(&stage, STRANGER, &signups[15]).await;
    assert!(letters[0].subject.starts_with("Is "), "{}", letters[0].subject);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_asks_few_others_whether_its_address_is_theirs() {
    let stage = Stage::open(|_| ());
    let asked = ask(&stage, ALICE, "signup alice fig7elk").await;
    let mut confirmed = mail(ALICE, "", "confirm\n");
    confirmed.header = format!("In-Reply-To: <{}>\r\n", asked[0].message_id);
    assert_eq!(stage.send(&confirmed).await.1.len(), 1);
    let lines: Vec<String> = (0..20)
        .flat_map(|number| {
            let address = format!("v{number}@example.org");
            [
                format!("add alice fig7elk {address}"),
                format!("remove alice fig7elk {address}"),
            ]
        })
        .collect();
    let letters = say(&stage, ALICE, "multiple", &lines.join("\n")).await;
    let asked = letters
        .iter()
        .filter(|letter| letter.to.as_str() != ALICE)
        .count();
    assert!(asked <= 10, "{asked}");
    let reply = letters.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
    assert!(reply.text.contains("sent to others today"), "{}", reply.text);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_challenged_or_talked_to_without_end() {
    let stage = open(|config| {
        config.limits.challenges_a_day = 4;
        config.limits.messages_a_day = 3;
    })
    .await;
    const CAROL: &str = "carol@example.org";
    ask(&stage, CAROL, "signup carol bay5owl").await;
    let begin = async |from: &'static str, line: &str| {
        let letters = ask(&stage, from, line).await;
        letters
            .iter()
            .all(|letter| !letter.subject.starts_with("Not done"))
    };
    for _ in 0..4 {
        assert!(begin(ALICE, "Forms challenge alice bob -size=4").await);
    }
    assert!(!begin(ALICE, "Forms challenge bob alice -size=4").await);
    assert!(!begin(ALICE, "Pow2 challenge carol bob").await, "for others too");
    assert!(begin(ALICE, "Forms challenge alice carol -size=4").await);
    assert!(begin(BOB, "Forms challenge alice bob -size=4").await);
    let words = async |line: &str| {
        let letters = say(&stage, ALICE, line, "Hello\n").await;
        letters.iter().filter(|letter| letter.to.as_str() == BOB).count()
    };
    let mut reached = Vec::new();
    for line in [
        "Forms chat 101 alice fig7elk",
        "message alice fig7elk bob",
        "Forms chat 102 alice fig7elk",
        "Forms chat 103 alice fig7elk",
        "message alice fig7elk bob",
    ] {
        reached.push(words(line).await);
    }
    assert_eq!(reached, [1, 1, 1, 0, 0]);
    stage.pass(TimeDelta::days(1));
    assert_eq!(words("message alice fig7elk bob").await, 1);
    assert!(begin(ALICE, "Forms challenge alice bob -size=4").await);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_gets_so_many_answers_a_day_whatever_it_says() {
    let stage = open(|config| config.limits.answers_a_day = 5).await;
    let mut answers = Vec::new();
    for _ in 0..6 {
        answers.push(ask(&stage, ALICE, "set alice fig7elk small").await.len());
    }
    assert_eq!(
        answers,
        [1, 1, 1, 1, 1, 0],
        "the welcome was to somebody unproven"
    );
    // What is not proven counts apart; what is, is carried out even so, and others are notified.
    assert_eq!(
        ask(&stage, ALICE, "Forms challenge alice bob -size=4")
            .await
            .len(),
        2
    );
    let said = say(&stage, ALICE, "Forms chat 101 alice fig7elk", "Hello\n").await;
    let to: Vec<_> = said.iter().map(|letter| letter.to.as_str()).collect();
    assert_eq!(to, [BOB]);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_junk_leaves_little_and_what_is_ignored_goes() {
    let stage = open(|config| config.limits.mails_an_hour = 20).await;
    let rows = || database::count(stage.data(), "SELECT COUNT(*) FROM inbox");
    let before = rows();
    let long = format!("list {}\n", "x".repeat(900)).repeat(60);
    for number in 0..30 {
        let mut junk = mail(STRANGER, "multiple", &long);
        if number % 2 == 0 {
            junk.header.push_str("Precedence: bulk\r\n");
        }
        stage.send(&junk).await;
    }
    assert_eq!(rows() - before, 30);
    let longest = "SELECT MAX(LENGTH(commands)) FROM inbox";
    assert!(database::count(stage.data(), longest) <= 8_000);
    let bodies = "SELECT COUNT(letter) FROM outbox WHERE player IS NULL";
    assert_eq!(
        database::count(stage.data(), bodies),
        0,
        "what went to a stranger is not kept"
    );
    stage.pass(TimeDelta::days(91));
    stage.server.engine.forget().await.unwrap();
    assert_eq!(rows(), 1, "the newest stays, so that no number is given twice");
    for (what, sql) in [
        ("tallies", "SELECT COUNT(*) FROM tallies"),
        (
            "texts",
            "SELECT COUNT(*) FROM inbox WHERE commands <> '' OR header_from IS NOT NULL",
        ),
        ("begun", "SELECT COUNT(*) FROM begun"),
    ] {
        assert_eq!(database::count(stage.data(), sql), 0, "{what}");
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_cannot_be_forgotten_keep_no_others() {
    let stage = open(|_| ()).await;
    if stage::database::url(stage.data()).is_some() {
        return; // Only a database of SQLite gets another table here.
    }
    for _ in 0..3 {
        stage.send(&mail(STRANGER, "multiple", "list\n")).await;
    }
    for statement in [
        "CREATE TABLE kept (day BIGINT, what TEXT, key TEXT, FOREIGN KEY (day, what, key) REFERENCES tallies (day, what, key))",
        "INSERT INTO kept SELECT day, what, key FROM tallies",
    ] {
        stage::database::change(stage.data(), statement);
    }
    stage.pass(TimeDelta::days(91));
    let failed = stage.server.engine.forget().await;
    failed.expect_err("the tallies are kept");
    let count = |sql| database::count(stage.data(), sql);
    assert!(count("SELECT COUNT(*) FROM tallies") > 0);
    assert_eq!(count("SELECT COUNT(*) FROM inbox"), 1, "messages come last");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_limit_can_be_changed_while_the_server_runs() {
    let stage = open(|_| ()).await;
    let mut config = Config::default();
    config.limits.challenges_a_day = 1;
    config.limits.wrong_passwords_from_one = 1;
    config.limits.refusals_a_day = 3;
    stage.server.reload(&config).await.unwrap();
    assert_eq!(
        ask(&stage, ALICE, "Forms challenge alice bob -size=4")
            .await
            .len(),
        2
    );
    let reply = answer(&stage, ALICE, "Forms challenge alice bob -size=4").await;
    assert!(reply.starts_with("Enough boards were begun for bob"), "{reply}");
    for expected in ["That is not", "There were too many wrong passwords"] {
        let reply = answer(&stage, STRANGER, "set alice mistaken small").await;
        assert!(reply.starts_with(expected), "{reply}");
    }
    // The question for a name is no refusal.
    for answers in [1, 1, 0] {
        assert_eq!(ask(&stage, STRANGER, "nonsense").await.len(), answers);
    }
    assert_eq!(
        ask(&stage, ALICE, "signup dora mistaken").await.len(),
        1,
        "whether to ask needs a restart"
    );
    stage.close().await;
}
