//! The deadlines of a player as a calendar (RFC 5545), and when the seasons and cups begin that the player has joined.
//!
//! The stamp of a deadline (`SEQUENCE`, `DTSTAMP`) is the time since when it is so, and nothing is written when one is read: what
//! moves a deadline starts the clock, is a warning that came late, or is noted as a setting of all clocks.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chrono::TimeDelta;
use icalendar::{Calendar, Component as _, Event, EventLike as _};

use pbmserv_core::command::{clock_until, deadline_since};
use pbmserv_core::store::BoardFilter;

use super::answer::{Kind, answer};
use super::company::dates_of_player;
use super::event::{Where, revision};
use super::fault::Fault;
use super::site::Site;
use super::viewer::Owner;

/// The most deadlines of a calendar.
const MAX_DEADLINES: u32 = 200;

/// How long before a deadline its event begins.
const BEFORE: TimeDelta = TimeDelta::hours(1);

/// When the time of each board ends where it is the player's turn.
pub(super) async fn deadlines(State(site): State<Arc<Site>>, owner: Owner) -> Result<Response, Fault> {
    let (now, player) = (site.now(), owner.player().id);
    let place = Where::of(&site, &owner.viewer);
    let name = site.server.name.clone();
    let made = site.look(move |reader| {
        let filter = BoardFilter {
            player: Some(player),
            running: Some(true),
            is_to_move: true,
            limit: MAX_DEADLINES,
            ..BoardFilter::default()
        };
        let set_at = reader.clocks_set_at()?;
        let mut calendar = Calendar::new();
        calendar.name(&name);
        for board in reader.boards(filter)? {
            let Some(seat) = board.to_move else { continue };
            let Some(until) = clock_until(reader, &board, seat, now)? else {
                continue;
            };
            // A deadline may move by a vacation, a ruling, an outage or a warning. A program keeps the old one unless the revision
            // is newer (RFC 5545, sections 3.8.7.2 and 3.8.7.4).
            let since = deadline_since(reader, &board, seat, until, set_at, now)?;
            let (game, number) = (board.game.facts.name, board.number);
            let other = &board.at(seat.other()).userid;
            let event = Event::new()
                .uid(&format!(
                    "{game}-{number}-{}@{}",
                    board.events.position, place.host
                ))
                .timestamp(since)
                .last_modified(since)
                .sequence(revision(since))
                .starts(until - BEFORE)
                .ends(until)
                .summary(&format!("{game} {number}: your turn against {other}"))
                .url(&format!("{}board/{game}/{number}/turn", place.root))
                .done();
            calendar.push(event);
        }
        for event in dates_of_player(reader, &place, player, now)? {
            calendar.push(event);
        }
        Ok(calendar.to_string())
    });
    Ok(answer(Kind::Calendar, made.await?))
}
