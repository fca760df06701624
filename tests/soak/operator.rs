//! What the operator does.

use pbmserv::admin::board::{BoardArgs, BoardResult, BoardVerb};
use pbmserv::admin::sure::Sure;
use pbmserv::admin::user::UserVerb;
use pbmserv::admin::{PerhapsWhy, Verb, Why};
use pbmserv_games::Seat;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::deed::name;
use crate::foreseen::End;
use crate::laws::{Does, leaves};
use crate::people::pick;
use crate::view::{Account, Board, COMPUTER, View};

/// A verb of the operator, whose account it is about, and what it does on which boards.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) verb: Verb,
    pub(crate) about: Option<usize>,
    pub(crate) does: Vec<(usize, Does)>,
}

/// What the operator decides, about anybody and any board between people.
pub(crate) fn order(view: &View, rng: &mut ChaCha8Rng) -> Option<Order> {
    let is_there = |account: &Account| !account.is_deleted();
    let players: Vec<usize> = (1..view.accounts.len())
        .filter(|id| is_there(&view.accounts[*id]))
        .collect();
    let is_ruled = |board: &Board| !board.row.is_over() && !board.players.contains(&COMPUTER);
    let boards: Vec<usize> = (0..view.boards.len())
        .filter(|id| is_ruled(&view.boards[*id]))
        .collect();
    if players.len() < 5 || boards.is_empty() {
        return None;
    }
    let why = Why {
        why: "So it was decided.".into(),
    };
    let userid = |id: usize| view.accounts[id].userid().to_owned();
    let id = *pick(rng, &boards);
    let chosen = &view.boards[id];
    let board = BoardArgs {
        game: name(chosen.at.game).to_owned(),
        number: chosen.at.number,
    };
    let drawn = rng.random_range(0..34);
    if drawn > 13 {
        let (verb, does) = match drawn {
            14..17 => (BoardVerb::Void { board, why }, Does::Ends(End::Void)),
            17..25 => {
                let results = [
                    (BoardResult::First, Some(Seat::First)),
                    (BoardResult::Second, Some(Seat::Second)),
                    (BoardResult::Draw, None),
                ];
                let (result, winner) = *pick(rng, &results);
                let end = End::Finished(winner, "adjudication");
                (BoardVerb::End { board, result, why }, Does::Ends(end))
            }
            25..28 => (BoardVerb::Undo { board, why }, Does::TakenBack),
            28..30 => {
                let turn = chosen.progress.position.random_turn(rng)?;
                let (userid, does) = (userid(chosen.mover()?), Does::Plays(turn.clone()));
                let verb = BoardVerb::Turn {
                    board,
                    userid,
                    turn,
                    why,
                };
                (verb, does)
            }
            _ => {
                let (from, to) = (chosen.mover()?, *pick(rng, &players));
                let does = Does::Reseats(from, to);
                let (from, to) = (userid(from), userid(to));
                (BoardVerb::Reseat { board, from, to, why }, does)
            }
        };
        return Some(Order {
            verb: Verb::Board(verb),
            about: None,
            does: vec![(id, does)],
        });
    }
    let mut about = *pick(rng, &players);
    let mut does = Vec::new();
    let verb = match drawn {
        0 => {
            let why = PerhapsWhy { why: why.why };
            let verb = Verb::Announce { why };
            return Some(Order {
                verb,
                about: None,
                does,
            });
        }
        1..3 => UserVerb::Disable {
            userid: userid(about),
            why,
        },
        3..10 => {
            let disabled = players.iter().find(|id| view.accounts[**id].is_disabled());
            about = disabled.copied().unwrap_or(about);
            UserVerb::Enable {
                userid: userid(about),
                why,
            }
        }
        10..13 => {
            let to = format!("{}r", userid(about).chars().take(15).collect::<String>());
            UserVerb::Rename {
                userid: userid(about),
                to,
                why,
            }
        }
        _ => {
            does = leaves(view, about);
            let sure = Sure::default();
            UserVerb::Erase {
                userid: userid(about),
                sure,
                why,
            }
        }
    };
    Some(Order {
        verb: Verb::User(verb),
        about: Some(about),
        does,
    })
}
