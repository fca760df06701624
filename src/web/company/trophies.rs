//! The contests that a player has won, computed from their tables.

use chrono::{DateTime, Utc};
use serde::Serialize;

use pbmserv_core::command::{capital, ordinal};
use pbmserv_core::letters::Times;
use pbmserv_core::store::{ContestKind, ContestRow, Reader};
use pbmserv_core::table::PlayerId;

use crate::web::fault::Fault;
use crate::web::viewer::Viewer;

use super::place::{is_open_to, page_of};

/// The most contests that are looked through, the newest.
const MAX_CONTESTS: u32 = 40;

/// A first place.
#[derive(Serialize)]
pub(in crate::web) struct Trophy {
    title: String,
    /// The year in which it ended.
    year: String,
    page: String,
}

/// The first places of a player, the newest first, as far as this viewer may know of them.
pub(in crate::web) fn trophies(
    reader: &Reader,
    viewer: &Viewer,
    player: PlayerId,
    times: Times,
) -> Result<Vec<Trophy>, Fault> {
    let mut trophies = Vec::new();
    for row in reader.ended_contests_of(player, MAX_CONTESTS)? {
        let Some(ended) = row.ended_at else {
            continue;
        };
        if !is_open_to(reader, viewer, &row)? {
            continue;
        }
        let contest = reader.filled(row)?;
        let tables = contest.facts().tables();
        // Of a cup with groups the knockout comes last.
        let rows = tables
            .last()
            .map(|table| table.rows.as_slice())
            .unwrap_or_default();
        let won = rows.iter().find(|row| {
            let entrant = contest.entrants.get(row.entrant);
            row.place == Some(1) && entrant.is_some_and(|entrant| entrant.player == player)
        });
        if let Some(won) = won {
            trophies.push(Trophy {
                title: title(&contest.row, won.is_shared),
                year: year(ended, times),
                page: page_of(&contest.row),
            });
        }
    }
    Ok(trophies)
}

/// `First of division 2, the Hex league, season 3`.
fn title(row: &ContestRow, is_shared: bool) -> String {
    let first = capital(&format!(
        "{}{}",
        if is_shared { "shared " } else { "" },
        ordinal(1)
    ));
    match row.new.kind {
        ContestKind::Division { season, .. } => format!("{first} in {}, season {season}", row.name()),
        ContestKind::Cup { .. } => format!("{first} in {}", row.name()),
    }
}

fn year(at: DateTime<Utc>, times: Times) -> String {
    at.with_timezone(&times.zone).format("%Y").to_string()
}
