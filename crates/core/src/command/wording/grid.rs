//! Tables of contests as rows of cells, which mails set as text and pages with links to the boards.

use std::collections::BTreeMap;

use pbmserv_games::Seat;

use crate::seasons::{Row, Score, Table};
use crate::store::{FullContest, PairingRow};

/// A table of a contest.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What stands over the games.
    pub columns: Vec<String>,
    /// Best first.
    pub rows: Vec<GridRow>,
    /// What the ties are broken by first, shortened and in full.
    pub tie_break: (&'static str, &'static str),
}

/// What an entrant has played.
#[derive(Clone, Debug)]
pub struct GridRow {
    /// `2`; `2=` if it is shared; `-` for who has left.
    pub place: String,
    /// Index of the entrant.
    pub entrant: usize,
    /// One for each column.
    pub games: Vec<GridCell>,
    pub points: String,
    pub tie_break: String,
}

/// A game, seen by one of the two.
#[derive(Clone, Debug, Default)]
pub struct GridCell {
    pub text: String,
    /// The number of the board, once it has begun.
    pub board: Option<u32>,
}

impl GridCell {
    fn bare(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            board: None,
        }
    }

    fn of(game: &PairingRow, text: String) -> Self {
        Self {
            text,
            board: game.board.map(|board| board.number),
        }
    }
}

/// What an entrant got in a game, in a sign; `None`: it does not count.
pub(crate) fn sign(score: Score, seat: Seat) -> Option<char> {
    match score {
        Score::Running => Some('.'),
        Score::Void => None,
        Score::Over { winner: None, .. } => Some('½'),
        Score::Over {
            winner: Some(winner), ..
        } if winner == seat => Some('1'),
        Score::Over { .. } | Score::BothLost { .. } => Some('0'),
    }
}

pub(crate) fn place(row: &Row) -> String {
    match row.place {
        None => "-".to_owned(),
        Some(place) if row.is_shared => format!("{place}="),
        Some(place) => place.to_string(),
    }
}

/// `4½`.
#[must_use]
pub fn points(halves: u32) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// `12.25`, of quarter points.
fn quarters(quarters: u32) -> String {
    format!("{}.{:02}", quarters / 4, quarters % 4 * 25)
}

/// Everybody against everybody, in the order of the places.
#[must_use]
pub fn crosstable(contest: &FullContest, table: &Table) -> Grid {
    let mut played: BTreeMap<(usize, usize), GridCell> = BTreeMap::new();
    let of_group = contest
        .pairings
        .iter()
        .filter(|row| row.pairing.group == table.group);
    for row in of_group {
        let pairing = &row.pairing;
        if let Some(second) = pairing.second {
            let signs = Seat::BOTH.map(|seat| sign(pairing.score, seat));
            let cell = |sign: char| GridCell::of(row, sign.to_string());
            played.extend(signs[0].map(|sign| ((pairing.first, second), cell(sign))));
            played.extend(signs[1].map(|sign| ((second, pairing.first), cell(sign))));
        }
    }
    let game = |own: usize, other: usize| match played.get(&(own, other)) {
        _ if own == other => GridCell::bare("*"),
        Some(cell) => cell.clone(),
        None => GridCell::bare("-"),
    };
    let row = |row: &Row| GridRow {
        place: place(row),
        entrant: row.entrant,
        games: table
            .rows
            .iter()
            .map(|other| game(row.entrant, other.entrant))
            .collect(),
        points: points(row.halves),
        tie_break: quarters(row.sonneborn_berger),
    };
    Grid {
        columns: (1..=table.rows.len()).map(|number| number.to_string()).collect(),
        rows: table.rows.iter().map(row).collect(),
        tie_break: ("SB", "Sonneborn-Berger"),
    }
}

/// Round by round: `+12` is a win against number 12 of this table. At most this many rounds, the last ones.
#[must_use]
pub fn swiss(contest: &FullContest, table: &Table, most_rounds: u32) -> Grid {
    let rank: BTreeMap<usize, usize> = (1..)
        .zip(&table.rows)
        .map(|(at, row)| (row.entrant, at))
        .collect();
    let last = contest.round();
    let first = last.saturating_sub(most_rounds.saturating_sub(1)).max(1);
    let game = |entrant: usize, round: u32| {
        let found = contest.pairings.iter().find(|row| {
            let pairing = &row.pairing;
            pairing.round == round && (pairing.first == entrant || pairing.second == Some(entrant))
        });
        let Some(row) = found else {
            return GridCell::bare("-");
        };
        let pairing = &row.pairing;
        let Some(second) = pairing.second else {
            return GridCell::bare("bye");
        };
        let (other, seat) = match pairing.first == entrant {
            true => (second, Seat::First),
            false => (pairing.first, Seat::Second),
        };
        let result = match sign(pairing.score, seat) {
            Some('1') => '+',
            Some('½') => '=',
            Some('0') => '-',
            Some(_) => '.',
            None => 'x',
        };
        let number = rank.get(&other).copied().unwrap_or_default();
        GridCell::of(row, format!("{result}{number}"))
    };
    let row = |row: &Row| GridRow {
        place: place(row),
        entrant: row.entrant,
        games: (first..=last).map(|round| game(row.entrant, round)).collect(),
        points: points(row.halves),
        tie_break: points(row.buchholz),
    };
    Grid {
        columns: (first..=last).map(|round| format!("R{round}")).collect(),
        rows: table.rows.iter().map(row).collect(),
        tie_break: ("Buch.", "Buchholz"),
    }
}
