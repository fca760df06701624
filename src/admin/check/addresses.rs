//! Whether mail is still taken for the address that letters bear.

use chrono::{DateTime, TimeDelta, Utc};

use crate::config::Config;
use pbmserv_core::store::{Reader, Result};
use pbmserv_mail::Address;

use super::findings::{Findings, Subject};

/// How long after it was sent a letter may be answered.
const ANSWERED_WITHIN: TimeDelta = TimeDelta::days(90);

/// Advice, not a fault: the letters may be those of a trial, which nobody will answer.
pub(super) fn check(
    config: &Config,
    reader: &Reader,
    now: DateTime<Utc>,
    findings: &mut Findings,
) -> Result<()> {
    let Some(own) = config.own_addresses() else {
        return Ok(());
    };
    let mut letters = reader.addresses_in_letters(now - ANSWERED_WITHIN)?;
    letters.retain(|known| Address::parse(known).is_ok_and(|known| !own.has(&known)));
    if letters.is_empty() {
        let shown: Vec<&str> = own.all().map(Address::as_str).collect();
        findings.good(
            Subject::Addresses,
            format!("mail is taken for {}", shown.join(", ")),
        );
    }
    for former in letters {
        let named = config.server.former_addresses.iter();
        let all: Vec<String> = named.chain([&former]).map(|text| format!("{text:?}")).collect();
        findings.advise(
            Subject::Addresses,
            format!(
                "letters of the last {} days bear {former}, and answers and bounces to it are refused: set server.former_addresses \
                 = [{}] and have them routed here (deploy/moving.md)",
                ANSWERED_WITHIN.num_days(),
                all.join(", ")
            ),
        );
    }
    Ok(())
}
