//! Atari Go: the first capture wins.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::liberties::{Liberties, LibertyGame};
use super::{Facts, OptionFact, Options, Outcome, Worked};
use crate::Seat;
use crate::kit::square::Bits;

const FACTS: Facts = Facts {
    name: "AtariGo",
    aliases: &["CaptureGo", "FirstCapture"],
    title: "Atari Go",
    options: &[OptionFact::number(
        "size",
        [5, 19, 9],
        "the number of rows and of columns",
    )],
    designer: "Yasutoshi Yasuda, from the game of Go",
    summary: "Capture a stone before your opponent does.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone, such as d4. The letters of the columns leave out i.",
    worked: Worked {
        options: &["-size=7"],
        before: &["d4", "e4", "e3", "c3", "f4"],
        turns: [
            (
                "c7",
                "White's stone on e4 has black neighbours on three sides, and White puts a stone elsewhere. That is careless:",
            ),
            (
                "e5",
                "Black takes the last liberty of the stone. It is captured, and the first capture wins.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d4", "e5", "e4", "f4"],
    source: "Atari Go at Sensei's Library (https://senseis.xmp.net/?AtariGo); that nobody passes and that who cannot move loses is \
             decided here, as in Gonnect",
    // One turn for each crossing of the largest board.
    longest_random_game: 361,
    ..Facts::BLANK
};

/// A position of Atari Go.
pub type AtariGo = Liberties<FirstCapture>;

/// The rule of Atari Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstCapture;

/// The worth of a capture that cannot be stopped, of a group in atari, and of a liberty.
const WINS: i32 = 3000;
const ATARI: i32 = 60;
const LIBERTY: i32 = 12;

impl LibertyGame for FirstCapture {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 40;

    fn start(_: &Options) -> Self {
        Self
    }

    fn end(at: &AtariGo, taken: Bits) -> Option<Outcome> {
        (!taken.is_empty()).then_some(Outcome::Won(at.mover))
    }

    fn ended(after: &AtariGo) -> Option<String> {
        // Every stone is still there, so the other side cannot move.
        let is_full = after
            .board
            .stones
            .map(|stones| stones.count())
            .iter()
            .sum::<u32>()
            == after.turns;
        let loser = FACTS.sides[after.mover.index()];
        is_full.then(|| format!("left {loser} no turn"))
    }

    fn value(at: &AtariGo) -> i32 {
        value(at)
    }

    /// What takes a stone, or else what saves one, or else what is near stones and no own eye.
    fn worth_a_look(at: &AtariGo, legal: Bits) -> Bits {
        let last = |seat: Seat| last_liberties(at, seat);
        let wins = last(at.mover.other()) & legal;
        let saves = last(at.mover) & legal;
        if !wins.is_empty() {
            return wins;
        }
        if !saves.is_empty() {
            return saves;
        }
        let near = legal & at.near_stones_and_corners();
        near.iter()
            .filter(|cell| !at.board.is_eye(at.mover, *cell))
            .collect()
    }

    fn may_win(at: &AtariGo, legal: Bits) -> Bits {
        match legal.count() {
            // On a full board it may win to leave the other side no turn.
            0..16 => legal,
            _ => last_liberties(at, at.mover.other()) & legal,
        }
    }
}

/// The last liberties of the groups of a side that have one.
fn last_liberties(at: &AtariGo, seat: Seat) -> Bits {
    let single = at.board.groups(seat).filter(|group| group.liberties.count() == 1);
    single.fold(Bits::EMPTY, |all, group| all | group.liberties)
}

fn value(at: &AtariGo) -> i32 {
    let [own, other] = [at.mover, at.mover.other()];
    if !last_liberties(at, other).is_empty() {
        return WINS;
    }
    let threatened = last_liberties(at, own).count();
    if threatened > 1 {
        return -WINS;
    }
    let room = |seat: Seat| {
        let worth = |liberties: u32| LIBERTY * [0, 0, 3, 5, 6, 7][liberties.min(5) as usize];
        let groups = at
            .board
            .groups(seat)
            .map(|group| worth(group.liberties.count()) - LIBERTY * 7);
        groups.sum::<i32>()
    };
    let reach = at.board.reach().map(|zone| zone.count() as i32);
    let eyes = reach[own.index()] - reach[other.index()];
    room(own) - room(other) + 3 * eyes - ATARI * threatened as i32
}
