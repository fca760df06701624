//! Strangers who send what costs most, each as fast as the server answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::players;
use crate::daemon::{PATIENCE, SERVER};

/// The pause of a stranger who was turned away.
const PAUSE: Duration = Duration::from_millis(200);

/// Lets so many strangers send until the flood is over; counts their mails.
pub(super) fn flood(port: u16, strangers: usize, pairs: usize, is_over: &AtomicBool, sent: &AtomicUsize) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (over, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    for stranger in 0..strangers {
        let (over, count) = (over.clone(), count.clone());
        runtime.spawn(async move {
            let mut number = stranger;
            while !over.load(Ordering::Relaxed) {
                let session = session(port, stranger, pairs, &mut number, &over, &count);
                if !matches!(timeout(PATIENCE, session).await, Ok(Ok(()))) {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        });
    }
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
    }
    over.store(true, Ordering::Relaxed);
    runtime.shutdown_timeout(Duration::from_secs(5));
    sent.store(count.load(Ordering::Relaxed), Ordering::SeqCst);
}

/// A session of many mails. An error ends it.
async fn session(
    port: u16,
    stranger: usize,
    pairs: usize,
    number: &mut usize,
    over: &AtomicBool,
    count: &AtomicUsize,
) -> std::io::Result<()> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    reply(&mut stream).await?;
    stream.write_all(b"EHLO far.example\r\n").await?;
    reply(&mut stream).await?;
    for _ in 0..100 {
        if over.load(Ordering::Relaxed) {
            break;
        }
        *number += 1;
        let (sender, message) = mail(stranger, *number, pairs);
        let envelope = format!(
            "MAIL FROM:<{sender}>\r\nRCPT TO:<{SERVER}>\r\nRCPT TO:<{}>\r\nDATA\r\n",
            plus(*number)
        );
        stream.write_all(envelope.as_bytes()).await?;
        for _ in 0..3 {
            reply(&mut stream).await?;
        }
        if !reply(&mut stream).await?.starts_with('3') {
            return Err(std::io::Error::other("refused"));
        }
        stream.write_all(message.as_bytes()).await?;
        stream.write_all(b"\r\n.\r\n").await?;
        reply(&mut stream).await?;
        count.fetch_add(1, Ordering::Relaxed);
    }
    stream.write_all(b"QUIT\r\n").await
}

async fn reply(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line.as_bytes().get(3) != Some(&b'-') {
            return Ok(line);
        }
    }
}

fn plus(number: usize) -> String {
    let (local, domain) = SERVER.split_once('@').unwrap();
    format!("{local}+x{number}@{domain}")
}

/// The envelope sender and the text of one mail. The kinds take turns.
fn mail(stranger: usize, number: usize, pairs: usize) -> (String, String) {
    let own = format!("s{number}@far{stranger}.example");
    let pair = number % pairs.max(1);
    let player = players::userid(pair, number % 2);
    let players = players::address(pair, number % 2);
    let lines = |count: usize, line: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|at| format!("{}\r\n", line(at))).collect()
    };
    let (sender, from, subject, body) = match number % 9 {
        0 => {
            let line = |at| format!("signup u{number}x{at} yew6hen{at} u{at}@far{stranger}.example");
            (own.clone(), own, String::new(), lines(20, &line))
        }
        1 => (
            own.clone(),
            own,
            String::new(),
            lines(100, &|_| "help".to_owned()),
        ),
        2 => {
            let subject = format!("Pow2 move 101 {player} wrong{number} a1");
            (own.clone(), own, subject, String::new())
        }
        3 => {
            let other = players::userid(pair, (number + 1) % 2);
            let subject = format!("Pow2 challenge {player} {other}");
            (own, players, subject, "Words in another's name.".to_owned())
        }
        4 => {
            let html = "<div><p><b>&amp;</b></div>".repeat(2000);
            (own.clone(), own, "nonsense".to_owned(), html)
        }
        5 => (
            own,
            players,
            String::new(),
            lines(100, &|_| "Pow2 record 101".to_owned()),
        ),
        6 => (
            players.clone(),
            players,
            "Pow2 show 101".to_owned(),
            String::new(),
        ),
        7 => {
            let line = |at| format!("Pow2 move 101 {player} wrong{at} a1");
            (own, players, String::new(), lines(100, &line))
        }
        _ => (
            own.clone(),
            own,
            format!("signup n{number} yew6hen{number}"),
            String::new(),
        ),
    };
    let kind = if number % 9 == 4 { "html" } else { "plain" };
    let message = format!(
        "From: {from}\r\nMessage-ID: <{number}@far{stranger}.example>\r\nSubject: {subject}\r\n\
         Content-Type: text/{kind}\r\n\r\n{body}"
    );
    (sender, message)
}
