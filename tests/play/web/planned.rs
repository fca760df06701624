//! Conditional turns on the pages: a line that is walked becomes a plan, and the plan a tree of links.

use pbmserv_core::command::line_in_path;

use super::house::{House, heading, said};
use super::sent::forms;
use super::{ALICE, BOB, attributes, unescaped};

/// The form of a page that has this button.
fn form(page: &str, button: &str) -> (String, String) {
    let mut all = forms(page).into_iter();
    let found = all.find(|(_, form)| form.split('&').any(|field| field == format!("do={button}")));
    found.unwrap_or_else(|| panic!("no button {button}: {page}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_that_is_walked_becomes_a_plan() {
    let house = House::open().await;
    let pages = &house.pages;
    pages.ask(ALICE, "Breakthrough challenge alice bob").await;
    let board = || {
        pages
            .stage
            .server
            .reader()
            .unwrap()
            .board(pbmserv_games::find("Breakthrough").unwrap(), 101)
            .unwrap()
            .unwrap()
    };
    let alice = format!("{}board/Breakthrough/101/", house.root("alice", &board()));
    let bob = format!("{}board/Breakthrough/101/", house.root("bob", &board()));
    // Alice is to move: her turn is played, and the answer after it planned.
    let page = house.get(&format!("{alice}try/0/a2-a3_a7-a6_b2-b3/3")).await.body;
    let (action, sent) = form(&page, "play");
    assert_eq!(action, format!("{alice}turn"));
    let (is_done, after) = house.press(&action, &sent).await;
    assert!(
        is_done && said(&after.body, "status").starts_with("You played a2-a3"),
        "{}",
        after.body
    );
    assert_eq!(
        board().plan.as_ref().map(|(_, plan)| plan.to_line()).as_deref(),
        Some("if a7-a6 then b2-b3")
    );
    // She waits: another line is added.
    let page = house
        .get(&format!("{alice}try/1/b7-b6_b2-b3_c7-c6_c2-c3_d7-d6/5"))
        .await
        .body;
    assert!(
        page.contains("<pre>if a7-a6 then b2-b3\nif b7-b6 then b2-b3\n  if c7-c6 then c2-c3</pre>"),
        "{page}"
    );
    let (action, sent) = form(&page, "plan");
    let (is_done, after) = house.press(&action, &sent).await;
    assert!(is_done, "{}", after.body);
    // The tree leads to the boards.
    let shown = after.body;
    assert!(
        heading(&shown).contains("101") || shown.contains("It is not your turn"),
        "{shown}"
    );
    let links: Vec<_> = attributes(&shown, "href")
        .into_iter()
        .filter(|link| link.starts_with("try/1/"))
        .collect();
    assert_eq!(
        links,
        [
            "try/1/a7-a6_b2-b3/2",
            "try/1/b7-b6_b2-b3/2",
            "try/1/b7-b6_b2-b3_c7-c6_c2-c3/4",
            "try/1/-/0"
        ]
    );
    let end = house.get(&format!("{alice}{}", links[2])).await.body;
    assert_eq!(heading(&end), "White tries c2-c3");
    // Nobody else is offered it or sees it.
    for place in [
        format!("{bob}turn"),
        format!("{bob}try/1/b7-b6_b2-b3/2"),
        bob.trim_end_matches('/').to_owned(),
    ] {
        let page = unescaped(&house.get(&place).await.body);
        assert!(
            !page.contains("if a7-a6") && !page.contains("if b7-b6 then b2-b3\n"),
            "{page}"
        );
    }
    let visitor = house
        .get(&format!(
            "{}board/Breakthrough/101/try/1/b7-b6_b2-b3/2",
            super::PATH
        ))
        .await
        .body;
    assert!(!visitor.contains("Plan this"), "{visitor}");
    // A plan that cannot be kept is shown again with the reason.
    let (is_done, after) = house
        .press(
            &action,
            &sent.replace("form=", "form=9").replace("c2-c3", "c2-c8"),
        )
        .await;
    assert!(
        !is_done && said(&after.body, "alert").contains("c2-c8 cannot be played"),
        "{}",
        after.body
    );
    assert!(after.body.contains("then c2-c8</textarea>"), "{}", after.body);
    // The page of a board that has gone on changes nothing.
    let (_, old) = form(&house.get(&format!("{alice}turn")).await.body, "plan");
    // Bob plays what was planned for.
    pages.ask(BOB, "Breakthrough move 101 bob oak4jay b7-b6").await;
    let turns: Vec<_> = pages.stage.server.reader().unwrap().turns(board().id).unwrap();
    assert_eq!(
        turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>(),
        ["a2-a3", "b7-b6", "b2-b3"]
    );
    let (is_done, after) = house.press(&action, &old).await;
    assert!(
        !is_done && said(&after.body, "alert").contains("the board has moved on"),
        "{}",
        after.body
    );
    let (action, sent) = form(&house.get(&format!("{alice}turn")).await.body, "unplan");
    let (is_done, _) = house.press(&action, &sent).await;
    assert!(is_done && board().plan.is_none());
    house.pages.close().await;
}

/// Where there are dice, a line is added for each roll, and that they roll goes without saying.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_has_an_answer_for_each_roll() {
    let house = House::open().await;
    let pages = &house.pages;
    pages.ask(ALICE, "Backgammon challenge alice bob -points=3").await;
    pages
        .ask(ALICE, "Backgammon move 101 alice fig7elk roll plum")
        .await;
    pages.ask(BOB, "Backgammon move 101 bob oak4jay roll").await;
    let reader = pages.stage.server.reader().unwrap();
    let board = reader
        .board(pbmserv_games::find("Backgammon").unwrap(), 101)
        .unwrap()
        .unwrap();
    let waiting = board.to_move.unwrap().other();
    let mut position = board.replay(reader.turns(board.id).unwrap(), 2).unwrap().game;
    let played = position.turns(1).remove(0);
    position.play(&played).unwrap();
    position.play("roll").unwrap();
    let answers = [[3, 1], [6, 4]].map(|dice| {
        let mut rolled = position.fork();
        rolled.roll(dice);
        rolled.turns(1).remove(0)
    });
    let at = format!(
        "{}board/Backgammon/101/",
        house.root(&board.at(waiting).userid, &board)
    );
    for (count, answer) in (1..).zip(&answers) {
        let line = line_in_path(&[played.clone(), "roll".to_owned(), answer.clone()]);
        let page = house.get(&format!("{at}try/2/{line}/3")).await.body;
        let (action, sent) = form(&page, "plan");
        let (is_done, after) = house.press(&action, &sent).await;
        assert!(is_done, "{}", after.body);
        let text = unescaped(&after.body);
        for answer in &answers[..count] {
            assert!(text.contains(&format!("if {played} then {answer}")), "{text}");
        }
        // The tree leads to the board after the roll.
        let link = attributes(&after.body, "href")
            .into_iter()
            .find(|link| link.contains("/3") && link.starts_with("try/2/"));
        let there = house.get(&format!("{at}{}", link.unwrap())).await;
        assert_eq!(there.status, 200);
        assert!(heading(&there.body).contains(&answers[0]), "{}", there.body);
    }
    house.pages.close().await;
}
