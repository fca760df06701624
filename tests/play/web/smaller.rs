//! The smaller key, which letters have: it opens what an answer to its letter reaches, and nothing else.

use pbmserv::engine::forms::FormOutcome;
use pbmserv_core::command::PageRequest;
use pbmserv_core::dispatch::{Purpose, token};
use pbmserv_core::store::Outgoing;
use pbmserv_games::find;

use super::{ALICE, BASE, BOB, PATH, Pages, asked, attributes, links};

/// The path of the key in a letter.
pub(super) fn own(letter: &Outgoing) -> String {
    let (_, rest) = letter.text.split_once(&format!("{BASE}k/")).unwrap();
    format!("{PATH}k/{}/", rest.split('/').next().unwrap())
}

pub(super) fn key(own: &str) -> &str {
    own.trim_end_matches('/').rsplit('/').next().unwrap()
}

pub(super) fn to<'a>(letters: &'a [Outgoing], address: &str) -> &'a Outgoing {
    let mut to = letters.iter().filter(|letter| letter.to.as_str() == address);
    to.next().unwrap()
}

/// A server with two boards, and the place of alice's key to the first.
pub(super) async fn with_two_boards() -> (Pages, String) {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "LOA challenge alice bob").await;
    let letters = pages.ask(ALICE, "Pow2 show 101").await;
    let own = own(to(&letters, ALICE));
    (pages, own)
}

/// Everything that a player could have changed.
pub(super) fn state(pages: &Pages) -> String {
    let reader = pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let boards = ["Pow2", "LOA"].map(|game| reader.board(find(game).unwrap(), 101).unwrap());
    format!(
        "{boards:?} {:?} {:?}",
        reader.preferences(alice.id).unwrap(),
        reader.stats(0).unwrap()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_opens_its_board_and_no_other_page() {
    let (pages, own) = with_two_boards().await;
    for place in [
        "",
        "board/Pow2/101",
        "board/Pow2/101/1",
        "board/Pow2/101/words",
        "board/Pow2/101/record.txt",
        "board/Pow2/101/picture.svg",
        "board/Pow2/101/small.svg",
        "board/Pow2/101/turn",
        "board/Pow2/101/turn?turn=m1-i1",
        "board/Pow2/101/resign",
    ] {
        assert_eq!(pages.get(&format!("{own}{place}")).await.status, 200, "{place}");
    }
    for place in [
        "board/LOA/101",
        "board/LOA/101/turn",
        "board/LOA/101/resign",
        "board/LOA/101/record.txt",
        "board/LOA/101/small.svg",
        "board/Pow2/102",
        "board/Pow2/101/feed.atom",
        "house",
        "players",
        "players/bob",
        "players/bob/feed.atom",
        "games/Pow2",
        "help",
        "feed.atom",
        "turns.atom",
        "deadlines.ics",
    ] {
        let answer = pages.get(&format!("{own}{place}")).await;
        assert_eq!(answer.status, 404, "{place}");
        assert!(!answer.body.contains("LOA"), "{place}: {}", answer.body);
    }
    let before = state(&pages);
    for (place, form) in [
        ("set", "form=a&option=digest+on"),
        ("begin", "form=b&game=Pow2&opponent=bob"),
        ("board/LOA/101/turn", "form=c&shown=1&do=resign"),
        ("board/LOA/101/turn", "form=d&shown=1&do=chat&words=Hello"),
    ] {
        let answer = pages.post(&format!("{own}{place}"), form).await;
        assert_eq!(answer.status, 404, "{place}");
    }
    assert_eq!(state(&pages), before);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_and_every_form_of_its_pages_is_one_that_works() {
    let (pages, own) = with_two_boards().await;
    let (mut seen, mut left) = (std::collections::BTreeSet::new(), vec![own.clone()]);
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) || seen.len() > 150 {
            continue;
        }
        let answer = pages.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        if path.starts_with(&own) {
            assert!(!answer.body.contains("LOA 101"), "{path}: {}", answer.body);
            let actions = attributes(&answer.body, "action");
            let reached = [format!("{own}page"), format!("{own}board/Pow2/101/turn")];
            let tries = format!("{own}board/Pow2/101/try/");
            assert!(
                actions
                    .iter()
                    .all(|action| reached.contains(action) || action.starts_with(&tries)),
                "{path}: {actions:?}"
            );
            left.extend(links(&answer.body));
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
    // What can be shown to others comes first.
    for place in ["board/Pow2/101", "board/Pow2/101/turn"] {
        let page = pages.get(&format!("{own}{place}")).await.body;
        let (_, main) = page.split_once("<main").unwrap();
        let first = main.split("<a href=\"").nth(1).unwrap();
        assert!(
            first.starts_with("/games/board/Pow2/101\">https://games.example/games/board/Pow2/101</a>"),
            "{first}"
        );
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_itself_refuses_what_a_key_does_not_reach() {
    let (pages, own) = with_two_boards().await;
    let server = &pages.stage.server;
    let reader = server.reader().unwrap();
    let player = |userid: &str| reader.player(userid).unwrap().unwrap();
    let (alice, bob) = (player("alice"), player("bob"));
    let board = |game: &str| reader.board(find(game).unwrap(), 101).unwrap().unwrap();
    let shown = |game: &str, player: &pbmserv_core::table::Player| {
        let board = board(game);
        Some(board.letter_to(board.seat_of(player.id).unwrap()))
    };
    let smaller = key(&own);
    let bobs = pages.key("bob");
    let of_reply = token(
        &server.key,
        Purpose::Seat,
        shown("Pow2", &alice).unwrap().number(),
        pbmserv_core::dispatch::seat_generation(alice.id, alice.generation),
    );
    let before = state(&pages);
    let resign_pow2 = (Some("Pow2"), "resign", Some(101), "");
    let resign_loa = (Some("LOA"), "resign", Some(101), "");
    let set = (None, "set", None, "digest on");
    let begin = (Some("Pow2"), "challenge", None, "bob");
    let renew = (None, "page", None, "new");
    for (number, (key, player, line, shown)) in [
        (smaller, &alice, set, None),
        (smaller, &alice, set, shown("Pow2", &alice)),
        (smaller, &alice, begin, None),
        (smaller, &alice, begin, shown("Pow2", &alice)),
        (smaller, &alice, renew, None),
        (smaller, &alice, resign_loa, shown("LOA", &alice)),
        (smaller, &alice, resign_loa, shown("Pow2", &alice)),
        (smaller, &alice, resign_loa, None),
        (smaller, &alice, resign_pow2, shown("LOA", &alice)),
        (smaller, &alice, resign_pow2, None),
        (smaller, &bob, resign_pow2, shown("Pow2", &bob)),
        (smaller, &bob, resign_pow2, shown("Pow2", &alice)),
        (&bobs, &alice, resign_pow2, shown("Pow2", &alice)),
        (&of_reply, &alice, resign_pow2, shown("Pow2", &alice)),
        ("", &alice, resign_pow2, shown("Pow2", &alice)),
    ]
    .into_iter()
    .enumerate()
    {
        let (game, verb, board, rest) = line;
        let page = PageRequest {
            game: game.map(|game| find(game).unwrap()),
            board,
            rest: rest.to_owned(),
            shown,
            form: format!("{number}"),
            ..asked(key, player, verb)
        };
        let outcome = server.press(page).await.unwrap();
        assert!(
            matches!(outcome, FormOutcome::Refused(_)),
            "{number}: {outcome:?}"
        );
        let now = state(&pages);
        assert_eq!(
            now.split("Stats").next(),
            before.split("Stats").next(),
            "{number}"
        );
        assert_eq!(pages.stage.collect().await.len(), 0, "{number}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_plays_offers_and_writes_and_after_the_end_it_serves_what_an_answer_would() {
    let (pages, own) = with_two_boards().await;
    let turn = format!("{own}board/Pow2/101/turn");
    let page = pages.get(&format!("{turn}?turn=m1-i1")).await.body;
    assert!(page.contains("Play it") && page.contains("Resign"), "{page}");
    let event = |page: &str| {
        let (_, rest) = page.split_once("name=\"shown\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let played = pages
        .post(
            &turn,
            &format!("form=a&shown={}&do=play&turn=m1-i1", event(&page)),
        )
        .await;
    assert_eq!(played.status, 303, "{played:?}");
    for _ in 0..2 {
        let page = pages.get(&turn).await.body;
        let form = format!("form=b&shown={}&do=resign", event(&page));
        assert_eq!(pages.post(&turn, &form).await.status, 303);
    }
    let over = pages.get(&turn).await.body;
    assert!(
        over.contains("The game is over") && over.contains("Play bob again"),
        "{over}"
    );
    pages.stage.collect().await;
    let form = format!("form=c&shown={}&do=chat&words=Thank+you", event(&over));
    assert_eq!(pages.post(&turn, &form).await.status, 303);
    let letters = pages.stage.collect().await;
    assert!(to(&letters, BOB).text.contains("Thank you"), "{letters:?}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_as_reply_tokens_do_and_with_new_links() {
    let (pages, first) = with_two_boards().await;
    pages.ask(ALICE, "page alice fig7elk new").await;
    let ended = pages.get(&format!("{first}board/Pow2/101")).await;
    assert_eq!(ended.status, 404);
    assert!(ended.body.contains("This link opens nothing"), "{}", ended.body);
    assert!(!ended.body.contains("PASSWORD"), "{}", ended.body);
    let second = own(to(&pages.ask(ALICE, "Pow2 show 101").await, ALICE));
    assert_ne!(first, second);
    assert_eq!(pages.get(&second).await.status, 200);
    pages.ask(ALICE, "change password alice fig7elk bay5owl").await;
    assert_eq!(pages.get(&second).await.status, 404);
    let third = own(to(&pages.ask(ALICE, "Pow2 show 101").await, ALICE));
    assert_eq!(pages.get(&third).await.status, 200);
    pages
        .ask(ALICE, "change address alice bay5owl alice@third.example")
        .await;
    assert_eq!(pages.get(&third).await.status, 404);
    pages.close().await;
}
