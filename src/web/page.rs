//! A page as a text: its template with its facts, and what all pages have.

use minijinja::{Value, context};

use super::fault::Fault;
use super::site::Site;
use super::style::STYLE_VERSION;
use super::viewer::Viewer;

impl Site {
    /// A page from its facts, for this viewer.
    pub(super) fn page(&self, viewer: &Viewer, template: &str, facts: Value) -> Result<String, Fault> {
        let plain = |text: &str| Value::from_safe_string(text.to_owned());
        let all = context! {
            // What stands in addresses: the configuration and the token have no character with a meaning in HTML.
            root => plain(&viewer.root),
            base => plain(self.base.path()),
            url => plain(self.base.as_str()),
            style => plain(STYLE_VERSION.as_str()),
            is_public => self.is_public,
            address => self.server.address.as_str(),
            name => self.server.name.as_str(),
            me => viewer.player.as_ref().map(|player| player.userid.as_str()),
            ..facts
        };
        self.templates
            .render(template, all)
            .map_err(|error| Fault::internal(&error))
    }
}
