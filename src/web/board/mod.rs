//! The pages of a board: what has been played, position by position, for everybody.

mod embed;
mod follow;
mod on_board;
mod page;
mod place;
mod said;
mod turns;
mod view;
mod words;

use std::sync::Arc;

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, State};
use axum::response::Response;
use hyper::StatusCode;
use minijinja::context;

use pbmserv_core::command::PageRequest;
use pbmserv_games::record::Record;

use super::access::Client;
use super::answer::{Kind, answer};
use super::fault::Fault;
use super::press::{Did, shown_at};
use super::site::Site;
use embed::Room;
use follow::Following;
pub(super) use on_board::OnBoard;
pub(super) use place::Place;
pub(super) use said::{SaidOn, said};
pub(super) use view::{Seen, told};

/// A page for a viewer, or why there is none.
type Page = Result<Response, Fault>;

/// The board as it stands, or after a turn.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    at: OnBoard,
    did: Result<Query<Did>, QueryRejection>,
) -> Page {
    let Query(did) = did.map_err(|_| Fault::not_found())?;
    board(&site, at, did, "").await
}

async fn board(site: &Site, OnBoard { viewer, place }: OnBoard, did: Did, refused: &str) -> Page {
    let (now, look) = (site.now(), viewer.clone());
    let facts = site.look(move |reader| {
        let seen = place.read(reader, &look)?;
        let following = follow::facts(reader, &seen.board, &look, &did, now)?;
        Ok(context! { ..following, ..page::facts(reader, &seen, &look, now)? })
    });
    let facts = context! { refused, ..facts.await? };
    Ok(answer(Kind::Html, site.page(&viewer, "board.html", facts)?))
}

/// Begins or ends to follow the board of others by mail.
pub(super) async fn follow(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    at: OnBoard,
    form: Result<Form<Following>, FormRejection>,
) -> Page {
    let Form(wanted) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let verb = wanted.verb()?;
    let (owner, place) = at.clone().owner()?;
    let asked = PageRequest {
        game: Some(place.game),
        board: Some(place.number),
        ..owner.asks(verb, &wanted.form, client)
    };
    let (game, number) = (place.game.facts.name, place.number);
    let shown = format!("{}board/{game}/{number}", owner.viewer.root);
    match shown_at(&shown, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => {
            let mut answer = board(&site, at, Did::default(), &why).await?;
            *answer.status_mut() = StatusCode::CONFLICT;
            Ok(answer)
        }
    }
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
    let record = site.look(move |reader| {
        let record = place.read(reader, &viewer)?.record(reader, &viewer)?;
        Ok(record.to_string())
    });
    Ok(answer(Kind::Plain, record.await?))
}

/// The record in SGF, for programs of the game.
pub(super) async fn sgf(State(site): State<Arc<Site>>, on_board: OnBoard) -> Page {
    in_format(&site, on_board, Record::sgf).await
}

/// The record in PGN or PDN.
pub(super) async fn pgn(State(site): State<Arc<Site>>, on_board: OnBoard) -> Page {
    in_format(&site, on_board, Record::tagged).await
}

/// The record as a match of GNU Backgammon.
pub(super) async fn mat(State(site): State<Arc<Site>>, on_board: OnBoard) -> Page {
    in_format(&site, on_board, Record::mat).await
}

/// The record in a format that not every game is written in.
async fn in_format(site: &Site, on_board: OnBoard, write: fn(&Record) -> Option<String>) -> Page {
    let OnBoard { viewer, place } = on_board;
    let record = site.look(move |reader| {
        let record = place.read(reader, &viewer)?.record(reader, &viewer)?;
        write(&record).ok_or_else(Fault::not_found)
    });
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
