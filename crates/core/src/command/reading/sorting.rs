//! Sorts the words of a line into positional words, options and the rest, and checks their number and kind.

use pbmserv_games::Game;

use crate::command::reading::near::nearest;
use crate::command::{Command, Commands, Form, Line, Misread, Reason, Refused, Trailing, Word};

impl Line {
    /// A line whose words are not sorted yet.
    pub(super) const fn begun(
        commands: &'static Commands,
        text: String,
        game: Option<&'static Game>,
        command: &'static Command,
    ) -> Self {
        Self {
            verb: Word {
                text: String::new(),
                at: 0..0,
            },
            text,
            game,
            commands,
            command,
            form: None,
            fixed: Vec::new(),
            words: Vec::new(),
            turns: None,
            game_options: Vec::new(),
            server_options: Vec::new(),
            by_token: None,
            is_in_own_words: false,
        }
    }

    /// Sorts the verb and the words after it into positional words, options and the rest. Positional words that the line
    /// has already come before them.
    pub(super) fn fill(mut self, words: &[Word]) -> Result<Self, Box<Misread>> {
        let Some((verb, words)) = words.split_first() else {
            return Ok(self);
        };
        self.verb = verb.clone();
        match sort(&mut self, words).or_else(|| check(&self)) {
            None => Ok(self),
            Some(refused) => Err(unread(self, refused)),
        }
    }
}

/// Sorts words; gives a refusal if one of them selects no form.
fn sort(line: &mut Line, words: &[Word]) -> Option<Refused> {
    for word in words {
        let fixed_are_full = line.fixed.len() == line.arguments().count();
        if is_option(&word.text, "--") {
            line.server_options.push(word.clone());
        } else if is_option(&word.text, "-") {
            line.game_options.push(word.clone());
        } else if !fixed_are_full {
            line.fixed.push(word.clone());
        } else if let Trailing::OneOf(forms) = line.trailing() {
            line.form = find_form(&word.text, forms);
            if line.form.is_none() {
                let near = nearest(&word.text, forms.iter().map(|form| form.word.to_owned()));
                return Some(no_form(line.command, forms).pointing_at(word).near(near));
            }
        } else if let Trailing::Text(_) | Trailing::TextIfAny = line.trailing() {
            let at = word.at.start..line.text.len();
            line.turns = Some(Word {
                text: line.text[at.clone()].to_owned(),
                at,
            });
            break;
        } else {
            line.words.push(word.clone());
        }
    }
    None
}

/// The form that this word selects; an unambiguous prefix of at least three letters is enough.
fn find_form(word: &str, forms: &'static [Form]) -> Option<&'static Form> {
    let word = word.to_ascii_lowercase();
    let mut begun = forms
        .iter()
        .filter(|form| word.len() >= 3 && form.word.starts_with(&word));
    match (begun.next(), begun.next()) {
        (Some(form), None) => Some(form),
        _ => None,
    }
}

/// The refusal of a line whose first word selects no form.
fn no_form(command: &Command, forms: &[Form]) -> Refused {
    let words: Vec<_> = forms.iter().map(|form| form.word).collect();
    let (verb, words) = (command.verb, words.join(" or "));
    Refused::unreadable(format!("After {verb}, write {words}."))
}

/// Whether a word is an option with these hyphens: a letter must follow, unlike in `->`.
fn is_option(word: &str, hyphens: &str) -> bool {
    word.strip_prefix(hyphens)
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Checks the number and kind of the words.
fn check(line: &Line) -> Option<Refused> {
    let end = Word {
        text: String::new(),
        at: line.text.len()..line.text.len(),
    };
    // The words may be shifted by one position, so none of them is shown if a password is among them.
    let slipped = |refused: Refused, at: &Word| refused.pointing_at(at);
    let verb = line.command.verb;
    if let Trailing::OneOf(forms) = line.trailing() {
        return Some(slipped(no_form(line.command, forms), &end));
    }
    // A userid is not known without the database.
    if let Some(refused) = line.missing(&|_| false) {
        return Some(refused);
    }
    if let (Trailing::Nothing, Some(word)) = (line.trailing(), line.words.first()) {
        let refused = Refused::unreadable(Reason::SurplusWord(verb));
        return Some(match line.option_meant_by(word) {
            Some(option) => refused.about(word).near(vec![option]),
            None => slipped(refused, word),
        });
    }
    if let (false, Some(word)) = (line.command.takes_game_options, line.game_options.first()) {
        let dashed = if line.command.has_secret() {
            " A password cannot begin with a hyphen."
        } else {
            ""
        };
        let sentence = format!("{verb} takes no option with one hyphen.{dashed}");
        return Some(slipped(Refused::unreadable(sentence), word));
    }
    line.server_options.iter().find_map(|word| {
        let name = word
            .text
            .trim_start_matches('-')
            .split('=')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let known = line.command.options;
        if known
            .iter()
            .any(|option| option.split('=').next() == Some(name.as_str()))
        {
            return None;
        }
        let sentence = format!("{verb} does not take this option.");
        let near = known.iter().map(|option| format!("--{option}")).collect();
        Some(slipped(Refused::unreadable(sentence), word).near(near))
    })
}

/// A line whose command was understood, and its words not all.
fn unread(line: Line, refused: Refused) -> Box<Misread> {
    Box::new(Misread {
        echo: line.echo(&refused, &|_| false),
        command: Some((line.game, line.command)),
        refused,
        line: Some(Box::new(line)),
    })
}
