//! The line that a mailbox shows below the subject: the hidden first words of the HTML part.

use pbmserv_mail::cut;

/// More is cut by mailboxes.
const MAX_CHARACTERS: usize = 90;

/// The parts that are not empty, one after the other, cut after a word, or a character of another script, at 90 characters.
#[must_use]
pub fn preheader<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let words = parts.into_iter().flat_map(str::split_whitespace);
    let mut out = String::new();
    let mut length = 0;
    for word in words {
        let more = word.chars().count() + usize::from(length > 0);
        // Three places are left for the dots.
        if length + more > MAX_CHARACTERS - 3 {
            // Many scripts have no blanks between words.
            if !word.is_ascii() {
                let room = (MAX_CHARACTERS - 3).saturating_sub(length + 1);
                out.push(' ');
                out.push_str(cut::chars(word, room));
            }
            let kept = out.trim_end_matches([',', ':', ';', '.', '-', '(']).len();
            out.truncate(kept);
            out.push_str("...");
            return out;
        }
        if length > 0 {
            out.push(' ');
        }
        out.push_str(word);
        length += more;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preheader_is_short_and_ends_after_a_word() {
        let parts = [
            "Your turn until Sat 12 December:",
            "quin played a9.",
            "",
            "\"Well,\nlet us see.\"",
        ];
        assert_eq!(
            preheader(parts),
            "Your turn until Sat 12 December: quin played a9. \"Well, let us see.\""
        );
        let long = preheader([
            parts[0],
            parts[1],
            &"I have a feeling about the corner. ".repeat(9),
        ]);
        assert_eq!(
            long,
            "Your turn until Sat 12 December: quin played a9. I have a feeling about the corner. I..."
        );
        assert!(long.len() <= MAX_CHARACTERS);
        assert_eq!(preheader([&*"x".repeat(500)]), "...");
        let words = preheader(["taro writes:", &"難しい".repeat(99)]);
        assert_eq!(words.chars().count(), MAX_CHARACTERS);
        assert!(
            words.starts_with("taro writes: 難しい") && words.ends_with("..."),
            "{words}"
        );
    }
}
