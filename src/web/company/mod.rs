//! The pages of leagues, ladders and cups: tables with links to the boards, who stands where, forms to join, feeds and dates.
//!
//! A private cup has no page for everybody: who may know of it sees it below the own link.

mod bracket;
mod cup;
mod cups;
mod dates;
mod forms;
mod ladder;
mod league;
mod news;
mod own;
mod people;
mod place;
mod sure;
mod tables;
mod trophies;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::site::Site;

pub(super) use dates::of_player as dates_of_player;
pub(super) use own::facts as own_facts;
pub(super) use place::of_board;
pub(super) use trophies::trophies;

/// The pages for everybody, which a player has below the own link too.
pub(super) fn pages(at: &str) -> Router<Arc<Site>> {
    let [game, cup] = [format!("{at}games/{{game}}"), format!("{at}cups/{{cup}}")];
    Router::new()
        .route(&format!("{game}/league"), get(league::show))
        .route(&format!("{game}/league/{{season}}"), get(league::show))
        .route(&format!("{game}/league/feed.atom"), get(news::league))
        .route(&format!("{game}/league/dates.ics"), get(dates::league))
        .route(&format!("{game}/ladder"), get(ladder::show))
        .route(&format!("{game}/ladder/feed.atom"), get(news::ladder))
        .route(&format!("{at}cups"), get(cups::show))
        .route(&cup, get(cup::show))
        .route(&format!("{cup}/feed.atom"), get(news::cup))
        .route(&format!("{cup}/dates.ics"), get(dates::cup))
}

/// The pages that only a player has.
pub(super) fn of_a_player(at: &str) -> Router<Arc<Site>> {
    Router::new()
        .route(&format!("{at}league"), post(forms::league))
        .route(&format!("{at}ladder"), post(forms::ladder))
        .route(&format!("{at}cup"), post(forms::cup))
        .route(
            &format!("{at}games/{{game}}/league/withdraw"),
            get(sure::withdraw),
        )
        .route(&format!("{at}cups/{{cup}}/leave"), get(sure::leave))
        .route(&format!("{at}cups/{{cup}}/end"), get(sure::end))
}
