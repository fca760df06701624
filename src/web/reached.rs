//! The page of a smaller key: the boards that it opens, and the button that mails its player the larger one.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, Query, State};
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use crate::command::PageCommand;
use crate::engine::asked::Pressing;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::fault::Fault;
use super::home;
use super::press::Press;
use super::site::Site;
use super::viewer::{Holder, Owner};

/// What stands in the address.
#[derive(Debug, Deserialize)]
pub(super) struct Given {
    /// What a form has just done.
    #[serde(default)]
    did: String,
}

/// A form without anything but its number.
#[derive(Debug, Deserialize)]
pub(super) struct Asking {
    form: String,
}

/// What a key opens: all of a player's pages, or some boards.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    Holder(owner): Holder,
    Query(given): Query<Given>,
) -> Result<Response, Fault> {
    match owner.viewer.has_smaller_key() {
        true => page(&site, &owner, &given.did, ""),
        false => home::show(&site, owner).await,
    }
}

fn page(site: &Site, owner: &Owner, did: &str, refused: &str) -> Result<Response, Fault> {
    let facts = context! { did, refused };
    Ok(answer(
        Kind::Html,
        site.page(&owner.viewer, "reached.html", facts)?,
    ))
}

/// Mails the player the link to all pages, to the account's own addresses.
pub(super) async fn mail_page(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    Holder(owner): Holder,
    form: Result<Form<Asking>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(asking) = form.map_err(|_| Fault::unreadable("The form is not complete."))?;
    let press = Press {
        owner: &owner,
        command: PageCommand {
            game: None,
            verb: "page",
            board: None,
            rest: "",
        },
        words: "",
        shown: None,
        form: &asking.form,
        client,
    };
    match site.press(&press).await? {
        Pressing::Done | Pressing::Before => see(&format!("{}?did=page", owner.viewer.root)),
        Pressing::Refused(why) => page(&site, &owner, "", &why),
    }
}
