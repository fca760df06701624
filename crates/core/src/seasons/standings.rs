//! Tables by points.
//!
//! Ties are broken by Sonneborn-Berger, in a Swiss by Buchholz before it, then by the direct games, the wins, and the rating at the
//! start. Who is level by all of these shares the place. Both sums are FIDE's (Handbook C.07): the points of all opponents, and
//! those of the opponents beaten with half of those drawn with. A round without a game counts as there, too: as one against an
//! opponent who has the player's own points, won where it was a bye. A game that was lost on time or by leaving is a game here.

use std::cmp::Ordering;

use super::facts::{Contest, Pairing};

/// Best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// From 1; 0 for a league, a Swiss, and a knockout, also that of a cup with groups.
    pub group: u32,
    pub rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of the entrant.
    pub entrant: usize,
    /// From 1. `None` for those who have left and whose games are annulled, or who had none; they stand last.
    pub place: Option<u32>,
    pub is_shared: bool,
    /// Half points.
    pub halves: u32,
    /// The points of the opponents, in half points. 0 where it breaks no ties: it is for Swiss.
    pub buchholz: u32,
    /// In quarter points.
    pub sonneborn_berger: u32,
    /// Half points in the games among those who are level by all that stands before; 0 unless each of them has played all others.
    pub direct: u32,
    pub played: u32,
    pub wins: u32,
    pub has_left: bool,
}

/// The rows of these members, best first, by these pairings, all of which count.
pub(super) fn standings(
    contest: &Contest,
    members: &[usize],
    pairings: &[&Pairing],
    is_swiss: bool,
) -> Vec<Row> {
    let is_annulled = if is_swiss {
        vec![false; contest.entrants.len()]
    } else {
        annulled(contest, pairings)
    };
    let annuls = |entrant: usize| is_annulled.get(entrant).copied().unwrap_or(false);
    let pairings: Vec<&Pairing> = pairings
        .iter()
        .copied()
        .filter(|pairing| !annuls(pairing.first) && !pairing.second.is_some_and(annuls))
        .collect();
    let games: Vec<Game> = pairings
        .iter()
        .filter_map(|pairing| Game::of(contest, pairing))
        .collect();

    let mut halves = vec![0; contest.entrants.len()];
    for (entrant, gained) in games.iter().flat_map(Game::gains).chain(byes(&pairings)) {
        if let Some(halves) = halves.get_mut(entrant) {
            *halves += gained;
        }
    }
    let halves_of = |entrant: usize| halves.get(entrant).copied().unwrap_or(0);

    let rounds = pairings.iter().map(|pairing| pairing.round).max().unwrap_or(0);
    let row = |entrant: usize| {
        let own = halves_of(entrant);
        let views = games.iter().filter_map(|game| game.seen_by(entrant));
        let gained_of = views
            .clone()
            .map(|(opponent, gained)| gained * halves_of(opponent));
        let byes = byes(&pairings).filter(|(first, _)| *first == entrant).count() as u32;
        let opponents = pairings.iter().filter_map(|pairing| pairing.opponent_of(entrant));
        let without_game = rounds.saturating_sub(opponents.clone().count() as u32);
        Row {
            entrant,
            place: None,
            is_shared: false,
            halves: own,
            buchholz: if is_swiss {
                opponents.map(halves_of).sum::<u32>() + own * without_game
            } else {
                0
            },
            sonneborn_berger: gained_of.sum::<u32>() + 2 * own * byes,
            direct: 0,
            played: views.clone().count() as u32,
            wins: views.filter(|(_, gained)| *gained == 2).count() as u32,
            has_left: contest.left_at(entrant).is_some(),
        }
    };
    let (out, mut rows): (Vec<Row>, Vec<Row>) = members
        .iter()
        .map(|member| row(*member))
        .partition(|row| annuls(row.entrant) || (row.has_left && row.played == 0 && row.halves == 0));

    rows.sort_by(by_sums);
    for level in rows.chunk_by_mut(|one, other| by_sums(one, other).is_eq()) {
        set_direct(level, &games);
    }
    let order = |one: &Row, other: &Row| by_all(contest, one, other);
    rows.sort_by(order);
    let mut place = 1;
    for level in rows.chunk_by_mut(|one, other| order(one, other).is_eq()) {
        let is_shared = level.len() > 1;
        for row in &mut *level {
            (row.place, row.is_shared) = (Some(place), is_shared);
        }
        place += level.len() as u32;
    }
    rows.extend(out);
    rows
}

/// Best first, by what does not depend on who is level.
fn by_sums(one: &Row, other: &Row) -> Ordering {
    let sums = |row: &Row| (row.halves, row.buchholz, row.sonneborn_berger);
    sums(other).cmp(&sums(one))
}

fn by_all(contest: &Contest, one: &Row, other: &Row) -> Ordering {
    let rating = |row: &Row| {
        contest
            .entrants
            .get(row.entrant)
            .map_or(0.0, |entrant| entrant.rating)
    };
    by_sums(one, other)
        .then(other.direct.cmp(&one.direct))
        .then(other.wins.cmp(&one.wins))
        .then(rating(other).total_cmp(&rating(one)))
}

/// The points in the games among those who are level, if each of them has played all others.
fn set_direct(level: &mut [Row], games: &[Game]) {
    let direct: Vec<Option<u32>> = level
        .iter()
        .map(|row| {
            let others = level.iter().filter(|other| other.entrant != row.entrant);
            others
                .map(|other| {
                    let mut against = games
                        .iter()
                        .filter_map(|game| game.seen_by(row.entrant))
                        .filter(|(opponent, _)| *opponent == other.entrant)
                        .map(|(_, gained)| gained)
                        .peekable();
                    against.peek()?;
                    Some(against.sum::<u32>())
                })
                .sum()
        })
        .collect();
    let Some(direct) = direct.into_iter().collect::<Option<Vec<_>>>() else {
        return;
    };
    for (row, direct) in level.iter_mut().zip(direct) {
        row.direct = direct;
    }
}

/// Those who left before half of their games were over. Their games count for nobody.
fn annulled(contest: &Contest, pairings: &[&Pairing]) -> Vec<bool> {
    let mut is_annulled = vec![false; contest.entrants.len()];
    let mut leavers: Vec<_> = (0..contest.entrants.len())
        .filter_map(|entrant| Some((contest.left_at(entrant)?, entrant)))
        .collect();
    // In their order: what one leaver's games are worth depends on who had left before.
    leavers.sort();
    for (left_at, entrant) in leavers {
        let mut total = 0;
        let mut over = 0;
        for pairing in pairings {
            let Some(opponent) = pairing.opponent_of(entrant) else {
                continue;
            };
            if is_annulled.get(opponent).copied().unwrap_or(false) {
                continue;
            }
            total += 1;
            // The boards that leaving has ended may bear its very time.
            over += usize::from(contest.result(pairing).is_some_and(|result| result.at < left_at));
        }
        if let Some(is_annulled) = is_annulled.get_mut(entrant) {
            *is_annulled = 2 * over < total;
        }
    }
    is_annulled
}

/// Who has a bye, and what it brings.
fn byes<'a>(pairings: &'a [&Pairing]) -> impl Iterator<Item = (usize, u32)> + 'a {
    let byes = pairings.iter().filter(|pairing| pairing.second.is_none());
    byes.map(|pairing| (pairing.first, 2))
}

/// A game that is over.
struct Game {
    players: [usize; 2],
    halves: [u32; 2],
}

impl Game {
    fn of(contest: &Contest, pairing: &Pairing) -> Option<Self> {
        Some(Self {
            players: [pairing.first, pairing.second?],
            halves: contest.result(pairing)?.halves,
        })
    }

    /// Each player with the half points won.
    fn gains(&self) -> impl Iterator<Item = (usize, u32)> + use<> {
        self.players.into_iter().zip(self.halves)
    }

    /// The opponent, and the half points won.
    fn seen_by(&self, entrant: usize) -> Option<(usize, u32)> {
        let [first, second] = self.players;
        match entrant {
            _ if entrant == first => Some((second, self.halves[0])),
            _ if entrant == second => Some((first, self.halves[1])),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "standings_tests.rs"]
mod tests;
