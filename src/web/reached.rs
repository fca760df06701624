//! The page of a smaller key: the boards that it opens, and the button that mails its player the larger one.

use std::sync::Arc;

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, State};
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use super::access::Client;
use super::answer::{Kind, answer};
use super::fault::Fault;
use super::home;
use super::press::{Did, shown_at};
use super::sifted::Sifted;
use super::site::Site;
use super::viewer::{Holder, Owner};

/// A form without anything but its number.
#[derive(Debug, Deserialize)]
pub(super) struct Asking {
    form: String,
}

/// What a key opens: all of a player's pages, or some boards.
pub(super) async fn show(
    State(site): State<Arc<Site>>,
    Holder(owner): Holder,
    did: Result<Query<Did>, QueryRejection>,
    sifted: Result<Query<Sifted>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(did) = did.map_err(|_| Fault::not_found())?;
    if !owner.viewer.has_smaller_key() {
        let Query(sifted) = sifted.map_err(|_| Fault::not_found())?;
        return home::show(&site, owner, did, sifted).await;
    }
    let now = site.now();
    let did = site.look(move |reader| did.said(reader, now)).await?;
    page(&site, &owner, &did, "")
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
    let Form(asking) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let asked = owner.asks("page", &asking.form, client);
    match shown_at(&owner.viewer.root, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => page(&site, &owner, "", &why),
    }
}
