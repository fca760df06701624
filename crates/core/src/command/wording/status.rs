//! The top of a letter about a board: whose turn it is and until when, how a game ended, and the likely thing to do.

use pbmserv_games::{By, Ending, Match, Outcome, Seat};

use crate::command::InternalError;
use crate::command::wording::board::{ended_for, how, offered};
use crate::command::wording::clock::{MoverClock, mover_clock, other_clocks};
use crate::letters::{Button, Status, Times};
use crate::store::Reader;
use crate::table::{Board, End, Offer};

/// Whose turn it is and until when, or how the game ended, for the reader in this seat or for a watcher, with times as that
/// reader says them.
pub(crate) fn standing(
    store: &Reader,
    board: &Board,
    reader: Option<Seat>,
    times: Times,
) -> Result<Status, InternalError> {
    let offered = offered(board, reader).trim().to_owned();
    let Some(seat) = board.to_move.filter(|_| board.end.is_none()) else {
        return Ok(Status {
            line: board
                .end
                .map(|end| ended_for(board, end, reader))
                .unwrap_or_default(),
            more: offered,
            ..Status::default()
        });
    };
    let is_mine = reader == Some(seat);
    let mover = &board.at(seat).userid;
    let whose = if is_mine {
        format!("Your turn, {mover}")
    } else {
        format!("It is {mover}'s turn")
    };
    let clock = mover_clock(store, board, seat, times.now)?;
    let (line, when, until) = match clock {
        MoverClock::Until(at) => {
            let far = times.away(at).map(|far| format!(": {far}"));
            let far = far.unwrap_or_default();
            (
                format!("{whose}, until {},", times.day(at)),
                format!("{}{far}.", times.hour(at)),
                format!(" until {}", times.brief(at)),
            )
        }
        MoverClock::Free | MoverClock::Still(_) | MoverClock::Paused(_) => {
            (format!("{whose}."), String::new(), String::new())
        }
    };
    let has = match reader {
        Some(own) => format!("You play {}.", board.game.facts.role_in_drawings(own)),
        None => format!("{mover} plays {}.", board.game.facts.role_in_drawings(seat)),
    };
    let others = other_clocks(store, board, (seat, &clock), times)?;
    let more = [has, offered].into_iter().chain(others);
    Ok(Status {
        line,
        when,
        more: more.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "),
        brief: if is_mine {
            format!("Your turn{until}")
        } else {
            String::new()
        },
        is_mine,
    })
}

/// `You won, alice: 6 points to 3.`: the end of a game for the player in this seat; empty for a board that does not
/// count.
pub(crate) fn result(board: &Board, position: &dyn Match, reader: Seat) -> String {
    let Some(End::Finished(Ending { outcome, by })) = board.end else {
        return String::new();
    };
    let verdict = match outcome {
        Outcome::Won(seat) if seat == reader => "You won",
        Outcome::Won(_) => "You lost",
        Outcome::Drawn => "A draw",
    };
    let userid = &board.at(reader).userid;
    let how = how(by);
    let comma = if how.is_empty() { "" } else { "," };
    let score = match by {
        By::Rules => score(board, position, reader),
        _ => String::new(),
    };
    format!("{verdict}, {userid}{comma}{how}{score}.")
}

/// `: 6 points to 3`: the numbers that decide a game, if there are such.
fn score(board: &Board, position: &dyn Match, reader: Seat) -> String {
    let facts = board.game.facts;
    let info = position.info();
    let Some((name, counts)) = info.iter().find(|(name, _)| Some(*name) == facts.score) else {
        return String::new();
    };
    let of = |seat: Seat| {
        let side = facts.sides[seat.index()];
        counts.iter().find(|(of, _)| *of == side).map(|(_, count)| *count)
    };
    match (of(reader), of(reader.other())) {
        (Some(1), Some(other)) => format!(": 1 {} to {other}", name.trim_end_matches('s')),
        (Some(own), Some(other)) => format!(": {own} {name} to {other}"),
        _ => String::new(),
    }
}

/// The answers to the offer that the player in this seat has not answered.
pub(crate) fn answers(board: &Board, seat: Seat) -> Vec<Button> {
    let labels = match board.offer {
        Some((offer, by)) if by != seat && board.has_both_players() => match offer {
            Offer::Draw => ["Accept the draw", "No draw"],
            Offer::Undo => ["Let the turn be taken back", "No, it stands"],
            Offer::Pause => ["Let the clocks stand still", "No pause"],
            Offer::Rematch => ["Play again", "No, thanks"],
        },
        _ => return Vec::new(),
    };
    let button = |(label, word): (&str, &str)| Button {
        label: label.to_owned(),
        word: word.to_owned(),
    };
    labels.into_iter().zip(["accept", "reject"]).map(button).collect()
}

/// The likely thing to do next for the player in this seat: a turn, or the same game again.
pub(crate) fn action(board: &Board, seat: Seat) -> Option<Button> {
    if board.end.is_none() {
        return (board.to_move == Some(seat)).then(|| Button {
            label: "Play your turn".to_owned(),
            word: String::new(),
        });
    }
    // A rematch that is offered has its own buttons, or waits for the other player.
    let is_offered = matches!(board.offer, Some((Offer::Rematch, _)));
    if matches!(board.end, Some(End::Removed(_))) || !board.has_both_players() || is_offered {
        return None;
    }
    Some(Button {
        label: format!("Play {} again", board.at(seat.other()).userid),
        word: "rematch".to_owned(),
    })
}
