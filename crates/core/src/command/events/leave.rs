//! An answer to the `List-Unsubscribe` of a mail (RFC 2369): no more mail of its kind is sent. The address contains a
//! token, so no password is needed. The text of the answer is ignored, since programs send it.

use crate::command::accounts::preferences::prefer;
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter};
use crate::letters::Done;
use crate::store::{self, Reader, Watched};
use crate::table::{BoardId, Player, PlayerId, Unasked};

/// Whether mails of this kind have ended for a player.
pub(crate) fn has_ended(store: &Reader, player: PlayerId, unasked: Unasked) -> store::Result<bool> {
    let preferences = store.preferences(player)?;
    Ok(match unasked {
        Unasked::Reminders => !preferences.reminders,
        Unasked::Digest => !preferences.digest,
        Unasked::Broadcasts => !preferences.broadcasts,
        Unasked::MessagesOf(by) => store.has_blocked(player, by)?,
        Unasked::Board(board) => store.watches(player, Watched::Board(board))?.is_none(),
        Unasked::Game(game) => store.watches(player, Watched::Game(game))?.is_none(),
        Unasked::Gazette => !preferences.gazette,
    })
}

/// Ends a kind of mail for this player; sends no letter if it had ended before.
pub(crate) fn leave(
    context: &Context<'_>,
    player: &Player,
    unasked: Unasked,
) -> Result<Decision, InternalError> {
    let mut preferences = context.store.preferences(player.id)?;
    let (what, option) = match unasked {
        Unasked::Reminders => {
            preferences.reminders = false;
            (
                "no reminders but the last one before a game is lost on time",
                "reminders on",
            )
        }
        Unasked::Digest => {
            preferences.digest = false;
            (
                "a mail for each thing that happens, in the place of one a day",
                "digest on",
            )
        }
        Unasked::Broadcasts => {
            preferences.broadcasts = false;
            ("no broadcasts", "broadcasts on")
        }
        Unasked::Gazette => {
            preferences.gazette = false;
            ("no gazette", "gazette on")
        }
        Unasked::MessagesOf(by) => return block(context, player, by),
        Unasked::Board(board) => return unwatch_board(context, player, board),
        Unasked::Game(game) => {
            let undo = format!("{} subscribe all", game.facts.name);
            let what = format!("all boards of {}", game.facts.name);
            return unwatch(context, player, Watched::Game(game), &what, &undo);
        }
    };
    let (changes, letters) = prefer(context, player, preferences)?;
    if changes.is_empty() {
        return Ok(nothing(player));
    }
    let sentence = format!("You will now get {what}.");
    let undo = format!("set {option}");
    Ok(done(player, changes, letters, sentence, &undo))
}

fn block(context: &Context<'_>, player: &Player, by: PlayerId) -> Result<Decision, InternalError> {
    let Some(other) = context.store.player_by_id(by)? else {
        return Ok(nothing(player));
    };
    if context.store.has_blocked(player.id, by)? {
        return Ok(nothing(player));
    }
    let change = Change::Block {
        player: player.id,
        other: by,
        is_on: true,
    };
    let sentence = format!(
        "You get no messages, chats or challenges from {} any more.",
        other.userid
    );
    let undo = format!("unblock {}", other.userid);
    Ok(done(player, vec![change], Vec::new(), sentence, &undo))
}

fn unwatch_board(context: &Context<'_>, player: &Player, board: BoardId) -> Result<Decision, InternalError> {
    let Some(board) = context.store.board_by_id(board)? else {
        return Ok(nothing(player));
    };
    let (game, number) = (board.game.facts.name, board.number);
    let undo = format!("{game} subscribe {number}");
    unwatch(context, player, Watched::Board(board.id), &board.name(), &undo)
}

fn unwatch(
    context: &Context<'_>,
    player: &Player,
    watched: Watched,
    what: &str,
    undo: &str,
) -> Result<Decision, InternalError> {
    if context.store.watches(player.id, watched)?.is_none() {
        return Ok(nothing(player));
    }
    let change = Change::Unwatch {
        player: player.id,
        watched,
    };
    let sentence = format!("You watch {what} no more.");
    Ok(done(player, vec![change], Vec::new(), sentence, undo))
}

fn nothing(player: &Player) -> Decision {
    Decision {
        proven: Some(player.id),
        ..Decision::default()
    }
}

fn done(
    player: &Player,
    changes: Vec<Change>,
    mut letters: Vec<Letter>,
    sentence: String,
    undo: &str,
) -> Decision {
    let letter = Done {
        subject: format!("set {}", player.userid),
        sentence,
        hint: format!("To have it again, write as the subject of a mail:\n\n  {undo}"),
    };
    letters.push(Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(letter.into())
    });
    Decision {
        changes,
        letters,
        proven: Some(player.id),
    }
}
