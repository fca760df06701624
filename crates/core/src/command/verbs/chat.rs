//! `chat`: a text for the players of a board.

use crate::command::playing::turns::not_now;
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::{
    Addressee, AnswerWord, Argument, Command, Context, Decision, InAnswer, Letter, Line, Reason, Refused,
    Run, Scope, Topic, Undecided, Weight,
};
use crate::letters::Comment;
use crate::store::RateLimit;
use crate::table::{Board, Player};

pub(crate) static CHAT: Command = Command {
    verb: "chat",
    aliases: &["say"],
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME chat board userid password",
    summary: "sends the text of the mail to the other player",
    help: "Sends the text of the mail to the players of a board, and while the game runs also to those who \
           watch it. It need not be your turn. Only the players of a board can chat on it. Others can use \
           message.",
    examples: &["GAME chat 101 alice fig7elk"],
    in_answer: InAnswer::AllBelow,
    answer_words: &[AnswerWord {
        word: "chat",
        rank: 4,
        note: |board, _| {
            let is_heard = board.computer().is_none() && board.has_both_players();
            is_heard.then(|| " and some words".to_owned())
        },
    }],
    run: Run::OnBoard(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, _: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id) else {
        return Err(not_now(board, position, player));
    };
    if let Some(computer) = board.players.iter().find(|other| other.id.is_computer()) {
        let sentence = format!("{} is a computer and reads no words.", computer.userid);
        return Err(Refused::impossible(sentence).on(board, position).into());
    }
    let others = board.players.iter().filter(|other| other.id != player.id);
    for other in others {
        if context.store.has_blocked(other.id, player.id)? {
            let reason = Reason::NotHeard {
                reader: &other.userid,
                writer: &player.userid,
            };
            return Err(Refused::impossible(reason).into());
        }
    }
    let mut changes = Vec::new();
    for other in board.players.iter().filter(|other| other.id != player.id) {
        if !context.is_reachable(other.id)? {
            let sentence = format!(
                "Mail to {0} fails: {0} gets no words until a mail comes from there.",
                other.userid
            );
            return Err(Refused::impossible(sentence).into());
        }
        let most = context.settings.messages_a_day;
        let too_many = || too_many(player, &other.userid);
        let counted = context.count(RateLimit::Said, player.id.0, other.id, most, too_many);
        changes.push(counted?);
    }
    let Some(text) = context.clean_comment() else {
        return Err(Refused::impossible(Reason::NothingToSend).into());
    };
    // The words follow the colon; the writer knows them.
    let sentence = Sentence::of(&board, |names| {
        let (writes, end) = (names.does(seat, "wrote", "writes"), names.does(seat, ".", ":"));
        format!("{} {writes} on {}{end}", names.first(seat), board.name())
    });
    let comment = Some(Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let news = News {
        board: &board,
        position: &position,
        sentence,
        comment,
    };
    let mut letters = Vec::new();
    for letter in news.to_all(context, Some(player.id))? {
        // A watcher gets no chat after the end of the game, and none from a player whom they block.
        let has_blocked = match letter.to {
            Addressee::Player(reader) => context.store.has_blocked(reader, player.id)?,
            _ => false,
        };
        if !letter.is_watching || (board.end.is_none() && !has_blocked) {
            // What the players get is counted above.
            let weight = if letter.is_watching {
                Weight::Slight
            } else {
                Weight::Needed
            };
            letters.push(Letter {
                topic: Topic::Chat,
                weight: Some(weight),
                ..letter
            });
        }
    }
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// The sentence for a reached daily limit of messages to one player.
pub(crate) fn too_many(by: &Player, userid: &str) -> String {
    let reason = Reason::EnoughMessages {
        reader: userid,
        writer: &by.userid,
    };
    reason.to_string()
}
