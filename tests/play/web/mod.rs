//! The pages, through real connections, against a server with a real engine.

mod acts;
mod api;
mod attacks;
mod club;
mod commented;
mod company;
mod company_forms;
mod data;
mod dice;
mod feeds;
mod forms;
mod gazette;
mod grown;
mod guest;
mod house;
mod join;
mod kept;
mod letters;
mod own;
mod pages;
mod planned;
mod private;
mod seen;
mod sent;
mod sgf;
mod smaller;
mod stamps;
mod tries;

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::TimeDelta;
use pbmserv::config::Config;
use pbmserv::web;
use pbmserv_core::command::PageRequest;
use pbmserv_core::dispatch::{Purpose, page_key};
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::Listener;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::stage::{Mail, SERVER, Stage};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// Where browsers find the pages of the tests.
const BASE: &str = "https://games.example/games/";

/// The path of the pages.
const PATH: &str = "/games/";

/// A server with its pages.
struct Pages {
    stage: Stage,
    port: u16,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    sent: std::sync::atomic::AtomicU32,
}

/// An answer as it came.
#[derive(Debug)]
struct Answer {
    status: u16,
    header: String,
    body: String,
}

impl Answer {
    fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.header.lines();
        lines.find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Pages {
    async fn open() -> Self {
        Self::configured(|_| {}).await
    }

    async fn configured(configure: impl Fn(&mut Config)) -> Self {
        Self::opened(|all| Stage::open(all), configure).await
    }

    /// The same server, stopped and started again after this time.
    async fn restarted(self, pause: TimeDelta, configure: impl Fn(&mut Config)) -> Self {
        self.stop.send_replace(true);
        self.serving.await.unwrap();
        let now = self.stage.server.now() + pause;
        let data = self.stage.close().await;
        let seed = now.timestamp_millis().unsigned_abs();
        let pages = Self::opened(|all| Stage::open_in(data, now, seed, all), configure).await;
        Self {
            sent: self.sent,
            ..pages
        }
    }

    async fn opened(
        open: impl FnOnce(&dyn Fn(&mut Config)) -> Stage,
        configure: impl Fn(&mut Config),
    ) -> Self {
        let all = |config: &mut Config| {
            config.accounts.confirm = false;
            config.web.listen = "127.0.0.1:0".into();
            config.web.url = BASE.into();
            configure(config);
        };
        let mut config = Config::default();
        all(&mut config);
        let stage = open(&all);
        let listener = Listener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.tcp_address().unwrap().port();
        let (stop, stopping) = watch::channel(false);
        let serving = web::serve(listener, &stage.server, &config.web, stopping).unwrap();
        Self {
            stage,
            port,
            stop,
            serving: tokio::spawn(serving),
            sent: std::sync::atomic::AtomicU32::new(0),
        }
    }

    /// The same with two players and a board with two turns.
    async fn with_a_board() -> Self {
        let pages = Self::open().await;
        pages.begin().await;
        pages
    }

    async fn begin(&self) {
        self.ask(ALICE, "signup alice fig7elk").await;
        self.ask(BOB, "signup bob oak4jay").await;
        self.ask(ALICE, "Pow2 challenge alice bob").await;
        self.ask(ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
        self.ask(BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    }

    async fn close(self) {
        self.stop.send_replace(true);
        self.serving.await.unwrap();
        self.stage.close().await;
    }

    /// The letters that a mail causes.
    async fn say(&self, from: &str, subject: &str, body: &str) -> Vec<Outgoing> {
        let id = self.sent.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mail = Mail {
            from,
            to: pbmserv_mail::Address::parse(SERVER).unwrap(),
            header: format!("Message-ID: <web-{id}@players.example>\r\nSubject: {subject}\r\n"),
            body,
        };
        self.stage.send(&mail).await.1
    }

    async fn ask(&self, from: &str, subject: &str) -> Vec<Outgoing> {
        self.say(from, subject, "").await
    }

    /// The path of a player's own page.
    fn own(&self, userid: &str) -> String {
        format!("{PATH}k/{}/", self.key(userid))
    }

    /// The key to all pages of a player.
    fn key(&self, userid: &str) -> String {
        let server = &self.stage.server;
        let reader = server.reader().unwrap();
        let player = reader.player(userid).unwrap().unwrap();
        let renewed = reader.page_links(player.id).unwrap();
        let about = (Purpose::Page, player.id.0);
        page_key(&server.key, about, player.id, player.generation, renewed).unwrap()
    }

    /// Sends bytes, and reads until the server closes the connection.
    async fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let read = timeout(Duration::from_secs(60), stream.read_to_end(&mut bytes));
        let _ = read.await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let (header, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: header
                .split(' ')
                .nth(1)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            header: header.to_owned(),
            body: body.to_owned(),
        }
    }

    async fn get_with(&self, path: &str, fields: &str) -> Answer {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n{fields}\r\n");
        self.raw(request.as_bytes()).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.get_with(path, "").await
    }

    async fn post_with(&self, path: &str, fields: &str, form: &str) -> Answer {
        let length = form.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\nContent-Length: {length}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n{fields}\r\n{form}"
        );
        self.raw(request.as_bytes()).await
    }

    async fn post(&self, path: &str, form: &str) -> Answer {
        self.post_with(path, "", form).await
    }
}

/// The values of this attribute on a page, as a browser reads them.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let begin = format!(" {name}=\"");
    let values = page
        .split(&begin)
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    values.map(unescaped).collect()
}

fn unescaped(text: &str) -> String {
    [
        ("&#x2f;", "/"),
        ("&#x27;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The places of our own that a page names.
fn links(page: &str) -> BTreeSet<String> {
    let all = attributes(page, "href")
        .into_iter()
        .chain(attributes(page, "src"));
    let own = all.filter(|link| link.starts_with('/'));
    own.map(|link| link.split('#').next().unwrap_or_default().to_owned())
        .collect()
}

/// A form of a page, as it reaches the engine.
pub(crate) fn asked(key: &str, by: &pbmserv_core::table::Player, verb: &'static str) -> PageRequest {
    PageRequest {
        key: key.to_owned(),
        by: by.clone(),
        game: None,
        verb,
        board: None,
        rest: String::new(),
        words: String::new(),
        shown: None,
        form: String::new(),
        client: "192.0.2.1".parse().unwrap(),
    }
}
