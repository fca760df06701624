//! The players of a contest as this viewer sees them.

use serde::Serialize;

use pbmserv_core::store::{FullContest, Reader};
use pbmserv_core::table::PlayerId;

use crate::web::fault::Fault;
use crate::web::names::{is_someone, shown};
use crate::web::viewer::Viewer;

/// A player in a table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Person {
    pub(super) userid: String,
    has_page: bool,
    is_me: bool,
    has_left: bool,
}

impl Person {
    pub(super) fn of(
        reader: &Reader,
        viewer: &Viewer,
        player: PlayerId,
        userid: &str,
    ) -> Result<Self, Fault> {
        let userid = shown(reader, viewer, player, userid)?;
        Ok(Self {
            has_page: !is_someone(&userid),
            is_me: viewer.player().is_some_and(|me| me.id == player),
            has_left: false,
            userid,
        })
    }
}

/// All entrants, in their order.
pub(super) fn people(reader: &Reader, viewer: &Viewer, contest: &FullContest) -> Result<Vec<Person>, Fault> {
    let person = |entrant: &pbmserv_core::store::EntrantRow| {
        let person = Person::of(reader, viewer, entrant.player, &entrant.userid)?;
        Ok(Person {
            has_left: entrant.left_at.is_some(),
            ..person
        })
    };
    contest.entrants.iter().map(person).collect()
}
