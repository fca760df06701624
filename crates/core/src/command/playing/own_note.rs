//! What a player writes for themselves: a note that grows, and can be emptied.

use crate::command::context::MAX_COMMENT;

/// The sentence for the writer and the note as it is then, after these words are added to it; without words as it is. `Err`: why
/// nothing is changed. `what` is what it is on.
pub(crate) fn with_words(
    (what, userid): (&str, &str),
    before: Option<String>,
    more: Option<&str>,
) -> Result<(String, Option<String>), String> {
    let is_off = |words: &str| words.eq_ignore_ascii_case("off");
    match (more, before) {
        (more, None) if more.is_none_or(is_off) => Err(format!(
            "You have no note on {what}, {userid}: write some words after note."
        )),
        (None, words) => Ok((format!("This is your note on {what}, {userid}:"), words)),
        (Some(more), _) if is_off(more) => Ok((format!("Your note on {what} is empty now, {userid}."), None)),
        (Some(more), before) => {
            let words = match before {
                Some(before) => format!("{before}\n{more}"),
                None => more.to_owned(),
            };
            if words.chars().count() > MAX_COMMENT {
                return Err(format!(
                    "Your note on {what} would be too long, {userid}: it holds {MAX_COMMENT} characters. To empty it, \
                     write off in the place of words."
                ));
            }
            let sentence = format!("Your note on {what} is kept, {userid}, and nobody else reads it:");
            Ok((sentence, Some(words)))
        }
    }
}
