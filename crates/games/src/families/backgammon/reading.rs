//! Reads a turn of a match, and says why a text is none.

use super::faults_of_dice::is_like_a_play;
use super::game::{Crawford, Game, State, Turn};
use super::loss;
use super::turn;
use crate::Refusal;
use crate::kit::reading::shown;

impl Game {
    /// Reads a turn of the player to move.
    ///
    /// # Errors
    /// The text is no turn, a rule forbids it, or it could be several plays.
    pub fn read(&self, text: &str) -> Result<Turn, Refusal> {
        let start = text.len() - text.trim_start().len();
        let word = text.trim().to_ascii_lowercase();
        let at = start..start + word.len();
        if let Some(loss) = loss::offered(&word) {
            let refused = |refusal: Refusal| refusal.at(at.clone());
            return self
                .may_concede(loss)
                .map(|()| Turn::Concede(loss))
                .map_err(refused);
        }
        let is_conceded = matches!(self.state, State::Conceded(_));
        let turn = match word.as_str() {
            "roll" => Some(Turn::Roll),
            "double" | "redouble" => Some(Turn::Double),
            "accept" if is_conceded => Some(Turn::Accept),
            "refuse" | "reject" | "decline" if is_conceded => Some(Turn::Refuse),
            "take" | "accept" => Some(Turn::Take),
            "drop" | "decline" | "reject" | "refuse" => Some(Turn::Drop),
            // Players say so of both.
            "pass" if self.state == State::Doubled => Some(Turn::Drop),
            "pass" => Some(Turn::Pass),
            _ => None,
        };
        if let (State::ToPlay(roll), None) = (self.state, turn) {
            return Ok(Turn::Play(turn::read(&self.position, self.mover, roll, text)?));
        }
        let legal = self.turns();
        if let Some(turn) = turn.filter(|turn| legal.contains(turn)) {
            return Ok(turn);
        }
        let choices = match self.state {
            State::ToPlay(_) => turn::MAX_CHOICES,
            _ => legal.len(),
        };
        let choices = legal.iter().take(choices).map(ToString::to_string).collect();
        let reason = self.refused(turn);
        let refusal = match turn {
            None if !is_like_a_play(text) => {
                Refusal::unreadable(format!("\"{}\" is no turn. {reason}", shown(&word)))
            }
            _ => Refusal::illegal(reason),
        };
        Err(refusal.at(at).or(choices))
    }

    /// Why this turn, or a play, is not legal now.
    pub(super) fn refused(&self, turn: Option<Turn>) -> String {
        match (self.state, turn) {
            (State::GameOver, _) => "The match is over.".to_owned(),
            (State::NeedsOpeningRoll, _) => "The opening roll comes first.".to_owned(),
            (State::NeedsRoll, Some(Turn::Double)) => self.no_double(),
            (State::NeedsRoll, _) => "The dice are rolled first.".to_owned(),
            (State::Doubled, _) => {
                let value = u16::from(self.cube) * 2;
                format!("You are offered the cube at {value}: take it, or drop the game.")
            }
            (State::Conceded(loss), _) => {
                format!(
                    "Your opponent offers to lose {}: accept it, or refuse it.",
                    loss.named()
                )
            }
            (State::RollOrDouble, _) => "You roll or double first.".to_owned(),
            (State::ToPlay(roll), Some(Turn::Pass)) => {
                format!("You pass only if no checker can move; with {roll} one can.")
            }
            (State::ToPlay(roll), Some(Turn::Double)) => {
                format!("You double only before your roll, and you have {roll}.")
            }
            (State::ToPlay(roll), Some(Turn::Take | Turn::Drop)) => {
                format!("No cube is offered: play your roll {roll}.")
            }
            (State::ToPlay(roll), _) => format!("Your roll is {roll}: play it."),
        }
    }

    fn no_double(&self) -> String {
        match self.owner {
            _ if self.length == 1 => "A match of one point has no cube.".to_owned(),
            _ if self.crawford == Crawford::Now => "Nobody doubles in the Crawford game.".to_owned(),
            Some(owner) if owner != self.mover => "Your opponent owns the cube.".to_owned(),
            _ if self.may_double(self.mover) => "You chose to roll, so you do not double now.".to_owned(),
            _ => format!("The cube at {} already wins you the match.", self.cube),
        }
    }
}
