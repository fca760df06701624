//! A letter of ours, with its private link, quoted as no known phrase announces it. Nothing of it reaches another player.

use std::fmt::Write as _;
use std::fs;

use crate::daemon::browser::with_pages;
use crate::daemon::mailbox::{files, of};
use crate::daemon::smtp::{Client, send};
use crate::daemon::{Daemon, SERVER, Setup};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";
const CAROL: &str = "carol@home.example";

/// The header lines above a quoted letter, as Outlook writes them: from, sent, to, subject.
const LABELS: &[[&str; 4]] = &[
    ["מאת", "נשלח", "אל", "נושא"],
    ["من", "تاريخ الإرسال", "إلى", "الموضوع"],
    ["Từ", "Ngày gửi", "Đến", "Chủ đề"],
    ["От", "Изпратено", "До", "Относно"],
    ["Saatja", "Saadetud", "Adressaat", "Teema"],
    ["Dari", "Terkirim", "Kepada", "Subjek"],
    ["Nuo", "Išsiųsta", "Kam", "Tema"],
    ["No", "Nosūtīts", "Kam", "Tēma"],
    ["จาก", "ส่งเมื่อ", "ถึง", "ชื่อเรื่อง"],
    ["De", "Enviat el", "Per a", "Tema"],
    ["از", "ارسال‌شده", "به", "موضوع"],
    ["प्रेषक", "भेजा गया", "प्रति", "विषय"],
    ["Frá", "Sent", "Til", "Efni"],
    ["Nork", "Bidalia", "Nori", "Gaia"],
    ["Daripada", "Dihantar", "Kepada", "Subjek"],
    ["ကနေ", "ပို့ပြီး", "သို့", "အကြောင်း"],
];

/// What programs put above and before the lines of a letter.
fn frames() -> Vec<(String, &'static str)> {
    let block = |labels: &[&str; 4]| {
        let [from, sent, to, subject] = labels;
        format!(
            "{from}: pbmserv <{SERVER}>\n{sent}: 26 11 2026 11:00\n{to}: {ALICE}\n{subject}: Breakthrough Board 101 alice\n\n"
        )
    };
    let mut frames: Vec<_> = LABELS.iter().map(|labels| (block(labels), "")).collect();
    for (above, mark) in [
        ("", ""),
        ("", "| "),
        ("", ": "),
        ("", "* "),
        ("2026-11-26 11:00 GMT+01:00 pbmserv <pbmserv@localhost>:\n\n", ""),
        (
            "-------- 원본 이메일 --------\n발신: pbmserv@localhost\n날짜: 2026/11/26 11:00 (GMT+09:00)\n제목: Board\n\n",
            "",
        ),
        (
            "-------- Original message --------From: pbmserv@localhost Date: 11/26/26  11:00 AM  (GMT+01:00) To: alice@home.example \n\n",
            "",
        ),
    ] {
        frames.push((above.to_owned(), mark));
    }
    frames
}

/// Three players; carol watches the board of alice and bob.
fn players(setup: &Setup) -> Daemon {
    for (from, subject) in [
        (ALICE, "signup alice zebra-41"),
        (BOB, "signup bob zebra-42"),
        (CAROL, "signup carol zebra-43"),
        (ALICE, "Breakthrough challenge alice bob"),
        (CAROL, "Breakthrough subscribe 101 carol zebra-43"),
    ] {
        setup.done(&["mail", from, subject]);
    }
    setup.serve()
}

#[test]
fn nothing_of_a_quoted_letter_reaches_another_player() {
    let folder = tempfile::tempdir().unwrap();
    let setup = with_pages(&Setup::new(folder.path()))
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_LIMITS_MESSAGES_A_DAY", "1000");
    let daemon = players(&setup);
    setup.wait_for_delivery();
    let mail = setup.data.join("mail");
    let mut letters = of(&mail.join(ALICE)).into_iter();
    let letter = letters
        .find(|letter| letter.subject == "Breakthrough Board 101 alice")
        .unwrap();
    assert!(letter.text.contains("/k/"), "{}", letter.text);
    for (number, (above, mark)) in frames().into_iter().enumerate() {
        for (form, has_id) in [("plain", true), ("plain", false), ("html", true)] {
            let mut quoted = above.clone();
            for line in letter.text.lines() {
                writeln!(quoted, "{mark}{line}").unwrap();
            }
            let words = format!("Words of number {number} {form} {has_id}.");
            let (kind, text) = match form {
                "html" => (
                    "text/html",
                    format!(
                        "<div>chat</div><div>{words}</div><br><div><pre>{}</pre></div>\n",
                        quoted.replace('<', "&lt;")
                    ),
                ),
                _ => ("text/plain", format!("chat\n{words}\n\n{quoted}")),
            };
            let answers = match has_id {
                true => format!("In-Reply-To: <{}>\r\n", letter.message_id),
                false => String::new(),
            };
            let message = format!(
                "From: {ALICE}\r\nTo: {}\r\nSubject: Re: {}\r\nMessage-ID: <{number}.{form}.{has_id}@home.example>\r\n{answers}\
                 MIME-Version: 1.0\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{}",
                letter.reply_to,
                letter.subject,
                text.replace('\n', "\r\n")
            );
            let mut client = Client::connect(daemon.port).unwrap();
            let reply = client.send_to(ALICE, &[&letter.reply_to], message.as_bytes());
            assert!(reply.unwrap().starts_with("250"));
        }
    }
    setup.wait_for_delivery();
    for reader in [BOB, CAROL] {
        let said: Vec<String> = of(&mail.join(reader))
            .into_iter()
            .map(|mail| mail.text)
            .filter(|text| text.contains("Words of number"))
            .collect();
        for number in 0..frames().len() {
            let words = format!("Words of number {number} ");
            let arrived = said.iter().filter(|text| text.contains(&words)).count();
            assert_eq!(arrived, 3, "{reader}: {:?}", frames()[number]);
        }
        for text in &said {
            // The letter to the reader has the same form: what alice is said to write is looked at.
            let (_, words) = text
                .split_once("writes on Breakthrough Board 101:")
                .unwrap_or_else(|| panic!("{text}"));
            let words: Vec<&str> = words
                .lines()
                .skip_while(|line| line.is_empty())
                .take_while(|line| line.is_empty() || line.starts_with("  "))
                .filter(|line| !line.is_empty())
                .collect();
            assert_eq!(words.len(), 1, "{words:?}");
        }
    }
    is_kept(&setup, &[&letter.reply_to, &letter.text]);
    daemon.stop_well();
}

#[test]
fn no_spelling_of_a_private_link_reaches_another_player() {
    let folder = tempfile::tempdir().unwrap();
    let setup = with_pages(&Setup::new(folder.path()))
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_SERVER_DIRECTORS", "bob");
    let daemon = players(&setup);
    setup.wait_for_delivery();
    let mail = setup.data.join("mail");
    let mut letters = of(&mail.join(ALICE)).into_iter();
    let letter = letters.find(|letter| letter.text.contains("/k/")).unwrap();
    let mut words = letter.text.split_whitespace();
    let link = words.find(|word| word.contains("/k/")).unwrap();
    let token = link.split_once("/k/").unwrap().1.split('/').next().unwrap();
    let (half, rest) = link.split_at(link.find('-').unwrap() + 9);
    let percent = |text: &str| -> String {
        let one = |c: char| match c.is_ascii_alphanumeric() {
            true => c.to_string(),
            false => format!("%{:02X}", u32::from(c)),
        };
        text.chars().map(one).collect()
    };
    let encoded = percent(link);
    let spellings = [
        link.to_owned(),
        link.to_uppercase(),
        format!("<{link}>"),
        encoded.clone(),
        percent(&encoded),
        percent(&percent(&encoded)),
        format!("https://nam01.safelinks.example/?url={encoded}&data=05%7C02"),
        format!(
            "https://urldefense.example/v2/url?u={}&d=x",
            encoded.replace('%', "-")
        ),
        format!("https://urldefense.example/v3/__{link}__;!!x"),
        format!(
            "https://p.example/?u={}",
            data_encoding::BASE64URL_NOPAD.encode(link.as_bytes())
        ),
        format!(
            "https://p.example/{}/x",
            data_encoding::BASE64.encode(encoded.as_bytes())
        ),
        format!("{half}\n{rest}"),
        format!("{half}=\n{rest}"),
        format!("{half} \n> {rest}"),
        format!("{half}\u{ad}{rest}"),
        format!("{half}\u{200b}{rest}"),
        link.replace('-', "\u{2011}"),
        link.replace('-', "=2D"),
        link.replace('-', "&#45;"),
        format!("my key is {token}"),
        token.replace('-', "\u{2010}"),
        letter.reply_to.replace('+', "\u{ff0b}"),
        letter.reply_to.replace('+', "_"),
    ];
    for (number, spelling) in spellings.iter().enumerate() {
        let id = format!("{number}@home.example");
        let text = format!("Look here:\n{spelling}\nBye, Alice {number}");
        let subject = match number % 2 {
            0 => "Breakthrough chat 101 alice zebra-41",
            _ => "message alice zebra-41 bob carol",
        };
        send(daemon.port, ALICE, &id, subject, &text);
    }
    let text = format!(
        "From: {ALICE}\r\nSubject: help\r\nMessage-ID: <p@home.example>\r\n\r\n{link}\r\nBye, Alice 0\r\n"
    );
    let mut client = Client::connect(daemon.port).unwrap();
    let reply = client.send_to(ALICE, &["postmaster@localhost"], text.as_bytes());
    assert!(reply.unwrap().starts_with("250"));
    setup.wait_for_delivery();
    for reader in [BOB, CAROL] {
        let letters = of(&mail.join(reader));
        for (number, spelling) in spellings.iter().enumerate() {
            let bye = format!("Bye, Alice {number}\n");
            assert!(
                letters.iter().any(|letter| letter.text.contains(&bye)),
                "{reader}: {spelling}"
            );
        }
    }
    // Bob is a director.
    let mut letters = of(&mail.join(BOB)).into_iter();
    assert!(letters.any(|letter| letter.subject.starts_with("To the postmaster")));
    is_kept(&setup, &[&letter.reply_to, link]);
    daemon.stop_well();
}

/// Asserts that no tag of a token in these texts stands in a letter to another player or in the database.
fn is_kept(setup: &Setup, texts: &[&str]) {
    let mail = setup.data.join("mail");
    let parts = texts
        .iter()
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric()));
    let tags: Vec<&str> = parts.filter(|word| word.len() == 26).collect();
    assert!(tags.len() >= 2, "{tags:?}");
    for reader in [BOB, CAROL] {
        for letter in of(&mail.join(reader)) {
            let letters: String = letter.text.chars().filter(char::is_ascii_alphanumeric).collect();
            let letters = letters.to_lowercase();
            assert!(!tags.iter().any(|tag| letters.contains(tag)), "{}", letter.text);
        }
        for path in files(&mail.join(reader).join("new")) {
            let bytes = fs::read_to_string(path).unwrap();
            assert!(!tags.iter().any(|tag| bytes.contains(tag)));
        }
    }
    let database = fs::read(setup.database()).unwrap();
    let has = |tag: &&str| database.windows(tag.len()).any(|bytes| bytes == tag.as_bytes());
    assert!(!tags.iter().any(has));
}
