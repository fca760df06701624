//! `add` and `remove`: the addresses of an account.

use crate::command::accounts::addresses::{
    MAX_ADDRESSES, asked_by, at_least_one, check_can_be_written_to, check_is_secret, check_may_be_asked,
    count_asked, list, questions,
};
use crate::command::{
    Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Trailing, Undecided,
    WithoutPassword,
};
use crate::letters::Done;
use crate::table::Player;
use pbmserv_mail::Address;

pub(crate) static ADD: Command = Command {
    verb: "add",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "add userid password address...",
    summary: "gives your account more addresses",
    help: "Gives your account more addresses, up to five in all. Each new address gets one mail. Answer it with \
           the word confirm, and the address counts from then on. You can write from any of your addresses, and \
           mails for you go to all of them.",
    examples: &["add alice fig7elk alice@example.net"],
    without_password: WithoutPassword::Asked,
    fits_without_password: |words| !words.is_empty() && words.iter().all(|word| word.contains('@')),
    run: Run::Player(add),
    ..Command::USUAL
};

pub(crate) static REMOVE: Command = Command {
    verb: "remove",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "remove userid password address...",
    summary: "takes addresses from your account",
    help: "Removes addresses from your account. The last confirmed address cannot be removed: add another one \
           first, or use change address. The addresses that stay get a mail about it.",
    examples: &["remove alice fig7elk alice@example.net"],
    without_password: WithoutPassword::Asked,
    fits_without_password: |words| !words.is_empty() && words.iter().all(|word| word.contains('@')),
    run: Run::Player(remove),
    ..Command::USUAL
};

fn add(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let named = at_least_one(context, &line.words)?;
    if let Some((_, password)) = line.password() {
        check_is_secret(
            context,
            &player.userid,
            password,
            named.iter().map(|(address, _)| address),
        )?;
    }
    let rows = context.store.addresses(player.id)?;
    let mut new = Vec::new();
    for (address, word) in &named {
        let row = rows.iter().find(|row| row.address.key() == address.key());
        if row.is_some_and(|row| row.confirmed_at.is_some() && !row.is_replaced) {
            let sentence = "That is an address of yours already.";
            return Err(Refused::impossible(sentence).about(word).into());
        }
        check_can_be_written_to(context, address, word)?;
        if context.settings.confirm {
            check_may_be_asked(context, address, word)?;
        }
        if row.is_none() {
            new.push(address.clone());
        }
    }
    let lasting = rows.iter().filter(|row| !row.is_replaced).count();
    if lasting + new.len() > MAX_ADDRESSES {
        let sentence = format!("An account has at most {MAX_ADDRESSES} addresses, and yours has {lasting}.");
        return Err(Refused::impossible(sentence).into());
    }
    let named: Vec<Address> = named.into_iter().map(|(address, _)| address).collect();
    let confirmed_at = (!context.settings.confirm).then_some(context.now);
    let change = |address| Change::AddAddress {
        player: player.id,
        address,
        confirmed_at,
    };
    let mut letters = vec![Letter::answer_to(player, addition(context, player, &named))];
    let mut changes: Vec<Change> = new.into_iter().map(change).collect();
    if context.settings.confirm {
        changes.push(count_asked(context, asked_by(player), named.len())?);
        letters.extend(questions(&player.userid, &named, true));
    }
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

fn addition(context: &Context<'_>, player: &Player, named: &[Address]) -> Done {
    let (userid, addresses) = (&player.userid, list(named));
    let (sentence, hint) = match (context.settings.confirm, named.len()) {
        (false, 1) => (format!("{userid} has one address more: {addresses}."), ""),
        (false, _) => (format!("{userid} has more addresses: {addresses}."), ""),
        (true, 1) => (
            format!("{addresses} has been asked whether it belongs to {userid}."),
            "It counts as soon as the word confirm comes in answer.",
        ),
        (true, _) => (
            format!("{addresses} have been asked whether they belong to {userid}."),
            "Each counts as soon as the word confirm comes in answer.",
        ),
    };
    Done {
        subject: format!("add {userid}"),
        sentence,
        hint: hint.to_owned(),
    }
}

fn remove(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let named = at_least_one(context, &line.words)?;
    let rows = context.store.addresses(player.id)?;
    let mut going = Vec::new();
    for (address, word) in &named {
        let Some(row) = rows.iter().find(|row| row.address.key() == address.key()) else {
            let sentence = "That is no address of yours.";
            return Err(Refused::impossible(sentence).about(word).into());
        };
        going.push(row);
    }
    let remains = |needs_confirmed: bool| {
        rows.iter().any(|row| {
            going.iter().all(|gone| gone.id != row.id) && (!needs_confirmed || row.confirmed_at.is_some())
        })
    };
    if !remains(rows.iter().any(|row| row.confirmed_at.is_some())) {
        let sentence = "You would have no confirmed address left: add another one before.";
        return Err(Refused::impossible(sentence).into());
    }
    let gone: Vec<Address> = going.iter().map(|row| row.address.clone()).collect();
    let (addresses, userid) = (list(&gone), &player.userid);
    let sentence = match gone.as_slice() {
        [_] => format!("{addresses} is no address of {userid} any more."),
        _ => format!("{addresses} are no addresses of {userid} any more."),
    };
    let done = Done {
        subject: format!("remove {userid}"),
        sentence,
        hint: String::new(),
    };
    Ok(Decision {
        changes: going.iter().map(|row| Change::RemoveAddress(row.id)).collect(),
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    })
}
