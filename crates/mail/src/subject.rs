//! Removes from subjects what mail programs and lists add.

use super::phrases::SUBJECT_PREFIXES;

/// A subject without `Re:`, `Fwd:` and their translations, without `[list tags]` before it and `**` after it.
///
/// ```
/// # use pbmserv_mail::clean_subject;
/// assert_eq!(clean_subject("Re: [pbm] AW: Re[2]: Pow2 Board 101 alice **"), "Pow2 Board 101 alice");
/// ```
#[must_use]
pub fn clean_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some(after) = after_prefix(rest).or_else(|| after_tag(rest)) {
        rest = after.trim_start();
    }
    while let Some(before) = rest.strip_suffix("**") {
        rest = before.trim_end();
    }
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text after `Re:`, `Re :`, `Re[2]:`, `Re(2):` or `Re^2:`.
fn after_prefix(subject: &str) -> Option<&str> {
    let (before, after) = subject.split_once([':', '：'])?;
    if before.len() > 64 {
        return None;
    }
    let word = before.trim_end();
    let uncounted = word
        .trim_end_matches([']', ')'])
        .trim_end_matches(|c: char| c.is_ascii_digit());
    let word = match uncounted.strip_suffix(['[', '(', '^', '*']) {
        Some(word) => word.trim_end(),
        None => word,
    };
    let word = word.trim_end_matches('.').to_lowercase();
    let is_known = SUBJECT_PREFIXES.iter().any(|line| line.contains(&word.as_str()));
    is_known.then_some(after)
}

/// The text after a `[tag]`.
fn after_tag(subject: &str) -> Option<&str> {
    let (_, after) = subject.strip_prefix('[')?.split_once(']')?;
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn additions_of_mail_programs_are_removed() {
        for written in [
            "Re: x 101 a",
            "RE: Fwd: x 101 a",
            "AW: WG: x 101 a",
            "SV: VS: x 101 a",
            "Re : x 101 a",
            "Re[2]: x 101 a",
            "Re^3: x 101 a",
            "Re (4): x 101 a",
            "Antw.: x 101 a",
            "回复：x 101 a",
            "Отв: x 101 a",
            "[list] Re: [tag] x 101 a",
            "x 101 a **",
            "x 101 a** **",
            "  x  101 a ",
        ] {
            assert_eq!(clean_subject(written), "x 101 a", "{written}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for said in [
            "",
            "regret: x",
            "Pow2 move 101 a p a1-b2:c3",
            "x [y]",
            "a *",
            "1: 2",
        ] {
            assert_eq!(clean_subject(said), said);
        }
        assert_eq!(clean_subject("Re:"), "");
        assert_eq!(clean_subject("[tag]"), "");
    }

    proptest! {
        #[test]
        fn what_is_clean_stays(subject in "((re|fwd|aw)(\\[2\\])?: ?|\\[x\\]|\\*\\*| |\\PC){0,12}") {
            let once = clean_subject(&subject);
            prop_assert_eq!(clean_subject(&once), once);
        }
    }
}
