//! Authenticates the player of a line where the command requires it, and runs the command.

use crate::command::playing::stale::in_date;
use crate::command::reading::hidden;
use crate::command::{Context, Decision, Line, Refused, Run, Undecided, Word};

/// Decides what a line does. An authenticated player also gets the refusal.
///
/// # Errors
/// The command is refused, a password is not checked yet, or the server failed.
pub fn decide(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    match line.command.run {
        Run::ReadOnly(run) | Run::Public(run) => run(context, line),
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
            in_date(context, line, &board, &player)
                .and_then(|repeated| match repeated {
                    Some(repeated) => Ok(repeated),
                    None => run(context, line, board, &player),
                })
                .map_err(|stop| stop.proven_by(player.id))
        }
        Run::WithTurns(run) => {
            let board = context.board(context.game(line)?, &line.fixed[0])?;
            let player = context.prove(line)?;
            in_date(context, line, &board, &player)
                .and_then(|repeated| match repeated {
                    Some(repeated) => Ok(repeated),
                    None => with_turns(line, |turns| run(context, line, board, &player, turns)),
                })
                .map_err(|stop| stop.proven_by(player.id))
        }
        Run::WithToken(run) => {
            let (userid, token) = (&line.fixed[0], &line.fixed[1]);
            let player = context.found(userid)?;
            let player = player.filter(|player| context.tokens.resets(&token.text, player, context.now));
            let Some(player) = player else {
                let sentence = "This token is not valid for that userid, or no longer valid: forgot userid mails you another.";
                return Err(Refused::impossible(sentence).pointing_at(token).into());
            };
            run(context, line, &player).map_err(|stop| stop.proven_by(player.id))
        }
    }
}

/// Decides with the text of the turns in a line. That text goes to the other player, into the database and into
/// refusals, so it must not contain the password.
pub(crate) fn with_turns(
    line: &Line,
    decide: impl FnOnce(&Word) -> Result<Decision, Undecided>,
) -> Result<Decision, Undecided> {
    let Some(turns) = &line.turns else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    let password = line.password().map_or("", |(_, password)| &password.text);
    let again = || {
        Refused::unreadable("Your password is in the MOVE too, which the other player reads.")
            .pointing_at(turns)
    };
    if hidden::contains(&turns.text, password) {
        return Err(again().into());
    }
    decide(turns).map_err(|stop| match stop {
        // The refusal of a turn quotes it, and the text may hold most of the password.
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
