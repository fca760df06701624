//! `note`: a player's private words on a board.

use crate::command::context::MAX_COMMENT;
use crate::command::playing::turns::not_now;
use crate::command::wording::news::News;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run, Scope,
    Undecided,
};
use crate::letters::Comment;
use crate::table::{Board, Player};

pub(crate) static NOTE: Command = Command {
    verb: "note",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME note board userid password",
    summary: "keeps private words on a board, for you alone",
    help: "Adds the text of the mail to your note on a board that you play. Nobody else ever reads it. Without a text you get \
           your note by mail. The text off empties it.\n\n\
           In an answer to a mail about the board, write note and your words on the first line, such as: note he castles \
           early.",
    examples: &["GAME note 101 alice fig7elk"],
    in_answer: InAnswer::Private,
    // "Note that I am away": these are words for the other player.
    is_meant: |words| {
        words
            .first()
            .is_none_or(|word| !word.eq_ignore_ascii_case("that"))
    },
    run: Run::OnBoard(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, _: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id) else {
        return Err(not_now(board, position, player));
    };
    let (name, userid) = (board.name(), &player.userid);
    let before = context.store.own_note(player.id, board.id)?;
    let is_off = |words: &str| words.eq_ignore_ascii_case("off");
    let (sentence, words) = match (context.clean_comment(), before) {
        (more, None) if more.as_deref().is_none_or(is_off) => {
            let sentence = format!("You have no note on {name}, {userid}: write some words after note.");
            return Err(Refused::impossible(sentence).on(board, position).into());
        }
        (None, words) => (format!("This is your note on {name}, {userid}:"), words),
        (Some(more), _) if is_off(&more) => (format!("Your note on {name} is empty now, {userid}."), None),
        (Some(more), before) => {
            let words = match before {
                Some(before) => format!("{before}\n{more}"),
                None => more,
            };
            if words.chars().count() > MAX_COMMENT {
                let sentence = format!(
                    "Your note on {name} would be too long, {userid}: it holds {MAX_COMMENT} characters. To empty it, \
                     write note off."
                );
                return Err(Refused::impossible(sentence).on(board, position).into());
            }
            let sentence = format!("Your note on {name} is kept, {userid}, and nobody else reads it:");
            (sentence, Some(words))
        }
    };
    let news = News {
        board: &board,
        position: &position,
        sentence: sentence.into(),
        // Without an author: what an answer quotes of its writer's own words is sent on, and this must not be.
        comment: words.clone().map(|text| Comment { by: None, text }),
    };
    let letter = news.to(context, Addressee::Player(player.id), Some(board.at(seat)))?;
    Ok(Decision {
        changes: vec![Change::OwnNote {
            player: player.id,
            board: board.id,
            words,
        }],
        letters: vec![Letter {
            is_answer: true,
            ..letter
        }],
        proven: Some(player.id),
    })
}
