//! The form of a command in a mail, and the other mail that a server gets.

use pbmserv_mail::Address;

use crate::deed::{Act, At, Deed, What};
use crate::stage::SERVER;

/// The form and content of a mail.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// One command as the subject.
    Subject(Deed),
    /// Commands in the text, one per line.
    Batch(Vec<Deed>),
    Answer(Answer),
    /// A bounce of our mail, to its envelope sender.
    Bounce(Address),
    /// An automatic reply.
    Automatic,
    /// Text without a command.
    Prose,
    /// The previous mail again.
    Again,
}

/// A reply to one of our mails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// The token that it goes to.
    pub(crate) token: Option<String>,
    /// The Message-ID in `In-Reply-To`.
    pub(crate) message_id: Option<String>,
    /// Whom it proves: the reader of that mail, if the token is still valid, or the address is theirs.
    pub(crate) bearer: Option<usize>,
    /// The board of that mail, and the newest event that it knew.
    pub(crate) about: Option<(At, i64)>,
    pub(crate) deed: Option<Deed>,
    /// What it says if there is no command.
    pub(crate) words: &'static str,
}

/// What somebody sends.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// The sender's address, in lower case.
    pub(crate) from: String,
    pub(crate) way: Way,
    /// The text apart from the commands; may be empty.
    pub(crate) saying: String,
}

/// A message with its envelope.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    /// `None`: the null sender.
    pub(crate) envelope: Option<String>,
    pub(crate) to: Address,
    pub(crate) bytes: Vec<u8>,
}

impl Letter {
    pub(crate) fn new(from: &str, way: Way) -> Self {
        Self {
            from: from.to_owned(),
            way,
            saying: String::new(),
        }
    }

    /// The reply that it is.
    pub(crate) const fn answer(&self) -> Option<&Answer> {
        match &self.way {
            Way::Answer(answer) => Some(answer),
            _ => None,
        }
    }

    /// Whether it answers the question whether an address is a player's.
    pub(crate) fn confirms(&self) -> bool {
        self.answer().is_some_and(|answer| answer.words == "confirm")
    }

    /// Its commands.
    pub(crate) fn deeds(&self) -> &[Deed] {
        match &self.way {
            Way::Subject(deed) => std::slice::from_ref(deed),
            Way::Answer(answer) => answer.deed.as_slice(),
            Way::Batch(deeds) => deeds,
            _ => &[],
        }
    }

    /// The message as the sender's program writes it; `number` makes its Message-ID.
    pub(crate) fn mail(&self, number: u64) -> Mail {
        let server = Address::parse(SERVER).unwrap();
        let (mut to, mut subject, mut fields) = (server.clone(), String::new(), String::new());
        let mut body = self.saying.clone();
        match &self.way {
            Way::Subject(deed) => subject.clone_from(&deed.line),
            Way::Batch(deeds) => {
                subject = "multiple".into();
                let lines = deeds
                    .iter()
                    .map(|deed| format!("{}\n: {}\n", deed.line, self.saying));
                body = lines.chain(["-- \nsent from a train\n".to_owned()]).collect();
            }
            Way::Answer(answer) => {
                to = answer
                    .token
                    .as_ref()
                    .map_or(to, |token| server.with_detail(token));
                let id = answer.message_id.as_ref();
                fields = id.map_or(fields, |id| format!("In-Reply-To: <{id}>\r\n"));
                let about = answer.about.map(|(at, _)| at.name());
                subject = format!("Re: {}", about.as_deref().unwrap_or("your mail"));
                let line = |deed: &Deed| deed.reply.as_ref().unwrap_or(&deed.line).clone();
                let words = answer.deed.as_ref().map_or_else(|| answer.words.to_owned(), line);
                let is_chat = |deed: &Deed| matches!(deed.what, What::On(_, Act::Chat));
                let is_chat = answer.deed.as_ref().is_some_and(is_chat);
                let after = if is_chat { ' ' } else { '\n' };
                body = format!("{words}{after}{}\n", self.saying);
                if about.is_some() {
                    body.push_str("\nOn Monday somebody wrote:\n> the board\n");
                }
            }
            Way::Bounce(envelope) => return self.bounce(envelope, number),
            Way::Automatic => {
                subject = "Out of server".into();
                fields = "Auto-Submitted: auto-replied\r\n".into();
                body = "I am away.\n".into();
            }
            Way::Prose => body = "How are you?\nIt is raining here.\n".into(),
            Way::Again => {}
        }
        let text = body.replace('\n', "\r\n");
        let bytes = format!(
            "From: {}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{number}@players.example>\r\n{fields}\
             Content-Type: text/plain; charset=utf-8\r\n\r\n{text}",
            self.from
        );
        Mail {
            envelope: Some(self.from.clone()),
            to,
            bytes: bytes.into_bytes(),
        }
    }

    /// A delivery status notification for our mail (RFC 3464).
    fn bounce(&self, envelope: &Address, number: u64) -> Mail {
        let bytes = format!(
            "From: MAILER-DAEMON@mx.example\r\nTo: {envelope}\r\nSubject: Undelivered Mail\r\n\
             Message-ID: <{number}@mx.example>\r\nContent-Type: multipart/report; report-type=delivery-status; \
             boundary=b\r\n\r\n--b\r\n\r\nSorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n\
             Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; {}\r\nAction: failed\r\n\
             Status: 5.1.1\r\n--b--\r\n",
            self.from
        );
        Mail {
            envelope: None,
            to: envelope.clone(),
            bytes: bytes.into_bytes(),
        }
    }
}
