//! Who may see the pages: who has typed the key, in a browser that asks this machine. Everybody else gets the page to log in, and
//! nothing happens.
//!
//! A page elsewhere cannot have a browser ask in its name: the host of each request is this machine's (so that no name that
//! somebody lets lead here opens the pages), `Origin` and `Sec-Fetch-Site` of a form are ours, the cookie is not sent along from
//! elsewhere, and each form has a number that a page of the same session had.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Extension, http};
use hyper::header::{COOKIE, HOST, HeaderValue, RETRY_AFTER, SET_COOKIE};
use hyper::{HeaderMap, Method, StatusCode};
use minijinja::context;
use serde::Deserialize;

use crate::web::Fault;
use crate::web::answer::{Kind, answer, see};
use crate::web::guard::is_ours;

use super::desk::Desk;
use super::sessions::{LASTS, Visit};

const COOKIE_NAME: &str = "pbmserv_operator";

/// Whether a browser that names this host asks this machine. The port is that of a tunnel, so it may be any.
fn is_here(host: &str) -> bool {
    let Ok(authority) = host.parse::<http::uri::Authority>() else {
        return false;
    };
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = address
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    !host.contains('@') && (name == "localhost" || is_loopback)
}

/// The token of the session, if the browser has one.
fn token(header: &HeaderMap) -> Option<String> {
    let fields = header.get_all(COOKIE).iter();
    let cookies = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(';'));
    let mut values = cookies.filter_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == COOKIE_NAME).then(|| value.to_owned())
    });
    values.next()
}

/// Lets in who has a session.
pub(super) async fn gate(State(desk): State<Arc<Desk>>, mut request: Request, next: Next) -> Response {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Fault::unreadable("The request has no Host, or two.").into_response();
    };
    let Some(host) = host.to_str().ok().filter(|host| is_here(host)) else {
        return foreign("Open these pages as 127.0.0.1 or as localhost.").into_response();
    };
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_safe && !is_ours(&[format!("http://{host}")], request.headers()) {
        return foreign("It was sent from a page elsewhere. Nothing was done.").into_response();
    }
    let path = request.uri().path();
    if path == "/style.css" || path == "/login" && !is_safe {
        return next.run(request).await;
    }
    match token(request.headers()).filter(|token| desk.sessions.is_open(token, desk.server.now())) {
        Some(token) => {
            request.extensions_mut().insert(Visit { token });
            next.run(request).await
        }
        None => login_page(&desk, StatusCode::FORBIDDEN, ""),
    }
}

fn foreign(sentence: &str) -> Fault {
    Fault::new(StatusCode::FORBIDDEN, "Not done", sentence)
}

fn login_page(desk: &Desk, status: StatusCode, wrong: &str) -> Response {
    match desk.render("login.html", context! { wrong }) {
        Ok(text) => {
            let mut page = answer(Kind::Html, text);
            *page.status_mut() = status;
            page
        }
        Err(fault) => fault.into_response(),
    }
}

/// The form with the key.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Typed {
    key: String,
}

/// Begins a session for who has the key.
pub(super) async fn login(
    State(desk): State<Arc<Desk>>,
    form: Result<Form<Typed>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(typed) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    if !desk.guesses.take(Instant::now()) {
        let sentence = "Too many wrong keys were typed. Wait a minute, and try again.";
        let mut page = login_page(&desk, StatusCode::TOO_MANY_REQUESTS, sentence);
        page.headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from_static("60"));
        return Ok(page);
    }
    if !desk.key.is(&typed.key) {
        tracing::warn!("a wrong key was typed at the operator's page");
        let sentence = "That is not the key.";
        return Ok(login_page(&desk, StatusCode::FORBIDDEN, sentence));
    }
    desk.guesses.give_back();
    tracing::info!("the operator has logged in at the operator's page");
    let token = desk.sessions.begin(desk.server.now());
    let mut answer = see("/")?;
    set_cookie(&mut answer, &token, LASTS.num_seconds())?;
    Ok(answer)
}

/// The form that ends the session.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Leaving {
    form: String,
}

pub(super) async fn logout(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    form: Result<Form<Leaving>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(leaving) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    if !desk.sessions.take(&visit.token, &leaving.form) {
        return Err(sent_before());
    }
    desk.sessions.end(&visit.token);
    let mut answer = see("/")?;
    set_cookie(&mut answer, "", 0)?;
    Ok(answer)
}

/// The number of a form is of no page of this session, or was sent.
pub(super) fn sent_before() -> Fault {
    let sentence =
        "This form was sent before, or its page is old. Nothing was done now: open the page again, and look.";
    Fault::new(StatusCode::CONFLICT, "Not done", sentence)
}

fn set_cookie(answer: &mut Response, token: &str, seconds: i64) -> Result<(), Fault> {
    let cookie = format!("{COOKIE_NAME}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    let cookie = HeaderValue::from_str(&cookie).map_err(|error| Fault::internal(&error))?;
    answer.headers_mut().insert(SET_COOKIE, cookie);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_open_the_pages() {
        for host in [
            "127.0.0.1:2590",
            "localhost:9999",
            "localhost",
            "[::1]:2590",
            "127.0.0.1",
        ] {
            assert!(is_here(host), "{host}");
        }
        for host in [
            "",
            "games.example",
            "localhost.games.example:2590",
            "127.0.0.1.games.example",
            "192.0.2.1:2590",
            "user@localhost",
            "[::1",
            "localhost:2590, games.example",
        ] {
            assert!(!is_here(host), "{host}");
        }
    }

    #[test]
    fn the_token_is_found_among_other_cookies() {
        let mut header = HeaderMap::new();
        assert_eq!(token(&header), None);
        header.append(COOKIE, "a=b; pbmserv_operator=abc; c".parse().unwrap());
        assert_eq!(token(&header).unwrap(), "abc");
        header.clear();
        header.append(COOKIE, "xpbmserv_operator=abc".parse().unwrap());
        assert_eq!(token(&header), None);
    }
}
