//! A server of PostgreSQL for one test, which may kill it.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::postgres::try_rows;
use super::{PATIENCE, signal, until};

/// PostgreSQL refuses to run as root, so a test that does gives the server to this account.
const NOBODY: u32 = 65534;

/// A server of PostgreSQL with the account `pbmserv` and a database of that name; killed when dropped.
pub(crate) struct Cluster {
    programs: PathBuf,
    folder: TempDir,
    pub(crate) port: u16,
    /// The account as which the tests ask it.
    user: &'static str,
    child: Option<Child>,
}

/// Where the programs of PostgreSQL are: in the folder PGBIN, in Debian's, or on PATH. Debian's `psql` on PATH is a script that
/// takes four times as long to start.
pub(super) fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("PGBIN").map(PathBuf::from);
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let debian = debian.flatten().map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<_> = std::env::split_paths(&path).collect();
    let mut folders = named.into_iter().chain(debian).chain(path);
    folders.find(|folder| folder.join("initdb").exists())
}

/// `None`: PostgreSQL is not installed, which is printed.
fn installed(test: &str) -> Option<PathBuf> {
    let found = programs();
    if found.is_none() {
        // Not captured, as what a test prints.
        let _ = writeln!(
            std::io::stderr(),
            "left out, as PostgreSQL is not installed (Debian: postgresql): {test}"
        );
    }
    found
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// A port on which nothing listens.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Cluster {
    /// Makes and starts a server with these further lines of `postgresql.conf`. `None`: PostgreSQL is not installed, which is
    /// printed.
    pub(crate) fn start(test: &str, lines: &str) -> Option<Self> {
        let mut cluster = Self::in_new_folder(installed(test)?, free_port());
        cluster.make_first(lines);
        cluster.sql("postgres", "CREATE DATABASE pbmserv");
        Some(cluster)
    }

    /// A new server as an operator has it, with nothing but the account `postgres`.
    pub(crate) fn bare(test: &str, lines: &str) -> Option<Self> {
        let mut cluster = Self::in_new_folder(installed(test)?, free_port());
        cluster.user = "postgres";
        cluster.make_first(lines);
        Some(cluster)
    }

    fn make_first(&mut self, lines: &str) {
        let mut initdb = self.command("initdb");
        initdb.args(["-U", self.user, "-A", "trust", "-E", "UTF8", "--locale=C"]);
        self.make(initdb, lines);
    }

    /// A standby that follows it, at this port. It is waited for only if `synchronous_standby_names` says so.
    pub(crate) fn standby(&self, port: u16) -> Self {
        let mut standby = Self::in_new_folder(self.programs.clone(), port);
        let own = self.port.to_string();
        let from = ["-h", "127.0.0.1", "-p", &own, "-U", "pbmserv"];
        let how = ["-R", "-X", "stream", "-c", "fast"];
        let mut copy = standby.command("pg_basebackup");
        copy.args(from).args(how);
        standby.make(copy, "");
        standby
    }

    /// The same by this command, whose data folder is left out.
    pub(crate) fn standby_by(&self, port: u16, words: &[&str], password: &str) -> Self {
        let mut standby = Self::in_new_folder(self.programs.clone(), port);
        standby.user = self.user;
        let [program, words @ ..] = words else {
            panic!("there is no command");
        };
        let mut copy = standby.command(program);
        copy.args(words)
            .env("PGPORT", self.port.to_string())
            .env("PGPASSWORD", password);
        standby.make(copy, "");
        standby
    }

    fn in_new_folder(programs: PathBuf, port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let cluster = Self {
            programs,
            folder,
            port,
            user: "pbmserv",
            child: None,
        };
        cluster.give(cluster.folder.path());
        cluster
    }

    /// Has this program make the data folder, and starts the server with these further lines of `postgresql.conf`.
    fn make(&mut self, mut program: Command, lines: &str) {
        let data = self.data();
        let made = program.arg("-D").arg(&data).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut conf = fs::OpenOptions::new()
            .append(true)
            .open(data.join("postgresql.conf"))
            .unwrap();
        let (port, folder) = (self.port, self.folder.path().display());
        let usual =
            format!("port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{folder}'\n");
        writeln!(conf, "{usual}{lines}").unwrap();
        self.begin();
    }

    /// A program of PostgreSQL, as an account that may run it.
    pub(crate) fn command(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
                command.arg(program);
                command
            }
            false => Command::new(program),
        };
        // Another account cannot read ours.
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path());
        command
    }

    /// Where a program of PostgreSQL is.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// How a program finds this server and its account, by its socket.
    pub(crate) fn environment(&self) -> [(&'static str, String); 3] {
        let folder = self.folder.path().display().to_string();
        [
            ("PGHOST", folder),
            ("PGPORT", self.port.to_string()),
            ("PGUSER", self.user.to_owned()),
        ]
    }

    fn give(&self, path: &Path) {
        if is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// A file in its data folder, such as a key, which only it may read.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.data().join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        self.give(&path);
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Starts it, and waits until it takes writes. After a kill it waits for its former processes, and replays its log.
    pub(crate) fn begin(&mut self) {
        let start = Instant::now();
        loop {
            let log = fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(self.folder.path().join("log"))
                .unwrap();
            let mut child = self
                .command("postgres")
                .arg("-D")
                .arg(self.data())
                .stdin(Stdio::null())
                .stdout(log.try_clone().unwrap())
                .stderr(log)
                .spawn()
                .unwrap();
            let url = self.socket_url("postgres");
            let is_up = until("PostgreSQL starts", || {
                if child.try_wait().unwrap().is_some() {
                    return Some(false);
                }
                try_rows(&url, "SELECT pg_is_in_recovery()")
                    .is_ok()
                    .then_some(true)
            });
            if is_up {
                self.child = Some(child);
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it by this signal, and waits for its end: QUIT is an immediate shutdown, KILL leaves its sessions to find out.
    pub(crate) fn end(&mut self, name: &str) {
        let mut child = self.child.take().unwrap();
        signal(child.id(), name);
        child.wait().unwrap();
    }

    /// Kills all its processes at once and deletes its folder, as if the machine burnt.
    pub(crate) fn burn(mut self) {
        let data = self.data();
        // Each has the data folder as its working folder. One may be born meanwhile.
        until("the processes of PostgreSQL are gone", || {
            let all = processes_in(&data);
            for pid in &all {
                let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
            }
            // Until it is waited for, the first one stays as a zombie, whose working folder cannot be read.
            all.is_empty().then_some(())
        });
        self.child.take().unwrap().wait().unwrap();
    }

    /// The URL of a database, by TCP.
    pub(crate) fn url(&self, database: &str) -> String {
        format!("postgres://pbmserv@127.0.0.1:{}/{database}", self.port)
    }

    /// The same by its socket.
    pub(crate) fn socket_url(&self, database: &str) -> String {
        let folder = self.folder.path().display();
        format!(
            "postgres:///{database}?host={folder}&port={}&user={}",
            self.port, self.user
        )
    }

    /// Runs a statement by its socket; returns what psql prints.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let said = try_rows(&self.socket_url(database), sql);
        said.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }
}

fn processes_in(folder: &Path) -> Vec<rustix::process::Pid> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pid = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let place = fs::read_link(entry.path().join("cwd")).ok()?;
        (place == folder).then(|| rustix::process::Pid::from_raw(pid))?
    };
    processes.filter_map(pid).collect()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            signal(child.id(), "QUIT");
            let _ = child.wait();
        }
    }
}
