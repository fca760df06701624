//! `submit` and `confirm`: a turn is shown first, and played when its player has seen it.

use crate::games::record::Record;
use crate::letters::{Content, Listing};
use crate::table::{Board, Player};

use super::board::subject;
use super::context::hash_number;
use super::play::play;
use super::preview::state;
use super::turns::{check_number, read, refused, split_number, to_move, with_move};
use super::{
    Addressee, Change, Command, Context, Decision, Letter, Line, Place, Refused, Rest, Scope, Stop, Word,
};

pub(super) static SUBMIT: Command = Command {
    verb: "submit",
    aliases: &[],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Text("MOVE"),
    takes_game_options: false,
    options: &[],
    syntax: "GAME submit board userid password MOVE[#n]",
    summary: "shows the board after a turn, to be confirmed",
    help: "Shows you the board as it would be after your turn, and keeps the turn: the command confirm plays it, \
           as does an answer to that mail with the word confirm alone on its first line. Nothing is played before, \
           and nobody else is told. A turn submitted later takes the place of this one; a move clears it.",
    examples: &["GAME submit 101 alice secret1 MOVE"],
    run: run_submit,
};

pub(super) static CONFIRM: Command = Command {
    verb: "confirm",
    aliases: &[],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "GAME confirm board userid password",
    summary: "plays the turn that was submitted",
    help: "Plays the turn that you have submitted on this board. The text of the mail goes to the other player. If \
           the board has changed since then, nothing is played and you are told so.",
    examples: &["GAME confirm 101 alice secret1"],
    run: run_confirm,
};

fn run_submit(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    with_move(context, line, |board, player, rest| {
        let (text, number) = split_number(rest)?;
        submit(
            context,
            board,
            player,
            &text,
            number.or(hash_number(&line.fixed[0])?),
        )
    })
}

fn submit(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<Decision, Stop> {
    let (board, position, seat) = to_move(context, board, player)?;
    let (mut board, position) = check_number(board, position, player, text, number)?;
    let mut after = position.game.fork();
    let turns = match read(after.as_mut(), &text.text) {
        Ok(turns) => turns,
        Err(refusal) => return Err(refused(refusal, "submitted", board, position, player, text)),
    };
    let display = context.store.display(player.id, board.game)?;
    let turn = turns.join(",");
    let (name, userid) = (board.name(), &player.userid);
    let mut sentence = format!("{name} after {turn}, {userid}: nothing is played yet.");
    if context.saying().is_some() {
        sentence.push_str(" The text of your mail was sent to nobody: write it again when you confirm.");
    }
    let hint = format!(
        "{}\n\nTo play it, answer this mail with the word confirm alone on the first line, or write as the subject of a \
         mail to {}\n\n  {} confirm {} {userid} PASSWORD",
        state(after.as_ref()),
        context.settings.address,
        board.game.facts.name,
        board.number
    );
    let listing = Listing {
        subject: subject(&board, Some(board.at(seat))),
        sentence,
        table: after.draw(display),
        hint,
        ..Listing::default()
    };
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.into_iter().map(|turn| turn.text).collect();
    record.turns.extend(turns);
    let letter = Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(Content::from(listing).showing(record.to_string()))
    };
    board.submitted(turn);
    Ok(Decision {
        letters: vec![letter.on(board.game, board.number)],
        changes: vec![Change::Board(Box::new(board))],
        proven: Some(player.id),
    })
}

fn run_confirm(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let board = context.board(context.game(line)?, &line.fixed[0])?;
    let player = context.prove(line)?;
    confirm(context, board, &player, &line.fixed[0]).map_err(|stop| stop.proven_by(player.id))
}

fn confirm(context: &Context<'_>, board: Board, player: &Player, number: &Word) -> Result<Decision, Stop> {
    let (board, position, _) = to_move(context, board, player)?;
    // Whatever changes the position clears it, so it was submitted for this one, by the player who is to move.
    let Some(text) = board.submitted.clone() else {
        let sentence = format!(
            "Nothing was played on {}, {}: you have submitted no turn since the board last changed.",
            board.name(),
            player.userid
        );
        return Err(Refused::impossible(sentence).on(board, position).into());
    };
    let turn = Word { text, at: 0..0 };
    play(context, board, player, &turn, hash_number(number)?)
}
