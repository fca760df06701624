//! Cuts a text between characters as readers see them: never between a letter and its marks, nor inside an emoji of several
//! code points (UAX 29).

use unicode_segmentation::GraphemeCursor;

/// The beginning of a text, at most this many code points long.
pub fn chars(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((at, _)) => before(text, at),
        None => text,
    }
}

/// The beginning of a text, at most this many bytes long.
pub fn bytes(text: &str, most: usize) -> &str {
    before(text, text.floor_char_boundary(most))
}

/// The whole characters before a place. If the text begins with one that is longer, that one is cut.
fn before(text: &str, at: usize) -> &str {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(false) => cursor
            .prev_boundary(text, 0)
            .ok()
            .flatten()
            .filter(|end| *end > 0),
        _ => None,
    };
    text.get(..end.unwrap_or(at)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_character_of_several_code_points_stays_whole() {
        for (text, most, cut) in [
            ("abc", 2, "ab"),
            ("abc", 3, "abc"),
            ("abc", 0, ""),
            ("cafe\u{301}s", 4, "caf"),
            ("cafe\u{301}s", 5, "cafe\u{301}"),
            ("हिन्दी", 1, "ह"),
            ("a👩‍👩‍👧b", 3, "a"),
            ("a🇬🇷🇩🇪", 4, "a🇬🇷"),
            ("e\u{301}\u{302}\u{303}", 2, "e\u{301}"),
        ] {
            assert_eq!(chars(text, most), cut, "{text} {most}");
        }
        assert_eq!(bytes("añb", 2), "a");
        assert_eq!(bytes("cafe\u{301}s", 5), "caf");
    }

    proptest! {
        #[test]
        fn what_is_kept_is_a_beginning(text in "[a-z\\PC\u{300}\u{200d}👩🇬]{0,30}", most in 0..40_usize) {
            let kept = chars(&text, most);
            prop_assert!(text.starts_with(kept) && kept.chars().count() <= most);
            let kept = bytes(&text, most);
            prop_assert!(text.starts_with(kept) && kept.len() <= most);
        }
    }
}
