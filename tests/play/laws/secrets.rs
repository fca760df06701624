//! A password never appears in an answer, the database or a log, however its line is corrupted.

use std::io;
use std::sync::{Arc, Mutex};

use pbmserv_core::command::{Argument, COMMANDS};
use pbmserv_games::GAMES;
use pbmserv_mail::doors::{Intake, Verdict};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::{all_examples, ask, database, mail};
use crate::stage::Stage;

/// The players and their passwords: letters and digits, with a digit first, with punctuation, with punctuation
/// between short runs.
const PLAYERS: [(&str, &str); 3] = [
    ("Ann", "Zq8xWv3kLmPy"),
    ("bernard", "7hTn_q2Wx.9v"),
    ("cecilia-77", "kW4$zJ8q!tR2m"),
];

/// A password for `change password`.
const OTHER: &str = "pX3vRt-6uGbN";

/// The number of mails.
const CASES: usize = 1200;

/// Mails in flight at once, so that they share a commit.
const AT_ONCE: usize = 60;

/// The whole log, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One way to corrupt a line.
fn corrupt(words: &mut Vec<String>, password: &str, rng: &mut StdRng) {
    let at = rng.random_range(0..words.len());
    match rng.random_range(0..13) {
        0 => {
            words.remove(at);
        }
        1 => {
            let other = rng.random_range(0..words.len());
            words.swap(at, other);
        }
        2 => words.insert(at, words[at].clone()),
        3 => words[at] = misspelt(&words[at], rng),
        4 => words[at] = password.to_owned(),
        5 => words.insert(at, password.to_owned()),
        6 => words.insert(at, format!("-{password}")),
        7 => words.insert(at, format!("--{password}")),
        8 => {
            let option = ["--unrated", "--nagtime", "-exact", "-"].choose(rng).unwrap();
            words.insert(at, format!("{option}={password}"));
        }
        9 => words[at] = format!("{}#{password}", words[at]),
        10 => words[at] = format!("{}{password}", words[at]),
        11 => {
            let verbs: Vec<_> = COMMANDS.iter().map(|command| command.verb).collect();
            let verb = 1.min(words.len() - 1);
            words[verb] = (*verbs.choose(rng).unwrap()).to_owned();
        }
        _ => words.push(format!("{password}@example.org")),
    }
    if words.is_empty() {
        words.push(password.to_owned());
    }
}

fn misspelt(word: &str, rng: &mut StdRng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = rng.random_range(0..letters.len());
    match rng.random_range(0..3) {
        0 => letters.insert(at, 'x'),
        1 if letters.len() > 1 => {
            letters.remove(at);
        }
        _ => letters[at] = 'y',
    }
    letters.into_iter().collect()
}

/// The lines to corrupt, for one player: those with a password, and those in which people put one by mistake.
fn lines(userid: &str, password: &str, rng: &mut StdRng) -> Vec<String> {
    let mut lines: Vec<String> = all_examples()
        .iter()
        .map(|(_, line)| {
            let board = rng.random_range(101..141).to_string();
            line.replace("fig7elk", password)
                .replace("oak4jay", OTHER)
                .replace("alice", userid)
                .replace("101", &board)
        })
        .collect();
    let newcomer: String = std::iter::repeat_with(|| rng.random_range('a'..='z'))
        .take(9)
        .collect();
    lines.push(format!("signup {newcomer} {password}"));
    lines.push(format!(
        "signup {newcomer} {password} {newcomer}@example.org other@example.org"
    ));
    lines.push(format!("message {userid} {password} Ann bernard"));
    lines.push(format!("help {password}"));
    lines.push(format!("hello {password}"));
    lines.push(format!("my new password is {password}"));
    lines.push(password.to_owned());
    for game in GAMES {
        lines.push(format!("{} {password}", game.facts.name));
    }
    lines
}

/// Whether a line creates an account with the password as its name or address: the server cannot know that it is a
/// password.
fn names_an_account_so(line: &str) -> bool {
    let Ok(line) = COMMANDS.read_line(line) else {
        return false;
    };
    let userid = &line.fixed.first().map_or("", |word| &word.text);
    let is_one =
        userid.bytes().all(|c| c.is_ascii_lowercase()) || PLAYERS.iter().any(|(name, _)| name == userid);
    line.command.verb == "signup" && (!is_one || line.words.iter().any(|word| find(&word.text).is_some()))
}

/// Whether a line sets a password that the test cannot know later: a misspelt one.
fn locks_an_account(line: &str) -> bool {
    let Ok(line) = COMMANDS.read_line(line) else {
        return false;
    };
    line.command.verb == "change"
        && line
            .word_in(Argument::NewPassword)
            .is_some_and(|word| word.text != OTHER)
}

/// Restores the players with their passwords, addresses and boards.
async fn restore(stage: &Stage) {
    for (userid, password) in PLAYERS {
        let address = format!("{userid}@example.org");
        for line in [
            format!("change password {userid} {OTHER} {password}"),
            format!("signup {userid} {password} {address}"),
            format!("change address {userid} {password} {address}"),
        ] {
            ask(stage, &address, &line).await;
        }
    }
    for game in GAMES {
        let line = format!("{} challenge Ann bernard", game.facts.name);
        ask(stage, "Ann@example.org", &line).await;
    }
    let userids = PLAYERS.map(|(userid, _)| userid.to_owned());
    assert_eq!(
        database::users(stage.data())
            .intersection(&userids.into())
            .count(),
        3
    );
}

/// Which password, or most of one, occurs in a text, in any case, and where.
fn find(text: &str) -> Option<(&'static str, usize)> {
    let lower = text.to_lowercase();
    let passwords = PLAYERS.iter().map(|(_, password)| *password).chain([OTHER]);
    passwords
        .into_iter()
        .find_map(|password| Some((password, lower.find(&password[..9].to_lowercase())?)))
}

fn assert_free(what: &str, text: &str) {
    if let Some((password, at)) = find(text) {
        let around: String = text
            .to_lowercase()
            .chars()
            .skip(at.saturating_sub(300))
            .take(600)
            .collect();
        panic!("{password} is in {what}: {around}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn a_password_never_appears_in_an_answer_the_database_or_a_log() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        // Advice on every board would take minutes.
        config.bots.players.clear();
        config.limits.wrong_passwords_from_one = u32::MAX;
        config.limits.wrong_passwords_from_all = u32::MAX;
        config.limits.wrong_passwords_over_all = u32::MAX;
        config.limits.mails_an_hour = u32::MAX;
        config.limits.refusals_a_day = u32::MAX;
        config.limits.answers_a_day = u32::MAX;
        config.limits.strangers_answers_a_day = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
    });
    let address = |userid: &str| format!("{userid}@example.org");
    for (userid, password) in PLAYERS {
        ask(&stage, &address(userid), &format!("signup {userid} {password}")).await;
    }
    for _ in 0..20 {
        for game in GAMES {
            let line = format!("{} challenge Ann bernard", game.facts.name);
            ask(&stage, &address("Ann"), &line).await;
        }
    }
    let door = stage.server.door("smtp");
    let mut rng = StdRng::seed_from_u64(20);
    let (mut sent, mut recorded) = (0, std::collections::BTreeMap::new());
    while sent < CASES {
        let mut mails = Vec::new();
        while mails.len() < AT_ONCE {
            let (userid, password) = *PLAYERS.choose(&mut rng).unwrap();
            let line = lines(userid, password, &mut rng)
                .choose(&mut rng)
                .unwrap()
                .clone();
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            for _ in 0..rng.random_range(0..=2) {
                corrupt(&mut words, password, &mut rng);
            }
            let subject = words.join(" ");
            if names_an_account_so(&subject) || locks_an_account(&subject) {
                continue;
            }
            let begins = COMMANDS
                .read_line(&subject)
                .map_or(true, |line| line.command.has_secret());
            let body = if begins && rng.random_bool(0.5) {
                format!(
                    "My password is {password}, or {}.\n> {subject}\n",
                    password.to_uppercase()
                )
            } else {
                String::new()
            };
            // A known and an unknown sender; some that are never answered.
            let from = if rng.random_bool(0.5) {
                address(userid)
            } else {
                "stranger@example.net".into()
            };
            let automatic = if rng.random_bool(0.05) {
                "Auto-Submitted: auto-replied\r\n"
            } else {
                ""
            };
            mails.push((from, subject, body, automatic));
        }
        let handed_in = mails.iter().map(|(from, subject, body, automatic)| {
            let mut mail = mail(from, subject, body);
            mail.header.push_str(automatic);
            let message = mail.message();
            let request = stage.server.read("smtp", &message).unwrap();
            assert_free(
                "what is printed of a message",
                &format!("{message:?} {request:?}"),
            );
            let door = door.clone();
            tokio::spawn(async move { door.submit(message).await })
        });
        let handed_in: Vec<_> = handed_in.collect();
        for (verdict, (_, subject, ..)) in handed_in.into_iter().zip(&mails) {
            match verdict.await.unwrap() {
                Verdict::Accepted(id) => recorded.insert(id, subject.clone()),
                other => panic!("{subject}: {other:?}"),
            };
        }
        sent += mails.len();
        for letter in stage.collect().await {
            assert_free("an answer", &format!("{}\n{}", letter.subject, letter.text));
        }
        restore(&stage).await;
    }
    drop(door);
    let tables = database::dump(stage.data());
    for row in &tables["inbox"] {
        let id: i64 = row
            .split([' ', '(', ')'])
            .find_map(|word| word.parse().ok())
            .unwrap();
        let subject = recorded.get(&id).map_or("", String::as_str);
        assert_free(&format!("the record of `{subject}`"), row);
    }
    for (table, rows) in &tables {
        assert_free(table, &rows.join("\n"));
    }
    let states = |state: &str| tables["inbox"].iter().filter(|row| row.contains(state)).count();
    assert!(
        states("| done |") > CASES / 20,
        "hardly a mail was done: the law is not tried"
    );
    assert!(states("| refused |") > CASES / 2 && states("| ignored |") > 0);
    for file in ["pbmserv.sqlite", "pbmserv.sqlite-wal"] {
        let bytes = std::fs::read(stage.data().join(file)).unwrap_or_default();
        assert_free(file, &String::from_utf8_lossy(&bytes));
    }
    let logged = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(logged.contains("door=\"smtp\""), "the log was not caught");
    assert_free("the log", &logged);
    stage.close().await;
}
