//! An IMAP server with one mailbox in memory and configurable faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The behaviour of a server.
#[derive(Clone)]
pub(super) struct Traits {
    pub(super) abilities: &'static str,
    pub(super) greeting: &'static str,
    pub(super) password: &'static str,
    pub(super) permits_keywords: bool,
    /// Accepts keywords and forgets them.
    pub(super) forgets_keywords: bool,
    /// Reports 10 bytes as the size of every message.
    pub(super) lies_about_size: bool,
    /// Gives whole messages whatever part is asked for.
    pub(super) gives_all: bool,
    /// How often it disconnects at a command that marks a message.
    pub(super) cuts_before_marks: u32,
    /// Opens no mailbox before the client has said who it is.
    pub(super) wants_id: bool,
    /// What is wrong with the message of UID 2.
    pub(super) fault: Option<Fault>,
}

/// What the server does instead of giving a message, or of marking it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    No,
    Bad,
    Unreadable,
    Drop,
    DropAtList,
    BlankLine,
    NoDate,
    NoSize,
    NoListing,
    ListingRefused,
    StoreRefused,
    StoreNotUnderstood,
    DropAtStore,
    KeywordForgotten,
    OkWithout,
    UidOnly,
    NilBody,
    EndlessLiteral,
}

impl Fault {
    pub(super) const ALL: [Self; 18] = [
        Self::No,
        Self::Bad,
        Self::Unreadable,
        Self::Drop,
        Self::DropAtList,
        Self::BlankLine,
        Self::NoDate,
        Self::NoSize,
        Self::NoListing,
        Self::ListingRefused,
        Self::StoreRefused,
        Self::StoreNotUnderstood,
        Self::DropAtStore,
        Self::KeywordForgotten,
        Self::OkWithout,
        Self::UidOnly,
        Self::NilBody,
        Self::EndlessLiteral,
    ];

    /// Whether the connection ends at this command.
    fn cuts(self, command: &str) -> bool {
        match self {
            Self::Drop => command.starts_with("UID FETCH 2 (UID BODY"),
            Self::DropAtList => command.contains("RFC822.SIZE") && uids(command).contains(&2),
            Self::DropAtStore => command.starts_with("UID STORE 2 "),
            _ => false,
        }
    }

    /// The untagged answer about the message and the end of the command, for a command that concerns it.
    fn answer(self, command: &str, text: &str) -> Option<(String, Option<&'static str>)> {
        let length = text.len();
        let is_body = command.starts_with("UID FETCH 2 (UID BODY");
        let is_list = command.contains("RFC822.SIZE");
        let is_store = command.starts_with("UID STORE 2 ");
        let fetched = |what: String| Some((format!("* 2 FETCH ({what})\r\n"), None));
        match self {
            Self::No if is_body => Some((String::new(), Some("NO [SERVERBUG] cannot read it"))),
            Self::Bad if is_body => Some((String::new(), Some("BAD internal error"))),
            Self::Unreadable if is_body => fetched("UID 2 BODY[] oops".into()),
            Self::BlankLine if is_body => fetched(format!("UID 2 BODY[] {{{length}}}\r\n{text}\r\n")),
            Self::EndlessLiteral if is_body => fetched(format!("UID 2 BODY[] {{4000000}}\r\n{text}")),
            Self::OkWithout if is_body => Some((String::new(), None)),
            Self::UidOnly if is_body => fetched("UID 2".into()),
            Self::NilBody if is_body => fetched("UID 2 BODY[] NIL".into()),
            Self::NoDate if is_list => fetched(format!("UID 2 RFC822.SIZE {length} INTERNALDATE NIL")),
            Self::NoSize if is_list => fetched("UID 2 INTERNALDATE \"21-Nov-2026 08:00:00 +0000\"".into()),
            Self::NoListing if is_list => Some((String::new(), None)),
            Self::ListingRefused if is_list => Some((String::new(), Some("NO not all of them"))),
            Self::StoreRefused if is_store => Some((String::new(), Some("NO [LIMIT] too many keywords"))),
            Self::StoreNotUnderstood if is_store => Some((String::new(), Some("BAD what"))),
            Self::KeywordForgotten if is_store => Some((String::new(), Some("OK stored"))),
            _ => None,
        }
    }
}

/// The UIDs of a FETCH command.
fn uids(command: &str) -> Vec<u32> {
    let set = command.split(' ').nth(2).unwrap_or_default();
    set.split(',').filter_map(|uid| uid.parse().ok()).collect()
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            abilities: "IDLE MOVE UIDPLUS",
            greeting: "* OK [CAPABILITY IMAP4rev1] ready\r\n",
            password: super::PASSWORD,
            permits_keywords: true,
            forgets_keywords: false,
            lies_about_size: false,
            gives_all: false,
            cuts_before_marks: 0,
            wants_id: false,
            fault: None,
        }
    }
}

#[derive(Clone)]
struct Mail {
    text: String,
    date: String,
    flags: Vec<String>,
}

#[derive(Default)]
struct State {
    mails: BTreeMap<u32, Mail>,
    moved: Vec<Mail>,
    folders: Vec<String>,
    validity: u32,
    next: u32,
    heard: Vec<String>,
    connections: u32,
    cuts: u32,
    fault: Option<Fault>,
}

/// The server. It ends when dropped; open sessions continue.
pub(super) struct Server {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
    news: Arc<Notify>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(super) async fn start(traits: Traits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State {
            validity: 1,
            next: 1,
            cuts: traits.cuts_before_marks,
            fault: traits.fault,
            ..State::default()
        }));
        let news = Arc::new(Notify::new());
        let (shared, notify) = (state.clone(), news.clone());
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                shared.lock().unwrap().connections += 1;
                let session = Session {
                    state: shared.clone(),
                    news: notify.clone(),
                    traits: traits.clone(),
                };
                tokio::spawn(async move {
                    let _ = session.run(socket).await;
                });
            }
        });
        Self {
            port,
            state,
            news,
            task,
        }
    }

    pub(super) fn put(&self, text: &str) {
        self.put_at(text, "21-Nov-2026 08:00:00 +0000");
    }

    pub(super) fn put_at(&self, text: &str, date: &str) {
        let mut state = self.state.lock().unwrap();
        let uid = state.next;
        state.next += 1;
        let mail = Mail {
            text: text.to_owned(),
            date: date.to_owned(),
            flags: Vec::new(),
        };
        state.mails.insert(uid, mail);
        self.news.notify_one();
    }

    /// Gives new UIDs to all messages, drops their keywords and ends all sessions.
    pub(super) fn renumber(&self, by: u32) {
        let mut state = self.state.lock().unwrap();
        state.validity += 1;
        state.next += by;
        let mails = std::mem::take(&mut state.mails);
        for (uid, mail) in mails {
            state.mails.insert(
                uid + by,
                Mail {
                    flags: Vec::new(),
                    ..mail
                },
            );
        }
        self.news.notify_one();
    }

    pub(super) fn has_flag(&self, uid: u32, flag: &str) -> bool {
        let state = self.state.lock().unwrap();
        let mail = state.mails.get(&uid);
        mail.is_some_and(|mail| mail.flags.iter().any(|known| known == flag))
    }

    pub(super) fn moved(&self) -> Vec<String> {
        let state = self.state.lock().unwrap();
        state.moved.iter().map(|mail| mail.text.clone()).collect()
    }

    pub(super) fn heard(&self) -> Vec<String> {
        self.state.lock().unwrap().heard.clone()
    }

    pub(super) fn remove_folders(&self) {
        self.state.lock().unwrap().folders.clear();
    }

    /// From now on nothing is wrong with the message.
    pub(super) fn heal(&self) {
        self.state.lock().unwrap().fault = None;
    }

    pub(super) fn connections(&self) -> u32 {
        self.state.lock().unwrap().connections
    }
}

struct Session {
    state: Arc<Mutex<State>>,
    news: Arc<Notify>,
    traits: Traits,
}

impl Session {
    async fn run(self, socket: TcpStream) -> std::io::Result<()> {
        let (reader, mut writer) = socket.into_split();
        let mut lines = BufReader::new(reader).lines();
        writer.write_all(self.traits.greeting.as_bytes()).await?;
        if !self.traits.greeting.ends_with("ready\r\n") {
            return Ok(());
        }
        let validity = self.state.lock().unwrap().validity;
        while let Some(line) = lines.next_line().await? {
            let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
            let (tag, command) = (tag.to_owned(), command.to_owned());
            self.state.lock().unwrap().heard.push(command.clone());
            if self.state.lock().unwrap().validity != validity {
                return Ok(());
            }
            if command == "IDLE" {
                writer.write_all(b"+ idling\r\n").await?;
                tokio::select! {
                    () = self.news.notified() => {
                        let count = self.state.lock().unwrap().mails.len();
                        writer.write_all(format!("* OK still here\r\n* {count} EXISTS\r\n").as_bytes()).await?;
                        lines.next_line().await?;
                    }
                    _ = lines.next_line() => {}
                }
                writer.write_all(format!("{tag} OK done\r\n").as_bytes()).await?;
                continue;
            }
            if command == "AUTHENTICATE PLAIN" {
                writer.write_all(b"+ \r\n").await?;
                let given = lines.next_line().await?.unwrap_or_default();
                let given = data_encoding::BASE64.decode(given.as_bytes()).unwrap();
                let wanted = format!("\0games@host.example\0{}", self.traits.password);
                let word = if given == wanted.as_bytes() { "OK" } else { "NO" };
                writer
                    .write_all(format!("{tag} {word} then\r\n").as_bytes())
                    .await?;
                continue;
            }
            let is_mark = command.starts_with("UID STORE") || command.starts_with("UID MOVE");
            let fault = self.state.lock().unwrap().fault;
            if is_mark && self.cuts() || fault.is_some_and(|fault| fault.cuts(&command)) {
                return Ok(());
            }
            self.answer(&tag, &command, &mut writer).await?;
        }
        Ok(())
    }

    fn cuts(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        let cuts = state.cuts > 0;
        state.cuts = state.cuts.saturating_sub(1);
        cuts
    }

    async fn answer(&self, tag: &str, command: &str, writer: &mut OwnedWriteHalf) -> std::io::Result<()> {
        let answer = self.answer_to(command);
        let (untagged, done) = answer
            .rsplit_once('\n')
            .map_or(("", answer.as_str()), |(u, d)| (u, d));
        let untagged = if untagged.is_empty() {
            String::new()
        } else {
            format!("{untagged}\n")
        };
        writer
            .write_all(format!("{untagged}{tag} {done}\r\n").as_bytes())
            .await
    }

    fn answer_to(&self, command: &str) -> String {
        let traits = &self.traits;
        let mut state = self.state.lock().unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        let fault = state.fault;
        if let (Some(fault), ["UID", "STORE", ..]) = (fault, words.as_slice())
            && let Some((_, Some(end))) = fault.answer(command, "")
        {
            return end.to_owned();
        }
        match words.as_slice() {
            ["LOGIN", ..] => {
                let password = traits.password.replace('"', "\\\"");
                let wanted = format!("LOGIN \"games@host.example\" \"{password}\"");
                if command == wanted {
                    "OK in".to_owned()
                } else {
                    format!("NO [AUTHENTICATIONFAILED] not with {command}")
                }
            }
            ["CAPABILITY"] => format!("* CAPABILITY IMAP4rev1 {}\r\nOK that", traits.abilities),
            ["ID", ..] => "* ID NIL\r\nOK welcome".to_owned(),
            ["SELECT", ..] if traits.wants_id && !state.heard.iter().any(|line| line.starts_with("ID (")) => {
                "NO SELECT Unsafe Login. Please contact kefu@188.com for help".to_owned()
            }
            ["SELECT", "\"INBOX\""] => {
                let star = if traits.permits_keywords { " \\*" } else { "" };
                format!(
                    "* FLAGS (\\Seen)\r\n* OK [PERMANENTFLAGS (\\Seen \\Deleted \\Flagged{star})] limited\r\n* {} EXISTS\r\n\
                     * OK [UIDVALIDITY {}] it is\r\nOK [READ-WRITE] open",
                    state.mails.len(),
                    state.validity
                )
            }
            ["STATUS", name, ..] => {
                let is_there = state.folders.iter().any(|known| known == name);
                if is_there { "OK there" } else { "NO not there" }.to_owned()
            }
            ["CREATE", name] => {
                let name = (*name).to_owned();
                state.folders.push(name);
                "OK made".to_owned()
            }
            ["UID", "SEARCH", asked @ ..] => {
                let absent: &[&str] = match asked {
                    ["UNDELETED"] => &["\\Deleted"],
                    _ => &["\\Deleted", "$PbmservDone"],
                };
                let found = state
                    .mails
                    .iter()
                    .filter(|(_, mail)| !mail.flags.iter().any(|flag| absent.contains(&flag.as_str())));
                let uids: Vec<String> = found.map(|(uid, _)| uid.to_string()).collect();
                // EXISTS may come at any time.
                let count = state.mails.len();
                format!("* SEARCH {}\r\n* {count} EXISTS\r\nOK found", uids.join(" "))
            }
            ["UID", "FETCH", _, "(UID", "BODY.PEEK[])"] if traits.abilities == "GIVES-NOTHING" => {
                "NO [SERVERBUG] not now".to_owned()
            }
            ["UID", "FETCH", set, what @ ..] => {
                let mut out = String::new();
                for uid in set.split(',').map(|uid| uid.parse::<u32>().unwrap()) {
                    let Some(mail) = state.mails.get(&uid) else {
                        continue;
                    };
                    let (length, text, date) = (mail.text.len(), &mail.text, &mail.date);
                    let is_faulty = uid == 2;
                    if let Some((said, end)) = fault
                        .filter(|_| is_faulty)
                        .and_then(|fault| fault.answer(command, text))
                    {
                        out += &said;
                        match end {
                            Some(end) => return format!("{out}{end}"),
                            None => continue,
                        }
                    }
                    let part = what.iter().find_map(|word| word.split_once("<0."));
                    if let Some((_, most)) = part.filter(|_| !traits.gives_all) {
                        let most: usize = most.trim_end_matches(">)").parse().unwrap();
                        let text = &text[..most.min(length)];
                        out += &format!("* 1 FETCH (UID {uid} BODY[]<0> {{{}}}\r\n{text})\r\n", text.len());
                    } else if what.iter().any(|word| word.contains("BODY")) {
                        out += &format!("* 1 FETCH (UID {uid} BODY[] {{{length}}}\r\n{text})\r\n");
                    } else {
                        let length = if traits.lies_about_size { 10 } else { length };
                        out += &format!(
                            "* 1 FETCH (UID {uid} RFC822.SIZE {length} INTERNALDATE \"{date}\")\r\n"
                        );
                    }
                }
                format!("{out}OK fetched")
            }
            ["UID", "STORE", uid, "+FLAGS.SILENT", flags] => {
                let flag = flags.trim_matches(['(', ')']).to_owned();
                if let Some(mail) = state.mails.get_mut(&uid.parse::<u32>().unwrap())
                    && !(traits.forgets_keywords && flag.starts_with('$'))
                {
                    mail.flags.push(flag);
                }
                "OK stored".to_owned()
            }
            ["UID", "MOVE", ..] if state.folders.is_empty() => "NO [TRYCREATE] no such folder".to_owned(),
            ["UID", "MOVE", uid, "\"Done\""] => {
                let mail = state.mails.remove(&uid.parse::<u32>().unwrap()).unwrap();
                state.moved.push(mail);
                "* 1 EXPUNGE\r\nOK moved".to_owned()
            }
            ["UID", "COPY", uid, "\"Done\""] => {
                let mail = state.mails[&uid.parse::<u32>().unwrap()].clone();
                state.moved.push(mail);
                "OK copied".to_owned()
            }
            ["UID", "EXPUNGE", uid] => {
                state.mails.remove(&uid.parse::<u32>().unwrap());
                "* 1 EXPUNGE\r\nOK gone".to_owned()
            }
            ["NOOP" | "LOGOUT"] => "OK yes".to_owned(),
            _ => "BAD what".to_owned(),
        }
    }
}
