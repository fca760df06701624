//! What a position is worth: an estimate, or an end that was seen.

use crate::WON;

/// A value at least as great is a win that was seen to its end. Each turn until then takes 1 from [`WON`].
pub(super) const LEAST_PROVEN: i32 = WON - 10_000;

/// The advantage that wins three games of four, so an expected result of a half. One twice as large is worth two thirds, and so on.
pub(super) const WORTH_A_HALF: i32 = 100;

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

/// The value of a position `ply` turns after the first one, of which [`foregone`](crate::Evaluate::foregone) says how it ends.
pub(super) const fn foregone(turns: i32, ply: i32) -> i32 {
    later(WON * turns.signum(), ply + turns.abs())
}

/// The expected result in thousandths of a value of the search.
pub(super) fn expected(value: i32) -> i32 {
    match value {
        LEAST_PROVEN.. => 1000,
        value if is_lost(value) => -1000,
        value => (1000 * value / (value.abs() + WORTH_A_HALF)).clamp(-999, 999),
    }
}

/// The value of this expected result, which is no proof.
pub(super) fn of_expected(expected: i32) -> i32 {
    let expected = expected.clamp(-999, 999);
    WORTH_A_HALF * expected / (1000 - expected.abs())
}
