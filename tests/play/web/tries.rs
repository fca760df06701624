//! A line of turns on the page of a board: walked forward and back by links, kept by a form, and nothing is played.

use pbmserv_games::{GAMES, find};

use super::guest::{encoded, open};
use super::house::{House, STATES, heading, said};
use super::{ALICE, BOB, PATH, Pages, attributes, unescaped};
use crate::stage::database;

/// The page to which the browser is sent from here.
async fn led(pages: &Pages, path: &str) -> String {
    let answer = pages.get(path).await;
    assert_eq!(answer.status, 303, "{path}: {}", answer.body);
    answer.field("location").unwrap().to_owned()
}

/// The links of the page that belong to the line: all are relative to its path.
fn steps(page: &str) -> Vec<String> {
    let digits = |link: &String| !link.is_empty() && link.bytes().all(|byte| byte.is_ascii_digit());
    attributes(page, "href").into_iter().filter(digits).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_is_walked_forward_and_back_and_nothing_is_stored() {
    let pages = Pages::with_a_board().await;
    let before = database::all_rows(pages.stage.data(), &[]);
    let board = format!("{PATH}board/Pow2/101");
    let start = format!("{board}/try/2/-/0");
    let shown = pages.get(&board).await.body;
    assert!(
        shown.contains(&format!("rel=\"nofollow\" href=\"{start}\"")),
        "{shown}"
    );
    assert_eq!(led(&pages, &format!("{board}/try")).await, start);
    assert_eq!(led(&pages, &format!("{board}/try/2")).await, start);
    let page = pages.get(&start).await.body;
    assert_eq!(heading(&page), "Try a line after turn 2");
    assert!(
        page.contains("Light is to move.") && steps(&page).is_empty(),
        "{page}"
    );
    assert!(page.contains("<meta name=\"robots\" content=\"noindex, nofollow\">"));
    // A point at a time, as on the page of a turn.
    assert!(
        attributes(&page, "href").contains(&"?turn=m1-".to_owned()),
        "{page}"
    );
    let begun = pages.get(&format!("{start}?turn=m1-")).await.body;
    assert!(begun.contains("The next turn so far") && begun.contains("One step back"));
    // Several that are typed, with blanks.
    let line = led(&pages, &format!("{start}?turn=m1-i1+++a13-a9")).await;
    assert_eq!(line, format!("{board}/try/2/m1-i1_a13-a9/2"));
    let page = pages.get(&line).await.body;
    assert_eq!(heading(&page), "Dark tries a13-a9");
    assert!(page.contains("2 of 2") && page.contains("rel=\"prev\"") && !page.contains("rel=\"next\""));
    let back = pages.get(&format!("{board}/try/2/m1-i1_a13-a9/1")).await.body;
    assert!(
        heading(&back).starts_with("Light tries m1-i1"),
        "{}",
        heading(&back)
    );
    assert_eq!(
        steps(&back),
        ["0", "0", "2", "2", "2"],
        "start, back, forward, end, and the list"
    );
    // The turn that the line goes on with leaves what follows it; another one takes its place.
    let same = led(&pages, &format!("{board}/try/2/m1-i1_a13-a9/0?turn=m1-i1")).await;
    assert_eq!(same, format!("{board}/try/2/m1-i1_a13-a9/1"));
    let other = led(
        &pages,
        &format!("{board}/try/2/m1-i1_a13-a9/0?turn=m1-g1:e3&large=true"),
    )
    .await;
    assert_eq!(other, format!("{board}/try/2/m1-g1:e3/1?large=true"));
    // From any position, and not beyond the last.
    assert!(
        pages
            .get(&format!("{board}/try/0/m13-j7/1"))
            .await
            .body
            .contains("1 of 1")
    );
    assert_eq!(pages.get(&format!("{board}/try/3/-/0")).await.status, 404);
    assert_eq!(
        database::all_rows(pages.stage.data(), &[]),
        before,
        "nothing is stored"
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rules_say_what_is_not_possible_and_what_is_too_long_is_refused() {
    let pages = Pages::with_a_board().await;
    let start = format!("{PATH}board/Pow2/101/try/2/-/0");
    let wrong = unescaped(&pages.get(&format!("{start}?turn=m1-z9")).await.body);
    assert!(wrong.contains("This is not a legal turn."), "{wrong}");
    // The line is walked up to the turn that is not possible.
    let line = format!("{PATH}board/Pow2/101/try/2/m1-i1_m1-i1_a13-a9/3");
    let page = unescaped(&pages.get(&line).await.body);
    assert!(
        said(&page, "alert").contains("The line stops before m1-i1."),
        "{page}"
    );
    assert!(page.contains("1 of 1"));
    let typed = led(&pages, &format!("{start}?turn=m1-i1+nonsense")).await;
    assert!(typed.ends_with("/m1-i1/1"), "{typed}");
    for (path, status) in [
        (format!("{PATH}board/Pow2/101/try/2/{}/0", "a".repeat(4001)), 400),
        (format!("{start}?turn={}", "a".repeat(1001)), 400),
        (format!("{PATH}board/Pow2/101/try/2/-/x"), 404),
        (format!("{PATH}board/Pow2/101/try/x/-/0"), 404),
        (format!("{PATH}board/Pow2/999/try"), 404),
        (format!("{PATH}board/Pow2/101/try/2/%ff/0"), 400),
        (format!("{PATH}board/Pow2/101/try/2/%3cb%3e%22_x/99999999"), 200),
    ] {
        let answer = pages.get(&path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(!answer.body.contains("<b>\"_x"), "{}", answer.body);
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_game_is_walked_to_its_end_and_the_page_stays_small() {
    let pages = open().await;
    pages.ask(ALICE, "signup alice fig7elk").await;
    pages.ask(BOB, "signup bob oak4jay").await;
    for game in GAMES {
        let name = game.facts.name;
        pages.ask(ALICE, &format!("{name} challenge alice bob")).await;
        let mut position = game.start(&pbmserv_games::Options::none(game.facts)).unwrap();
        let mut rng = pbmserv_games::kit::mix::mix([1]);
        let mut turns = Vec::new();
        while position.to_move().is_some() && turns.len() < 60 {
            let all = position.turns(200);
            rng = pbmserv_games::kit::mix::mix([rng]);
            let turn = &all[(rng % all.len() as u64) as usize];
            turns.push(position.play(turn).unwrap());
        }
        let line = pbmserv_core::command::line_in_path(&turns);
        for walked in [0, turns.len() / 2, turns.len()] {
            let place = format!("{PATH}board/{name}/101/try/0/{line}/{walked}");
            let page = pages.visit(&place).await.body;
            assert!(
                page.contains(&format!("{walked} of {}", turns.len())),
                "{name}: {page}"
            );
            assert!(!page.contains("a computer expects"), "no help during a game");
            let bytes = super::grown::without_pictures(&page);
            assert!(bytes < super::pages::LARGEST, "{name} has {bytes} bytes");
        }
        let next = game.facts.example[0];
        let start = format!("{PATH}board/{name}/101/try/0/-/0?turn={}", encoded(next));
        let answer = pages.get_with(&start, "X-Forwarded-For: 198.19.0.1\r\n").await;
        // Some example can go on; then it is shown with the button that adds it.
        assert!([200, 303].contains(&answer.status), "{name}: {}", answer.body);
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_keeps_a_line_and_plays_its_first_turn() {
    let house = House::open().await;
    let number = house.set_up(STATES[2]).await;
    let board = house.board(number);
    for viewer in ["alice", "alice's letter"] {
        let root = house.root(viewer, &board);
        let line = format!("{root}board/Pow2/{number}/try/2/m1-i1_a13-a9/1");
        let page = house.get(&line).await.body;
        assert!(
            page.contains(&format!(
                "{root}board/Pow2/{number}/turn?turn=m1-i1\">Play the first turn, m1-i1"
            )),
            "{page}"
        );
        let (is_kept, kept) = house.press(&line, &house.form("do=keep&name=plan-b")).await;
        assert!(
            is_kept && said(&kept.body, "status").starts_with("Kept as plan-b on"),
            "{}",
            kept.body
        );
        assert!(kept.body.contains(&format!(
            "{root}board/Pow2/{number}/try/2/m1-i1_a13-a9/2\">plan-b</a>"
        )));
        let (is_kept, refused) = house.press(&line, &house.form("do=keep&name=attack")).await;
        assert!(!is_kept && refused.status == 409, "{}", refused.body);
        assert!(
            said(&refused.body, "alert").contains("a hyphen or a digit"),
            "{}",
            refused.body
        );
        let (is_dropped, dropped) = house.press(&line, &house.form("do=drop&name=plan-b")).await;
        assert!(
            is_dropped && !dropped.body.contains("Your lines on this board"),
            "{}",
            dropped.body
        );
        let (is_done, _) = house.press(&line, &house.form("do=drop&name=plan-b")).await;
        assert!(!is_done, "what is dropped is not dropped again");
    }
    // A watcher keeps lines too, and nobody else sees them.
    let carol = format!("{}board/Pow2/{number}/try/2/m1-i1/1", house.root("carol", &board));
    assert!(house.press(&carol, &house.form("do=keep&name=hers-1")).await.0);
    for viewer in ["alice", "bob"] {
        let page = house
            .get(&format!(
                "{}board/Pow2/{number}/try/2/-/0",
                house.root(viewer, &board)
            ))
            .await
            .body;
        assert!(!page.contains("hers-1"), "{page}");
    }
    let public = house
        .pages
        .get(&format!("{PATH}board/Pow2/{number}/try/2/m1-i1/1"))
        .await
        .body;
    assert!(
        !public.contains("hers-1") && !public.contains("name=\"do\""),
        "{public}"
    );
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computer_says_something_after_the_game_alone() {
    let house = House::open().await;
    let running = house.set_up(STATES[2]).await;
    let over = house.set_up(STATES[10]).await;
    let void = house.set_up(STATES[14]).await;
    for (number, is_said) in [(running, false), (over, true), (void, true)] {
        let page = house
            .get(&format!("{PATH}board/Pow2/{number}/try/1/-/0"))
            .await
            .body;
        assert_eq!(page.contains("a computer expects"), is_said, "{number}: {page}");
    }
    assert!(find("Pow2").is_some());
    house.pages.close().await;
}
