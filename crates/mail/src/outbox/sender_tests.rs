use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::*;
use crate::Address;
use crate::outbox::tests::{identity, mail, noon};
use crate::outbox::{Built, Failure};

/// An outbox in memory.
#[derive(Default)]
struct Rows {
    waiting: Mutex<BTreeMap<i64, (DateTime<Utc>, Outgoing)>>,
    settled: Mutex<Vec<SettledMail>>,
    commits: Mutex<Vec<usize>>,
    questions: Mutex<usize>,
    refuses: AtomicBool,
    /// Another server has them.
    are_theirs: Arc<AtomicBool>,
}

impl Rows {
    fn with(mails: impl IntoIterator<Item = Outgoing>) -> Arc<Self> {
        let rows = Self::default();
        for mail in mails {
            rows.add(mail);
        }
        Arc::new(rows)
    }

    fn add(&self, mail: Outgoing) {
        self.waiting
            .lock()
            .unwrap()
            .insert(mail.id, (mail.created_at, mail));
    }

    fn settled(&self) -> Vec<SettledMail> {
        self.settled.lock().unwrap().clone()
    }
}

impl Queue for Rows {
    type Draft = ();

    async fn render(&self, mail: Outgoing) -> Result<Outgoing, String> {
        Ok(mail)
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Outgoing>, QueueError> {
        *self.questions.lock().unwrap() += 1;
        let waiting = self.waiting.lock().unwrap();
        let due = waiting.values().filter(|(at, _)| *at <= now);
        Ok(due.map(|(_, mail)| mail.clone()).take(limit).collect())
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, QueueError> {
        Ok(self.waiting.lock().unwrap().values().map(|(at, _)| *at).min())
    }

    async fn waiting(&self) -> Result<u64, QueueError> {
        Ok(self.waiting.lock().unwrap().len() as u64)
    }

    async fn is_ours(&self) -> Result<(), QueueError> {
        match self.are_theirs.load(Ordering::Relaxed) {
            true => Err(QueueError("another server may have them".to_owned())),
            false => Ok(()),
        }
    }

    async fn settle(&self, outcomes: Vec<SettledMail>) -> Result<(), QueueError> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(QueueError("the disk is full".to_owned()));
        }
        let mut waiting = self.waiting.lock().unwrap();
        self.commits.lock().unwrap().push(outcomes.len());
        for settled in outcomes {
            match &settled.outcome {
                Outcome::Deferred { until, .. } => {
                    let (due, mail) = waiting.get_mut(&settled.id).unwrap();
                    *due = *until;
                    mail.attempts += 1;
                }
                Outcome::Sent | Outcome::Refused { .. } | Outcome::Failed { .. } => {
                    waiting.remove(&settled.id).unwrap();
                }
            }
            self.settled.lock().unwrap().push(settled);
        }
        Ok(())
    }
}

type Answer = Box<dyn Fn(&Outgoing) -> Result<(), Failure> + Send + Sync>;

/// A transport with scripted answers.
struct Scripted {
    answer: Answer,
    takes: Duration,
    offered: Mutex<Vec<i64>>,
    at_once: Mutex<(usize, usize)>,
    rests: Mutex<usize>,
}

impl Scripted {
    fn new(answer: impl Fn(&Outgoing) -> Result<(), Failure> + Send + Sync + 'static) -> Self {
        Self {
            answer: Box::new(answer),
            takes: Duration::from_millis(1),
            offered: Mutex::default(),
            at_once: Mutex::default(),
            rests: Mutex::default(),
        }
    }

    fn offered(&self) -> Vec<i64> {
        self.offered.lock().unwrap().clone()
    }
}

impl Deliver for Scripted {
    async fn deliver(&self, _: &Built, mail: &Outgoing) -> Result<(), Failure> {
        self.offered.lock().unwrap().push(mail.id);
        {
            let mut at_once = self.at_once.lock().unwrap();
            at_once.0 += 1;
            at_once.1 = at_once.1.max(at_once.0);
        }
        sleep(self.takes).await;
        self.at_once.lock().unwrap().0 -= 1;
        (self.answer)(mail)
    }

    async fn rest(&self) {
        *self.rests.lock().unwrap() += 1;
    }
}

/// A running sender with a settable clock.
struct Running {
    rows: Arc<Rows>,
    transport: Arc<Scripted>,
    clock: Arc<Mutex<DateTime<Utc>>>,
    wake: Arc<Notify>,
    stop: watch::Sender<bool>,
    health: watch::Receiver<Health>,
    task: tokio::task::JoinHandle<()>,
}

impl Running {
    fn start(rows: Arc<Rows>, transport: Scripted, pace: Pace) -> Self {
        let clock = Arc::new(Mutex::new(noon()));
        let (stop, stopping) = watch::channel(false);
        let (health, seen) = watch::channel(Health::default());
        let (transport, wake) = (Arc::new(transport), Arc::new(Notify::new()));
        let read = Arc::clone(&clock);
        let sender = Sender {
            queue: Arc::clone(&rows),
            transport: Arc::clone(&transport),
            identity: Arc::new(identity()),
            now: Arc::new(move || *read.lock().unwrap()),
            wake: Arc::clone(&wake),
            health,
            pace,
        };
        let task = tokio::spawn(sender.run(stopping));
        Self {
            rows,
            transport,
            clock,
            wake,
            stop,
            health: seen,
            task,
        }
    }

    fn advance(&self, by: TimeDelta) {
        *self.clock.lock().unwrap() += by;
        self.wake.notify_one();
    }

    async fn until(&self, holds: impl Fn(&Self) -> bool) {
        for _ in 0..2000 {
            if holds(self) {
                return;
            }
            sleep(Duration::from_millis(2)).await;
        }
        panic!("it did not come to that: {:?}", self.rows.settled());
    }

    async fn stop(self) -> Arc<Rows> {
        self.stop.send_replace(true);
        timeout(Duration::from_secs(5), self.task).await.unwrap().unwrap();
        self.rows
    }
}

fn quick() -> Pace {
    Pace {
        settle_every: Duration::from_millis(50),
        first_pause: Duration::from_millis(20),
        longest_pause: Duration::from_millis(40),
        linger: Duration::from_millis(30),
        grace: Duration::from_millis(500),
        ..Pace::default()
    }
}

fn to(id: i64, address: &str) -> Outgoing {
    let mut mail = mail(id);
    mail.to = Address::parse(address).unwrap();
    mail
}

#[tokio::test]
async fn nothing_more_is_sent_when_another_server_has_the_rows() {
    let rows = Rows::with((1..=9).map(|id| to(id, "p@example.org")));
    let are_theirs = rows.are_theirs.clone();
    let lost = are_theirs.clone();
    let transport = Scripted::new(move |mail| {
        lost.store(mail.id == 3, Ordering::Relaxed);
        Ok(())
    });
    let running = Running::start(rows, transport, quick());
    running.until(|r| r.rows.settled().len() == 3).await;
    sleep(Duration::from_millis(200)).await;
    assert_eq!(running.transport.offered(), [1, 2, 3]);
    are_theirs.store(false, Ordering::Relaxed);
    running.until(|r| r.rows.settled().len() == 9).await;
    running.stop().await;
}

#[tokio::test]
async fn what_is_due_is_sent_once_and_written_together() {
    let mails = (1..=40).map(|id| to(id, &format!("p{id}@example.org")));
    let mut pace = quick();
    pace.settle_every = Duration::from_secs(5);
    let running = Running::start(Rows::with(mails), Scripted::new(|_| Ok(())), pace);
    running.until(|r| r.rows.settled().len() == 40).await;
    let health = running.health.borrow().clone();
    assert_eq!(
        (health.last_ok, health.last_error, health.down_since),
        (Some(noon()), None, None)
    );
    assert_eq!(running.transport.at_once.lock().unwrap().1, 4);
    let transport = Arc::clone(&running.transport);
    let rows = running.stop().await;
    assert!(rows.settled().iter().all(|s| s.outcome == Outcome::Sent));
    assert_eq!(*rows.commits.lock().unwrap(), [40]);
    let mut offered = transport.offered();
    offered.sort_unstable();
    assert_eq!(offered, (1..=40).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_new_row_is_sent_when_it_is_announced_and_nothing_is_polled() {
    let running = Running::start(Rows::with([]), Scripted::new(|_| Ok(())), quick());
    sleep(Duration::from_millis(150)).await;
    assert_eq!(*running.rows.questions.lock().unwrap(), 1);
    assert_eq!(*running.transport.rests.lock().unwrap(), 1);
    running.rows.add(mail(1));
    running.wake.notify_one();
    running.until(|r| r.rows.settled().len() == 1).await;
    running.stop().await;
}

#[tokio::test]
async fn a_row_that_is_due_later_is_sent_then_by_the_clock_alone() {
    let mut later = mail(1);
    later.created_at = noon() + TimeDelta::milliseconds(200);
    let rows = Rows::with([later]);
    let running = Running::start(rows, Scripted::new(|_| Ok(())), quick());
    sleep(Duration::from_millis(100)).await;
    assert_eq!(running.transport.offered(), [0; 0]);
    // The clock advances without waking the sender.
    *running.clock.lock().unwrap() += TimeDelta::seconds(1);
    running.until(|r| r.rows.settled().len() == 1).await;
    running.stop().await;
}

#[tokio::test]
async fn mails_to_one_address_go_in_their_order() {
    let mails = (1..=30).map(|id| to(id, if id % 3 == 0 { "A@x.example" } else { "a@X.example" }));
    let running = Running::start(Rows::with(mails), Scripted::new(|_| Ok(())), quick());
    running.until(|r| r.rows.settled().len() == 30).await;
    assert_eq!(running.transport.offered(), (1..=30).collect::<Vec<_>>());
    assert_eq!(running.transport.at_once.lock().unwrap().1, 1);
    running.stop().await;
}

#[tokio::test]
async fn each_kind_of_failure_has_its_consequence() {
    let answer = |mail: &Outgoing| match mail.id {
        1 => Err(Failure::Permanent("no such user".to_owned())),
        2 => Err(Failure::Temporary("busy".to_owned())),
        _ => Ok(()),
    };
    let mut bad = mail(3);
    bad.message_id = "two words".to_owned();
    let running = Running::start(
        Rows::with([mail(1), mail(2), bad, mail(4)]),
        Scripted::new(answer),
        quick(),
    );
    running.until(|r| r.rows.settled().len() == 4).await;
    let transport = Arc::clone(&running.transport);
    let mut settled = running.stop().await.settled();
    settled.sort_by_key(|s| s.id);
    let outcomes: Vec<Outcome> = settled.into_iter().map(|s| s.outcome).collect();
    assert_eq!(
        outcomes[0],
        Outcome::Refused {
            why: "no such user".to_owned()
        }
    );
    let until = noon() + TimeDelta::minutes(1);
    assert_eq!(
        outcomes[1],
        Outcome::Deferred {
            until,
            why: "busy".to_owned()
        }
    );
    assert!(matches!(&outcomes[2], Outcome::Failed { why } if why.contains("Message-ID")));
    assert_eq!(outcomes[3], Outcome::Sent);
    assert_eq!(transport.offered(), [1, 2, 4]);
}

#[tokio::test]
async fn a_mail_that_is_never_taken_is_given_up_after_five_days() {
    let busy = |_: &Outgoing| Err(Failure::Temporary("busy".to_owned()));
    let running = Running::start(Rows::with([mail(1)]), Scripted::new(busy), quick());
    for tried in 1.. {
        running.until(|r| r.rows.settled().len() == tried).await;
        if let Outcome::Failed { why } = &running.rows.settled()[tried - 1].outcome {
            assert_eq!(why, "given up after 5 days: busy");
            break;
        }
        let (due, _) = running.rows.waiting.lock().unwrap()[&1];
        let now = *running.clock.lock().unwrap();
        running.advance(due - now);
    }
    assert_eq!(*running.clock.lock().unwrap(), noon() + TimeDelta::days(5));
    assert_eq!(running.transport.offered().len(), 37);
    running.stop().await;
}

#[tokio::test]
async fn a_relay_that_is_down_is_tried_with_one_mail_at_a_time_and_then_all_go() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let answer = move |_: &Outgoing| {
        if up.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Failure::Down("connection refused".to_owned()))
        }
    };
    let mails = (1..=100).map(|id| to(id, &format!("p{id}@example.org")));
    let running = Running::start(Rows::with(mails), Scripted::new(answer), quick());
    running.until(|r| r.rows.settled().len() >= 3).await;
    let health = running.health.borrow().clone();
    assert_eq!(health.down_since, Some(noon()));
    assert_eq!(health.last_error, Some((noon(), "connection refused".to_owned())));
    let settled = running.rows.settled();
    // One row per round and no row twice, though all were due; each round offered at most one mail per
    // connection.
    assert!(settled.len() < 20, "{}", settled.len());
    assert!(running.transport.offered().len() <= 4 * (settled.len() + 1));
    assert!(running.rows.commits.lock().unwrap().iter().all(|n| *n == 1));
    is_up.store(true, Ordering::Relaxed);
    running.advance(TimeDelta::minutes(1));
    running.until(|r| r.rows.waiting.lock().unwrap().is_empty()).await;
    assert_eq!(running.health.borrow().down_since, None);
    running.stop().await;
}

/// A relay with a full disk, for example, answers each RCPT with 452 or hangs: no single mail is at fault.
#[tokio::test]
async fn a_relay_that_takes_nobodys_mail_costs_few_of_them_the_pauses_of_their_own() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let answer = move |_: &Outgoing| {
        if up.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Failure::Temporary("452 no room".to_owned()))
        }
    };
    let mails = (1..=100).map(|id| to(id, &format!("p{id}@example.org")));
    let running = Running::start(Rows::with(mails), Scripted::new(answer), quick());
    running.until(|r| r.health.borrow().down_since.is_some()).await;
    running.until(|r| r.rows.settled().len() >= 12).await;
    let tried = running.rows.settled().len();
    assert!(tried < 40, "{tried}");
    is_up.store(true, Ordering::Relaxed);
    // All but the mails already tried go out at once, without waiting a minute.
    running.until(|r| r.rows.waiting.lock().unwrap().len() < 40).await;
    running.until(|r| r.health.borrow().down_since.is_none()).await;
    running.advance(TimeDelta::minutes(1));
    running.until(|r| r.rows.waiting.lock().unwrap().is_empty()).await;
    running.stop().await;
}

/// The relay takes the others, whose first mail is not to wait.
#[tokio::test]
async fn addresses_for_which_the_relay_lacks_an_extension_are_not_taken_for_an_outage() {
    let mails = (1..=20).map(|id| to(id, &format!("{id}@example.org")));
    let answer = |mail: &Outgoing| match mail.id {
        1..=10 => Err(Failure::Unsupported("no SMTPUTF8".to_owned())),
        _ => Ok(()),
    };
    let running = Running::start(Rows::with(mails), Scripted::new(answer), quick());
    running.until(|running| running.rows.settled().len() == 20).await;
    assert_eq!(running.health.borrow().down_since, None);
    let rows = running.stop().await;
    for settled in rows.settled() {
        let is_right = match settled.outcome {
            Outcome::Sent => settled.id > 10,
            Outcome::Deferred { why, .. } => settled.id <= 10 && why == "no SMTPUTF8",
            _ => false,
        };
        assert!(is_right, "{}", settled.id);
    }
}

#[tokio::test]
async fn a_few_addresses_that_take_nothing_hold_up_no_other() {
    let answer = |mail: &Outgoing| match mail.id % 25 {
        0 => Err(Failure::Temporary("450 greylisted".to_owned())),
        _ => Ok(()),
    };
    let mails = (1..=100).map(|id| to(id, &format!("p{id}@example.org")));
    let running = Running::start(Rows::with(mails), Scripted::new(answer), quick());
    running.until(|r| r.rows.settled().len() == 100).await;
    assert_eq!(running.health.borrow().down_since, None);
    assert_eq!(running.rows.waiting.lock().unwrap().len(), 4);
    running.stop().await;
}

#[tokio::test]
async fn what_the_store_did_not_take_is_written_later_and_not_sent_again() {
    let rows = Rows::with([mail(1), mail(2)]);
    rows.refuses.store(true, Ordering::Relaxed);
    let running = Running::start(rows, Scripted::new(|_| Ok(())), quick());
    running.until(|r| r.health.borrow().last_error.is_some()).await;
    sleep(Duration::from_millis(100)).await;
    running.rows.refuses.store(false, Ordering::Relaxed);
    running.until(|r| r.rows.settled().len() == 2).await;
    assert_eq!(running.transport.offered(), [1, 2]);
    running.stop().await;
}

#[tokio::test]
async fn a_stop_lets_the_delivery_under_way_finish_and_writes_it() {
    let mut transport = Scripted::new(|_| Ok(()));
    transport.takes = Duration::from_millis(60);
    let mails = (1..=20).map(mail);
    let running = Running::start(Rows::with(mails), transport, quick());
    running.until(|r| r.transport.offered().len() == 1).await;
    let rows = running.stop().await;
    assert_eq!(
        rows.settled(),
        [SettledMail {
            id: 1,
            outcome: Outcome::Sent
        }]
    );
    assert_eq!(rows.waiting.lock().unwrap().len(), 19);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_delivery_that_hangs_and_keeps_the_others() {
    let mut transport = Scripted::new(|_| Ok(()));
    transport.takes = Duration::from_secs(60);
    let running = Running::start(Rows::with([mail(1)]), transport, quick());
    running.until(|r| r.transport.offered().len() == 1).await;
    let rows = running.stop().await;
    assert!(rows.settled().is_empty());
    assert_eq!(rows.waiting.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_delivery_that_panics_stops_no_other() {
    let answer = |mail: &Outgoing| {
        assert_ne!(mail.id, 1, "a fault of the program");
        Ok(())
    };
    let mails = (1..=8).map(|id| to(id, &format!("p{id}@example.org")));
    let running = Running::start(Rows::with(mails), Scripted::new(answer), quick());
    running.until(|r| r.rows.settled().len() == 7).await;
    let offered = running.transport.offered().len();
    sleep(Duration::from_millis(100)).await;
    assert!(
        running.transport.offered().len() < offered + 10,
        "it is tried with pauses"
    );
    let rows = running.stop().await;
    assert_eq!(rows.waiting.lock().unwrap().keys().collect::<Vec<_>>(), [&1]);
}
