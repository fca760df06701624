//! Tables of contests as text of at most 72 columns, and what they say of one player.

use pbmserv_games::Seat;

use crate::command::{Context, InternalError};
use crate::letters::columns;
use crate::seasons::{Format, Row, Score, Table, changes};
use crate::store::{AddressRow, ContestKind, ContestRow, FullContest, Reader};
use crate::table::{Player, PlayerId};

use super::grid::{Grid, crosstable, place, points, sign, swiss};

/// The first, the second: as a word.
#[must_use]
pub fn ordinal(place: u32) -> String {
    const WORDS: [&str; 10] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    ];
    let word = usize::try_from(place)
        .ok()
        .and_then(|place| WORDS.get(place.checked_sub(1)?));
    match word {
        Some(word) => (*word).to_owned(),
        None => format!("number {place}"),
    }
}

/// The tables of a contest, one below the other, with what was played.
pub(crate) fn tables(contest: &FullContest) -> String {
    let facts = contest.facts();
    let tables = facts.tables();
    let mut parts = Vec::new();
    for table in &tables {
        parts.push(match (contest.row.new.format, table.group) {
            (Format::Swiss { .. }, _) => text(contest, swiss(contest, table, MAX_ROUNDS)),
            (Format::Knockout, _) | (Format::Groups, 0) => knockout(contest, table),
            (Format::League, _) => text(contest, crosstable(contest, table)),
            (Format::Groups, group) => {
                format!("Group {group}\n{}", text(contest, crosstable(contest, table)))
            }
        });
    }
    parts.join("\n\n")
}

fn name(contest: &FullContest, row: &Row) -> String {
    let entrant = contest.entrants.get(row.entrant);
    entrant.map(|entrant| entrant.userid.clone()).unwrap_or_default()
}

/// The rows as text.
fn text(contest: &FullContest, grid: Grid) -> String {
    // The points first: a telephone shows the left of a table.
    let line = |head: [&str; 3], games: Vec<String>, end: &str| {
        let head = head.into_iter().map(str::to_owned).chain(games);
        head.chain([end.to_owned()]).collect::<Vec<_>>()
    };
    let mut rows = vec![line(["", "Player", "Points"], grid.columns, grid.tie_break.0)];
    for row in grid.rows {
        let userid = contest
            .entrants
            .get(row.entrant)
            .map(|entrant| entrant.userid.as_str());
        let games = row.games.into_iter().map(|game| game.text).collect();
        let head = [&row.place, userid.unwrap_or_default(), &row.points];
        rows.push(line(head, games, &row.tie_break));
    }
    columns(&rows)
}

/// The most rounds of a Swiss system that stand in a line.
const MAX_ROUNDS: u32 = 8;

/// The games of each round, then who is out.
fn knockout(contest: &FullContest, table: &Table) -> String {
    let userid = |entrant: usize| contest.entrants[entrant].userid.clone();
    let mut rows = vec![["Round", "Player", "", "Result"].map(str::to_owned).to_vec()];
    let mut round = 0;
    for row in contest.pairings.iter().filter(|row| row.pairing.group == 0) {
        let pairing = &row.pairing;
        let label = match pairing.round == round {
            true => String::new(),
            false => pairing.round.to_string(),
        };
        round = pairing.round;
        let (second, result) = match pairing.second {
            None => ("goes on without a game".to_owned(), String::new()),
            Some(second) => {
                let signs = Seat::BOTH.map(|seat| sign(pairing.score, seat));
                let result = match signs {
                    [Some('.'), _] => "is played".to_owned(),
                    [Some(first), Some(other)] => format!("{first}-{other}"),
                    _ => "does not count".to_owned(),
                };
                (format!("against {}", userid(second)), result)
            }
        };
        rows.push(vec![label, userid(pairing.first), second, result]);
    }
    let mut text = columns(&rows);
    if contest.row.ended_at.is_some() {
        let places = table
            .rows
            .iter()
            .filter(|row| row.place.is_some_and(|place| place <= 4));
        let places = places.map(|row| vec![place(row), name(contest, row)]);
        let head = ["Place", "Player"].map(str::to_owned).to_vec();
        let places: Vec<_> = std::iter::once(head).chain(places).collect();
        text.push_str(&format!("\n\n{}", columns(&places)));
    }
    text
}

/// Where a player stands, as a clause: `third of ten, with 4½ points, 3 games are open`.
pub(crate) fn standing(contest: &FullContest, player: PlayerId) -> Option<String> {
    let entrant = contest.place_of(player)?;
    let facts = contest.facts();
    let tables = facts.tables();
    // Of a cup with groups the knockout comes last.
    let (table, row) = tables
        .iter()
        .rev()
        .find_map(|table| Some((table, table.rows.iter().find(|row| row.entrant == entrant)?)))?;
    let Some(place) = row.place else {
        return Some("out of the table, since you have left".to_owned());
    };
    let shared = if row.is_shared { "shared " } else { "" };
    let of = table.rows.len();
    let open = contest
        .games_of(entrant)
        .filter(|row| matches!(row.pairing.score, Score::Running))
        .count();
    let open = match open {
        0 => String::new(),
        1 => ", and one game is open".to_owned(),
        many => format!(", and {many} games are open"),
    };
    let is_knockout = contest.row.new.format == Format::Knockout
        || contest.row.new.format == Format::Groups && table.group == 0;
    let with = match (is_knockout, row.halves) {
        (true, _) => String::new(),
        (false, 2) => ", with one point".to_owned(),
        (false, halves) => format!(", with {} points", points(halves)),
    };
    Some(format!("{shared}{} of {of}{with}{open}", ordinal(place)))
}

/// A contest, and where a player stands in it.
#[derive(Clone, Debug)]
pub struct OwnTable {
    pub row: ContestRow,
    /// `The Hex league, division 2: you are third of ten, with 4½ points.`
    pub sentence: String,
}

/// The contests of a player that run, or were over after this time.
///
/// # Errors
/// The database cannot be read.
pub fn own_tables(
    reader: &Reader,
    player: PlayerId,
    since: chrono::DateTime<chrono::Utc>,
) -> Result<Vec<OwnTable>, InternalError> {
    let mut tables = Vec::new();
    for row in reader.contests_of(player, since)? {
        if row.begun_at.is_none() {
            continue;
        }
        let contest = reader.filled(row)?;
        let Some(entrant) = contest.place_of(player) else {
            continue;
        };
        if contest.entrants[entrant].left_at.is_some() {
            continue;
        }
        let Some(standing) = standing(&contest, player) else {
            continue;
        };
        let name = capital(&contest.row.name());
        let sentence = match contest.row.ended_at {
            None => format!("{name}: you are {standing}."),
            Some(_) => format!(
                "{name} is over: you are {standing}.{}",
                what_follows(reader, &contest, entrant)?
            ),
        };
        tables.push(OwnTable {
            row: contest.row,
            sentence,
        });
    }
    Ok(tables)
}

/// Whether this entrant goes up or down after a season, as a sentence with a blank before it.
pub(crate) fn what_follows(
    reader: &Reader,
    contest: &FullContest,
    entrant: usize,
) -> Result<String, InternalError> {
    let ContestKind::Division { season, division } = contest.row.new.kind else {
        return Ok(String::new());
    };
    let divisions = reader.divisions(contest.row.new.game, season)?;
    let is_last = divisions.len() <= usize::try_from(division).unwrap_or(usize::MAX);
    let facts = contest.facts();
    let Some(table) = facts.tables().into_iter().next() else {
        return Ok(String::new());
    };
    let Some(at) = table.rows.iter().position(|row| row.entrant == entrant) else {
        return Ok(String::new());
    };
    let changing = changes(table.rows.len());
    Ok(if at < changing && division > 1 {
        format!(" You go up to division {}.", division - 1)
    } else if at + changing >= table.rows.len() && !is_last {
        format!(" You go down to division {}.", division + 1)
    } else {
        String::new()
    })
}

/// With a capital letter.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A listing of the tables of these contests, each below its name.
pub(crate) fn all_tables(reader: &Reader, rows: Vec<ContestRow>) -> Result<String, InternalError> {
    let mut parts = Vec::new();
    for row in rows {
        let contest = reader.filled(row)?;
        parts.push(format!(
            "{}\n\n{}",
            capital(&contest.row.name()),
            tables(&contest)
        ));
    }
    Ok(parts.join("\n\n\n"))
}

/// The ranks of a ladder as a table: who is on it, and who is away.
pub(crate) fn ladder(
    context: &Context<'_>,
    ranks: &[PlayerId],
    limit: usize,
) -> Result<String, InternalError> {
    if ranks.is_empty() {
        return Ok(String::new());
    }
    let mut rows = vec![["Rank", "Player", ""].map(str::to_owned).to_vec()];
    for (rank, player) in (1_u32..).zip(ranks.iter().take(limit)) {
        let Some(player) = context.store.player_by_id(*player)? else {
            continue;
        };
        let away = match is_frozen(context.store, &player)? {
            true => "away",
            false => "",
        };
        rows.push(vec![rank.to_string(), player.userid, away.to_owned()]);
    }
    Ok(columns(&rows))
}

/// Whether somebody on a ladder keeps the place and cannot be challenged now.
///
/// # Errors
/// The database cannot be read.
pub fn is_frozen(reader: &Reader, player: &Player) -> Result<bool, InternalError> {
    if player.away_since.is_some() || player.disabled_at.is_some() {
        return Ok(true);
    }
    let is_reachable = reader.addresses(player.id)?.iter().any(AddressRow::is_reachable);
    Ok(!is_reachable || reader.vacation(player.id)?.is_some())
}
