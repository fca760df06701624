//! What people write in their own words, labelled by hand in `tests/own-words/`: nothing is done that the writer did not want, and what
//! is understood is counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeZone, Utc};
use pbmserv_core::command::is_typed;
use pbmserv_core::letters::Letters;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::{Address, LetterWords, OwnAddresses, clean_subject, envelope_from_header, plain, read};
use tempfile::TempDir;

use crate::stage::{Mail, SERVER, Stage};

/// How many replies of each file are understood at least: done, or asked about with the one word or line that does it.
const UNDERSTOOD: [(&str, usize); 10] = [
    ("turn", 115),
    ("begun", 26),
    ("draw", 71),
    ("undo", 18),
    ("ended", 19),
    ("rematch", 20),
    ("question", 12),
    ("welcome", 59),
    ("nothing", 44),
    ("mails", 153),
];

const ALICE: &str = "alice@example.org";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 20, 8, 0, 0).unwrap()
}

/// A data folder in the state that a file of replies begins with, and the letter that alice answers.
struct Setting {
    data: TempDir,
    letter: Option<Outgoing>,
}

/// A reply and its label.
struct Reply {
    wanted: String,
    subject: String,
    text: String,
}

/// What a reply has brought.
#[derive(Default, Debug)]
struct Outcome {
    /// What was done, by its labels.
    done: Vec<String>,
    /// What is asked or offered.
    offered: Vec<String>,
}

async fn write(stage: &Stage, from: &str, subject: &str, body: &str) -> Vec<Outgoing> {
    let mail = Mail {
        from,
        to: Address::parse(SERVER).unwrap(),
        header: format!("Subject: {subject}\r\n"),
        body,
    };
    stage.send(&mail).await.1
}

/// The letters after alice's answer, or her mail.
async fn answer(stage: &Stage, letter: Option<&Outgoing>, subject: &str, body: &str) -> Vec<Outgoing> {
    let Some(letter) = letter else {
        return write(stage, ALICE, subject, body).await;
    };
    let to = Address::parse(SERVER).unwrap();
    let detail = letter.reply_detail.as_deref().unwrap();
    let subject = if subject.is_empty() {
        &letter.subject
    } else {
        subject
    };
    let mail = Mail {
        from: ALICE,
        to: to.with_detail(detail),
        header: format!(
            "Subject: Re: {subject}\r\nIn-Reply-To: <{}>\r\n",
            letter.message_id
        ),
        body,
    };
    stage.send(&mail).await.1
}

async fn setting(name: &str) -> Setting {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    let mut last = BTreeMap::new();
    let mut commands: Vec<(&str, String)> = ["bob", "tom", "alice"]
        .map(|userid| (userid, format!("signup {userid} fig7elk")))
        .to_vec();
    let own = |userid: &'static str, rest: &str| (userid, format!("LOA move 101 {userid} fig7elk {rest}"));
    match name {
        "welcome" | "nothing" => commands.insert(2, ("tom", "Hex seek tom fig7elk".to_owned())),
        "question" => commands.push(("mallory", "LOA challenge alice bob".to_owned())),
        "mails" => commands.push(("bob", "Pow2 challenge alice bob".to_owned())),
        _ => commands.push(("bob", "LOA challenge alice bob".to_owned())),
    }
    if matches!(name, "turn" | "draw" | "undo" | "ended" | "rematch") {
        commands.extend([own("alice", "b1-b3"), own("bob", "a2-c2")]);
    }
    match name {
        "draw" => commands.push(own("bob", "propose")),
        "undo" => commands.push(own("bob", "undo")),
        "ended" | "rematch" => commands.push(own("alice", "resign")),
        _ => {}
    }
    if name == "rematch" {
        commands.push(("bob", "LOA rematch 101 bob fig7elk".to_owned()));
    }
    for (userid, command) in commands {
        for letter in write(&stage, &format!("{userid}@example.org"), &command, "").await {
            last.insert(letter.to.as_str().to_owned(), letter);
        }
    }
    let letter = last.remove(ALICE).filter(|_| name != "nothing");
    Setting {
        data: stage.close().await,
        letter,
    }
}

/// The files of a data folder, each with what it holds.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.is_file());
    files
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect()
}

/// Puts the files back as they were: the same ones, since the server knows its own.
fn restore(folder: &Path, before: &[(PathBuf, Vec<u8>)]) {
    for (path, _) in files(folder) {
        if !before.iter().any(|(known, _)| *known == path) {
            fs::remove_file(path).unwrap();
        }
    }
    for (path, bytes) in before {
        fs::write(path, bytes).unwrap();
    }
}

/// The label of a line that a button or an answer gives.
fn label_of(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["accept"] => "accept".to_owned(),
        ["reject"] => "reject".to_owned(),
        ["resign"] => "resign".to_owned(),
        ["propose"] => "draw".to_owned(),
        ["undo"] => "undo".to_owned(),
        ["rematch"] => "rematch".to_owned(),
        ["rules"] | ["help", ..] => "help".to_owned(),
        ["chat", ..] => "words".to_owned(),
        ["vacation", ..] => "vacation".to_owned(),
        ["set", ..] => "settings".to_owned(),
        ["seek", ..] | [_, "seek", ..] => "seek".to_owned(),
        [game, "challenge", a, b, ..] => {
            let other = if *a == "alice" || *a == "me" { b } else { a };
            format!("game {game} {other}")
        }
        [turn] if turn.contains(|c: char| c.is_ascii_digit()) => "turn".to_owned(),
        _ => line.to_owned(),
    }
}

fn words_of(facts: &serde_json::Value, name: &str) -> Vec<String> {
    let word = |value: &serde_json::Value| {
        value["word"]
            .as_str()
            .or(value.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    facts[name].as_array().into_iter().flatten().map(word).collect()
}

fn outcome(letters: &[Outgoing]) -> Outcome {
    let mut outcome = Outcome::default();
    for letter in letters {
        let text = letter.text.replace('\n', " ");
        let facts = letter
            .draft
            .as_ref()
            .map(|draft| draft.facts.clone())
            .unwrap_or_default();
        if letter.kind == "notdone" {
            let mut offered: Vec<String> = words_of(&facts, "choices");
            offered.extend(words_of(&facts, "buttons"));
            offered.extend(words_of(&facts["near"], "words"));
            outcome.offered.extend(offered.iter().map(|line| label_of(line)));
            let sentence = facts["sentence"].as_str().unwrap_or_default();
            for (refusal, label) in [
                ("Not played:", "turn"),
                ("There is no turn to take back", "undo"),
                ("There is nothing to accept", "accept"),
            ] {
                if sentence.starts_with(refusal) {
                    outcome.offered.push(label.to_owned());
                }
            }
            if sentence.starts_with("You can have less mail") {
                outcome.offered.push("less".to_owned());
            }
            if sentence.starts_with("You are a player here already") {
                outcome.offered.push("join".to_owned());
            }
            if sentence.starts_with("You are welcome") || offered.is_empty() {
                outcome.offered.push("nothing".to_owned());
            }
            continue;
        }
        let mut done = Vec::new();
        for (sentence, label) in [
            ("alice played", "turn"),
            ("You played", "turn"),
            ("alice agreed", "accept"),
            ("You agreed", "accept"),
            ("alice rejects", "reject"),
            ("You reject ", "reject"),
            ("The game is not begun", "reject"),
            ("alice resigned", "resign"),
            ("You resigned", "resign"),
            ("alice declined", "resign"),
            ("You declined", "resign"),
            ("alice offers a draw", "draw"),
            ("You offer a draw", "draw"),
            ("alice asks to take back", "undo"),
            ("You ask to take back", "undo"),
            ("alice offers you a rematch", "rematch"),
            ("You offer bob a rematch", "rematch"),
            ("the rematch of", "accept"),
            ("alice writes on", "words"),
            ("You wrote on", "words"),
            ("You are on vacation", "vacation"),
            ("You are not on vacation", "vacation"),
            ("You will now get", "settings"),
            ("You seek", "seek"),
        ] {
            if text.contains(sentence) {
                done.push(label.to_owned());
            }
        }
        if letter.kind == "help" || (letter.kind == "transcript" && letter.text.contains("> help please")) {
            done.push("help".to_owned());
        }
        if !done.is_empty() {
            // A list of one line that was told above.
        } else if letter.kind == "listing" || (letter.kind == "transcript" && facts["errors"] == 0) {
            done.push("list".to_owned());
        } else if letter.kind == "transcript" {
            outcome.offered.push("list".to_owned());
        }
        if letter.kind == "page" || letter.kind == "forgot" {
            done.push(letter.kind.clone());
        }
        // The other player is told the same.
        let is_to_other = text.contains("you against alice") || text.contains("alice against you");
        if done.is_empty() && letter.kind == "board" && !is_to_other {
            let head = letter
                .subject
                .trim_start_matches("Re: ")
                .split(' ')
                .next()
                .unwrap_or_default();
            let other = ["bot-easy", "bot-medium", "bot-hard", "bob", "tom"]
                .into_iter()
                .find(|one| {
                    text.contains(&format!("against {one}")) || text.contains(&format!("{one} against you"))
                });
            let is_new = text.contains("has begun") || text.contains("You are playing");
            done.push(match other {
                Some(other) if is_new => format!("game {head} {other}"),
                _ => format!("board: {}", text.chars().take(60).collect::<String>()),
            });
        }
        outcome.done.extend(done);
    }
    outcome.done.sort();
    outcome.done.dedup();
    outcome
}

/// Whether something that was done or offered is what was wanted.
fn is_wanted(wanted: &str, deed: &str) -> bool {
    let is_same = deed == wanted || deed.starts_with(&format!("{wanted} "));
    match wanted {
        // To decline a new game is to resign it.
        "decline" => deed == "resign",
        "accept" => is_same || deed.starts_with("game LOA"),
        _ => is_same,
    }
}

fn replies(name: &str) -> Vec<Reply> {
    let file = fs::read_to_string(folder().join(format!("own-words/{name}.txt"))).unwrap();
    let lines = file
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let text = |text: &str| text.replace(" / ", "\n");
            match (name, parts.as_slice()) {
                ("mails", [wanted, mail]) => of_mail(wanted, mail),
                ("nothing", [wanted, subject, body]) => Reply {
                    wanted: (*wanted).to_owned(),
                    subject: (*subject).to_owned(),
                    text: text(body),
                },
                (_, [wanted, body]) => Reply {
                    wanted: (*wanted).to_owned(),
                    subject: String::new(),
                    text: text(body),
                },
                _ => panic!("{name}: {line}"),
            }
        })
        .collect()
}

/// The subject and the text of one of `tests/mails`.
fn of_mail(wanted: &str, name: &str) -> Reply {
    let bytes = fs::read(folder().join(format!("mails/{name}.eml"))).unwrap();
    let own = OwnAddresses::from(Address::parse(SERVER).unwrap());
    let envelope = envelope_from_header(&bytes, &Default::default(), &own).unwrap();
    let mut words = LetterWords::new(is_typed);
    let letters = Letters::load(None, &Address::parse(SERVER).unwrap()).unwrap();
    letters.teach(&mut words).unwrap();
    let mail = read(&bytes, &envelope, &own, &words).unwrap();
    let subject = clean_subject(&mail.subject).clone();
    let is_ours = subject.contains(" Board ") || subject.contains(": Pow2 101");
    Reply {
        wanted: wanted.to_owned(),
        subject: if is_ours { String::new() } else { plain(&subject) },
        text: mail.text.join("\n"),
    }
}

#[expect(clippy::print_stdout, reason = "a reader of the test wants the counts")]
async fn played(name: &'static str) -> (usize, usize, String) {
    let Setting { mut data, letter } = setting(name).await;
    let before = files(data.path());
    let (mut understood, mut wrong, mut told) = (0, 0, String::new());
    let all = replies(name);
    for (number, reply) in all.iter().enumerate() {
        restore(data.path(), &before);
        let stage = Stage::open_in(data, now(), 100 + number as u64, |config| {
            config.accounts.confirm = false;
        });
        let letters = answer(&stage, letter.as_ref(), &reply.subject, &reply.text).await;
        let outcome = outcome(&letters);
        data = stage.close().await;
        let is_good = |deed: &String| is_wanted(&reply.wanted, deed);
        let is_unwanted = outcome.done.iter().any(|deed| !is_good(deed));
        let is_understood = outcome.done.iter().chain(&outcome.offered).any(is_good)
            || (reply.wanted == "nothing" && outcome.done.is_empty());
        understood += usize::from(is_understood);
        wrong += usize::from(is_unwanted);
        if is_unwanted || !is_understood {
            writeln!(
                told,
                "{name}: {} | {} | {:?}: {outcome:?}",
                reply.wanted, reply.subject, reply.text
            )
            .unwrap();
        }
    }
    println!("{name}: {understood} of {} understood", all.len());
    (understood, wrong, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn nothing_is_done_that_its_writer_did_not_want() {
    let mut tasks = tokio::task::JoinSet::new();
    for (name, least) in UNDERSTOOD {
        tasks.spawn(async move { (name, least, played(name).await) });
    }
    let mut failed = String::new();
    while let Some(one) = tasks.join_next().await {
        let (name, least, (understood, wrong, told)) = one.unwrap();
        print!("{told}");
        if wrong > 0 || understood < least {
            writeln!(
                failed,
                "{name}: {wrong} unwanted, {understood} understood of at least {least}\n{told}"
            )
            .unwrap();
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
