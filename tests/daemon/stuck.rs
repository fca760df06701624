//! An engine that really hangs: it writes the bytes of a message whose handling failed to a FIFO that nobody reads.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rusqlite::Connection;

use super::http::{ALICE, BOB};
use super::smtp::{Client, message, send, stuffed};
use super::{Daemon, PATIENCE, Setup};

/// What holds the engine, and the client whose message it is stuck in.
pub(crate) struct Stuck {
    fifo: PathBuf,
    client: Client,
}

impl Stuck {
    /// Two players, a board that cannot be replayed, and a mail about it.
    pub(crate) fn hold(setup: &Setup, daemon: &Daemon) -> Self {
        for (number, (from, subject)) in [
            (ALICE, "signup alice fig7elk"),
            (BOB, "signup bob oak4jay"),
            (ALICE, "Pow2 challenge alice bob"),
        ]
        .into_iter()
        .enumerate()
        {
            send(daemon.port, from, &format!("{number}@home.example"), subject, "");
        }
        setup.wait_for_delivery();
        let conn = Connection::open(setup.database()).unwrap();
        conn.busy_timeout(PATIENCE).unwrap();
        conn.execute("UPDATE boards SET turns = 1", []).unwrap();
        conn.execute(
            "INSERT INTO turns (board, ordinal, seat, turn, played_at, event) VALUES (1, 1, 0, 'nonsense', 0, 2)",
            [],
        )
        .unwrap();
        drop(conn);
        let failed = setup.data.join("failed");
        fs::create_dir_all(&failed).unwrap();
        let fifo = failed.join("4.eml");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let mut client = Client::connect(daemon.port).unwrap();
        client.begin(ALICE).unwrap();
        let text = message(ALICE, "4@home.example", "Pow2 show 101", "");
        client.write(&stuffed(&text)).unwrap();
        Self { fifo, client }
    }

    /// Frees the engine. A file that cannot be read again cannot be kept, so the mail must be sent again.
    pub(crate) fn free(mut self) {
        fs::read(&self.fifo).unwrap();
        assert!(self.client.reply().unwrap().starts_with("451"));
    }
}
