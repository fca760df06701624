//! Who calls: everybody, or the player whose key is in the `Authorization` header (RFC 6750).

use std::sync::Arc;

use axum::extract::FromRequestParts;
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use crate::web::fault::Fault;
use crate::web::keyed::Keyed;
use crate::web::site::Site;
use crate::web::viewer::{Owner, Viewer};
use pbmserv_core::dispatch::opened;

/// Who calls, whatever the key opens.
#[derive(Clone, Debug)]
pub(super) struct Caller(pub(super) Viewer);

impl Caller {
    /// For what the key of a letter does not open.
    pub(super) fn anywhere(self) -> Result<Viewer, Fault> {
        match self.0.key {
            Some(key) if key.is_smaller() => Err(Fault::out_of_reach(key)),
            _ => Ok(self.0),
        }
    }

    /// For what needs a key.
    pub(super) fn known(self) -> Result<Viewer, Fault> {
        match self.0.key {
            Some(_) => Ok(self.0),
            None => Err(unknown(
                "This needs your key: Authorization: Bearer KEY. It is what stands behind /k/ in your private link.",
            )),
        }
    }

    /// For what needs the key to all pages of a player.
    pub(super) fn owner(self) -> Result<Owner, Fault> {
        Owner::of(Self(self.known()?).anywhere()?)
    }
}

fn unknown(sentence: &str) -> Fault {
    Fault::new(StatusCode::UNAUTHORIZED, "Not done", sentence)
}

impl FromRequestParts<Arc<Site>> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Fault> {
        let mut fields = parts.headers.get_all(AUTHORIZATION).iter();
        let Some(field) = fields.next() else {
            return match site.is_public {
                true => Ok(Self(Viewer::public(site))),
                false => Err(Fault::not_found()),
            };
        };
        let key = field.to_str().ok().and_then(|field| field.split_once(' '));
        let text = match (key, fields.next()) {
            (Some((scheme, key)), None) if scheme.eq_ignore_ascii_case("bearer") => key.trim().to_owned(),
            _ => return Err(unknown("The header must be: Authorization: Bearer KEY.")),
        };
        let (key, given) = (site.server.key.clone(), text.clone());
        let opened = site.look(move |reader| Ok(opened(&key, reader, &given)?)).await?;
        let opened = opened.ok_or_else(|| {
            unknown("This key opens nothing. A new password and new links end those before.")
        })?;
        Ok(Self(Viewer::with_key(site, Keyed { text, opened })))
    }
}
