//! Following a board of others by mail, for a player with a key.

use minijinja::{Value, context};
use serde::Deserialize;

use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::viewer::Viewer;
use chrono::{DateTime, Utc};
use pbmserv_core::store::{Reader, Watched};
use pbmserv_core::table::Board;

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(in crate::web) struct Following {
    pub(super) form: String,
    #[serde(rename = "do")]
    button: String,
}

impl Following {
    pub(super) fn verb(&self) -> Result<&'static str, Fault> {
        let mut verbs = ["subscribe", "unsubscribe"].into_iter();
        let verb = verbs.find(|verb| *verb == self.button);
        verb.ok_or_else(|| Fault::unreadable("There is no such button, so nothing was done."))
    }
}

/// The facts of the form. The page for everybody has none, and is the same each time.
pub(super) fn facts(
    reader: &Reader,
    board: &Board,
    viewer: &Viewer,
    did: &Did,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let Some(player) = viewer.player() else {
        return Ok(context! {});
    };
    Ok(context! {
        follows => reader.watches(player.id, Watched::Board(board.id))?.is_some(),
        did => did.said(reader, now)?,
        form => form_number(),
    })
}
