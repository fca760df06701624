//! Whole conversations as files that a player can read: mails in, mails out, time passing.
//!
//! In a file of `tests/conversations/` a line `>>> ADDRESS: SUBJECT` is a mail to the server, `>>> ADDRESS
//! replies: WORDS` is a reply to the last mail that this address got, `>>> ADDRESS replies again: WORDS` one to the same mail
//! as its reply before, and lines `> ...` are its text. `@@ 2 days` lets time pass: what was due in that time is shown below, each after a line `@ TIME`. `>+ FIELD` adds a field
//! to the header of a mail, and `>>> ADDRESS bounces: STATUS` returns the last mail to this address undelivered;
//! `>>> ADDRESS complains: TYPE` has the provider report it as spam.
//! `[token]` stands for the token in the last mail about a lost password, or the code for notices, which differ in each run. `@! SQL`
//! damages the database. `@> ADDRESS` moves the server to this address, with the one before as a former one, to which all mails
//! still go: answers and bounces to the address of the letter.
//!
//! `Pages: https://games.example/` says that the server has pages there; the key in a link is `KEY`.
//!
//! `Players: alice fig7elk, bob oak4jay` signs them up from `alice@example.org` and `bob@example.org`. Their
//! letters are not shown: they must be those of the catalogue except for the name, and for the others whom the
//! welcome names.
//!
//! The server's mails follow as `<<< ...` and indented lines. `conversations/letters/` has whole letters; what the reader
//! knows from there, or was told before, is left out: `conversations/shown.rs` says how, and why every change is still visible.
//!
//! Every mail of the server is also checked as its reader's program shows it (`stage/looks.rs`). With
//! `PBMSERV_LETTERS=FOLDER` the mails are saved there as whole messages.
//!
//! `UPDATE_CONVERSATIONS=1 cargo test --test play conversations` rewrites the answers; read the diff.

#[path = "../conversations/catalogue.rs"]
mod catalogue;
#[path = "../conversations/parts.rs"]
mod parts;
#[path = "../conversations/rows.rs"]
mod rows;
#[path = "../conversations/script.rs"]
mod script;
#[path = "../conversations/shown.rs"]
mod shown;
#[path = "../conversations/story.rs"]
mod story;

use std::path::{Path, PathBuf};

use catalogue::Catalogue;
use parts::{Cast, StoryLetter};
use pbmserv_core::command::COMMANDS;
use pbmserv_core::letters::{Draft, LetterKind};
use pbmserv_core::store::Outgoing;
use pbmserv_games::GAMES;
use shown::{Seen, joined};
use story::{Event, play};
use tokio::task::JoinSet;

/// The passwords of the stories, which no answer and no database may contain.
const PASSWORDS: [&str; 4] = ["fig7elk", "oak4jay", "bay5owl", "mistaken"];

/// The story that every reader has read first.
const FIRST: &str = "first-day.txt";

/// The kinds of letters that neither a mail nor time causes: the operator's tests show them.
const OPERATORS: [&str; 1] = ["announcement"];

/// The most lines of one story, and for each verb of all stories with their catalogue, so that a person can read them.
const MAX_LINES: usize = 600;
/// Lists and the pictures of all boards are longer by so much for each game.
const LINES_A_GAME: usize = 29;

const LINES_A_VERB: usize = 231;

/// The name of a letter in `templates/`; empty for one without HTML that others have with it.
fn kind(letter: &Outgoing) -> &str {
    let is_plain = [LetterKind::Join, LetterKind::Invitation]
        .iter()
        .any(|kind| kind.name() == letter.kind);
    let is_shown = |draft: &&Draft| draft.has_html || is_plain;
    let draft = letter.draft.as_ref().filter(is_shown);
    draft.map_or("", |_| &letter.kind)
}

/// A welcome without the players who were here before.
fn without_company(text: &str) -> String {
    let is_company = |part: &&str| part.starts_with("Others who were here this week");
    let parts = text.split("\n\n").filter(|part| !is_company(part));
    parts.collect::<Vec<_>>().join("\n\n")
}

/// A text in which the keys of links to pages, which differ in each run, are `KEY`.
fn without_keys(text: &str) -> String {
    let mut text = text.to_owned();
    for before in ["/k/", "/j/"] {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        text = parts.fold(first, |text, part| {
            let end = part.find(|c: char| c == '/' || c.is_whitespace());
            let rest = end.map_or("", |end| &part[end..]);
            format!("{text}{before}KEY{rest}")
        });
    }
    text
}

/// The token of the line `reset USERID TOKEN PASSWORD` in a mail.
fn reset_token(text: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find_map(|words| match words.as_slice() {
        ["reset", _, token, "PASSWORD"] => Some((*token).to_owned()),
        _ => None,
    })
}

fn assert_no_password(story: &str, answers: &str, token: Option<&str>, data: &Path) {
    let mut kept = Vec::new();
    for file in ["pbmserv.sqlite", "pbmserv.sqlite-wal"] {
        kept.extend(std::fs::read(data.join(file)).unwrap_or_default());
    }
    let kept = String::from_utf8_lossy(&kept);
    // The help has the syntax of the commands.
    let examples = [
        "alice fig7elk oak4jay",
        "mfzwizdfmzsgk3lqn5xgk4tfmy oak4jay",
        "alice fig7elk",
    ];
    let said = examples
        .iter()
        .fold(answers.to_owned(), |text, example| text.replace(example, ""));
    for password in PASSWORDS.into_iter().chain(token) {
        assert!(!said.contains(password), "{story}: {password} is in an answer");
        let is_kept = kept.contains(password);
        let is_shown = examples
            .iter()
            .any(|example| example.contains(password) && answers.contains(example));
        assert!(!is_kept || is_shown, "{story}: {password} is in the database");
    }
}

/// A story that was played.
struct Played {
    path: PathBuf,
    events: Vec<Event>,
    cast: Cast,
}

impl Played {
    async fn of(path: PathBuf) -> Self {
        let story = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (events, cast) = play(&name, &story).await;
        Self { path, events, cast }
    }

    fn letters(&self) -> impl Iterator<Item = (&StoryLetter, &Cast)> {
        self.events.iter().filter_map(|event| match event {
            Event::Letter(told) | Event::SignedUp(told) => Some((told, &self.cast)),
            Event::Text(_) => None,
        })
    }

    /// The story for a reader who knows the catalogue.
    fn shown(&self, catalogue: &Catalogue) -> String {
        let mut seen = Seen::new(catalogue, &self.cast);
        let mut text = String::new();
        let mut letters = Vec::new();
        for event in &self.events {
            match event {
                Event::Text(said) => {
                    text.push_str(&joined(&std::mem::take(&mut letters)));
                    text.push_str(said);
                }
                Event::SignedUp(told) if seen.is_known(told) => {}
                Event::Letter(told) | Event::SignedUp(told) => letters.push(seen.show(told)),
            }
        }
        text.push_str(&joined(&letters));
        format!("{}\n", text.replace("\n\n\n", "\n\n").trim_end())
    }
}

/// Compares a file with what it should be; says where they differ first.
fn difference(path: &Path, text: &str) -> Option<String> {
    if std::env::var_os("UPDATE_CONVERSATIONS").is_some() {
        std::fs::write(path, text).unwrap();
        return None;
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let (now, before): (Vec<_>, Vec<_>) = (text.lines().collect(), written.lines().collect());
    let line = (0..now.len().max(before.len())).find(|line| now.get(*line) != before.get(*line))?;
    let name = path.file_name().unwrap().to_string_lossy();
    Some(format!(
        "{name}, line {}: {}",
        line + 1,
        now.get(line).unwrap_or(&"(ends)")
    ))
}

/// Stories played at a time: each has its own server, which often waits for the disk.
const AT_ONCE: usize = 4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations")
}

/// The texts in a folder.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|kind| kind == "txt"))
        .collect()
}

fn stories() -> Vec<PathBuf> {
    let mut stories = texts(&folder());
    stories.sort_by_key(|path| (!path.ends_with(FIRST), path.clone()));
    stories
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stories_play_as_they_are_written() {
    let mut stories = stories().into_iter();
    let mut playing: JoinSet<_> = stories.by_ref().take(AT_ONCE).map(Played::of).collect();
    let mut all = Vec::new();
    while let Some(played) = playing.join_next().await {
        all.push(played.unwrap());
        if let Some(next) = stories.next() {
            playing.spawn(Played::of(next));
        }
    }
    all.sort_by_key(|played| (!played.path.ends_with(FIRST), played.path.clone()));
    let catalogue = Catalogue::of(all.iter().flat_map(Played::letters));
    let letters = folder().join("letters");
    let files = catalogue.files();
    let mut different: Vec<_> = texts(&letters)
        .into_iter()
        .filter(|path| !files.contains_key(&*path.file_name().unwrap().to_string_lossy()))
        .map(|path| format!("{} has no letter", path.display()))
        .collect();
    if std::env::var_os("UPDATE_CONVERSATIONS").is_some() {
        for path in texts(&letters) {
            std::fs::remove_file(path).unwrap();
        }
        different.clear();
    }
    different.extend(
        files
            .iter()
            .filter_map(|(name, text)| difference(&letters.join(name), text)),
    );
    different.extend(
        all.iter()
            .filter_map(|played| difference(&played.path, &played.shown(&catalogue))),
    );
    assert_all_is_shown(&catalogue);
    assert!(different.is_empty(), "different now:\n{}", different.join("\n"));
}

/// Every kind of letter comes in a story.
fn assert_all_is_shown(catalogue: &Catalogue) {
    let kinds = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")).unwrap();
    let kinds = kinds.filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        Some(name.strip_suffix(".letter")?.to_owned())
    });
    let shown = catalogue.kinds();
    let missing: Vec<_> = kinds
        .filter(|kind| !shown.contains(kind.as_str()) && !OPERATORS.contains(&kind.as_str()))
        .collect();
    assert!(missing.is_empty(), "no story has a letter of {missing:?}");
}

#[test]
fn the_stories_can_be_read_by_a_person() {
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let most = stories().iter().map(lines).max();
    assert!(most <= Some(MAX_LINES), "a story of {most:?} lines");
    let letters = texts(&folder().join("letters"));
    let all: usize = stories().iter().chain(&letters).map(lines).sum();
    // The gazette is answered, and has no verb.
    let verbs = COMMANDS.iter().count() + 1;
    assert!(
        all <= LINES_A_VERB * verbs + LINES_A_GAME * GAMES.len(),
        "{all} lines in all stories, and {verbs} verbs"
    );
}
