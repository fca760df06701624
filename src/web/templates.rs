//! The templates of the pages, embedded from `templates/web/`.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value, context};

use super::fault::Fault;
use super::files::STYLE_VERSION;
use super::site::Site;
use super::viewer::Viewer;

/// A file of `templates/web/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../templates/web/", $name)))
    };
}

const BUILT_IN: &[(&str, &str)] = &[
    file!("layout.html"),
    file!("parts.html"),
    file!("fault.html"),
    file!("board.html"),
    file!("words.html"),
    file!("home.html"),
    file!("turn.html"),
    file!("turn_resign.html"),
    file!("house.html"),
    file!("game.html"),
    file!("players.html"),
    file!("player.html"),
    file!("help.html"),
    file!("unsubscribe.html"),
];

/// The templates.
pub(super) struct Templates(Environment<'static>);

impl Templates {
    /// Reads all templates.
    ///
    /// # Errors
    /// One of them is none.
    pub(super) fn load() -> Result<Self, minijinja::Error> {
        let mut templates = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?;
        templates.set_syntax(syntax);
        for (name, text) in BUILT_IN {
            templates.add_template(name, text)?;
        }
        Ok(Self(templates))
    }
}

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
        let made = self
            .templates
            .0
            .get_template(template)
            .and_then(|page| page.render(all));
        made.map_err(|error| Fault::internal(&error))
    }
}
