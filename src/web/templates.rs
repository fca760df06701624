//! The templates of the pages, embedded from `templates/web/`.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

/// A file of `templates/web/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../templates/web/", $name)))
    };
}

/// The templates of the pages for players.
pub(super) const BUILT_IN: &[(&str, &str)] = &[
    file!("layout.html"),
    file!("parts.html"),
    file!("fault.html"),
    file!("board.html"),
    file!("words.html"),
    file!("company.html"),
    file!("league.html"),
    file!("ladder.html"),
    file!("cups.html"),
    file!("cup.html"),
    file!("sure.html"),
    file!("home.html"),
    file!("home_company.html"),
    file!("reached.html"),
    file!("try.html"),
    file!("turn.html"),
    file!("turn_board.html"),
    file!("turn_chosen.html"),
    file!("turn_comment.html"),
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
    file!("data.html"),
    file!("dice.html"),
    file!("gazette.html"),
];

pub(crate) struct Templates(Environment<'static>);

impl Templates {
    /// Reads these templates, each with its name.
    ///
    /// # Errors
    /// A template does not parse.
    pub(crate) fn load(texts: &[(&'static str, &'static str)]) -> Result<Self, minijinja::Error> {
        let mut templates = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?;
        templates.set_syntax(syntax);
        for (name, text) in texts {
            templates.add_template(name, text)?;
        }
        Ok(Self(templates))
    }

    /// The same with more filters.
    pub(crate) fn with(mut self, add: impl FnOnce(&mut Environment<'static>)) -> Self {
        add(&mut self.0);
        self
    }

    /// A page from its facts.
    ///
    /// # Errors
    /// There is no such template, or the facts do not fit it.
    pub(crate) fn render(&self, template: &str, facts: Value) -> Result<String, minijinja::Error> {
        self.0.get_template(template)?.render(facts)
    }
}
