//! Who looks at a page: everybody, or the player whose link it is.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use hyper::http::request::Parts;

use crate::dispatch::page_owner;
use crate::table::Player;

use super::fault::Fault;
use super::site::Site;

/// Who looks at a page.
#[derive(Clone, Debug)]
pub(super) struct Viewer {
    /// The player, if the path has a good token.
    pub(super) player: Option<Player>,
    /// The beginning of the paths of all pages that this viewer is offered; ends with a slash.
    pub(super) root: String,
}

/// The name of the token among the parameters of a path.
const TOKEN: &str = "token";

impl FromRequestParts<Arc<Site>> for Viewer {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, site).await;
        let params = params.map_err(|_| Fault::not_found())?;
        let token = params
            .iter()
            .find(|(name, _)| *name == TOKEN)
            .map(|(_, token)| token.to_owned());
        let path = site.base.path().to_owned();
        match token {
            None if site.is_public => Ok(Self {
                player: None,
                root: path,
            }),
            None => Err(Fault::not_found()),
            Some(token) => {
                let (key, text) = (site.server.key.clone(), token.clone());
                let owner = site.look(move |reader| Ok(page_owner(&key, reader, &text)?));
                let player = owner.await?.ok_or_else(Fault::not_found)?;
                Ok(Self {
                    player: Some(player),
                    root: format!("{path}k/{token}/"),
                })
            }
        }
    }
}

/// The player whose link this is: for the pages that only a player has.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) player: Player,
    pub(super) viewer: Viewer,
}

impl FromRequestParts<Arc<Site>> for Owner {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let viewer = Viewer::from_request_parts(parts, site).await?;
        let player = viewer.player.clone().ok_or_else(Fault::not_found)?;
        Ok(Self { player, viewer })
    }
}
