//! The players of the demo: each writes by SMTP and reads a Maildir, as with any mail program.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use mail_parser::{MessageParser, MimeHeaders as _};

use pbmserv_mail::outbox::{Maildirs, Relay};

/// The address of the demo server.
pub(super) const SERVER: &str = "pbmserv@demo.example";

/// How long an answer may take before the demo gives up.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Player {
    pub(super) userid: &'static str,
    pub(super) password: &'static str,
    address: String,
    mailbox: PathBuf,
    pub(super) received: usize,
    /// The last letter, which the player answers.
    last: Option<Letter>,
}

/// A mail as a player's program shows it.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    pub(super) subject: String,
    pub(super) text: String,
    /// The picture of the board.
    pub(super) picture: Option<Vec<u8>>,
    /// The address for answers, with its token.
    reply_to: String,
}

impl Player {
    pub(super) fn new(
        userid: &'static str,
        password: &'static str,
        maildirs: &Maildirs,
    ) -> anyhow::Result<Self> {
        let address = format!("{userid}@players.example");
        let mailbox = maildirs.mailbox(&address.parse()?);
        Ok(Self {
            userid,
            password,
            address,
            mailbox,
            received: 0,
            last: None,
        })
    }

    /// Writes a new mail.
    pub(super) async fn write(&self, server: &Relay, subject: &str, text: &str) -> anyhow::Result<()> {
        self.send(server, SERVER, subject, text).await
    }

    /// Answers the last letter.
    pub(super) async fn answer(&self, server: &Relay, text: &str) -> anyhow::Result<()> {
        let last = self.last.as_ref().context("there is nothing to answer")?;
        let subject = format!("Re: {}", last.subject);
        self.send(server, &last.reply_to, &subject, text).await
    }

    async fn send(&self, server: &Relay, to: &str, subject: &str, text: &str) -> anyhow::Result<()> {
        let mail = lettre::Message::builder()
            .from(self.address.parse()?)
            .to(to.parse()?)
            .subject(subject)
            .message_id(None)
            .body(text.to_owned())?;
        server
            .send(&self.address, to, &mail.formatted())
            .await
            .with_context(|| format!("{} could not write", self.userid))
    }

    /// Waits for the next mail and removes it from the mailbox.
    pub(super) async fn read(&mut self) -> anyhow::Result<Letter> {
        let waited = Instant::now();
        let path = loop {
            if let Some(path) = oldest(&self.mailbox.join("new")) {
                break path;
            }
            ensure!(
                waited.elapsed() < PATIENCE,
                "{} got no mail in {PATIENCE:?}",
                self.userid
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        let bytes = std::fs::read(&path)?;
        std::fs::remove_file(&path)?;
        self.received += 1;
        let letter = Letter::of(&bytes)?;
        self.last = Some(letter.clone());
        Ok(letter)
    }
}

impl Letter {
    fn of(bytes: &[u8]) -> anyhow::Result<Self> {
        let message = MessageParser::default()
            .parse(bytes)
            .context("a mail cannot be read")?;
        let reply_to = message.reply_to().and_then(|all| all.first());
        let is_picture = |part: &&mail_parser::MessagePart<'_>| {
            part.content_type()
                .is_some_and(|kind| kind.ctype() == "image" && kind.subtype() == Some("png"))
        };
        Ok(Self {
            subject: message.subject().unwrap_or_default().to_owned(),
            text: message.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
            picture: message
                .parts
                .iter()
                .find(is_picture)
                .map(|part| part.contents().to_vec()),
            reply_to: reply_to
                .and_then(|address| address.address())
                .unwrap_or(SERVER)
                .to_owned(),
        })
    }

    /// The first paragraphs, up to the drawing of the board.
    pub(super) fn before_board(&self, most: usize) -> &str {
        let mut end = 0;
        for paragraph in self.text.split_inclusive("\n\n").take(most) {
            let is_drawn = |line: &str| line.starts_with("   ") || line.starts_with("Remaining ");
            if paragraph.lines().any(is_drawn) && !paragraph.contains('^') {
                break;
            }
            end += paragraph.len();
        }
        self.text.get(..end).unwrap_or_default().trim_end()
    }
}

fn oldest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    entries.min()
}
