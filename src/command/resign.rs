//! `resign`: gives a game up, or declines it before one's first turn.

use crate::games::{By, Ending, Outcome};
use crate::letters::Saying;
use crate::table::{Board, End, Player};

use super::board::News;
use super::ended::ended;
use super::play::not_now;
use super::{Command, Context, Decision, Line, Place, Rest, Scope, Stop};

pub(super) static RESIGN: Command = Command {
    verb: "resign",
    aliases: &["decline"],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "GAME resign board userid password",
    summary: "gives a game up, or declines it before one's first turn",
    help: "Gives a game up: the other player wins. Before your own first turn it declines the game instead: the \
           board is removed, and counts for nobody. It need not be your turn. The text of the mail goes to the \
           other player.",
    examples: &["GAME resign 101 alice secret1"],
    run,
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let board = context.board(context.game(line)?, &line.fixed[0])?;
    let player = context.prove(line)?;
    resign(context, board, &player).map_err(|stop| stop.proven_by(player.id))
}

/// What resigning does here: an end, or a removal before the player's first turn.
pub(super) fn resign(context: &Context<'_>, mut board: Board, player: &Player) -> Result<Decision, Stop> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let (end, sentence) = if board.has_moved(seat) {
        let ending = Ending {
            outcome: Outcome::Won(seat.other()),
            by: By::Resignation,
        };
        let winner = &board.at(seat.other()).userid;
        (
            End::Finished(ending),
            format!(
                "{} resigned on {}: {winner} has won.",
                player.userid,
                board.name()
            ),
        )
    } else {
        (
            End::Removed,
            format!(
                "{} declined {}: the board is removed.",
                player.userid,
                board.name()
            ),
        )
    };
    board.ended(end, context.now);
    let ended = ended(context.store, &board, context.now)?;
    let saying = context.saying().map(|text| Saying {
        by: player.userid.clone(),
        text,
    });
    let news = News {
        board: &board,
        position: &position,
        sentence: ended.told(sentence),
        saying,
    };
    let letters = news.to_all(context, Some(player.id))?;
    Ok(Decision {
        changes: ended.changes(board),
        letters,
        proven: Some(player.id),
    })
}
