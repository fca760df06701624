//! `move`: plays a turn.

use pbmserv_games::Seat;

use crate::command::playing::offers::offer;
use crate::command::playing::play::play;
use crate::command::playing::turns::is_word_of_a_match;
use crate::command::reading::plan::split_plan;
use crate::command::reading::turn_text::{OfferWord, hash_number, split_number};
use crate::command::verbs::resign::{RESIGN, resign};
use crate::command::{
    About, AnswerWord, Argument, Command, Context, Decision, InAnswer, Line, Run, Scope, Trailing, Undecided,
    Word,
};
use crate::table::{self, Board, Player};

pub(crate) static MOVE: Command = Command {
    verb: "move",
    aliases: &["board", "mvoe"],
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    trailing: Trailing::Text("MOVE"),
    syntax: "GAME move board userid password MOVE[#n]",
    summary: "plays a turn",
    help: "Plays a turn on a board. The text of the mail goes to the other player and to those who watch. GAME \
           help says how a turn is written.\n\n\
           If #n follows the turn, it is played only as your turn number n. So a mail that is late or arrives \
           twice does no harm. In an answer to a mail about the board you do not need it: a turn is played only if \
           the board is as that mail shows it.\n\n\
           What you would answer can follow the turn: MOVE; if MOVE then MOVE (see help plan).\n\n\
           Instead of a turn you can write resign (gives the game up), propose (offers a draw, if the game has \
           draws), undo (asks the other player to take your last turn back), pause (asks \
           the other player that both clocks stand still), resume (ends that), accept or reject (answers what the \
           other player has offered or asked). GAME undo 101 alice fig7elk says the same as GAME move 101 alice \
           fig7elk undo.\n\n\
           The subject of each mail about a board is the beginning of this command. Add your password and your \
           turn to it.",
    examples: &[
        "GAME move 101 alice fig7elk MOVE",
        "GAME Board 101 alice fig7elk MOVE#1",
    ],
    in_answer: InAnswer::Turn,
    answer_words: &[
        AnswerWord {
            word: "accept",
            rank: 1,
            note: |board, seat| asked(board, seat).map(|_| String::new()),
        },
        AnswerWord {
            word: "reject",
            rank: 2,
            note: |board, seat| asked(board, seat).map(|offer| format!(" (the {})", offer.name())),
        },
        AnswerWord {
            word: "propose",
            rank: 7,
            note: |board, _| {
                let is_known = board.game.facts.knows_draws && board.end.is_none();
                is_known.then(|| " (a draw)".to_owned())
            },
        },
        AnswerWord {
            word: "resume",
            rank: 3,
            note: |board, _| board.paused_until.map(|_| " (ends the pause)".to_owned()),
        },
        AnswerWord {
            word: "undo",
            rank: 8,
            note: |board, _| {
                let note = match board.computer() {
                    Some(_) => " (takes your last turn back, once a game)",
                    None => " (asks to take your last turn back)",
                };
                board.end.is_none().then(|| note.to_owned())
            },
        },
    ],
    about: |board, seat, text| match OfferWord::read(text) {
        // In a match of backgammon a game may be given up, and then they are turns.
        Some(OfferWord::Accept | OfferWord::Reject)
            if board.game.facts.has_dice && asked(board, Some(seat)).is_none() =>
        {
            About::Position
        }
        Some(OfferWord::Accept | OfferWord::Reject) => About::Offer,
        Some(OfferWord::Undo) => About::Course,
        // What a pause is about stays the same, whatever was played since.
        Some(OfferWord::Pause | OfferWord::Resume) => About::Nothing,
        Some(OfferWord::Propose) => About::Position,
        None if text.eq_ignore_ascii_case("resign") => (RESIGN.about)(board, seat, text),
        None => About::Position,
    },
    run: Run::WithTurns(run),
    ..Command::USUAL
};

/// The open offer to the player in this seat.
fn asked(board: &Board, seat: Option<Seat>) -> Option<table::Offer> {
    board
        .offer
        .filter(|(_, by)| Some(*by) != seat)
        .map(|(offer, _)| offer)
}

/// Whether this answer to an offer is a turn of the game now, and nothing else is to be answered.
fn is_turn(context: &Context<'_>, board: &Board, player: &Player, word: &str) -> Result<bool, Undecided> {
    match board.seat_of(player.id) {
        Some(seat) if asked(board, Some(seat)).is_none() => {
            Ok(is_word_of_a_match(context, board, seat, word)?)
        }
        _ => Ok(false),
    }
}

fn run(
    context: &Context<'_>,
    line: &Line,
    board: Board,
    player: &Player,
    turns: &Word,
) -> Result<Decision, Undecided> {
    let (turn, plan) = split_plan(turns);
    let (text, number) = split_number(&turn)?;
    match text.text.to_ascii_lowercase().as_str() {
        "resign" => resign(context, board, player),
        other
            if let Some(word) = OfferWord::read(other)
                && !is_turn(context, &board, player, other)? =>
        {
            offer(context, board, player, word)
        }
        _ => {
            let number = number.or(hash_number(&line.fixed[0])?);
            play(context, board, player, &text, number, plan)
        }
    }
}
