//! Two machines with PostgreSQL: a primary and its synchronous standby. A machine can be lost with all that it had.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::daemon::http::closed_port;
use crate::daemon::until;

/// The settings of both. The log tells what went wrong.
const SETTINGS: &str = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nwal_level = replica\n\
                        synchronous_commit = on\nmax_connections = 100\nmax_wal_senders = 5\nlog_min_messages = warning\n\
                        shared_buffers = 32MB\nwal_retrieve_retry_interval = 200ms\n";

/// A primary and a standby, each in a folder and with a port of its own.
pub(crate) struct Cluster {
    bin: PathBuf,
    folder: tempfile::TempDir,
    ports: [u16; 2],
    /// Which of them is the primary.
    primary: usize,
}

impl Cluster {
    /// `None`: there is no PostgreSQL.
    pub(crate) fn start() -> Option<Self> {
        let bin = bin()?;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let cluster = Self {
            bin,
            folder,
            ports: [closed_port(), closed_port()],
            primary: 0,
        };
        let data = cluster.data(0);
        cluster.done(
            "initdb",
            &[
                "-D",
                text(&data),
                "-U",
                "pbmserv",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
            ],
        );
        cluster.settle(0, "");
        cluster.run(0);
        cluster.sql(0, "postgres", "CREATE DATABASE game");
        cluster.add_standby();
        Some(cluster)
    }

    /// The address of both, of which the client uses the one that takes writes.
    pub(crate) fn url(&self) -> String {
        let [one, two] = self.ports;
        format!("postgres://pbmserv@127.0.0.1:{one},127.0.0.1:{two}/game?target_session_attrs=read-write")
    }

    /// Kills every process of the primary, deletes its folder, and makes the standby the primary. Until it has a standby
    /// itself, it waits for none.
    pub(crate) fn burn(&mut self) {
        let lost = self.primary;
        kill_all(&self.data(lost));
        fs::remove_dir_all(self.data(lost)).unwrap();
        self.primary = 1 - lost;
        self.sql(
            self.primary,
            "postgres",
            "ALTER SYSTEM SET synchronous_standby_names = ''",
        );
        self.sql(self.primary, "postgres", "SELECT pg_reload_conf()");
        self.sql(self.primary, "postgres", "SELECT pg_promote()");
    }

    /// Makes a new standby on the other machine, and waits until the primary does not commit without it.
    pub(crate) fn add_standby(&self) {
        let (primary, standby) = (self.primary, 1 - self.primary);
        let data = self.data(standby);
        let port = self.ports[primary].to_string();
        let from = ["-h", "127.0.0.1", "-p", &port, "-U", "pbmserv", "-D", text(&data)];
        self.done(
            "pg_basebackup",
            &[&from[..], &["-R", "-X", "stream", "-c", "fast"]].concat(),
        );
        self.settle(standby, "");
        self.run(standby);
        self.sql(
            primary,
            "postgres",
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
        );
        self.sql(primary, "postgres", "SELECT pg_reload_conf()");
        until("the standby has everything", || {
            let state = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= pg_current_wal_lsn()";
            (self.sql(primary, "postgres", state).trim() == "1").then_some(())
        });
        // A commit that is asked for from now on waits for it.
        self.sql(
            primary,
            "game",
            "CREATE TABLE IF NOT EXISTS probe (n INT); INSERT INTO probe VALUES (1)",
        );
    }

    /// From now on the primary's commits wait for standbys with this name.
    pub(crate) fn wait_for(&self, name: &str) {
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'");
        self.sql(
            self.primary,
            "postgres",
            &format!("{set};;SELECT pg_reload_conf()"),
        );
        // The server reads it a moment later.
        thread::sleep(Duration::from_millis(500));
    }

    /// Runs statements at the primary, in one session.
    pub(crate) fn ask(&self, sql: &str) -> String {
        self.sql(self.primary, "game", sql)
    }

    fn data(&self, index: usize) -> PathBuf {
        self.folder.path().join(format!("machine-{index}"))
    }

    fn settle(&self, index: usize, more: &str) {
        let file = self.data(index).join("pbmserv.conf");
        fs::write(&file, format!("port = {}\n{SETTINGS}{more}", self.ports[index])).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let file = self.data(index).join("postgresql.conf");
        let settings = fs::read_to_string(&file).unwrap();
        let include = "include 'pbmserv.conf'\n";
        if !settings.ends_with(include) {
            fs::write(&file, settings + include).unwrap();
        }
    }

    /// Starts the server, and waits until it answers.
    fn run(&self, index: usize) {
        let log = fs::File::create(self.folder.path().join(format!("log-{index}"))).unwrap();
        let mut command = self.command("postgres", &["-D", text(&self.data(index))]);
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let mut child = command.spawn().unwrap();
        // It is waited for, or it would stay as a zombie.
        thread::spawn(move || child.wait());
        until("PostgreSQL answers", || {
            self.psql(index, "postgres", "SELECT 1")
                .status
                .success()
                .then_some(())
        });
    }

    fn sql(&self, index: usize, database: &str, sql: &str) -> String {
        let out = self.psql(index, database, sql);
        let log = || fs::read_to_string(self.folder.path().join(format!("log-{index}"))).unwrap_or_default();
        assert!(out.status.success(), "{sql}: {out:?}\n{}", log());
        String::from_utf8(out.stdout).unwrap()
    }

    fn psql(&self, index: usize, database: &str, sql: &str) -> Output {
        let url = format!("postgres://pbmserv@127.0.0.1:{}/{database}", self.ports[index]);
        let mut command = Command::new(self.bin.join("psql"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &url]);
        // Each statement on its own: some run in no transaction with others.
        for statement in sql.split_inclusive(";;") {
            command.args(["-c", statement.trim_end_matches(";;")]);
        }
        command.output().unwrap()
    }

    fn done(&self, program: &str, words: &[&str]) {
        let out = self.command(program, words).output().unwrap();
        assert!(out.status.success(), "{program}: {out:?}");
    }

    /// A program of PostgreSQL, which refuses to run as root.
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let program = self.bin.join(program);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"])
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path()).args(words);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for index in [0, 1] {
            kill_all(&self.data(index));
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Where the programs of PostgreSQL are.
fn bin() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    found.sort();
    std::env::var_os("PGBIN")
        .map(PathBuf::from)
        .or_else(|| found.pop())
}

/// SIGKILL to all processes of the server in this folder: each has it as its working folder.
fn kill_all(data: &Path) {
    let of_it = || -> Vec<i32> {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let pid = |entry: fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let place = fs::read_link(entry.path().join("cwd")).ok()?;
            (place == data).then_some(pid)
        };
        processes.filter_map(pid).collect()
    };
    // One may have been born meanwhile.
    until("the processes of PostgreSQL are gone", || {
        let all = of_it();
        for pid in &all {
            let pid = rustix::process::Pid::from_raw(*pid).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        thread::sleep(Duration::from_millis(1));
        all.is_empty().then_some(())
    });
}
