//! What somebody may try at the pages; docs/security.md has the table.

use std::time::Duration;

use pbmserv_core::dispatch::{Purpose, token};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::{ALICE, BOB, PATH, Pages};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_from_elsewhere_does_nothing() {
    let pages = Pages::with_a_board().await;
    let set = format!("{}set", pages.own("alice"));
    let is_set = || {
        let reader = pages.stage.server.reader().unwrap();
        let alice = reader.player("alice").unwrap().unwrap();
        reader.preferences(alice.id).unwrap().digest
    };
    for fields in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://games.example\r\n",
        "Origin: https://games.example.evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Origin: https://games.example\r\nSec-Fetch-Site: cross-site\r\n",
    ] {
        let answer = pages.post_with(&set, fields, "form=a&option=digest+on").await;
        assert_eq!(answer.status, 403, "{fields}");
        assert!(!is_set(), "{fields}");
    }
    for (form, fields) in [
        ("b", ""),
        (
            "c",
            "Origin: https://games.example\r\nSec-Fetch-Site: same-origin\r\n",
        ),
    ] {
        let answer = pages
            .post_with(&set, fields, &format!("form={form}&option=digest+on"))
            .await;
        assert_eq!(answer.status, 303, "{fields}");
        assert!(is_set(), "{fields}");
        pages.ask(ALICE, "set alice fig7elk digest off").await;
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_other_token_opens_a_page_and_all_wrong_ones_look_alike() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    let good = own
        .trim_start_matches(&format!("{PATH}k/"))
        .trim_end_matches('/')
        .to_owned();
    let bobs = pages.own("bob");
    let (number, tag) = good.split_once('-').unwrap();
    let bobs_number = bobs
        .split("/k/")
        .nth(1)
        .unwrap()
        .split('-')
        .next()
        .unwrap()
        .to_owned();
    let key = &pages.stage.server.key;
    let mut wrong = vec![
        format!("{bobs_number}-{tag}"),
        format!("{number}-"),
        format!("{number}-{}", &tag[..16]),
        format!("{number}-{tag}a"),
        format!("{number}-{}", "a".repeat(tag.len())),
        number.to_owned(),
        tag.to_owned(),
        "k-".to_owned(),
        format!("kaaaaaaaa{}-{tag}", &number[1..]),
        format!("{good}%00"),
        "k".repeat(5000),
    ];
    let reader = pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    for purpose in [
        Purpose::Seat,
        Purpose::Reset,
        Purpose::Leave,
        Purpose::Digest,
        Purpose::Confirm,
    ] {
        let other = token(key, purpose, alice.id.0, 0);
        wrong.push(format!("k{other}"));
        wrong.push(other);
    }
    let mut bodies = std::collections::BTreeSet::new();
    for token in wrong {
        let answer = pages.get(&format!("{PATH}k/{token}/")).await;
        assert_eq!(answer.status, 404, "{token}");
        bodies.insert(answer.body);
    }
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    // Its one link, in the capitals that a careless program may make of it.
    let capital = pages.get(&format!("{PATH}k/{}/", good.to_uppercase())).await;
    assert_eq!(capital.status, 200);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_path_leads_elsewhere() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    for path in [
        "/",
        "/games",
        "//",
        "/games//",
        "/games/board",
        "/games/board/Pow2",
        "/games/board/Pow2/0101",
        "/games/board/Pow2/+101",
        "/games/board/Pow2/-1",
        "/games/board/Pow2/99999999999999999999",
        "/games/board/Pow2/101/3",
        "/games/board/Pow2/101/01",
        "/games/board/Pow2/101/2/picture.gif",
        "/games/board/../board/Pow2/101",
        "/games/board/%2e%2e/Pow2/101",
        "/games/..%2f..%2fetc%2fpasswd",
        "/games/style.css/../../etc/passwd",
        "/games/players/%00",
        "/games/players/%ff%fe",
        "/games/players/..",
        "/games/help/fig7elk",
        "/games/help/alice",
        "/games/k/",
        "/games/k",
        "/games/set",
        "/games/turns.atom",
        "/games/deadlines.ics",
        "/healthz",
        "/metrics",
        "/games/metrics",
        "/games/board/Shogi/101",
        "/games/board/Pow2/101%20",
        "/games/%6b/x/",
    ] {
        let answer = pages.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    let doubled = pages
        .get(&format!("{own}k/{}", own.split("/k/").nth(1).unwrap()))
        .await;
    assert_eq!(doubled.status, 404);
    for method in ["PUT", "DELETE", "TRACE", "CONNECT", "PATCH", "POST"] {
        let request =
            format!("{method} {PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        let answer = pages.raw(request.as_bytes()).await;
        assert!(answer.status >= 400, "{method}: {answer:?}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_strangers_write_is_no_markup_on_any_page() {
    let pages = Pages::with_a_board().await;
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ root }}";
    pages.say(ALICE, "Pow2 chat 101 alice fig7elk", evil).await;
    pages.say(ALICE, "Pow2 move 101 alice fig7elk m1-i1", evil).await;
    pages
        .ask(BOB, &format!("Pow2 queue 101 bob oak4jay {evil}"))
        .await;
    let own = pages.own("alice");
    let fields =
        format!("Referer: https://evil.example/{evil}\r\nUser-Agent: {evil}\r\nX-Forwarded-For: {evil}\r\n");
    let encoded = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let places = [
        "",
        "board/Pow2/101",
        "board/Pow2/101/words",
        "board/Pow2/101/feed.atom",
        "players",
        "players/alice",
        "games/Pow2",
        "house",
    ];
    for root in [PATH, own.as_str()] {
        for place in places {
            for path in [
                format!("{root}{place}?t={encoded}&{encoded}"),
                format!("{root}{place}/{encoded}"),
            ] {
                let answer = pages.get_with(&path, &fields).await;
                for part in ["<script", "onerror", "alert(1)"] {
                    assert!(!answer.body.contains(part), "{path}: {}", answer.body);
                }
            }
        }
    }
    for form in [
        format!("form={encoded}&option={encoded}"),
        format!("form=a&option=zone&value={encoded}"),
    ] {
        let answer = pages.post(&format!("{own}set"), &form).await;
        assert!(!answer.body.contains("<script"), "{}", answer.body);
    }
    for form in [
        "",
        "form=a",
        "%",
        "form=a&option=%ff",
        "option=digest+on",
        "{\"form\":1}",
    ] {
        let answer = pages.post(&format!("{own}set"), form).await;
        assert!(matches!(answer.status, 400 | 200), "{form}: {answer:?}");
    }
    let long = format!("form=a&option={}", "x".repeat(100_000));
    assert!(matches!(
        pages.post(&format!("{own}set"), &long).await.status,
        400 | 413 | 0
    ));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn markup_is_no_userid_and_what_a_form_sends_back_is_escaped() {
    let pages = Pages::with_a_board().await;
    for userid in ["<b>x</b>", "\"onload=", "a&lt;b", "{{root}}", "%3Cb%3E"] {
        pages
            .ask("eve@home.example", &format!("signup {userid} bay5owl"))
            .await;
    }
    let players = pages.get(&format!("{PATH}players")).await.body;
    assert!(
        !players.contains("onload") && !players.contains("<b>x"),
        "{players}"
    );
    // The words and the turn of a form that is refused stand on the page again, so that they are not lost.
    let turn = format!("{}board/Pow2/101/turn", pages.own("alice"));
    let evil = "%3C%2Ftextarea%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%3E";
    for button in ["play", "chat", "note", "queue"] {
        for shown in [0, 1, 9999] {
            let form = format!("form=f{button}{shown}&shown={shown}&do={button}&turn={evil}&words={evil}");
            let answer = pages.post(&turn, &form).await;
            assert!(answer.status >= 300, "{answer:?}");
            for part in ["<script", "</textarea><", "\"'>"] {
                let page = answer.body.replace("</textarea>\n", "");
                assert!(!page.contains(part), "{button} {shown}: {page}");
            }
        }
    }
    let parameters = format!("?turn={evil}&did={evil}");
    let page = pages.get(&format!("{turn}{parameters}")).await.body;
    assert!(!page.contains("<script") && !page.contains("\"'>"), "{page}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_or_endless_client_is_cut_off() {
    let pages = Pages::open().await;
    let mut slow = TcpStream::connect(("127.0.0.1", pages.port)).await.unwrap();
    slow.write_all(b"GET /games/ HTTP/1.1\r\nHost: x\r\n")
        .await
        .unwrap();
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let _ = timeout(Duration::from_secs(60), slow.read_to_end(&mut bytes))
        .await
        .unwrap();
    assert!(begun.elapsed() < Duration::from_secs(50));
    let endless = format!(
        "GET {PATH} HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n",
        "x".repeat(40_000)
    );
    let answer = pages.raw(endless.as_bytes()).await;
    assert!(matches!(answer.status, 431 | 400 | 0), "{answer:?}");
    let many = "X: x\r\n".repeat(200);
    let answer = pages.get_with(PATH, &many).await;
    assert!(matches!(answer.status, 431 | 400 | 0), "{answer:?}");
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_has_so_many_connections() {
    let pages = Pages::open().await;
    let mut open = Vec::new();
    for _ in 0..100 {
        open.push(TcpStream::connect(("127.0.0.1", pages.port)).await.unwrap());
    }
    // The last ones are turned away at once, unless the first ones have been cut off meanwhile.
    let mut first = [0; 12];
    let last = open.last_mut().unwrap();
    timeout(Duration::from_secs(60), last.read_exact(&mut first))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&first, b"HTTP/1.1 503");
    drop(open);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_network_has_so_many_requests_also_behind_a_proxy() {
    let pages = Pages::configured(|config| {
        config.web.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
    })
    .await;
    let robots = format!("{PATH}robots.txt");
    // Three hundred requests on one connection, faster than the rate.
    let many = async |forwarded: &str| {
        let one = format!("GET {robots} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {forwarded}\r\n");
        let many = format!("{one}\r\n").repeat(299) + &format!("{one}Connection: close\r\n\r\n");
        let stream = TcpStream::connect(("127.0.0.1", pages.port)).await.unwrap();
        let (mut read, mut write) = stream.into_split();
        let writing = tokio::spawn(async move {
            write.write_all(many.as_bytes()).await.unwrap();
            write
        });
        let mut bytes = Vec::new();
        timeout(Duration::from_secs(60), read.read_to_end(&mut bytes))
            .await
            .unwrap()
            .unwrap();
        drop(writing.await.unwrap());
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let text = many("203.0.113.9, 198.51.100.1").await;
    // One after the other they wait for their turn.
    assert_eq!(text.matches("HTTP/1.1 200").count(), 300);
    // Others behind the same proxy are served, and what the first writes there itself does not count.
    let other = pages.get_with(&robots, "X-Forwarded-For: 198.51.100.1, 192.0.2.8\r\n");
    assert_eq!(other.await.status, 200);
    // At once most of them have no time to wait.
    let request = format!(
        "GET {robots} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.9, 198.51.100.1\r\nConnection: close\r\n\r\n"
    );
    let mut streams = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(("127.0.0.1", pages.port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        streams.push(stream);
    }
    let mut refused = 0;
    for mut stream in streams {
        let mut bytes = Vec::new();
        timeout(Duration::from_secs(60), stream.read_to_end(&mut bytes))
            .await
            .unwrap()
            .unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let is_refused = text.starts_with("HTTP/1.1 429");
        assert!(is_refused || text.starts_with("HTTP/1.1 200"), "{text}");
        assert_eq!(is_refused, text.contains("retry-after: 60"));
        refused += usize::from(is_refused);
    }
    assert!(refused >= 100, "{refused}");
    pages.close().await;
}
