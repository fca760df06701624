//! What the clocks of the boards do when their time has come, and how they are told.

use chrono::{DateTime, TimeDelta, Utc};

use crate::games::{By, Ending, Outcome, Seat};
use crate::letters::Done;
use crate::store::{BoardFilter, Reader};
use crate::table::{Board, End, Limit, Offer, Player, Unasked, WARNED_BEFORE};

use super::board::News;
use super::ended::ended;
use super::{Addressee, Change, Context, Decision, Fault, Letter};

/// A time as players read it: `2026-12-11 08:00 UTC`.
pub(super) fn shown(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// A span of time in the two largest units: `3 days and 4 hours`; less than a minute is none.
fn span(time: TimeDelta) -> String {
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

/// Until when the player to move has time; no earlier than a day after the warning.
fn until(
    store: &Reader,
    board: &Board,
    seat: Seat,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Fault> {
    let Some(ends_at) = board.clock.ends_at(&board.terms, seat) else {
        return Ok(None);
    };
    if ends_at - now >= WARNED_BEFORE {
        return Ok(Some(ends_at));
    }
    let (_, by) = board.clock.limit(&board.terms, seat);
    let warned_at = store.warned_at(board.id, seat, by)?;
    // The warning of this turn is a thing of the past on a board as it will be.
    let is_turning = by == Limit::Turn && board.clock.since == Some(now);
    let warned_at = warned_at.filter(|at| *at <= now && !is_turning).unwrap_or(now);
    Ok(Some(ends_at.max(warned_at + WARNED_BEFORE)))
}

/// How the clock of a board stands, in sentences; nothing of a board that is over.
///
/// # Errors
/// The database's.
pub(crate) fn clock_line(store: &Reader, board: &Board, now: DateTime<Utc>) -> Result<String, Fault> {
    let Some(seat) = board.to_move.filter(|_| board.end.is_none()) else {
        return Ok(String::new());
    };
    let (mover, other) = (board.at(seat), board.at(seat.other()));
    let mut told = Vec::new();
    if let Some(vacation) = store.vacation(mover.id)? {
        told.push(format!(
            "The clock stands still: {} is on vacation until {}.",
            mover.userid,
            shown(vacation.ends_at)
        ));
    } else if let Some(until) = until(store, board, seat, now)? {
        told.push(format!("{} has until {}.", mover.userid, shown(until)));
    }
    if let Some(vacation) = store.vacation(other.id)? {
        told.push(format!(
            "{} is on vacation until {}.",
            other.userid,
            shown(vacation.ends_at)
        ));
    }
    if let Some(total) = board.terms.total_days {
        let left = |seat: Seat| {
            let used = board.clock.total(seat, board.to_move, now);
            span(TimeDelta::days(i64::from(total)) - used)
        };
        told.push(format!(
            "Thinking time left: {} {}, {} {}.",
            board.players[0].userid,
            left(Seat::First),
            board.players[1].userid,
            left(Seat::Second)
        ));
    }
    Ok(told.join(" "))
}

/// Reminds the player to move; nothing if that player wants no reminders.
pub(crate) fn remind(context: &Context<'_>, board: &Board, seat: Seat) -> Result<Option<Letter>, Fault> {
    let mover = board.at(seat);
    if !context.store.preferences(mover.id)?.reminders {
        return Ok(None);
    }
    let sentence = format!(
        "It has been your turn on {} for {}, {}: {} is waiting.",
        board.name(),
        span(board.clock.thinking(context.now)),
        mover.userid,
        board.at(seat.other()).userid
    );
    let news = News {
        board,
        position: &context.position(board)?,
        sentence,
        saying: None,
    };
    Ok(Some(Letter {
        unasked: Some(Unasked::Reminders),
        ..news.to(context, Addressee::Player(mover.id), Some(mover))?
    }))
}

/// Warns the player to move that the time ends in a day.
pub(crate) fn warn(context: &Context<'_>, board: &Board, seat: Seat) -> Result<Letter, Fault> {
    let (mover, other) = (board.at(seat), board.at(seat.other()));
    let until = until(context.store, board, seat, context.now)?.unwrap_or(context.now);
    let name = board.name();
    let threat = match verdict(board, seat) {
        Verdict::Removed => format!("{name} is removed"),
        Verdict::Drawn => format!("{name} ends as a draw, which {} has offered you", other.userid),
        Verdict::Lost => format!("you lose {name} to {}", other.userid),
    };
    let sentence = format!(
        "One day is left, {}: if you have not moved by {}, {threat}.",
        mover.userid,
        shown(until)
    );
    let news = News {
        board,
        position: &context.position(board)?,
        sentence,
        saying: None,
    };
    let letter = news.to(context, Addressee::Player(mover.id), Some(mover))?;
    Ok(Letter {
        is_urgent: true,
        ..letter
    })
}

/// What the end of a player's time means.
enum Verdict {
    /// Not both have moved: it was no game.
    Removed,
    /// The player owed the answer to an offer of a draw.
    Drawn,
    /// The game is lost.
    Lost,
}

fn verdict(board: &Board, seat: Seat) -> Verdict {
    if !(board.has_moved(seat) && board.has_moved(seat.other())) {
        Verdict::Removed
    } else if board.offer == Some((Offer::Draw, seat.other())) {
        Verdict::Drawn
    } else {
        Verdict::Lost
    }
}

/// Ends a board on which the time of the player to move is up.
///
/// An unanswered offer of a draw makes it a draw by forfeit, not by agreement: nobody has agreed.
pub(crate) fn time_is_up(context: &Context<'_>, mut board: Board, seat: Seat) -> Result<Decision, Fault> {
    let position = context.position(&board)?;
    let (mover, other, name) = (
        &board.at(seat).userid,
        &board.at(seat.other()).userid,
        board.name(),
    );
    let forfeit = |outcome| {
        End::Finished(Ending {
            outcome,
            by: By::Forfeit,
        })
    };
    let (end, sentence) = match verdict(&board, seat) {
        Verdict::Removed => (
            End::Removed,
            format!("{name} is removed, since {mover} has not moved in time."),
        ),
        Verdict::Drawn => (
            forfeit(Outcome::Drawn),
            format!(
                "{mover}'s time is up on {name}, with {other}'s offer of a draw unanswered: the game is a draw."
            ),
        ),
        Verdict::Lost => (
            forfeit(Outcome::Won(seat.other())),
            format!("{mover}'s time is up on {name}: {other} has won."),
        ),
    };
    board.ended(end, context.now);
    let ended = ended(context.store, &board, context.now)?;
    let news = News {
        board: &board,
        position: &position,
        sentence: ended.told(sentence),
        saying: None,
    };
    let letters = news.to_all(context, None)?;
    Ok(Decision {
        changes: ended.changes(board),
        letters,
        proven: None,
    })
}

/// Ends a vacation whose time is over, and tells the player on which boards the clocks go on.
pub(crate) fn vacation_is_over(context: &Context<'_>, player: &Player) -> Result<Decision, Fault> {
    let boards = to_move(context, player)?;
    let names: Vec<_> = boards.iter().map(Board::name).collect();
    let hint = match names.as_slice() {
        [] => "It is your turn on no board.".to_owned(),
        names => format!(
            "It is your turn, and your clock runs again, on {}.",
            listed(names)
        ),
    };
    let done = Done {
        subject: format!("vacation {}", player.userid),
        sentence: format!("Your vacation is over, {}.", player.userid),
        hint,
    };
    let is_here = player.away_since.is_none();
    let letter = is_here.then(|| Letter::news(player.id, done.into()));
    Ok(Decision {
        changes: vacation_over(context, player, boards),
        letters: letter.into_iter().collect(),
        proven: None,
    })
}

/// The running boards on which a player is to move.
pub(super) fn to_move(context: &Context<'_>, player: &Player) -> Result<Vec<Board>, Fault> {
    Ok(context.store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        is_to_move: true,
        limit: u32::MAX,
        ..BoardFilter::default()
    })?)
}

/// The end of a player's vacation: the clocks go on, which stand still on the boards where the player is to move.
pub(super) fn vacation_over(context: &Context<'_>, player: &Player, boards: Vec<Board>) -> Vec<Change> {
    let resumed = boards.into_iter().map(|mut board| {
        board.vacation_over(context.now);
        Change::Board(Box::new(board))
    });
    resumed.chain([Change::EndVacation(player.id)]).collect()
}

/// `a, b and c`; of very many the first ones and how many more.
pub(super) fn listed(names: &[String]) -> String {
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
    fn a_span_is_told_in_its_two_largest_units() {
        for (minutes, told) in [
            (-5, "no time"),
            (0, "no time"),
            (1, "1 minute"),
            (60, "1 hour"),
            (61, "1 hour and 1 minute"),
            (24 * 60 + 5, "1 day"),
            (26 * 60, "1 day and 2 hours"),
            (7 * 24 * 60, "7 days"),
        ] {
            assert_eq!(span(TimeDelta::minutes(minutes)), told);
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
