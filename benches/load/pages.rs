//! Requests for pages over kept connections, each from another visitor behind a web server.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The visitors, so that none comes near the rate limit.
const VISITORS: usize = 20_000;

/// Asks for these pages in turn for this time over so many connections, and returns the time of each. With a `rate`, so many
/// requests a second are due, and the time counts from when a request was due; without, each follows the answer before.
pub(crate) fn ask(
    server: &str,
    paths: &[String],
    connections: usize,
    time: Duration,
    rate: Option<f64>,
) -> Vec<Duration> {
    let begun = Instant::now();
    let between = rate.map(|rate| Duration::from_secs_f64(connections as f64 / rate));
    std::thread::scope(|scope| {
        let asking = |first: usize| {
            move || {
                let (mut each, mut connection) = (Vec::new(), None);
                let mut due = begun
                    + between
                        .unwrap_or_default()
                        .mul_f64(first as f64 / connections as f64);
                for number in (first..).step_by(connections) {
                    match between {
                        Some(between) => {
                            std::thread::sleep(due.saturating_duration_since(Instant::now()));
                            due += between;
                        }
                        None => due = Instant::now(),
                    }
                    if begun.elapsed() >= time {
                        break;
                    }
                    let from = between.map_or(due, |between| due - between);
                    let path = &paths[number * 7919 % paths.len()];
                    while one(&mut connection, server, path, number).is_err() {
                        // The server ends a connection after a minute.
                        connection = None;
                    }
                    each.push(from.elapsed());
                }
                each
            }
        };
        let threads: Vec<_> = (0..connections).map(|first| scope.spawn(asking(first))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// One request, whose answer must be a page.
fn one(connection: &mut Option<BufReader<TcpStream>>, server: &str, path: &str, number: usize) -> Result<()> {
    let stream = match connection {
        Some(stream) => stream,
        None => {
            let stream = TcpStream::connect(server)?;
            stream.set_nodelay(true)?;
            connection.insert(BufReader::new(stream))
        }
    };
    let visitor = number % VISITORS;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: games.example\r\nX-Forwarded-For: 10.0.{}.{}\r\n\r\n",
        visitor / 250,
        visitor % 250
    );
    stream.get_mut().write_all(request.as_bytes())?;
    let (mut line, mut length) = (String::new(), 0);
    stream.read_line(&mut line)?;
    if line.is_empty() {
        return Err(Error::from(ErrorKind::UnexpectedEof));
    }
    assert!(line.starts_with("HTTP/1.1 200"), "{path}: {line}");
    while line != "\r\n" {
        line.clear();
        stream.read_line(&mut line)?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    stream.read_exact(&mut vec![0; length])
}
