//! What a game can be given up as, and how that is written.

/// What a game that is given up counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// The cube.
    Single = 1,
    /// Twice the cube.
    Gammon,
    /// Three times the cube.
    Backgammon,
}

impl Loss {
    /// The three, the least first.
    pub const ALL: [Self; 3] = [Self::Single, Self::Gammon, Self::Backgammon];

    /// How many times the cube.
    #[must_use]
    pub const fn times(self) -> u8 {
        self as u8
    }

    /// After `lose` or `won`.
    #[must_use]
    pub const fn named(self) -> &'static str {
        match self {
            Self::Single => "the game",
            Self::Gammon => "a gammon",
            Self::Backgammon => "a backgammon",
        }
    }

    /// The turn that offers it.
    #[must_use]
    pub const fn turn(self) -> &'static str {
        match self {
            Self::Single => "concede",
            Self::Gammon => "concede gammon",
            Self::Backgammon => "concede backgammon",
        }
    }
}

/// The loss that a text offers; `None`: it is another turn.
pub(super) fn offered(text: &str) -> Option<Loss> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '-');
    let words = text.split(is_between).map(str::to_ascii_lowercase);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).take(6).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let of = match words.as_slice() {
        // "give up" is prose: who never gives up says so to the other player.
        ["concede", of @ ..] => of,
        _ => return None,
    };
    let of = match of {
        ["a" | "the" | "this", of @ ..] if !of.is_empty() => of,
        of => of,
    };
    match of {
        [] | ["single" | "game" | "normal" | "s" | "1"] | ["single", "game"] => Some(Loss::Single),
        ["gammon" | "g" | "2"] => Some(Loss::Gammon),
        ["backgammon" | "bg" | "b" | "3"] => Some(Loss::Backgammon),
        _ => None,
    }
}
