//! The state of a board's clock, in sentences.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::Seat;

use crate::command::InternalError;
use crate::letters::Times;
use crate::store::Reader;
use crate::table::{Board, Limit, Stale};

/// A time span in its two largest units: `3 days and 4 hours`. Less than a minute is `no time`.
pub(crate) fn span(time: TimeDelta) -> String {
    let minutes = time.num_minutes().max(0);
    let units = [
        (minutes / (24 * 60), "day"),
        (minutes / 60 % 24, "hour"),
        (minutes % 60, "minute"),
    ];
    let words: Vec<_> = units
        .iter()
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    match words.is_empty() {
        true => "no time".to_owned(),
        false => words.join(" and "),
    }
}

/// When the time of the player to move ends, which is at least a day after the warning. `None` if the clock stands
/// still.
pub fn until(
    store: &Reader,
    board: &Board,
    seat: Seat,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, InternalError> {
    let Some(ends_at) = board.clock.ends_at(&board.terms, seat) else {
        return Ok(None);
    };
    if ends_at >= board.clock.a_day_after(now) {
        return Ok(Some(ends_at));
    }
    let warned_at = warned_or_now(store, board, seat, now)?;
    Ok(Some(ends_at.max(board.clock.a_day_after(warned_at))))
}

/// When the player to move was warned; now, if that is still to come.
fn warned_or_now(
    store: &Reader,
    board: &Board,
    seat: Seat,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, InternalError> {
    let (_, by) = board.clock.limit(&board.terms, seat);
    let warned_at = warned_at(store, board, seat, by)?;
    // `board` may be the one after a turn that is being decided, when the store still has the warning of the turn
    // before.
    let is_turning = by == Limit::Turn && board.clock.since == Some(now);
    Ok(warned_at.filter(|at| *at <= now && !is_turning).unwrap_or(now))
}

/// Since when the time of the player to move ends at `until`, to the second, as far as the clock says it; `set_at` is when all
/// clocks were last set. Each way to another end has a later time here: a turn, the end of a vacation, more time and a substitute
/// start the clock, and so does a warning that came late.
pub fn deadline_since(
    store: &Reader,
    board: &Board,
    seat: Seat,
    until: DateTime<Utc>,
    set_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, InternalError> {
    let ends_at = board.clock.ends_at(&board.terms, seat).unwrap_or(until);
    match until.timestamp() > ends_at.timestamp() {
        true => warned_or_now(store, board, seat, now),
        false => Ok(board
            .moved_at
            .max(board.clock.since.max(set_at).unwrap_or_default())),
    }
}

/// When the player in this seat, who is to move, was warned about this limit. A warning from before a pause does not count: it
/// named another end.
pub fn warned_at(
    store: &Reader,
    board: &Board,
    seat: Seat,
    by: Limit,
) -> Result<Option<DateTime<Utc>>, InternalError> {
    // The store still has warnings that the decision about this board drops.
    let is_dropped = board.unsaved.stale == Some(Stale::All);
    let Some(at) = store.warned_at(board.id, seat, by)?.filter(|_| !is_dropped) else {
        return Ok(None);
    };
    let was_away = || -> Result<bool, InternalError> {
        let vacations = store.vacations_since(board.at(seat).id, at)?;
        // The warning after one may be written in the moment of its end.
        Ok(vacations.iter().any(|vacation| vacation.ends_at > at))
    };
    Ok((board.clock.counts(by, at) && !was_away()?).then_some(at))
}

/// The clock of the player to move.
pub enum MoverClock {
    /// There is no limit.
    Free,
    /// The time ends then.
    Until(DateTime<Utc>),
    /// It stands still, since the player is on vacation until then.
    Still(DateTime<Utc>),
    /// Nobody's clock runs, since the board is paused until then at the latest.
    Paused(DateTime<Utc>),
}

/// The clock of the player in this seat, who is to move.
pub fn mover_clock(
    store: &Reader,
    board: &Board,
    seat: Seat,
    now: DateTime<Utc>,
) -> Result<MoverClock, InternalError> {
    if let Some(until) = board.paused_until {
        return Ok(MoverClock::Paused(until));
    }
    if let Some(vacation) = store.vacation(board.at(seat).id)? {
        return Ok(MoverClock::Still(vacation.ends_at));
    }
    Ok(until(store, board, seat, now)?.map_or(MoverClock::Free, MoverClock::Until))
}

/// What else is true of the clocks while the player in this seat, who has this clock, is to move.
pub fn other_clocks(
    store: &Reader,
    board: &Board,
    (seat, clock): (Seat, &MoverClock),
    times: Times,
) -> Result<Vec<String>, InternalError> {
    let (mover, other) = (board.at(seat), board.at(seat.other()));
    let mut sentences = Vec::new();
    if let MoverClock::Paused(until) = *clock {
        sentences.push(format!(
            "The clocks stand still: the board is paused until one of the players writes resume, or until {}.",
            times.said(until)
        ));
    }
    if let MoverClock::Still(ends_at) = *clock {
        sentences.push(format!(
            "The clock stands still: {} is on vacation until {}.",
            mover.userid,
            times.said(ends_at)
        ));
    }
    if let Some(vacation) = store.vacation(other.id)? {
        sentences.push(format!(
            "{} is on vacation until {}.",
            other.userid,
            times.said(vacation.ends_at)
        ));
    }
    if let Some(total) = board.terms.total_days {
        let left = |seat: Seat| {
            let used = board.clock.total(seat, board.to_move, times.now);
            span(TimeDelta::days(i64::from(total)) - used)
        };
        sentences.push(format!(
            "Thinking time left: {} {}, {} {}.",
            board.players[0].userid,
            left(Seat::First),
            board.players[1].userid,
            left(Seat::Second)
        ));
    }
    Ok(sentences)
}

/// The state of a board's clock, in sentences; empty if the board is finished.
pub(crate) fn clock_line(store: &Reader, board: &Board, times: Times) -> Result<String, InternalError> {
    let Some(seat) = board.to_move.filter(|_| board.end.is_none()) else {
        return Ok(String::new());
    };
    let clock = mover_clock(store, board, seat, times.now)?;
    let mut sentences = other_clocks(store, board, (seat, &clock), times)?;
    if let MoverClock::Until(until) = clock {
        let has = format!("{} has until {}.", board.at(seat).userid, times.said(until));
        sentences.insert(0, has);
    }
    Ok(sentences.join(" "))
}

/// `a, b and c`; of more than twenty names the first ones and the number of the others.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    match names {
        [one] => one.clone(),
        [first @ .., last] if names.len() <= MOST => format!("{} and {last}", first.join(", ")),
        many => {
            let (first, rest) = many.split_at(MOST.min(many.len()));
            format!("{} and {} more", first.join(", "), rest.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_its_two_largest_units() {
        for (minutes, expected) in [
            (-5, "no time"),
            (0, "no time"),
            (1, "1 minute"),
            (60, "1 hour"),
            (61, "1 hour and 1 minute"),
            (24 * 60 + 5, "1 day"),
            (26 * 60, "1 day and 2 hours"),
            (7 * 24 * 60, "7 days"),
        ] {
            assert_eq!(span(TimeDelta::minutes(minutes)), expected);
        }
    }

    #[test]
    fn many_names_are_cut() {
        let names: Vec<_> = (1..=25).map(|n| n.to_string()).collect();
        assert_eq!(listed(&names[..1]), "1");
        assert_eq!(listed(&names[..3]), "1, 2 and 3");
        assert!(listed(&names).ends_with(", 20 and 5 more"));
    }
}
