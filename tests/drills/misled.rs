//! What would mislead an operator: a fault that is none, a fault that nobody names, or one in the words of a library.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use crate::checks::{check, finds};
use crate::daemon::cluster::Cluster;
use crate::daemon::http::{ALICE, closed_port, watched};
use crate::daemon::{Setup, tls, until};

#[test]
fn a_server_that_waits_is_no_fault() {
    let Some(cluster) = Cluster::start("a server that waits is no fault", "fsync = on") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let server = |name: &str| {
        watched(&folder.path().join(name))
            .with("PBMSERV_STORE_URL", &cluster.url("pbmserv"))
            .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", closed_port()))
            .with("PBMSERV_LMTP_LISTEN", &format!("127.0.0.1:{}", closed_port()))
    };
    let (first, second) = (server("first"), server("second"));
    let has = first.serve();
    let waits = second.begin();
    until("the other server waits", || {
        waits.log().contains("this server waits").then_some(())
    });
    for (setup, said) in [(&first, "it runs and answers"), (&second, "it waits: ")] {
        let (printed, code) = check(setup, &[]);
        assert_eq!(code, 0, "{printed}");
        assert!(printed.contains(&format!("ok     server: {said}")), "{printed}");
    }
    drop(has);
}

#[test]
fn a_server_of_postgresql_without_a_free_session_is_said_as_such() {
    let lines = "max_connections = 2\nsuperuser_reserved_connections = 0\nmax_wal_senders = 0";
    let Some(cluster) = Cluster::start("a server of PostgreSQL without a free session", lines) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .begun()
        .with("PBMSERV_STORE_URL", &cluster.url("pbmserv"));
    let mut held = cluster.command("psql");
    held.args([
        "-h",
        "127.0.0.1",
        "-p",
        &cluster.port.to_string(),
        "-U",
        "pbmserv",
        "pbmserv",
    ])
    .args(["-c", "SELECT pg_sleep(600)"]);
    let mut held = [held.spawn().unwrap(), held.spawn().unwrap()];
    let error = until("all sessions are taken", || {
        let error = String::from_utf8(setup.run(&["user", "list"]).stderr).unwrap();
        error.contains("53300").then_some(error)
    });
    assert!(error.contains("raise max_connections"), "{error}");
    let (printed, _) = check(&setup, &["--offline"]);
    assert!(
        printed.contains("max_connections") && !printed.contains("cannot be reached"),
        "{printed}"
    );
    for session in &mut held {
        session.kill().unwrap();
        session.wait().unwrap();
    }
}

#[test]
fn a_certificate_that_has_expired_is_told_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drills");
    let setup = watched(folder.path())
        .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", closed_port()))
        .with(
            "PBMSERV_SMTP_CERTIFICATE",
            here.join("expired.crt").to_str().unwrap(),
        )
        .with("PBMSERV_SMTP_KEY", here.join("expired.key").to_str().unwrap());
    let daemon = setup.serve();
    let said = "has expired on 2021-01-01: replace it, then send SIGHUP";
    until("the log tells it", || {
        daemon
            .log()
            .contains(&format!("smtp.certificate {said}"))
            .then_some(())
    });
    let health = daemon.page("/healthz").json();
    assert_eq!(health["status"], "degraded");
    assert!(health["trouble"][0].as_str().unwrap().contains(said), "{health}");
    assert_eq!(
        daemon.metric("pbmserv_certificate_expires_timestamp_seconds"),
        1_609_459_200.0
    );
    finds(&setup, &[&format!("expired.crt {said}")]);
    let (printed, _) = check(&setup, &[]);
    assert!(printed.ends_with("one fault\n"), "{printed}");
    daemon.stop_well();
}

#[test]
fn a_server_that_may_open_few_files_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let few = setup.behind(&["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"]);
    let error = few.does_not_start();
    for part in ["64 files", "ulimit -n 8192", "LimitNOFILE=8192"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!setup.data.exists(), "nothing was begun");
}

#[test]
fn a_rehearsal_of_an_erasure_needs_no_reason_and_an_erasure_does() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    assert!(
        setup
            .done(&["user", "erase", "alice", "--dry-run"])
            .contains("alice")
    );
    let output = setup.run(&["user", "erase", "alice", "--yes"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("--why"), "{error}");
    setup.done(&["user", "show", "alice"]);
}

/// The reason in `queue list`, with a relay under TLS from the first byte that ends each connection after its greeting.
fn why_it_waits(trusted: Option<&Path>, expected: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = tls::encrypted(stream);
            // Dropped without the farewell of TLS.
            let _ = stream.write_all(b"220 relay.example ESMTP\r\n");
            let _ = stream.read(&mut [0; 512]);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::new(folder.path())
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", &format!("smtps://localhost:{port}"));
    let roots = folder.path().join("roots.pem");
    match trusted {
        Some(certificate) => fs::copy(certificate, &roots).map(drop).unwrap(),
        None => fs::write(&roots, "").unwrap(),
    }
    setup = setup.with("SSL_CERT_FILE", roots.to_str().unwrap());
    let daemon = setup.serve();
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let listed = until("the reason is listed", || {
        let listed = setup.done(&["queue", "list"]);
        listed.contains(expected).then_some(listed)
    });
    let log = daemon.stop_well();
    for text in [&listed, &log] {
        for word in ["docs.rs", "rustls", "close_notify", "UnknownIssuer"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn a_relay_with_an_unknown_certificate_is_told_in_plain_words() {
    why_it_waits(None, "its certificate cannot be trusted");
}

#[test]
fn a_relay_that_hangs_up_is_told_in_plain_words() {
    why_it_waits(Some(&tls::certificate()), "it has closed the connection");
}

#[test]
fn the_room_on_the_disk_is_said_in_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).begun();
    let (printed, _) = check(&setup, &["--offline"]);
    let disk = printed.lines().find(|line| line.contains("disk: ")).unwrap();
    assert!(
        ["MB are free", "GB are free", "TB are free"]
            .iter()
            .any(|unit| disk.ends_with(unit)),
        "{disk}"
    );
}
