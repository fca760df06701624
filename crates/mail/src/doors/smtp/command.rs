//! Parses one command line. `smtp-proto` knows the grammar; this module decides which parts the server
//! supports.

use std::borrow::Cow;

use smtp_proto::{Error, MAIL_BODY_7BIT, MAIL_BODY_8BITMIME, MAIL_SMTPUTF8, MailFrom, RcptTo, Request};

use super::reply::Reply;
use crate::Address;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Hello(Hello),
    /// MAIL FROM; `None` is the null sender `<>`.
    Mail {
        sender: Option<Address>,
        /// As declared with SIZE=, otherwise 0.
        size: usize,
        /// Whether SMTPUTF8 permits addresses and header fields outside ASCII (RFC 6531, 3.4).
        is_utf8: bool,
    },
    /// RCPT TO.
    Rcpt(Recipient),
    Data,
    Rset,
    Noop,
    Quit,
    Vrfy,
    Help,
    StartTls,
    /// A line with a bare CR or LF. What the client takes for a line, and what the server takes for one, may
    /// differ, so the session must end.
    BareLineEnd,
    /// The bytes that follow are no SMTP commands, so the session must end.
    Foreign,
}

/// The greeting command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hello {
    Helo,
    Ehlo,
    /// LMTP's (RFC 2033, 4.1).
    Lhlo,
}

/// The recipient of a RCPT command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recipient {
    /// A mailbox.
    Mailbox(Address),
    /// `<postmaster>`, the only recipient without a domain (RFC 5321, 4.1.1.3).
    Postmaster,
}

/// Parses a line, including its line end.
///
/// # Errors
/// The reply that refuses it.
pub(super) fn read(line: &[u8]) -> Result<Command, Reply> {
    let text = line.strip_suffix(b"\r\n").unwrap_or(line);
    if text.len() == line.len() || text.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
        return Ok(Command::BareLineEnd);
    }
    // A browser can be tricked into posting a form with a mail in it to this port.
    let first_word = text.split(|&byte| byte == b' ').next().unwrap_or_default();
    if [&b"GET"[..], b"POST", b"PUT", b"CONNECT", b"OPTIONS"].contains(&first_word) {
        return Ok(Command::Foreign);
    }
    match Request::parse(&mut line.iter()) {
        Ok(request) => admit(request, line),
        Err(Error::InvalidSenderAddress) => Err(Reply::new("501 5.1.7 The sender is not a mail address")),
        Err(Error::InvalidRecipientAddress) => {
            Err(Reply::new("501 5.1.3 The recipient is not a mail address"))
        }
        Err(Error::SyntaxError { syntax }) => Err(Reply::with("501 5.5.4", &format!("Syntax: {syntax}"))),
        Err(Error::InvalidParameter { param }) => Err(Reply::with(
            "501 5.5.4",
            &format!("The value of {param} cannot be read"),
        )),
        Err(Error::UnsupportedParameter { .. }) => Err(UNKNOWN_PARAMETER),
        // The line is complete, so the command is truncated.
        Err(Error::NeedsMoreData { .. }) => Err(Reply::new("501 5.5.4 The command is not complete")),
        Err(Error::UnknownCommand | Error::ResponseTooLong | Error::InvalidResponse { .. }) => {
            Err(Reply::new("500 5.5.1 There is no such command"))
        }
    }
}

pub(super) const NOT_OFFERED: Reply = Reply::new("502 5.5.1 This command is not offered here");

/// RFC 6531, 3.5.
pub(super) const NEEDS_UTF8: Reply =
    Reply::new("553 5.6.7 An address outside US-ASCII needs SMTPUTF8 in the MAIL command");

const UNKNOWN_PARAMETER: Reply = Reply::new("555 5.5.4 This server knows no such parameter");

fn admit(request: Request<Cow<'_, str>>, line: &[u8]) -> Result<Command, Reply> {
    match request {
        Request::Ehlo { .. } => Ok(Command::Hello(Hello::Ehlo)),
        Request::Helo { .. } => Ok(Command::Hello(Hello::Helo)),
        Request::Lhlo { .. } => Ok(Command::Hello(Hello::Lhlo)),
        Request::Mail { from } => mail(&from, line),
        Request::Rcpt { to } => rcpt(&to, line),
        Request::Data => Ok(Command::Data),
        Request::Rset => Ok(Command::Rset),
        Request::Noop { .. } => Ok(Command::Noop),
        Request::Quit => Ok(Command::Quit),
        Request::Vrfy { .. } => Ok(Command::Vrfy),
        Request::Help { .. } => Ok(Command::Help),
        // RFC 3207, 4: no parameter is allowed.
        Request::StartTls if line.trim_ascii_end().len() == "STARTTLS".len() => Ok(Command::StartTls),
        Request::StartTls => Err(Reply::new("501 5.5.4 Syntax: STARTTLS")),
        Request::Bdat { .. } | Request::Burl { .. } => Ok(Command::Foreign),
        Request::Auth { .. } | Request::Expn { .. } | Request::Etrn { .. } | Request::Atrn { .. } => {
            Err(NOT_OFFERED)
        }
    }
}

fn mail(from: &MailFrom<Cow<'_, str>>, line: &[u8]) -> Result<Command, Reply> {
    let known = MailFrom {
        address: Cow::Borrowed(&*from.address),
        flags: from.flags & (MAIL_BODY_7BIT | MAIL_BODY_8BITMIME | MAIL_SMTPUTF8),
        size: from.size,
        ..MailFrom::default()
    };
    if known != *from {
        return Err(UNKNOWN_PARAMETER);
    }
    let is_utf8 = from.flags & MAIL_SMTPUTF8 != 0;
    let sender = if !from.address.is_empty() {
        if !is_utf8 && !from.address.is_ascii() {
            return Err(NEEDS_UTF8);
        }
        let unreadable =
            |_| Reply::new("553 5.1.7 This sender cannot be read: use an address as in name@example.org");
        Some(Address::noted(&from.address).map_err(unreadable)?)
    } else if has(line, b"<>") {
        None
    } else {
        return Err(Reply::new("553 5.1.7 The sender has no domain"));
    };
    Ok(Command::Mail {
        sender,
        size: from.size,
        is_utf8,
    })
}

fn rcpt(to: &RcptTo<Cow<'_, str>>, line: &[u8]) -> Result<Command, Reply> {
    let known = RcptTo {
        address: Cow::Borrowed(&*to.address),
        ..RcptTo::default()
    };
    if known != *to {
        return Err(UNKNOWN_PARAMETER);
    }
    // The parser returns an empty address for both.
    if to.address.is_empty() {
        return if has(line, b"<>") {
            Err(Reply::new("501 5.1.3 The recipient is empty"))
        } else {
            Ok(Command::Rcpt(Recipient::Postmaster))
        };
    }
    let address = Address::parse(&to.address)
        .map_err(|_| Reply::new("553 5.1.3 The recipient is not a plain address as in name@example.org"))?;
    Ok(Command::Rcpt(Recipient::Mailbox(address)))
}

fn has(line: &[u8], two: &[u8; 2]) -> bool {
    line.windows(2).any(|pair| pair == two)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code(line: &str) -> String {
        let reply = read(line.as_bytes()).unwrap_err();
        String::from_utf8_lossy(reply.as_bytes())
            .chars()
            .take(9)
            .collect()
    }

    #[test]
    fn senders_and_sizes_are_read() {
        let alice = || Some(Address::parse("alice@example.org").unwrap());
        let ivan = || Some(Address::parse("иван@почта.example").unwrap());
        for (line, sender, size, is_utf8) in [
            ("MAIL FROM:<alice@example.org>\r\n", alice(), 0, false),
            (
                "mail from: <alice@example.org> SIZE=17 BODY=8BITMIME\r\n",
                alice(),
                17,
                false,
            ),
            (
                "MAIL FROM:<@relay.example:alice@example.org>\r\n",
                alice(),
                0,
                false,
            ),
            ("MAIL FROM:<> BODY=7BIT\r\n", None, 0, false),
            ("MAIL FROM:<alice@example.org> SMTPUTF8\r\n", alice(), 0, true),
            (
                "MAIL FROM:<иван@почта.example> BODY=8BITMIME SMTPUTF8 SIZE=5\r\n",
                ivan(),
                5,
                true,
            ),
            ("MAIL FROM:<иван@ПОЧТА.example> smtputf8\r\n", ivan(), 0, true),
        ] {
            let expected = Command::Mail {
                sender,
                size,
                is_utf8,
            };
            assert_eq!(read(line.as_bytes()), Ok(expected), "{line}");
        }
        let ours = Recipient::Mailbox(Address::parse("игры@почта.example").unwrap());
        assert_eq!(
            read("RCPT TO:<игры@почта.example>\r\n".as_bytes()),
            Ok(Command::Rcpt(ours))
        );
    }

    #[test]
    fn what_is_not_taken_gets_its_code() {
        for (line, expected) in [
            ("MAIL FROM:<alice>\r\n", "501 5.1.7"),
            ("MAIL FROM:<postmaster>\r\n", "553 5.1.7"),
            ("MAIL FROM:<ä@example.org>\r\n", "553 5.6.7"),
            ("MAIL FROM:<\u{200b}ä@example.org> SMTPUTF8\r\n", "553 5.1.7"),
            ("MAIL FROM:<a@b> SMTPUTF8=YES\r\n", "555 5.5.4"),
            ("MAIL FROM:<a@b> BODY=BINARYMIME\r\n", "555 5.5.4"),
            ("MAIL FROM:<a@b> SIZE=x\r\n", "501 5.5.4"),
            ("MAIL FROM:<a@b> X=y\r\n", "555 5.5.4"),
            ("MAIL FROM:\r\n", "501 5.5.4"),
            ("MAIL FROM:<a@b\r\n", "501 5.5.4"),
            ("MAIL\r\n", "501 5.5.4"),
            ("RCPT TO:<>\r\n", "501 5.1.3"),
            ("RCPT TO:<a@[127.0.0.1]>\r\n", "501 5.1.3"),
            ("RCPT TO:<\u{430}b@c>\r\n", "553 5.1.3"),
            ("RCPT TO:<a@b> NOTIFY=NEVER\r\n", "555 5.5.4"),
            ("EHLO\r\n", "501 5.5.4"),
            ("LHLO\r\n", "501 5.5.4"),
            ("STARTTLS now\r\n", "501 5.5.4"),
            ("EXPN list\r\n", "502 5.5.1"),
            ("FROBNICATE\r\n", "500 5.5.1"),
            ("\r\n", "500 5.5.1"),
        ] {
            assert_eq!(code(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_line_ends_in_crlf_and_holds_no_other_cr_or_lf() {
        for line in ["NOOP\n", "NOOP", "MA\rIL FROM:<a@b>\r\n", "NOOP\r\r\n", "\n"] {
            assert_eq!(read(line.as_bytes()), Ok(Command::BareLineEnd), "{line:?}");
        }
    }

    #[test]
    fn a_postmaster_needs_no_domain() {
        assert_eq!(
            read(b"RCPT TO:<PostMaster>\r\n"),
            Ok(Command::Rcpt(Recipient::Postmaster))
        );
    }

    #[test]
    fn other_protocols_are_told_apart() {
        for line in ["POST / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n", "BDAT 86 LAST\r\n"] {
            assert_eq!(read(line.as_bytes()), Ok(Command::Foreign), "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(
            verb in "(MAIL FROM:<|RCPT TO:<|AUTH |BDAT |ATRN |BURL |EXPN |)",
            address in "([a@.\"\\\\:, <>ä]{0,12}>?|a@b>)",
            rest in "( (SIZE=|BY=|HOLDUNTIL=|MTRK=|NOTIFY=|ORCPT=rfc822;|RRVS=|ENVID=|MT-PRIORITY=)[-0-9TZ:+;a ]{0,30}){0,2}",
            raw in proptest::collection::vec(any::<u8>(), 0..20),
        ) {
            let line = [verb.as_bytes(), address.as_bytes(), rest.as_bytes(), b"\r\n"].concat();
            drop(read(&line));
            drop(read(&[&raw[..], b"\r\n"].concat()));
            drop(read(&raw));
        }
    }
}
