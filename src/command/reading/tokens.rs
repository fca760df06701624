//! Removes reply tokens from what a player quotes: anybody who has a token can answer as its owner.

use crate::mail::{Address, OwnAddresses};

/// The length of a token's tag.
const TAG_CHARS: usize = 26;

/// The longest number before a tag, with its prefix.
const LONGEST_NUMBER: usize = 15;

/// A character as it is meant, in lower case, and where it is written.
struct Meant {
    c: char,
    start: usize,
    end: usize,
}

/// Removes the tokens from our own addresses in a text, `pbmserv+TOKEN@host`.
///
/// Mail programs quote addresses in several ways: with `%2B` and `%40` in a `mailto:` link, `%252B` in a link that passes
/// through another, and with line breaks at any place, behind which quotation marks stand. Everything else stays as it is.
/// Takes linear time.
pub(crate) fn without_tokens(text: &str, own: &OwnAddresses) -> String {
    own.all()
        .fold(text.to_owned(), |text, server| without_tokens_of(server, &text))
}

/// The same for one of our addresses.
fn without_tokens_of(server: &Address, text: &str) -> String {
    let begin: Vec<char> = format!("{}+", server.local()).to_lowercase().chars().collect();
    let end: Vec<char> = format!("@{}", server.domain()).to_lowercase().chars().collect();
    let meant = as_meant(text);
    let starts = |at: usize, with: &[char]| {
        let rest = meant.get(at..at + with.len()).unwrap_or_default();
        rest.iter().map(|meant| &meant.c).eq(with)
    };
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < meant.len() {
        if !starts(at, &begin) {
            at += 1;
            continue;
        }
        at += begin.len();
        let Some(detail) = meant.get(at..) else { break };
        let is_detail = |meant: &&Meant| meant.c.is_ascii_alphanumeric() || meant.c == '-';
        let after = at + detail.iter().take_while(is_detail).count();
        // Without the rest of the address only what has the form of a token is one.
        let removed = if starts(after, &end) {
            meant.get(after).map(|end| end.start)
        } else {
            token_end(detail)
        };
        if let (Some(removed), Some(plus)) = (removed, meant.get(at - 1)) {
            out.push_str(text.get(copied..plus.start).unwrap_or_default());
            copied = removed;
        }
        // Another address can begin in the detail, but its `+` stands behind it.
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// Where the token at the beginning ends in the text: a number, a hyphen and a tag in base32. A blank may stand in it, which is
/// what remains of a line break in flowed text (RFC 3676).
fn token_end(detail: &[Meant]) -> Option<usize> {
    let longest = LONGEST_NUMBER + 1 + TAG_CHARS;
    let mut chars = detail.iter().take(2 * longest).filter(|meant| meant.c != ' ');
    let hyphen = chars
        .by_ref()
        .take(LONGEST_NUMBER + 1)
        .position(|meant| meant.c == '-');
    hyphen.filter(|number| *number > 0)?;
    let is_base32 = |meant: &&Meant| matches!(meant.c, 'a'..='z' | '2'..='7');
    let last = chars.take(TAG_CHARS).take_while(is_base32).enumerate().last();
    last.filter(|(index, _)| index + 1 == TAG_CHARS)
        .map(|(_, meant)| meant.end)
}

/// The text with percent-encoded characters decoded, without breaks and invisible characters.
fn as_meant(text: &str) -> Vec<Meant> {
    let mut meant = Vec::with_capacity(text.len());
    let mut start = 0;
    while let Some(rest) = text.get(start..)
        && let Some(c) = rest.chars().next()
    {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (c, chars) = if let Some(length) = line_break(rest) {
            start += length;
            continue;
        } else if blanks > 0 {
            // All at once: each would look for a line break behind all others.
            (' ', blanks)
        } else {
            percent_encoded(rest).unwrap_or((c, c.len_utf8()))
        };
        let is_invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
        if !is_invisible {
            meant.push(Meant {
                c: c.to_ascii_lowercase(),
                start,
                end: start + chars,
            });
        }
        start += chars;
    }
    meant
}

/// The length of a line break with all that may stand around it in a quoted address: blanks, the `=` of quoted-printable
/// before it, quotation marks behind it.
fn line_break(rest: &str) -> Option<usize> {
    let blanks = [' ', '\t'];
    let before = rest.trim_start_matches(blanks);
    let end = before
        .strip_prefix('=')
        .unwrap_or(before)
        .trim_start_matches(blanks);
    let after = end.trim_start_matches(['\r', '\n', ' ', '\t', '>', '|']);
    end.starts_with(['\r', '\n']).then_some(rest.len() - after.len())
}

/// The character behind `%2B`, `%252B` and so on, and the length.
fn percent_encoded(rest: &str) -> Option<(char, usize)> {
    let hex = |text: &str| {
        let digits = text
            .get(..2)
            .filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()))?;
        u8::from_str_radix(digits, 16).ok()
    };
    let mut encoded = rest.strip_prefix('%')?;
    while let Some(inner) = encoded.strip_prefix("25")
        && hex(inner).is_some()
    {
        encoded = inner;
    }
    let byte = hex(encoded).filter(u8::is_ascii_graphic)?;
    Some((char::from(byte), rest.len() - encoded.len() + 2))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    const TAG: &str = "mfzwizdfmzsgk3lqn5xgk4tfmy";

    fn cleaned(text: &str) -> String {
        without_tokens(text, &Address::parse("pbmserv@games.example").unwrap().into())
    }

    #[test]
    fn a_token_is_taken_out_of_our_address_and_other_addresses_stay() {
        let text = "To: PBMserv+C2k-abc@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}";
        assert_eq!(
            cleaned(text),
            "To: PBMserv@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}"
        );
    }

    #[test]
    fn a_token_in_a_former_address_is_taken_out_too() {
        let address = |text: &str| Address::parse(text).unwrap();
        let own = OwnAddresses::new(address("games@new.example"), vec![address("pbmserv@old.example")]);
        assert_eq!(
            without_tokens(
                "games+a@new.example, PBMSERV+a@old.example, games+a@old.example",
                &own
            ),
            "games@new.example, PBMSERV@old.example, games+a@old.example"
        );
    }

    #[test]
    fn it_is_found_however_programs_write_it() {
        let (half, rest) = TAG.split_at(13);
        for (text, expected) in [
            (
                format!("<mailto:pbmserv%2B2k-{TAG}%40games.example?subject=x%20y>"),
                "<mailto:pbmserv%40games.example?subject=x%20y>",
            ),
            (
                format!("?url=mailto%3Apbmserv%252b2k%252D{TAG}%2540games%252Eexample&x"),
                "?url=mailto%3Apbmserv%2540games%252Eexample&x",
            ),
            (
                format!("> To: pbmserv+2k-{half}\n> {rest}@games.example"),
                "> To: pbmserv@games.example",
            ),
            (
                format!("pbmserv+2k-{half}=\r\n{rest}@games.example!"),
                "pbmserv@games.example!",
            ),
            (
                format!("pbm=\n> > serv+2k-{TAG}\n> > @games.ex\n > > ample"),
                "pbm=\n> > serv@games.ex\n > > ample",
            ),
            (
                format!("pbmserv+2k-{half}\u{200b}{rest}@games.example"),
                "pbmserv@games.example",
            ),
            (
                format!("pbmserv+2k- {half} {rest} @games.example"),
                "pbmserv @games.example",
            ),
            // The rest of the address is cut off, or mangled.
            (format!("pbmserv+2k-{TAG}\n\nwords"), "pbmserv\n\nwords"),
            (format!("pbmserv+u2k-{TAG} [at] games"), "pbmserv [at] games"),
        ] {
            assert_eq!(cleaned(&text), expected, "{text}");
        }
    }

    #[test]
    fn prose_with_a_plus_stays() {
        for text in [
            "pbmserv+\nmore words\n> quoted",
            "pbmserv+ and 50% of 100%2 = 5",
            "write to pbmserv+something",
            "a-b pbmserv + 2k",
            "%",
            "100%\r\n",
        ] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn time_is_linear() {
        for piece in [
            " ",
            "=",
            "= ",
            "%25",
            "%",
            "pbmserv+",
            "pbmserv+2k-",
            "a-",
            "\n> ",
            "pbmserv+a@games.exampl ",
        ] {
            let text = piece.repeat((1 << 18) / piece.len());
            let begun = Instant::now();
            cleaned(&text);
            let took = begun.elapsed();
            assert!(took < Duration::from_secs(10), "{piece:?}: {took:?}");
        }
    }

    /// An address with a token, each character as some program may write it.
    fn spelled() -> impl Strategy<Value = (String, String)> {
        let breaks = [
            "", "", "", "", "\n", "=\n", " =\r\n> ", "\n> > ", " \n| ", "\n\t", "\u{200b}", "\u{ad}",
        ];
        let spelling = (any::<bool>(), 0..3_usize, prop::sample::select(breaks.to_vec()));
        let address = ("[cru]?[a-z2-7]{1,13}", "[a-z2-7]{26}");
        (address, prop::collection::vec(spelling, 80)).prop_map(|((number, tag), spellings)| {
            let address = format!("pbmserv+{number}-{tag}@games.example");
            let mut text = String::new();
            for (c, (is_upper, levels, gap)) in address.chars().zip(spellings) {
                let c = if is_upper { c.to_ascii_uppercase() } else { c };
                match (c.is_ascii_alphanumeric(), levels) {
                    (false, 1..) => {
                        text.push_str(&format!("%{}{:02X}", "25".repeat(levels - 1), u32::from(c)));
                    }
                    _ => text.push(c),
                }
                text.push_str(gap);
            }
            (text, tag)
        })
    }

    /// The letters and digits of a text in lower case: what a reader could put together again.
    fn letters(text: &str) -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_lowercase()
    }

    proptest! {
        #[test]
        fn no_token_survives(before in "[a-zA-Z .,;!>\n-]{0,40}", (address, tag) in spelled(), after in "[a-zA-Z .,;!>\n?&-]{0,40}") {
            let text = format!("{before}{address}{after}");
            let shown = cleaned(&text);
            prop_assert!(!letters(&shown).contains(&tag), "{text:?} gives {shown:?}");
            prop_assert!(shown.starts_with(&before), "{shown:?}");
            prop_assert!(shown.ends_with(&after), "{shown:?}");
            prop_assert_eq!(cleaned(&shown), shown);
        }

        #[test]
        fn ordinary_text_stays(text in "[a-zA-Z0-9 .,;:!?%=@>|\r\n()\u{e4}\u{200b}-]{0,200}") {
            prop_assert_eq!(cleaned(&text), text);
        }
    }
}
