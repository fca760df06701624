//! What a player is asked, which the own page has first: offers on boards, games that somebody else begins, and whether an
//! invitation may show the address.

use chrono::{DateTime, Utc};
use serde::Serialize;

use pbmserv_core::command::board_status;
use pbmserv_core::letters::Times;
use pbmserv_core::store::{BoardFilter, PROPOSED_FOR, Proposal, Reader};
use pbmserv_core::table::{Offer, Player};

use super::fault::Fault;
use super::waiting::OwnBoard;

/// How many of the boards that ended last may have an offer of a rematch that is listed.
const MAX_ENDED: u32 = 40;

/// An offer of the other player on a board.
#[derive(Serialize)]
pub(super) struct Offered {
    game: &'static str,
    title: &'static str,
    number: u32,
    other: String,
    status: String,
    /// What a yes does.
    yes: &'static str,
    event: u32,
}

/// A game to begin, or an invitation to send, if the player agrees.
#[derive(Serialize)]
pub(super) struct Question {
    /// The form that says yes.
    action: &'static str,
    /// What the form that says no names.
    row: i64,
    game: &'static str,
    title: &'static str,
    /// The userid or the address.
    who: String,
    options: String,
    until: String,
}

/// The offers on the player's boards.
pub(super) fn offers(reader: &Reader, player: &Player, waiting: &[OwnBoard]) -> Result<Vec<Offered>, Fault> {
    let ended = BoardFilter {
        player: Some(player.id),
        running: Some(false),
        limit: MAX_ENDED,
        ..BoardFilter::default()
    };
    let ended = reader.boards(ended)?;
    let boards = waiting.iter().map(|own| &own.board).chain(&ended);
    let offered = boards.filter_map(|board| {
        let seat = board.seat_of(player.id)?;
        let (offer, by) = board.offer?;
        (by != seat && board.can_be_answered()).then(|| Offered {
            game: board.game.facts.name,
            title: board.game.facts.title,
            number: board.number,
            other: board.at(by).userid.clone(),
            status: board_status(board, Some(seat)),
            yes: match offer {
                Offer::Draw => "Accept the draw",
                Offer::Undo => "Give the turn back",
                Offer::Pause => "Agree to the pause",
                Offer::Rematch => "Play again",
            },
            event: board.events.newest(),
        })
    });
    Ok(offered.collect())
}

/// The questions that a yes answers, as long as they are open.
pub(super) fn questions(
    reader: &Reader,
    player: &Player,
    times: Times,
    now: DateTime<Utc>,
) -> Result<Vec<Question>, Fault> {
    let open = reader.proposals_to(player.id, now - PROPOSED_FOR)?;
    let question = |proposal: &Proposal| {
        let mut words = proposal.line.split(' ');
        let game = words.next().and_then(pbmserv_games::find)?;
        let action = match words.next()? {
            // Who begins by a form moves first.
            "challenge" => (words.next()? == player.userid).then_some("begin"),
            "invite" => Some("invite"),
            _ => None,
        };
        Some(Question {
            action: action?,
            row: proposal.id,
            game: game.facts.name,
            title: game.facts.title,
            who: words.next()?.to_owned(),
            options: words.collect::<Vec<_>>().join(" "),
            until: times.brief(proposal.asked_at + PROPOSED_FOR),
        })
    };
    let questions = open.iter().filter_map(question);
    Ok(questions.collect())
}
