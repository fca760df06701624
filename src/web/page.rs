//! A page as a text: its template with its facts, and what all pages have.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use pbmserv_core::dispatch::Reach;

use super::fault::Fault;
use super::press::form_number;
use super::site::Site;
use super::style::STYLE_VERSION;
use super::viewer::Viewer;

/// A board that a smaller key opens.
#[derive(Serialize)]
struct Reached {
    game: &'static str,
    title: &'static str,
    number: u32,
}

/// The boards that a smaller key opens.
fn reached(viewer: &Viewer) -> Value {
    let reach = viewer.key.as_ref().map(|key| &key.opened.reach);
    let boards: Vec<_> = match reach {
        Some(Reach::Letter(boards, _)) => boards
            .iter()
            .map(|board| Reached {
                game: board.game.facts.name,
                title: board.game.facts.title,
                number: board.number,
            })
            .collect(),
        _ => Vec::new(),
    };
    Value::from(Serde(boards))
}

impl Site {
    /// A page from its facts, for this viewer.
    pub(super) fn page(&self, viewer: &Viewer, template: &str, facts: Value) -> Result<String, Fault> {
        let plain = |text: &str| Value::from_safe_string(text.to_owned());
        let all = context! {
            // What stands in addresses: the configuration and the token have no character with a meaning in HTML.
            root => plain(&viewer.root),
            house => plain(&viewer.house),
            base => plain(self.base.path()),
            url => plain(self.base.as_str()),
            style => plain(STYLE_VERSION.as_str()),
            is_public => self.is_public,
            address => self.server.address.as_str(),
            name => self.server.name.as_str(),
            me => viewer.player().map(|player| player.userid.as_str()),
            has_smaller_key => viewer.has_smaller_key(),
            reached => reached(viewer),
            asking => viewer.has_smaller_key().then(form_number),
            ..facts
        };
        self.templates
            .render(template, all)
            .map_err(|error| Fault::internal(&error))
    }
}
