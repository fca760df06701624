//! Words on the turns of a game: `14 here I was lost`, and more below.

/// The number of a turn, perhaps with a mark after it.
pub(crate) fn number(word: &str) -> Option<u32> {
    let digits = word.strip_suffix([':', '.', ',', ';']).unwrap_or(word);
    let is_plain = digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

/// Whether the word makes the words public.
pub(crate) fn is_open(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "public" => Some(true),
        "private" => Some(false),
        _ => None,
    }
}

/// What is written on one turn; `None`: nothing any more.
pub(crate) type OnTurn = (u32, Option<String>);

/// The words on each turn; `None` if they do not begin with the number of one.
pub(crate) fn on_turns(text: &str) -> Option<Vec<OnTurn>> {
    let mut all: Vec<(u32, String)> = Vec::new();
    for line in text.lines() {
        let words = line
            .split_once(' ')
            .map(|(first, rest)| (first, rest.trim_start()));
        let again = words.filter(|(first, _)| first.eq_ignore_ascii_case("comment"));
        let begun = match all.is_empty() {
            true => Some(line.trim_start()),
            false => again.map(|(_, rest)| rest),
        };
        let begun = begun.and_then(|begun| {
            let (first, rest) = begun.split_once(' ').unwrap_or((begun, ""));
            Some((number(first)?, rest.to_owned()))
        });
        match (begun, all.last_mut()) {
            (Some(begun), _) => all.push(begun),
            (None, Some((_, said))) => *said = format!("{said}\n{line}"),
            (None, None) => return None,
        }
    }
    let each = all.into_iter().map(|(turn, words)| {
        let words = words.trim();
        (
            turn,
            (!words.eq_ignore_ascii_case("off")).then(|| words.to_owned()),
        )
    });
    Some(each.collect())
}

#[cfg(test)]
mod tests {
    use super::on_turns;

    #[test]
    fn words_go_on_until_the_next_number() {
        let words = |text: &str| {
            let on = |(turn, words): (u32, Option<String>)| (turn, words.unwrap_or_else(|| "-".to_owned()));
            on_turns(text).map(|all| all.into_iter().map(on).collect::<Vec<_>>())
        };
        let read = |all: &[(u32, &str)]| {
            let own = all.iter().map(|(turn, words)| (*turn, (*words).to_owned()));
            Some(own.collect::<Vec<_>>())
        };
        assert_eq!(words("14 here I was lost"), read(&[(14, "here I was lost")]));
        assert_eq!(words("14: here\n\n15 men\n"), read(&[(14, "here\n\n15 men")]));
        assert_eq!(
            words("3 off\nComment 4. Good\ncomment that"),
            read(&[(3, "-"), (4, "Good\ncomment that")])
        );
        assert_eq!(words("3"), read(&[(3, "")]));
        for none in ["here", "-1 x", "+1 x", "99999999999 x", "e4 x", "\u{661} x"] {
            assert_eq!(words(none), None, "{none}");
        }
    }
}
