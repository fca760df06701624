//! Contests: the divisions of leagues, and cups. Only facts are stored; who stands where is counted from them.

use chrono::{DateTime, Utc};
use pbmserv_games::{Game, Options, Seat};

use crate::seasons::{Contest, Entrant, Format, Pairing, Score};
use crate::table::{BoardId, PlayerId, Terms};

use super::boards::outcome;
use super::row::Row;
use super::{Error, Reader, Result};

/// What a contest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContestKind {
    /// A division of a league in a season; both from 1.
    Division { season: u32, division: u32 },
    Cup {
        name: String,
        made_by: PlayerId,
        /// Whether only who is invited may join.
        is_private: bool,
    },
}

/// A contest that is to be added.
#[derive(Clone, Debug)]
pub struct NewContest {
    pub game: &'static Game,
    pub kind: ContestKind,
    pub format: Format,
    /// How many may take part.
    pub seats: u32,
    /// Under the newest rules of the game.
    pub options: Options,
    pub terms: Terms,
    pub begins_at: DateTime<Utc>,
}

/// A contest without its players and games.
#[derive(Clone, Debug)]
pub struct ContestRow {
    /// The number of the row, which the addresses of its pages have.
    pub id: i64,
    pub new: NewContest,
    pub begun_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// The last round of which the players got letters.
    pub announced_round: u32,
}

impl ContestRow {
    /// `Hex league, division 2`, `the cup spring`: as a part of a sentence.
    #[must_use]
    pub fn name(&self) -> String {
        let game = self.new.game.facts.bare_title();
        match &self.new.kind {
            ContestKind::Division { division, .. } => format!("the {game} league, division {division}"),
            ContestKind::Cup { name, .. } => format!("the {game} cup {name}"),
        }
    }

    /// Whether anybody may see it on the pages for everybody.
    #[must_use]
    pub const fn is_private(&self) -> bool {
        matches!(self.new.kind, ContestKind::Cup { is_private: true, .. })
    }
}

/// Who takes part.
#[derive(Clone, Debug)]
pub struct EntrantRow {
    pub player: PlayerId,
    pub userid: String,
    /// When it began.
    pub rating: f64,
    pub left_at: Option<DateTime<Utc>>,
}

/// The board of a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedBoard {
    pub id: BoardId,
    pub number: u32,
    /// Whether each of the two has played a turn there.
    pub has_moved: [bool; 2],
    pub is_over: bool,
}

/// Who plays whom.
#[derive(Clone, Debug)]
pub struct PairingRow {
    pub id: i64,
    /// With indices into the entrants.
    pub pairing: Pairing,
    /// `None`: it has not begun, or it is a bye.
    pub board: Option<PairedBoard>,
    pub is_ruled: bool,
}

/// A contest with its players, in the order of their numbers, and its games.
#[derive(Clone, Debug)]
pub struct FullContest {
    pub row: ContestRow,
    pub entrants: Vec<EntrantRow>,
    pub pairings: Vec<PairingRow>,
}

impl FullContest {
    /// What the arithmetic needs.
    #[must_use]
    pub fn facts(&self) -> Contest {
        Contest {
            format: self.row.new.format,
            entrants: self
                .entrants
                .iter()
                .map(|entrant| Entrant {
                    rating: entrant.rating,
                    left_at: entrant.left_at,
                })
                .collect(),
            pairings: self.pairings.iter().map(|pairing| pairing.pairing).collect(),
        }
    }

    /// The place of a player among the entrants.
    #[must_use]
    pub fn place_of(&self, player: PlayerId) -> Option<usize> {
        self.entrants.iter().position(|entrant| entrant.player == player)
    }

    /// The games of an entrant.
    pub fn games_of(&self, entrant: usize) -> impl Iterator<Item = &PairingRow> {
        self.pairings.iter().filter(move |row| {
            row.pairing.second.is_some()
                && (row.pairing.first == entrant || row.pairing.second == Some(entrant))
        })
    }

    /// The last round that was planned; 0: none.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.pairings
            .iter()
            .map(|row| row.pairing.round)
            .max()
            .unwrap_or(0)
    }
}

/// What the operator decides on a game of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableRuling {
    Won(Seat),
    Drawn,
    /// Nobody gets anything.
    BothLost,
    /// As if it had not been.
    Void,
}

impl TableRuling {
    const ALL: [Self; 5] = [
        Self::Won(Seat::First),
        Self::Won(Seat::Second),
        Self::Drawn,
        Self::BothLost,
        Self::Void,
    ];

    /// Its word in the database and on the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Won(Seat::First) => "first",
            Self::Won(Seat::Second) => "second",
            Self::Drawn => "draw",
            Self::BothLost => "none",
            Self::Void => "void",
        }
    }

    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruling| ruling.word() == word)
    }

    const fn score(self, at: DateTime<Utc>) -> Score {
        match self {
            Self::Won(seat) => Score::Over {
                winner: Some(seat),
                at,
            },
            Self::Drawn => Score::Over { winner: None, at },
            Self::BothLost => Score::BothLost { at },
            Self::Void => Score::Void,
        }
    }
}

pub(super) const CONTEST: &str = "SELECT id, game, season, division, name, format, rounds, seats, options, nag_days, forfeit_days, \
    total_days, made_by, is_private, begins_at, begun_at, ended_at, announced_round, refill FROM contests";

/// The most entrants, boards and contests of one that are read at once: a season has no more.
const MOST: u32 = 10_000;

impl Reader {
    /// The contest in this row.
    pub fn contest(&self, id: i64) -> Result<Option<ContestRow>> {
        self.db.find(&format!("{CONTEST} WHERE id = $1"), &[&id], contest)
    }

    /// The cup with this name.
    pub fn cup(&self, name: &str) -> Result<Option<ContestRow>> {
        let key = name.to_ascii_lowercase();
        self.db
            .find(&format!("{CONTEST} WHERE name_key = $1"), &[&key], contest)
    }

    /// The contest of which a board is a game.
    pub fn contest_of(&self, board: BoardId) -> Result<Option<ContestRow>> {
        let sql = "SELECT contest FROM pairings WHERE board = $1";
        match self.db.find(sql, &[&board], |row| row.get(0))? {
            Some(id) => self.contest(id),
            None => Ok(None),
        }
    }

    /// The contest that is due first, and when.
    pub fn first_due_contest(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, id FROM contests WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The divisions of a season of a league, the strongest first.
    pub fn divisions(&self, game: &Game, season: u32) -> Result<Vec<ContestRow>> {
        let sql = format!("{CONTEST} WHERE game = $1 AND season = $2 ORDER BY division LIMIT $3");
        self.db.all(&sql, &[&game.facts.name, &season, &MOST], contest)
    }

    /// The newest cups, those that are not over first.
    pub fn cups(&self, limit: u32) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE name IS NOT NULL ORDER BY CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT $1"
        );
        self.db.all(&sql, &[&limit], contest)
    }

    /// How many cups of this player are not over.
    pub fn open_cups_by(&self, player: PlayerId) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM contests WHERE made_by = $1 AND ended_at IS NULL";
        self.db.one(sql, &[&player], |row| row.get(0))
    }

    /// How many cups of this player have come to nothing since then.
    pub fn cups_taken_back(&self, player: PlayerId, since: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM contests WHERE made_by = $1 AND ended_at > $2 AND begun_at IS NULL";
        self.db.one(sql, &[&player, &since], |row| row.get(0))
    }

    /// The contests in which a player takes part that are not over, or were not over at this time; the oldest first.
    pub fn contests_of(&self, player: PlayerId, since: DateTime<Utc>) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE id IN (SELECT contest FROM entrants WHERE player = $1) \
             AND (ended_at IS NULL OR ended_at > $2) ORDER BY id LIMIT $3"
        );
        self.db.all(&sql, &[&player, &since, &MOST], contest)
    }

    /// The contests of a player that are over, the newest first.
    pub fn ended_contests_of(&self, player: PlayerId, limit: u32) -> Result<Vec<ContestRow>> {
        let sql = format!(
            "{CONTEST} WHERE id IN (SELECT contest FROM entrants WHERE player = $1 AND left_at IS NULL) \
             AND ended_at IS NOT NULL AND begun_at IS NOT NULL ORDER BY id DESC LIMIT $2"
        );
        self.db.all(&sql, &[&player, &limit], contest)
    }

    /// Whether a player is invited to a private cup.
    pub fn is_cup_guest(&self, contest: i64, player: PlayerId) -> Result<bool> {
        let sql = "SELECT 1 FROM cup_guests WHERE contest = $1 AND player = $2";
        Ok(self.db.find(sql, &[&contest, &player], |_| Ok(()))?.is_some())
    }

    /// How many are invited to a cup.
    pub fn cup_guests(&self, contest: i64) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM cup_guests WHERE contest = $1";
        self.db.one(sql, &[&contest], |row| row.get(0))
    }

    /// The contest in this row with its players and games.
    pub fn full_contest(&self, id: i64) -> Result<Option<FullContest>> {
        match self.contest(id)? {
            Some(row) => self.filled(row).map(Some),
            None => Ok(None),
        }
    }

    /// This contest with its players and games.
    pub fn filled(&self, row: ContestRow) -> Result<FullContest> {
        let sql = "SELECT e.player, p.userid, e.rating, e.left_at FROM entrants e JOIN players p ON p.id = e.player \
                   WHERE e.contest = $1 ORDER BY COALESCE(e.number, 0), e.joined_at, e.player LIMIT $2";
        let entrants = self.db.all(sql, &[&row.id, &MOST], |row| {
            Ok(EntrantRow {
                player: row.get(0)?,
                userid: row.get(1)?,
                rating: row.get(2)?,
                left_at: row.get(3)?,
            })
        })?;
        let sql = "SELECT p.id, p.round, p.in_group, p.first, p.second, p.ruling, p.ruled_at, \
                   b.id, b.number, b.turns, b.second_moved, b.result, b.result_by, b.ended_at \
                   FROM pairings p LEFT JOIN boards b ON b.id = p.board WHERE p.contest = $1 ORDER BY p.id LIMIT $2";
        let pairings = self
            .db
            .all(sql, &[&row.id, &MOST], |row| pairing(row, entrants.len()))?;
        Ok(FullContest {
            row,
            entrants,
            pairings,
        })
    }
}

fn format_of(word: &str, rounds: u32) -> Result<Format> {
    match word {
        "league" => Ok(Format::League),
        "swiss" => Ok(Format::Swiss { rounds }),
        "knockout" => Ok(Format::Knockout),
        "groups" => Ok(Format::Groups),
        _ => Err(Error::Corrupt(format!("a contest has the unknown format {word}"))),
    }
}

pub(super) fn contest(row: &Row<'_>) -> Result<ContestRow> {
    let (name, options): (&str, &str) = (row.get(1)?, row.get(8)?);
    let game = pbmserv_games::find(name)
        .ok_or_else(|| Error::Corrupt(format!("a contest has the unknown game {name}")))?;
    let options = Options::parse(game.facts, options.split_whitespace())
        .map_err(|refusal| Error::Corrupt(format!("a contest of {name}: {refusal}")))?;
    let (season, division): (Option<u32>, Option<u32>) = (row.get(2)?, row.get(3)?);
    let (cup, made_by): (Option<String>, Option<PlayerId>) = (row.get(4)?, row.get(12)?);
    let kind = match (season.zip(division), cup.zip(made_by)) {
        (Some((season, division)), None) => ContestKind::Division { season, division },
        (None, Some((name, made_by))) => ContestKind::Cup {
            name,
            made_by,
            is_private: row.get(13)?,
        },
        _ => {
            return Err(Error::Corrupt(
                "a contest is neither a division nor a cup".to_owned(),
            ));
        }
    };
    Ok(ContestRow {
        id: row.get(0)?,
        new: NewContest {
            game,
            kind,
            format: format_of(row.get(5)?, row.get(6)?)?,
            seats: row.get(7)?,
            options,
            terms: Terms {
                rated: true,
                nag_days: row.get(9)?,
                forfeit_days: row.get(10)?,
                total_days: row.get(11)?,
                refill: row.get(18)?,
            },
            begins_at: row.get(14)?,
        },
        begun_at: row.get(15)?,
        ended_at: row.get(16)?,
        announced_round: row.get(17)?,
    })
}

/// A pairing of a contest with this number of entrants.
fn pairing(row: &Row<'_>, entrants: usize) -> Result<PairingRow> {
    let place = |number: i64| {
        let place = usize::try_from(number - 1).ok().filter(|place| *place < entrants);
        place.ok_or_else(|| Error::Corrupt(format!("a pairing has the unknown entrant {number}")))
    };
    let second: Option<i64> = row.get(4)?;
    let ruling: Option<&str> = row.get(5)?;
    let ruling = match ruling {
        None => None,
        Some(word) => Some(
            TableRuling::of(word)
                .ok_or_else(|| Error::Corrupt(format!("a pairing has the unknown ruling {word}")))?,
        ),
    };
    let board: Option<BoardId> = row.get(7)?;
    let (result, ended_at): (Option<&str>, Option<DateTime<Utc>>) = (row.get(11)?, row.get(13)?);
    let score = match (ruling, result, ended_at) {
        (Some(ruling), _, _) => ruling.score(row.get::<Option<DateTime<Utc>>>(6)?.unwrap_or_default()),
        (None, Some("void"), _) => Score::Void,
        (None, Some("removed"), Some(at)) => {
            let by: Option<&str> = row.get(12)?;
            let winner = match by {
                Some("first") => Seat::Second,
                _ => Seat::First,
            };
            Score::Over {
                winner: Some(winner),
                at,
            }
        }
        (None, Some(result), Some(at)) => Score::Over {
            winner: match outcome(result)? {
                pbmserv_games::Outcome::Won(seat) => Some(seat),
                pbmserv_games::Outcome::Drawn => None,
            },
            at,
        },
        _ => Score::Running,
    };
    let board = match board {
        None => None,
        Some(id) => Some(PairedBoard {
            id,
            number: row.get(8)?,
            has_moved: [row.get::<u32>(9)? > 0, row.get(10)?],
            is_over: ended_at.is_some(),
        }),
    };
    Ok(PairingRow {
        id: row.get(0)?,
        pairing: Pairing {
            round: row.get(1)?,
            group: row.get(2)?,
            first: place(row.get(3)?)?,
            second: second.map(place).transpose()?,
            score,
        },
        board,
        is_ruled: ruling.is_some(),
    })
}
