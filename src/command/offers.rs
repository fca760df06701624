//! `propose`, `undo`, `accept`, `reject`: what the players agree on beside their turns. They stand in the place of
//! a turn, or alone in an answer.

use crate::games::{By, Ending, Outcome, Seat};
use crate::letters::Saying;
use crate::table::{Board, End, Offer, Player, Position};

use super::board::News;
use super::ended::ended;
use super::play::not_now;
use super::{Context, Decision, Refused, Stop};

/// A word that stands in the place of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Propose,
    Undo,
    Accept,
    Reject,
}

impl Word {
    /// The word in any case; `None` for anything else.
    pub(super) fn read(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "propose" => Some(Self::Propose),
            "undo" => Some(Self::Undo),
            "accept" => Some(Self::Accept),
            "reject" => Some(Self::Reject),
            _ => None,
        }
    }
}

/// What happens on the board, before anybody is told.
struct Event {
    after: Board,
    position: Position,
    sentence: String,
}

/// Decides what a word does for this player.
pub(super) fn offer(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    word: Word,
) -> Result<Decision, Stop> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let theirs = board.offer.filter(|(_, by)| *by != seat).map(|(offer, _)| offer);
    let event = match (word, theirs) {
        // Who offers a draw to one who has offered it agrees.
        (Word::Accept | Word::Propose, Some(Offer::Draw)) => draw(context, board, position, player),
        (Word::Accept, Some(Offer::Undo)) => agree(context, board, position, player)?,
        (Word::Accept, None) => {
            let sentence = format!(
                "There is nothing to accept on {}, {}.",
                board.name(),
                player.userid
            );
            return Err(refused(board, position, sentence));
        }
        (Word::Reject, _) => reject(board, position, player, seat)?,
        (Word::Propose, _) => ask(board, position, player, seat, Offer::Draw)?,
        (Word::Undo, _) => ask(board, position, player, seat, Offer::Undo)?,
    };
    let Event {
        after,
        position,
        sentence,
    } = event;
    let ended = ended(context.store, &after, context.now)?;
    let saying = context.saying().map(|text| Saying {
        by: player.userid.clone(),
        text,
    });
    let news = News {
        board: &after,
        position: &position,
        sentence: ended.told(sentence),
        saying,
    };
    let letters = news.to_all(context, Some(player.id))?;
    Ok(Decision {
        changes: ended.changes(after),
        letters,
        proven: Some(player.id),
    })
}

fn refused(board: Board, position: Position, sentence: String) -> Stop {
    Refused {
        board: Some(Box::new((board, position))),
        ..Refused::impossible(sentence)
    }
    .into()
}

/// A draw offered, or a turn asked back.
fn ask(
    mut board: Board,
    position: Position,
    player: &Player,
    seat: Seat,
    offer: Offer,
) -> Result<Event, Stop> {
    let (name, title) = (board.name(), board.game.facts.title);
    let other = board.at(seat.other()).userid.clone();
    let reason = match (offer, position.turns.last()) {
        _ if board.offer == Some((offer, seat)) => Some(format!(
            "{other} has not answered yet what you asked on {name}, {}.",
            player.userid
        )),
        (Offer::Draw, _) if !board.game.facts.knows_draws => Some(format!(
            "{title} knows no draw, so none is offered on {name}, {}.",
            player.userid
        )),
        (Offer::Undo, None) => Some(format!(
            "There is no turn to take back on {name}, {}.",
            player.userid
        )),
        (Offer::Undo, Some(turn)) if turn.seat != seat => Some(format!(
            "The last turn on {name} was that of {other}: only {other} can ask to take it back."
        )),
        _ => None,
    };
    if let Some(reason) = reason {
        return Err(refused(board, position, reason));
    }
    let sentence = match (offer, position.turns.last()) {
        (Offer::Undo, Some(turn)) => format!("{} asks to take back {} on {name}.", player.userid, turn.text),
        _ => format!("{} offers a draw on {name}.", player.userid),
    };
    board.offered(Some((offer, seat)));
    Ok(Event {
        after: board,
        position,
        sentence,
    })
}

fn reject(mut board: Board, position: Position, player: &Player, seat: Seat) -> Result<Event, Stop> {
    let name = board.name();
    let sentence = match board.offer {
        None => {
            let sentence = format!("There is nothing to reject on {name}, {}.", player.userid);
            return Err(refused(board, position, sentence));
        }
        Some((offer, by)) if by == seat => {
            format!("{} takes the {} back on {name}.", player.userid, offer.name())
        }
        Some((offer, by)) => {
            format!(
                "{} rejects {}'s {} on {name}.",
                player.userid,
                board.at(by).userid,
                offer.name()
            )
        }
    };
    board.offered(None);
    Ok(Event {
        after: board,
        position,
        sentence,
    })
}

fn draw(context: &Context<'_>, mut board: Board, position: Position, player: &Player) -> Event {
    let end = End::Finished(Ending {
        outcome: Outcome::Drawn,
        by: By::Agreement,
    });
    board.ended(end, context.now);
    Event {
        sentence: format!("{} agreed to a draw on {}.", player.userid, board.name()),
        after: board,
        position,
    }
}

fn agree(context: &Context<'_>, board: Board, position: Position, player: &Player) -> Result<Event, Stop> {
    let back = taken_back(context, board, position)?;
    let name = back.board.name();
    Ok(Event {
        sentence: format!("{} agreed: {} is taken back on {name}.", player.userid, back.turn),
        after: back.board,
        position: back.position,
    })
}

/// A board without its last turn.
pub(super) struct TakenBack {
    /// The board after it.
    pub board: Board,
    /// Its position.
    pub position: Position,
    /// The turn.
    pub turn: String,
}

/// Takes the last turn back.
pub(super) fn taken_back(
    context: &Context<'_>,
    mut board: Board,
    position: Position,
) -> Result<TakenBack, Stop> {
    let mut turns = position.turns;
    let Some(undone) = turns.pop() else {
        return Err(Refused::impossible("There is no turn to take back.").into());
    };
    let position = Position::replay(&board, turns, usize::MAX)?;
    let on_vacation = context.on_vacation(&board)?;
    board.taken_back(&position, on_vacation, context.now);
    Ok(TakenBack {
        board,
        position,
        turn: undone.text,
    })
}
