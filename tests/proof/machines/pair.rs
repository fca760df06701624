//! Two machines with PostgreSQL: a primary and its synchronous standby. A machine can be lost with all that it had.

use std::mem;
use std::thread;
use std::time::Duration;

use crate::daemon::cluster::{Cluster, free_port};
use crate::daemon::until;

/// The settings of both. The log tells what went wrong.
const SETTINGS: &str = "wal_level = replica\nsynchronous_commit = on\nmax_connections = 100\nmax_wal_senders = 5\n\
                        log_min_messages = warning\nshared_buffers = 32MB\nwal_retrieve_retry_interval = 200ms\n";

/// A primary and a standby, each in a folder and with a port of its own.
pub(crate) struct Pair {
    ports: [u16; 2],
    primary: Cluster,
    standby: Option<Cluster>,
}

impl Pair {
    /// `None`: there is no PostgreSQL.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let primary = Cluster::start(test, SETTINGS)?;
        let mut pair = Self {
            ports: [primary.port, free_port()],
            primary,
            standby: None,
        };
        pair.add_standby();
        Some(pair)
    }

    /// The address of both, of which the client uses the one that takes writes.
    pub(crate) fn url(&self) -> String {
        let [one, two] = self.ports;
        format!("postgres://pbmserv@127.0.0.1:{one},127.0.0.1:{two}/pbmserv?target_session_attrs=read-write")
    }

    /// Kills every process of the primary, deletes its folder, and makes the standby the primary. Until it has a standby
    /// itself, it waits for none.
    pub(crate) fn burn(&mut self) {
        let survivor = self.standby.take().unwrap();
        mem::replace(&mut self.primary, survivor).burn();
        self.set_standbys("");
        self.ask("SELECT pg_promote()");
    }

    /// Makes a new standby on the other machine, and waits until the primary does not commit without it.
    pub(crate) fn add_standby(&mut self) {
        let port = self.ports.into_iter().find(|port| *port != self.primary.port);
        self.standby = Some(self.primary.standby(port.unwrap()));
        self.set_standbys("*");
        until("the standby has everything", || {
            let state = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= pg_current_wal_lsn()";
            (self.ask(state) == "1").then_some(())
        });
        // A commit that is asked for from now on waits for it.
        self.ask("CREATE TABLE IF NOT EXISTS probe (n INT); INSERT INTO probe VALUES (1)");
    }

    /// From now on the primary's commits wait for standbys with this name.
    pub(crate) fn wait_for(&self, name: &str) {
        self.set_standbys(name);
        // The server reads it a moment later.
        thread::sleep(Duration::from_millis(500));
    }

    fn set_standbys(&self, name: &str) {
        self.ask(&format!(
            "ALTER SYSTEM SET synchronous_standby_names = '{name}';;SELECT pg_reload_conf()"
        ));
    }

    /// Runs statements at the primary, in one session; `;;` stands between those that run on their own.
    pub(crate) fn ask(&self, sql: &str) -> String {
        self.primary.sql("pbmserv", sql)
    }
}
