//! What all events of calendars have: an address, a name that no other event has, and a revision.

use chrono::{DateTime, Utc};

use super::site::Site;
use super::viewer::Viewer;

/// From when the revisions of events are counted: the year 2026.
pub(super) const REVISIONS_SINCE: DateTime<Utc> = DateTime::from_timestamp_nanos(1_767_225_600_000_000_000);

/// The revision of an event that is so since this time.
pub(super) fn revision(since: DateTime<Utc>) -> u32 {
    u32::try_from((since - REVISIONS_SINCE).num_seconds()).unwrap_or_default()
}

/// Where the pages of a viewer are: the beginning of addresses, and the host that makes the names of events unique.
pub(super) struct Where {
    pub(super) root: String,
    pub(super) host: String,
}

impl Where {
    pub(super) fn of(site: &Site, viewer: &Viewer) -> Self {
        let origin = site.base.origin().ascii_serialization();
        Self {
            root: format!("{origin}{}", viewer.root),
            host: site.base.host_str().unwrap_or("localhost").to_owned(),
        }
    }
}
