//! PostgreSQL says nothing to the sessions that read, as on a machine whose disk is busy, while the one that writes goes on.

use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::daemon::browser::{web_port, with_pages};
use crate::daemon::cluster::Cluster;
use crate::daemon::http::{ALICE, Answer, closed_port, play, rest, watched};
use crate::daemon::proxy::{Line, Proxy};
use crate::daemon::smtp::{Client, message, stream_from};
use crate::daemon::until;

/// More than the threads of the event loop, and than the sessions that read.
const SESSIONS: usize = 24;

/// When the session that writes was last heard, and by whom it is had.
const PULSE: &str = "SELECT pid, query_start FROM pg_stat_activity JOIN pg_locks USING (pid) \
                     WHERE locktype = 'advisory' AND granted AND application_name = 'pbmserv'";

fn page(port: u16, path: &str) -> Answer {
    use std::io::Write as _;
    let mut stream = stream_from([127, 0, 0, 1], port).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    Answer::read(&rest(&mut stream))
}

/// Sends a mail in a session of its own; returns its last reply.
fn send(port: u16, number: usize) -> String {
    let mail = message(
        ALICE,
        &format!("stalled{number}@home.example"),
        "Pow2 chat 101 alice fig7elk",
        "hello",
    );
    let mut client = Client::connect(port).unwrap();
    client.send(ALICE, &mail).unwrap()
}

#[test]
fn a_database_that_is_silent_to_readers_puts_mail_and_pages_off_and_the_engine_stays() {
    let Some(cluster) = Cluster::start("a database that is silent to readers", "fsync = off") else {
        return;
    };
    let proxy = Proxy::to(cluster.port);
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("notify");
    let systemd = UnixDatagram::bind(&socket).unwrap();
    let fed = Arc::new(AtomicUsize::new(0));
    let counted = fed.clone();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length) = systemd.recv(&mut bytes) {
            if bytes[..length].starts_with(b"WATCHDOG=1") {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let url = format!("postgres://pbmserv@127.0.0.1:{}/pbmserv", proxy.port);
    let first = with_pages(&watched(&folder.path().join("first")))
        .with("PBMSERV_STORE_URL", &url)
        .with("NOTIFY_SOCKET", socket.to_str().unwrap())
        .with("WATCHDOG_USEC", "1500000");
    let daemon = first.serve();
    play(&daemon);
    let web = web_port(&daemon);
    assert_eq!(page(web, "/games/").status, 200);
    // The other server would take over if the session of the first one were silent for fifteen seconds.
    let other = watched(&folder.path().join("second"))
        .with("PBMSERV_STORE_URL", &cluster.url("pbmserv"))
        .with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", closed_port()))
        .begin();
    until("the other server waits", || {
        other.log().contains("this server waits").then_some(())
    });
    let pulse = || cluster.sql("pbmserv", PULSE);
    let pid = |pulse: &str| pulse.split('|').next().unwrap().to_owned();
    let before = pulse();
    proxy.set(Line::SilentToReaders);
    let port = daemon.port;
    let mut asked: Vec<_> = (0..SESSIONS)
        .map(|number| thread::spawn(move || send(port, number)))
        .collect();
    let pages: Vec<_> = (0..4)
        .map(|_| thread::spawn(move || page(web, "/games/")))
        .collect();
    // A verb of the operator that reads, too.
    let listing = first.clone();
    let verb = thread::spawn(move || listing.run(&["user", "list"]));
    // Meanwhile the server is there for everybody.
    let (mut beats, mut says_so) = (0, false);
    let (mut last, fed_before) = (before.clone(), fed.load(Ordering::SeqCst));
    until(
        "the engine was heard for longer than a silent one may keep it",
        || {
            // What was found before is good for a second.
            let health = daemon.page("/healthz");
            says_so |= health.body.contains("does not answer");
            assert!(health.status == 503 || !says_so, "{health:?}");
            drop(Client::connect(port).unwrap());
            let now = pulse();
            assert_eq!(pid(&now), pid(&before), "the session is the same");
            beats += usize::from(now != last);
            last = now;
            thread::sleep(std::time::Duration::from_millis(100));
            (says_so && beats > 5 && fed.load(Ordering::SeqCst) > fed_before + 5).then_some(())
        },
    );
    for reply in asked.drain(..).map(|asked| asked.join().unwrap()) {
        assert!(reply.starts_with("451"), "{reply}");
    }
    for page in pages.into_iter().map(|page| page.join().unwrap()) {
        assert_eq!(page.status, 503, "{page:?}");
        assert!(page.body.contains("Try again in a minute"), "{page:?}");
    }
    proxy.set(Line::Good);
    assert!(verb.join().unwrap().status.success(), "it has waited");
    until("mail is taken again", || {
        send(port, 0).starts_with("250").then_some(())
    });
    daemon.health_when("all is well", |page, _| page.status == 200);
    assert_eq!(page(web, "/games/").status, 200);
    assert_eq!(pid(&pulse()), pid(&before));
    assert!(
        !other.log().contains("this server has the engine now"),
        "{}",
        other.log()
    );
    let log = daemon.stop_well();
    assert!(
        log.contains("the database cannot be read, so what needs it is put off"),
        "{log}"
    );
    assert!(log.contains("the database can be read again"), "{log}");
}
