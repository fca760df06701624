mod faults;
mod server;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::*;
use crate::Address;
use crate::doors::Health;
use crate::login::Login;
use server::{Server, Traits};

const PASSWORD: &str = "Rose 4711 \"water\"";

/// An intake with scripted verdicts that records its messages.
#[derive(Default)]
struct Desk {
    taken: Mutex<Vec<(String, Mark)>>,
    verdicts: Mutex<Vec<Verdict>>,
    lengths: Mutex<Vec<usize>>,
}

impl Intake for Desk {
    fn is_ours(&self, _recipient: &Address) -> bool {
        true
    }

    fn domain(&self) -> &'static str {
        "host.example"
    }

    async fn submit(&self, message: Message) -> Verdict {
        self.lengths.lock().unwrap().push(message.bytes.len());
        let text = String::from_utf8_lossy(&message.bytes).into_owned();
        let subject = text.lines().next().unwrap_or_default().to_owned();
        let line = format!("{subject} {}", message.envelope.recipients[0]);
        self.taken.lock().unwrap().push((line, message.mark.unwrap()));
        let next = self.verdicts.lock().unwrap().pop();
        next.unwrap_or(Verdict::Accepted(1))
    }
}

fn from_file(file: &Path) -> Option<Login> {
    Login::configured("imap", "password", file, "").unwrap()
}

struct Scene {
    server: Server,
    desk: Arc<Desk>,
    health: watch::Receiver<Health>,
    stop: watch::Sender<bool>,
    door: tokio::task::JoinHandle<()>,
    password_file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Scene {
    async fn new(server: Server, done_folder: &str, query: &str) -> Self {
        Self::with(server, done_folder, query, PASSWORD, Vec::new()).await
    }

    async fn with(
        server: Server,
        done_folder: &str,
        query: &str,
        password: &str,
        verdicts: Vec<Verdict>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let password_file = folder.path().join("password");
        std::fs::write(&password_file, password).unwrap();
        let url = format!(
            "imap://games%40host.example@127.0.0.1:{}/INBOX{query}",
            server.port
        );
        let account = Account::new(&url, from_file(&password_file), done_folder).unwrap();
        let desk = Arc::new(Desk {
            verdicts: Mutex::new(verdicts),
            ..Desk::default()
        });
        let (reporter, health) = Reporter::new("imap", Arc::new(chrono::Utc::now));
        let (stop, stopping) = watch::channel(false);
        let pace = Pace {
            poll: Duration::from_millis(200),
            first_pause: Duration::from_millis(20),
            longest_pause: Duration::from_millis(200),
            first_slow_pause: Duration::from_millis(20),
            longest_slow_pause: Duration::from_millis(100),
        };
        let door = tokio::spawn(serve(
            account,
            1000,
            Address::parse("pbmserv@host.example").unwrap().into(),
            desk.clone(),
            reporter,
            pace,
            stopping,
        ));
        Self {
            server,
            desk,
            health,
            stop,
            door,
            password_file,
            _folder: folder,
        }
    }

    fn taken(&self) -> Vec<String> {
        let taken = self.desk.taken.lock().unwrap();
        taken.iter().map(|(line, _)| line.clone()).collect()
    }

    fn last_error(&self) -> String {
        let health = self.health.borrow();
        health.last_error.clone().map(|(_, why)| why).unwrap_or_default()
    }

    async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            let said = self.server.heard().join("\n");
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "waited too long: {what}: {}\n{said}",
                self.last_error()
            );
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        tokio::time::timeout(Duration::from_secs(10), self.door)
            .await
            .unwrap()
            .unwrap();
    }
}

#[tokio::test]
async fn a_message_is_taken_and_then_marked_and_idle_tells_of_the_next() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\nTo: pbmserv+t@host.example\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("the first", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    scene
        .until("idling", |s| s.server.heard().iter().any(|line| line == "IDLE"))
        .await;
    scene.server.put("Subject: two\r\n\r\n");
    scene
        .until("the second", |s| s.server.has_flag(2, mailbox::DONE))
        .await;
    assert_eq!(
        scene.taken(),
        [
            "Subject: one pbmserv+t@host.example",
            "Subject: two pbmserv@host.example"
        ]
    );
    assert!(!scene.server.has_flag(1, "\\Seen"), "a person may still read it");
    scene.stop().await;
}

#[tokio::test]
async fn nothing_is_marked_that_is_not_committed() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\n\r\n");
    server.put("Subject: two\r\n\r\n");
    let verdicts = vec![Verdict::TryLater("busy".into())];
    let scene = Scene::with(server, "", "", PASSWORD, verdicts).await;
    scene
        .until("the other", |s| s.server.has_flag(2, mailbox::DONE))
        .await;
    assert!(!scene.server.has_flag(1, mailbox::DONE));
    scene
        .until("the second try", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    assert_eq!(scene.taken().len(), 3);
    scene.stop().await;
}

#[tokio::test]
async fn of_a_message_that_is_too_long_the_beginning_is_fetched() {
    for gives_all in [false, true] {
        let server = Server::start(Traits {
            gives_all,
            ..Traits::default()
        })
        .await;
        server.put(&format!("Subject: one\r\n\r\n{}", "x".repeat(1000)));
        server.put("Subject: two\r\n\r\n");
        let scene = Scene::new(server, "", "").await;
        scene
            .until("the second", |s| s.server.has_flag(2, mailbox::DONE))
            .await;
        assert!(scene.server.has_flag(1, mailbox::DONE) && !scene.server.has_flag(1, "\\Flagged"));
        let heard = scene.server.heard();
        let fetched = heard.iter().filter(|line| line.contains("BODY"));
        assert_eq!(
            fetched.collect::<Vec<_>>(),
            [
                "UID FETCH 1 (UID BODY.PEEK[]<0.1000>)",
                "UID FETCH 2 (UID BODY.PEEK[])"
            ]
        );
        let expected = ["Subject: one", "Subject: two"].map(|line| format!("{line} pbmserv@host.example"));
        assert_eq!(scene.taken(), expected);
        assert_eq!(*scene.desk.lengths.lock().unwrap(), [1000, 16]);
        scene.stop().await;
    }
}

#[tokio::test]
async fn a_server_that_lies_about_the_length_is_not_believed() {
    let server = Server::start(Traits {
        lies_about_size: true,
        ..Traits::default()
    })
    .await;
    server.put(&format!("Subject: one\r\n\r\n{}", "x".repeat(2_000_000)));
    let scene = Scene::new(server, "", "").await;
    scene.until("an error", |s| !s.last_error().is_empty()).await;
    assert!(
        scene.last_error().contains("more than was requested"),
        "{}",
        scene.last_error()
    );
    assert!(scene.taken().is_empty());
    scene.stop().await;
}

#[tokio::test]
async fn without_idle_the_mailbox_is_looked_at_now_and_then() {
    let server = Server::start(Traits {
        abilities: "",
        ..Traits::default()
    })
    .await;
    let scene = Scene::new(server, "", "").await;
    scene
        .until("the first look", |s| s.health.borrow().last_ok.is_some())
        .await;
    scene.server.put("Subject: one\r\n\r\n");
    scene
        .until("the mail", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    assert!(!scene.server.heard().iter().any(|line| line == "IDLE"));
    scene.stop().await;
}

#[tokio::test]
async fn messages_are_moved_in_the_way_that_the_server_knows() {
    for (abilities, expected) in [
        ("IDLE MOVE UIDPLUS", vec!["UID MOVE 1 \"Done\""]),
        (
            "IDLE UIDPLUS",
            vec![
                "UID COPY 1 \"Done\"",
                "UID STORE 1 +FLAGS.SILENT (\\Deleted)",
                "UID EXPUNGE 1",
            ],
        ),
        (
            "",
            vec!["UID COPY 1 \"Done\"", "UID STORE 1 +FLAGS.SILENT (\\Deleted)"],
        ),
    ] {
        let server = Server::start(Traits {
            abilities,
            permits_keywords: false,
            ..Traits::default()
        })
        .await;
        server.put("Subject: one\r\n\r\n");
        let scene = Scene::new(server, "Done", "").await;
        scene.until("the move", |s| s.server.moved().len() == 1).await;
        // Another search, which must find nothing.
        let looks = |s: &Scene| {
            let heard = s.server.heard();
            heard.iter().filter(|line| line.starts_with("UID SEARCH")).count()
        };
        let before = looks(&scene);
        scene.until("another look", |s| looks(s) > before).await;
        let heard = scene.server.heard();
        let ways: Vec<_> = heard
            .iter()
            .filter(|line| {
                ["UID MOVE", "UID COPY", "UID STORE", "UID EXPUNGE"]
                    .iter()
                    .any(|word| line.starts_with(word))
            })
            .collect();
        assert_eq!(ways, expected.iter().collect::<Vec<_>>(), "{abilities}");
        assert!(heard.contains(&"CREATE \"Done\"".to_owned()));
        assert_eq!(scene.taken().len(), 1);
        assert_eq!(scene.last_error(), "");
        scene.stop().await;
    }
}

#[tokio::test]
async fn a_server_without_keywords_needs_a_folder_and_says_so() {
    let server = Server::start(Traits {
        permits_keywords: false,
        ..Traits::default()
    })
    .await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("an error", |s| s.health.borrow().down_since.is_some())
        .await;
    assert!(
        scene.last_error().contains("name an imap.done_folder"),
        "{}",
        scene.last_error()
    );
    assert!(
        scene.taken().is_empty(),
        "nothing is done that could not be marked"
    );
    scene.stop().await;
}

#[tokio::test]
async fn a_server_that_forgets_keywords_is_found_out() {
    let server = Server::start(Traits {
        forgets_keywords: true,
        ..Traits::default()
    })
    .await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("an error", |s| s.health.borrow().down_since.is_some())
        .await;
    assert!(
        scene.last_error().contains("does not keep the keyword"),
        "{}",
        scene.last_error()
    );
    scene.stop().await;
}

#[tokio::test]
async fn a_wrong_password_is_reported_without_quoting_it_and_can_be_corrected() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::with(server, "", "", "Wrong-2002-pass\n", Vec::new()).await;
    scene
        .until("an error", |s| s.health.borrow().down_since.is_some())
        .await;
    assert!(
        scene.last_error().contains("imap.password_file"),
        "{}",
        scene.last_error()
    );
    assert!(
        !scene.last_error().contains("Wrong-2002-pass"),
        "{}",
        scene.last_error()
    );
    std::fs::write(&scene.password_file, format!("{PASSWORD}\n")).unwrap();
    scene
        .until("the mail", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    scene.stop().await;
}

#[tokio::test]
async fn a_look_at_the_mailbox_logs_in_and_changes_nothing() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\n\r\n");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let url = format!("imap://games%40host.example@127.0.0.1:{}/INBOX", server.port);
    std::fs::write(&file, "wrong\n").unwrap();
    let account = Account::new(&url, from_file(&file), "").unwrap();
    let refusal = try_mailbox(&account).await.unwrap_err();
    assert!(refusal.contains("imap.password_file"), "{refusal}");
    std::fs::write(&file, PASSWORD).unwrap();
    assert_eq!(try_mailbox(&account).await, Ok(()));
    assert!(!server.has_flag(1, mailbox::DONE));
}

#[tokio::test]
async fn a_password_beyond_ascii_goes_by_sasl() {
    let password = "Rosenöl 4711";
    let server = Server::start(Traits {
        password,
        ..Traits::default()
    })
    .await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::with(server, "", "", password, Vec::new()).await;
    scene
        .until("the mail", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    scene.stop().await;
}

#[tokio::test]
async fn no_password_is_sent_to_a_server_that_does_not_encrypt() {
    let server = Server::start(Traits::default()).await;
    let scene = Scene::new(server, "", "?tls=required").await;
    scene
        .until("an error", |s| s.health.borrow().down_since.is_some())
        .await;
    assert!(scene.last_error().contains("STARTTLS"), "{}", scene.last_error());
    assert!(scene.server.heard().iter().all(|line| line == "STARTTLS"));
    scene.stop().await;
}

#[tokio::test]
async fn a_connection_lost_before_the_mark_brings_the_message_again_with_its_mark() {
    let server = Server::start(Traits {
        cuts_before_marks: 2,
        ..Traits::default()
    })
    .await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("the mark", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    let taken = scene.desk.taken.lock().unwrap().clone();
    assert_eq!(taken.len(), 3);
    assert!(taken.iter().all(|one| *one == taken[0]), "{taken:?}");
    scene
        .until("health", |s| s.health.borrow().down_since.is_none())
        .await;
    scene.stop().await;
}

#[tokio::test]
async fn after_a_new_uidvalidity_messages_are_known_by_their_marks() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("the mark", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    scene.server.renumber(77);
    scene
        .until("the mark", |s| s.server.has_flag(78, mailbox::DONE))
        .await;
    let taken = scene.desk.taken.lock().unwrap().clone();
    assert_eq!(taken.len(), 2);
    assert_eq!(taken[0], taken[1]);
    // The same bytes at another second are another message.
    scene
        .server
        .put_at("Subject: one\r\n\r\n", "21-Nov-2026 08:00:01 +0000");
    scene.until("the other", |s| s.taken().len() == 3).await;
    assert_ne!(scene.desk.taken.lock().unwrap()[2].1, taken[0].1);
    scene.stop().await;
}

#[tokio::test]
async fn a_server_that_talks_nonsense_or_nothing_is_left_alone_and_tried_again() {
    for greeting in [
        "",
        "220 mail.example ESMTP\r\n",
        "* BYE too many connections\r\n",
        "* OK ",
    ] {
        let server = Server::start(Traits {
            greeting,
            ..Traits::default()
        })
        .await;
        let scene = Scene::new(server, "", "").await;
        scene.until("two tries", |s| s.server.connections() >= 2).await;
        assert!(!scene.last_error().is_empty());
        scene.stop().await;
    }
}

#[tokio::test]
async fn hundreds_of_messages_are_taken_in_their_order_and_then_there_is_rest() {
    let server = Server::start(Traits::default()).await;
    for number in 0..250 {
        server.put(&format!("Subject: {number}\r\n\r\n"));
    }
    let scene = Scene::new(server, "", "").await;
    scene
        .until("all", |s| s.server.has_flag(250, mailbox::DONE))
        .await;
    let subjects: Vec<_> = (0..250)
        .map(|number| format!("Subject: {number} pbmserv@host.example"))
        .collect();
    assert_eq!(scene.taken(), subjects);
    let before = scene.server.heard().len();
    sleep(Duration::from_secs(1)).await;
    let commands = scene.server.heard().len() - before;
    // Five rounds, each with a search and a wait.
    assert!(
        commands <= 14,
        "{commands} commands in a second in which nothing happened"
    );
    scene.stop().await;
}

#[tokio::test]
async fn messages_that_all_have_to_wait_keep_nobody_busy() {
    let server = Server::start(Traits::default()).await;
    for number in 0..3 {
        server.put(&format!("Subject: {number}\r\n\r\n"));
    }
    let later = vec![Verdict::TryLater("busy".into()); 9];
    let scene = Scene::with(server, "", "", PASSWORD, later).await;
    scene.until("the first tries", |s| s.taken().len() == 3).await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(scene.taken().len(), 3, "the first pause is a second");
    let heard = scene.server.heard().len();
    assert!(heard < 40, "{heard} commands");
    scene.stop().await;
}
