//! What the pages show, and what holds for each of them.

use std::collections::BTreeSet;

use super::grown::without_pictures;
use super::{ALICE, BASE, BOB, PATH, Pages, attributes, links};

/// The largest page but for pictures, in bytes.
pub(super) const LARGEST: usize = 50_000;

/// All pages that can be reached from here, each checked.
async fn walk(pages: &Pages, from: &str) -> BTreeSet<String> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) || seen.len() > 400 {
            continue;
        }
        let answer = pages.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert_eq!(answer.field("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(answer.field("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.field("set-cookie"), None, "{path}");
        let policy = answer.field("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        let is_private = ["k/", "play/"]
            .iter()
            .any(|own| path.starts_with(&format!("{PATH}{own}")));
        let is_kept = answer.field("cache-control") != Some("no-store");
        assert_ne!(is_private, is_kept, "{path}");
        for address in ["home.example", "players.example"] {
            assert!(!answer.body.contains(address), "{path} has an address");
        }
        if !answer.field("content-type").unwrap().starts_with("text/html") {
            continue;
        }
        let page = &answer.body;
        let bytes = without_pictures(page);
        assert!(bytes < LARGEST, "{path} has {bytes} bytes");
        assert_eq!(page.matches("<h1>").count(), 1, "{path}");
        assert_eq!(page.matches("<main").count(), 1, "{path}");
        for forbidden in [
            "<script",
            " style=\"",
            "javascript:",
            " onclick",
            "http-equiv",
            "<base",
        ] {
            assert!(!page.contains(forbidden), "{path} has {forbidden}");
        }
        if !is_private {
            assert!(!page.contains("/k/k"), "{path} has a token");
        }
        for elsewhere in attributes(page, "src") {
            assert!(elsewhere.starts_with(PATH), "{path}: {elsewhere}");
        }
        left.extend(links(page));
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_of_every_page_answers_and_no_page_has_an_address() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Forms challenge alice bob -size=4").await;
    pages.ask(BOB, "Ringworm seek bob oak4jay").await;
    pages.ask(ALICE, "Pow2 challenge alice bob").await;
    pages.ask(ALICE, "Pow2 move 102 alice fig7elk m13-j7").await;
    pages.ask(BOB, "Pow2 move 102 bob oak4jay a1-e1").await;
    pages.ask(ALICE, "Pow2 resign 102 alice fig7elk").await;
    let public = walk(&pages, PATH).await;
    for place in [
        "board/Pow2/101",
        "board/Pow2/101/1",
        "games/Forms",
        "players/alice",
        "help/tutorial",
        "feed.atom",
    ] {
        assert!(
            public.contains(&format!("{PATH}{place}")),
            "{place} of {public:?}"
        );
    }
    assert!(public.iter().all(|path| !path.contains("/k/")));
    let own = pages.own("bob");
    let private = walk(&pages, &own).await;
    assert!(private.contains(&format!("{own}board/Pow2/101")), "{private:?}");
    assert!(private.contains(&format!("{own}deadlines.ics")));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_is_shown_position_by_position_in_picture_words_and_text() {
    let pages = Pages::with_a_board().await;
    let board = format!("{PATH}board/Pow2/101");
    let now = pages.get(&board).await.body;
    for part in [
        "alice against bob, after 2 turns",
        "alice (Light) to move",
        "until <time datetime=\"2026-12-11T08:00Z\">Fri 11 December, 08:00 UTC</time>",
        "bob played a1-e1.",
        "<svg",
        "Dark has X on e1, a13.",
        "<summary>The board as text</summary>",
        "<b>a1-e1</b>",
        "accesskey=\"b\"",
        "og:image\" content=\"https://games.example/games/board/Pow2/101/2/picture.png\"",
    ] {
        assert!(now.contains(part), "{part}: {now}");
    }
    let first = pages.get(&format!("{board}/1")).await.body;
    for part in [
        "alice against bob, after one turn",
        "An earlier position.",
        "alice played m13-j7.",
        "rel=\"next\"",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let start = pages.get(&format!("{board}/0")).await.body;
    assert!(start.contains("before the first turn") && !start.contains("rel=\"prev\""));
    let record = pages.get(&format!("{board}/record.txt")).await.body;
    assert!(
        record.contains("[First \"alice\"]") && record.contains("1. m13-j7  a1-e1"),
        "{record}"
    );
    let record: pbmserv_games::record::Record = record.parse().unwrap();
    record.replay().unwrap();
    let words = pages.get(&format!("{board}/words")).await.body;
    assert!(words.contains("alice played m13-j7.") && words.contains("bob played a1-e1."));
    let svg = pages.get(&format!("{board}/picture.svg")).await;
    assert_eq!(svg.field("content-type"), Some("image/svg+xml"));
    let png = pages.get(&format!("{board}/1/picture.png")).await;
    assert_eq!((png.status, png.field("content-type")), (200, Some("image/png")));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_unfolds_a_link_finds_the_picture_in_the_head_of_the_page() {
    let pages = Pages::with_a_board().await;
    let place = format!("{PATH}board/Pow2/101");
    let page = pages.get(&place).await.body;
    let found = format!("{BASE}board/Pow2/101/2/oembed.json");
    assert!(page.contains("type=\"application/json+oembed\""), "{page}");
    assert!(attributes(&page, "href").contains(&found), "{page}");
    let embed = format!("{place}/2/oembed.json");
    let answer = pages.get(&embed).await;
    assert_eq!(answer.field("content-type"), Some("application/json"));
    let value: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        (&value["version"], &value["type"]),
        (&"1.0".into(), &"photo".into())
    );
    assert_eq!(value["title"], "The Power of Two, board 101: alice against bob");
    assert_eq!(value["url"], format!("{BASE}board/Pow2/101/2/picture.png"));
    let picture = pages.get(&format!("{place}/2/picture.png")).await;
    assert_eq!(picture.status, 200);
    let [width, height] = ["width", "height"].map(|side| value[side].as_u64().unwrap());
    assert!(width == 720 && (600..900).contains(&height), "{value}");
    // Without room for the picture it is a link, which has none.
    for room in ["maxwidth=719", "maxwidth=2000&maxheight=100"] {
        let answer = pages.get(&format!("{embed}?{room}")).await;
        let value: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (&value["type"], value.get("url")),
            (&"link".into(), None),
            "{room}"
        );
    }
    let wide = pages
        .get(&format!("{embed}?maxwidth=720&maxheight=1000&format=json"))
        .await;
    assert!(wide.body.contains("\"photo\""), "{}", wide.body);
    assert_eq!(pages.get(&format!("{embed}?maxwidth=much")).await.status, 404);
    assert_eq!(pages.get(&format!("{place}/3/oembed.json")).await.status, 404);
    // A private link is for nobody else: its page names no such address, and there is none.
    let own = pages.own("alice");
    let page = pages.get(&format!("{own}board/Pow2/101")).await.body;
    assert!(!page.contains("oembed"), "{page}");
    assert_eq!(
        pages
            .get(&format!("{own}board/Pow2/101/oembed.json"))
            .await
            .status,
        404
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_help_on_all_commands_begins_with_a_list_that_leads_to_each() {
    let pages = Pages::open().await;
    let page = pages.get(&format!("{PATH}help/commands")).await.body;
    let links = attributes(&page, "href");
    let listed: Vec<_> = links.iter().filter_map(|link| link.strip_prefix('#')).collect();
    assert!(listed.len() > 30 && listed.contains(&"challenge"), "{listed:?}");
    let sections = attributes(&page, "id");
    for verb in listed.iter().filter(|link| **link != "main") {
        assert_eq!(sections.iter().filter(|id| id == verb).count(), 1, "{verb}");
        assert!(page.contains(&format!("<h2>{verb}</h2>")), "{verb}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_known_is_not_sent_again_and_one_that_is_asked_for_compressed_is() {
    let pages = Pages::with_a_board().await;
    let board = format!("{PATH}board/Pow2/101");
    let first = pages.get(&board).await;
    let tag = first.field("etag").unwrap().to_owned();
    let again = pages.get_with(&board, &format!("If-None-Match: {tag}\r\n")).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    pages.ask(ALICE, "Pow2 move 101 alice fig7elk m1-i1").await;
    let changed = pages.get_with(&board, &format!("If-None-Match: {tag}\r\n")).await;
    assert_eq!(changed.status, 200);
    let packed = pages.get_with(&board, "Accept-Encoding: gzip\r\n").await;
    assert_eq!(packed.field("content-encoding"), Some("gzip"));
    let robots = pages.get(&format!("{PATH}robots.txt")).await.body;
    assert!(robots.contains("Disallow: /games/k/"), "{robots}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_left_out_is_on_no_page_for_everybody() {
    let pages = Pages::with_a_board().await;
    pages.ask("zora@home.example", "signup zora bay5owl").await;
    pages.ask(ALICE, "Pow2 challenge alice zora").await;
    pages.ask(ALICE, "Pow2 move 102 alice fig7elk m13-j7").await;
    pages
        .ask("zora@home.example", "Pow2 move 102 zora bay5owl a1-e1")
        .await;
    pages.ask("zora@home.example", "Pow2 seek zora bay5owl").await;
    let before = pages.get(&format!("{PATH}games/Pow2")).await.body;
    assert!(before.contains("zora"), "{before}");
    pages.ask("zora@home.example", "set zora bay5owl web off").await;
    for place in [
        "",
        "board/Pow2/102",
        "board/Pow2/102/1",
        "board/Pow2/102/record.txt",
        "board/Pow2/102/words",
        "board/Pow2/102/feed.atom",
        "feed.atom",
        "players",
        "games/Pow2",
        "games/Pow2/feed.atom",
        "players/alice",
        "players/alice/feed.atom",
    ] {
        let answer = pages.get(&format!("{PATH}{place}")).await;
        assert_eq!(answer.status, 200, "{place}");
        let body = answer.body.to_lowercase();
        assert!(!body.contains("zora"), "{place}: {body}");
    }
    for place in ["players/zora", "players/zora/feed.atom"] {
        assert_eq!(pages.get(&format!("{PATH}{place}")).await.status, 404, "{place}");
    }
    let own = pages.own("alice");
    let seen = pages.get(&format!("{own}board/Pow2/102")).await.body;
    assert!(seen.contains("alice against zora"), "{seen}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_public_pages_nothing_is_shown_without_a_link() {
    let pages = Pages::configured(|config| config.web.public = false).await;
    pages.begin().await;
    let nothing = pages.get(&format!("{PATH}board/Pow2/999")).await;
    for place in [
        "",
        "board/Pow2/101",
        "players",
        "games/Pow2",
        "help",
        "feed.atom",
        "board/Pow2/101/picture.png",
    ] {
        let answer = pages.get(&format!("{PATH}{place}")).await;
        assert_eq!(answer.status, 404, "{place}");
        assert_eq!(answer.body, nothing.body, "{place}");
        assert!(!answer.body.contains("alice"), "{place}");
    }
    let own = pages.own("alice");
    for place in ["", "house", "board/Pow2/101", "players"] {
        assert_eq!(pages.get(&format!("{own}{place}")).await.status, 200, "{place}");
    }
    assert!(
        pages
            .get(&format!("{PATH}robots.txt"))
            .await
            .body
            .contains("Disallow: /games/\n")
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_link_to_the_page_of_their_board_with_the_key_of_the_readers_seat() {
    let pages = Pages::with_a_board().await;
    use pbmserv_mail::outbox::Queue;
    pages.ask(BOB, "Pow2 challenge bob alice").await;
    let rows = &pages.stage.server.rows;
    let mail = crate::stage::Mail {
        from: ALICE,
        to: pbmserv_mail::Address::parse(crate::stage::SERVER).unwrap(),
        header: "Message-ID: <links@players.example>\r\nSubject: Pow2 move 101 alice fig7elk m1-i1\r\n"
            .into(),
        body: "",
    };
    let request = pages.stage.server.read("smtp", &mail.message()).unwrap();
    pages.stage.server.handle(request, false, false).await.unwrap();
    let due = rows.due(pages.stage.server.now(), 100).await.unwrap();
    assert_eq!(due.len(), 2);
    for letter in due {
        let userid = letter.to.local().to_owned();
        let rendered = rows.render(letter).await.unwrap();
        // The key of this seat, not that to all pages.
        let (_, rest) = rendered.text.split_once(&format!("{BASE}k/b")).unwrap();
        let own = format!("k/b{}/", rest.split('/').next().unwrap());
        let page = format!("{BASE}{own}board/Pow2/101");
        assert!(
            !rendered
                .text
                .contains(pages.own(&userid).trim_start_matches(PATH))
        );
        assert!(rendered.text.contains(&page), "{}", rendered.text);
        let html = rendered.page.unwrap().html;
        let link = |url: &str| format!("href=\"{}\"", url.replace('/', "&#x2f;"));
        assert!(html.contains(&link(&page)), "{html}");
        // Once it says whose they are, with the link for everybody.
        for text in [&html, &rendered.text] {
            assert_eq!(text.matches("are for you alone").count(), 1, "{text}");
        }
        assert!(html.contains(&link(&format!("{BASE}board/Pow2/101"))), "{html}");
        // The button of who is to move leads to where the turn is clicked, and that page is there.
        let turn = format!("{page}/turn");
        let is_to_move = userid == "bob";
        assert_eq!(html.contains(&link(&turn)), is_to_move, "{html}");
        assert_eq!(rendered.text.contains(&turn), is_to_move, "{}", rendered.text);
        let there = pages.get(turn.trim_start_matches("https://games.example")).await;
        assert_eq!(
            there.body.contains("green point on the board"),
            is_to_move,
            "{}",
            there.body
        );
    }
    pages.close().await;
}
