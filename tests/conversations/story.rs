//! Plays a story: its mails go in, and what the server answers becomes its events.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use chrono::TimeDelta;
use pbmserv::config::Config;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::GuestGame;
use pbmserv_mail::Address;

use super::parts::{Cast, StoryLetter};
use super::script::{Line, read};
use super::{assert_no_password, kind, reset_token, without_company, without_keys};
use crate::stage::{Mail, SERVER, Stage, database};
use crate::{looks, returned};

/// Where the forms of pages come from.
const VISITOR: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

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
    cast: Cast,
    /// The story so far; its last is a text.
    events: Vec<Event>,
    /// The server's mails.
    answers: String,
}

/// A piece of a story.
pub(crate) enum Event {
    Text(String),
    Letter(StoryLetter),
    /// It is shown only if it is unusual.
    SignedUp(StoryLetter),
}

impl Story {
    /// Players sign up, and confirm their addresses if they are asked.
    async fn sign_up(&mut self, players: &[(String, String)]) {
        let named: Vec<_> = players
            .iter()
            .map(|(userid, password)| format!("{userid} {password}"))
            .collect();
        writeln!(self.text(), "Players: {}\n", named.join(", ")).unwrap();
        for (userid, password) in players {
            let from = format!("{}@example.org", userid.to_lowercase());
            let said = self.text().clone();
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
            *self.text() = said;
            for mut letter in letters {
                letter.text = without_company(&letter.text);
                let told = self.tell(&letter);
                self.events.push(Event::SignedUp(told));
            }
        }
    }

    /// The text that is being written.
    fn text(&mut self) -> &mut String {
        if !matches!(self.events.last(), Some(Event::Text(_))) {
            self.events.push(Event::Text(String::new()));
        }
        match self.events.last_mut() {
            Some(Event::Text(text)) => text,
            _ => unreachable!(),
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
                writeln!(self.text(), ">>> {from}: {subject}").unwrap();
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
                    self.text(),
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
        writeln!(self.text(), ">>> {from} to the postmaster: {subject}").unwrap();
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
        writeln!(self.text(), ">>> {address} bounces: {status}").unwrap();
        let number = self.last[address].id;
        let mut message = returned::bounce(&self.stage, number, address, status);
        for recipient in &mut message.envelope.recipients {
            *recipient = self.bears[&number].with_detail(recipient.detail().unwrap());
        }
        let (_, letters) = self.stage.take(&message).await;
        self.read(letters).await;
    }

    /// A visitor gives this address to keep the game of a page.
    async fn keep_game(&mut self, address: &str, game: &str) {
        writeln!(self.text(), ">>> {address} keeps: {game}").unwrap();
        let mut words = game.split(' ');
        let game = words.next().and_then(pbmserv_games::find).unwrap();
        let mut kept = GuestGame::new(game);
        kept.turns = words.map(str::to_owned).collect();
        let to = Address::parse(address).unwrap();
        let server = &self.stage.server;
        let asked = server.ask_for_name(to, String::new(), Some(kept), VISITOR).await;
        assert_eq!(asked.unwrap(), Ok(()));
        let letters = self.stage.collect().await;
        self.read(letters).await;
    }

    /// The button of the page is pressed to which the last letter to this address links.
    async fn press(&mut self, address: &str, button: &str) {
        writeln!(self.text(), ">>> {address} presses: {button}").unwrap();
        let token = self.last[address].reply_detail.clone().unwrap();
        let joined = self.stage.server.join(&token, None, VISITOR).await;
        assert_eq!(joined.unwrap(), Ok(()));
        let letters = self.stage.collect().await;
        self.read(letters).await;
    }

    /// The provider of this address reports that its owner complained of the last mail to it.
    async fn complain(&mut self, address: &str, kind: &str) {
        writeln!(self.text(), ">>> {address} complains: {kind}").unwrap();
        let sender = returned::envelope_sender(&self.stage, self.last[address].id);
        let report = format!("Original-Mail-From: <{sender}>");
        let message = returned::complaint(&self.stage, kind, &report, "");
        let (_, letters) = self.stage.take(&message).await;
        self.read(letters).await;
    }

    /// The server stops, and starts under another address.
    async fn moves(mut self, address: &str) -> Self {
        writeln!(self.text(), "@> {address}\n").unwrap();
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
        writeln!(self.text(), "@! {sql}\n").unwrap();
        assert!(database::change(self.stage.data(), sql) > 0);
    }

    fn quote<'a>(&mut self, fields: &[String], said: impl Iterator<Item = &'a str>) {
        for field in fields {
            writeln!(self.text(), ">+ {field}").unwrap();
        }
        for line in said {
            writeln!(self.text(), "{}", format!("> {line}").trim_end()).unwrap();
        }
    }

    /// Time passes; what is due is shown with its time.
    async fn wait(&mut self, time: TimeDelta) {
        let unit = if time.num_hours() % 24 == 0 {
            format!("{} days", time.num_days())
        } else {
            format!("{} hours", time.num_hours())
        };
        writeln!(self.text(), "@@ {unit}").unwrap();
        for (at, letters) in self.stage.live(time).await {
            writeln!(self.text(), "@ {}", at.format("%Y-%m-%d %H:%M UTC")).unwrap();
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
            if let Some(code) = letter.subject.strip_prefix("pbmserv code ").map(str::to_owned) {
                letter.text = letter.text.replace(&code, "[token]");
                letter.subject = letter.subject.replace(&code, "[token]");
                self.token = Some(code);
            }
            let told = self.tell(&letter);
            self.events.push(Event::Letter(told));
        }
        self.text().push('\n');
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

    /// The letter as its reader gets it.
    fn tell(&mut self, letter: &Outgoing) -> StoryLetter {
        let Outgoing {
            to,
            sender_name,
            subject,
            text,
            attachment,
            ..
        } = letter;
        let text = without_keys(text);
        if ["question", "welcome"].contains(&kind(letter)) {
            let userid = subject
                .rsplit(' ')
                .next()
                .unwrap_or_default()
                .trim_end_matches('?');
            self.cast.names.insert(userid.to_owned());
            self.cast
                .readers
                .insert(to.as_str().to_owned(), userid.to_owned());
        }
        let file = attachment.as_ref().map_or("", |(_, text)| text);
        write!(self.answers, "{sender_name}\n{subject}\n{text}\n{file}\n").unwrap();
        StoryLetter {
            kind: kind(letter).to_owned(),
            to: to.as_str().to_owned(),
            sender_name: sender_name.clone(),
            subject: subject.clone(),
            text,
            attachment: attachment.clone(),
        }
    }
}

fn configure(config: &mut Config, confirm: bool, pages: Option<&str>) {
    config.accounts.confirm = confirm;
    if let Some(pages) = pages {
        config.web.listen = "127.0.0.1:0".to_owned();
        config.web.url = pages.to_owned();
    }
    config.server.directors = vec!["Director".into()];
}

/// Plays a story with the server's present answers.
pub(crate) async fn play(name: &str, story: &str) -> (Vec<Event>, Cast) {
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
        cast: Cast::default(),
        events: Vec::new(),
        answers: String::new(),
    };
    for line in read(story) {
        match line {
            Line::Players(players) => played.sign_up(&players).await,
            Line::Pages(address) => writeln!(played.text(), "Pages: {address}\n").unwrap(),
            Line::Prose(text) => writeln!(played.text(), "{text}\n").unwrap(),
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
            Line::Keep { address, game } => played.keep_game(&address, &game).await,
            Line::Press { address, button } => played.press(&address, &button).await,
            Line::Complaint { address, kind } => played.complain(&address, &kind).await,
        }
    }
    assert_no_password(
        name,
        &played.answers,
        // A code is of no use once it has come back, and has no hyphen.
        played.token.as_deref().filter(|token| token.contains('-')),
        played.stage.data(),
    );
    played.stage.close().await;
    (played.events, played.cast)
}
