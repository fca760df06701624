//! `move`: a turn on a board.

use crate::games::{By, Ending, Outcome, Seat};
use crate::letters::Saying;
use crate::table::{Board, End, Played, Player, Position};

use super::board::News;
use super::context::hash_number;
use super::ended::ended;
use super::{
    Change, Command, Context, Decision, Line, Place, Refused, Rest, Scope, Stop, Word, hidden, offers, resign,
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
    help: "Plays a turn on a board. The text of the mail goes to the other player with it. GAME help says how a \
           turn is written.\n\n\
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
    let game = context.game(line)?;
    let board = context.board(game, &line.fixed[0])?;
    let player = context.prove(line)?;
    let Some(rest) = &line.rest else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    let password = line.password().map_or("", |(_, password)| &password.text);
    let again = || {
        Refused::unreadable("The password stands in the MOVE too, which the other player reads.")
            .pointing_at(rest)
    };
    if hidden::contains(&rest.text, password) {
        return Err(Stop::from(again()).proven_by(player.id));
    }
    let (text, number) = split_number(rest).map_err(|stop| stop.proven_by(player.id))?;
    let decided = match text.text.to_ascii_lowercase().as_str() {
        "resign" => resign::resign(context, board, &player),
        other if let Some(word) = offers::Word::read(other) => offers::offer(context, board, &player, word),
        _ => play(
            context,
            board,
            &player,
            &text,
            number.or(hash_number(&line.fixed[0])?),
        ),
    };
    let decided = decided.map_err(|stop| match stop {
        // The refusal of a turn quotes it.
        Stop::Refused(refused) if rest.text.split(' ').any(|word| hidden::resembles(word, password)) => {
            Stop::from(Refused {
                board: refused.board,
                ..again()
            })
        }
        other => other,
    });
    decided.map_err(|stop| stop.proven_by(player.id))
}

/// Takes `#n` off the end of a turn.
fn split_number(rest: &Word) -> Result<(Word, Option<usize>), Stop> {
    let Some((turn, _)) = rest.text.split_once('#') else {
        return Ok((rest.clone(), None));
    };
    let number = hash_number(rest)?;
    let text = turn.trim_end().to_owned();
    Ok((
        Word {
            at: rest.at.start..rest.at.start + text.len(),
            text,
        },
        number,
    ))
}

fn play(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<Decision, Stop> {
    let mut position = context.position(&board)?;
    let seat = match board.seat_of(player.id) {
        Some(seat) if board.end.is_none() && board.to_move == Some(seat) => seat,
        _ => return Err(not_now(board, position, player)),
    };
    let next = position.turns_of(seat) + 1;
    if number.is_some_and(|number| number != next) {
        let sentence = format!(
            "Your next turn on {} is number {next}, not the one that you named, {}.",
            board.name(),
            player.userid
        );
        let refused = Refused::impossible(sentence).about(text);
        return Err(Refused {
            board: Some(Box::new((board, position))),
            ..refused
        }
        .into());
    }
    let texts = match position.game.play_all(&text.text) {
        Ok(texts) => texts,
        Err(refusal) => {
            let refused = Refused::of_turn(refusal, text);
            let sentence = format!(
                "Not played on {}, {}. {}",
                board.name(),
                player.userid,
                refused.sentence
            );
            return Err(Refused {
                board: Some(Box::new((board, position))),
                sentence,
                ..refused
            }
            .into());
        }
    };
    let played: Vec<_> = texts
        .iter()
        .map(|text| Played {
            seat,
            text: text.clone(),
            at: context.now,
        })
        .collect();
    position.turns.extend(played.iter().cloned());
    let end = position.outcome().map(|outcome| {
        End::Finished(Ending {
            outcome,
            by: By::Rules,
        })
    });
    let after = Board {
        turns: board.turns + u32::try_from(played.len()).unwrap_or_default(),
        second_has_moved: board.second_has_moved || seat == Seat::Second,
        to_move: position.to_move(),
        end,
        offer: None,
        moved_at: context.now,
        clock: board.clock.turned(seat, context.now),
        ended_at: end.map(|_| context.now),
        ..board
    };
    // Of several actions of one turn all but the last leave the player to move.
    let last = played.len().saturating_sub(1);
    let turn = |(index, played)| Change::Turn {
        board: after.id,
        ordinal: board.turns + 1 + u32::try_from(index).unwrap_or_default(),
        played,
        to_move: if index == last { after.to_move } else { Some(seat) },
    };
    let mut changes: Vec<_> = played.into_iter().enumerate().map(turn).collect();
    let outcome = match position.outcome() {
        Some(Outcome::Won(winner)) if winner == seat => " and has won".to_owned(),
        Some(Outcome::Won(winner)) => format!(", and {} has won", after.at(winner).userid),
        Some(Outcome::Drawn) => ", and the game is a draw".to_owned(),
        None => String::new(),
    };
    let mut sentence = format!(
        "{} played {} on {}{outcome}.",
        player.userid,
        texts.join(","),
        after.name()
    );
    if let Some(end) = end {
        let ended = ended(context.store, &after, end, context.now)?;
        sentence = ended.told(sentence);
        changes.extend(ended.changes);
    }
    let news = News {
        board: &after,
        position: &position,
        sentence,
        saying: context.saying().map(|text| Saying {
            by: player.userid.clone(),
            text,
        }),
    };
    let letters = news.to_both(context, Some(player.id))?;
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
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
