//! What is said below a mail of any kind.

use chrono::{DateTime, Utc};

/// Says that no more answers go to an address until `next_day` begins.
#[must_use]
pub fn last_answer(next_day: DateTime<Utc>) -> String {
    format!(
        "This is the last answer to this address today: it has had as many as the server sends in a day. Answers go out \
         again from {} 00:00 UTC. Commands are still carried out.",
        next_day.format("%Y-%m-%d")
    )
}
