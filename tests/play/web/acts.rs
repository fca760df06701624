//! Every button of every page, in every state of a board, pressed by everybody: the page says what happened, in words that fit.

use std::collections::BTreeSet;

use pbmserv::web::buttons;
use pbmserv_core::table::{Board, End};
use pbmserv_games::{Outcome, Seat};

use super::house::{House, STATES, heading, said};
use super::{ALICE, Answer, BOB, links};

/// Who presses, by the beginning of the paths of their pages.
const VIEWERS: [&str; 5] = ["alice", "alice's letter", "bob", "carol", "nobody"];

/// The words of a text, without the name of its board.
fn without_board(text: &str, board: &Board) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace(&format!(" on {}", board.name()), "")
}

/// No page says that somebody has won who has not.
fn assert_true(page: &Answer, board: &Board, case: &str) {
    let text = page.body.replace("nobody has won", "").replace("who has won", "");
    let text = text.replace("(computer, ", "(");
    if text.contains("has won") {
        let winner = match board.end {
            Some(End::Finished(ending)) => match ending.outcome {
                Outcome::Won(seat) => seat,
                Outcome::Drawn => panic!("{case}: {}", page.body),
            },
            _ => panic!("{case}: {}", page.body),
        };
        let (userid, side) = (&board.at(winner).userid, board.game.facts.sides[winner.index()]);
        let names = [userid.clone(), side.to_owned(), format!("{userid} ({side})")];
        let wins = names.map(|name| text.matches(&format!("{name} has won")).count());
        assert_eq!(
            text.matches("has won").count(),
            wins.iter().sum::<usize>(),
            "{case}: {}",
            page.body
        );
    }
    assert!(
        !page.body.contains("There is no such page"),
        "{case}: {}",
        page.body
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn every_button_in_every_state_says_what_happened() {
    let house = House::open().await;
    let (mut worked, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for state in STATES {
        // The board of the last press, if that has changed nothing.
        let mut unchanged = None;
        for viewer in VIEWERS {
            let is_player = matches!(viewer, "alice" | "alice's letter" | "bob");
            if viewer == "bob" && state.0.starts_with("against a computer") {
                continue;
            }
            for button in buttons() {
                let case = format!("{button} by {viewer}, {}", state.0);
                let number = match unchanged.take() {
                    Some(number) => number,
                    None => house.set_up(state).await,
                };
                let before = house.board(number);
                let root = house.root(viewer, &before);
                let path = format!("{root}board/Pow2/{number}/turn");
                let turn = match button {
                    "comment" => "1".to_owned(),
                    _ => house.turn(&before),
                };
                if viewer == "carol" && matches!(before.end, Some(End::Removed(_))) {
                    // It is nobody's business.
                    assert_eq!(house.get(&path).await.status, 404, "{case}");
                    continue;
                }
                let page = house.get(&format!("{path}?turn={turn}")).await;
                assert_true(&page, &before, &case);
                assert_eq!(
                    page.status,
                    match viewer {
                        "carol" => 403,
                        "nobody" => 404,
                        _ => 200,
                    },
                    "{case}"
                );
                let is_shown = page.body.contains(&format!("value=\"{button}\""))
                    || (button == "resign" && page.body.contains("/resign\">"));
                if button == "resign" && is_player && before.end.is_none() {
                    let own = usize::from(viewer == "bob");
                    let seat = Seat::BOTH[own];
                    let question = house.get(&format!("{root}board/Pow2/{number}/resign")).await.body;
                    let (declines, resigns) = (
                        question.contains("Do you decline the game") && question.contains("nobody has won"),
                        question.contains("Do you give the game") && question.contains("has won"),
                    );
                    let has_moved = before.has_moved(seat);
                    assert_eq!((declines, resigns), (!has_moved, has_moved), "{case}: {question}");
                }
                let is_written = ["play", "chat", "note", "comment", "resign"].contains(&button)
                    && page.body.contains("name=\"words\"");
                let words = match button {
                    "plan" => "&words=if+any+then+m1-i1",
                    _ if is_written => "&words=Hello",
                    _ => "",
                };
                let form = house.form(&format!(
                    "shown={}&do={button}&turn={turn}{words}",
                    before.events.newest()
                ));
                let (is_done, after) = house.press(&path, &form).await;
                let board = house.board(number);
                assert_true(&after, &board, &case);
                let letters = house.pages.stage.collect().await;
                let is_changed = format!("{before:?}") != format!("{board:?}") || !letters.is_empty();
                assert_eq!(
                    is_done, is_changed,
                    "{case}: {} {board:?} {letters:?}",
                    after.body
                );
                if is_done {
                    worked.insert(button);
                    assert!(is_player, "{case}");
                    assert_eq!(after.status, 200, "{case}");
                    let told = said(&after.body, "status");
                    // The heading says the last turn.
                    let told = if told.is_empty() {
                        heading(&after.body)
                    } else {
                        told
                    };
                    let own = if viewer == "bob" { BOB } else { ALICE };
                    let letter = letters.iter().find(|letter| letter.to.as_str() == own);
                    let text = letter.map(|letter| without_board(&letter.text, &board));
                    // What a computer has answered waits to be seen on a page.
                    let waits = button == "play" && state.0.starts_with("against a computer");
                    assert!(
                        text.as_ref().map_or(waits, |text| {
                            text.contains(&without_board(&told, &board))
                                || button == "chat" && told.starts_with("Your words go to")
                                || button == "comment" && told.starts_with("Your words on turn 1 of")
                                || button == "note" && told.starts_with("Your note is kept")
                        }),
                        "{case}: {told} of {text:?}"
                    );
                } else {
                    unchanged = Some(number);
                    refused.insert(button);
                    let can_refuse =
                        ["propose", "undo"].contains(&button) && state.0.starts_with("against a computer");
                    assert!(!is_shown || can_refuse, "{case}: {}", after.body);
                    let told = match is_player {
                        true => (after.status, said(&after.body, "alert")),
                        false => (after.status, heading(&after.body)),
                    };
                    let status = match viewer {
                        "carol" => 403,
                        "nobody" => 404,
                        _ => 409,
                    };
                    assert!(told.0 == status && !told.1.is_empty(), "{case}: {}", after.body);
                }
                let (_, again) = house.press(&path, &form).await;
                assert_eq!(
                    format!("{board:?}"),
                    format!("{:?}", house.board(number)),
                    "{case}"
                );
                assert_true(&again, &board, &case);
                match is_done {
                    true => assert!(
                        said(&again.body, "status").starts_with("Nothing was changed now"),
                        "{case}: {}",
                        again.body
                    ),
                    false => assert_eq!(said(&again.body, "alert"), said(&after.body, "alert"), "{case}"),
                }
            }
        }
    }
    let all: BTreeSet<_> = buttons().collect();
    assert_eq!((worked, refused), (all.clone(), all));
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_asks_whether_to_decline_resigns_nothing_later() {
    let house = House::open().await;
    let number = house.set_up(STATES[0]).await;
    let board = house.board(number);
    let turn = format!("{}board/Pow2/{number}/turn", house.root("alice", &board));
    let form = house.form(&format!("shown={}&do=resign", board.events.newest()));
    house.write("alice", "move # m13-j7", number).await;
    let (is_done, after) = house.press(&turn, &form).await;
    assert!(
        !is_done && said(&after.body, "alert").contains("Nothing was done"),
        "{}",
        after.body
    );
    assert_eq!(house.board(number).end, None);
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_of_a_players_board_leads_somewhere_in_every_state() {
    let house = House::open().await;
    for state in STATES {
        let number = house.set_up(state).await;
        for viewer in ["alice", "alice's letter"] {
            let own = format!("{}board/Pow2/{number}", house.root(viewer, &house.board(number)));
            for place in [own.clone(), format!("{own}/turn"), format!("{own}/resign")] {
                let page = house.get(&place).await;
                assert_eq!(page.status, 200, "{place}, {}", state.0);
                for link in links(&page.body)
                    .into_iter()
                    .filter(|link| link.starts_with(&own))
                {
                    assert_eq!(house.get(&link).await.status, 200, "{link}, {}", state.0);
                }
            }
        }
    }
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_letter_about_a_finished_board_offers_is_done() {
    let house = House::open().await;
    let show = async |state| {
        let line = format!("Pow2 show {}", house.set_up(state).await);
        house.pages.ask(ALICE, &line).await.remove(0)
    };
    for state in STATES
        .into_iter()
        .filter(|(_, events)| FINISHED.iter().any(|end| events.contains(end)) && !events.contains("pause"))
    {
        let text = show(state).await.text;
        assert!(!text.contains("/turn"), "{}: {text}", state.0);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((_, words)) = text.split_once("You can answer with: ") else {
            continue;
        };
        let (words, _) = words.split_once(". Each stands").unwrap();
        // A note may have commas too.
        let words: Vec<_> = words
            .split(", ")
            .filter_map(|word| word.split(' ').next())
            .collect();
        assert!(words.contains(&"show"), "{text}");
        // A review thinks long.
        for word in words
            .into_iter()
            .filter(|word| !["with", "review"].contains(word))
        {
            // It takes the number of a turn.
            let word = if word == "comment" { "comment 1" } else { word };
            let letters = house
                .answer(&show(state).await, &format!("{word}\n\nHello"))
                .await;
            assert!(
                !letters.iter().any(|letter| letter.kind == "notdone"),
                "{word}: {letters:?}"
            );
        }
        let proposed = house.answer(&show(state).await, "propose").await.remove(0).text;
        assert!(
            !proposed.contains("/turn") && proposed.contains("is over"),
            "{proposed}"
        );
    }
    house.pages.close().await;
}

/// What ends a board in the list of states, and leaves it to its players.
const FINISHED: [&str; 3] = ["alice resign", "accept", "void"];
