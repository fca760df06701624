//! `review`: which turns of a finished game cost most.

use crate::command::playing::advice::{ask, reviewed};
use crate::command::playing::turns::not_now;
use crate::command::{
    AnswerWord, Argument, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run, Scope, Undecided,
};
use crate::store::{AdviceKind, NoteKind};
use crate::table::{Board, End, Player};

pub(crate) static REVIEW: Command = Command {
    verb: "review",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME review board userid password",
    summary: "the turns of a finished game that cost most",
    help: "After a game, has a computer look at all its turns. Its players get the three that cost most, with what would have \
           been better, and the record with these comments. It takes some minutes at most.",
    examples: &["GAME review 101 alice fig7elk"],
    in_answer: InAnswer::Alone,
    answer_words: &[AnswerWord {
        word: "review",
        rank: 6,
        note: |board, _| {
            let is_finished = matches!(board.end, Some(End::Finished(_)));
            is_finished.then(|| " (the turns that cost most)".to_owned())
        },
    }],
    run: Run::OnBoard(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, _: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    if board.seat_of(player.id).is_none() {
        let position = context.position(&board)?;
        return Err(not_now(board, position, player));
    }
    let name = board.name();
    let reason = match board.end {
        Some(End::Finished(_)) => None,
        Some(End::Removed(_) | End::Void) => Some("no game came about there"),
        None => Some("the game is not over"),
    };
    if let Some(reason) = reason {
        let sentence = format!("There is no review of {name}, {}: {reason}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let notes = context.store.board_notes(board.id)?;
    if notes.iter().any(|note| note.kind == NoteKind::Review) {
        let letter: Letter = reviewed(context, &board, player.id, &notes)?;
        return Ok(Decision {
            proven: Some(player.id),
            ..Decision::answer(letter)
        });
    }
    let sentence = format!(
        "The review of {name}, {}, is being made: it comes by mail.",
        player.userid
    );
    ask(context, &board, player, AdviceKind::Review, sentence)
}
