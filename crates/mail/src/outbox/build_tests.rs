use chrono::DateTime;
use mail_parser::{Address as Mailboxes, Message, MessageParser, MimeHeaders};
use proptest::prelude::*;

use super::*;
use crate::Key;
use crate::outbox::tests::{identity, mail};

fn parsed(bytes: &[u8]) -> Message<'_> {
    MessageParser::default().parse(bytes).unwrap()
}

fn built(mail: &Outgoing) -> Vec<u8> {
    build(mail, &identity()).unwrap().bytes
}

fn only_address<'a>(boxes: Option<&'a Mailboxes<'a>>) -> &'a str {
    boxes.unwrap().first().unwrap().address().unwrap()
}

/// The header fields as written, unfolded.
fn fields(bytes: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(bytes).unwrap();
    let (header, _) = text.split_once("\r\n\r\n").unwrap();
    header
        .replace("\r\n ", " ")
        .split("\r\n")
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

fn field(bytes: &[u8], name: &str) -> Option<String> {
    let mut found = fields(bytes)
        .into_iter()
        .filter(|(n, _)| n == name)
        .map(|(_, v)| v);
    let value = found.next();
    assert_eq!(found.next(), None, "{name} stands twice");
    value
}

/// Lines within the limits, CRLF only, ASCII only.
fn assert_fit_for_smtp(bytes: &[u8]) {
    assert!(bytes.is_ascii() && !bytes.contains(&0));
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.ends_with("\r\n"));
    for line in text.split("\r\n") {
        assert!(!line.contains(['\r', '\n']), "{line:?}");
        assert!(line.len() <= 998, "{}", line.len());
    }
}

#[test]
fn a_file_goes_with_the_text_and_comes_out_as_it_went_in() {
    let file = "[Game \"Pow2\"]\n[First \"alice\"]\n\n1. m13-j7  a1-e1\n.\n";
    for (text, file) in [
        ("The record is attached.\n", file.to_owned()),
        ("Gr\u{fc}\u{df}e\n", format!("{file}; \u{4e2d}\n")),
        ("Long.\n", "x".repeat(3000)),
        ("--=_12abc--\n", "--=_12abc\n".repeat(40)),
    ] {
        let mut mail = mail(12);
        mail.text = text.to_owned();
        mail.attachment = Some(("Pow2-101.txt".to_owned(), file.clone()));
        let bytes = built(&mail);
        assert_fit_for_smtp(&bytes);
        assert_eq!(bytes, built(&mail), "the same row is the same message");
        let parsed = parsed(&bytes);
        let trimmed = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
        assert_eq!(trimmed(&parsed.body_text(0).unwrap()), text.trim_end());
        assert_eq!(parsed.attachment_count(), 1);
        let attached = parsed.attachment(0).unwrap();
        assert_eq!(attached.attachment_name(), Some("Pow2-101.txt"));
        assert!(attached.is_content_type("text", "plain"));
        assert_eq!(trimmed(attached.text_contents().unwrap()), file.trim_end());
    }
}

#[test]
fn a_board_is_one_thread_of_mails_that_no_robot_answers() {
    let mut mail = mail(12);
    mail.in_reply_to = Some("move@alice.example".to_owned());
    mail.references = vec!["1@games.example".to_owned(), "move@alice.example".to_owned()];
    mail.is_reply = true;
    mail.list = Some("Pow2.101".to_owned());
    mail.reply_detail = Some("2k-mfzwizdfmzsgk3lqn5xgk4tfmy".to_owned());
    let Built {
        envelope_sender,
        bytes,
    } = build(&mail, &identity()).unwrap();
    assert_fit_for_smtp(&bytes);
    assert_eq!(identity().bounced(&envelope_sender), Some(12));

    let message = parsed(&bytes);
    assert_eq!(message.message_id(), Some("12.abc@games.example"));
    assert_eq!(message.in_reply_to().as_text(), Some("move@alice.example"));
    assert_eq!(
        message.references().as_text_list().unwrap(),
        ["1@games.example", "move@alice.example"]
    );
    assert_eq!(message.subject(), Some("Pow2.101: your turn"));
    assert_eq!(
        message.date().unwrap().to_timestamp(),
        mail.created_at.timestamp()
    );
    assert_eq!(only_address(message.from()), "pbmserv@games.example");
    assert_eq!(
        message.from().unwrap().first().unwrap().name(),
        Some("Games by mail")
    );
    assert_eq!(only_address(message.to()), "Alice@example.org");
    assert_eq!(
        only_address(message.reply_to()),
        "pbmserv+2k-mfzwizdfmzsgk3lqn5xgk4tfmy@games.example"
    );
    let value = |name| field(&bytes, name);
    assert_eq!(value("Auto-Submitted").as_deref(), Some("auto-replied"));
    assert_eq!(value(LOOP_FIELD).as_deref(), Some("pbmserv@games.example"));
    assert_eq!(value("List-Id").as_deref(), Some("<pow2.101.games.example>"));
    assert_eq!(value("Date").as_deref(), Some("Fri, 15 Jan 2027 08:00:00 +0000"));
    assert_eq!(value("MIME-Version").as_deref(), Some("1.0"));
}

#[test]
fn the_sender_has_the_name_of_the_letter_and_one_address() {
    for (name, written) in [
        ("", "Games by mail <pbmserv@games.example>"),
        ("bob, your turn", "\"bob, your turn\" <pbmserv@games.example>"),
        ("bob's turn", "bob's turn <pbmserv@games.example>"),
        (
            "\"bob\" \\ <eve@e.example>",
            "\"\\\"bob\\\" \\\\ <eve@e.example>\" <pbmserv@games.example>",
        ),
        (
            "Zo\u{eb}, your turn",
            "=?utf-8?B?Wm/DqywgeW91ciB0dXJu?= <pbmserv@games.example>",
        ),
    ] {
        let mut mail = mail(1);
        mail.sender_name = name.to_owned();
        let bytes = built(&mail);
        assert_eq!(field(&bytes, "From").as_deref(), Some(written));
        let message = parsed(&bytes);
        assert_eq!(only_address(message.from()), "pbmserv@games.example");
        let expected = if name.is_empty() { "Games by mail" } else { name };
        assert_eq!(message.from().unwrap().first().unwrap().name(), Some(expected));
    }
}

#[test]
fn a_mail_of_our_own_accord_has_no_more_fields_than_it_needs() {
    let bytes = built(&mail(1));
    let names: Vec<String> = fields(&bytes).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "Date",
            "From",
            "To",
            "Subject",
            "Message-ID",
            "Auto-Submitted",
            "X-Pbmserv-Loop",
            "MIME-Version",
            "Content-Type",
            "Content-Transfer-Encoding"
        ]
    );
    assert_eq!(field(&bytes, "Auto-Submitted").as_deref(), Some("auto-generated"));
}

#[test]
fn an_ascii_board_stands_in_the_mail_as_it_was_drawn() {
    let mail = mail(1);
    let bytes = built(&mail);
    assert_eq!(
        field(&bytes, "Content-Type").as_deref(),
        Some("text/plain; charset=us-ascii")
    );
    assert_eq!(
        field(&bytes, "Content-Transfer-Encoding").as_deref(),
        Some("7bit")
    );
    let text = String::from_utf8(bytes.clone()).unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, mail.text.replace('\n', "\r\n"));
    assert!(!text.contains("flowed"));
}

#[test]
fn a_comment_in_another_language_keeps_its_lines_and_letters() {
    let mut mail = mail(1);
    mail.text = format!("Schöner Zug! 好棋\n  +---+   \n{}\n\tEnde", "lang ".repeat(50));
    let bytes = built(&mail);
    assert_eq!(
        field(&bytes, "Content-Type").as_deref(),
        Some("text/plain; charset=utf-8")
    );
    assert_eq!(
        field(&bytes, "Content-Transfer-Encoding").as_deref(),
        Some("quoted-printable")
    );
    assert_fit_for_smtp(&bytes);
    let message = parsed(&bytes);
    assert_eq!(
        message.body_text(0).unwrap().replace("\r\n", "\n"),
        format!("{}\n", mail.text)
    );
}

#[test]
fn a_line_too_long_for_7bit_is_encoded_and_comes_back_whole() {
    let mut mail = mail(1);
    for (length, encoding) in [(998, "7bit"), (999, "quoted-printable")] {
        mail.text = format!("{}\nend\n", "x".repeat(length));
        let bytes = built(&mail);
        assert_eq!(
            field(&bytes, "Content-Transfer-Encoding").as_deref(),
            Some(encoding)
        );
        assert_fit_for_smtp(&bytes);
        assert_eq!(
            parsed(&bytes).body_text(0).unwrap().replace("\r\n", "\n"),
            mail.text
        );
    }
}

#[test]
fn nothing_in_a_row_adds_a_field_or_a_line() {
    let evil = "x\r\nBcc: victim@example.net\r\n\r\nbody\u{0}\u{85}\u{2028}y";
    let mut mail = mail(1);
    mail.subject = evil.to_owned();
    mail.in_reply_to = Some(evil.to_owned());
    mail.references = vec![
        evil.to_owned(),
        "a b".to_owned(),
        "<x>".to_owned(),
        "good@id".to_owned(),
    ];
    mail.list = Some(evil.to_owned());
    let address = Address::parse("pbmserv@games.example").unwrap();
    let identity = Identity::new(address, evil, Key::from_bytes([3; 32])).unwrap();
    let bytes = build(&mail, &identity).unwrap().bytes;
    assert_fit_for_smtp(&bytes);
    assert_eq!(field(&bytes, "Bcc"), None);
    assert_eq!(field(&bytes, "In-Reply-To"), None);
    assert_eq!(field(&bytes, "References").as_deref(), Some("<good@id>"));
    let message = parsed(&bytes);
    assert!(message.bcc().is_none());
    assert_eq!(message.subject(), Some("x  Bcc: victim@example.net    body   y"));
    let list = field(&bytes, "List-Id").unwrap();
    assert!(
        list.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"<>.-".contains(&b)),
        "{list}"
    );

    mail.reply_detail = Some(evil.to_owned());
    assert!(matches!(build(&mail, &identity), Err(BuildError::ReplyTo(1))));
    mail.reply_detail = None;
    for id in [evil, "", "a b", "a>b", "ä@b", &"x".repeat(300)] {
        mail.message_id = id.to_owned();
        assert!(matches!(build(&mail, &identity), Err(BuildError::MessageId(1))));
    }
}

#[test]
fn a_subject_that_looks_encoded_is_shown_as_it_was_given() {
    let mut mail = mail(1);
    for subject in [
        "=?utf-8?B?eA==?=",
        "a  =?us-ascii?Q?b?= c",
        "  x",
        "a\u{301}b ".repeat(60).as_str(),
    ] {
        mail.subject = subject.to_owned();
        let bytes = built(&mail);
        assert_eq!(parsed(&bytes).subject(), Some(subject.trim()));
    }
}

#[test]
fn references_keep_the_first_and_the_newest() {
    let mut mail = mail(1);
    mail.references = (0..500).map(|n| format!("{n}@games.example")).collect();
    mail.in_reply_to = Some("parent@alice.example".to_owned());
    let bytes = built(&mail);
    let value = field(&bytes, "References").unwrap();
    let ids: Vec<&str> = value.split(' ').collect();
    assert_eq!(ids.len(), 20);
    assert_eq!((ids[0], ids[1]), ("<0@games.example>", "<482@games.example>"));
    assert_eq!(ids[18..], ["<499@games.example>", "<parent@alice.example>"]);
}

#[test]
fn odd_rows_give_a_mail_all_the_same() {
    let mut mail = mail(1);
    mail.subject = " \r\n ".to_owned();
    mail.text = String::new();
    mail.created_at = DateTime::<chrono::Utc>::MAX_UTC;
    mail.list = Some("...".to_owned());
    let bytes = built(&mail);
    assert_fit_for_smtp(&bytes);
    assert_eq!(parsed(&bytes).subject(), Some("(no subject)"));
    assert_eq!(field(&bytes, "List-Id").as_deref(), Some("<board.games.example>"));
}

/// Difficult subjects: blanks in odd places, other scripts, text that looks encoded, control characters.
fn subjects() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,120}",
        "[ -~]{0,300}",
        "([a-z=?]| |ü|=\\?utf-8\\?[QB]\\?){0,60}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn any_subject_and_text_come_back(subject in subjects(), text in "(\\PC|[ \t\n=.-]|\r\n){0,400}") {
        let mut mail = mail(1);
        mail.subject = subject;
        mail.text = text;
        let bytes = built(&mail);
        assert_fit_for_smtp(&bytes);
        prop_assert_eq!(fields(&bytes).len(), 10);
        let message = parsed(&bytes);
        let wanted = one_line(&mail.subject, MAX_LINE_CHARS);
        let wanted = if wanted.is_empty() { "(no subject)" } else { &wanted };
        prop_assert_eq!(message.subject(), Some(wanted));
        let mut wanted = mail.text.replace("\r\n", "\n");
        if !wanted.ends_with('\n') {
            wanted.push('\n');
        }
        prop_assert_eq!(message.body_text(0).unwrap().replace("\r\n", "\n"), wanted);
    }

    #[test]
    fn no_row_breaks_the_header(
        subject: String, text: String, list: Option<String>, parent: Option<String>,
        references in proptest::collection::vec(any::<String>(), 0..5), name: String,
    ) {
        let mut mail = mail(1);
        mail.subject = subject;
        mail.text = text;
        mail.list = list;
        mail.in_reply_to = parent;
        mail.references = references;
        let address = Address::parse("pbmserv@games.example").unwrap();
        let identity = Identity::new(address, name, Key::from_bytes([3; 32])).unwrap();
        let bytes = build(&mail, &identity).unwrap().bytes;
        assert_fit_for_smtp(&bytes);
        let count = fields(&bytes).len();
        let optional = ["List-Id", "In-Reply-To", "References"];
        let present = optional.into_iter().filter(|name| field(&bytes, name).is_some()).count();
        prop_assert_eq!(count, 10 + present);
        let message = parsed(&bytes);
        prop_assert_eq!(only_address(message.from()), "pbmserv@games.example");
    }
}
