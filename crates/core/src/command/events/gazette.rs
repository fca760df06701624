//! What comes of an answer to the position of the gazette.

use crate::command::wording::gazette::{ShownRiddle, subject, winning, within};
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter};
use crate::letters::{Done, NotDone};
use crate::store::GazetteAnswer;
use crate::table::Player;

/// The word that a reader answers to be named.
pub(crate) const NAME_ME: &str = "name me";

/// What comes of the first line of an answer to the position of an issue.
pub(crate) fn solve(
    context: &Context<'_>,
    player: &Player,
    number: i64,
    line: &str,
) -> Result<Decision, InternalError> {
    let issue = context.store.gazette(number)?;
    let riddle = issue.and_then(|issue| issue.finds.riddle);
    let shown = match &riddle {
        Some(riddle) => ShownRiddle::of(context.store, riddle)?,
        None => None,
    };
    let userid = &player.userid;
    let (Some(riddle), Some(shown)) = (riddle, shown) else {
        let sentence = format!("There is no position to solve in number {number} of the gazette, {userid}.");
        return Ok(refused(player, number, sentence));
    };
    let newest = context.store.gazettes(1)?;
    if newest.first().is_some_and(|newest| newest.number > number) {
        let sentence = format!("The solution is out already, {userid}: {}.", winning(&riddle));
        return Ok(refused(player, number, sentence));
    }
    let turn = match shown.position()?.game.read(line) {
        Ok(turn) => turn,
        Err(refusal) => {
            let sentence = format!("That is no answer to the position, {userid}. {refusal}");
            return Ok(refused(player, number, sentence));
        }
    };
    if let Some(before) = context.store.gazette_answer(number, player.id)? {
        let sentence = format!(
            "You have answered already, {userid}: {}. The first answer counts; the next gazette has the solution.",
            before.turn
        );
        return Ok(refused(player, number, sentence));
    }
    let is_right = riddle.wins.contains(&turn);
    let preferences = context.store.preferences(player.id)?;
    let (sentence, hint) = match is_right {
        false => (
            format!(
                "{turn} does not win {}, {userid}: the next gazette has the solution.",
                within(riddle.needs)
            ),
            String::new(),
        ),
        true => (
            format!("That is it, {userid}: {turn} wins."),
            match (preferences.is_hidden, preferences.is_named) {
                (true, _) => "The next gazette says how many have solved it.".to_owned(),
                (false, true) => "The next gazette names you among those who have solved it.".to_owned(),
                (false, false) => format!(
                    "The next gazette says how many have solved it. If it may name you, now and later, answer with:\n\n  {NAME_ME}"
                ),
            },
        ),
    };
    let done = Done {
        subject: subject(number),
        sentence,
        hint,
    };
    Ok(Decision {
        changes: vec![Change::Solve(GazetteAnswer {
            gazette: number,
            player: player.id,
            turn,
            is_right,
        })],
        letters: vec![answer(player, done.into())],
        proven: Some(player.id),
    })
}

fn refused(player: &Player, number: i64, sentence: String) -> Decision {
    let content = NotDone {
        subject: subject(number),
        sentence,
        ..NotDone::default()
    };
    Decision {
        proven: Some(player.id),
        ..Decision::answer(answer(player, content.into()))
    }
}

fn answer(player: &Player, content: crate::letters::Content) -> Letter {
    Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(content)
    }
}
