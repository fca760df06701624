//! Helpers for `move`, `queue`, `submit` and `confirm`: whose turn it is, and playing turns.

use chrono::{DateTime, Utc};
use pbmserv_games::{Kind, Match, Refusal, Seat};

use crate::command::reading::turn_text::OfferWord;
use crate::command::{Context, InternalError, Refused, Undecided, UnplayedTurn, Word};
use crate::table::{Board, Played, Player, Position, Presence, word_given};

/// The position and the player's seat, if it is this player's turn.
pub(crate) fn to_move(
    context: &Context<'_>,
    board: Board,
    player: &Player,
) -> Result<(Board, Position, Seat), Undecided> {
    let position = context.position(&board)?;
    match board.seat_of(player.id) {
        Some(seat) if board.end.is_none() && board.to_move == Some(seat) => Ok((board, position, seat)),
        _ => Err(not_now(board, position, player)),
    }
}

/// The same refusal, which offers to queue this text if it is the turn of the other player and the text reads as a turn.
pub(crate) fn offering_queue(stop: Undecided, text: &Word) -> Undecided {
    let Undecided::Refused(refused) = stop else {
        return stop;
    };
    let is_early = refused.board.as_deref().is_some_and(|(board, position)| {
        let is_turn = |refusal: Refusal| refusal.kind != Kind::Unreadable;
        board.to_move.is_some()
            && read(position.game.fork().as_mut(), &text.text).map_or_else(is_turn, |_| true)
    });
    let turn = || text.text.split_whitespace().collect::<Vec<_>>().join(" ");
    Undecided::from(Refused {
        early: is_early.then(turn),
        ..*refused
    })
}

/// Checks the number after a turn (`#n`), if there is one. It must be the player's next turn.
pub(crate) fn check_number(
    board: Board,
    position: Position,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<(Board, Position), Undecided> {
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

/// Plays one turn, or several of the same player, from this text.
///
/// # Errors
/// As [`Match::play_all`]. Words that are turns in other games, such as `pass`, get an explanation.
pub(crate) fn read(game: &mut dyn Match, text: &str) -> Result<Vec<String>, Refusal> {
    game.play_all(text).map_err(|refusal| {
        let word = text.trim().to_ascii_lowercase();
        let title = game.facts().title;
        let reason = match word.as_str() {
            _ if refusal.kind != Kind::Unreadable => return refusal,
            "pass" => format!("{title} has no pass: the player to move must play a turn."),
            "swap" => format!("{title} has no swap: both players keep their sides."),
            "resign" => "resign is a command, not a turn.".to_owned(),
            other if OfferWord::read(other).is_some() => {
                format!("{other} is not a turn of the game: write it alone, instead of a turn.")
            }
            _ => return refusal,
        };
        Refusal::unreadable(reason)
    })
}

/// Whether the player in this seat can play this word as a turn now: in a match of backgammon a game may be offered, and accepted.
pub(crate) fn is_word_of_a_match(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
    word: &str,
) -> Result<bool, InternalError> {
    let may_be = board.game.facts.has_dice && board.end.is_none() && board.to_move == Some(seat);
    Ok(may_be && context.position(board)?.game.read(word).is_ok())
}

/// The refusal of a turn on a board; `what` was not done: `played` or `queued`.
pub(crate) fn refused(
    refusal: Refusal,
    what: &'static str,
    board: Board,
    position: Position,
    player: &Player,
    text: &Word,
) -> Undecided {
    let turn = UnplayedTurn {
        what,
        board: board.name(),
        userid: player.userid.clone(),
    };
    let refused = Refused {
        turn: Some(turn),
        ..Refused::of_turn(refusal, text)
    };
    refused.on(board, position).into()
}

/// A board on which turns are played one after the other.
pub(crate) struct TurnSequence {
    /// The board after the turns.
    pub board: Board,
    /// The position after the last turn.
    pub position: Position,
    presences: [Presence; 2],
    /// Whose only turn is played unasked.
    plays_forced: [bool; 2],
    now: DateTime<Utc>,
}

impl TurnSequence {
    /// Starts from this position.
    pub(crate) fn from(
        context: &Context<'_>,
        board: Board,
        position: Position,
    ) -> Result<Self, InternalError> {
        let mut plays_forced = [false; 2];
        for (seat, wanted) in Seat::BOTH.into_iter().zip(&mut plays_forced) {
            let player = board.at(seat).id;
            *wanted = board.dice.is_some()
                && (player.is_computer() || context.store.preferences(player)?.plays_forced);
        }
        Ok(Self {
            presences: context.presences(&board)?,
            plays_forced,
            board,
            position,
            now: context.now,
        })
    }

    /// The only turn of the player in this seat, if it is played unasked. Before the first dice people are asked, since they may give
    /// a word.
    pub(crate) fn forced(&self, seat: Seat) -> Option<String> {
        let is_asked = self.position.turns.len() < 2 && !self.board.at(seat).id.is_computer();
        if !self.plays_forced[seat.index()] || is_asked {
            return None;
        }
        match self.position.game.turns(2).as_slice() {
            [turn] => Some(turn.clone()),
            _ => None,
        }
    }

    /// Plays a text for the player in this seat, who is to move. Returns the text of each turn.
    ///
    /// # Errors
    /// As [`read`]. Then nothing has changed.
    pub(crate) fn play(&mut self, seat: Seat, text: &str) -> Result<Vec<String>, Refusal> {
        let word = match &self.board.dice {
            Some(_) if self.position.turns.len() < 2 => word_given(text)?,
            _ => None,
        };
        let text = if word.is_some() { "roll" } else { text };
        let texts = read(self.position.game.as_mut(), text)?;
        if let (Some(dice), Some(word)) = (&mut self.board.dice, word) {
            dice.words[seat.index()] = word;
        }
        self.board.roll(self.position.game.as_mut());
        let events = self.board.events.next()..;
        let played = texts.iter().zip(events).map(|(text, event)| Played {
            seat,
            text: text.clone(),
            at: self.now,
            event,
        });
        self.position.turns.extend(played);
        self.board
            .played(&self.position, texts.len(), self.presences, self.now);
        Ok(texts)
    }
}

/// Why this player cannot play on this board now.
pub(crate) fn not_now(board: Board, position: Position, player: &Player) -> Undecided {
    let name = board.name();
    let [first, second] = &board.players;
    if board.seat_of(player.id).is_none() {
        let sentence = format!(
            "{} does not play on {name}: {} and {} do.",
            player.userid, first.userid, second.userid
        );
        return Refused::impossible(sentence).into();
    }
    let sentence = match board.to_move {
        Some(seat) => format!(
            "It is the turn of {} on {name}, not yours, {}.",
            board.at(seat).userid,
            player.userid
        ),
        None => format!("{name} is over, {}.", player.userid),
    };
    Refused {
        board: Some(Box::new((board, position))),
        ..Refused::impossible(sentence)
    }
    .into()
}
