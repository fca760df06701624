//! Rematches: offered on a finished board, and begun with the seats exchanged.

use super::boards::Offer;
use super::computers::COMPUTER;
use super::older::Event;
use super::{Board, CHALLENGES_A_DAY, Done, Model, No, To, Verdict};
use crate::foreseen::End;

impl Model {
    pub(super) fn rematch(&mut self, board: usize, player: usize) -> Verdict {
        let Some(seat) = self.boards[board].seat_of(player) else {
            return Err(No::because("does not play on"));
        };
        match (self.boards[board].end(), self.boards[board].offer) {
            (None, _) => Err(No::because("is not over, *: a rematch is offered")),
            (Some(End::Removed), _) => Err(No::because("was removed before it was played")),
            (_, Some((Offer::Rematch, by))) if by != seat => self.begin_rematch(board, player),
            (_, Some(_)) => Err(No::because("has not answered your offer of a rematch")),
            _ => {
                let other = self.boards[board].at(seat.other());
                self.can_play_again(board, player)?;
                let key = format!("challenged {player}>{other}");
                if self.tally(&key) >= CHALLENGES_A_DAY {
                    return Err(No::because("Enough boards were begun for"));
                }
                self.count(key, 1);
                if other == COMPUTER {
                    return self.begin_rematch(board, player);
                }
                self.boards[board].offer = Some((Offer::Rematch, seat));
                self.boards[board].note(Event::Offer);
                Ok(self.notify_players(board, player, "a rematch of"))
            }
        }
    }

    /// Whether the other player of this finished board has offered a rematch.
    pub(super) fn is_offered_a_rematch(&self, board: usize, player: usize) -> bool {
        let board = &self.boards[board];
        let seat = board.seat_of(player);
        matches!(board.offer, Some((Offer::Rematch, by)) if seat == Some(by.other()))
    }

    /// Letters about a finished board, to its players alone.
    pub(super) fn notify_players(&self, board: usize, player: usize, mark: &str) -> Done {
        let players = self.boards[board].players;
        let mut out = self.to_all(board, Some(player));
        out.retain(|letter| matches!(letter.to, To::Player(reader) if players.contains(&reader)));
        Done {
            proven: Some(player),
            out,
            mark: mark.to_owned(),
        }
    }

    /// Why the players of a board cannot play again.
    fn can_play_again(&self, board: usize, player: usize) -> Result<(), No> {
        let Board { at, players, .. } = &self.boards[board];
        let [first, second] = *players;
        let other = if first == player { second } else { first };
        let is_deleted = |player: &usize| self.accounts.get(*player).is_some_and(|account| account.deleted);
        if players.iter().any(is_deleted) {
            return Err(No::because("has no account any more"));
        }
        if self.blocks(first, second) || self.blocks(second, first) {
            return Err(No::because("do not play each other"));
        }
        for one in [player, other] {
            self.can_sit(one)?;
            self.has_room(one, at.game, 1)?;
        }
        Ok(())
    }

    pub(super) fn begin_rematch(&mut self, board: usize, player: usize) -> Verdict {
        self.can_play_again(board, player)?;
        let old = &self.boards[board];
        let ([first, second], game) = (old.players, old.at.game);
        let mut options = vec![old.options.clone()];
        options.extend((!old.rated).then(|| "--unrated".to_owned()));
        options.push(format!("--nagtime={}", old.clock.nag_days));
        options.push(format!("--forfeittime={}", old.clock.forfeit_days));
        options.extend(old.clock.total_days.map(|days| format!("--totaltime={days}")));
        self.boards[board].offer = None;
        let new = self.begin(game, [second, first], &options.join(" "));
        Ok(Done {
            proven: Some(player),
            out: self.to_all(new, Some(player)),
            mark: format!("{} has begun", self.boards[new].at.name()),
        })
    }
}
