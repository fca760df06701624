//! What the operator does.

use pbmserv::admin::{Operation, Ruling, Verdict};
use pbmserv::games::Seat;

use super::{Board, Model, Out, To};
use crate::deed::At;
use crate::foreseen::End;

type Rows = Vec<(String, &'static str, bool)>;

impl Model {
    /// Whether the operation is done, and its letters.
    pub(crate) fn operate(&mut self, operation: &Operation) -> (bool, Rows) {
        let done = self.decide_operation(operation);
        let is_done = done.is_some();
        let mut rows = self.post(&done.unwrap_or_default(), None);
        rows.sort();
        (is_done, rows)
    }

    fn decide_operation(&mut self, operation: &Operation) -> Option<Vec<Out>> {
        let of = |model: &Self, userid: &str| model.by_userid.get(&userid.to_ascii_lowercase()).copied();
        let told = |player| vec![Out::news(To::Player(player), "done")];
        match operation {
            Operation::Announce { .. } => {
                let here: Vec<usize> = self.here().collect();
                Some(
                    here.into_iter()
                        .map(|player| Out::news(To::Player(player), "announcement"))
                        .collect(),
                )
            }
            Operation::Disable { userid } => {
                let player = of(self, userid).filter(|player| !self.accounts[*player].disabled)?;
                self.accounts[player].disabled = true;
                self.end_interest(player);
                Some(told(player))
            }
            Operation::Enable { userid } => {
                let player = of(self, userid).filter(|player| self.accounts[*player].disabled)?;
                self.accounts[player].disabled = false;
                Some(told(player))
            }
            Operation::Rename { from, to } => {
                let player = of(self, from)?;
                if of(self, to).is_some_and(|other| other != player) {
                    return None;
                }
                self.by_userid.remove(&from.to_ascii_lowercase());
                self.by_userid.insert(to.to_ascii_lowercase(), player);
                self.accounts[player].userid.clone_from(to);
                Some(told(player))
            }
            Operation::Erase { userid } => {
                let player = of(self, userid)?;
                let (mut out, former) = self.erase(player);
                out.extend(former.into_iter().map(|to| Out::news(To::Address(to), "done")));
                Some(out)
            }
            Operation::Board { game, number, ruling } => {
                let game = pbmserv::games::GAMES
                    .iter()
                    .position(|known| known.facts.name == game)?;
                let board = *self.by_place.get(&At {
                    game,
                    number: *number,
                })?;
                if self.boards[board].end().is_some() {
                    return None;
                }
                self.rule(board, ruling)
            }
            _ => unreachable!("no such operation is tried"),
        }
    }

    fn rule(&mut self, board: usize, ruling: &Ruling) -> Option<Vec<Out>> {
        let end = match ruling {
            Ruling::Void => End::Void,
            Ruling::End(Verdict::First) => End::Finished(Some(Seat::First), "adjudication"),
            Ruling::End(Verdict::Second) => End::Finished(Some(Seat::Second), "adjudication"),
            Ruling::End(Verdict::Draw) if !self.boards[board].progress.position.facts().knows_draws => {
                return None;
            }
            Ruling::End(Verdict::Draw) => End::Finished(None, "adjudication"),
            Ruling::Undo if self.boards[board].progress.turns.is_empty() => return None,
            Ruling::Undo => {
                self.take_back(board);
                return Some(self.to_all(board, None));
            }
            Ruling::Turn { userid, turn } => {
                let player = *self.by_userid.get(&userid.to_ascii_lowercase())?;
                let done = self.play(board, player, turn).ok()?;
                let news = |letter| Out {
                    is_answer: false,
                    ..letter
                };
                return Some(done.out.into_iter().map(news).collect());
            }
            Ruling::Reseat { from, to } => return self.reseat(board, from, to),
            Ruling::Clock { .. } => unreachable!("no such ruling is tried"),
        };
        Some(self.over(board, end, None, "").out)
    }

    fn reseat(&mut self, board: usize, from: &str, to: &str) -> Option<Vec<Out>> {
        let old = *self.by_userid.get(&from.to_ascii_lowercase())?;
        let new = *self.by_userid.get(&to.to_ascii_lowercase())?;
        let seat = self.boards[board].seat_of(old)?;
        let account = &self.accounts[new];
        let is_fit = !account.disabled && !account.away && account.is_confirmed();
        if self.boards[board].seat_of(new).is_some() || !is_fit {
            return None;
        }
        let (is_away, now) = (account.vacation.is_some(), self.now);
        let is_to_move = self.boards[board].to_move() == Some(seat);
        let Board {
            players,
            clock,
            offer,
            queue,
            submitted,
            ..
        } = &mut self.boards[board];
        players[seat.index()] = new;
        clock.used[seat.index()] = 0;
        (clock.warned, clock.warned_of_total) = (None, [None; 2]);
        *offer = None;
        if queue.as_ref().is_some_and(|(by, _)| *by == seat) {
            *queue = None;
        }
        if is_to_move {
            *submitted = None;
            (clock.thought, clock.since, clock.reminded) = (0, Some(now), None);
            if is_away {
                clock.stop(now);
            }
        }
        self.accounts[old].running.retain(|running| *running != board);
        self.accounts[new].running.push(board);
        let watchers = self.to_watchers(board).into_iter();
        let mut out: Vec<Out> = watchers
            .filter(|letter| !matches!(letter.to, To::Player(player) if player == old))
            .collect();
        out.extend(
            self.boards[board]
                .players
                .map(|player| self.of_board(player, None)),
        );
        out.push(Out::news(To::Player(old), "done"));
        Some(out)
    }
}
