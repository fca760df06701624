//! What this server offers, in a few lines.

use pbmserv_games::{GAMES, Game};

use crate::letters::wrap;
use pbmserv_mail::Address;

/// The few lines under the answer to a mail that was not understood.
pub(crate) fn short(server: &Address) -> String {
    let game = GAMES.first().map_or("GAME", |game| game.facts.name);
    let text = format!(
        "Write a command as the subject of a mail to {server}, for example:\n\n\
         \x20 help\n\x20 help tutorial\n\x20 {game} challenge me bot-easy\n\x20 {game} help"
    );
    wrap(&text, 72)
}

/// The games, each with its summary.
pub(crate) fn games() -> String {
    let game = |game: &Game| {
        let summary = wrap(game.facts.summary, 66).replace('\n', "\n      ");
        format!("  {}\n      {summary}", title(game))
    };
    GAMES.iter().map(game).collect::<Vec<_>>().join("\n")
}

/// `Pow2 (The Power of Two)`, or only the name if the title is the same.
pub(crate) fn title(game: &Game) -> String {
    let facts = game.facts;
    if facts.title == facts.name {
        facts.name.to_owned()
    } else {
        format!("{} ({})", facts.name, facts.title)
    }
}
