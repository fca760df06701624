//! Games with dice on the pages: a whole game by clicks against computers, and what the page of its board says then.

use std::time::Duration;

use chrono::TimeDelta;
use pbmserv_games::{Seat, find};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use super::house::{heading, said};
use super::{ALICE, PATH, Pages, attributes, links, unescaped};

/// The turn of a link, as it reads.
fn turn_of(link: &str) -> Option<String> {
    let (_, turn) = link.split_once("?turn=")?;
    let decoded = url::form_urlencoded::parse(format!("t={turn}").as_bytes())
        .next()
        .map(|(_, turn)| turn.into_owned());
    decoded.filter(|turn| !turn.is_empty())
}

/// Follows links from an empty beginning until the page has a whole turn; returns that.
async fn clicked(pages: &Pages, path: &str, rng: &mut ChaCha8Rng) -> (String, String) {
    let mut begun = String::new();
    for _ in 0..20 {
        let encoded: String = url::form_urlencoded::byte_serialize(begun.as_bytes()).collect();
        let page = pages.get(&format!("{path}?turn={encoded}")).await.body;
        let shown = attributes(&page[page.find("name=\"shown\"").unwrap()..], "value").remove(0);
        if page.contains("Your turn is complete") {
            let whole = attributes(&page[page.find("name=\"turn\"").unwrap()..], "value").remove(0);
            return (whole, shown);
        }
        let links = attributes(&page, "href").into_iter();
        let further: Vec<_> = links
            .filter_map(|link| turn_of(&link))
            .filter(|turn| turn.len() > begun.trim_end_matches([',', '/']).len())
            .collect();
        assert!(!further.is_empty(), "{begun}: {page}");
        begun.clone_from(&further[rng.random_range(0..further.len())]);
    }
    panic!("{begun} does not end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_game_is_played_by_clicks_against_a_computer() {
    let game = find("Hypergammon").unwrap();
    for (level, computer) in ["bot-easy", "bot-medium"].into_iter().enumerate() {
        let pages = Pages::open().await;
        pages.ask(ALICE, "signup alice fig7elk").await;
        pages
            .ask(ALICE, &format!("Hypergammon challenge alice {computer}"))
            .await;
        let path = format!("{}board/Hypergammon/101/turn", pages.own("alice"));
        let thinking = &pages.stage.server.thinking;
        let board = || {
            let reader = pages.stage.server.reader().unwrap();
            reader.board(game, 101).unwrap().unwrap()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(level as u64);
        let mut clicks = 0;
        while board().end.is_none() {
            if board().to_move != Some(Seat::First) {
                thinking.until_idle().await.unwrap();
                continue;
            }
            let before = board().turns;
            let (whole, shown) = clicked(&pages, &path, &mut rng).await;
            clicks += 1;
            let turn: String = url::form_urlencoded::byte_serialize(whole.as_bytes()).collect();
            let form = format!("form=click{clicks}&shown={shown}&do=play&turn={turn}");
            // The page waits for the computer, which thinks once the turn is stored.
            let thinks = async {
                while board().turns == before {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                thinking.until_idle().await.unwrap();
                std::future::pending::<()>().await;
            };
            let played = tokio::select! {
                played = pages.post(&path, &form) => played,
                () = thinks => unreachable!(),
            };
            assert!(played.field("location").is_some(), "{whole}: {}", played.body);
            pages.stage.pass(TimeDelta::minutes(5));
        }
        assert!(clicks > 5, "{clicks} clicks");
        let page = pages.get(&format!("{PATH}board/Hypergammon/101")).await.body;
        assert!(page.contains("The dice are fair: all "), "{page}");
        assert!(links(&page).contains(&format!("{PATH}dice")));
        check_sent_records(&pages).await;
        pages.close().await;
    }
}

/// A review says what was luck, on the page too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_a_reviewed_game_says_what_was_luck() {
    let pages = Pages::open().await;
    let luck = "turns that were not the best cost";
    for (command, is_said) in [
        ("signup alice fig7elk", false),
        ("Hypergammon challenge alice bot-easy", false),
        ("Hypergammon move 101 alice fig7elk roll", false),
        ("Hypergammon resign 101 alice fig7elk", false),
        ("Hypergammon review 101 alice fig7elk", true),
    ] {
        pages.ask(ALICE, command).await;
        pages.stage.server.thinking.until_idle().await.unwrap();
        let page = pages.get(&format!("{PATH}board/Hypergammon/101")).await.body;
        assert_eq!(page.contains(luck), is_said, "{command}: {page}");
    }
    pages.close().await;
}

/// The record of the finished board on the page that checks dice: as it is, and changed.
async fn check_sent_records(pages: &Pages) {
    let record = pages
        .get(&format!("{PATH}board/Hypergammon/101/record.txt"))
        .await
        .body;
    let check = async |record: &str| {
        let encoded: String = url::form_urlencoded::byte_serialize(record.as_bytes()).collect();
        pages
            .post(&format!("{PATH}dice"), &format!("record={encoded}"))
            .await
    };
    let page = pages.get(&format!("{PATH}dice")).await;
    assert_eq!(
        (page.status, heading(&page.body).as_str()),
        (200, "Check the dice of a game")
    );
    let right = check(&record).await;
    assert_eq!(
        (right.status, heading(&right.body).as_str()),
        (200, "The dice are fair.")
    );
    assert!(said(&right.body, "status").starts_with("All "), "{}", right.body);
    let other_word = record.replacen("[Words \"", "[Words \"x", 1);
    let no_seed: String = record
        .lines()
        .filter(|line| !line.starts_with("[Seed"))
        .map(|line| format!("{line}\n"))
        .collect();
    for (wrong, why) in [
        (other_word.as_str(), "but roll 1 was "),
        (&no_seed, "The tag [Seed \"...\"] is missing"),
        ("[Game \"Hex\"]\n\na1 *", "Hex has no dice."),
        ("[Game \"Chess\"", "Line 1: "),
        ("", "The tag [Game \"...\"] is missing."),
    ] {
        let refused = check(wrong).await;
        assert_eq!(
            (refused.status, heading(&refused.body).as_str()),
            (409, "These dice could not be checked.")
        );
        let alert = unescaped(&said(&refused.body, "alert"));
        assert!(alert.contains(why), "{wrong}: {alert}");
    }
    assert_eq!(check(&"a".repeat(70_000)).await.status, 400);
}
