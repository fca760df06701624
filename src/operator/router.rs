//! Which path is which page.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::web::Fault;

use super::desk::Desk;
use super::{act, boards, finish, gate, health, players, queue, style};

/// The longest form, in bytes.
const MAX_FORM: usize = 16 * 1024;

pub(super) fn router(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/", get(health::show))
        .route("/queue", get(queue::list))
        .route("/queue/{box}/{number}", get(queue::mail))
        .route("/boards", get(boards::list))
        .route("/boards/{game}/{number}", get(boards::show))
        .route("/players", get(players::list))
        .route("/players/{userid}", get(players::show))
        .route("/waiting", get(queue::waiting))
        .route("/audit", get(players::audit))
        .route("/act", post(act::act))
        .route("/login", post(gate::login))
        .route("/logout", post(gate::logout))
        .route("/style.css", get(style::style))
        .fallback(|| async { Fault::not_found() })
        .method_not_allowed_fallback(|| async { Fault::no_method() })
        .layer(from_fn_with_state(desk.clone(), gate::gate))
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .layer(from_fn_with_state(desk.clone(), finish::finish))
        .with_state(desk)
}
