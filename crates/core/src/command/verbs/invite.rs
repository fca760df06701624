//! `invite`: asks somebody without an account, by one mail, whether they want to play.
//!
//! It is the one letter to a stranger that a player causes, so it is bounded on every side: who may, how many, whom, and what it says.
//! Nobody learns by it whether an address has an account, has said no, or was asked before.

use chrono::TimeDelta;
use pbmserv_games::{Display, Game};

use crate::command::accounts::joining::{can_be_asked, free_name};
use crate::command::playing::beginning::{TERMS, options, start, terms};
use crate::command::playing::proposals::is_open;
use crate::command::wording::board::legal_turn;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, INVITED_FOR, InternalError, Letter, Line,
    Reason, Refused, Run, Scope, Trailing, Undecided, WithoutPassword, Word,
};
use crate::letters::{Done, FriendInvited, Proposed};
use crate::store::{AddressRow, InvitedTo, PROPOSED_FOR};
use crate::table::{Player, Preferences};
use pbmserv_mail::Address;

/// Nobody invites an address again for so long.
const AGAIN_AFTER: TimeDelta = TimeDelta::days(182);

/// Who has not finished a game has played at least this many turns.
pub const TURNS_BEFORE: i64 = 10;

const MAX_A_DAY: u32 = 3;
const MAX_A_MONTH: u32 = 10;

pub(crate) static INVITE: Command = Command {
    verb: "invite",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    takes_game_options: true,
    options: &TERMS,
    syntax: "GAME invite userid password address [-options] [--options]",
    summary: "invites a friend by mail to a game",
    help: "Invites somebody who may have no account: they get one mail, with the rules, the board and your address. An answer with \
           a turn, a yes or a name makes their account, and the game begins; they move first. A no is the last that they hear \
           of us. Nobody is invited more than once in half a year, whoever asks.\n\n\
           You can invite three people a day and ten a month, as soon as you have finished a game or played ten turns. The \
           first time you are asked whether they may see your address.\n\n\
           If the address is a player's, that player is asked whether the game may begin. You learn nothing of the address \
           before the game begins.",
    examples: &["GAME invite alice fig7elk bob@example.org"],
    without_password: WithoutPassword::Known,
    fits_without_password: |words| matches!(words, [address] if address.contains('@')),
    run: Run::Player(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let (address, word) = address(line)?;
    let options = options(game, line)?;
    terms(&line.server_options)?;
    let position = start(game, &options, line)?;
    let Some(shown) = may_invite(context, player)? else {
        return Err(Refused::impossible("None of your addresses takes mail now.").into());
    };
    if !can_be_asked(context, &address)? {
        return Err(
            Refused::impossible("No mail can be sent to that address from here.")
                .about(word)
                .into(),
        );
    }
    let chosen = line.game_options.iter().chain(&line.server_options);
    let chosen: Vec<_> = chosen.map(|word| word.text.as_str()).collect();
    let invited = InvitedTo {
        by: player.id,
        game,
        options: chosen.join(" "),
    };
    let text = [game.facts.name, "invite", address.as_str(), &invited.options].join(" ");
    let text = text.trim_end().to_owned();
    let mut changes = Vec::new();
    let preferences = context.store.preferences(player.id)?;
    if !preferences.shows_address {
        let asked = context.store.proposed_at(player.id, &text)?;
        if !asked.is_some_and(|at| is_open(at, context.now)) {
            return consent(context, player, (&address, &shown), text);
        }
        changes.push(Change::Preferences {
            player: player.id,
            preferences: Preferences {
                shows_address: true,
                ..preferences
            },
        });
        changes.push(Change::EndProposal {
            player: player.id,
            line: text,
        });
    }
    let drawn = position.draw(Display::Small);
    let turn = legal_turn(position.as_ref()).unwrap_or_default();
    let mut letters = asked(
        context,
        player,
        &address,
        &invited,
        (&shown, drawn, turn),
        &mut changes,
    )?;
    let done = Done {
        subject: format!("{} invite {}", game.facts.name, player.userid),
        sentence: format!(
            "{address} gets your invitation to a game of {}, unless it wants none or had one in the last half year.",
            game.facts.title
        ),
        hint: format!(
            "You hear of it when the game begins. The answer counts for {} days.",
            INVITED_FOR.num_days()
        ),
    };
    letters.push(Letter::answer_to(player, done));
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// The one address of the line.
fn address(line: &Line) -> Result<(Address, &Word), Undecided> {
    let [word] = line.words.as_slice() else {
        let sentence = "One mail invites one address: write it after invite.";
        return Err(Refused::unreadable(sentence).into());
    };
    match Address::parse(&word.text) {
        Ok(address) => Ok((address, word)),
        Err(_) => Err(Refused::unreadable("That is no mail address.").about(word).into()),
    }
}

/// The address that an invitation shows.
///
/// # Errors
/// The player is too new, or has invited enough.
fn may_invite(context: &Context<'_>, player: &Player) -> Result<Option<Address>, Undecided> {
    if !context.store.has_played(player.id, TURNS_BEFORE)? {
        let sentence =
            format!("Finish a game first, or play {TURNS_BEFORE} turns: then you can invite friends.");
        return Err(Refused::impossible(sentence).into());
    }
    let since = |days| {
        context
            .store
            .invited_since(player.id, context.now - TimeDelta::days(days))
    };
    if since(1)? >= MAX_A_DAY {
        let what = format!("You have invited {MAX_A_DAY} people today");
        return Err(Refused::impossible(Reason::EnoughToday(&what)).into());
    }
    if since(30)? >= MAX_A_MONTH {
        let sentence = format!("You have invited {MAX_A_MONTH} people this month: that is enough for now.");
        return Err(Refused::impossible(sentence).into());
    }
    let rows = context.store.addresses(player.id)?;
    Ok(rows
        .into_iter()
        .find(AddressRow::is_reachable)
        .map(|row| row.address))
}

/// Asks whether the invited may see the address of the player, once.
fn consent(
    context: &Context<'_>,
    player: &Player,
    (address, shown): (&Address, &Address),
    line: String,
) -> Result<Decision, Undecided> {
    let question = Proposed {
        userid: player.userid.clone(),
        opponent: address.to_string(),
        line: line.clone(),
        until: context.times(Some(player.id))?.said(context.now + PROPOSED_FOR),
        is_invitation: true,
        shows: shown.to_string(),
    };
    Ok(Decision {
        changes: vec![Change::Propose {
            player: player.id,
            opponent: player.id,
            line,
        }],
        letters: vec![Letter {
            to: Addressee::Player(player.id),
            ..Letter::answer(question.into())
        }],
        proven: Some(player.id),
    })
}

/// The letter to the owner of the address, if they are to get one.
fn asked(
    context: &Context<'_>,
    player: &Player,
    address: &Address,
    invited: &InvitedTo,
    (shown, board, turn): (&Address, String, String),
    changes: &mut Vec<Change>,
) -> Result<Vec<Letter>, Undecided> {
    let hashes = context.tokens.hashes(address);
    let mut is_uninvited = false;
    for hash in &hashes {
        is_uninvited |= context.store.is_uninvited(hash, context.now)?;
    }
    // It counts, so that nobody can ask which addresses get none.
    let userid = free_name(context, None, address)?;
    changes.push(Change::AskForName {
        address: address.clone(),
        userid: userid.clone(),
        invited: Some(invited.clone()),
    });
    if is_uninvited {
        return Ok(Vec::new());
    }
    changes.extend(hashes.into_iter().next().map(|hash| Change::Uninvite {
        hash,
        until: Some(context.now + AGAIN_AFTER),
    }));
    let rows = context.store.address_rows(address)?;
    if let Some(row) = rows.iter().find(|row| row.confirmed_at.is_some()) {
        let other = context.store.player_by_id(row.player)?;
        return Ok(match other {
            Some(other) => challenged(context, player, &other, invited, changes)?,
            None => Vec::new(),
        });
    }
    let facts = invited.game.facts;
    let letter = FriendInvited {
        by: player.userid.clone(),
        address: shown.to_string(),
        title: facts.title.to_owned(),
        goal: facts.summary.to_owned(),
        notation: facts.notation.to_owned(),
        options: invited.options.clone(),
        userid,
        board,
        turn,
        until: context.times(None)?.said(context.now + INVITED_FOR),
    };
    Ok(vec![Letter {
        to: Addressee::Newcomer(address.clone()),
        is_answer: false,
        ..Letter::answer(letter.into())
    }])
}

/// A player is asked as for any game that somebody else begins; nothing comes to whom it does not please.
fn challenged(
    context: &Context<'_>,
    player: &Player,
    other: &Player,
    invited: &InvitedTo,
    changes: &mut Vec<Change>,
) -> Result<Vec<Letter>, InternalError> {
    let store = context.store;
    let is_unwelcome = other.id == player.id
        || other.away_since.is_some()
        || other.disabled_at.is_some()
        || store.has_blocked(other.id, player.id)?
        || store.has_blocked(player.id, other.id)?
        || !store.taking(other.id, invited.game)?.is_open;
    if is_unwelcome {
        return Ok(Vec::new());
    }
    let line = challenge(invited.game, &other.userid, &player.userid, &invited.options);
    changes.push(Change::Propose {
        player: other.id,
        opponent: player.id,
        line: line.clone(),
    });
    let question = Proposed {
        userid: other.userid.clone(),
        opponent: player.userid.clone(),
        line,
        until: context.times(Some(other.id))?.said(context.now + PROPOSED_FOR),
        is_invitation: true,
        shows: String::new(),
    };
    Ok(vec![Letter::news(other.id, question.into())])
}

/// The challenge that begins the game: the invited moves first.
pub(crate) fn challenge(game: &Game, invited: &str, by: &str, options: &str) -> String {
    let line = format!("{} challenge {invited} {by} {options}", game.facts.name);
    line.trim_end().to_owned()
}
