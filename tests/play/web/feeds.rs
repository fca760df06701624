//! Feeds and calendars, read back by parsers.

use atom_syndication::Feed;
use icalendar::{Calendar, CalendarComponent, Component};

use super::{ALICE, BOB, PATH, Pages};

async fn feed(pages: &Pages, path: &str) -> Feed {
    let answer = pages.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    assert_eq!(
        answer.field("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let feed = Feed::read_from(answer.body.as_bytes()).unwrap();
    // RFC 4287, sections 4.1.1 and 4.1.2.
    assert!(!feed.title.value.is_empty() && !feed.authors.is_empty());
    assert!(
        feed.id.starts_with("tag:games.example,2026:games/"),
        "{}",
        feed.id
    );
    assert!(feed.links.iter().any(|link| link.rel == "self"));
    let mut ids: Vec<_> = feed.entries.iter().map(|entry| entry.id.clone()).collect();
    for entry in &feed.entries {
        assert!(!entry.title.value.is_empty() && entry.links.iter().any(|link| link.rel == "alternate"));
        assert!(entry.updated <= feed.updated);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), feed.entries.len());
    feed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feeds_tell_what_happened_and_their_entries_keep_their_names() {
    let pages = Pages::with_a_board().await;
    let board = format!("{PATH}board/Pow2/101/feed.atom");
    let first = feed(&pages, &board).await;
    let titles: Vec<_> = first
        .entries
        .iter()
        .map(|entry| entry.title.value.as_str())
        .collect();
    assert_eq!(titles, ["bob played a1-e1.", "alice played m13-j7."]);
    let url = &first.entries[0].links[0].href;
    assert_eq!(url, "https://games.example/games/board/Pow2/101/2");
    pages.ask(ALICE, "Pow2 move 101 alice secret1 m1-i1").await;
    let second = feed(&pages, &board).await;
    assert_eq!(second.entries[1].id, first.entries[0].id);
    pages.ask(BOB, "Pow2 resign 101 bob secret2").await;
    for place in ["feed.atom", "games/Pow2/feed.atom", "players/alice/feed.atom"] {
        let feed = feed(&pages, &format!("{PATH}{place}")).await;
        let titles: Vec<_> = feed
            .entries
            .iter()
            .map(|entry| entry.title.value.as_str())
            .collect();
        assert_eq!(
            titles,
            [
                "Pow2 101, alice against bob: The game is over: alice (Light) has won by resignation.",
                "Pow2 101, alice against bob: the game has begun"
            ]
        );
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_has_the_own_turns_as_a_feed_and_the_deadlines_as_a_calendar() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    let turns = feed(&pages, &format!("{own}turns.atom")).await;
    assert_eq!(
        turns.entries[0].title.value,
        "Your turn: Pow2 101, alice against bob"
    );
    assert!(!turns.id.contains("/k/"), "{}", turns.id);
    let answer = pages.get(&format!("{own}deadlines.ics")).await;
    assert_eq!(answer.field("content-type"), Some("text/calendar; charset=utf-8"));
    assert!(answer.body.lines().all(|line| line.len() <= 75));
    assert!(
        answer
            .body
            .split_inclusive('\n')
            .all(|line| line.ends_with("\r\n"))
    );
    let calendar: Calendar = answer.body.parse().unwrap();
    let [CalendarComponent::Event(event)] = calendar.components.as_slice() else {
        panic!("{}", answer.body)
    };
    assert_eq!(event.get_summary(), Some("Pow2 101: your turn against bob"));
    assert_eq!(event.property_value("DTEND"), Some("20261211T080000Z"));
    assert!(event.get_start().is_some() && event.get_timestamp().is_some());
    // It is the other one's turn.
    let none = pages
        .get(&format!("{}deadlines.ics", pages.own("bob")))
        .await
        .body;
    assert!(!none.contains("VEVENT"));
    pages.close().await;
}
