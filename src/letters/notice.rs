//! What is said below a mail of any kind.

use chrono::{DateTime, Utc};

/// Says that no more answers go to an address until `next_day` begins.
#[must_use]
pub fn last_answer(next_day: DateTime<Utc>) -> String {
    format!(
        "This is the last answer to this address today: it has had as many as the server sends in a day. Answers go out \
         again from {}, 00:00 UTC. Commands are still carried out.",
        next_day.format("%a %-d %B")
    )
}

/// Says that no more answers to mails that prove nobody go to an address until `next_day` begins.
#[must_use]
pub fn last_unproven_answer(next_day: DateTime<Utc>) -> String {
    format!(
        "This is the last answer to this address today. Until {}, 00:00 UTC, only commands with your password, and answers to \
         this server's mails, are answered.",
        next_day.format("%a %-d %B")
    )
}

/// Says that no more refusals of mails that prove nobody go to an address until `next_day` begins.
#[must_use]
pub fn last_refusal(next_day: DateTime<Utc>) -> String {
    format!(
        "This is the last refusal to this address today. Until {}, 00:00 UTC, a mail that cannot be understood or carried \
         out is answered only if it has your password, or answers a mail of this server.",
        next_day.format("%a %-d %B")
    )
}
