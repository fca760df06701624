//! Opens the pages for players, if they are configured.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::watch;

use super::task::Task;
use crate::config::Config;
use crate::doors::Listener;
use crate::engine::server::Server;
use crate::web;

/// The name of the task.
const NAME: &str = "web";

/// Serves the pages until `stop`; returns the address. The task is added to `tasks`.
///
/// # Errors
/// One sentence that names the key and what to do.
pub(super) async fn serve(
    config: &Config,
    server: &Arc<Server>,
    stop: &watch::Receiver<bool>,
    tasks: &mut Vec<Task>,
) -> anyhow::Result<String> {
    let listen = config.web.listen.as_str();
    if listen.is_empty() {
        return Ok("nowhere".to_owned());
    }
    let listener = Listener::bind(listen).await.with_context(|| {
        config.placed(&format!(
            "web.listen: {listen} cannot be opened; stop what listens there or name another address"
        ))
    })?;
    let place = listener.to_string();
    let pages = web::serve(listener, server, &config.web, stop.clone());
    let pages = pages.with_context(|| config.placed("web.url"))?;
    tasks.push((NAME, tokio::spawn(pages)));
    Ok(place)
}
