//! The operator's verbs.

use pbmserv::admin::Verb;
use pbmserv::admin::board::{BoardArgs, BoardResult, BoardVerb};
use pbmserv::admin::user::UserVerb;
use pbmserv_games::Seat;

use super::{Board, Model, Out, Standing, To};
use crate::deed::At;
use crate::foreseen::End;

type Rows = Vec<(String, &'static str, bool)>;

impl Model {
    /// Whether the verb succeeds, and its letters.
    pub(crate) fn operate(&mut self, verb: &Verb) -> (bool, Rows) {
        let done = self.decide_verb(verb);
        let is_done = done.is_some();
        let mut rows = self.post(&done.unwrap_or_default(), None, Standing::Proven);
        rows.sort();
        (is_done, rows)
    }

    fn decide_verb(&mut self, verb: &Verb) -> Option<Vec<Out>> {
        let of = |model: &Self, userid: &str| model.by_userid.get(&userid.to_ascii_lowercase()).copied();
        let notice = |player| vec![Out::news(To::Player(player), "done")];
        match verb {
            Verb::Announce { .. } => {
                let here: Vec<usize> = self.here().collect();
                Some(
                    here.into_iter()
                        .map(|player| Out::news(To::Player(player), "announcement"))
                        .collect(),
                )
            }
            Verb::User(UserVerb::Disable { userid, .. }) => {
                let player = of(self, userid).filter(|player| !self.accounts[*player].disabled)?;
                self.accounts[player].disabled = true;
                self.end_interest(player);
                Some(notice(player))
            }
            Verb::User(UserVerb::Enable { userid, .. }) => {
                let player = of(self, userid).filter(|player| self.accounts[*player].disabled)?;
                self.accounts[player].disabled = false;
                Some(notice(player))
            }
            Verb::User(UserVerb::Rename { userid, to, .. }) => {
                let player = of(self, userid)?;
                if of(self, to).is_some_and(|other| other != player) {
                    return None;
                }
                self.by_userid.remove(&userid.to_ascii_lowercase());
                self.by_userid.insert(to.to_ascii_lowercase(), player);
                self.accounts[player].userid.clone_from(to);
                Some(notice(player))
            }
            Verb::User(UserVerb::Erase { userid, .. }) => {
                let player = of(self, userid)?;
                let (mut out, former) = self.erase(player);
                out.extend(former.into_iter().map(|to| Out::news(To::Address(to), "done")));
                Some(out)
            }
            Verb::Board(verb) => self.rule(verb),
            _ => unreachable!("no such verb is tried"),
        }
    }

    /// The board, if it is running.
    fn ruled(&self, args: &BoardArgs) -> Option<usize> {
        let at = At {
            game: pbmserv_games::GAMES
                .iter()
                .position(|known| known.facts.name == args.game)?,
            number: args.number,
        };
        let board = *self.by_place.get(&at)?;
        self.boards[board].end().is_none().then_some(board)
    }

    fn rule(&mut self, verb: &BoardVerb) -> Option<Vec<Out>> {
        let (board, end) = match verb {
            BoardVerb::Void { board, .. } => (self.ruled(board)?, End::Void),
            BoardVerb::End { board, result, .. } => {
                let board = self.ruled(board)?;
                let winner = match result {
                    BoardResult::First => Some(Seat::First),
                    BoardResult::Second => Some(Seat::Second),
                    BoardResult::Draw if !self.boards[board].progress.position.facts().knows_draws => {
                        return None;
                    }
                    BoardResult::Draw => None,
                };
                (board, End::Finished(winner, "adjudication"))
            }
            BoardVerb::Undo { board, .. } => {
                let board = self.ruled(board)?;
                if self.boards[board].progress.turns.is_empty() {
                    return None;
                }
                self.take_back(board);
                return Some(self.to_all(board, None));
            }
            BoardVerb::Turn {
                board, userid, turn, ..
            } => {
                let board = self.ruled(board)?;
                let player = *self.by_userid.get(&userid.to_ascii_lowercase())?;
                let done = self.play(board, player, turn).ok()?;
                let news = |letter| Out {
                    is_answer: false,
                    ..letter
                };
                return Some(done.out.into_iter().map(news).collect());
            }
            BoardVerb::Reseat { board, from, to, .. } => {
                let board = self.ruled(board)?;
                return self.reseat(board, from, to);
            }
            _ => unreachable!("no such verb is tried"),
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
