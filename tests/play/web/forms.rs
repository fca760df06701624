//! What a form does: once, and the same as a mail.

use super::{ALICE, BOB, PATH, Pages, asked};

fn wants_digest(pages: &Pages) -> bool {
    let reader = pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    reader.preferences(alice.id).unwrap().digest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_is_changed_and_the_same_letter_goes_out_as_after_a_mail() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    let answer = pages.post(&format!("{own}set"), "form=a1&option=digest+on").await;
    assert_eq!(answer.status, 303);
    assert!(wants_digest(&pages));
    let letters = pages.stage.collect().await;
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert!(
        letter.text.starts_with("You will now get one mail a day."),
        "{}",
        letter.text
    );
    let refused = pages
        .post(&format!("{own}set"), "form=a2&option=zone&value=Nowhere")
        .await;
    assert_eq!(refused.status, 200);
    assert!(
        refused.body.contains("After zone stands the name of a zone"),
        "{}",
        refused.body
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_setting_of_the_page_can_be_switched_and_switched_back() {
    let pages = Pages::open().await;
    pages.ask(ALICE, "signup alice fig7elk").await;
    let own = pages.own("alice");
    let options = |page: &str| -> Vec<String> {
        let buttons = page.split("<button name=\"option\"").skip(1);
        let values = buttons.filter_map(|rest| super::attributes(rest, "value").into_iter().next());
        values.collect()
    };
    let before = options(&pages.get(&own).await.body);
    // All that `set` has, but for what is typed.
    for word in [
        "text",
        "picture",
        "boards",
        "subjects",
        "reminders",
        "autovacation",
        "forced",
        "digest",
        "broadcasts",
        "web",
        "gazette",
        "named",
        "small",
    ] {
        assert!(
            before.iter().any(|option| option.starts_with(word)),
            "{word} of {before:?}"
        );
    }
    let mut form = 0;
    let mut press = async |option: &str| {
        form += 1;
        let option = option.replace(' ', "+");
        let sent = format!("form=press{form}&option={option}");
        assert_eq!(
            pages.post(&format!("{own}set"), &sent).await.status,
            303,
            "{option}"
        );
        options(&pages.get(&own).await.body)
    };
    for (at, option) in before.iter().enumerate() {
        let then = press(option).await;
        assert_ne!(then[at], *option);
        let back = press(&then[at]).await;
        assert_eq!(back, before);
    }
    let wide = pages
        .post(&format!("{own}set"), "form=w&option=width&value=60")
        .await;
    assert_eq!(wide.status, 303);
    let home = pages.get(&own).await.body;
    assert!(
        home.contains("id=\"width\" name=\"value\" value=\"60\""),
        "{home}"
    );
    for (option, typed) in [("quiet", "Sat+Sun"), ("reminders", "7+3")] {
        let form = format!("form={option}&option={option}&value={typed}");
        assert_eq!(pages.post(&format!("{own}set"), &form).await.status, 303);
        let home = pages.get(&own).await.body;
        let shown = format!(
            "id=\"{option}\" name=\"value\" value=\"{}\"",
            typed.replace('+', " ")
        );
        assert!(home.contains(&shown), "{home}");
    }
    // One game in another way than the others.
    pages.ask(ALICE, "Pow2 set alice fig7elk small").await;
    assert!(pages.get(&own).await.body.contains("<td>by game</td>"));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_double_click_begins_one_game() {
    let pages = Pages::with_a_board().await;
    pages.ask(BOB, "Forms seek bob oak4jay 2").await;
    let own = pages.own("alice");
    let home = pages.get(&own).await.body;
    assert!(home.contains("aria-label=\"Play Forms with bob\""), "{home}");
    let form = "form=abc&game=Forms&opponent=bob";
    let begin = format!("{own}begin");
    let (one, other) = tokio::join!(pages.post(&begin, form), pages.post(&begin, form));
    assert_eq!((one.status, other.status), (303, 303));
    assert_eq!(pages.post(&begin, form).await.status, 303);
    let reader = pages.stage.server.reader().unwrap();
    let forms = pbmserv_games::find("Forms").unwrap();
    assert_eq!(reader.board_counts(forms).unwrap(), (1, 0));
    let letters = pages.stage.collect().await;
    assert_eq!(letters.len(), 2, "{letters:?}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_a_form_are_read_as_the_lines_of_a_mail_and_a_board_that_has_moved_on_refuses() {
    use pbmserv::engine::forms::FormOutcome;
    use pbmserv_core::command::PageRequest;
    let pages = Pages::with_a_board().await;
    let server = &pages.stage.server;
    let reader = server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let key = pages.key("alice");
    let pow2 = pbmserv_games::find("Pow2").unwrap();
    let board = reader.board(pow2, 101).unwrap().unwrap();
    let seat = board.seat_of(alice.id).unwrap();
    let press = |verb, rest: &str, words: &str, form: &str| {
        server.press(PageRequest {
            game: Some(pow2),
            board: Some(101),
            rest: rest.to_owned(),
            words: words.to_owned(),
            shown: Some(board.letter_to(seat)),
            form: form.to_owned(),
            ..asked(&key, &alice, verb)
        })
    };
    let words = "Well,\r\nresign \u{202e}is what I will not do.\r\n-- \r\n> a";
    assert!(matches!(
        press("chat", "", words, "1").await.unwrap(),
        FormOutcome::Done(_)
    ));
    let letters = pages.stage.collect().await;
    let letter = letters.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    assert!(
        letter
            .text
            .contains("Well,\n  resign is what I will not do.\n  --\n  > a"),
        "{}",
        letter.text
    );
    let done = press("move", "m1-i1", "", "2").await.unwrap();
    let FormOutcome::Done(mark) = done else {
        panic!("{done:?}")
    };
    assert_eq!(
        press("move", "m1-i1", "", "2").await.unwrap(),
        FormOutcome::Before(mark)
    );
    let FormOutcome::Refused(why) = press("move", "m1-g1", "", "2").await.unwrap() else {
        panic!()
    };
    assert!(why.starts_with("Not played on Pow2 Board 101, alice"), "{why}");
    assert_eq!(reader.turns(board.id).unwrap().len(), 3);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_gives_no_command_that_takes_over_the_account() {
    use pbmserv_core::command::{COMMANDS, PageRequest};
    let pages = Pages::with_a_board().await;
    let reader = pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    for verb in [
        "change", "reset", "signup", "forgot", "delete", "signoff", "add", "remove",
    ] {
        let page = PageRequest {
            rest: "alice fig7elk oak4jay".to_owned(),
            ..asked("", &alice, verb)
        };
        assert!(COMMANDS.read_page(&page).is_err(), "{verb}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_click_unsubscribes_from_anywhere_and_opening_the_link_does_not() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "set alice fig7elk digest on").await;
    let reader = pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let number = pbmserv_core::table::Unasked::Digest.number(alice.id).unwrap();
    let purpose = pbmserv_core::dispatch::Purpose::Leave;
    let token = pbmserv_core::dispatch::token(&pages.stage.server.key, purpose, number, alice.generation);
    let link = format!("{PATH}u/{token}");
    let asked = pages.get(&link).await;
    assert_eq!(
        (asked.status, asked.field("cache-control")),
        (200, Some("no-store"))
    );
    assert!(wants_digest(&pages));
    let wrong = pages
        .post(&format!("{PATH}u/{token}x"), "List-Unsubscribe=One-Click")
        .await;
    assert!(wrong.body.contains("This link ends no mails"), "{}", wrong.body);
    assert!(wants_digest(&pages));
    let foreign = "Origin: https://mail.example\r\nSec-Fetch-Site: cross-site\r\n";
    let done = pages
        .post_with(&link, foreign, "List-Unsubscribe=One-Click")
        .await;
    assert_eq!(done.status, 200);
    assert!(!wants_digest(&pages));
    let letters = pages.stage.collect().await;
    let again = pages.post(&link, "List-Unsubscribe=One-Click").await;
    assert!(again.body.contains("had ended before"), "{}", again.body);
    assert!(!letters.is_empty() && pages.stage.collect().await.is_empty());
    // Wanted again on the same day, they can be ended again.
    pages.ask(ALICE, "set alice fig7elk digest on").await;
    let once_more = pages.post(&link, "List-Unsubscribe=One-Click").await;
    assert!(once_more.body.contains("They have ended"), "{}", once_more.body);
    assert!(!wants_digest(&pages));
    pages.close().await;
}
