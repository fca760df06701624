//! Who looks at which board.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use hyper::http::request::Parts;

use crate::web::fault::Fault;
use crate::web::site::Site;
use crate::web::viewer::{Owner, Viewer};

use super::place::Place;

/// Who looks at a board, which a key in the path reaches.
#[derive(Clone, Debug)]
pub(in crate::web) struct OnBoard {
    pub(in crate::web) viewer: Viewer,
    pub(in crate::web) place: Place,
}

impl OnBoard {
    /// The player whose key it is.
    pub(in crate::web) fn owner(self) -> Result<(Owner, Place), Fault> {
        Ok((Owner::of(self.viewer)?, self.place))
    }
}

impl FromRequestParts<Arc<Site>> for OnBoard {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let viewer = Viewer::of(parts, site).await?;
        let place = Place::from_request_parts(parts, site).await?;
        match viewer.key {
            Some(key) if !key.opened.reach.has(place.game, place.number) => Err(Fault::out_of_reach(key)),
            _ => Ok(Self { viewer, place }),
        }
    }
}
