//! The mail relay: takes every mail of the server, and keeps what players need of it.

use std::collections::HashMap;
use std::sync::Mutex;

use pbmserv_mail::outbox::{Built, Deliver, Failure, Outgoing};
use tokio::sync::watch;

use crate::world::SECRET;

/// A token, and when it was issued.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The number of mails delivered before.
    pub(crate) delivered: u64,
    /// The time.
    pub(crate) at: i64,
}

/// What a player finds in the newest mails of a mailbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mailbox {
    /// The newest mail of each board: its token and its Message-ID.
    pub(crate) boards: HashMap<String, (Token, String)>,
    /// The mail of each board before that.
    pub(crate) older: HashMap<String, (Token, String)>,
    /// The token of the newest confirmation question.
    pub(crate) question: Option<String>,
    /// The token of the newest invitation.
    pub(crate) invitation: Option<Token>,
    /// The newest token for resetting the password.
    pub(crate) reset: Option<Token>,
    /// The newest token of a `List-Unsubscribe`.
    pub(crate) leave: Option<Token>,
    /// The number of the newest mail.
    pub(crate) newest: Option<i64>,
}

/// The relay.
#[derive(Debug)]
pub(crate) struct PostOffice {
    /// Whether it accepts mail: only when [`World::deliver`] says so, so that a letter can be checked before.
    pub(crate) is_open: watch::Sender<bool>,
    /// By address, in lower case.
    pub(crate) boxes: Mutex<HashMap<String, Mailbox>>,
    /// The number of mails and of bytes.
    pub(crate) delivered: Mutex<(u64, u64)>,
    /// Faults of single mails.
    pub(crate) faults: Mutex<Vec<String>>,
    /// Some issued tokens; none may be in the database.
    pub(crate) tokens: Mutex<Vec<String>>,
}

/// The number of tokens that are searched for at the end.
const MAX_TOKENS: usize = 100;

impl Deliver for PostOffice {
    async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        // It closes only when the world has ended.
        let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
        let mut delivered = self.delivered.lock().unwrap();
        delivered.0 += 1;
        delivered.1 += built.bytes.len() as u64;
        let number = delivered.0;
        drop(delivered);
        let token = |text: &str| Token {
            text: text.to_owned(),
            delivered: number,
            at: mail.created_at.timestamp_millis(),
        };
        let has_secret = |text: &str| text.to_ascii_lowercase().contains(SECRET);
        let html = mail.page.as_ref().map_or("", |page| page.html.as_str());
        if [mail.text.as_str(), mail.subject.as_str(), html]
            .into_iter()
            .any(has_secret)
            || has_secret(&String::from_utf8_lossy(&built.bytes))
        {
            let fault = format!(
                "a password goes out to {}: {}\n{}",
                mail.to, mail.subject, mail.text
            );
            self.faults.lock().unwrap().push(fault);
        }
        let mut boxes = self.boxes.lock().unwrap();
        let mailbox = boxes.entry(mail.to.key()).or_default();
        mailbox.newest = Some(mail.id);
        if let Some(text) = &mail.reply_detail {
            match &mail.list {
                Some(board) => {
                    let newest = (token(text), mail.message_id.clone());
                    if let Some(before) = mailbox.boards.insert(board.clone(), newest) {
                        mailbox.older.insert(board.clone(), before);
                    }
                }
                None if mail.subject.starts_with("Is ") => mailbox.question = Some(text.clone()),
                None if text.starts_with('i') => mailbox.invitation = Some(token(text)),
                None => {}
            }
            self.keep_token(text);
        }
        if let Some(text) = &mail.unsubscribe_detail {
            mailbox.leave = Some(token(text));
            self.keep_token(text);
        }
        let mut lines = mail.text.lines().map(str::trim);
        let is_reset = mail.subject.starts_with("A new password for");
        if let Some(reset) = lines
            .find_map(|line| line.strip_prefix("reset "))
            .filter(|_| is_reset)
        {
            let text = reset.split(' ').nth(1).filter(|word| word.contains('-'));
            if let Some(text) = text {
                mailbox.reset = Some(token(text));
                self.keep_token(text);
            }
        }
        Ok(())
    }

    async fn rest(&self) {}
}

impl PostOffice {
    pub(crate) fn new() -> Self {
        Self {
            is_open: watch::Sender::new(false),
            boxes: Mutex::default(),
            delivered: Mutex::default(),
            faults: Mutex::default(),
            tokens: Mutex::default(),
        }
    }

    fn keep_token(&self, token: &str) {
        let mut tokens = self.tokens.lock().unwrap();
        if tokens.len() == MAX_TOKENS {
            tokens.remove(0);
        }
        tokens.push(token.to_owned());
    }

    /// What a player finds in this mailbox.
    pub(crate) fn mailbox(&self, address: &str) -> Mailbox {
        self.boxes
            .lock()
            .unwrap()
            .get(address)
            .cloned()
            .unwrap_or_default()
    }
}
