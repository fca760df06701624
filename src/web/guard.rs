//! Which requests are taken: those that name one host, and of forms those of our own pages.
//!
//! A browser says where a form comes from: `Origin` (RFC 6454), `Sec-Fetch-Site`. What names another place is refused. Text
//! browsers send neither, and are let in: the token in the path is the proof, the header only helps who has it against pages
//! elsewhere.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::header::{HOST, ORIGIN};
use hyper::{HeaderMap, Method};

use super::fault::Fault;
use super::site::Site;

/// Refuses what changes something and comes from elsewhere, and what a proxy in front may have read as a request to another
/// host.
pub(super) async fn guard(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    if request.headers().get_all(HOST).iter().count() != 1 {
        return Fault::unreadable("The request has no Host, or two.").into_response();
    }
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    // A mail program posts there from wherever it is.
    let is_click = request
        .uri()
        .path()
        .starts_with(&format!("{}u/", site.base.path()));
    if is_safe || is_click || is_ours(&site.origins, request.headers()) {
        next.run(request).await
    } else {
        Fault::foreign().into_response()
    }
}

/// Whether a form comes from a page of one of these origins, as far as its browser says.
pub(crate) fn is_ours(origins: &[String], header: &HeaderMap) -> bool {
    let is_own_site = header
        .get_all("sec-fetch-site")
        .iter()
        .all(|site| site == "same-origin" || site == "none");
    let is_own_origin = header
        .get_all(ORIGIN)
        .iter()
        .all(|origin| origins.iter().any(|own| origin == own.as_str()));
    is_own_site && is_own_origin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_another_place_is_refused_and_what_names_none_is_not() {
        let origins = vec!["https://games.example".to_owned()];
        for (fields, is_taken) in [
            (&[][..], true),
            (&[("origin", "https://games.example")], true),
            (
                &[
                    ("origin", "https://games.example"),
                    ("sec-fetch-site", "same-origin"),
                ],
                true,
            ),
            (&[("sec-fetch-site", "none")], true),
            (&[("origin", "null")], false),
            (&[("origin", "http://games.example")], false),
            (&[("origin", "https://games.example.evil.example")], false),
            (&[("origin", "https://games.example:8443")], false),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "same-site")], false),
            (
                &[
                    ("origin", "https://games.example"),
                    ("sec-fetch-site", "cross-site"),
                ],
                false,
            ),
            (
                &[
                    ("origin", "https://games.example"),
                    ("origin", "https://evil.example"),
                ],
                false,
            ),
        ] {
            let mut header = HeaderMap::new();
            for (name, value) in fields {
                header.append(*name, value.parse().unwrap());
            }
            assert_eq!(is_ours(&origins, &header), is_taken, "{fields:?}");
        }
    }
}
