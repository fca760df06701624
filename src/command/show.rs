//! `show`: boards as they stand.

use crate::games::Game;
use crate::letters::{Drawn, Listing};
use crate::store::BoardFilter;
use crate::table::{Board, Position, Seated};

use super::board::{News, about, status};
use super::context::hash_number;
use super::games::{MOST_LISTED, Selector, select, table};
use super::{Addressee, Command, Context, Decision, Letter, Line, Refused, Rest, Scope, Stop};

pub(super) static SHOW: Command = Command {
    verb: "show",
    aliases: &["look"],
    scope: Scope::Game,
    places: &[],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "GAME show board[#n]... | userid... [active|inactive|all|next]",
    summary: "shows boards, by number or by player",
    help: "Shows boards as they stand, each with its players, its state and its last turns. With #n after a number \
           the board is shown as it stood before turn number n of its first player. With userids it shows \
           their boards: the running ones (active), the finished ones (inactive), all, or those where they are \
           to move (next). More than ten boards are listed, not drawn.",
    examples: &["GAME show 101", "GAME show 101#2", "GAME show alice next"],
    run,
};

/// More boards than this are listed, not drawn.
const MOST_DRAWN: usize = 10;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let game = context.game(line)?;
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (numbers, others): (Vec<_>, Vec<_>) = line.words.iter().partition(|word| is_number(&word.text));
    if line.words.is_empty() {
        return Err(Refused::unreadable("Which boards? Name a number or a player.").into());
    }
    if let Some(surplus) = numbers.get(MOST_LISTED) {
        let sentence = format!("At most {MOST_LISTED} boards are shown at once.");
        return Err(Refused::impossible(sentence).hiding(surplus).into());
    }
    let mut boards = Vec::new();
    for word in &numbers {
        boards.push((context.board(game, word)?, hash_number(word)?));
    }
    if !others.is_empty() {
        let found = select(context, Some(game), &others, Selector::Active)?;
        boards.extend(found.into_iter().map(|board| (board, None)));
    }
    match boards.as_slice() {
        [(board, number)] => one(context, line, board, *number),
        _ => several(context, game, &boards),
    }
}

fn position(context: &Context<'_>, board: &Board, number: Option<usize>) -> Result<Position, Stop> {
    Ok(match number {
        Some(number) => context.position_before(board, number)?,
        None => context.position(board)?,
    })
}

/// One board: the same mail as when something happens on it, in its thread.
fn one(context: &Context<'_>, line: &Line, board: &Board, number: Option<usize>) -> Result<Decision, Stop> {
    let position = position(context, board, number)?;
    let known = line
        .by_token
        .map_or_else(|| context.known_senders(), |player| Ok(vec![player]))?;
    let reader = board.players.iter().find(|player| known.contains(&player.id));
    let spectator = known.first().map(|id| Seated {
        id: *id,
        userid: String::new(),
    });
    let sentence = match number {
        Some(number) => format!(
            "{} before turn {number} of {}.",
            board.name(),
            board.players[0].userid
        ),
        None => format!("{}, as it stands.", board.name()),
    };
    let news = News {
        board,
        position: &position,
        sentence,
        saying: None,
    };
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    let letter = news.to(context, to, reader.or(spectator.as_ref()))?;
    Ok(Decision::answer(Letter {
        is_answer: true,
        is_urgent: false,
        ..letter
    }))
}

fn several(
    context: &Context<'_>,
    game: &'static Game,
    boards: &[(Board, Option<usize>)],
) -> Result<Decision, Stop> {
    let subject = format!("{} show", game.facts.name);
    let listing = if boards.len() > MOST_DRAWN || boards.is_empty() {
        let plain: Vec<_> = boards.iter().map(|(board, _)| board.clone()).collect();
        let sentence = match plain.len() {
            0 => format!("There are no such boards of {}.", game.facts.name),
            count => format!(
                "{count} boards of {}: too many to draw, so they are listed.",
                game.facts.name
            ),
        };
        let hint = format!("{} show NUMBER draws one.", game.facts.name);
        Listing {
            subject,
            sentence,
            table: table(&plain),
            hint,
            ..Listing::default()
        }
    } else {
        let display = match context.reader()? {
            Some(reader) => context.store.display(reader, game)?,
            None => crate::games::Display::default(),
        };
        let mut drawn = Vec::new();
        for (board, number) in boards {
            let position = position(context, board, *number)?;
            drawn.push(Drawn {
                about: format!("{} {}", about(board), status(board, None)),
                board: position.game.draw(display),
            });
        }
        let sentence = format!("{} boards of {}.", boards.len(), game.facts.name);
        Listing {
            subject,
            sentence,
            boards: drawn,
            ..Listing::default()
        }
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

/// A filter for the boards of one game.
pub(super) fn filter(game: Option<&'static Game>, running: Option<bool>, limit: usize) -> BoardFilter {
    BoardFilter {
        game,
        player: None,
        running,
        limit: u32::try_from(limit).unwrap_or(u32::MAX),
    }
}
