//! `export`: all that is stored of a player.

use crate::command::{
    Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Undecided, WithoutPassword,
    good_until,
};
use crate::letters::{Button, Export, Listing};
use crate::store::RateLimit;
use crate::table::Player;

/// How often in a day a player gets the letter.
const MAX_A_DAY: u32 = 1;

pub(crate) static EXPORT: Command = Command {
    verb: "export",
    arguments: &[Argument::Userid, Argument::Password],
    syntax: "export userid password",
    summary: "mails you all that is stored of you",
    help: "Asks first: you get a mail, and answer it with yes. Then all that is stored of you comes to the addresses of your \
           account, as an attached file: your account, your settings, your boards with a record of each, and which mails came \
           and went. If it is too long for a mail, you get a link to it that works for a day. Your password is not in it, \
           and no address of another player. You can ask for it once a day.",
    examples: &["export alice fig7elk"],
    without_password: WithoutPassword::Asked,
    fits_without_password: |words| words.is_empty(),
    run: Run::Player(run),
    ..Command::USUAL
};

/// What asks for it in answer to the question.
pub(crate) fn export_button() -> Button {
    Button {
        label: "Send me my data".to_owned(),
        word: EXPORT.verb.to_owned(),
    }
}

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    if !context.is_reachable(player.id)? {
        let sentence = "No address of your account takes mail now, and your data goes nowhere else.";
        return Err(Refused::impossible(sentence).into());
    }
    let too_many = || "Your data was mailed to you today: you can ask for it again tomorrow.".to_owned();
    let count = context.count(RateLimit::Exported, player.id.0, player.id, MAX_A_DAY, too_many)?;
    // A password is not enough: others may have read it in an old mail. A line without one is the yes to the question.
    match line.by_token {
        None => Ok(question(player)),
        Some(_) => brought(context, player, count),
    }
}

fn question(player: &Player) -> Decision {
    let userid = &player.userid;
    let listing = Listing {
        subject: format!("Your data, {userid}?"),
        sentence: format!(
            "Do you want all that is stored of you, {userid}? If you do, answer yes: it then comes to the addresses of your \
             account."
        ),
        hint: "If you have not asked for it, do nothing. Then somebody else knows your password: choose another one with \
               change password."
            .to_owned(),
        action: Some(export_button()),
        ..Listing::default()
    };
    Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter {
            is_invitation: true,
            ..Letter::answer_to(player, listing)
        })
    }
}

fn brought(context: &Context<'_>, player: &Player, count: Change) -> Result<Decision, Undecided> {
    let until = context.times(Some(player.id))?.said(good_until(context.now));
    let operator = format!("postmaster@{}", context.settings.own.present().domain());
    let content = Export::new(player.userid.clone(), player.id, until, operator);
    Ok(Decision {
        changes: vec![count],
        letters: vec![Letter::answer_to(player, content)],
        proven: Some(player.id),
    })
}
