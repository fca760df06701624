//! Reading a message: the relevant fields, the sender's own text, and whether an answer is allowed.

use std::panic::catch_unwind;

use sha2::{Digest, Sha256};

use super::authentication_results::dmarc_passed;
use super::complaint::{Complaint, complaint};
use super::files::without_files;
use super::flowed::unflow;
use super::header::Header;
use super::own_text::own_text;
use super::parts::{Body, Kind, body_text, instead_of_text, nothing_but_texts};
use super::plain::visible;
use super::repeated::LetterWords;
use super::report::{DeliveryReport, delivery_report, plain_bounce};
use super::silence::{Silence, silence};
use super::visible_sender::visible_sender;
use super::{Address, Envelope, OwnAddresses, Unreadable, cut, html};

/// The longest subject that is kept, in characters.
const SUBJECT_MAX_CHARS: usize = 1000;
/// The longest Message-ID that is kept, in bytes: a line of a message has at most 998 (RFC 5322, section 2.1.1).
const ID_MAX_BYTES: usize = 998;
/// The most Message-IDs of a thread that are kept; the newest ones.
const IDS_MAX: usize = 50;
/// The most of our addresses in `To` and `Cc` that are kept.
const ADDRESSED_MAX: usize = 10;
/// The longest `Date` that is kept, in characters.
const DATE_MAX_CHARS: usize = 100;
/// The most `Authentication-Results` that are kept, from the top.
const RESULTS_MAX: usize = 10;
/// The most lines of a text that are examined, quoted or not.
const LINES_READ_MAX: usize = 10_000;
/// A text with more lines may repeat a letter of which not even the template is known.
const SHORT_LINES_MAX: usize = 12;

/// The content of a message, decoded and limited in size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incoming {
    /// The visible sender: the mailbox in `From`. `None` also if there are several mailboxes or fields, because programs differ
    /// in which one they show.
    pub from: Option<Address>,
    /// Our addresses with a detail in `To` and `Cc`, at most 10. A message to several of our addresses may come in one
    /// copy for each, and each copy shows them all.
    pub addressed: Vec<Address>,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// As written, at most 100 characters.
    pub date: Option<String>,
    /// The Message-IDs that it answers, without angle brackets; at most 50.
    pub in_reply_to: Vec<String>,
    /// The Message-IDs of its thread, oldest first, without angle brackets; the newest 50.
    pub references: Vec<String>,
    /// Decoded, on one line, at most 1000 characters; `Re:` and the like are still there.
    pub subject: String,
    /// The lines of the sender's own text, with the characters as sent: no quotations, attributions or signature. At
    /// most 2,000 lines and 64 KiB.
    pub text: Vec<String>,
    /// Whether the text exceeded a limit, so that its end may be missing.
    pub is_cut: bool,
    /// Whether the sender wrote nothing, and added nothing: no words beside quotations and a signature, no file, nothing
    /// encrypted.
    pub is_blank: bool,
    /// What it holds in place of a text, such as `application/pkcs7-mime`, if it has no text that can be read.
    pub instead_of_text: Option<String>,
    /// Why no answer is allowed, if so: the message is then recorded and not executed.
    pub silence: Option<Silence>,
    /// The content of a delivery report, if this is one and it can be read; includes older bounces with the null sender
    /// that are recognised by other signs.
    pub delivery_report: Option<DeliveryReport>,
    /// The complaint about spam, if this is one.
    pub complaint: Option<Complaint>,
    /// Equal for two copies of the same message, by whichever door and to whichever of our addresses they came: SHA-256
    /// over the sender (the mailbox in `From`, or else the envelope sender), Message-ID (or `Date`), and a digest of
    /// subject and text. `None` without Message-ID and `Date`: two equal messages may then be different ones.
    pub digest: Option<[u8; 32]>,
    /// A digest of the `Resent-` fields, which its writer's program adds when it sends a mail again (RFC 5322, section 3.6.6);
    /// `None`: it has none.
    pub resent: Option<[u8; 32]>,
    /// The digest of all its lines. A server that repeats a delivery, since it has not heard that it was taken, sends the same ones.
    pub delivery: [u8; 32],
    authentication_results: Vec<String>,
    /// The text before anything of a letter of ours was cut out, if it may repeat one; otherwise empty.
    uncut: Vec<String>,
}

impl Incoming {
    /// An empty message with this Message-ID, for what was asked for in another way than by mail.
    #[must_use]
    pub fn named(message_id: String) -> Self {
        Self {
            message_id: Some(message_id),
            ..Self::default()
        }
    }

    /// Whether the mail server with this name says that the visible sender passed DMARC.
    #[must_use]
    pub fn passed_dmarc(&self, authserv_id: &str) -> bool {
        self.from
            .as_ref()
            .is_some_and(|from| dmarc_passed(&self.authentication_results, authserv_id, from))
    }

    /// The Message-IDs of the mails that it answers: of `In-Reply-To`, or else the last of `References` (RFC 5322, section 3.6.4).
    pub fn answers(&self) -> impl Iterator<Item = &String> {
        let last = self.references.last().filter(|_| self.in_reply_to.is_empty());
        self.in_reply_to.iter().chain(last)
    }

    /// Whether the text may repeat letters of ours beyond the words of their templates.
    #[must_use]
    pub fn may_repeat_letters(&self) -> bool {
        !self.uncut.is_empty()
    }

    /// Cuts what repeats the letters of which these are the words, and nothing else.
    pub fn cut_letters(&mut self, letters: &LetterWords, own: &OwnAddresses) {
        let uncut = std::mem::take(&mut self.uncut);
        self.text = letters.without_letters(&uncut, own).unwrap_or(uncut);
    }
}

/// Reads a message with LF or CRLF line ends; `own` are the server's addresses, `letters` the words that its letters may have.
///
/// Time is linear in the length of the message, and the size of the result is limited for any input.
///
/// # Errors
/// [`Unreadable`]: not a message, or built as no mail program builds one.
pub fn read(
    bytes: &[u8],
    envelope: &Envelope,
    own: &OwnAddresses,
    letters: &LetterWords,
) -> Result<Incoming, Unreadable> {
    // The field decoders are a foreign library: a panic there must not affect other messages.
    catch_unwind(|| read_unguarded(bytes, envelope, own, letters)).unwrap_or(Err(Unreadable::Damaged))
}

fn read_unguarded(
    bytes: &[u8],
    envelope: &Envelope,
    own: &OwnAddresses,
    letters: &LetterWords,
) -> Result<Incoming, Unreadable> {
    let begin = bytes.iter().take_while(|c| matches!(c, b'\r' | b'\n')).count();
    let (header, body) = Header::split(&bytes[begin..]).map_err(|_| Unreadable::HeaderTooLong)?;
    if header.is_empty() {
        return Err(Unreadable::NoHeader);
    }
    let from = visible_sender(&header);
    let is_notification = envelope.sender.is_none();
    let (is_delivery_report, delivery_report) = delivery_report(&header, body, is_notification);
    let delivery_report = delivery_report.or_else(|| plain_bounce(&header, body).filter(|_| is_notification));
    let silence = silence(&header, from.as_ref(), is_delivery_report, envelope, own);

    let text = body_text(&header, body)?;
    let instead_of_text = match &text {
        Some(_) => None,
        None => instead_of_text(&header, body),
    };
    let (lines, is_text_cut) = text.as_ref().map(lines_of).unwrap_or_default();
    let mut said = own_text(&without_files(&lines));
    let is_blank = |body: &Body| {
        let (lines, is_cut) = lines_of(body);
        !is_cut && own_text(&lines).is_blank
    };
    let is_blank = said.lines.is_empty()
        && nothing_but_texts(&header, body).is_some_and(|texts| texts.iter().all(is_blank));
    let uncut = match letters.without_forms(&said.lines, own) {
        Some(kept) => std::mem::replace(&mut said.lines, kept),
        None if said.lines.len() > SHORT_LINES_MAX => said.lines.clone(),
        None => Vec::new(),
    };
    let subject = visible(&header.decoded("Subject"));
    let subject = cut::chars(subject.trim(), SUBJECT_MAX_CHARS).to_owned();
    let with_detail = |address: &Address| own.has(address) && address.detail().is_some();
    let addressed = ["To", "Cc"].into_iter().flat_map(|name| header.mailboxes(name));
    Ok(Incoming {
        addressed: addressed.filter(with_detail).take(ADDRESSED_MAX).collect(),
        message_id: ids(&header, "Message-ID").into_iter().next(),
        date: header
            .text("Date")
            .map(|date| date.chars().take(DATE_MAX_CHARS).collect()),
        in_reply_to: ids(&header, "In-Reply-To"),
        references: ids(&header, "References"),
        digest: digest(
            &header,
            from.as_ref().or(envelope.sender.as_ref()),
            &subject,
            &lines,
        ),
        resent: resent(&header),
        delivery: delivery(bytes),
        authentication_results: header
            .exact_texts("Authentication-Results")
            .take(RESULTS_MAX)
            .collect(),
        is_cut: is_text_cut || said.is_cut,
        uncut,
        text: said.lines,
        is_blank,
        instead_of_text,
        from,
        subject,
        silence,
        delivery_report,
        complaint: complaint(&header, body),
    })
}

/// The newest Message-IDs in the fields of this name that can safely be written into a header again.
fn ids(header: &Header<'_>, name: &str) -> Vec<String> {
    let is_fit = |id: &String| {
        (1..=ID_MAX_BYTES).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_graphic() && c != b'<')
    };
    let mut ids: Vec<String> = header.ids(name).into_iter().filter(is_fit).collect();
    ids.drain(..ids.len().saturating_sub(IDS_MAX));
    ids
}

/// The visible lines of a text, and whether there were more.
fn lines_of(body: &Body) -> (Vec<String>, bool) {
    let page;
    let (text, is_page_cut) = match body.kind {
        Kind::Html => {
            page = html::to_lines(&body.text, LINES_READ_MAX);
            (&page.text, page.is_cut)
        }
        Kind::Plain | Kind::Flowed { .. } | Kind::Unknown => (&body.text, false),
    };
    let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let text = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n");
    let mut rest = text.split(is_end);
    let lines: Vec<&str> = rest.by_ref().take(LINES_READ_MAX).collect();
    let is_cut = body.is_cut || is_page_cut || rest.any(|line| !line.trim().is_empty());
    let lines = match body.kind {
        Kind::Flowed { delsp } => unflow(&lines, delsp).iter().map(|line| visible(line)).collect(),
        Kind::Plain | Kind::Html | Kind::Unknown => lines.into_iter().map(visible).collect(),
    };
    (lines, is_cut)
}

/// The digest of a message, independent of how it arrived; see [`Incoming::digest`].
///
/// Uses the text with its quotations, so that a later version with a better parser does not take an old message for a
/// new one.
fn digest(
    header: &Header<'_>,
    sender: Option<&Address>,
    subject: &str,
    lines: &[String],
) -> Option<[u8; 32]> {
    let (name, id) = ["Message-ID", "Date"]
        .into_iter()
        .find_map(|name| Some((name, header.text(name)?)))?;
    let mut content = Sha256::new();
    add(&mut content, subject);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        add(&mut content, line);
    }
    let sender = sender.map(Address::key).unwrap_or_default();
    let mut whole = Sha256::new();
    for piece in ["pbmserv: one message, version 2", &sender, name, &id] {
        add(&mut whole, piece);
    }
    whole.update(content.finalize());
    Some(whole.finalize().into())
}

/// See [`Incoming::delivery`]. Doors write line ends differently.
fn delivery(bytes: &[u8]) -> [u8; 32] {
    let mut whole = Sha256::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        whole.update(line.strip_suffix(b"\r").unwrap_or(line));
        whole.update(b"\n");
    }
    whole.finalize().into()
}

/// See [`Incoming::resent`].
fn resent(header: &Header<'_>) -> Option<[u8; 32]> {
    let names = ["Resent-Date", "Resent-From", "Resent-Message-ID"];
    let mut whole = Sha256::new();
    for name in names.into_iter().filter(|name| header.has(name)) {
        add(&mut whole, name);
        for text in header.texts(name) {
            add(&mut whole, &text);
        }
    }
    names
        .iter()
        .any(|name| header.has(name))
        .then(|| whole.finalize().into())
}

/// Adds a text unambiguously: different lists of texts never give the same bytes.
fn add(digest: &mut Sha256, text: &str) {
    digest.update((text.len() as u64).to_be_bytes());
    digest.update(text.as_bytes());
}

#[cfg(test)]
mod tests;
