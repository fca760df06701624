//! Replies to letters that were written before the board was as it is.

use pbmserv_games::Seat;

use crate::command::reading::plan::split_plan;
use crate::command::reading::turn_text::split_number;
use crate::command::wording::news::News;
use crate::command::wording::older::older_letter;
use crate::command::{
    About, Addressee, Context, Decision, InAnswer, InternalError, Letter, Line, Refused, Undecided, Word,
};
use crate::table::{Board, Played, Player, Position};

/// Whether a reply refers to the board as it is. The decision is the answer to a turn that this very letter asked for and that was
/// played then: nothing is done again.
///
/// # Errors
/// The letter is older than what the command refers to. The refusal shows the board.
pub(crate) fn in_date(
    context: &Context<'_>,
    line: &Line,
    board: &Board,
    player: &Player,
) -> Result<Option<Decision>, Undecided> {
    let Some(seat) = board.seat_of(player.id).filter(|_| line.by_token.is_some()) else {
        return Ok(None);
    };
    let turn = line.turns.as_ref().map(|turns| split_plan(turns).0);
    let turn = turn.as_ref();
    let text = turn.map_or("", |turn| turn.text.trim());
    let about = (line.command.about)(board, seat, text);
    if line.command.in_answer == InAnswer::Turn
        && about == About::Position
        && let Some(turn) = turn
        && let Some(repeated) = repeated(context, board, seat, turn)?
    {
        return Ok(Some(repeated));
    }
    let Some(why) = older_letter(context, board, seat, about)? else {
        return Ok(None);
    };
    let done = match (line.command.in_answer, about) {
        (InAnswer::Turn, About::Position) => "Not played",
        (InAnswer::Turns, _) if line.command.verb == "queue" => "Not queued",
        (InAnswer::Plan, _) => "Not planned",
        _ => "Nothing was done",
    };
    let sentence = format!(
        "{done} on {}, {}: {why}. This is the board now.",
        board.name(),
        player.userid
    );
    let refused = Refused::impossible(sentence);
    let refused = match turn {
        Some(turn) => refused.about(turn),
        None => refused,
    };
    let position = context.position(board)?;
    Err(refused.on(board.clone(), position).into())
}

/// The answer to a turn that is the one which was played in answer to the same letter.
fn repeated(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
    turn: &Word,
) -> Result<Option<Decision>, Undecided> {
    let Some(letter) = context.letter_answered(board, board.at(seat).id) else {
        return Ok(None);
    };
    if letter.is_lost || letter.knows(board.events.position) {
        return Ok(None);
    }
    let turns = context.store.turns(board.id)?;
    let Some(next) = turns.iter().position(|turn| !letter.knows(turn.event)) else {
        return Ok(None);
    };
    let (text, _) = split_number(turn)?;
    let Some(played) = played_then(board, seat, &turns, next, &text.text)? else {
        return Ok(None);
    };
    let position = context.position(board)?;
    Ok(Some(nothing_again(context, board, seat, &position, &played)?))
}

/// The text as the turns that this player has played from turn `next` on; `None` if these are others.
fn played_then(
    board: &Board,
    seat: Seat,
    turns: &[Played],
    next: usize,
    text: &str,
) -> Result<Option<String>, InternalError> {
    let mut then = board.replay(turns.to_vec(), next)?;
    let is_own = then.to_move() == Some(seat);
    let Some(texts) = then.game.play_all(text).ok().filter(|_| is_own) else {
        return Ok(None);
    };
    let since = turns.get(next..next + texts.len()).unwrap_or_default();
    let is_same = since.iter().all(|turn| turn.seat == seat)
        && since.iter().map(|turn| &turn.text).eq(&texts)
        && !texts.is_empty();
    Ok(is_same.then(|| texts.join(",")))
}

/// Says that a turn was played before, and shows the board.
fn nothing_again(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
    position: &Position,
    turn: &str,
) -> Result<Decision, InternalError> {
    let reader = board.at(seat);
    let mut sentence = format!(
        "{turn} was played already on {}, {}: nothing was done again.",
        board.name(),
        reader.userid
    );
    if context.clean_comment().is_some() {
        sentence.push_str(" The text of your mail was sent to nobody: chat does that.");
    }
    let news = News {
        board,
        position,
        sentence: sentence.into(),
        comment: None,
    };
    let letter = news.to(context, Addressee::Player(reader.id), Some(reader))?;
    Ok(Decision {
        letters: vec![Letter {
            is_answer: true,
            ..letter
        }],
        proven: Some(reader.id),
        ..Decision::default()
    })
}
