//! The pages of the gazette.

use chrono::TimeDelta;
use pbmserv_core::store::{DecidingTurn, Finds, Riddle, Store};
use pbmserv_core::table::BoardId;

use super::{ALICE, BOB, Pages};

/// Alice and bob have played a game with a mistake, and have given another one up in a position that is won; alice reads the gazette.
async fn out() -> Pages {
    let pages = Pages::with_a_board().await;
    pages.ask(BOB, "Gomoku challenge alice bob -size=9").await;
    let turns = ["e5", "a1", "d5", "i1", "f5", "a9"].iter();
    for (turn, (from, by)) in turns.zip(
        [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")]
            .into_iter()
            .cycle(),
    ) {
        pages.ask(from, &format!("Gomoku move 101 {by} {turn}")).await;
    }
    pages.ask(BOB, "Gomoku resign 101 bob oak4jay").await;
    pages.ask(BOB, "Hex seek bob oak4jay -size=5").await;
    pages.ask(ALICE, "set alice fig7elk gazette on").await;
    let engine = &pages.stage.server.engine;
    engine.do_what_is_due().await.unwrap();
    let finds = Finds {
        game: Some(DecidingTurn {
            board: BoardId(2),
            number: 4,
            better: "c5".into(),
            lost: 400,
        }),
        riddle: Some(Riddle {
            board: BoardId(2),
            played: 6,
            needs: 2,
            wins: vec!["c5".into(), "g5".into()],
        }),
    };
    let found = move |store: &Store, now| store.found_for_gazette(1, &finds, now);
    engine.write(found).await.unwrap();
    pages.stage.pass(TimeDelta::days(1));
    while pages.stage.server.engine.do_what_is_due().await.unwrap() > 0 {}
    pages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issue_is_a_page_for_everybody_and_an_entry_of_a_feed() {
    let pages = out().await;
    let at = |page: &str| format!("{}{page}", super::PATH);
    let page = pages.get(&at("gazette")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for part in [
        "Gomoku, Black to move and win in two turns",
        "bob played i1; c5 was better by 20 points in 100",
        "won by resignation",
        "/gazette/1/position.svg",
        "Play Hex against bob",
        "subject=Hex%20challenge%20bob",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert_eq!(pages.get(&at("gazette/1")).await.body, page.body);
    let own = pages.get(&format!("{}gazette", pages.own("alice"))).await;
    assert!(
        own.status == 200 && own.body.contains("switch it on at"),
        "{}",
        own.body
    );
    let picture = pages.get(&at("gazette/1/position.svg")).await;
    assert_eq!(picture.status, 200);
    // It does not say how the game ended, as that of the board does.
    let ended = pages.get(&at("board/Gomoku/101/picture.svg")).await;
    assert!(
        ended.body.contains("won") && !picture.body.contains("won"),
        "{}",
        ended.body
    );
    let feed = pages.get(&at("gazette.atom")).await;
    assert!(
        feed.body.contains("The gazette, number 1, 21 November 2026"),
        "{}",
        feed.body
    );
    assert!(pages.get(&at("")).await.body.contains("The gazette of the week"));
    for none in [
        "gazette/0",
        "gazette/2",
        "gazette/01",
        "gazette/+1",
        "gazette/x",
        "gazette/2/position.svg",
    ] {
        assert_eq!(pages.get(&at(none)).await.status, 404, "{none}");
    }

    // Who is left out later is not on it any more.
    pages.ask(BOB, "set bob oak4jay web off").await;
    let page = pages.get(&at("gazette/1")).await;
    assert!(page.status == 200 && !page.body.contains("bob"), "{}", page.body);
    assert_eq!(pages.get(&at("gazette/1/position.svg")).await.status, 404);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_first_issue_its_page_says_how_to_get_it() {
    let pages = Pages::with_a_board().await;
    let page = pages.get(&format!("{}gazette", super::PATH)).await;
    assert!(
        page.status == 200 && page.body.contains("None has appeared yet"),
        "{}",
        page.body
    );
    assert!(
        !pages
            .get(super::PATH)
            .await
            .body
            .contains("The gazette of the week")
    );
    pages.close().await;
}
