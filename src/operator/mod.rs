//! The pages for the operator: health, the queue, boards and players with their rulings, what waits for a decision, the audit log.
//!
//! They stand on a listener that only this machine reaches, never on that of the players, behind a key that stands in no address.
//! They know nothing themselves: what they show is what the verbs print as JSON and what `/healthz` finds, and each button builds
//! the verb of the command line and has it run by the same function, so it is audited, with the caller `operator page`. No page has
//! scripts.

mod act;
mod boards;
mod desk;
mod finish;
mod gate;
mod guesses;
mod health;
mod key;
mod players;
mod plot;
mod queue;
mod router;
mod sessions;
mod shown;
mod style;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper::{Request, Response};
use hyper_util::service::TowerToHyperService;
use tokio::sync::watch;

use crate::engine::server::Server;
use pbmserv_mail::doors::Listener;
use pbmserv_mail::doors::http::{self, Answering, Limits};

use desk::Desk;
pub use desk::Healthz;

const LIMITS: Limits = Limits {
    connections: 32,
    connections_per_peer: 32,
    header_bytes: 16 * 1024,
    header_fields: 64,
    arrival: Duration::from_secs(5),
    lifetime: Duration::from_secs(60),
    // A verb may wait for the engine.
    grace: Duration::from_secs(60),
    is_kept: true,
};

/// The router behind the connections.
struct Pages(Router);

impl Answering for Pages {
    type Body = Body;

    const NAME: &'static str = "the operator's page";

    async fn answer(&self, request: Request<Incoming>, _peer: IpAddr) -> Response<Body> {
        match TowerToHyperService::new(self.0.clone()).call(request).await {
            Ok(answer) => answer,
            Err(impossible) => match impossible {},
        }
    }
}

/// Serves the pages until `stop`. The key is made if there is none.
///
/// # Errors
/// The key cannot be read or written.
pub fn serve(
    listener: Listener,
    server: &Arc<Server>,
    healthz: Healthz,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<impl Future<Output = ()> + Send + use<>> {
    let desk = Arc::new(Desk::new(server.clone(), healthz)?);
    let pages = Pages(router::router(desk));
    Ok(http::serve(listener, LIMITS, Arc::new(pages), stop))
}
