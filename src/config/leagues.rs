//! The section `[leagues]`.

use chrono::NaiveDate;

use super::Leagues;

/// A year in which each day of the calendar comes.
const LEAP_YEAR: i32 = 2028;

/// The most days that a player may have for a turn.
const MAX_DAYS: u32 = 3650;

impl Leagues {
    /// The days on which seasons begin, each its month and day, as far as they can be read.
    #[must_use]
    pub fn days(&self) -> Vec<(u32, u32)> {
        self.seasons.iter().filter_map(|text| day(text)).collect()
    }

    /// A wrong key, and what is wrong with it.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        if let Some(other) = self.seasons.iter().find(|text| day(text).is_none()) {
            let why =
                format!("names \"{other}\", which is no day of each year: write month and day as 05-01");
            return Some(("leagues.seasons", why));
        }
        let days = [
            ("leagues.forfeit_days", self.forfeit_days),
            ("leagues.total_days", self.total_days),
            ("leagues.ladder_days", self.ladder_days),
        ];
        let wrong = days.into_iter().find(|(_, days)| !(1..=MAX_DAYS).contains(days));
        wrong.map(|(key, _)| (key, format!("is no number of days: use 1 to {MAX_DAYS}")))
    }
}

/// `05-01`: month and day. The 29th of February is not in each year.
fn day(text: &str) -> Option<(u32, u32)> {
    let (month, day) = text.split_once('-')?;
    let read = |part: &str| part.parse().ok().filter(|_| part.len() == 2);
    let (month, day) = (read(month)?, read(day)?);
    NaiveDate::from_ymd_opt(LEAP_YEAR, month, day)
        .filter(|_| (month, day) != (2, 29))
        .map(|_| (month, day))
}
