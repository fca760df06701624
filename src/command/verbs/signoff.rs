//! `signoff` and `delete`: leaves the server until the next signup, or for ever.

use crate::command::playing::leaving::leave;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Undecided,
};
use crate::letters::Done;
use crate::table::Player;

pub(crate) static SIGNOFF: Command = Command {
    verb: "signoff",
    arguments: &[Argument::Userid, Argument::Password],
    syntax: "signoff userid password",
    summary: "ends all your games, until you sign up again",
    help: "Ends all games of a player: where both have moved they are resigned, the others are removed and count \
           for nobody. The other players are told. You seek and watch no game any more. Nobody can challenge you \
           or write to you then, until you write signup with the same userid and password.",
    examples: &["signoff alice secret1"],
    run: Run::Player(signoff),
    ..Command::USUAL
};

pub(crate) static DELETE: Command = Command {
    verb: "delete",
    arguments: &[Argument::Userid, Argument::Password],
    syntax: "delete userid password",
    summary: "erases your account for good",
    help: "Ends all games of a player as signoff does, and erases the userid, the addresses, the password and the \
           settings. This cannot be undone. Finished games stay, with a player who has no name. The records of \
           mails that were exchanged before are the operator's, and stay as long as the operator keeps them.",
    examples: &["delete alice secret1"],
    run: Run::Player(delete),
    ..Command::USUAL
};

fn signoff(context: &Context<'_>, _: &Line, player: &Player) -> Result<Decision, Undecided> {
    if player.away_since.is_some() {
        let sentence = format!("{} has signed off already.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let mut leave = leave(context, player)?;
    leave.changes.push(Change::Away {
        player: player.id,
        since: Some(context.now),
    });
    let done = Done {
        subject: format!("signoff {}", player.userid),
        sentence: format!("{} has signed off: {}.", player.userid, leave.summary),
        hint: format!(
            "To come back, write signup {} and the same password.",
            player.userid
        ),
    };
    leave.letters.push(Letter::answer_to(player, done));
    Ok(leave.decision(player))
}

fn delete(context: &Context<'_>, _: &Line, player: &Player) -> Result<Decision, Undecided> {
    let mut leave = leave(context, player)?;
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
