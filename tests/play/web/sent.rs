//! Every form of every page, sent twice: the page says what was done, and that nothing was done again.

use std::collections::BTreeSet;

use pbmserv_core::dispatch::Purpose;
use pbmserv_games::find;

use super::house::{House, STATES, said};
use super::{ALICE, BOB, PATH, attributes};

/// The forms of a page that change something, as a browser sends them: one for each button.
pub(super) fn forms(page: &str) -> Vec<(String, String)> {
    let mut sent = Vec::new();
    for rest in page.split("<form method=\"post\"").skip(1) {
        let form = rest.split("</form>").next().unwrap();
        let (mut fields, mut pressed, mut select) = (Vec::new(), Vec::new(), None);
        for tag in form.split('<').skip(1) {
            let one = |name: &str| attributes(tag, name).into_iter().next();
            let value = match tag.split([' ', '>']).next().unwrap() {
                "input" => match (one("value").unwrap_or_default(), one("name").as_deref()) {
                    (value, Some("opponent")) if value.is_empty() => "bob".to_owned(),
                    (value, Some("name")) if value.is_empty() => "winter".to_owned(),
                    (value, Some("userid")) if value.is_empty() => "bob".to_owned(),
                    (value, Some("address")) if value.is_empty() => "dan@elsewhere.example".to_owned(),
                    (value, _) => value,
                },
                "textarea" if one("id").as_deref() == Some("p") => "if any then m1-i1".to_owned(),
                "textarea" => "Hello".to_owned(),
                "select" => {
                    select = one("name");
                    continue;
                }
                // The first one is chosen.
                "option" => {
                    let text = tag.split_once('>').map(|(_, text)| text.to_owned());
                    let value = one("value").or(text).unwrap();
                    fields.extend(select.take().map(|name| (name, value)));
                    continue;
                }
                "button" => {
                    pressed.push(one("name").zip(one("value")));
                    continue;
                }
                _ => continue,
            };
            fields.extend(one("name").map(|name| (name, value)));
        }
        let action = attributes(form, "action").remove(0);
        for button in pressed {
            let all = fields.iter().cloned().chain(button);
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(all);
            sent.push((action.clone(), form.finish()));
        }
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_form_says_what_it_did_and_sent_again_that_it_did_nothing() {
    let house = House::open().await;
    let number = house.set_up(STATES[2]).await;
    house.pages.ask(BOB, "Forms seek bob oak4jay 2").await;
    let board = house.board(number);
    // A friend can be invited after the first game, and an offer and a question wait.
    house.set_up(STATES[12]).await;
    let commented = house.set_up(STATES[20]).await;
    house.pages.ask(ALICE, "mynotes alice fig7elk bob quick").await;
    house
        .pages
        .ask("stranger@elsewhere.example", "Hex challenge alice bob")
        .await;
    let reader = house.pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let digest = pbmserv_core::table::Unasked::Digest.number(alice.id).unwrap();
    let leave = pbmserv_core::dispatch::token(
        &house.pages.stage.server.key,
        Purpose::Leave,
        digest,
        alice.generation,
    );
    house.pages.ask(ALICE, "set alice fig7elk digest on").await;
    house.pages.ask(BOB, "cup bob oak4jay new summer Hex").await;
    for line in [
        "Hex league alice fig7elk join",
        "Hex ladder alice fig7elk join",
        "cup alice fig7elk join summer",
    ] {
        house.pages.ask(ALICE, line).await;
    }
    let state = || {
        let boards = |game: &str| reader.board_counts(find(game).unwrap()).unwrap();
        let company = (
            reader.leagues_of(alice.id).unwrap().len(),
            reader.ladders_of(alice.id).unwrap().len(),
            reader
                .contests_of(alice.id, house.pages.stage.server.now())
                .unwrap()
                .len(),
            reader.open_cups_by(alice.id).unwrap(),
        );
        format!(
            "{:?} {:?} {company:?}",
            reader.preferences(alice.id).unwrap(),
            ["Forms", "Pow2"].map(boards)
        )
    };
    let mut pressed = BTreeSet::new();
    for place in [
        format!("{PATH}u/{leave}"),
        house.root("alice", &board),
        house.root("alice's letter", &board),
        format!("{}board/Pow2/{number}/turn", house.root("alice", &board)),
        format!("{}board/Pow2/{commented}/turn", house.root("alice", &board)),
        format!("{}players/bob", house.root("alice", &board)),
        format!("{}board/Pow2/{number}", house.root("carol", &board)),
        format!("{}board/Pow2/{number}/try/2/m1-i1/1", house.root("carol", &board)),
        format!("{}games/Hex/league", house.root("alice", &board)),
        format!("{}games/Hex/ladder", house.root("alice", &board)),
        format!("{}cups", house.root("alice", &board)),
        format!("{}cups/winter", house.root("alice", &board)),
        format!("{}cups/winter/end", house.root("alice", &board)),
    ] {
        let page = house.get(&place).await.body;
        let all = forms(&page);
        assert!(!all.is_empty(), "{page}");
        for (action, form) in all {
            // An offer was accepted by the button before.
            if action.ends_with("/turn") && !place.ends_with("/turn") && form.contains("do=reject") {
                continue;
            }
            let (is_done, after) = house.press(&action, &form).await;
            assert_eq!(after.status, 200, "{action} {form}: {}", after.body);
            let before = state();
            let (_, again) = house.press(&action, &form).await;
            assert_eq!(state(), before, "{action} {form}");
            if action.contains("/u/") {
                assert!(
                    after.body.contains("They have ended") && again.body.contains("Nothing was changed now")
                );
            } else {
                let (after, again) = (said(&after.body, "status"), said(&again.body, "status"));
                assert!(is_done && !after.is_empty(), "{action} {form}");
                assert!(
                    again.starts_with("Nothing was changed now") && again.contains(&after),
                    "{action} {form}: {again}"
                );
            }
            pressed.insert(kind(&action));
        }
        house.pages.stage.collect().await;
    }
    // All that there are.
    let mut written = BTreeSet::new();
    for file in std::fs::read_dir("templates/web").unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let forms = text.split("method=\"post\" action=\"").skip(1);
        written.extend(forms.map(|rest| {
            let action = rest.split('"').next().unwrap();
            action
                .split("{{")
                .map(|part| part.split("}}").last().unwrap())
                .collect::<String>()
        }));
    }
    // What a player has asked for by mail is in `data`. Those of newcomers and visitors have no number: `join`, `guest` and `dice` press
    // them. The form that plays a turn, a visitor's too, has the address of its page.
    let without = ["", "join", "j/", "k//data", "play/", "play//keep", "dice"];
    written.retain(|action| !without.contains(&action.as_str()));
    assert_eq!(pressed, written);
    house.pages.close().await;
}

/// The address of a form, without what differs from page to page.
fn kind(action: &str) -> String {
    match action.split_once("/u/") {
        Some(_) => "u/".to_owned(),
        None => {
            let (_, own) = action.split_once("/k/").unwrap();
            let (_, place) = own.split_once('/').unwrap();
            match place.split('/').collect::<Vec<_>>()[..] {
                ["board", _, _, "try", ..] => "board///try///".to_owned(),
                ["board", _, _, what] => format!("board///{what}"),
                ["players", _, what] => format!("players//{what}"),
                _ => place.to_owned(),
            }
        }
    }
}
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_there_says_which_requests_it_takes() {
    let house = House::open().await;
    let own = house.pages.own("alice");
    for (place, method, allowed) in [
        (PATH.to_owned(), "POST", "GET,HEAD"),
        (format!("{own}house"), "PUT", "GET,HEAD"),
        (format!("{own}set"), "GET", "POST"),
        (format!("{own}board/Pow2/101/turn"), "DELETE", "GET,HEAD,POST"),
    ] {
        let request =
            format!("{method} {place} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
        let answer = house.pages.raw(request.as_bytes()).await;
        assert_eq!(
            (answer.status, answer.field("allow")),
            (405, Some(allowed)),
            "{place}: {answer:?}"
        );
        assert!(answer.body.contains("Nothing was done"), "{answer:?}");
    }
    house.pages.close().await;
}
