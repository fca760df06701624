//! When a clock has something to do, as `help clocks` says it: reminders, a warning a day before the end, the end.

use crate::view::{Board, DAY};

/// What a clock does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    Remind,
    Warn,
    End,
}

/// The next event of a board's clock, if it runs.
pub(crate) fn next(board: &Board, steady_since: i64, now: i64) -> Option<(i64, Tick)> {
    let row = &board.row;
    let (since, seat) = (row.int("clock_since")?, row.int("to_move")?);
    let turn = row.int("forfeit_days")? * DAY;
    let total = row.int("total_days");
    let used = row.used()[usize::try_from(seat).unwrap()];
    let total = total.map(|days| (days * DAY - used).max(0));
    let (limit, is_total) = match total {
        Some(total) if total < turn => (total, true),
        _ => (turn, false),
    };
    let thought = row.int("thought")?;
    let at = |thinking: i64| since + thinking - thought;
    let (ends_at, warn_at) = (at(limit), at(limit - DAY));
    let nag = row.int("nag_days")? * DAY;
    let remind_at = at(row.int("reminded").map_or(nag, |reminded| reminded + 3 * DAY));
    let key = (seat, i64::from(is_total));
    Some(match board.warnings.get(&key).copied() {
        _ if now < warn_at && remind_at < warn_at => (remind_at, Tick::Remind),
        None => (warn_at, Tick::Warn),
        _ if now < warn_at => (warn_at, Tick::Warn),
        // An outage, or a clock that was set, has moved the end that it names.
        Some(warned)
            if warned > now || (steady_since > warned && steady_since + DAY > ends_at.max(warned + DAY)) =>
        {
            (warn_at, Tick::Warn)
        }
        Some(warned) => (ends_at.max(warned + DAY).max(steady_since + DAY), Tick::End),
    })
}
