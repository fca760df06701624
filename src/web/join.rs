//! Joining: a form for a name and an address, and the page that the letter's link opens.
//!
//! The form says the same of every address: who has an account gets the link to their page by mail, everybody else is asked there.
//! Scanners open links, so only the button of the link's page joins.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, RawPathParams, State};
use axum::response::Response;
use hyper::StatusCode;
use minijinja::context;
use serde::Deserialize;

use pbmserv_core::dispatch::{Newcomer, newcomer, page_of};
use pbmserv_core::table::GuestGame;
use pbmserv_mail::Address;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::fault::Fault;
use super::site::Site;
use super::viewer::Viewer;

/// The fields of both forms.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Joining {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) address: String,
}

/// A page of joining: `state` is "form", "sent", "choose", "keep", "joined" or "ended".
fn page(site: &Site, state: &str, joining: &Joining, refused: &str) -> Result<Response, Fault> {
    paged(site, state, joining, refused, "")
}

fn paged(site: &Site, state: &str, joining: &Joining, refused: &str, token: &str) -> Result<Response, Fault> {
    let Joining { name, address } = joining;
    let facts = context! { state, wanted => name, given => address, refused, token };
    let page = site.page(&Viewer::public(site), "join.html", facts)?;
    let mut made = answer(Kind::Html, page);
    if !refused.is_empty() {
        *made.status_mut() = StatusCode::CONFLICT;
    }
    Ok(made)
}

/// The form.
pub(super) async fn show(State(site): State<Arc<Site>>) -> Result<Response, Fault> {
    match site.is_public {
        true => page(&site, "form", &Joining::default(), ""),
        false => Err(Fault::not_found()),
    }
}

/// Has the address asked by mail.
pub(super) async fn ask(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    form: Result<Form<Joining>, FormRejection>,
) -> Result<Response, Fault> {
    if !site.is_public {
        return Err(Fault::not_found());
    }
    let Form(joining) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    match joining.send(&site, None, client).await? {
        Ok(sent) => Ok(sent),
        Err(why) => page(&site, "form", &joining, &why),
    }
}

impl Joining {
    /// Has the address asked by mail, and a game kept for its reader. Returns the page that says so; `Err`: why nothing was sent.
    pub(super) async fn send(
        &self,
        site: &Site,
        game: Option<GuestGame>,
        client: IpAddr,
    ) -> Result<Result<Response, String>, Fault> {
        let Ok(address) = Address::parse(self.address.trim()) else {
            return Ok(Err("That is no mail address.".to_owned()));
        };
        let name = self.name.trim().to_owned();
        Ok(
            match site.server.ask_for_name(address, name, game, client).await? {
                Ok(()) => Ok(page(site, "sent", self, "")?),
                Err(why) => Err(why),
            },
        )
    }
}

/// The token in the path, and who it was made for.
async fn asked(site: &Arc<Site>, params: &RawPathParams) -> Result<(String, Option<Newcomer>), Fault> {
    let token = params.iter().find(|(name, _)| *name == "joining");
    let token = token.map(|(_, token)| token.to_owned()).unwrap_or_default();
    let (key, given) = (site.server.key.clone(), token.clone());
    let found = site
        .look(move |reader| Ok(newcomer(&key, reader, &given)?))
        .await?;
    Ok((token, found))
}

/// The page of the letter's link.
pub(super) async fn choose(State(site): State<Arc<Site>>, params: RawPathParams) -> Result<Response, Fault> {
    let (token, found) = asked(&site, &params).await?;
    let Some(newcomer) = found else {
        return page(&site, "ended", &Joining::default(), "");
    };
    let joining = Joining {
        name: newcomer.userid,
        address: newcomer.address,
    };
    let state = match (newcomer.player, newcomer.kept) {
        (Some(_), Some(_)) => "keep",
        (Some(_), None) => "joined",
        (None, _) => "choose",
    };
    paged(&site, state, &joining, "", &token)
}

/// Joins, and opens the player's page.
pub(super) async fn join(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    params: RawPathParams,
    form: Result<Form<Joining>, FormRejection>,
) -> Result<Response, Fault> {
    let (token, found) = asked(&site, &params).await?;
    let Form(form) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let Some(newcomer) = found else {
        return page(&site, "ended", &Joining::default(), "");
    };
    let name = form.name.trim().to_owned();
    let joining = Joining {
        name: name.clone(),
        address: newcomer.address,
    };
    // The link is no key to the page of who has joined by it before.
    if newcomer.player.is_some() && newcomer.kept.is_none() {
        return paged(&site, "joined", &joining, "", &token);
    }
    let name = Some(name).filter(|name| !name.is_empty());
    if let Err(why) = site.server.join(&token, name, client).await? {
        return paged(&site, "choose", &joining, &why, &token);
    }
    let key = site.server.key.clone();
    let own = site
        .look(move |reader| Ok(page_of(&key, reader, newcomer.row)?))
        .await?;
    match own {
        Some(own) => see(&format!("{}k/{own}/", site.base.path())),
        None => paged(&site, "joined", &joining, "", &token),
    }
}
