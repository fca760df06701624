//! Suggestions for an unknown word.

use pbmserv_mail::cut;

/// A word of any sender, short enough to be quoted.
pub(crate) fn shorten(word: &str) -> String {
    const MOST: usize = 30;
    let begin: String = word.chars().filter(|c| !c.is_control()).take(MOST + 1).collect();
    let kept = cut::chars(&begin, MOST);
    if kept.len() < word.len() {
        format!("{kept}...")
    } else {
        kept.to_owned()
    }
}

/// The known words closest to an unknown one, at most three.
pub(crate) fn nearest(word: &str, known: impl IntoIterator<Item = String>) -> Vec<String> {
    let word: String = word.to_lowercase().chars().take(30).collect();
    let allowed = if word.chars().count() <= 3 { 1 } else { 2 };
    let distance = |name: &String| strsim::osa_distance(&word, &name.to_lowercase());
    let mut near: Vec<_> = known.into_iter().map(|name| (distance(&name), name)).collect();
    near.retain(|(distance, _)| *distance <= allowed);
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}
