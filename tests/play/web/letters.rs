//! The links of letters: what they lead to, what ends them, and how the larger key comes to its owner.

use chrono::TimeDelta;
use pbmserv_core::dispatch::{Purpose, token};
use pbmserv_games::find;
use pbmserv_mail::outbox::Queue as _;

use super::smaller::{key, own, state, to, with_two_boards};
use super::{ALICE, BASE, BOB, PATH, Pages, attributes, links};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_of_before_the_smaller_keys_open_nothing_and_say_how_to_get_another() {
    let pages = Pages::with_a_board().await;
    let server = &pages.stage.server;
    let reader = server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    // As they were made: the number of the player, and a tag for the purpose `page`.
    let number = alice.id.0.to_be_bytes();
    let significant = number.iter().position(|byte| *byte != 0).unwrap();
    let message = [number, alice.generation.to_be_bytes()].concat();
    let encoding = data_encoding::BASE32_NOPAD_NOCASE;
    let old = format!(
        "k{}-{}",
        encoding.encode(&number[significant..]),
        encoding.encode(&server.key.tag("page", &message))
    )
    .to_lowercase();
    assert_ne!(old, pages.key("alice"));
    assert_eq!(old.split('-').next(), pages.key("alice").split('-').next());
    for place in ["", "board/Pow2/101", "board/Pow2/101/turn", "turns.atom"] {
        let answer = pages.get(&format!("{PATH}k/{old}/{place}")).await;
        assert_eq!(answer.status, 404, "{place}");
        assert!(
            answer
                .body
                .contains("answer any of your letters about a board with the word page"),
            "{place}: {}",
            answer.body
        );
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_it_can_have_the_larger_one_mailed_to_its_owner_three_times_a_day() {
    let (pages, own) = with_two_boards().await;
    pages.stage.collect().await;
    let page = pages.get(&format!("{own}board/LOA/101")).await.body;
    assert!(
        page.contains("Your link does not open this page") && page.contains("Mail me my page"),
        "{page}"
    );
    let larger = pages.own("alice");
    for form in ["a", "a", "b", "c"] {
        let answer = pages.post(&format!("{own}page"), &format!("form={form}")).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        let (_, place) = answer.header.split_once("location: ").unwrap();
        let done = pages.get(place.lines().next().unwrap()).await.body;
        assert!(done.contains("on its way to you by mail"), "{done}");
        for text in [&answer.header, &done] {
            assert!(
                !text.contains(key(&larger)) && !text.contains("home.example"),
                "{text}"
            );
        }
    }
    let letters = pages.stage.collect().await;
    assert_eq!(letters.len(), 3, "{letters:?}");
    for letter in &letters {
        assert_eq!(letter.to.as_str(), ALICE);
        assert!(letter.text.contains(key(&larger)), "{}", letter.text);
    }
    let refused = pages.post(&format!("{own}page"), "form=d").await;
    assert_eq!(refused.status, 200);
    assert!(refused.body.contains("is not mailed again"), "{}", refused.body);
    // By a letter it goes to the owner as well, and is counted with the others.
    let letter = to(&pages.ask(ALICE, "Pow2 show 101").await, ALICE).clone();
    let answered = |id: &str| crate::stage::Mail {
        from: "eve@evil.example",
        to: pbmserv_mail::Address::parse(crate::stage::SERVER)
            .unwrap()
            .with_detail(letter.reply_detail.as_ref().unwrap()),
        header: format!("Message-ID: <{id}@players.example>\r\nSubject: Re: Pow2\r\n"),
        body: "page",
    };
    let (_, letters) = pages.stage.send(&answered("once")).await;
    assert!(letters.iter().all(|letter| !letter.text.contains(key(&larger))));
    pages.stage.pass(TimeDelta::days(1));
    let (_, letters) = pages.stage.send(&answered("again")).await;
    let brought: Vec<_> = letters
        .iter()
        .filter(|letter| letter.text.contains(key(&larger)))
        .collect();
    assert_eq!(brought.len(), 1, "{letters:?}");
    assert_eq!(brought[0].to.as_str(), ALICE);
    // With the password there is no such bound.
    for _ in 0..5 {
        let letters = pages.ask(ALICE, "page alice fig7elk").await;
        assert!(letters[0].text.contains(key(&larger)), "{letters:?}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_of_a_daily_mail_opens_the_boards_which_it_shows() {
    let pages = Pages::with_a_board().await;
    pages.ask(BOB, "LOA challenge bob alice").await;
    pages.ask(ALICE, "set alice fig7elk digest on").await;
    pages.ask(BOB, "LOA move 101 bob oak4jay b1-b3").await;
    pages.stage.pass(TimeDelta::days(1));
    pages.stage.server.engine.do_what_is_due().await.unwrap();
    let letters = pages.stage.collect().await;
    let daily = to(&letters, ALICE);
    assert!(daily.subject.starts_with("Your boards"), "{daily:?}");
    let own = own(daily);
    // A later board is none of that mail's.
    pages.ask(ALICE, "Hex challenge alice bob").await;
    let home = pages.get(&own).await.body;
    assert!(home.contains("Your link opens 2 boards, alice."), "{home}");
    for place in ["board/Pow2/101/turn", "board/LOA/101/turn", "board/LOA/101"] {
        assert_eq!(pages.get(&format!("{own}{place}")).await.status, 200, "{place}");
        assert!(
            daily.text.contains(&format!("{own}{place}")) || !place.ends_with("turn"),
            "{}",
            daily.text
        );
    }
    for place in ["board/Hex/101", "board/Hex/101/turn", "turns.atom", "house"] {
        assert_eq!(pages.get(&format!("{own}{place}")).await.status, 404, "{place}");
    }
    let before = state(&pages);
    assert_eq!(
        pages
            .post(&format!("{own}set"), "form=a&option=digest+off")
            .await
            .status,
        404
    );
    assert_eq!(state(&pages), before);
    // What the page offers as a mail is an answer to the daily mail too, and has no token of a board.
    let page = pages
        .get(&format!("{own}board/Pow2/101/turn?turn=m1-i1"))
        .await
        .body;
    let mail = attributes(&page, "href")
        .into_iter()
        .find(|link| link.starts_with("mailto:"));
    let mail = mail.unwrap();
    let detail = daily.reply_detail.as_deref().unwrap();
    assert!(mail.contains(detail), "{mail}");
    let (_, subject) = mail.split_once("subject=").unwrap();
    let subject = subject
        .split('&')
        .next()
        .unwrap()
        .replace("%20", " ")
        .replace("%3A", ":");
    let answer = crate::stage::Mail {
        from: ALICE,
        to: pbmserv_mail::Address::parse(crate::stage::SERVER)
            .unwrap()
            .with_detail(detail),
        header: format!("Message-ID: <daily@players.example>\r\nSubject: {subject}\r\n"),
        body: "m1-i1",
    };
    let (_, letters) = pages.stage.send(&answer).await;
    assert!(
        to(&letters, BOB).text.contains("alice played m1-i1"),
        "{letters:?}"
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_only_watches_has_the_link_for_everybody_and_who_plays_is_shown_it_too() {
    let pages = Pages::with_a_board().await;
    pages.ask("carol@home.example", "signup carol fir3yak").await;
    pages
        .ask("carol@home.example", "Pow2 watch 101 carol fir3yak")
        .await;
    let letters = pages.ask(ALICE, "Pow2 move 101 alice fig7elk m1-i1").await;
    let watcher = to(&letters, "carol@home.example");
    let public = format!("  {BASE}board/Pow2/101\n");
    assert!(watcher.text.contains(&public), "{}", watcher.text);
    assert!(!watcher.text.contains("/k/"), "{}", watcher.text);
    assert!(!watcher.text.contains("for you alone"), "{}", watcher.text);
    let player = to(&letters, BOB);
    assert_eq!(
        player.text.matches("are for you alone").count(),
        1,
        "{}",
        player.text
    );
    assert!(player.text.contains(&public), "{}", player.text);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_running_board_in_the_list_of_ones_own_leads_to_its_page() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Pow2 challenge alice bob").await;
    for (line, number) in [("my games", 2), ("my games next", 0), ("my games inactive", 0)] {
        let letters = pages.ask(BOB, line).await;
        let dressed = pages.stage.server.rows.render(letters[0].clone()).await.unwrap();
        let html = &dressed.page.unwrap().html;
        let found = attributes(html, "href");
        let found = found.iter().filter(|link| link.contains("board/Pow2/10"));
        assert_eq!(found.count(), number, "{line}: {html}");
        assert!(!html.contains("for you alone"), "{html}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_about_a_board_that_was_declined_leads_to_no_page_that_is_not_there() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Pow2 challenge alice bob").await;
    let letters = pages.ask(BOB, "Pow2 resign 102 bob oak4jay").await;
    assert_eq!(letters.len(), 2);
    for letter in letters {
        let html = letter.page.as_ref().map(|page| &page.html);
        for text in [&letter.text].into_iter().chain(html) {
            assert!(
                text.contains("declined") && !text.contains("board/Pow2/102"),
                "{text}"
            );
        }
    }
    assert_eq!(pages.get(&format!("{PATH}board/Pow2/102")).await.status, 404);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_public_pages_shows_a_key_its_board_alone() {
    let pages = Pages::configured(|config| config.web.public = false).await;
    pages.begin().await;
    let letters = pages.ask(ALICE, "Pow2 show 101").await;
    let letter = to(&letters, ALICE);
    assert!(!letter.text.contains("To share"), "{}", letter.text);
    let own = own(letter);
    for place in ["", "board/Pow2/101", "board/Pow2/101/turn"] {
        let page = pages.get(&format!("{own}{place}")).await;
        assert_eq!(page.status, 200, "{place}");
        for link in links(&page.body) {
            assert_eq!(pages.get(&link).await.status, 200, "{place}: {link}");
        }
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_to_unsubscribe_ends_one_kind_and_no_other_token_stands_for_it() {
    let pages = Pages::with_a_board().await;
    let server = &pages.stage.server;
    let reader = server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let board = reader.board(find("Pow2").unwrap(), 101).unwrap().unwrap();
    let letter = board.letter_to(board.seat_of(alice.id).unwrap());
    pages.ask(ALICE, "set alice fig7elk digest on").await;
    let before = state(&pages);
    let tokens = [
        token(
            &server.key,
            Purpose::Seat,
            letter.number(),
            pbmserv_core::dispatch::seat_generation(alice.id, alice.generation),
        ),
        token(&server.key, Purpose::Confirm, 1, 0),
        pages.key("alice"),
    ];
    for token in tokens {
        assert_eq!(pages.post(&format!("{PATH}u/{token}"), "").await.status, 200);
        let now = state(&pages);
        assert_eq!(now.split("Stats").next(), before.split("Stats").next(), "{token}");
        assert_eq!(pages.stage.collect().await.len(), 0, "{token}");
    }
    let number = pbmserv_core::table::Unasked::Digest.number(alice.id).unwrap();
    let leave = token(&server.key, Purpose::Leave, number, alice.generation);
    let wanted = || reader.preferences(alice.id).unwrap();
    let earlier = wanted();
    assert_eq!(pages.post(&format!("{PATH}u/{leave}"), "").await.status, 200);
    assert!(!wanted().digest);
    assert_eq!(
        pbmserv_core::table::Preferences {
            digest: true,
            ..wanted()
        },
        earlier
    );
    // It opens no page.
    assert_eq!(pages.get(&format!("{PATH}k/{leave}/")).await.status, 404);
    pages.close().await;
}
