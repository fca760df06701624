//! A server without doors and with many players, which the benchmarks fill with boards.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each benchmark uses a part of it"
)]

use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv::config::Config;
use pbmserv::engine::server::{Closing, Server};
use pbmserv::engine::{Report, TimeSource};
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::NewPlayer;
use pbmserv_core::store::Outgoing;
use pbmserv_games::{Game, Match, Options};
use pbmserv_mail::doors::Message;
use pbmserv_mail::outbox::Queue;
use pbmserv_mail::{Address, Envelope};
use tokio::task::JoinSet;

pub(crate) mod bulk;
pub(crate) mod year;

/// The allocator of the program (`src/main.rs`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The address of the server.
pub(crate) const SERVER: &str = "pbmserv@games.example";

/// The password of every player. It is hashed once, since a thousand hashes would take longer than the rest.
pub(crate) const PASSWORD: &str = "secret-of-all";

/// Messages that are submitted at once, as many as may share a commit.
const AT_ONCE: usize = 256;

/// The server and its clock.
pub(crate) struct Town {
    pub(crate) server: Arc<Server>,
    closing: Closing,
    time: Arc<Mutex<(DateTime<Utc>, TimeDelta)>>,
}

/// The userid of a player by number.
pub(crate) fn userid(number: usize) -> String {
    format!("player{number}")
}

/// The number in a userid.
pub(crate) fn number_of(userid: &str) -> usize {
    userid.strip_prefix("player").unwrap().parse().unwrap()
}

/// The address of that player.
pub(crate) fn address(number: usize) -> String {
    format!("{}@players.example", userid(number))
}

/// The configuration of a server in this folder, without limits on senders.
pub(crate) fn configuration(data: &Path) -> Config {
    let mut config = Config::default();
    config.server.address = SERVER.into();
    config.server.data = data.into();
    config.accounts.confirm = false;
    config.limits.mails_an_hour = u32::MAX;
    config.limits.answers_a_day = u32::MAX;
    config.limits.strangers_answers_a_day = u32::MAX;
    config.limits.strangers_mails_an_hour = u32::MAX;
    config.limits.refusals_a_day = u32::MAX;
    config.limits.challenges_a_day = u32::MAX;
    config
}

impl Town {
    /// Opens the server in a folder, at this time.
    pub(crate) fn open(data: &Path, now: DateTime<Utc>) -> Self {
        Self::open_with(&configuration(data), now)
    }

    /// The same with a given configuration.
    pub(crate) fn open_with(config: &Config, now: DateTime<Utc>) -> Self {
        let time = Arc::new(Mutex::new((now, TimeDelta::zero())));
        let clock = {
            let (now, uptime) = (time.clone(), time.clone());
            TimeSource::new(
                move || now.lock().unwrap().0,
                move || uptime.lock().unwrap().1.to_std().unwrap(),
            )
        };
        let (server, closing) = Server::open(config, clock, None).unwrap();
        Self {
            server,
            closing,
            time,
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, time: TimeDelta) {
        let mut now = self.time.lock().unwrap();
        now.0 += time;
        now.1 += time;
    }

    /// Gives this many players an account with a confirmed address.
    pub(crate) async fn settle(&self, players: usize) {
        let hash = self.server.hash_password(PASSWORD.to_owned()).await.unwrap();
        let settled = self.server.engine.write(move |store, now| {
            for number in 0..players {
                let player = store.add_player(&NewPlayer {
                    userid: userid(number),
                    password_hash: hash.clone(),
                    created_at: now,
                })?;
                let address = Address::parse(&address(number)).unwrap();
                store.add_address(player, &address, Some(now), now)?;
            }
            Ok(())
        });
        settled.await.unwrap();
    }

    /// A player mails a command; returns the outcome and the letters that it caused.
    pub(crate) async fn ask(&self, player: usize, subject: &str) -> (Report, Vec<Outgoing>) {
        let request = self.server.read("smtp", &mail(player, subject)).unwrap();
        let report = self.server.handle(request, false, true).await.unwrap();
        let letters = report.letters.clone();
        (report, letters)
    }

    /// Players mail these commands, many at once; each must succeed.
    pub(crate) async fn ask_all(&self, commands: Vec<(usize, String)>) {
        let mut waiting = commands.into_iter();
        let mut under_way = JoinSet::new();
        loop {
            while under_way.len() < AT_ONCE
                && let Some((player, subject)) = waiting.next()
            {
                let server = self.server.clone();
                under_way.spawn(async move {
                    let request = server.read("smtp", &mail(player, &subject)).unwrap();
                    let report = server.handle(request, false, false).await.unwrap();
                    assert!(matches!(report.handled, Handled::Recorded(_)), "{subject}");
                    assert_eq!(report.handled.fate(), ("done", None), "{subject}");
                });
            }
            match under_way.join_next().await {
                Some(done) => done.unwrap(),
                None => break,
            }
        }
    }

    /// Delivers everything in the outbox.
    pub(crate) async fn deliver(&self) {
        loop {
            let letters = self.server.rows.due(self.server.now(), 1000).await.unwrap();
            if letters.is_empty() {
                return;
            }
            let sent = letters
                .into_iter()
                .map(|letter| pbmserv_mail::outbox::SettledMail {
                    id: letter.id,
                    outcome: pbmserv_mail::outbox::Outcome::Sent,
                });
            self.server.rows.settle(sent.collect()).await.unwrap();
        }
    }

    /// Stops the server.
    pub(crate) async fn close(self) {
        let closing = self.closing;
        drop(self.server);
        tokio::task::spawn_blocking(move || closing.wait()).await.unwrap();
    }
}

/// A mail of a player, as a door submits it; no two are the same.
pub(crate) fn mail(player: usize, subject: &str) -> Message {
    let from = address(player);
    let id: u128 = rand::random();
    let bytes = format!(
        "From: Player {player} <{from}>\r\nTo: {SERVER}\r\nSubject: {subject}\r\nMessage-ID: <{id:x}@players.example>\r\n\
         Date: Fri, 20 Nov 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
         Good luck to you!\r\n-- \r\nPlayer {player}\r\n"
    );
    Message {
        envelope: Envelope {
            sender: Some(Address::parse(&from).unwrap()),
            recipients: vec![Address::parse(SERVER).unwrap()],
        },
        bytes: bytes.into_bytes().into(),
        client: None,
        mark: None,
    }
}

/// A position at the start of a game, without options.
pub(crate) fn start(game: &'static Game) -> Box<dyn Match> {
    game.start(&Options::none(game.facts)).unwrap()
}

/// The game of this name.
pub(crate) fn game(name: &str) -> &'static Game {
    pbmserv_games::find(name).unwrap()
}
