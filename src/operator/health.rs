//! The first page: what `/healthz` finds, the mails of two days as plots, backups, and the state of the database.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde_json::json;

use crate::admin::Verb;
use crate::web::Fault;
use pbmserv_core::store::HourOfMail;

use super::desk::{Asked, Desk, value};
use super::plot::Plot;
use super::sessions::Visit;

/// The hours of the plots.
const HOURS: u32 = 48;

/// A backup that is older is a fault, as in `deploy/alerts.yml`.
const BACKUP_SECONDS: i64 = 30 * 3600;

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let health = (desk.healthz)().await;
    let now = desk.server.now();
    let looked = desk.look(move |reader| {
        let (queues, hours) = (reader.queues(now)?, reader.hours_of_mail(now, HOURS)?);
        Ok((queues, hours, reader.holder()?, reader.replication()?))
    });
    let found = match looked.await {
        Ok((queues, hours, holder, replication)) => {
            let plot = |count: fn(&HourOfMail) -> u32| {
                let bars = hours
                    .iter()
                    .map(|hour| (hour.begins.format("%a %H:00").to_string(), count(hour)));
                Value::from(Serde(Plot::of(bars)))
            };
            let age = queues.backed_up.map(|at| (now - at).num_seconds());
            let replication = replication.map(|found| {
                value(json!({
                    "is_meant": found.is_meant,
                    "is_visible": found.is_visible,
                    "waits": found.waits,
                    "synchronous": found.synchronous,
                    "slot": found.kept.as_ref().map(|(slot, _)| slot.clone()),
                    "kept": found.kept.as_ref().map(|(_, bytes)| *bytes),
                    "is_bad": !found.faults().is_empty(),
                }))
            });
            context! {
                received => plot(|hour| hour.received),
                sent => plot(|hour| hour.sent),
                backup_age => age,
                is_backup_old => age.is_none_or(|age| age > BACKUP_SECONDS),
                computers => queues.computers.mails,
                holder => holder.map(|holder| value(json!({
                    "host": holder.host, "since": holder.since.timestamp_millis(),
                }))),
                replication,
            }
        }
        // What /healthz finds says why.
        Err(error) => {
            tracing::debug!(%error, "the operator's page could not be read");
            context! {}
        }
    };
    let stats = desk.json(Verb::Stats { json: true }).await;
    let facts = context! {
        at => "",
        health => value(health),
        stats => stats.ok().map(value),
        place => desk.server.folder.location().to_string(),
        ..found
    };
    desk.page(&visit, &asked, "health.html", facts)
}
