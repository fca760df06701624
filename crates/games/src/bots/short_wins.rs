//! Whether the player to move wins within three turns, both players' counted, whatever the other one does.
//!
//! Where positions have thousands of turns, no search can judge all of them three turns ahead. This one only asks whether the
//! game is won. It remembers the answers that spoiled a win and the turns that won: after the next turn they mostly do so again,
//! so that few positions are tried in full.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Listed, SearchPosition, Seat, WON};

/// How many turns may be tried in place of each position that may be judged. They take four times as long at Shape Chess, where
/// most are tried; but few searches use up what they may, and a win in two turns that is missed looks foolish.
pub(super) const TRIES_OF_A_JUDGEMENT: u64 = 12;

/// How many turns are listed, unjudged, in the time that it takes to try one.
const LISTED_IN_A_TRY: u64 = 10;

/// The most turns of each kind that are remembered.
const MAX_REMEMBERED: usize = 8;

/// The search ends without a result: the budget is used up, or it was stopped.
struct Ended;

struct ShortWins<'a> {
    walk: &'a mut dyn SearchPosition,
    side: Seat,
    /// The texts of turns that won, the last one first.
    winning: Vec<String>,
    /// The texts of answers after which nothing won, the last one first.
    spoiling: Vec<String>,
    tries: u64,
    most_tries: u64,
    stop: &'a AtomicBool,
}

/// A turn of the list of all turns that wins so, if one is found in the time that it takes to judge so many positions; and how many
/// were looked at.
pub(super) fn winning_turn(
    walk: &mut dyn SearchPosition,
    most_nodes: u64,
    stop: &AtomicBool,
) -> (Option<usize>, u64) {
    let Some(side) = walk.to_move() else {
        return (None, 0);
    };
    let mut search = ShortWins {
        walk,
        side,
        winning: Vec::new(),
        spoiling: Vec::new(),
        tries: 0,
        most_tries: most_nodes * TRIES_OF_A_JUDGEMENT,
        stop,
    };
    let won = search.first().unwrap_or(None);
    (won, search.tries / TRIES_OF_A_JUDGEMENT)
}

impl ShortWins<'_> {
    fn first(&mut self) -> Result<Option<usize>, Ended> {
        let listed = self.list()?;
        for (turn, value) in listed.values.into_iter().enumerate() {
            if value == WON {
                return Ok(Some(turn));
            }
            self.walk.play(turn);
            let wins = match self.walk.to_move() {
                Some(mover) if mover == self.side => self.wins_moving_again(),
                Some(_) => self.wins_after_every_answer(),
                None => Ok(false),
            };
            self.walk.back();
            if wins? {
                return Ok(Some(turn));
            }
        }
        Ok(None)
    }

    /// Whether two more turns of this side win, which is to move again.
    fn wins_moving_again(&mut self) -> Result<bool, Ended> {
        if self.wins_at_once()? {
            return Ok(true);
        }
        for turn in 0..self.list()?.values.len() {
            self.walk.play(turn);
            let wins = match self.walk.to_move() == Some(self.side) {
                true => self.wins_at_once(),
                false => Ok(false),
            };
            self.walk.back();
            if wins? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn wins_after_every_answer(&mut self) -> Result<bool, Ended> {
        for place in 0..self.spoiling.len() {
            if self.walk.play_again(&self.spoiling[place]) {
                let wins = self.wins_at_once();
                self.walk.back();
                if !wins? {
                    self.spoiling[..=place].rotate_right(1);
                    return Ok(false);
                }
            }
        }
        // One that is not listed may be good, here and after the next turns too.
        let answers = self.walk.list_unjudged().ok_or(Ended)?;
        self.charge(answers as u64 / LISTED_IN_A_TRY)?;
        for answer in 0..answers {
            self.walk.play(answer);
            let wins = self.wins_at_once();
            self.walk.back();
            if !wins? {
                let text = self.walk.text(answer);
                remember(&mut self.spoiling, text);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the game is won, or one turn wins it.
    fn wins_at_once(&mut self) -> Result<bool, Ended> {
        match self.walk.to_move() {
            None => return Ok(self.walk.end(self.side) == Some(WON)),
            Some(mover) if mover != self.side => return Ok(false),
            Some(_) => {}
        }
        for place in 0..self.winning.len() {
            self.charge(1)?;
            if self.walk.play_again(&self.winning[place]) {
                let wins = self.walk.end(self.side) == Some(WON);
                self.walk.back();
                if wins {
                    self.winning[..=place].rotate_right(1);
                    return Ok(true);
                }
            }
        }
        let tried = self.walk.try_to_win(self.most_tries.saturating_sub(self.tries));
        self.charge(tried.tries)?;
        if !tried.is_whole {
            return Err(Ended);
        }
        let wins = tried.winning.is_some();
        if let Some(text) = tried.winning {
            remember(&mut self.winning, text);
        }
        Ok(wins)
    }

    fn list(&mut self) -> Result<Listed, Ended> {
        let listed = self.walk.list(usize::MAX);
        self.charge(listed.judged * TRIES_OF_A_JUDGEMENT)?;
        Ok(listed)
    }

    fn charge(&mut self, tries: u64) -> Result<(), Ended> {
        self.tries += tries;
        match self.tries > self.most_tries || self.stop.load(Ordering::Relaxed) {
            true => Err(Ended),
            false => Ok(()),
        }
    }
}

fn remember(turns: &mut Vec<String>, text: String) {
    turns.truncate(MAX_REMEMBERED - 1);
    turns.insert(0, text);
}
