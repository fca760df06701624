//! Whatever a program that reads feeds and calendars sees change has a newer stamp, over random lives of boards; and what has
//! not changed keeps its stamp. `TEST_SEED` repeats a run.

use std::collections::BTreeMap;

use atom_syndication::Feed;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use pbmserv::admin::board::{BoardArgs, BoardResult, BoardVerb};
use pbmserv::admin::{Caller, Verb, VerbRequest, Why};
use pbmserv::config::Config;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::feeds::{assert_calendar, assert_valid_feed};
use super::{ALICE, BOB, PATH, Pages};

const CAROL: &str = "carol@home.example";

/// Who plays, with which password.
const PEOPLE: [(&str, &str, &str); 3] = [
    ("alice", "fig7elk", ALICE),
    ("bob", "oak4jay", BOB),
    ("carol", "zebra-41", CAROL),
];

/// The steps of a life.
const STEPS: u32 = 120;

/// What a program has seen of an entry: its text, its stamp.
type Seen = (String, Stamp);

/// A time, and the revision of an event.
type Stamp = (DateTime<Utc>, u32);

struct Life {
    pages: Option<Pages>,
    rng: StdRng,
    seen: BTreeMap<String, Seen>,
    /// The last number of a board.
    boards: u32,
    changed: usize,
    asked: u32,
}

fn configure(config: &mut Config) {
    config.web.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    for limit in [
        &mut config.limits.mails_an_hour,
        &mut config.limits.refusals_a_day,
        &mut config.limits.challenges_a_day,
    ] {
        *limit = 1_000_000;
    }
}

impl Life {
    async fn begin(seed: u64) -> Self {
        let pages = Pages::configured(configure).await;
        for (userid, password, address) in PEOPLE {
            pages.ask(address, &format!("signup {userid} {password}")).await;
        }
        Self {
            pages: Some(pages),
            rng: StdRng::seed_from_u64(seed),
            seen: BTreeMap::new(),
            boards: 100,
            changed: 0,
            asked: 0,
        }
    }

    fn pages(&self) -> &Pages {
        self.pages.as_ref().unwrap()
    }

    /// Something that happens, or is refused.
    async fn step(&mut self) -> String {
        let (userid, password, address) = *PEOPLE.choose(&mut self.rng).unwrap();
        let board = self.rng.random_range(101..=self.boards.max(101));
        let to = |what: &str| format!("Gomoku {what} {board} {userid} {password}");
        let column = char::from(b'a' + self.rng.random_range(0..15u8));
        let cell = format!("{column}{}", self.rng.random_range(1..=15));
        let command = match self.rng.random_range(0..100) {
            _ if self.boards < 103 => return self.challenge().await,
            0..5 if self.boards < 110 => return self.challenge().await,
            0..40 => format!("{} {cell}", to("move")),
            40..46 => format!("{} undo", to("move")),
            46..49 => to("resign"),
            49..52 => format!("{} draw", to("move")),
            52..57 => format!("vacation {userid} {password} {}", self.rng.random_range(1..3)),
            57..61 => format!("vacation {userid} {password} off"),
            61..75 => return self.rule(board, &cell).await,
            75..92 => {
                let minutes = [1, 50, 600, 1500, 4000].choose(&mut self.rng).unwrap();
                self.pages().stage.live(TimeDelta::minutes(*minutes)).await;
                return format!("{minutes} minutes");
            }
            92..95 => return self.set_the_clock().await,
            _ => return self.restart().await,
        };
        self.pages().ask(address, &command).await;
        command
    }

    async fn challenge(&mut self) -> String {
        let first = self.rng.random_range(0..PEOPLE.len());
        let [(first, _, address), (second, ..)] = [first, (first + 1) % PEOPLE.len()].map(|at| PEOPLE[at]);
        let terms = ["--forfeittime=3", "--forfeittime=3 --totaltime=4", ""];
        let terms = match self.boards {
            // The one that gets more time.
            100 => terms[0],
            _ => terms.choose(&mut self.rng).unwrap(),
        };
        let command = format!("Gomoku challenge {first} {second} {terms}");
        self.pages().ask(address, &command).await;
        let reader = self.pages().stage.server.reader().unwrap();
        self.boards = reader
            .next_number(pbmserv_games::find("Gomoku").unwrap())
            .unwrap()
            - 1;
        command
    }

    /// The operator rules on a board.
    async fn rule(&mut self, number: u32, cell: &str) -> String {
        let game = "Gomoku".to_owned();
        let board = BoardArgs { game, number };
        let why = Why { why: "so".to_owned() };
        let reader = self.pages().stage.server.reader().unwrap();
        let found = reader
            .board(pbmserv_games::find("Gomoku").unwrap(), number)
            .unwrap();
        let seated = found.unwrap().players.map(|player| player.userid);
        let from = seated.choose(&mut self.rng).unwrap().clone();
        let third = PEOPLE
            .iter()
            .find(|(userid, ..)| !seated.contains(&(*userid).to_owned()));
        let to = third.unwrap().0.to_owned();
        let verb = match self.rng.random_range(0..12) {
            0 => BoardVerb::Void { board, why },
            1 => BoardVerb::End {
                board,
                result: BoardResult::First,
                why,
            },
            2 => BoardVerb::End {
                board,
                result: BoardResult::Draw,
                why,
            },
            3 => BoardVerb::Undo { board, why },
            4 => BoardVerb::Turn {
                board,
                userid: from,
                turn: cell.to_owned(),
                why,
            },
            5..8 => BoardVerb::Reseat { board, from, to, why },
            _ => BoardVerb::Clock {
                board,
                days: self.rng.random_range(1..=3),
                why,
            },
        };
        self.ruled(verb).await
    }

    /// A day later, all its time again for the player to move on the first board.
    async fn more_time(&self) -> String {
        self.pages().stage.live(TimeDelta::days(1)).await;
        let game = "Gomoku".to_owned();
        let board = BoardArgs { game, number: 101 };
        let why = Why { why: "so".to_owned() };
        self.ruled(BoardVerb::Clock { board, days: 3, why }).await
    }

    /// A ruling, which may be refused.
    async fn ruled(&self, verb: BoardVerb) -> String {
        let told = format!("{verb:?}");
        let request = VerbRequest {
            verb: Verb::Board(verb),
            caller: Caller::of_this_process(),
        };
        let answer = request.run(&self.pages().stage.server).await;
        self.pages().stage.collect().await;
        format!("{told}: {}", answer.err)
    }

    /// The clock of the machine is set forward, and that is noticed. If it is set back, nothing is newer than what was said in the
    /// time that comes a second time.
    async fn set_the_clock(&mut self) -> String {
        let minutes = *[5, 90].choose(&mut self.rng).unwrap();
        let stage = &self.pages().stage;
        *stage.now.lock().unwrap() += TimeDelta::minutes(minutes);
        stage.server.engine.do_what_is_due().await.unwrap();
        stage.collect().await;
        format!("the clock is set by {minutes} minutes")
    }

    async fn restart(&mut self) -> String {
        let minutes = *[0, 10, 3000].choose(&mut self.rng).unwrap();
        let pages = self.pages.take().unwrap();
        self.pages = Some(pages.restarted(TimeDelta::minutes(minutes), configure).await);
        self.pages().stage.live(TimeDelta::seconds(1)).await;
        format!("restarted after {minutes} minutes")
    }

    /// A page, asked for from an address of its own.
    /// `None`: nothing is there, as of a board that was removed.
    async fn read(&mut self, path: &str) -> Option<String> {
        self.asked += 1;
        let [_, second, third, fourth] = self.asked.to_be_bytes();
        let field = format!("X-Forwarded-For: 10.{second}.{third}.{fourth}\r\n");
        let answer = self.pages().get_with(path, &field).await;
        assert!([200, 404].contains(&answer.status), "{path}: {answer:?}");
        (answer.status == 200).then_some(answer.body)
    }

    /// Reads everything, and compares it with what was seen before.
    async fn look(&mut self, happened: &str) {
        let mut found = Vec::new();
        let mut feeds = vec![
            format!("{PATH}feed.atom"),
            format!("{PATH}games/Gomoku/feed.atom"),
        ];
        feeds.extend((101..=self.boards).map(|number| format!("{PATH}board/Gomoku/{number}/feed.atom")));
        for (userid, ..) in PEOPLE {
            feeds.push(format!("{PATH}players/{userid}/feed.atom"));
            feeds.push(format!("{}turns.atom", self.pages().own(userid)));
        }
        for path in feeds {
            let Some(body) = self.read(&path).await else {
                continue;
            };
            assert_valid_feed(&body, &path);
            for entry in Feed::read_from(body.as_bytes()).unwrap().entries {
                let links: Vec<_> = entry.links.iter().map(|link| link.href.as_str()).collect();
                let text = format!("{} {}", named_by_nobody(&entry.title.value), links.join(" "));
                found.push((
                    format!("{path} {}", entry.id),
                    (text, (entry.updated.to_utc(), 0)),
                ));
            }
        }
        for (userid, ..) in PEOPLE {
            let body = self
                .read(&format!("{}deadlines.ics", self.pages().own(userid)))
                .await
                .unwrap();
            found.extend(assert_calendar(&body).into_iter().map(|event| {
                let (stamps, text): (BTreeMap<_, _>, Vec<_>) = parted(event);
                let at = |name: &str| NaiveDateTime::parse_from_str(&stamps[name], "%Y%m%dT%H%M%SZ").unwrap();
                assert_eq!(at("DTSTAMP"), at("LAST-MODIFIED"));
                let stamp = (at("DTSTAMP").and_utc(), stamps["SEQUENCE"].parse().unwrap());
                (format!("{userid} {}", stamps["UID"]), (text.join("\n"), stamp))
            }));
        }
        for (id, (text, stamp)) in found {
            if let Some((before, known)) = self.seen.get(&id) {
                if *before == text {
                    assert_eq!(stamp, *known, "{id} has not changed by {happened}: {text}");
                } else {
                    let is_newer = stamp.0 > known.0 && (stamp.1 > known.1 || known.1 == 0);
                    assert!(
                        is_newer,
                        "{id} by {happened}: {before} -> {text}: {known:?} -> {stamp:?}"
                    );
                    self.changed += 1;
                }
            }
            self.seen.insert(id, (text, stamp));
        }
    }
}

/// Who has a name now is no news of what happened on a board: of entries of feeds all but the names is compared.
fn named_by_nobody(title: &str) -> String {
    PEOPLE.iter().fold(title.to_owned(), |title, (userid, ..)| {
        title.replace(userid, "somebody")
    })
}

/// The stamps of an event, with its name; and its text.
fn parted(event: Vec<(String, String)>) -> (BTreeMap<String, String>, Vec<String>) {
    let (stamps, text): (Vec<_>, Vec<_>) = event
        .into_iter()
        .partition(|(name, _)| ["UID", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE"].contains(&name.as_str()));
    let text = text.into_iter().map(|(name, value)| format!("{name}:{value}"));
    (stamps.into_iter().collect(), text.collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_reader_sees_change_has_a_newer_stamp() {
    let seed = std::env::var("TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    // Not captured if it fails.
    println!("TEST_SEED={seed}");
    let mut life = Life::begin(seed).await;
    let mut happened = Vec::new();
    for step in 0..STEPS {
        // A stamp has whole seconds.
        life.pages().stage.live(TimeDelta::milliseconds(1100)).await;
        happened.push(match step {
            // After three challenges, so that in each life something changes.
            3 => life.more_time().await,
            _ => life.step().await,
        });
        life.look(happened.last().unwrap()).await;
    }
    assert!(life.changed > 0, "nothing has changed: {happened:#?}");
    life.pages.unwrap().close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_behind_quiet_days_that_a_late_warning_names_is_so_since_the_warning() {
    let pages = Pages::configured(configure).await;
    for (userid, password, address) in PEOPLE {
        pages.ask(address, &format!("signup {userid} {password}")).await;
    }
    let [alice, bob, _] = PEOPLE;
    pages
        .ask(bob.2, &format!("set {} {} quiet Tue Wed Thu", bob.0, bob.1))
        .await;
    pages
        .ask(alice.2, "Gomoku challenge alice bob --forfeittime=3")
        .await;
    pages
        .ask(alice.2, &format!("Gomoku move 101 alice {} h8", alice.1))
        .await;
    // The server is down from Friday to Monday evening.
    let pages = pages.restarted(TimeDelta::hours(84), configure).await;
    pages.stage.live(TimeDelta::seconds(1)).await;
    let warned = pages.stage.server.now();
    let body = pages
        .get(&format!("{}deadlines.ics", pages.own("bob")))
        .await
        .body;
    let (stamps, text) = parted(assert_calendar(&body).remove(0));
    let stamp = NaiveDateTime::parse_from_str(&stamps["DTSTAMP"], "%Y%m%dT%H%M%SZ").unwrap();
    assert!(
        (warned - stamp.and_utc()).abs() < TimeDelta::minutes(1),
        "{warned}: {stamp} {text:?}"
    );
    // Four hours of Monday, and twenty of Friday.
    assert!(text.contains(&"DTEND:20261127T200000Z".to_owned()), "{text:?}");
    pages.close().await;
}
