//! What a line decides, once its player has proved to be its writer where the command asks for that.

use crate::command::reading::hidden;
use crate::command::{Context, Decision, Line, Refused, Run, Undecided, Word};

/// Decides what a line does. Whoever has proved to be its writer gets the refusal too.
///
/// # Errors
/// It is refused, a password is still to be checked, or the server met a fault.
pub fn decide(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    match line.command.run {
        Run::Looks(run) | Run::Anybody(run) => run(context, line),
        Run::Player(run) => {
            let player = context.prove(line)?;
            run(context, line, &player).map_err(|stop| stop.proven_by(player.id))
        }
        Run::PlayerAfter { first, then } => {
            first(context, line)?;
            let player = context.prove(line)?;
            then(context, line, &player).map_err(|stop| stop.proven_by(player.id))
        }
        Run::OnBoard(run) => {
            let board = context.board(context.game(line)?, &line.fixed[0])?;
            let player = context.prove(line)?;
            run(context, line, board, &player).map_err(|stop| stop.proven_by(player.id))
        }
        Run::WithTurns(run) => {
            let board = context.board(context.game(line)?, &line.fixed[0])?;
            let player = context.prove(line)?;
            with_turns(line, |turns| run(context, line, board, &player, turns))
                .map_err(|stop| stop.proven_by(player.id))
        }
        Run::WithToken(run) => {
            let (userid, token) = (&line.fixed[0], &line.fixed[1]);
            let player = context.store.player(&userid.text)?;
            let player = player.filter(|player| context.tokens.resets(&token.text, player, context.now));
            let Some(player) = player else {
                let sentence = "This token is not good for that userid, or is good no longer: forgot userid brings another.";
                return Err(Refused::impossible(sentence).pointing_at(token).into());
            };
            run(context, line, &player).map_err(|stop| stop.proven_by(player.id))
        }
    }
}

/// Decides with the text of turns in a line. It goes to the other player, into the database and into refusals, so
/// nothing that looks like the password may stand in it.
fn with_turns(
    line: &Line,
    decide: impl FnOnce(&Word) -> Result<Decision, Undecided>,
) -> Result<Decision, Undecided> {
    let Some(turns) = &line.turns else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    let password = line.password().map_or("", |(_, password)| &password.text);
    let again = || {
        Refused::unreadable("The password stands in the MOVE too, which the other player reads.")
            .pointing_at(turns)
    };
    if hidden::contains(&turns.text, password) {
        return Err(again().into());
    }
    decide(turns).map_err(|stop| match stop {
        // The refusal of a turn quotes it.
        Undecided::Refused(refused)
            if turns
                .text
                .split(' ')
                .any(|word| hidden::resembles(word, password)) =>
        {
            Undecided::from(Refused {
                board: refused.board,
                ..again()
            })
        }
        other => other,
    })
}
