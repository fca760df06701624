//! How a deed stands in a mail, and whatever else comes to a mail server.

use pbmserv::mail::Address;
use pbmserv::table::{PlayerId, Unasked};

use crate::deed::{Act, At, Deed};
use crate::world::SERVER;

/// How a mail comes to the server, and what it says.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// One command as the subject.
    Subject(Deed),
    /// Commands in the text, one a line.
    Batch(Vec<Deed>),
    /// An answer to a board's mail to this account: to the token, or by `In-Reply-To`. Prose alone if there is no deed.
    Answer {
        at: At,
        /// To whom the mail went.
        account: usize,
        by: Reply,
        /// Whether the token has been ended by something since.
        is_stale: bool,
        deed: Option<Deed>,
    },
    /// The word `confirm` in answer to the question about the sender's address.
    Confirm(String),
    /// A program answers the `List-Unsubscribe` of a mail: its token, whose it is, of which kind, and whether something
    /// has ended it since.
    Leave(String, PlayerId, Unasked, bool),
    /// A mail of ours comes back undelivered; its number, and the envelope sender that it had.
    Bounce(i64, Address),
    /// A program answers by itself.
    Automatic,
    /// Words that are no command.
    Prose,
    /// The mail before once more.
    Again,
}

/// What an answer answers by.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Token(String),
    MessageId(String),
}

/// What somebody sends.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// The address that it comes from, in lower case.
    pub(crate) from: String,
    pub(crate) way: Way,
    /// What is said beside the commands; may be empty.
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
    /// As its writer's program sends it; `number` makes its Message-ID.
    pub(crate) fn mail(&self, number: u64) -> Mail {
        let server = Address::parse(SERVER).unwrap();
        let with = |token: &str| server.with_detail(token);
        let (mut to, mut subject, mut fields) = (server.clone(), String::new(), String::new());
        let mut body = self.saying.clone();
        match &self.way {
            Way::Subject(deed) => subject = deed.line(),
            Way::Batch(deeds) => {
                subject = "multiple".into();
                let lines = deeds
                    .iter()
                    .map(|deed| format!("{}\n: {}\n", deed.line(), self.saying));
                body = lines.chain(["-- \nsent from a train\n".to_owned()]).collect();
            }
            Way::Answer { at, by, deed, .. } => {
                subject = format!("Re: {}", at.name());
                match by {
                    Reply::Token(token) => to = with(token),
                    Reply::MessageId(id) => fields = format!("In-Reply-To: <{id}>\r\n"),
                }
                let words = deed
                    .as_ref()
                    .map_or_else(|| "Let me think about it.".to_owned(), Deed::answer);
                let after = if matches!(deed, Some(Deed::On(_, _, Act::Chat))) {
                    ' '
                } else {
                    '\n'
                };
                body = format!(
                    "{words}{after}{}\n\nOn Monday somebody wrote:\n> the board\n",
                    self.saying
                );
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
            Way::Bounce(_, envelope) => return self.bounce(envelope, number),
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

    /// A report on the delivery of our mail (RFC 3464).
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
