//! The open mailbox of a session: lists, fetches and marks messages that were not handled yet.
//!
//! Each command has a time limit and a limit on the bytes of its answer.

use std::collections::HashSet;
use std::time::Duration;

use imap_proto::{AttributeValue, Capability, MailboxDatum, Response, ResponseCode, Status};
use tokio::time::timeout;

use super::account::Account;
use super::connection::{Connection, quoted};
use super::error::{Fault, SessionError, words};
use super::frame::Unreadable;
use super::news::News;

/// The keyword of a handled message.
pub(super) const DONE: &str = "$PbmservDone";
/// Time limit of a command, also of fetching a message.
pub(super) const COMMAND: Duration = Duration::from_secs(60);
const FETCH: Duration = Duration::from_secs(300);
/// The most bytes in the answer to a command, not counting the message itself.
pub(super) const COMMAND_MAX_BYTES: usize = 256 * 1024;
/// The most bytes in the answer to a search: enough for some hundred thousand UIDs.
const SEARCH_MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most messages in one FETCH command.
pub(super) const SOME: usize = 100;

/// The server's extensions of RFC 3501.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Abilities {
    id: bool,
    pub(super) idle: bool,
    pub(super) r#move: bool,
    pub(super) uidplus: bool,
}

/// A message in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) uid: u32,
    pub(super) bytes: u64,
    /// Its INTERNALDATE, as the server writes it.
    pub(super) arrived: Option<String>,
}

/// The result of a search.
pub(super) struct SearchedMails {
    /// The UIDs of messages that were not handled, oldest first.
    pub(super) uids: Vec<u32>,
    /// Those among them that were marked since the last search.
    pub(super) back: Vec<u32>,
    /// How many others were marked since then.
    pub(super) kept: usize,
}

/// An open mailbox.
pub(super) struct Mailbox<'a> {
    pub(super) account: &'a Account,
    pub(super) connection: Connection,
    pub(super) abilities: Abilities,
    /// UIDs are valid only together with this value (RFC 3501, section 2.3.1.1).
    pub(super) uid_validity: u32,
    pub(super) news: News,
    /// Messages marked since the last search. The next search must not find them again.
    pub(super) marked: HashSet<u32>,
    /// Messages copied to the folder in this session, but not yet deleted here.
    pub(super) copied: HashSet<u32>,
}

/// How a command was completed.
pub(super) enum Ended {
    Ok,
    No(String),
    /// The server does not understand it.
    Bad(String),
}

impl Ended {
    /// Turns a refusal into an error for the operator.
    fn or_operator(self, what: &str) -> Result<(), SessionError> {
        match self {
            Self::Ok => Ok(()),
            Self::No(said) => Err(SessionError::Operator(format!("{what}: {said}"))),
            Self::Bad(said) => Err(SessionError::Temporary(said)),
        }
    }

    /// Turns a refusal into a fault of one message.
    pub(super) fn or_mail(self, what: &str) -> Result<(), Fault> {
        match self {
            Self::Ok => Ok(()),
            Self::No(said) | Self::Bad(said) => Err(Fault::Mail(format!("{what}: {said}"))),
        }
    }
}

impl<'a> Mailbox<'a> {
    /// Opens the mailbox, and checks that its messages can be marked or moved.
    pub(super) async fn open(account: &'a Account, connection: Connection) -> Result<Self, SessionError> {
        let mut mailbox = Self {
            account,
            connection,
            abilities: Abilities::default(),
            uid_validity: 0,
            news: News::default(),
            marked: HashSet::new(),
            copied: HashSet::new(),
        };
        mailbox.ask_abilities().await?;
        mailbox.introduce().await?;
        let (is_read_only, permits_keywords) = mailbox.select().await?;
        let name = &account.mailbox;
        if is_read_only {
            return Err(SessionError::Operator(format!(
                "{name} is read-only for this user, but handled mails must be marked: grant write access"
            )));
        }
        match &account.done_folder {
            Some(folder) => mailbox.make(folder).await?,
            None if permits_keywords => {}
            None => {
                return Err(SessionError::Operator(format!(
                    "the server permits no new keywords in {name}: name an imap.done_folder, to which handled mails \
                     are moved"
                )));
            }
        }
        Ok(mailbox)
    }

    async fn ask_abilities(&mut self) -> Result<(), SessionError> {
        let mut abilities = Abilities::default();
        let asked = self.command("CAPABILITY", COMMAND_MAX_BYTES, COMMAND, |response| {
            if let Response::Capabilities(named) = response {
                let has = |name: &str| {
                    named
                        .iter()
                        .any(|one| matches!(one, Capability::Atom(atom) if atom.eq_ignore_ascii_case(name)))
                };
                abilities = Abilities {
                    id: has("ID"),
                    idle: has("IDLE"),
                    r#move: has("MOVE"),
                    uidplus: has("UIDPLUS"),
                };
            }
        });
        asked.await?.or_operator("CAPABILITY is refused")?;
        self.abilities = abilities;
        Ok(())
    }

    /// Says who we are (RFC 2971). Some providers open no mailbox without it.
    async fn introduce(&mut self) -> Result<(), SessionError> {
        if self.abilities.id {
            let version = env!("CARGO_PKG_VERSION");
            let id = format!("ID (\"name\" \"pbmserv\" \"version\" \"{version}\")");
            // What the server says of itself does not matter, and if it refuses, it can do without.
            self.heard(&id, COMMAND_MAX_BYTES, COMMAND, |_| {}).await?;
        }
        Ok(())
    }

    /// Returns whether the mailbox is read-only, and whether it accepts new keywords.
    async fn select(&mut self) -> Result<(bool, bool), SessionError> {
        let name = &self.account.mailbox;
        let command = ["SELECT", &quoted(name)].join(" ");
        let (mut validity, mut is_read_only, mut permits_keywords) = (0, false, false);
        let ended = self.command(&command, COMMAND_MAX_BYTES, COMMAND, |response| {
            let (Response::Data { outcome, .. } | Response::Done { outcome, .. }) = response else {
                return;
            };
            match &outcome.code {
                Some(ResponseCode::UidValidity(number)) => validity = *number,
                Some(ResponseCode::ReadOnly) => is_read_only = true,
                Some(ResponseCode::PermanentFlags(flags)) => {
                    permits_keywords = flags
                        .iter()
                        .any(|flag| flag == "\\*" || flag.eq_ignore_ascii_case(DONE));
                }
                _ => {}
            }
        });
        ended
            .await?
            .or_operator(&format!("the mailbox {name} of imap.url cannot be opened"))?;
        self.uid_validity = validity;
        Ok((is_read_only, permits_keywords))
    }

    /// Creates the folder if it does not exist.
    pub(super) async fn make(&mut self, folder: &str) -> Result<(), SessionError> {
        let ask = format!("STATUS {} (UIDVALIDITY)", quoted(folder));
        if let Ended::Ok = self.simple(&ask).await? {
            return Ok(());
        }
        let made = self.simple(&format!("CREATE {}", quoted(folder))).await?;
        made.or_operator(&format!(
            "imap.done_folder {folder} does not exist, and the server does not create it"
        ))
    }

    /// The messages that were not handled.
    pub(super) async fn search(&mut self) -> Result<SearchedMails, SessionError> {
        self.news.is_there = false;
        let command = match self.account.done_folder {
            Some(_) => "UID SEARCH UNDELETED".to_owned(),
            None => format!("UID SEARCH UNDELETED UNKEYWORD {DONE}"),
        };
        let mut uids = Vec::new();
        let ended = self.command(&command, SEARCH_MAX_BYTES, COMMAND, |response| {
            if let Response::MailboxData(MailboxDatum::Search(found)) = response {
                uids.extend_from_slice(found);
            }
        });
        ended
            .await?
            .or_operator("the server does not search the mailbox")?;
        uids.sort_unstable();
        uids.dedup();
        let back: Vec<u32> = uids
            .iter()
            .copied()
            .filter(|uid| self.marked.contains(uid))
            .collect();
        let kept = self.marked.len() - back.len();
        self.marked.clear();
        Ok(SearchedMails { uids, back, kept })
    }

    /// What it means that a message was marked and comes back.
    pub(super) fn forgetful(&self) -> String {
        match &self.account.done_folder {
            Some(folder) => {
                format!("the server does not move mails to {folder}, although it reports success")
            }
            None => format!("the server does not keep the keyword {DONE}: name an imap.done_folder"),
        }
    }

    /// Lists these messages, at most [`SOME`]. Messages that were removed meanwhile are left out, and those that
    /// the server does not describe.
    pub(super) async fn list(&mut self, uids: &[u32]) -> Result<Vec<Entry>, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        let set: Vec<String> = uids.iter().map(u32::to_string).collect();
        let command = format!("UID FETCH {} (UID RFC822.SIZE INTERNALDATE)", set.join(","));
        let ended = self.heard(&command, COMMAND_MAX_BYTES, COMMAND, |response| {
            let Response::Fetch(_, attributes) = response else {
                return;
            };
            let (mut uid, mut bytes, mut arrived) = (None, None, None);
            for attribute in attributes {
                match attribute {
                    AttributeValue::Uid(number) => uid = Some(*number),
                    AttributeValue::Rfc822Size(size) => bytes = Some(u64::from(*size)),
                    AttributeValue::InternalDate(date) => arrived = Some(date.trim().to_owned()),
                    _ => {}
                }
            }
            if let (Some(uid), Some(bytes)) = (uid, bytes)
                && uids.contains(&uid)
            {
                entries.push(Entry { uid, bytes, arrived });
            }
        });
        ended.await?.or_mail("the server does not list it")?;
        entries.sort_by_key(|entry| entry.uid);
        entries.dedup_by_key(|entry| entry.uid);
        Ok(entries)
    }

    /// Fetches a message, or the beginning of one that has more than `most` bytes, without setting \\Seen.
    pub(super) async fn fetch(&mut self, entry: &Entry, most: u64) -> Result<Vec<u8>, Fault> {
        let part = match entry.bytes > most {
            true => format!("<0.{most}>"),
            false => String::new(),
        };
        let command = format!("UID FETCH {} (UID BODY.PEEK[]{part})", entry.uid);
        let most = usize::try_from(entry.bytes.min(most)).unwrap_or(usize::MAX);
        // Some servers report a size that is slightly wrong.
        let most = most.saturating_add(most / 4).saturating_add(COMMAND_MAX_BYTES);
        let mut message = None;
        let ended = self.heard(&command, most, FETCH, |response| {
            let Response::Fetch(_, attributes) = response else {
                return;
            };
            let is_it = attributes
                .iter()
                .any(|attribute| matches!(attribute, AttributeValue::Uid(uid) if *uid == entry.uid));
            for attribute in attributes {
                if let AttributeValue::BodySection {
                    section: None,
                    data: Some(data),
                    ..
                } = attribute
                    && is_it
                {
                    message = Some(data.to_vec());
                }
            }
        });
        ended.await?.or_mail("the server does not give it")?;
        message.ok_or_else(|| self.withheld("the server says OK, but gives no text of it"))
    }

    /// The fault of a message of which the server gave nothing that can be used.
    pub(super) fn withheld(&self, what: &str) -> Fault {
        Fault::Mail(match self.connection.is_unreadable() {
            true => "the server's answer about it is unreadable".to_owned(),
            false => what.to_owned(),
        })
    }

    /// Logs out, best effort.
    pub(super) async fn close(mut self) {
        let _ = timeout(Duration::from_secs(1), self.connection.send("LOGOUT")).await;
    }

    pub(super) async fn simple(&mut self, command: &str) -> Result<Ended, SessionError> {
        self.command(command, COMMAND_MAX_BYTES, COMMAND, |_| {}).await
    }

    /// Sends a command and reads its complete answer, in which everything must be readable.
    async fn command(
        &mut self,
        command: &str,
        most_bytes: usize,
        limit: Duration,
        hear: impl FnMut(&Response<'_>) + Send,
    ) -> Result<Ended, SessionError> {
        let ended = self.heard(command, most_bytes, limit, hear).await?;
        match self.connection.is_unreadable() {
            true => Err(Unreadable.into()),
            false => Ok(ended),
        }
    }

    /// Sends a command and reads its answer. What is unreadable in it is left out.
    pub(super) async fn heard(
        &mut self,
        command: &str,
        most_bytes: usize,
        limit: Duration,
        mut hear: impl FnMut(&Response<'_>) + Send,
    ) -> Result<Ended, SessionError> {
        self.connection.allow(most_bytes);
        let asked = self.connection.ask(command, |response| {
            self.news.note(response);
            hear(response);
        });
        let (status, said) = in_time(limit, asked).await?;
        let said = words(&said);
        match status {
            Status::Ok => Ok(Ended::Ok),
            Status::No => Ok(Ended::No(said)),
            _ => Ok(Ended::Bad(format!(
                "the server does not understand {}: {said}",
                command.split(' ').take(2).collect::<Vec<_>>().join(" ")
            ))),
        }
    }
}

pub(super) async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, SessionError>>,
) -> Result<T, SessionError> {
    timeout(limit, work).await.unwrap_or_else(|_| {
        Err(SessionError::Temporary(format!(
            "the server has not answered within {} seconds",
            limit.as_secs()
        )))
    })
}
