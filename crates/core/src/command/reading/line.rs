//! Reads one line as a command: the game, the verb, the words. The command interprets the words.

use pbmserv_games::{GAMES, Game};

use crate::command::reading::hidden;
use crate::command::reading::near::{nearest, shorten};
use crate::command::reading::turn_text::is_for_a_turn;
use crate::command::reading::word::split;
use crate::command::{
    Argument, Command, Commands, Echo, Form, RefusalKind, Refused, Scope, Trailing, VerbMatch, Word,
};
use crate::table::PlayerId;

pub(crate) const MAX_LINE_BYTES: usize = 1000;

/// Few words of prose are as long as this and within two letters of a verb.
const LONG_VERB: usize = 6;

/// A line that was read as a command.
#[derive(Clone)]
pub struct Line {
    /// The whole line, with single spaces.
    pub(crate) text: String,
    /// The game before the verb.
    pub game: Option<&'static Game>,
    /// The set of commands in which the verb was looked up.
    pub commands: &'static Commands,
    /// The command of the verb.
    pub command: &'static Command,
    /// The verb as written.
    pub verb: Word,
    /// The form that the first word selects, if the command has forms.
    pub form: Option<&'static Form>,
    /// The positional words, one for each of [`Line::arguments`].
    pub fixed: Vec<Word>,
    /// The words after the positional ones.
    pub words: Vec<Word>,
    /// The rest of the line, if the command takes turns.
    pub turns: Option<Word>,
    /// The game options: `-x` and `-x=VALUE`.
    pub game_options: Vec<Word>,
    /// The server options: `--x` and `--x=VALUE`.
    pub server_options: Vec<Word>,
    /// The player whom a reply token has authenticated. Then the line has no password.
    pub by_token: Option<PlayerId>,
    /// Whether its writer said it in other words than these.
    pub is_in_own_words: bool,
}

impl Line {
    /// The meaning of its positional words: those of its command, then those of its form.
    pub fn arguments(&self) -> impl Iterator<Item = Argument> {
        let of_form = self.form.map_or(&[][..], |form| form.arguments);
        self.command.arguments.iter().chain(of_form).copied()
    }

    /// What may follow the positional words.
    pub(crate) fn trailing(&self) -> Trailing {
        self.form.map_or(self.command.trailing, |form| form.trailing)
    }

    /// All words that are never shown, with their meaning.
    pub fn secrets(&self) -> impl Iterator<Item = (Argument, &Word)> {
        self.arguments()
            .zip(&self.fixed)
            .filter(|(place, _)| place.is_secret() && self.by_token.is_none())
    }

    /// The positional word with this meaning.
    #[must_use]
    pub fn word_in(&self, wanted: Argument) -> Option<&Word> {
        let mut all = self.arguments().zip(&self.fixed);
        all.find_map(|(place, word)| (place == wanted).then_some(word))
    }

    /// The board that the line names, if it names it by its number alone.
    #[must_use]
    pub fn board(&self) -> Option<(&'static str, i64)> {
        let number = self.word_in(Argument::Board)?.text.parse().ok()?;
        Some((self.game?.facts.name, number))
    }

    /// The userid and its password, if the command has them. In `signup` it is the new password, since the account may
    /// exist already.
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

/// A line that is not a command, and why.
#[derive(Debug)]
pub struct Misread {
    /// Why it is not a command.
    pub refused: Refused,
    /// The line with everything masked that was not understood.
    pub echo: Echo,
    /// The game and the command, if they were understood.
    pub command: Option<(Option<&'static Game>, &'static Command)>,
    /// The words as far as they were sorted, if the command was understood: with the database more of the line can be
    /// shown.
    pub line: Option<Box<Line>>,
}

impl Misread {
    /// Whether it is like a command.
    #[must_use]
    pub fn is_near(&self) -> bool {
        self.command.is_some() || !self.refused.near.is_empty()
    }

    /// The name in a signup that lacks its password.
    #[must_use]
    pub fn wanted_name(&self) -> Option<&str> {
        let (_, command) = self.command?;
        let takes_new_name = command.arguments.contains(&Argument::NewPassword);
        let words = &self.line.as_ref().filter(|_| takes_new_name)?.fixed;
        words
            .first()
            .filter(|_| words.len() == 1)
            .map(|word| word.text.as_str())
    }
}

impl Commands {
    /// Whether a line begins with a server verb, or with a game whose name a verb follows: names of games are also words of
    /// prose.
    pub(crate) fn begins_a_command(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((first, rest)) = self.without_my(&words).split_first() else {
            return false;
        };
        pbmserv_games::find(first).is_some_and(|_| self.begins_after_a_game(rest))
            || match self.find_verb(first, |scope| scope != Scope::Game) {
                VerbMatch::One(command) => (command.is_meant)(rest),
                VerbMatch::Several(_) => true,
                VerbMatch::Unknown => false,
            }
    }

    /// Whether these words begin as those after the name of a game. A verb that takes a board has its number after it, or at
    /// least a word with a digit if the number is missing; so has a misspelt verb, unless it is long.
    fn begins_after_a_game(&self, words: &[&str]) -> bool {
        let Some((verb, rest)) = words.split_first() else {
            return false;
        };
        let has_digit = rest.iter().any(|word| word.bytes().any(|c| c.is_ascii_digit()));
        if is_for_a_turn(verb) {
            return has_digit;
        }
        match self.find_verb(verb, |_| true) {
            VerbMatch::One(command) => {
                let needs_number = command.arguments.first() == Some(&Argument::Board);
                (has_digit || !needs_number) && (command.is_meant)(rest)
            }
            VerbMatch::Several(_) => true,
            VerbMatch::Unknown => {
                let is_near = !nearest(verb, self.open_verbs(true).map(str::to_owned)).is_empty();
                is_near && (has_digit || verb.len() >= LONG_VERB)
            }
        }
    }

    /// The words without a `my` before a verb that lists the writer's own boards: people write `my games`.
    pub(super) fn without_my<'a, W: AsRef<str>>(&self, words: &'a [W]) -> &'a [W] {
        let is_my = |word: &W| word.as_ref().eq_ignore_ascii_case("my");
        match words {
            [my, rest @ ..]
                if is_my(my) && rest.first().is_some_and(|verb| self.lists_boards(verb.as_ref())) =>
            {
                rest
            }
            _ => words,
        }
    }

    fn lists_boards(&self, verb: &str) -> bool {
        matches!(self.find_verb(verb, |scope| scope == Scope::Both), VerbMatch::One(command) if command.takes_my)
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The line is not a command; the refusal suggests similar words.
    pub fn read_line(&'static self, text: &str) -> Result<Line, Box<Misread>> {
        let text = joined(text);
        if text.len() > MAX_LINE_BYTES {
            let refused =
                Refused::unreadable(format!("The line is longer than {MAX_LINE_BYTES} characters."));
            return Err(misread(refused, Echo::default(), None));
        }
        let words = split(&text);
        let words = self.without_my(&words);
        let Some(first) = words.first() else {
            return Err(misread(
                Refused::unreadable("There is no command."),
                Echo::default(),
                None,
            ));
        };
        let game = pbmserv_games::find(&first.text);
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
                return Err(misread(refused.about(verb), self.echo_up_to(&text, verb), None));
            }
            VerbMatch::Unknown => return Err(self.unknown(&text, verb, game)),
        };
        Line::begun(self, text, game, command).fill(&words[verb_place..])
    }

    fn open_verbs(&self, after_game: bool) -> impl Iterator<Item = &'static str> {
        let open = move |scope| scope == Scope::Both || (scope == Scope::Game) == after_game;
        self.iter()
            .filter(move |command| open(command.scope))
            .map(|command| command.verb)
    }

    /// A line whose verb is unknown: misspelt, or a verb whose game is missing. The two get different refusals.
    fn unknown(&self, text: &str, verb: &Word, game: Option<&'static Game>) -> Box<Misread> {
        let echo = self.echo_up_to(text, verb);
        if let (None, VerbMatch::One(command)) = (game, self.find_verb(&verb.text, |_| true)) {
            let sentence = format!("{} needs the name of a game before it.", command.verb);
            // People write the game after the verb.
            let named = text.split_whitespace().find_map(pbmserv_games::find);
            let games = GAMES
                .iter()
                .filter(|game| named.is_none_or(|named| named.facts.name == game.facts.name));
            let near = games
                .map(|game| format!("{} {}", game.facts.name, command.verb))
                .collect();
            let refused = Refused::unreadable(sentence).about(verb).near(near);
            return misread(refused, echo, Some((named, command)));
        }
        if let (Some(game), VerbMatch::One(command)) = (game, self.find_verb(&verb.text, |_| true)) {
            let sentence = format!(
                "{} is a command of the server: write it without {}.",
                command.verb, game.facts.name
            );
            let refused = Refused::unreadable(sentence).about(verb);
            return misread(refused, echo, Some((None, command)));
        }
        // A number after the game is that of a board, and what follows a turn.
        if let (Some(named), true, VerbMatch::One(command)) = (
            game,
            hidden::is_number(&verb.text),
            self.find_verb("move", |_| true),
        ) {
            let sentence = format!(
                "A verb is missing after {}: a turn is played with move.",
                named.facts.name
            );
            return misread(
                Refused::unreadable(sentence).about(verb),
                echo,
                Some((game, command)),
            );
        }
        let mut known: Vec<String> = self.open_verbs(game.is_some()).map(str::to_owned).collect();
        if game.is_none() {
            known.extend(GAMES.iter().map(|game| game.facts.name.to_owned()));
        }
        let near = nearest(&verb.text, known);
        // A word that is not near a known one might be a password in first position.
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

/// The words with one blank between them. `sign up`, which people write as two words, is one. `Pow2 undo 101 ...` is written
/// as `Pow2 resign 101 ...` is, and means `Pow2 move 101 ... undo`.
fn joined(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    match words.as_slice() {
        [sign, way @ ..]
            if is(sign, "sign") && way.first().is_some_and(|way| is(way, "up") || is(way, "off")) =>
        {
            format!("sign{}", way.join(" "))
        }
        [game, word, rest @ ..] if is_for_a_turn(word) && pbmserv_games::find(game).is_some() => {
            [&[game, "move"], rest, &[word]].concat().join(" ")
        }
        words => words.join(" "),
    }
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
        line: None,
    })
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
