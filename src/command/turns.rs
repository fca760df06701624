//! What `move`, `queue`, `submit` and `confirm` share: a line with a MOVE, whose turn it is, turns being played.

use chrono::{DateTime, Utc};

use crate::games::{Kind, Match, Refusal, Seat};
use crate::table::{Board, Played, Player, Position};

use super::context::hash_number;
use super::play::not_now;
use super::{Context, Decision, Fault, Line, Refused, Stop, Word, hidden, offers};

/// Decides what a line with a MOVE asks for, once its player is proved. The MOVE goes to the other player, into
/// the database and into refusals, so nothing that looks like the password may stand in it.
pub(super) fn with_move(
    context: &Context<'_>,
    line: &Line,
    decide: impl FnOnce(Board, &Player, &Word) -> Result<Decision, Stop>,
) -> Result<Decision, Stop> {
    let game = context.game(line)?;
    let board = context.board(game, &line.fixed[0])?;
    let player = context.prove(line)?;
    let Some(rest) = &line.rest else {
        return Err(Stop::from(Refused::unreadable("The MOVE is missing.")).proven_by(player.id));
    };
    let password = line.password().map_or("", |(_, password)| &password.text);
    let again = || {
        Refused::unreadable("The password stands in the MOVE too, which the other player reads.")
            .pointing_at(rest)
    };
    if hidden::contains(&rest.text, password) {
        return Err(Stop::from(again()).proven_by(player.id));
    }
    let decided = decide(board, &player, rest).map_err(|stop| match stop {
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
pub(super) fn split_number(turn: &Word) -> Result<(Word, Option<usize>), Stop> {
    let Some((text, _)) = turn.text.split_once('#') else {
        return Ok((turn.clone(), None));
    };
    let number = hash_number(turn)?;
    let text = text.trim_end().to_owned();
    Ok((
        Word {
            at: turn.at.start..turn.at.start + text.len(),
            text,
        },
        number,
    ))
}

/// The position of a board on which it is this player's turn.
pub(super) fn to_move(
    context: &Context<'_>,
    board: Board,
    player: &Player,
) -> Result<(Board, Position, Seat), Stop> {
    let position = context.position(&board)?;
    match board.seat_of(player.id) {
        Some(seat) if board.end.is_none() && board.to_move == Some(seat) => Ok((board, position, seat)),
        _ => Err(not_now(board, position, player)),
    }
}

/// Holds a turn to the number that was named with it, if one was.
pub(super) fn check_number(
    board: Board,
    position: Position,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<(Board, Position), Stop> {
    let next = board.seat_of(player.id).map(|seat| position.turns_of(seat) + 1);
    match (number, next) {
        (Some(number), Some(next)) if number != next => {
            let sentence = format!(
                "Your next turn on {} is number {next}, not the one that you named, {}.",
                board.name(),
                player.userid
            );
            Err(Refused::impossible(sentence)
                .about(text)
                .on(board, position)
                .into())
        }
        _ => Ok((board, position)),
    }
}

/// Plays the turn, or the several turns of one player, that this text means.
///
/// # Errors
/// As [`Match::play_all`]; what other games know in the place of a turn is refused with a word about it.
pub(super) fn read(game: &mut dyn Match, text: &str) -> Result<Vec<String>, Refusal> {
    game.play_all(text).map_err(|refusal| {
        let word = text.trim().to_ascii_lowercase();
        let title = game.facts().title;
        let reason = match word.as_str() {
            _ if refusal.kind != Kind::Unreadable => return refusal,
            "pass" => format!("{title} knows no pass: who is to move plays a turn."),
            "swap" => format!("{title} knows no swap: both players keep their sides."),
            "resign" => "resign is no turn: it is a command of its own.".to_owned(),
            other if offers::Word::read(other).is_some() => {
                format!("{other} is no turn: it stands in the place of the turn of a move.")
            }
            _ => return refusal,
        };
        Refusal::unreadable(reason)
    })
}

/// The refusal of a turn on a board: `done` is what it was to be, such as `played`.
pub(super) fn refused(
    refusal: Refusal,
    done: &str,
    board: Board,
    position: Position,
    player: &Player,
    text: &Word,
) -> Stop {
    let refused = Refused::of_turn(refusal, text);
    let (name, userid) = (board.name(), &player.userid);
    let sentence = format!("Not {done} on {name}, {userid}. {}", refused.sentence);
    Refused { sentence, ..refused }.on(board, position).into()
}

/// Turns that are being played on a board, one after the other.
pub(super) struct Course {
    /// The board after the turns.
    pub board: Board,
    /// The position after the last turn.
    pub position: Position,
    on_vacation: [bool; 2],
    now: DateTime<Utc>,
}

impl Course {
    /// From this position on.
    pub(super) fn from(context: &Context<'_>, board: Board, position: Position) -> Result<Self, Fault> {
        Ok(Self {
            on_vacation: context.on_vacation(&board)?,
            board,
            position,
            now: context.now,
        })
    }

    /// Plays what a text means for the player in this seat, who is to move; gives the text of each turn.
    ///
    /// # Errors
    /// As [`read`]; then nothing has changed.
    pub(super) fn play(&mut self, seat: Seat, text: &str) -> Result<Vec<String>, Refusal> {
        let texts = read(self.position.game.as_mut(), text)?;
        let played = texts.iter().map(|text| Played {
            seat,
            text: text.clone(),
            at: self.now,
        });
        self.position.turns.extend(played);
        self.board
            .played(&self.position, texts.len(), self.on_vacation, self.now);
        Ok(texts)
    }
}
