//! The game and the options that the arguments of a verb name.

use pbmserv_games::kit::reading::shown;
use pbmserv_games::{GAMES, Match, Options, Refusal};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error("There is no game {name}. The games are: {games}.")]
    Game { name: String, games: String },
    #[error("{0}")]
    Options(#[from] Refusal),
}

/// The start of a game with these options.
pub(super) fn position(name: &str, options: &[String]) -> Result<Box<dyn Match>, Error> {
    let game = pbmserv_games::find(name).ok_or_else(|| Error::Game {
        name: shown(name),
        games: GAMES
            .iter()
            .map(|game| game.facts.name)
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let options = Options::parse(game.facts, options.iter().map(String::as_str))?;
    Ok(game.start(&options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_game_and_wrong_options_are_refused() {
        let refused = |game, options: &[&str]| {
            let options: Vec<_> = options.iter().map(|option| (*option).to_owned()).collect();
            position(game, &options).err().unwrap().to_string()
        };
        let unknown = refused("chess\u{7}", &[]);
        assert!(
            unknown.starts_with("There is no game chess. The games are: Pow2, Forms, "),
            "{unknown}"
        );
        assert!(refused("Pow2", &["-slow"]).contains("-slow"));
        assert!(refused("Pow2", &["-fast", "-middle"]).contains("two set-ups"));
    }
}
