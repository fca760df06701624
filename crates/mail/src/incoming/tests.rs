use super::*;
use proptest::prelude::*;

fn read_from(bytes: &[u8], sender: &str) -> Result<Incoming, Unreadable> {
    let own = OwnAddresses::from(Address::parse("pbmserv@host.example").unwrap());
    let envelope = Envelope {
        sender: Address::parse(sender).ok(),
        recipients: vec![own.present().clone()],
    };
    read(bytes, &envelope, &own, &LetterWords::new(|_| false))
}

fn read_one(text: &str) -> Incoming {
    read_from(text.as_bytes(), "bob@b.example").unwrap()
}

#[test]
fn the_fields_that_matter_are_read() {
    let mail = read_one(
        "Message-ID: <a@b>\nDate: Thu, 5 Nov\n 2026\nFrom: B <bob@b.example>\nIn-Reply-To: <p@q>\n\
         References: <n@o> <p@q>\nSubject: Re: =?utf-8?q?Z=C3=BCge?=\n\nm13-j7\n",
    );
    assert_eq!(mail.message_id.as_deref(), Some("a@b"));
    assert_eq!(mail.date.as_deref(), Some("Thu, 5 Nov 2026"));
    assert_eq!(mail.from.unwrap().as_str(), "bob@b.example");
    assert_eq!(mail.in_reply_to, ["p@q"]);
    assert_eq!(mail.references, ["n@o", "p@q"]);
    assert_eq!(mail.subject, "Re: Züge");
    assert_eq!(mail.text, ["m13-j7"]);
    assert_eq!((mail.silence, mail.is_cut), (None, false));
}

#[test]
fn two_visible_senders_are_none() {
    assert_eq!(read_one("From: a@b\nFrom: c@d\n\n").from, None);
}

#[test]
fn copies_of_one_message_have_one_digest_and_others_have_not() {
    let text = "Message-ID: <a@b>\nDate: now\nSubject: s\n\nm13-j7\n\nHi\n";
    let digest = read_one(text).digest.unwrap();
    assert_eq!(read_one(&format!("Received: by x\n{text}")).digest, Some(digest));
    assert_eq!(read_one(&text.replace('\n', "\r\n")).digest, Some(digest));
    assert_eq!(read_one(&text.replace("now", "then")).digest, Some(digest));
    assert_eq!(
        read_from(text.as_bytes(), "BOB@b.example").unwrap().digest,
        Some(digest)
    );
    for other in [
        text.replace("<a@b>", "<c@b>"),
        text.replace("Subject: s", "Subject: t"),
        text.replace("j7", "j8"),
        text.replace("Message-ID: <a@b>\n", ""),
    ] {
        assert_ne!(read_one(&other).digest, Some(digest), "{other}");
        assert!(read_one(&other).digest.is_some());
    }
    assert_ne!(
        read_from(text.as_bytes(), "al@b.example").unwrap().digest,
        Some(digest)
    );
    assert_eq!(read_one("Subject: s\n\nm13-j7\n").digest, None);
    assert_eq!(
        read_one("Message-ID:\nDate: \nSubject: s\n\nm13-j7\n").digest,
        None
    );
}

#[test]
fn a_delivery_report_gets_no_answer_and_says_its_status() {
    let text = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nSorry.\n--b\n\
        Content-Type: message/delivery-status\n\nStatus: 5.1.1\n--b--\n";
    let mail = read_one(text);
    assert_eq!(mail.silence, Some(Silence::DeliveryReport));
    assert_eq!(mail.delivery_report.unwrap().class, 5);
}

#[test]
fn invalid_messages_are_refused_in_one_sentence() {
    for nothing in ["", "\n\n", "m13-j7\n", "\u{0}\u{1}\n"] {
        assert_eq!(
            read_from(nothing.as_bytes(), "a@b"),
            Err(Unreadable::NoHeader),
            "{nothing:?}"
        );
    }
    let long = format!("Subject: {}\n\nx\n", "=?utf-8?q?=?=".repeat(80_000));
    assert_eq!(read_from(long.as_bytes(), "a@b"), Err(Unreadable::HeaderTooLong));
}

#[test]
fn hostile_messages_are_read_or_refused_soon_and_within_bounds() {
    let mut nested = String::new();
    for level in 0..10_000 {
        nested += &format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
    }
    let page = "Subject: x\nContent-Type: text/html\n\n";
    let parts = "Content-Type: multipart/mixed; boundary=b\n\n";
    for (name, message) in [
        ("nested multiparts", nested),
        (
            "nested messages",
            "Content-Type: message/rfc822\n\n".repeat(35_000),
        ),
        (
            "digests",
            "Content-Type: multipart/digest; boundary=b\n\n--b\n".repeat(20_000),
        ),
        ("parts", format!("{parts}{}", "--b\n\n".repeat(200_000))),
        (
            "parts of parts",
            format!(
                "{parts}{}",
                "--b\nContent-Type: multipart/mixed; boundary=c\n\n".repeat(20_000)
            ),
        ),
        ("open tags", format!("{page}{}", "<div>".repeat(200_000))),
        ("fonts", format!("{page}{}", "<font color=1><p>x".repeat(60_000))),
        ("quotes", format!("Subject: x\n\n{}", "> ".repeat(500_000))),
        ("empty lines", format!("Subject: x\n\n{}", "\n".repeat(1_000_000))),
        (
            "flowed",
            format!(
                "Content-Type: text/plain; format=flowed\n\n{}",
                "x \n".repeat(300_000)
            ),
        ),
        (
            "attributions",
            format!(
                "Subject: x\n\n{}",
                "On 5 Nov 2026\nBob wrote:\n> x\n".repeat(40_000)
            ),
        ),
        (
            "labels",
            format!("Subject: x\n\n{}", "From: x\n\n\n".repeat(100_000)),
        ),
        (
            "base64",
            format!(
                "Content-Transfer-Encoding: base64\n\n{}",
                "=$%&\u{0}AAAA".repeat(100_000)
            ),
        ),
        (
            "NUL",
            format!("Subject: x\u{0}y\n\n{}", "\u{0}".repeat(1_000_000)),
        ),
        ("fields", "A: b\n".repeat(50_000)),
        ("words", format!("Subject: {}\n\n", "=?utf-8?q?".repeat(20_000))),
        (
            "comments",
            format!(
                "From: {}\nContent-Type: {}\n\n",
                "(".repeat(100_000),
                "(".repeat(100_000)
            ),
        ),
    ] {
        let started = std::time::Instant::now();
        if let Ok(mail) = read_from(message.as_bytes(), "bob@b.example") {
            assert!(is_bounded(&mail), "{name}");
        }
        // Generous for an unoptimised build on a busy machine; quadratic time would take minutes.
        assert!(
            started.elapsed().as_secs() < 10,
            "{name}: {:?}",
            started.elapsed()
        );
    }
}

fn is_bounded(mail: &Incoming) -> bool {
    mail.subject.chars().count() <= SUBJECT_MAX_CHARS
        && !mail.subject.contains(|c: char| c.is_control())
        && mail.text.len() <= 2_000
        && mail.text.iter().map(String::len).sum::<usize>() <= 64 * 1024
        && !mail
            .text
            .iter()
            .any(|line| line.contains(|c: char| c.is_control()))
        && mail.references.len() <= IDS_MAX
        && mail.in_reply_to.len() <= IDS_MAX
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n".to_owned()),
        Just("--b\n".to_owned()),
        Just("--b--\n".to_owned()),
        Just("Content-Type: multipart/mixed; boundary=b\n\n".to_owned()),
        Just("Content-Type: multipart/alternative; boundary=\"b\"\n\n".to_owned()),
        Just("Content-Type: text/html; charset=utf-7\n".to_owned()),
        Just("Content-Type: text/plain; format=flowed; delsp=yes\n".to_owned()),
        Just("Content-Type: message/rfc822\n".to_owned()),
        Just("Content-Transfer-Encoding: base64\n".to_owned()),
        Just("Content-Transfer-Encoding: quoted-printable\n".to_owned()),
        Just("Subject: =?utf-8?b?AAA=?= =?x?\n y\n".to_owned()),
        Just("From: (\"<a@b>, c: ;\n".to_owned()),
        Just("<blockquote><pre>x</div>&#150;&nbsp\n".to_owned()),
        Just("> q\nBob:\n".to_owned()),
        Just("m13-j7 \n".to_owned()),
        "[ -~]{0,30}\n",
        "\\PC{0,10}",
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(mail) = read_from(&bytes, "bob@b.example") {
            prop_assert!(is_bounded(&mail));
        }
    }

    #[test]
    fn any_mail_like_text_is_read_alike_with_lf_and_crlf(pieces in prop::collection::vec(piece(), 0..20)) {
        let text = format!("Message-ID: <a@b>\n{}", pieces.concat());
        let read = read_from(text.as_bytes(), "bob@b.example");
        if let Ok(mail) = &read {
            prop_assert!(is_bounded(mail));
        }
        prop_assert_ne!(&read, &Err(Unreadable::Damaged));
        let crlf = read_from(text.replace('\n', "\r\n").as_bytes(), "bob@b.example");
        prop_assert_eq!(crlf, read);
    }
}

#[test]
fn a_mail_is_blank_if_its_sender_wrote_and_added_nothing() {
    let alternatives = |plain: &str, page: &str| {
        format!(
            "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n--b\nContent-Type: text/html\n\n{page}\n--b--\n"
        )
    };
    for text in [
        "Subject: x\n\n",
        "Subject: x\n\n\n> Is it?\n",
        "Subject: x\n\nOn Fri, 20 Nov 2026 at 08:00, pbmserv wrote:\n> Is it?\n",
        "Subject: x\n\nSent from my iPhone\n\n> On Nov 5, 2026, at 09:14, pbmserv wrote:\n>\n> Is it?\n",
        "Subject: x\n\n-- \nAlice\n\nOn Fri, 20 Nov 2026, pbmserv wrote:\n> Is it?\n",
        &alternatives("", ""),
        &alternatives("> Is it?\n", "<blockquote>Is it?</blockquote>"),
    ] {
        assert!(read_one(text).is_blank, "{text}");
    }
    for text in [
        "Subject: x\n\nno\n",
        "Subject: x\n\n> Is it?\nno\n",
        "Subject: x\n\n-- \nAlice\n> Is it?\nno\n",
        "Subject: x\n\n-----Original Message-----\nIs it?\nno\n",
        "Subject: x\n\nFrom: pbmserv\nSent: Friday\nTo: alice\nSubject: Is it?\n\nIs it?\n\nno\n",
        "Content-Type: image/png\n\n",
        "Content-Type: multipart/encrypted; boundary=b\n\n--b\n\n\n--b--\n",
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n\n--b\nContent-Type: image/png\n\nx\n--b--\n",
        &alternatives("", "<p>no</p>"),
        &alternatives("> Is it?\n", "<p>no</p><blockquote>Is it?</blockquote>"),
    ] {
        assert!(!read_one(text).is_blank, "{text}");
    }
}
