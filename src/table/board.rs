//! A board and everything that can happen on it.
//!
//! Each transition holds one rule: who is to move afterwards, what becomes of the offer, the queue and the clock. It
//! changes the board in memory and notes in [`Unsaved`] what changes outside the board's row. A transition cannot fail:
//! whether it is allowed is decided before.

use chrono::{DateTime, TimeDelta, Utc};

use crate::games::{Ending, Game, Options, Seat};

use super::{BoardId, Clock, Played, PlayerId, Position, Seated, Terms, Unreplayable};

/// What one player asks of the other beside the turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// To end the game as a draw.
    Draw,
    /// To take back the last turn.
    Undo,
}

impl Offer {
    /// In a sentence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "offer of a draw",
            Self::Undo => "wish to take a turn back",
        }
    }
}

/// How a board came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The game was finished.
    Finished(Ending),
    /// The board was taken away before both had moved: a declined challenge, for example. Never rated.
    Removed,
    /// A director has ended it so that it counts for nobody: no winner, never rated.
    Void,
}

/// What two players have agreed on before their board begins.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// The game.
    pub game: &'static Game,
    /// Its number, which no other board of the game has.
    pub number: u32,
    /// Its options.
    pub options: Options,
    /// The first and the second player.
    pub players: [Seated; 2],
    /// The terms.
    pub terms: Terms,
}

/// One board, without its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// The number of the row; 0 before there is one.
    pub id: BoardId,
    /// The game played on it.
    pub game: &'static Game,
    /// The number by which players know it, from 101 in each game.
    pub number: u32,
    /// The game's options.
    pub options: Options,
    /// The first and the second player.
    pub players: [Seated; 2],
    /// The terms.
    pub terms: Terms,
    /// How many turns have been played.
    pub turns: u32,
    /// Whether the second player has played one.
    pub second_has_moved: bool,
    /// Whose turn it is; `None` when the board is over.
    pub to_move: Option<Seat>,
    /// How it ended; `None` while it runs.
    pub end: Option<End>,
    /// What is offered and by whom; the other has not answered yet.
    pub offer: Option<(Offer, Seat)>,
    /// The turns that a player has queued, in order, and who that is. The player to move has none.
    pub queue: Option<(Seat, Vec<String>)>,
    /// The turn that was shown to the player to move, who has not confirmed it yet.
    pub submitted: Option<String>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Since when the player to move is to move.
    pub moved_at: DateTime<Utc>,
    /// How long the players have thought.
    pub clock: Clock,
    /// When its clock is looked at next; `None`: never, until something changes.
    pub due_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// What has happened since it was read.
    pub(crate) unsaved: Unsaved,
}

/// What the transitions of a board change outside its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unsaved {
    /// The turns played, the last ones of the board.
    pub(crate) played: Vec<Played>,
    /// Whether stored turns were taken back.
    pub(crate) is_taken_back: bool,
    /// Whether another player sits at it.
    pub(crate) is_reseated: bool,
    /// Which warnings to its players hold no more.
    pub(crate) stale: Option<Stale>,
    /// What was queued when a turn was taken back or the game ended; its owner is told.
    pub(crate) dropped: Option<(Seat, Vec<String>)>,
}

/// Which warnings that a player's time ends hold no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// Those about the time of one turn.
    Turn,
    /// All.
    All,
}

/// What is known of a board.
impl Board {
    /// `Pow2 Board 101`, as sentences and subjects name it.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} Board {}", self.game.facts.name, self.number)
    }

    /// Replays the first `count` of its turns, all of them if there are fewer.
    ///
    /// # Errors
    /// [`Unreplayable`] if a stored turn is not legal.
    pub fn replay(&self, mut turns: Vec<Played>, count: usize) -> Result<Position, Unreplayable> {
        let unreplayable = |ordinal, refusal| Unreplayable {
            board: self.name(),
            ordinal,
            refusal,
        };
        turns.truncate(count);
        let mut game = self
            .game
            .start(&self.options)
            .map_err(|refusal| unreplayable(0, refusal))?;
        for (index, turn) in turns.iter().enumerate() {
            game.play(&turn.text)
                .map_err(|refusal| unreplayable(index + 1, refusal))?;
        }
        Ok(Position { game, turns })
    }

    /// Where this player sits, if at this board.
    #[must_use]
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.players[seat.index()].id == player)
    }

    /// Whether this player is to move.
    #[must_use]
    pub fn is_turn_of(&self, player: PlayerId) -> bool {
        self.to_move.is_some_and(|seat| self.at(seat).id == player)
    }

    /// Whether the player in this seat has played a turn: until then resigning declines.
    #[must_use]
    pub const fn has_moved(&self, seat: Seat) -> bool {
        match seat {
            Seat::First => self.turns >= 1,
            Seat::Second => self.second_has_moved,
        }
    }

    /// Who sits in this seat.
    #[must_use]
    pub const fn at(&self, seat: Seat) -> &Seated {
        &self.players[seat.index()]
    }

    /// The turns that the player in this seat has queued.
    #[must_use]
    pub fn queue_of(&self, seat: Seat) -> &[String] {
        of(self.queue.as_ref(), seat)
    }

    /// The turns of the player in this seat that the transitions since the board was read have dropped.
    pub(crate) fn dropped_of(&self, seat: Seat) -> &[String] {
        of(self.unsaved.dropped.as_ref(), seat)
    }
}

fn of(queue: Option<&(Seat, Vec<String>)>, seat: Seat) -> &[String] {
    queue
        .filter(|(by, _)| *by == seat)
        .map_or(&[], |(_, turns)| turns)
}

/// What happens on a board. `on_vacation` says of each seat whether its player is on vacation: then the clock stands
/// still while that player is to move.
impl Board {
    /// A board that begins: the first player to move begins to think.
    #[must_use]
    pub fn begun(new: NewBoard, to_move: Option<Seat>, on_vacation: [bool; 2], now: DateTime<Utc>) -> Self {
        let NewBoard {
            game,
            number,
            options,
            players,
            terms,
        } = new;
        let mut board = Self {
            id: BoardId(0),
            game,
            number,
            options,
            players,
            terms,
            turns: 0,
            second_has_moved: false,
            to_move,
            end: None,
            offer: None,
            queue: None,
            submitted: None,
            started_at: now,
            moved_at: now,
            clock: Clock::started(now),
            due_at: None,
            ended_at: None,
            unsaved: Unsaved::default(),
        };
        board.think(board.clock, on_vacation, now);
        board
    }

    /// The last `count` turns of this position were played, all by one player.
    ///
    /// Their time counts for that player alone, and the next thinking begins. What was offered before is answered by
    /// playing on, and what was submitted was for the position before. What the other player has queued stays. If the
    /// rules say that the game is over, the board ends.
    pub fn played(&mut self, position: &Position, count: usize, on_vacation: [bool; 2], now: DateTime<Utc>) {
        let turns = &position.turns;
        let played = &turns[turns.len().saturating_sub(count)..];
        let Some(last) = played.last() else { return };
        self.unsaved.played.extend_from_slice(played);
        let clock = self.clock.turned(last.seat, now);
        self.stand(position);
        self.think(clock, on_vacation, now);
        if let Some(outcome) = position.outcome() {
            self.ended(End::Finished(Ending::by_rules(outcome)), now);
        }
    }

    /// The last turn was taken back, which has led to this position.
    ///
    /// The player who would have answered it has thought until now. Nothing that was offered, queued or submitted
    /// outlives the position that it was meant for.
    pub fn taken_back(&mut self, position: &Position, on_vacation: [bool; 2], now: DateTime<Utc>) {
        if self.unsaved.played.pop().is_none() {
            self.unsaved.is_taken_back = true;
        }
        let clock = match self.to_move {
            Some(seat) => self.clock.turned(seat, now),
            None => self.clock,
        };
        self.stand(position);
        self.drop_queue();
        self.think(clock, on_vacation, now);
    }

    /// This is offered, or no longer.
    pub const fn offered(&mut self, offer: Option<(Offer, Seat)>) {
        self.offer = offer;
    }

    /// The player in this seat has queued these turns in the place of all before; none: nothing is queued.
    pub fn queued(&mut self, seat: Seat, turns: Vec<String>) {
        self.queue = (!turns.is_empty()).then_some((seat, turns));
    }

    /// The next turn that the player in this seat has queued is taken from the queue.
    pub fn unqueued(&mut self, seat: Seat) -> Option<String> {
        let (by, mut turns) = self.queue.take_if(|(by, _)| *by == seat)?;
        let next = (!turns.is_empty()).then(|| turns.remove(0));
        self.queued(by, turns);
        next
    }

    /// A turn was shown to the player to move, in the place of one before: it is played if they confirm it.
    pub fn submitted(&mut self, turn: String) {
        self.submitted = Some(turn);
    }

    /// The board is over: nobody is to move, and nothing that was offered, queued or submitted is left. The time of
    /// the last turn counts for nobody. A board ends once.
    pub fn ended(&mut self, end: End, now: DateTime<Utc>) {
        self.to_move = None;
        self.end = Some(end);
        self.ended_at = Some(now);
        self.offer = None;
        self.submitted = None;
        self.drop_queue();
        self.set_clock(Clock {
            since: None,
            ..self.clock
        });
        self.unsaved.stale = Some(Stale::All);
    }

    /// Another player sits in this seat.
    ///
    /// What the player before has thought is forgotten, and so is what that player has queued or submitted. What was
    /// offered was an agreement with the player before.
    pub fn reseated(&mut self, seat: Seat, player: Seated, on_vacation: bool, now: DateTime<Utc>) {
        let clock = self.clock.reseated(seat, self.to_move, now);
        self.players[seat.index()] = player;
        self.offer = None;
        self.queue.take_if(|(by, _)| *by == seat);
        if self.to_move == Some(seat) {
            self.submitted = None;
            self.moved_at = now;
        }
        let is_stopped = self.to_move == Some(seat) && on_vacation;
        self.set_clock(if is_stopped { clock.stopped(now) } else { clock });
        self.unsaved.is_reseated = true;
        self.unsaved.stale = Some(Stale::All);
    }

    /// The player to move has at least this much time from now on; `false` if that is so already, or the terms never
    /// give so much. What the players were warned of before holds no more.
    #[must_use]
    pub fn extended(&mut self, left: TimeDelta, now: DateTime<Utc>) -> bool {
        let seat = self.to_move;
        let Some(clock) = seat.and_then(|seat| self.clock.extended(&self.terms, seat, left, now)) else {
            return false;
        };
        self.set_clock(clock);
        self.unsaved.stale = Some(Stale::All);
        true
    }

    /// The player to move was reminded.
    pub fn reminded(&mut self, now: DateTime<Utc>) {
        self.set_clock(Clock {
            reminded: Some(self.clock.thinking(now)),
            ..self.clock
        });
    }

    /// The player to move is on vacation from now on: the clock stands still.
    pub fn vacation_begun(&mut self, now: DateTime<Utc>) {
        self.set_clock(self.clock.stopped(now));
    }

    /// The vacation of the player to move is over: the clock goes on from where it stood.
    pub fn vacation_over(&mut self, now: DateTime<Utc>) {
        self.set_clock(self.clock.resumed(now));
    }

    /// Who is to move, and who has moved, as this position says. An offer and a submitted turn were for another one.
    fn stand(&mut self, position: &Position) {
        self.turns = u32::try_from(position.turns.len()).unwrap_or(u32::MAX);
        self.second_has_moved = position.turns_of(Seat::Second) > 0;
        self.to_move = position.to_move();
        self.offer = None;
        self.submitted = None;
    }

    /// The player to move begins to think, on this clock. A warning about the turn before holds no more.
    fn think(&mut self, clock: Clock, on_vacation: [bool; 2], now: DateTime<Utc>) {
        let is_stopped = self.to_move.is_some_and(|seat| on_vacation[seat.index()]);
        self.moved_at = now;
        self.set_clock(if is_stopped { clock.stopped(now) } else { clock });
        self.unsaved.stale = self.unsaved.stale.or(Some(Stale::Turn));
    }

    fn drop_queue(&mut self) {
        if let Some(queue) = self.queue.take() {
            self.unsaved.dropped = Some(queue);
        }
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
        self.due_at = self.to_move.and_then(|seat| clock.due_at(&self.terms, seat));
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
