//! The option that a word too many was meant as.

use pbmserv_games::{Facts, Options};

use crate::command::reading::hidden;
use crate::command::{Line, Word};

impl Line {
    /// The option that this word, for which there is no place, was meant as: `fast` as `-fast`, `6` after `-size` as
    /// `-size=6`.
    pub(crate) fn option_meant_by(&self, word: &Word) -> Option<String> {
        let text = word.text.to_ascii_lowercase();
        let mut of_server = self.command.options.iter();
        if of_server.any(|option| *option == text) {
            return Some(format!("--{text}"));
        }
        let facts = self.game.filter(|_| self.command.takes_game_options)?.facts;
        let is_before = |option: &&Word| option.at.end < word.at.start && !option.text.contains('=');
        match self.game_options.iter().rfind(is_before) {
            Some(option) if hidden::is_number(&text) => with_number(facts, option, &text),
            _ => Options::parse(facts, [format!("-{text}").as_str()])
                .ok()?
                .words()
                .pop(),
        }
    }

    /// The option that was meant by this one, if the next word is its number: `-size=6` by `-size 6`.
    pub(crate) fn option_with_next(&self, option: &Word) -> Option<String> {
        let next = self.text.get(option.at.end..)?.split_whitespace().next()?;
        let is_number = !option.text.contains('=') && hidden::is_number(next);
        let game = self.game.filter(|_| is_number)?;
        with_number(game.facts, option, next)
    }
}

/// The option with this number, or with the nearest legal one: `-size=18` for 99. `None` if it takes no number.
fn with_number(facts: &Facts, option: &Word, number: &str) -> Option<String> {
    match Options::parse(facts, [format!("{}={number}", option.text).as_str()]) {
        Ok(options) => options.words().pop(),
        Err(refusal) => {
            let mut choices = refusal.choices.into_iter();
            choices.find(|choice| choice.starts_with(&format!("{}=", option.text)))
        }
    }
}
