//! Events that are due at a time.

use super::boards::Offer;
use super::clock::Tick;
use super::{Account, Model, Out, Standing, To};
use crate::foreseen::End;

/// A due event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Board(usize),
    Vacation(usize),
    Digest(usize),
    Expiry(usize),
}

/// The expected events.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Happened {
    pub(crate) reminders: u64,
    pub(crate) warnings: u64,
    pub(crate) removed: u64,
    pub(crate) drawn: u64,
    pub(crate) lost: u64,
    pub(crate) vacations_over: u64,
    pub(crate) digests: u64,
    pub(crate) expired: u64,
}

impl Model {
    /// The next event and its time.
    fn first_due(&self) -> Option<(i64, Due)> {
        let running = self.accounts.iter().flat_map(|account| &account.running);
        let boards = running.filter_map(|board| {
            let this = &self.boards[*board];
            let (at, _) = this.clock.next(this.to_move()?, self.steady_since, self.now)?;
            Some((at, Due::Board(*board)))
        });
        let accounts = self.accounts.iter().enumerate().flat_map(|(player, account)| {
            let vacation = account.vacation.map(|(_, ends)| (ends, Due::Vacation(player)));
            let digest = account.digest_due.map(|at| (at, Due::Digest(player)));
            let expiry = account.expires_at.map(|at| (at, Due::Expiry(player)));
            vacation.into_iter().chain(digest).chain(expiry)
        });
        boards.chain(accounts).min()
    }

    /// The time of the next event.
    pub(crate) fn next_due(&self) -> Option<i64> {
        self.first_due().map(|(at, _)| at)
    }

    /// The next event as text, for the report of a difference.
    pub(crate) fn due_now(&self) -> Option<String> {
        let (at, due) = self.first_due().filter(|(at, _)| *at <= self.now)?;
        let board = match due {
            Due::Board(board) => Some((&self.boards[board].at, &self.boards[board].clock)),
            _ => None,
        };
        Some(format!("{due:?} since {at} of {}: {board:?}", self.now))
    }

    /// The clock of the machine is set; players are not charged for it.
    pub(crate) fn set_clock(&mut self, now: i64) {
        for board in &mut self.boards {
            board.clock.since = board.clock.since.map(|since| since + now - self.now);
        }
        (self.now, self.steady_since) = (now, now);
    }

    /// All events due by now, and their letters, sorted.
    pub(crate) fn pass(&mut self, happened: &mut Happened) -> Vec<(String, &'static str, bool)> {
        let mut rows = Vec::new();
        while let Some((_, due)) = self.first_due().filter(|(at, _)| *at <= self.now) {
            let out = match due {
                Due::Board(board) => self.tick(board, happened),
                Due::Vacation(player) => {
                    happened.vacations_over += 1;
                    self.end_vacation(player);
                    let is_here = !self.accounts[player].away;
                    is_here
                        .then(|| Out::news(To::Player(player), "done"))
                        .into_iter()
                        .collect()
                }
                Due::Digest(player) => self.digest(player, happened),
                Due::Expiry(player) => self.expire(player, happened),
            };
            rows.extend(self.post(&out, None, Standing::Proven));
        }
        rows.sort();
        rows
    }

    fn digest(&mut self, player: usize, happened: &mut Happened) -> Vec<Out> {
        let now = self.now;
        let waits = self.accounts[player].running.iter().any(|board| {
            let board = &self.boards[*board];
            board.to_move().is_some_and(|seat| board.at(seat) == player)
        });
        let account = &mut self.accounts[player];
        account.digest_due = Some(Account::next_digest(now));
        let has_news = std::mem::take(&mut account.news) > 0;
        happened.digests += u64::from(waits || has_news);
        (waits || has_news)
            .then(|| Out::news(To::Player(player), "digest"))
            .into_iter()
            .collect()
    }

    /// An account was not confirmed in time. That of the director stays.
    fn expire(&mut self, player: usize, happened: &mut Happened) -> Vec<Out> {
        let account = &mut self.accounts[player];
        account.expires_at = None;
        if account.userid.eq_ignore_ascii_case(&self.director) {
            return Vec::new();
        }
        happened.expired += 1;
        self.erase(player).0
    }

    /// The clock of a board.
    fn tick(&mut self, board: usize, happened: &mut Happened) -> Vec<Out> {
        let now = self.now;
        let this = &mut self.boards[board];
        let seat = this.to_move().unwrap();
        let (mover, other) = (this.at(seat), seat.other());
        let Some((_, tick)) = this.clock.next(seat, self.steady_since, now) else {
            return Vec::new();
        };
        match tick {
            Tick::Remind => {
                this.clock.reminded = Some(this.clock.thinking(now));
                if !self.accounts[mover].wants.reminders {
                    return Vec::new();
                }
                happened.reminders += 1;
                vec![self.of_board(mover, None)]
            }
            Tick::Warn(is_total) => {
                happened.warnings += 1;
                if is_total {
                    this.clock.warned_of_total[seat.index()] = Some(now);
                } else {
                    this.clock.warned = Some(now);
                }
                vec![Out::news(To::Player(mover), "board")]
            }
            Tick::End => {
                let end = if !(this.has_moved(seat) && this.has_moved(other)) {
                    happened.removed += 1;
                    End::Removed
                } else if this.offer == Some((Offer::Draw, other)) {
                    happened.drawn += 1;
                    End::Finished(None, "forfeit")
                } else {
                    happened.lost += 1;
                    End::Finished(Some(other), "forfeit")
                };
                self.over(board, end, None, "").out
            }
        }
    }
}
