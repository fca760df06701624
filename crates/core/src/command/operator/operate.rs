//! What the operator does to accounts, as decisions: the players concerned get a letter with the reason.

use crate::command::accounts::addresses::questions;
use crate::command::accounts::credentials::check_userid;
use crate::command::accounts::greetings::welcome;
pub use crate::command::accounts::guessable::why_guessable;
pub use crate::command::accounts::official::sounds_official;
use crate::command::playing::leaving::{Leaving, leave};
use crate::command::{
    Addressee, COMMANDS, Change, Context, Decision, Letter, Reason, Refused, Undecided, Word,
};
use crate::letters::{Announcement, Done};
use crate::store::NewPlayer;
use crate::table::{Player, PlayerId};
use pbmserv_mail::Address;

/// An argument of the command line as a word of a line.
pub(crate) fn word(text: &str) -> Word {
    Word {
        at: 0..text.len(),
        text: text.to_owned(),
    }
}

/// The player with this userid.
pub(crate) fn player(context: &Context<'_>, userid: &str) -> Result<Player, Undecided> {
    let found = context.store.player(userid)?;
    found.ok_or_else(|| Refused::impossible(format!("There is no player called {userid}.")).into())
}

/// The same, but no computer: those are set in the configuration.
pub(crate) fn person(context: &Context<'_>, userid: &str) -> Result<Player, Undecided> {
    let player = player(context, userid)?;
    if player.id.is_computer() {
        let sentence = format!("{userid} is a computer: see [bots] in the configuration.");
        return Err(Refused::impossible(sentence).into());
    }
    Ok(player)
}

/// Whether this can be a userid.
pub fn is_userid(userid: &str) -> bool {
    check_userid(&COMMANDS, &word(userid)).is_ok()
}

/// A letter to one player, with the operator's reason.
pub(crate) fn news(player: PlayerId, subject: String, sentence: String, why: &str) -> Letter {
    let hint = match why {
        "" => String::new(),
        why => format!("The operator says: {why}"),
    };
    let done = Done {
        subject,
        sentence,
        hint,
    };
    Letter::news(player, done.into())
}

/// Creates an account. Its address gets a confirmation question, unless the operator has confirmed it.
pub fn add(
    context: &Context<'_>,
    userid: &str,
    address: &str,
    password_hash: String,
    is_confirmed: bool,
) -> Result<Decision, Undecided> {
    check_userid(&COMMANDS, &word(userid))?;
    let address = readable(context, address)?;
    if context.store.player(userid)?.is_some() {
        return Err(Refused::impossible(Reason::UseridTaken(userid)).into());
    }
    let letters = if is_confirmed {
        let to = Addressee::Mailbox {
            userid: userid.to_owned(),
            address: address.clone(),
        };
        vec![Letter {
            to,
            is_answer: false,
            is_invitation: true,
            ..Letter::answer(welcome(context, userid, None)?)
        }]
    } else {
        questions(userid, std::slice::from_ref(&address), false)
    };
    let player = NewPlayer {
        userid: userid.to_owned(),
        password_hash,
        created_at: context.now,
    };
    let changes = vec![Change::Signup {
        player,
        addresses: vec![address],
        confirmed_at: is_confirmed.then_some(context.now),
    }];
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

fn readable(context: &Context<'_>, address: &str) -> Result<Address, Undecided> {
    let no_address = |_| Undecided::from(Refused::impossible(format!("{address} is no mail address.")));
    let address = Address::parse(address).map_err(no_address)?;
    if context.settings.own.has(&address) {
        return Err(Refused::impossible("That is the address of this server.").into());
    }
    Ok(address)
}

/// Sets another password.
pub fn password(
    context: &Context<'_>,
    userid: &str,
    password_hash: String,
    why: &str,
) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    let sentence = format!(
        "The operator has given {} another password; write forgot {} to choose one yourself.",
        player.userid, player.userid
    );
    let letter = news(
        player.id,
        format!("change password {}", player.userid),
        sentence,
        why,
    );
    Ok(Decision {
        changes: vec![Change::Password {
            player: player.id,
            password_hash,
        }],
        letters: vec![letter],
        proven: None,
    })
}

/// Changes a userid, on all boards.
pub fn rename(context: &Context<'_>, from: &str, to: &str, why: &str) -> Result<Decision, Undecided> {
    let player = person(context, from)?;
    check_userid(&COMMANDS, &word(to))?;
    if let Some(other) = context.store.player(to)?
        && other.id != player.id
    {
        return Err(Refused::impossible(Reason::UseridTaken(to)).into());
    }
    let sentence = format!(
        "The userid of {} is {to} from now on, on all boards.",
        player.userid
    );
    Ok(Decision {
        changes: vec![Change::Rename {
            player: player.id,
            userid: to.to_owned(),
        }],
        letters: vec![news(player.id, format!("userid {to}"), sentence, why)],
        proven: None,
    })
}

/// Closes an account: it can do nothing and is not challenged. Its boards continue until they are ended or reseated.
pub fn disable(context: &Context<'_>, userid: &str, why: &str) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    if player.disabled_at.is_some() {
        return Err(
            Refused::impossible(format!("The account of {} is closed already.", player.userid)).into(),
        );
    }
    let sentence = format!("The account of {} is closed by the operator.", player.userid);
    Ok(Decision {
        changes: vec![Change::Disable {
            player: player.id,
            since: Some(context.now),
        }],
        letters: vec![news(
            player.id,
            format!("account {}", player.userid),
            sentence,
            why,
        )],
        proven: None,
    })
}

/// Opens an account again.
pub fn enable(context: &Context<'_>, userid: &str, why: &str) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    if player.disabled_at.is_none() {
        return Err(Refused::impossible(format!("The account of {} is open.", player.userid)).into());
    }
    let sentence = format!("The account of {} is open again.", player.userid);
    Ok(Decision {
        changes: vec![Change::Disable {
            player: player.id,
            since: None,
        }],
        letters: vec![news(
            player.id,
            format!("account {}", player.userid),
            sentence,
            why,
        )],
        proven: None,
    })
}

/// Erases an account as `delete` does.
pub fn erase(context: &Context<'_>, userid: &str, why: &str) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    let mut leave = leave(context, &player, Leaving::Erases)?;
    leave.changes.push(Change::Delete(player.id));
    for row in context.store.addresses(player.id)? {
        if row.confirmed_at.is_none() {
            continue;
        }
        let sentence = format!(
            "The account of {} is erased by the operator: {}.",
            player.userid, leave.summary
        );
        let letter = news(player.id, format!("delete {}", player.userid), sentence, why);
        leave.letters.push(Letter {
            to: Addressee::Former(row.address),
            ..letter
        });
    }
    Ok(Decision {
        changes: leave.changes,
        letters: leave.letters,
        proven: None,
    })
}

/// Adds an address. It gets a confirmation question, unless the operator has confirmed it.
pub fn add_address(
    context: &Context<'_>,
    userid: &str,
    address: &str,
    is_confirmed: bool,
) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    let address = readable(context, address)?;
    let rows = context.store.addresses(player.id)?;
    if rows.iter().any(|row| row.address.key() == address.key()) {
        let sentence = format!("{address} is an address of {} already.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let letters = if is_confirmed {
        let sentence = format!("{} has one address more: {address}.", player.userid);
        vec![news(player.id, format!("add {}", player.userid), sentence, "")]
    } else {
        questions(&player.userid, std::slice::from_ref(&address), true)
    };
    Ok(Decision {
        changes: vec![Change::AddAddress {
            player: player.id,
            address,
            confirmed_at: is_confirmed.then_some(context.now),
        }],
        letters,
        proven: None,
    })
}

pub fn remove_address(context: &Context<'_>, userid: &str, address: &str) -> Result<Decision, Undecided> {
    let player = person(context, userid)?;
    let rows = context.store.addresses(player.id)?;
    let wanted = Address::parse(address).ok();
    let row = rows
        .iter()
        .find(|row| Some(row.address.key()) == wanted.as_ref().map(Address::key));
    let Some(row) = row else {
        let sentence = format!("{address} is no address of {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    };
    if rows.iter().filter(|row| row.confirmed_at.is_some()).count() == 1 && row.confirmed_at.is_some() {
        let sentence = format!(
            "{address} is the last confirmed address of {}: add another first.",
            player.userid
        );
        return Err(Refused::impossible(sentence).into());
    }
    let sentence = format!("{} has one address fewer: {}.", player.userid, row.address);
    Ok(Decision {
        changes: vec![Change::RemoveAddress(row.id)],
        letters: vec![news(player.id, format!("remove {}", player.userid), sentence, "")],
        proven: None,
    })
}

/// Sends a text to all players who have not signed off.
pub fn announce(context: &Context<'_>, text: &str) -> Result<Decision, Undecided> {
    if text.trim().is_empty() {
        return Err(Refused::impossible("There is no text to announce.").into());
    }
    let readers = context.store.reachable_players()?;
    let letter = |reader: &Player| {
        let content = Announcement {
            text: text.trim().to_owned(),
            reader: reader.userid.clone(),
        };
        Letter::news(reader.id, content.into())
    };
    Ok(Decision {
        letters: readers.iter().map(letter).collect(),
        ..Decision::default()
    })
}
