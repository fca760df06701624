//! `forgot` and `reset`: another password for a player who has lost the one before.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use crate::letters::{Done, Forgot};

use super::change::new_password;
use super::{
    Addressee, Command, Context, Decision, Letter, Line, Place, Refused, Rest, Scope, Stop, addresses,
};

pub(super) static FORGOT: Command = Command {
    verb: "forgot",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Account],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "forgot userid",
    summary: "mails you what is needed for another password",
    help: "Mails a token to the confirmed addresses of a player, with which reset gives the account another \
           password. It is good once, and for a day. The answer is the same whether there is such a player or \
           not.",
    examples: &["forgot alice"],
    run: forgot,
};

pub(super) static RESET: Command = Command {
    verb: "reset",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Userid, Place::Token, Place::NewPassword],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "reset userid token newpassword",
    summary: "gives your account another password",
    help: "Gives an account another password, by the token that forgot has mailed to its addresses.",
    examples: &["reset alice r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy secret2"],
    run: reset,
};

/// Until when a token that is mailed now is good: a day, and the rest of the hour.
pub(crate) fn good_until(now: DateTime<Utc>) -> DateTime<Utc> {
    let hour = TimeDelta::hours(1);
    now.duration_trunc(hour).unwrap_or(now) + TimeDelta::hours(25)
}

fn forgot(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let done = Done {
        subject: "forgot".to_owned(),
        // One paragraph, so that a transcript shows the same of it whether another mail goes out or not.
        sentence: "If there is a player of that userid, a mail with a token is on its way to the confirmed \
                   addresses of the account, unless a few went there today already."
            .to_owned(),
        hint: String::new(),
    };
    // Whether there is such a player or not, so that the refusal does not tell it.
    let changes = vec![addresses::count_asked(context, context.sender.key(), 1)?];
    let mut letters = vec![Letter::answer(done.into())];
    if let Some(player) = context.store.player(&line.fixed[0].text)? {
        let since = context.now - TimeDelta::days(1);
        for row in context.store.addresses(player.id)? {
            let sent = context.store.sent_since(&row.address, &["forgot"], since)?;
            if row.confirmed_at.is_none() || sent >= context.settings.questions_a_day {
                continue;
            }
            let content = Forgot::new(player.userid.clone(), good_until(context.now)).into();
            letters.push(Letter {
                to: Addressee::Mailbox {
                    userid: player.userid.clone(),
                    address: row.address,
                },
                is_answer: false,
                ..Letter::answer(content)
            });
        }
    }
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

fn reset(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let (userid, token, new) = (&line.fixed[0], &line.fixed[1], &line.fixed[2]);
    let player = context.store.player(&userid.text)?;
    let player = player.filter(|player| context.tokens.resets(&token.text, player, context.now));
    let Some(player) = player else {
        let sentence =
            "This token is not good for that userid, or is good no longer: forgot userid brings another.";
        return Err(Refused::impossible(sentence).pointing_at(token).into());
    };
    new_password(context, &player, userid, new, format!("reset {}", player.userid))
        .map_err(|stop| stop.proven_by(player.id))
}
