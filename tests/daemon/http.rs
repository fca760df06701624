//! A monitoring client: one request over a socket, and its raw response.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use super::smtp::send;
use super::{Daemon, PATIENCE, Setup, until};

pub(crate) const ALICE: &str = "alice@home.example";
pub(crate) const BOB: &str = "bob@home.example";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) header: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (header, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = header.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_default(),
            header: header.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// The page as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Daemon {
    /// The address of its pages, if `PBMSERV_HTTP_LISTEN` is a TCP port.
    pub(crate) fn http(&self) -> Option<u16> {
        let log = self.log();
        let (_, port) = log.split_once(" http=127.0.0.1:")?;
        port.split([' ', '\n']).next()?.parse().ok()
    }

    /// Connects to the HTTP listener.
    pub(crate) fn connect_http(&self) -> TcpStream {
        let port = self.http().unwrap();
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes, and returns the whole response. An early close is not an error.
    pub(crate) fn request(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect_http();
        let _ = stream.write_all(bytes);
        Answer::read(&rest(&mut stream))
    }

    /// The page of this path.
    pub(crate) fn page(&self, path: &str) -> Answer {
        self.request(format!("GET {path} HTTP/1.1\r\nHost: pbmserv\r\n\r\n").as_bytes())
    }

    /// Waits for this health.
    pub(crate) fn health_when(
        &self,
        what: &str,
        mut is_so: impl FnMut(&Answer, &serde_json::Value) -> bool,
    ) -> serde_json::Value {
        until(what, || {
            let page = self.page("/healthz");
            let health = page.json();
            let found = is_so(&page, &health);
            if !found {
                std::thread::sleep(Duration::from_millis(100));
            }
            found.then_some(health)
        })
    }

    /// The value of this line of `/metrics`; 0 if the line is missing.
    pub(crate) fn metric(&self, line: &str) -> f64 {
        let page = self.page("/metrics").body;
        let value = page
            .lines()
            .find_map(|found| found.strip_prefix(line)?.strip_prefix(' '));
        value.map_or(0.0, |value| value.parse().unwrap())
    }
}

/// Everything until the server closes the connection.
pub(crate) fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        // The server closed with unread input.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    bytes
}

/// A setup whose daemon serves its pages.
pub(crate) fn watched(folder: &Path) -> Setup {
    Setup::new(folder).with("PBMSERV_HTTP_LISTEN", "127.0.0.1:0")
}

/// Two players and a board, with some refusals.
pub(crate) fn play(daemon: &Daemon) {
    for (number, (from, subject)) in [
        (ALICE, "signup alice fig7elk"),
        (BOB, "signup bob oak4jay"),
        (ALICE, "Pow2 challenge alice bob"),
        (ALICE, "Pow2 move 101 alice wrong-guess a1"),
        (ALICE, "Pow2 chat 101 alice fig7elk"),
        (BOB, "Pow2 frobnicate zwiebel"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("{number}@home.example");
        send(daemon.port, from, &id, subject, "some words for bob");
    }
}

/// A port of this machine on which nothing listens.
pub(crate) fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
