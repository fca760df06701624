//! From a row to a message: its header fields, its parts, its envelope sender.

use data_encoding::HEXLOWER;
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, MultiPart, SinglePart};
use sha2::{Digest, Sha256};

use crate::mail::{Address, LOOP_FIELD};

use super::header::{Header, one_line};
use super::{Identity, Outgoing, Page};

/// Characters of a subject or a name; what is longer is cut.
const LONGEST_LINE_CHARS: usize = 400;
/// Message-IDs named in `References`: the first and the newest.
const MOST_REFERENCES: usize = 20;
/// Bytes of a Message-ID that is passed on; real ones have fewer than 200.
const LONGEST_ID: usize = 250;
/// Octets of a line that 7bit may have, without its CRLF (RFC 5322, section 2.1.1).
const LONGEST_7BIT_LINE: usize = 998;

/// A message ready to be delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The reverse-path.
    pub envelope_sender: Address,
    /// The message (RFC 5322), pure ASCII, all lines ended by CRLF.
    pub bytes: Vec<u8>,
}

impl Built {
    /// The message with lines ended by LF, as programs of this machine read it.
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

/// A row that cannot be made into a message: a fault of whoever made the row.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The Message-ID has blanks, angle brackets or characters that are not ASCII, or is too long.
    #[error("mail {0} has a Message-ID that no mail may have")]
    MessageId(i64),
    /// The detail of its `Reply-To` or its `List-Unsubscribe` makes no address.
    #[error("mail {0} has a token that makes no address")]
    ReplyTo(i64),
    /// A part cannot be described.
    #[error("mail {0} has a part that cannot be built: {1}")]
    Part(i64, String),
}

/// Makes the message of a row. The same row always gives the same bytes.
///
/// # Errors
/// [`BuildError`]: the row is at fault, now and for ever.
pub fn build(mail: &Outgoing, identity: &Identity) -> Result<Built, BuildError> {
    if !is_id(&mail.message_id) {
        return Err(BuildError::MessageId(mail.id));
    }
    let address = identity.address().as_str();
    let mut header = Header::default();
    let date = mail.created_at.format("%a, %d %b %Y %H:%M:%S +0000").to_string();
    header.words("Date", date.split(' '));
    header.mailbox("From", &one_line(identity.name(), LONGEST_LINE_CHARS), address);
    let with_token = |detail: &String| {
        let with_token = identity.address().with_detail(detail);
        Address::parse(with_token.as_str()).map_err(|_| BuildError::ReplyTo(mail.id))
    };
    if let Some(detail) = &mail.reply_detail {
        header.words("Reply-To", [with_token(detail)?.as_str()]);
    }
    header.words("To", [mail.to.as_str()]);
    let subject = one_line(&mail.subject, LONGEST_LINE_CHARS);
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
        // Any answer serves (RFC 2369, section 3.2). No List-Unsubscribe-Post: that is for https (RFC 8058).
        let mailto = format!("<mailto:{}?subject=unsubscribe>", with_token(detail)?);
        header.words("List-Unsubscribe", [mailto.as_str()]);
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

/// The text and the same as HTML, the poorer first (RFC 2046, section 5.1.4); the picture belongs to the HTML (RFC
/// 2387).
fn alternative(mail: &Outgoing, text: SinglePart, page: &Page) -> Result<MultiPart, BuildError> {
    let html = text_part(mail, "html", &page.html)?;
    let both = MultiPart::alternative()
        .boundary(boundary(mail, "a"))
        .singlepart(text);
    let Some(picture) = &page.picture else {
        return Ok(both.singlepart(html));
    };
    let png = ContentType::parse("image/png").map_err(|e| BuildError::Part(mail.id, e.to_string()))?;
    let picture = Attachment::new_inline_with_name(mail.picture_id(), "board.png".to_owned())
        .body(picture.to_vec(), png);
    let related = MultiPart::related().boundary(boundary(mail, "r"));
    Ok(both.multipart(related.singlepart(html).singlepart(picture)))
}

/// What stands between the parts (RFC 2046, section 5.1.1). Nobody can have written it into a text, since the
/// Message-ID is chosen later; and a second delivery has the same.
fn boundary(mail: &Outgoing, which: &str) -> String {
    let digest = Sha256::digest(mail.message_id.as_bytes());
    format!("{which}.{}", HEXLOWER.encode(&digest[..15]))
}

/// A file of text as a part that readers can keep (RFC 2183).
fn file_part(mail: &Outgoing, name: &str, text: &str) -> Result<SinglePart, BuildError> {
    let (content_type, body) = encoded(mail, "plain", text)?;
    let name = one_line(name, LONGEST_LINE_CHARS);
    Ok(Attachment::new(name).body(body, content_type))
}

/// A text as a part: as it stands if it can (so that boards stand in any client), else quoted-printable, in
/// which lines stay lines. Never `format=flowed`.
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

/// The text with `\n` alone as line end and none at its end (the part brings one), controls shown as `?`: none
/// of them is of use in a letter, and some move a terminal's cursor.
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
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic() && b != b'<' && b != b'>')
}

fn angled(id: &str) -> String {
    format!("<{id}>")
}

/// The first and the newest of the thread, with the parent last (RFC 5322, section 3.6.4); ids that no mail may
/// have are left out.
fn references(thread: &[String], parent: Option<&str>) -> Vec<String> {
    let mut ids: Vec<&str> = thread.iter().map(String::as_str).filter(|id| is_id(id)).collect();
    if let Some(parent) = parent
        && !ids.contains(&parent)
    {
        ids.push(parent);
    }
    if ids.len() > MOST_REFERENCES {
        ids.drain(1..=ids.len() - MOST_REFERENCES);
    }
    ids.into_iter().map(angled).collect()
}

/// `<pow2.101.games.example>` (RFC 2919): other characters than a domain name has become hyphens.
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
