//! Joining without a command: somebody who writes without an account, or names an address on a page, is asked by mail for a name.
//!
//! The letter's token is the proof of the address, so the answer makes the account, without a password. A name that is given on a
//! page is only proposed: the reader of the mailbox takes it.

use chrono::TimeDelta;
use pbmserv_games::GAMES;

use crate::command::accounts::addresses::count_asked_unproven;
use crate::command::accounts::credentials::check_name;
use crate::command::accounts::greetings::{already, welcome};
use crate::command::accounts::proposed_name::proposed_name;
use crate::command::{
    Addressee, Change, Context, Decision, INVITED_FOR, InternalError, Letter, Refused, Undecided, Word,
};
use crate::letters::{Button, Content, Done, Join as Question, Mail as _, NotDone, PageLink, SubjectMark};
use crate::store::{JOIN_DAYS, Join, NewPlayer, RateLimit};
use crate::table::{GuestGame, PlayerId};
use pbmserv_mail::Address;

/// How many letters of this kind a page may have sent to an address in a day.
const MAX_A_DAY: u32 = 3;

/// What an answer to the question says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameGiven {
    /// The name that the letter proposes.
    Proposed,
    Other(String),
    No,
    Unclear,
    /// It has no token, so it proves nothing.
    WithoutToken,
}

/// Asks the sender of a message that holds no command under which name they want to play. `None`: the sender has an account, is not
/// believed, or was asked this month. `wanted`: a name that the message gives.
pub(crate) fn ask_sender(context: &Context<'_>, wanted: Option<&str>) -> Result<Option<Decision>, Undecided> {
    let Some(from) = context.sender.believed() else {
        return Ok(None);
    };
    let month = context.now - TimeDelta::days(JOIN_DAYS);
    if !context.proven.is_empty()
        || !can_be_asked(context, from)?
        || context.store.is_confirmed(from)?
        || context.store.joins_since(from, month)? > 0
    {
        return Ok(None);
    }
    let count = match count_asked_unproven(context) {
        Ok(count) => count,
        Err(Undecided::Refused(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let userid = free_name(context, wanted, from)?;
    let letter = question(from, &userid, String::new());
    Ok(Some(Decision {
        changes: vec![
            count,
            Change::AskForName {
                address: from.clone(),
                userid,
                invited: None,
            },
        ],
        ..Decision::answer(letter)
    }))
}

/// The answer to another mail without a command, from somebody whose question is open. It asks no second time: the first letter has the
/// token. `None`: the sender is not such a one.
pub(crate) fn still_asked(context: &Context<'_>) -> Result<Option<Decision>, Undecided> {
    let Some(from) = context.sender.believed() else {
        return Ok(None);
    };
    let newest = context.store.newest_join(from)?;
    let join = newest.map(|row| context.store.join(row)).transpose()?.flatten();
    let month = context.now - TimeDelta::days(JOIN_DAYS);
    let is_open = join.is_some_and(|join| join.player.is_none() && join.asked_at > month);
    if !is_open || !context.proven.is_empty() || context.store.is_confirmed(from)? {
        return Ok(None);
    }
    let choices = [
        ("help tutorial", "Read how a first game goes"),
        ("list", "See the games"),
        ("help", "See what you can write"),
    ];
    let letter = NotDone {
        subject: "Help: what you can do now".to_owned(),
        sentence: "Welcome! One answer is missing: an earlier letter from here asks under which name you want to play. Answer that \
                   letter with a name, or with yes, and your games begin. Until then you can look around:"
            .to_owned(),
        choices: choices
            .map(|(word, label)| Button {
                label: label.to_owned(),
                word: word.to_owned(),
            })
            .into(),
        ..NotDone::default()
    };
    Ok(Some(Decision::answer(Letter::answer(letter.into()))))
}

/// What an answer to the question in this row does.
pub(crate) fn named(context: &Context<'_>, row: i64, given: &NameGiven) -> Result<Decision, Undecided> {
    let Some(join) = context.store.join(row)? else {
        return Ok(too_late());
    };
    if let (Some(player), Some(game)) = (join.player, context.store.kept_game(row)?) {
        return answer_to_keep(context, &join, player, &game, given);
    }
    if let Some(player) = join.player {
        return Ok(match context.store.player_by_id(player)? {
            Some(player) => {
                Decision::answer(to(&join.address, &player.userid, already(&player.userid).into()))
            }
            None => too_late(),
        });
    }
    if join.invited.is_some() && context.now > join.asked_at + INVITED_FOR {
        return Ok(too_late());
    }
    let name = match given {
        NameGiven::Proposed => join.userid.as_str(),
        NameGiven::Other(name) => name,
        NameGiven::No => return Ok(declined(context, &join)),
        NameGiven::Unclear => {
            let reason = match join.invited {
                Some(_) => {
                    "Your answer does not begin with a turn, a yes or a name, so nothing was done yet."
                }
                None => "I did not find a name in your answer, so nothing was done yet.",
            };
            return again(context, &join, reason.to_owned());
        }
        NameGiven::WithoutToken => {
            let reason =
                "Your answer came without the address that it has to go to, so nothing was done yet.";
            return again(context, &join, reason.to_owned());
        }
    };
    match join_as(context, &join, name) {
        Err(Undecided::Refused(refused)) => again(context, &join, refused.sentence()),
        other => other,
    }
}

/// What an answer to the question in this row does that its page has given.
///
/// # Errors
/// The name cannot be had, or the question is open no more.
pub(crate) fn join_on_page(
    context: &Context<'_>,
    row: i64,
    given: &NameGiven,
) -> Result<Decision, Undecided> {
    let Some(join) = context.store.join(row)? else {
        return Err(Refused::impossible("This link has ended: write a mail, and you get another.").into());
    };
    match given {
        _ if join.player.is_some() => Ok(Decision::default()),
        NameGiven::Other(name) => join_as(context, &join, name),
        _ => join_as(context, &join, &join.userid),
    }
}

/// What an answer of a player does to whom a game is kept; a yes begins its board in the next step.
fn answer_to_keep(
    context: &Context<'_>,
    join: &Join,
    player: PlayerId,
    game: &GuestGame,
    given: &NameGiven,
) -> Result<Decision, Undecided> {
    let Some(player) = context.store.account(player)? else {
        return Ok(too_late());
    };
    Ok(match given {
        NameGiven::Proposed => Decision::default(),
        NameGiven::No => {
            let done = Done {
                subject: format!("Your game of {} ends here", game.game.facts.title),
                sentence: format!("The game is not kept, {}.", player.userid),
                hint: String::new(),
            };
            Decision {
                changes: vec![Change::KeptGameBegins(join.id)],
                ..Decision::answer(to(&join.address, &player.userid, done.into()))
            }
        }
        _ if has_too_many_questions(context, &join.address)? => Decision::default(),
        _ => {
            let reason = "I did not find a yes in your answer, so nothing was done yet.".to_owned();
            Decision::answer(question_to_keep(&join.address, &player.userid, game, reason))
        }
    })
}

/// Asks by mail under which name the reader of this address wants to play; this one is proposed. Who has an account gets the link to
/// their page: nobody who fills the form in learns of that. A game that was begun on a page is kept with the question; a player is
/// asked whether to keep it.
///
/// # Errors
/// No account can have the name or the address, or too many were asked from there today.
pub(crate) fn ask_on_page(
    context: &Context<'_>,
    address: &Address,
    name: &str,
    game: Option<&GuestGame>,
) -> Result<Decision, Undecided> {
    if !name.is_empty() {
        check_is_free(context, name)?;
    }
    if !can_be_asked(context, address)? {
        return Err(Refused::impossible("No mail can be sent to that address from here.").into());
    }
    let mut changes = vec![count_asked_unproven(context)?];
    let rows = context.store.address_rows(address)?;
    let known: Vec<_> = rows.iter().filter(|row| row.confirmed_at.is_some()).collect();
    let mut letters = Vec::new();
    for row in &known {
        let too_many = || String::new();
        let count = context.count(RateLimit::Paged, row.player.0, row.player, MAX_A_DAY, too_many);
        if let (Ok(count), Some(player)) = (count, context.store.player_by_id(row.player)?) {
            changes.push(count);
            // The newest question of a mailbox has the game, so only one of its players can.
            match game.filter(|_| letters.is_empty()) {
                Some(game) => {
                    letters.push(question_to_keep(address, &player.userid, game, String::new()));
                    changes.push(Change::AskForName {
                        address: address.clone(),
                        userid: player.userid,
                        invited: None,
                    });
                    changes.push(Change::KeepGame {
                        address: address.clone(),
                        game: game.clone(),
                        player: Some(player.id),
                    });
                }
                None => letters.push(page_link(address, &player.userid)),
            }
        }
    }
    let today = context.now - TimeDelta::days(1);
    if known.is_empty() && context.store.joins_since(address, today)? < MAX_A_DAY {
        let userid = free_name(context, Some(name).filter(|name| !name.is_empty()), address)?;
        letters.push(question(address, &userid, game.map_or_else(String::new, kept)));
        changes.push(Change::AskForName {
            address: address.clone(),
            userid,
            invited: None,
        });
        changes.extend(game.map(|game| Change::KeepGame {
            address: address.clone(),
            game: game.clone(),
            player: None,
        }));
    }
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

/// What the question says of a game that was begun on a page.
fn kept(game: &GuestGame) -> String {
    let (title, other) = (game.game.facts.title, GuestGame::opponent().userid);
    format!("Your game of {title} against {other} is kept for you until you have joined.")
}

fn page_link(address: &Address, userid: &str) -> Letter {
    let link = PageLink {
        userid: userid.to_owned(),
        is_new: false,
    };
    Letter {
        is_answer: false,
        ..to(address, userid, link.into())
    }
}

/// Makes the account with this name.
///
/// # Errors
/// The name cannot be had.
fn join_as(context: &Context<'_>, join: &Join, name: &str) -> Result<Decision, Undecided> {
    check_is_free(context, name)?;
    let letter = to(&join.address, name, welcome(context, name, None)?);
    Ok(Decision {
        changes: vec![Change::Join {
            row: join.id,
            player: NewPlayer {
                userid: name.to_owned(),
                password_hash: String::new(),
                created_at: context.now,
            },
            address: join.address.clone(),
        }],
        ..Decision::answer(Letter {
            is_invitation: true,
            ..letter
        })
    })
}

fn check_is_free(context: &Context<'_>, name: &str) -> Result<(), Undecided> {
    check_name(
        context,
        &Word {
            text: name.to_owned(),
            at: 0..name.len(),
        },
    )?;
    match context.store.player(name)? {
        None => Ok(()),
        Some(player) => {
            let sentence = format!("The name {} is taken: choose another.", player.userid);
            Err(Refused::impossible(sentence).into())
        }
    }
}

/// This name if it can be had, else one that is proposed.
pub(crate) fn free_name(
    context: &Context<'_>,
    wanted: Option<&str>,
    address: &Address,
) -> Result<String, Undecided> {
    if let Some(name) = wanted {
        match check_is_free(context, name) {
            Ok(()) => return Ok(name.to_owned()),
            Err(Undecided::Refused(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(proposed_name(context, address)?)
}

/// Asks again, a few times a day: a program that answers by itself does not go on for ever.
fn again(context: &Context<'_>, join: &Join, reason: String) -> Result<Decision, Undecided> {
    if has_too_many_questions(context, &join.address)? {
        return Ok(Decision::default());
    }
    let userid = free_name(context, Some(&join.userid), &join.address)?;
    let change = (userid != join.userid).then(|| Change::ProposeName {
        row: join.id,
        userid: userid.clone(),
    });
    Ok(Decision {
        changes: change.into_iter().collect(),
        ..Decision::answer(question(&join.address, &userid, reason))
    })
}

fn has_too_many_questions(context: &Context<'_>, address: &Address) -> Result<bool, InternalError> {
    let today = context.now - TimeDelta::days(1);
    let asked = context.store.sent_since(address, &[Question::KIND], today)?;
    Ok(asked > context.settings.questions_a_day)
}

fn declined(context: &Context<'_>, join: &Join) -> Decision {
    let done = Done {
        subject: "No more mails".to_owned(),
        sentence: "You have no account here, and nobody can invite you any more.".to_owned(),
        hint: "If you want to play one day, write to this address.".to_owned(),
    };
    let changes = context.tokens.hashes(&join.address).into_iter().take(1);
    Decision {
        changes: changes
            .map(|hash| Change::Uninvite { hash, until: None })
            .collect(),
        ..Decision::answer(Letter {
            to: Addressee::Former(join.address.clone()),
            ..Letter::answer(done.into())
        })
    }
}

fn too_late() -> Decision {
    let letter = NotDone {
        subject: SubjectMark::NotDone.before("join"),
        sentence: "This question has ended: write a new mail, and you are asked again.".to_owned(),
        ..NotDone::default()
    };
    Decision::answer(Letter::answer(letter.into()))
}

/// Whether mail can go to an address that nobody has here yet.
pub(crate) fn can_be_asked(context: &Context<'_>, address: &Address) -> Result<bool, InternalError> {
    let settings = context.settings;
    Ok(!settings.own.has(address)
        && settings.reach.may_take(address)
        && context.store.complaint(address)?.is_none())
}

fn question(address: &Address, userid: &str, reason: String) -> Letter {
    let names: Vec<_> = GAMES.iter().map(|game| game.facts.title).collect();
    let question = Question {
        userid: userid.to_owned(),
        reason,
        days: JOIN_DAYS,
        games: names.join(", "),
        game: String::new(),
    };
    Letter {
        to: Addressee::Newcomer(address.clone()),
        ..Letter::answer(question.into())
    }
}

/// Asks a player whether to keep this game.
fn question_to_keep(address: &Address, userid: &str, game: &GuestGame, reason: String) -> Letter {
    let question = Question {
        userid: userid.to_owned(),
        reason,
        days: JOIN_DAYS,
        games: String::new(),
        game: game.game.facts.title.to_owned(),
    };
    to(address, userid, question.into())
}

fn to(address: &Address, userid: &str, content: Content) -> Letter {
    Letter {
        to: Addressee::Mailbox {
            userid: userid.to_owned(),
            address: address.clone(),
        },
        ..Letter::answer(content)
    }
}
