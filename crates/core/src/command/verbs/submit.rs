//! `submit` and `confirm`: shows a turn first, and plays it when its player confirms it.

use pbmserv_games::record::Record;

use crate::command::playing::play::play;
use crate::command::playing::trying::state;
use crate::command::playing::turns::{check_number, read, refused, to_move};
use crate::command::reading::turn_text::{hash_number, split_number};
use crate::command::wording::board::subject;
use crate::command::{
    About, Addressee, Argument, Change, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run,
    Scope, Topic, Trailing, Undecided, Word,
};
use crate::letters::{Button, Content, Listing};
use crate::table::{Board, Player};

pub(crate) static SUBMIT: Command = Command {
    verb: "submit",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    trailing: Trailing::Text("MOVE"),
    syntax: "GAME submit board userid password MOVE[#n]",
    summary: "shows the board after a turn, to be confirmed",
    help: "Shows you the board after your turn, and keeps the turn without playing it. To play it, use the \
           command confirm, or answer that mail with the word confirm on its first line. Nobody else is told \
           before. If you submit another turn, it replaces this one. A move drops it.",
    examples: &["GAME submit 101 alice fig7elk MOVE"],
    in_answer: InAnswer::Turns,
    about: |_, _, _| About::Position,
    run: Run::WithTurns(submit),
    ..Command::USUAL
};

pub(crate) static CONFIRM: Command = Command {
    verb: "confirm",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME confirm board userid password",
    summary: "plays the turn that was submitted",
    help: "Plays the turn that you have submitted on this board. The text of the mail goes to the other player. \
           If the board has changed since then, nothing is played, and you are told so.",
    examples: &["GAME confirm 101 alice fig7elk"],
    in_answer: InAnswer::Alone,
    about: |_, _, _| About::Submitted,
    run: Run::OnBoard(|context, line, board, player| confirm(context, board, player, &line.fixed[0])),
    ..Command::USUAL
};

fn submit(
    context: &Context<'_>,
    line: &Line,
    board: Board,
    player: &Player,
    turns: &Word,
) -> Result<Decision, Undecided> {
    let (text, own) = split_number(turns)?;
    let number = own.or(hash_number(&line.fixed[0])?);
    let (board, position, seat) = to_move(context, board, player)?;
    let (mut board, position) = check_number(board, position, player, &text, number)?;
    let mut after = position.game.fork();
    let turns = match read(after.as_mut(), &text.text) {
        Ok(turns) => turns,
        Err(refusal) => return Err(refused(refusal, "submitted", board, position, player, &text)),
    };
    let display = context.store.display(player.id, board.game)?;
    let turn = turns.join(",");
    let (name, userid) = (board.name(), &player.userid);
    let mut sentence = format!("{name} after {turn}, {userid}: nothing is played yet.");
    if context.clean_comment().is_some() {
        sentence.push_str(" The text of your mail was sent to nobody: write it again when you confirm.");
    }
    let hint = format!(
        "{}\n\nTo play it, answer this mail with the word confirm alone on the first line.",
        state(after.as_ref())
    );
    let listing = Listing {
        subject: subject(&board, Some(board.at(seat))),
        sentence,
        board: after.draw(display),
        action: Some(Button {
            label: "Play it".to_owned(),
            word: "confirm".to_owned(),
        }),
        hint,
        ..Listing::default()
    };
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.into_iter().map(|turn| turn.text).collect();
    record.turns.extend(turns);
    let letter = Letter {
        to: Addressee::Player(player.id),
        topic: Topic::Preview,
        ..Letter::answer(Content::from(listing).showing(record.to_string()))
    };
    board.submitted(turn);
    Ok(Decision {
        letters: vec![letter.on(board.game, board.number)],
        changes: vec![Change::Board(Box::new(board))],
        proven: Some(player.id),
    })
}

fn confirm(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    number: &Word,
) -> Result<Decision, Undecided> {
    let (board, position, _) = to_move(context, board, player)?;
    // Every change of the position clears the submitted turn. So it is for this position and by the player to move.
    let Some(text) = board.submitted.clone() else {
        let sentence = format!(
            "Nothing was played on {}, {}: you have submitted no turn since the board last changed.",
            board.name(),
            player.userid
        );
        return Err(Refused::impossible(sentence).on(board, position).into());
    };
    let turn = Word { text, at: 0..0 };
    play(context, board, player, &turn, hash_number(number)?, None)
}
