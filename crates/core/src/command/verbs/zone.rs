//! The zone of a player's times, as players name it.

use chrono_tz::{TZ_VARIANTS, Tz};

use crate::command::reading::near::nearest;
use crate::command::{Refused, Undecided, Word};

/// The most zones that are suggested.
const MAX_ZONES: usize = 3;

/// Names that people use for the time of half a year, and where that is. Some are zones of the tz database, which never have
/// summer time.
const SHORT_ZONES: [(&str, &[&str]); 16] = [
    ("EST", &["America/New_York", "America/Panama"]),
    ("EDT", &["America/New_York"]),
    ("CST", &["America/Chicago", "Asia/Shanghai"]),
    ("CDT", &["America/Chicago"]),
    ("MST", &["America/Denver", "America/Phoenix"]),
    ("MDT", &["America/Denver"]),
    ("PST", &["America/Los_Angeles"]),
    ("PDT", &["America/Los_Angeles"]),
    ("HST", &["Pacific/Honolulu"]),
    ("BST", &["Europe/London"]),
    ("CEST", &["Europe/Berlin", "Europe/Paris"]),
    ("EEST", &["Europe/Athens", "Europe/Kyiv"]),
    ("MSK", &["Europe/Moscow"]),
    ("IST", &["Asia/Kolkata", "Europe/Dublin"]),
    ("JST", &["Asia/Tokyo"]),
    ("AEST", &["Australia/Sydney", "Australia/Brisbane"]),
];

/// A zone of the tz database; upper and lower case are alike.
pub(super) fn zone(name: &Word, value: Option<&Word>) -> Result<Tz, Undecided> {
    let sentence = "After zone stands the name of a zone, such as Europe/Lisbon, or UTC.";
    let Some(value) = value else {
        return Err(Refused::unreadable(sentence).about(name).into());
    };
    let is = |name: &str| name.eq_ignore_ascii_case(&value.text);
    if let Some((short, meant)) = SHORT_ZONES.iter().find(|(short, _)| is(short)) {
        let sentence = format!(
            "{short} is the time of half a year, or of several places: name a place for the whole year."
        );
        let near = meant.iter().map(|zone| (*zone).to_owned()).collect();
        return Err(Refused::unreadable(sentence).near(near).into());
    }
    let zones = || TZ_VARIANTS.iter().copied();
    if let Some(zone) = zones().find(|zone| is(zone.name())) {
        return Ok(zone);
    }
    // `Berlin`, or a name with a wrong letter.
    let place = |zone: &Tz| zone.name().rsplit('/').next().is_some_and(is);
    let mut near: Vec<String> = zones().filter(place).map(|zone| zone.name().to_owned()).collect();
    if near.is_empty() {
        near = nearest(&value.text, zones().map(|zone| zone.name().to_owned()));
    }
    near.truncate(MAX_ZONES);
    Err(Refused::unreadable(sentence).hiding(value).near(near).into())
}
