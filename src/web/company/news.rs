//! Feeds of leagues, ladders and cups: what begins, the games that are over, and final tables.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;

use pbmserv_core::command::{capital, points};
use pbmserv_core::store::{ContestKind, ContestRow, Reader};
use pbmserv_core::table::BoardId;

use crate::web::fault::Fault;
use crate::web::feed::{About, Item, MAX_ENTRIES, begin, end, feed};
use crate::web::names::{seen, shown};
use crate::web::site::Site;
use crate::web::viewer::Viewer;

use super::place::{cup_in, game_in, open_cup, page_of};

/// The places that the title of a final table names.
const MAX_PLACES: usize = 3;

/// The newest first, and no more than a feed has.
fn newest(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| std::cmp::Reverse(item.at));
    items.truncate(MAX_ENTRIES as usize);
    items
}

fn ends(reader: &Reader, viewer: &Viewer, boards: Vec<BoardId>) -> Result<Vec<Item>, Fault> {
    let mut items = Vec::new();
    for id in boards {
        if let Some(board) = reader.board_by_id(id)? {
            items.extend(end(&seen(reader, viewer, board)?));
        }
    }
    Ok(items)
}

/// The final table of a contest that is over.
fn final_table(reader: &Reader, viewer: &Viewer, row: ContestRow) -> Result<Option<Item>, Fault> {
    let (Some(at), Some(_)) = (row.ended_at, row.begun_at) else {
        return Ok(None);
    };
    let contest = reader.filled(row)?;
    let tables = contest.facts().tables();
    let rows = tables
        .last()
        .map(|table| table.rows.as_slice())
        .unwrap_or_default();
    let is_by_points = !matches!(
        contest.row.new.format,
        pbmserv_core::seasons::Format::Knockout | pbmserv_core::seasons::Format::Groups
    );
    let mut places = Vec::new();
    for row in rows.iter().take(MAX_PLACES) {
        let (Some(place), Some(entrant)) = (row.place, contest.entrants.get(row.entrant)) else {
            continue;
        };
        let userid = shown(reader, viewer, entrant.player, &entrant.userid)?;
        places.push(match is_by_points {
            true => format!("{place}. {userid} {}", points(row.halves)),
            false => format!("{place}. {userid}"),
        });
    }
    let what = match contest.row.new.kind {
        ContestKind::Division { season, .. } => format!("{}, season {season},", contest.row.name()),
        ContestKind::Cup { .. } => contest.row.name(),
    };
    Ok(Some(Item {
        id: format!("contests/{}/over", contest.row.id),
        title: format!("{} is over: {}", capital(&what), places.join(", ")),
        author: "the table".to_owned(),
        at,
        page: page_of(&contest.row),
    }))
}

/// Of the season that runs and of the one before, in which some still play.
pub(super) async fn league(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = game_in(&params)?;
    let (now, look) = (site.now(), viewer.clone());
    let items = site.look(move |reader| {
        let newest_season = reader.league(game)?.map_or(0, |league| league.season);
        let seasons = [newest_season, newest_season.saturating_sub(1)];
        let mut items = Vec::new();
        for season in seasons.into_iter().filter(|season| *season > 0) {
            let first = reader.divisions_from(game, season, 1, 1)?.pop();
            if let Some(at) = first.and_then(|row| row.begun_at) {
                items.push(Item {
                    id: format!("leagues/{}/{season}/begin", game.facts.name),
                    title: match reader.division_count(game, season)? {
                        1 => format!(
                            "Season {season} of the {} league has begun",
                            game.facts.bare_title()
                        ),
                        count => format!(
                            "Season {season} of the {} league has begun, in {count} divisions",
                            game.facts.bare_title()
                        ),
                    },
                    author: "the calendar".to_owned(),
                    at,
                    page: format!("games/{}/league/{season}", game.facts.name),
                });
            }
            let boards = reader.season_games_over(game, season, MAX_ENTRIES)?;
            items.extend(ends(reader, &look, boards)?);
            for row in reader.divisions_over(game, season, MAX_ENTRIES)? {
                items.extend(final_table(reader, &look, row)?);
            }
        }
        Ok(newest(items))
    });
    let about = About {
        title: format!("{}: the {} league", site.server.name, game.facts.bare_title()),
        page: format!("games/{}/league", game.facts.name),
        own: format!("games/{}/league/feed.atom", game.facts.name),
    };
    Ok(feed(&site, &viewer, about, &items.await?, now))
}

/// The challenges, and how they ended.
pub(super) async fn ladder(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let game = game_in(&params)?;
    let (now, look) = (site.now(), viewer.clone());
    let items = site.look(move |reader| {
        let over = reader.ladder_games_over(game, MAX_ENTRIES)?;
        let mut items = ends(reader, &look, over)?;
        let running = reader.ladder_boards(game)?.into_iter().rev();
        for running in running.take(MAX_ENTRIES as usize) {
            if let Some(board) = reader.board_by_id(running.id)? {
                items.push(begin(&seen(reader, &look, board)?));
            }
        }
        Ok(newest(items))
    });
    let about = About {
        title: format!("{}: the {} ladder", site.server.name, game.facts.bare_title()),
        page: format!("games/{}/ladder", game.facts.name),
        own: format!("games/{}/ladder/feed.atom", game.facts.name),
    };
    Ok(feed(&site, &viewer, about, &items.await?, now))
}

/// The rounds of a cup, its games and its final table.
pub(super) async fn cup(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let (name, now, look) = (cup_in(&params)?, site.now(), viewer.clone());
    let found = site.look(move |reader| {
        let row = open_cup(reader, &look, &name)?;
        let (title, page) = (row.name(), page_of(&row));
        let mut items = Vec::new();
        for (round, at) in reader.rounds_begun(row.id)? {
            items.push(Item {
                id: format!("contests/{}/round/{round}", row.id),
                title: format!("Round {round} of {title} has begun"),
                author: "the table".to_owned(),
                at,
                page: page.clone(),
            });
        }
        let contest = reader.filled(row)?;
        let mut over: Vec<_> = contest
            .pairings
            .iter()
            .filter_map(|row| row.board)
            .filter(|board| board.is_over)
            .collect();
        over.sort_by_key(|board| std::cmp::Reverse(board.id.0));
        over.truncate(MAX_ENTRIES as usize);
        items.extend(ends(
            reader,
            &look,
            over.into_iter().map(|board| board.id).collect(),
        )?);
        items.extend(final_table(reader, &look, contest.row)?);
        Ok((title, page, newest(items)))
    });
    let (title, page, items) = found.await?;
    let about = About {
        title: format!("{}: {title}", site.server.name),
        own: format!("{page}/feed.atom"),
        page,
    };
    Ok(feed(&site, &viewer, about, &items, now))
}
