//! oEmbed (oembed.com) as JSON: the picture of a board for programs that unfold a link, which find it by the head of the page.

use axum::response::Response;
use pbmserv_games::Seat;
use serde::{Deserialize, Serialize};

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::pictures::Pictures;
use crate::web::site::Site;

use super::view::Seen;

/// What the program has room for, in pixels.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(in crate::web) struct Room {
    maxwidth: Option<u32>,
    maxheight: Option<u32>,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Embed<'a> {
    version: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    title: String,
    provider_name: &'a str,
    provider_url: &'a str,
    #[serde(flatten)]
    photo: Option<Photo>,
}

#[derive(Debug, Serialize)]
struct Photo {
    url: String,
    width: u32,
    height: u32,
}

/// The picture of the board, or its title alone where the picture has no room: there is one size only.
pub(super) fn embed(site: &Site, seen: &Seen, room: Room) -> Result<Response, Fault> {
    let (board, base) = (&seen.board, site.base.as_str());
    let (game, number) = (board.game.facts.name, board.number);
    let [width, height] = Pictures::size(&seen.picture().svg())?;
    let fits = |most: Option<u32>, pixels| most.is_none_or(|most| pixels <= most);
    let photo = Photo {
        url: format!("{base}board/{game}/{number}/{}/picture.png", seen.shown),
        width,
        height,
    };
    let photo = Some(photo).filter(|_| fits(room.maxwidth, width) && fits(room.maxheight, height));
    let [first, second] = Seat::BOTH.map(|seat| &board.at(seat).userid);
    let embed = Embed {
        version: "1.0",
        kind: if photo.is_some() { "photo" } else { "link" },
        title: format!(
            "{}, board {number}: {first} against {second}",
            board.game.facts.title
        ),
        provider_name: &site.server.name,
        provider_url: base,
        photo,
    };
    let text = serde_json::to_vec(&embed).map_err(|error| Fault::internal(&error))?;
    Ok(answer(Kind::Json, text))
}
