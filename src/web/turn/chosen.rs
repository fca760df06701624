//! The turn that somebody has chosen so far, a point at a time, and the board that belongs to it: for a player on a board, and
//! for a visitor whose game is not stored.

use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_core::command::legal_turn;
use pbmserv_games::kit::picture::Link;
use pbmserv_games::kit::words::list;
use pbmserv_games::record::{Record, Replayed};
use pbmserv_games::{Continuations, Display, Outcome, Refusal, Seat, continuations};
use serde::Serialize;
use url::form_urlencoded::byte_serialize;

use crate::web::fault::Fault;

/// How many steps back a text is looked for that can go on, when what was typed cannot.
const MAX_BACK: usize = 12;

/// More steps than this are folded away: the board shows them, and a list of them would push the rest of the page down.
const MAX_LISTED: usize = 40;

/// A board with more points is too wide for a telephone, on which fingers miss them: it is offered larger than the screen.
const MAX_ON_A_TELEPHONE: usize = 100;

/// Where somebody chooses a turn.
#[derive(Clone, Copy)]
pub(in crate::web) struct Choosing<'a> {
    pub(in crate::web) then: &'a Replayed,
    /// Who chooses, and is to move.
    pub(in crate::web) seat: Seat,
    /// What the other player is called.
    pub(in crate::web) other: &'a str,
    /// The path of the page, without a character that means something in HTML.
    pub(in crate::web) here: &'a str,
    /// What the address of a step has before its turn: `?turn=`.
    pub(in crate::web) at: &'a str,
    /// Whether the board is larger than a telephone's screen.
    pub(in crate::web) is_large: bool,
}

impl Choosing<'_> {
    /// What the address of a step has before its turn, with a board of this size.
    fn before_turn(&self, is_large: bool) -> String {
        match is_large {
            true => self.at.replacen('?', "?large=true&", 1),
            false => self.at.to_owned(),
        }
    }
}

/// The turn so far.
pub(in crate::web) struct Chosen<'a> {
    on: Choosing<'a>,
    /// As far as it can go on.
    begun: String,
    continuations: Continuations,
    /// Why the text that was typed cannot go on.
    refused: Option<Refusal>,
    /// The turns in it that can be played, and the board after them.
    after: Option<(Vec<String>, Replayed)>,
    /// The points that are chosen and not played on that board.
    points: Vec<String>,
}

/// A turn as typed, with the part that is wrong.
#[derive(Debug, Serialize)]
struct Wrong {
    before: String,
    at: String,
    after: String,
    reason: String,
    choices: Vec<Offered>,
}

/// A step that the page offers.
#[derive(Debug, Serialize)]
struct Offered {
    /// The turn with it, encoded for an address.
    turn: String,
    label: String,
    #[serde(skip)]
    is_point: bool,
}

impl<'a> Chosen<'a> {
    /// Reads what was chosen or typed.
    pub(in crate::web) fn of(on: Choosing<'a>, text: &str) -> Result<Self, Fault> {
        let game = on.then.position.as_ref();
        let text = text.trim();
        let (mut begun, mut refused) = (text, None);
        let mut tries = 0..=MAX_BACK;
        let continuations = loop {
            match game.continuations(begun) {
                Ok(continuations) => break continuations,
                Err(refusal) if begun.is_empty() => return Err(Fault::internal(&refusal)),
                Err(refusal) => {
                    refused.get_or_insert(refusal);
                    begun = tries.next().map_or("", |_| continuations::back(begun));
                }
            }
        };
        let mut played = continuations.whole.as_deref().unwrap_or(begun);
        let texts = loop {
            match game.fork().play_all(played) {
                Ok(texts) => break texts,
                Err(_) if played.is_empty() => break Vec::new(),
                Err(_) => played = continuations::back(played),
            }
        };
        let rest = match &continuations.whole {
            Some(_) => "",
            None => begun.get(played.len()..).unwrap_or_default(),
        };
        let points = continuations::words(rest).map(str::to_owned).collect();
        let after = match texts.is_empty() {
            true => None,
            false => Some((texts.clone(), board_after(on.then, &texts)?)),
        };
        Ok(Self {
            on,
            begun: begun.to_owned(),
            continuations,
            refused,
            after,
            points,
        })
    }

    /// The picture, with a link on each point that can follow.
    fn svg(&self) -> String {
        let picture = self.shown().picture();
        let at = self.on.before_turn(self.on.is_large);
        let link = |step: &continuations::Step| {
            Some(Link {
                point: step.point.clone()?,
                target: format!("{at}{}", in_address(&step.text)),
                label: step.label.clone(),
            })
        };
        let links: Vec<_> = self.continuations.steps.iter().filter_map(link).collect();
        picture.svg_with_links(&self.points, &links)
    }

    /// The steps for a list: those that are words, such as pass, and those that are points.
    fn steps(&self) -> (Vec<Offered>, Vec<Offered>) {
        let step = |step: &continuations::Step| Offered {
            turn: in_address(&step.text),
            label: step.label.clone(),
            is_point: step.point.is_some(),
        };
        let steps = self.continuations.steps.iter().map(step);
        steps.partition(|step| !step.is_point)
    }

    /// What may have been meant by a text that was refused: what the refusal suggests for the part that is wrong or for the whole
    /// text, if a legal turn begins so.
    fn meant(&self, refusal: &Refusal, typed: &str) -> Vec<Offered> {
        let game = self.on.then.position.as_ref();
        let mended = |choice: &String| {
            let at = refusal.at.clone()?;
            let (before, after) = (typed.get(..at.start)?, typed.get(at.end..)?);
            Some(format!("{before}{choice}{after}"))
        };
        let turns = refusal.choices.iter().filter_map(|choice| {
            let texts = [mended(choice), Some(choice.clone())].into_iter().flatten();
            texts.into_iter().find(|text| game.continuations(text).is_ok())
        });
        let offered = turns.map(|text| Offered {
            turn: in_address(&text),
            label: text,
            is_point: false,
        });
        offered.collect()
    }

    /// What the turn would do; empty if it is not complete.
    fn would_do(&self) -> String {
        let Choosing {
            then, seat, other, ..
        } = self.on;
        let (Some(_), Some((texts, after))) = (&self.continuations.whole, &self.after) else {
            return String::new();
        };
        let mut effects = then.position.effects(texts);
        if after.to_move() == Some(seat) {
            // The last clause says so of somebody else.
            effects.pop();
        }
        let mut sentences = Vec::new();
        if !effects.is_empty() {
            sentences.push(format!("You will have {}.", list(effects)));
        }
        sentences.push(match (after.position.outcome(), after.to_move()) {
            (Some(Outcome::Won(winner)), _) if winner == seat => "You win with it.".to_owned(),
            (Some(Outcome::Won(_)), _) => format!("{other} wins with it."),
            (Some(Outcome::Drawn), _) => "The game is a draw with it.".to_owned(),
            (None, Some(mover)) if mover == seat => "Then it is your turn again.".to_owned(),
            (None, _) => format!("Then it is the turn of {other}."),
        });
        sentences.join(" ")
    }

    fn wrong(&self, refusal: &Refusal, typed: &str) -> Wrong {
        let at = refusal.at.clone().unwrap_or(typed.len()..typed.len());
        let part = |range: std::ops::Range<usize>| typed.get(range).unwrap_or_default().to_owned();
        Wrong {
            before: part(0..at.start),
            at: part(at.clone()),
            after: part(at.end..typed.len()),
            reason: refusal.reason.clone(),
            choices: self.meant(refusal, typed),
        }
    }

    /// The board as the page shows it.
    fn shown(&self) -> &Replayed {
        self.after.as_ref().map_or(self.on.then, |(_, after)| after)
    }

    /// The whole turn, if it is complete.
    pub(in crate::web) fn whole(&self) -> Option<&str> {
        self.continuations.whole.as_deref()
    }

    /// The facts of `turn_chosen.html`, and the board.
    pub(in crate::web) fn facts(&self, typed: &str) -> Value {
        let (words_next, steps) = self.steps();
        let begun = self.begun.as_str();
        let wrong = self.refused.as_ref();
        context! {
            here => Value::from_safe_string(self.on.here.to_owned()),
            at => self.on.before_turn(self.on.is_large),
            is_large => self.on.is_large,
            resized => (self.shown().position.layout().points.len() > MAX_ON_A_TELEPHONE)
                .then(|| format!("{}{}", self.on.before_turn(!self.on.is_large), in_address(begun))),
            picture => Value::from_safe_string(self.svg()),
            drawing => self.shown().position.draw(Display::Small),
            begun,
            back => in_address(continuations::back(begun)),
            many => steps.len() > MAX_LISTED,
            words_next => Value::from(Serde(words_next)),
            steps => Value::from(Serde(steps)),
            example => legal_turn(self.on.then.position.as_ref()),
            notation => self.on.then.game.facts.notation,
            whole => self.whole(),
            rolled => self.on.then.position.dice().map(|[one, other]| format!("{}-{}", one.max(other), one.min(other))),
            would_do => self.would_do(),
            // Nothing else is a turn before the first dice.
            gives_word => self.on.then.game.facts.has_dice && self.on.then.turns.len() < 2,
            typed => match wrong { Some(_) => typed, None => begun },
            wrong => wrong.map(|refusal| Value::from(Serde(self.wrong(refusal, typed.trim())))),
        }
    }
}

/// A text as the value of a parameter in an address.
pub(in crate::web) fn in_address(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn board_after(then: &Replayed, texts: &[String]) -> Result<Replayed, Fault> {
    let mut record = Record::new(then.game, then.options.clone());
    record.turns = then.turns.iter().chain(texts).cloned().collect();
    record.replay().map_err(|error| Fault::internal(&error))
}
