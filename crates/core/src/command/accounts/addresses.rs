//! Helpers for commands that take addresses: their limits and their confirmation questions.

use chrono::{DateTime, TimeDelta};

use crate::command::reading::hidden;
use crate::command::{
    Addressee, Change, Context, InternalError, Letter, Reason, Refused, Topic, Undecided, Word,
};
use crate::letters::{LetterKind, Question};
use crate::store::{RateLimit, Reader};
use crate::table::Player;
use pbmserv_mail::Address;

/// The most addresses that an account may have.
pub(crate) const MAX_ADDRESSES: usize = 5;

/// A new account is removed after this many days if none of its addresses was confirmed.
pub(crate) const DAYS_TO_CONFIRM: i64 = 7;

/// Parses the words as addresses, without duplicates.
///
/// # Errors
/// A word is not an address, or is the server's own, or there are too many.
pub(crate) fn named<'a>(
    context: &Context<'_>,
    words: &'a [Word],
) -> Result<Vec<(Address, &'a Word)>, Undecided> {
    let mut named: Vec<(Address, &Word)> = Vec::new();
    for word in words {
        let Ok(address) = Address::parse(&word.text) else {
            let sentence = match word.text.is_ascii() || !word.text.contains('@') {
                true => "Only mail addresses can follow the password, and this is none.",
                false => {
                    "Only mail addresses can follow the password, and this is none: in an address each word is of one script, \
                     and no character is invisible."
                }
            };
            return Err(Refused::unreadable(sentence).pointing_at(word).into());
        };
        if named.iter().all(|(other, _)| other.key() != address.key()) {
            named.push((address, word));
        }
    }
    if named.iter().any(|(address, _)| context.settings.own.has(address)) {
        return Err(ours().into());
    }
    if named.len() > MAX_ADDRESSES {
        let sentence = format!("An account has at most {MAX_ADDRESSES} addresses.");
        return Err(Refused::impossible(sentence).into());
    }
    Ok(named)
}

/// Checks that the way out takes an address: otherwise no question would ever reach it.
pub(crate) fn check_can_be_written_to(
    context: &Context<'_>,
    address: &Address,
    at: &Word,
) -> Result<(), Undecided> {
    if context.settings.reach.may_take(address) {
        return Ok(());
    }
    let sentence =
        format!("This server cannot write to {address}: its relay takes no address outside US-ASCII.");
    Err(Refused::impossible(sentence).pointing_at(at).into())
}

/// As [`named`], where at least one address is required.
pub(crate) fn at_least_one<'a>(
    context: &Context<'_>,
    words: &'a [Word],
) -> Result<Vec<(Address, &'a Word)>, Undecided> {
    let named = named(context, words)?;
    if named.is_empty() {
        return Err(Refused::unreadable("An address is missing after the password.").into());
    }
    Ok(named)
}

/// The refusal of the server's own address.
pub(crate) fn ours() -> Refused {
    Refused::impossible("That is the address of this server, not of a player.")
}

/// Checks that the password is not part of the userid or of an address: mails would show it with them.
pub(crate) fn check_is_secret<'a>(
    context: &'a Context<'_>,
    userid: &str,
    password: &Word,
    addresses: impl Iterator<Item = &'a Address>,
) -> Result<(), Undecided> {
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

/// Whether one more confirmation question may be mailed to an address today.
pub(crate) fn may_be_asked(context: &Context<'_>, address: &Address) -> Result<bool, InternalError> {
    Ok(questions_left(context, address)? > 0)
}

/// Whether a confirmation question was ever mailed to an address, as far as mails are kept.
pub(crate) fn was_asked(store: &Reader, address: &Address) -> Result<bool, InternalError> {
    Ok(store.sent_since(address, &[LetterKind::Question], DateTime::UNIX_EPOCH)? > 0)
}

/// How many more questions may be mailed to an address today.
pub(crate) fn questions_left(context: &Context<'_>, address: &Address) -> Result<u32, InternalError> {
    let since = context.now - TimeDelta::days(1);
    let asked = context
        .store
        .sent_since(address, &[LetterKind::Question], since)?;
    Ok(context.settings.questions_a_day.saturating_sub(asked))
}

/// As [`may_be_asked`], with a refusal that points at a word.
pub(crate) fn check_may_be_asked(
    context: &Context<'_>,
    address: &Address,
    at: &Word,
) -> Result<(), Undecided> {
    if may_be_asked(context, address)? {
        return Ok(());
    }
    let what = format!("{address} has been asked often enough today");
    let refused = Refused::impossible(Reason::EnoughToday(&what));
    Err(refused.pointing_at(at).into())
}

/// The change that counts questions and tokens caused by this sender or account.
///
/// # Errors
/// The daily limit is reached.
pub(crate) fn count_asked(context: &Context<'_>, by: String, more: usize) -> Result<Change, Undecided> {
    let more = u32::try_from(more).unwrap_or(u32::MAX);
    let before = context.store.tally(RateLimit::Asked, &by, context.now)?;
    if before.saturating_add(more) > context.settings.asks_a_day {
        let reason = Reason::EnoughToday("You have had enough mails sent to others today");
        return Err(Refused::impossible(reason).into());
    }
    Ok(Change::Count {
        what: RateLimit::Asked,
        key: by,
        more,
    })
}

/// As [`count_asked`], of a message that need not prove its writer: it may have one such mail written, so that nobody
/// can have many people written to by one mail.
///
/// # Errors
/// The message has had one written, or the daily limit is reached.
pub(crate) fn count_asked_unproven(context: &Context<'_>) -> Result<Change, Undecided> {
    if context.has_asked {
        let sentence =
            "Somebody else was written to already because of this mail: send another mail for this.";
        return Err(Refused::impossible(sentence).into());
    }
    count_asked(context, context.sender.source(), 1)
}

/// The key under which [`count_asked`] counts an account.
pub(crate) fn asked_by(player: &Player) -> String {
    format!("player {}", player.id.0)
}

/// The confirmation question for each address. `is_added` is false for a new account.
pub(crate) fn questions(userid: &str, addresses: &[Address], is_added: bool) -> Vec<Letter> {
    let question = |address: &Address| Letter {
        to: Addressee::Mailbox {
            userid: userid.to_owned(),
            address: address.clone(),
        },
        board: None,
        topic: Topic::Board,
        weight: None,
        earlier: Vec::new(),
        is_answer: false,
        is_urgent: false,
        awaits: None,
        unasked: None,
        is_watching: false,
        is_invitation: false,
        attachment: None,
        content: Question {
            userid: userid.to_owned(),
            address: address.to_string(),
            is_added,
            days: DAYS_TO_CONFIRM,
            is_repeated: false,
            is_last: false,
        }
        .into(),
    };
    addresses.iter().map(question).collect()
}

/// The addresses as part of a sentence.
pub(crate) fn list(addresses: &[Address]) -> String {
    match addresses {
        [] => String::new(),
        [one] => one.to_string(),
        [many @ .., last] => {
            let many: Vec<_> = many.iter().map(Address::to_string).collect();
            format!("{} and {last}", many.join(", "))
        }
    }
}
