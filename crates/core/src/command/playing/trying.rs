//! Walks a line of turns that nobody plays: for both sides in order, as far as the rules allow.

use pbmserv_games::Kind::Unreadable;
use pbmserv_games::{Game, Match, Outcome, Refusal, Seat};

use crate::command::reading::hidden;
use crate::command::reading::turn_text::{split_turns, words_of};
use crate::command::{Commands, Context, Refused, Word};

/// The most turns of a line.
const MAX_TRIED: usize = 200;

/// A line as far as it is legal.
pub struct Tried {
    pub turns: Vec<TriedTurn>,
    /// The position after them.
    pub game: Box<dyn Match>,
    /// Why it goes no further.
    pub(crate) stopped: Option<Stopped>,
}

/// One turn of a line.
#[derive(Debug)]
pub struct TriedTurn {
    /// In its canonical text.
    pub text: String,
    pub seat: Seat,
    /// What it does besides what its text says.
    pub effects: Vec<String>,
}

/// The turn that is not possible.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) word: Word,
    pub(crate) refusal: Refusal,
}

impl Stopped {
    /// Whether its text may be shown: one that is no turn may be a password.
    pub(crate) fn is_seen(&self, commands: &Commands) -> bool {
        let is_open = |word: &str| commands.is_plainly_no_password(word) || hidden::is_shaped_as_a_turn(word);
        self.refusal.kind != Unreadable || self.word.text.split_whitespace().all(is_open)
    }

    /// What the rules say.
    pub(crate) fn reason(&self, context: &Context<'_>, game: &Game) -> String {
        match self.is_seen(context.commands) {
            true => self.refusal.reason.clone(),
            false => format!("Here is no turn of {}.", game.facts.name),
        }
    }

    pub(crate) fn refused(self, context: &Context<'_>, game: &Game) -> Refused {
        match self.is_seen(context.commands) {
            true => Refused::of_turn(self.refusal, &self.word),
            false => Refused::unreadable(self.reason(context, game)).pointing_at(&self.word),
        }
    }
}

impl Tried {
    /// Why the line stops, in a sentence of the rules, for a page whose reader has typed it; `None`: it does not.
    #[must_use]
    pub fn why_stopped(&self) -> Option<(&str, &Refusal)> {
        let stopped = self.stopped.as_ref()?;
        Some((&stopped.word.text, &stopped.refusal))
    }

    /// Plays these turns, which are one text; all or none.
    fn play(&mut self, text: &str) -> Result<(), Refusal> {
        let texts = self.game.fork().play_all(text)?;
        if self.turns.len() + texts.len() > MAX_TRIED {
            return Err(Refusal::illegal(format!("A line has at most {MAX_TRIED} turns.")));
        }
        for text in texts {
            let (seat, effects) = (
                self.game.to_move(),
                self.game.effects(std::slice::from_ref(&text)),
            );
            self.game.play(&text)?;
            self.turns
                .extend(seat.map(|seat| TriedTurn { text, seat, effects }));
        }
        Ok(())
    }

    fn stop(mut self, word: Word, refusal: Refusal) -> Self {
        self.stopped = Some(Stopped { word, refusal });
        self
    }
}

/// The line in this text. Between its turns stand blanks, `then` or semicolons; a turn may have blanks itself.
pub(crate) fn tried(from: &dyn Match, text: &Word) -> Tried {
    let mut tried = Tried {
        turns: Vec::new(),
        game: from.fork(),
        stopped: None,
    };
    for piece in split_turns(text) {
        let Err(whole) = tried.play(&piece.text) else {
            continue;
        };
        let words = words_of(&piece);
        if words.len() <= 1 {
            return tried.stop(piece, whole);
        }
        for word in words {
            if let Err(refusal) = tried.play(&word.text) {
                return tried.stop(word, refusal);
            }
        }
    }
    tried
}

/// The line that a page has in its address, or that its reader has typed.
#[must_use]
pub fn walked(from: &dyn Match, text: &str) -> Tried {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = 0..text.len();
    tried(from, &Word { text, at })
}

/// What stands between the turns of a line in the path of a page.
const BETWEEN: &str = "_";

/// A line as a part of the path of a page, in which `-` is no turn.
#[must_use]
pub fn line_in_path(turns: &[String]) -> String {
    if turns.is_empty() {
        return "-".to_owned();
    }
    let mut path = String::new();
    for byte in turns.join(BETWEEN).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b',' | b':' | b'@' | b'_' => {
                path.push(char::from(byte));
            }
            byte => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// The line of a decoded part of a path.
#[must_use]
pub fn line_of_path(part: &str) -> String {
    match part {
        "-" => String::new(),
        line => line.replace(BETWEEN, " "),
    }
}

/// The texts of these turns.
pub(crate) fn texts(turns: &[TriedTurn]) -> Vec<String> {
    turns.iter().map(|turn| turn.text.clone()).collect()
}

/// Whose turn it would be, or how the game would end.
pub(crate) fn state(game: &dyn Match) -> String {
    let side = |seat: Seat| game.facts().sides[seat.index()];
    match (game.outcome(), game.to_move()) {
        (Some(Outcome::Won(seat)), _) => format!("The game would be over: {} would have won.", side(seat)),
        (Some(Outcome::Drawn), _) => "The game would be over: a draw.".to_owned(),
        (None, Some(seat)) => format!("It would be the turn of {}.", side(seat)),
        (None, None) => String::new(),
    }
}
