//! `chat`: words to the players of a board.

use crate::letters::Saying;
use crate::store::Counted;
use crate::table::Player;

use super::board::News;
use super::play::not_now;
use super::{Addressee, Command, Context, Decision, Line, Place, Refused, Rest, Scope, Stop};

pub(super) static CHAT: Command = Command {
    verb: "chat",
    aliases: &["say"],
    scope: Scope::Game,
    places: &[Place::Board, Place::Userid, Place::Password],
    rest: Rest::Nothing,
    takes_game_options: false,
    options: &[],
    syntax: "GAME chat board userid password",
    summary: "sends the text of the mail to the other player",
    help: "Sends the text of the mail to the players of a board, whoever's turn it is, and while the game runs to \
           those who watch it. Only the players of the board can chat on it; others write with message.",
    examples: &["GAME chat 101 alice secret1"],
    run,
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let board = context.board(context.game(line)?, &line.fixed[0])?;
    let player = context.prove(line)?;
    let position = context.position(&board)?;
    if board.seat_of(player.id).is_none() {
        return Err(not_now(board, position, &player).proven_by(player.id));
    }
    let others = board.players.iter().filter(|other| other.id != player.id);
    for other in others {
        if context.store.has_blocked(other.id, player.id)? {
            let sentence = format!("{} does not wish to hear from {}.", other.userid, player.userid);
            return Err(Stop::from(Refused::impossible(sentence)).proven_by(player.id));
        }
    }
    let mut changes = Vec::new();
    for other in board.players.iter().filter(|other| other.id != player.id) {
        if !context.is_reachable(other.id)? {
            let sentence = format!(
                "Mail to {0} fails: {0} gets no words until a mail comes from there.",
                other.userid
            );
            return Err(Stop::from(Refused::impossible(sentence)).proven_by(player.id));
        }
        let most = context.settings.messages_a_day;
        let too_many = || too_many(&player, &other.userid);
        let counted = context.count(Counted::Said, player.id, other.id, most, too_many);
        changes.push(counted.map_err(|stop| stop.proven_by(player.id))?);
    }
    let Some(text) = context.saying() else {
        let refused =
            Refused::impossible("There is no text in the mail to send on: write it below the subject.");
        return Err(Stop::from(refused).proven_by(player.id));
    };
    let sentence = format!("A message from {} about {}.", player.userid, board.name());
    let saying = Some(Saying {
        by: player.userid.clone(),
        text,
    });
    let news = News {
        board: &board,
        position: &position,
        sentence,
        saying,
    };
    let mut letters = Vec::new();
    for letter in news.to_all(context, Some(player.id))? {
        // Those who watch are told of the game; words after it, and of one they do not want to hear, are not for them.
        let has_blocked = match letter.to {
            Addressee::Player(reader) => context.store.has_blocked(reader, player.id)?,
            _ => false,
        };
        if !letter.is_watching || (board.end.is_none() && !has_blocked) {
            letters.push(letter);
        }
    }
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// Why a player gets no more words from another one today.
pub(super) fn too_many(by: &Player, userid: &str) -> String {
    format!(
        "{userid} has had enough messages from {} today: try again tomorrow.",
        by.userid
    )
}
