//! Absent players: on vacation, signed off, or deleted.

use chrono::{DateTime, Datelike};
use pbmserv_games::Seat;

use super::hear::Mail;
use super::{Account, DAY, Done, Model, No, Out, To, Verdict};
use crate::deed::{Who, Wish};
use crate::foreseen::End;

fn year(at: i64) -> i32 {
    DateTime::from_timestamp_millis(at).unwrap().year()
}

/// The days of a vacation in each year; each day counts in the year in which it begins.
fn days_in(vacation: (i64, i64), of: i32) -> i64 {
    let days = (0..61).map(|day| vacation.0 + day * DAY);
    let taken = days
        .take_while(|day| *day < vacation.1)
        .filter(|day| year(*day) == of);
    i64::try_from(taken.count()).unwrap()
}

impl Model {
    pub(super) fn vacation(&mut self, mail: &Mail<'_>, who: &Who, wish: &Wish) -> Verdict {
        let player = self.writer(mail, who)?;
        let now = self.now;
        let account = &self.accounts[player];
        let before = account.vacation;
        let days = match wish {
            Wish::Tell => {
                let mark = if before.is_some() {
                    "is on vacation until"
                } else {
                    "is not on vacation"
                };
                return Ok(Done::by(player, "done", mark));
            }
            Wish::Off if before.is_none() => return Err(No::because("is not on vacation").to(player)),
            Wish::Off => {
                self.end_vacation(player);
                return Ok(Done::by(player, "done", "vacation is over"));
            }
            Wish::Days(days) => i64::from(*days),
        };
        if account.away {
            return Err(No::because("has signed off: there is no clock to stop").to(player));
        }
        let wanted = (before.map_or(now, |(begun, _)| begun), now + days * DAY);
        for year in [year(wanted.0), year(wanted.1)] {
            let taken: i64 = account.vacations.iter().map(|taken| days_in(*taken, year)).sum();
            if days_in(wanted, year) > 30 - taken.min(30) {
                let mark = match before {
                    Some(_) => "The whole vacation would then take",
                    None => "That takes * of which",
                };
                return Err(No::because(mark).to(player));
            }
        }
        let mut done = Done::by(player, "done", "is on vacation until");
        if before.is_none() {
            done.out.extend(
                self.others(player)
                    .into_iter()
                    .filter(|other| !self.blocks(*other, player))
                    .map(|other| Out::news(To::Player(other), "done")),
            );
            for board in self.accounts[player].running.clone() {
                let board = &mut self.boards[board];
                if board.to_move().is_some_and(|seat| board.at(seat) == player) {
                    board.clock.stop(now);
                }
            }
        }
        self.accounts[player].vacation = Some(wanted);
        Ok(done)
    }

    /// The opponents in a player's running boards, each once.
    fn others(&self, player: usize) -> Vec<usize> {
        let boards = self.accounts[player]
            .running
            .iter()
            .map(|board| &self.boards[*board]);
        let mut others: Vec<usize> = boards
            .map(|board| board.players.into_iter().find(|other| *other != player).unwrap())
            .collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    pub(super) fn end_vacation(&mut self, player: usize) {
        let now = self.now;
        let Some((begun, ends)) = self.accounts[player].vacation.take() else {
            return;
        };
        self.accounts[player].vacations.push((begun, ends.min(now)));
        for board in self.accounts[player].running.clone() {
            let board = &mut self.boards[board];
            if board.to_move().is_some_and(|seat| board.at(seat) == player) {
                board.clock.resume(now);
            }
        }
    }

    pub(super) fn signoff(&mut self, mail: &Mail<'_>, who: &Who) -> Verdict {
        let player = self.writer(mail, who)?;
        if self.accounts[player].away {
            return Err(No::because("has signed off already").to(player));
        }
        let mut done = Done::by(player, "done", "has signed off:");
        done.out.extend(self.leave_boards(player));
        self.end_interest(player);
        self.accounts[player].away = true;
        Ok(done)
    }

    pub(super) fn delete(&mut self, mail: &Mail<'_>, who: &Who) -> Verdict {
        let player = self.writer(mail, who)?;
        let (mut out, former) = self.erase(player);
        match former.is_empty() {
            true => out.push(Out::answer(To::Sender, "done")),
            false => out.extend(former.into_iter().map(|to| Out::answer(To::Address(to), "done"))),
        }
        Ok(Done {
            proven: Some(player),
            out,
            mark: "is erased".into(),
        })
    }

    /// Erases an account except for its games; returns the letters to others, and its former addresses.
    pub(super) fn erase(&mut self, player: usize) -> (Vec<Out>, Vec<String>) {
        let out = self.leave_boards(player);
        self.end_interest(player);
        let account = &mut self.accounts[player];
        let former = account
            .addresses
            .iter()
            .filter(|own| own.confirmed)
            .map(|own| own.text.clone())
            .collect();
        let key = account.userid.to_ascii_lowercase();
        self.proposals
            .retain(|(_, players, _), _| !players.contains(&key));
        self.by_userid.remove(&key);
        let disabled = account.disabled;
        *account = Account {
            deleted: true,
            disabled,
            generation: account.generation + 1,
            ..Account::new("", "")
        };
        for other in &mut self.accounts {
            other.blocks.remove(&player);
        }
        (out, former)
    }

    /// Ends all boards of a leaving player: lost where both have moved.
    fn leave_boards(&mut self, player: usize) -> Vec<Out> {
        let mut out = Vec::new();
        for board in self.accounts[player].running.clone() {
            let has_begun = {
                let board = &self.boards[board];
                Seat::BOTH.into_iter().all(|seat| board.has_moved(seat))
            };
            let seat = self.boards[board].seat_of(player).unwrap().other();
            let end = if has_begun {
                End::Finished(Some(seat), "resignation")
            } else {
                End::Removed
            };
            self.end(board, end);
            out.push(self.of_board(self.boards[board].at(seat), None));
            out.extend(self.to_watchers(board));
            self.unwatch_ended(board);
        }
        out
    }

    /// Ends all seeks and watches of a leaving player.
    pub(super) fn end_interest(&mut self, player: usize) {
        let account = &mut self.accounts[player];
        account.seeks.fill(None);
        for board in std::mem::take(&mut account.watches).into_keys() {
            self.boards[board].watchers.remove(&player);
        }
        for game in &mut self.watchers {
            game.remove(&player);
        }
    }
}
