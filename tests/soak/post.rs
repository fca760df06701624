//! The mailboxes: what players need of the mail that they get.

use std::collections::HashMap;

use pbmserv_core::store::Outgoing;

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

/// All mailboxes.
#[derive(Debug, Default)]
pub(crate) struct PostOffice {
    /// By address, in lower case.
    boxes: HashMap<String, Mailbox>,
    /// The number of mails.
    pub(crate) delivered: u64,
    /// Some issued tokens; none may be in the database.
    pub(crate) tokens: Vec<String>,
}

/// The number of tokens that are searched for at the end.
const MAX_TOKENS: usize = 100;

impl PostOffice {
    /// Puts a letter into its mailbox. No letter contains a password.
    pub(crate) fn deliver(&mut self, mail: &Outgoing) {
        self.delivered += 1;
        let text = [mail.subject.as_str(), &mail.text].join("\n");
        let has_secret = text.to_ascii_lowercase().contains(SECRET);
        assert!(!has_secret, "a password goes out to {}: {text}", mail.to);
        let token = |text: &str| Token {
            text: text.to_owned(),
            delivered: self.delivered,
            at: mail.created_at.timestamp_millis(),
        };
        let is_reset = mail.subject.starts_with("A new password for");
        let mut lines = mail.text.lines().filter(|_| is_reset).map(str::trim);
        let reset = lines.find_map(|line| line.strip_prefix("reset ")?.split(' ').nth(1));
        let reset = reset.filter(|word| word.contains('-')).map(str::to_owned);
        let mailbox = self.boxes.entry(mail.to.key()).or_default();
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
        }
        mailbox.leave = mail
            .unsubscribe_detail
            .as_deref()
            .map(token)
            .or(mailbox.leave.take());
        mailbox.reset = reset.as_deref().map(token).or(mailbox.reset.take());
        let issued = [&mail.reply_detail, &mail.unsubscribe_detail, &reset];
        self.tokens.extend(issued.into_iter().flatten().cloned());
        self.tokens.drain(..self.tokens.len().saturating_sub(MAX_TOKENS));
    }

    /// What a player finds in this mailbox.
    pub(crate) fn mailbox(&self, address: &str) -> Mailbox {
        self.boxes.get(address).cloned().unwrap_or_default()
    }
}
