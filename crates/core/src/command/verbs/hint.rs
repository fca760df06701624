//! `hint`: a good turn, on boards against computers.

use crate::command::playing::advice::ask;
use crate::command::playing::turns::to_move;
use crate::command::{
    About, AnswerWord, Argument, Command, Context, Decision, InAnswer, Line, Refused, Run, Scope, Undecided,
};
use crate::store::AdviceKind;
use crate::table::{Board, Player};

pub(crate) static HINT: Command = Command {
    verb: "hint",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME hint board userid password",
    summary: "a good turn, on a board against a computer",
    help: "On a board against a computer, asks a computer for a good turn when it is your turn. It comes within a minute, and \
           the record of the game says that you had it. You get a few hints a day. Between people there are none: see help \
           fair.",
    examples: &["GAME hint 101 alice fig7elk"],
    in_answer: InAnswer::Alone,
    answer_words: &[AnswerWord {
        word: "hint",
        rank: 6,
        note: |board, seat| {
            let is_mine = board.end.is_none() && board.to_move == seat;
            (is_mine && board.computer().is_some()).then(|| " (the advice of a computer)".to_owned())
        },
    }],
    about: |_, _, _| About::Position,
    run: Run::OnBoard(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, _: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let (board, position, _) = to_move(context, board, player)?;
    if board.computer().is_none() {
        let sentence = format!(
            "There are no hints on {}, {}: two people play there.",
            board.name(),
            player.userid
        );
        return Err(Refused::impossible(sentence).on(board, position).into());
    }
    let sentence = format!(
        "The hint for {}, {}, comes in a moment.",
        board.name(),
        player.userid
    );
    ask(context, &board, player, AdviceKind::Hint, sentence)
}
