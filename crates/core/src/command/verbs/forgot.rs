//! `forgot` and `reset`: a new password for a player who has lost the old one.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use crate::command::accounts::addresses::count_asked_unproven;
use crate::command::accounts::credentials::new_password;
use crate::command::{
    Addressee, Argument, Command, Context, Decision, InternalError, Letter, Line, Run, Undecided,
};
use crate::letters::{Done, Forgot, LetterKind};
use crate::store::AddressRow;
use crate::table::Player;
use pbmserv_mail::Address;

pub(crate) static FORGOT: Command = Command {
    verb: "forgot",
    arguments: &[Argument::Account],
    syntax: "forgot userid",
    summary: "mails you what is needed for another password",
    help: "Mails you a token. With it, reset gives the account a new password. The mail goes to the address \
           that you write from, if it is a confirmed address of the player, and otherwise to the first \
           confirmed one. The token works once, and for one day. The answer is the same whether the player \
           exists or not.",
    examples: &["forgot alice"],
    run: Run::Public(forgot),
    ..Command::USUAL
};

pub(crate) static RESET: Command = Command {
    verb: "reset",
    arguments: &[Argument::Userid, Argument::Token, Argument::NewPassword],
    syntax: "reset userid token newpassword",
    summary: "gives your account another password",
    help: "Gives your account a new password, with the token that forgot has mailed to you.",
    examples: &["reset alice r2f5hg-mfzwizdfmzsgk3lqn5xgk4tfmy oak4jay"],
    run: Run::WithToken(reset),
    ..Command::USUAL
};

/// When a token that is mailed now expires: at a full hour, 24 to 25 hours from now.
pub(crate) fn good_until(now: DateTime<Utc>) -> DateTime<Utc> {
    let hour = TimeDelta::hours(1);
    now.duration_trunc(hour).unwrap_or(now) + TimeDelta::hours(25)
}

fn forgot(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let done = Done {
        subject: "forgot".to_owned(),
        // One paragraph, so that a transcript does not reveal whether a second mail is sent.
        sentence: "If there is a player of that userid, a mail with a token is on its way to a confirmed address of \
                   the account, unless a few went there today already."
            .to_owned(),
        hint: String::new(),
    };
    // Counted for unknown userids too, so that the refusal does not reveal whether the player exists.
    let changes = vec![count_asked_unproven(context)?];
    let mut letters = vec![Letter::answer(done.into())];
    if let Some(player) = context.found(&line.fixed[0])?
        && let Some(address) = token_goes_to(context, &player)?
    {
        let until = context.times(Some(player.id))?.said(good_until(context.now));
        let content = Forgot::new(player.userid.clone(), until).into();
        letters.push(Letter {
            to: Addressee::Mailbox {
                userid: player.userid,
                address,
            },
            is_answer: false,
            ..Letter::answer(content)
        });
    }
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

/// The one address that gets the token: anybody can ask for it, so it does not go to all. It is the one that the mail
/// came from if that is the player's, otherwise the oldest that has not had a few today.
fn token_goes_to(context: &Context<'_>, player: &Player) -> Result<Option<Address>, InternalError> {
    let since = context.now - TimeDelta::days(1);
    let mut rows = context.store.addresses(player.id)?;
    rows.retain(AddressRow::is_reachable);
    let from = context.sender.believed().map(Address::key);
    rows.sort_by_key(|row| from.as_ref() != Some(&row.address.key()));
    for row in rows {
        if context
            .store
            .sent_since(&row.address, &[LetterKind::Forgot], since)?
            < context.settings.questions_a_day
        {
            return Ok(Some(row.address));
        }
    }
    Ok(None)
}

fn reset(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let (userid, new) = (&line.fixed[0], &line.fixed[2]);
    new_password(context, player, userid, new, format!("reset {}", player.userid))
}
