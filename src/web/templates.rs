//! The templates of the pages, embedded from `templates/web/`.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

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
    file!("reached.html"),
    file!("turn.html"),
    file!("turn_wrong.html"),
    file!("turn_steps.html"),
    file!("turn_resign.html"),
    file!("play.html"),
    file!("play_which.html"),
    file!("house.html"),
    file!("join.html"),
    file!("game.html"),
    file!("players.html"),
    file!("player.html"),
    file!("help.html"),
    file!("unsubscribe.html"),
];

pub(super) struct Templates(Environment<'static>);

impl Templates {
    /// Reads all templates.
    ///
    /// # Errors
    /// A template does not parse.
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

    /// A page from its facts.
    ///
    /// # Errors
    /// There is no such template, or the facts do not fit it.
    pub(super) fn render(&self, template: &str, facts: Value) -> Result<String, minijinja::Error> {
        self.0.get_template(template)?.render(facts)
    }
}
