//! `queue retry`: one mail, or all in a state.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::admin::audit::change_row;
use crate::admin::caller::{Caller, PerhapsWhy};
use crate::admin::sure::Sure;
use crate::engine::server::Server;
use pbmserv_core::store::{Audited, MailState, State, Store};
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::{Given, envelope_from_header};

/// The mails of one transaction.
const TOGETHER: usize = 500;

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Retry {
    /// The number of the mail.
    #[arg(required_unless_present_any = ["state", "all"], conflicts_with_all = ["state", "all", "since", "host"])]
    pub number: Option<i64>,
    /// All mails in this state: waiting, held or failed.
    #[arg(long, conflicts_with = "all", value_parser = ["waiting", "held", "failed"])]
    pub state: Option<String>,
    /// All mails that wait, are held or have failed.
    #[arg(long)]
    pub all: bool,
    /// Only those written or received since then: a day, such as 2026-01-31, or so long ago, such as 3h or 2d.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only those to an address of this host; received ones: from one.
    #[arg(long)]
    pub host: Option<String>,
    /// Mails received that have failed, not those to send.
    #[arg(long)]
    pub inbox: bool,
    #[command(flatten)]
    pub sure: Sure,
    #[command(flatten)]
    pub why: PerhapsWhy,
}

/// The mails to retry.
struct Chosen {
    numbers: Vec<i64>,
    /// How many they are, by state.
    counts: String,
}

impl Retry {
    /// One mail, or those that the other fields name.
    #[must_use]
    pub fn of(number: Option<i64>, why: String) -> Self {
        Self {
            number,
            state: None,
            all: false,
            since: None,
            host: None,
            inbox: false,
            sure: Sure::default(),
            why: PerhapsWhy { why },
        }
    }

    /// The same as a question, if the operator is to be asked.
    pub(in crate::admin) fn rehearsal(&self) -> Option<Self> {
        let sure = self.sure.rehearsal().filter(|_| self.number.is_none())?;
        Some(Self { sure, ..self.clone() })
    }

    pub(super) async fn run(self, server: &Arc<Server>, caller: Caller) -> anyhow::Result<String> {
        match (self.number, self.inbox) {
            (Some(number), _) if self.sure.dry_run => Ok(format!("mail {number} would be tried again now\n")),
            (Some(number), false) => {
                let entry = caller.audited("queue retry", &number, "tried again now", self.why.why);
                let done = change_row(server, entry, move |store, now| store.retry_mail(number, now));
                anyhow::ensure!(
                    done.await?,
                    "there is no mail {number} that waits, is held, failed or was dropped and still has its text"
                );
                Ok(format!("mail {number} is tried again now\n"))
            }
            (Some(number), true) => {
                let entry = caller.audited("queue retry --inbox", &number, "handled again", self.why.why);
                received(server, number, entry).await
            }
            (None, is_inbox) => {
                let chosen = if is_inbox {
                    self.failed(server)
                } else {
                    self.unsent(server)
                }?;
                let Chosen { numbers, counts } = &chosen;
                if numbers.is_empty() {
                    return Ok("there is no such mail\n".to_owned());
                }
                if self.sure.dry_run {
                    return Ok(format!("{counts} would be tried again now\n"));
                }
                if !is_inbox {
                    return send(server, chosen, caller, self.why.why).await;
                }
                let mut out = String::new();
                for number in numbers {
                    let (who, why) = (caller.who.clone(), self.why.why.clone());
                    let caller = Caller {
                        who,
                        ..Caller::default()
                    };
                    let entry = caller.audited("queue retry --inbox", number, "handled again", why);
                    match received(server, *number, entry).await {
                        Ok(line) => out.push_str(&line),
                        Err(error) => out.push_str(&format!("{error:#}\n")),
                    }
                }
                Ok(out)
            }
        }
    }

    fn unsent(&self, server: &Server) -> anyhow::Result<Chosen> {
        let since = self.since(server.now())?;
        let all = [MailState::Waiting, MailState::Held, MailState::Failed];
        let states = all
            .into_iter()
            .filter(|state| self.all || self.state.as_deref() == Some(state.word()));
        let reader = server.reader()?;
        let mut chosen = Vec::new();
        let mut counts = Vec::new();
        for state in states {
            let mut mails = reader.mails(Some(state), u32::MAX)?;
            mails.retain(|mail| mail.created_at >= since && self.is_of_host(&mail.recipient));
            if !mails.is_empty() {
                let [one, many] = match state {
                    MailState::Waiting => ["waits", "wait"],
                    MailState::Held => ["is held", "are held"],
                    _ => ["has failed", "have failed"],
                };
                let word = if mails.len() == 1 { one } else { many };
                counts.push(format!("{} that {word}", counted(mails.len())));
            }
            chosen.extend(mails.into_iter().map(|mail| mail.id));
        }
        Ok(Chosen {
            numbers: chosen,
            counts: counts.join(", "),
        })
    }

    fn failed(&self, server: &Server) -> anyhow::Result<Chosen> {
        let since = self.since(server.now())?;
        let is_failed = self.all || self.state.as_deref() == Some(State::Failed.word());
        anyhow::ensure!(
            is_failed,
            "with --inbox only --state failed or --all can be retried"
        );
        let mut mails = server.reader()?.received(Some(State::Failed), u32::MAX)?;
        mails.retain(|mail| {
            mail.received_at >= since && self.is_of_host(mail.sender.as_deref().unwrap_or_default())
        });
        Ok(Chosen {
            counts: format!("{} received that have failed", counted(mails.len())),
            numbers: mails.into_iter().map(|mail| mail.id).collect(),
        })
    }

    fn is_of_host(&self, address: &str) -> bool {
        let host = address.rsplit('@').next().unwrap_or_default();
        self.host
            .as_deref()
            .is_none_or(|wanted| host.eq_ignore_ascii_case(wanted))
    }

    /// In milliseconds since 1970.
    fn since(&self, now: DateTime<Utc>) -> anyhow::Result<i64> {
        match &self.since {
            None => Ok(i64::MIN),
            Some(text) => moment(text, now).map(|at| at.timestamp_millis()).ok_or_else(|| {
                anyhow::anyhow!(
                    "--since: {text} is no time: write a day, such as 2026-01-31, or 30m, 3h or 2d"
                )
            }),
        }
    }
}

fn counted(mails: usize) -> String {
    if mails == 1 {
        "1 mail".to_owned()
    } else {
        format!("{mails} mails")
    }
}

/// A day, or so long before now.
fn moment(text: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some(day.and_hms_opt(0, 0, 0)?.and_utc());
    }
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let number: i64 = number
        .parse()
        .ok()
        .filter(|number| (0..100_000).contains(number))?;
    let back = match unit {
        "m" => TimeDelta::minutes(number),
        "h" => TimeDelta::hours(number),
        "d" => TimeDelta::days(number),
        _ => return None,
    };
    now.checked_sub_signed(back)
}

/// Makes mails due now, some hundred in a transaction, so that messages of players come in between.
async fn send(server: &Server, chosen: Chosen, caller: Caller, why: String) -> anyhow::Result<String> {
    let what = format!("{} tried again now", chosen.counts);
    let mut entry = Some(caller.audited("queue retry", "all", what, why));
    let mut done = 0;
    for numbers in chosen.numbers.chunks(TOGETHER) {
        let (numbers, entry) = (numbers.to_vec(), entry.take());
        let some = server.engine.write(move |store: &Store, now| {
            let mut done = 0;
            for number in numbers {
                done += usize::from(store.retry_mail(number, now)?);
            }
            if let Some(entry) = &entry {
                store.add_audited(now, entry)?;
            }
            Ok(done)
        });
        done += some.await?;
    }
    let mut out = format!("{} tried again now\n", chosen.counts);
    let left = chosen.numbers.len() - done;
    if left > 0 {
        out.push_str(&format!(
            "{} of them not: sent meanwhile, or without a text by now\n",
            counted(left)
        ));
    }
    Ok(out)
}

/// Handles a failed message as if it had just arrived.
async fn received(server: &Arc<Server>, number: i64, entry: Audited) -> anyhow::Result<String> {
    let kept = server.folder.failed_message(number);
    let bytes = std::fs::read(&kept).map_err(|error| {
        anyhow::anyhow!(
            "the bytes of mail {number} are not stored (any more): {}: {error}",
            kept.display()
        )
    })?;
    let envelope = envelope_from_header(&bytes, &Given::default(), server.own())
        .map_err(|_| anyhow::anyhow!("the mail stored in {} has no envelope", kept.display()))?;
    let found = change_row(server, entry, move |store, _| store.let_come_again(number)).await?;
    anyhow::ensure!(found, "there is no received mail {number} that failed");
    let message = Message {
        envelope,
        bytes: bytes.into(),
        client: None,
        mark: None,
    };
    let taken = match server.door("retry").submit(message).await {
        Verdict::Accepted(taken) => taken,
        Verdict::Unusable(why) | Verdict::TryLater(why) => anyhow::bail!("mail {number}: {why}"),
    };
    let reason = format!("tried again as mail {taken}");
    let settled = server
        .engine
        .write(move |store, _| store.settle_failed(number, State::Dropped, &reason));
    settled.await?;
    drop(std::fs::remove_file(kept));
    let fate = server.reader()?.received_by_id(taken)?;
    let fate = fate.map(|row| row.state).unwrap_or_default();
    Ok(format!("mail {number} came again as mail {taken}: {fate}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_day_or_so_long_ago() {
        let now: DateTime<Utc> = "2026-02-03T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("30m", Some("2026-02-03T11:30:00Z")),
            ("3h", Some("2026-02-03T09:00:00Z")),
            ("2d", Some("2026-02-01T12:00:00Z")),
            ("2", None),
            ("-1d", None),
            ("d", None),
            ("", None),
            ("2é", None),
            ("99999999d", None),
        ] {
            let expected = expected.map(|text| text.parse().unwrap());
            assert_eq!(moment(text, now), expected, "{text}");
        }
    }
}
