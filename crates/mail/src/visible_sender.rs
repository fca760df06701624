//! The visible sender of a message: the mailbox in `From`, if every mail program would show the same one.
//!
//! A player's address is believed by what this finds, and the mail server before us may have checked another of several
//! mailboxes. So anything ambiguous is nobody (RFC 7489, section 6.6.1).

use super::Address;
use super::bytes::lenient_utf8;
use super::header::{Header, VALUE_MAX_BYTES, split_field};

/// The only mailbox in the only `From` field.
///
/// `None` if there is a second field, even one that is no field by the rules but that a mail program might show (`From\0:`); or
/// if the field has several mailboxes, a group, or none.
pub(super) fn visible_sender(header: &Header<'_>) -> Option<Address> {
    let mut fields = header.raw("From");
    let value = fields.next()?;
    // A longer value is cut, so a second mailbox could stand behind.
    let is_whole = value.len() < VALUE_MAX_BYTES;
    let is_sole = fields.next().is_none() && lines_like_from(header.bytes()) == 1;
    (is_whole && is_sole).then(|| sole_mailbox(&lenient_utf8(value)))?
}

/// How many lines of a header a mail program might take for `From`. The line that folds a field is part of that field; a CR
/// alone ends a line for some programs.
fn lines_like_from(header: &[u8]) -> usize {
    let mut count = 0;
    let mut is_field = false;
    for line in header.split(|c| matches!(c, b'\n' | b'\r')) {
        let is_indented = line.starts_with(b" ") || line.starts_with(b"\t");
        if line.is_empty() || is_indented && is_field {
            continue;
        }
        count += usize::from(is_like_from(line));
        is_field = !is_indented && split_field(line).is_some();
    }
    count
}

/// Whether only `From` is left of a line's name without blanks and signs.
fn is_like_from(line: &[u8]) -> bool {
    let name = line.split(|c| *c == b':').next().unwrap_or_default();
    let letters = name.iter().filter(|c| c.is_ascii_alphanumeric());
    letters.map(u8::to_ascii_lowercase).eq(*b"from")
}

/// The mailbox of a value that has no other (RFC 5322, section 3.4): `a@b`, or `Name <a@b>`, with comments and quoted strings.
fn sole_mailbox(value: &str) -> Option<Address> {
    let kept = without_comments(&value.replace("\r\n", "\n"))?;
    // The signs of lists, groups and routes.
    if kept.contains([',', ';', ':']) {
        return None;
    }
    let Some((name, rest)) = kept.split_once('<') else {
        return Address::parse(kept.trim()).ok();
    };
    let (address, after) = rest.split_once('>')?;
    let address = Address::parse(address.trim()).ok()?;
    // Some programs write the address as the name too, without the quotes that it needs.
    let is_name = !name.contains(['@', '>']) || name.trim().eq_ignore_ascii_case(address.as_str());
    (is_name && after.trim().is_empty()).then_some(address)
}

/// The value with a blank for each comment and `""` for each quoted string. `None` if one does not end, or there is a control
/// character.
fn without_comments(value: &str) -> Option<String> {
    let mut depth = 0_usize;
    let (mut is_quoted, mut is_escaped) = (false, false);
    let mut kept = String::with_capacity(value.len());
    for c in value.chars() {
        if c.is_control() && !matches!(c, '\t' | '\n') {
            return None;
        }
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' if depth > 0 || is_quoted => is_escaped = true,
            '"' if depth == 0 => {
                is_quoted = !is_quoted;
                kept.push(c);
            }
            '(' if !is_quoted => {
                depth += 1;
                kept.push(' ');
            }
            ')' if !is_quoted => depth = depth.checked_sub(1)?,
            c if depth == 0 && !is_quoted => kept.push(c),
            _ => {}
        }
    }
    (depth == 0 && !is_quoted && !is_escaped).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(header: &[u8]) -> Option<String> {
        let header = Header::split(header).ok().unwrap().0;
        visible_sender(&header).map(|address| address.to_string())
    }

    #[test]
    fn one_mailbox_is_found_in_every_form() {
        for value in [
            "bob@b.example",
            "<bob@b.example>",
            "Bob <bob@b.example>",
            "\"Bob, B.\" <bob@b.example>",
            "\"a@b, \\\" <c@d>\" <bob@b.example>",
            "bob@b.example (Bob)",
            "(a@b, (c@d)) bob@b.example",
            "=?utf-8?Q?B=C3=B6b?=\n <bob@b.example>",
            "Bob\r\n\t<bob@b.example>",
            "bob@b.example <bob@b.example>",
            "B\u{f6}b <bob@b.example>",
        ] {
            for name in ["From", "FROM", "from "] {
                let text = format!("Subject: x\n{name}: {value}\nTo: c@d\n\nFrom: e@f\n");
                assert_eq!(found(text.as_bytes()).as_deref(), Some("bob@b.example"), "{text}");
            }
        }
    }

    #[test]
    fn more_or_less_than_one_mailbox_is_nobody() {
        for value in [
            "",
            "nobody",
            "<>",
            "bob@b.example, eve@e.example",
            "Bob <bob@b.example>, Eve <eve@e.example>",
            "bob@b.example eve@e.example",
            "<bob@b.example> <eve@e.example>",
            "eve@e.example <bob@b.example>",
            "<bob@b.example> eve@e.example",
            "bob@b.example,",
            "Players: bob@b.example;",
            "Players: bob@b.example, eve@e.example;",
            "undisclosed-recipients:;",
            "<@e.example:bob@b.example>",
            "<bob(\"@e.example\")@b.example>",
            "<\"eve\"bob@b.example>",
            "bob@b.example (",
            "bob@b.example )",
            "bob@b.example \"",
            "\"bob@b.example\\",
            "bob@b.example\0",
            "bob@b.example\r, eve@e.example",
            "<bob@b.example",
            "bob@b.example>",
        ] {
            assert_eq!(found(format!("From: {value}\n\n").as_bytes()), None, "{value}");
        }
    }

    #[test]
    fn a_second_field_counts_wherever_and_however_it_stands() {
        for other in [
            "From: eve@e.example",
            "FROM: eve@e.example",
            "From : eve@e.example",
            "From\t:eve@e.example",
            "From:",
            "From\u{b}: eve@e.example",
            "From\0: eve@e.example",
            "\u{feff}From: eve@e.example",
            "F rom: eve@e.example",
            "From\n : eve@e.example",
            "From",
            "Subject: x\rFrom: eve@e.example",
            "junk\n From: eve@e.example",
        ] {
            let filler = "X: y\n".repeat(2000);
            for text in [
                format!("From: bob@b.example\n{other}\n\n"),
                format!("{other}\nFrom: bob@b.example\n\n"),
                format!("From: bob@b.example\n{filler}{other}\n\n"),
            ] {
                assert_eq!(found(text.as_bytes()), None, "{other:?}");
            }
        }
        let indented = " From: eve@e.example\nFrom: bob@b.example\n\n";
        assert_eq!(found(indented.as_bytes()), None, "it folds no field");
    }

    #[test]
    fn what_no_program_shows_as_the_sender_is_no_second_field() {
        for other in [
            "From bob@b.example Fri Nov 20 08:00:00 2026",
            "Subject: x\n From: eve@e.example",
            "DKIM-Signature: v=1; h=To:\n\tFrom:Subject:Date; b=x",
            "Resent-From: eve@e.example",
            "X-From: eve@e.example",
            "Sender: eve@e.example\nSender: carol@c.example",
            "Reply-To: eve@e.example",
        ] {
            let text = format!("{other}\nFrom: bob@b.example\n\nFrom: eve@e.example\n");
            assert_eq!(
                found(text.as_bytes()).as_deref(),
                Some("bob@b.example"),
                "{other}"
            );
        }
    }

    #[test]
    fn nothing_hides_behind_the_longest_value() {
        let text = format!(
            "From: bob@b.example{}, eve@e.example\n\n",
            " ".repeat(VALUE_MAX_BYTES)
        );
        assert_eq!(found(text.as_bytes()), None);
    }

    proptest! {
        /// Whatever else stands in the value, two addresses outside quotes and comments are nobody.
        #[test]
        fn two_addresses_are_nobody(between in "[ ,;:<>a-z@.\"()\\\\\t]{1,20}") {
            let value = format!("bob@b.example {between} eve@e.example");
            let found = found(format!("From: {value}\n\n").as_bytes());
            let is_hidden = between.contains(['"', '(', '<']);
            prop_assert!(found.is_none() || is_hidden, "{value}: {found:?}");
        }

        #[test]
        fn any_header_is_read(bytes in prop::collection::vec(prop::sample::select(b"From: \t\r\n<>@a.,;\"(\\)\0\xff".to_vec()), 0..200)) {
            if let Ok((header, _)) = Header::split(&bytes) {
                drop(visible_sender(&header));
            }
        }
    }
}
