//! The facts of the page of a turn.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::{Display, Seat};

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

use super::chosen::{Choosing, Chosen};
use super::commenting;
use super::planned::rows;

/// What a page is asked for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The turn so far; of a finished game the number of the turn that is written on.
    pub(super) turn: String,
    /// Whether the board is larger than a telephone's screen.
    pub(super) is_large: bool,
    /// Words that were written with a form that did nothing.
    pub(super) words: String,
    /// The same for a note, which never stands where words for the other player do.
    pub(super) note: String,
    /// The same for a plan.
    pub(super) plan: String,
    /// The same on a turn.
    pub(super) comment: String,
    /// What stands in the address after a form.
    pub(super) did: Did,
    /// Why a form did nothing; empty if none was sent.
    pub(super) refused: String,
}

/// The facts of the page, and the mail that becomes needless when the browser has it.
pub(super) fn facts(
    reader: &Reader,
    server: &Server,
    place: &Place,
    owner: &Owner,
    wanted: &Wanted,
    now: DateTime<Utc>,
) -> Result<(Value, Option<BoardLetter>), Fault> {
    let (player, viewer) = (owner.player(), &owner.viewer);
    let times = times(reader, viewer, now)?;
    let seen = place.read(reader, viewer)?;
    let board = &seen.board;
    let seat = board
        .seat_of(player.id)
        .ok_or_else(|| Fault::no_seat(owner.key.clone()))?;
    let facts = board.game.facts;
    let is_mine = board.end.is_none() && board.to_move == Some(seat);
    let other = board.at(seat.other()).userid.as_str();
    let here = format!("{}board/{}/{}/turn", viewer.root, facts.name, board.number);
    let choosing = Choosing {
        then: &seen.then,
        seat,
        other,
        here: &here,
        at: "?turn=",
        is_large: wanted.is_large,
    };
    let chosen = match is_mine {
        true => Some(Chosen::of(choosing, &wanted.turn)?),
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
    let whole = chosen.as_ref().and_then(Chosen::whole);
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
    let can_pause = board.end.is_none()
        && Seat::BOTH.iter().all(|seat| board.has_moved(*seat))
        && board.paused_until.is_none()
        && board.offer.is_none()
        && reader.contest_of(board.id)?.is_none();
    let offers = ["accept", "reject", "resume", "propose", "undo"];
    let offers = offers.into_iter().filter(|verb| is_offered(verb));
    let offers: Vec<_> = offers.chain(can_pause.then_some("pause")).collect();
    let mark = wanted.did.mark(reader, now)?;
    let is_seen = !mark.is_empty() && reader.is_unseen(letter)?;
    let board_facts = match &chosen {
        Some(chosen) => chosen.facts(&wanted.turn),
        None => context! {
            here => Value::from_safe_string(here.clone()),
            picture => Value::from_safe_string(seen.picture().svg()),
            drawing => seen.then.position.draw(Display::Small),
            notation => facts.notation,
        },
    };
    let facts = context! {
        game => context! { name => facts.name, title => facts.title, goal => facts.summary },
        number => board.number,
        shown => seen.shown,
        other,
        side => facts.role(seat),
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
        mail => whole.map(mail),
        words => wanted.words.as_str(),
        note => reader.own_note(player.id, board.id)?,
        comment => commenting::facts(reader, board, seat, (&wanted.turn, &wanted.comment))?,
        note_words => wanted.note.as_str(),
        refused => wanted.refused.as_str(),
        mark,
        did => said(&wanted.did.said(reader, now)?, &seen),
        plan => board.plan_of(seat).map(ToString::to_string),
        planned => Value::from(Serde(rows(board, board.at(seat), seen.then.position.as_ref()))),
        plan_words => wanted.plan.as_str(),
        offer => board.offer.filter(|(_, by)| *by != seat).map(|(offer, _)| offer.name()),
        offers,
        may => context! { resign => is_offered("resign"), queue => is_offered("queue"), rematch => is_offered("rematch"), chat => is_offered("chat") },
        last => Value::from(Serde(board_turns(board, &seen.turns))),
        form => form_number(),
        event => board.events.newest(),
        ..board_facts
    };
    Ok((facts, is_seen.then_some(letter)))
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
    let own = seen.turns.iter().rposition(|turn| turn.seat == seat);
    if own.is_some_and(|own| !board.can_go_back_to(own)) {
        return Ok(false);
    }
    if board.computer().is_some() {
        let notes = reader.board_notes(board.id)?;
        let is_used = notes.iter().any(|note| note.kind == NoteKind::Undo);
        return Ok(!is_used && own.is_some());
    }
    Ok(board.offer != Some((Offer::Undo, seat)) && seen.last_player() == Some(seat))
}

/// What a form has done, without the name of the board, which the page has; empty if the heading says it.
fn said(did: &str, seen: &Seen) -> String {
    let said = did.replacen(&format!(" on {}", seen.board.name()), "", 1);
    if said == seen.told() { String::new() } else { said }
}
