//! Hostile input over SMTP: each client gets a clear reply, all others are served at the same time, and the memory
//! stays bounded.

use std::io::{self, Read};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon::mailbox::all;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{self, Daemon, SERVER, Setup, count};

/// The bound on the daemon's memory: 64 MiB of messages at a time (`max_held_bytes`), the parsed form of the few
/// that are being read, its connections, and the program.
const MAX_MEMORY_KB: u64 = 160 * 1024;

/// A well-behaved client, which must never wait long.
const READER: &str = "reader@home.example";

/// Requests help repeatedly during an attack, and returns how often. Each request must be answered soon.
fn while_somebody_is_served<T>(port: u16, attack: impl FnOnce() -> T) -> (T, usize) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut client = Client::connect(port).unwrap();
            let mut asked = 0;
            while !is_over.load(Ordering::SeqCst) {
                let id = format!("{asked}@home.example");
                let start = Instant::now();
                let reply = client.send(READER, &message(READER, &id, "help", "")).unwrap();
                assert!(reply.starts_with("250"), "{reply}");
                assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
                asked += 1;
                thread::sleep(Duration::from_millis(20));
            }
            asked
        });
        // Also if the attack fails, or the reader would never end.
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(attack));
        is_over.store(true, Ordering::SeqCst);
        let asked = reader.join().unwrap();
        (
            caught.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            asked,
        )
    })
}

/// Every request of the reader was answered, the memory was bounded, and nothing panicked.
fn check(setup: &Setup, daemon: Daemon, asked: usize) {
    setup.wait_for_delivery();
    let letters = all(&setup.data.join("mail"));
    let answers = letters.iter().filter(|mail| {
        mail.in_reply_to
            .split_once('@')
            .is_some_and(|(number, _)| number.parse::<usize>().is_ok_and(|number| number < asked))
    });
    assert_eq!(answers.count(), asked, "each question has its answer");
    let most = daemon.kilobytes("VmHWM");
    eprintln!("{asked} questions answered, at most {most} kB of memory");
    assert!(most < MAX_MEMORY_KB, "{most} kB");
    let log = daemon.stop_well();
    assert!(!log.contains("set aside"), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
}

/// A message with these header lines and this body, from a separate address.
fn odd(name: &str, header: &[u8], body: &[u8]) -> (String, Vec<u8>) {
    let from = format!("{name}@odd.example");
    let start = format!("From: {from}\r\nMessage-ID: <{name}@odd.example>\r\nSubject: help\r\n");
    (
        from,
        [start.as_bytes(), header, b"\r\n\r\n", body, b"\r\n"].concat(),
    )
}

/// Sends a message in a session that continues. Returns the reply.
fn reply_to(port: u16, name: &str, header: &[u8], body: &[u8]) -> String {
    let (from, bytes) = odd(name, header, body);
    let mut client = Client::connect(port).unwrap();
    let reply = client.send(&from, &bytes).unwrap();
    assert_eq!(client.say("NOOP").unwrap(), "250 2.0.0 Yes", "after {reply}");
    reply
}

fn plain(port: u16, name: &str, body: &[u8]) -> String {
    reply_to(port, name, b"X-Odd: yes", body)
}

/// The beginning of `depth` nested parts, the last of them a text. No part is closed.
fn nested(depth: usize) -> Vec<u8> {
    let mut body = String::new();
    for level in 0..depth {
        body.push_str(&format!(
            "--b{level}\r\nContent-Type: multipart/mixed; boundary=b{}\r\n\r\n",
            level + 1
        ));
    }
    body.push_str(&format!("--b{depth}\r\n\r\nsome text\r\n"));
    body.into_bytes()
}

const MIXED: &[u8] = b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b0";

fn oversized(port: u16) {
    let mut client = Client::connect(port).unwrap();
    let reply = client.say("MAIL FROM:<a@odd.example> SIZE=1048577").unwrap();
    assert_eq!(reply, "552 5.3.4 A message has at most 1048576 bytes");
    // Without announcing it, and by one line.
    let body = b"0123456789012345678901234567890123456789012345678901234567890\r\n".repeat(16_700);
    let reply = plain(port, "large", &body);
    assert_eq!(reply, "552 5.3.4 A message has at most 1048576 bytes");
    // An endless one is cut off.
    client.begin("b@odd.example").unwrap();
    let chunk = b"0123456789012345678901234567890123456789012345678901234567890\r\n".repeat(1000);
    let sent = (0..1000).take_while(|_| client.write(&chunk).is_ok()).count();
    assert!(sent < 1000, "{sent} chunks were taken");
    // The last reply, unless the reset has discarded it.
    if let Ok(reply) = client.reply() {
        assert_eq!(
            reply,
            "552 5.3.4 The message is far too long, closing the connection"
        );
    }
}

fn endless_lines(port: u16) {
    let mut client = Client::connect(port).unwrap();
    let reply = client.say(&format!("MAIL FROM:<{}@odd.example>", "a".repeat(2000)));
    assert_eq!(reply.unwrap(), "500 5.5.2 The line is too long");
    client.write(&vec![b'x'; 66 * 1024]).unwrap();
    assert_eq!(
        client.reply().unwrap(),
        "500 5.5.2 The line has no end, closing the connection"
    );
    // In a message a line may be as long as the message.
    assert!(plain(port, "longline", &vec![b'x'; 900_000]).starts_with("250"));
}

fn bare_line_ends(port: u16) {
    let smuggled: [&[u8]; 4] = [
        b"one\ntwo",
        b"one\rtwo",
        b"one\r\n.\nMAIL FROM:<evil@odd.example>",
        b"one\n.\r\nRCPT TO:<evil@odd.example>",
    ];
    for (number, body) in smuggled.iter().enumerate() {
        let (from, bytes) = odd(&format!("bare{number}"), b"X-Odd: yes", body);
        let mut client = Client::connect(port).unwrap();
        let reply = client.send(&from, &bytes).unwrap();
        assert!(
            reply.starts_with("554 5.6.0 Lines must end in CRLF"),
            "{number}: {reply}"
        );
        assert!(client.reply().is_err(), "the session goes on");
    }
    let mut client = Client::connect(port).unwrap();
    client.write(b"NOOP\n").unwrap();
    assert!(
        client
            .reply()
            .unwrap()
            .starts_with("500 5.5.2 A line must end in CRLF")
    );
}

fn strange_parts(port: u16) {
    let text = b"--b0\r\nContent-Type: text/plain\r\n\r\nA part that does not end";
    assert!(reply_to(port, "noend", MIXED, text).starts_with("250"));
    let reply = reply_to(port, "deep", MIXED, &nested(10_000));
    assert_eq!(reply, "554 5.6.0 the message has parts nested too deeply");
    let messages = b"Content-Type: message/rfc822\r\n\r\n".repeat(10_000);
    let reply = reply_to(port, "messages", b"Content-Type: message/rfc822", &messages);
    assert!(
        reply.starts_with("554 5.6.0") || reply.starts_with("250"),
        "{reply}"
    );
    let many = b"--b0\r\nContent-Type: image/png\r\n\r\nx\r\n".repeat(20_000);
    let reply = reply_to(port, "many", MIXED, &many);
    assert_eq!(reply, "554 5.6.0 the message has too many parts");
    let page = [b"<div><blockquote>".repeat(50_000), b"x".to_vec()].concat();
    assert!(reply_to(port, "page", b"Content-Type: text/html", &page).starts_with("250"));
    let fields = b"X-Many: yes\r\n".repeat(60_000);
    let reply = reply_to(port, "fields", &fields[..fields.len() - 2], b"");
    assert_eq!(reply, "554 5.6.0 the header of the message is too long");
    let words = b"Subject: =?utf-8?b?aGVscA==?= ".repeat(6000);
    assert!(reply_to(port, "words", &words, b"").starts_with("250"));
    let base64 = b"Content-Transfer-Encoding: base64\r\nContent-Type: text/plain; charset=utf-7";
    assert!(reply_to(port, "base64", base64, &b"====!!!!AAAA\xff".repeat(5000)).starts_with("250"));
}

fn zero_bytes(port: u16) {
    assert!(plain(port, "zero", b"a\0b\0\0c").starts_with("250"));
    assert!(reply_to(port, "zeros", b"X-Zero: \0\0\r\n\0\0: \0", &[0; 100_000]).starts_with("250"));
    let mut client = Client::connect(port).unwrap();
    let reply = client.say("MAIL FROM:<a\0b@odd.example>").unwrap();
    assert!(reply.starts_with('5'), "{reply}");
}

fn many_recipients(port: u16) {
    let mut client = Client::connect(port).unwrap();
    client.say("MAIL FROM:<many@odd.example>").unwrap();
    let (local, domain) = SERVER.split_once('@').unwrap();
    for number in 0..100 {
        let reply = client
            .say(&format!("RCPT TO:<{local}+{number}@{domain}>"))
            .unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    }
    let reply = client.say(&format!("RCPT TO:<{local}+more@{domain}>")).unwrap();
    assert_eq!(reply, "452 4.5.3 A message has at most 100 recipients");
    let reply = client.say("RCPT TO:<somebody@elsewhere.example>").unwrap();
    assert!(reply.starts_with("550 5.7.1"), "{reply}");
    client.say("DATA").unwrap();
    let (_, bytes) = odd("many", b"X-Odd: yes", b"");
    client.write(&[&bytes[..], b".\r\n"].concat()).unwrap();
    let reply = client.reply().unwrap();
    assert!(reply.starts_with("250 2.0.0 Accepted, number "), "{reply}");
}

fn no_smtp(port: u16) {
    let mut client = Client::open(port).unwrap();
    assert!(client.reply().unwrap().starts_with("220"));
    let reply = client.say("GET / HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    assert!(reply.starts_with("502 5.5.1"), "{reply}");
    // Meaningless bytes are refused line by line, until the session is closed.
    let mut client = Client::open(port).unwrap();
    assert!(client.reply().unwrap().starts_with("220"));
    client.write(&b"\xff\xfe\0\x16\x03\x01\r\n".repeat(50)).unwrap();
    let mut said = Vec::new();
    while let Ok(reply) = client.reply() {
        said.push(reply);
    }
    let (last, refused) = said.split_last().unwrap();
    assert!(refused.iter().all(|reply| reply.starts_with('5')), "{refused:?}");
    assert_eq!(
        last,
        "421 4.7.0 Too many commands were refused, closing the connection"
    );
}

/// Clients that send nothing, or stop in the middle, get a reply and are disconnected after two seconds.
fn stalled(port: u16) {
    let starts: [&[u8]; 4] = [
        b"",
        b"EHLO home.example\r\nMAIL FROM:<slow@odd.example>\r\nRCP",
        b"EHLO home.example\r\nMAIL FROM:<slow@odd.example>\r\nRCPT TO:<pbmserv@localhost>\r\nDATA\r\n",
        b"EHLO home.example\r\nMAIL FROM:<slow@odd.example>\r\nRCPT TO:<pbmserv@localhost>\r\nDATA\r\nSubject: help\r\n\r\n.",
    ];
    thread::scope(|scope| {
        for start in starts {
            scope.spawn(move || {
                let mut client = Client::open(port).unwrap();
                client.write(start).unwrap();
                let begun = Instant::now();
                let last = std::iter::from_fn(|| client.reply().ok()).last().unwrap();
                assert!(last.starts_with("421 4.4.2"), "{last}");
                assert!((1..10).contains(&begun.elapsed().as_secs()));
            });
        }
    });
}

#[test]
fn bad_input_is_refused_clearly_and_hurts_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_SMTP_SILENCE_SECONDS", "2");
    let daemon = setup.serve();
    let port = daemon.port;
    let ((), asked) = while_somebody_is_served(port, || {
        thread::scope(|scope| {
            for attack in [
                oversized,
                endless_lines,
                bare_line_ends,
                strange_parts,
                zero_bytes,
                many_recipients,
                no_smtp,
                stalled,
            ] {
                scope.spawn(move || attack(port));
            }
        });
    });
    let conn = setup.look();
    assert_eq!(
        count(&conn, "SELECT COUNT(*) FROM inbox WHERE sender LIKE 'evil%'"),
        0,
        "a message was smuggled in"
    );
    check(&setup, daemon, asked);
}

/// Raises the limit of open files of this process and its children, if the machine allows it.
fn allow_files(count: usize) {
    let status = Command::new("prlimit")
        .args([
            format!("--pid={}", std::process::id()),
            format!("--nofile={count}:"),
        ])
        .status()
        .unwrap();
    assert!(status.success(), "ulimit -Hn is too low for this test");
}

/// Opens this many connections and reads the first three characters of each greeting.
fn crowd(port: u16, count: usize) -> Vec<(TcpStream, io::Result<String>)> {
    let open: Vec<_> = (0..count)
        .map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap())
        .collect();
    let greeting = open.into_iter().map(|mut stream| {
        stream.set_read_timeout(Some(daemon::PATIENCE)).unwrap();
        let mut code = [0; 3];
        let greeting = stream
            .read_exact(&mut code)
            .map(|()| String::from_utf8_lossy(&code).into_owned());
        (stream, greeting)
    });
    greeting.collect()
}

#[test]
fn a_thousand_connections_keep_nobody_waiting() {
    allow_files(4096);
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    let port = daemon.port;
    let before = daemon.kilobytes("VmRSS");
    let (during, asked) = while_somebody_is_served(port, || {
        let crowd = crowd(port, 1000);
        assert!(
            crowd
                .iter()
                .all(|(_, greeting)| greeting.as_ref().is_ok_and(|code| code == "220"))
        );
        // A further client is served like the first.
        let mut client = Client::connect(port).unwrap();
        let reply = client.send(
            "x@home.example",
            &message("x@home.example", "x@home.example", "help", ""),
        );
        assert!(reply.unwrap().starts_with("250"));
        thread::sleep(Duration::from_millis(500));
        daemon.kilobytes("VmRSS")
    });
    let each = during.saturating_sub(before) / 1000;
    eprintln!("{before} kB before, {during} kB with a thousand connections");
    assert!(each < 32, "{each} kB for each connection");
    check(&setup, daemon, asked);
}

#[test]
fn a_flood_of_long_messages_is_put_off_where_the_memory_ends() {
    const SENDERS: usize = 120;
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let daemon = setup.serve();
    let port = daemon.port;
    let line = b"A line of a message that is as long as it may be, near enough.\r\n";
    let body = line.repeat(1_000_000 / line.len());
    let ((), asked) = while_somebody_is_served(port, || {
        let mut clients: Vec<_> = (0..SENDERS).map(|_| Client::connect(port).unwrap()).collect();
        // All except the last dot, on every connection: no message can be handed on and freed.
        for (number, client) in clients.iter_mut().enumerate() {
            let (from, bytes) = odd(&format!("flood{number}"), b"Content-Type: application/pdf", &body);
            client.begin(&from).unwrap();
            client.write(&bytes).unwrap();
        }
        let replies = clients.iter_mut().map(|client| {
            client.write(b".\r\n").unwrap();
            client.reply().unwrap()
        });
        let (put_off, taken): (Vec<_>, Vec<_>) = replies.partition(|reply| reply.starts_with('4'));
        let too_much = "452 4.3.1 Too much mail at the moment, please try again later";
        assert!(put_off.iter().all(|reply| reply == too_much), "{put_off:?}");
        assert!(taken.iter().all(|reply| reply.starts_with("250")), "{taken:?}");
        assert!(put_off.len() > SENDERS / 3, "{} were put off", put_off.len());
        assert!(taken.len() > SENDERS / 3, "{} were taken", taken.len());
    });
    check(&setup, daemon, asked);
}

#[test]
fn more_connections_than_files_leave_files_for_the_rest() {
    allow_files(4096);
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).behind(&["sh", "-c", "ulimit -n 128; exec \"$@\"", "sh"]);
    let daemon = setup.serve();
    let port = daemon.port;
    let ((), asked) = while_somebody_is_served(port, || {
        thread::sleep(Duration::from_millis(50));
        let crowd = crowd(port, 300);
        let of = |code: &str| {
            let said = |greeting: &io::Result<String>| greeting.as_ref().is_ok_and(|said| said == code);
            crowd.iter().filter(|(_, greeting)| said(greeting)).count()
        };
        assert!(of("220") > 40, "{} were let in", of("220"));
        assert_eq!(of("220") + of("421"), 300, "each is greeted or refused");
        // Checking players' passwords needs the database; so do the operator's verbs.
        assert!(setup.run(&["user", "list"]).status.success());
    });
    check(&setup, daemon, asked);
}
