//! The pages about PostgreSQL, done as they are printed: every block of theirs is run, with the names of hosts and folders of this
//! machine in the place of those on the page.

use std::fs;
use std::path::Path;

use crate::checks::{check, has};
use crate::daemon::cluster::{Cluster, free_port};
use crate::daemon::http::{ALICE, BOB, play, watched};
use crate::daemon::postgres::rows;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Daemon, Setup, tls, until};

const SECRET: &str = "s3cret-of-the-page";

/// A page with its indented blocks.
struct Page {
    name: &'static str,
    blocks: Vec<Vec<String>>,
    used: Vec<bool>,
}

impl Page {
    fn read(name: &'static str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let mut blocks: Vec<Vec<String>> = vec![Vec::new()];
        for line in fs::read_to_string(file).unwrap().lines() {
            match line.strip_prefix("    ") {
                Some(line) => blocks.last_mut().unwrap().push(line.to_owned()),
                None => blocks.push(Vec::new()),
            }
        }
        blocks.retain(|block| !block.is_empty());
        let used = vec![false; blocks.len()];
        Self { name, blocks, used }
    }

    /// The block whose first line begins so, with the password in its place.
    fn block(&mut self, begin: &str) -> Vec<String> {
        let at = self.blocks.iter().position(|block| block[0].starts_with(begin));
        let at = at.unwrap_or_else(|| panic!("{} has no block that begins with {begin}", self.name));
        self.used[at] = true;
        let lines = self.blocks[at].iter();
        lines
            .map(|line| line.replace("'...'", &format!("'{SECRET}'")))
            .collect()
    }

    /// Runs a block of SQL as postgres, as psql does: a line a statement.
    fn run_sql(&mut self, begin: &str, cluster: &Cluster) {
        cluster.sql("postgres", &self.block(begin).join(";"));
    }

    /// No block is left.
    fn is_done(self) {
        for (block, is_used) in self.blocks.iter().zip(self.used) {
            assert!(is_used, "nothing runs this block of {}: {block:?}", self.name);
        }
    }
}

/// Gives a server the certificate of the tests, and these lines.
fn furnish(cluster: &mut Cluster, conf: &[String], hba: &[String]) {
    let own = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/daemon")
            .join(name);
        fs::read(file).unwrap()
    };
    cluster.write("server.crt", &own("localhost.crt"));
    cluster.write("server.key", &own("localhost.key"));
    let former = fs::read_to_string(cluster.data().join("postgresql.conf")).unwrap();
    cluster.write(
        "postgresql.conf",
        format!("{former}\n{}\n", conf.join("\n")).as_bytes(),
    );
    let hba = hba.join("\n").replace("10.0.0.0/24", "127.0.0.1/32");
    cluster.write(
        "pg_hba.conf",
        format!("local all postgres trust\n{hba}\n").as_bytes(),
    );
    cluster.end("INT");
    cluster.begin();
}

fn trouble(daemon: &Daemon, words: &str) {
    daemon.health_when(words, |_, health| {
        let trouble = health["trouble"].as_array().unwrap().iter();
        let mut trouble = trouble.filter_map(|sentence| sentence.as_str());
        trouble.any(|sentence| sentence.contains(words))
    });
}

fn is_well(daemon: &Daemon) {
    daemon.health_when("no trouble", |_, health| {
        health["trouble"].as_array().unwrap().is_empty()
    });
    assert_eq!(daemon.metric("pbmserv_standby_missing"), 0.0);
}

/// bob chats, until that is answered with 250.
fn chats(daemon: &Daemon, id: &str) {
    until("a mail is taken", || {
        let mail = message(
            BOB,
            &format!("{id}@home.example"),
            "Pow2 chat 101 bob oak4jay",
            id,
        );
        let reply = Client::connect(daemon.port).and_then(|mut client| client.send(BOB, &mail));
        reply.is_ok_and(|reply| reply.starts_with("250")).then_some(())
    });
}

#[test]
#[ignore = "takes long: make postgres"]
fn two_machines_are_set_up_lost_and_made_again_as_the_page_says() {
    let test = "docs/two-machines.md, as printed";
    let mut page = Page::read("docs/two-machines.md");
    let (conf, hba) = (page.block("listen_addresses"), page.block("hostssl"));
    let Some(mut primary) = Cluster::bare(test, "fsync = off") else {
        return;
    };
    furnish(&mut primary, &conf, &hba);
    page.run_sql("CREATE ROLE pbmserv", &primary);

    let ports = [primary.port, free_port()];
    let store = page.block("[store]").join("\n");
    let url = store.split('"').nth(1).unwrap();
    let root = tls::certificate();
    let url = url.replace(
        "db1,db2",
        &format!("localhost:{},localhost:{}", ports[0], ports[1]),
    ) + &format!("&sslrootcert={}", root.display());
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    fs::write(&password, SECRET).unwrap();
    let setup = watched(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_STORE_URL", &url)
        .with("PBMSERV_STORE_PASSWORD_FILE", password.to_str().unwrap());
    let daemon = setup.serve();
    trouble(&daemon, "PostgreSQL waits for no standby");
    assert_eq!(daemon.metric("pbmserv_standby_missing"), 1.0);
    play(&daemon);

    let copy = page.block("pg_basebackup").join(" ");
    let make_standby = |page: &mut Page, primary: &Cluster| {
        let port = ports.into_iter().find(|port| *port != primary.port).unwrap();
        let copy = copy
            .replace("-h db1", "-h 127.0.0.1")
            .replace("-D /var/lib/postgresql/15/main ", "");
        let words: Vec<_> = copy.split_whitespace().collect();
        let standby = primary.standby_by(port, &words, SECRET);
        until("the standby follows", || {
            let state = primary.sql("postgres", "SELECT state FROM pg_stat_replication");
            (state == "streaming").then_some(())
        });
        page.run_sql("ALTER SYSTEM SET", primary);
        is_well(&daemon);
        standby
    };
    // The second fail-over is as safe as the first one.
    for lost in 1..=2 {
        let standby = make_standby(&mut page, &primary);
        chats(&daemon, &format!("before{lost}"));
        std::mem::replace(&mut primary, standby).burn();
        page.run_sql("SELECT pg_promote()", &primary);
        trouble(&daemon, "PostgreSQL waits for no standby");
        assert_eq!(daemon.metric("pbmserv_standby_missing"), 1.0);
        chats(&daemon, &format!("after{lost}"));
    }
    let kept = primary.sql(
        "pbmserv",
        "SELECT COUNT(*) FROM inbox WHERE header_from LIKE '%bob%'",
    );
    assert!(kept.parse::<u32>().unwrap() >= 4, "{kept}");

    // The standby is lost, and given up.
    let mut standby = make_standby(&mut page, &primary);
    standby.end("QUIT");
    trouble(&daemon, "No synchronous standby is connected");
    let (printed, code) = check(&setup, &[]);
    assert_eq!(code, 1);
    has(&printed, &["No synchronous standby is connected", "give it up"]);
    let give_up = page
        .blocks
        .iter()
        .position(|block| block.iter().any(|line| line.contains("pg_drop")))
        .unwrap();
    page.used[give_up] = true;
    primary.sql("postgres", &page.blocks[give_up].join(";"));
    chats(&daemon, "alone");
    trouble(&daemon, "PostgreSQL waits for no standby");

    primary.sql("postgres", "REVOKE pg_monitor FROM pbmserv");
    trouble(&daemon, "GRANT pg_monitor");
    daemon.stop_well();
    page.is_done();
}

/// Runs a line of the page that calls pbmserv.
fn pbmserv(setup: &Setup, line: &str) -> String {
    let words = line
        .split_once("pbmserv pbmserv ")
        .map_or(line, |(_, words)| words);
    let words: Vec<_> = words
        .split_whitespace()
        .map(|word| word.trim_matches('\''))
        .collect();
    setup.done(&words)
}

#[test]
fn a_database_of_postgresql_is_begun_moved_to_backed_up_and_restored_as_the_page_says() {
    let mut page = Page::read("docs/postgresql.md");
    let Some(mut cluster) = Cluster::bare("docs/postgresql.md, as printed", "fsync = off") else {
        return;
    };
    let hba = [
        "local all all trust".to_owned(),
        "hostssl all all 10.0.0.0/24 scram-sha-256".to_owned(),
    ];
    furnish(&mut cluster, &["ssl = on".to_owned()], &hba);
    page.run_sql("CREATE ROLE pbmserv", &cluster);

    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    fs::write(&password, SECRET).unwrap();
    let password = password.to_str().unwrap();
    let here = |line: &str| {
        let root = tls::certificate();
        let host = format!("localhost:{}", cluster.port);
        line.replace("db.example.org", &host)
            .replace(
                "verify-full",
                &format!("verify-full&sslrootcert={}", root.display()),
            )
            .replace("/etc/pbmserv.password", password)
    };

    // A server that has a file is moved.
    let file = Setup::new(&folder.path().join("old")).with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let daemon = file.serve();
    play(&daemon);
    let moved = page.block("systemctl stop pbmserv");
    assert_eq!(moved.len(), 2, "{moved:?}");
    daemon.stop_well();
    let copy = here(&moved[1]);
    pbmserv(&file, &copy);
    let url = copy.split('\'').nth(1).unwrap().to_owned();
    let setup = Setup::new(&folder.path().join("new"))
        .with("PBMSERV_STORE_URL", &url)
        .with("PBMSERV_STORE_PASSWORD_FILE", password)
        .with(
            "PBMSERV_STORE_PG_DUMP",
            cluster.program("pg_dump").to_str().unwrap(),
        );
    let daemon = setup.serve();
    let boards = |setup: &Setup| setup.done(&["board", "list", "--json"]);
    let before = boards(&setup);
    assert!(before.contains("101"), "{before}");

    // It is backed up while it runs.
    let backups = folder.path().join("backups");
    setup.done(&["backup", backups.to_str().unwrap()]);
    let listed = setup.done(&["backup", "list", backups.to_str().unwrap()]);
    assert!(listed.contains("pbmserv-"), "{listed}");
    daemon.stop_well();
    let backup = fs::read_dir(&backups).unwrap().next().unwrap().unwrap().path();
    let dump = backup.join("pbmserv.dump");
    assert!(dump.exists());

    // It is restored into a new database, whose tables belong to the right account.
    page.run_sql("DROP DATABASE", &cluster);
    let [restore, adopt, look] = &page.block("sudo -u postgres pg_restore")[..] else {
        panic!("three lines restore a database");
    };
    cluster.write("pbmserv.dump", &fs::read(&dump).unwrap());
    let [program, words @ ..] = &restore.split_whitespace().skip(3).collect::<Vec<_>>()[..] else {
        panic!("{restore}");
    };
    let mut command = cluster.command(program);
    let restored = command
        .args(words)
        .current_dir(cluster.data())
        .envs(cluster.environment())
        .output()
        .unwrap();
    assert!(restored.status.success(), "{restored:?}");
    let owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(cluster.sql("pbmserv", owners), "pbmserv");
    let may_connect = "SELECT has_database_privilege('public', 'pbmserv', 'CONNECT')";
    assert_eq!(cluster.sql("pbmserv", may_connect), "f");
    let told = pbmserv(&setup, adopt);
    assert!(told.contains("2 players"), "{told}");
    assert!(look.ends_with("check --offline"), "{look}");
    let (printed, _) = check(&setup, &["--offline"]);
    assert!(printed.contains("and each replays"), "{printed}");
    assert_eq!(boards(&setup), before);

    // What is damaged is found.
    let mut bytes = fs::read(&dump).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    fs::write(&dump, bytes).unwrap();
    let programs = cluster.program("pg_restore");
    let setup = setup.with("PATH", programs.parent().unwrap().to_str().unwrap());
    let verified = setup.run(&["backup", "verify", backups.to_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(1), "{verified:?}");
    assert!(
        String::from_utf8_lossy(&verified.stdout).contains("FAULT"),
        "{verified:?}"
    );

    // A new server begins with it.
    cluster.sql(
        "postgres",
        "DROP DATABASE pbmserv;;CREATE DATABASE pbmserv OWNER pbmserv ENCODING 'UTF8' TEMPLATE template0",
    );
    let init = here(&page.block("pbmserv init").join(" "));
    let config = folder.path().join("pbmserv.toml");
    let words: Vec<_> = init
        .split_whitespace()
        .skip(1)
        .map(|word| word.trim_matches('\''))
        .collect();
    let data = folder.path().join("begun");
    let account = rustix::process::geteuid().as_raw().to_string();
    let mut all = vec!["--config", config.to_str().unwrap()];
    all.extend(words.iter().copied());
    all.extend([
        "--address",
        "games@example.org",
        "--data",
        data.to_str().unwrap(),
        "--director",
        "alice",
    ]);
    all.extend(["--director-address", ALICE, "--mta", "none", "--user", &account]);
    let begun = Setup::new(&folder.path().join("unused")).run(&all);
    assert!(begun.status.success(), "{begun:?}");
    let players = "SELECT userid FROM players WHERE userid NOT LIKE 'bot-%'";
    assert_eq!(rows(&cluster.socket_url("pbmserv"), players), "alice");
    page.is_done();
}
