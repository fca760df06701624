//! The rows of a player change only by that player, by the operator, or when they are due.

use super::{Step, Why};
use crate::deed::What;
use crate::mail::{Letter, Way};
use crate::rows::Change;
use crate::view::{COMPUTER, View, place};

/// Whether a change may be, before it is taken over.
pub(super) fn judge(view: &View, step: &Step<'_>, change: &Change) {
    let is_due =
        |column: &str| matches!(step.why, Why::Due) && change.number(column).is_some_and(|at| at <= view.now);
    let owner = change.owner().unwrap_or(COMPUTER);
    // A new account has no other rows than those with which it begins.
    let is_signed_up = step.asks(|what| matches!(what, What::SignUp)) && owner >= step.accounts;
    let is_own = step.acting.contains(&owner) || is_signed_up;
    let from = step.letter().map_or("", |letter| letter.from.as_str());
    let is_new = change.old.is_none();
    let is_gone = change.new.is_none();
    let is_ended = |board: Option<i64>| {
        let mut rows = step.effect.changes.iter().filter(|other| other.table == "boards");
        rows.any(|row| row.number("id") == board && row.after("ended_at").is_some())
    };
    let may = match change.table.as_str() {
        "players" if owner == COMPUTER => true,
        "players" if is_new => is_signed_up,
        "players" => {
            let is_password = change.alters("password_hash");
            let asks_password = step.asks(|what| matches!(what, What::NewPassword(_)));
            let is_erased = change.after("deleted_at").is_some();
            let is_operator = matches!(step.why, Why::Operator(..));
            is_own
                && (!is_password || asks_password || is_erased)
                && (!change.alters("disabled_at") || is_operator)
        }
        "addresses" if change.alters("confirmed_at") && !is_gone => {
            step.letter().is_some_and(Letter::confirms) && change.text("address_key") == Some(from)
        }
        "addresses" if is_new => is_own,
        "addresses" if !is_gone && change.alters("failed_days") => {
            let failed = change.after("failed_days") > change.number("failed_days");
            let is_bounce = matches!(step.letter().map(|letter| &letter.way), Some(Way::Bounce(..)));
            change.text("address_key") == Some(from) && failed == is_bounce
        }
        // Only a proven player takes, changes or ends these.
        "preferences" | "displays" | "taking" | "page_links" | "addresses" => is_own,
        "watched_games" => is_own,
        "blocks" => {
            is_own
                || is_gone
                    && change
                        .number("blocked")
                        .is_some_and(|other| step.acting.contains(&place(other)))
        }
        "vacations" => is_own || is_due("ends_at") && change.after("is_over") == Some(1) || is_gone,
        "digests" => is_own || is_due("due_at"),
        // A board with the seeker has begun.
        "seeks" => {
            let begins = |other: &&Change| {
                let players = ["first_player", "second_player"].map(|seat| other.number(seat).map(place));
                other.table == "boards" && other.old.is_none() && players.contains(&Some(owner))
            };
            let has_begun = step.effect.changes.iter().any(|other| begins(&other));
            let left = change.after("left_over").map_or(0, |left| left + 1);
            is_own || has_begun && change.number("left_over") == Some(left)
        }
        "watched_boards" => is_own || is_gone && is_ended(change.number("board")),
        // Those of boards and of letters are judged with them.
        _ => true,
    };
    assert!(may, "this may not change: {change:?}");
    let letter = step
        .letter()
        .filter(|letter| !matches!(letter.way, Way::Batch(_) | Way::Bounce(..)));
    let is_refused = matches!(step.why, Why::Mail(_, fate) if *fate != "done")
        || matches!(step.why, Why::Operator(_, false));
    let is_heard = change.table == "addresses" && change.after("failed_days") == Some(0);
    assert!(
        !is_refused || letter.is_none() && !matches!(step.why, Why::Operator(..)) || is_heard,
        "what was refused has changed this: {change:?}"
    );
}
