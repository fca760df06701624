//! Times as pages say them: in the zone of the player whose page it is, in UTC on pages for everybody.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::letters::{brief_in, said_in};
use crate::store::{Reader, Result};

use super::viewer::Viewer;

/// The time of day, and the zone of the reader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) now: DateTime<Utc>,
    zone: Tz,
}

impl Times {
    /// Those of this viewer.
    pub(super) fn of(reader: &Reader, viewer: &Viewer, now: DateTime<Utc>) -> Result<Self> {
        let zone = match &viewer.player {
            Some(player) => reader.preferences(player.id)?.zone,
            None => Tz::UTC,
        };
        Ok(Self { now, zone })
    }

    /// `Sat 12 December, 23:56 UTC`.
    pub(super) fn said(self, at: DateTime<Utc>) -> String {
        said_in(self.zone, at, self.now)
    }

    /// `Sat 12 December`; `tomorrow, 09:12 UTC`.
    pub(super) fn brief(self, at: DateTime<Utc>) -> String {
        brief_in(self.zone, at, self.now)
    }
}

/// For the attribute `datetime`.
pub(super) fn iso(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%MZ").to_string()
}
