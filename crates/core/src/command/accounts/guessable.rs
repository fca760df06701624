//! Passwords that are tried first. They are refused when one is set; who has one already still logs in with it.

use std::sync::LazyLock;

/// The most common passwords, in lower case and sorted. `common_passwords.license` says where they are from.
static COMMON: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

/// Why a password of this userid is easily guessed, as far as is known.
pub fn why_guessable(userid: &str, password: &str) -> Option<&'static str> {
    let password = password.to_lowercase();
    if password.contains(&userid.to_ascii_lowercase()) {
        return Some("The password contains the userid, which everybody can read: choose one without it.");
    }
    COMMON.binary_search(&password.as_str()).is_ok().then_some(
        "The password is one of those that most people choose, and these are tried first: choose another, such as two words and a \
         number.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_as_the_search_needs_it() {
        assert!(COMMON.len() > 10_000, "{}", COMMON.len());
        assert!(COMMON.is_sorted_by(|one, next| one < next));
        assert!(
            COMMON
                .iter()
                .all(|word| word.to_lowercase() == **word && word.chars().count() >= 6)
        );
    }

    #[test]
    fn common_passwords_and_those_with_the_userid_are_guessable() {
        for password in [
            "123456",
            "Password",
            "secret1",
            "QWERTY",
            "zxcvbnm",
            "пароль",
            "alice-2026",
            "xALICEx",
        ] {
            assert!(why_guessable("Alice", password).is_some(), "{password}");
        }
        for password in ["elk7fig", "correct-horse", "al1ce-2026", "Quay-1830-stone"] {
            assert!(why_guessable("Alice", password).is_none(), "{password}");
        }
    }
}
