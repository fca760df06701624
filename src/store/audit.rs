//! What the operator has changed by hand.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::value::ToValue;
use super::{Reader, Result, Store};

/// A change by the operator's hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Audited {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The account on the machine that asked for it.
    pub who: String,
    /// The verb.
    pub verb: String,
    /// The player, the board or the mail it is about.
    pub about: String,
    /// What was done, in a sentence.
    pub what: String,
    /// Why, as the operator said.
    pub why: String,
}

impl Reader {
    /// The last changes, newest first, about one thing or about all.
    pub fn audited(&self, about: Option<&str>, limit: u32) -> Result<Vec<Audited>> {
        let which = about.map_or("", |_| "WHERE about = $1");
        let value = about.as_ref().map(|about| about as &dyn ToValue);
        let sql = format!(
            "SELECT at, who, verb, about, what, why FROM audit {which} ORDER BY id DESC LIMIT {limit}"
        );
        self.db.all(&sql, value.as_slice(), |row| {
            Ok(Audited {
                at: row.get(0)?,
                who: row.get(1)?,
                verb: row.get(2)?,
                about: row.get(3)?,
                what: row.get(4)?,
                why: row.get(5)?,
            })
        })
    }
}

impl Store {
    /// Notes a change by the operator's hand.
    pub fn add_audited(&self, now: DateTime<Utc>, change: &Audited) -> Result<()> {
        let sql = "INSERT INTO audit (at, who, verb, about, what, why) VALUES ($1, $2, $3, $4, $5, $6)";
        self.db.execute(
            sql,
            &[
                &now,
                &change.who,
                &change.verb,
                &change.about,
                &change.what,
                &change.why,
            ],
        )?;
        Ok(())
    }
}
