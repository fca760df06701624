//! An answer to an invitation that contains no command.

use pbmserv_games::GAMES;

use crate::command::{Decision, Letter};
use crate::letters::{NotDone, SubjectMark};
use crate::table::Player;

/// Says what an answer to an invitation may contain.
pub(crate) fn uninvited(player: &Player) -> Decision {
    let name = GAMES.first().map_or("GAME", |game| game.facts.name);
    let letter = NotDone {
        subject: SubjectMark::NotDone.before("no command"),
        sentence: format!(
            "Nothing was done, {}: your answer begins with no command. One stands alone on the first line.",
            player.userid
        ),
        syntax: format!("  seek {name}\n  {name} challenge NAME\n  who\n  help"),
        ..NotDone::default()
    };
    Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter::answer(letter.into()))
    }
}
