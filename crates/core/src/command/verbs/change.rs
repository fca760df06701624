//! `change`: sets another password, or replaces the addresses.

use crate::command::accounts::addresses::{
    asked_by, at_least_one, check_can_be_written_to, check_is_secret, check_may_be_asked, count_asked, list,
    questions,
};
use crate::command::accounts::credentials::new_password;
use crate::command::{
    Argument, Change, Command, Context, Decision, Form, Letter, Line, Refused, Run, Trailing, Undecided, Word,
};
use crate::letters::Done;
use crate::table::Player;
use pbmserv_mail::Address;

pub(crate) static CHANGE: Command = Command {
    verb: "change",
    trailing: Trailing::OneOf(&[PASSWORD, ADDRESS]),
    syntax: "change password userid old new, or change address userid password address...",
    summary: "changes your password, or all of your addresses",
    help: "change password gives your account a new password. Write the old one first, then the new one.\n\n\
           change address replaces all addresses of your account. Each new address gets a mail that asks for a \
           confirmation. The old addresses stay until one of the new ones is confirmed.\n\n\
           After either of them you cannot answer the mails that you got before. Write a whole command, or \
           answer a newer mail.",
    examples: &[
        "change password alice fig7elk oak4jay",
        "change address alice fig7elk alice@example.net",
    ],
    run: Run::Player(
        |context, line, player| match line.word_in(Argument::NewPassword) {
            Some(new) => password(context, line, player, new),
            None => address(context, line, player),
        },
    ),
    ..Command::USUAL
};

const PASSWORD: Form = Form {
    word: "password",
    arguments: &[Argument::Userid, Argument::Password, Argument::NewPassword],
    trailing: Trailing::Nothing,
};

const ADDRESS: Form = Form {
    word: "address",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
};

fn password(context: &Context<'_>, line: &Line, player: &Player, new: &Word) -> Result<Decision, Undecided> {
    if line.password().is_some_and(|(_, old)| old.text == new.text) {
        return Err(Refused::impossible("The new password is the old one.")
            .pointing_at(new)
            .into());
    }
    let userid = line.word_in(Argument::Userid).unwrap_or(new);
    new_password(context, player, userid, new, format!("change {}", player.userid))
}

fn address(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let named = at_least_one(context, &line.words)?;
    if let Some((_, password)) = line.password() {
        let addresses = named.iter().map(|(address, _)| address);
        check_is_secret(context, &player.userid, password, addresses)?;
    }
    let rows = context.store.addresses(player.id)?;
    let is_confirmed = |address: &Address| {
        let mut confirmed = rows.iter().filter(|row| row.confirmed_at.is_some());
        !context.settings.confirm || confirmed.any(|row| row.address.key() == address.key())
    };
    let mut asked = Vec::new();
    for (address, word) in &named {
        if !is_confirmed(address) {
            check_can_be_written_to(context, address, word)?;
            check_may_be_asked(context, address, word)?;
            asked.push(address.clone());
        }
    }
    let mut changes = Vec::new();
    if !asked.is_empty() {
        changes.push(count_asked(context, asked_by(player), asked.len())?);
    }
    let named: Vec<Address> = named.into_iter().map(|(address, _)| address).collect();
    let mut letters = vec![Letter::answer_to(player, replacement(player, &named, &asked))];
    letters.extend(questions(&player.userid, &asked, true));
    changes.push(Change::ReplaceAddresses {
        player: player.id,
        addresses: named,
        confirmed_at: (!context.settings.confirm).then_some(context.now),
    });
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// The answer, which goes to the addresses that the account has after the change.
fn replacement(player: &Player, named: &[Address], asked: &[Address]) -> Done {
    let userid = &player.userid;
    let (sentence, hint) = if asked.len() == named.len() {
        let new = match named {
            [_] => "its question is answered with the word confirm",
            _ => "one of their questions is answered with the word confirm",
        };
        (
            format!(
                "{userid} will have {} in the place of the addresses before.",
                list(named)
            ),
            format!("Nothing changes until {new}; then the addresses before go."),
        )
    } else {
        let now: Vec<_> = named
            .iter()
            .filter(|address| !asked.contains(address))
            .cloned()
            .collect();
        let hint = match asked {
            [] => String::new(),
            _ => format!("{} will count once confirmed.", list(asked)),
        };
        (
            format!(
                "{userid} has {} in the place of all addresses before.",
                list(&now)
            ),
            hint,
        )
    };
    Done {
        subject: format!("change {userid}"),
        sentence,
        hint,
    }
}
