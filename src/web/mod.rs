//! The pages: what is on the boards, for everybody, and what a player may do, behind a private link.
//!
//! Every page is read by a read-only connection. What changes something is a command of the same engine as a mail's
//! (`Site::press`), so a page decides nothing. A page without a token in its path holds no secret; one with a token is
//! never stored by a browser. No page has scripts, cookies, or anything from elsewhere.

mod access;
pub(crate) mod answer;
mod api;
mod board;
mod calendar;
mod chart;
mod company;
mod data;
mod dice;
mod event;
pub(crate) mod fault;
mod feed;
mod files;
mod gazette;
pub(crate) mod guard;
mod guest;
mod home;
mod house;
mod join;
mod keyed;
mod listed;
mod names;
mod page;
mod pictures;
mod player;
pub(crate) mod press;
mod questions;
mod rates;
mod reached;
mod router;
mod rules;
mod sifted;
mod site;
mod standings;
pub(crate) mod style;
pub(crate) mod templates;
mod times;
mod tries;
mod turn;
mod unsubscribe;
mod viewer;
mod waiting;

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

use crate::config::Web;
use crate::engine::server::Server;
use pbmserv_mail::doors::Listener;
use pbmserv_mail::doors::http::{self, Answering, Limits};

use access::Client;
pub use fault::Fault;
pub use site::Site;
pub use turn::buttons;

const LIMITS: Limits = Limits {
    connections: 1024,
    connections_per_peer: 64,
    header_bytes: 16 * 1024,
    header_fields: 64,
    arrival: Duration::from_secs(5),
    lifetime: Duration::from_secs(60),
    grace: Duration::from_secs(10),
    is_kept: true,
};

/// The router behind the connections.
struct Pages {
    router: Router,
    site: Arc<Site>,
}

impl Answering for Pages {
    type Body = Body;

    const NAME: &'static str = "a page";

    async fn answer(&self, mut request: Request<Incoming>, peer: IpAddr) -> Response<Body> {
        let client = self.site.client(peer, request.headers());
        request.extensions_mut().insert(Client(client));
        match TowerToHyperService::new(self.router.clone()).call(request).await {
            Ok(answer) => answer,
            Err(impossible) => match impossible {},
        }
    }

    fn is_gateway(&self, peer: IpAddr) -> bool {
        self.site.is_proxy(peer)
    }
}

/// Serves the pages until `stop`.
///
/// # Errors
/// `web.url` is none, which the configuration has checked.
pub fn serve(
    listener: Listener,
    server: &Arc<Server>,
    config: &Web,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<impl Future<Output = ()> + Send + use<>> {
    let site = Arc::new(Site::new(server.clone(), config, &listener.to_string())?);
    let router = router::router(site.clone());
    Ok(http::serve(
        listener,
        LIMITS,
        Arc::new(Pages { router, site }),
        stop,
    ))
}
