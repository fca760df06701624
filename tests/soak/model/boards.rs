//! The state of a board.

use std::collections::HashMap;

use pbmserv_games::Seat;

use super::clock::Clock;
use super::computers::COMPUTER;
use super::older::Event;
use super::{Model, Out, To};
use crate::deed::At;
use crate::foreseen::{End, Progress};

/// An offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Draw,
    Undo,
    Rematch,
}

/// A board.
pub(crate) struct Board {
    pub(crate) at: At,
    /// In the order of the game.
    pub(crate) options: String,
    pub(crate) rated: bool,
    pub(crate) players: [usize; 2],
    pub(crate) progress: Progress,
    pub(crate) clock: Clock,
    pub(crate) offer: Option<(Offer, Seat)>,
    pub(crate) queue: Option<(Seat, Vec<String>)>,
    pub(crate) submitted: Option<String>,
    /// All that has happened since the beginning.
    pub(crate) events: Vec<Event>,
    /// The numbers of the events that are the turns.
    pub(crate) turn_events: Vec<usize>,
    /// The watchers, and whether they get only the end.
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
        self.progress.has_moved(seat)
    }

    pub(crate) fn to_move(&self) -> Option<Seat> {
        self.progress.to_move()
    }

    pub(crate) const fn end(&self) -> Option<End> {
        self.progress.end
    }
}

impl Model {
    /// Letters about an event on a board: to both players and the watchers.
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
            progress,
            ..
        } = &self.boards[board];
        let of_game = self.watchers[at.game]
            .iter()
            .filter(|(player, _)| !watchers.contains_key(player));
        let mut readers: Vec<usize> = watchers
            .iter()
            .chain(of_game)
            .filter(|(player, ends_only)| {
                !players.contains(player) && (!**ends_only || progress.end.is_some())
            })
            .map(|(player, _)| *player)
            .collect();
        readers.sort_unstable();
        readers
            .into_iter()
            .map(|player| self.of_board(player, None))
            .collect()
    }

    /// A board has ended. Watchers get one more letter, so they are removed afterwards.
    pub(super) fn end(&mut self, board: usize, end: End) {
        let ended = &mut self.boards[board];
        (ended.offer, ended.queue, ended.submitted) = (None, None, None);
        ended.progress.end = Some(end);
        ended.clock.stop(self.now);
        let people = ended.players.into_iter().filter(|player| *player != COMPUTER);
        for player in people {
            self.accounts[player].running.retain(|running| *running != board);
        }
    }

    /// Removes the watchers of a finished board.
    pub(super) fn unwatch_ended(&mut self, board: usize) {
        for player in std::mem::take(&mut self.boards[board].watchers).into_keys() {
            self.accounts[player].watches.remove(&board);
        }
    }

    /// The end by the rules, if the position is final.
    pub(super) fn end_by_rules(&mut self, board: usize) {
        if let Some(end) = self.boards[board].progress.end_by_rules() {
            self.end(board, end);
        }
    }
}
