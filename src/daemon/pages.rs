//! Opens the pages for players, if they are configured. They have threads of their own, at a lower priority: mails come first.

use std::panic::resume_unwind;
use std::sync::Arc;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::task::Task;
use crate::config::Config;
use crate::engine::server::Server;
use crate::web;
use pbmserv_mail::doors::Listener;

/// The name of the task.
const NAME: &str = "web";

/// The niceness of the threads of the pages: a tenth of the processor's time where mails want it too.
const NICENESS: i32 = 10;

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
    let threads = Threads::start().context("the threads of the pages cannot be started")?;
    tasks.push((NAME, tokio::spawn(threads.run(pages))));
    Ok(place)
}

/// The threads that serve and make pages. `None` only while it is dropped.
struct Threads(Option<Runtime>);

impl Threads {
    fn start() -> std::io::Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        runtime.enable_all().thread_name(NAME).on_thread_start(|| {
            // On Linux this is the priority of the calling thread alone. Without it mails only wait longer.
            if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
                tracing::debug!(%error, "pages are made at the usual priority");
            }
        });
        Ok(Self(Some(runtime.build()?)))
    }

    async fn run(self, pages: impl Future<Output = ()> + Send + 'static) {
        let Some(runtime) = &self.0 else { return };
        if let Err(error) = runtime.spawn(pages).await
            && error.is_panic()
        {
            resume_unwind(error.into_panic());
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A runtime that is dropped waits for its threads, which a task must not do.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
