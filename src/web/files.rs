//! What is no page: the style sheet, and what robots may read.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::answer::{Kind, answer};
use super::site::Site;
use super::style::STYLE;

pub(super) fn routes(at: &str) -> Router<Arc<Site>> {
    Router::new()
        .route(&format!("{at}style.css"), get(style))
        .route(&format!("{at}robots.txt"), get(robots))
}

async fn style() -> Response {
    answer(Kind::Style, STYLE)
}

async fn robots(State(site): State<Arc<Site>>) -> Response {
    let path = site.base.path();
    let forbidden = match site.is_public {
        true => format!("Disallow: {path}k/\nDisallow: {path}u/\nDisallow: {path}board/*/try\n"),
        false => format!("Disallow: {path}\n"),
    };
    answer(Kind::Plain, format!("User-agent: *\n{forbidden}"))
}
