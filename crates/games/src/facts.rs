//! The constants of a game, with its options.

use std::fmt;

use super::Seat;

/// The constants of a game. Help, lists and letters are printed from them.
#[derive(Debug)]
pub struct Facts {
    /// The name in commands and subjects, such as `Pow2`: letters and digits only.
    pub name: &'static str,
    /// Other names that commands accept.
    pub aliases: &'static [&'static str],
    /// The name in prose, such as `The Power of Two`.
    pub title: &'static str,
    /// The names of the two sides, first seat first: `["Light", "Dark"]`.
    pub sides: [&'static str; 2],
    /// What each player plays, where the name of the side does not say it: `["dark (x): join top and bottom", ...]`.
    pub roles: Option<[&'static str; 2]>,
    /// The name in [`Info`](super::Info) of the numbers that decide the game; `None` if none do.
    pub score: Option<&'static str>,
    /// The letters of each side's pieces on the board, first seat first: `["Oo", "Xx"]`.
    pub letters: [&'static str; 2],
    /// The letters of pieces that belong to neither side, such as arrows.
    pub neutral: &'static str,
    /// The options of a challenge, in printing order.
    pub options: &'static [OptionFact],
    /// Who invented it.
    pub designer: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The rules for a player who has never seen the game: US-ASCII, at most 72 columns.
    pub rules: &'static str,
    /// How a turn is written, in a few sentences.
    pub notation: &'static str,
    /// Two turns for the help, which draws the boards.
    pub worked: Worked,
    /// Positions that show what the rules say.
    pub pictured: &'static [Pictured],
    /// Legal turns from the start position, without options.
    pub example: &'static [&'static str],
    /// The source of the rules.
    pub source: &'static str,
    /// The newest revision of the rules; a board keeps the revision that it began with.
    pub revision: u32,
    /// Whether players may agree on a draw.
    pub knows_draws: bool,
    /// Whether `pass` is a turn, at some time or at any.
    pub knows_pass: bool,
    /// Whether `swap` is a turn: the second player may write it in the place of the first own turn.
    pub knows_swap: bool,
    /// Whether dice are rolled.
    pub has_dice: bool,
    /// An upper bound for the length of a game of random turns. If the rules give no bound, it is measured, with a
    /// margin so large that no game will exceed it.
    pub longest_random_game: usize,
}

impl Facts {
    /// The facts of a game of which nothing is said yet: a family fills in what its games share, and a game the rest.
    pub const BLANK: Self = Self {
        name: "",
        aliases: &[],
        title: "",
        sides: ["Black", "White"],
        roles: None,
        score: None,
        letters: ["x", "o"],
        neutral: "",
        options: &[],
        designer: "",
        summary: "",
        rules: "",
        notation: "",
        worked: Worked {
            options: &[],
            before: &[],
            turns: [("", ""); 2],
        },
        pictured: &[],
        example: &[],
        source: "",
        revision: 1,
        knows_draws: false,
        knows_pass: false,
        knows_swap: false,
        has_dice: false,
        longest_random_game: 0,
    };

    /// The title after an article: `the Power of Two league`.
    #[must_use]
    pub fn bare_title(&self) -> &'static str {
        self.title.strip_prefix("The ").unwrap_or(self.title)
    }

    /// What the player in this seat plays: `Light`, `dark (x): join top and bottom`.
    #[must_use]
    pub fn role(&self, seat: Seat) -> &'static str {
        self.roles.as_ref().unwrap_or(&self.sides)[seat.index()]
    }

    /// The same with the letters of the pieces in drawings: `Light (O, o)`, `White (capital letters)`.
    #[must_use]
    pub fn role_in_drawings(&self, seat: Seat) -> String {
        let role = self.role(seat);
        let letters = self.letters[seat.index()];
        let shown = match letters.chars().map(String::from).collect::<Vec<_>>() {
            _ if self.roles.is_some() => return role.to_owned(),
            few if few.len() <= 2 => few.join(", "),
            _ if letters.chars().all(char::is_uppercase) => "capital letters".to_owned(),
            _ => "small letters".to_owned(),
        };
        format!("{role} ({shown})")
    }
}

/// An example for the help: two turns that show what is particular to the game, with the boards before, between and after
/// them.
#[derive(Debug)]
pub struct Worked {
    /// The options, as in a challenge: a small board fits a telephone.
    pub options: &'static [&'static str],
    /// The turns that lead to the first board.
    pub before: &'static [&'static str],
    /// The two turns, each with the reason for what it does, in one to three sentences.
    pub turns: [(&'static str, &'static str); 2],
}

/// A position that shows what sentences of the rules say. The rules make it, and draw it.
#[derive(Debug)]
pub struct Pictured {
    /// How the sentences begin; each is in the rules.
    pub rules: &'static [&'static str],
    /// The options, as in a challenge.
    pub options: &'static [&'static str],
    /// The turns from the start, blanks between them. The picture marks the last one.
    pub turns: &'static str,
    /// What the picture shows, for somebody who sees the game for the first time.
    pub shows: &'static str,
}

/// The numbers that an option accepts: `min`, `min + step`, ... up to `max`, or those of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest number.
    pub min: u32,
    /// The highest number.
    pub max: u32,
    /// The distance between two numbers.
    pub step: u32,
    /// The value if the option is not given.
    pub default: u32,
    /// What these numbers count.
    pub numbers: Numbers,
}

/// What the numbers of a [`Range`] count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Ones.
    Whole,
    /// Halves: 15 is written 7.5.
    Halves,
    /// Ones, and only these numbers are accepted.
    Listed(&'static [u32]),
}

impl Range {
    /// Whether the option accepts this number.
    pub(super) fn contains(self, value: u32) -> bool {
        match self.numbers {
            Numbers::Listed(all) => all.contains(&value),
            _ => self.min <= value && value <= self.max && (value - self.min).is_multiple_of(self.step),
        }
    }

    /// The accepted number that is nearest to this one; of two equally near ones the lower.
    pub(super) fn nearest(self, value: u32) -> u32 {
        let step = usize::try_from(self.step).unwrap_or(1).max(1);
        let accepted = (self.min..=self.max).step_by(step);
        let accepted = accepted.filter(|accepted| self.contains(*accepted));
        accepted
            .min_by_key(|accepted| accepted.abs_diff(value))
            .unwrap_or(self.default)
    }

    /// A number as it is written after `=`.
    #[must_use]
    pub fn written(self, value: u32) -> String {
        match self.numbers {
            Numbers::Halves if value % 2 == 1 => format!("{}.5", value / 2),
            Numbers::Halves => (value / 2).to_string(),
            Numbers::Whole | Numbers::Listed(_) => value.to_string(),
        }
    }

    /// The number that is written so, accepted or not; `None` if it is none.
    pub(super) fn read(self, text: &str) -> Option<u32> {
        if self.numbers != Numbers::Halves {
            return text.parse().ok();
        }
        let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
        let half = match rest.trim_end_matches('0') {
            "" => 0,
            "5" => 1,
            _ => return None,
        };
        whole.parse::<u32>().ok()?.checked_mul(2)?.checked_add(half)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max) = (self.written(self.min), self.written(self.max));
        match (self.numbers, self.step) {
            (Numbers::Listed(all), _) => {
                let all: Vec<_> = all.iter().map(ToString::to_string).collect();
                let (last, rest) = all.split_last().ok_or(fmt::Error)?;
                write!(f, "{} or {last}", rest.join(", "))
            }
            (Numbers::Halves, _) => write!(f, "a whole or a half number from {min} to {max}"),
            (_, 2) if self.min.is_multiple_of(2) => write!(f, "an even number from {min} to {max}"),
            _ => write!(f, "a number from {min} to {max}"),
        }
    }
}

/// An option of a game.
#[derive(Clone, Copy, Debug)]
pub struct OptionFact {
    /// The name without the hyphen.
    pub name: &'static str,
    /// The numbers accepted after `=`; `None` for an option without a number.
    pub range: Option<Range>,
    /// Its effect, in a few words.
    pub help: &'static str,
}

impl OptionFact {
    /// An option without a number.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        let range = None;
        Self { name, range, help }
    }

    /// An option with any number from the least to the greatest, and the usual one.
    #[must_use]
    pub const fn number(name: &'static str, [min, max, default]: [u32; 3], help: &'static str) -> Self {
        let range = Some(Range {
            min,
            max,
            step: 1,
            default,
            numbers: Numbers::Whole,
        });
        Self { name, range, help }
    }

    /// An option with a number of halves, from the least to the greatest, and the usual one: 15 is 7.5.
    #[must_use]
    pub const fn halves(name: &'static str, [min, max, default]: [u32; 3], help: &'static str) -> Self {
        let range = Some(Range {
            min,
            max,
            step: 1,
            default,
            numbers: Numbers::Halves,
        });
        Self { name, range, help }
    }

    /// An option with one number of a list, the least one first, and the usual one.
    #[must_use]
    pub const fn one_of(name: &'static str, all: &'static [u32], default: u32, help: &'static str) -> Self {
        let (min, max) = match all {
            [min, .., max] => (*min, *max),
            _ => (default, default),
        };
        let range = Some(Range {
            min,
            max,
            step: 1,
            default,
            numbers: Numbers::Listed(all),
        });
        Self { name, range, help }
    }
}
