//! The listings of the operator and the players, on a server with the data of a year: every answer within 100 ms.
//!
//! `cargo bench --bench listings`; the year is made once, by mails, and kept in the build folder. It fails if one
//! answer takes longer.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod town;

use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, TimeZone, Utc};
use pbmserv::admin::board::{BoardArgs, BoardVerb};
use pbmserv::admin::queue::{QueueArgs, QueueVerb};
use pbmserv::admin::user::{Filter, UserVerb};
use pbmserv::admin::{Answer, Caller, Verb, VerbRequest};
use pbmserv_core::letters::columns;
use pbmserv_games::GAMES;

use town::year::Year;
use town::{PASSWORD, Town};

/// The longest that an answer may take.
const LONGEST: Duration = Duration::from_millis(100);

/// Repetitions of each listing; the slowest counts.
const TIMES: u32 = 5;

const YEAR: Year = Year {
    players: 1000,
    boards: 20_000,
    turns: 12,
};

#[tokio::main]
async fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("year");
    let (data, complete) = (folder.join("data"), folder.join("complete"));
    let start = Utc.with_ymd_and_hms(2025, 11, 20, 8, 0, 0).unwrap();
    if !complete.exists() {
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        let begun = Instant::now();
        let town = Town::open(&data, start);
        town.settle(YEAR.players).await;
        town.play(&YEAR).await;
        town.close().await;
        std::fs::write(&complete, "").unwrap();
        println!("The year was made in {:.0} s.", begun.elapsed().as_secs_f64());
    }
    let town = Town::open(&data, start + TimeDelta::days(365));
    let stats = answer(&town, Verb::Stats { json: false }).await;
    println!("In {}:\n{}", folder.display(), stats.out);
    let mut table = vec![["worst ms", "bytes", "asked"].map(str::to_owned).to_vec()];
    let mut slow = 0;
    let mut note = |asked: String, worst: Duration, bytes: usize| {
        slow += usize::from(worst > LONGEST);
        table.push(vec![
            format!("{:.1}", worst.as_secs_f64() * 1000.0),
            bytes.to_string(),
            asked,
        ]);
    };
    for (asked, verb) in operators() {
        let (mut worst, mut bytes) = (Duration::ZERO, 0);
        for _ in 0..TIMES {
            let begun = Instant::now();
            let answer = answer(&town, verb.clone()).await;
            worst = worst.max(begun.elapsed());
            assert_eq!(answer.code, 0, "{asked}: {}", answer.err);
            bytes = answer.out.len();
        }
        note(asked, worst, bytes);
    }
    for command in players() {
        let (mut worst, mut bytes) = (Duration::ZERO, 0);
        for _ in 0..TIMES {
            let begun = Instant::now();
            let (report, letters) = town.ask(7, &command).await;
            worst = worst.max(begun.elapsed());
            assert_eq!(report.handled.fate(), ("done", None), "{command}");
            bytes = letters.iter().map(|letter| letter.text.len()).sum();
            assert!(bytes > 0, "{command} is not answered");
        }
        note(command.replace(PASSWORD, "PASSWORD"), worst, bytes);
    }
    town.close().await;
    println!("{}", columns(&table));
    if slow > 0 {
        println!("{slow} of them took more than {} ms.", LONGEST.as_millis());
        std::process::exit(1);
    }
}

async fn answer(town: &Town, verb: Verb) -> Answer {
    let caller = Caller::of_this_process();
    VerbRequest { verb, caller }.run(&town.server).await
}

/// The operator's listings.
fn operators() -> Vec<(String, Verb)> {
    let mut asked = Vec::new();
    for json in [false, true] {
        let shape = if json { " --json" } else { "" };
        let mut add = |words: &str, verb| asked.push((format!("{words}{shape}"), verb));
        let list = Filter {
            json,
            ..Filter::default()
        };
        add("user list", Verb::User(UserVerb::List(list)));
        let userid = "player7".to_owned();
        add("user show player7", Verb::User(UserVerb::Show { userid, json }));
        for (game, name) in [(None, ""), (Some("Pow2"), " Pow2")] {
            for (all, every) in [(false, ""), (true, " --all")] {
                let game = game.map(str::to_owned);
                add(
                    &format!("board list{name}{every}"),
                    Verb::Board(BoardVerb::List { game, all, json }),
                );
            }
        }
        let board = BoardArgs {
            game: "Pow2".to_owned(),
            number: 5000,
        };
        add(
            "board show Pow2 5000",
            Verb::Board(BoardVerb::Show { board, json }),
        );
        add("stats", Verb::Stats { json });
        for inbox in [false, true] {
            let of = if inbox { " --inbox" } else { "" };
            let states: [&[&str]; 2] = [
                &["waiting", "held", "sent", "failed"],
                &["done", "refused", "failed"],
            ];
            let states = states[usize::from(inbox)]
                .iter()
                .map(|state| Some((*state).to_owned()));
            for state in states.chain([None]) {
                let named = state.as_ref().map(|state| format!(" --state {state}"));
                for limit in [50, 1000] {
                    let verb = format!("queue list{of}{} --limit {limit}", named.as_deref().unwrap_or(""));
                    let state = state.clone();
                    let args = QueueArgs {
                        inbox,
                        state,
                        limit,
                        json,
                    };
                    add(&verb, Verb::Queue(QueueVerb::List(args)));
                }
            }
            add(
                &format!("queue show 1000{of}"),
                Verb::Queue(QueueVerb::Show {
                    number: 1000,
                    inbox,
                    json,
                }),
            );
        }
        for (about, named) in [(None, ""), (Some("player10"), " player10")] {
            let about = about.map(str::to_owned);
            add(
                &format!("audit{named} --limit 1000"),
                Verb::Audit {
                    about,
                    limit: 1000,
                    json,
                },
            );
        }
    }
    asked
}

/// The queries of player7.
fn players() -> Vec<String> {
    let mut asked: Vec<String> = ["help", "list", "list Pow2"].map(str::to_owned).into();
    asked.push("all show player7 all".into());
    asked.push("all show player7 next".into());
    asked.push("all games player7".into());
    asked.push(format!("set player7 {PASSWORD}"));
    for game in GAMES.iter().map(|game| game.facts.name) {
        for what in [
            "help",
            "standings",
            "history",
            "history player7",
            "history player7 player8",
            "games",
            "games player7",
            "games all",
            "show 1000",
            "show 1000#2",
            "show player7",
            "show player7 all",
            "show active",
            "show next",
            "record 1000",
        ] {
            asked.push(format!("{game} {what}"));
        }
        asked.push(format!("{game} showas player7 {PASSWORD} 1000"));
        asked.push(format!("{game} seek player7 {PASSWORD} 2"));
        asked.push(format!("{game} limit player7 {PASSWORD} 50"));
    }
    asked
}
