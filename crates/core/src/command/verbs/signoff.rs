//! `signoff` and `delete`: leaves the server until the next signup, or for ever.

use crate::command::playing::leaving::{Leaving, leave, running, would_resign};
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Refused, Run,
    Trailing, Undecided, WithoutPassword,
};
use crate::letters::{Button, Done, Listing, columns};
use crate::table::{Board, Player};

pub(crate) static SIGNOFF: Command = Command {
    verb: "signoff",
    arguments: &[Argument::Userid, Argument::Password],
    syntax: "signoff userid password",
    summary: "ends all your games, until you sign up again",
    help: "Ends all your games. If both players have moved, you resign; other boards are removed and do not \
           count. The other players are told. You no longer seek or watch any game. Nobody can challenge you or \
           write to you until you write signup with the same userid and password.",
    examples: &["signoff alice fig7elk"],
    without_password: WithoutPassword::Asked,
    fits_without_password: |words| words.is_empty(),
    run: Run::Player(signoff),
    ..Command::USUAL
};

pub(crate) static DELETE: Command = Command {
    verb: "delete",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "delete userid password [really]",
    summary: "erases your account for good",
    help: "Asks first: without the word really it changes nothing, and you get a mail that says what would be \
           erased. With really after the password, it ends all your games as signoff does, and erases the \
           userid, the addresses, the password and the settings. You cannot undo this. Finished games stay, \
           with a player who has no name. The operator keeps the records of the mails that were exchanged \
           before, and decides for how long.",
    examples: &["delete alice fig7elk", "delete alice fig7elk really"],
    without_password: WithoutPassword::Asked,
    fits_without_password: |words| matches!(words, [] | [REALLY]),
    run: Run::Player(delete),
    ..Command::USUAL
};

fn signoff(context: &Context<'_>, _: &Line, player: &Player) -> Result<Decision, Undecided> {
    if player.away_since.is_some() {
        let sentence = "You have signed off already.";
        return Err(Refused::impossible(sentence).into());
    }
    let mut leave = leave(context, player, Leaving::SignsOff)?;
    leave.changes.push(Change::Away {
        player: player.id,
        since: Some(context.now),
    });
    let done = Done {
        subject: format!("signoff {}", player.userid),
        sentence: format!("You have signed off: {}.", leave.summary),
        hint: match player.password_hash.is_empty() {
            true => format!(
                "To come back, write forgot {0}: you choose a password, and write signup {0} with it.",
                player.userid
            ),
            false => format!(
                "To come back, write signup {} and the same password.",
                player.userid
            ),
        },
    };
    leave.letters.push(Letter::answer_to(player, done));
    Ok(leave.decision(player))
}

/// The word that erases an account: `delete` without it only asks.
const REALLY: &str = "really";

/// The most boards that the question lists.
const MAX_NAMED: usize = 100;

fn delete(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    match line.words.as_slice() {
        [] => Ok(question(context, player)?),
        [word] if word.text.eq_ignore_ascii_case(REALLY) => erase(context, player),
        [word, ..] => {
            let sentence =
                format!("After the password only the word {REALLY} may stand: it erases the account.");
            Err(Refused::unreadable(sentence).about(word).into())
        }
    }
}

/// The question whether the account may be erased, with all that would go.
fn question(context: &Context<'_>, player: &Player) -> Result<Decision, InternalError> {
    let userid = &player.userid;
    let boards = running(context, player)?;
    let row = |board: &Board| {
        let other = board.players.iter().find(|other| other.id != player.id);
        let other = other.map_or("", |other| other.userid.as_str());
        let fate = match would_resign(board) {
            true => format!("would be lost to {other}"),
            false => format!("would be removed; {other} plays the other side"),
        };
        vec![format!("  {}", board.name()), fate]
    };
    let mut rows: Vec<_> = boards.iter().take(MAX_NAMED).map(row).collect();
    if boards.len() > MAX_NAMED {
        rows.push(vec![format!("  and {} more", boards.len() - MAX_NAMED)]);
    }
    let games = match boards.len() {
        0 => "No board of yours is running.",
        1 => "The board below would end.",
        _ => "The boards below would end.",
    };
    let listing = Listing {
        subject: format!("Is {userid} to be erased?"),
        sentence: format!(
            "Nothing is erased yet, {userid}: please confirm it. The userid {userid}, its addresses, its password and \
             its settings would be gone for good, and somebody else could take the userid. {games}"
        ),
        table: columns(&rows),
        hint: format!(
            "To erase the account, answer this mail with the words\n\n  {} {REALLY}\n\nTo keep it, do nothing. To stop \
             playing and come back some day, write signoff in the place of delete.",
            DELETE.verb
        ),
        action: Some(Button {
            label: "Erase my account".to_owned(),
            word: format!("{} {REALLY}", DELETE.verb),
        }),
        ..Listing::default()
    };
    Ok(Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter {
            is_invitation: true,
            ..Letter::answer_to(player, listing)
        })
    })
}

fn erase(context: &Context<'_>, player: &Player) -> Result<Decision, Undecided> {
    let mut leave = leave(context, player, Leaving::Erases)?;
    leave.changes.push(Change::Delete(player.id));
    let rows = context.store.addresses(player.id)?;
    let mut to: Vec<Addressee> = rows
        .into_iter()
        .filter(|row| row.confirmed_at.is_some())
        .map(|row| Addressee::Former(row.address))
        .collect();
    if to.is_empty() {
        to.push(Addressee::Sender);
    }
    for to in to {
        let done = Done {
            subject: format!("delete {}", player.userid),
            sentence: format!("The account of {} is erased: {}.", player.userid, leave.summary),
            hint: "No more mails about it will come.".to_owned(),
        };
        leave.letters.push(Letter {
            to,
            ..Letter::answer(done.into())
        });
    }
    Ok(leave.decision(player))
}
