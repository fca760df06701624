//! Two sources of due items: the clocks of boards, and the ends of vacations.

use chrono::{DateTime, Utc};
use pbmserv_games::Seat;

use crate::command::{self, COMMANDS, Context, InternalError, Proofs, Sender};
use crate::store::{Reader, Store};
use crate::table::{Board, BoardId, Tick, Warning};

use super::due_task::DueTask;
use super::handler::{Cause, Handler};

/// The clocks of all running boards.
pub(super) static BOARDS: DueTask = DueTask {
    name: "clock",
    first: Reader::first_due_board,
    run: |handler, store, row, now| handler.tick(store, BoardId(row), now),
    is_stepwise: false,
    postpone: |store, row, at| store.set_board_due(BoardId(row), Some(at)),
};

/// The ends of vacations.
pub(super) static VACATIONS: DueTask = DueTask {
    name: "vacation",
    first: Reader::first_ending_vacation,
    run: |handler, store, row, now| handler.end_vacation(store, row, now),
    is_stepwise: false,
    postpone: |store, row, at| store.set_vacation_end(row, at),
};

impl Handler {
    /// Reminds, warns or ends the game if the clock of a board is due, or ends its pause, and stores when it is due next.
    fn tick(&mut self, store: &Store, id: BoardId, now: DateTime<Utc>) -> Result<(), InternalError> {
        let board = store.board_by_id(id)?;
        let Some((board, seat)) = board.and_then(|board| board.to_move.map(|seat| (board, seat))) else {
            return Ok(store.set_board_due(id, None)?);
        };
        if board.paused_until.is_some_and(|until| until <= now) {
            let decision = self.alone(store, now, |context| command::pause_is_over(context, board))?;
            self.carry_out(store, &Cause::default(), &decision, now)?;
        } else if let Some((at, tick)) = self.next_tick(store, &board, seat, now)?
            && at <= now
        {
            self.act(store, &board, seat, tick, now)?;
        }
        let Some(board) = store.board_by_id(id)?.filter(|board| board.end.is_none()) else {
            return Ok(());
        };
        let next = self.next_tick(store, &board, seat, now)?.map(|(at, _)| at);
        Ok(store.set_board_due(id, board.paused_until.or(next))?)
    }

    fn next_tick(
        &self,
        store: &Store,
        board: &Board,
        seat: Seat,
        now: DateTime<Utc>,
    ) -> Result<Option<(DateTime<Utc>, Tick)>, InternalError> {
        let (_, by) = board.clock.limit(&board.terms, seat);
        let warning = match command::warned_at(store, board, seat, by)? {
            Some(_) => store.warning(board.id, seat, by)?,
            None => Warning::None,
        };
        Ok(board
            .clock
            .next(&board.terms, seat, warning, self.steady_since, now))
    }

    fn act(
        &mut self,
        store: &Store,
        board: &Board,
        seat: Seat,
        tick: Tick,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        match tick {
            Tick::Look => {}
            Tick::Remind => {
                let letter = self.alone(store, now, |context| command::remind(context, board, seat))?;
                if let Some(letter) = letter {
                    self.post(store, &Cause::default(), &letter, now)?;
                }
                let mut board = board.clone();
                board.reminded(now);
                store.save_board(&board)?;
            }
            Tick::Warn(by) => {
                let letter = self.alone(store, now, |context| command::warn(context, board, seat))?;
                let before = store.last_mail()?;
                self.post(store, &Cause::default(), &letter, now)?;
                store.add_warning(board.id, seat, by, before, now)?;
                tracing::info!(board = %board.name(), "the player to move was warned: one day is left");
            }
            Tick::End => {
                let (id, name) = (board.id, board.name());
                let board = board.clone();
                let decision = self.alone(store, now, |context| command::time_is_up(context, board, seat))?;
                self.carry_out(store, &Cause::default(), &decision, now)?;
                let goes_on = store.board_by_id(id)?.is_some_and(|board| board.end.is_none());
                let what = match goes_on {
                    true => "a vacation begins",
                    false => "the board ends",
                };
                tracing::info!(board = %name, what, "the time of the player to move is up");
            }
        }
        Ok(())
    }

    fn end_vacation(&mut self, store: &Store, row: i64, now: DateTime<Utc>) -> Result<(), InternalError> {
        let player = match store.on_vacation(row)? {
            Some(player) => store.player_by_id(player)?,
            None => None,
        };
        let Some(player) = player else { return Ok(()) };
        let decision = self.alone(store, now, |context| command::vacation_is_over(context, &player))?;
        self.carry_out(store, &Cause::default(), &decision, now)
    }

    /// Makes a decision without a message.
    pub(super) fn alone<T>(
        &self,
        store: &Store,
        now: DateTime<Utc>,
        decide: impl FnOnce(&Context<'_>) -> Result<T, InternalError>,
    ) -> Result<T, InternalError> {
        decide(&Context {
            commands: &COMMANDS,
            store,
            now,
            settings: &self.settings,
            sender: &Sender::default(),
            proven: &[],
            proofs: &Proofs::default(),
            tokens: self.key.as_ref(),
            rng: &self.rng,
            comment: "",
            has_asked: false,
            letters: &[],
        })
    }
}
