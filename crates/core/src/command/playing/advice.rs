//! Advice that a computer is asked for, and its answers.

use pbmserv_games::Seat;
use pbmserv_games::bots::Cost;

use crate::command::wording::board::subject;
use crate::command::wording::news::News;
use crate::command::wording::turn_summary::{cost_of_turn, luck_and_skill};
use crate::command::{
    Addressee, Change, Context, Decision, InternalError, Letter, Reason, Refused, Topic, Undecided,
};
use crate::letters::{Done, Listing};
use crate::store::{Advice, AdviceKind, Awaits, BoardNote, NoteKind, RateLimit};
use crate::table::{Board, Player, PlayerId};

/// How many turns a review names.
const NAMED: usize = 3;

/// A turn that cost less is not named, in thousandths of the expected result: less than one point of a hundred.
const LEAST_NAMED: i32 = 20;

/// Asks for advice about a board as it stands. The receipt says this sentence. That of a hint is sent only if the hint takes more
/// than a minute; a review takes minutes.
///
/// # Errors
/// The player has had enough today, or there are no computers here.
pub(crate) fn ask(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    kind: AdviceKind,
    sentence: String,
) -> Result<Decision, Undecided> {
    let counted = count(context, player)?;
    let advice = Advice {
        kind,
        board: board.id,
        player: player.id,
        event: board.events.position,
        asked_at: context.now,
    };
    let reader = board.players.iter().find(|seated| seated.id == player.id);
    let done = Done {
        subject: subject(board, reader),
        sentence,
        hint: String::new(),
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        awaits: (kind == AdviceKind::Hint).then_some(Awaits::Answer),
        ..Letter::answer(done.into()).on(board.game, board.number)
    };
    Ok(Decision {
        changes: vec![Change::Ask(advice), counted],
        letters: vec![letter],
        proven: Some(player.id),
    })
}

/// Counts advice for a player.
fn count(context: &Context<'_>, player: &Player) -> Result<Change, Undecided> {
    let computers = &context.settings.computers;
    if computers.players.is_empty() {
        let sentence = format!("No computer gives advice on this server, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let (what, key) = (RateLimit::Hinted, player.id.0.to_string());
    if context.store.tally(what, &key, context.now)? >= computers.hints_a_day {
        let what = format!("You have had enough advice today, {}", player.userid);
        return Err(Refused::impossible(Reason::EnoughToday(&what)).into());
    }
    Ok(Change::Count { what, key, more: 1 })
}

/// The letter with a hint.
pub(crate) fn hint(
    context: &Context<'_>,
    board: &Board,
    advice: &Advice,
    turn: &str,
) -> Result<Decision, InternalError> {
    let userid = userid(board, advice.player);
    let sentence = format!(
        "A good turn on {}, {userid}: {turn}. That is the advice of a computer; the record says that you had it.",
        board.name()
    );
    let mut decision = said(context, board, advice, sentence)?;
    decision.changes.push(Change::Note {
        board: board.id,
        note: BoardNote {
            ordinal: board.turns.saturating_add(1),
            kind: NoteKind::Hint,
            text: format!("advice to {userid}: {turn}"),
        },
    });
    Ok(decision)
}

/// The letter that says that there is no hint.
pub(crate) fn no_hint(
    context: &Context<'_>,
    board: &Board,
    advice: &Advice,
) -> Result<Decision, InternalError> {
    let userid = userid(board, advice.player);
    let sentence = format!(
        "There is no hint for {}, {userid}: the board has changed since you asked.",
        board.name()
    );
    said(context, board, advice, sentence)
}

/// The letter that says that computers leave this position alone.
pub(crate) fn no_advice(
    context: &Context<'_>,
    board: &Board,
    advice: &Advice,
) -> Result<Decision, InternalError> {
    let sentence = format!(
        "No computer can think about {}, {}: that is a fault of the server, which its operators see.",
        board.name(),
        userid(board, advice.player)
    );
    said(context, board, advice, sentence)
}

fn said(
    context: &Context<'_>,
    board: &Board,
    advice: &Advice,
    sentence: String,
) -> Result<Decision, InternalError> {
    let position = context.position(board)?;
    let reader = board.players.iter().find(|player| player.id == advice.player);
    let news = News {
        board,
        position: &position,
        sentence: sentence.into(),
        comment: None,
    };
    let letter = Letter {
        is_urgent: true,
        topic: match advice.kind {
            AdviceKind::Hint => Topic::Hint,
            AdviceKind::Review => Topic::Board,
        },
        ..news.to(context, Addressee::Player(advice.player), reader)?
    };
    Ok(Decision {
        changes: vec![Change::EndAdvice(*advice)],
        letters: vec![letter],
        proven: None,
    })
}

/// The turns that a review names, in their order.
fn worst(costs: &[Cost]) -> Vec<&Cost> {
    let mut worst: Vec<&Cost> = costs.iter().filter(|cost| cost.lost >= LEAST_NAMED).collect();
    worst.sort_by_key(|cost| (-cost.lost, cost.number));
    worst.truncate(NAMED);
    worst.sort_by_key(|cost| cost.number);
    worst
}

/// The letter with the turns of a finished game that cost most. They become comments of its record.
pub(crate) fn review(
    context: &Context<'_>,
    board: &Board,
    advice: &Advice,
    costs: &[Cost],
) -> Result<Decision, InternalError> {
    let turns = context.store.turns(board.id)?;
    let seat_of = |cost: &Cost| {
        let turn = turns.get(cost.number.saturating_sub(1) as usize);
        turn.map(|turn| turn.seat)
    };
    let mut notes: Vec<_> = worst(costs)
        .into_iter()
        .map(|cost| {
            let seat = seat_of(cost);
            let by = seat.map_or("", |seat| &board.at(seat).userid);
            BoardNote {
                ordinal: cost.number,
                kind: NoteKind::Review,
                text: cost_of_turn(by, &cost.played, &cost.better, cost.lost),
            }
        })
        .collect();
    let of_all = if board.game.facts.has_dice {
        let sum = |number: fn(&Cost) -> i32| {
            Seat::BOTH.map(|seat| {
                let own = costs.iter().filter(|cost| seat_of(cost) == Some(seat));
                own.map(number).sum::<i32>()
            })
        };
        Some(luck_and_skill(
            board,
            sum(|cost| cost.luck),
            sum(|cost| cost.lost),
        ))
    } else {
        notes
            .is_empty()
            .then(|| "no turn would have been much better".to_owned())
    };
    notes.extend(of_all.map(|text| BoardNote {
        ordinal: 0,
        kind: NoteKind::Review,
        text,
    }));
    let letter = reviewed(context, board, advice.player, &notes)?;
    let mut changes = vec![Change::EndAdvice(*advice)];
    changes.extend(notes.into_iter().map(|note| Change::Note {
        board: board.id,
        note,
    }));
    Ok(Decision {
        changes,
        letters: vec![Letter {
            is_answer: false,
            is_urgent: true,
            ..letter
        }],
        proven: None,
    })
}

/// The letter with the review of a game, and its record.
pub(crate) fn reviewed(
    context: &Context<'_>,
    board: &Board,
    reader: PlayerId,
    notes: &[BoardNote],
) -> Result<Letter, InternalError> {
    let costly = notes
        .iter()
        .filter(|note| note.kind == NoteKind::Review && note.ordinal > 0);
    let comments = context.store.turn_comments(board, Some(reader))?;
    let said = |ordinal: u32| {
        let words = comments.iter().filter(move |comment| comment.ordinal == ordinal);
        words.map(|comment| {
            let words = comment.words.replace('\n', "\n      ");
            format!("\n      {}: {words}", board.at(comment.seat).userid)
        })
    };
    let rows: Vec<_> = costly
        .map(|note| {
            let said: String = said(note.ordinal).collect();
            format!("  Turn {}\n      {}{said}", note.ordinal, note.text)
        })
        .collect();
    let [first, second] = Seat::BOTH.map(|seat| &board.at(seat).userid);
    let of = format!("{}, {first} against {second}", board.name());
    let is_flawless = rows.is_empty();
    let seated = board.players.iter().find(|player| player.id == reader);
    let file = format!("{}-{}.txt", board.game.facts.name, board.number);
    let record = context.store.record_of(board, Some(reader), notes)?;
    let mut sentence = match is_flawless {
        true => format!("The review of {of}: no turn would have been much better."),
        false => format!("The review of {of}: the turns that cost most."),
    };
    if board.game.facts.has_dice {
        let of_all = notes
            .iter()
            .filter(|note| note.kind == NoteKind::Review && note.ordinal == 0);
        of_all.for_each(|note| sentence.extend([" ", &note.text]));
    }
    let listing = Listing {
        subject: subject(board, seated),
        sentence,
        table: rows.join("\n"),
        hint: match record {
            Some(_) => format!(
                "A computer thinks so, and may be wrong. The record with these comments is attached as {file}."
            ),
            None => "A computer thinks so, and may be wrong.".to_owned(),
        },
        ..Listing::default()
    };
    Ok(Letter {
        to: Addressee::Player(reader),
        attachment: record.map(|record| (file, record.to_string())),
        topic: Topic::Record,
        ..Letter::answer(listing.into()).on(board.game, board.number)
    })
}

fn userid(board: &Board, player: PlayerId) -> &str {
    let seated = board.players.iter().find(|seated| seated.id == player);
    seated.map_or("", |seated| &seated.userid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_names_the_three_turns_that_cost_most_and_none_that_cost_nothing() {
        let costs = |lost: &[i32]| -> Vec<Cost> {
            let turn = |(number, lost): (u32, &i32)| Cost {
                number,
                played: "a1".to_owned(),
                better: "b2".to_owned(),
                lost: *lost,
                luck: 0,
            };
            (1..).zip(lost).map(turn).collect()
        };
        let named =
            |lost: &[i32]| -> Vec<u32> { worst(&costs(lost)).iter().map(|cost| cost.number).collect() };
        assert_eq!(named(&[50, 0, 300, 20, 2000]), [1, 3, 5]);
        assert_eq!(named(&[0, 19, 20]), [3]);
        assert!(cost_of_turn("alice", "a1", "b2", 20).ends_with(" by 1 points in 100"));
        assert!(named(&[0, 19]).is_empty());
    }
}
