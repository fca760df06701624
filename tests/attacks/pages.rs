//! Strangers at the pages of a running server: ten thousand connections, guessed links, forms that never end.
//!
//! `make flood` opens ten thousand connections; `VISITORS` changes their number.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::daemon::browser::{Browser, web_port, with_pages};
use crate::daemon::http::{ALICE, Answer, BOB, rest};
use crate::daemon::mailbox::Mailbox;
use crate::daemon::smtp::{send, stream_from};
use crate::daemon::{Daemon, Setup, until};

/// The most connections that the pages hold, and the most of one address.
const HELD: usize = 1024;
const HELD_OF_ONE: usize = 64;

/// The requests of a network at once, and in a second.
const BURST: usize = 240;
const A_SECOND: f64 = 20.0;

/// How long a header may take.
const ARRIVAL: Duration = Duration::from_secs(5);

/// The most memory while strangers hold all connections.
const MAX_KILOBYTES: u64 = 200 * 1024;

/// A server with a board of alice and bob.
pub(crate) fn served(folder: &TempDir) -> (Setup, Daemon, Browser) {
    let setup = with_pages(&Setup::new(folder.path()));
    let daemon = setup.serve();
    for (number, (from, subject)) in [
        (ALICE, "signup alice fig7elk"),
        (BOB, "signup bob oak4jay"),
        (ALICE, "Pow2 challenge alice bob"),
    ]
    .into_iter()
    .enumerate()
    {
        send(
            daemon.port,
            from,
            &format!("pages{number}@home.example"),
            subject,
            "",
        );
    }
    let alice = Browser::new(&daemon, &mut Mailbox::new(&setup.data.join("mail"), ALICE));
    (setup, daemon, alice)
}

/// The address of a stranger, one for so many connections.
fn address(connection: usize, of_one: usize) -> [u8; 4] {
    let number = u16::try_from(connection / of_one).unwrap().to_be_bytes();
    [127, 1, number[0], number[1]]
}

#[test]
fn ten_thousand_connections_leave_mail_and_players_alone() {
    let visitors = std::env::var("VISITORS").map_or(1500, |number| number.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    let port = web_port(&daemon);
    let (mut held, mut turned_away, mut longest) = (VecDeque::new(), 0, Duration::ZERO);
    for connection in 0..visitors {
        let mut stream = stream_from(address(connection, HELD_OF_ONE), port).unwrap();
        // Half a header, which ends only when the server ends it. Who was turned away at once cannot write.
        let _ = stream.write_all(b"GET /games/ HTTP/1.1\r\nHost: games.example\r\nX-Slow: ");
        held.push_back(stream);
        if held.len() > HELD {
            let mut first = held.pop_front().unwrap();
            let mut bytes = Vec::new();
            first.set_nonblocking(true).unwrap();
            let _ = first.read_to_end(&mut bytes);
            turned_away += usize::from(bytes.starts_with(b"HTTP/1.1 503"));
        }
        if connection % 250 == 249 {
            let begun = Instant::now();
            let number = format!("beside{connection}@home.example");
            send(daemon.port, BOB, &number, "Pow2 show 101", "");
            longest = longest.max(begun.elapsed());
        }
    }
    let most = daemon.kilobytes("VmHWM");
    let last = Instant::now();
    // Each is ended for its slowness, and then whoever comes is served.
    let page = until("a player is served again", || {
        let page = alice.get(&alice.home);
        (page.status == 200).then_some(page)
    });
    let waited = last.elapsed();
    for mut stream in held {
        let _ = stream.set_nonblocking(true);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        turned_away += usize::from(bytes.starts_with(b"HTTP/1.1 503"));
    }
    eprintln!(
        "{visitors} connections, {turned_away} seen to be turned away; the longest mail beside them took {longest:?}; at most \
         {most} kB; a player was served {waited:.1?} after the last"
    );
    assert!(page.body.contains("alice"), "{}", page.body);
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    assert!(most < MAX_KILOBYTES, "{most} kB");
    assert!(waited < ARRIVAL * 4, "{waited:?}");
    daemon.stop_well();
}

/// What a connection answers to this request.
fn asked(from: [u8; 4], port: u16, request: &str) -> Answer {
    let mut stream = stream_from(from, port).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    Answer::read(&rest(&mut stream))
}

#[test]
fn guessed_links_open_nothing_cost_little_and_are_in_no_log() {
    const GUESSES: usize = 400;
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    let port = web_port(&daemon);
    let good = alice.home.split('/').nth(3).unwrap().to_owned();
    let (number, tag) = good.split_once('-').unwrap();
    let guess = |count: usize| {
        let digits: String = format!("{count:05}")
            .bytes()
            .map(|digit| char::from(digit - b'0' + b'a'))
            .collect();
        format!("{number}-{digits}{}", &tag[5..])
    };
    let from = [127, 2, 0, 1];
    let (mut served, mut refused, mut open) = (0, 0, 0);
    let begun = Instant::now();
    while open < GUESSES {
        // A connection for a hundred, as a guesser would.
        let mut stream = stream_from(from, port).unwrap();
        let many: String = (open..open + 100)
            .map(|count| {
                let last = if count % 100 == 99 {
                    "Connection: close\r\n"
                } else {
                    ""
                };
                format!(
                    "GET /games/k/{}/ HTTP/1.1\r\nHost: games.example\r\n{last}\r\n",
                    guess(count)
                )
            })
            .collect();
        let mut write = stream.try_clone().unwrap();
        let writing = std::thread::spawn(move || write.write_all(many.as_bytes()));
        let text = String::from_utf8_lossy(&rest(&mut stream)).into_owned();
        writing.join().unwrap().unwrap();
        assert!(!text.contains("HTTP/1.1 200"), "{text}");
        served += text.matches("HTTP/1.1 404").count();
        refused += text.matches("HTTP/1.1 429").count();
        open += 100;
    }
    assert_eq!(served + refused, GUESSES);
    let most = BURST + (A_SECOND * begun.elapsed().as_secs_f64()).ceil() as usize;
    assert!(served <= most, "{served} guesses were looked at, of {most}");
    // The guesser locks out nobody else, and learns nothing by the time it takes.
    assert_eq!(alice.get(&alice.home).status, 200);
    let log = daemon.stop_well();
    assert!(log.contains("/games/k/***"), "{log}");
    for secret in [&good, &guess(1), &tag[5..].to_owned()] {
        assert!(!log.contains(secret.as_str()), "{secret}");
    }
}

#[test]
fn requests_that_mean_two_things_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    let port = web_port(&daemon);
    let from = [127, 3, 0, 1];
    let set = format!("{}set", alice.home);
    let form = "form=a&option=digest+on";
    let length = form.len();
    for header in [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Content-Length: {length}\r\nContent-Length: {}\r\n", length + 1),
        format!("Content-Length: +{length}\r\n"),
        "Transfer-Encoding: chunked, identity\r\n".to_owned(),
        format!("Content-Length : {length}\r\n"),
    ] {
        let answer = asked(
            from,
            port,
            &format!(
                "POST {set} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n{header}\r\n{form}"
            ),
        );
        assert!(answer.status >= 400, "{header}: {answer:?}");
        assert!(
            alice.get(&alice.home).body.contains("with all news</td><td>off"),
            "{header}"
        );
    }
    // One program would read a Host, the next one another, or a second request behind a bare LF.
    for (header, is_taken) in [
        ("Host: games.example\r\n", true),
        ("", false),
        ("Host: games.example\r\nHost: evil.example\r\n", false),
        ("Host: games.example\r\nHost: games.example\r\n", false),
        ("Host: games.example\r\nX-A: b\n\r\n", false),
        ("Host: games.example\n", false),
        ("Host: games.example\r\nX-A: b\nX-C: d\r\n", false),
        ("Host: games.example\r\nX-A: b\rX-C: d\r\n", false),
    ] {
        for version in ["1.0", "1.1"] {
            let request = format!("GET /games/ HTTP/{version}\r\nConnection: close\r\n{header}\r\n");
            let expected = if is_taken { 200 } else { 400 };
            assert_eq!(asked(from, port, &request).status, expected, "{request:?}");
        }
    }
    assert_eq!(
        asked(from, port, "GET /games/ HTTP/1.1\nHost: games.example\n\n").status,
        400
    );
    // The name in Host is nobody's but the client's: no page repeats it.
    let home = &alice.home;
    for request in [
        format!(
            "GET {home} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n"
        ),
        format!("GET http://evil.example{home} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
    ] {
        let answer = asked(from, port, &request);
        assert!(!answer.body.contains("evil.example"), "{}", answer.body);
        assert!(!answer.header.contains("evil.example"), "{}", answer.header);
    }
    daemon.stop_well();
}

#[test]
fn a_page_elsewhere_can_show_pictures_of_boards_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    let port = web_port(&daemon);
    let home = &alice.home;
    for (path, readers) in [
        ("/games/", "same-origin"),
        ("/games/board/Pow2/101", "same-origin"),
        ("/games/board/Pow2/101/oembed.json", "same-origin"),
        ("/games/nowhere", "same-origin"),
        ("/games/board/Pow2/101/picture.png", "cross-origin"),
        ("/games/board/Pow2/101/picture.svg", "cross-origin"),
        (home, "same-origin"),
        (&format!("{home}board/Pow2/101/picture.png"), "same-origin"),
        (&format!("{home}board/Pow2/101/picture.svg"), "same-origin"),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
        let header = asked([127, 5, 0, 1], port, &request).header;
        for field in [
            &format!("cross-origin-resource-policy: {readers}"),
            "cross-origin-opener-policy: same-origin",
            "x-frame-options: deny",
            "frame-ancestors 'none'",
            "permissions-policy: ",
            "camera=()",
        ] {
            assert!(header.contains(field), "{path}: {field}: {header}");
        }
    }
    daemon.stop_well();
}

#[test]
fn a_form_that_never_ends_holds_one_connection_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    let port = web_port(&daemon);
    let from = [127, 4, 0, 1];
    let slow: Vec<TcpStream> = (0..HELD_OF_ONE)
        .map(|_| {
            let mut stream = stream_from(from, port).unwrap();
            let header = format!(
                "POST {}set HTTP/1.1\r\nHost: games.example\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                 Content-Length: 1000\r\n\r\nform=a&option=digest+on",
                alice.home
            );
            stream.write_all(header.as_bytes()).unwrap();
            stream
        })
        .collect();
    // Others are served, also forms; the slow one has no connection more.
    assert_eq!(alice.get(&alice.home).status, 200);
    let more = asked(
        from,
        port,
        "GET /games/ HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(more.status, 503, "{more:?}");
    drop(slow);
    until("the connections are free again", || {
        let answer = asked(
            from,
            port,
            "GET /games/ HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n",
        );
        (answer.status == 200).then_some(())
    });
    let page = alice.get(&alice.home).body;
    assert!(page.contains("with all news</td><td>off"), "{page}");
    daemon.stop_well();
}
