//! Words of any script in an address: which ones may stand there, and which script a reader sees.
//!
//! What is allowed follows Unicode's profile for mail addresses (UTS 39, section 3.3), word by word: a word in two scripts, as
//! `аlice` with a Cyrillic `а`, has no honest reader.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{
    BidiClass, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Script, XidContinue,
};
use icu_properties::script::ScriptWithExtensions;
use icu_properties::{CodePointMapData, CodePointSetData, PropertyNamesLong};

/// The scripts that are written together in one word, and with Latin: Japanese, Chinese with Bopomofo, Korean (UTS 39,
/// section 5.2, "highly restrictive").
const TOGETHER: [&[Script]; 3] = [
    &[Script::Latin, Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Latin, Script::Han, Script::Bopomofo],
    &[Script::Latin, Script::Han, Script::Hangul],
];

/// The most marks in a row on one letter. Vietnamese has two, vocalised Hebrew three; a stack of more hides its neighbours.
const MARKS_MAX: usize = 4;

/// The composed form (NFC), in which equal texts are equal bytes.
pub(super) fn composed(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc()
        .normalize(text)
        .into_owned()
}

/// Whether each character is printable ASCII, or a letter, digit or mark that everybody can see and that has no other form;
/// and each word is of one script.
pub(super) fn is_readable(text: &str) -> bool {
    if text.is_ascii() {
        return true;
    }
    let is_part = CodePointSetData::new::<XidContinue>();
    text.chars().all(|c| c.is_ascii() || is_part.contains(c))
        && is_visible(text)
        && ComposingNormalizerBorrowed::new_nfkc().is_normalized(&composed(text))
        && words(text).all(|word| has_bounded_marks(word) && is_of_one_script(word))
}

/// Whether no character is invisible, such as one of no width.
pub(super) fn is_visible(text: &str) -> bool {
    let is_invisible = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    !text.chars().any(|c| is_invisible.contains(c))
}

/// The runs of letters and marks: digits and ASCII signs belong to every script.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii() && !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
}

/// Whether the word begins with a letter, and no letter has too many marks.
fn has_bounded_marks(word: &str) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new();
    // A word may not begin with a mark, which would change the sign before it.
    let mut marks = MARKS_MAX;
    word.chars().all(|c| {
        let is_mark = GeneralCategoryGroup::Mark.contains(category.get(c));
        marks = if is_mark { marks + 1 } else { 0 };
        marks <= MARKS_MAX
    })
}

fn is_of_one_script(word: &str) -> bool {
    let scripts = ScriptWithExtensions::new();
    let letters = || word.chars().filter(|&c| !is_of_any_script(c));
    let Some(first) = letters().next() else {
        return true;
    };
    let is_sole = |script: Script| letters().all(|c| scripts.has_script(c, script));
    let is_in = |together: &[Script], c: char| together.iter().any(|&script| scripts.has_script(c, script));
    scripts.get_script_extensions_val(first).iter().any(is_sole)
        || TOGETHER
            .iter()
            .any(|together| letters().all(|c| is_in(together, c)))
}

/// Whether a character has no script of its own, such as a digit or a mark.
fn is_of_any_script(c: char) -> bool {
    let mut scripts = ScriptWithExtensions::new().get_script_extensions_val(c).iter();
    scripts.any(|script| matches!(script, Script::Common | Script::Inherited))
}

/// Whether a program would show a part of it from right to left.
pub(super) fn is_right_to_left(text: &str) -> bool {
    let classes = CodePointMapData::<BidiClass>::new();
    let mut of_others = text.chars().filter(|c| !c.is_ascii());
    of_others.any(|c| {
        matches!(
            classes.get(c),
            BidiClass::RightToLeft | BidiClass::ArabicLetter | BidiClass::ArabicNumber
        )
    })
}

/// The names of the scripts beside Latin, in their order, such as `Cyrillic`.
pub(super) fn names(text: &str) -> Vec<&'static str> {
    let scripts = ScriptWithExtensions::new();
    let known = PropertyNamesLong::<Script>::new();
    let mut names = Vec::new();
    for c in text.chars().filter(|c| !c.is_ascii() && !is_of_any_script(*c)) {
        let script = scripts.get_script_val(c);
        let name = known.get(script).filter(|_| script != Script::Latin);
        if let Some(name) = name
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_script_are_readable() {
        for good in [
            "пример",
            "δοκιμή",
            "مثال",
            "דוגמה",
            "उदाहरण",
            "例え",
            "田中taro",
            "예시",
            "ตัวอย่าง",
            "jos\u{e9}",
            "jose\u{301}",
            "việt",
            "иван-it",
            "игры+b2k-abc",
            "иван.petrov1987",
            "メール",
            "示例123",
        ] {
            assert!(is_readable(good), "{good}");
        }
    }

    #[test]
    fn what_deceives_a_reader_is_not() {
        for bad in [
            "\u{430}lice",
            "alic\u{435}",
            "ali\u{441}e",
            "αlice",
            "пример\u{200b}",
            "при\u{200d}мер",
            "\u{202e}ecila",
            "ali\u{ad}ce\u{e9}",
            "\u{ff41}lice",
            "ad\u{fe0f}é",
            "é\u{34f}",
            "\u{301}a",
            "a.\u{301}",
            "z\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\u{2029}é",
            "é\u{85}",
            "é\u{a0}b",
            "☃",
            "\u{e000}",
            "\u{10ffff}",
            "\u{fffd}",
            "a＠b",
            "ﬁé",
            "\u{1160}é",
        ] {
            assert!(!is_readable(bad), "{bad} {}", bad.escape_unicode());
        }
    }

    #[test]
    fn scripts_have_names() {
        assert_eq!(names("сосо-αβγ@x.example"), ["Cyrillic", "Greek"]);
        assert!(names("jos\u{e9}@example.org").is_empty());
    }
}
