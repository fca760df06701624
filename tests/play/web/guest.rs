//! A visitor's game: played by links and forms as a browser has them; what is forged is refused; nothing is stored.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pbmserv::engine::thinking::digest_of;
use pbmserv_core::table::GuestGame;
use pbmserv_games::kit::mix::mix;
use pbmserv_games::{GAMES, find};

use super::house::{heading, said};
use super::{ALICE, Answer, PATH, Pages, attributes, links, unescaped};
use crate::stage::database;

/// A server whose visitors each come from another network, so that there are never too many from one.
pub(super) async fn open() -> Pages {
    Pages::configured(|config| {
        config.web.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    })
    .await
}

/// The value of a field in the form of a page that plays the turn.
fn field(page: &str, name: &str) -> Option<String> {
    let (_, form) = page.split_once("<form method=\"post\"")?;
    let (_, rest) = form.split_once(&format!("name=\"{name}\" value=\""))?;
    Some(unescaped(rest.split('"').next()?))
}

pub(super) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The steps that a page offers.
fn steps(page: &str) -> Vec<String> {
    let all = attributes(page, "href").into_iter();
    let mut steps: Vec<_> = all.filter(|link| link.starts_with("?so=")).collect();
    // Those that lead back.
    if page.contains(">One step back</a>") {
        let back = page.split(">One step back</a>").next().unwrap();
        let back = attributes(back.rsplit("<a").next().unwrap(), "href").remove(0);
        steps.retain(|step| *step != back && !step.ends_with("turn="));
    }
    steps
}

impl Pages {
    fn visitor(&self) -> String {
        let [.., high, low] = self.sent.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        format!("X-Forwarded-For: 198.18.{high}.{low}\r\n")
    }

    pub(super) async fn visit(&self, path: &str) -> Answer {
        let answer = self.get_with(path, &self.visitor()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer
    }

    /// Sends a form of a visitor's game, again while there are too many visitors, and returns the address that it leads to.
    pub(super) async fn send(&self, game: &str, form: &str) -> Result<String, Answer> {
        loop {
            let path = format!("{PATH}play/{game}");
            let sent = self.post_with(&path, &self.visitor(), form).await;
            match sent.status {
                303 => return Ok(sent.field("location").unwrap().to_owned()),
                503 => {}
                _ => return Err(sent),
            }
        }
    }

    /// Plays a turn by the links of the page at this address, chosen by a seed, and by its form.
    pub(super) async fn turn_by_links(&self, game: &str, at: &str, seed: u64) -> String {
        let mut page = self.visit(at).await.body;
        for number in 0.. {
            if let Some(turn) = field(&page, "turn") {
                let so = field(&page, "so").unwrap();
                let form = format!("so={}&turn={}", encoded(&so), encoded(&turn));
                return self.send(game, &form).await.unwrap();
            }
            let steps = steps(&page);
            assert!(!steps.is_empty(), "{game}: {page}");
            let step = &steps[(mix([seed, number]) % steps.len() as u64) as usize];
            page = self.visit(&format!("{PATH}play/{game}{step}")).await.body;
        }
        unreachable!()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_played_to_its_end_by_links_and_forms() {
    let pages = open().await;
    let before = database::all_rows(pages.stage.data(), &[]);
    let front = pages.visit(PATH).await.body;
    assert!(front.contains("Play a game now</a>"), "{front}");
    let which = format!("{PATH}play");
    assert!(links(&front).contains(&which));
    let first = format!("{PATH}play/Breakthrough");
    assert!(links(&pages.visit(&which).await.body).contains(&first));
    let mut at = first.clone();
    let mut turns = 0;
    let over = loop {
        let page = pages.visit(&at).await;
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-robots-tag", "noindex, nofollow"),
        ] {
            assert_eq!(page.field(name), Some(value));
        }
        assert!(page.body.contains("<meta name=\"robots\" content=\"noindex\">"));
        if !page.body.contains("<b>Your turn.</b>") {
            break page.body;
        }
        at = pages.turn_by_links("Breakthrough", &at, turns).await;
        turns += 1;
    };
    let is_end = |end: &str| heading(&over) == end;
    assert!(
        ["You won!", "bot-easy won."].iter().any(|end| is_end(end)),
        "{over}"
    );
    assert!(turns > 5 && steps(&over).is_empty());
    let own = links(&over);
    assert!(
        own.contains(&first) && own.contains(&format!("{PATH}join")),
        "{own:?}"
    );
    // It is over, whatever is sent.
    let so = encoded(at.split_once("?so=").unwrap().1);
    let refused = pages
        .send("Breakthrough", &format!("so={so}&turn=a2-a3"))
        .await
        .unwrap_err();
    assert_eq!(
        (refused.status, said(&refused.body, "alert").as_str()),
        (409, "This game is over.")
    );
    assert_eq!(
        database::all_rows(pages.stage.data(), &[]),
        before,
        "nothing is stored"
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_game_is_answered() {
    let pages = open().await;
    for (seed, game) in (0..).zip(GAMES) {
        let name = game.facts.name;
        let start = format!("{PATH}play/{name}");
        let rules = pages.visit(&format!("{PATH}games/{name}")).await.body;
        assert!(links(&rules).contains(&start), "{name}");
        let pictures = game.facts.pictured.len();
        assert_eq!(rules.matches("<figure>").count(), pictures, "{name}");
        for number in 0..pictures {
            let picture = pages.visit(&format!("{PATH}games/{name}/rules/{number}")).await;
            assert_eq!(picture.field("content-type"), Some("image/svg+xml"));
        }
        for number in [pictures.to_string(), "x".to_owned(), "-1".to_owned()] {
            let none = format!("{PATH}games/{name}/rules/{number}");
            assert_eq!(pages.get_with(&none, &pages.visitor()).await.status, 404);
        }
        // The dice of a game follow from its address, so it has one from the start.
        let start = match game.facts.has_dice {
            true => format!(
                "{start}{}",
                steps(&pages.visit(&start).await.body)
                    .remove(0)
                    .split('&')
                    .next()
                    .unwrap()
            ),
            false => start,
        };
        let one = pages.turn_by_links(name, &start, seed).await;
        // The same form has the same answer: nothing is lost by a crash, and nothing is done twice.
        assert_eq!(pages.turn_by_links(name, &start, seed).await, one);
        let page = pages.visit(&one).await.body;
        let answered = match game.facts.has_dice {
            true => "bot-easy ",
            false => "bot-easy p",
        };
        assert!(heading(&page).starts_with(answered), "{name}: {}", heading(&page));
        pages.turn_by_links(name, &one, seed).await;
    }
    pages.close().await;
}

/// The dice of two games differ, those of one never do, and a game with dice is not kept: its dice cannot be checked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_with_dice_is_played_to_its_end() {
    let pages = open().await;
    let start = format!("{PATH}play/Hypergammon");
    let first = pages.visit(&start).await.body;
    assert!(first.contains("dice you can check"), "{first}");
    let mut rolls = Vec::new();
    for game in 0..2 {
        let mut at = start.clone();
        let mut turns = 0;
        let over = loop {
            let page = pages.visit(&at).await.body;
            if turns > 0 {
                assert_eq!(pages.visit(&at).await.body, page, "the same dice again");
            }
            if !page.contains("<b>Your turn.</b>") {
                break page;
            }
            assert!(
                page.contains(" You rolled ") || page.contains("turn=roll"),
                "{page}"
            );
            at = pages.turn_by_links("Hypergammon", &at, turns + game).await;
            turns += 1;
        };
        assert!(
            ["You won!", "bot-easy won."].contains(&heading(&over).as_str()),
            "{over}"
        );
        assert!(!over.contains("Keep this game"));
        let so = encoded(at.split_once("?so=").unwrap().1);
        let keep = format!("so={so}&name=dora&address=dora@example.org");
        let kept = pages
            .post_with(&format!("{start}/keep"), &pages.visitor(), &keep)
            .await;
        assert_eq!(kept.status, 404);
        rolls.push(at);
    }
    assert_ne!(rolls[0], rolls[1]);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_is_none_is_refused_in_words() {
    let pages = open().await;
    let at = pages.send("Breakthrough", "turn=a2-a3").await.unwrap();
    let so = encoded(at.split_once("?so=").unwrap().1);
    for (turn, why) in [
        ("a2-a3", "There is no pawn on a2."),
        ("a3-a9", "Nothing was played."),
        ("", "Nothing was played."),
        ("resign", "Nothing was played."),
    ] {
        let refused = pages
            .send("Breakthrough", &format!("so={so}&turn={turn}"))
            .await
            .unwrap_err();
        assert_eq!(refused.status, 409, "{turn}");
        assert!(unescaped(&refused.body).contains(why), "{turn}: {}", refused.body);
        // It goes on from the same position.
        assert!(
            steps(&refused.body)
                .iter()
                .any(|step| step.starts_with(&format!("?so={so}")))
        );
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_game_is_refused() {
    let pages = open().await;
    let at = pages.send("Breakthrough", "turn=a2-a3").await.unwrap();
    let so = at.split_once("?so=").unwrap().1.to_owned();
    let (text, tag) = so.split_once('.').unwrap();
    let forged = data_encoding::BASE64URL_NOPAD.encode(b"1\na2-a3\na7-a6\nb2-b3");
    let all = [
        format!("{forged}.{tag}"),
        format!("{text}."),
        format!("{text}.{}", "A".repeat(22)),
        format!("{so}A"),
        so[1..].to_owned(),
        "x".repeat(9000),
    ];
    for so in &all {
        let read = pages
            .get_with(&format!("{PATH}play/Breakthrough?so={so}"), &pages.visitor())
            .await;
        let sent = pages
            .send("Breakthrough", &format!("so={so}&turn=b2-b3"))
            .await
            .unwrap_err();
        for answer in [read, sent] {
            assert_eq!(answer.status, 400, "{so}");
            assert!(answer.body.contains("cut off or changed"), "{}", answer.body);
        }
    }
    // A good one is good for its own game alone.
    let other = pages
        .get_with(&format!("{PATH}play/Hex?so={so}"), &pages.visitor())
        .await;
    assert_eq!(other.status, 400);
    // A form from elsewhere is refused as all are.
    let fields = format!("Origin: https://evil.example\r\n{}", pages.visitor());
    let foreign = pages
        .post_with(&format!("{PATH}play/Hex"), &fields, "turn=a1")
        .await;
    assert_eq!(foreign.status, 403);
    pages.close().await;
}

/// Who finds too many others has the same form again, and it is good.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_computer_says_so() {
    let pages = open().await;
    let waiting = &pages.stage.server.thinking.guests.waiting;
    let others = u32::try_from(waiting.available_permits()).unwrap();
    let others = waiting.acquire_many(others).await.unwrap();
    let path = format!("{PATH}play/Breakthrough");
    let busy = pages.post_with(&path, &pages.visitor(), "turn=a2-a3").await;
    assert_eq!(busy.status, 503);
    let why = "bot-easy plays with many others now, so nothing was played. Try again.";
    assert_eq!(said(&busy.body, "alert"), why);
    drop(others);
    let [so, turn] = ["so", "turn"].map(|name| encoded(&field(&busy.body, name).unwrap()));
    let played = pages.send("Breakthrough", &format!("so={so}&turn={turn}")).await;
    assert!(played.is_ok());
    pages.close().await;
}

/// The note of a thought that ended the program twice is all that is stored of a visitor's game.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_has_ended_the_program_is_refused_and_another_one_is_played() {
    let pages = open().await;
    let game = GuestGame {
        turns: vec!["a2-a3".to_owned()],
        ..GuestGame::new(find("Breakthrough").unwrap())
    };
    let digest = digest_of(&game.record());
    let engine = &pages.stage.server.engine;
    for times in 1..=2 {
        let begun = engine.write(move |store, now| store.add_begun(&digest, now));
        begun.await.unwrap();
        let sent = pages.send("Breakthrough", "turn=a2-a3").await;
        assert_eq!(sent.is_ok(), times < 2);
        if let Err(refused) = sent {
            assert_eq!(refused.status, 409);
            let why = said(&refused.body, "alert");
            assert!(why.contains("cannot go on after this turn"), "{why}");
        }
    }
    assert!(pages.send("Breakthrough", "turn=b2-b3").await.is_ok());
    let left = pages.stage.server.reader().unwrap().begun(&digest).unwrap();
    assert_eq!(left.map(|(times, _)| times), Some(2));
    pages.close().await;
}

/// Fifty visitors play at once: a player's turn and the computer's answer to it do not wait for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_visitors_hold_up_nobody() {
    let pages = Arc::new(open().await);
    pages.ask(ALICE, "signup alice fig7elk").await;
    pages.ask(ALICE, "Breakthrough challenge alice bot-easy").await;
    let visitors: Vec<_> = (0..50)
        .map(|number| {
            let pages = pages.clone();
            tokio::spawn(async move {
                let file = char::from(b'a' + number % 8);
                pages
                    .send("Breakthrough", &format!("turn={file}2-{file}3"))
                    .await
                    .unwrap()
            })
        })
        .collect();
    let played = pages
        .ask(ALICE, "Breakthrough move 101 alice fig7elk a2-a3")
        .await;
    assert!(
        !played.iter().any(|letter| letter.kind == "notdone"),
        "{played:?}"
    );
    pages.stage.server.thinking.until_idle().await.unwrap();
    let reader = pages.stage.server.reader().unwrap();
    let game = find("Breakthrough").unwrap();
    assert_eq!(reader.board(game, 101).unwrap().unwrap().turns, 2);
    for visitor in visitors {
        visitor.await.unwrap();
    }
    Arc::into_inner(pages).unwrap().close().await;
}

/// Without public pages, without the computer, or without the game, there is no page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_are_no_visitors_games_where_they_are_not_wanted() {
    for which in 0..3 {
        let pages = Pages::configured(|config| match which {
            0 => config.web.public = false,
            1 => config.bots.players = vec!["bot-hard".to_owned()],
            _ => config.bots.without = GAMES.iter().map(|game| game.facts.name.to_owned()).collect(),
        })
        .await;
        for path in ["play", "play/Hex"] {
            assert_eq!(pages.get(&format!("{PATH}{path}")).await.status, 404, "{which}");
        }
        assert_eq!(
            pages.post(&format!("{PATH}play/Hex"), "turn=a1").await.status,
            404
        );
        assert!(!pages.get(PATH).await.body.contains("Play a game now"));
        pages.close().await;
    }
}
