//! A server that verifies senders itself (`[auth] verify`): strangers whose name servers are silent hold up no player.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::daemon::dns::{Dns, Mood};
use crate::daemon::smtp::{Client, message};
use crate::daemon::{Setup, count, until};

const ALICE: &str = "alice@home.example";

/// More than are verified at a time.
const STRANGERS: usize = 40;

/// The letters that were written, all of them to players.
fn letters(setup: &Setup) -> i64 {
    count(&setup.look(), "SELECT COUNT(*) FROM outbox")
}

#[test]
fn strangers_with_silent_name_servers_hold_up_no_player_with_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let dns = Dns::open();
    dns.text("home.example", "v=spf1 ip4:127.0.0.1 -all");
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_SMTP_TRUSTED", "")
        .with("PBMSERV_SMTP_CONNECTIONS_A_MINUTE", "1000")
        .with("PBMSERV_SMTP_MESSAGES_A_MINUTE", "1000")
        .with("PBMSERV_AUTH_VERIFY", "true")
        .with("PBMSERV_AUTH_DNS", &dns.address.to_string());
    let daemon = setup.serve();
    let send = |from: &str, id: &str, subject: &str| {
        let mut client = Client::connect(daemon.port).unwrap();
        client.send(from, &message(from, id, subject, "")).unwrap()
    };
    // Signed up by SPF alone: the client is this machine.
    assert!(send(ALICE, "1@home.example", "signup alice fig7elk").starts_with("250"));
    assert_eq!(letters(&setup), 1);
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..STRANGERS {
            let (send, answered, dns) = (&send, &answered, &dns);
            scope.spawn(move || {
                let domain = format!("slow{number}.example");
                dns.is(&domain, Mood::Silent);
                let reply = send(&format!("x@{domain}"), &format!("{number}@{domain}"), "help");
                assert!(reply.starts_with("250"), "{reply}");
                answered.fetch_add(1, Ordering::Relaxed);
            });
        }
        until("the name server is asked about strangers", || {
            dns.asked()
                .iter()
                .any(|name| name.starts_with("slow"))
                .then_some(())
        });
        let reply = send(ALICE, "2@home.example", "set alice fig7elk width 60");
        assert!(reply.starts_with("250"), "{reply}");
        assert!(
            answered.load(Ordering::Relaxed) < STRANGERS,
            "she waited for all of them"
        );
    });
    // She is answered, and they are not.
    assert_eq!(letters(&setup), 2);
    let log = daemon.log();
    assert!(!log.contains("panicked"), "{log}");
}
