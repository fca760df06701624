//! `hint`: a good turn, on boards against computers.

use crate::command::playing::turns::to_move;
use crate::command::wording::board::subject;
use crate::command::{
    About, Addressee, AnswerWord, Argument, Change, Command, Context, Decision, InAnswer, Letter, Line,
    Refused, Run, Scope, Undecided,
};
use crate::letters::Done;
use crate::store::{Advice, AdviceKind, Awaits, RateLimit};
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
    examples: &["GAME hint 101 alice secret1"],
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
    let counted = count_advice(context, player)?;
    let advice = Advice {
        kind: AdviceKind::Hint,
        board: board.id,
        player: player.id,
        event: board.events.position,
        asked_at: context.now,
    };
    let sentence = format!(
        "The hint for {}, {}, comes in a moment.",
        board.name(),
        player.userid
    );
    Ok(asked(&board, player, advice, counted, sentence))
}

/// Counts advice for a player.
///
/// # Errors
/// The player has had enough today, or there are no computers here.
pub(super) fn count_advice(context: &Context<'_>, player: &Player) -> Result<Change, Undecided> {
    if context.settings.computers.players.is_empty() {
        let sentence = format!("No computer gives advice on this server, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let (what, key) = (RateLimit::Hinted, player.id.0.to_string());
    if context.store.tally(what, &key, context.now)? >= context.settings.computers.hints_a_day {
        let sentence = format!(
            "You have had enough advice today, {}: try again tomorrow.",
            player.userid
        );
        return Err(Refused::impossible(sentence).into());
    }
    Ok(Change::Count { what, key, more: 1 })
}

/// Asks for advice. The receipt is sent only if the advice takes more than a minute.
pub(super) fn asked(
    board: &Board,
    player: &Player,
    advice: Advice,
    counted: Change,
    sentence: String,
) -> Decision {
    let reader = board.players.iter().find(|seated| seated.id == player.id);
    let done = Done {
        subject: subject(board, reader),
        sentence,
        hint: String::new(),
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        awaits: Some(Awaits::Answer),
        ..Letter::answer(done.into()).on(board.game, board.number)
    };
    Decision {
        changes: vec![Change::Ask(advice), counted],
        letters: vec![letter],
        proven: Some(player.id),
    }
}
