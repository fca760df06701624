//! The gazette: an issue as everybody may see it, and all of them as a feed.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};

use pbmserv_core::command::{InternalError, Issue, gazette_seeking, gazette_sought, record_after};
use pbmserv_core::store::{Gazette, Reader};

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::listed::Listed;
use super::site::Site;
use super::times::times;
use super::viewer::{Viewer, named};

/// An issue that is out: of this number, or the newest; and whether it is that.
fn issue_of(reader: &Reader, number: Option<&str>) -> Result<Option<(Gazette, bool)>, Fault> {
    let newest = reader.gazettes(1)?.into_iter().next();
    let (Some(newest), Some(number)) = (&newest, number) else {
        return match number {
            Some(_) => Err(Fault::not_found()),
            None => Ok(newest.map(|newest| (newest, true))),
        };
    };
    // A number has one spelling, as a page has one address.
    let number = number
        .parse()
        .ok()
        .filter(|read: &i64| read.to_string() == number);
    let found = number.map(|number| reader.gazette(number)).transpose()?.flatten();
    let found = found.filter(|found| found.published_at.is_some());
    let found = found.ok_or_else(Fault::not_found)?;
    let is_newest = found.number == newest.number;
    Ok(Some((found, is_newest)))
}

fn shown(reader: &Reader, gazette: &Gazette, now: DateTime<Utc>) -> Result<Issue, Fault> {
    Issue::of(reader, gazette, now).map_err(|fault| of_core(&fault))
}

fn of_core(fault: &InternalError) -> Fault {
    Fault::internal(fault)
}

pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let number = named(&params, "number").map(str::to_owned);
    let (now, look) = (site.now(), viewer.clone());
    let facts = site.look(move |reader| match issue_of(reader, number.as_deref())? {
        Some((gazette, is_newest)) => facts(reader, &look, &gazette, is_newest, now),
        None => Ok(context! { number => () }),
    });
    Ok(answer(
        Kind::Html,
        site.page(&viewer, "gazette.html", facts.await?)?,
    ))
}

fn facts(
    reader: &Reader,
    viewer: &Viewer,
    gazette: &Gazette,
    is_newest: bool,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let times = times(reader, viewer, now)?;
    let issue = shown(reader, gazette, now)?;
    let game = issue.game.map(|game| {
        let pictures = game.pictures.iter().map(|picture| {
            context! {
                played => picture.played,
                title => picture.title.as_str(),
                caption => picture.caption.as_str(),
            }
        });
        context! {
            pictures => pictures.collect::<Vec<_>>(),
            sentence => game.sentence.as_str(),
            name => game.board.game.facts.name,
            number => game.board.number,
        }
    });
    let solution = issue.solution.map(|solution| {
        context! {
            sentence => solution.sentence.as_str(),
            name => solution.board.game.facts.name,
            number => solution.board.number,
            played => solution.played,
        }
    });
    let results = issue.results.into_iter();
    let results: Result<Vec<_>, _> = results
        .map(|board| Listed::of(reader, viewer, board, times))
        .collect();
    let seeking = match is_newest {
        true => gazette_seeking(reader, viewer.player().map(|player| player.id), now),
        false => Ok(Vec::new()),
    };
    let seeking = seeking.map_err(|fault| of_core(&fault))?;
    let seeking = seeking.iter().map(|(seek, rating)| {
        context! {
            userid => seek.userid.as_str(),
            name => seek.game.facts.name,
            title => seek.game.facts.title,
            note => gazette_sought(seek, rating),
        }
    });
    Ok(context! {
        number => gazette.number,
        date => gazette.published_at.map(|at| times.date(at)),
        is_newest,
        sentence => issue.sentence,
        game,
        riddle => issue.riddle.map(|riddle| context! {
            caption => riddle.caption.as_str(),
            example => riddle.example.as_str(),
            title => riddle.board.game.facts.title,
            name => riddle.board.game.facts.name,
        }),
        solution,
        results => Value::from(Serde(results?)),
        left_out => issue.left_out,
        seeking => seeking.collect::<Vec<_>>(),
    })
}

/// The picture of the position to solve, at an address that does not name its board.
pub(super) async fn position(
    State(site): State<Arc<Site>>,
    _: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let number = named(&params, "number").map(str::to_owned);
    let now = site.now();
    let drawn = site.look(move |reader| {
        let (gazette, _) = issue_of(reader, number.as_deref())?.ok_or_else(Fault::not_found)?;
        let riddle = shown(reader, &gazette, now)?
            .riddle
            .ok_or_else(Fault::not_found)?;
        let replayed = record_after(&riddle.board, &riddle.turns).replay();
        Ok(replayed.map_err(|error| Fault::internal(&error))?.picture().svg())
    });
    Ok(answer(Kind::Svg, drawn.await?))
}
