//! A board and every event that can happen on it.
//!
//! Each event is a transition that applies one rule: who moves next, and what becomes of the offer, the plan and the
//! clock. It changes the board in memory, and collects in [`Unsaved`] the changes outside the board's row. A transition
//! cannot fail, because the caller has checked that it is allowed.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::{Ending, Game, Match, Options, Seat};

use super::{
    BoardId, BoardLetter, Clock, Dice, Events, Plan, Played, PlayerId, Position, Presence, Seated, Terms,
    TurnsPlayed, Unreplayable, is_erased,
};

/// An offer from one player to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// To agree on a draw.
    Draw,
    /// To take the last turn back.
    Undo,
    /// To let both clocks stand still.
    Pause,
    /// On a finished board: to begin the same game with the seats exchanged.
    Rematch,
}

impl Offer {
    /// As a clause for sentences.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "offer of a draw",
            Self::Undo => "wish to take a turn back",
            Self::Pause => "wish for a pause",
            Self::Rematch => "offer of a rematch",
        }
    }
}

/// How a board ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A finished game.
    Finished(Ending),
    /// Removed before both had moved, for example a declined challenge, by the player in this seat or for want of their turn.
    /// Never rated.
    Removed(Seat),
    /// Declared void by a director: no winner, never rated.
    Void,
}

/// What the players agreed on before the board begins.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// The game to play.
    pub game: &'static Game,
    /// A number that no other board of the game has.
    pub number: u32,
    /// The options of the game.
    pub options: Options,
    /// First player, second player.
    pub players: [Seated; 2],
    /// The terms of the players.
    pub terms: Terms,
    /// What the rolls follow from; `None` in a game without dice.
    pub dice: Option<Dice>,
}

/// A board without its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// The number of the row; 0 if there is none yet.
    pub id: BoardId,
    /// The game that is played.
    pub game: &'static Game,
    /// The number that players see, from 101 in each game.
    pub number: u32,
    /// The options of the game.
    pub options: Options,
    /// First player, second player.
    pub players: [Seated; 2],
    /// The terms of the players.
    pub terms: Terms,
    /// What the rolls follow from; `None` in a game without dice.
    pub dice: Option<Dice>,
    /// The number of turns played.
    pub turns: u32,
    /// Whether the second player has played a turn.
    pub second_has_moved: bool,
    /// The player to move; `None` when the board is over.
    pub to_move: Option<Seat>,
    /// How it ended; `None` while it runs.
    pub end: Option<End>,
    /// An offer that the other player has not answered, and who made it.
    pub offer: Option<(Offer, Seat)>,
    /// What a player has planned. The player to move never has a plan.
    pub plan: Option<(Seat, Plan)>,
    /// The turn that the player to move has been shown but has not confirmed.
    pub submitted: Option<String>,
    /// Since which events position, offer and submitted turn stand.
    pub events: Events,
    /// When the board began.
    pub started_at: DateTime<Utc>,
    /// When the present player's turn to move began.
    pub moved_at: DateTime<Utc>,
    /// How long the players have thought.
    pub clock: Clock,
    /// Until when the players have agreed to pause; `None`: the board is not paused.
    pub paused_until: Option<DateTime<Utc>>,
    /// When the clock must be examined next; `None`: not until something changes.
    pub due_at: Option<DateTime<Utc>>,
    /// When the board ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Changes since the board was read.
    pub(crate) unsaved: Unsaved,
}

/// Changes outside the board's row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unsaved {
    /// New turns, the last ones of the board.
    pub(crate) played: Vec<Played>,
    /// Whether stored turns were taken back.
    pub(crate) is_taken_back: bool,
    /// Whether a seat has a new player.
    pub(crate) is_reseated: bool,
    /// The warnings that are no longer valid.
    pub(crate) stale: Option<Stale>,
    /// Plans that were dropped by an undo or the end of the game. Their owners get a mail about it.
    pub(crate) dropped: Vec<(Seat, Plan)>,
}

/// Which warnings about a time limit are no longer valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// Warnings about the time of one turn.
    Turn,
    /// All warnings.
    All,
}

/// Queries.
impl Board {
    /// The name in sentences and subjects: `Pow2 Board 101`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} Board {}", self.game.facts.name, self.number)
    }

    /// Replays the first `count` turns, or all if there are fewer.
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
        self.roll(game.as_mut());
        Ok(Position { game, turns })
    }

    /// Rolls the dice that a position of this board waits for, which are always the same.
    pub(crate) fn roll(&self, position: &mut dyn Match) {
        if let (Some(dice), Some(due)) = (&self.dice, position.due_roll()) {
            position.roll(dice.roll(&self.name_in_rolls(), due));
        }
    }

    /// Whether turns may be taken back until so many are left. Of a board with dice the first two stay, with which each player has
    /// given a word: another word after the first roll would be a choice among rolls.
    #[must_use]
    pub const fn can_go_back_to(&self, turns: usize) -> bool {
        self.dice.is_none() || turns >= 2
    }

    /// The name of the board that rolls follow from: `Backgammon 101`.
    pub(crate) fn name_in_rolls(&self) -> String {
        format!("{} {}", self.game.facts.name, self.number)
    }

    /// Whether it has begun in this decision.
    pub(crate) const fn is_new(&self) -> bool {
        self.id.0 == 0
    }

    /// Whether its position has changed since it was read.
    pub(crate) fn has_just_moved(&self) -> bool {
        !self.unsaved.played.is_empty() || self.unsaved.is_taken_back
    }

    /// Whether it has ended since it was read.
    pub(crate) fn has_just_ended(&self) -> bool {
        self.end.is_some() && self.unsaved.stale == Some(Stale::All)
    }

    /// The player's seat, if they play on this board.
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

    /// Whether the player in this seat has played a turn. Before that, resigning means declining the challenge.
    #[must_use]
    pub const fn has_moved(&self, seat: Seat) -> bool {
        match seat {
            Seat::First => self.turns >= 1,
            Seat::Second => self.second_has_moved,
        }
    }

    /// The player in this seat.
    #[must_use]
    pub const fn at(&self, seat: Seat) -> &Seated {
        &self.players[seat.index()]
    }

    /// A letter that is written now to the player in this seat.
    #[must_use]
    pub fn letter_to(&self, seat: Seat) -> BoardLetter {
        BoardLetter {
            board: self.id,
            seat,
            event: self.events.newest(),
        }
    }

    /// The plan of the player in this seat.
    #[must_use]
    pub fn plan_of(&self, seat: Seat) -> Option<&Plan> {
        of(&self.plan, seat)
    }

    /// The plan of this seat that was dropped since the board was read.
    pub(crate) fn dropped_of(&self, seat: Seat) -> Option<&Plan> {
        of(&self.unsaved.dropped, seat)
    }
}

fn of<'a>(plans: impl IntoIterator<Item = &'a (Seat, Plan)>, seat: Seat) -> Option<&'a Plan> {
    plans
        .into_iter()
        .find(|(by, _)| *by == seat)
        .map(|(_, plan)| plan)
}

/// Transitions. `presence` says for each seat whether and when the clock runs while its player is to move.
impl Board {
    /// A new board. The first player's clock starts.
    #[must_use]
    pub fn begun(new: NewBoard, to_move: Option<Seat>, presence: [Presence; 2], now: DateTime<Utc>) -> Self {
        let NewBoard {
            game,
            number,
            options,
            players,
            terms,
            dice,
        } = new;
        let mut board = Self {
            id: BoardId(0),
            game,
            number,
            options,
            players,
            terms,
            dice,
            turns: 0,
            second_has_moved: false,
            to_move,
            end: None,
            offer: None,
            plan: None,
            submitted: None,
            events: Events::START,
            started_at: now,
            moved_at: now,
            clock: Clock::started(now),
            paused_until: None,
            due_at: None,
            ended_at: None,
            unsaved: Unsaved::default(),
        };
        board.think(board.clock, presence, now);
        board
    }

    /// The last `count` turns of `position` were played, all by one player. Each is the next event of the board.
    ///
    /// Their time counts for that player, and the next player's clock starts. An open offer is declined by playing on,
    /// and a submitted turn belonged to the old position; both are dropped. The other player's plan stays. If the game
    /// is over by its rules, the board ends.
    pub fn played(&mut self, position: &Position, count: usize, presence: [Presence; 2], now: DateTime<Utc>) {
        let turns = &position.turns;
        let played = &turns[turns.len().saturating_sub(count)..];
        let Some(last) = played.last() else { return };
        self.unsaved.played.extend_from_slice(played);
        self.events.position = last.event;
        let turns = TurnsPlayed {
            count: u32::try_from(played.len()).unwrap_or(u32::MAX),
            of_player: u32::try_from(position.turns_of(last.seat)).unwrap_or(u32::MAX),
        };
        let clock = self.clock.turned(&self.terms, last.seat, turns, now);
        self.stand(position);
        self.think(clock, presence, now);
        if let Some(outcome) = position.outcome() {
            self.ended(End::Finished(Ending::by_rules(outcome)), now);
        }
    }

    /// The last turn was taken back; `position` is the one before it.
    ///
    /// The player who would have answered it is charged the time up to now. Offer, plan and submitted turn belonged to
    /// the old position and are dropped.
    pub fn taken_back(&mut self, position: &Position, presence: [Presence; 2], now: DateTime<Utc>) {
        if self.unsaved.played.pop().is_none() {
            self.unsaved.is_taken_back = true;
        }
        self.events.position = self.events.next();
        let clock = match self.to_move {
            Some(seat) => self.clock.turned(&self.terms, seat, TurnsPlayed::default(), now),
            None => self.clock,
        };
        self.stand(position);
        self.drop_plan();
        self.think(clock, presence, now);
    }

    /// Whether its players may answer letters about it: until it is removed.
    #[must_use]
    pub const fn can_be_answered(&self) -> bool {
        !matches!(self.end, Some(End::Removed(_)))
    }

    /// Whether neither player's account is erased.
    #[must_use]
    pub fn has_both_players(&self) -> bool {
        self.players.iter().all(|player| !is_erased(&player.userid))
    }

    /// Sets or clears the open offer.
    pub fn offered(&mut self, offer: Option<(Offer, Seat)>) {
        if offer.is_some() {
            self.events.offer = self.events.next();
        }
        self.offer = offer;
    }

    /// Replaces the plan of the player in this seat. On a board that is over it is dropped.
    pub(crate) fn planned(&mut self, seat: Seat, plan: Option<Plan>) {
        self.plan = plan.map(|plan| (seat, plan));
        if self.end.is_some() {
            self.drop_plan();
        }
    }

    /// A turn was shown to the player to move, and will be played when confirmed. Replaces an earlier one.
    pub fn submitted(&mut self, turn: String) {
        self.submitted = Some(turn);
        self.events.submitted = self.events.next();
    }

    /// The board ends, once: nobody is to move, and offer, plan and submitted turn are dropped. The time since the
    /// last turn is charged to nobody.
    pub fn ended(&mut self, end: End, now: DateTime<Utc>) {
        self.to_move = None;
        self.end = Some(end);
        self.ended_at = Some(now);
        self.offer = None;
        self.submitted = None;
        self.drop_plan();
        self.paused_until = None;
        self.set_clock(Clock {
            since: None,
            ..self.clock
        });
        self.unsaved.stale = Some(Stale::All);
    }

    /// A new player takes this seat.
    ///
    /// The clock of the seat restarts at zero. The former player's plan and submitted turn are dropped, and so is an
    /// open offer, because it concerned the former player.
    pub fn reseated(&mut self, seat: Seat, player: Seated, presence: Presence, now: DateTime<Utc>) {
        let clock = self.clock.reseated(seat, self.to_move, now);
        self.players[seat.index()] = player;
        self.offer = None;
        self.plan.take_if(|(by, _)| *by == seat);
        if self.to_move == Some(seat) {
            self.submitted = None;
            self.moved_at = now;
        }
        let is_to_move = self.to_move == Some(seat);
        self.set_clock(if is_to_move {
            self.begun_by(clock, presence, now)
        } else {
            clock
        });
        self.unsaved.is_reseated = true;
        self.unsaved.stale = Some(Stale::All);
    }

    /// Gives the player to move at least this much time from now on, and cancels earlier warnings. Returns `false` if
    /// there is that much already, or if the terms never allow it.
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

    /// Records that the player to move was reminded.
    pub fn reminded(&mut self, now: DateTime<Utc>) {
        self.set_clock(Clock {
            reminded: Some(self.clock.thinking(now)),
            ..self.clock
        });
    }

    /// The player to move goes on vacation: the clock stops.
    pub fn vacation_begun(&mut self, now: DateTime<Utc>) {
        self.set_clock(self.clock.stopped(now));
    }

    /// The vacation of the player to move ends: the clock resumes, unless the board is paused.
    pub fn vacation_over(&mut self, now: DateTime<Utc>) {
        if self.paused_until.is_none() {
            self.set_clock(self.clock.resumed(now));
        }
    }

    /// Takes the player to move from this position, and drops offer and submitted turn, which belonged to another one.
    fn stand(&mut self, position: &Position) {
        self.turns = u32::try_from(position.turns.len()).unwrap_or(u32::MAX);
        self.second_has_moved = position.turns_of(Seat::Second) > 0;
        self.to_move = position.to_move();
        self.offer = None;
        self.submitted = None;
    }

    /// Starts the clock of the player to move. Warnings about the former turn are no longer valid.
    fn think(&mut self, clock: Clock, presence: [Presence; 2], now: DateTime<Utc>) {
        self.moved_at = now;
        self.set_clock(match self.to_move {
            Some(seat) => self.begun_by(clock, presence[seat.index()], now),
            None => clock,
        });
        self.unsaved.stale = self.unsaved.stale.or(Some(Stale::Turn));
    }

    /// The clock of a turn that this player begins.
    fn begun_by(&self, clock: Clock, presence: Presence, now: DateTime<Utc>) -> Clock {
        let is_timeless = presence.is_timeless || self.paused_until.is_some();
        let presence = Presence {
            is_timeless,
            ..presence
        };
        clock.of(&presence, now)
    }

    fn drop_plan(&mut self) {
        self.unsaved.dropped.extend(self.plan.take());
    }

    pub(super) fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
        let tick = self.to_move.and_then(|seat| clock.due_at(&self.terms, seat));
        // The clock of a paused board does not run.
        self.due_at = self.paused_until.or(tick);
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
