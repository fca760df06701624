//! Checks a new userid or password.

use crate::command::accounts::addresses::check_is_secret;
use crate::command::accounts::guessable::why_guessable;
use crate::command::accounts::official::sounds_official;
use crate::command::reading::hidden;
use crate::command::reading::hidden::{PLACEHOLDERS, RESERVED};
use crate::command::reading::places::is_formed_as_a_userid;
use crate::command::{Change, Commands, Context, Decision, Letter, Refused, Undecided, VerbMatch, Word};
use crate::letters::Done;
use crate::table::{Player, is_erased};
use pbmserv_mail::Address;

pub(crate) fn check_userid(commands: &Commands, word: &Word) -> Result<(), Undecided> {
    let text = &word.text;
    if !is_formed_as_a_userid(text) {
        let sentence = "A userid has 2 to 20 letters, digits, - or _, and begins with a letter.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    let is_word = matches!(commands.find_verb(text, |_| true), VerbMatch::One(command) if command.verb.eq_ignore_ascii_case(text)
        || command.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(text)));
    if is_erased(text)
        || pbmserv_games::find(text).is_some()
        || is_word
        || RESERVED
            .iter()
            .chain(&PLACEHOLDERS)
            .any(|word| word.eq_ignore_ascii_case(text))
    {
        let sentence = format!("{text} has a meaning of its own here: choose another.");
        return Err(Refused::impossible(sentence).about(word).into());
    }
    Ok(())
}

pub(crate) fn check_password(word: &Word) -> Result<(), Undecided> {
    if !hidden::may_be_a_password(&word.text) {
        let sentence = "A password has 6 to 100 characters, without blanks, quotes or colons.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    if Address::parse(&word.text).is_ok() {
        let sentence = "A mail address stands in the place of the password, and is none.";
        return Err(Refused::unreadable(sentence).pointing_at(word).into());
    }
    Ok(())
}

/// Whether a new account may have this userid. An older one keeps its own.
pub(crate) fn check_name(context: &Context<'_>, userid: &Word) -> Result<(), Undecided> {
    check_userid(context.commands, userid)?;
    let settings = context.settings;
    if sounds_official(&userid.text, &settings.server_name, &settings.directors) {
        let text = &userid.text;
        let sentence = format!("{text} would be taken for somebody who runs this server: choose another.");
        return Err(Refused::impossible(sentence).about(userid).into());
    }
    Ok(())
}

pub(crate) fn check_is_hard_to_guess(userid: &str, password: &Word) -> Result<(), Undecided> {
    match why_guessable(userid, &password.text) {
        Some(sentence) => Err(Refused::impossible(sentence).pointing_at(password).into()),
        None => Ok(()),
    }
}

/// Sets another password and reports it to all addresses of the player.
///
/// # Errors
/// The password is invalid, could be read in a mail, is easily guessed, or has no hash yet.
pub(crate) fn new_password(
    context: &Context<'_>,
    player: &Player,
    userid: &Word,
    new: &Word,
    subject: String,
) -> Result<Decision, Undecided> {
    check_password(new)?;
    let rows = context.store.addresses(player.id)?;
    let addresses = rows.iter().map(|row| &row.address);
    check_is_secret(context, &player.userid, new, addresses)?;
    check_is_hard_to_guess(&player.userid, new)?;
    let password_hash = context.hash(userid, new)?;
    let done = Done {
        subject,
        sentence: "You have a new password.".to_owned(),
        hint: format!(
            "If it was not you who changed it, write forgot {} and choose another one.",
            player.userid
        ),
    };
    Ok(Decision {
        changes: vec![Change::Password {
            player: player.id,
            password_hash,
        }],
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    })
}
