//! Opens the pages for the operator, if they are configured.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::watch;

use super::monitoring::Monitor;
use super::task::Task;
use crate::config::Config;
use crate::engine::server::Server;
use crate::operator;
use pbmserv_mail::doors::Listener;

/// Opens the listener, if one is configured.
///
/// # Errors
/// One sentence that names the key and what to do.
pub(super) async fn open(config: &Config) -> anyhow::Result<Option<Listener>> {
    let listen = config.operator.listen.as_str();
    if listen.is_empty() {
        return Ok(None);
    }
    let listener = Listener::bind(listen).await.with_context(|| {
        config.placed(&format!(
            "operator.listen: {listen} cannot be opened; stop what listens there or name another address"
        ))
    })?;
    Ok(Some(listener))
}

/// Serves the pages until `stop`; returns the address. The task is added to `tasks`.
///
/// # Errors
/// The key of the pages cannot be read or written.
pub(super) fn serve(
    listener: Option<Listener>,
    server: &Arc<Server>,
    monitor: Arc<Monitor>,
    stop: &watch::Receiver<bool>,
    tasks: &mut Vec<Task>,
) -> anyhow::Result<String> {
    let Some(listener) = listener else {
        return Ok("nowhere".to_owned());
    };
    let place = listener.to_string();
    let healthz: operator::Healthz = Box::new(move || {
        let monitor = monitor.clone();
        Box::pin(async move { monitor.report().await })
    });
    let pages = operator::serve(listener, server, healthz, stop.clone())?;
    tasks.push(("operator", tokio::spawn(pages)));
    Ok(place)
}
