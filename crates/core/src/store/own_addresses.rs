//! The addresses that the server's letters bear.
//!
//! A note lists the addresses under which the server has run, each with the time of the first start. A letter bears the
//! address of the server that sent it, so the time at which it was sent says which.

use chrono::{DateTime, Utc};

use super::value::millis;
use super::{MailState, Reader, Result, Store};
use pbmserv_mail::Address;

/// The note: a line an address, oldest first, `MILLISECONDS ADDRESS`.
const NOTE: &str = "addresses";

/// At most this many addresses are kept, the newest.
const MOST: usize = 20;

impl Store {
    /// Notes that the server runs under this address from now on.
    pub fn note_address(&self, address: &Address, now: DateTime<Utc>) -> Result<()> {
        let mut spans = self.spans()?;
        if spans.last().is_some_and(|(_, last)| *last == address.key()) {
            return Ok(());
        }
        spans.push((millis(now), address.key()));
        let kept = spans.get(spans.len().saturating_sub(MOST)..).unwrap_or_default();
        let lines: Vec<String> = kept
            .iter()
            .map(|(since, address)| format!("{since} {address}"))
            .collect();
        self.set_note(NOTE, &lines.join("\n"))
    }
}

impl Reader {
    /// The addresses that letters bear which were sent since then, as their keys, each once.
    pub fn addresses_in_letters(&self, since: DateTime<Utc>) -> Result<Vec<String>> {
        // `state || ''` is an expression, so SQLite uses the index of times and not that of states.
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM outbox \
                   WHERE settled_at >= $1 AND settled_at < $2 AND state || '' = $3 LIMIT 1) AS first";
        let spans = self.spans()?;
        let ends = spans.iter().skip(1).map(|(since, _)| *since).chain([i64::MAX]);
        let mut found: Vec<String> = Vec::new();
        for ((from, address), end) in spans.iter().zip(ends) {
            let from = millis(since).max(*from);
            let letters: i64 = self
                .db
                .one(sql, &[&from, &end, &MailState::Sent.word()], |row| row.get(0))?;
            if letters > 0 && !found.contains(address) {
                found.push(address.clone());
            }
        }
        Ok(found)
    }

    /// Since when the server has run under which address.
    fn spans(&self) -> Result<Vec<(i64, String)>> {
        let note = self.note(NOTE)?.unwrap_or_default();
        let span = |line: &str| {
            let (since, address) = line.split_once(' ')?;
            Some((since.parse().ok()?, address.to_owned()))
        };
        Ok(note.lines().filter_map(span).collect())
    }
}
