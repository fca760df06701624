//! `preview`: shows the position after some turns without playing them.

use pbmserv_games::Kind::Unreadable;
use pbmserv_games::record::Record;
use pbmserv_games::{Display, Game, Match, Outcome, Refusal};

use crate::command::playing::beginning::options;
use crate::command::reading::hidden;
use crate::command::reading::turn_text::hash_number;
use crate::command::wording::board::subject;
use crate::command::{
    Addressee, Argument, Command, Commands, Context, Decision, InAnswer, Letter, Line, Refused, Run, Scope,
    Topic, Trailing, Undecided, Word,
};
use crate::letters::{Button, Content, Listing};
use crate::table::{Board, PlayerId, Position};

pub(crate) static PREVIEW: Command = Command {
    verb: "preview",
    aliases: &["try"],
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

/// The most turns that one preview plays.
const MAX_TURNS: usize = 200;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let Some(text) = &line.turns else {
        return Err(Refused::unreadable("The MOVE is missing.").into());
    };
    let (mut position, board) = start(context, game, line)?;
    let (before, before_all) = (position.game.fork(), position.game.fork());
    let turns = match position.game.play_all(&text.text) {
        Ok(turns) => turns,
        Err(whole) => match one_by_one(before, text) {
            Ok((game, turns)) => {
                position.game = game;
                turns
            }
            Err((refusal, word)) => {
                let refusal = if word.at == text.at { whole } else { refusal };
                let is_seen = refusal.kind != Unreadable || is_no_password(context.commands, &word.text);
                let refused = if is_seen {
                    Refused::of_turn(refusal, &word)
                } else {
                    // A text that is not a turn may be a password, and the refusal of the game would quote it.
                    let sentence = format!("Here is no turn of {}.", game.facts.name);
                    Refused::unreadable(sentence).pointing_at(&word)
                };
                if let Some(option) = line
                    .option_meant_by(&first_word(text))
                    .filter(|_| board.is_none())
                {
                    return Err(refused.near(vec![option]).into());
                }
                let board = board.map(|board| Box::new((board, position)));
                return Err(Refused { board, ..refused }.into());
            }
        },
    };
    let reader = line
        .by_token
        .map_or_else(|| context.reader(), |player| Ok(Some(player)))?;
    let display = match reader {
        Some(reader) => context.store.display(reader, game)?,
        None => Display::default(),
    };
    let own = match (&board, line.by_token) {
        (Some(board), Some(player)) if board.turns as usize == position.turns.len() => {
            own_turn(before_all.as_ref(), board, player, &turns)
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
fn own_turn(before: &dyn Match, board: &Board, player: PlayerId, turns: &[String]) -> Option<String> {
    let seat = board.seat_of(player).filter(|_| board.end.is_none());
    let mut game = before.fork();
    let is_own = turns.iter().all(|turn| {
        let is_own = seat.is_some() && game.to_move() == seat;
        is_own && game.play_all(turn).is_ok()
    });
    (is_own && !turns.is_empty()).then(|| turns.join(","))
}

/// The first word of a text, which may be an option without its hyphen.
fn first_word(text: &Word) -> Word {
    let word = text.text.split_whitespace().next().unwrap_or_default();
    Word {
        text: word.to_owned(),
        at: text.at.start..text.at.start + word.len(),
    }
}

/// Whether every word of a text that is not a turn may be shown.
fn is_no_password(commands: &Commands, text: &str) -> bool {
    let is_open = |word| commands.is_plainly_no_password(word) || hidden::is_shaped_as_a_turn(word);
    text.split_whitespace().all(is_open)
}

pub(crate) fn state(game: &dyn Match) -> String {
    let side = |seat: pbmserv_games::Seat| game.facts().sides[seat.index()];
    match (game.outcome(), game.to_move()) {
        (Some(Outcome::Won(seat)), _) => format!("The game would be over: {} would have won.", side(seat)),
        (Some(Outcome::Drawn), _) => "The game would be over: a draw.".to_owned(),
        (None, Some(seat)) => format!("It would be the turn of {}.", side(seat)),
        (None, None) => String::new(),
    }
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

/// The position reached and its turns, or the refused turn.
type OneByOne = Result<(Box<dyn Match>, Vec<String>), (Refusal, Word)>;

/// Plays each word as a turn. Spaces around `-`, `,` and `:` are allowed.
fn one_by_one(mut game: Box<dyn Match>, text: &Word) -> OneByOne {
    let mut turns = Vec::new();
    let words = words(text);
    for word in words.iter().take(MAX_TURNS) {
        match game.play_all(&word.text) {
            Ok(played) => turns.extend(played),
            Err(refusal) => {
                let alone = words.len() == 1;
                return Err((refusal, if alone { text.clone() } else { word.clone() }));
            }
        }
    }
    if words.len() > MAX_TURNS {
        let refusal = Refusal::illegal(format!("A preview plays at most {MAX_TURNS} turns."));
        return Err((refusal, words[MAX_TURNS].clone()));
    }
    Ok((game, turns))
}

fn words(text: &Word) -> Vec<Word> {
    let joins = |c: Option<char>| c.is_some_and(|c| matches!(c, '-' | ',' | ':' | '>'));
    let mut words: Vec<Word> = Vec::new();
    let mut from = 0;
    for piece in text.text.split(' ') {
        let at = text.at.start + from..text.at.start + from + piece.len();
        from += piece.len() + 1;
        match words.last_mut() {
            Some(last) if joins(last.text.chars().last()) || joins(piece.chars().next()) => {
                last.text.push_str(piece);
                last.at.end = at.end;
            }
            _ if piece.is_empty() => {}
            _ => words.push(Word {
                text: piece.to_owned(),
                at,
            }),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_told_apart_by_blanks_however_many() {
        let text = "m13-j7  a1 - e1 :d2";
        let found = words(&Word {
            text: text.to_owned(),
            at: 10..10 + text.len(),
        });
        let found: Vec<_> = found.into_iter().map(|word| (word.text, word.at)).collect();
        assert_eq!(
            found,
            [("m13-j7".to_owned(), 10..16), ("a1-e1:d2".to_owned(), 18..29)]
        );
    }
}
