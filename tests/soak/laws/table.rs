//! What commands make of a board, by the rules of its game.

use pbmserv_games::{Match, Outcome, Seat};

use super::Does;
use crate::deed::Act;
use crate::foreseen::End;
use crate::view::{COMPUTER, Roller, View};

/// A board as it must be.
pub(super) struct Table {
    position: Box<dyn Match>,
    /// In a game with dice.
    roller: Option<Roller>,
    /// From how many turns on the only turn of each is played unasked, where there are dice: before the first ones people may give a word.
    forced_from: [usize; 2],
    pub(super) turns: Vec<(Seat, String)>,
    pub(super) end: Option<End>,
    offer: Option<(String, Seat)>,
    queue: Option<(Seat, Vec<String>)>,
    pub(super) submitted: Option<String>,
}

impl Table {
    pub(super) fn of(view: &View, board: usize) -> Self {
        let board = &view.boards[board];
        let forced_from = |player| match player {
            COMPUTER => 0,
            _ if view.accounts[player].wants("plays_forced") => 2,
            _ => usize::MAX,
        };
        Self {
            position: board.progress.position.fork(),
            roller: board.roller(),
            forced_from: board.players.map(forced_from),
            turns: board.progress.turns.clone(),
            end: board.progress.end,
            offer: board.row.offer().map(|(offer, by)| (offer.to_owned(), by)),
            queue: board
                .row
                .seat("plan_by")
                .map(|by| (by, planned(board.row.text("plan")))),
            submitted: board.row.text("submitted").map(str::to_owned),
        }
    }

    pub(super) fn queue_by(&self) -> Option<Seat> {
        self.queue.as_ref().map(|(by, _)| *by)
    }

    fn has_moved(&self, seat: Seat) -> bool {
        self.turns.iter().any(|(by, _)| *by == seat)
    }

    /// Somebody does something on it; what cannot be done changes nothing.
    pub(super) fn does(&mut self, does: &Does) {
        if self.end.is_some() {
            return;
        }
        match does {
            Does::Act(seat, act) => self.act(*seat, act),
            Does::Ends(end) => self.over(*end),
            Does::TakenBack => self.take_back(),
            Does::Plays(turn) => self.play(turn),
            // What the player to move had prepared goes.
            Does::Reseats(..) => self.submitted = None,
        }
    }

    fn act(&mut self, seat: Seat, act: &Act) {
        let other = seat.other();
        let is_mine = self.position.to_move() == Some(seat);
        let is_offered = |what: &str| {
            self.offer
                .as_ref()
                .is_some_and(|(offer, by)| offer == what && *by == other)
        };
        match act {
            Act::Turn(turn) if is_mine => self.play(turn),
            Act::Confirm if is_mine => {
                if let Some(turn) = self.submitted.clone() {
                    self.play(&turn);
                }
            }
            Act::Submit(turn) if is_mine => {
                if let Ok(turns) = self.position.fork().play_all(turn) {
                    self.submitted = Some(turns.join(","));
                }
            }
            Act::Queue(turns) if turns == &["off"] => {
                self.queue = self.queue.take().filter(|(by, _)| *by != seat);
            }
            Act::Queue(turns) if !is_mine => self.queue = Some((seat, turns.clone())),
            Act::Resign if self.has_moved(seat) => self.over(End::Finished(Some(other), "resignation")),
            Act::Leave if self.has_moved(seat) && self.has_moved(other) => {
                self.over(End::Finished(Some(other), "resignation"));
            }
            Act::Resign | Act::Leave => self.over(End::Removed(seat)),
            Act::Accept | Act::Propose if is_offered("draw") => self.over(End::Finished(None, "agreement")),
            Act::Accept if is_offered("undo") => self.take_back(),
            _ => {}
        }
    }

    fn over(&mut self, end: End) {
        self.end = Some(end);
        (self.queue, self.submitted) = (None, None);
    }

    fn take_back(&mut self) {
        self.turns.pop();
        (self.offer, self.queue, self.submitted) = (None, None, None);
    }

    /// Plays turns of the player to move, and then what the other player has queued, or the only turn that there is.
    fn play(&mut self, text: &str) {
        let Some(seat) = self.position.to_move() else {
            return;
        };
        if !self.play_one(seat, text) {
            return;
        }
        while let Some(next) = self.position.to_move() {
            match self.queue.take() {
                Some((by, mut turns)) if by != seat && by == next && !turns.is_empty() => {
                    let turn = turns.remove(0);
                    let goes_on = self.play_one(by, &turn) && !turns.is_empty();
                    self.queue = goes_on.then_some((by, turns));
                }
                queue => {
                    self.queue = queue;
                    let Some(turn) = self.forced(next) else { break };
                    self.play_one(next, &turn);
                }
            }
        }
        match self.position.outcome() {
            Some(Outcome::Won(winner)) => self.over(End::Finished(Some(winner), "rules")),
            Some(Outcome::Drawn) => self.over(End::Finished(None, "rules")),
            None => {}
        }
    }

    /// The only turn there is, if it is played unasked.
    fn forced(&self, seat: Seat) -> Option<String> {
        self.roller.as_ref()?;
        match self.position.turns(2).as_slice() {
            [turn] if self.turns.len() >= self.forced_from[seat.index()] => Some(turn.clone()),
            _ => None,
        }
    }

    fn play_one(&mut self, seat: Seat, text: &str) -> bool {
        let Ok(played) = self.position.play_all(text) else {
            return false;
        };
        self.turns.extend(played.into_iter().map(|turn| (seat, turn)));
        if let Some(roller) = &self.roller {
            roller.roll(self.position.as_mut());
        }
        (self.offer, self.submitted) = (None, None);
        true
    }
}

/// The turns of a plan in their order, without when they are played: people here plan for any turn.
pub(super) fn planned(plan: Option<&str>) -> Vec<String> {
    let turn = |line: &str| line.split_once(" then ").map(|(_, turn)| turn.to_owned());
    plan.unwrap_or_default().lines().filter_map(turn).collect()
}
