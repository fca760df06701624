//! Complaints about spam: the abuse reporting format (ARF, RFC 5965), in which a mail provider reports that somebody
//! pressed the button for it.

use super::Address;
use super::header::Header;
use super::parts::{Parts, Type, decoded};

/// The most parts of a report that are examined: its text, its fields, and the mail that it is about (RFC 5965, section 2).
const PARTS_MAX: usize = 10;
/// The most bytes of a part that are read.
const PART_MAX_BYTES: usize = 64 * 1024;

/// The types of report that say "I do not want this mail". Others are about viruses, failed authentication (RFC 6591), or
/// say that a mail is no spam (RFC 6430).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// It is spam.
    Abuse,
    /// It is a fraud.
    Fraud,
    /// The reader wants no mail from its sender.
    OptOut,
    /// The reader wants no mail of its list.
    OptOutList,
}

impl Unwanted {
    const ALL: [Self; 4] = [Self::Abuse, Self::Fraud, Self::OptOut, Self::OptOutList];

    /// Its `Feedback-Type`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Abuse => "abuse",
            Self::Fraud => "fraud",
            Self::OptOut => "opt-out",
            Self::OptOutList => "opt-out-list",
        }
    }

    /// The one with this `Feedback-Type`, in any case.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|one| one.word().eq_ignore_ascii_case(word))
    }
}

/// A complaint about a mail, not yet known to be one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What it says.
    pub kind: Unwanted,
    /// What it says to be the envelope sender of that mail: `Original-Mail-From`, and `Return-Path` of the mail itself.
    pub senders: Vec<Address>,
    /// The Message-ID of that mail, without angle brackets.
    pub message_id: Option<String>,
}

/// The complaint in a message, if it is one.
pub(super) fn complaint(header: &Header<'_>, body: &[u8]) -> Option<Complaint> {
    let kind = Type::of(header);
    if kind.report.as_deref() != Some("feedback-report") {
        return None;
    }
    let mut feedback = None;
    let mut senders = Vec::new();
    let mut message_id = None;
    for part in Parts::of(&kind, body)?.take(PARTS_MAX) {
        let Ok((header, body)) = Header::split(part) else {
            continue;
        };
        let name = Type::of(&header).name;
        let fields = decoded(&header, &body[..body.len().min(PART_MAX_BYTES)]);
        let fields = fields.trim_ascii_start();
        match (name.as_str(), Header::split(fields)) {
            ("message/feedback-report", Ok((fields, _))) => {
                let said = fields.text("Feedback-Type").unwrap_or_default();
                feedback = feedback.or_else(|| Unwanted::of(said.trim()));
                senders.extend(fields.mailboxes("Original-Mail-From").into_iter().take(1));
            }
            ("message/rfc822" | "message/global" | "text/rfc822-headers", Ok((fields, _))) => {
                senders.extend(fields.mailboxes("Return-Path").into_iter().take(1));
                message_id = message_id.or_else(|| fields.ids("Message-ID").into_iter().next());
            }
            _ => {}
        }
    }
    Some(Complaint {
        kind: feedback?,
        senders,
        message_id,
    })
}
