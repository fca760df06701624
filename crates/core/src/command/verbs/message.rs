//! `message` and `broadcast`: texts for other players, without a board.

use chrono::TimeDelta;

use crate::command::reading::places::is_formed_as_a_userid;
use crate::command::verbs::chat::too_many;
use crate::command::{
    Argument, Command, Context, Decision, Letter, Line, Reason, Refused, Run, Trailing, Undecided,
    WithoutPassword, Word,
};
use crate::letters::{Done, LetterKind, Message, SubjectMark};
use crate::store::RateLimit;
use crate::table::{Player, Unasked};

pub(crate) static MESSAGE: Command = Command {
    verb: "message",
    arguments: &[Argument::Userid, Argument::Password, Argument::Userid],
    trailing: Trailing::Words,
    syntax: "message userid password to...",
    summary: "sends the text of the mail to other players",
    help: "Sends the text of the mail to other players, at most ten at a time. Nobody sees the address of \
           anybody else.",
    examples: &["message alice fig7elk bob"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| {
        (1..=MAX_READERS).contains(&words.len()) && words.iter().all(|word| is_formed_as_a_userid(word))
    },
    not_done: SubjectMark::MessageNotSent,
    run: Run::Player(message),
    ..Command::USUAL
};

pub(crate) static BROADCAST: Command = Command {
    verb: "broadcast",
    arguments: &[Argument::Userid, Argument::Password],
    syntax: "broadcast userid password",
    summary: "sends the text of the mail to all players (directors)",
    help: "Sends the text of the mail to all players who have a confirmed address and have not switched this \
           off (set userid password broadcasts off). Only the directors of the server can do this.",
    examples: &["broadcast alice fig7elk"],
    run: Run::Player(|context, _, player| broadcast(context, player)),
    ..Command::USUAL
};

/// The most recipients of one message.
const MAX_READERS: usize = 10;

/// The most messages to one address in a day.
const MAX_A_DAY: u32 = 50;

fn message(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    // The first reader stands in its place after the password.
    let named: Vec<&Word> = line.fixed.iter().skip(2).chain(&line.words).collect();
    if let Some(surplus) = named.get(MAX_READERS) {
        let sentence = format!("A message goes to at most {MAX_READERS} players.");
        return Err(Refused::impossible(sentence).about(surplus).into());
    }
    let text = text(context)?;
    if !context.is_confirmed(player)? {
        let sentence = format!("{} has to confirm an address first.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let mut readers: Vec<Player> = Vec::new();
    let mut changes = Vec::new();
    for word in named {
        let reader = reader(context, player, word)?;
        if readers.iter().all(|other| other.id != reader.id) {
            let most = context.settings.messages_a_day;
            let too_many = || too_many(player, &reader.userid);
            changes.push(context.count(RateLimit::Said, player.id.0, reader.id, most, too_many)?);
            readers.push(reader);
        }
    }
    let names: Vec<_> = readers.iter().map(|reader| reader.userid.as_str()).collect();
    let to = match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [many @ .., last] => format!("{} and {last}", many.join(", ")),
    };
    Ok(Decision {
        changes,
        ..sent(player, &readers, Unasked::MessagesOf(player.id), &to, &text)
    })
}

/// The recipient, if this player may write to them.
fn reader(context: &Context<'_>, player: &Player, word: &Word) -> Result<Player, Undecided> {
    let reader = context.player(word)?;
    let refuse = |why: &str| {
        let sentence = format!("{} {why}.", reader.userid);
        Undecided::from(Refused::impossible(sentence).about(word))
    };
    let about = |reason: Reason<'_>| Undecided::from(Refused::impossible(reason).about(word));
    if reader.id.is_computer() {
        return Err(refuse("is a computer and reads no words"));
    }
    if reader.away_since.is_some() {
        return Err(refuse("has signed off and gets no messages"));
    }
    if reader.disabled_at.is_some() {
        return Err(refuse("has an account that is closed, and gets no messages"));
    }
    if !context.is_confirmed(&reader)? {
        return Err(refuse("has not confirmed an address yet and gets no messages"));
    }
    if context.store.has_blocked(reader.id, player.id)? {
        return Err(about(Reason::NotHeard {
            reader: &reader.userid,
            writer: &player.userid,
        }));
    }
    let since = context.now - TimeDelta::days(1);
    if !context.is_reachable(reader.id)? {
        return Err(refuse("gets no messages: mail to that player fails"));
    }
    for row in context.store.addresses(reader.id)? {
        if context
            .store
            .sent_since(&row.address, &[LetterKind::Message], since)?
            >= MAX_A_DAY
        {
            let what = format!("{} has had too many messages today", reader.userid);
            return Err(about(Reason::EnoughToday(&what)));
        }
    }
    Ok(reader)
}

fn broadcast(context: &Context<'_>, player: &Player) -> Result<Decision, Undecided> {
    if !context.settings.is_director(player) {
        let sentence = "Only the directors of this server may write to all players.";
        return Err(Refused::impossible(sentence).into());
    }
    let text = text(context)?;
    let mut readers = Vec::new();
    for reader in context.store.reachable_players()? {
        let is_wanted = context.store.preferences(reader.id)?.broadcasts
            && !context.store.has_blocked(reader.id, player.id)?;
        if reader.id != player.id && is_wanted {
            readers.push(reader);
        }
    }
    Ok(sent(player, &readers, Unasked::Broadcasts, "all players", &text))
}

/// The text of the mail, which must not be empty.
fn text(context: &Context<'_>) -> Result<String, Undecided> {
    let missing = || Refused::impossible(Reason::NothingToSend).into();
    context.clean_comment().ok_or_else(missing)
}

fn sent(player: &Player, readers: &[Player], unasked: Unasked, to: &str, text: &str) -> Decision {
    let letter = |reader: &Player| {
        let content = Message {
            by: player.userid.clone(),
            to: to.to_owned(),
            text: text.to_owned(),
        };
        Letter {
            unasked: Some(unasked),
            ..Letter::news(reader.id, content.into())
        }
    };
    let verb = match unasked {
        Unasked::Broadcasts => BROADCAST.verb,
        _ => MESSAGE.verb,
    };
    let mut letters: Vec<_> = readers.iter().map(letter).collect();
    let done = Done {
        subject: format!("{verb} {}", player.userid),
        sentence: format!("Your message has gone to {to}."),
        hint: String::new(),
    };
    letters.push(Letter::answer_to(player, done));
    Decision {
        letters,
        proven: Some(player.id),
        ..Decision::default()
    }
}
