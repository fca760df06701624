//! Builds the message of a row: its header fields, its parts, its envelope sender.

use data_encoding::HEXLOWER;
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, MultiPart, SinglePart};
use sha2::{Digest, Sha256};

use crate::{Address, LOOP_FIELD};

use super::header::{Header, one_line};
use super::{Identity, Outgoing, Page};

/// Characters of a subject or a name; the rest is cut.
const MAX_LINE_CHARS: usize = 400;
/// Message-IDs named in `References`: the first and the newest.
const MAX_REFERENCES: usize = 20;
/// The longest Message-ID that is passed on, in bytes. Real ones have fewer than 200.
const MAX_ID: usize = 250;
/// The longest line in 7bit encoding, in octets without CRLF (RFC 5322, section 2.1.1).
const LONGEST_7BIT_LINE: usize = 998;

/// A message ready to be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The reverse-path.
    pub envelope_sender: Address,
    /// The message (RFC 5322): lines end in CRLF. ASCII, but for an address in `To` that has no form in ASCII (RFC 6532).
    pub bytes: Vec<u8>,
}

impl Built {
    /// The message with LF line ends, as local programs expect it.
    pub(super) fn with_lf(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut rest = self.bytes.iter().copied().peekable();
        while let Some(byte) = rest.next() {
            if !(byte == b'\r' && rest.peek() == Some(&b'\n')) {
                bytes.push(byte);
            }
        }
        bytes
    }
}

/// A row that cannot become a message: a bug where the row was written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The Message-ID has blanks, angle brackets or non-ASCII characters, or is too long.
    #[error("mail {0} has an invalid Message-ID")]
    MessageId(i64),
    /// The detail of its `Reply-To` or `List-Unsubscribe` does not make an address.
    #[error("mail {0} has a token that does not fit into an address")]
    ReplyTo(i64),
    /// A MIME part cannot be built.
    #[error("mail {0} has a part that cannot be built: {1}")]
    Part(i64, String),
}

/// Builds the message of a row. The same row always gives the same bytes.
///
/// # Errors
/// [`BuildError`]: permanent, since the row does not change.
pub fn build(mail: &Outgoing, identity: &Identity) -> Result<Built, BuildError> {
    if !is_id(&mail.message_id) {
        return Err(BuildError::MessageId(mail.id));
    }
    let address = identity.address().as_str();
    let mut header = Header::default();
    let date = mail.created_at.format("%a, %d %b %Y %H:%M:%S +0000").to_string();
    header.words("Date", date.split(' '));
    let name = match mail.sender_name.as_str() {
        "" => identity.name(),
        name => name,
    };
    header.mailbox("From", &one_line(name, MAX_LINE_CHARS), address);
    let with_token = |detail: &String| {
        let with_token = identity.address().with_detail(detail);
        Address::parse(with_token.as_str()).map_err(|_| BuildError::ReplyTo(mail.id))
    };
    if let Some(detail) = &mail.reply_detail {
        header.words("Reply-To", [with_token(detail)?.as_str()]);
    }
    header.recipient(&mail.to);
    let subject = one_line(&mail.subject, MAX_LINE_CHARS);
    header.text(
        "Subject",
        if subject.is_empty() {
            "(no subject)"
        } else {
            &subject
        },
    );
    header.words("Message-ID", [angled(&mail.message_id).as_str()]);
    let parent = mail.in_reply_to.as_deref().filter(|id| is_id(id));
    if let Some(parent) = parent {
        header.words("In-Reply-To", [angled(parent).as_str()]);
    }
    let references = references(&mail.references, parent);
    if !references.is_empty() {
        header.words("References", references.iter().map(String::as_str));
    }
    let submitted = if mail.is_reply {
        "auto-replied"
    } else {
        "auto-generated"
    };
    header.words("Auto-Submitted", [submitted]);
    header.words(LOOP_FIELD, [address]);
    if let Some(list) = &mail.list {
        header.words("List-Id", [list_id(list, identity.address().domain()).as_str()]);
    }
    if let Some(detail) = &mail.unsubscribe_detail {
        // Any reply serves (RFC 2369, section 3.2).
        let mailto = format!("<mailto:{}?subject=unsubscribe>", with_token(detail)?);
        match &mail.unsubscribe_url {
            Some(url) => {
                header.words(
                    "List-Unsubscribe",
                    [format!("<{url}>,").as_str(), mailto.as_str()],
                );
                header.words("List-Unsubscribe-Post", ["List-Unsubscribe=One-Click"]);
            }
            None => header.words("List-Unsubscribe", [mailto.as_str()]),
        }
    }
    header.words("MIME-Version", ["1.0"]);

    let mut bytes = header.into_bytes();
    let text = text_part(mail, "plain", &mail.text)?;
    bytes.extend(match (&mail.attachment, &mail.page) {
        (None, None) => text.formatted(),
        (None, Some(page)) => alternative(mail, text, page)?.formatted(),
        (Some((name, file)), page) => {
            let mixed = MultiPart::mixed().boundary(boundary(mail, "m"));
            let mixed = match page {
                None => mixed.singlepart(text),
                Some(page) => mixed.multipart(alternative(mail, text, page)?),
            };
            mixed.singlepart(file_part(mail, name, file)?).formatted()
        }
    });
    Ok(Built {
        envelope_sender: identity.envelope_sender(mail.id),
        bytes,
    })
}

/// The text and the HTML, plainest first (RFC 2046, section 5.1.4). The pictures belong to the HTML
/// (RFC 2387).
fn alternative(mail: &Outgoing, text: SinglePart, page: &Page) -> Result<MultiPart, BuildError> {
    let html = text_part(mail, "html", &page.html)?;
    let both = MultiPart::alternative()
        .boundary(boundary(mail, "a"))
        .singlepart(text);
    if page.pictures.is_empty() {
        return Ok(both.singlepart(html));
    }
    let png = ContentType::parse("image/png").map_err(|e| BuildError::Part(mail.id, e.to_string()))?;
    let mut related = MultiPart::related()
        .boundary(boundary(mail, "r"))
        .singlepart(html);
    for (place, picture) in page.pictures.iter().enumerate() {
        let part = Attachment::new_inline_with_name(mail.picture_id(place), "board.png".to_owned());
        related = related.singlepart(part.body(picture.to_vec(), png.clone()));
    }
    Ok(both.multipart(related))
}

/// The boundary between parts (RFC 2046, section 5.1.1). No text can contain it: the Message-ID is chosen
/// after the text. A second delivery uses the same one.
fn boundary(mail: &Outgoing, which: &str) -> String {
    let digest = Sha256::digest(mail.message_id.as_bytes());
    format!("{which}.{}", HEXLOWER.encode(&digest[..15]))
}

/// A text file as an attachment (RFC 2183).
fn file_part(mail: &Outgoing, name: &str, text: &str) -> Result<SinglePart, BuildError> {
    let (content_type, body) = encoded(mail, "plain", text)?;
    let name = one_line(name, MAX_LINE_CHARS);
    Ok(Attachment::new(name).body(body, content_type))
}

/// A text part: 7bit if possible, so that boards look right in any client, otherwise quoted-printable, which
/// keeps the lines. Never `format=flowed`.
fn text_part(mail: &Outgoing, subtype: &str, text: &str) -> Result<SinglePart, BuildError> {
    let (content_type, body) = encoded(mail, subtype, text)?;
    Ok(SinglePart::builder().content_type(content_type).body(body))
}

fn encoded(mail: &Outgoing, subtype: &str, text: &str) -> Result<(ContentType, Body), BuildError> {
    let text = clean_text(text);
    let is_7bit = text.is_ascii() && text.split('\n').all(|line| line.len() <= LONGEST_7BIT_LINE);
    let charset = if text.is_ascii() { "us-ascii" } else { "utf-8" };
    let content_type = ContentType::parse(&format!("text/{subtype}; charset={charset}"))
        .map_err(|e| BuildError::Part(mail.id, e.to_string()))?;
    let crlf = text.replace('\n', "\r\n");
    let body = if is_7bit {
        Body::dangerous_pre_encoded(crlf.into_bytes(), ContentTransferEncoding::SevenBit)
    } else {
        Body::new_with_encoding(crlf, ContentTransferEncoding::QuotedPrintable)
            .map_err(|_| BuildError::Part(mail.id, "its text".to_owned()))?
    };
    Ok((content_type, body))
}

/// The most bytes that a text may have in its part of a mail, whichever encoding it gets: in quoted-printable (RFC 2045,
/// section 6.7) a byte may become three, a blank at the end of a line too, and each 73 bytes may need a line break of
/// three.
#[must_use]
pub fn wire_bytes(text: &str) -> usize {
    let is_literal = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
    let bytes = |line: &str| -> usize {
        line.bytes()
            .map(|byte| if is_literal(byte) { 1 } else { 3 })
            .sum()
    };
    let with_breaks = |line: &str| bytes(line) + bytes(line) / 73 * 3 + 4;
    text.split_inclusive('\n')
        .map(|line| with_breaks(line.trim_end_matches('\n')))
        .sum()
}

/// The text with `
/// ` line ends and none at the end (the part adds one). Control characters become `?`: no letter needs them,
/// and some move a terminal's cursor.
fn clean_text(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = lines.strip_suffix('\n').unwrap_or(&lines);
    lines
        .chars()
        .map(|c| {
            let is_blank = matches!(c, '\n' | '\t');
            if c.is_control() && !is_blank { '?' } else { c }
        })
        .collect()
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
}

fn angled(id: &str) -> String {
    format!("<{id}>")
}

/// The first and the newest Message-IDs of the thread, with the parent last (RFC 5322, section 3.6.4).
/// Invalid ones are left out.
fn references(thread: &[String], parent: Option<&str>) -> Vec<String> {
    let mut ids: Vec<&str> = thread.iter().map(String::as_str).filter(|id| is_id(id)).collect();
    if let Some(parent) = parent
        && !ids.contains(&parent)
    {
        ids.push(parent);
    }
    if ids.len() > MAX_REFERENCES {
        ids.drain(1..=ids.len() - MAX_REFERENCES);
    }
    ids.into_iter().map(angled).collect()
}

/// `<pow2.101.games.example>` (RFC 2919). Characters that a domain name cannot have become hyphens.
fn list_id(list: &str, domain: &str) -> String {
    let label = |part: &str| -> String {
        part.chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_lowercase()
                } else {
                    '-'
                }
            })
            .take(63)
            .collect()
    };
    let labels: Vec<String> = list
        .split('.')
        .filter(|part| !part.is_empty())
        .take(3)
        .map(label)
        .collect();
    let board = if labels.is_empty() {
        "board".to_owned()
    } else {
        labels.join(".")
    };
    format!("<{board}.{}>", domain.to_ascii_lowercase())
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
