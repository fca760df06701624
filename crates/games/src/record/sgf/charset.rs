//! The charset of an SGF file: the one that CA names; ISO-8859-1 without one (<https://red-bean.com/sgf/properties.html#CA>).

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};

use super::super::mat;
use super::read::start;

/// The text of a file; `None` if it is neither UTF-8, nor SGF, nor PGN or PDN, which are older than UTF-8. Many programs write UTF-8 and do
/// not say so.
pub(in crate::record) fn decoded(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if let Some((utf_16, _)) = Encoding::for_bom(bytes).filter(|(encoding, _)| *encoding != UTF_8) {
        return Some(utf_16.decode(bytes).0);
    }
    // Names of properties and brackets are ASCII in every charset that a file can name so.
    let (latin, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    if let Some(named) = charset(&latin) {
        let (text, is_wrong) = named.decode_without_bom_handling(bytes);
        if !is_wrong {
            return Some(text);
        }
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(Cow::Borrowed(text)),
        Err(_) => {
            // Our own records have tags too; they name their game, and are UTF-8.
            let is_of_others = latin.trim_start().starts_with(['[', '%']) && !latin.contains("[Game ");
            (is_of_others || mat::is_meant(&latin) || start(&latin).is_some()).then_some(latin)
        }
    }
}

/// The charset that CA names, if it is known.
fn charset(text: &str) -> Option<&'static Encoding> {
    let (_, after) = text.get(start(text)?..)?.split_once("CA[")?;
    let (label, _) = after.split_once(']')?;
    let named = Encoding::for_label(label.trim().as_bytes())?;
    (named.is_ascii_compatible() || named == ISO_2022_JP).then_some(named)
}
