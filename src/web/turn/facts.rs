//! The facts of the page of a turn.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::{Display, Refusal, Seat, continuations};
use serde::Serialize;

use crate::engine::server::Server;
use crate::web::board::{Place, Seen};
use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::times::{iso, times};
use crate::web::viewer::Owner;
use crate::web::waiting::next;
use pbmserv_core::command::{COMMANDS, board_status, board_subject, board_turns, clock_until, offered_words};
use pbmserv_core::letters::mailto;
use pbmserv_core::store::{NoteKind, Reader};
use pbmserv_core::table::{Board, BoardLetter, Offer};

use super::chosen::{Chosen, Offered, in_address};

/// More steps than this are folded away: the board shows them, and a list of them would push the rest of the page down.
const MAX_LISTED: usize = 40;

/// What a page is asked for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The turn so far.
    pub(super) turn: String,
    /// Words that were written with a form that did nothing.
    pub(super) words: String,
    /// What stands in the address after a form.
    pub(super) did: Did,
    /// Why a form did nothing; empty if none was sent.
    pub(super) refused: String,
}

/// A turn as typed, with the part that is wrong.
#[derive(Debug, Serialize)]
struct Wrong {
    before: String,
    at: String,
    after: String,
    reason: String,
    choices: Vec<Offered>,
}

/// The facts of the page.
pub(super) fn facts(
    reader: &Reader,
    server: &Server,
    place: &Place,
    owner: &Owner,
    wanted: &Wanted,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let (player, viewer) = (owner.player(), &owner.viewer);
    let times = times(reader, viewer, now)?;
    let seen = place.read(reader, viewer)?;
    let board = &seen.board;
    let seat = board
        .seat_of(player.id)
        .ok_or_else(|| Fault::no_seat(owner.key.clone()))?;
    let facts = board.game.facts;
    let is_mine = board.end.is_none() && board.to_move == Some(seat);
    let chosen = match is_mine {
        true => Some(Chosen::of(&seen, seat, &wanted.turn, now)?),
        false => None,
    };
    let until = match board.to_move {
        Some(mover) => clock_until(reader, board, mover, now)?,
        None => None,
    };
    let letter = BoardLetter {
        board: board.id,
        seat,
        event: board.events.newest(),
    };
    let whole = chosen
        .as_ref()
        .and_then(|chosen| chosen.continuations.whole.clone());
    let mail = |text: &str| {
        let to = server
            .address
            .with_detail(&owner.key.opened.reply_token(&server.key, letter));
        let subject = format!("Re: {}", board_subject(board, Some(board.at(seat))));
        mailto(to.as_str(), &subject, text)
    };
    let words = offered_words(&COMMANDS, board, Some(seat));
    let can_undo = can_undo(reader, &seen, seat)?;
    let is_offered = |verb: &str| {
        words.iter().any(|word| word.word == verb)
            && match verb {
                "undo" => can_undo,
                "propose" => can_propose(board, seat),
                _ => board.can_be_answered(),
            }
    };
    let svg = match &chosen {
        Some(chosen) => chosen.svg(&seen),
        None => seen.picture().svg(),
    };
    let drawn = chosen.as_ref().and_then(|chosen| chosen.after.as_ref());
    let drawn = drawn.map_or(seen.then.position.as_ref(), |(_, after)| after.position.as_ref());
    let (words_next, steps) = chosen.as_ref().map(Chosen::steps).unwrap_or_default();
    let begun = chosen.as_ref().map_or("", |chosen| chosen.begun.as_str());
    let wrong = chosen.as_ref().and_then(|chosen| chosen.refused.as_ref());
    Ok(context! {
        game => context! { name => facts.name, title => facts.title, notation => facts.notation, goal => facts.summary },
        number => board.number,
        other => board.at(seat.other()).userid.clone(),
        side => facts.sides[seat.index()],
        told => seen.told(),
        is_mine,
        is_over => board.end.is_some(),
        is_thinking => board.end.is_none() && board.waits_for_computer(),
        next => Value::from(Serde(next(reader, owner, board.id, now)?)),
        is_removed => !board.can_be_answered(),
        declines => !board.has_moved(seat),
        status => board_status(board, Some(seat)),
        until => until.map(|until| times.said(until)),
        until_iso => until.map(iso),
        picture => Value::from_safe_string(svg),
        drawing => drawn.draw(Display::Small),
        begun,
        back => in_address(continuations::back(begun)),
        many => steps.len() > MAX_LISTED,
        words_next => Value::from(Serde(words_next)),
        steps => Value::from(Serde(steps)),
        // The first turn of Ringworm is to pass.
        example => seen.then.position.turns(2).pop(),
        mail => whole.as_deref().map(mail),
        whole,
        would_do => chosen.as_ref().map(|chosen| chosen.would_do(&seen, seat)),
        typed => match wrong { Some(_) => wanted.turn.as_str(), None => begun },
        wrong => wrong.map(|refusal| Value::from(Serde(wrong_part(&seen, refusal, wanted.turn.trim())))),
        words => wanted.words.as_str(),
        refused => wanted.refused.as_str(),
        did => said(&wanted.did.said(reader, now)?, &seen),
        queue => board.queue_of(seat).to_vec(),
        offer => board.offer.filter(|(_, by)| *by != seat).map(|(offer, _)| offer.name()),
        offers => ["accept", "reject", "propose", "undo"].into_iter().filter(|verb| is_offered(verb)).collect::<Vec<_>>(),
        may => context! { resign => is_offered("resign"), queue => is_offered("queue"), rematch => is_offered("rematch"), chat => is_offered("chat") },
        last => Value::from(Serde(board_turns(board, &seen.turns))),
        form => form_number(),
        event => board.events.newest(),
    })
}

/// Whether it is of use to offer a draw now.
fn can_propose(board: &Board, seat: Seat) -> bool {
    // To offer what the other player offers would be to accept it, and a computer answers when it does not think.
    !matches!(board.offer, Some((Offer::Draw, _)))
        && (board.computer().is_none() || board.to_move == Some(seat))
}

/// Whether the player may ask to take the last turn back: a computer lets that be done once.
fn can_undo(reader: &Reader, seen: &Seen, seat: Seat) -> Result<bool, Fault> {
    let board = &seen.board;
    if board.computer().is_some() {
        let notes = reader.board_notes(board.id)?;
        let is_used = notes.iter().any(|note| note.kind == NoteKind::Undo);
        return Ok(!is_used && seen.turns.iter().any(|turn| turn.seat == seat));
    }
    Ok(board.offer != Some((Offer::Undo, seat)) && seen.last_player() == Some(seat))
}

/// What a form has done, without the name of the board, which the page has; empty if the heading says it.
fn said(did: &str, seen: &Seen) -> String {
    let said = did.replacen(&format!(" on {}", seen.board.name()), "", 1);
    if said == seen.told() { String::new() } else { said }
}

fn wrong_part(seen: &Seen, refusal: &Refusal, typed: &str) -> Wrong {
    let at = refusal.at.clone().unwrap_or(typed.len()..typed.len());
    let part = |range: std::ops::Range<usize>| typed.get(range).unwrap_or_default().to_owned();
    Wrong {
        before: part(0..at.start),
        at: part(at.clone()),
        after: part(at.end..typed.len()),
        reason: refusal.reason.clone(),
        choices: Chosen::meant(seen, refusal, typed),
    }
}
