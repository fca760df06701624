//! What comes next, and who stands where, by the format.

use super::facts::{Contest, Format, Next, Pairing};
use super::groups::{self, all_pairs};
use super::knockout::{Bracket, seeded};
use super::standings::{Table, standings};
use super::swiss;

impl Contest {
    /// What is to be begun now.
    #[must_use]
    pub fn next(&self) -> Next {
        match self.format {
            Format::League if self.pairings.is_empty() => {
                let planned = all_pairs(&self.present(), 0);
                if planned.is_empty() {
                    Next::Over
                } else {
                    Next::Round(planned)
                }
            }
            Format::League if self.is_open(self.counted()) => Next::Wait,
            Format::League => Next::Over,
            Format::Swiss { rounds } => swiss::next(self, rounds),
            Format::Knockout => self.bracket().next(),
            Format::Groups => groups::next(self),
        }
    }

    /// A league and a Swiss have one, by points. A knockout has one, by the round in which one went out; those who went out in the
    /// same round share a place. Groups have one a group by points, then the knockout's, once all their games are over.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let rows = match self.format {
            Format::Groups => return groups::tables(self),
            Format::Knockout => self.bracket().rows(),
            Format::League | Format::Swiss { .. } => {
                let everybody: Vec<usize> = (0..self.entrants.len()).collect();
                let pairings: Vec<&Pairing> = self.counted().collect();
                standings(self, &everybody, &pairings, self.format != Format::League)
            }
        };
        vec![Table { group: 0, rows }]
    }

    /// Of the format [`Format::Knockout`].
    fn bracket(&self) -> Bracket<'_> {
        let entrant = |seed| Some(seed).filter(|seed| *seed < self.entrants.len());
        let slots = seeded(self.entrants.len()).into_iter().map(entrant).collect();
        Bracket::new(self, slots, 0)
    }
}

#[cfg(test)]
#[path = "rounds_tests.rs"]
mod tests;
