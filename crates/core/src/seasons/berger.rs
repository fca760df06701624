//! The Berger tables (FIDE Handbook C.05, annex 1).

/// Who plays whom in each round, first seat first: all pairs of these players, each once. With an odd number of players the highest
/// number, which nobody has, is the bye.
pub(super) fn berger(players: usize) -> Vec<Vec<(usize, usize)>> {
    let last = players.next_multiple_of(2).saturating_sub(1);
    // All but the last number stand in a circle, which turns by half its length from round to round. Who comes to the top plays
    // the last number; the others play those opposite.
    let round = |number: usize| {
        let top = number * last.div_ceil(2) % last;
        let with_last = if number.is_multiple_of(2) {
            (top, last)
        } else {
            (last, top)
        };
        let others = (1..=last / 2).map(move |step| ((top + step) % last, (top + last - step) % last));
        std::iter::once(with_last)
            .chain(others)
            .filter(|(first, second)| *first < players && *second < players)
            .collect()
    };
    (0..last).map(round).collect()
}

#[cfg(test)]
#[path = "berger_tests.rs"]
mod tests;
