//! Times as pages say them: in the zone of the player whose page it is, in UTC on pages for everybody.

use chrono::{DateTime, Utc};

use pbmserv_core::letters::Times;
use pbmserv_core::store::{Reader, Result};

use super::viewer::Viewer;

/// Times as this viewer reads them.
pub(super) fn times(reader: &Reader, viewer: &Viewer, now: DateTime<Utc>) -> Result<Times> {
    let zone = reader.zone(viewer.player().map(|player| player.id))?;
    Ok(Times { now, zone })
}

/// For the attribute `datetime`.
pub(super) fn iso(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%MZ").to_string()
}
