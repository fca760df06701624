//! How a play that is begun can go on: a checker, where one die brings it, the next checker.

use super::board::{BAR, Position};
use super::game::{State, Turn};
use super::loss::Loss;
use super::plays::{Play, Roll, hop, name, plays};
use super::served::{Backgammon, BackgammonGame};
use crate::continuations::Step;
use crate::{Continuations, Refusal, Rules, Seat};

/// The checkers that were moved so far, and the dice that are left.
#[derive(Clone)]
struct Begun {
    position: Position,
    dice: Vec<u8>,
}

/// The plays of a roll.
struct Plays {
    seat: Seat,
    legal: Vec<Play>,
}

impl Plays {
    /// Whether this can go on to a legal play, or is one.
    fn goes_on(&self, begun: &Begun) -> bool {
        if self.legal.iter().any(|play| *play.result() == begun.position) {
            return true;
        }
        self.hops(begun).iter().any(|(.., after)| self.goes_on(after))
    }

    /// The moves of one checker by one die: from, to, and what comes of it.
    fn hops(&self, begun: &Begun) -> Vec<(u8, u8, Begun)> {
        let mut hops: Vec<(u8, u8, Begun)> = Vec::new();
        for (place, die) in begun.dice.iter().enumerate() {
            for from in (1..=BAR).rev() {
                let Some((position, hop)) = hop(&begun.position, self.seat, from, *die) else {
                    continue;
                };
                let mut dice = begun.dice.clone();
                dice.remove(place);
                let after = Begun { position, dice };
                if !hops
                    .iter()
                    .any(|(.., known)| known.position == position && known.dice == after.dice)
                {
                    hops.push((from, hop.to, after));
                }
            }
        }
        hops
    }

    /// The moves of one checker with which this goes on to a legal play.
    fn useful(&self, begun: &Begun) -> Vec<(u8, u8, Begun)> {
        let mut hops = self.hops(begun);
        hops.retain(|(.., after)| self.goes_on(after));
        hops
    }
}

impl<G: BackgammonGame> Backgammon<G> {
    pub(super) fn go_on(&self, begun: &str) -> Result<Continuations, Refusal> {
        if self.due_roll().is_some() {
            return self.dice_first(begun);
        }
        if self.begun < 2 {
            return self.continuations_as_listed(begun);
        }
        let State::ToPlay(roll) = self.game.state() else {
            if let Some(conceded) = self.conceded("", begun) {
                return Ok(conceded);
            }
            let mut listed = self.continuations_as_listed(begun)?;
            if begun.trim().is_empty() {
                listed.steps.extend(self.concession(""));
            }
            return Ok(listed);
        };
        // Only dice stand before a colon; anything else is read, and refused, as it is.
        let (dice, text) = match Self::split_dice(begun) {
            Some((dice @ [one, other], rest)) if Roll::new(dice) == Some(roll) => {
                (format!("{one}{other}:"), rest.trim())
            }
            Some(_) => return self.read(begun).map(|turn| Continuations::whole(&turn)),
            None => (String::new(), begun.trim()),
        };
        if let Some(conceded) = self.conceded(&dice, text) {
            return Ok(conceded);
        }
        let plays = self.plays(roll);
        if plays.legal.is_empty() {
            return match text.is_empty() {
                true => {
                    let pass = Step::word("pass", format!("{dice}pass"));
                    let concession = self.concession(&dice);
                    Ok(Continuations::steps(
                        [pass].into_iter().chain(concession).collect(),
                    ))
                }
                false => self.read(begun).map(|turn| Continuations::whole(&turn)),
            };
        }
        let start = Begun {
            position: *self.game.position(),
            dice: roll.numbers(),
        };
        let text = text.trim_end_matches([',', ' ']);
        let (done, from) = match text
            .rsplit_once(',')
            .map_or(("", text), |(done, last)| (done, last))
        {
            (done, last) if last.ends_with('/') => (done, last.strip_suffix('/')),
            (done, last) if !last.is_empty() && !last.contains('/') => (done, Some(last)),
            _ => (text, None),
        };
        let Some(now) = self.moved(&plays, start, done) else {
            // It is written in another way than a step at a time.
            return self.read(begun).map(|turn| Continuations::whole(&turn));
        };
        let hops = plays.useful(&now);
        let before = if done.is_empty() {
            dice
        } else {
            format!("{dice}{done},")
        };
        if let Some(from) = from {
            return self.targets(begun, &before, from, &hops);
        }
        let whole = plays.legal.iter().find(|play| *play.result() == now.position);
        let mut froms: Vec<u8> = hops.iter().map(|(from, ..)| *from).collect();
        froms.dedup();
        froms.sort_unstable_by(|one, other| other.cmp(one));
        froms.dedup();
        let step = |from: &u8| Step {
            label: name(*from),
            ..Step::to(&self.point(*from), format!("{before}{}/", name(*from)))
        };
        let is_done = whole.is_some() && !done.is_empty();
        let concession = match text.is_empty() {
            true => self.concession(&before),
            false => None,
        };
        Ok(Continuations {
            whole: whole
                .filter(|_| is_done)
                .map(|play| self.with_dice_of(Turn::Play(*play)).to_string()),
            steps: if is_done {
                Vec::new()
            } else {
                froms.iter().map(step).chain(concession).collect()
            },
        })
    }

    /// The word with which the game is given up, if it may be, after these dice.
    fn concession(&self, dice: &str) -> Option<Step> {
        let word = Loss::Single.turn();
        let may = !self.game.concessions().is_empty();
        may.then(|| Step::word(word, format!("{dice}{word}")))
    }

    /// How a text goes on that is this word, after these dice; `None`: it is another one, or cannot go on.
    fn conceded(&self, dice: &str, text: &str) -> Option<Continuations> {
        let text = text.trim().trim_end_matches(',');
        if !text.eq_ignore_ascii_case(Loss::Single.turn()) {
            return None;
        }
        let losses = self.game.concessions();
        let (single, more): (Vec<Loss>, Vec<Loss>) =
            losses.into_iter().partition(|loss| *loss == Loss::Single);
        let whole = single
            .first()
            .map(|loss| self.with_dice_of(Turn::Concede(*loss)).to_string());
        let step = |loss: &Loss| {
            let turn = loss.turn().replace(' ', ",");
            let word = turn.rsplit(',').next().unwrap_or_default();
            Step::word(word, format!("{dice}{turn}"))
        };
        let steps: Vec<Step> = more.iter().map(step).collect();
        (whole.is_some() || !steps.is_empty()).then_some(Continuations { whole, steps })
    }

    /// Where a checker can go, as steps.
    fn targets(
        &self,
        begun: &str,
        before: &str,
        from: &str,
        hops: &[(u8, u8, Begun)],
    ) -> Result<Continuations, Refusal> {
        let of_checker = hops
            .iter()
            .filter(|(at, ..)| name(*at).eq_ignore_ascii_case(from));
        let mut steps: Vec<Step> = Vec::new();
        for (from, to, after) in of_checker {
            let is_end = after.dice.is_empty();
            let end = if is_end { "" } else { "," };
            let text = format!("{before}{}/{}{end}", name(*from), name(*to));
            let step = Step {
                label: name(*to),
                ..Step::to(&self.point(*to), text)
            };
            if !steps.iter().any(|known| known.label == step.label) {
                steps.push(step);
            }
        }
        match steps.is_empty() {
            true => match self.read(begun) {
                Ok(turn) => Ok(Continuations::whole(&turn)),
                Err(refusal) => Err(refusal),
            },
            false => Ok(Continuations::steps(steps)),
        }
    }

    /// After these moves of one checker each; `None` if they are no such moves.
    fn moved(&self, plays: &Plays, start: Begun, done: &str) -> Option<Begun> {
        let mut now = start;
        for part in done.split(',').filter(|part| !part.trim().is_empty()) {
            let (from, to) = part.trim().trim_end_matches('*').split_once('/')?;
            let is_it = |(at, end, _): &(u8, u8, Begun)| {
                name(*at) == from.to_ascii_lowercase() && name(*end) == to.to_ascii_lowercase()
            };
            let found = plays.useful(&now).into_iter().find(is_it)?;
            now = found.2;
        }
        Some(now)
    }

    fn plays(&self, roll: Roll) -> Plays {
        let seat = self.view();
        Plays {
            seat,
            legal: plays(self.game.position(), seat, roll),
        }
    }

    /// The dice, and then what goes on with them.
    fn dice_first(&self, begun: &str) -> Result<Continuations, Refusal> {
        if let Some((dice, _)) = Self::split_dice(begun) {
            let rolled = self.rolled(dice);
            if rolled.due_roll().is_none() {
                return rolled.go_on(begun);
            }
        }
        if !begun.trim().is_empty() {
            return self.read(begun).map(|turn| Continuations::whole(&turn));
        }
        let step = |([one, other], _): &([u8; 2], u32)| {
            let label = format!("{one}{other}");
            let text = format!("{label}:");
            Step::word(&label, text)
        };
        Ok(Continuations::steps(self.rolls().iter().map(step).collect()))
    }
}
