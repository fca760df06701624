//! A real server of PostgreSQL that asks for passwords and speaks TLS.

use std::fs;
use std::path::Path;

use crate::checks::{check, has};
use crate::daemon::cluster::Cluster;
use crate::daemon::{Setup, tls};

const SECRET: &str = "s3cret-of-the-database";
const WRONG: &str = "wr0ng-of-the-database";

/// A password by SCRAM and by MD5, in the clear, and for one account no TLS.
const RULES: &str = "local all pbmserv trust
hostssl all scram 127.0.0.1/32 scram-sha-256
hostssl all older 127.0.0.1/32 md5
hostssl all clear 127.0.0.1/32 password
hostnossl all plain 127.0.0.1/32 scram-sha-256
";

fn cluster(test: &str) -> Option<Cluster> {
    let mut cluster = Cluster::start(test, "")?;
    for (user, method) in [
        ("scram", "scram-sha-256"),
        ("older", "md5"),
        ("clear", "scram-sha-256"),
        ("plain", "scram-sha-256"),
    ] {
        let sql =
            format!("SET password_encryption = '{method}'; CREATE USER {user} PASSWORD '{SECRET}' SUPERUSER");
        cluster.sql("postgres", &sql);
    }
    let own = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/daemon")
            .join(name)
    };
    cluster.write("server.crt", &fs::read(own("localhost.crt")).unwrap());
    cluster.write("server.key", &fs::read(own("localhost.key")).unwrap());
    cluster.write("pg_hba.conf", RULES.as_bytes());
    let conf = fs::read_to_string(cluster.data().join("postgresql.conf")).unwrap();
    cluster.write("postgresql.conf", format!("{conf}\nssl = on\n").as_bytes());
    cluster.end("INT");
    cluster.begin();
    Some(cluster)
}

/// A setup of its own whose database is this one.
fn setup(folder: &Path, url: &str) -> Setup {
    Setup::new(folder).with("PBMSERV_STORE_URL", url)
}

#[test]
fn a_password_is_given_over_tls_by_every_method() {
    let Some(cluster) = cluster("logins to PostgreSQL") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    fs::write(&file, format!("{SECRET}\n")).unwrap();
    let root = tls::certificate();
    let root = root.to_str().unwrap();
    let port = cluster.port;
    let mut logs = Vec::new();
    for (index, (user, host, query)) in [
        (
            "scram",
            "localhost",
            format!("sslmode=verify-full&sslrootcert={root}"),
        ),
        (
            "older",
            "127.0.0.1",
            format!("sslmode=verify-ca&sslrootcert={root}"),
        ),
        ("clear", "127.0.0.1", "sslmode=require".to_owned()),
        ("scram", "127.0.0.1", String::new()),
        ("plain", "127.0.0.1", "sslmode=disable".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let url = format!("postgres://{user}@{host}:{port}/pbmserv?{query}");
        let setup = setup(&folder.path().join(index.to_string()), &url)
            .with("PBMSERV_STORE_PASSWORD_FILE", file.to_str().unwrap());
        let daemon = setup.serve();
        let encrypted = cluster.sql(
            "pbmserv",
            &format!(
                "SELECT bool_and(ssl), COUNT(*) > 1 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '{user}'"
            ),
        );
        let expected = if user == "plain" { "f|t" } else { "t|t" };
        assert_eq!(encrypted, expected, "{url}");
        assert!(setup.done(&["stats"]).contains("players"));
        logs.push(daemon.stop_well());
        // In the address it does as well.
        let url = url.replace('@', &format!(":{SECRET}@"));
        let setup = setup
            .with("PBMSERV_STORE_URL", &url)
            .with("PBMSERV_STORE_PASSWORD_FILE", "");
        logs.push(setup.serve().stop_well());
    }
    for log in logs {
        assert!(!log.contains(SECRET), "{log}");
    }
}

#[test]
fn a_wrong_password_and_a_wrong_certificate_are_refused_without_a_secret() {
    let Some(cluster) = cluster("refused logins to PostgreSQL") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let port = cluster.port;
    let (root, other) = (tls::certificate(), folder.path().join("other.crt"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/mail/src/doors/smtp/tests/host.crt");
    fs::copy(source, &other).unwrap();
    let (root, other) = (root.to_str().unwrap(), other.to_str().unwrap());
    for (index, (account, host, query, fault)) in [
        (
            format!("scram:{WRONG}"),
            "127.0.0.1",
            String::new(),
            "password authentication failed",
        ),
        (
            format!("older:{WRONG}"),
            "127.0.0.1",
            String::new(),
            "password authentication failed",
        ),
        (
            format!("clear:{WRONG}"),
            "127.0.0.1",
            String::new(),
            "password authentication failed",
        ),
        (
            "scram".to_owned(),
            "127.0.0.1",
            String::new(),
            "asks for a password, and none is configured",
        ),
        (
            format!("scram:{SECRET}"),
            "localhost",
            format!("sslmode=verify-full&sslrootcert={other}"),
            "not signed by a known CA: name the file of that CA with sslrootcert=FILE",
        ),
        (
            format!("scram:{SECRET}"),
            "localhost",
            "sslmode=verify-full".to_owned(),
            "not signed by a known CA",
        ),
        (
            format!("scram:{SECRET}"),
            "127.0.0.1",
            format!("sslmode=verify-full&sslrootcert={root}"),
            "its certificate is for another host",
        ),
        (
            format!("scram:{SECRET}"),
            "127.0.0.1",
            format!("sslmode=require&sslrootcert={other}"),
            "not signed by a known CA",
        ),
        (
            format!("scram:{SECRET}"),
            "127.0.0.1",
            "sslmode=disable".to_owned(),
            "no pg_hba.conf entry",
        ),
        (
            format!("plain:{SECRET}"),
            "127.0.0.1",
            "sslmode=require".to_owned(),
            "no pg_hba.conf entry",
        ),
        (
            format!("scram:{SECRET}"),
            "127.0.0.1",
            "sslmode=require&sslrootcert=/nowhere".to_owned(),
            "sslrootcert: /nowhere",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let url = format!("postgres://{account}@{host}:{port}/pbmserv?{query}");
        let setup = setup(&folder.path().join(index.to_string()), &url);
        let error = setup.does_not_start();
        assert!(
            error.contains(fault) && error.contains("store.url"),
            "{url}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        let (printed, code) = check(&setup, &["--offline"]);
        assert_eq!(code, 1, "{printed}");
        has(&printed, &[fault]);
        for secret in [SECRET, WRONG] {
            assert!(
                !error.contains(secret) && !printed.contains(secret),
                "{error}{printed}"
            );
        }
    }
    assert!(!cluster.log().contains(SECRET));
}
