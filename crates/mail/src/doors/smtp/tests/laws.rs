//! Properties for any bytes in any pieces. These tests run a session without a socket.

use proptest::prelude::*;
use tokio::io::duplex;

use super::super::admission::MemoryBudget;
use super::super::client::Client;
use super::super::session::{Session, Shared};
use super::*;
use crate::doors::socket::Peer;

fn settings() -> Settings {
    Settings {
        max_message_bytes: 60,
        max_recipients: 2,
        max_errors: 12,
        max_line_bytes: 50,
        ..Settings::default()
    }
}

/// Sends the bytes in pieces of these lengths, repeated, then closes; returns all replies and messages.
fn converse(protocol: Protocol, bytes: &[u8], lengths: &[usize]) -> (String, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let intake = Recorder::open();
        let shared = Arc::new(Shared {
            hostname: "host.example".into(),
            protocol,
            intake: Arc::clone(&intake),
            held: Arc::new(MemoryBudget::default()),
        });
        let (near, far) = duplex(1 << 20);
        let (_stop, stopped) = watch::channel(false);
        let client = Client::admit(&Admission::default(), Peer::Local, true, &settings()).unwrap();
        let session = Session::new(
            Box::new(far),
            Peer::Local,
            client,
            shared,
            settings(),
            None,
            stopped,
        );
        let session = tokio::spawn(session.run());
        let (mut reader, mut writer) = tokio::io::split(near);
        let mut lengths = lengths.iter().cycle();
        let mut at = 0;
        while at < bytes.len() {
            let end = bytes.len().min(at + lengths.next().unwrap());
            // A session that has ended reads no more.
            if writer.write_all(&bytes[at..end]).await.is_err() {
                break;
            }
            at = end;
            tokio::task::yield_now().await;
        }
        drop(writer.shutdown().await);
        let mut heard = String::new();
        timeout(PATIENCE, reader.read_to_string(&mut heard))
            .await
            .unwrap()
            .unwrap();
        session.await.unwrap();
        let mut seen = intake.seen();
        // Recipients of one message are handled in any order.
        seen.sort();
        (heard, seen)
    })
}

/// Fragments of sessions, valid and invalid.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = proptest::sample::select(vec![
        "EHLO me\r\n",
        "HELO me\r\n",
        "LHLO me\r\n",
        "STARTTLS\r\n",
        "RSET\r\n",
        "NOOP\r\n",
        "VRFY x\r\n",
        "NONSENSE\r\n",
        "NOOP\n",
        "MAIL FROM:<a@b>\r\n",
        "MAIL FROM:<>\r\n",
        "MAIL FROM:<a@b> SIZE=61\r\n",
        "MAIL FROM:<unusable@b>\r\n",
        "MAIL FROM:<later@b>\r\n",
        "RCPT TO:<pbmserv@host.example>\r\n",
        "RCPT TO:<pbmserv+x@host.example>\r\n",
        "RCPT TO:<pbmserv+y@host.example>\r\n",
        "RCPT TO:<x@y>\r\n",
        "DATA\r\n",
        "DATA\r\n",
        "a line\r\n",
        "..\r\n",
        ".\r\n",
        ".\r\n",
        "bare\n",
        "\r.\r",
        "QUIT\r\n",
    ]);
    prop_oneof![
        20 => known.prop_map(|text| text.as_bytes().to_vec()),
        6 => Just(
            b"RSET\r\nMAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n.\r\n..x\r\n.\r\n".to_vec()
        ),
        6 => Just(b"EHLO me\r\nMAIL FROM:<c@d>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n".to_vec()),
        1 => (40_usize..90).prop_map(|length| [&vec![b'x'; length][..], b"\r\n"].concat()),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ]
}

fn protocol() -> impl Strategy<Value = Protocol> {
    prop_oneof![Just(Protocol::Smtp), Just(Protocol::Lmtp)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn how_the_bytes_are_cut_makes_no_difference(
        pieces in proptest::collection::vec(piece(), 0..30),
        lengths in proptest::collection::vec(1_usize..40, 1..6),
        protocol in protocol(),
    ) {
        let session = [&b"EHLO me\r\nLHLO me\r\n"[..], &pieces.concat()].concat();
        prop_assert_eq!(converse(protocol, &session, &lengths), converse(protocol, &session, &[usize::MAX >> 1]));
    }

    #[test]
    fn only_a_whole_transaction_is_handed_in(pieces in proptest::collection::vec(piece(), 0..30)) {
        let (heard, seen) = converse(Protocol::Smtp, &pieces.concat(), &[1 << 20]);
        let count = |beginning: &str| heard.lines().filter(|line| line.starts_with(beginning)).count();
        let verdicts = count("250 2.0.0 Accepted") + count("554 5.6.0 It says") + count("451 4.3.0");
        prop_assert!(count("354 ") >= verdicts);
        prop_assert!(seen.len() == verdicts, "{:?} {}", seen, heard);
        for message in seen {
            prop_assert!(message.contains(">pbmserv"), "{}", message);
        }
    }

    #[test]
    fn lmtp_answers_each_recipient_of_a_message(pieces in proptest::collection::vec(piece(), 0..30)) {
        let (heard, seen) = converse(Protocol::Lmtp, &[&b"LHLO me\r\n"[..], &pieces.concat()].concat(), &[1 << 20]);
        let mut named = 0;
        let mut answers_due = 0;
        for line in heard.lines() {
            if answers_due > 0 {
                let is_verdict = ["250 2.0.0 Accepted", "554 5.6.0", "451 4.3.0", "552 5.3.4"]
                    .iter()
                    .any(|beginning| line.starts_with(beginning));
                // A session may end, or run out of bytes, before a message does.
                prop_assert!(is_verdict || line.starts_with("421"), "{heard}");
                answers_due -= 1;
            } else if line.starts_with("250 2.1.5") {
                named += 1;
            } else if line.starts_with("354") {
                answers_due = named;
            }
            if line.starts_with("250 2.1.0") || line.starts_with("354") {
                named = 0;
            }
        }
        for message in seen {
            prop_assert!(message.contains(">pbmserv"), "{}", message);
        }
    }

    #[test]
    fn junk_is_answered_and_nothing_is_handed_in(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let (heard, seen) = converse(Protocol::Smtp, &bytes, &[100]);
        prop_assert!(heard.starts_with("220 host.example ESMTP"));
        prop_assert!(seen.is_empty());
    }
}
