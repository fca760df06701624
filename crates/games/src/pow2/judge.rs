//! Checks a turn as written against the rules, and names the rule that forbids it.

use super::board::{NAMES, Points, bit, board, each};
use super::placing::{choices, complete};
use super::turn::{Turn, WrittenPoint, WrittenTurn};
use super::{FACTS, Pow2};
use crate::{Refusal, Rules};

/// The most turns that a refusal lists; no move has more choices (see the tests of `placing`).
const LISTED: usize = 36;

impl Pow2 {
    /// The legal turn that was written.
    ///
    /// # Errors
    /// It is not legal, and the refusal names the rule; or it could mean several turns, and the refusal lists them.
    pub(super) fn judge(&self, written: &WrittenTurn) -> Result<Turn, Refusal> {
        let (placed, sets) = self.placements(written)?;
        let turn = |placed: Points| Turn::new(written.from.point, written.to.point, placed);
        match (sets, &written.placed) {
            ([only], None) => Ok(turn(*only)),
            (_, None) => Err(Refusal::ambiguous(
                format!(
                    "There are {} ways to place {} after this move.",
                    sets.len(),
                    pieces(sets.first().map_or(0, |set| set.count_ones()))
                ),
                texts(written, sets),
            )),
            _ if sets.contains(&placed) => Ok(turn(placed)),
            _ => {
                let wanted = sets.first().map_or(0, |set| set.count_ones());
                Err(self.wrong_placements(written, placed, sets, wanted))
            }
        }
    }

    /// The points of the new pieces as written, and all the ways to place them after this move, at least one.
    ///
    /// # Errors
    /// The move is not legal, or no piece can be placed on one of the points.
    pub(super) fn placements(&self, written: &WrittenTurn) -> Result<(Points, &'static [Points]), Refusal> {
        if self.outcome().is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        self.check_move(&written.from, &written.to)?;
        let (from, to) = (written.from.point, written.to.point);
        // The vacated point counts as empty.
        let occupied = self.occupied() & !bit(from);
        let table = choices(self.exact, self.supply(self.mover));
        let sets = table.sets(table.entry(to, occupied));
        if sets.is_empty() {
            return Err(self.no_room(to, occupied).at(written.to.at.clone()));
        }
        let neighbours = occupied & board().neighbours(to);
        let mut placed = 0;
        for word in written.placed.iter().flatten() {
            check_placement(word, to, occupied, neighbours, placed)?;
            placed |= bit(word.point);
        }
        Ok((placed, sets))
    }

    /// The refusal of points that are each legal, but together neither these ways to place the pieces nor `wanted` of one.
    pub(super) fn wrong_placements(
        &self,
        written: &WrittenTurn,
        placed: Points,
        sets: &[Points],
        wanted: u32,
    ) -> Refusal {
        let to = written.to.point;
        let neighbours = self.occupied() & !bit(written.from.point) & board().neighbours(to);
        self.wrong_set(to, neighbours, wanted, placed)
            .or(texts(written, sets))
    }

    fn check_move(&self, from: &WrittenPoint, to: &WrittenPoint) -> Result<(), Refusal> {
        let (start, end) = (NAMES[from.point], NAMES[to.point]);
        let [own, enemy] = [self.mover, self.mover.other()];
        let [we, they] = [own, enemy].map(|seat| FACTS.sides[seat.index()]);
        if self.pieces[enemy.index()] & bit(from.point) != 0 {
            let reason = format!("The piece on {start} is {they}'s, and it is {we}'s turn.");
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        if self.pieces[own.index()] & bit(from.point) == 0 {
            let reason = format!("There is no piece on {start}.");
            return Err(Refusal::illegal(reason).at(from.at.clone()));
        }
        let refused = |reason: String| Err(Refusal::illegal(reason).at(to.at.clone()));
        if from.point == to.point {
            return refused(format!(
                "A piece must move to another point, not from {start} to {end}."
            ));
        }
        match board().way(self.noborder, from.point, to.point) {
            None => refused(format!(
                "A piece moves along one straight line, and no line joins {start} and {end}."
            )),
            Some((_, false)) => refused(format!(
                "With -noborder no piece moves along the outer edges, as from {start} to {end}."
            )),
            Some((between, true)) => match each(between & self.occupied()).next() {
                Some(blocker) => refused(format!(
                    "A piece moves over empty points only, and {} lies between {start} and {end}.",
                    NAMES[blocker]
                )),
                None if self.occupied() & bit(to.point) != 0 => {
                    refused(format!("A piece moves to an empty point, and {end} is occupied."))
                }
                None => Ok(()),
            },
        }
    }

    /// Why there is no way to place the pieces.
    fn no_room(&self, to: usize, occupied: Points) -> Refusal {
        let neighbours = occupied & board().neighbours(to);
        let (end, needed) = (NAMES[to], neighbours.count_ones());
        if !complete(to, occupied).is_empty() {
            return Refusal::illegal(format!(
                "With -exact all pieces that a move calls for must be placed: {end} calls for {needed}, and {} left.",
                left(self.supply(self.mover)),
            ));
        }
        let lonely = each(neighbours)
            .find(|neighbour| board().neighbours(to) & board().neighbours(*neighbour) & !occupied == 0);
        Refusal::illegal(match lonely {
            Some(neighbour) => format!(
                "There is no room: no piece could be placed to form a triangle with {end} and {}.",
                NAMES[neighbour]
            ),
            None => format!(
                "There is no room: {end} has {needed} occupied neighbours, and there are not as many different \
                 empty points to form a triangle with each."
            ),
        })
    }

    /// Why points that are each legal are no complete choice together.
    fn wrong_set(&self, to: usize, neighbours: Points, wanted: u32, placed: Points) -> Refusal {
        let (end, given, needed) = (NAMES[to], placed.count_ones(), neighbours.count_ones());
        Refusal::illegal(if given != wanted && wanted < needed {
            format!(
                "{end} has {needed} occupied neighbours, but {} left: {} must be placed, not {given}.",
                left(self.supply(self.mover)),
                pieces(wanted)
            )
        } else if given != wanted {
            format!(
                "One piece must be placed for each occupied neighbour of {end}: {}, not {given}.",
                pieces(wanted)
            )
        } else {
            format!(
                "Each occupied neighbour of {end} must have its own new piece in a triangle; not so here."
            )
        })
    }
}

/// The turns with this move and each of these ways to place.
fn texts(written: &WrittenTurn, sets: &[Points]) -> Vec<String> {
    let turn = |set: &Points| Turn::new(written.from.point, written.to.point, *set).to_string();
    sets.iter().take(LISTED).map(turn).collect()
}

/// Whether a piece may be placed there, regardless of the others.
fn check_placement(
    word: &WrittenPoint,
    to: usize,
    occupied: Points,
    neighbours: Points,
    before: Points,
) -> Result<(), Refusal> {
    let (end, point) = (NAMES[to], NAMES[word.point]);
    let corners = board().neighbours(word.point) & neighbours;
    let reason = if neighbours == 0 {
        format!("{end} has no occupied neighbour, so no piece is placed.")
    } else if word.point == to {
        format!("No piece can be placed on {point}: the piece that moves stands there.")
    } else if occupied & bit(word.point) != 0 {
        format!("No piece can be placed on {point}: it is occupied when pieces are placed.")
    } else if before & bit(word.point) != 0 {
        format!("{point} is named twice: each new piece needs a point of its own.")
    } else if board().neighbours(to) & bit(word.point) == 0 || corners == 0 {
        format!("{point} forms no triangle with {end} and an occupied neighbour of {end}.")
    } else {
        return Ok(());
    };
    Err(Refusal::illegal(reason).at(word.at.clone()))
}

fn pieces(count: u32) -> String {
    match count {
        1 => "1 piece".to_owned(),
        count => format!("{count} pieces"),
    }
}

fn left(supply: u32) -> String {
    match supply {
        1 => "1 piece is".to_owned(),
        supply => format!("{supply} pieces are"),
    }
}
