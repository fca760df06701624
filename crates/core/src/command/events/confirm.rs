//! The answer to a confirmation question.
//!
//! A blank mail is a yes if it has both the token and `In-Reply-To`: people send that, and no program does. A new mail `confirm`
//! confirms only where the sender is authenticated; elsewhere the question is asked again, since a forger of an address would
//! have mail sent there.

use chrono::TimeDelta;

use crate::command::accounts::addresses::{
    DAYS_TO_CONFIRM, count_asked, list, questions, questions_left, was_asked,
};
use crate::command::accounts::greetings::{already, welcome};
use crate::command::verbs::signup::SIGNUP;
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter, Undecided};
use crate::letters::{Content, Done, LetterKind, NotDone, Question, SubjectMark};
use crate::store::AddressRow;
use crate::table::Player;
use pbmserv_mail::Address;

/// The answer to a confirmation question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answered {
    /// The address is the player's.
    Yes,
    /// It is not.
    No,
    /// A person wrote something else.
    Unclear,
}

/// What an answer to the question about the address in this row does. If the row does not exist any more, the writer learns
/// why.
pub(crate) fn answered(
    context: &Context<'_>,
    address_row: i64,
    answered: Answered,
) -> Result<Decision, Undecided> {
    let Some(row) = context.store.address_by_id(address_row)? else {
        return Ok(too_late());
    };
    let Some(player) = context.store.player_by_id(row.player)? else {
        return Ok(too_late());
    };
    Ok(match (answered, row.confirmed_at) {
        (Answered::Yes, None) => confirm(context, &player, &row)?,
        (Answered::Yes | Answered::Unclear, Some(_)) => {
            to_address(&player, &row, already(&player.userid).into())
        }
        (Answered::No, Some(_)) => to_address(&player, &row, stays(&player, &row).into()),
        (Answered::No, None) => decline(context, &player, &row)?,
        (Answered::Unclear, None) => ask_again(context, &player, &row)?,
    })
}

/// An answer that goes to the address in question, not to the sender.
fn to_address(player: &Player, row: &AddressRow, content: Content) -> Decision {
    let to = Addressee::Mailbox {
        userid: player.userid.clone(),
        address: row.address.clone(),
    };
    Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter {
            to,
            ..Letter::answer(content)
        })
    }
}

fn confirm(context: &Context<'_>, player: &Player, row: &AddressRow) -> Result<Decision, Undecided> {
    let mut changes = vec![Change::ConfirmAddress(row.id)];
    let mut letters = Vec::new();
    let rows = context.store.addresses(player.id)?;
    let mut before = rows.iter().filter(|row| row.confirmed_at.is_some()).peekable();
    let is_first = before.peek().is_none();
    let content = if is_first {
        // Signup has asked the first address only, so that one mail has one person asked.
        let today = context.now - TimeDelta::days(1);
        let others = rows
            .iter()
            .filter(|other| other.id != row.id && !other.is_replaced);
        for address in others.map(|other| other.address.clone()) {
            if context
                .store
                .sent_since(&address, &[LetterKind::Question], today)?
                == 0
            {
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
        welcome(context, &player.userid, Some(player.id))?
    } else {
        let former: Vec<_> = before
            .filter(|row| row.is_replaced)
            .map(|row| row.address.clone())
            .collect();
        confirmed(&player.userid, &row.address, &former).into()
    };
    let mut decision = to_address(player, row, content);
    for letter in &mut decision.letters {
        letter.is_invitation = is_first;
    }
    decision.changes = changes;
    decision.letters.extend(letters);
    Ok(decision)
}

/// Takes an address that is not confirmed off its account; the account goes too, unless it has another address that is
/// confirmed or asked about, or has sat at a board. That of a director stays: its userid has rights.
fn decline(context: &Context<'_>, player: &Player, row: &AddressRow) -> Result<Decision, Undecided> {
    let mut stays = context.settings.is_director(player) || context.store.is_established(player.id)?;
    for other in context.store.addresses(player.id)? {
        stays |= other.id != row.id && was_asked(context.store, &other.address)?;
    }
    let (userid, address) = (&player.userid, &row.address);
    let (change, sentence, hint) = if stays {
        let sentence =
            format!("{address} was taken off the account {userid}: no more mail comes here because of it.");
        (Change::RemoveAddress(row.id), sentence, String::new())
    } else {
        (
            Change::Delete(player.id),
            format!("The account {userid} was removed: no more mail comes to {address} because of it."),
            "If this was a mistake, sign up again.".to_owned(),
        )
    };
    let done = Done {
        subject: subject_of_question(userid, address),
        sentence,
        hint,
    };
    Ok(Decision {
        changes: vec![change],
        letters: vec![Letter {
            to: Addressee::Former(address.clone()),
            ..Letter::answer(done.into())
        }],
        proven: Some(player.id),
    })
}

/// Asks again, as an answer that says neither yes nor no. These questions count among those that an address may get in a
/// day, so that a program which marks its mails in no way does not answer for ever; the last one says that it is.
fn ask_again(context: &Context<'_>, player: &Player, row: &AddressRow) -> Result<Decision, Undecided> {
    let left = questions_left(context, &row.address)?;
    let mut rows = context.store.addresses(player.id)?.into_iter();
    let question = Question {
        userid: player.userid.clone(),
        address: row.address.to_string(),
        is_added: rows.any(|row| row.confirmed_at.is_some()),
        days: DAYS_TO_CONFIRM,
        is_repeated: true,
        is_last: left == 1,
    };
    let mut decision = to_address(player, row, question.into());
    if left == 0 {
        decision.letters.clear();
    }
    Ok(decision)
}

/// The answer to a `confirm` that answers no question, from an address that was asked several. It goes to that address.
pub(crate) fn several_open(context: &Context<'_>, address_row: i64) -> Result<Decision, InternalError> {
    let Some(row) = context.store.address_by_id(address_row)? else {
        return Ok(Decision::default());
    };
    let Some(player) = context.store.player_by_id(row.player)? else {
        return Ok(Decision::default());
    };
    let done = Done {
        subject: SubjectMark::NotDone.before("confirm"),
        sentence: format!(
            "Nothing was confirmed: {} was asked more than one question. Answer each of these mails, and write confirm \
             on the first line.",
            row.address
        ),
        hint: String::new(),
    };
    Ok(Decision {
        proven: None,
        ..to_address(&player, &row, Content::from(done).marked(SubjectMark::NotDone))
    })
}

/// The subject of the question about an address, so that the answer belongs to the same thread.
fn subject_of_question(userid: &str, address: &Address) -> String {
    format!("Is {address} your address, {userid}?")
}

/// The answer to a `no` about an address that is confirmed already. Anyone who has an old question must not be able to
/// take an address off an account.
fn stays(player: &Player, row: &AddressRow) -> Done {
    let (userid, address) = (&player.userid, &row.address);
    Done {
        subject: subject_of_question(userid, address),
        sentence: format!("Nothing was changed: {address} was confirmed before as an address of {userid}."),
        hint: format!(
            "To take it off the account, or to end the account, write as the subject of a mail:\n\n  \
             remove {address}\n  delete\n\nIf the account is not yours, \
             forgot {userid} mails you a token with which you can set its password."
        ),
    }
}

/// The answer to a question whose address is not in the database any more.
fn too_late() -> Decision {
    let sentence = format!(
        "There is nothing to confirm any more: the address was taken off the account, or nobody confirmed the account within \
         {DAYS_TO_CONFIRM} days and it was removed."
    );
    let letter = NotDone {
        subject: SubjectMark::NotDone.before("confirm"),
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
