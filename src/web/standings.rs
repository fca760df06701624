//! The players of a game, best first.

use pbmserv_games::Game;
use serde::Serialize;

use pbmserv_core::letters::Times;
use pbmserv_core::store::{Ranked, Reader};

use super::fault::Fault;
use super::names::{is_someone, shown};
use super::viewer::Viewer;

/// A player in the standings.
#[derive(Debug, Serialize)]
pub(super) struct RankedRow {
    /// Empty as long as the rating is provisional.
    pub(super) rank: String,
    pub(super) userid: String,
    /// Whether there is a page of the player.
    has_page: bool,
    pub(super) rating: String,
    pub(super) won: u32,
    pub(super) lost: u32,
    pub(super) drawn: u32,
    pub(super) running: u32,
    seeking: u32,
}

impl RankedRow {
    /// Whether a rated game is finished.
    pub(super) const fn is_rated(&self) -> bool {
        self.won + self.lost + self.drawn > 0
    }
}

/// At most this many players of a game: those with an established rating first.
pub(super) fn standings(
    reader: &Reader,
    viewer: &Viewer,
    game: &Game,
    times: Times,
    most: usize,
) -> Result<Vec<RankedRow>, Fault> {
    let mut places = Vec::new();
    for is_established in [true, false] {
        let room = most.saturating_sub(places.len());
        let ranked = reader.ranked(game, is_established, times.now, room)?;
        for (rank, ranked) in (1..).zip(&ranked) {
            let rank = match is_established {
                true => i32::to_string(&rank),
                false => String::new(),
            };
            places.push(place(reader, viewer, rank, ranked, times)?);
        }
    }
    let room = most.saturating_sub(places.len());
    if room > 0 {
        for ranked in reader.newcomers(game, room)? {
            places.push(place(reader, viewer, String::new(), &ranked, times)?);
        }
    }
    Ok(places)
}

fn place(
    reader: &Reader,
    viewer: &Viewer,
    rank: String,
    ranked: &Ranked,
    times: Times,
) -> Result<RankedRow, Fault> {
    let userid = match reader.player(&ranked.userid)? {
        Some(player) => shown(reader, viewer, player.id, &ranked.userid)?,
        None => ranked.userid.clone(),
    };
    let standing = &ranked.standing;
    Ok(RankedRow {
        rank,
        has_page: !is_someone(&userid),
        userid,
        rating: standing.rating_at(times.now).shown(),
        won: standing.won,
        lost: standing.lost,
        drawn: standing.drawn,
        running: ranked.running,
        seeking: ranked.seeking,
    })
}
