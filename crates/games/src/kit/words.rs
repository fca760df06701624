//! Numbers and lists as an English sentence has them.

/// The numbers that are words; greater ones are digits.
const NUMBERS: [&str; 13] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// `three`; digits from 13 on.
#[must_use]
pub fn number(count: usize) -> String {
    NUMBERS
        .get(count)
        .map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

/// `a stone`, `three stones`. The noun begins with a consonant, and takes an s.
#[must_use]
pub fn count(count: usize, noun: &str) -> String {
    match count {
        1 => format!("a {noun}"),
        _ => format!("{} {noun}s", number(count)),
    }
}

/// `n4`, `n4 and p4`, `n4, p4 and q5`.
#[must_use]
pub fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.join(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_words_up_to_twelve() {
        let counts = [0, 1, 2, 12, 13].map(|n| count(n, "stone"));
        assert_eq!(
            counts,
            ["no stones", "a stone", "two stones", "twelve stones", "13 stones"]
        );
    }

    #[test]
    fn a_list_has_one_and() {
        assert_eq!(list::<&str>([]), "");
        assert_eq!(list(["a1"]), "a1");
        assert_eq!(list(["a1", "b2"]), "a1 and b2");
        assert_eq!(list(["a1", "b2", "c3"]), "a1, b2 and c3");
    }
}
