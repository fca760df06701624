//! What `queue list` and `queue show` print.

use chrono::{DateTime, Utc};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::engine::server::Server;
use pbmserv_core::letters::columns;
use pbmserv_core::store::{MailState, OutboxRow, State};
use pbmserv_mail::Address;

pub(super) fn list(server: &Server, args: &QueueArgs) -> anyhow::Result<String> {
    if args.inbox {
        inbox(server, args)
    } else {
        outbox(server, args)
    }
}

fn inbox(server: &Server, args: &QueueArgs) -> anyhow::Result<String> {
    let all = [
        State::Done,
        State::Refused,
        State::Ignored,
        State::Dropped,
        State::Failed,
    ];
    let state = named(args.state.as_deref(), &all, State::word)?;
    let found = server.reader()?.received(state, args.limit)?;
    if args.json {
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
            shown_sender(row.sender.as_deref()),
            row.commands,
            row.reason.unwrap_or_default(),
        ]);
    }
    Ok(format!("{}\n{}", columns(&rows), aside(server)))
}

/// What lies in a mailbox and could not be handled so far.
fn aside(server: &Server) -> String {
    let mut out = String::new();
    for seen in server.mailboxes.get().into_iter().flatten() {
        let health = seen.borrow();
        let (door, aside) = (health.door, &health.aside);
        if aside.count > 0 {
            let count = aside.count;
            out.push_str(&format!(
                "\nPut aside in the mailbox of the door {door}, tried again now and then: {count}\n"
            ));
        }
        for mail in &aside.mails {
            let times = if mail.tries == 1 {
                "once"
            } else {
                &format!("{} times", mail.tries)
            };
            out.push_str(&format!("{}, tried {times}: {}\n", mail.name, mail.why));
        }
        if aside.count > aside.mails.len() {
            out.push_str("...\n");
        }
    }
    out
}

fn outbox(server: &Server, args: &QueueArgs) -> anyhow::Result<String> {
    let all = [
        MailState::Waiting,
        MailState::Held,
        MailState::Sent,
        MailState::Failed,
        MailState::Dropped,
    ];
    let state = named(args.state.as_deref(), &all, MailState::word)?;
    let found = server.reader()?.mails(state, args.limit)?;
    if args.json {
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
            Address::stored_with_scripts(&row.recipient),
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

fn shown_sender(sender: Option<&str>) -> String {
    sender.map_or_else(|| "<>".to_owned(), Address::stored_with_scripts)
}

fn when(millis: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(millis).unwrap_or_default();
    time.format("%Y-%m-%d %H:%M").to_string()
}

#[derive(Serialize)]
struct MailJson {
    #[serde(flatten)]
    row: OutboxRow,
    text: String,
}

pub(super) fn show(server: &Server, id: i64, inbox: bool, json: bool) -> anyhow::Result<String> {
    let reader = server.reader()?;
    if inbox {
        let row = reader.received_by_id(id)?;
        let row = row.ok_or_else(|| anyhow::anyhow!("there is no received mail {id}"))?;
        if json {
            return Ok(format!("{}\n", serde_json::to_string(&row)?));
        }
        let mut out = format!(
            "Taken: {} by {}\nFrom: {}\nTo: {}\nState: {}\n",
            when(row.received_at),
            row.door,
            shown_sender(row.sender.as_deref()),
            row.recipient,
            row.state
        );
        for (name, value) in [("Why", row.reason), ("Message-ID", row.message_id)] {
            if let Some(value) = value {
                out.push_str(&format!("{name}: {value}\n"));
            }
        }
        let kept = server.folder.failed_message(id);
        if kept.exists() {
            out.push_str(&format!("Kept in: {}\n", kept.display()));
        }
        out.push_str(&format!("\n{}\n", row.commands));
        return Ok(out);
    }
    let found = reader.mail(id)?;
    let (row, draft) = found.ok_or_else(|| anyhow::anyhow!("there is no mail {id}"))?;
    let text = draft.map(|draft| server.rows.text(&row.kind, &draft));
    let text = text.unwrap_or_default();
    if json {
        let mail = MailJson { row, text };
        return Ok(format!("{}\n", serde_json::to_string(&mail)?));
    }
    let mut out = format!(
        "Made: {}\nTo: {}\nSubject: {}\nState: {}, {} tries\n",
        when(row.created_at),
        Address::stored_with_scripts(&row.recipient),
        row.subject,
        row.state,
        row.attempts
    );
    if row.state == MailState::Waiting.word() {
        out.push_str(&format!("Next try: {}\n", when(row.due_at)));
    }
    if let Some(error) = row.last_error {
        out.push_str(&format!("Last error: {error}\n"));
    }
    out.push_str(&format!("\n{text}\n"));
    Ok(out)
}

#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub struct QueueArgs {
    /// The mails received, not those to send.
    #[arg(long)]
    pub inbox: bool,
    /// Only those in this state: waiting, held, sent, failed, dropped; received ones: done, refused, ignored, dropped,
    /// failed.
    #[arg(long)]
    pub state: Option<String>,
    /// At most this many mails.
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}
