//! The mails to send and those received, with why they wait or failed; and what waits for a decision.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use minijinja::context;
use serde_json::json;

use crate::admin::Verb;
use crate::admin::queue::{QueueArgs, QueueVerb, Retry};
use crate::admin::sure::Sure;
use crate::web::Fault;

use super::desk::{Asked, Desk, given, value};
use super::sessions::Visit;

/// The mails of a list.
const MOST: u32 = 100;

fn listed(inbox: bool, state: Option<String>) -> Verb {
    Verb::Queue(QueueVerb::List(QueueArgs {
        inbox,
        state,
        limit: MOST,
        json: true,
    }))
}

/// All mails in a state, tried again.
pub(super) fn retried(inbox: bool, state: &str, why: String, sure: Sure) -> Verb {
    Verb::Queue(QueueVerb::Retry(Retry {
        state: Some(state.to_owned()),
        inbox,
        sure,
        ..Retry::of(None, why)
    }))
}

pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let (inbox, state) = (asked.is_inbox(), given(&asked.state));
    let mails = desk.json(listed(inbox, state.clone())).await?;
    let states: &[&str] = match inbox {
        true => &["failed", "refused", "ignored", "dropped", "done"],
        false => &["waiting", "held", "failed", "dropped", "sent"],
    };
    // What the button would do, in the words of the verb.
    let can_retry = |state: &&String| match inbox {
        true => state.as_str() == "failed",
        false => ["waiting", "held", "failed"].contains(&state.as_str()),
    };
    let would = match state.as_ref().filter(can_retry) {
        Some(state) => {
            let sure = Sure {
                dry_run: true,
                yes: false,
            };
            let answer = desk.run(retried(inbox, state, String::new(), sure)).await;
            given(&answer.out).filter(|out| out.contains("would be"))
        }
        None => None,
    };
    let facts = context! {
        at => "queue", inbox, state, would,
        states => states.to_vec(),
        mails => value(mails),
        most => MOST,
    };
    desk.page(&visit, &asked, "queue.html", facts)
}

pub(super) async fn mail(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Path((which, number)): Path<(String, String)>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let inbox = match which.as_str() {
        "in" => true,
        "out" => false,
        _ => return Err(Fault::not_found()),
    };
    let number: i64 = number.parse().map_err(|_| Fault::not_found())?;
    let json = true;
    let mail = desk
        .json(Verb::Queue(QueueVerb::Show { number, inbox, json }))
        .await?;
    let facts = context! { at => "queue", inbox, number, mail => value(mail) };
    desk.page(&visit, &asked, "mail.html", facts)
}

/// What lies in mailboxes and could not be handled so far, as the doors say it.
fn aside(desk: &Desk) -> serde_json::Value {
    let mut mailboxes = Vec::new();
    for seen in desk.server.mailboxes.get().into_iter().flatten() {
        let health = seen.borrow();
        if health.aside.count > 0 {
            let mails = health.aside.mails.iter();
            let mails = mails.map(|mail| json!({ "name": mail.name, "tries": mail.tries, "why": mail.why }));
            mailboxes.push(json!({
                "door": health.door, "count": health.aside.count, "mails": mails.collect::<Vec<_>>(),
            }));
        }
    }
    serde_json::Value::Array(mailboxes)
}

/// Messages that could not be handled, held mails, and mails that came back for good.
pub(super) async fn waiting(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let of = |inbox, state: &str| desk.json(listed(inbox, Some(state.to_owned())));
    let [received, held, failed] = [
        of(true, "failed").await?,
        of(false, "held").await?,
        of(false, "failed").await?,
    ]
    .map(value);
    let facts =
        context! { at => "waiting", received, held, failed, most => MOST, aside => value(aside(&desk)) };
    desk.page(&visit, &asked, "waiting.html", facts)
}
