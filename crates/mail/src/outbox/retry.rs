//! When a mail that was temporarily refused is tried again, and when it is given up.
//!
//! There are two kinds of pauses. A mail that fails alone gets pauses that grow to four hours, because its
//! recipient's server may be down for long. When the transport fails, no mail is to blame: only the mail that
//! found the failure is deferred, by ten minutes at most, and the others stay due. So the queue moves soon
//! after the transport is back.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Outcome, Outgoing};

/// Minutes to wait after the first, second, ... failed delivery; the last value repeats.
const PAUSES_MINUTES: [i64; 7] = [1, 5, 15, 30, 60, 120, 240];

/// How long a mail is tried. RFC 5321, section 4.5.4.1, asks for at least four to five days.
const GIVE_UP_AFTER_DAYS: i64 = 5;

/// The outcome of a temporary failure of this mail: tried again later, or given up.
pub(super) fn after_failure(mail: &Outgoing, now: DateTime<Utc>, why: String) -> Outcome {
    let nth = usize::try_from(mail.attempts).unwrap_or(usize::MAX);
    let minutes = PAUSES_MINUTES.get(nth).or(PAUSES_MINUTES.last()).copied();
    defer(mail, now, TimeDelta::minutes(minutes.unwrap_or(240)), why)
}

/// Defers a mail by this pause.
pub(super) fn defer(mail: &Outgoing, now: DateTime<Utc>, pause: TimeDelta, why: String) -> Outcome {
    let last_day = mail
        .created_at
        .checked_add_signed(TimeDelta::days(GIVE_UP_AFTER_DAYS));
    match (now.checked_add_signed(pause), last_day) {
        (Some(until), Some(last_day)) if now < last_day => Outcome::Deferred {
            // One last attempt at the end of the period, however long the pause.
            until: until.min(last_day),
            why,
        },
        _ => Outcome::Failed {
            why: format!("given up after {GIVE_UP_AFTER_DAYS} days: {why}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::tests::{mail, noon};

    #[test]
    fn pauses_grow_to_four_hours_and_end_after_five_days() {
        let mut mail = mail(1);
        mail.created_at = noon();
        let mut now = noon();
        let mut pauses = Vec::new();
        loop {
            match after_failure(&mail, now, "busy".to_owned()) {
                Outcome::Deferred { until, why } => {
                    assert_eq!(why, "busy");
                    pauses.push((until - now).num_minutes());
                    now = until;
                    mail.attempts += 1;
                }
                Outcome::Failed { why } => {
                    assert_eq!(why, "given up after 5 days: busy");
                    break;
                }
                other => panic!("not {other:?}"),
            }
        }
        assert_eq!(pauses[..8], [1, 5, 15, 30, 60, 120, 240, 240]);
        assert!(pauses.iter().skip(7).rev().skip(1).all(|p| *p == 240));
        assert_eq!(now, noon() + TimeDelta::days(5));
        assert_eq!(pauses.iter().sum::<i64>(), 5 * 24 * 60);
    }

    #[test]
    fn odd_rows_are_given_up_and_nothing_overflows() {
        let mut mail = mail(1);
        mail.attempts = u32::MAX;
        mail.created_at = DateTime::<Utc>::MAX_UTC;
        let outcome = after_failure(&mail, DateTime::<Utc>::MAX_UTC, "x".to_owned());
        assert!(matches!(outcome, Outcome::Failed { .. }));
    }
}
