//! The turn that a player has chosen so far, and the board that belongs to it.

use chrono::{DateTime, Utc};
use pbmserv_games::kit::picture::Link;
use pbmserv_games::kit::words::list;
use pbmserv_games::record::Replayed;
use pbmserv_games::{Continuations, Outcome, Refusal, Seat, continuations};
use serde::Serialize;
use url::form_urlencoded::byte_serialize;

use crate::web::board::Seen;
use crate::web::fault::Fault;
use pbmserv_core::command::record_after;
use pbmserv_core::table::Played;

/// How many steps back a text is looked for that can go on, when what was typed cannot.
const MAX_BACK: usize = 12;

/// The turn so far.
pub(super) struct Chosen {
    /// As far as it can go on.
    pub(super) begun: String,
    pub(super) continuations: Continuations,
    /// Why the text that was typed cannot go on.
    pub(super) refused: Option<Refusal>,
    /// The turns in it that can be played, and the board after them.
    pub(super) after: Option<(Vec<String>, Replayed)>,
    /// The points that are chosen and not played on that board.
    pub(super) points: Vec<String>,
}

/// A step that the page offers.
#[derive(Debug, Serialize)]
pub(super) struct Offered {
    /// The turn with it, encoded for an address.
    turn: String,
    label: String,
    #[serde(skip)]
    is_point: bool,
}

impl Chosen {
    /// Reads what the player in this seat, who is to move, has chosen or typed.
    pub(super) fn of(seen: &Seen, seat: Seat, text: &str, now: DateTime<Utc>) -> Result<Self, Fault> {
        let game = seen.then.position.as_ref();
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
        let words = rest
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let points = words.map(str::to_owned).collect();
        let after = match texts.is_empty() {
            true => None,
            false => Some((texts.clone(), board_after(seen, seat, &texts, now)?)),
        };
        Ok(Self {
            begun: begun.to_owned(),
            continuations,
            refused,
            after,
            points,
        })
    }

    /// The picture, with a link on each point that can follow.
    pub(super) fn svg(&self, seen: &Seen) -> String {
        let picture = match &self.after {
            Some((_, after)) => after.picture(),
            None => seen.picture(),
        };
        let link = |step: &continuations::Step| {
            Some(Link {
                point: step.point.clone()?,
                target: format!("?turn={}", in_address(&step.text)),
                label: step.label.clone(),
            })
        };
        let links: Vec<_> = self.continuations.steps.iter().filter_map(link).collect();
        picture.svg_with_links(&self.points, &links)
    }

    /// The steps for a list: those that are words, such as pass, and those that are points.
    pub(super) fn steps(&self) -> (Vec<Offered>, Vec<Offered>) {
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
    pub(super) fn meant(seen: &Seen, refusal: &Refusal, typed: &str) -> Vec<Offered> {
        let game = seen.then.position.as_ref();
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
    pub(super) fn would_do(&self, seen: &Seen, seat: Seat) -> String {
        let (Some(_), Some((texts, after))) = (&self.continuations.whole, &self.after) else {
            return String::new();
        };
        let mut effects = seen.then.position.effects(texts);
        if after.to_move() == Some(seat) {
            // The last clause says so of somebody else.
            effects.pop();
        }
        let mut sentences = Vec::new();
        if !effects.is_empty() {
            sentences.push(format!("You will have {}.", list(effects)));
        }
        let other = &seen.board.at(seat.other()).userid;
        sentences.push(match (after.position.outcome(), after.to_move()) {
            (Some(Outcome::Won(winner)), _) if winner == seat => "You win with it.".to_owned(),
            (Some(Outcome::Won(_)), _) => format!("{other} wins with it."),
            (Some(Outcome::Drawn), _) => "The game is a draw with it.".to_owned(),
            (None, Some(mover)) if mover == seat => "Then it is your turn again.".to_owned(),
            (None, _) => format!("Then it is the turn of {other}."),
        });
        sentences.join(" ")
    }
}

/// A text as the value of a parameter in an address.
pub(super) fn in_address(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

fn board_after(seen: &Seen, seat: Seat, texts: &[String], now: DateTime<Utc>) -> Result<Replayed, Fault> {
    let mut turns = seen.turns.clone();
    turns.extend(texts.iter().map(|text| Played {
        seat,
        text: text.clone(),
        at: now,
        event: 0,
    }));
    let after = record_after(&seen.board, &turns).replay();
    after.map_err(|error| Fault::internal(&error))
}
