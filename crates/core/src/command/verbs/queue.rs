//! `queue`: stores turns that are played when it becomes the player's turn, if they are legal then: the plan that does not ask what
//! the other player does.
//!
//! Queued turns are secret until they are played. The player to move never has any, because the decision that makes
//! it their turn plays or drops them.

use pbmserv_games::Kind;

use crate::command::playing::turns::{check_number, not_now, read, refused};
use crate::command::reading::plan::split_plan;
use crate::command::reading::turn_text::{hash_number, is_off, split_number, split_turns};
use crate::command::verbs::plan::plan;
use crate::command::wording::news::News;
use crate::command::{
    About, Addressee, AnswerWord, Argument, Change, Command, Context, Decision, InAnswer, Letter, Refused,
    Run, Scope, Trailing, Undecided, Word,
};
use crate::table::{Board, Likeness, MAX_IN_A_ROW, Plan, Player, Position, likeness};

pub(crate) static QUEUE: Command = Command {
    verb: "queue",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    trailing: Trailing::Text("MOVE"),
    syntax: "GAME queue board userid password MOVE [then MOVE...] | off",
    summary: "plays a turn as soon as it is your turn",
    help: "Keeps a turn and plays it as soon as it is your turn, if it is legal then. If it is not legal, \
           nothing is played, your whole queue for this board is dropped, and you are told why.\n\n\
           You can queue up to ten turns with the word then between them. One of them is played each time that \
           it is your turn. A new queue replaces the old one, and off instead of a turn drops it. The queue is \
           also dropped when the game ends and when a turn is taken back. If it is your turn already, use move.\n\n\
           The command plan keeps turns that depend on what the other player does.\n\n\
           Nobody else sees your queue. Your own mails about the board show it. A queued turn takes no text to \
           the other player. With #n after a turn, it is played only as your turn number n.\n\n\
           In an answer to a mail about the board, write queue and the turn on the first line.",
    examples: &[
        "GAME queue 101 alice fig7elk MOVE",
        "GAME queue 101 alice fig7elk MOVE then MOVE",
        "GAME queue 101 alice fig7elk off",
    ],
    in_answer: InAnswer::Turns,
    answer_words: &[AnswerWord {
        word: "queue",
        rank: 3,
        note: |board, seat| {
            let is_possible = board.end.is_none() && board.to_move != seat;
            is_possible.then(|| " and a turn (played when it is yours)".to_owned())
        },
    }],
    // When it is the writer's turn already, nothing is queued, and the refusal says so.
    about: |board, seat, text| match is_off(text) || board.to_move == Some(seat) {
        true => About::Nothing,
        false => About::Position,
    },
    run: Run::WithTurns(|context, line, board, player, turns| {
        queue(context, board, player, turns, hash_number(&line.fixed[0])?)
    }),
    ..Command::USUAL
};

fn queue(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    rest: &Word,
    number: Option<usize>,
) -> Result<Decision, Undecided> {
    if split_plan(rest).1.is_some() || likeness(&rest.text, |_| true) > Likeness::Words {
        return plan(context, board, player, Some(&rest.text));
    }
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let (name, userid) = (board.name(), &player.userid);
    let (mut board, position, turns) = if is_off(&rest.text) {
        if board.plan_of(seat).is_none() {
            let sentence = format!("You have queued nothing on {name}, {userid}.");
            return Err(Refused::impossible(sentence).on(board, position).into());
        }
        (board, position, Vec::new())
    } else if board.to_move == Some(seat) {
        let sentence =
            format!("It is your turn on {name}, {userid}, so nothing is queued: play it as a move.");
        return Err(Refused::impossible(sentence).on(board, position).into());
    } else {
        understood(board, position, player, rest, number)?
    };
    let mut sentence = if turns.is_empty() {
        format!("Nothing is queued any more on {name}, {userid}.")
    } else {
        format!("You have queued {} on {name}.", turns.join(", then "))
    };
    if context.clean_comment().is_some() {
        sentence.push_str(" The text of your mail was sent to nobody: chat does that.");
    }
    let plan = Plan::queue(position.turns.len(), turns);
    board.planned(seat, Some(plan).filter(|plan| !plan.answers().is_empty()));
    let news = News {
        board: &board,
        position: &position,
        sentence: sentence.into(),
        comment: None,
    };
    let letter = news.to(context, Addressee::Player(player.id), Some(board.at(seat)))?;
    Ok(Decision {
        changes: vec![Change::Board(Box::new(board))],
        letters: vec![Letter {
            is_answer: true,
            ..letter
        }],
        proven: Some(player.id),
    })
}

/// The turns in a text. Each can be read as a turn of this game, but may turn out to be illegal when it is played.
fn understood(
    board: Board,
    position: Position,
    player: &Player,
    rest: &Word,
    number: Option<usize>,
) -> Result<(Board, Position, Vec<String>), Undecided> {
    let words = split_turns(rest);
    let Some(first) = words.first() else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    if let Some(surplus) = words.get(MAX_IN_A_ROW) {
        let sentence = format!("At most {MAX_IN_A_ROW} turns are queued on a board.");
        return Err(Refused::impossible(sentence)
            .about(surplus)
            .on(board, position)
            .into());
    }
    let mut turns = Vec::new();
    for word in &words {
        let (text, _) = split_number(word)?;
        if let Err(refusal) = read(position.game.fork().as_mut(), &text.text)
            && refusal.kind == Kind::Unreadable
        {
            return Err(refused(refusal, "queued", board, position, player, &text));
        }
        turns.push(word.text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    // The number of the first is known now: it is this player's next turn. The numbers of the others are checked when
    // they are played.
    let (text, own) = split_number(first)?;
    let (board, position) = check_number(board, position, player, &text, own.or(number))?;
    Ok((board, position, turns))
}
