//! `preview`: shows the position after some turns without playing them.

use pbmserv_games::record::Record;
use pbmserv_games::{Display, Game, Match};

use crate::command::playing::beginning::options;
use crate::command::playing::trying::{state, texts, tried};
use crate::command::reading::tried::first_word;
use crate::command::reading::turn_text::hash_number;
use crate::command::wording::board::subject;
use crate::command::{
    Addressee, Argument, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run, Scope, Topic,
    Trailing, Undecided,
};
use crate::letters::{Button, Content, Listing};
use crate::table::{Board, PlayerId, Position};

pub(crate) static PREVIEW: Command = Command {
    verb: "preview",
    scope: Scope::Game,
    arguments: &[Argument::Board],
    trailing: Trailing::Text("MOVE"),
    takes_game_options: true,
    syntax: "GAME preview board[#n] MOVE... | new [-options] MOVE...",
    summary: "shows the board after some turns, unplayed",
    help: "Shows the board after one turn or several turns, played for both sides in order. Nothing is played, \
           and nobody else is told. With #n after the number of the board, it starts from the board before turn \
           number n of its first player. With new instead of the number, it starts from a new board with the \
           options that you name.",
    examples: &[
        "GAME preview new MOVE",
        "GAME preview 101 MOVE",
        "GAME preview 101#1 MOVE",
    ],
    in_answer: InAnswer::Text,
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let Some(text) = &line.turns else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    let (mut position, board) = start(context, game, line)?;
    let before = position.game.fork();
    let tried = tried(before.as_ref(), text);
    if let Some(stopped) = tried.stopped {
        let refused = stopped.refused(context, game);
        if let Some(option) = line
            .option_meant_by(&first_word(text).0)
            .filter(|_| board.is_none())
        {
            return Err(refused.near(vec![option]).into());
        }
        let board = board.map(|board| Box::new((board, position)));
        return Err(Refused { board, ..refused }.into());
    }
    let turns = texts(&tried.turns);
    position.game = tried.game;
    let reader = line
        .by_token
        .map_or_else(|| context.reader(), |player| Ok(Some(player)))?;
    let display = match reader {
        Some(reader) => context.store.display(reader, game)?,
        None => Display::default(),
    };
    let own = match (&board, line.by_token) {
        (Some(board), Some(player)) if board.turns as usize == position.turns.len() => {
            own_turn(before.as_ref(), board, player, &turns)
        }
        _ => None,
    };
    let what = board
        .as_ref()
        .map_or_else(|| format!("a new board of {}", game.facts.name), Board::name);
    let listing = Listing {
        subject: match &board {
            Some(board) => subject(
                board,
                board.players.iter().find(|player| Some(player.id) == reader),
            ),
            None => format!("{} preview", game.facts.name),
        },
        sentence: format!(
            "A preview of {what} after {}; nothing was played.",
            turns.join(" ")
        ),
        board: position.game.draw(display),
        hint: match &own {
            Some(turn) => format!(
                "{} To play it, answer this mail with {turn}, alone on the first line.",
                state(position.game.as_ref())
            ),
            None => state(position.game.as_ref()),
        },
        action: own.map(|word| Button {
            label: "Play it".to_owned(),
            word,
        }),
        ..Listing::default()
    };
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    let options = match &board {
        Some(board) => board.options.clone(),
        None => options(game, line)?,
    };
    let mut record = Record::new(game, options);
    record.turns = position.turns.into_iter().map(|turn| turn.text).collect();
    record.turns.extend(turns);
    let letter = Letter {
        to,
        topic: Topic::Preview,
        ..Letter::answer(Content::from(listing).showing(record.to_string()))
    };
    Ok(Decision::answer(match &board {
        Some(board) => letter.on(board.game, board.number),
        None => letter,
    }))
}

/// The turns as one answer, if all of them are of this player, who is to move on the board.
pub(crate) fn own_turn(
    before: &dyn Match,
    board: &Board,
    player: PlayerId,
    turns: &[String],
) -> Option<String> {
    let seat = board.seat_of(player).filter(|_| board.end.is_none());
    let mut game = before.fork();
    let is_own = turns.iter().all(|turn| {
        let is_own = seat.is_some() && game.to_move() == seat;
        is_own && game.play_all(turn).is_ok()
    });
    (is_own && !turns.is_empty()).then(|| turns.join(","))
}

fn start(
    context: &Context<'_>,
    game: &'static Game,
    line: &Line,
) -> Result<(Position, Option<Board>), Undecided> {
    let word = &line.fixed[0];
    if word.text.eq_ignore_ascii_case("new") {
        let options = options(game, line)?;
        let start = game
            .start(&options)
            .map_err(|refusal| Refused::impossible(refusal.to_string()))?;
        return Ok((
            Position {
                game: start,
                turns: Vec::new(),
            },
            None,
        ));
    }
    if let Some(option) = line.game_options.first() {
        let sentence = "Options go with a new board: a board that is played has its own.";
        return Err(Refused::unreadable(sentence).hiding(option).into());
    }
    let board = context.board(game, word)?;
    let position = match hash_number(word)? {
        Some(number) => context.position_before(&board, number)?,
        None => context.position(&board)?,
    };
    Ok((position, Some(board)))
}
