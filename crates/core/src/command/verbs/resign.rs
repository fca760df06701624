//! `resign`: gives up a game, or declines it before the player's first turn.

use pbmserv_games::{By, Ending, Outcome};

use crate::command::playing::ended::ended;
use crate::command::playing::turns::not_now;
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::{
    About, AnswerWord, Argument, Command, Context, Decision, InAnswer, Run, Scope, Undecided,
};
use crate::letters::Comment;
use crate::table::{Board, End, POINTS, Player};

pub(crate) static RESIGN: Command = Command {
    verb: "resign",
    aliases: &["decline"],
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME resign board userid password",
    summary: "gives a game up, or declines it before your first turn",
    help: "Gives a game up: the other player wins. Before your own first turn it declines the game instead: the \
           board is removed and does not count. It need not be your turn. It ends a whole match; the turn concede \
           offers one game of it. The text of the mail goes to the \
           other player.",
    examples: &["GAME resign 101 alice fig7elk"],
    in_answer: InAnswer::Alone,
    answer_words: &[AnswerWord {
        word: "resign",
        rank: 9,
        note: |board, seat| {
            let has_moved = seat.is_some_and(|seat| board.has_moved(seat));
            let is_match = board.options.number(board.game.facts, POINTS) > 1;
            let note = match has_moved {
                true if is_match => " (gives the whole match up; concede: this game)",
                true => " (gives the game up)",
                false => " (declines, and the board is removed)",
            };
            board.end.is_none().then(|| note.to_owned())
        },
    }],
    // To decline a game that has gone on costs nothing; to lose one does.
    about: |board, seat, _| match board.has_moved(seat) {
        true => About::Course,
        false => About::Nothing,
    },
    run: Run::OnBoard(|context, _, board, player| resign(context, board, player)),
    ..Command::USUAL
};

/// Ends the game, or removes it before the player's first turn.
pub(crate) fn resign(
    context: &Context<'_>,
    mut board: Board,
    player: &Player,
) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let (end, sentence) = if board.has_moved(seat) {
        let ending = Ending {
            outcome: Outcome::Won(seat.other()),
            by: By::Resignation,
        };
        let told = Sentence::of(&board, |names| {
            let (who, won) = (names.first(seat), names.won(seat.other()));
            format!("{who} resigned on {}: {won}.", board.name())
        });
        (End::Finished(ending), told)
    } else {
        let told = Sentence::of(&board, |names| {
            let who = names.first(seat);
            format!("{who} declined {}: the board is removed.", board.name())
        });
        (End::Removed(seat), told)
    };
    board.ended(end, context.now);
    let ended = ended(context.store, &board, context.now)?;
    let comment = context.clean_comment().map(|text| Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let news = News {
        board: &board,
        position: &position,
        sentence: ended.with_ratings(sentence),
        comment,
    };
    let letters = news.to_all(context, Some(player.id))?;
    Ok(Decision {
        changes: ended.changes(board),
        letters,
        proven: Some(player.id),
    })
}
