//! Bytes of a message as lines and as text.

use mail_parser::decoders::charsets::map::charset_decoder;

/// The first line without its end (LF or CRLF), and the rest.
pub(super) fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match bytes.iter().position(|&c| c == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[][..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// Decodes valid UTF-8 as such, anything else as windows-1252: the two charsets that are sent without a label.
pub(super) fn lenient_utf8(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // A length limit may have cut a character.
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => charset_decoder(b"windows-1252").map_or_else(
            || String::from_utf8_lossy(bytes).into_owned(),
            |decode| decode(bytes),
        ),
    }
}
