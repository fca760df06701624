//! Mixes numbers into one: a hash that is the same on every machine and in every version, and a source of noise.

/// A hash of these words.
#[must_use]
pub fn mix(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0x9E37_79B9_7F4A_7C15, |mixed, word| scatter(mixed ^ word))
}

/// A permutation of the numbers in which all bits depend on all (the last step of `SplitMix64`).
const fn scatter(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_never_changes_and_depends_on_every_word_and_on_the_order() {
        assert_eq!(mix([1, 2, 3]), 5_246_500_226_706_903_259);
        let all = [mix([]), mix([0]), mix([0, 0]), mix([1, 2]), mix([2, 1])];
        let distinct: std::collections::BTreeSet<_> = all.into_iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
