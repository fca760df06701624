//! `queue`: the messages taken and the mails to send, for the operator.

use chrono::{DateTime, Utc};

use crate::letters::columns;
use crate::service::office::Office;
use crate::store::{MailState, State};

use super::Show;

/// Rows, newest first, as a table or as JSON.
pub(super) fn list(office: &Office, show: &Show) -> anyhow::Result<String> {
    if show.inbox {
        inbox(office, show)
    } else {
        outbox(office, show)
    }
}

fn inbox(office: &Office, show: &Show) -> anyhow::Result<String> {
    let all = [
        State::Done,
        State::Refused,
        State::Ignored,
        State::Dropped,
        State::Failed,
    ];
    let state = named(show.state.as_deref(), &all, State::word)?;
    let found = office.reader()?.received(state, show.limit)?;
    if show.json {
        return Ok(format!("{}\n", serde_json::to_string(&found)?));
    }
    let mut rows = vec![
        ["Number", "Taken", "Door", "State", "Sender", "Command", "Why"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for row in found {
        rows.push(vec![
            row.id.to_string(),
            when(row.received_at),
            row.door,
            row.state,
            row.sender.unwrap_or_else(|| "<>".into()),
            row.commands,
            row.reason.unwrap_or_default(),
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}

fn outbox(office: &Office, show: &Show) -> anyhow::Result<String> {
    let all = [
        MailState::Waiting,
        MailState::Sent,
        MailState::Failed,
        MailState::Dropped,
    ];
    let state = named(show.state.as_deref(), &all, MailState::word)?;
    let found = office.reader()?.mails(state, show.limit)?;
    if show.json {
        return Ok(format!("{}\n", serde_json::to_string(&found)?));
    }
    let heading = ["Number", "Made", "State", "Tries", "To", "Subject", "Last error"]
        .map(str::to_owned)
        .to_vec();
    let mut rows = vec![heading];
    for row in found {
        rows.push(vec![
            row.id.to_string(),
            when(row.created_at),
            row.state,
            row.attempts.to_string(),
            row.recipient,
            row.subject,
            row.last_error.unwrap_or_default(),
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}

fn named<T: Copy>(word: Option<&str>, all: &[T], name: fn(T) -> &'static str) -> anyhow::Result<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = all.iter().copied().find(|state| name(*state) == word);
    let known: Vec<_> = all.iter().map(|state| name(*state)).collect();
    found
        .map(Some)
        .ok_or_else(|| anyhow::anyhow!("there is no state {word}: it is one of {}", known.join(", ")))
}

fn when(millis: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(millis).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M").to_string()
}

/// Has a mail tried again now.
pub(super) async fn retry(office: &Office, id: i64) -> anyhow::Result<String> {
    let found = office
        .engine
        .write(move |store, now| store.retry_mail(id, now))
        .await?;
    anyhow::ensure!(
        found,
        "there is no mail {id} that waits, failed or was dropped and still has its text"
    );
    Ok(format!("mail {id} is tried again now\n"))
}

/// Takes a waiting mail out.
pub(super) async fn drop_mail(office: &Office, id: i64) -> anyhow::Result<String> {
    let found = office
        .engine
        .write(move |store, now| store.drop_mail(id, now))
        .await?;
    anyhow::ensure!(found, "there is no waiting mail {id}");
    Ok(format!("mail {id} will not be sent\n"))
}
