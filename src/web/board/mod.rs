//! The pages of a board: what has been played, position by position, for everybody.

mod embed;
mod on_board;
mod page;
mod place;
mod turns;
mod view;
mod words;

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;

use super::answer::{Kind, answer};
use super::fault::Fault;
use super::site::Site;
use embed::Room;
pub(super) use on_board::OnBoard;
pub(super) use place::Place;
pub(super) use view::{Seen, told};

/// A page for a viewer, or why there is none.
type Page = Result<Response, Fault>;

/// The board as it stands, or after a turn.
pub(super) async fn show(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let (now, look) = (site.now(), viewer.clone());
    let facts = site.look(move |reader| page::facts(reader, &place.read(reader, &look)?, &look, now));
    Ok(answer(
        Kind::Html,
        site.page(&viewer, "board.html", facts.await?)?,
    ))
}

/// What each turn did, in words.
pub(super) async fn words(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let look = viewer.clone();
    let facts = site.look(move |reader| words::facts(reader, &place, &look));
    Ok(answer(
        Kind::Html,
        site.page(&viewer, "words.html", facts.await?)?,
    ))
}

/// The record, for programs.
pub(super) async fn record(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let record = site.look(move |reader| place.read(reader, &viewer)?.record());
    Ok(answer(Kind::Plain, record.await?))
}

/// The record in SGF, for programs of the game.
pub(super) async fn sgf(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let record = site.look(move |reader| place.read(reader, &viewer)?.sgf());
    Ok(answer(Kind::Plain, record.await?))
}

/// The picture as SVG.
pub(super) async fn svg(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let drawn = site.look(move |reader| Ok(place.read(reader, &viewer)?.picture().svg()));
    Ok(answer(Kind::Svg, drawn.await?))
}

/// The board alone, for lists.
pub(super) async fn small(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let drawn = site.look(move |reader| Ok(place.read(reader, &viewer)?.picture().board_alone().svg()));
    Ok(answer(Kind::Svg, drawn.await?))
}

/// The picture as PNG.
pub(super) async fn png_of(State(site): State<Arc<Site>>, OnBoard { viewer, place }: OnBoard) -> Page {
    let svg = site.look(move |reader| Ok(place.read(reader, &viewer)?.picture().svg()));
    Ok(answer(Kind::Png, site.pictures.png(svg.await?).await?))
}

/// The picture for programs that unfold a link. A private link is not for them.
pub(super) async fn embed(
    State(site): State<Arc<Site>>,
    OnBoard { viewer, place }: OnBoard,
    room: Result<Query<Room>, QueryRejection>,
) -> Page {
    let Query(room) = room.map_err(|_| Fault::not_found())?;
    if viewer.key.is_some() {
        return Err(Fault::not_found());
    }
    let kept = site.clone();
    let made = site.look(move |reader| embed::embed(&kept, &place.read(reader, &viewer)?, room));
    made.await
}
