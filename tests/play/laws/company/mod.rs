//! Simulated seasons: players play, lose on time, go away, withdraw and sign off, the operator rules, and the server is killed
//! between any two steps. What the tables show is what another count of the games gives (`counted.rs`).

mod acts;
mod counted;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Write as _;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use pbmserv::config::Config;
use pbmserv_core::store::{NewPlayer, Outgoing, Store};
use pbmserv_core::table::Preferences;
use pbmserv_mail::Address;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use super::database::count as count_rows;
use super::mail;
use crate::stage::{Stage, database};

/// What a simulation is like.
#[derive(Clone, Copy)]
struct Plan {
    seed: u64,
    players: usize,
    days: i64,
    /// The games that have leagues; the first has a ladder and cups, too.
    games: &'static [&'static str],
    /// A kill follows one step in this many; 0: none.
    kills: u32,
    /// Whether the tables are counted again each day, not only each week.
    is_thorough: bool,
}

/// A letter that can be answered for a board, and whether the answer must name it.
struct Answerable {
    detail: String,
    names_board: bool,
}

/// A board that runs.
struct Running {
    game: String,
    number: u32,
    /// The numbers of the players.
    players: [usize; 2],
    turns: u32,
    to_move: usize,
}

struct House {
    /// Taken while the server is killed.
    stage: Option<Stage>,
    rng: ChaCha8Rng,
    plan: Plan,
    seed: u64,
    /// By address, game and number.
    answerable: HashMap<(String, String, u32), Answerable>,
    message_ids: HashSet<String>,
    /// Letters that nobody asked for, by reader and day.
    unasked: BTreeMap<(String, i64), u32>,
    /// Of these the last warnings before a game is lost, which come at once.
    warnings: u32,
    letters: u64,
    kills: u32,
    /// Of which contests each player has heard the end.
    ends_heard: HashSet<(String, String)>,
}

fn address(number: usize) -> String {
    format!("p{number}@example.org")
}

fn configure(config: &mut Config) {
    config.accounts.confirm = false;
    config.leagues.total_days = 25;
    config.leagues.forfeit_days = 10;
    config.limits.challenges_a_day = 1000;
    config.auth.require = "dmarc".into();
    config.auth.authserv_id = "mx.games.example".into();
}

/// The players of the first half of the year: every other one wants one mail a day.
fn people(store: &Store, plan: Plan, now: DateTime<Utc>) {
    store.begin().unwrap();
    for number in 0..plan.players {
        let player = NewPlayer {
            userid: format!("p{number}"),
            password_hash: "none".into(),
            created_at: now - TimeDelta::days(30),
        };
        let player = store.add_player(&player).unwrap();
        let own = Address::parse(&address(number)).unwrap();
        store.add_address(player, &own, Some(now), now).unwrap();
        if number % 2 == 1 {
            let preferences = Preferences {
                digest: true,
                ..Preferences::default()
            };
            store.set_preferences(player, &preferences).unwrap();
            store
                .set_digest(player, Some(now + TimeDelta::days(1)), now)
                .unwrap();
        }
        for (place, name) in plan.games.iter().enumerate() {
            let game = pbmserv_games::find(name).unwrap();
            let next = Utc.with_ymd_and_hms(2027, 1, 1, 8, 0, 0).unwrap();
            store.join_league(game, player, next, now).unwrap();
            if place == 0 {
                store.join_ladder(game, player, now).unwrap();
            }
        }
    }
    store.commit().unwrap();
}

impl House {
    async fn open(plan: Plan) -> Self {
        let now = Utc.with_ymd_and_hms(2026, 12, 28, 8, 0, 0).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let stage = Stage::open_in(folder, now, plan.seed * 1000, configure);
        let place = stage.server.folder.location();
        let folder = stage.close().await;
        people(&Store::open(&place).unwrap(), plan, now);
        Self {
            stage: Some(Stage::open_in(folder, now, plan.seed * 1000 + 1, configure)),
            rng: ChaCha8Rng::seed_from_u64(plan.seed),
            plan,
            seed: plan.seed * 1000 + 1,
            answerable: HashMap::new(),
            message_ids: HashSet::new(),
            unasked: BTreeMap::new(),
            warnings: 0,
            letters: 0,
            kills: 0,
            ends_heard: HashSet::new(),
        }
    }

    fn stage(&self) -> &Stage {
        self.stage.as_ref().unwrap()
    }

    /// Notes the letters that came now.
    fn note(&mut self, letters: &[Outgoing], are_asked: bool) {
        let now = self.stage().server.now();
        for letter in letters {
            self.letters += 1;
            let is_new = self.message_ids.insert(letter.message_id.clone());
            assert!(is_new, "twice: {} to {}", letter.subject, letter.to);
            let reader = letter.to.to_string();
            let is_warning = letter.sender_name.starts_with("One day left");
            self.warnings += u32::from(is_warning);
            if !are_asked && !letter.is_reply && !is_warning {
                let day = now.timestamp().div_euclid(86_400);
                *self.unasked.entry((reader.clone(), day)).or_default() += 1;
            }
            if let Some(name) = letter.subject.strip_prefix("Table: ")
                && letter.text.contains("Thank you for playing")
            {
                let about = format!("{name}, {}", now.format("%Y-%m-%d"));
                let is_first = self.ends_heard.insert((reader.clone(), about));
                assert!(is_first, "{reader} hears twice of the end of {name}");
            }
            let Some(detail) = &letter.reply_detail else {
                continue;
            };
            let names_board = letter.subject.starts_with("Your boards, ");
            for line in std::iter::once(letter.subject.as_str()).chain(letter.text.lines()) {
                let words: Vec<_> = line.trim_start_matches("Re: ").split_whitespace().collect();
                if let [game, "Board", number, _] = words.as_slice()
                    && let Ok(number) = number.parse()
                {
                    let answerable = Answerable {
                        detail: detail.clone(),
                        names_board,
                    };
                    self.answerable
                        .insert((reader.clone(), (*game).to_owned(), number), answerable);
                }
            }
        }
    }

    /// Lets a day pass, step by step. After some steps the server is killed.
    async fn day(&mut self) {
        let until = self.stage().server.now() + TimeDelta::days(1);
        loop {
            let next = self.stage().server.engine.next_due();
            let Some(due) = next.borrow().filter(|due| *due <= until) else {
                break;
            };
            let at = due.max(self.stage().server.now());
            self.stage().pass(at - self.stage().server.now());
            let boards = count_rows(self.stage().data(), "SELECT COUNT(*) FROM boards");
            self.stage().server.engine.do_what_is_due().await.unwrap();
            let begun = count_rows(self.stage().data(), "SELECT COUNT(*) FROM boards") - boards;
            assert!(begun <= 50, "{begun} boards began in one transaction");
            if self.plan.kills > 0 && self.rng.random_ratio(1, self.plan.kills) {
                self.kill().await;
            }
            let letters = self.stage().collect().await;
            self.note(&letters, false);
        }
        self.stage().pass(until - self.stage().server.now());
    }

    /// The server ends now, and another one goes on with what is on the disk.
    async fn kill(&mut self) {
        let stage = self.stage.take().unwrap();
        let now = stage.server.now();
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(stage.data()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
        }
        let old = stage.close().await;
        self.seed += 1;
        self.kills += 1;
        // PostgreSQL's database is not in the folder: there the server is stopped.
        let folder: TempDir = match database::url(old.path()) {
            Some(_) => old,
            None => moved(old, &copy),
        };
        self.stage = Some(Stage::open_in(folder, now, self.seed, configure));
    }

    async fn run(&mut self) {
        for day in 0..self.plan.days {
            if day % 30 == 5 {
                self.make_cup(day / 30).await;
            }
            self.act().await;
            self.day().await;
            if self.plan.is_thorough || day % 7 == 0 {
                counted::all_tables_are_right(self).await;
            }
        }
        counted::all_tables_are_right(self).await;
    }

    /// What the year was like, for people.
    fn summary(&self) -> String {
        let count = |sql: &str| count_rows(self.stage().data(), sql);
        let mut days: BTreeMap<u32, u32> = BTreeMap::new();
        for ((reader, _), letters) in &self.unasked {
            let number: usize = reader[1..].split('@').next().unwrap().parse().unwrap();
            if number % 2 == 1 {
                *days.entry(*letters).or_default() += 1;
            }
        }
        format!(
            "{} players, {} days, {} kills: {} contests, {} games of them, {} on the ladder, {} rulings; {} letters, {} of them \
             last warnings; with the daily mail, days by their number of letters that nobody asked for: {days:?}",
            self.plan.players,
            self.plan.days,
            self.kills,
            count("SELECT COUNT(*) FROM contests"),
            count("SELECT COUNT(*) FROM pairings WHERE board IS NOT NULL"),
            count("SELECT COUNT(*) FROM ladder_boards"),
            count("SELECT COUNT(*) FROM audit"),
            self.letters,
            self.warnings,
        )
    }
}

/// The data folder with the content that its files had in the copy: the server knows its database by the file.
fn moved(old: TempDir, copy: &TempDir) -> TempDir {
    for entry in fs::read_dir(old.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() && !copy.path().join(entry.file_name()).exists() {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    for entry in fs::read_dir(copy.path()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), old.path().join(entry.file_name())).unwrap();
    }
    old
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_are_what_the_games_say() {
    let mut house = House::open(Plan {
        seed: 1,
        players: 14,
        days: 60,
        games: &["Hex"],
        kills: 12,
        is_thorough: true,
    })
    .await;
    house.run().await;
    assert!(house.kills > 3, "{}", house.summary());
    house.stage.take().unwrap().close().await;
}

fn number(name: &str, usual: usize) -> usize {
    let set = std::env::var(name).ok();
    set.map_or(usual, |text| text.parse().unwrap())
}

/// A player who has blocked another in the same division plays them, and reads none of their words.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_pair_plays_without_words() {
    let mut house = House::open(Plan {
        seed: 5,
        players: 3,
        days: 0,
        games: &["Hex"],
        kills: 0,
        is_thorough: true,
    })
    .await;
    house.command(0, "block p2").await;
    house.stage().pass(TimeDelta::days(4));
    while house.stage().server.engine.do_what_is_due().await.unwrap() > 0 {}
    let letters = house.stage().collect().await;
    house.note(&letters, false);
    let of_pair = |board: &Running| board.players.contains(&0) && board.players.contains(&2);
    let board = house.running().into_iter().find(of_pair).unwrap();
    // The player to move plays, and p2 has words for p0 with or without a turn.
    if board.to_move == usize::from(board.players[1] == 0) {
        house.answer(0, &board, "d4").await;
    }
    let from = address(2);
    let key = (from.clone(), board.game.clone(), board.number);
    let answerable = &house.answerable[&key];
    let text = "e5\n\nyou will lose this one\n".to_owned();
    let text = match answerable.names_board {
        true => format!("{} {} {text}", board.game, board.number),
        false => text,
    };
    let mut mail = mail(&from, "Re: a board", &text);
    mail.to = mail.to.with_detail(&answerable.detail);
    let (_, letters) = house.stage().send(&mail).await;
    let to_other = letters.iter().filter(|letter| letter.to.as_str() == address(0));
    let texts: Vec<_> = to_other.map(|letter| letter.text.as_str()).collect();
    assert!(
        texts.len() == 1 && texts[0].contains("e5") && !texts[0].contains("lose this"),
        "{texts:?}"
    );
    house.stage.take().unwrap().close().await;
}

/// Set COMPANY_PLAYERS and COMPANY_DAYS for another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn years_of_leagues_ladders_and_cups() {
    let players = number("COMPANY_PLAYERS", 40);
    let mut house = House::open(Plan {
        seed: u64::try_from(number("COMPANY_SEED", 7)).unwrap(),
        players,
        days: i64::try_from(number("COMPANY_DAYS", 366)).unwrap(),
        games: &["Hex", "Reversi", "Breakthrough"],
        kills: if players > 100 { 1000 } else { 40 },
        is_thorough: false,
    })
    .await;
    house.run().await;
    writeln!(std::io::stderr(), "{}", house.summary()).unwrap();
    house.stage.take().unwrap().close().await;
}

/// A season of many players (a multiple of ten) begins in steps that keep no mail waiting: read the line that it prints.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes"]
async fn a_large_season_begins_in_small_steps() {
    let players = number("COMPANY_PLAYERS", 1000);
    let mut house = House::open(Plan {
        seed: 3,
        players,
        days: 0,
        games: &["Hex"],
        kills: 0,
        is_thorough: false,
    })
    .await;
    house.stage().pass(TimeDelta::days(4));
    let (mut steps, mut longest) = (0, std::time::Duration::ZERO);
    let boards = |house: &House| count_rows(house.stage().data(), "SELECT COUNT(*) FROM boards");
    loop {
        let next = *house.stage().server.engine.next_due().borrow();
        if next.is_none_or(|due| due > house.stage().server.now()) {
            break;
        }
        let (before, begun) = (boards(&house), std::time::Instant::now());
        house.stage().server.engine.do_what_is_due().await.unwrap();
        longest = longest.max(begun.elapsed());
        assert!(boards(&house) - before <= 50);
        steps += 1;
        // Between any two steps a mail is answered.
        if steps % 50 == 0 {
            house.command(0, "Hex tables 1").await;
        }
    }
    assert_eq!(boards(&house), i64::try_from(players).unwrap() / 10 * 45);
    let told = count_rows(
        house.stage().data(),
        "SELECT COUNT(*) FROM outbox WHERE kind = 'digest'",
    );
    assert_eq!(
        told,
        i64::try_from(players).unwrap() / 2,
        "who wants one mail a day reads it there"
    );

    writeln!(
        std::io::stderr(),
        "{players} players, {} boards: {steps} steps, the longest {longest:?}",
        boards(&house)
    )
    .unwrap();
    house.stage.take().unwrap().close().await;
}
