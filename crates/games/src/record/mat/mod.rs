//! Matches of backgammon as GNU Backgammon and other programs write them, in files that end in .mat: for each game its score, and rows with
//! the dice and the plays of both players (<https://www.gnu.org/software/gnubg/manual/>, "Export match to .mat").

mod counts;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(super) use read::{is_meant, read};

/// The right column, of the second player, begins here in each row.
const RIGHT: usize = 33;

/// Our names for the bar and off the board, and the numbers there.
const NAMED: [(&str, &str); 2] = [("bar", "25"), ("off", "0")];
