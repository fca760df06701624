//! A line as its page walks it.

use pbmserv_core::command::{Tried, TriedTurn, line_in_path, line_of_path, walked};
use pbmserv_games::record::{Record, Replayed};

use crate::web::board::{Place, Seen};
use crate::web::fault::Fault;

/// The longest line of an address, in bytes.
const MAX_LINE: usize = 4000;

/// The longest text of a turn, or of several that are typed, in bytes.
const MAX_TYPED: usize = 1000;

/// What an address asks for.
#[derive(Debug)]
pub(super) struct LineAddress {
    /// The line, with blanks between its turns.
    pub(super) line: String,
    /// How many of its turns are walked.
    walked: usize,
    /// The next turn, as far as it is chosen or typed.
    turn: String,
}

impl LineAddress {
    pub(super) fn new(line: &str, walked: usize, turn: String) -> Result<Self, Fault> {
        if line.len() > MAX_LINE || turn.len() > MAX_TYPED {
            return Err(Fault::unreadable(
                "This line is too long for a page. Begin it at a later turn.",
            ));
        }
        Ok(Self {
            line: line_of_path(line),
            walked,
            turn,
        })
    }

    /// The path of its page, as it was asked for.
    pub(super) fn path(&self, place: &Place) -> String {
        let texts: Vec<_> = self.line.split_whitespace().map(str::to_owned).collect();
        path(
            place,
            place.turn.unwrap_or_default(),
            &texts,
            self.walked.min(texts.len()),
        )
    }
}

/// A line, walked as far as its page shows it.
pub(super) struct Walk {
    pub(super) seen: Seen,
    /// As far as it is legal.
    pub(super) line: Vec<TriedTurn>,
    /// How many of its turns are walked.
    pub(super) walked: usize,
    /// The position after these.
    pub(super) then: Replayed,
    /// The next turn, as far as it is chosen or typed.
    pub(super) turn: String,
    /// Why the line of the address goes no further.
    pub(super) stopped: Option<String>,
    /// The path of the page after the turn, if that is whole.
    pub(super) goes_to: Option<String>,
}

impl Walk {
    pub(super) fn new(seen: Seen, asked: &LineAddress) -> Result<Self, Fault> {
        let start = position(&seen, &[])?;
        let tried = walked(start.position.as_ref(), &asked.line);
        let stopped = why(&tried);
        let line = tried.turns;
        let walked = asked.walked.min(line.len());
        let then = position(&seen, line.get(..walked).unwrap_or_default())?;
        let mut walk = Self {
            seen,
            line,
            walked,
            then,
            turn: asked.turn.trim().to_owned(),
            stopped,
            goes_to: None,
        };
        walk.add();
        Ok(walk)
    }

    /// Adds the turn to the line if it is whole and nothing can be added to it, or several that are typed as far as they are
    /// legal. One that the line goes on with anyhow leaves what follows it.
    fn add(&mut self) {
        let position = self.then.position.as_ref();
        if self.turn.is_empty() {
            return;
        }
        if let Ok(continuations) = position.continuations(&self.turn)
            && (continuations.whole.is_none() || !continuations.steps.is_empty())
        {
            return;
        }
        let more = walked(position, &self.turn);
        if more.turns.is_empty() {
            return;
        }
        let added: Vec<_> = more.turns.into_iter().map(|turn| turn.text).collect();
        self.goes_to = Some(self.path_with(&added));
    }

    /// The path of the page after these turns.
    pub(super) fn path_with(&self, added: &[String]) -> String {
        let known = self.texts();
        let walked = self.walked + added.len();
        let is_known = known.get(self.walked..walked) == Some(added);
        let texts = match is_known {
            true => known,
            false => [known.get(..self.walked).unwrap_or_default(), added].concat(),
        };
        self.path(&texts, walked)
    }

    /// Where the browser is sent: after the turn, or to the path in full.
    pub(super) fn goes_to(&self) -> String {
        self.goes_to.clone().unwrap_or_else(|| self.here())
    }

    /// The path of this page, below the root of a viewer.
    pub(super) fn here(&self) -> String {
        self.path(&self.texts(), self.walked)
    }

    fn path(&self, texts: &[String], walked: usize) -> String {
        let board = &self.seen.board;
        let place = Place {
            game: board.game,
            number: board.number,
            turn: None,
        };
        path(&place, self.seen.shown, texts, walked)
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.line.iter().map(|turn| turn.text.clone()).collect()
    }

    /// The turn that was walked last.
    pub(super) fn last(&self) -> Option<&TriedTurn> {
        self.line.get(self.walked.checked_sub(1)?)
    }
}

/// The path of the page of a line, below the root of a viewer.
fn path(place: &Place, after: usize, line: &[String], walked: usize) -> String {
    let line = line_in_path(line);
    format!(
        "board/{}/{}/try/{after}/{line}/{walked}",
        place.game.facts.name, place.number
    )
}

fn why(tried: &Tried) -> Option<String> {
    let (turn, refusal) = tried.why_stopped()?;
    Some(format!("The line stops before {turn}. {}", refusal.reason))
}

/// The board after its turns that are shown, and these. It has no end but by the rules: a line goes on where somebody resigned.
fn position(seen: &Seen, line: &[TriedTurn]) -> Result<Replayed, Fault> {
    let mut record = Record::new(seen.board.game, seen.board.options.clone());
    let played = seen.turns.iter().take(seen.shown).map(|turn| &turn.text);
    record.turns = played
        .chain(line.iter().map(|turn| &turn.text))
        .cloned()
        .collect();
    // The dice after a line are not known.
    record.roll = seen.then.position.dice().filter(|_| line.is_empty());
    record.replay().map_err(|error| Fault::internal(&error))
}
