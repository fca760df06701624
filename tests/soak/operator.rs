//! What the operator does, by lines of the command line.

use pbmserv_games::Seat;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::deed::name;
use crate::foreseen::End;
use crate::laws::{Does, leaves};
use crate::people::pick;
use crate::view::{COMPUTER, View};

/// A line of the operator, whose account it is about, and what it does on which boards.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) line: String,
    pub(crate) about: Option<usize>,
    pub(crate) does: Vec<(usize, Does)>,
}

/// What the operator decides, about anybody and any board between people.
pub(crate) fn order(view: &View, rng: &mut ChaCha8Rng) -> Option<Order> {
    let players = 1..view.accounts.len();
    let players: Vec<usize> = players.filter(|id| !view.accounts[*id].is_deleted()).collect();
    let mut boards: Vec<usize> = (0..view.boards.len()).collect();
    boards.retain(|id| !view.boards[*id].row.is_over() && !view.boards[*id].players.contains(&COMPUTER));
    if players.len() < 5 || boards.is_empty() {
        return None;
    }
    let of = |line: String, about: Option<usize>, does| Some(Order { line, about, does });
    let userid = |id: usize| view.accounts[id].userid();
    let (one, id) = (*pick(rng, &players), *pick(rng, &boards));
    let board = &view.boards[id];
    let place = format!("{} {}", name(board.at.game), board.at.number);
    let by = "adjudication";
    let (line, does) = match rng.random_range(0..34) {
        0 => return of("announce".to_owned(), None, Vec::new()),
        1..3 => return of(format!("user disable {}", userid(one)), Some(one), Vec::new()),
        3..10 => {
            let disabled = players.iter().find(|id| view.accounts[**id].is_disabled());
            let one = disabled.copied().unwrap_or(one);
            return of(format!("user enable {}", userid(one)), Some(one), Vec::new());
        }
        10..13 => {
            let to: String = userid(one).chars().take(15).collect();
            return of(
                format!("user rename {} {to}r", userid(one)),
                Some(one),
                Vec::new(),
            );
        }
        13 => {
            return of(
                format!("user erase {} --yes", userid(one)),
                Some(one),
                leaves(view, one),
            );
        }
        14..17 => (format!("board void {place}"), Does::Ends(End::Void)),
        17..20 => {
            let end = End::Finished(Some(Seat::First), by);
            (format!("board end {place} first"), Does::Ends(end))
        }
        20..23 => {
            let end = End::Finished(Some(Seat::Second), by);
            (format!("board end {place} second"), Does::Ends(end))
        }
        23..25 => (
            format!("board end {place} draw"),
            Does::Ends(End::Finished(None, by)),
        ),
        25..28 => (format!("board undo {place}"), Does::TakenBack),
        28..30 => {
            let turn = board.progress.position.random_turn(rng)?;
            let line = format!("board turn {place} {} {turn}", userid(board.mover()?));
            (line, Does::Plays(turn))
        }
        _ => {
            let from = board.mover()?;
            let line = format!("board reseat {place} {} {}", userid(from), userid(one));
            (line, Does::Reseats(from, one))
        }
    };
    of(line, None, vec![(id, does)])
}
