//! Leagues, ladders and cups: who plays whom, and who stands where. All of it is arithmetic over facts.
//!
//! 1. `facts` is what is known of a contest: who takes part, and what was played.
//! 2. `rounds` answers what comes next ([`Contest::next`]) and who stands where ([`Contest::tables`]), by the format: `berger`
//!    for a league and the groups of a cup, `swiss` `knockout`, `groups`; `standings` are tables by points.
//! 3. `divisions` divides a league, `ladder` ranks a ladder.

mod berger;
mod divisions;
mod facts;
mod groups;
mod knockout;
mod ladder;
#[cfg(test)]
#[path = "made_for_tests.rs"]
mod made;
mod rounds;
mod standings;
mod swiss;

pub use divisions::{changes, divisions, reordered};
pub use facts::{Contest, Entrant, Format, Next, Pairing, Planned, Score};
pub use ladder::{LadderEvent, challengeable, ranks};
pub use standings::{Row, Table};
