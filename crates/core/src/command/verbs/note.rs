//! `note`: a player's private words on a board, or on a player.

use crate::command::playing::own_note::with_words;
use crate::command::playing::turns::not_now;
use crate::command::wording::news::News;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InAnswer, InternalError, Letter, Line, Refused,
    Run, Scope, Undecided,
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
           early. With note on, a userid and your words, it is your note on that player (see mynotes).",
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

/// The player whom the note is on, and the words after the userid: `on bob he plays fast`.
fn on_player<'a>(context: &Context<'_>, text: &'a str) -> Result<Option<(Player, &'a str)>, InternalError> {
    let word = |text: &'a str| {
        let text = text.trim_start();
        text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
    };
    let (on, rest) = word(text);
    if !on.eq_ignore_ascii_case("on") {
        return Ok(None);
    }
    let (userid, rest) = word(rest);
    let named = context.store.player(userid.trim_end_matches([':', ',']))?;
    Ok(named.map(|player| (player, rest.trim())))
}

fn run(context: &Context<'_>, _: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id) else {
        return Err(not_now(board, position, player));
    };
    let (text, own) = (context.clean_comment(), player.userid.as_str());
    let on = match &text {
        Some(text) => on_player(context, text)?,
        None => None,
    };
    let noted = match &on {
        Some((other, words)) => {
            let before = context.store.player_note(player.id, other.id)?;
            let words = Some(*words).filter(|words| !words.is_empty());
            with_words((&other.userid, own), before, words)
        }
        None => {
            let before = context.store.own_note(player.id, board.id)?;
            with_words((&board.name(), own), before, text.as_deref())
        }
    };
    let (sentence, words) = match noted {
        Ok(noted) => noted,
        Err(sentence) => return Err(Refused::impossible(sentence).on(board, position).into()),
    };
    let news = News {
        board: &board,
        position: &position,
        sentence: sentence.into(),
        // Without an author: what an answer quotes of its writer's own words is sent on, and this must not be.
        comment: words.clone().map(|text| Comment { by: None, text }),
    };
    let letter = news.to(context, Addressee::Player(player.id), Some(board.at(seat)))?;
    let change = match on {
        Some((other, _)) => Change::PlayerNote {
            player: player.id,
            other: other.id,
            words,
        },
        None => Change::OwnNote {
            player: player.id,
            board: board.id,
            words,
        },
    };
    Ok(Decision {
        changes: vec![change],
        letters: vec![Letter {
            is_answer: true,
            ..letter
        }],
        proven: Some(player.id),
    })
}
