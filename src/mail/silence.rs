//! Messages that must not be answered: automatic ones, and our own (RFC 3834, section 2).

use std::fmt;

use super::header::Header;
use super::parts::Type;
use super::phrases::AUTOMATIC_SUBJECTS;
use super::plain::visible;
use super::{Address, Envelope, OwnAddresses};

/// A field in all our mails, with our address: detects our own mail when it returns.
pub const LOOP_FIELD: &str = "X-Pbmserv-Loop";

/// Why a message is recorded, but neither executed nor answered. Its text is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The reverse-path is `<>`: a notification (RFC 5321, section 4.5.5).
    NullSender,
    /// A delivery report (RFC 3464).
    DeliveryReport,
    /// A read receipt (RFC 8098).
    Receipt,
    /// A complaint about spam, from the provider of whoever pressed that button (ARF, RFC 5965).
    Complaint,
    /// Another report of a program (RFC 6522).
    Report,
    /// `Auto-Submitted` has this value, which is not `no` (RFC 3834, section 5).
    AutoSubmitted(String),
    /// Has this field, which only automatic answers have.
    Autoreply(&'static str),
    /// Its subject begins as those of automatic answers.
    Subject,
    /// `Precedence` has this value: `bulk`, `list` or `junk`.
    Precedence(String),
    /// Has a `List-Id` (RFC 2919).
    List,
    /// From an address of the server itself.
    OwnAddress,
    /// Has the loop field of this server or of another pbmserv: two servers must not write to each other.
    LoopMark,
    /// From an address that nobody reads.
    Robot(Address),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NullSender => write!(f, "its envelope sender is empty"),
            Self::DeliveryReport => write!(f, "it is a delivery report"),
            Self::Receipt => write!(f, "it is a receipt"),
            Self::Complaint => write!(f, "it is a complaint about spam"),
            Self::Report => write!(f, "it is a report of a program"),
            Self::AutoSubmitted(value) => write!(f, "it was sent by a program (Auto-Submitted: {value})"),
            Self::Subject => write!(f, "its subject is that of an automatic answer"),
            Self::Autoreply(field) => write!(f, "it is an automatic answer ({field})"),
            Self::Precedence(value) => write!(f, "it is bulk mail (Precedence: {value})"),
            Self::List => write!(f, "it comes from a mailing list"),
            Self::OwnAddress => write!(f, "it comes from this server's own address"),
            Self::LoopMark => write!(f, "it was sent by a server of this kind"),
            Self::Robot(address) => write!(f, "nobody reads mail at {address}"),
        }
    }
}

/// Fields of automatic responders from before `Auto-Submitted`.
const AUTOREPLY_FIELDS: [&str; 4] = ["X-Autoreply", "X-Autorespond", "X-Auto-Reply", "X-Mail-Autoreply"];

/// Local parts that no person writes from, without `-`, `_` and `.`.
const ROBOTS: &[&str] = &[
    "mailerdaemon",
    "maildaemon",
    "postmaster",
    "noreply",
    "noreplies",
    "donotreply",
    "dontreply",
    "nepasrepondre",
    "nichtantworten",
    "keineantwort",
    "noresponder",
    "nonrispondere",
    "nobody",
    "autoreply",
    "autoresponder",
    "bounce",
    "bounces",
    "listserv",
    "majordomo",
    "mailman",
];

/// Why no answer is allowed, if so; `from` is the visible sender, `own` the server's addresses.
pub(super) fn silence(
    header: &Header<'_>,
    from: Option<&Address>,
    is_delivery_report: bool,
    envelope: &Envelope,
    own: &OwnAddresses,
) -> Option<Silence> {
    let Some(sender) = &envelope.sender else {
        return Some(Silence::NullSender);
    };
    if is_delivery_report {
        return Some(Silence::DeliveryReport);
    }
    let kind = Type::of(header);
    match kind.report.as_deref() {
        Some("disposition-notification") => return Some(Silence::Receipt),
        Some("feedback-report") => return Some(Silence::Complaint),
        _ if kind.name == "multipart/report" => return Some(Silence::Report),
        _ => {}
    }
    // The first word is the value; parameters and comments may follow.
    let automatic = header
        .texts("Auto-Submitted")
        .map(|value| first_word(&value))
        .find(|word| !word.is_empty() && word != "no");
    if let Some(word) = automatic {
        return Some(Silence::AutoSubmitted(word));
    }
    if is_automatic_subject(&header.decoded("Subject")) {
        return Some(Silence::Subject);
    }
    if let Some(field) = AUTOREPLY_FIELDS.into_iter().find(|field| header.has(field)) {
        return Some(Silence::Autoreply(field));
    }
    let bulk = header
        .texts("Precedence")
        .map(|value| first_word(&value))
        .find(|word| matches!(word.as_str(), "bulk" | "list" | "junk" | "auto_reply"));
    if let Some(word) = bulk {
        return Some(Silence::Precedence(word));
    }
    if header.has("List-Id") {
        return Some(Silence::List);
    }
    if own.has(sender) || from.is_some_and(|from| own.has(from)) {
        return Some(Silence::OwnAddress);
    }
    if header.has(LOOP_FIELD) {
        return Some(Silence::LoopMark);
    }
    [Some(sender), from]
        .into_iter()
        .flatten()
        .find(|address| is_robot(address))
        .map(|address| Silence::Robot(address.clone()))
}

/// Whether a subject begins as those that vacation programs write. Many of these mark their answers in no other way.
fn is_automatic_subject(subject: &str) -> bool {
    let subject = visible(subject).trim_start().to_lowercase();
    AUTOMATIC_SUBJECTS
        .iter()
        .any(|row| row.iter().any(|begin| subject.starts_with(begin)))
}

/// The first word of a value in lower case, at most 40 characters.
fn first_word(value: &str) -> String {
    value
        .chars()
        .take_while(|c| !c.is_whitespace() && !matches!(c, ';' | '('))
        .take(40)
        .collect::<String>()
        .to_lowercase()
}

/// Whether an address looks like that of a program.
fn is_robot(address: &Address) -> bool {
    let local = address.local().to_ascii_lowercase();
    let base = local.split(['+', '=']).next().unwrap_or_default();
    let joined: String = base.chars().filter(char::is_ascii_alphanumeric).collect();
    let first = base.split(['-', '_', '.']).next().unwrap_or_default();
    ROBOTS.contains(&joined.as_str())
        || joined.starts_with("noreply")
        || joined.starts_with("donotreply")
        || matches!(first, "bounce" | "bounces" | "mailer-daemon")
        || base.starts_with("owner-")
        || [
            "-request",
            "-owner",
            "-bounces",
            "-noreply",
            "-no-reply",
            ".noreply",
            "_noreply",
        ]
        .iter()
        .any(|end| base.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::visible_sender::visible_sender;
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    fn why(sender: Option<&str>, text: &str) -> Option<Silence> {
        let own = OwnAddresses::new(
            address("pbmserv@host.example"),
            vec![address("games@old.example")],
        );
        let (header, _) = Header::split(text.as_bytes()).ok().unwrap();
        let envelope = Envelope {
            sender: sender.map(address),
            recipients: vec![own.present().clone()],
        };
        silence(&header, visible_sender(&header).as_ref(), false, &envelope, &own)
    }

    #[test]
    fn people_are_answered() {
        for text in [
            "From: bob@b.example",
            "Auto-Submitted: no",
            "auto-submitted: No (really); x=y",
            "Precedence: first-class",
            "X-Auto-Response-Suppress: All",
            "List-Unsubscribe: <mailto:x@y>",
            "From: reply@b.example",
            "From: bouncer@b.example",
            "From: nora.plys@b.example",
            "Subject: Re: Pow2 Board 101 bob",
            "Subject: Automatic help",
            "Subject: vacation alice fig7elk 5",
            "Subject: Re: Is bob@b.example your address, bob?",
            "Subject: automobile: yes",
        ] {
            assert_eq!(why(Some("bob@b.example"), text), None, "{text}");
        }
    }

    #[test]
    fn programs_lists_and_ourselves_are_not() {
        assert_eq!(why(None, "From: bob@b.example"), Some(Silence::NullSender));
        for (text, expected) in [
            (
                "Auto-Submitted: auto-replied",
                Silence::AutoSubmitted("auto-replied".into()),
            ),
            (
                "AUTO-SUBMITTED: no\nAuto-Submitted: Auto-Generated; x",
                Silence::AutoSubmitted("auto-generated".into()),
            ),
            (
                "Content-Type: multipart/report; boundary=b; report-type=\"disposition-notification\"",
                Silence::Receipt,
            ),
            (
                "Content-Type: multipart/report; boundary=b; report-type=feedback-report",
                Silence::Complaint,
            ),
            (
                "Content-Type: Multipart/Report; boundary=b; report-type=tlsrpt",
                Silence::Report,
            ),
            ("Subject: Auto: Re: Pow2 Board 101 bob", Silence::Subject),
            ("Subject: Auto reply: Pow2 Board 101 bob", Silence::Subject),
            ("subject:  AUTOREPLY: x", Silence::Subject),
            ("Subject: Automatic reply: x", Silence::Subject),
            ("Subject: Out of Office Re: x", Silence::Subject),
            ("Subject: Abwesenheitsnotiz: x", Silence::Subject),
            ("Subject: Abwesenheit", Silence::Subject),
            (
                "Subject: =?utf-8?q?R=C3=A9ponse_automatique?= : x",
                Silence::Subject,
            ),
            (
                "Subject: Respuesta =?utf-8?b?YXV0b23DoXRpY2E6IHg=?=",
                Silence::Subject,
            ),
            ("Precedence: BULK", Silence::Precedence("bulk".into())),
            ("Precedence: junk", Silence::Precedence("junk".into())),
            ("Precedence: list", Silence::Precedence("list".into())),
            ("List-Id: <x.y>", Silence::List),
            ("X-Autoreply: yes", Silence::Autoreply("X-Autoreply")),
            ("From: PBMserv+abc@HOST.example", Silence::OwnAddress),
            ("X-pbmserv-loop: <PBMSERV@host.example>", Silence::LoopMark),
            ("X-Pbmserv-Loop: other@elsewhere.example", Silence::LoopMark),
        ] {
            assert_eq!(why(Some("bob@b.example"), text), Some(expected), "{text}");
        }
        assert_eq!(why(Some("pbmserv+1@host.example"), ""), Some(Silence::OwnAddress));
        assert_eq!(why(Some("games+1@old.example"), ""), Some(Silence::OwnAddress));
    }

    #[test]
    fn an_address_of_a_program_is_known_on_either_side() {
        for robot in [
            "MAILER-DAEMON@b.example",
            "no-reply@b.example",
            "noreply-x@b.example",
            "No.Reply+7@b.example",
            "do_not_reply@b.example",
            "shop-noreply@b.example",
            "bounces+bob=b.example@list.example",
            "bounce-123@b.example",
            "owner-list@b.example",
            "list-request@b.example",
            "postmaster@b.example",
        ] {
            let silence = Some(Silence::Robot(address(robot)));
            assert_eq!(why(Some(robot), "From: bob@b.example"), silence, "{robot}");
            assert_eq!(
                why(Some("bob@b.example"), &format!("From: {robot}")),
                silence,
                "{robot}"
            );
        }
    }

    #[test]
    fn the_reason_is_a_sentence() {
        let why = why(Some("bob@b.example"), "Precedence: bulk\n").unwrap();
        assert_eq!(why.to_string(), "it is bulk mail (Precedence: bulk)");
    }
}
