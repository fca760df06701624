//! Mail to the postmaster, who is a person (RFC 5321, section 4.5.1): the directors get it.
//!
//! It is never read as a command. Its passwords are masked, and five from one source and fifty in all come through in a day.

use crate::command::{Change, Context, Decision, InternalError, Letter};
use crate::letters::Postmaster;
use crate::store::RateLimit;
use pbmserv_mail::{Address, cut, without_secrets};

/// The most mails to the postmaster from one source in a day.
const MAX_FROM_ONE: u32 = 5;

/// The most mails to the postmaster in a day.
const MAX_IN_ALL: u32 = 50;

/// The longest text that is passed on, in characters.
const MAX_TEXT_CHARS: usize = 8000;

/// Passes a mail on to the directors. Of a line that is a command with a password only the first words are shown: a player
/// may have chosen the wrong address.
///
/// The inner error says why it is not passed on.
pub(crate) fn postmaster(
    context: &Context<'_>,
    subject: &str,
) -> Result<Result<Decision, &'static str>, InternalError> {
    let source = context.sender.source();
    let mut changes = Vec::new();
    for (key, most) in [(source.as_str(), MAX_FROM_ONE), ("all", MAX_IN_ALL)] {
        if context.store.tally(RateLimit::Postmaster, key, context.now)? >= most {
            return Ok(Err("too many mails to the postmaster in a day"));
        }
        changes.push(Change::Count {
            what: RateLimit::Postmaster,
            key: key.to_owned(),
            more: 1,
        });
    }
    let address =
        |address: Option<&Address>| address.map_or_else(|| "nobody".to_owned(), Address::with_scripts);
    let text = cut::chars(context.comment, MAX_TEXT_CHARS);
    let masked = |text: &str| {
        let text = context.commands.without_passwords(text);
        without_secrets(&text, &context.settings.own)
    };
    let content = Postmaster {
        from: address(context.sender.from.as_ref()),
        envelope_sender: address(context.sender.envelope.as_ref()),
        original_subject: masked(subject),
        text: masked(text),
    };
    let mut letters = Vec::new();
    for userid in &context.settings.directors {
        if let Some(director) = context.store.player(userid)?
            && context.is_reachable(director.id)?
        {
            letters.push(Letter::news(director.id, content.clone().into()));
        }
    }
    if letters.is_empty() {
        return Ok(Err(
            "mail to the postmaster, and no director has a confirmed address",
        ));
    }
    Ok(Ok(Decision {
        changes,
        letters,
        proven: None,
    }))
}
