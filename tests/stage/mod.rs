//! A server without doors and with a settable clock, for tests of whole mails.

pub(crate) mod database;

use std::path::Path;
use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use pbmserv::config::Config;
use pbmserv::engine::TimeSource;
use pbmserv::engine::server::{Closing, NotOpened, Server};
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_games::{Game, Match};
use pbmserv_mail::doors::Message;
use pbmserv_mail::outbox::{self, Outcome, Queue, SettledMail};
use pbmserv_mail::{Address, Envelope};
use tempfile::TempDir;

/// The address of the server.
pub(crate) const SERVER: &str = "pbmserv@games.example";

/// A mail of a player.
pub(crate) struct Mail<'a> {
    /// The envelope sender, also used for `From`.
    pub(crate) from: &'a str,
    /// The envelope recipient.
    pub(crate) to: Address,
    /// Further fields of the header, such as `Subject`, lines ended by CRLF.
    pub(crate) header: String,
    /// The text, lines ended by LF.
    pub(crate) body: &'a str,
}

impl Mail<'_> {
    /// The message as a door submits it.
    pub(crate) fn message(&self) -> Message {
        let Self { from, header, .. } = self;
        let body = self.body.replace('\n', "\r\n");
        let bytes = format!(
            "From: {from}\r\nTo: {SERVER}\r\nContent-Type: text/plain; charset=utf-8\r\n{header}\r\n{body}"
        );
        Message {
            envelope: Envelope {
                sender: Some(Address::parse(from).unwrap()),
                recipients: vec![self.to.clone()],
            },
            bytes: bytes.into_bytes().into(),
            client: None,
            mark: None,
        }
    }
}

/// A function of [`Server`] that opens one.
pub(crate) type Open = fn(&Config, TimeSource, Option<u64>) -> Result<(Arc<Server>, Closing), NotOpened>;

/// The server, its folder and its clock.
pub(crate) struct Stage {
    pub(crate) server: Arc<Server>,
    closing: Closing,
    /// The time of day, which a test can set.
    pub(crate) now: Arc<Mutex<DateTime<Utc>>>,
    uptime: Arc<Mutex<TimeDelta>>,
    data: TempDir,
}

impl Stage {
    /// Opens a server in a new folder, on a fixed day, with reproducible Message-IDs.
    pub(crate) fn open(configure: impl FnOnce(&mut Config)) -> Self {
        let now = Utc.with_ymd_and_hms(2026, 11, 20, 8, 0, 0).unwrap();
        Self::open_in(tempfile::tempdir().unwrap(), now, 1, configure)
    }

    /// Opens a server in this folder at this time. Each reopening needs another seed, or Message-IDs would repeat.
    pub(crate) fn open_in(
        data: TempDir,
        now: DateTime<Utc>,
        seed: u64,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        Self::open_by(Server::open, data, now, seed, configure)
    }

    /// The same by this function of [`Server`].
    pub(crate) fn open_by(
        open: Open,
        data: TempDir,
        now: DateTime<Utc>,
        seed: u64,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let now = Arc::new(Mutex::new(now));
        let uptime = Arc::new(Mutex::new(TimeDelta::zero()));
        let clock = {
            let (now, uptime) = (now.clone(), uptime.clone());
            TimeSource::new(
                move || *now.lock().unwrap(),
                move || uptime.lock().unwrap().to_std().unwrap(),
            )
        };
        let mut config = Config::default();
        config.server.address = SERVER.into();
        config.server.data = data.path().into();
        config.store.url = database::url(data.path()).unwrap_or_default();
        configure(&mut config);
        let (server, closing) = open(&config, clock, Some(seed)).unwrap();
        Self {
            server,
            closing,
            now,
            uptime,
            data,
        }
    }

    /// The folder of the database.
    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    /// Rolls the dice that a copy of a board's position waits for, as the server has rolled them.
    pub(crate) fn roll(&self, game: &Game, number: u32, position: &mut dyn Match) {
        if position.due_roll().is_none() {
            return;
        }
        let reader = self.server.reader().unwrap();
        let board = reader.board(game, number).unwrap().unwrap();
        let kept = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        position.roll(kept.game.dice().unwrap());
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, time: TimeDelta) {
        *self.now.lock().unwrap() += time;
        *self.uptime.lock().unwrap() += time;
    }

    /// Submits a mail and takes the letters that wait in the outbox.
    pub(crate) async fn send(&self, mail: &Mail<'_>) -> (Handled, Vec<Outgoing>) {
        self.take(&mail.message()).await
    }

    /// The same for a message as a door hands it in. Computers answer before their time is up.
    pub(crate) async fn take(&self, message: &Message) -> (Handled, Vec<Outgoing>) {
        let request = self.server.read("smtp", message).unwrap();
        let report = self.server.handle(request, false, false).await.unwrap();
        self.server.thinking.until_idle().await.unwrap();
        (report.handled, self.collect().await)
    }

    /// Delivers everything in the outbox.
    pub(crate) async fn collect(&self) -> Vec<Outgoing> {
        let mut letters = Vec::new();
        loop {
            let due = self.server.rows.due(self.server.now(), 100_000).await.unwrap();
            if due.is_empty() {
                break;
            }
            self.settle(&due).await;
            let written = due.into_iter().map(|letter| self.server.rows.written(letter));
            letters.extend(written);
        }
        letters.sort_by_key(|letter| letter.id);
        letters
    }

    /// Records these letters as sent.
    pub(crate) async fn settle<D>(&self, letters: &[outbox::Outgoing<D>]) {
        let sent = letters.iter().map(|letter| SettledMail {
            id: letter.id,
            outcome: Outcome::Sent,
        });
        self.server.rows.settle(sent.collect()).await.unwrap();
    }

    /// Stops the server; dropping the returned value removes its folder.
    pub(crate) async fn close(self) -> TempDir {
        let (closing, data) = (self.closing, self.data);
        drop(self.server);
        tokio::task::spawn_blocking(move || closing.wait()).await.unwrap();
        data
    }
}
