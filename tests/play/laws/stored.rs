//! What is stored of a letter, and what is sent: the same at each attempt, also of letters from before migration 0027.

use chrono::TimeDelta;
use pbmserv::outbox::{Outcome, Outgoing, Queue, SettledMail};
use pbmserv::store::Store;
use rusqlite::Connection;

use super::{ALICE, BOB, Stage, alice_and_bob, mail};

/// The mails that are due, rendered.
async fn rendered(stage: &Stage) -> Vec<Outgoing> {
    let rows = &stage.server.rows;
    let mut rendered = Vec::new();
    for letter in rows.due(stage.server.now(), 1000).await.unwrap() {
        rendered.push(rows.render(letter).await.unwrap());
    }
    rendered
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_is_the_same_at_each_attempt() {
    let stage = alice_and_bob().await;
    let text = "Hello, bob\n";
    for (from, line, text) in [
        (ALICE, "Pow2 challenge alice bob", text),
        (ALICE, "Pow2 move 101 alice fig7elk m13-m5", text),
        (BOB, "Pow2 move 101 bob oak4jay m13-m5", ""),
        (BOB, "Pow2 mvoe 101", ""),
        (BOB, "Pow2 record 101", ""),
        (BOB, "set bob oak4jay digest on", ""),
        (ALICE, "message alice fig7elk bob", text),
        (ALICE, "add alice fig7elk new@home.example", ""),
        (ALICE, "forgot alice", ""),
        (BOB, "Pow2 games bob", ""),
        (BOB, "help", ""),
        (ALICE, "multiple", "Pow2 show 101\nwho\n"),
        ("carol@elsewhere.example", "signup carol bay5owl", ""),
    ] {
        let request = stage
            .server
            .read("smtp", &mail(from, line, text).message())
            .unwrap();
        stage.server.handle(request, false, false).await.unwrap();
    }
    let first = rendered(&stage).await;
    let mut kinds: Vec<_> = first.iter().map(|letter| letter.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in ["board", "done", "forgot", "help", "listing", "message", "notdone"] {
        assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}");
    }
    let deferred = first.iter().map(|letter| SettledMail {
        id: letter.id,
        outcome: Outcome::Deferred {
            until: stage.server.now() + TimeDelta::days(4),
            why: "busy".into(),
        },
    });
    stage.server.rows.settle(deferred.collect()).await.unwrap();
    stage.pass(TimeDelta::days(4));
    let now = stage.server.now();
    let data = stage.close().await;
    // The next letters have other names, and it is another process.
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let mut second = Vec::new();
    // Of those that unproven mails have caused only a few are due at a time.
    loop {
        let some = rendered(&stage).await;
        if some.is_empty() {
            break;
        }
        stage.settle(&some).await;
        second.extend(some);
    }
    for first in &first {
        let again = second.iter().find(|again| again.id == first.id).unwrap();
        let again = Outgoing {
            attempts: first.attempts,
            ..again.clone()
        };
        assert_eq!(
            (&again.text, &again.page),
            (&first.text, &first.page),
            "{}",
            first.kind
        );
        assert_eq!(again, *first);
        assert_eq!(first.page.is_some(), first.draft.as_ref().unwrap().has_html);
    }
    stage.close().await;
}

/// The database of the last version before migration 0027, with the letters of `rows`.
fn former(path: &std::path::Path, rows: &str) {
    for end in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{end}", path.display())));
    }
    let conn = Connection::open(path).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> = folder
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort_unstable();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        if name < "0027" {
            let number: i64 = name[..4].parse().unwrap();
            conn.execute_batch(&std::fs::read_to_string(file).unwrap())
                .unwrap();
            conn.pragma_update(None, "user_version", number).unwrap();
        }
    }
    conn.execute_batch(rows).unwrap();
}

const FORMER: &str = r#"
    INSERT INTO players (id, userid, userid_key, password_hash, created_at, seen_at) VALUES (1, 'alice', 'alice', '', 0, 0);
    INSERT INTO outbox (kind, player, recipient, recipient_key, limit_key, message_id, is_reply, reply_to, about, subject, body,
        facts, picture, attachment_name, attachment, created_at, state, due_at, settled_at)
    VALUES
    ('done', 1, 'alice@home.example', 'alice@home.example', 'alice@home.example', '1@games.example', 1, NULL, NULL,
        'Pow2 set alice', 'As it was written.' || char(10),
        '{"subject":"Pow2 set alice","sentence":"As it was said.","hint":"","notice":"Last one.","with_text_board":true}',
        '[Game "Pow2"]', 'game.txt', 'a file', 1, 'waiting', 1, NULL),
    ('forgot', 1, 'alice@home.example', 'alice@home.example', 'alice@home.example', '2@games.example', 1, 'reset', 1,
        'A new password', 'reset alice [token] PASSWORD' || char(10),
        '{"userid":"alice","token":"[token]","until":"soon"}', NULL, NULL, NULL, 1, 'waiting', 1, NULL),
    ('help', NULL, 'carol@home.example', 'carol@home.example', 'carol@home.example', '3@games.example', 1, NULL, NULL,
        'Help', 'Plain text alone.' || char(10), NULL, NULL, NULL, NULL, 1, 'held', 1, NULL),
    ('help', 1, 'alice@home.example', 'alice@home.example', 'alice@home.example', '4@games.example', 1, NULL, NULL,
        'Help', 'It was sent.' || char(10), NULL, NULL, NULL, NULL, 1, 'sent', 1, 1),
    ('help', 1, 'alice@home.example', 'alice@home.example', 'alice@home.example', '5@games.example', 1, NULL, NULL,
        'Help', '', NULL, NULL, NULL, NULL, 1, 'sent', 1, 1);
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_that_waited_through_the_upgrade_is_sent_as_it_was_written() {
    let stage = Stage::open(|_| {});
    if !stage.server.folder.has_database_file() {
        println!("left out: no older version has used PostgreSQL");
        return;
    }
    let (now, database) = (stage.server.now(), stage.server.folder.database());
    let data = stage.close().await;
    former(&database, FORMER);
    drop(Store::migrate(&database, &mut |_, _| ()).unwrap());
    let stage = Stage::open_in(data, now, 2, |_| {});
    let letters = rendered(&stage).await;
    let [done, forgot] = letters.try_into().unwrap();
    assert_eq!(done.text, "As it was written.\n");
    let page = done.page.unwrap();
    for said in ["As it was said.", "Last one."] {
        assert!(page.html.contains(said), "{said}");
    }
    assert_eq!(done.draft.unwrap().record.as_deref(), Some("[Game \"Pow2\"]"));
    assert_eq!(
        done.attachment,
        Some(("game.txt".to_owned(), "a file".to_owned()))
    );
    assert!(!forgot.text.contains("[token]") && forgot.text.starts_with("reset alice "));
    let reset = forgot.text.split(' ').nth(2).unwrap();
    assert!(forgot.page.unwrap().html.contains(reset), "{reset}");
    let reader = stage.server.reader().unwrap();
    for (number, said) in [(3, "Plain text alone.\n"), (4, "It was sent.\n")] {
        let (row, draft) = reader.mail(number).unwrap().unwrap();
        assert_eq!(stage.server.rows.text(&row.kind, &draft.unwrap()), said);
    }
    assert!(reader.mail(5).unwrap().unwrap().1.is_none(), "it was forgotten");
    drop(reader);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_whose_letter_or_address_is_damaged_fails_alone() {
    let stage = alice_and_bob().await;
    for line in ["help", "who", "games"] {
        let request = stage
            .server
            .read("smtp", &mail(ALICE, line, "").message())
            .unwrap();
        stage.server.handle(request, false, false).await.unwrap();
    }
    let now = stage.server.now();
    let data = stage.close().await;
    let waiting = "SELECT MIN(id) FROM outbox WHERE state = 'waiting'";
    // No letter begins so.
    let sql = format!("UPDATE outbox SET letter = substr(letter, 5) WHERE id = ({waiting})");
    assert_eq!(crate::stage::database::change(data.path(), &sql), 1);
    let waiting = waiting.replace("MIN", "MAX");
    let sql = format!("UPDATE outbox SET recipient = 'no address' WHERE id = ({waiting})");
    assert_eq!(crate::stage::database::change(data.path(), &sql), 1);
    let stage = Stage::open_in(data, now, 2, |config| config.accounts.confirm = false);
    let rows = &stage.server.rows;
    let due = rows.due(stage.server.now(), 10).await.unwrap();
    let [damaged, other, nowhere] = due.try_into().unwrap();
    let mut outcomes = Vec::new();
    for mail in [damaged, nowhere] {
        let id = mail.id;
        let why = rows.render(mail).await.unwrap_err();
        outcomes.push(SettledMail {
            id,
            outcome: Outcome::Failed { why },
        });
    }
    assert!(!rows.render(other).await.unwrap().text.is_empty());
    rows.settle(outcomes).await.unwrap();
    let left = rows.due(stage.server.now(), 10).await.unwrap();
    assert_eq!(left.len(), 1);
    stage.close().await;
}
