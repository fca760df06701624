//! The header of a message or part: finds the fields in untrusted input, and reads their values.

use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue};

use super::Address;
use super::bytes::{lenient_utf8, split_line};
use super::words::decode_words;

/// The longest header that is read, in bytes. Postfix accepts 100 KiB by default.
const HEADER_MAX_BYTES: usize = 256 * 1024;
/// The most fields that are read; later ones are ignored.
const FIELDS_MAX: usize = 1000;
/// The most bytes of a field's value that are decoded.
pub(super) const VALUE_MAX_BYTES: usize = 8 * 1024;

/// The most mailboxes in the fields of one name that are read. Those in other scripts take microseconds each.
const MAILBOXES_MAX: usize = 1000;

/// The fields of a header in their order.
pub(super) struct Header<'a> {
    bytes: &'a [u8],
    fields: Vec<Field<'a>>,
}

struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// Whether the colon stands right after the name, as it must. Programs differ on what it is otherwise.
    is_exact: bool,
}

/// The header is longer than the limit.
pub(super) struct TooLong;

impl<'a> Field<'a> {
    fn bounded(&self) -> &'a [u8] {
        &self.value[..self.value.len().min(VALUE_MAX_BYTES)]
    }
}

impl<'a> Header<'a> {
    /// Splits a message or part into header and body (RFC 5322, section 2.1).
    ///
    /// Ignores lines that are neither a field nor its continuation, such as the `From ` line of an mbox.
    pub(super) fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), TooLong> {
        let mut fields: Vec<Field<'_>> = Vec::new();
        let mut rest = bytes;
        let mut is_continued = false;
        let mut value_begins = 0;
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let (line, after) = split_line(rest);
            if at + line.len() > HEADER_MAX_BYTES {
                return Err(TooLong);
            }
            rest = after;
            if line.is_empty() {
                break;
            }
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                if is_continued && let Some(field) = fields.last_mut() {
                    field.value = &bytes[value_begins..at + line.len()];
                }
                continue;
            }
            let field = split_field(line);
            is_continued = field.is_some() && fields.len() < FIELDS_MAX;
            if let Some((name, value)) = field.filter(|_| is_continued) {
                value_begins = at + line.len() - value.len();
                let is_exact = line.get(name.len()) == Some(&b':');
                fields.push(Field {
                    name,
                    value,
                    is_exact,
                });
            }
        }
        let bytes = &bytes[..bytes.len() - rest.len()];
        Ok((Self { bytes, fields }, rest))
    }

    /// All its lines, with those that are no field.
    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether there is no field at all.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The values of the fields with this name, topmost first, as raw bytes.
    pub(super) fn raw<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'a [u8]> + 's {
        self.fields
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name.as_bytes()))
            .map(Field::bounded)
    }

    /// As [`texts`](Self::texts), of those fields alone that every program reads alike: the colon right after the name, and no
    /// control character.
    pub(super) fn exact_texts<'s>(&'s self, name: &'s str) -> impl Iterator<Item = String> + 's {
        let named = |field: &&Field<'_>| field.is_exact && field.name.eq_ignore_ascii_case(name.as_bytes());
        let exact = self.fields.iter().filter(named).map(Field::bounded);
        let is_plain = |value: &&[u8]| {
            // A line that does not begin with a blank would be another field.
            let unfolded = value
                .split(|&c| c == b'\n')
                .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            unfolded.flatten().all(|&c| c == b'\t' || !c.is_ascii_control())
        };
        exact.filter(is_plain).map(|value| one_line(&lenient_utf8(value)))
    }

    /// Whether there is a field with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.raw(name).next().is_some()
    }

    /// The values of the fields with this name, topmost first, unfolded to one line; encoded words are not decoded.
    pub(super) fn texts<'s>(&'s self, name: &'s str) -> impl Iterator<Item = String> + 's {
        self.raw(name).map(|value| one_line(&lenient_utf8(value)))
    }

    /// The topmost value of this name that is not blank.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.texts(name).find(|value| !value.is_empty())
    }

    /// The topmost value of this name on one line, with encoded words (RFC 2047) decoded.
    pub(super) fn decoded(&self, name: &str) -> String {
        let value = self.raw(name).next().map(lenient_utf8).unwrap_or_default();
        one_line(&decode_words(&value))
    }

    /// The first mailboxes in the fields of this name, including those in groups; at most 1000.
    pub(super) fn mailboxes(&self, name: &str) -> Vec<Address> {
        let mut found = Vec::new();
        let mut read = 0;
        for value in self.raw(name) {
            let HeaderValue::Address(list) = MessageStream::new(&ended(value)).parse_address().into_owned()
            else {
                continue;
            };
            let written = list.iter().filter_map(|mailbox| mailbox.address());
            let left = MAILBOXES_MAX.saturating_sub(read);
            let parsed = written.take(left).inspect(|_| read += 1);
            found.extend(parsed.filter_map(|text| Address::parse(text.trim()).ok()));
        }
        found
    }

    /// The values in angle brackets in the fields of this name: Message-IDs (RFC 5322, section 3.6.4). Of a field without
    /// brackets, the words that have the form of one.
    pub(super) fn ids(&self, name: &str) -> Vec<String> {
        let mut ids = Vec::new();
        for value in self.texts(name) {
            if !value.contains('<') {
                let words = value.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '>'));
                ids.extend(words.filter(|word| word.contains('@')).map(str::to_owned));
            }
            for piece in value.split('<').skip(1) {
                if let Some((id, _)) = piece.split_once('>') {
                    ids.push(id.chars().filter(|c| !c.is_whitespace()).collect());
                }
            }
        }
        ids
    }

    /// The name of the topmost field for which this is true of its name and its value.
    pub(super) fn find_name(&self, is_wanted: impl Fn(&str, &str) -> bool) -> Option<String> {
        let name = |field: &Field<'_>| String::from_utf8_lossy(field.name).into_owned();
        let mut found = self.fields.iter();
        let found = found.find(|field| is_wanted(&name(field), &one_line(&lenient_utf8(field.bounded()))))?;
        Some(name(found))
    }

    /// The first word of the topmost value of this name that has one, in lower case: without quotes, comments and parameters.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.texts(name)
            .map(|value| first_word(&value))
            .find(|word| !word.is_empty())
    }

    /// A field with parameters, such as `Content-Type` (RFC 2045, section 5.1). Some programs forget the semicolon before them.
    pub(super) fn with_parameters(&self, name: &str) -> Option<ContentType<'static>> {
        let mut value = ended(self.raw(name).next()?);
        let first = value.iter().position(|c| !c.is_ascii_whitespace())?;
        let end = value[first..]
            .iter()
            .position(|c| c.is_ascii_whitespace() || *c == b';')?;
        let rest = value[first + end..].trim_ascii();
        if rest.first().is_some_and(u8::is_ascii_alphabetic) && rest.contains(&b'=') {
            value.insert(first + end, b';');
        }
        match MessageStream::new(&value).parse_content_type().into_owned() {
            HeaderValue::ContentType(value) => Some(value),
            _ => None,
        }
    }
}

/// The first word of a value: without the quotes around it, comments, and what follows it. At most 40 characters.
pub(super) fn first_word(value: &str) -> String {
    let mut value = value.trim_start();
    while let Some((_, after)) = value
        .strip_prefix('(')
        .and_then(|comment| comment.split_once(')'))
    {
        value = after.trim_start();
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | ',' | '(' | '"' | '\'');
    let word = value
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| !is_end(*c));
    word.take(40).collect::<String>().to_lowercase()
}

/// The name and value in the first line of a field, if the line is one.
pub(super) fn split_field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|&c| c == b':')?;
    let name = line[..colon].trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    is_name.then(|| (name, &line[colon + 1..]))
}

/// A value in the form that the field parsers need: UTF-8, ended by a newline.
fn ended(value: &[u8]) -> Vec<u8> {
    let mut value = lenient_utf8(value).into_bytes();
    value.push(b'\n');
    value
}

/// Replaces every run of white space by one blank, and removes other control characters.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Header<'_> {
        Header::split(text.as_bytes()).ok().unwrap().0
    }

    #[test]
    fn folded_fields_are_one_and_the_body_begins_after_the_empty_line() {
        let text = "From x Mon\r\nSubject: one\r\n two\r\nX: y\r\n\r\nbody\r\n";
        let (header, body) = Header::split(text.as_bytes()).ok().unwrap();
        assert_eq!(header.text("SUBJECT").as_deref(), Some("one two"));
        assert_eq!(header.text("x").as_deref(), Some("y"));
        assert_eq!(body, b"body\r\n");
    }

    #[test]
    fn what_programs_read_differently_is_not_exact() {
        for (text, expected) in [
            ("A-R: mx; a\r\n\tb\r\n", Some("mx; a b")),
            ("a-r:mx\n", Some("mx")),
            ("A-R : mx\r\n", None),
            ("A-R\t: mx\r\n", None),
            ("A-R: m\0x\r\n", None),
            ("A-R: mx\rA: b\r\n", None),
            ("A-R: mx\x0b; a\r\n", None),
        ] {
            let header = header(text);
            assert_eq!(header.exact_texts("A-R").next().as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_junk_line_and_its_continuation_are_no_field() {
        let header = header("Subject: a\njunk line\n its end\nX: b\n");
        assert_eq!(header.text("Subject").as_deref(), Some("a"));
        assert_eq!(header.text("X").as_deref(), Some("b"));
    }

    #[test]
    fn subjects_are_decoded_whatever_they_are_written_in() {
        for (raw, expected) in [
            ("Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
            (
                "Subject: =?iso-8859-1?B?R3L832U=?=\n =?utf-8?Q?_und_?= mehr",
                "Grüße und mehr",
            ),
            ("Subject: plain\t text ", "plain text"),
            ("Subject: =?nonsense", "=?nonsense"),
            ("Subject:", ""),
            ("Other: x", ""),
        ] {
            assert_eq!(header(raw).decoded("Subject"), expected, "{raw}");
        }
        let (latin, _) = Header::split(b"Subject: Gr\xfc\xdfe\n").ok().unwrap();
        assert_eq!(latin.decoded("Subject"), "Grüße");
    }

    #[test]
    fn message_ids_lose_their_brackets_and_the_fold() {
        assert_eq!(
            header("References: <a@b>\n <c@d>junk<e@\n f>").ids("references"),
            ["a@b", "c@d", "e@f"]
        );
    }

    #[test]
    fn a_header_without_end_is_refused() {
        let mut bytes = b"Subject: ".to_vec();
        bytes.resize(1 << 20, b'x');
        assert!(Header::split(&bytes).is_err());
    }
}
