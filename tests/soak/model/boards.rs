//! What the server knows of a board.

use std::collections::HashMap;

use pbmserv::games::{GAMES, Match, Options, Outcome, Seat};

use super::clock::Clock;
use super::{Model, Out, To};
use crate::deed::At;

/// How a board is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Who has won, or nobody; and the word for how.
    Finished(Option<Seat>, &'static str),
    Removed,
    Void,
}

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Draw,
    Undo,
}

/// A board.
pub(crate) struct Board {
    pub(crate) at: At,
    pub(crate) options: String,
    pub(crate) rated: bool,
    pub(crate) players: [usize; 2],
    pub(crate) position: Box<dyn Match>,
    pub(crate) turns: Vec<(Seat, String)>,
    pub(crate) clock: Clock,
    pub(crate) offer: Option<(Offer, Seat)>,
    pub(crate) queue: Option<(Seat, Vec<String>)>,
    pub(crate) submitted: Option<String>,
    pub(crate) end: Option<End>,
    /// Who watches, and whether the end only.
    pub(crate) watchers: HashMap<usize, bool>,
}

impl Board {
    pub(crate) fn seat_of(&self, player: usize) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.players[seat.index()] == player)
    }

    pub(crate) const fn at(&self, seat: Seat) -> usize {
        self.players[seat.index()]
    }

    pub(crate) fn has_moved(&self, seat: Seat) -> bool {
        match seat {
            Seat::First => !self.turns.is_empty(),
            Seat::Second => self.turns.iter().any(|(by, _)| *by == Seat::Second),
        }
    }

    /// Who is to move.
    pub(crate) fn to_move(&self) -> Option<Seat> {
        if self.end.is_some() {
            None
        } else {
            self.position.to_move()
        }
    }

    fn read(game: usize, options: &str) -> Options {
        Options::parse(GAMES[game].facts, options.split_whitespace()).unwrap()
    }

    /// Options in the order of the game.
    pub(super) fn written(game: usize, options: &str) -> String {
        Self::read(game, options).to_string()
    }

    /// The position before the first turn.
    pub(super) fn start(at: At, options: &str) -> Box<dyn Match> {
        GAMES[at.game].start(&Self::read(at.game, options)).unwrap()
    }
}

impl Model {
    /// Letters about something on a board: to both players and to those who watch.
    pub(super) fn to_all(&self, board: usize, writer: Option<usize>) -> Vec<Out> {
        let mut out = self.to_watchers(board);
        out.extend(
            self.boards[board]
                .players
                .map(|player| self.of_board(player, writer)),
        );
        out
    }

    /// One letter about a board to one player.
    pub(super) fn of_board(&self, player: usize, writer: Option<usize>) -> Out {
        Out {
            is_answer: writer == Some(player),
            can_wait: true,
            ..Out::news(To::Player(player), "board")
        }
    }

    pub(super) fn to_watchers(&self, board: usize) -> Vec<Out> {
        let Board {
            at,
            players,
            watchers,
            end,
            ..
        } = &self.boards[board];
        let of_game = self.watchers[at.game]
            .iter()
            .filter(|(player, _)| !watchers.contains_key(player));
        let mut readers: Vec<usize> = watchers
            .iter()
            .chain(of_game)
            .filter(|(player, ends_only)| !players.contains(player) && (!**ends_only || end.is_some()))
            .map(|(player, _)| *player)
            .collect();
        readers.sort_unstable();
        readers
            .into_iter()
            .map(|player| self.of_board(player, None))
            .collect()
    }

    /// A board that is over from now on. Those who watched it are told once more, so they go afterwards.
    pub(super) fn end(&mut self, board: usize, end: End) {
        let ended = &mut self.boards[board];
        (ended.offer, ended.queue, ended.submitted, ended.end) = (None, None, None, Some(end));
        ended.clock.stop(self.now);
        let (players, game) = (ended.players, ended.at.game);
        for player in players {
            self.accounts[player].running.retain(|running| *running != board);
        }
        if let (End::Finished(winner, _), true) = (end, ended.rated) {
            for seat in Seat::BOTH {
                let place = match winner {
                    Some(winner) => usize::from(winner != seat),
                    None => 2,
                };
                self.accounts[players[seat.index()]].record[game][place] += 1;
            }
        }
    }

    /// Nobody watches a board that is over.
    pub(super) fn unwatch_ended(&mut self, board: usize) {
        for player in std::mem::take(&mut self.boards[board].watchers).into_keys() {
            self.accounts[player].watches.remove(&board);
        }
    }

    /// An end by the rules, if the position says so.
    pub(super) fn end_by_rules(&mut self, board: usize) {
        if let Some(outcome) = self.boards[board].position.outcome() {
            let winner = match outcome {
                Outcome::Won(seat) => Some(seat),
                Outcome::Drawn => None,
            };
            self.end(board, End::Finished(winner, "rules"));
        }
    }
}
