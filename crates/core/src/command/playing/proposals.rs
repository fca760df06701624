//! Challenges in the name of a player whom nobody has proven to be: that player is asked by mail first.
//!
//! The row of a proposal holds the challenge as a line. A yes from that player, with the token of the mail, has the line read and
//! decided again, so the rules and limits of that moment hold.

use chrono::{DateTime, Utc};

use crate::command::accounts::addresses::count_asked_unproven;
use crate::command::{Change, Context, Decision, Letter, Line, Reason, Refused, Undecided};
use crate::letters::{Content, Done, Proposed, SubjectMark};
use crate::store::{PROPOSED_FOR, RateLimit};
use crate::table::Player;

/// Whether a game that was proposed then can still be confirmed.
pub(crate) fn is_open(asked_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now < asked_at + PROPOSED_FOR
}

/// Who is asked whether a board may begin: the first player, or the other if that is a computer.
fn asked([first, second]: [&Player; 2]) -> [&Player; 2] {
    match first.id.is_computer() {
        true => [second, first],
        false => [first, second],
    }
}

/// Asks one of the players whether this board may begin. The same game is asked for once.
///
/// # Errors
/// The player has blocked the writer or was asked often enough today, or this message or sender has caused enough
/// questions.
pub(crate) fn propose(
    context: &Context<'_>,
    line: &Line,
    players: [&Player; 2],
) -> Result<Decision, Undecided> {
    let [first, second] = asked(players);
    for writer in context.writers()? {
        if context.store.has_blocked(first.id, writer)? {
            let reason = Reason::NotHeard {
                reader: &first.userid,
                writer: "you",
            };
            return Err(Refused::impossible(reason).into());
        }
    }
    let text = written(context, line, players)?;
    let done = Done {
        subject: SubjectMark::Asked.before(&text),
        sentence: format!(
            "{0} has been asked by mail; the board begins as soon as {0} confirms.",
            first.userid
        ),
        hint: String::new(),
    };
    let answer = Letter::answer(Content::from(done).marked(SubjectMark::Asked));
    let before = context.store.proposed_at(first.id, &text)?;
    if before.is_some_and(|asked_at| is_open(asked_at, context.now)) {
        return Ok(Decision::answer(answer));
    }
    let key = first.id.0.to_string();
    let asked = context.store.tally(RateLimit::Proposed, &key, context.now)?;
    if asked >= context.settings.questions_a_day {
        let what = format!("{} has been asked for enough games today", first.userid);
        return Err(Refused::impossible(Reason::EnoughToday(&what)).into());
    }
    let question = Proposed {
        userid: first.userid.clone(),
        opponent: second.userid.clone(),
        line: text.clone(),
        until: context.times(Some(first.id))?.said(context.now + PROPOSED_FOR),
        is_invitation: false,
        shows: String::new(),
    };
    Ok(Decision {
        changes: vec![
            Change::Count {
                what: RateLimit::Proposed,
                key,
                more: 1,
            },
            count_asked_unproven(context)?,
            Change::Propose {
                player: first.id,
                opponent: second.id,
                line: text,
            },
        ],
        letters: vec![Letter::news(first.id, question.into()), answer],
        proven: None,
    })
}

/// The change that ends the question whether this board may begin, if it was asked.
pub(crate) fn answered(
    context: &Context<'_>,
    line: &Line,
    players: [&Player; 2],
) -> Result<Option<Change>, Undecided> {
    let [first, _] = asked(players);
    let line = written(context, line, players)?;
    let is_asked = context.store.proposed_at(first.id, &line)?.is_some();
    Ok(is_asked.then_some(Change::EndProposal {
        player: first.id,
        line,
    }))
}

/// The challenge as a command. All its words were read as userids and options, so none is a
/// password.
fn written(context: &Context<'_>, line: &Line, [first, second]: [&Player; 2]) -> Result<String, Undecided> {
    let name = context.game(line)?.facts.name;
    let mut text = format!("{name} challenge {} {}", first.userid, second.userid);
    for option in line.game_options.iter().chain(&line.server_options) {
        text.push(' ');
        text.push_str(&option.text);
    }
    Ok(text)
}

/// A no to the question whether a game may begin: it is not asked again.
pub(crate) fn game_refused(player: &Player, line: &str) -> Decision {
    let done = Done {
        subject: "Done: no game".to_owned(),
        sentence: format!("The game is not begun, {}: nobody was told.", player.userid),
        hint: String::new(),
    };
    Decision {
        changes: vec![Change::EndProposal {
            player: player.id,
            line: line.to_owned(),
        }],
        proven: Some(player.id),
        ..Decision::answer(Letter::answer_to(player, done))
    }
}

/// The answer to a reply to the question that begins no board: it says no `confirm`, or the game cannot be confirmed
/// any more.
pub(crate) fn nothing_begun(player: &Player, is_open: bool) -> Decision {
    let userid = &player.userid;
    let sentence = match is_open {
        true => format!(
            "Nothing was begun, {userid}: if you want the game, answer with the one word confirm, alone on the first line."
        ),
        false => format!(
            "Nothing was begun, {userid}: this game was confirmed already, or it was asked for more than {} days ago.",
            PROPOSED_FOR.num_days()
        ),
    };
    let done = Done {
        subject: SubjectMark::NotDone.before("confirm"),
        sentence,
        hint: String::new(),
    };
    Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter::answer_to(
            player,
            Content::from(done).marked(SubjectMark::NotDone),
        ))
    }
}
