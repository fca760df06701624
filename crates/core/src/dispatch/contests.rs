//! Two sources of due items: seasons of leagues that begin, and contests that go on.

use chrono::{DateTime, Utc};

use crate::command::{self, ContestStep, Decision, InternalError};
use crate::store::{FullContest, Reader, Store};

use super::due_task::DueTask;
use super::handler::{Cause, Handler};

/// The leagues whose seasons begin.
pub(super) static LEAGUES: DueTask = DueTask {
    name: "league",
    first: Reader::first_due_league,
    run: |handler, store, row, now| handler.begin_season(store, row, now),
    is_stepwise: true,
    postpone: |store, row, at| match store.league_by_id(row)? {
        Some(league) => store.set_season(row, league.season, at),
        None => Ok(()),
    },
};

/// The contests that begin, in which a round is over, or which are not yet begun to the end.
pub(super) static CONTESTS: DueTask = DueTask {
    name: "contest",
    first: Reader::first_due_contest,
    run: |handler, store, row, now| handler.step_contest(store, row, now),
    is_stepwise: true,
    postpone: |store, row, at| store.set_contest_due(row, Some(at)),
};

impl Handler {
    /// The divisions of a season are made. Each is a contest that begins its boards by itself.
    fn begin_season(&mut self, store: &Store, row: i64, now: DateTime<Utc>) -> Result<(), InternalError> {
        let Some(league) = store.league_by_id(row)? else {
            return Ok(());
        };
        let season = self.alone(store, now, |context| command::season(context, &league))?;
        for player in &season.idle {
            store.leave_league(league.game, *player)?;
            let letter = self.alone(store, now, |context| {
                command::idle_letter(context, &league, *player)
            })?;
            if let Some(letter) = letter {
                self.post(store, &Cause::default(), &letter, now)?;
            }
        }
        for (contest, players) in &season.divisions {
            let id = store.add_contest(contest)?;
            for (player, _) in players {
                store.add_entrant(id, *player, now)?;
            }
            store.begin_contest(id, players, now)?;
        }
        tracing::info!(
            league = league.game.facts.name,
            season = season.number,
            divisions = season.divisions.len(),
            "the season of a league is due"
        );
        Ok(store.set_season(row, season.number, season.next)?)
    }

    /// Does the next step of a contest. Unless it waits for a board, it is due again at once.
    fn step_contest(&mut self, store: &Store, row: i64, now: DateTime<Utc>) -> Result<(), InternalError> {
        let Some(contest) = store
            .full_contest(row)?
            .filter(|full| full.row.ended_at.is_none())
        else {
            return Ok(store.set_contest_due(row, None)?);
        };
        let step = self.alone(store, now, |context| command::contest_step(context, &contest))?;
        tracing::debug!(contest = %contest.row.name(), ?step, "a step of a contest");
        store.set_contest_due(row, Some(now))?;
        match step {
            ContestStep::Begins(players) => {
                for entrant in &contest.entrants {
                    if !players.iter().any(|(id, _)| *id == entrant.player) {
                        store.leave_contest(row, entrant.player, now)?;
                    }
                }
                store.begin_contest(row, &players, now)?;
            }
            ContestStep::Leaves(player) => store.leave_contest(row, player, now)?,
            ContestStep::Boards(games) => {
                for game in &games {
                    self.carry_out_alone(store, now, |context| {
                        command::game_begins(context, &contest, game)
                    })?;
                }
            }
            ContestStep::Announces(round) => {
                self.carry_out_alone(store, now, |context| {
                    command::round_letters(context, &contest, round)
                })?;
                store.set_announced_round(row, round)?;
            }
            ContestStep::Plans(planned) => store.add_pairings(row, &planned)?,
            ContestStep::Waits => store.set_contest_due(row, None)?,
            ContestStep::Ends => self.end_contest(store, &contest, now, command::end_letters)?,
            ContestStep::Fails => self.end_contest(store, &contest, now, command::failed_letters)?,
        }
        Ok(())
    }

    fn end_contest(
        &mut self,
        store: &Store,
        contest: &FullContest,
        now: DateTime<Utc>,
        letters: fn(&command::Context<'_>, &FullContest) -> Result<Vec<command::Letter>, InternalError>,
    ) -> Result<(), InternalError> {
        store.end_contest(contest.row.id, now)?;
        let over = store
            .full_contest(contest.row.id)?
            .unwrap_or_else(|| contest.clone());
        self.carry_out_alone(store, now, |context| {
            Ok(Decision {
                letters: letters(context, &over)?,
                ..Decision::default()
            })
        })
    }

    fn carry_out_alone(
        &mut self,
        store: &Store,
        now: DateTime<Utc>,
        decide: impl FnOnce(&command::Context<'_>) -> Result<Decision, InternalError>,
    ) -> Result<(), InternalError> {
        let decision = self.alone(store, now, decide)?;
        self.carry_out(store, &Cause::default(), &decision, now)
    }
}
