//! Reads an answer to an invitation: commands of its reader, who leaves out userid and password, and perhaps the game.
//!
//! `challenge bob`, `seek`, `seek Ringworm -size=5`, `who`, `help`. The first lines are read, after a salutation; the
//! rest is text for the other player.
//!
//! Its token names a player and the hour, two weeks later, at which it expires; another password ends it before. The letter lies
//! in a mailbox for long, so nothing else can be done with the token. An answer to its answer has the same token, which expires
//! no later.

use pbmserv_games::Game;

use crate::command::reading::phrases::is_greeting;
use crate::command::reading::places::is_formed_as_a_userid;
use crate::command::reading::script::is_subject_of_a_letter;
use crate::command::reading::word::split;
use crate::command::{Argument, Command, Commands, Line, Misread, Scope, VerbMatch, WithoutPassword, Word};
use crate::store::{self, Reader};
use crate::table::Player;
use pbmserv_mail::plain;

/// The most commands in one answer.
const MAX_COMMANDS: usize = 3;

/// The most words after a verb that are no options. A longer line is prose.
const MAX_WORDS: usize = 4;

/// A line of an answer whose verb and game were found.
#[derive(Debug)]
pub struct InvitedLine {
    text: String,
    /// The verb and the words after it, without the game.
    words: Vec<Word>,
    /// The positional words that the writer may leave out.
    known: Vec<Word>,
    command: &'static Command,
    commands: &'static Commands,
    by: Player,
    /// The game that the line names.
    pub game: Option<&'static Game>,
}

impl InvitedLine {
    /// Whether it needs a game and names none.
    #[must_use]
    pub fn lacks_game(&self) -> bool {
        self.game.is_none() && self.command.scope == Scope::Game
    }

    /// What stands for its password.
    pub(crate) const fn without_password(&self) -> WithoutPassword {
        self.command.without_password
    }

    /// Whether the token of an invitation is enough for it.
    #[must_use]
    pub const fn is_for_a_token(&self) -> bool {
        matches!(
            self.command.without_password,
            WithoutPassword::Known | WithoutPassword::ByToken
        )
    }

    /// Whether one of its words may be a password: such a line is refused as one that has a password, and not shown.
    ///
    /// # Errors
    /// The database failed.
    pub fn may_hold_a_password(&self, store: &Reader) -> store::Result<bool> {
        let names_others = matches!(
            self.command.arguments,
            [Argument::Userid, Argument::Password, _, ..]
        );
        for word in self.text.split(' ') {
            let is_suspect = word.starts_with('-') || names_others;
            if is_suspect && !self.commands.is_plainly_no_password(word) && store.player(word)?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The other player whom it names.
    pub(crate) fn other(&self, store: &Reader) -> store::Result<Option<Player>> {
        for word in self.words.iter().skip(1) {
            let player = store.player(&word.text)?;
            if player.as_ref().is_some_and(|player| player.id != self.by.id) {
                return Ok(player);
            }
        }
        Ok(None)
    }

    /// The line, with single blanks.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The command, about this game if it names none.
    ///
    /// # Errors
    /// Some of its words have no place.
    pub fn read(self, game: Option<&'static Game>) -> Result<Line, Box<Misread>> {
        let line = Line {
            fixed: self.known,
            by_token: Some(self.by.id),
            ..Line::begun(self.commands, self.text, self.game.or(game), self.command)
        };
        line.fill(&self.words)
    }
}

impl Commands {
    /// Reads an answer of this player to an invitation: its text, or its cleaned subject if the text begins with no
    /// command. Each command has the text that belongs to it.
    #[must_use]
    pub fn read_invited(&'static self, body: &str, subject: &str, by: &Player) -> Vec<(InvitedLine, String)> {
        let lines: Vec<&str> = body.lines().collect();
        let is_before = |line: &&&str| line.trim().is_empty() || is_greeting(line);
        let mut next = lines.iter().take_while(is_before).count();
        let mut found = Vec::new();
        while let Some(line) = lines.get(next).filter(|_| found.len() < MAX_COMMANDS) {
            if line.trim().is_empty() {
                next += 1;
                continue;
            }
            let Some(line) = self.invited(line, by) else { break };
            found.push((line, String::new()));
            next += 1;
        }
        if found.is_empty() && !is_subject_of_a_letter(subject) {
            // A list has the command that asked for it as its subject, which comes back above words.
            let is_meant = |line: &InvitedLine| line.command.may_change() || body.trim().is_empty();
            let line = self.invited(subject, by).filter(is_meant);
            found.extend(line.map(|line| (line, String::new())));
            next = 0;
        }
        if let Some((_, text)) = found.first_mut() {
            *text = self.masked(lines.get(next..).unwrap_or_default());
        }
        found
    }

    /// Reads the cleaned subject of a new mail of this player as such a command, if it may change something; the text belongs to it.
    pub(crate) fn read_invited_subject(
        &'static self,
        subject: &str,
        body: &str,
        by: &Player,
    ) -> Option<(InvitedLine, String)> {
        if is_subject_of_a_letter(subject) {
            return None;
        }
        let line = self
            .invited(subject, by)
            .filter(|line| line.command.may_change())?;
        Some((line, self.masked(&body.lines().collect::<Vec<_>>())))
    }

    /// A line that was read as an answer to an invitation before.
    #[must_use]
    pub fn read_own(&'static self, line: &str, by: &Player) -> Option<Line> {
        self.invited(line, by)?.read(None).ok()
    }

    fn invited(&'static self, line: &str, by: &Player) -> Option<InvitedLine> {
        let line = plain(line);
        let text = line.trim().trim_end_matches(['.', '!', ',']).trim_end();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = split(&text);
        let words = self.without_my(&words);
        let is_polite = |word: &&Word| {
            let [please, to] = ["please", "to"].map(|filler| word.text.eq_ignore_ascii_case(filler));
            !please && !to
        };
        let mut words: Vec<Word> = words.iter().filter(is_polite).cloned().collect();
        let place = words
            .iter()
            .position(|word| pbmserv_games::find(&word.text).is_some());
        let verb = words.get(usize::from(place == Some(0)))?;
        let VerbMatch::One(command) = self.find_verb(&verb.text, |_| true) else {
            return None;
        };
        if command.without_password == WithoutPassword::Never {
            return None;
        }
        let game = match place.filter(|_| command.scope != Scope::Server) {
            Some(place) => pbmserv_games::find(&words.remove(place).text),
            None => None,
        };
        // What begins a board may leave out its game, since the other player may seek one.
        if command.scope == Scope::Game && game.is_none() && !command.takes_game_options {
            return None;
        }
        let mut pairs = command.arguments.windows(2);
        // The place of the userid among the words, if a password follows.
        let own_place = pairs
            .position(|pair| pair == [Argument::Userid, Argument::Password])
            .map(|place| place + 1);
        // The own name may stand where it stands with a password: `vacation me 14`.
        if let Some(place) = own_place
            && let Some(own) = words.get(place)
            && ["me", &by.userid]
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&own.text))
        {
            words.remove(place);
        }
        let given = given(&words);
        let is_meant = match command.arguments {
            [Argument::Userid, Argument::Userid] => {
                (1..=2).contains(&given.len()) && given.iter().all(|word| is_formed_as_a_userid(word))
            }
            _ if own_place.is_some() => (command.fits_without_password)(&given),
            _ => given.len() <= MAX_WORDS && (command.is_meant)(&given),
        };
        let own = |text: &str| Word {
            text: text.to_owned(),
            at: 0..0,
        };
        let known = match command.arguments {
            [Argument::Userid, Argument::Userid] if given.len() == 1 => vec![own(&by.userid)],
            _ => Vec::new(),
        };
        if let Some(place) = own_place.filter(|place| is_meant && *place <= words.len()) {
            words.splice(place..place, [own(&by.userid), own("")]);
        }
        is_meant.then(|| InvitedLine {
            text,
            words,
            known,
            command,
            commands: self,
            by: by.clone(),
            game,
        })
    }
}

/// The words after the verb that are no options, nor numbers after one, as in `-size 6`.
fn given(words: &[Word]) -> Vec<&str> {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let is_option = |word: &str| word.starts_with('-');
    let is_value = |pair: &[&str]| is_option(pair[0]) && pair[1].bytes().all(|c| c.is_ascii_digit());
    let pairs = words.windows(2);
    let given = pairs.filter(|pair| !is_option(pair[1]) && !is_value(pair));
    given.map(|pair| pair[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::COMMANDS;
    use crate::table::PlayerId;

    fn alice() -> Player {
        Player {
            id: PlayerId(1),
            userid: "alice".into(),
            password_hash: String::new(),
            generation: 0,
            away_since: None,
            disabled_at: None,
        }
    }

    /// Each command as verb, game and words, then the text.
    fn read(body: &str, subject: &str) -> Vec<String> {
        let found = COMMANDS.read_invited(body, subject, &alice());
        let shown = |(line, text): (InvitedLine, String)| {
            let default = pbmserv_games::find("Forms").filter(|_| line.lacks_game());
            let line = line.read(default).unwrap();
            assert_eq!(line.by_token, Some(PlayerId(1)));
            let words = line.fixed.iter().chain(&line.words).chain(&line.game_options);
            let words: Vec<_> = words.map(|word| word.text.as_str()).collect();
            let game = line.game.map_or("", |game| game.facts.name);
            format!("{game} {} {}|{text}", line.command.verb, words.join(" "))
        };
        found.into_iter().map(shown).collect()
    }

    #[test]
    fn what_one_may_leave_out_is_filled_in() {
        let ours = "Welcome to pbmserv@games.example, alice";
        for (body, meant) in [
            ("challenge bob", "Forms challenge alice bob|"),
            ("Challenge Bob!", "Forms challenge alice Bob|"),
            ("please challenge bob", "Forms challenge alice bob|"),
            ("Pow2 challenge bob", "Pow2 challenge alice bob|"),
            ("challenge bob Pow2", "Pow2 challenge alice bob|"),
            ("Pow2 challenge me bob", "Pow2 challenge me bob|"),
            ("challenge bob me", "Forms challenge bob me|"),
            ("challenge bob -size=5", "Forms challenge alice bob -size=5|"),
            ("seek", "Forms seek alice |"),
            ("seek Pow2.", "Pow2 seek alice |"),
            ("Pow2 seek 2 -exact", "Pow2 seek alice  2 -exact|"),
            ("who", " who |"),
            ("who pow2", "Pow2 who |"),
            ("help", " help |"),
            ("Help Pow2", "Pow2 help |"),
            ("my games", " games |"),
            ("list Pow2", " list Pow2|"),
            (
                "Hi,\n\nseek\n\nLooking forward!",
                "Forms seek alice |Looking forward!",
            ),
            ("challenge bob\nGood luck", "Forms challenge alice bob|Good luck"),
        ] {
            assert_eq!(read(body, ours), [meant], "{body}");
        }
        assert_eq!(
            read("seek Pow2\nwho\nThanks", ours),
            ["Pow2 seek alice |Thanks", " who |"]
        );
        assert_eq!(
            read("Nice to meet you", "challenge bob"),
            ["Forms challenge alice bob|Nice to meet you"]
        );
    }

    #[test]
    fn the_subject_of_a_list_comes_back_above_words() {
        assert!(read("I would like to play with Carol.", "Pow2 who").is_empty());
        assert_eq!(read("", "Pow2 who"), ["Pow2 who |"]);
        assert_eq!(read("seek", "who"), ["Forms seek alice |"]);
    }

    #[test]
    fn prose_is_no_command() {
        for body in [
            "",
            "Thanks!",
            "Who are you?",
            "Seek and you shall find",
            "Challenge accepted, I will look at the rules first",
            "Games like these are what I was looking for",
            "delete alice fig7elk",
            "Pow2 move 101 alice fig7elk m13-j7",
            "Pow2",
        ] {
            assert!(read(body, "").is_empty(), "{body}");
        }
    }
}
