//! The options of a new cup.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::command::{Refused, Undecided, Word};
use crate::seasons::Format;

const MAX_SEATS: u32 = 64;
const MAX_ROUNDS: u32 = 15;

/// How many days after it was made a cup may begin.
const DAYS_AHEAD: std::ops::RangeInclusive<i64> = 1..=180;

/// When it begins if nothing else is said.
pub(crate) const USUAL_DAYS: i64 = 7;

/// The options, each with the value that stands behind it after a blank (`--from 2027-02-01`), and the words that are left.
pub(crate) fn with_values<'a>(options: &[Word], words: &'a [Word]) -> (Vec<Word>, Vec<&'a Word>) {
    let mut joined = options.to_vec();
    let mut left = Vec::new();
    for word in words {
        let takes_it = |option: &&mut Word| {
            let is_before = option.at.end + 1 == word.at.start;
            is_before && !option.text.contains('=') && !option.text.eq_ignore_ascii_case("--private")
        };
        match joined.iter_mut().find(takes_it) {
            Some(option) => {
                option.text = format!("{}={}", option.text, word.text);
                option.at.end = word.at.end;
            }
            None => left.push(word),
        }
    }
    (joined, left)
}

/// The options of a new cup, but for those of a challenge.
#[derive(Default)]
pub(crate) struct CupOptions {
    pub(crate) format: Option<&'static str>,
    pub(crate) rounds: Option<u32>,
    pub(crate) size: Option<u32>,
    pub(crate) from: Option<DateTime<Utc>>,
    pub(crate) is_private: bool,
}

impl CupOptions {
    /// Reads one; false: it is another one's.
    pub(crate) fn read(&mut self, word: &Word, now: DateTime<Utc>) -> Result<bool, Undecided> {
        let bare = word.text.trim_start_matches('-').to_ascii_lowercase();
        let (name, value) = bare.split_once('=').unwrap_or((&bare, ""));
        let refuse = |sentence: String| Err(Refused::unreadable(sentence).hiding(word).into());
        let number = |most: u32, least: u32| {
            value
                .parse()
                .ok()
                .filter(|number| (least..=most).contains(number) && value.bytes().all(|c| c.is_ascii_digit()))
        };
        match name {
            "format" => {
                let known = ["swiss", "knockout", "groups"];
                self.format = known.into_iter().find(|known| *known == value);
                if self.format.is_none() {
                    return refuse("--format is swiss, knockout or groups.".to_owned());
                }
            }
            "rounds" => {
                self.rounds = number(MAX_ROUNDS, 1);
                if self.rounds.is_none() {
                    return refuse(format!("--rounds takes a number from 1 to {MAX_ROUNDS}."));
                }
            }
            "size" => {
                self.size = number(MAX_SEATS, 2);
                if self.size.is_none() {
                    return refuse(format!("--size takes a number of players from 2 to {MAX_SEATS}."));
                }
            }
            "from" => {
                let date = NaiveDate::parse_from_str(value, "%Y-%m-%d").ok();
                let at = date.and_then(|date| Some(date.and_hms_opt(8, 0, 0)?.and_utc()));
                let days = at.map(|at| (at.date_naive() - now.date_naive()).num_days());
                self.from = at.filter(|_| days.is_some_and(|days| DAYS_AHEAD.contains(&days)));
                if self.from.is_none() {
                    return refuse(format!(
                        "--from takes a day such as {}, from tomorrow to half a year ahead.",
                        (now + TimeDelta::days(USUAL_DAYS)).format("%Y-%m-%d")
                    ));
                }
            }
            "private" if value.is_empty() => self.is_private = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn format(&self) -> Result<Format, Undecided> {
        match (self.format, self.rounds) {
            (None | Some("swiss"), rounds) => Ok(Format::Swiss {
                rounds: rounds.unwrap_or(5),
            }),
            (Some(_), Some(_)) => {
                Err(Refused::impossible("Only a Swiss system has a number of rounds.").into())
            }
            (Some("knockout"), None) => Ok(Format::Knockout),
            (Some(_), None) => Ok(Format::Groups),
        }
    }
}
