//! Answers to an invitation, in the frames in which mail programs send answers: the mails of `tests/mails`, with another answer in
//! the place of theirs. What they quote is a letter about a board.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mail_parser::MessageParser;
use pbmserv_core::dispatch::{Purpose, token};
use pbmserv_mail::{Address, Envelope, LetterWords, OwnAddresses};

use super::database;
use crate::stage::database::change;
use crate::stage::{Mail, SERVER, Stage};

const ALICE: &str = "alice@home.example";

/// Stands in a frame for the answer.
const ANSWER: &str = "@ANSWER@";

/// What somebody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meant {
    /// A turn: the account is made, the game begins, the turn is played.
    Turn,
    /// The account and the game.
    Game,
    Nothing,
}

const ANSWERS: [(&str, Meant); 6] = [
    ("a2-a3", Meant::Turn),
    ("Hello,\n\nc2-d3", Meant::Turn),
    ("Ja, gerne", Meant::Game),
    ("NAME", Meant::Game),
    ("No, thank you. What is this about?", Meant::Nothing),
    ("a2-a3 or maybe b2-b3, but who are you?", Meant::Nothing),
];

/// The texts of the answers in `tests/mails` that a person has written, each with a mark in the place of what is answered.
fn frames() -> Vec<(String, String)> {
    let own = OwnAddresses::from(Address::parse(SERVER).unwrap());
    let mut frames = Vec::new();
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mails"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == "eml"))
        .collect();
    files.sort();
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let envelope = Envelope {
            sender: Address::parse(ALICE).ok(),
            recipients: vec![Address::parse(SERVER).unwrap()],
        };
        let Ok(mail) = pbmserv_mail::read(
            &bytes,
            &envelope,
            &own,
            &LetterWords::new(pbmserv_core::command::is_typed),
        ) else {
            continue;
        };
        if mail.silence.is_some() || mail.answers().next().is_none() {
            continue;
        }
        let has_digit = |line: &&String| line.chars().any(|c| c.is_ascii_digit());
        let answer = mail.text.iter().find(has_digit).or_else(|| {
            let mut lines = mail.text.iter().filter(|line| !line.trim().is_empty());
            lines.next()
        });
        let parsed = MessageParser::default().parse(&bytes);
        let text = parsed.as_ref().and_then(|parsed| parsed.body_text(0));
        if let (Some(answer), Some(text)) = (answer, text)
            && text.matches(answer.as_str()).count() >= 1
            && !answer.trim().is_empty()
            && parsed
                .as_ref()
                .is_some_and(|parsed| parsed.text_body.iter().any(|part| is_plain(parsed, *part)))
        {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let framed = text.replacen(answer.as_str(), ANSWER, 1);
            // Otherwise another line of the frame would be the first.
            let before = framed.split(ANSWER).next().unwrap_or_default();
            if before.lines().filter(|line| !line.trim().is_empty()).count() <= 1 {
                frames.push((name, framed));
            }
        }
    }
    frames
}

/// Whether a part is plain text: a frame in HTML alone is none for a plain text.
fn is_plain(message: &mail_parser::Message<'_>, part: u32) -> bool {
    let part = message.part(part);
    part.is_some_and(|part| matches!(part.body, mail_parser::PartType::Text(_)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn of_500_answers_to_an_invitation_every_meant_turn_is_played_and_no_other() {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.limits.mails_an_hour = 100_000;
        config.limits.strangers_mails_an_hour = 100_000;
    });
    let alice = Mail {
        from: ALICE,
        to: Address::parse(SERVER).unwrap(),
        header: "Message-ID: <1@home.example>\r\nSubject: signup alice fig7elk\r\n".to_owned(),
        body: "",
    };
    stage.send(&alice).await;
    let frames = frames();
    let (mut number, mut wrong, mut missed) = (0, Vec::new(), BTreeMap::<Meant, Vec<String>>::new());
    let mut done = BTreeMap::<Meant, u32>::new();
    for (frame, text) in &frames {
        for (answer, meant) in ANSWERS {
            number += 1;
            let address = format!("p{number}@far{number}.example");
            let statement = format!(
                "INSERT INTO joins (id, address, limit_key, userid, inviter, game, options, asked_at) SELECT {number}, \
                 '{address}', '{address}', 'quiet-heron-{number}', id, 'Breakthrough', '', {} FROM players WHERE userid = 'alice'",
                stage.server.now().timestamp_millis()
            );
            assert_eq!(change(stage.data(), &statement), 1);
            let token = token(&stage.server.key, Purpose::Join, number, 0);
            let answer = answer.replace("NAME", &format!("bob{number}"));
            let body = text.replace(ANSWER, &answer).replace("\r\n", "\n");
            let mail = Mail {
                from: &address,
                to: Address::parse(SERVER).unwrap().with_detail(&token),
                header: format!(
                    "Message-ID: <{number}@far.example>\r\nIn-Reply-To: <x{number}@games.example>\r\nMIME-Version: 1.0\r\n\
                     Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\
                     Subject: Re: alice invites you to a game of Breakthrough\r\n"
                ),
                body: &body,
            };
            stage.send(&mail).await;
            let count = |sql: String| database::count(stage.data(), &sql);
            let joined = count(format!(
                "SELECT COUNT(*) FROM joins WHERE id = {number} AND player IS NOT NULL"
            ));
            let of_board = |what: &str| {
                format!(
                    "SELECT {what} FROM boards WHERE first_player = (SELECT player FROM joins WHERE id = {number})"
                )
            };
            let boards = count(of_board("COUNT(*)"));
            let turns = count(of_board("COALESCE(SUM(turns), 0)"));
            let got = match (joined, boards, turns) {
                (0, 0, 0) => Meant::Nothing,
                (1, 1, 0) => Meant::Game,
                (1, 1, 1) => Meant::Turn,
                other => panic!("{frame}, {answer}: {other:?}"),
            };
            let case = format!("{frame}: {answer}");
            if got == meant {
                *done.entry(meant).or_default() += 1;
            } else if got > meant {
                missed.entry(meant).or_default().push(case);
            } else {
                wrong.push(format!("{case}: {got:?}"));
            }
        }
    }
    println!(
        "{number} answers in {} frames: {done:?}, missed {missed:#?}",
        frames.len()
    );
    assert!(number >= 500, "{number}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(missed.is_empty(), "{missed:#?}");
    stage.close().await;
}
