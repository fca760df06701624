//! `queue`: turns that are played when it becomes one's turn, if they are legal then.
//!
//! Nobody but their owner learns of them before they are played. Who is to move has none: they are played or
//! dropped in the decision that makes it that player's turn.

use crate::games::{Kind, Seat};
use crate::table::{Board, Player, Position, Seated};

use super::board::News;
use super::context::hash_number;
use super::play::not_now;
use super::turns::{Course, check_number, read, refused, split_number, with_move};
use super::{
    Addressee, Change, Command, Context, Decision, Fault, Letter, Line, Place, Refused, Rest, Scope, Stop,
    Word,
};

pub(super) static QUEUE: Command = Command {
    verb: "queue",
    aliases: &[],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Text("MOVE"),
    takes_game_options: false,
    options: &[],
    syntax: "GAME queue board userid password MOVE [then MOVE...] | off",
    summary: "keeps a turn for when it is yours, if it is legal then",
    help: "Keeps a turn and plays it as soon as it is your turn, if it is legal then. If it is not, nothing is \
           played, all that you have queued is dropped, and you are told why.\n\n\
           Up to ten turns may be queued with the word then between them: one is played each time that it is your \
           turn. What you queue takes the place of all that you had queued before; off in the place of the turn \
           drops it. It is dropped too when the game ends and when a turn is taken back. When it is your turn \
           already, play with move.\n\n\
           Nobody else sees what you have queued; your own mails about the board show it. No text goes to the \
           other player with a queued turn. With #n after a turn it is played only as your turn number n.\n\n\
           In an answer to a board's mail: queue and the turn, alone on the first line.",
    examples: &[
        "GAME queue 101 alice secret1 MOVE",
        "GAME queue 101 alice secret1 MOVE then MOVE",
        "GAME queue 101 alice secret1 off",
    ],
    run,
};

/// The most turns that are queued on a board.
const MOST_TURNS: usize = 10;

/// Words in the place of the turn that drop what is queued.
const OFF: [&str; 3] = ["off", "none", "nothing"];

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    with_move(context, line, |board, player, rest| {
        queue(context, board, player, rest, hash_number(&line.fixed[0])?)
    })
}

fn queue(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    rest: &Word,
    number: Option<usize>,
) -> Result<Decision, Stop> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let (name, userid) = (board.name(), &player.userid);
    let (mut board, position, turns) = if OFF.iter().any(|off| off.eq_ignore_ascii_case(rest.text.trim())) {
        if board.queue_of(seat).is_empty() {
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
        format!("{userid} has queued {} on {name}.", turns.join(", then "))
    };
    if context.saying().is_some() {
        sentence.push_str(" The text of your mail was sent to nobody: chat does that.");
    }
    board.queued(seat, turns);
    let news = News {
        board: &board,
        position: &position,
        sentence,
        saying: None,
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

/// The turns in a text, each of which can be read as one of this game; whether they are legal is not known yet.
fn understood(
    board: Board,
    position: Position,
    player: &Player,
    rest: &Word,
    number: Option<usize>,
) -> Result<(Board, Position, Vec<String>), Stop> {
    let words = split(rest);
    let Some(first) = words.first() else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    if let Some(surplus) = words.get(MOST_TURNS) {
        let sentence = format!("At most {MOST_TURNS} turns are queued on a board.");
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
    // The first is the next turn of this player, whatever happens before; for those after it, it is seen then.
    let (text, own) = split_number(first)?;
    let (board, position) = check_number(board, position, player, &text, own.or(number))?;
    Ok((board, position, turns))
}

/// The turns of a text, with `then` or a semicolon between them.
pub(super) fn split(rest: &Word) -> Vec<Word> {
    let lower = rest.text.to_ascii_lowercase();
    let (mut words, mut from) = (Vec::new(), 0);
    loop {
        let found = [";", " then "].map(|sign| {
            lower[from..]
                .find(sign)
                .map(|at| (from + at, from + at + sign.len()))
        });
        let next = found.into_iter().flatten().min();
        let piece = &rest.text[from..next.map_or(lower.len(), |(end, _)| end)];
        let start = rest.at.start + from + piece.len() - piece.trim_start().len();
        // "m13-m5, then m1-m7"
        let ends: &[char] = if next.is_some() { &[',', ' '] } else { &[' '] };
        let text = piece.trim().trim_end_matches(ends).to_owned();
        if !text.is_empty() {
            words.push(Word {
                at: start..start + text.len(),
                text,
            });
        }
        match next {
            Some((_, after)) => from = after,
            None => return words,
        }
    }
}

/// What became of the turns that a player had queued, when it became that player's turn.
pub(super) struct Fired {
    /// Those that were played, in order.
    pub played: Vec<String>,
    /// Why the next one was not played and all are dropped, in sentences for their owner alone.
    pub failed: Option<String>,
}

/// Plays what the player in this seat has queued, as long as it is that player's turn; `None` if it is not, or
/// nothing is queued. Each turn is taken from the queue, so that this ends.
pub(super) fn fire(course: &mut Course, seat: Seat) -> Option<Fired> {
    if course.board.to_move != Some(seat) || course.board.queue_of(seat).is_empty() {
        return None;
    }
    let (mut played, mut failed) = (Vec::new(), None);
    while course.board.to_move == Some(seat)
        && let Some(turn) = course.board.unqueued(seat)
    {
        match attempt(course, seat, &turn) {
            Ok(texts) => played.push(texts.join(",")),
            Err(reason) => {
                let more = match course.board.queue_of(seat) {
                    [] => "",
                    _ => " What you had queued after it is dropped.",
                };
                let owner = &course.board.at(seat).userid;
                failed = Some(format!(
                    "{owner}, your queued {turn} was not played. {reason}{more}"
                ));
                course.board.queued(seat, Vec::new());
            }
        }
    }
    Some(Fired { played, failed })
}

/// Plays one queued turn, or says why not.
fn attempt(course: &mut Course, seat: Seat, turn: &str) -> Result<Vec<String>, String> {
    let (text, number) = turn.split_once('#').map_or((turn, None), |(text, number)| {
        (text, number.trim().parse::<usize>().ok())
    });
    let next = course.position.turns_of(seat) + 1;
    if number.is_some_and(|number| number != next) {
        return Err(format!("Your next turn is number {next}."));
    }
    course.play(seat, text).map_err(|refusal| refusal.reason)
}

/// What a mail about a board tells its reader of the turns that they have queued, behind whose turn it is: nothing if
/// the mail might be read by another.
pub(super) fn note(
    context: &Context<'_>,
    board: &Board,
    to: &Addressee,
    reader: Option<&Seated>,
) -> Result<String, Fault> {
    let Some((reader, seat)) = reader.and_then(|reader| Some((reader, board.seat_of(reader.id)?))) else {
        return Ok(String::new());
    };
    let note = match (board.queue_of(seat), board.dropped_of(seat)) {
        ([], []) => return Ok(String::new()),
        ([], dropped) => format!(" What you had queued is dropped: {}.", dropped.join(", then ")),
        (waiting, _) => format!(
            " You have queued {}; nobody else sees that.",
            waiting.join(", then ")
        ),
    };
    Ok(match is_private(context, board, to, reader)? {
        true => note,
        false => String::new(),
    })
}

/// Whether a letter goes to addresses of this player only. Of an envelope sender, who need not be the writer that
/// the header names, that is known if it is a confirmed address of this player and not of the other one.
fn is_private(context: &Context<'_>, board: &Board, to: &Addressee, reader: &Seated) -> Result<bool, Fault> {
    let sender = match (to, &context.sender.envelope) {
        (Addressee::Player(player), _) => return Ok(*player == reader.id),
        (Addressee::Sender, Some(sender)) => sender,
        _ => return Ok(false),
    };
    let rows = context.store.address_rows(sender)?;
    let mut here = rows
        .iter()
        .filter(|row| row.confirmed_at.is_some())
        .filter_map(|row| board.seat_of(row.player));
    let own = board.seat_of(reader.id);
    let first = here.next();
    Ok(first.is_some() && first == own && here.all(|seat| Some(seat) == own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_apart_by_then_or_a_semicolon_and_keep_their_places() {
        let pieces = |text: &str| {
            let rest = Word {
                text: text.to_owned(),
                at: 10..10 + text.len(),
            };
            let words = split(&rest);
            for word in &words {
                assert_eq!(text[word.at.start - 10..word.at.end - 10], word.text, "{text}");
            }
            words.into_iter().map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(pieces("m13-m5"), ["m13-m5"]);
        assert_eq!(pieces("m13-m5, then m1 - m7"), ["m13-m5", "m1 - m7"]);
        assert_eq!(pieces("q9,t8 THEN pass;a1 ; b2;"), ["q9,t8", "pass", "a1", "b2"]);
        assert_eq!(pieces("c3,"), ["c3,"]);
        assert_eq!(pieces("m13-m5 then"), ["m13-m5 then"]);
        assert_eq!(pieces("\u{e4} then \u{e4};\u{e4}"), ["\u{e4}"; 3]);
        assert!(pieces(" ; ;").is_empty());
    }
}
