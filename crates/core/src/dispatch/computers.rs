//! What a computer has thought becomes turns and advice, if it still fits the board.
//!
//! The receipt for a turn against a computer is stored with its turn, marked (`outbox.awaits`), and due in a minute. The
//! transaction that plays the computer's turn drops it and adds the letter that says both turns, in the same thread: a crash
//! leaves one of the two. If the minute is over, or the receipt is being delivered, the player gets both. Any other letter about
//! the board lets the receipt go first.
//!
//! A computer decides about offers at once, without thinking: `undo` once a game (`board_notes`), a draw if its value of the
//! position after its last turn (`boards.estimate`) was not above zero.

use chrono::{DateTime, Utc};
use pbmserv_games::bots::Cost;

use crate::command::{self, Decision, InternalError};
use crate::store::{Advice, AwaitedReceipt, Store, ThoughtPosition};
use crate::table::{Board, BoardId};

use super::handler::{Cause, Handler};
use super::trust::Trust;

/// A turn that was found in the position which this event has made.
#[derive(Clone, Debug)]
pub struct FoundTurn {
    /// The event of the position.
    pub event: u32,
    pub turn: String,
    /// The value of the position for the player of the turn, in thousandths.
    pub value: i32,
}

impl FoundTurn {
    /// No turn: the position is not the one that it was asked for.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            event: 0,
            turn: String::new(),
            value: 0,
        }
    }
}

impl Handler {
    /// Plays the turn of the computer on a board. False, and nothing was done, if the position is another one now.
    ///
    /// # Errors
    /// The server failed, or the turn is not legal.
    pub fn computer_turn(
        &mut self,
        store: &Store,
        board: BoardId,
        found: &FoundTurn,
        now: DateTime<Utc>,
    ) -> Result<bool, InternalError> {
        let board = store.board_by_id(board)?;
        let Some((board, seat)) = board.and_then(|board| board.to_move.map(|seat| (board, seat))) else {
            return Ok(false);
        };
        if !board.waits_for_computer() || board.events.position != found.event {
            return Ok(false);
        }
        let receipt = store.drop_awaiting(board.id, now)?;
        let turn = (seat, found.turn.as_str(), found.value);
        let decision = self.alone(store, now, |context| {
            command::computer_plays(context, board, turn, receipt.as_ref())
        })?;
        self.say(store, receipt.as_ref(), &decision, now)?;
        Ok(true)
    }

    /// The computer of a board leaves this position alone, and its opponent hears of it.
    ///
    /// # Errors
    /// The server failed.
    pub fn computer_leaves(
        &mut self,
        store: &Store,
        position: ThoughtPosition,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        store.leave_thought(position)?;
        let board = store.board_by_id(position.board)?;
        let is_same = |board: &Board| board.waits_for_computer() && board.events.position == position.event;
        let Some(board) = board.filter(is_same) else {
            return Ok(());
        };
        let decision = self.alone(store, now, |context| command::computer_leaves(context, &board))?;
        self.say(store, None, &decision, now)
    }

    /// Tells a player that there is no advice about this position.
    ///
    /// # Errors
    /// The server failed.
    pub fn no_advice(
        &mut self,
        store: &Store,
        advice: &Advice,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        self.advise(store, advice, now, |context, board| {
            command::no_advice(context, board, advice)
        })
    }

    /// Sends a player the hint that was asked for, or says that the position is another one now.
    ///
    /// # Errors
    /// The server failed.
    pub fn hint(
        &mut self,
        store: &Store,
        advice: &Advice,
        found: &FoundTurn,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        self.advise(store, advice, now, |context, board| {
            match board.events.position == found.event && board.is_turn_of(advice.player) {
                true => command::hint(context, board, advice, &found.turn),
                false => command::no_hint(context, board, advice),
            }
        })
    }

    /// Sends a player what the turns of a finished game have cost.
    ///
    /// # Errors
    /// The server failed.
    pub fn review(
        &mut self,
        store: &Store,
        advice: &Advice,
        costs: &[Cost],
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        self.advise(store, advice, now, |context, board| {
            command::review(context, board, advice, costs)
        })
    }

    fn advise(
        &mut self,
        store: &Store,
        advice: &Advice,
        now: DateTime<Utc>,
        decide: impl FnOnce(&command::Context<'_>, &Board) -> Result<Decision, InternalError>,
    ) -> Result<(), InternalError> {
        // Answered already, or asked again about another position.
        if store.advice_about(advice.kind, advice.board, advice.player)? != Some(*advice) {
            return Ok(());
        }
        let Some(board) = store.board_by_id(advice.board)? else {
            return Ok(store.end_advice(advice.kind, advice.board, advice.player)?);
        };
        let receipt = store.drop_awaiting(board.id, now)?;
        let decision = self.alone(store, now, |context| decide(context, &board))?;
        self.say(store, receipt.as_ref(), &decision, now)
    }

    /// Carries out a decision whose letters take the place of a receipt.
    fn say(
        &mut self,
        store: &Store,
        receipt: Option<&AwaitedReceipt>,
        decision: &Decision,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let cause = match receipt {
            Some(receipt) => Cause {
                inbox: receipt.inbox,
                message_id: receipt.in_reply_to.as_deref(),
                standing: Trust::Proven,
                ..Cause::default()
            },
            None => Cause::default(),
        };
        self.carry_out(store, &cause, decision, now)
    }
}
