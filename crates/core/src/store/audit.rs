//! The log of changes that the operator made by hand.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::value::ToValue;
use super::{Reader, Result, Store};

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Audited {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The operator's account on this machine.
    pub who: String,
    /// The admin verb.
    pub verb: String,
    /// The player, board or mail that was changed.
    pub about: String,
    /// The change, as a sentence.
    pub what: String,
    /// The reason that the operator gave.
    pub why: String,
}

impl Reader {
    /// The newest entries first: all of them, or those about one player, board or mail.
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
    /// Adds an entry.
    pub fn add_audited(&self, now: DateTime<Utc>, change: &Audited) -> Result<()> {
        let sql = "INSERT INTO audit (at, who, verb, about, what, why) VALUES ($1, $2, $3, $4, $5, $6)";
        self.db.write(
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
