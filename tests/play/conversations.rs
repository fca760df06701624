//! Whole conversations as files that a player can read: mails in, mails out, time passing.
//!
//! In a file of `tests/conversations/` a line `>>> ADDRESS: SUBJECT` is a mail to the server, `>>> ADDRESS
//! replies: WORDS` is a reply to the last mail that this address got, `>>> ADDRESS replies again: WORDS` one to the same mail
//! as its reply before, and lines `> ...` are its text. `@@ 2 days` lets time pass: what was due in that time is shown below, each after a line `@ TIME`. `>+ FIELD` adds a field
//! to the header of a mail, and `>>> ADDRESS bounces: STATUS` returns the last mail to this address undelivered;
//! `>>> ADDRESS complains: TYPE` has the provider report it as spam.
//! `[token]` stands for the token in the last mail about a lost password, which differs in each run. `@! SQL`
//! damages the database. `@> ADDRESS` moves the server to this address, with the one before as a former one, to which all mails
//! still go: answers and bounces to the address of the letter.
//!
//! `Pages: https://games.example/` says that the server has pages there; the key in a link is `KEY`.
//!
//! `Players: alice fig7elk, bob oak4jay` signs them up from `alice@example.org` and `bob@example.org`. Their
//! letters are not shown: they must be those of `first-day.txt` except for the name, and for the others whom the
//! welcome names.
//!
//! The server's mails follow as `<<< ...` and indented lines. What the reader has seen before is folded:
//! `conversations/fold.rs` says how, and why every change is still visible.
//!
//! Every mail of the server is also checked as its reader's program shows it (`stage/looks.rs`). With
//! `PBMSERV_LETTERS=FOLDER` the mails are saved there as whole messages.
//!
//! `UPDATE_CONVERSATIONS=1 cargo test --test play conversations` rewrites the answers; read the diff.

#[path = "../conversations/fold.rs"]
mod fold;
#[path = "../conversations/script.rs"]
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::stage::{Mail, SERVER, Stage, database};
use chrono::TimeDelta;
use fold::{Letter, Seen};
use pbmserv::config::Config;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_games::{Display, GAMES, Options};
use pbmserv_mail::Address;
use script::{Line, read};
use tokio::task::JoinSet;

use crate::{looks, returned};

/// The passwords of the stories, which no answer and no database may contain.
const PASSWORDS: [&str; 4] = ["fig7elk", "oak4jay", "bay5owl", "mistaken"];

/// The story that every reader has read first.
const FIRST: &str = "first-day.txt";

/// The kinds of letters that neither a mail nor time causes: the operator's tests show them.
const OPERATORS: [&str; 1] = ["announcement"];

/// The most lines of one story, and of a story on the average, so that a person can read them.
const MAX_LINES: usize = 600;
const USUAL_LINES: usize = 280;

struct Story {
    name: String,
    written: u32,
    /// Whether addresses are to be confirmed.
    confirm: bool,
    /// Where the pages are, if there are some.
    pages: Option<String>,
    /// Of the Message-IDs.
    seed: u64,
    stage: Stage,
    /// The address that each letter bears, by its number.
    bears: BTreeMap<i64, Address>,
    last: BTreeMap<String, Outgoing>,
    answered: BTreeMap<String, Outgoing>,
    token: Option<String>,
    sent: u32,
    /// The story as it is shown.
    text: String,
    /// The server's mails, unfolded.
    answers: String,
    seen: Seen,
}

impl Story {
    /// Players sign up, and confirm their addresses if they are asked. Their letters are shown only if they differ
    /// from those of the first story.
    async fn sign_up(&mut self, players: &[(String, String)]) {
        let named: Vec<_> = players
            .iter()
            .map(|(userid, password)| format!("{userid} {password}"))
            .collect();
        writeln!(self.text, "Players: {}\n", named.join(", ")).unwrap();
        for (userid, password) in players {
            self.seen.meet(userid);
            let from = format!("{}@example.org", userid.to_lowercase());
            let shown = self.text.clone();
            let mut letters = self
                .send(
                    &from,
                    Some(&format!("signup {userid} {password}")),
                    false,
                    &[],
                    "",
                )
                .await;
            self.keep(&letters[0]).await;
            if kind(&letters[0]) == "question" {
                letters.extend(self.send(&from, None, false, &[], "confirm\n").await);
                self.keep(&letters[1]).await;
            }
            self.text = shown;
            for letter in letters {
                let text = without_company(&letter.text);
                let whole = format!("{}\n{text}", letter.subject).replace(userid, "alice");
                let known = self.seen.whole.get(kind(&letter)).map_or("", String::as_str);
                if !whole.split_whitespace().eq(known.split_whitespace()) {
                    self.show(&letter);
                }
            }
        }
    }

    async fn mail(&mut self, from: &str, subject: Option<&str>, again: bool, fields: &[String], body: &str) {
        let letters = self.send(from, subject, again, fields, body).await;
        self.read(letters).await;
    }

    async fn send(
        &mut self,
        from: &str,
        subject: Option<&str>,
        again: bool,
        fields: &[String],
        body: &str,
    ) -> Vec<Outgoing> {
        self.sent += 1;
        let mut to = Address::parse(SERVER).unwrap();
        let mut header = format!("Message-ID: <story-{}@players.example>\r\n", self.sent);
        match subject {
            Some(subject) => {
                writeln!(self.text, ">>> {from}: {subject}").unwrap();
                let token = self.token.as_deref().unwrap_or("[token]");
                write!(header, "Subject: {}\r\n", subject.replace("[token]", token)).unwrap();
                self.quote(fields, body.lines());
            }
            None => {
                let (mails, replies) = match again {
                    true => (&self.answered, "replies again"),
                    false => (&self.last, "replies"),
                };
                let answered = mails[from].clone();
                self.answered.insert(from.to_owned(), answered.clone());
                let mut said = body.lines();
                writeln!(
                    self.text,
                    ">>> {from} {replies}: {}",
                    said.next().unwrap_or_default()
                )
                .unwrap();
                self.quote(fields, said);
                to.clone_from(&self.bears[&answered.id]);
                if let Some(detail) = &answered.reply_detail {
                    to = to.with_detail(detail);
                }
                let Outgoing {
                    subject, message_id, ..
                } = &answered;
                let own = fields.iter().any(|field| field.starts_with("Subject:"));
                let subject = if own {
                    String::new()
                } else {
                    format!("Subject: Re: {subject}\r\n")
                };
                write!(header, "{subject}In-Reply-To: <{message_id}>\r\n").unwrap();
            }
        }
        for field in fields {
            write!(header, "{field}\r\n").unwrap();
        }
        let mail = Mail {
            from,
            to,
            header,
            body,
        };
        let (handled, letters) = self.stage.send(&mail).await;
        assert!(matches!(handled, Handled::Recorded(_)), "{handled:?}");
        letters
    }

    /// Somebody writes to the postmaster.
    async fn ask_postmaster(&mut self, from: &str, subject: &str, body: &str) {
        writeln!(self.text, ">>> {from} to the postmaster: {subject}").unwrap();
        self.quote(&[], body.lines());
        let server = Address::parse(SERVER).unwrap();
        let mail = Mail {
            from,
            to: Address::parse(&format!("postmaster@{}", server.domain())).unwrap(),
            header: format!("Subject: {subject}\r\n"),
            body,
        };
        let (_, letters) = self.stage.send(&mail).await;
        self.read(letters).await;
    }

    /// The last mail to this address bounces.
    async fn bounce(&mut self, address: &str, status: &str) {
        writeln!(self.text, ">>> {address} bounces: {status}").unwrap();
        let number = self.last[address].id;
        let mut message = returned::bounce(&self.stage, number, address, status);
        for recipient in &mut message.envelope.recipients {
            *recipient = self.bears[&number].with_detail(recipient.detail().unwrap());
        }
        let (_, letters) = self.stage.take(&message).await;
        self.read(letters).await;
    }

    /// The provider of this address reports that its owner complained of the last mail to it.
    async fn complain(&mut self, address: &str, kind: &str) {
        writeln!(self.text, ">>> {address} complains: {kind}").unwrap();
        let sender = returned::envelope_sender(&self.stage, self.last[address].id);
        let report = format!("Original-Mail-From: <{sender}>");
        let message = returned::complaint(&self.stage, kind, &report, "");
        let (_, letters) = self.stage.take(&message).await;
        self.read(letters).await;
    }

    /// The server stops, and starts under another address.
    async fn moves(mut self, address: &str) -> Self {
        writeln!(self.text, "@> {address}\n").unwrap();
        let (former, now, seed) = (
            self.stage.server.address.to_string(),
            self.stage.server.now(),
            self.seed + 1,
        );
        let data = self.stage.close().await;
        Self {
            stage: Stage::open_in(data, now, seed, |config| {
                configure(config, self.confirm, self.pages.as_deref());
                config.server.address = address.to_owned();
                config.server.former_addresses = vec![former];
            }),
            seed,
            ..self
        }
    }

    /// Another program writes to the database.
    fn damage(&mut self, sql: &str) {
        writeln!(self.text, "@! {sql}\n").unwrap();
        assert!(database::change(self.stage.data(), sql) > 0);
    }

    fn quote<'a>(&mut self, fields: &[String], said: impl Iterator<Item = &'a str>) {
        for field in fields {
            writeln!(self.text, ">+ {field}").unwrap();
        }
        for line in said {
            writeln!(self.text, "{}", format!("> {line}").trim_end()).unwrap();
        }
    }

    /// Time passes; what is due is shown with its time.
    async fn wait(&mut self, time: TimeDelta) {
        let unit = if time.num_hours() % 24 == 0 {
            format!("{} days", time.num_days())
        } else {
            format!("{} hours", time.num_hours())
        };
        writeln!(self.text, "@@ {unit}\n").unwrap();
        for (at, letters) in self.stage.live(time).await {
            writeln!(self.text, "@ {}", at.format("%Y-%m-%d %H:%M UTC")).unwrap();
            self.read(letters).await;
        }
    }

    /// Delivers these mails.
    async fn read(&mut self, letters: Vec<Outgoing>) {
        for mut letter in letters {
            self.keep(&letter).await;
            if let Some(token) = reset_token(&letter.text) {
                letter.text = letter.text.replace(&token, "[token]");
                self.token = Some(token);
            }
            self.show(&letter);
        }
        self.text.push('\n');
    }

    /// Checks a mail, and keeps it so that it can be answered.
    async fn keep(&mut self, letter: &Outgoing) {
        let message = looks::message_of(&self.stage.server, letter).await;
        if let Some(folder) = std::env::var_os("PBMSERV_LETTERS") {
            self.written += 1;
            let name = format!("{}-{:03}-{}.eml", self.name, self.written, kind(letter));
            std::fs::write(Path::new(&folder).join(name), message).unwrap();
        }
        self.bears.insert(letter.id, self.stage.server.address.clone());
        self.last.insert(letter.to.as_str().to_owned(), letter.clone());
    }

    fn show(&mut self, letter: &Outgoing) {
        let Outgoing {
            to,
            sender_name,
            subject,
            text,
            attachment,
            ..
        } = letter;
        let text = &without_keys(text);
        if ["question", "welcome"].contains(&kind(letter)) {
            let userid = subject.rsplit(' ').next().unwrap_or_default();
            self.seen.meet(userid.trim_end_matches('?'));
        }
        let parts = Letter {
            subject,
            text,
            attachment: attachment.as_ref(),
        };
        let shown = self.seen.show(kind(letter), &parts);
        let sender = match sender_name.as_str() {
            "" => String::new(),
            name => format!(" (from \"{name}\")"),
        };
        let to = to.as_str();
        writeln!(self.text, "\n<<< {to}{sender}: {subject}\n{}", shown.trim_end()).unwrap();
        let file = attachment.as_ref().map_or("", |(_, text)| text);
        write!(self.answers, "{sender_name}\n{subject}\n{text}\n{file}\n").unwrap();
    }
}

/// The name of a letter in `templates/`; empty for a letter without HTML, whose text is shown whole.
fn kind(letter: &Outgoing) -> &str {
    let draft = letter.draft.as_ref().filter(|draft| draft.has_html);
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
    let mut parts = text.split("/k/");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.find('/').map_or(part, |end| &part[end..]);
        format!("{text}/k/KEY{rest}")
    })
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

fn configure(config: &mut Config, confirm: bool, pages: Option<&str>) {
    config.accounts.confirm = confirm;
    if let Some(pages) = pages {
        config.web.listen = "127.0.0.1:0".to_owned();
        config.web.url = pages.to_owned();
    }
    config.server.directors = vec!["Director".into()];
}

/// Plays a story for a reader with this knowledge; returns the story with the server's present answers.
async fn play(name: &str, story: &str, seen: Seen) -> (String, Seen) {
    let confirm = story.lines().any(|line| line.ends_with("replies: confirm"));
    let pages = story.lines().find_map(|line| line.strip_prefix("Pages: "));
    let mut played = Story {
        name: name.trim_end_matches(".txt").to_owned(),
        written: 0,
        confirm,
        pages: pages.map(str::to_owned),
        seed: 1,
        stage: Stage::open(|config| configure(config, confirm, pages)),
        bears: BTreeMap::new(),
        last: BTreeMap::new(),
        answered: BTreeMap::new(),
        token: None,
        sent: 0,
        text: String::new(),
        answers: String::new(),
        seen,
    };
    for line in read(story) {
        match line {
            Line::Players(players) => played.sign_up(&players).await,
            Line::Pages(address) => writeln!(played.text, "Pages: {address}\n").unwrap(),
            Line::Prose(text) => writeln!(played.text, "{text}\n").unwrap(),
            Line::Wait(time) => played.wait(time).await,
            Line::Damage(sql) => played.damage(&sql),
            Line::Move(address) => played = played.moves(&address).await,
            Line::Mail {
                from,
                subject,
                again,
                fields,
                body,
            } => {
                played
                    .mail(&from, subject.as_deref(), again, &fields, &body)
                    .await;
            }
            Line::ToPostmaster { from, subject, body } => played.ask_postmaster(&from, &subject, &body).await,
            Line::Bounce { address, status } => played.bounce(&address, &status).await,
            Line::Complaint { address, kind } => played.complain(&address, &kind).await,
        }
    }
    assert_no_password(
        name,
        &played.answers,
        played.token.as_deref(),
        played.stage.data(),
    );
    played.stage.close().await;
    (played.text, played.seen)
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

/// The result of a story: its text, and the first line that has changed, if any.
struct Played {
    seen: Seen,
    different: Option<String>,
}

async fn plays_as_it_is_written(path: PathBuf, seen: Seen) -> Played {
    let story = std::fs::read_to_string(&path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (text, seen) = play(&name, &story, seen).await;
    let text = format!("{}\n", text.replace("\n\n\n", "\n\n").trim_end());
    let mut different = None;
    if std::env::var_os("UPDATE_CONVERSATIONS").is_some() {
        std::fs::write(&path, &text).unwrap();
    } else if text != story {
        let line = text
            .lines()
            .zip(story.lines())
            .position(|(a, b)| a != b)
            .unwrap_or_default();
        let now = text.lines().nth(line).unwrap_or_default();
        different = Some(format!("{name}, line {}: {now}", line + 1));
    }
    Played { seen, different }
}

/// Stories played at a time: each has its own server, which often waits for the disk.
const AT_ONCE: usize = 4;

fn stories() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut stories: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|kind| kind == "txt"))
        .collect();
    stories.sort_by_key(|path| (!path.ends_with(FIRST), path.clone()));
    stories
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stories_play_as_they_are_written() {
    let mut stories = stories().into_iter();
    let first = plays_as_it_is_written(stories.next().unwrap(), Seen::default()).await;
    let known = first.seen.elsewhere();
    let play = |path| plays_as_it_is_written(path, known.clone());
    let mut playing: JoinSet<_> = stories.by_ref().take(AT_ONCE).map(play).collect();
    let mut all = vec![first];
    while let Some(played) = playing.join_next().await {
        all.push(played.unwrap());
        if let Some(next) = stories.next() {
            playing.spawn(play(next));
        }
    }
    assert_all_is_shown(&all);
    let mut different: Vec<_> = all.into_iter().filter_map(|played| played.different).collect();
    different.sort();
    assert!(different.is_empty(), "different now:\n{}", different.join("\n"));
}

/// Every kind of letter and both displays of every game are shown unfolded somewhere.
fn assert_all_is_shown(all: &[Played]) {
    let kinds = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")).unwrap();
    let kinds = kinds.filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        Some(name.strip_suffix(".letter")?.to_owned())
    });
    let shown: BTreeSet<_> = all.iter().flat_map(|played| played.seen.whole.keys()).collect();
    let missing: Vec<_> = kinds
        .filter(|kind| !shown.contains(kind) && !OPERATORS.contains(&kind.as_str()))
        .collect();
    assert!(missing.is_empty(), "no story shows a letter of {missing:?} whole");

    let drawn: BTreeSet<_> = all.iter().flat_map(|played| &played.seen.drawn).collect();
    for game in GAMES {
        let start = game.start(&Options::none(game.facts)).unwrap();
        for display in [Display::Small, Display::Large] {
            let drawing = start.draw(display);
            let board = drawing.trim_end().rsplit("\n\n").next().unwrap().to_owned();
            let (name, display) = (game.facts.name, display.word());
            assert!(
                drawn.contains(&board),
                "no story shows the {display} board of {name} whole"
            );
        }
    }
}

#[test]
fn the_stories_can_be_read_by_a_person() {
    let lines = |path: PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let lines: Vec<_> = stories().into_iter().map(lines).collect();
    let (most, all) = (lines.iter().max().unwrap(), lines.iter().sum::<usize>());
    assert!(*most <= MAX_LINES, "a story of {most} lines");
    assert!(
        all <= USUAL_LINES * lines.len(),
        "{all} lines in {} stories",
        lines.len()
    );
}
