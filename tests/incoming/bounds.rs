//! Messages built to cost time or memory: each is refused or read within 50 ms and 20 MiB, without its own bytes.
//! Measured only in a release build, by `make slow`.

use std::alloc::System;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pbmserv_mail::{
    Address, Given, OwnAddresses, Unreadable, clean_subject, envelope_from_header, plain, read,
};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait as _};

mod verified;

#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Held by a test that measures: the allocator counts for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// The longest time to read one message.
const MAX_TIME: Duration = Duration::from_millis(50);
/// The most memory in use at a time while one message is read, in bytes.
const MAX_MEMORY: usize = 20 * 1024 * 1024;
/// The tolerance of the CPU clock.
const TICK: Duration = Duration::from_millis(10);
/// The size of a message: the default limit.
const SIZE: usize = 1024 * 1024;

/// The expected outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Read,
    Refused(Unreadable),
}

use Fate::{Read, Refused};

/// A text repeated up to this many bytes.
fn filled(piece: &str, size: usize) -> String {
    piece.repeat(size.checked_div(piece.len()).unwrap_or(0))
}

/// A message with these header lines, filled up with its body.
fn body(header: &str, piece: &str) -> Vec<u8> {
    format!(
        "From: a@odd.example\nMessage-ID: <1@odd.example>\n{header}\n\n{}",
        filled(piece, SIZE)
    )
    .into_bytes()
}

/// A message with one field, filled up to the longest header that is read.
fn field(name: &str, piece: &str) -> Vec<u8> {
    let value = filled(piece, 255 * 1024);
    format!("From: a@odd.example\n{name}: {value}\n\nhelp\n").into_bytes()
}

/// Parts within parts, each with its own boundary, the innermost filled.
fn nested(levels: usize) -> Vec<u8> {
    let mut out = "From: a@odd.example\n".to_owned();
    for level in 0..levels {
        write!(
            out,
            "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"
        )
        .unwrap();
    }
    let rest = SIZE.saturating_sub(out.len());
    (out + "\n" + &filled("--b\n", rest)).into_bytes()
}

const MIXED: &str = "Content-Type: multipart/mixed; boundary=b";
const HTML: &str = "Content-Type: text/html; charset=utf-8";
const BASE64: &str = "Content-Transfer-Encoding: base64";
const QUOTED: &str = "Content-Transfer-Encoding: quoted-printable";

/// Pages, by their building block.
const PAGES: &[&str] = &[
    "<div>",
    "<blockquote>",
    "<pre>\n",
    "<p>x",
    "<hr>",
    "<",
    "</",
    "<!--",
    "<style>",
    "</style",
    "<a b='",
    "&",
    "&amp;",
    "&#x26;",
    "&#99999999999;",
    "&CounterClockwiseContourIntegral;",
    "<td>&nbsp;",
    "<blockquote><div>a</div></blockquote>",
];

/// Plain texts, by their building block.
const TEXTS: &[&str] = &[
    ">",
    ">\n",
    "> \n",
    "\n",
    " ",
    "x",
    "-",
    "_",
    "--\n",
    "=?utf-8?q?",
    "=?utf-8?b?5A==?= ",
    "On 5 Nov 2026, Bob <b@b.example>\n",
    "On 2026 wrote\n> q\n",
    "From: x\n",
    "From: x\n\n\n\n\n\n\n\n",
    "Von: x\nSubject: y\n",
    "Sent from my iPhone\n> q\n",
    "Sent from my iPhone\n",
    "_____\n",
    "----- Original Messag -----\n",
    "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "a1-e1\n",
    "10:21 2026 ",
    "b@b.example wrote:\n",
    "<b@b.example> wrote: ",
    "\u{feff}\u{200b}\u{202e}",
    "\u{2028}",
    "\u{fdfa}",
    "\u{300}",
    "\u{1f1ec}",
    "\u{1f469}\u{200d}",
];

/// Charsets and a text for each.
const CHARSETS: &[(&str, &str)] = &[
    ("x-nonsense", "\u{e4}"),
    ("utf-7", "+AOQ-"),
    ("utf-7", "+"),
    ("utf-7", "+////"),
    ("utf-16", "ab"),
    ("iso-2022-jp", "\u{1b}$B"),
    ("iso-2022-jp", "\u{1b}$BF|\u{1b}(B"),
    ("hz-gb-2312", "~{VP~}"),
    ("gb18030", "\u{e4}\u{30}"),
    ("big5", "\u{fe}"),
    ("shift_jis", "\u{83}\\"),
    ("ks_c_5601-1987", "\u{b0}"),
    ("koi8-r", "\u{c8}"),
    ("windows-1258", "\u{d2}"),
];

/// Header fields and their filling.
const FIELDS: &[(&str, &str)] = &[
    ("Subject", "x"),
    ("Subject", "=?utf-8?q?"),
    ("Subject", "=?utf-8?q?=C3?= "),
    ("Subject", "=?utf-8?b?5A==?=\n "),
    ("Subject", "=?a?"),
    ("Subject", "=?"),
    ("Subject", "Re: "),
    ("Subject", "[x]"),
    ("Subject", "\n "),
    ("From", "("),
    ("From", "\""),
    ("From", "a@b.example, "),
    ("From", "<"),
    ("From", "a:"),
    ("To", "=?utf-8?q?a?= "),
    ("To", "é@é, "),
    ("To", "иван+x@почта.example, "),
    ("To", "дзж.иклмн@бвгд.ежзий.клмно.прсту.фхцчш.example, "),
    ("Cc", "a\u{300}\u{301}\u{302}\u{303}@b\u{300}\u{301}.example, "),
    ("From", "иван@почта.example, "),
    ("From", "\u{300}"),
    ("Subject", "\u{300}"),
    ("Subject", "\u{1f1ec}"),
    ("Subject", "\u{1f469}\u{200d}"),
    ("References", "<a@b.example> "),
    ("References", "<"),
    ("In-Reply-To", "<a@b.example>\n "),
    ("Message-ID", "<"),
    ("Date", "x"),
    ("Content-Type", "multipart/mixed; "),
    ("Content-Type", "text/plain; charset*0*=utf-8''a; "),
    ("Content-Type", "multipart/mixed; boundary=\""),
    ("Content-Disposition", "attachment; filename*1=\"a\"; "),
    ("Content-Transfer-Encoding", "base64 "),
    ("Authentication-Results", "x; dmarc=pass ("),
    ("Auto-Submitted", "no ("),
    ("X-Pbmserv-Loop", "<a@b.example> "),
    ("Return-Path", "<"),
    ("Delivered-To", "\""),
];

fn cases() -> Vec<(String, Vec<u8>, Fate)> {
    let mut cases = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>, fate| cases.push((name.to_owned(), bytes, fate));
    add(
        "a megabyte of a subject",
        body(&format!("Subject: {}", filled("x", SIZE)), "x"),
        Refused(Unreadable::HeaderTooLong),
    );
    add(
        "a hundred thousand fields",
        body(&filled("X: y\n", 500_000), "x"),
        Refused(Unreadable::HeaderTooLong),
    );
    add(
        "the most fields that fit",
        body(&filled("X:\n", 250 * 1024), "x"),
        Read,
    );
    add(
        "one part after the other",
        body(MIXED, "--b\n\n\n"),
        Refused(Unreadable::TooManyParts),
    );
    add(
        "files, one after the other",
        body(MIXED, "--b\nContent-Type: image/png\n\nx\n"),
        Refused(Unreadable::TooManyParts),
    );
    add(
        "parts of nothing but fields",
        body(MIXED, &format!("--b\n{}", filled("X:\n", 5000))),
        Refused(Unreadable::TooManyParts),
    );
    add(
        "the most parts that are read",
        body(
            MIXED,
            &format!("--b\nContent-Type: image/png\n\n{}\n", filled("x", 5300)),
        ),
        Read,
    );
    add("a thousand levels", nested(1000), Refused(Unreadable::TooDeep));
    add("the most levels", nested(10), Read);
    add(
        "messages in one another",
        body("Content-Type: message/rfc822", "Content-Type: message/rfc822\n\n"),
        Read,
    );
    add(
        "a report of many parts",
        body(
            "Content-Type: multipart/report; boundary=b; report-type=delivery-status",
            "--b\nContent-Type: message/delivery-status\n\nStatus: 5.1.1\n",
        ),
        Refused(Unreadable::TooManyParts),
    );
    add(
        "alternatives, all pages",
        body(
            "Content-Type: multipart/alternative; boundary=b",
            &format!("--b\n{HTML}\n\n{}\n", filled("<p>", 5400)),
        ),
        Read,
    );
    add(
        "no message at all",
        b"\0\n".repeat(50_000),
        Refused(Unreadable::NoHeader),
    );
    for piece in ["=", "A", "AAAA\n", "!", "A!", "\u{ff}", "====", "PGRpdj4="] {
        add(
            &format!("base64 of {piece:?}"),
            body(&format!("{HTML}\n{BASE64}"), piece),
            Read,
        );
    }
    for piece in ["=", "=3D", "=\n", "==", "=C3", " \n", " "] {
        add(
            &format!("quoted-printable of {piece:?}"),
            body(&format!("{HTML}\n{QUOTED}"), piece),
            Read,
        );
    }
    for piece in PAGES {
        add(&format!("a page of {piece:?}"), body(HTML, piece), Read);
    }
    for piece in TEXTS {
        add(&format!("a text of {piece:?}"), body("X: y", piece), Read);
        add(
            &format!("flowed, of {piece:?}"),
            body(
                "Content-Type: text/plain; format=flowed; delsp=yes",
                &format!("{piece} "),
            ),
            Read,
        );
    }
    for (charset, piece) in CHARSETS {
        let bytes = body(&format!("Content-Type: text/plain; charset={charset}"), "");
        // In bytes of that charset: a character below 256 is one byte.
        let piece: Vec<u8> = piece
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect();
        add(
            &format!("{charset} of {piece:?}"),
            [bytes, piece.repeat(SIZE / piece.len())].concat(),
            Read,
        );
    }
    for (name, piece) in FIELDS {
        add(&format!("{name} of {piece:?}"), field(name, piece), Read);
    }
    cases
}

/// Reads a message like a door: the envelope, the message, its words as commands.
fn fate(bytes: &[u8]) -> Fate {
    let own = OwnAddresses::from(Address::parse("pbmserv@games.example").unwrap());
    let envelope = envelope_from_header(bytes, &Given::default(), &own).unwrap();
    match read(bytes, &envelope, &own, &crate::fuzzed::fuzz::mail::WORDS) {
        Err(why) => Refused(why),
        Ok(mail) => {
            let subject = clean_subject(&mail.subject);
            let words: usize = mail.text.iter().map(|line| plain(line).len()).sum();
            assert!(subject.len() <= 4096 && words <= 256 * 1024, "{words}");
            Read
        }
    }
}

/// The time to read a message: wall clock, or CPU time if other processes were running.
fn cost(bytes: &[u8]) -> Duration {
    let (start, before) = (Instant::now(), busy());
    fate(bytes);
    let elapsed = start.elapsed();
    match (before, busy()) {
        (Some(before), Some(after)) => elapsed.min(after.saturating_sub(before) + TICK),
        _ => elapsed,
    }
}

/// The CPU time of this thread, to a tick of the kernel; only on Linux.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        text.split_whitespace().next()?.parse().ok()?,
    ))
}

#[test]
#[ignore = "measures a release build: make slow"]
fn no_message_costs_much() {
    let _alone = ALONE.lock().unwrap();
    let mut wrong = String::new();
    let mut figures = Vec::new();
    for (name, bytes, expected) in cases() {
        MEMORY.reset_peak_memory();
        let before = MEMORY.get_peak_memory();
        let found = fate(&bytes);
        let memory = MEMORY.get_peak_memory().saturating_sub(before);
        // The best of three runs.
        let time = (0..3).map(|_| cost(&bytes)).min().unwrap();
        if found != expected || time > MAX_TIME || memory > MAX_MEMORY {
            writeln!(
                wrong,
                "{name}: {found:?} in {time:?} with {memory} bytes, not {expected:?}"
            )
            .unwrap();
        }
        figures.push((time, memory, name));
    }
    figures.sort();
    for (time, memory, name) in figures.iter().rev() {
        eprintln!(
            "{:7.2} ms {:6.2} MiB  {name}",
            time.as_secs_f64() * 1e3,
            *memory as f64 / 1048576.0
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}
