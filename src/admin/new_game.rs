//! `new-game`: writes the folder of a new game into the sources.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use thiserror::Error;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct NewGame {
    /// The name in commands, such as Hex: letters and digits, the first one a capital.
    pub name: String,
    /// The family whose frame it has.
    #[arg(long)]
    pub family: Family,
    /// The folder of the sources.
    #[arg(long, default_value = ".")]
    pub sources: PathBuf,
}

/// A family of games.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Family {
    /// Stones that are put on empty cells: rows, and chains that join sides.
    Placement,
    /// Pieces that go over squares and capture what stands where they stop.
    Steps,
    /// Draughts: men, kings, and captures that are a duty.
    Draughts,
    /// Stones with liberties.
    Liberties,
    /// Chess with another aim.
    Chess,
}

impl Family {
    const fn template(self) -> &'static str {
        match self {
            Self::Placement => include_str!("../../templates/new-game/placement.rs"),
            Self::Steps => include_str!("../../templates/new-game/steps.rs"),
            Self::Draughts => include_str!("../../templates/new-game/draughts.rs"),
            Self::Liberties => include_str!("../../templates/new-game/liberties.rs"),
            Self::Chess => include_str!("../../templates/new-game/chess.rs"),
        }
    }
}

#[derive(Debug, Error)]
pub enum Error {
    #[error("A name has letters and digits only and begins with a capital, such as Hex, not \"{0}\".")]
    Name(String),
    #[error("There is a game with this name already: {0}.")]
    Taken(&'static str),
    #[error("There are no sources in {0}: run it in the folder of the project, or name that with --sources.")]
    NoSources(String),
    #[error("{path} could not be written")]
    Write { path: String, source: io::Error },
}

/// The line of the list after which the games stand.
const LIST: &str = "pub static GAMES: &[Game] = &[";

impl NewGame {
    /// Writes the folder and the two lines, and says what is to be done.
    ///
    /// # Errors
    /// The name is none, or taken; the sources are not there or cannot be written. Nothing is written before all is known.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let is_name = self.name.starts_with(|c: char| c.is_ascii_uppercase())
            && self.name.len() <= 30
            && self.name.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_name {
            return Err(Error::Name(
                self.name
                    .chars()
                    .filter(char::is_ascii_graphic)
                    .take(30)
                    .collect(),
            ));
        }
        if let Some(game) = pbmserv_games::find(&self.name) {
            return Err(Error::Taken(game.facts.name));
        }
        let sources = self.sources.join("crates/games/src");
        let list = sources.join("lib.rs");
        let folder = sources.join(self.name.to_lowercase());
        let no_sources = || Error::NoSources(self.sources.display().to_string());
        let lines = fs::read_to_string(&list).map_err(|_| no_sources())?;
        let lines = self.listed(&lines).ok_or_else(no_sources)?;
        let files = [
            ("mod.rs", self.family.template()),
            (
                "pictured.rs",
                include_str!("../../templates/new-game/pictured.rs"),
            ),
            ("rules.txt", include_str!("../../templates/new-game/rules.txt")),
            ("tests.rs", include_str!("../../templates/new-game/tests.rs")),
        ];
        // An existing folder is nobody's to overwrite.
        written(&folder, fs::create_dir(&folder))?;
        for (name, text) in files {
            let path = folder.join(name);
            written(&path, fs::write(&path, text.replace("TITLE", &self.name)))?;
        }
        written(&list, fs::write(&list, lines))?;
        let said = format!(
            "{} is begun in {}, and listed in {}. It can be played already.\n\
             cargo test -p pbmserv-games {}:: says what is to be done; CONTRIBUTING.md, \"Add a game\", says how.\n",
            self.name,
            folder.display(),
            list.display(),
            self.name.to_lowercase(),
        );
        written(Path::new("The output"), out.write_all(said.as_bytes()))
    }

    /// The list of games with this one: its module in the order of names, and its entry at the end.
    fn listed(&self, lines: &str) -> Option<String> {
        let folder = self.name.to_lowercase();
        let module = format!("pub mod {folder};");
        let entry = format!("    Game::of::<{folder}::{}>(),", self.name);
        let is_later = |line: &&str| {
            line.strip_prefix("pub mod ")
                .is_some_and(|rest| *rest > *module.strip_prefix("pub mod ").unwrap_or_default())
        };
        let at = lines.lines().position(|line| is_later(&line))?;
        let end = lines
            .lines()
            .skip_while(|line| *line != LIST)
            .position(|line| line == "];")?;
        let end = end + lines.lines().position(|line| line == LIST)?;
        let mut all: Vec<&str> = lines.lines().collect();
        all.insert(end, &entry);
        all.insert(at, &module);
        Some(all.join("\n") + "\n")
    }
}

fn written(path: &Path, result: io::Result<()>) -> Result<(), Error> {
    result.map_err(|source| Error::Write {
        path: path.display().to_string(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_game(name: &str, sources: &Path) -> Result<String, Error> {
        let verb = NewGame {
            name: name.to_owned(),
            family: Family::Placement,
            sources: sources.to_owned(),
        };
        let mut out = Vec::new();
        verb.run(&mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_folder_and_two_lines_are_written_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let sources = folder.path().join("crates/games/src");
        assert!(matches!(
            new_game("Quad", folder.path()),
            Err(Error::NoSources(_))
        ));
        fs::create_dir_all(&sources).unwrap();
        let lib = include_str!("../../crates/games/src/lib.rs");
        fs::write(sources.join("lib.rs"), lib).unwrap();
        assert!(matches!(new_game("hex", folder.path()), Err(Error::Name(_))));
        assert!(matches!(new_game("Hex", folder.path()), Err(Error::Taken("Hex"))));
        let said = new_game("Quad", folder.path()).unwrap();
        assert!(said.contains("cargo test -p pbmserv-games quad::"), "{said}");
        let now = fs::read_to_string(sources.join("lib.rs")).unwrap();
        let more: Vec<_> = now
            .lines()
            .filter(|line| !lib.lines().any(|old| old == *line))
            .collect();
        assert_eq!(more, ["pub mod quad;", "    Game::of::<quad::Quad>(),"]);
        let game = fs::read_to_string(sources.join("quad/mod.rs")).unwrap();
        assert!(game.contains("pub type Quad = Stones<Rule>;") && !game.contains("TITLE"));
        assert!(matches!(
            new_game("Quad", folder.path()),
            Err(Error::Write { .. })
        ));
    }
}
