//! The option that a word too many was meant as.

use crate::command::reading::hidden;
use crate::command::{Line, Word};
use crate::games::Options;

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
        let before = self.game_options.iter().rfind(is_before);
        let written = match before {
            Some(option) if hidden::is_number(&text) => format!("{}={text}", option.text),
            _ => format!("-{text}"),
        };
        match Options::parse(facts, [written.as_str()]) {
            Ok(options) => options.words().pop(),
            // The game names what is legal, if the option is one of its own: `-size=18` for `-size 99`.
            Err(refusal) => refusal.choices.into_iter().next().filter(|_| before.is_some()),
        }
    }
}
