//! The options of a challenge: `-exact`, `-size=8`.

use std::fmt;

use super::{Facts, OptionFact, Range, Refusal};

/// The options of a board: all valid for its game, none twice, in the game's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    given: Vec<Given>,
    revision: u32,
}

/// An option that was given, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Given {
    name: &'static str,
    value: Option<(Range, u32)>,
}

impl Options {
    /// No options and the newest rules.
    #[must_use]
    pub const fn none(facts: &Facts) -> Self {
        Self {
            given: Vec::new(),
            revision: facts.revision,
        }
    }

    /// Reads words such as `-exact` and `-size=8`, in any order, ignoring case.
    ///
    /// # Errors
    /// An unknown option (the refusal suggests the nearest one), a number out of range, or a repeated option.
    /// [`Rules::start`](super::Rules::start) checks whether the options go together.
    pub fn parse<'a>(facts: &Facts, words: impl IntoIterator<Item = &'a str>) -> Result<Self, Refusal> {
        let mut options = Self::none(facts);
        for word in words {
            let option = one(facts, word)?;
            if options.given.iter().any(|given| given.name == option.name) {
                return Err(Refusal::unreadable(format!("-{} is given twice.", option.name)));
            }
            options.given.push(option);
        }
        let place = |name: &str| facts.options.iter().position(|option| option.name == name);
        options.given.sort_by_key(|given| place(given.name));
        Ok(options)
    }

    /// The same options with another revision of the rules.
    #[must_use]
    pub fn under(self, revision: u32) -> Self {
        Self { revision, ..self }
    }

    /// The revision of the rules for this board.
    #[must_use]
    pub const fn revision(&self) -> u32 {
        self.revision
    }

    /// Whether the option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.name == name)
    }

    /// The number of the option, or its default.
    ///
    /// Zero if the game has no such numbered option, which would be a programming error in the game.
    #[must_use]
    pub fn number(&self, facts: &Facts, name: &str) -> u32 {
        let given = self
            .given
            .iter()
            .find(|given| given.name == name)
            .and_then(|given| given.value)
            .map(|(_, value)| value);
        let default = || {
            facts
                .options
                .iter()
                .find(|option| option.name == name)?
                .range
                .map(|r| r.default)
        };
        given.or_else(default).unwrap_or_default()
    }

    /// The options as words: `["-exact", "-size=8"]`.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let word = |given: &Given| match given.value {
            Some((range, value)) => format!("-{}={}", given.name, range.written(value)),
            None => format!("-{}", given.name),
        };
        self.given.iter().map(word).collect()
    }
}

impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(" "))
    }
}

fn one(facts: &Facts, word: &str) -> Result<Given, Refusal> {
    let bare = word.strip_prefix('-').unwrap_or(word);
    let (name, value) = bare
        .split_once('=')
        .map_or((bare, None), |(name, value)| (name, Some(value)));
    let Some(option) = facts
        .options
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return Err(unknown(facts, name));
    };
    match (option.range, value) {
        (None, None) => Ok(Given {
            name: option.name,
            value: None,
        }),
        (None, Some(_)) => Err(Refusal::unreadable(format!("-{} takes no number.", option.name))
            .or(vec![format!("-{}", option.name)])),
        (Some(range), value) => {
            let number = value.and_then(|value| range.read(value));
            if let Some(number) = number.filter(|number| range.contains(*number)) {
                return Ok(Given {
                    name: option.name,
                    value: Some((range, number)),
                });
            }
            let near = number.map_or(range.default, |number| range.nearest(number));
            Err(
                Refusal::unreadable(format!("-{} takes {range}.", option.name)).or(vec![format!(
                    "-{}={}",
                    option.name,
                    range.written(near)
                )]),
            )
        }
    }
}

fn unknown(facts: &Facts, name: &str) -> Refusal {
    let name = name.to_ascii_lowercase();
    let shown: String = name.chars().filter(char::is_ascii_graphic).take(20).collect();
    if facts.options.is_empty() {
        return Refusal::unreadable(format!("{} has no options, so not -{shown} either.", facts.name));
    }
    let mut near: Vec<_> = facts
        .options
        .iter()
        .map(|o| (strsim::osa_distance(o.name, &name), o))
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    let written = |option: &OptionFact| match option.range {
        Some(range) => format!("-{}={}", option.name, range.written(range.default)),
        None => format!("-{}", option.name),
    };
    let good = near
        .iter()
        .filter(|(distance, _)| *distance <= 2)
        .map(|(_, o)| written(o));
    let mut choices: Vec<_> = good.take(3).collect();
    if choices.is_empty() {
        choices = facts.options.iter().map(written).collect();
    }
    Refusal::unreadable(format!("{} has no option -{shown}.", facts.name)).or(choices)
}
