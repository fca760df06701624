//! `signup`: a new account.

use crate::letters::Done;
use crate::mail::Address;
use crate::store::NewPlayer;
use crate::{games, table::Player};

use super::confirm::welcome;
use super::{
    Addressee, Change, Command, Context, Decision, Letter, Line, Place, RESERVED, Refused, Rest, Scope, Stop,
    Verb, Word, addresses, find_verb, hidden,
};

pub(super) static SIGNUP: Command = Command {
    verb: "signup",
    aliases: &["register"],
    scope: Scope::Server,
    places: &[Place::Userid, Place::NewPassword],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "signup userid password [address...]",
    summary: "makes you an account",
    help: "Makes an account. A userid has 2 to 20 letters, digits, - or _, and begins with a letter; a password \
           has at least 6 characters, and its case matters. Choose one that you use nowhere else: it is \
           written in mails.\n\n\
           The account has the address that you write from, or those that you name. To each goes one mail, to \
           be answered with the word confirm; then come the welcome and the games.",
    examples: &["signup alice secret1", "signup alice secret1 alice@example.org"],
    run,
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let (userid, password) = (&line.fixed[0], &line.fixed[1]);
    check_password(password)?;
    let addresses = own(context, line)?;
    check_userid(userid)?;
    addresses::check_is_secret(context, &userid.text, password, addresses.iter())?;
    if let Some(player) = context.store.player(&userid.text)? {
        return again(context, line, &player);
    }
    for address in &addresses {
        addresses::check_may_be_asked(context, address, password)?;
    }
    let mut changes = Vec::new();
    if context.settings.confirm {
        changes.push(addresses::count_asked(
            context,
            context.sender.key(),
            addresses.len(),
        )?);
    }
    let password_hash = context.hash(userid, password)?;
    let player = NewPlayer {
        userid: userid.text.clone(),
        password_hash,
        created_at: context.now,
    };
    let letters = if context.settings.confirm {
        addresses::questions(&player.userid, &addresses, false)
    } else {
        addresses
            .iter()
            .map(|address| welcome_to(&player.userid, address))
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

/// The same signup once more: whoever knows the password comes back after a signoff, or is asked again if there is
/// a question open.
fn again(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Stop> {
    let taken = || {
        let sentence = format!("The userid {} is taken: choose another.", player.userid);
        Stop::from(Refused::impossible(sentence).about(&line.fixed[0]))
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
        Stop::Refused(refused) if refused.wrong_password_of.is_none() => Stop::Refused(refused),
        Stop::Refused(refused) => match taken() {
            Stop::Refused(mut told) => {
                told.wrong_password_of = refused.wrong_password_of;
                Stop::Refused(told)
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
            letters: vec![addresses::answer(player, done)],
            proven: Some(player.id),
        });
    }
    let mut asked = Vec::new();
    for address in open {
        if addresses::may_be_asked(context, &address)? {
            asked.push(address);
        }
    }
    Ok(Decision {
        letters: addresses::questions(&player.userid, &asked, false),
        ..Decision::default()
    })
}

fn welcome_to(userid: &str, address: &Address) -> Letter {
    let to = Addressee::Mailbox {
        userid: userid.to_owned(),
        address: address.clone(),
    };
    Letter {
        to,
        board: None,
        is_answer: true,
        is_urgent: false,
        unasked: None,
        is_watching: false,
        attachment: None,
        content: welcome(userid).into(),
    }
}

/// Those that are named, or the sender's own.
fn own(context: &Context<'_>, line: &Line) -> Result<Vec<Address>, Stop> {
    let named = addresses::named(context, &line.words)?;
    if !named.is_empty() {
        return Ok(named.into_iter().map(|(address, _)| address).collect());
    }
    let from = context.sender.from.as_ref().or(context.sender.envelope.as_ref());
    let Some(from) = from else {
        return Err(Refused::unreadable("Your mail bears no address: name one after the password.").into());
    };
    if from.is_delivered_to(&context.settings.address) {
        return Err(addresses::ours().into());
    }
    Ok(vec![from.clone()])
}

pub(super) fn check_userid(word: &Word) -> Result<(), Stop> {
    let text = &word.text;
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let well_formed = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && (2..=20).contains(&text.len())
        && text.chars().all(good);
    if !well_formed {
        let sentence = "A userid has 2 to 20 letters, digits, - or _, and begins with a letter.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    let is_word = matches!(find_verb(text, |_| true), Verb::One(command) if command.verb.eq_ignore_ascii_case(text)
        || command.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(text)));
    let is_erased = text.to_ascii_lowercase().starts_with("deleted-");
    if is_erased
        || games::find(text).is_some()
        || is_word
        || RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text))
    {
        let sentence = format!("{text} has a meaning of its own here: choose another userid.");
        return Err(Refused::impossible(sentence).about(word).into());
    }
    Ok(())
}

pub(super) fn check_password(word: &Word) -> Result<(), Stop> {
    let length = word.text.chars().count();
    if !(hidden::SHORTEST_PASSWORD..=100).contains(&length) || word.text.contains(['"', ':']) {
        let sentence = "A password has 6 to 100 characters, without blanks, quotes or colons.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    if Address::parse(&word.text).is_ok() {
        let sentence = "A mail address stands in the place of the password, and is none.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    Ok(())
}

/// What an answer to the one question does when the address was confirmed before.
pub(super) fn already(userid: &str) -> Done {
    Done {
        subject: format!("Welcome back, {userid}"),
        sentence: format!("This address is confirmed already, {userid}."),
        hint: "Try help, or help tutorial.".into(),
    }
}
