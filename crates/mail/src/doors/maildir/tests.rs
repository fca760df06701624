use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use super::*;
use crate::Address;
use crate::doors::{Health, Mark};

/// An intake with scripted verdicts that records its messages.
#[derive(Default)]
struct Desk {
    taken: Mutex<Vec<(String, Option<Mark>)>>,
    verdicts: Mutex<Vec<Verdict>>,
}

impl Intake for Desk {
    fn is_ours(&self, _recipient: &Address) -> bool {
        true
    }

    fn domain(&self) -> &'static str {
        "host.example"
    }

    async fn submit(&self, message: Message) -> Verdict {
        let text = String::from_utf8_lossy(&message.bytes).into_owned();
        let subject = text.lines().next().unwrap_or_default().to_owned();
        let sender = message.envelope.sender.map(|sender| sender.to_string());
        let line = format!(
            "{subject} {} {}",
            sender.unwrap_or_default(),
            message.envelope.recipients[0]
        );
        self.taken.lock().unwrap().push((line, message.mark));
        self.verdicts
            .lock()
            .unwrap()
            .pop()
            .unwrap_or(Verdict::Accepted(1))
    }
}

struct Scene {
    temporary: tempfile::TempDir,
    desk: Arc<Desk>,
    health: watch::Receiver<Health>,
    stop: watch::Sender<bool>,
    door: tokio::task::JoinHandle<()>,
}

impl Scene {
    fn new(verdicts: Vec<Verdict>) -> Self {
        Self::with(verdicts, |_| {})
    }

    /// A door on a Maildir that was prepared like this.
    fn with(verdicts: Vec<Verdict>, prepare: impl FnOnce(&Path)) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        for part in ["new", "cur", "tmp"] {
            fs::create_dir(temporary.path().join(part)).unwrap();
        }
        prepare(temporary.path());
        let desk = Arc::new(Desk {
            verdicts: Mutex::new(verdicts),
            ..Desk::default()
        });
        let (reporter, health) = Reporter::new("maildir", Arc::new(chrono::Utc::now));
        let (stop, stopping) = watch::channel(false);
        let door = tokio::spawn(serve(
            Folder::open(temporary.path(), 1000).unwrap(),
            Address::parse("pbmserv@host.example").unwrap().into(),
            desk.clone(),
            reporter,
            stopping,
        ));
        Self {
            temporary,
            desk,
            health,
            stop,
            door,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.temporary.path().join(name)
    }

    /// Like a delivering program: writes the file elsewhere, then moves it in.
    fn deliver(&self, name: &str, text: &str) {
        fs::write(self.path("tmp/x"), text).unwrap();
        fs::rename(self.path("tmp/x"), self.path(name)).unwrap();
    }

    fn taken(&self) -> Vec<String> {
        let taken = self.desk.taken.lock().unwrap();
        taken.iter().map(|(line, _)| line.clone()).collect()
    }

    async fn stop(self) {
        self.stop.send_replace(true);
        self.door.await.unwrap();
    }
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "waited too long: {what}"
        );
        sleep(Duration::from_millis(5)).await;
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[tokio::test]
async fn mail_is_taken_as_it_comes_and_put_away_as_it_was() {
    let scene = Scene::new(Vec::new());
    until("the first look", || scene.health.borrow().last_ok.is_some()).await;
    let begun = Instant::now();
    scene.deliver(
        "new/1.a",
        "Subject: one\nReturn-Path: <a@b>\nDelivered-To: pbmserv+t@host.example\n\n",
    );
    until("the first", || exists(&scene.path(".Done/new/1.a"))).await;
    // Well before the half-minute fallback: a notification has come.
    assert!(begun.elapsed() < Duration::from_secs(10));
    scene.deliver("cur/2.b:2,S", "Subject: two\nFrom: c@d\n\n");
    until("the second", || exists(&scene.path(".Done/cur/2.b:2,S"))).await;
    assert_eq!(
        scene.taken(),
        [
            "Subject: one a@b pbmserv+t@host.example",
            "Subject: two c@d pbmserv@host.example"
        ]
    );
    scene.stop().await;
}

#[tokio::test]
async fn what_waits_at_the_start_is_taken_in_its_order() {
    let scene = Scene::with(Vec::new(), |maildir| {
        let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
        for number in (0..20).rev() {
            let path = maildir.join("new").join(number.to_string());
            fs::write(&path, format!("Subject: {number}\n\n")).unwrap();
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(hour_ago + Duration::from_secs(number)).unwrap();
        }
    });
    until("all", || scene.taken().len() == 20).await;
    let subjects: Vec<_> = (0..20)
        .map(|number| format!("Subject: {number}  pbmserv@host.example"))
        .collect();
    assert_eq!(scene.taken(), subjects);
    scene.stop().await;
}

#[tokio::test]
async fn what_is_of_no_use_is_moved_and_not_tried_again() {
    let scene = Scene::new(vec![Verdict::Unusable("no mail".into())]);
    scene.deliver("new/1", "no mail\n\n");
    until("the useless one", || exists(&scene.path(".Refused/new/1"))).await;
    assert_eq!(scene.taken().len(), 1);
    scene.stop().await;
}

#[tokio::test]
async fn of_what_is_too_long_the_beginning_is_taken() {
    let scene = Scene::new(Vec::new());
    scene.deliver("new/1", &format!("Subject: one\n\na2-a3\n{}", "x".repeat(1001)));
    until("it is taken", || exists(&scene.path(".Done/new/1"))).await;
    assert_eq!(scene.taken(), ["Subject: one  pbmserv@host.example"]);
    scene.stop().await;
}

#[tokio::test]
async fn what_cannot_be_taken_now_stays_and_is_tried_again() {
    let scene = Scene::new(vec![Verdict::TryLater("busy".into())]);
    scene.deliver("new/1", "Subject: one\n\n");
    until("the first try", || scene.taken().len() == 1).await;
    assert!(exists(&scene.path("new/1")));
    // It does not block the others.
    scene.deliver("new/2", "Subject: two\n\n");
    until("the other", || exists(&scene.path(".Done/new/2"))).await;
    until("the second try", || exists(&scene.path(".Done/new/1"))).await;
    let taken = scene.desk.taken.lock().unwrap().clone();
    assert_eq!(taken.len(), 3);
    assert_eq!(taken[0], taken[2], "it is known for the same, mark and all");
    scene.stop().await;
}

#[tokio::test]
async fn a_folder_that_vanishes_is_a_failure_until_it_is_back() {
    let scene = Scene::new(Vec::new());
    until("the first look", || scene.health.borrow().last_ok.is_some()).await;
    fs::rename(scene.path("new"), scene.path("gone")).unwrap();
    // A new file causes a notification; otherwise the next pass is half a minute away.
    scene.deliver("cur/1", "Subject: one\n\n");
    until("an error", || scene.health.borrow().down_since.is_some()).await;
    fs::rename(scene.path("gone"), scene.path("new")).unwrap();
    until("the end of it", || scene.health.borrow().down_since.is_none()).await;
    scene.deliver("new/2", "Subject: two\n\n");
    until("both", || scene.taken().len() == 2).await;
    scene.stop().await;
}

#[tokio::test]
async fn an_idle_door_is_idle() {
    let scene = Scene::new(Vec::new());
    scene.deliver("new/1", "Subject: one\n\n");
    until("the mail", || scene.taken().len() == 1).await;
    sleep(Duration::from_millis(500)).await;
    let before = scene.health.borrow().last_ok;
    sleep(Duration::from_millis(700)).await;
    assert_eq!(
        scene.health.borrow().last_ok,
        before,
        "it has looked though nothing came"
    );
    scene.stop().await;
}
