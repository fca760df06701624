//! Plays what players have planned, in the same decision that makes it their turn.
//!
//! So the player to move never has a plan. Only letters to its owner mention it. Each turn that is played takes an answer off a
//! plan, and a plan looks ten turns ahead, so that two plans which answer each other end within twenty turns.

use pbmserv_games::{Match, Seat};

use crate::command::InternalError;
use crate::command::playing::turns::TurnSequence;
use crate::command::wording::turn_summary::{Origin, TurnReport, TurnSummary};
use crate::table::{Plan, dice_of};

/// What became of the plans on a board.
#[derive(Default)]
pub(crate) struct Fired {
    /// What was played, in order.
    pub turns: Vec<TurnReport>,
    /// Why the next turn was not played and the plan was dropped. Only for the owner in this seat.
    pub failed: Option<(Seat, String)>,
}

/// Plays the plans of both players as long as they have an answer, and turns to which there is no other, if their player wants that.
/// `new` is a plan that came with the turn before.
pub(crate) fn fire(sequence: &mut TurnSequence, new: Option<(Seat, Plan)>) -> Result<Fired, InternalError> {
    let mut plans = [None, None];
    for (seat, plan) in sequence.board.plan.take().into_iter().chain(new) {
        plans[seat.index()] = Some(plan);
    }
    let mut failed = None;
    let mut played: Vec<Played> = Vec::new();
    while let Some(seat) = sequence.board.to_move {
        let Some(plan) = plans[seat.index()].take() else {
            match forced(sequence, seat) {
                Some(turns) => played.push(turns),
                None => break,
            }
            continue;
        };
        match answer(sequence, seat, &plan)? {
            Ok((mut turns, rest)) => {
                // The end of a plan may read as a queue.
                let is_planned = |turns: &Played| turns.seat == seat && turns.origin == Origin::AsPlanned;
                if played.iter().any(is_planned) {
                    turns.origin = Origin::AsPlanned;
                }
                plans[seat.index()] = rest;
                match played.last_mut() {
                    Some(last) if last.seat == seat && last.origin != Origin::Forced => {
                        last.texts.extend(turns.texts);
                    }
                    _ => played.push(turns),
                }
            }
            Err(reason) => failed = Some((seat, reason)),
        }
    }
    for seat in Seat::BOTH {
        if let Some(plan) = plans[seat.index()].take() {
            sequence.board.planned(seat, Some(plan));
        }
    }
    let turns = played.into_iter().map(|played| TurnReport {
        seat: played.seat,
        origin: played.origin,
        summary: TurnSummary::of(played.before.as_ref(), &played.texts),
    });
    Ok(Fired {
        turns: turns.collect(),
        failed,
    })
}

/// Planned turns of one player in a row.
struct Played {
    seat: Seat,
    origin: Origin,
    before: Box<dyn Match>,
    texts: Vec<String>,
}

/// Plays the only turn that there is, if the player in this seat is not asked for it.
fn forced(sequence: &mut TurnSequence, seat: Seat) -> Option<Played> {
    let turn = sequence.forced(seat)?;
    let before = sequence.position.game.fork();
    let texts = sequence.play(seat, &turn).ok()?;
    Some(Played {
        seat,
        origin: Origin::Forced,
        before,
        texts,
    })
}

/// What was played and what is left of the plan, or why nothing was played.
type Answered = Result<(Played, Option<Plan>), String>;

/// Plays what the player in this seat has planned for the turns since then.
fn answer(sequence: &mut TurnSequence, seat: Seat, plan: &Plan) -> Result<Answered, InternalError> {
    let owner = sequence.board.at(seat).userid.clone();
    let is_queue = plan.as_queue().is_some();
    let turns = sequence.position.turns.clone();
    let since = plan.since.min(turns.len());
    let before = sequence.board.replay(turns.clone(), since)?;
    // A turn that let the dice roll is the owner's.
    let mut theirs = turns[since..].to_vec();
    theirs.retain(|turn| turn.seat != seat);
    let now = sequence.position.game.as_ref();
    let Some((reply, rest)) = plan.answer_to(before.game.as_ref(), now, &theirs) else {
        let played: Vec<_> = theirs.iter().map(|turn| turn.text.as_str()).collect();
        let played = played.join(",");
        return Ok(Err(format!(
            "{owner}, you had planned nothing for {played}, so your plan is dropped."
        )));
    };
    let before = sequence.position.game.fork();
    // What is queued ends where dice are rolled: its owner may want to double.
    if !is_queue && rolls_first(before.as_ref(), reply) {
        // Then the dice say which answer is meant.
        return Ok(attempt(sequence, seat, "roll").map(|texts| {
            let played = Played {
                seat,
                origin: Origin::AsPlanned,
                before,
                texts,
            };
            (played, Some(plan.clone()))
        }));
    }
    match attempt(sequence, seat, reply) {
        Ok(texts) => {
            let origin = if is_queue {
                Origin::FromQueue
            } else {
                Origin::AsPlanned
            };
            let played = Played {
                seat,
                origin,
                before,
                texts,
            };
            Ok(Ok((played, Plan::after(sequence.position.turns.len(), rest))))
        }
        Err(reason) => {
            let what = if is_queue { "queued" } else { "planned" };
            let more = match (rest.is_empty(), is_queue) {
                (true, _) => "",
                (false, true) => " What you had queued after it is dropped.",
                (false, false) => " What you had planned after it is dropped.",
            };
            Ok(Err(format!(
                "{owner}, your {what} {reply} was not played. {reason}{more}"
            )))
        }
    }
}

/// Whether the dice of a planned turn are rolled only when its player lets them, who may double instead.
fn rolls_first(position: &dyn Match, reply: &str) -> bool {
    let mut after = position.fork();
    dice_of(reply).is_some() && position.dice().is_none() && after.play("roll").is_ok()
}

/// Plays one planned turn, or returns why not.
fn attempt(sequence: &mut TurnSequence, seat: Seat, turn: &str) -> Result<Vec<String>, String> {
    let (text, number) = turn.split_once('#').map_or((turn, None), |(text, number)| {
        (text, number.trim().parse::<usize>().ok())
    });
    let next = sequence.position.turns_of(seat) + 1;
    if number.is_some_and(|number| number != next) {
        return Err(format!("Your next turn is number {next}."));
    }
    sequence.play(seat, text).map_err(|refusal| refusal.reason)
}
