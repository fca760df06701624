//! What a player can do from the own page and from a board, without a mail: go on to the next board, answer what is asked, begin and
//! seek games, invite, rest, and follow boards of others.

use pbmserv_core::store::Watched;
use pbmserv_games::find;

use super::house::{House, STATES, said};
use super::smaller::{own, to};
use super::{ALICE, BOB, PATH, Pages, attributes};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_board_is_the_one_with_the_nearest_deadline_that_the_key_opens() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "LOA challenge alice bob").await;
    pages.ask(ALICE, "Hex challenge alice bob --forfeittime=5").await;
    let home = pages.own("alice");
    let page = pages.get(&format!("{home}board/Pow2/101/turn")).await.body;
    let next = format!("href=\"{home}board/Hex/101/turn\">Next board (2 wait)");
    assert!(page.contains(&next), "{page}");
    let event = attributes(&page[page.find("name=\"shown\"").unwrap()..], "value").remove(0);
    let form = format!("form=n1&shown={event}&do=play&turn=m1-i1");
    let played = pages.post(&format!("{home}board/Pow2/101/turn"), &form).await;
    let page = pages.get(played.field("location").unwrap()).await.body;
    assert!(page.contains(&next), "{page}");
    // The key of a letter opens its board alone.
    let letters = pages.ask(ALICE, "Pow2 show 101").await;
    let smaller = own(to(&letters, ALICE));
    let page = pages.get(&format!("{smaller}board/Pow2/101/turn")).await.body;
    assert!(!page.contains("Next board"), "{page}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_word_for_the_dice_is_given_with_the_first_turn_alone() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Backgammon challenge alice bob").await;
    for (userid, word) in [("alice", "Good+luck"), ("alice", "Plum"), ("bob", "")] {
        let turn = format!("{}board/Backgammon/101/turn", pages.own(userid));
        let page = pages.get(&format!("{turn}?turn=roll")).await.body;
        assert!(page.contains("A word of yours for the dice"), "{page}");
        let event = attributes(&page[page.find("name=\"shown\"").unwrap()..], "value").remove(0);
        let form = format!("form={userid}{word}&shown={event}&do=play&turn=roll&word={word}");
        let played = pages.post(&turn, &form).await;
        let was_played = played.field("location").is_some();
        assert_eq!(was_played, word != "Good+luck", "{}", played.body);
    }
    let record = pages
        .get(&format!("{PATH}board/Backgammon/101/record.txt"))
        .await
        .body;
    assert!(record.contains("[Words \"plum black\"]"), "{record}");
    let page = pages.get(&format!("{PATH}board/Backgammon/101")).await.body;
    assert!(page.contains("Backgammon-101.mat"), "{page}");
    let mat = pages
        .get(&format!("{PATH}board/Backgammon/101/record.mat"))
        .await
        .body;
    assert!(mat.contains("\n 1 point match\n"), "{mat}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_turn_the_page_shows_the_answer_of_a_computer_or_has_a_link_to_look_again() {
    let house = House::open().await;
    let number = house.set_up(STATES[15]).await;
    let turn = format!("{}board/Pow2/{number}/turn", house.pages.own("alice"));
    let shown = house.board(number).events.newest();
    let form = house.form(&format!("shown={shown}&do=play&turn=m13-j7"));
    // Nobody thinks: the page comes all the same.
    let played = house.pages.post(&turn, &form).await;
    let place = played.field("location").unwrap().to_owned();
    let page = house.get(&place).await.body;
    assert!(page.contains(">Look again</a>"), "{page}");
    assert!(!page.contains("http-equiv"), "{page}");
    // Somebody thinks while the same form waits.
    let thinking = &house.pages.stage.server.thinking;
    let (again, thought) = tokio::join!(house.pages.post(&turn, &form), thinking.until_idle());
    thought.unwrap();
    let page = house.get(again.field("location").unwrap()).await.body;
    assert!(
        page.contains("Your turn, alice") && !page.contains("Look again"),
        "{page}"
    );
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offers_and_questions_stand_first_and_are_answered_by_a_button() {
    let house = House::open().await;
    let home = house.pages.own("alice");
    let drawn = house.set_up(STATES[5]).await;
    let again = house.set_up(STATES[12]).await;
    house
        .pages
        .ask("stranger@elsewhere.example", "Hex challenge alice bob --unrated")
        .await;
    let page = house.get(&home).await.body;
    let first = page.find("Accept the draw").unwrap();
    assert!(
        first < page.find("boards/").or(page.find(">Play</a>")).unwrap(),
        "{page}"
    );
    for part in ["Play again", "A game with bob was asked for", "with --unrated"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let question = house.form("game=Hex&what=bob&options=--unrated");
    let (is_done, begun) = house.press(&format!("{home}begin"), &question).await;
    assert!(
        is_done && begun.body.contains("Your turn, alice") && begun.body.contains("<i>Hex</i> board 101"),
        "{}",
        begun.body
    );
    for number in [drawn, again] {
        let shown = house.board(number).events.newest();
        let form = house.form(&format!("shown={shown}&do=accept"));
        assert!(
            house
                .press(&format!("{home}board/Pow2/{number}/turn"), &form)
                .await
                .0
        );
    }
    assert!(house.board(drawn).end.is_some());
    let reader = house.pages.stage.server.reader().unwrap();
    let hex = reader.board(find("Hex").unwrap(), 101).unwrap().unwrap();
    assert!(!hex.terms.rated);
    let page = house.get(&home).await.body;
    assert!(!page.contains("What you are asked"), "{page}");
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_ends_the_question_for_its_player_alone_and_once() {
    let house = House::open().await;
    let (alice, bob) = (house.pages.own("alice"), house.pages.own("bob"));
    house
        .pages
        .ask("stranger@elsewhere.example", "Hex challenge alice bob --unrated")
        .await;
    let page = house.get(&alice).await.body;
    let at = page.find("formaction=\"").unwrap();
    let row = attributes(&page[at..], "value").remove(0);
    let form = house.form(&format!("row={row}"));
    let (is_done, refused) = house.press(&format!("{bob}no"), &form).await;
    assert!(!is_done && said(&refused.body, "alert").contains("has ended"));
    assert!(
        house
            .get(&alice)
            .await
            .body
            .contains("A game with bob was asked for")
    );
    let (is_done, page) = house.press(&format!("{alice}no"), &form).await;
    assert!(
        is_done && said(&page.body, "status").contains("The game is not begun"),
        "{}",
        page.body
    );
    assert!(!page.body.contains("A game with bob was asked for"));
    house.pages.stage.collect().await;
    let (is_done, _) = house.press(&format!("{alice}no"), &form).await;
    assert!(!is_done && house.pages.stage.collect().await.is_empty());
    let reader = house.pages.stage.server.reader().unwrap();
    assert!(reader.board(find("Hex").unwrap(), 101).unwrap().is_none());
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_sought_and_a_vacation_begun_and_both_are_ended() {
    let house = House::open().await;
    let (home, reader) = (
        house.pages.own("alice"),
        house.pages.stage.server.reader().unwrap(),
    );
    let (alice, hex) = (reader.player("alice").unwrap().unwrap(), find("Hex").unwrap());
    let press = async |place: &str, fields: &str| {
        let form = house.form(fields);
        let (is_done, after) = house.press(&format!("{home}{place}"), &form).await;
        assert!(is_done, "{fields}: {}", after.body);
        after.body
    };
    let page = press("seek", "game=Hex&boards=2&options=--unrated").await;
    assert!(
        page.contains("You seek an opponent") && page.contains("End: seek no game of Hex any more"),
        "{page}"
    );
    assert_eq!(reader.seek(alice.id, hex).unwrap().unwrap().left_over, 2);
    press("seek", "game=Hex&boards=0").await;
    assert!(reader.seek(alice.id, hex).unwrap().is_none());
    let page = press("vacation", "days=3").await;
    assert!(page.contains("You are on vacation until"), "{page}");
    press("vacation", "days=off").await;
    assert!(reader.vacation(alice.id).unwrap().is_none());
    // Nothing is known of a game that there is not, and what is wrong is said.
    let wrong = house
        .press(&format!("{home}seek"), &house.form("game=Shogi&boards=1"))
        .await;
    assert_eq!(wrong.1.status, 400);
    let wrong = house
        .press(&format!("{home}begin"), &house.form("game=Hex&opponent=nobody1"))
        .await;
    assert!(
        !wrong.0 && !said(&wrong.1.body, "alert").is_empty(),
        "{}",
        wrong.1.body
    );
    let early = house
        .press(
            &format!("{home}invite"),
            &house.form("game=Hex&address=dan@elsewhere.example"),
        )
        .await;
    assert!(
        said(&early.1.body, "alert").contains("Finish a game first"),
        "{}",
        early.1.body
    );
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_of_others_is_followed_by_a_form_and_no_page_asks_for_a_password() {
    let house = House::open().await;
    let number = house.set_up(STATES[2]).await;
    let board = house.board(number);
    let reader = house.pages.stage.server.reader().unwrap();
    let carol = reader.player("carol").unwrap().unwrap();
    let place = format!("{}board/Pow2/{number}", house.root("carol", &board));
    let follows = || {
        reader
            .watches(carol.id, Watched::Board(board.id))
            .unwrap()
            .is_some()
    };
    for (button, is_followed) in [("subscribe", true), ("unsubscribe", false)] {
        let page = house.get(&place).await.body;
        assert!(
            page.contains(&format!("name=\"do\" value=\"{button}\"")),
            "{page}"
        );
        let form = house.form(&format!("do={button}"));
        assert!(house.press(&format!("{place}/follow"), &form).await.0);
        assert_eq!(follows(), is_followed);
    }
    // Its players follow it anyway.
    let own = format!("{}board/Pow2/{number}", house.pages.own("bob"));
    let (is_done, page) = house
        .press(&format!("{own}/follow"), &house.form("do=subscribe"))
        .await;
    assert!(!is_done && page.status == 409, "{}", page.body);
    let public = format!("{PATH}board/Pow2/{number}");
    for place in [
        public.clone(),
        place,
        own,
        house.pages.own("alice"),
        format!("{PATH}k/kae-aa2wnon5wjxvmdbiplg5ap4kga/"),
    ] {
        let page = house.get(&place).await.body;
        assert!(!page.contains("PASSWORD"), "{place}: {page}");
    }
    assert!(!house.get(&public).await.body.contains("<form"));
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_boards_are_sorted_and_chosen_by_links() {
    let house = House::open().await;
    let home = house.pages.own("alice");
    for game in ["Hex", "LOA", "Forms", "Gomoku"] {
        house
            .pages
            .ask(ALICE, &format!("{game} challenge alice bob"))
            .await;
        house.pages.ask(BOB, &format!("{game} challenge bob alice")).await;
    }
    let page = house.get(&home).await.body;
    let links: Vec<_> = attributes(&page, "href")
        .into_iter()
        .filter(|link| link.starts_with('?'))
        .collect();
    assert!(
        links.contains(&"?game=Hex".to_owned()) && links.contains(&"?by=game".to_owned()),
        "{links:?}"
    );
    let shown = async |query: &str| {
        let page = house.get(&format!("{home}{query}")).await.body;
        let buttons = page.split("aria-label=\"Play ").skip(1);
        let titles = buttons.filter_map(|rest| rest.split_once(", board").map(|(title, _)| title.to_owned()));
        titles.filter(|title| title.len() < 40).collect::<Vec<_>>()
    };
    assert_eq!(
        shown("?by=game").await,
        ["Forms", "Gomoku", "Hex", "Lines of Action"]
    );
    assert_eq!(shown("?game=hex").await, ["Hex"]);
    assert_eq!(shown("?game=Hex&with=carol").await, Vec::<String>::new());
    // What an address says otherwise is no board of anybody's.
    assert_eq!(shown("?by=x&with=%22%3E%3Cb%3E").await, Vec::<String>::new());
    house.pages.close().await;
}
