//! Words on the turns of a finished game, and notes, on the pages: who sees which.

use pbmserv_games::find;

use super::house::{House, STATES, said};
use super::{ALICE, BOB, PATH};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_words_to_who_may_read_them() {
    let house = House::open().await;
    let number = house.set_up(STATES[19]).await;
    let board = house.board(number);
    let [alice, bob, carol] = ["alice", "bob", "carol"].map(|name| house.root(name, &board));
    for (by, words) in [(ALICE, "alice fig7elk 1"), (BOB, "bob oak4jay 1")] {
        let line = format!("Pow2 comment {number} {words} basilisk <b>");
        house.pages.ask(by, &line).await;
    }
    let line = format!("Pow2 note {number} alice fig7elk");
    house.pages.say(ALICE, &line, "hippogriff").await;
    house.pages.say(ALICE, &line, "on bob hippogriff").await;
    let at = |root: &str, page: &str| format!("{root}board/Pow2/{number}{page}");
    let pages = ["", "/1", "/words", "/record.txt"];
    for root in [&alice, &bob] {
        for page in pages {
            let shown = house.get(&at(root, page)).await.body;
            assert_eq!(shown.matches("basilisk").count(), 2, "{page} {shown}");
            assert!(page.ends_with("txt") || !shown.contains("<b>basilisk"), "{shown}");
        }
    }
    for page in ["", "/1"] {
        let shown = house.get(&at(&alice, page)).await.body;
        assert!(shown.contains("hippogriff") && shown.contains("Your note, for you alone"));
    }
    assert!(
        house
            .get(&format!("{alice}players/bob"))
            .await
            .body
            .contains("hippogriff")
    );
    let everybody = async |expected: usize| {
        for root in [carol.as_str(), PATH] {
            for page in pages {
                let shown = house.get(&at(root, page)).await.body;
                assert_eq!(
                    shown.matches("basilisk").count(),
                    expected,
                    "{root} {page} {shown}"
                );
            }
        }
    };
    everybody(0).await;
    for root in [bob.as_str(), &carol, PATH] {
        let own = [
            at(root, ""),
            at(root, "/words"),
            at(root, "/turn"),
            at(root, "/feed.atom"),
        ];
        for page in own
            .into_iter()
            .chain([format!("{root}players/bob"), format!("{root}players/alice")])
        {
            assert!(!house.get(&page).await.body.contains("hippogriff"), "{page}");
        }
    }
    // By the buttons of both.
    for root in [&alice, &bob] {
        let form = house.form(&format!("shown={}&do=public", board.events.newest()));
        let (is_done, after) = house.press(&at(root, "/turn"), &form).await;
        assert!(is_done, "{}", after.body);
    }
    everybody(2).await;
    // Who wants no name there has none there, and the notes of the record are left out, which have it.
    house.pages.ask(ALICE, "set alice fig7elk web off").await;
    let shown = house.get(&at(PATH, "/1")).await.body;
    assert!(!shown.contains("alice") && shown.contains("(someone)"), "{shown}");
    assert!(!house.get(&at(PATH, "/record.txt")).await.body.contains("alice"));
    let form = house.form(&format!("shown={}&do=private", board.events.newest()));
    house.press(&at(&bob, "/turn"), &form).await;
    everybody(0).await;
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_refused_keeps_the_words_where_they_were() {
    let house = House::open().await;
    let number = house.set_up(STATES[19]).await;
    let board = house.board(number);
    let turn = format!("{}board/Pow2/{number}/turn", house.root("alice", &board));
    let shown = house.get(&format!("{turn}?turn=1")).await.body;
    assert!(
        shown.contains("<details open>") && shown.contains("Well begun"),
        "{shown}"
    );
    let form = house.form(&format!(
        "shown={}&do=comment&turn=9&words=basilisk",
        board.events.newest()
    ));
    let (is_done, after) = house.press(&turn, &form).await;
    assert!(
        !is_done && said(&after.body, "alert").contains("there is no turn 9"),
        "{}",
        after.body
    );
    let (_, field) = after.body.split_once("id=\"w\"").unwrap();
    assert!(
        field.split("</textarea>").next().unwrap().ends_with(">basilisk"),
        "{}",
        after.body
    );
    // The longest words on many turns leave the pages small.
    let reader = house.pages.stage.server.reader().unwrap();
    assert!(reader.board(find("Pow2").unwrap(), number).unwrap().is_some());
    let words = "&".repeat(1000);
    let form = format!(
        "shown={}&do=comment&turn=1&words={}",
        board.events.newest(),
        words.replace('&', "%26")
    );
    let (is_done, after) = house.press(&turn, &house.form(&form)).await;
    assert!(is_done, "{}", after.body);
    for page in ["", "/1", "/words", "/turn"] {
        let place = format!("{}board/Pow2/{number}{page}", house.root("alice", &board));
        let body = house.get(&place).await.body;
        assert!(body.len() < 50_000, "{page} has {} bytes", body.len());
    }
    house.pages.close().await;
}
