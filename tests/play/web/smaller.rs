//! The smaller key, which letters have: it opens what an answer to its letter reaches, and nothing else.

use chrono::TimeDelta;
use pbmserv::command::{COMMANDS, PageCommand};
use pbmserv::dispatch::{Purpose, token};
use pbmserv::engine::asked::{Pressed, Pressing};
use pbmserv::games::find;
use pbmserv::outbox::Outgoing;

use super::{ALICE, BASE, BOB, PATH, Pages, attributes, links};

/// The path of the key in a letter.
fn own(letter: &Outgoing) -> String {
    let (_, rest) = letter.text.split_once(&format!("{BASE}k/")).unwrap();
    format!("{PATH}k/{}/", rest.split('/').next().unwrap())
}

fn key(own: &str) -> &str {
    own.trim_end_matches('/').rsplit('/').next().unwrap()
}

fn to<'a>(letters: &'a [Outgoing], address: &str) -> &'a Outgoing {
    let mut to = letters.iter().filter(|letter| letter.to.as_str() == address);
    to.next().unwrap()
}

/// A server with two boards, and the place of alice's key to the first.
async fn with_two_boards() -> (Pages, String) {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "LOA challenge alice bob").await;
    let letters = pages.ask(ALICE, "Pow2 show 101").await;
    let own = own(to(&letters, ALICE));
    (pages, own)
}

/// Everything that a player could have changed.
fn state(pages: &Pages) -> String {
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
            assert!(
                actions.iter().all(|action| reached.contains(action)),
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
    let line = |by, game: Option<&str>, verb: &'static str, board, rest: &'static str| {
        let command = PageCommand {
            game: game.map(|game| find(game).unwrap()),
            verb,
            board,
            rest,
        };
        COMMANDS.read_page(&command, by).unwrap()
    };
    let board = |game: &str| reader.board(find(game).unwrap(), 101).unwrap().unwrap();
    let shown = |game: &str, player: &pbmserv::table::Player| {
        let board = board(game);
        Some(board.letter_to(board.seat_of(player.id).unwrap()))
    };
    let smaller = key(&own);
    let bobs = pages.key("bob");
    let of_reply = token(
        &server.key,
        Purpose::Seat,
        shown("Pow2", &alice).unwrap().number(),
        pbmserv::dispatch::seat_generation(alice.id, alice.generation),
    );
    let before = state(&pages);
    let resign_pow2 = line(&alice, Some("Pow2"), "resign", Some(101), "");
    let resign_loa = line(&alice, Some("LOA"), "resign", Some(101), "");
    let set = line(&alice, None, "set", None, "digest on");
    let begin = line(&alice, Some("Pow2"), "challenge", None, "bob");
    let renew = line(&alice, None, "page", None, "new");
    let of_bob = line(&bob, Some("Pow2"), "resign", Some(101), "");
    for (number, (key, player, line, shown)) in [
        (smaller, &alice, &set, None),
        (smaller, &alice, &set, shown("Pow2", &alice)),
        (smaller, &alice, &begin, None),
        (smaller, &alice, &begin, shown("Pow2", &alice)),
        (smaller, &alice, &renew, None),
        (smaller, &alice, &resign_loa, shown("LOA", &alice)),
        (smaller, &alice, &resign_loa, shown("Pow2", &alice)),
        (smaller, &alice, &resign_loa, None),
        (smaller, &alice, &resign_pow2, shown("LOA", &alice)),
        (smaller, &alice, &resign_pow2, None),
        (smaller, &bob, &of_bob, shown("Pow2", &bob)),
        (smaller, &bob, &of_bob, shown("Pow2", &alice)),
        (&bobs, &alice, &resign_pow2, shown("Pow2", &alice)),
        (&of_reply, &alice, &resign_pow2, shown("Pow2", &alice)),
        ("", &alice, &resign_pow2, shown("Pow2", &alice)),
    ]
    .into_iter()
    .enumerate()
    {
        let pressed = Pressed {
            key,
            player,
            line,
            words: "",
            shown,
            form: &format!("{number}"),
            client: "192.0.2.1".parse().unwrap(),
        };
        let pressing = server.press(pressed).await.unwrap();
        assert!(matches!(pressing, Pressing::Refused(_)), "{number}: {pressing:?}");
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
    pages.ask(ALICE, "page alice secret1 new").await;
    let ended = pages.get(&format!("{first}board/Pow2/101")).await;
    assert_eq!(ended.status, 404);
    assert!(ended.body.contains("This link opens nothing"), "{}", ended.body);
    assert!(ended.body.contains("page USERID PASSWORD"), "{}", ended.body);
    let second = own(to(&pages.ask(ALICE, "Pow2 show 101").await, ALICE));
    assert_ne!(first, second);
    assert_eq!(pages.get(&second).await.status, 200);
    pages.ask(ALICE, "change password alice secret1 secret3").await;
    assert_eq!(pages.get(&second).await.status, 404);
    let third = own(to(&pages.ask(ALICE, "Pow2 show 101").await, ALICE));
    assert_eq!(pages.get(&third).await.status, 200);
    pages
        .ask(ALICE, "change address alice secret3 alice@third.example")
        .await;
    assert_eq!(pages.get(&third).await.status, 404);
    pages.close().await;
}

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
            answer.body.contains("write page in answer to any letter"),
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
        to: pbmserv::mail::Address::parse(crate::stage::SERVER)
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
        let letters = pages.ask(ALICE, "page alice secret1").await;
        assert!(letters[0].text.contains(key(&larger)), "{letters:?}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn that_of_a_daily_mail_opens_the_boards_which_it_shows() {
    let pages = Pages::with_a_board().await;
    pages.ask(BOB, "LOA challenge bob alice").await;
    pages.ask(ALICE, "set alice secret1 digest on").await;
    pages.ask(BOB, "LOA move 101 bob secret2 b1-b3").await;
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
        to: pbmserv::mail::Address::parse(crate::stage::SERVER)
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
    pages.ask("carol@home.example", "signup carol secret4").await;
    pages
        .ask("carol@home.example", "Pow2 watch 101 carol secret4")
        .await;
    let letters = pages.ask(ALICE, "Pow2 move 101 alice secret1 m1-i1").await;
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
    pages.ask(ALICE, "set alice secret1 digest on").await;
    let before = state(&pages);
    let tokens = [
        token(
            &server.key,
            Purpose::Seat,
            letter.number(),
            pbmserv::dispatch::seat_generation(alice.id, alice.generation),
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
    let number = pbmserv::table::Unasked::Digest.number(alice.id).unwrap();
    let leave = token(&server.key, Purpose::Leave, number, alice.generation);
    let wanted = || reader.preferences(alice.id).unwrap();
    let earlier = wanted();
    assert_eq!(pages.post(&format!("{PATH}u/{leave}"), "").await.status, 200);
    assert!(!wanted().digest);
    assert_eq!(
        pbmserv::table::Preferences {
            digest: true,
            ..wanted()
        },
        earlier
    );
    // It opens no page.
    assert_eq!(pages.get(&format!("{PATH}k/{leave}/")).await.status, 404);
    pages.close().await;
}
