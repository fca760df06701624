//! What happens when the clock of a board is due: a reminder, a warning, the end of the game; and the ends of pauses and
//! vacations.
//!
//! A player forfeits only after a warning that named the end was sent, or given up since no mail reaches that player, and the
//! server has been up for a day since. An end that moves is named again: after a vacation, a ruling or a turn taken back
//! (`warned_at`), and after an outage, a clock that was set, a restored backup or a take-over (`Clock::next`); also if the
//! warning was sent more than six hours after it was written.

use pbmserv_games::{By, Ending, Outcome, Seat};

use crate::command::playing::ended::{counted_in, ended};
use crate::command::playing::offers::end_pause;
use crate::command::playing::vacation::{to_move, vacation_over};
use crate::command::verbs::vacation::begins_by_itself;
use crate::command::wording::clock::{listed, span, until};
use crate::command::wording::news::News;
use crate::command::wording::sentence::{Names, Sentence};
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter, Topic};
use crate::letters::Done;
use crate::table::{Board, End, Offer, Player, Unasked};

/// Reminds the player to move; `None` if that player wants no reminders.
pub(crate) fn remind(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
) -> Result<Option<Letter>, InternalError> {
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
        sentence: sentence.into(),
        comment: None,
    };
    Ok(Some(Letter {
        unasked: Some(Unasked::Reminders),
        topic: Topic::Reminder,
        ..news.to(context, Addressee::Player(mover.id), Some(mover))?
    }))
}

/// Warns the player to move that the time ends in a day.
pub(crate) fn warn(context: &Context<'_>, board: &Board, seat: Seat) -> Result<Letter, InternalError> {
    let (mover, other) = (board.at(seat), board.at(seat.other()));
    // An earlier warning may stand there, which named an end that no longer holds.
    let day = board.clock.a_day_after(context.now);
    let until = board
        .clock
        .ends_at(&board.terms, seat)
        .map_or(day, |end| end.max(day));
    let name = board.name();
    let threat = match expiry(board, seat) {
        Expiry::Removed => {
            let contest = context.store.contest_of(board.id)?;
            match counted_in(context.store, board, contest.as_ref())? {
                Some(_) => format!("{name} is removed, and counts as lost by you"),
                None => format!("{name} is removed"),
            }
        }
        Expiry::Drawn => format!("{name} ends as a draw, which {} has offered you", other.userid),
        Expiry::Lost => format!("you lose {name} to {}", other.userid),
    };
    let sentence = format!(
        "One day is left, {}: if you have not moved by {}, {threat}.",
        mover.userid,
        context.times(Some(mover.id))?.said(until)
    );
    let news = News {
        board,
        position: &context.position(board)?,
        sentence: sentence.into(),
        comment: None,
    };
    let letter = news.to(context, Addressee::Player(mover.id), Some(mover))?;
    Ok(Letter {
        is_urgent: true,
        topic: Topic::Warning,
        ..letter
    })
}

/// How a board ends when the time of the player to move is up.
enum Expiry {
    /// A player has not moved at all: the board does not count as a game.
    Removed,
    /// The player had not answered an offer of a draw.
    Drawn,
    /// The game is lost.
    Lost,
}

fn expiry(board: &Board, seat: Seat) -> Expiry {
    if !(board.has_moved(seat) && board.has_moved(seat.other())) {
        Expiry::Removed
    } else if board.offer == Some((Offer::Draw, seat.other())) {
        Expiry::Drawn
    } else {
        Expiry::Lost
    }
}

/// Ends a board on which the time of the player to move is up, unless the player has a vacation begin by itself then.
///
/// With an unanswered offer of a draw the result is a draw by forfeit, not by agreement, since nobody agreed.
pub(crate) fn time_is_up(
    context: &Context<'_>,
    mut board: Board,
    seat: Seat,
) -> Result<Decision, InternalError> {
    if let Some(vacation) = begins_by_itself(context, &board, seat)? {
        return Ok(vacation);
    }
    let position = context.position(&board)?;
    let name = board.name();
    let forfeit = |outcome| {
        End::Finished(Ending {
            outcome,
            by: By::Forfeit,
        })
    };
    let (end, sentence) = match expiry(&board, seat) {
        Expiry::Removed => (
            End::Removed(seat),
            Sentence::of(&board, |names| {
                let has = names.does(seat, "have", "has");
                format!(
                    "{name} is removed, since {} {has} not moved in time.",
                    names.name(seat)
                )
            }),
        ),
        Expiry::Drawn => (
            forfeit(Outcome::Drawn),
            Sentence::of(&board, |names| {
                let (up, offer) = (time_up(names, seat, &name), names.whose(seat.other()));
                format!("{up}, with {offer} offer of a draw unanswered: the game is a draw.")
            }),
        ),
        Expiry::Lost => (
            forfeit(Outcome::Won(seat.other())),
            Sentence::of(&board, |names| {
                format!("{}: {}.", time_up(names, seat, &name), names.won(seat.other()))
            }),
        ),
    };
    board.ended(end, context.now);
    let ended = ended(context.store, &board, context.now)?;
    let news = News {
        board: &board,
        position: &position,
        sentence: ended.with_ratings(sentence),
        comment: None,
    };
    let letters = news.to_all(context, None)?;
    Ok(Decision {
        changes: ended.changes(board),
        letters,
        proven: None,
    })
}

/// `alice's time is up on Pow2 Board 101`.
fn time_up(names: &Names<'_>, seat: Seat, name: &str) -> String {
    let whose = names.whose(seat);
    let whose = names.does(seat, "Your", &whose);
    format!("{whose} time is up on {name}")
}

/// Ends the pause of a board on its date.
pub(crate) fn pause_is_over(context: &Context<'_>, mut board: Board) -> Result<Decision, InternalError> {
    let position = context.position(&board)?;
    end_pause(context, &mut board)?;
    let news = News {
        board: &board,
        position: &position,
        sentence: format!("The pause of {} is over.", board.name()).into(),
        comment: None,
    };
    let letters = news.to_players(context, None)?;
    Ok(Decision {
        changes: vec![Change::Board(Box::new(board))],
        letters,
        proven: None,
    })
}

/// Ends a vacation, and writes to the player on which boards the clock runs again.
pub(crate) fn vacation_is_over(context: &Context<'_>, player: &Player) -> Result<Decision, InternalError> {
    let boards = to_move(context, player)?;
    let times = context.times(Some(player.id))?;
    let mut names = Vec::new();
    // The clock of a paused board does not run again yet.
    for board in boards.iter().filter(|board| board.paused_until.is_none()) {
        let mut resumed = board.clone();
        resumed.vacation_over(context.now);
        let until = match resumed.to_move {
            Some(seat) => until(context.store, &resumed, seat, context.now)?,
            None => None,
        };
        names.push(match until {
            Some(until) => format!("{} until {}", board.name(), times.said(until)),
            None => board.name(),
        });
    }
    let hint = match names.as_slice() {
        [] if boards.is_empty() => "No board waits for you.".to_owned(),
        [] => "It is your turn on paused boards alone, so no clock of yours runs.".to_owned(),
        names => format!(
            "It is your turn, and your clock runs again: on {}.",
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
