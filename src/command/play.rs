//! `move`: a turn on a board.

use crate::games::{Outcome, Seat};
use crate::letters::Saying;
use crate::table::{Board, End, Player, PlayerId, Position};

use super::board::News;
use super::context::hash_number;
use super::ended::{Ended, ended};
use super::queue::Fired;
use super::turns::{Course, check_number, refused, split_number, to_move, with_move};
use super::{
    Addressee, Command, Context, Decision, Fault, Letter, Line, Place, Refused, Rest, Scope, Stop, Word,
    offers, queue, resign,
};

pub(super) static MOVE: Command = Command {
    verb: "move",
    aliases: &["board", "mvoe"],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Text("MOVE"),
    takes_game_options: false,
    options: &[],
    syntax: "GAME move board userid password MOVE[#n]",
    summary: "plays a turn",
    help: "Plays a turn on a board. The text of the mail goes to the other player and to those who watch. GAME help \
           says how a turn is written.\n\n\
           With #n after it the turn is played only if it is your turn number n: so a mail that is late or \
           arrives twice does no harm.\n\n\
           In the place of the turn may stand resign (gives the game up), propose (offers a draw, in games that \
           know one), undo (asks the other player to take your last turn back), accept and reject (what the other \
           player has asked).\n\n\
           The subject of each mail about a board is the beginning of this command: add your password and the \
           turn.",
    examples: &[
        "GAME move 101 alice secret1 MOVE",
        "GAME Board 101 alice secret1 MOVE#1",
    ],
    run,
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    with_move(context, line, |board, player, rest| {
        let (text, number) = split_number(rest)?;
        match text.text.to_ascii_lowercase().as_str() {
            "resign" => resign::resign(context, board, player),
            other if let Some(word) = offers::Word::read(other) => {
                offers::offer(context, board, player, word)
            }
            _ => play(
                context,
                board,
                player,
                &text,
                number.or(hash_number(&line.fixed[0])?),
            ),
        }
    })
}

/// Plays a turn, and what the other player had queued for the turn after it.
pub(super) fn play(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<Decision, Stop> {
    let saying = context.saying().map(|text| Saying {
        by: player.userid.clone(),
        text,
    });
    let beside = Beside {
        saying,
        writer: Some(player.id),
    };
    play_with(context, board, player, text, number, &beside)
}

/// What goes with a turn.
pub(super) struct Beside {
    /// Words for all who are told of it.
    pub saying: Option<Saying>,
    /// Who wrote the message at hand, if a player did.
    pub writer: Option<PlayerId>,
}

/// The same, with this beside it.
pub(super) fn play_with(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
    beside: &Beside,
) -> Result<Decision, Stop> {
    let (board, position, seat) = to_move(context, board, player)?;
    let (board, position) = check_number(board, position, player, text, number)?;
    let mut course = Course::from(context, board, position)?;
    let texts = match course.play(seat, &text.text) {
        Ok(texts) => texts,
        Err(refusal) => {
            let Course { board, position, .. } = course;
            return Err(refused(refusal, "played", board, position, player, text));
        }
    };
    let fired = queue::fire(&mut course, seat.other());
    let ended = ended(context.store, &course.board, context.now)?;
    let letters = letters(
        context,
        &course,
        seat,
        &texts.join(","),
        fired.as_ref(),
        &ended,
        beside,
    )?;
    Ok(Decision {
        changes: ended.changes(course.board),
        letters,
        proven: beside.writer,
    })
}

/// What both players are told of a turn of the one in this seat, and of what the other had queued.
fn letters(
    context: &Context<'_>,
    course: &Course,
    seat: Seat,
    turn: &str,
    fired: Option<&Fired>,
    ended: &Ended,
    beside: &Beside,
) -> Result<Vec<Letter>, Fault> {
    let board = &course.board;
    let news = |sentence: String| News {
        board,
        position: &course.position,
        sentence: ended.told(sentence),
        saying: beside.saying.clone(),
    };
    let answered = fired.map_or(&[][..], |fired| &fired.played);
    let sentence = sentence(board, seat, turn, answered);
    let mut letters = news(sentence.clone()).to_all(context, beside.writer)?;
    if let Some(failed) = fired.and_then(|fired| fired.failed.as_ref()) {
        // What failed is told to the owner alone.
        let owner = board.at(seat.other());
        let to = Addressee::Player(owner.id);
        let own = news(format!("{sentence} {failed}")).to(context, to.clone(), Some(owner))?;
        if let Some(letter) = letters.iter_mut().find(|letter| letter.to == to) {
            *letter = own;
        }
    }
    Ok(letters)
}

/// What happened: the turn of the player in this seat, and those that the other had queued.
fn sentence(board: &Board, seat: Seat, turn: &str, answered: &[String]) -> String {
    let (player, other) = (&board.at(seat).userid, &board.at(seat.other()).userid);
    let name = board.name();
    let won = |winner: Seat| &board.at(winner).userid;
    let outcome = board.end.and_then(|end| match end {
        End::Finished(ending) => Some(ending.outcome),
        End::Removed | End::Void => None,
    });
    if answered.is_empty() {
        let outcome = match outcome {
            Some(Outcome::Won(winner)) if winner == seat => " and has won".to_owned(),
            Some(Outcome::Won(winner)) => format!(", and {} has won", won(winner)),
            Some(Outcome::Drawn) => ", and the game is a draw".to_owned(),
            None => String::new(),
        };
        return format!("{player} played {turn} on {name}{outcome}.");
    }
    let outcome = match outcome {
        Some(Outcome::Won(winner)) => format!(": {} has won", won(winner)),
        Some(Outcome::Drawn) => ": the game is a draw".to_owned(),
        None => String::new(),
    };
    let were = if answered.len() == 1 { "was" } else { "were" };
    let queued = answered.join(" and ");
    format!("{player} played {turn} on {name}, and {other}'s queued {queued} {were} played{outcome}.")
}

/// Why this player cannot play on this board now.
pub(super) fn not_now(board: Board, position: Position, player: &Player) -> Stop {
    let name = board.name();
    let [first, second] = &board.players;
    let sentence = match (board.seat_of(player.id), board.to_move) {
        (None, _) => format!(
            "{} does not play on {name}: {} and {} do.",
            player.userid, first.userid, second.userid
        ),
        (Some(_), Some(seat)) => {
            format!(
                "It is the turn of {} on {name}, not yours, {}.",
                board.at(seat).userid,
                player.userid
            )
        }
        (Some(_), None) => format!("{name} is over, {}.", player.userid),
    };
    Refused {
        board: Some(Box::new((board, position))),
        ..Refused::impossible(sentence)
    }
    .into()
}
