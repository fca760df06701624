//! `signoff` and `delete`: going away, for as long as one likes or for good.

use crate::games::{By, Ending, Outcome};
use crate::letters::Done;
use crate::store::BoardFilter;
use crate::table::{End, Player};

use super::addresses::answer;
use super::board::News;
use super::ended::ended_after;
use super::{Addressee, Change, Command, Context, Decision, Letter, Line, Place, Refused, Rest, Scope, Stop};

pub(super) static SIGNOFF: Command = Command {
    verb: "signoff",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Userid, Place::Password],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "signoff userid password",
    summary: "ends all your games, until you sign up again",
    help: "Ends all games of a player: where both have moved they are resigned, the others are removed and count \
           for nobody. The other players are told. You seek and watch no game any more. Nobody can challenge you \
           or write to you then, until you write signup with the same userid and password.",
    examples: &["signoff alice secret1"],
    run: signoff,
};

pub(super) static DELETE: Command = Command {
    verb: "delete",
    aliases: &[],
    scope: Scope::Server,
    places: &[Place::Userid, Place::Password],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "delete userid password",
    summary: "erases your account for good",
    help: "Ends all games of a player as signoff does, and erases the userid, the addresses, the password and the \
           settings. This cannot be undone. Finished games stay, with a player who has no name. The records of \
           mails that were exchanged before are the operator's, and stay as long as the operator keeps them.",
    examples: &["delete alice secret1"],
    run: delete,
};

fn signoff(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let player = context.prove(line)?;
    if player.away_since.is_some() {
        let sentence = format!("{} has signed off already.", player.userid);
        return Err(Stop::from(Refused::impossible(sentence)).proven_by(player.id));
    }
    let mut leave = leave(context, &player)?;
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
    leave.letters.push(answer(&player, done));
    Ok(leave.decision(&player))
}

fn delete(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let player = context.prove(line)?;
    let mut leave = leave(context, &player)?;
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
    Ok(leave.decision(&player))
}

/// What going away does to a player's boards.
pub(super) struct Leave {
    pub(super) changes: Vec<Change>,
    pub(super) letters: Vec<Letter>,
    /// How many boards ended how.
    pub(super) summary: String,
}

impl Leave {
    fn decision(self, player: &Player) -> Decision {
        Decision {
            changes: self.changes,
            letters: self.letters,
            proven: Some(player.id),
        }
    }
}

/// Ends all boards of a player, and tells the others.
pub(super) fn leave(context: &Context<'_>, player: &Player) -> Result<Leave, Stop> {
    let boards = context.store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let (mut changes, mut letters) = (Vec::new(), Vec::new());
    let (mut resigned, mut removed) = (0, 0);
    for mut board in boards {
        let Some(seat) = board.seat_of(player.id) else {
            continue;
        };
        let position = context.position(&board)?;
        let (name, other) = (board.name(), seat.other());
        let (end, sentence) = if board.has_moved(seat) && board.has_moved(other) {
            let ending = Ending {
                outcome: Outcome::Won(other),
                by: By::Resignation,
            };
            let winner = &board.at(other).userid;
            resigned += 1;
            let sentence = format!(
                "{} has signed off and resigned {name}: {winner} has won.",
                player.userid
            );
            (End::Finished(ending), sentence)
        } else {
            removed += 1;
            (
                End::Removed,
                format!("{} has signed off: {name} is removed.", player.userid),
            )
        };
        board.ended(end, context.now);
        let ended = ended_after(&changes, context.store, &board, context.now)?;
        let news = News {
            board: &board,
            position: &position,
            sentence: ended.told(sentence),
            saying: None,
        };
        let reader = board.at(other);
        letters.push(news.to(context, Addressee::Player(reader.id), Some(reader))?);
        letters.extend(news.to_watchers(context)?);
        changes.extend(ended.changes(board));
    }
    let summary = match (resigned, removed) {
        (0, 0) => "no board was running".to_owned(),
        (_, 0) => format!("{} resigned", count(resigned)),
        (0, _) => format!("{} removed", count(removed)),
        _ => format!("{} resigned, and {} removed", count(resigned), count(removed)),
    };
    Ok(Leave {
        changes,
        letters,
        summary,
    })
}

fn count(boards: usize) -> String {
    match boards {
        1 => "one board is".to_owned(),
        many => format!("{many} boards are"),
    }
}
