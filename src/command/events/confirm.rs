//! The answer to a confirmation question.

use chrono::TimeDelta;

use crate::command::accounts::addresses::{DAYS_TO_CONFIRM, count_asked, list, questions};
use crate::command::accounts::greetings::{already, welcome};
use crate::command::verbs::signup::SIGNUP;
use crate::command::{Addressee, Change, Context, Decision, Letter, Undecided};
use crate::letters::{Done, NotDone};
use crate::mail::Address;

/// Confirms the address in this row: the word `confirm` came in answer to our question. If the row does not exist any more,
/// the writer learns why.
pub(crate) fn confirm(context: &Context<'_>, address_row: i64) -> Result<Decision, Undecided> {
    let Some(row) = context.store.address_by_id(address_row)? else {
        return Ok(too_late());
    };
    let Some(player) = context.store.player_by_id(row.player)? else {
        return Ok(too_late());
    };
    let to = Addressee::Mailbox {
        userid: player.userid.clone(),
        address: row.address.clone(),
    };
    let letter = |content| Letter {
        to,
        ..Letter::answer(content)
    };
    let proven = Some(player.id);
    if row.confirmed_at.is_some() {
        let letters = vec![letter(already(&player.userid).into())];
        return Ok(Decision {
            letters,
            proven,
            ..Decision::default()
        });
    }
    let mut changes = vec![Change::ConfirmAddress(row.id)];
    let mut letters = Vec::new();
    let rows = context.store.addresses(player.id)?;
    let mut before = rows.iter().filter(|row| row.confirmed_at.is_some()).peekable();
    let content = if before.peek().is_none() {
        // Signup has asked the first address only, so that one mail has one person asked.
        let today = context.now - TimeDelta::days(1);
        let others = rows
            .iter()
            .filter(|other| other.id != row.id && !other.is_replaced);
        for address in others.map(|other| other.address.clone()) {
            if context.store.sent_since(&address, &["question"], today)? == 0 {
                letters.extend(questions(&player.userid, &[address], false));
            }
        }
        if !letters.is_empty() {
            let by = context.sender.source();
            match count_asked(context, by, letters.len()) {
                Ok(count) => changes.push(count),
                Err(Undecided::Refused(_)) => letters.clear(),
                Err(other) => return Err(other),
            }
        }
        welcome(&player.userid).into()
    } else {
        let former: Vec<_> = before
            .filter(|row| row.is_replaced)
            .map(|row| row.address.clone())
            .collect();
        confirmed(&player.userid, &row.address, &former).into()
    };
    letters.insert(0, letter(content));
    Ok(Decision {
        changes,
        letters,
        proven,
    })
}

/// The answer to a question whose address is not in the database any more.
fn too_late() -> Decision {
    let sentence = format!(
        "There is nothing to confirm any more: the address was taken off the account, or nobody confirmed the account within \
         {DAYS_TO_CONFIRM} days and it was removed."
    );
    let letter = NotDone {
        subject: "Not done: confirm".into(),
        sentence,
        syntax: format!("  {}", SIGNUP.syntax),
        ..NotDone::default()
    };
    Decision {
        letters: vec![Letter::answer(letter.into())],
        ..Decision::default()
    }
}

/// The letter about an address that an existing account has confirmed, and about the addresses that it replaces.
fn confirmed(userid: &str, address: &Address, former: &[Address]) -> Done {
    let hint = match former {
        [] => String::new(),
        [one] => format!("{one} is no address of {userid} any more."),
        several => format!("{} are no addresses of {userid} any more.", list(several)),
    };
    Done {
        subject: format!("add {userid}"),
        sentence: format!("{address} is now an address of {userid}."),
        hint,
    }
}
