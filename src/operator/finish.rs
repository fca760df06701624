//! The header fields of all answers, and the pages of faults.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::header::CONTENT_TYPE;
use minijinja::context;

use crate::web::Fault;
use crate::web::answer::{Kind, answer, close_off, keep_private};

use super::desk::Desk;

/// Writes the page of a fault, and sets the header fields of all answers: no browser keeps a page.
pub(super) async fn finish(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let is_style = request.uri().path() == "/style.css";
    let mut answer = next.run(request).await;
    let fault = answer.extensions_mut().remove::<Fault>();
    let is_page = answer.headers().get(CONTENT_TYPE).is_some_and(|kind| {
        kind.to_str()
            .is_ok_and(|kind| kind.starts_with("text/html") || kind.starts_with("text/css"))
    });
    // What axum refuses by itself has no page.
    let fault = fault.or_else(|| {
        let is_refused = answer.status().is_client_error() && !is_page;
        is_refused.then(|| Fault::unreadable("The request cannot be read. Nothing was done."))
    });
    if let Some(fault) = fault {
        answer = page_of(&desk, &fault);
    }
    close_off(&mut answer, true);
    if !is_style {
        keep_private(&mut answer);
    }
    answer
}

fn page_of(desk: &Desk, fault: &Fault) -> Response {
    let facts = context! { title => fault.title, sentence => fault.sentence.as_str() };
    let text = desk
        .render("fault.html", facts)
        .unwrap_or_else(|_| fault.title.to_owned());
    let mut page = answer(Kind::Html, text);
    *page.status_mut() = fault.status;
    page
}
