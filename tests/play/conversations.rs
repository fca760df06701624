//! Whole conversations as files a player could read: mails in, mails out, time passing.
//!
//! In a file of `tests/conversations/` a line `>>> ADDRESS: SUBJECT` is a mail to the server, `>>> ADDRESS
//! replies: WORDS` an answer to the last mail that this address got, and lines `> ...` are its text. `@@ 2 days`
//! lets time pass: what was due meanwhile stands below it, each after a line `@ TIME`. `>+ FIELD` adds a field to
//! the header of a mail, and `>>> ADDRESS bounces: STATUS` returns the last mail to this address undelivered.
//! `[token]` stands for the token that the last mail about a lost password brought, which is another
//! one each time. What follows, `<<< ...` and indented lines, is what the server wrote.
//!
//! Every mail of the server is looked at as its reader's program gets it, too (`stage/looks.rs`); with
//! `PBMSERV_LETTERS=FOLDER` they are left there as messages.
//!
//! `UPDATE_CONVERSATIONS=1 cargo test --test play conversations` writes the answers anew; read the difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::stage::{Mail, SERVER, Stage};
use chrono::TimeDelta;
use pbmserv::dispatch::Handled;
use pbmserv::mail::Address;
use pbmserv::outbox::Outgoing;
use tokio::task::JoinSet;

use crate::{looks, returned};

/// The passwords of the stories, which no answer and no database may hold.
const PASSWORDS: [&str; 4] = ["secret1", "secret2", "secret3", "mistaken"];

/// What a story has in it.
enum Line {
    Mail {
        from: String,
        subject: Option<String>,
        fields: Vec<String>,
        body: String,
    },
    Bounce {
        address: String,
        status: String,
    },
    Wait(TimeDelta),
    Prose(String),
}

fn read(story: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for text in story.lines() {
        if let Some(mail) = text.strip_prefix(">>> ") {
            let (from, subject) = mail
                .split_once(": ")
                .unwrap_or_else(|| panic!("no subject: {text}"));
            lines.push(match from.split_once(' ') {
                Some((from, "replies")) => Line::Mail {
                    from: from.into(),
                    subject: None,
                    fields: Vec::new(),
                    body: format!("{subject}\n"),
                },
                Some((address, "bounces")) => Line::Bounce {
                    address: address.into(),
                    status: subject.into(),
                },
                _ => Line::Mail {
                    from: from.into(),
                    subject: Some(subject.into()),
                    fields: Vec::new(),
                    body: String::new(),
                },
            });
        } else if let Some(field) = text.strip_prefix(">+ ") {
            let Some(Line::Mail { fields, .. }) = lines.last_mut() else {
                panic!("whose field is this: {text}")
            };
            fields.push(field.into());
        } else if let Some(said) = text.strip_prefix("> ").or_else(|| (text == ">").then_some("")) {
            let Some(Line::Mail { body, .. }) = lines.last_mut() else {
                panic!("whose text is this: {text}")
            };
            body.push_str(said);
            body.push('\n');
        } else if let Some(time) = text.strip_prefix("@@ ") {
            let (count, unit) = time.split_once(' ').unwrap();
            let count: i64 = count.parse().unwrap();
            lines.push(Line::Wait(match unit.trim_end_matches('s') {
                "day" => TimeDelta::days(count),
                "hour" => TimeDelta::hours(count),
                other => panic!("no unit {other}"),
            }));
        } else if !text.starts_with("<<<")
            && !text.starts_with("@ ")
            && !text.starts_with("    ")
            && !text.is_empty()
        {
            lines.push(Line::Prose(text.into()));
        }
    }
    lines
}

struct Story {
    name: String,
    written: u32,
    stage: Stage,
    last: BTreeMap<String, Outgoing>,
    token: Option<String>,
    sent: u32,
    told: String,
}

impl Story {
    async fn mail(&mut self, from: &str, subject: Option<&str>, fields: &[String], body: &str) {
        self.sent += 1;
        let mut to = Address::parse(SERVER).unwrap();
        let mut header = format!("Message-ID: <story-{}@players.example>\r\n", self.sent);
        match subject {
            Some(subject) => {
                writeln!(self.told, ">>> {from}: {subject}").unwrap();
                let token = self.token.as_deref().unwrap_or("[token]");
                write!(header, "Subject: {}\r\n", subject.replace("[token]", token)).unwrap();
                self.quote(fields, body.lines());
            }
            None => {
                let answered = self.last[from].clone();
                let mut said = body.lines();
                writeln!(
                    self.told,
                    ">>> {from} replies: {}",
                    said.next().unwrap_or_default()
                )
                .unwrap();
                self.quote(fields, said);
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
        self.read(letters).await;
    }

    /// The last mail to this address comes back.
    async fn bounce(&mut self, address: &str, status: &str) {
        writeln!(self.told, ">>> {address} bounces: {status}").unwrap();
        let message = returned::bounce(&self.stage, self.last[address].id, address, status);
        let (_, letters) = self.stage.take(&message).await;
        self.read(letters).await;
    }

    fn quote<'a>(&mut self, fields: &[String], said: impl Iterator<Item = &'a str>) {
        for field in fields {
            writeln!(self.told, ">+ {field}").unwrap();
        }
        for line in said {
            writeln!(self.told, "{}", format!("> {line}").trim_end()).unwrap();
        }
    }

    /// Days and hours go by; what is due then is told with its time.
    async fn wait(&mut self, time: TimeDelta) {
        let unit = if time.num_hours() % 24 == 0 {
            format!("{} days", time.num_days())
        } else {
            format!("{} hours", time.num_hours())
        };
        writeln!(self.told, "@@ {unit}\n").unwrap();
        for (at, letters) in self.stage.live(time).await {
            writeln!(self.told, "@ {}", at.format("%Y-%m-%d %H:%M UTC")).unwrap();
            self.read(letters).await;
        }
    }

    /// These mails reach their readers.
    async fn read(&mut self, letters: Vec<Outgoing>) {
        for mut letter in letters {
            let message = looks::message_of(&self.stage.server, &letter).await;
            if let Some(folder) = std::env::var_os("PBMSERV_LETTERS") {
                self.written += 1;
                let name = format!("{}-{:03}.eml", self.name, self.written);
                std::fs::write(Path::new(&folder).join(name), message).unwrap();
            }
            if let Some(token) = reset_token(&letter.text) {
                letter.text = letter.text.replace(&token, "[token]");
                self.token = Some(token);
            }
            writeln!(self.told, "\n<<< {}: {}\n", letter.to, letter.subject).unwrap();
            for line in letter.text.lines() {
                writeln!(self.told, "{}", format!("    {line}").trim_end()).unwrap();
            }
            if let Some((name, text)) = &letter.attachment {
                writeln!(self.told, "\n    [attached: {name}]\n").unwrap();
                for line in text.lines() {
                    writeln!(self.told, "{}", format!("    {line}").trim_end()).unwrap();
                }
            }
            self.last.insert(letter.to.to_string(), letter);
        }
        self.told.push('\n');
    }
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

/// Plays a story; gives it with the answers that the server wrote now.
async fn play(name: &str, story: &str) -> String {
    let confirm = story.lines().any(|line| line.ends_with("replies: confirm"));
    let mut played = Story {
        name: name.trim_end_matches(".txt").to_owned(),
        written: 0,
        stage: Stage::open(|config| {
            config.accounts.confirm = confirm;
            config.server.directors = vec!["Director".into()];
        }),
        last: BTreeMap::new(),
        token: None,
        sent: 0,
        told: String::new(),
    };
    for line in read(story) {
        match line {
            Line::Prose(text) => writeln!(played.told, "{text}\n").unwrap(),
            Line::Wait(time) => played.wait(time).await,
            Line::Mail {
                from,
                subject,
                fields,
                body,
            } => played.mail(&from, subject.as_deref(), &fields, &body).await,
            Line::Bounce { address, status } => played.bounce(&address, &status).await,
        }
    }
    assert_no_password(name, &played.told, played.token.as_deref(), played.stage.data());
    played.stage.close().await;
    played.told
}

fn assert_no_password(story: &str, told: &str, token: Option<&str>, data: &Path) {
    let answers: String = told.lines().filter(|line| line.starts_with("    ")).collect();
    let mut kept = Vec::new();
    for file in ["pbmserv.sqlite", "pbmserv.sqlite-wal"] {
        kept.extend(std::fs::read(data.join(file)).unwrap_or_default());
    }
    // The help shows what the commands look like.
    let examples = [
        "alice secret1 secret2",
        "mfzwizdfmzsgk3lqn5xgk4tfmy secret2",
        "alice secret1",
    ];
    let said = examples
        .iter()
        .fold(answers.clone(), |text, example| text.replace(example, ""));
    for password in PASSWORDS.into_iter().chain(token) {
        assert!(!said.contains(password), "{story}: {password} is in an answer");
        let is_kept = kept
            .windows(password.len())
            .any(|window| window == password.as_bytes());
        let is_shown = examples
            .iter()
            .any(|example| example.contains(password) && answers.contains(example));
        assert!(!is_kept || is_shown, "{story}: {password} is in the database");
    }
}

/// Plays the story in this file; gives the first line that is told differently now, if there is one.
async fn plays_as_it_stands(path: PathBuf) -> Option<String> {
    let story = std::fs::read_to_string(&path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let told = play(&name, &story).await;
    let told = format!("{}\n", told.replace("\n\n\n", "\n\n").trim_end());
    if std::env::var_os("UPDATE_CONVERSATIONS").is_some() {
        std::fs::write(&path, &told).unwrap();
    } else if told != story {
        let line = told
            .lines()
            .zip(story.lines())
            .position(|(a, b)| a != b)
            .unwrap_or_default();
        let now = told.lines().nth(line).unwrap_or_default();
        return Some(format!("{name}, line {}: {now}", line + 1));
    }
    None
}

/// How many stories are told at a time: each has a server of its own, which often waits for its disk.
const AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stories_are_told_as_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let mut stories: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    stories.sort();
    assert!(!stories.is_empty());
    let mut stories = stories.into_iter();
    let mut playing: JoinSet<_> = stories.by_ref().take(AT_ONCE).map(plays_as_it_stands).collect();
    let mut different = Vec::new();
    while let Some(played) = playing.join_next().await {
        different.extend(played.unwrap());
        if let Some(next) = stories.next() {
            playing.spawn(plays_as_it_stands(next));
        }
    }
    different.sort();
    assert!(
        different.is_empty(),
        "told differently:\n{}",
        different.join("\n")
    );
}
