//! What a turn does other than what its text says.

use super::board::BAR;
use super::game::{Crawford, Game, State, Turn};
use super::loss::Loss;
use crate::kit::words;

impl Game {
    /// The effects of a turn of this position, as clauses after the player's name.
    #[must_use]
    pub fn effects(&self, turn: &Turn) -> Vec<String> {
        let mut effects = Vec::new();
        let mut after = *self;
        after.play(turn);
        let value = u16::from(self.cube) * 2;
        match turn {
            Turn::Double => effects.push(format!("offered the cube at {value}")),
            Turn::Drop => effects.push(self.said(&after, "lost the game")),
            Turn::Concede(loss) => {
                let points = points(u16::from(self.cube) * u16::from(loss.times()));
                let kind = match loss {
                    Loss::Single => String::new(),
                    _ => format!(" as {}", loss.named()),
                };
                effects.push(format!("offered to give the game up{kind} for {points}"));
            }
            Turn::Accept => {
                if let State::Conceded(loss) = self.state {
                    effects.push(self.said(&after, &format!("won {}", loss.named())));
                }
            }
            Turn::Play(play) => {
                let hits = play.hits().count();
                if hits > 0 {
                    effects.push(format!("hit {}", words::count(hits, "checker")));
                }
                let other = self.mover.other();
                if play.result().winner().is_some() {
                    let what = match play.result().loss(other) {
                        3 => "won a backgammon",
                        2 => "won a gammon",
                        _ => "won the game",
                    };
                    effects.push(self.said(&after, what));
                } else if play.result().count(self.mover, BAR) > 0 {
                    let left = usize::from(play.result().count(self.mover, BAR));
                    effects.push(format!("kept {} on the bar", words::count(left, "checker")));
                }
            }
            Turn::Roll | Turn::Pass | Turn::Take | Turn::Refuse => {}
        }
        effects
    }

    /// `won a gammon, 2 points; the match stands at 3-1`, with the points of this player first.
    fn said(&self, after: &Self, what: &str) -> String {
        let total = |game: &Self| game.score.iter().map(|points| u16::from(*points)).sum::<u16>();
        let points = points(total(after).saturating_sub(total(self)));
        let [own, other] = [self.mover, self.mover.other()].map(|seat| after.score[seat.index()]);
        match (after.state, self.length) {
            (State::GameOver, 1) => what.to_owned(),
            (State::GameOver, _) => format!("{what}, {points}; the match ended {own}-{other}"),
            _ if after.crawford == Crawford::Now => {
                format!("{what}, {points}; the match stands at {own}-{other}, and the next game has no cube")
            }
            _ => format!("{what}, {points}; the match stands at {own}-{other}"),
        }
    }
}

fn points(number: u16) -> String {
    match number {
        1 => "1 point".to_owned(),
        _ => format!("{number} points"),
    }
}
