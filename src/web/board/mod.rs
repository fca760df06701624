//! The pages of a board: what has been played, position by position, for everybody.

mod page;
mod place;
mod turns;
mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::kit::picture::png;
use crate::store::Reader;

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use super::viewer::Viewer;
pub(super) use place::Place;
pub(super) use view::Seen;

/// The width of the pictures in pixels: what programs show that unfold a link.
const PICTURE_WIDTH: u32 = 720;

/// The board as it stands, or after a turn.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    place: Place,
) -> Result<Response, Fault> {
    let now = site.now();
    let shown = place.clone();
    let facts = site.look(move |reader| {
        page::facts(reader, &shown.read(reader)?, &viewer, now).map(|facts| (viewer, facts))
    });
    let (viewer, facts) = facts.await?;
    Ok(answer(Kind::Html, site.page(&viewer, "board.html", facts)?))
}

/// The record, for programs.
pub(super) async fn record(
    State(site): State<Arc<Site>>,
    _: Viewer,
    place: Place,
) -> Result<Response, Fault> {
    let record = site.look(move |reader| place.read(reader)?.record());
    Ok(answer(Kind::Plain, record.await?))
}

/// The picture as SVG.
pub(super) async fn svg(State(site): State<Arc<Site>>, _: Viewer, place: Place) -> Result<Response, Fault> {
    Ok(answer(Kind::Svg, drawn(&site, place).await?))
}

/// The picture as PNG.
pub(super) async fn png_of(
    State(site): State<Arc<Site>>,
    _: Viewer,
    place: Place,
) -> Result<Response, Fault> {
    let draw = move |reader: &Reader| {
        let svg = place.read(reader)?.picture().svg();
        png(&svg, PICTURE_WIDTH).map_err(|error| Fault::internal(&error))
    };
    Ok(answer(Kind::Png, site.look(draw).await?))
}

async fn drawn(site: &Site, place: Place) -> Result<String, Fault> {
    site.look(move |reader| Ok(place.read(reader)?.picture().svg()))
        .await
}
