//! What waits to be thought about, and in which order.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::store::{self, Advice, Reader, ThoughtPosition, WaitingBoard};
use crate::table::{BoardId, PlayerId};

/// The most boards and the most questions among which the next is chosen.
const MOST_WAITING: u32 = 1000;

/// The most players of whom it is remembered when they were served last.
const MOST_SERVED: usize = 10_000;

/// Something to think about, for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Turn(WaitingBoard),
    Advice(Advice),
}

impl Job {
    pub(super) const fn player(&self) -> PlayerId {
        match self {
            Self::Turn(board) => board.player,
            Self::Advice(advice) => advice.player,
        }
    }

    pub(super) const fn since(&self) -> DateTime<Utc> {
        match self {
            Self::Turn(board) => board.since,
            Self::Advice(advice) => advice.asked_at,
        }
    }

    pub(super) const fn board(&self) -> BoardId {
        match self {
            Self::Turn(board) => board.board,
            Self::Advice(advice) => advice.board,
        }
    }

    /// The word for what is asked.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Turn(_) => "turn",
            Self::Advice(advice) => advice.kind.word(),
        }
    }

    pub(super) const fn position(&self) -> ThoughtPosition {
        let event = match self {
            Self::Turn(board) => board.event,
            Self::Advice(advice) => advice.event,
        };
        ThoughtPosition {
            board: self.board(),
            event,
        }
    }
}

/// All that waits.
pub(super) fn waiting(reader: &Reader) -> store::Result<Vec<Job>> {
    let boards = reader.waiting_for_computers(MOST_WAITING)?;
    let advice = reader.advice(MOST_WAITING)?;
    let boards = boards.into_iter().map(Job::Turn);
    Ok(boards.chain(advice.into_iter().map(Job::Advice)).collect())
}

/// Which players are served now, and in which order they were served before.
#[derive(Default)]
pub(super) struct Turns {
    busy: HashSet<PlayerId>,
    /// When each player was served last, as a count. Who waits for nothing now is kept too: a player who was just served and
    /// asks again is not one who was never served.
    served: HashMap<PlayerId, u64>,
    count: u64,
}

impl Turns {
    /// The job of a player who is not busy and was served longest ago; of these the oldest.
    pub(super) fn choose(&mut self, waiting: &[Job]) -> Option<Job> {
        let free = waiting.iter().filter(|job| !self.busy.contains(&job.player()));
        let last = |job: &Job| self.served.get(&job.player()).copied().unwrap_or_default();
        let job = *free.min_by_key(|job| (last(job), job.since()))?;
        if self.served.len() >= MOST_SERVED {
            let half = self.count.saturating_sub(MOST_SERVED as u64 / 2);
            self.served.retain(|_, last| *last > half);
        }
        self.count += 1;
        self.busy.insert(job.player());
        self.served.insert(job.player(), self.count);
        Some(job)
    }

    /// What was thought about for a player is done; `None`: for all of them.
    pub(super) fn done(&mut self, player: Option<PlayerId>) {
        match player {
            Some(player) => drop(self.busy.remove(&player)),
            None => self.busy.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(board: i64, player: i64) -> Job {
        Job::Turn(WaitingBoard {
            board: BoardId(board),
            player: PlayerId(player),
            since: DateTime::from_timestamp(board, 0).unwrap(),
            event: 1,
        })
    }

    #[test]
    fn players_are_served_in_turn_each_with_one_board_at_a_time() {
        let mut waiting: Vec<_> = (1..=3).map(|board| job(board, 1)).collect();
        waiting.push(job(4, 2));
        let mut turns = Turns::default();
        assert_eq!(turns.choose(&waiting), Some(job(1, 1)));
        assert_eq!(turns.choose(&waiting), Some(job(4, 2)));
        assert_eq!(turns.choose(&waiting), None);
        waiting.retain(|other| *other != job(1, 1));
        turns.done(Some(PlayerId(1)));
        assert_eq!(turns.choose(&waiting), Some(job(2, 1)));
        turns.done(None);
        // Who was served longest ago comes before who waits longer.
        assert_eq!(turns.choose(&waiting), Some(job(4, 2)));
    }

    #[test]
    fn who_asks_again_at_once_comes_after_who_still_waits() {
        let mut turns = Turns::default();
        let patient = [job(1, 1), job(2, 1)];
        for (board, expected) in [(3, job(1, 1)), (4, job(4, 2)), (5, job(2, 1)), (6, job(6, 2))] {
            // The second player has a new board each time, and waits for nothing in between.
            let mut waiting = vec![job(board, 2)];
            waiting.extend(patient.iter().filter(|old| board < 5 || **old != job(1, 1)));
            assert_eq!(turns.choose(&waiting), Some(expected));
            turns.done(None);
            turns.choose(&[job(7, 3)]);
            turns.done(None);
        }
    }

    #[test]
    fn what_is_remembered_of_players_is_bounded() {
        let mut turns = Turns::default();
        for player in 0..3 * MOST_SERVED as i64 {
            turns.choose(&[job(1, player)]);
            turns.done(None);
        }
        assert!(turns.served.len() <= MOST_SERVED);
    }
}
