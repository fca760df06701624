//! The divisions of a league.

/// The most players of a division.
const LARGEST: usize = 10;

/// Players who change between two neighbouring divisions, each way.
const CHANGES: usize = 2;

/// If either division has fewer players, one changes each way.
const LARGE_ENOUGH: usize = 5;

/// The sizes of the divisions, best first: at most ten, they differ by at most one, the larger first.
#[must_use]
pub fn divisions(players: usize) -> Vec<usize> {
    let count = players.div_ceil(LARGEST);
    (0..count)
        .map(|at| players / count + usize::from(at < players % count))
        .collect()
}

/// How many players of the smaller of two neighbouring divisions change into the other, and as many come from there.
#[must_use]
pub const fn changes(smaller: usize) -> usize {
    if smaller < LARGE_ENOUGH { 1 } else { CHANGES }
}

/// The players of the next season, best first, of whom [`divisions`] makes its divisions. `last` has the members of each
/// division by place.
///
/// Two go up and two go down between neighbouring divisions, one where a division is small. If somebody who would go up does not
/// stay, the next goes up; who does not stay goes nowhere, and nobody goes down for them. Newcomers come last, in their order.
pub fn reordered<P: Copy + Eq>(last: &[Vec<P>], stays: impl Fn(P) -> bool, newcomers: &[P]) -> Vec<P> {
    // The members who go up, who stay, and who go down.
    let mut parts: Vec<[Vec<P>; 3]> = Vec::new();
    let mut ups = 0;
    for (at, members) in last.iter().enumerate() {
        let downs = last.get(at + 1).map_or(0, |below| {
            changes(members.len().min(below.len()))
                .min(members.len().saturating_sub(ups))
                .min(below.len())
        });
        let (upper, lower) = members.split_at(members.len().saturating_sub(downs));
        let mut upper = upper.iter().copied().filter(|player| stays(*player));
        let up = upper.by_ref().take(ups).collect();
        let down = lower.iter().copied().filter(|player| stays(*player));
        parts.push([up, upper.collect(), down.collect()]);
        ups = downs;
    }
    let mut order: Vec<P> = Vec::new();
    for at in 0..parts.len() {
        let above = at.checked_sub(1).and_then(|above| parts.get(above));
        order.extend(above.into_iter().flat_map(|[_, _, down]| down));
        order.extend(parts.get(at).into_iter().flat_map(|[_, stay, _]| stay));
        order.extend(parts.get(at + 1).into_iter().flat_map(|[up, _, _]| up));
    }
    // Of the last division nobody goes down, of the first nobody up.
    let newcomers = newcomers.iter().filter(|newcomer| !order.contains(newcomer));
    let newcomers: Vec<P> = newcomers.copied().collect();
    order.extend(newcomers);
    order
}

#[cfg(test)]
#[path = "divisions_tests.rs"]
mod tests;
