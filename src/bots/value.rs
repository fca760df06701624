//! What a position is worth: an estimate, or an end that was seen.

use crate::games::WON;

/// A value at least as great is a win that was seen to its end. Each turn until then takes 1 from [`WON`].
pub(super) const LEAST_PROVEN: i32 = WON - 10_000;

/// Whether this is a loss that was seen to its end.
pub(super) const fn is_lost(value: i32) -> bool {
    value <= -LEAST_PROVEN
}

/// The nearest value that is no proof.
pub(super) const fn unproven(value: i32) -> i32 {
    match value {
        LEAST_PROVEN.. => LEAST_PROVEN - 1,
        value if is_lost(value) => 1 - LEAST_PROVEN,
        value => value,
    }
}

/// The value of an end this many turns later: a win counts more if it comes sooner, a loss less.
pub(super) const fn later(value: i32, turns: i32) -> i32 {
    match value {
        LEAST_PROVEN.. => value - turns,
        value if is_lost(value) => value + turns,
        value => value,
    }
}

/// The expected result in thousandths of a value of the search. An advantage of 100 wins three games of four, so it is worth
/// a half.
pub(super) fn expected(value: i32) -> i32 {
    match value {
        LEAST_PROVEN.. => 1000,
        value if is_lost(value) => -1000,
        value => (1000 * value / (value.abs() + 100)).clamp(-999, 999),
    }
}
