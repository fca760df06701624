//! Feeds and calendars, read back by parsers.

use std::collections::BTreeSet;

use atom_syndication::Feed;
use chrono::{DateTime, FixedOffset, NaiveDateTime, TimeDelta};
use icalendar::{Calendar, CalendarComponent, Component};
use resvg::usvg::roxmltree::{Document, Node};

use super::{ALICE, BOB, PATH, Pages, grown};

/// Where the pages of the tests are, without their path.
const ORIGIN: &str = "https://games.example";

/// The namespace of Atom.
const ATOM: &str = "http://www.w3.org/2005/Atom";

/// The largest feed and the largest calendar, in bytes.
const LARGEST: usize = 60_000;

/// Checks the text of a feed.
pub(super) fn assert_valid_feed(text: &str, path: &str) {
    let document = Document::parse(text).unwrap();
    assert_valid(document.root_element(), path);
}

async fn feed(pages: &Pages, path: &str) -> Feed {
    let answer = pages.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    assert_eq!(
        answer.field("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    assert!(answer.body.len() < LARGEST, "{path}: {}", answer.body.len());
    assert_valid_feed(&answer.body, path);
    let feed = Feed::read_from(answer.body.as_bytes()).unwrap();
    assert!(
        feed.id.starts_with("tag:games.example,2026:games/"),
        "{}",
        feed.id
    );
    feed
}

/// The elements of this name.
fn all<'a>(of: Node<'a, 'a>, name: &'a str) -> Vec<Node<'a, 'a>> {
    of.children()
        .filter(|node| node.has_tag_name((ATOM, name)))
        .collect()
}

/// The text of the only element of this name.
fn only<'a>(of: Node<'a, 'a>, name: &'a str) -> &'a str {
    let [one] = all(of, name)[..] else {
        panic!("not one {name} in {of:?}")
    };
    one.text().unwrap().trim()
}

fn time(of: Node<'_, '_>, name: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(only(of, name)).unwrap()
}

/// What RFC 4287 asks of a feed without contents and sources, sections 4.1 and 4.2, and what readers of feeds do.
fn assert_valid(feed: Node<'_, '_>, path: &str) {
    assert!(feed.has_tag_name((ATOM, "feed")), "{feed:?}");
    let own: Vec<_> = all(feed, "link");
    let own: Vec<_> = own
        .iter()
        .filter(|link| link.attribute("rel") == Some("self"))
        .collect();
    assert_eq!(own.len(), 1, "{path}");
    assert_eq!(own[0].attribute("href"), Some(format!("{ORIGIN}{path}").as_str()));
    let entries = all(feed, "entry");
    let updated = time(feed, "updated");
    let mut ids = BTreeSet::new();
    for node in entries.iter().copied().chain([feed]) {
        for child in node.children().filter(Node::is_element) {
            assert_eq!(child.tag_name().namespace(), Some(ATOM), "{path}: {child:?}");
        }
        assert!(!only(node, "title").is_empty(), "{path}");
        let id = only(node, "id");
        assert!(
            url::Url::parse(id).is_ok() && !id.contains(char::is_whitespace),
            "{path}: {id}"
        );
        assert!(ids.insert(id.to_owned()), "{path}: {id} twice");
        assert!(time(node, "updated") <= updated, "{path}: {id}");
        assert!(all(node, "published").len() <= 1, "{path}");
        let authors = all(node, "author");
        assert!(!authors.is_empty(), "{path}: {id}");
        assert!(
            authors.iter().all(|author| !only(*author, "name").is_empty()),
            "{path}: {id}"
        );
        let links = all(node, "link");
        let mut alternates = BTreeSet::new();
        for link in &links {
            let (href, rel) = (link.attribute("href").unwrap(), link.attribute("rel"));
            assert!(url::Url::parse(href).is_ok(), "{path}: {href}");
            let kind = (link.attribute("type"), link.attribute("hreflang"));
            assert!(
                rel != Some("alternate") || alternates.insert(kind),
                "{path}: {id}"
            );
        }
        assert!(!alternates.is_empty(), "{path}: {id}");
    }
    let times: Vec<_> = entries.iter().map(|entry| time(*entry, "updated")).collect();
    assert!(
        times.is_sorted_by(|one, next| one >= next),
        "{path}: the newest is not first"
    );
}

/// What RFC 5545 asks of a calendar of events, sections 3.1, 3.6 and 3.6.1.
pub(super) fn assert_calendar(text: &str) -> Vec<Vec<(String, String)>> {
    assert!(
        text.split_inclusive('\n')
            .all(|line| line.ends_with("\r\n") && line.len() <= 77)
    );
    let unfolded = text.replace("\r\n ", "");
    let lines: Vec<_> = unfolded
        .lines()
        .map(|line| line.split_once(':').unwrap())
        .collect();
    assert_eq!(lines.first(), Some(&("BEGIN", "VCALENDAR")));
    assert_eq!(lines.last(), Some(&("END", "VCALENDAR")));
    let (mut events, mut open) = (Vec::new(), None);
    let mut about = Vec::new();
    for line in &lines[1..lines.len() - 1] {
        match (line, &mut open) {
            (("BEGIN", "VEVENT"), None) => open = Some(Vec::new()),
            (("END", "VEVENT"), Some(_)) => events.extend(open.take()),
            ((name, value), Some(event)) => event.push(((*name).to_owned(), (*value).to_owned())),
            ((name, _), None) => about.push(*name),
        }
    }
    assert!(open.is_none());
    for name in ["PRODID", "VERSION"] {
        assert_eq!(about.iter().filter(|known| **known == name).count(), 1, "{name}");
    }
    let mut ids = BTreeSet::new();
    for event in &events {
        let value = |wanted: &str| {
            let values: Vec<_> = event.iter().filter(|(name, _)| name == wanted).collect();
            assert_eq!(values.len(), 1, "{wanted} in {event:?}");
            values[0].1.as_str()
        };
        let at = |name: &str| NaiveDateTime::parse_from_str(value(name), "%Y%m%dT%H%M%SZ").unwrap();
        assert!(at("DTSTART") < at("DTEND"), "{event:?}");
        at("DTSTAMP");
        assert!(ids.insert(value("UID").to_owned()), "{event:?} twice");
        assert!(url::Url::parse(value("URL")).is_ok(), "{event:?}");
        assert!(!event.iter().any(|(name, _)| name == "DURATION"), "{event:?}");
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feeds_and_calendars_of_a_house_that_has_grown_are_valid() {
    let pages = grown::house().await;
    let own = pages.own("alice");
    let mut entries = 0;
    for root in [PATH, own.as_str()] {
        let mut places = vec!["feed.atom".to_owned(), "players/alice/feed.atom".to_owned()];
        for game in pbmserv_games::GAMES {
            let name = game.facts.name;
            places.push(format!("games/{name}/feed.atom"));
            places.push(format!("board/{name}/{}/feed.atom", grown::LONG_BOARD));
        }
        places.push("board/Pow2/3001/feed.atom".to_owned());
        for place in places {
            entries += feed(&pages, &format!("{root}{place}")).await.entries.len();
        }
    }
    entries += feed(&pages, &format!("{own}turns.atom")).await.entries.len();
    assert!(entries > 1000, "{entries}");
    let text = pages.get(&format!("{own}deadlines.ics")).await.body;
    let events = assert_calendar(&text);
    assert!(events.len() > 100, "{}", events.len());
    let calendar: Calendar = text.parse().unwrap();
    assert_eq!(calendar.components.len(), events.len());
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feeds_and_calendars_of_a_year_are_valid_and_bounded() {
    let pages = grown::year().await;
    let mut places = vec!["feed.atom".to_owned()];
    let games = pbmserv_games::GAMES.iter();
    places.extend(games.map(|game| format!("games/{}/feed.atom", game.facts.name)));
    let players = (0..grown::PLAYERS).map(grown::player_of_year);
    places.extend(players.map(|userid| format!("players/{userid}/feed.atom")));
    for number in (1..grown::BOARDS).step_by(20) {
        let (game, number, _) = grown::board_of_year(number);
        places.push(format!("board/{}/{number}/feed.atom", game.facts.name));
    }
    let mut most = 0;
    for place in places {
        let feed = feed(&pages, &format!("{PATH}{place}")).await;
        most = most.max(feed.entries.len());
        // What was declined is nobody's business.
        for entry in &feed.entries {
            let number: u32 = entry.id.split('/').nth_back(1).unwrap().parse().unwrap_or(1);
            assert!(
                number == 1 || !number.is_multiple_of(40) || number > grown::BOARDS - 50,
                "{place}: {}",
                entry.id
            );
        }
    }
    assert_eq!(most, 40);
    let (mut turns, mut deadlines) = (0, 0);
    for number in (0..grown::PLAYERS).step_by(5) {
        let own = pages.own(&grown::player_of_year(number));
        turns += feed(&pages, &format!("{own}turns.atom")).await.entries.len();
        let text = pages.get(&format!("{own}deadlines.ics")).await.body;
        assert!(text.len() < LARGEST, "{}", text.len());
        let events = assert_calendar(&text);
        let calendar: Calendar = text.parse().unwrap();
        assert_eq!(calendar.components.len(), events.len());
        deadlines += events.len();
    }
    assert!(
        turns > 5 && deadlines == turns,
        "{turns} turns, {deadlines} deadlines"
    );
    pages.close().await;
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
    pages.ask(ALICE, "Pow2 move 101 alice fig7elk m1-i1").await;
    let second = feed(&pages, &board).await;
    assert_eq!(second.entries[1].id, first.entries[0].id);
    pages.ask(BOB, "Pow2 resign 101 bob oak4jay").await;
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
    // What waits is to be played: the page of the turn, not that of the board.
    let play = format!("{ORIGIN}{own}board/Pow2/101/turn");
    assert_eq!(turns.entries[0].links[0].href, play);
    let answer = pages.get(&format!("{own}deadlines.ics")).await;
    assert_eq!(answer.field("content-type"), Some("text/calendar; charset=utf-8"));
    assert_eq!(assert_calendar(&answer.body).len(), 1);
    let calendar: Calendar = answer.body.parse().unwrap();
    let [CalendarComponent::Event(event)] = calendar.components.as_slice() else {
        panic!("{}", answer.body)
    };
    assert_eq!(event.get_summary(), Some("Pow2 101: your turn against bob"));
    assert_eq!(event.property_value("DTEND"), Some("20261211T080000Z"));
    assert!(event.get_start().is_some() && event.get_timestamp().is_some());
    // It is folded in the text, and whole for whoever reads it.
    assert!(!answer.body.contains(&play), "{}", answer.body);
    assert_eq!(event.get_url(), Some(play.as_str()));
    // It is the other one's turn.
    let none = pages
        .get(&format!("{}deadlines.ics", pages.own("bob")))
        .await
        .body;
    assert!(!none.contains("VEVENT"));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_with_signs_that_mean_something_in_feeds_and_calendars_is_only_a_name() {
    let name = "Chess, Go; \\ <b>&amp; \u{e9}\u{4e2d} more than seventy-five octets of it, so that it must be folded somewhere";
    let pages = Pages::configured(|config| config.server.name = name.into()).await;
    pages.begin().await;
    let own = pages.own("alice");
    let text = pages.get(&format!("{own}deadlines.ics")).await.body;
    assert_eq!(assert_calendar(&text).len(), 1);
    let calendar: Calendar = text.parse().unwrap();
    assert_eq!(calendar.get_name(), Some(name));
    let house = feed(&pages, &format!("{PATH}feed.atom")).await;
    assert_eq!(house.title.value, name);
    assert_eq!(house.authors[0].name, name);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_feed_that_is_known_is_not_sent_again() {
    let pages = Pages::open().await;
    let path = format!("{PATH}games/Hex/feed.atom");
    assert!(feed(&pages, &path).await.entries.is_empty());
    let tag = pages.get(&path).await.field("etag").unwrap().to_owned();
    pages.stage.pass(TimeDelta::seconds(90));
    let again = pages.get_with(&path, &format!("If-None-Match: {tag}\r\n")).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    pages.close().await;
}
