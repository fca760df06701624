//! The form of a command in a mail, and the other mail that a server gets.

use pbmserv_core::table::PlayerId;
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
    /// A reply to a board's mail to this account: to the token, or by `In-Reply-To`. Only prose if there is no
    /// command.
    Answer {
        at: At,
        /// The recipient of that mail.
        account: usize,
        by: Reply,
        /// The newest event that this mail knew.
        shown: Option<i64>,
        /// Whether the token has become invalid since.
        is_stale: bool,
        deed: Option<Deed>,
    },
    /// A reply to an invitation, by its token, with an open challenge.
    Invited {
        token: String,
        /// The player who was invited.
        account: usize,
        /// Whether the token has become invalid since.
        is_stale: bool,
        deed: Deed,
    },
    /// The word `confirm` in reply to the confirmation question.
    Confirm(String),
    /// A program replies to the `List-Unsubscribe` of a mail: its token, its owner, and whether it has become invalid since.
    Leave(String, PlayerId, bool),
    /// A bounce of our mail, to its envelope sender.
    Bounce(Address),
    /// An automatic reply.
    Automatic,
    /// Text without a command.
    Prose,
    /// The previous mail again.
    Again,
}

/// The way in which a reply refers to a mail.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Token(String),
    MessageId(String),
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
    /// Its commands.
    pub(crate) fn deeds(&self) -> &[Deed] {
        match &self.way {
            Way::Subject(deed) | Way::Invited { deed, .. } => std::slice::from_ref(deed),
            Way::Answer { deed, .. } => deed.as_slice(),
            Way::Batch(deeds) => deeds,
            _ => &[],
        }
    }

    /// The message as the sender's program writes it; `number` makes its Message-ID.
    pub(crate) fn mail(&self, number: u64) -> Mail {
        let server = Address::parse(SERVER).unwrap();
        let with = |token: &str| server.with_detail(token);
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
            Way::Answer { at, by, deed, .. } => {
                subject = format!("Re: {}", at.name());
                match by {
                    Reply::Token(token) => to = with(token),
                    Reply::MessageId(id) => fields = format!("In-Reply-To: <{id}>\r\n"),
                }
                let words = match deed {
                    Some(deed) => deed.reply.as_ref().unwrap_or(&deed.line),
                    None => "Let me think about it.",
                };
                let is_chat = |deed: &Deed| matches!(deed.what, What::On(_, Act::Chat));
                let after = if deed.as_ref().is_some_and(is_chat) {
                    ' '
                } else {
                    '\n'
                };
                body = format!(
                    "{words}{after}{}\n\nOn Monday somebody wrote:\n> the board\n",
                    self.saying
                );
            }
            Way::Invited { token, deed, .. } => {
                to = with(token);
                subject = "Re: Welcome to the server".into();
                let words = deed.reply.as_ref().unwrap_or(&deed.line);
                body = format!("{words}\n\n{}\n", self.saying);
            }
            Way::Confirm(token) => {
                to = with(token);
                subject = "Re: Is this your address?".into();
                body = "confirm\n".into();
            }
            Way::Leave(token, ..) => {
                to = with(token);
                subject = "unsubscribe".into();
                body = "unsubscribe\n".into();
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
