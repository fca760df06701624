//! What the clocks of the boards do when their time has come, and how they are told.

use crate::command::playing::ended::ended;
use crate::command::playing::vacation::{to_move, vacation_over};
use crate::command::wording::clock::{listed, shown, span, until};
use crate::command::wording::news::News;
use crate::command::{Addressee, Context, Decision, InternalError, Letter};
use crate::games::{By, Ending, Outcome, Seat};
use crate::letters::Done;
use crate::table::{Board, End, Offer, Player, Unasked};

/// Reminds the player to move; nothing if that player wants no reminders.
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
        sentence,
        saying: None,
    };
    Ok(Some(Letter {
        unasked: Some(Unasked::Reminders),
        ..news.to(context, Addressee::Player(mover.id), Some(mover))?
    }))
}

/// Warns the player to move that the time ends in a day.
pub(crate) fn warn(context: &Context<'_>, board: &Board, seat: Seat) -> Result<Letter, InternalError> {
    let (mover, other) = (board.at(seat), board.at(seat.other()));
    let until = until(context.store, board, seat, context.now)?.unwrap_or(context.now);
    let name = board.name();
    let threat = match expiry(board, seat) {
        Expiry::Removed => format!("{name} is removed"),
        Expiry::Drawn => format!("{name} ends as a draw, which {} has offered you", other.userid),
        Expiry::Lost => format!("you lose {name} to {}", other.userid),
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
enum Expiry {
    /// Not both have moved: it was no game.
    Removed,
    /// The player owed the answer to an offer of a draw.
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

/// Ends a board on which the time of the player to move is up.
///
/// An unanswered offer of a draw makes it a draw by forfeit, not by agreement: nobody has agreed.
pub(crate) fn time_is_up(
    context: &Context<'_>,
    mut board: Board,
    seat: Seat,
) -> Result<Decision, InternalError> {
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
    let (end, sentence) = match expiry(&board, seat) {
        Expiry::Removed => (
            End::Removed,
            format!("{name} is removed, since {mover} has not moved in time."),
        ),
        Expiry::Drawn => (
            forfeit(Outcome::Drawn),
            format!(
                "{mover}'s time is up on {name}, with {other}'s offer of a draw unanswered: the game is a draw."
            ),
        ),
        Expiry::Lost => (
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
pub(crate) fn vacation_is_over(context: &Context<'_>, player: &Player) -> Result<Decision, InternalError> {
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
