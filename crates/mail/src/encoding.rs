//! Decoding the bytes of a part: transfer encodings (RFC 2045, section 6) and charsets, both leniently.

use data_encoding::{Encoding, Specification};
use mail_parser::decoders::charsets::map::charset_decoder;
use std::sync::LazyLock;

use super::bytes::{lenient_utf8, split_line};

/// Base64 without padding and with arbitrary last bits: clients differ in both.
static BASE64: LazyLock<Option<Encoding>> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification
        .symbols
        .push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    specification.check_trailing_bits = false;
    specification.encoding().ok()
});

/// Undoes a `Content-Transfer-Encoding`; an unknown one counts as none. Line ends of the transport become LF first: a
/// UTF-7 shift across a line end would decode CRLF and LF differently.
pub(super) fn undo_transfer(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    if encoding.eq_ignore_ascii_case("base64") {
        base64(bytes)
    } else if encoding.eq_ignore_ascii_case("quoted-printable") {
        quoted_printable(bytes)
    } else {
        with_lf(bytes)
    }
}

/// Replaces CRLF by LF.
fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&c| c == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// Decodes base64 up to its padding. Text that is not base64 in spite of its label stays as it is.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut symbols: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut junk = 0_usize;
    for &c in bytes {
        match c {
            b'=' => break,
            b'+' | b'/' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => symbols.push(c),
            c if c.is_ascii_whitespace() => {}
            _ => junk += 1,
        }
    }
    if junk > symbols.len() / 64 {
        return with_lf(bytes);
    }
    if symbols.len() % 4 == 1 {
        symbols.pop();
    }
    BASE64
        .as_ref()
        .and_then(|base64| base64.decode(&symbols).ok())
        .unwrap_or_else(|| with_lf(bytes))
}

/// Decodes quoted-printable; an `=` that begins no escape stays.
fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let hex = |c: u8| char::from(c).to_digit(16);
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        let had_end = line.len() < rest.len() - after.len();
        rest = after;
        let line = line.trim_ascii_end();
        let (line, is_soft) = match line.strip_suffix(b"=") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let mut at = 0;
        while at < line.len() {
            let escape = line
                .get(at + 1..at + 3)
                .and_then(|pair| Some(hex(pair[0])? * 16 + hex(pair[1])?))
                .and_then(|code| u8::try_from(code).ok());
            match escape {
                Some(code) if line[at] == b'=' => {
                    out.push(code);
                    at += 3;
                }
                _ => {
                    out.push(line[at]);
                    at += 1;
                }
            }
        }
        if had_end && !is_soft {
            out.push(b'\n');
        }
    }
    out
}

/// Decodes text in a named charset. Without a name, for ASCII, and for an unknown name: UTF-8 if valid, else
/// windows-1252.
pub(super) fn to_text(charset: Option<&str>, bytes: &[u8]) -> String {
    let charset = charset.map(|name| name.trim().to_ascii_lowercase());
    match charset.as_deref() {
        None | Some("us-ascii" | "ascii") => lenient_utf8(bytes),
        Some("utf-8" | "utf8") => String::from_utf8_lossy(bytes).into_owned(),
        Some(name) => {
            charset_decoder(name.as_bytes()).map_or_else(|| lenient_utf8(bytes), |decode| decode(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_with_and_without_padding_and_junk_stays_as_it_is() {
        assert_eq!(undo_transfer("BASE64", b"bTEzLWo3\r\n"), b"m13-j7");
        assert_eq!(undo_transfer("base64", b"bTEzLWo\n"), b"m13-j");
        assert_eq!(undo_transfer("base64", b"bTEzLWo=\nnot this"), b"m13-j");
        assert_eq!(undo_transfer("base64", b"m13-j7, please"), b"m13-j7, please");
    }

    #[test]
    fn quoted_printable_keeps_invalid_escapes() {
        assert_eq!(
            undo_transfer("quoted-printable", b"Gr=C3=bc=\r\n=C3=9Fe  \r\na=b =3"),
            "Grüße\na=b =3".as_bytes()
        );
    }

    #[test]
    fn a_shift_of_utf_7_over_a_line_end_is_read_alike_with_lf_and_crlf() {
        let read = |bytes| to_text(Some("utf-7"), &undo_transfer("7bit", bytes));
        assert_eq!(read(b"a +AOQ\r\nb"), read(b"a +AOQ\nb"));
    }

    #[test]
    fn charsets_are_known_by_their_names_and_guessed_otherwise() {
        assert_eq!(to_text(Some("ISO-8859-1"), b"\x93a\x94 \x97 \xfc"), "“a” — ü");
        assert_eq!(to_text(Some("koi8-r"), b"\xc8\xcf\xc4"), "ход");
        assert_eq!(to_text(None, "ü".as_bytes()), "ü");
        assert_eq!(to_text(Some("x-unheard-of"), b"\xfc"), "ü");
        assert_eq!(to_text(Some("us-ascii"), "ü".as_bytes()), "ü");
    }
}
