//! `add` and `remove`: the addresses of an account; and what all commands that name addresses share.

use chrono::TimeDelta;

use crate::letters::{Done, Question};
use crate::mail::Address;
use crate::store::Counted;
use crate::table::Player;

use super::{
    Addressee, Change, Command, Context, Decision, Fault, Letter, Line, Place, Refused, Rest, Scope, Stop,
    Word, hidden,
};

pub(super) static ADD: Command = Command {
    verb: "add",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Userid, Place::Password],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "add userid password address...",
    summary: "gives your account more addresses",
    help: "Gives an account more addresses, up to five in all. To each new one goes one mail, to be answered with \
           the word confirm; only then does it count. Your mails may come from any of your addresses, and what \
           is sent to you goes to all of them.",
    examples: &["add alice secret1 alice@example.net"],
    run: |context, line| {
        let player = context.prove(line)?;
        add(context, line, &player).map_err(|stop| stop.proven_by(player.id))
    },
};

pub(super) static REMOVE: Command = Command {
    verb: "remove",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Userid, Place::Password],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "remove userid password address...",
    summary: "takes addresses from your account",
    help: "Takes addresses from an account, but never the last confirmed one: add another before, or write \
           change address. The addresses that remain are told.",
    examples: &["remove alice secret1 alice@example.net"],
    run: |context, line| {
        let player = context.prove(line)?;
        remove(context, line, &player).map_err(|stop| stop.proven_by(player.id))
    },
};

/// The most addresses that an account may have.
const MOST_ADDRESSES: usize = 5;

fn add(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Stop> {
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
            let sentence = format!("That is an address of {} already.", player.userid);
            return Err(Refused::impossible(sentence).about(word).into());
        }
        if context.settings.confirm {
            check_may_be_asked(context, address, word)?;
        }
        if row.is_none() {
            new.push(address.clone());
        }
    }
    let lasting = rows.iter().filter(|row| !row.is_replaced).count();
    if lasting + new.len() > MOST_ADDRESSES {
        let sentence = format!(
            "An account has at most {MOST_ADDRESSES} addresses, and {} has {lasting}.",
            player.userid
        );
        return Err(Refused::impossible(sentence).into());
    }
    let named: Vec<Address> = named.into_iter().map(|(address, _)| address).collect();
    let confirmed_at = (!context.settings.confirm).then_some(context.now);
    let change = |address| Change::AddAddress {
        player: player.id,
        address,
        confirmed_at,
    };
    let mut letters = vec![answer(player, addition(context, player, &named))];
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

fn remove(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Stop> {
    let named = at_least_one(context, &line.words)?;
    let rows = context.store.addresses(player.id)?;
    let mut going = Vec::new();
    for (address, word) in &named {
        let Some(row) = rows.iter().find(|row| row.address.key() == address.key()) else {
            let sentence = format!("That is no address of {}.", player.userid);
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
        let sentence = format!(
            "{} would have no confirmed address left: add another one before.",
            player.userid
        );
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
        letters: vec![answer(player, done)],
        proven: Some(player.id),
    })
}

/// An answer to all addresses that a player has once the changes are made.
pub(super) fn answer(player: &Player, done: Done) -> Letter {
    Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(done.into())
    }
}

/// The addresses that stand in these words, each once.
///
/// # Errors
/// A word is none, or it is the server's, or there are too many.
pub(super) fn named<'a>(context: &Context<'_>, words: &'a [Word]) -> Result<Vec<(Address, &'a Word)>, Stop> {
    let mut named: Vec<(Address, &Word)> = Vec::new();
    for word in words {
        let Ok(address) = Address::parse(&word.text) else {
            let sentence = "After the password only mail addresses may stand, and this is none.";
            return Err(Refused::unreadable(sentence).pointing_at(word).into());
        };
        if named.iter().all(|(other, _)| other.key() != address.key()) {
            named.push((address, word));
        }
    }
    if named
        .iter()
        .any(|(address, _)| address.is_delivered_to(&context.settings.address))
    {
        return Err(ours().into());
    }
    if named.len() > MOST_ADDRESSES {
        let sentence = format!("An account has at most {MOST_ADDRESSES} addresses.");
        return Err(Refused::impossible(sentence).into());
    }
    Ok(named)
}

/// The same, where one must be named.
pub(super) fn at_least_one<'a>(
    context: &Context<'_>,
    words: &'a [Word],
) -> Result<Vec<(Address, &'a Word)>, Stop> {
    let named = named(context, words)?;
    if named.is_empty() {
        return Err(Refused::unreadable("An address is missing after the password.").into());
    }
    Ok(named)
}

/// The refusal of our own address.
pub(super) fn ours() -> Refused {
    Refused::impossible("That is the address of this server, not of a player.")
}

/// A password that stands in the userid or in an address would be shown with them.
///
/// # Errors
/// It does.
pub(super) fn check_is_secret<'a>(
    context: &'a Context<'_>,
    userid: &str,
    password: &Word,
    addresses: impl Iterator<Item = &'a Address>,
) -> Result<(), Stop> {
    let holds_it = |text: &str| hidden::contains(text, &password.text);
    let senders = [&context.sender.from, &context.sender.envelope];
    let mut all = senders.into_iter().flatten().chain(addresses);
    if holds_it(userid) || all.any(|address| holds_it(address.as_str())) {
        let sentence =
            "The password is a part of your userid or address: choose one that nobody can read there.";
        return Err(Refused::impossible(sentence).pointing_at(password).into());
    }
    Ok(())
}

/// Whether one more question may go to an address today.
///
/// # Errors
/// The database's.
pub(super) fn may_be_asked(context: &Context<'_>, address: &Address) -> Result<bool, Fault> {
    let since = context.now - TimeDelta::days(1);
    Ok(context.store.sent_since(address, &["question"], since)? < context.settings.questions_a_day)
}

/// The same, as a refusal that points at a word.
///
/// # Errors
/// It has been asked often enough.
pub(super) fn check_may_be_asked(context: &Context<'_>, address: &Address, at: &Word) -> Result<(), Stop> {
    if may_be_asked(context, address)? {
        return Ok(());
    }
    let sentence = format!("{address} has been asked often enough today: try again tomorrow.");
    Err(Refused::impossible(sentence).pointing_at(at).into())
}

/// Counts so many questions or tokens that this sender or account asks for, as a change.
///
/// # Errors
/// It has asked for enough today.
pub(super) fn count_asked(context: &Context<'_>, by: String, more: usize) -> Result<Change, Stop> {
    let more = u32::try_from(more).unwrap_or(u32::MAX);
    let before = context.store.tally(Counted::Asked, &by, context.now)?;
    if before.saturating_add(more) > context.settings.asks_a_day {
        let sentence = "You have had enough mails about accounts sent to others today: try again tomorrow.";
        return Err(Refused::impossible(sentence).into());
    }
    Ok(Change::Count {
        what: Counted::Asked,
        key: by,
        more,
    })
}

/// The key under which an account asks.
pub(super) fn asked_by(player: &Player) -> String {
    format!("player {}", player.id.0)
}

/// The one question for each address: of a new account, or of one that is there.
pub(super) fn questions(userid: &str, addresses: &[Address], is_added: bool) -> Vec<Letter> {
    let question = |address: &Address| Letter {
        to: Addressee::Mailbox {
            userid: userid.to_owned(),
            address: address.clone(),
        },
        board: None,
        is_answer: false,
        is_urgent: false,
        unasked: None,
        is_watching: false,
        attachment: None,
        content: Question {
            userid: userid.to_owned(),
            address: address.to_string(),
            is_added,
        }
        .into(),
    };
    addresses.iter().map(question).collect()
}

/// Addresses in a sentence.
pub(super) fn list(addresses: &[Address]) -> String {
    match addresses {
        [] => String::new(),
        [one] => one.to_string(),
        [many @ .., last] => {
            let many: Vec<_> = many.iter().map(Address::as_str).collect();
            format!("{} and {last}", many.join(", "))
        }
    }
}
