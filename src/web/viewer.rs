//! Who looks at a page: everybody, or the player whose key is in the link.
//!
//! A page says by what it takes which keys open it: `Viewer` and `Owner` take the key to all pages alone, `OnBoard` the smaller
//! key of a letter too where it reaches the board, `Holder` any key.

use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use hyper::http::request::Parts;

use pbmserv_core::dispatch::{Reach, opened};
use pbmserv_core::table::Player;

use super::fault::Fault;
use super::keyed::Keyed;
use super::site::Site;

/// Who looks at a page.
#[derive(Clone, Debug)]
pub(super) struct Viewer {
    /// The key with its player, if the path has a good one.
    pub(super) key: Option<Keyed>,
    /// The beginning of the paths of all pages that this viewer's key opens; ends with a slash.
    pub(super) root: String,
    /// The beginning of the paths of the pages of the house; empty if this viewer has none.
    pub(super) house: String,
}

impl Viewer {
    /// Everybody.
    pub(super) fn public(site: &Site) -> Self {
        let root = match site.is_public {
            true => site.base.path().to_owned(),
            false => String::new(),
        };
        Self {
            key: None,
            house: root.clone(),
            root,
        }
    }

    /// The player, if there is a key.
    pub(super) fn player(&self) -> Option<&Player> {
        self.key.as_ref().map(|key| &key.opened.player)
    }

    /// Whether there is a key, and it opens only what its letter reaches.
    pub(super) fn has_smaller_key(&self) -> bool {
        self.key.as_ref().is_some_and(Keyed::is_smaller)
    }

    /// Who asks for the page at this path, whatever the key opens.
    pub(super) async fn of(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let params = RawPathParams::from_request_parts(parts, site).await;
        let params = params.map_err(|_| Fault::not_found())?;
        let Some(text) = named(&params, TOKEN).map(str::to_owned) else {
            return match site.is_public {
                true => Ok(Self::public(site)),
                false => Err(Fault::not_found()),
            };
        };
        let (key, given) = (site.server.key.clone(), text.clone());
        let opened = site.look(move |reader| Ok(opened(&key, reader, &given)?)).await?;
        let opened = opened.ok_or_else(Fault::no_key)?;
        Ok(Self::with_key(site, Keyed { text, opened }))
    }

    /// Who has this key.
    pub(super) fn with_key(site: &Site, key: Keyed) -> Self {
        let root = format!("{}k/{}/", site.base.path(), key.text);
        Self {
            house: match key.opened.reach {
                Reach::All => root.clone(),
                Reach::Letter(..) => Self::public(site).root,
            },
            root,
            key: Some(key),
        }
    }
}

/// What stands in the path for this name.
pub(super) fn named<'a>(params: &'a RawPathParams, wanted: &str) -> Option<&'a str> {
    params
        .iter()
        .find(|(name, _)| *name == wanted)
        .map(|(_, text)| text)
}

/// The name of the token among the parameters of a path.
pub(super) const TOKEN: &str = "token";

impl FromRequestParts<Arc<Site>> for Viewer {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let viewer = Self::of(parts, site).await?;
        match viewer.key {
            Some(key) if key.is_smaller() => Err(Fault::out_of_reach(key)),
            _ => Ok(viewer),
        }
    }
}

/// The player whose key this is: for the pages that only a player has.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) key: Keyed,
    pub(super) viewer: Viewer,
}

impl Owner {
    pub(super) fn of(viewer: Viewer) -> Result<Self, Fault> {
        let key = viewer.key.clone().ok_or_else(Fault::not_found)?;
        Ok(Self { key, viewer })
    }

    pub(super) const fn player(&self) -> &Player {
        &self.key.opened.player
    }
}

impl FromRequestParts<Arc<Site>> for Owner {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        Self::of(Viewer::from_request_parts(parts, site).await?)
    }
}

/// The same with a key of any reach.
#[derive(Clone, Debug)]
pub(super) struct Holder(pub(super) Owner);

impl FromRequestParts<Arc<Site>> for Holder {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        Ok(Self(Owner::of(Viewer::of(parts, site).await?)?))
    }
}
