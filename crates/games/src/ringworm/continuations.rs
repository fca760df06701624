//! How a turn goes on, a cell at a time: there are far too many turns to list them.

use super::Ringworm;
use super::judge::{Followed, not_of_ring};
use super::rings::{is_shared, line, ring};
use super::turn::{self, MAX_BURSTS};
use crate::kit::hex::{Cell, Cells, Direction};
use crate::{Continuations, Kind, Refusal, Rules, Step};

impl Ringworm {
    /// How these steps go on.
    ///
    /// # Errors
    /// As [`Rules::continuations`].
    pub(super) fn goes_on(&self, begun: &str) -> Result<Continuations, Refusal> {
        let begun = begun.trim_end();
        if begun.is_empty() {
            let mut steps = vec![Step::word("pass", "pass".to_owned())];
            steps.extend(drops("", self.stones().empty()));
            return Ok(Continuations::steps(steps));
        }
        if let Some(done) = begun.strip_suffix('-') {
            return self.bursts_from(done);
        }
        let ended = begun.strip_suffix([',', '@']).unwrap_or(begun);
        let steps = turn::parse(ended)?;
        let so_far = match self.follow_all(&steps) {
            Ok(so_far) => so_far,
            Err(refusal) if refusal.kind == Kind::Ambiguous => {
                return Ok(Continuations::steps(
                    refusal.choices.into_iter().map(around).collect(),
                ));
            }
            Err(refusal) => return Err(refusal),
        };
        let Followed { stones, turn, made } = &so_far;
        if turn.bursts.len() == MAX_BURSTS || made.is_empty() && (steps.is_empty() || !turn.bursts.is_empty())
        {
            return self.read(begun).map(|turn| Continuations::whole(&turn));
        }
        let text = format!("{turn},");
        if !made.is_empty() {
            let pivots = made.iter().fold(Cells::EMPTY, |all, middle| all | ring(middle));
            let step = |pivot: Cell| Step::to(&pivot, format!("{text}{pivot}-"));
            return Ok(Continuations::steps(pivots.iter().map(step).collect()));
        }
        match turn.drops.len() < self.drops() {
            true => Ok(Continuations::steps(drops(&text, stones.empty()).collect())),
            false => self.read(begun).map(|turn| Continuations::whole(&turn)),
        }
    }

    /// The ways to burst with the pivot that ends this text, after the steps before it.
    fn bursts_from(&self, begun: &str) -> Result<Continuations, Refusal> {
        let (before, pivot) = begun.rsplit_once(',').unwrap_or(("", begun));
        let steps = match before.trim().is_empty() {
            true => Vec::new(),
            false => turn::parse(before)?,
        };
        let so_far = self.follow_all(&steps)?;
        let at = begun.len() - pivot.len()..begun.len();
        let Ok(pivot) = Cell::find(pivot.trim()) else {
            // The text is no cell; reading says why.
            return Err(turn::parse(begun).err().unwrap_or_else(|| {
                Refusal::unreadable("The pivot of a burst must stand before the hyphen.").at(at)
            }));
        };
        if so_far.made.is_empty() {
            return Err(so_far.no_ring(pivot).at(at));
        }
        if !so_far.made.iter().any(|middle| ring(middle).has(pivot)) {
            return Err(not_of_ring(pivot, so_far.made).at(at));
        }
        let sign = if is_shared(so_far.made, pivot) { "@" } else { "" };
        let turn = &so_far.turn;
        let fits = Direction::ALL
            .into_iter()
            .filter(|direction| !line(pivot, *direction).is_empty());
        let ends = fits.filter_map(|direction| pivot.far(direction, super::rings::LINE));
        let steps = ends.map(|far| Step::to(&far, format!("{turn},{pivot}-{far}{sign}")));
        Ok(Continuations::steps(steps.collect()))
    }
}

/// The drops on these cells after a text.
fn drops(before: &str, cells: Cells) -> impl Iterator<Item = Step> {
    cells
        .iter()
        .map(move |cell| Step::to(&cell, format!("{before}{cell}")))
}

/// The step that names the middle of the ring to burst, the last word of this text.
fn around(text: String) -> Step {
    let middle = text.rsplit('@').next().unwrap_or_default().to_owned();
    Step {
        label: format!("the ring around {middle}"),
        point: Some(middle),
        text,
    }
}
