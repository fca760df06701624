//! `signup`: a new account.

use crate::command::accounts::addresses::{
    check_can_be_written_to, check_is_secret, check_may_be_asked, count_asked_unproven, may_be_asked, named,
    ours, questions,
};
use crate::command::accounts::credentials::{
    check_is_hard_to_guess, check_name, check_password, check_userid,
};
use crate::command::accounts::greetings::welcome;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, Letter, Line, Reason, Refused, Run, Trailing,
    Undecided,
};
use crate::letters::{Content, Done};
use crate::store::NewPlayer;
use crate::table::Player;
use pbmserv_mail::Address;

pub(crate) static SIGNUP: Command = Command {
    verb: "signup",
    aliases: &["register"],
    arguments: &[Argument::Userid, Argument::NewPassword],
    trailing: Trailing::Words,
    syntax: "signup userid password [address...]",
    summary: "makes you an account",
    help: "Makes an account. A userid has 2 to 20 letters, digits, - or _, and begins with a letter. A userid \
           that sounds official is not given. A password has at least 6 characters, and its capital letters matter; it \
           is not one that most people choose, and does not contain the userid. Choose a password that you use \
           nowhere else, because you write it in mails.\n\n\
           The account has the address that you write from, or those that you name. The first address gets one \
           mail. Answer it with the word confirm or a plain yes; no removes the account at once. Then you get \
           the welcome with the games, and the other addresses are asked too.",
    examples: &["signup alice fig7elk", "signup alice fig7elk alice@example.org"],
    run: Run::Public(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let (userid, password) = (&line.fixed[0], &line.fixed[1]);
    check_password(password)?;
    let addresses = own(context, line)?;
    check_userid(context.commands, userid)?;
    check_is_secret(context, &userid.text, password, addresses.iter())?;
    if let Some(player) = context.store.player(&userid.text)? {
        return again(context, line, &player);
    }
    check_name(context, userid)?;
    check_is_hard_to_guess(&userid.text, password)?;
    for address in &addresses {
        check_may_be_asked(context, address, password)?;
    }
    let mut changes = Vec::new();
    if context.settings.confirm {
        changes.push(count_asked_unproven(context)?);
    }
    let password_hash = context.hash(userid, password)?;
    let player = NewPlayer {
        userid: userid.text.clone(),
        password_hash,
        created_at: context.now,
    };
    let letters = if context.settings.confirm {
        // The others are asked when this one is confirmed, so that nobody has five people asked by one mail.
        questions(&player.userid, addresses.get(..1).unwrap_or_default(), false)
    } else {
        let welcome = welcome(context, &player.userid, None)?;
        addresses
            .iter()
            .map(|address| welcome_to(&player.userid, address, &welcome))
            .collect()
    };
    let confirmed_at = (!context.settings.confirm).then_some(context.now);
    changes.push(Change::Signup {
        player,
        addresses,
        confirmed_at,
    });
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

/// A signup for an existing account. With the right password it brings the player back after a signoff, or repeats an
/// open confirmation question. Otherwise the userid is taken.
fn again(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let taken = || {
        let refused = Refused::impossible(Reason::UseridTaken(&player.userid));
        Undecided::from(refused.about(&line.fixed[0]))
    };
    let rows = context.store.addresses(player.id)?;
    let open: Vec<_> = rows
        .iter()
        .filter(|row| row.confirmed_at.is_none())
        .map(|row| row.address.clone())
        .collect();
    let is_away = player.away_since.is_some();
    if !is_away && (open.is_empty() || open.len() < rows.len()) {
        return Err(taken());
    }
    context.prove(line).map_err(|stop| match stop {
        Undecided::Refused(refused) if refused.wrong_password_of.is_none() => Undecided::Refused(refused),
        Undecided::Refused(refused) => match taken() {
            Undecided::Refused(mut taken) => {
                taken.wrong_password_of = refused.wrong_password_of;
                Undecided::Refused(taken)
            }
            other => other,
        },
        other => other,
    })?;
    if is_away {
        let done = Done {
            subject: format!("signup {}", player.userid),
            sentence: format!("Welcome back, {}: you can be challenged again.", player.userid),
            hint: "Your addresses and settings are as before.".into(),
        };
        return Ok(Decision {
            changes: vec![Change::Away {
                player: player.id,
                since: None,
            }],
            letters: vec![Letter::answer_to(player, done)],
            proven: Some(player.id),
        });
    }
    for address in open {
        if may_be_asked(context, &address)? {
            return Ok(Decision {
                changes: vec![count_asked_unproven(context)?],
                letters: questions(&player.userid, &[address], false),
                ..Decision::default()
            });
        }
    }
    let what = format!(
        "The address of {} has been asked often enough today",
        player.userid
    );
    Err(Refused::impossible(Reason::EnoughToday(&what)).into())
}

fn welcome_to(userid: &str, address: &Address, welcome: &Content) -> Letter {
    let to = Addressee::Mailbox {
        userid: userid.to_owned(),
        address: address.clone(),
    };
    Letter {
        to,
        is_invitation: true,
        ..Letter::answer(welcome.clone())
    }
}

/// The addresses in the line, or the sender's if there are none.
fn own(context: &Context<'_>, line: &Line) -> Result<Vec<Address>, Undecided> {
    let named = named(context, &line.words)?;
    for (address, word) in &named {
        check_can_be_written_to(context, address, word)?;
    }
    if !named.is_empty() {
        return Ok(named.into_iter().map(|(address, _)| address).collect());
    }
    let sender = context.sender;
    let Some(from) = sender.believed() else {
        // The question would go to whomever the mail names.
        let sentence = match (&sender.from, &sender.envelope) {
            (Some(_), Some(_)) => {
                "Your mail has one sender in its header and another in its envelope: name your address after the password."
            }
            _ => "Your mail has no address: write one after the password.",
        };
        return Err(Refused::unreadable(sentence).into());
    };
    if context.settings.own.has(from) {
        return Err(ours().into());
    }
    Ok(vec![from.clone()])
}
