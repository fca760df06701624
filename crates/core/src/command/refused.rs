//! Why a command is refused.

use std::ops::Range;

use pbmserv_games::Refusal;

use crate::command::{Unchecked, Word};
use crate::store;
use crate::table::{Board, PlayerId, Position, Unreplayable};

/// The three kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// It cannot be read.
    Unreadable,
    /// It can be read, but is not possible now.
    Impossible,
    /// It could mean several things.
    Ambiguous,
}

/// A refused command, and the answer to its writer.
#[derive(Debug)]
pub struct Refused {
    pub kind: RefusalKind,
    /// What is wrong, a sentence.
    pub reason: String,
    /// The turn that was not played, if it is one.
    pub turn: Option<UnplayedTurn>,
    /// The part of the line that is wrong, in bytes.
    pub at: Option<Range<usize>>,
    /// In a line with a password, up to which byte the line may be echoed. What follows might be a password at the
    /// wrong position.
    pub clear_to: usize,
    /// Whether the part at `at` may always be shown.
    pub shows_at: bool,
    /// Suggestions.
    pub near: Vec<String>,
    /// Whether the answer shows the syntax of the command.
    pub show_syntax: bool,
    /// The board concerned, in its current position.
    pub board: Option<Box<(Board, Position)>>,
    /// A turn that came too early: it can be queued.
    pub early: Option<String>,
    /// The player whose password was wrong: the attempt is counted.
    pub wrong_password_of: Option<PlayerId>,
    /// The player who was authenticated before the refusal.
    pub proven: Option<PlayerId>,
}

/// A turn that was not played.
#[derive(Debug)]
pub struct UnplayedTurn {
    /// What was not done: `played` or `queued`.
    pub what: &'static str,
    /// The name of the board.
    pub board: String,
    /// The userid of its player.
    pub userid: String,
}

impl Refused {
    /// A refusal for this reason, which is a sentence.
    #[must_use]
    pub fn new(kind: RefusalKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
            turn: None,
            at: None,
            clear_to: 0,
            shows_at: false,
            near: Vec::new(),
            show_syntax: false,
            board: None,
            early: None,
            wrong_password_of: None,
            proven: None,
        }
    }

    /// The answer's first sentence: `Not played on Pow2 Board 101, alice. There is no room.`
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.turn {
            Some(turn) => format!(
                "Not {} on {}, {}. {}",
                turn.what, turn.board, turn.userid, self.reason
            ),
            None => self.reason.clone(),
        }
    }

    /// The same in a letter that shows this board: `Not played: there is no room.`
    #[must_use]
    pub fn above(&self, board: &Board) -> String {
        let Some(turn) = &self.turn else {
            return self.reason.clone();
        };
        let facts = board.game.facts;
        let players = board.players.iter().map(|player| &*player.userid);
        let names = players
            .chain(facts.sides)
            .chain([facts.name, facts.title.trim_start_matches("The ")]);
        format!("Not {}: {}", turn.what, continued(&self.reason, names))
    }

    /// A line that cannot be read: the syntax is shown.
    #[must_use]
    pub fn unreadable(sentence: impl Into<String>) -> Self {
        Self {
            show_syntax: true,
            ..Self::new(RefusalKind::Unreadable, sentence)
        }
    }

    /// A command that is not possible now.
    #[must_use]
    pub fn impossible(sentence: impl Into<String>) -> Self {
        Self::new(RefusalKind::Impossible, sentence)
    }

    /// Points at this word and shows it.
    #[must_use]
    pub fn about(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: word.at.end,
            shows_at: true,
            ..self
        }
    }

    /// Points at this word and masks it: it is unknown, so it might be a password at the wrong position.
    #[must_use]
    pub fn hiding(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: word.at.start,
            shows_at: false,
            ..self
        }
    }

    /// Points at this word of a line whose words may all be at wrong positions: only words that cannot be a password
    /// are shown.
    #[must_use]
    pub fn pointing_at(self, word: &Word) -> Self {
        Self {
            at: Some(word.at.clone()),
            clear_to: 0,
            shows_at: false,
            ..self
        }
    }

    /// Adds suggestions.
    #[must_use]
    pub fn near(self, near: Vec<String>) -> Self {
        Self { near, ..self }
    }

    /// Adds the board concerned, in its current position.
    #[must_use]
    pub fn on(self, board: Board, position: Position) -> Self {
        Self {
            board: Some(Box::new((board, position))),
            ..self
        }
    }

    /// The refusal of a turn, which is this word of the line.
    #[must_use]
    pub fn of_turn(refusal: Refusal, word: &Word) -> Self {
        let kind = match refusal.kind {
            pbmserv_games::Kind::Unreadable => RefusalKind::Unreadable,
            pbmserv_games::Kind::Illegal => RefusalKind::Impossible,
            pbmserv_games::Kind::Ambiguous => RefusalKind::Ambiguous,
        };
        let within = |at: Range<usize>| {
            let end = (word.at.start + at.end).min(word.at.end);
            (word.at.start + at.start).min(end)..end
        };
        Self {
            at: Some(refusal.at.map_or_else(|| word.at.clone(), within)),
            clear_to: word.at.end,
            shows_at: true,
            near: refusal.choices,
            ..Self::new(kind, refusal.reason)
        }
    }
}

/// A failure of the server itself, not caused by a player.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored board does not replay.
    #[error(transparent)]
    Unreplayable(#[from] Unreplayable),
    /// A letter could not be written.
    #[error("letter: {0}")]
    Letter(String),
    /// A due item was handled and is due again at the same time, which would loop forever.
    #[error("it is still due after it was done")]
    StillDue,
    /// The bytes of a failed message could not be stored.
    #[error("its bytes cannot be kept: {0}")]
    Disk(std::io::Error),
}

/// Why a command gives no decision.
#[derive(Debug)]
pub enum Undecided {
    /// It is refused.
    Refused(Box<Refused>),
    /// A hash must first be computed, outside the engine's thread.
    PasswordUnchecked(Box<Unchecked>),
    /// The server failed.
    InternalError(InternalError),
}

impl Undecided {
    /// Records that the writer was authenticated as this player, who then gets the answer.
    #[must_use]
    pub fn proven_by(self, player: PlayerId) -> Self {
        match self {
            // The password was right, so no other word can be one: only the password is hidden.
            Self::Refused(refused) => Self::Refused(Box::new(Refused {
                proven: Some(player),
                ..*refused
            })),
            Self::PasswordUnchecked(unchecked) => Self::PasswordUnchecked(Box::new(Unchecked {
                proven: Some(player),
                ..*unchecked
            })),
            Self::InternalError(_) => self,
        }
    }
}

impl From<Refused> for Undecided {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

impl<F: Into<InternalError>> From<F> for Undecided {
    fn from(fault: F) -> Self {
        Self::InternalError(fault.into())
    }
}

/// The sentence as it goes on after a colon: its first word in small letters, unless that is one of the names or has other
/// capitals or digits.
fn continued<'a>(sentence: &str, mut names: impl Iterator<Item = &'a str>) -> String {
    let mut letters = sentence.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let rest = letters.as_str();
    let word = rest.split(' ').next().unwrap_or(rest);
    let is_word = word.chars().all(|c| c.is_ascii_lowercase());
    if is_word && !names.any(|name| sentence.starts_with(name)) {
        format!("{}{rest}", first.to_ascii_lowercase())
    } else {
        sentence.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_goes_on_after_a_colon_with_a_small_letter_unless_it_begins_with_a_name() {
        let told = |sentence| continued(sentence, ["alice", "Light", "Dark"].into_iter());
        assert_eq!(told("There is no room at i11."), "there is no room at i11.");
        assert_eq!(told("It is not your turn."), "it is not your turn.");
        assert_eq!(told("More than one piece fits."), "more than one piece fits.");
        assert_eq!(told("A piece is there."), "a piece is there.");
        assert_eq!(told("A9 is not empty."), "A9 is not empty.");
        assert_eq!(told("Light has no piece there."), "Light has no piece there.");
    }
}
