//! Reads one line as a command: which game, which verb, which words. What the words mean is the command's.

use crate::command::reading::echo::echo_up_to;
use crate::command::reading::near::{nearest, shorten};
use crate::command::reading::word::split;
use crate::command::{
    Argument, Command, Commands, Echo, Form, RefusalKind, Refused, Scope, Trailing, VerbMatch, Word,
};
use crate::games::{self, GAMES, Game};
use crate::table::PlayerId;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST_LINE_BYTES: usize = 1000;

/// A line that is a command.
#[derive(Clone)]
pub struct Line {
    /// The whole line, blanks as single spaces.
    pub(crate) text: String,
    /// The game it begins with.
    pub game: Option<&'static Game>,
    /// The commands among which its verb was found.
    pub commands: &'static Commands,
    /// The command of its verb.
    pub command: &'static Command,
    /// Where the verb stands.
    pub verb: Word,
    /// What its first word has chosen, in a command that leaves a choice.
    pub form: Option<&'static Form>,
    /// The words of the fixed places, one for each of [`Line::arguments`].
    pub fixed: Vec<Word>,
    /// The words after them.
    pub words: Vec<Word>,
    /// The text after them, for a command that takes turns.
    pub turns: Option<Word>,
    /// `-x` and `-x=VALUE`, for the game.
    pub game_options: Vec<Word>,
    /// `--x` and `--x=VALUE`, for the server.
    pub server_options: Vec<Word>,
    /// Whose seat it came from, if a reply token proved it: then no password stands in it.
    pub by_token: Option<PlayerId>,
}

impl Line {
    /// What its fixed words are: those of its command, then those of its form.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        let of_form = self.form.map_or(&[][..], |form| form.arguments);
        self.command.arguments.iter().chain(of_form).copied()
    }

    /// What may stand after the fixed words.
    fn trailing(&self) -> Trailing {
        self.form.map_or(self.command.trailing, |form| form.trailing)
    }

    /// All words that are never shown, with what they are.
    pub fn secrets(&self) -> impl Iterator<Item = (Argument, &Word)> {
        self.arguments()
            .zip(&self.fixed)
            .filter(|(place, _)| place.is_secret() && self.by_token.is_none())
    }

    /// The word in this place.
    #[must_use]
    pub fn word_in(&self, wanted: Argument) -> Option<&Word> {
        let mut all = self.arguments().zip(&self.fixed);
        all.find_map(|(place, word)| (place == wanted).then_some(word))
    }

    /// The board that it names, if it names one by its number alone.
    #[must_use]
    pub fn board(&self) -> Option<(&'static str, i64)> {
        let number = self.word_in(Argument::Board)?.text.parse().ok()?;
        Some((self.game?.facts.name, number))
    }

    /// The userid and the password that proves it, if its command has them. In `signup` that is the one which
    /// is to become an account's, since there may be such an account already.
    #[must_use]
    pub fn password(&self) -> Option<(&Word, &Word)> {
        if self.by_token.is_some() {
            return None;
        }
        let proving = [Argument::Password, Argument::Token, Argument::NewPassword];
        let place = proving.into_iter().find(|place| self.word_in(*place).is_some())?;
        let password = self.word_in(place).filter(|_| place != Argument::Token)?;
        Some((self.word_in(Argument::Userid)?, password))
    }
}

/// A line that is no command, and why.
#[derive(Debug)]
pub struct Misread {
    /// The refusal.
    pub refused: Refused,
    /// The line as it may be shown: masked whole but for what was understood.
    pub echo: Echo,
    /// The command, as far as it was understood.
    pub command: Option<(Option<&'static Game>, &'static Command)>,
}

impl Commands {
    /// Whether a line begins as a command does, with a game or a server verb.
    pub(crate) fn begins_a_command(&self, text: &str) -> bool {
        let Some(first) = text.split_whitespace().next() else {
            return false;
        };
        games::find(first).is_some()
            || !matches!(
                self.find_verb(first, |scope| scope != Scope::Game),
                VerbMatch::Unknown
            )
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, with the nearest known words.
    pub fn read_line(&'static self, text: &str) -> Result<Line, Box<Misread>> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() > LONGEST_LINE_BYTES {
            let refused = Refused::unreadable(format!(
                "The line is longer than {LONGEST_LINE_BYTES} characters."
            ));
            return Err(misread(refused, Echo::default(), None));
        }
        let words = split(&text);
        let Some(first) = words.first() else {
            return Err(misread(
                Refused::unreadable("There is no command."),
                Echo::default(),
                None,
            ));
        };
        let game = games::find(&first.text);
        let verb_place = usize::from(game.is_some());
        let Some(verb) = words.get(verb_place) else {
            let game_name = game.map_or("", |game| game.facts.name);
            let refused = Refused::unreadable(format!("What about {game_name}? A verb is missing after it."));
            let verbs = self
                .open_verbs(true)
                .map(|verb| format!("{game_name} {verb}"))
                .collect();
            let echo = Echo::of(&text, |_| false, Some(&(text.len()..text.len())));
            return Err(misread(refused.near(verbs), echo, None));
        };
        let command = match self.find_verb(&verb.text, |scope| {
            scope == Scope::Both || (scope == Scope::Game) == game.is_some()
        }) {
            VerbMatch::One(command) => command,
            VerbMatch::Several(verbs) => {
                let shown = shorten(&verb.text);
                let refused = Refused::new(
                    RefusalKind::Ambiguous,
                    format!("\"{shown}\" could mean {}.", verbs.join(" or ")),
                );
                return Err(misread(refused.about(verb), echo_up_to(&text, verb), None));
            }
            VerbMatch::Unknown => return Err(self.unknown(&text, verb, game)),
        };
        fill(self, text, &words[verb_place..], game, command)
    }

    fn open_verbs(&self, after_game: bool) -> impl Iterator<Item = &'static str> {
        let open = move |scope| scope == Scope::Both || (scope == Scope::Game) == after_game;
        self.iter()
            .filter(move |command| open(command.scope))
            .map(|command| command.verb)
    }

    /// A line whose verb is not known. A verb that only lacks its game is told apart from one that is misspelt.
    fn unknown(&self, text: &str, verb: &Word, game: Option<&'static Game>) -> Box<Misread> {
        let echo = echo_up_to(text, verb);
        if let (None, VerbMatch::One(command)) = (game, self.find_verb(&verb.text, |_| true)) {
            let sentence = format!("{} needs the name of a game before it.", command.verb);
            let near = GAMES
                .iter()
                .map(|game| format!("{} {}", game.facts.name, command.verb))
                .collect();
            let refused = Refused::unreadable(sentence).about(verb).near(near);
            return misread(refused, echo, Some((None, command)));
        }
        if let (Some(game), VerbMatch::One(command)) = (game, self.find_verb(&verb.text, |_| true)) {
            let sentence = format!(
                "{} is a command of the server: write it without {}.",
                command.verb, game.facts.name
            );
            let refused = Refused::unreadable(sentence).about(verb);
            return misread(refused, echo, Some((None, command)));
        }
        let mut known: Vec<String> = self.open_verbs(game.is_some()).map(str::to_owned).collect();
        if game.is_none() {
            known.extend(GAMES.iter().map(|game| game.facts.name.to_owned()));
        }
        let near = nearest(&verb.text, known);
        // A word that is near no known one might be a password that has come first.
        let is_open = !near.is_empty() || self.is_plainly_no_password(&verb.text);
        let shown = shorten(&verb.text);
        let sentence = match (game, is_open) {
            (Some(game), true) => format!("{} has no command \"{shown}\".", game.facts.name),
            (Some(game), false) => format!("{} has no such command.", game.facts.name),
            (None, true) => format!("\"{shown}\" is neither a command nor a game."),
            (None, false) => "The subject begins with neither a command nor a game.".to_owned(),
        };
        let echo = if is_open {
            echo
        } else {
            Echo::of(text, |word| word.at.start >= verb.at.start, Some(&verb.at))
        };
        misread(
            Refused {
                show_syntax: false,
                ..Refused::unreadable(sentence)
            }
            .about(verb)
            .near(near),
            echo,
            None,
        )
    }
}

/// Sorts the words after the verb into fixed places, options and the rest.
fn fill(
    commands: &'static Commands,
    text: String,
    words: &[Word],
    game: Option<&'static Game>,
    command: &'static Command,
) -> Result<Line, Box<Misread>> {
    let mut line = Line {
        verb: words[0].clone(),
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
    };
    for word in &words[1..] {
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
                let refused = no_form(command, forms).pointing_at(word).near(near);
                let echo = line.echo(&refused, &|_| false);
                return Err(misread(refused, echo, Some((game, command))));
            }
        } else if let Trailing::Text(_) = line.trailing() {
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
    match check(&line) {
        None => Ok(line),
        Some(refused) => {
            let echo = line.echo(&refused, &|_| false);
            Err(misread(refused, echo, Some((game, command))))
        }
    }
}

/// The form that this word, or an unambiguous beginning of at least three letters, chooses.
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

/// The refusal of a line whose first word chooses nothing.
fn no_form(command: &Command, forms: &[Form]) -> Refused {
    let words: Vec<_> = forms.iter().map(|form| form.word).collect();
    let (verb, words) = (command.verb, words.join(" or "));
    Refused::unreadable(format!("After {verb} stands what is meant: {words}."))
}

/// Whether a word is an option behind these hyphens: a letter follows, unlike in `->`.
fn is_option(word: &str, hyphens: &str) -> bool {
    word.strip_prefix(hyphens)
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// What is wrong with the number and kind of the words, if anything is.
fn check(line: &Line) -> Option<Refused> {
    let end = Word {
        text: String::new(),
        at: line.text.len()..line.text.len(),
    };
    // The words may have slipped by one place, so none of them is shown when a password is among them.
    let slipped = |refused: Refused, at: &Word| refused.pointing_at(at);
    let verb = line.command.verb;
    if let Trailing::OneOf(forms) = line.trailing() {
        return Some(slipped(no_form(line.command, forms), &end));
    }
    if let Some(place) = line.arguments().nth(line.fixed.len()) {
        let is_another = place == Argument::NewPassword && line.secrets().next().is_some();
        let new = if is_another { "new " } else { "" };
        // The mails that watchers get have this subject, and are answered like any other.
        let is_watched = place == Argument::Userid && line.verb.text.eq_ignore_ascii_case("board");
        let sentence = if is_watched {
            "The userid is missing: whoever only watches a board writes to its players with message."
                .to_owned()
        } else {
            format!("The {new}{} is missing.", place.word())
        };
        return Some(slipped(Refused::unreadable(sentence), &end));
    }
    if let (Trailing::Text(name), None) = (line.trailing(), &line.turns) {
        return Some(slipped(
            Refused::unreadable(format!("The {name} is missing.")),
            &end,
        ));
    }
    if let (Trailing::Nothing, Some(word)) = (line.trailing(), line.words.first()) {
        return Some(slipped(
            Refused::unreadable(format!("There is a word too many for {verb}.")),
            word,
        ));
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

fn misread(
    refused: Refused,
    echo: Echo,
    command: Option<(Option<&'static Game>, &'static Command)>,
) -> Box<Misread> {
    Box::new(Misread {
        refused,
        echo,
        command,
    })
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
