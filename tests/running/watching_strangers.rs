//! The monitoring pages and untrusted clients: the pages show no data of players, and no client blocks the others.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::daemon::http::{closed_port, play, rest, watched};
use crate::daemon::{Setup, until};

#[test]
fn nothing_of_a_player_stands_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let port = closed_port();
    // A relay that needs a password and quotes the refused recipient.
    let password = folder.path().join("relay-password");
    fs::write(&password, "hidden-relay-word\n").unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            drop(stream.write_all(b"554 alice@home.example hidden-relay-word is not welcome\r\n"));
        }
    });
    let setup = watched(folder.path())
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with(
            "PBMSERV_DELIVERY_URL",
            &format!("smtp://relayuser@127.0.0.1:{port}"),
        )
        .with("PBMSERV_DELIVERY_PASSWORD_FILE", &password.to_string_lossy());
    let daemon = setup.serve();
    play(&daemon);
    daemon.health_when("the relay refuses", |_, health| {
        health["sender"]["last_error_at"].is_string()
    });
    assert!(daemon.log().contains("is not welcome"), "{}", daemon.log());
    for path in [
        "/healthz",
        "/metrics",
        "/alice",
        "/healthz?alice",
        "/%2e%2e/etc/passwd",
    ] {
        let page = daemon.page(path);
        let text = format!("{}{}", page.header, page.body).to_ascii_lowercase();
        for word in [
            "alice",
            "bob",
            "home.example",
            "secret",
            "wrong-guess",
            "frobnicate",
            "zwiebel",
            "relayuser",
            "hidden-relay-word",
            "welcome",
            "some words",
            "@",
            "passwd",
            &folder.path().to_string_lossy().to_ascii_lowercase(),
        ] {
            assert!(!text.contains(word), "{path} has {word}: {text}");
        }
    }
    daemon.stop_well();
}

#[test]
fn only_these_pages_can_be_read_and_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = watched(folder.path()).serve();
    for path in ["/", "/metrics/", "/healthz/x", "/HEALTHZ", "//healthz"] {
        assert_eq!(daemon.page(path).status, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        let request = format!("{method} /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
        let answer = daemon.request(request.as_bytes());
        assert_eq!(answer.status, 405, "{method}: {answer:?}");
        assert!(answer.header.contains("allow: get, head"), "{answer:?}");
    }
    let answer = daemon.request(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!((answer.status, answer.body.as_str()), (200, ""), "{answer:?}");
    assert_eq!(daemon.request(b"GET /healthz HTTP/1.0\r\n\r\n").status, 200);
    // One request a connection.
    let two = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2);
    let answer = daemon.request(two.as_bytes());
    assert_eq!(answer.body.matches("HTTP/1.1 200").count(), 0, "{answer:?}");
    daemon.stop_well();
}

#[test]
fn what_is_too_long_or_no_request_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = watched(folder.path()).serve();
    let long = "x".repeat(64 * 1024);
    let many = "X: y\r\n".repeat(2_000);
    for request in [
        format!("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: {long}\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{many}\r\n"),
        format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"),
        "EHLO home.example\r\n\r\n".to_owned(),
        "\0\0\0\0\r\n\r\n".to_owned(),
    ] {
        let answer = daemon.request(request.as_bytes());
        // A connection that is closed with unread input may lose its response.
        assert!(matches!(answer.status, 0 | 400 | 414 | 431), "{answer:?}");
    }
    assert_eq!(daemon.page("/healthz").status, 200);
    daemon.stop_well();
}

#[test]
fn the_slow_and_the_many_keep_nobody_out_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = watched(folder.path()).serve();
    // Many more connections than are served, each with half a request.
    let mut crowd: Vec<TcpStream> = (0..200).map(|_| daemon.connect_http()).collect();
    for stream in &mut crowd {
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost:");
    }
    let begun = Instant::now();
    until("there is room again", || {
        (daemon.page("/healthz").status == 200).then_some(())
    });
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    for stream in &mut crowd {
        rest(stream);
    }
    // A client that sends one byte a second gets no more time than others.
    let mut dripping = daemon.connect_http();
    let begun = Instant::now();
    let ended = until("the dripping one is cut off", || {
        std::thread::sleep(Duration::from_millis(500));
        dripping.write_all(b"G").is_err().then_some(begun.elapsed())
    });
    assert!(ended < Duration::from_secs(30), "{ended:?}");
    // The stop waits for no client.
    let idle = daemon.connect_http();
    let begun = Instant::now();
    daemon.stop_well();
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    drop(idle);
}

#[test]
fn the_pages_are_also_at_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("http.sock");
    let place = format!("unix:{}", socket.display());
    let daemon = Setup::new(folder.path())
        .with("PBMSERV_HTTP_LISTEN", &place)
        .serve();
    let mode = fs::metadata(&socket).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o660);
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    daemon.stop_well();
}
