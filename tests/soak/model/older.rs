//! Replies to older letters: what has happened on the board since the letter, and what of it a command minds.

use pbmserv_games::{GAMES, Options, Seat};

use super::boards::Offer;
use super::hear::Mail;
use super::{Board, Done, Model, No, Verdict};
use crate::deed::Act;
use crate::foreseen::Progress;

/// What can happen on a board after its beginning, which is number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Turn(Seat),
    TakenBack,
    Offer,
    Submitted,
}

impl Board {
    /// Notes an event, and numbers the turns that stand.
    pub(super) fn note(&mut self, event: Event) {
        self.events.push(event);
        let number = self.events.len() + 1;
        match event {
            Event::Turn(_) => self.turn_events.push(number),
            Event::TakenBack => {
                self.turn_events.pop();
            }
            Event::Offer | Event::Submitted => {}
        }
    }

    /// The events since the one with this number.
    fn since(&self, shown: usize) -> &[Event] {
        self.events.get(shown - 1..).unwrap_or_default()
    }
}

impl Model {
    /// The answer to a command from a seat that does not refer to the board as it is; `None` if it does.
    pub(super) fn if_older(
        &self,
        mail: &Mail<'_>,
        board: usize,
        player: usize,
        act: &Act,
    ) -> Option<Verdict> {
        let (shown, board) = (mail.shown?, &self.boards[board]);
        let seat = board.seat_of(player).filter(|_| mail.seat == Some(player))?;
        let since = board.since(shown);
        let is_running = board.end().is_none();
        let has = |event: Event| since.contains(&event);
        let is_moved = Seat::BOTH.into_iter().any(|seat| has(Event::Turn(seat))) || has(Event::TakenBack);
        let is_of_position = |event: &&Event| matches!(event, Event::Turn(_) | Event::TakenBack);
        let is_taken_back = since.iter().rfind(is_of_position) == Some(&Event::TakenBack);
        let mut standing = board.progress.turns.iter().zip(&board.turn_events);
        let is_other = is_taken_back || standing.any(|((by, _), event)| *by != seat && *event > shown);
        let is_late = match act {
            Act::Move(word) => match word.as_str() {
                "accept" | "reject" => is_offer_newer(board, shown),
                "undo" => is_running && is_other,
                "resign" => is_running && is_other && board.has_moved(seat),
                "propose" => is_running && is_moved,
                turn if is_moved && self.is_repeated(board, seat, shown, turn) => {
                    return Some(Ok(Done::by(player, "board", "was played already on")));
                }
                _ => is_running && is_moved,
            },
            Act::Resign => is_running && is_other && board.has_moved(seat),
            Act::Queue(turns) => is_running && is_moved && turns != &["off"] && board.to_move() != Some(seat),
            Act::Submit(_) | Act::Hint => is_running && is_moved,
            Act::Confirm => board.submitted.is_some() && has(Event::Submitted),
            Act::Rematch | Act::Review | Act::Chat | Act::Show => false,
        };
        is_late.then(|| Err(No::because("answers an older letter")))
    }

    /// Whether a turn is the one that was played first after a letter, by the same player.
    fn is_repeated(&self, board: &Board, seat: Seat, shown: usize, turn: &str) -> bool {
        let game = &GAMES[board.at.game];
        let options = Options::parse(game.facts, board.options.split_whitespace()).unwrap();
        let mut then = Progress::begin(game, options);
        let known = board
            .turn_events
            .iter()
            .take_while(|event| **event <= shown)
            .count();
        for (_, turn) in &board.progress.turns[..known] {
            then.play(turn).unwrap();
        }
        if then.position.to_move() != Some(seat) || then.play(turn).is_err() {
            return false;
        }
        board.progress.turns.starts_with(&then.turns)
    }
}

/// Whether the open offer was made after a letter.
fn is_offer_newer(board: &Board, shown: usize) -> bool {
    let is_open = matches!(board.offer, Some((Offer::Draw | Offer::Undo | Offer::Rematch, _)));
    is_open && board.since(shown).contains(&Event::Offer)
}
