//! `rematch`: the same game once more, with the seats exchanged.

use crate::command::playing::rematch::rematch;
use crate::command::{AnswerWord, Argument, Command, InAnswer, Run, Scope};
use crate::table::Offer;

pub(crate) static REMATCH: Command = Command {
    verb: "rematch",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME rematch board userid password",
    summary: "offers the same game again, with the seats exchanged",
    help: "After the end of a game, offers the other player the same game again, with the same options. The \
           second player has the first turn then. The new board begins when the other player answers the offer \
           with rematch or accept. The text of the mail goes to the other player.",
    examples: &["GAME rematch 101 alice fig7elk"],
    in_answer: InAnswer::Alone,
    answer_words: &[AnswerWord {
        word: "rematch",
        rank: 0,
        note: |board, _| {
            let is_offered = matches!(board.offer, Some((Offer::Rematch, _)));
            let is_possible = board.end.is_some() && board.can_be_answered() && board.has_both_players();
            (is_possible && !is_offered).then(|| " (the same game, with the seats exchanged)".to_owned())
        },
    }],
    run: Run::OnBoard(|context, _, board, player| rematch(context, board, player)),
    ..Command::USUAL
};
