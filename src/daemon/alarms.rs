//! Letters to the directors about faults that last, and about their end.
//!
//! A fault is told once, also after a restart: what was told stands in the database. What only says that mail does not go out
//! is not told by mail. If they want it, one mail a week says how things are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Datelike as _, TimeDelta, Utc};
use tokio::sync::watch;
use tokio::time::sleep;

use pbmserv_core::command::Context;
use pbmserv_core::command::operator::telling;
use pbmserv_core::dispatch::Handler;
use pbmserv_core::store::Store;

use super::monitoring::Monitor;
use crate::admin::{Fault, stats};
use crate::engine::clock::TimeSource;
use crate::engine::server::Server;

/// How often the faults are looked at.
const PAUSE: Duration = Duration::from_secs(60);

/// How long a fault must last: what ends by itself needs nobody.
const LASTS: TimeDelta = TimeDelta::minutes(10);

/// Faults that do not end by themselves.
const AT_ONCE: [&str; 1] = ["certificate"];

/// What keeps mail from going out, and so this mail too.
const UNTOLD: [&str; 2] = ["sender", "outbox"];

/// The most letters in a day, so that a fault that comes and goes fills no mailbox.
const MAX_A_DAY: u32 = 6;

/// The note with the parts whose faults were told.
const NOTE: &str = "faults_told";

/// What a director is to read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Alarm {
    Faulty { part: String, sentence: String },
    Over { part: String },
}

/// What is known of the faults.
#[derive(Debug, Default)]
struct Alarms {
    /// Since when each part has a fault.
    since: BTreeMap<String, DateTime<Utc>>,
    told: BTreeSet<String>,
    day: Option<chrono::NaiveDate>,
    letters: u32,
}

impl Alarms {
    fn of(note: Option<String>) -> Self {
        let told = note.unwrap_or_default();
        Self {
            told: told.split_whitespace().map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Takes note of the faults of this moment; returns what is to be told.
    fn look(&mut self, faults: &[Fault], now: DateTime<Utc>) -> Vec<Alarm> {
        if self.day.replace(now.date_naive()) != Some(now.date_naive()) {
            self.letters = 0;
        }
        let is_told_by_mail = |fault: &&Fault| !UNTOLD.contains(&fault.part.as_str());
        let mut present: BTreeMap<&str, &str> = BTreeMap::new();
        for fault in faults.iter().filter(is_told_by_mail) {
            present.entry(&fault.part).or_insert(&fault.sentence);
        }
        self.since.retain(|part, _| present.contains_key(part.as_str()));
        let mut found = Vec::new();
        for (part, sentence) in &present {
            let since = *self.since.entry((*part).to_owned()).or_insert(now);
            let has_lasted = now - since >= LASTS || AT_ONCE.contains(part);
            if has_lasted && !self.told.contains(*part) && self.may_tell() {
                self.told.insert((*part).to_owned());
                found.push(Alarm::Faulty {
                    part: (*part).to_owned(),
                    sentence: (*sentence).to_owned(),
                });
            }
        }
        let over: Vec<String> = self
            .told
            .iter()
            .filter(|part| !present.contains_key(part.as_str()))
            .cloned()
            .collect();
        for part in over {
            if self.may_tell() {
                self.told.remove(&part);
                found.push(Alarm::Over { part });
            }
        }
        found
    }

    fn may_tell(&mut self) -> bool {
        self.letters += 1;
        self.letters <= MAX_A_DAY
    }

    fn note(&self) -> String {
        self.told.iter().cloned().collect::<Vec<_>>().join(" ")
    }
}

impl Alarm {
    fn subject(&self) -> String {
        match self {
            Self::Faulty { part, .. } => format!("pbmserv has a fault: {part}"),
            Self::Over { part } => format!("pbmserv is well again: {part}"),
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::Faulty { sentence, .. } => sentence.clone(),
            Self::Over { part } => format!("The fault of {part} is over."),
        }
    }
}

/// The note with the week of the last summary.
const SUMMARY: &str = "summary_of";

/// The week whose summary is due: it is written on Monday, at six. `None`: none was written yet, so the next Monday is waited for.
fn week_due(last: Option<&str>, now: DateTime<Utc>) -> (String, bool) {
    let week = (now - TimeDelta::hours(6)).iso_week();
    let week = format!("{}-{:02}", week.year(), week.week());
    let is_due = last.is_some_and(|last| last != week);
    (week, is_due)
}

/// Writes the summary of the week, if it is due.
async fn summarise(server: &Arc<Server>, monitor: &Monitor) -> anyhow::Result<()> {
    let last = server.engine.write(|store, _| store.note(SUMMARY)).await?;
    let (week, is_due) = week_due(last.as_deref(), server.now());
    if last.as_deref() == Some(week.as_str()) {
        return Ok(());
    }
    let counted = {
        let server = server.clone();
        tokio::task::spawn_blocking(move || stats::text(&server)).await??
    };
    let faults = monitor.faults().await;
    let state = match faults.as_slice() {
        [] => "All is well.".to_owned(),
        faults => faults
            .iter()
            .map(|fault| fault.sentence.clone())
            .collect::<Vec<_>>()
            .join(" "),
    };
    let work = move |desk: &mut Handler, store: &Store, now| {
        if is_due {
            let decide = |context: &Context<'_>| telling::summary(context, &state, &counted);
            // Nobody to write to is no fault.
            drop(desk.operate(store, now, decide)?);
        }
        Ok(store.set_note(SUMMARY, &week)?)
    };
    Ok(server.engine.act(work).await?)
}

/// Looks at the faults until `stop` is true.
pub(super) async fn run(
    monitor: Arc<Monitor>,
    server: Arc<Server>,
    clock: TimeSource,
    wants_summary: bool,
    mut stop: watch::Receiver<bool>,
) {
    let engine = server.engine.clone();
    let mut known = None;
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = sleep(PAUSE) => {}
        }
        if engine.is_elsewhere() {
            continue;
        }
        if wants_summary && let Err(error) = summarise(&server, &monitor).await {
            tracing::warn!("the summary of the week was not written: {error:#}");
        }
        let alarms = match &mut known {
            Some(alarms) => alarms,
            none => {
                let Ok(note) = engine.write(|store, _| store.note(NOTE)).await else {
                    continue;
                };
                none.insert(Alarms::of(note))
            }
        };
        let told = alarms.look(&monitor.faults().await, clock.now());
        if told.is_empty() {
            continue;
        }
        let note = alarms.note();
        // The letters and the note of them are one transaction.
        let written = engine.act(move |desk, store, now| {
            for told in &told {
                let (subject, sentence) = (told.subject(), told.sentence());
                let decide = |context: &Context<'_>| telling::directors(context, &subject, &sentence);
                // Nobody to write to is no fault.
                drop(desk.operate(store, now, decide)?);
            }
            Ok(store.set_note(NOTE, &note)?)
        });
        if let Err(error) = written.await {
            // Nothing was told: what stands in the database says so. The log, /healthz and the metrics have the fault all the same.
            tracing::debug!(%error, "the directors could not be written to");
            known = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(part: &str) -> Fault {
        Fault {
            part: part.to_owned(),
            sentence: format!("{part} is down."),
        }
    }

    fn at(minutes: i64) -> DateTime<Utc> {
        "2030-01-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::minutes(minutes)
    }

    #[test]
    fn a_fault_that_lasts_is_told_once_and_its_end_once() {
        let mut alarms = Alarms::default();
        assert_eq!(alarms.look(&[fault("imap")], at(0)), []);
        assert_eq!(alarms.look(&[], at(5)), [], "what was short is not told");
        assert_eq!(alarms.look(&[fault("imap")], at(6)), []);
        let told = alarms.look(&[fault("imap"), fault("sender")], at(16));
        assert_eq!(told[0].subject(), "pbmserv has a fault: imap");
        assert_eq!(
            told.len(),
            1,
            "that no mail goes out is not told by mail: {told:?}"
        );
        assert_eq!(alarms.look(&[fault("imap")], at(30)), []);
        // A restart tells it no second time, and knows that it was told.
        let mut alarms = Alarms::of(Some(alarms.note()));
        assert_eq!(alarms.look(&[fault("imap")], at(31)), []);
        assert_eq!(
            alarms.look(&[], at(32))[0].sentence(),
            "The fault of imap is over."
        );
        assert_eq!(alarms.look(&[], at(33)), []);
    }

    #[test]
    fn a_week_has_one_summary_and_the_first_monday_is_waited_for() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let (first, is_due) = week_due(None, at("2030-01-02T12:00:00Z"));
        assert!(!is_due);
        assert_eq!(
            week_due(Some(&first), at("2030-01-07T05:59:00Z")),
            (first.clone(), false)
        );
        let (second, is_due) = week_due(Some(&first), at("2030-01-07T06:00:00Z"));
        assert!(is_due && second != first);
    }

    #[test]
    fn what_does_not_end_by_itself_is_told_at_once_and_a_day_has_few_letters() {
        let mut alarms = Alarms::default();
        assert_eq!(alarms.look(&[fault("certificate")], at(0)).len(), 1);
        let mut letters = 1;
        for minute in 1..60 {
            let faults = [fault("certificate")];
            let present: &[Fault] = if minute % 2 == 0 { &faults } else { &[] };
            letters += alarms.look(present, at(minute)).len();
        }
        assert_eq!(letters, MAX_A_DAY as usize);
        // The next day tells how it ended.
        assert_eq!(
            alarms.look(&[], at(24 * 60)).len() + alarms.look(&[fault("certificate")], at(24 * 60 + 1)).len(),
            1
        );
    }
}
