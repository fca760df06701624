//! Tables of boards.

use pbmserv_games::{Game, Outcome};

use crate::command::wording::clock::{MoverClock, mover_clock};
use crate::command::{Context, InternalError};
use crate::letters::{Listing, columns};
use crate::table::{Board, End, PlayerId};

/// The most boards in one table.
pub(crate) const MAX_LISTED: usize = 200;

/// Whose turn it is, or the result.
pub(crate) fn state(board: &Board) -> String {
    match (board.end, board.to_move) {
        (Some(End::Removed(_)), _) => "removed".to_owned(),
        (Some(End::Void), _) => "void".to_owned(),
        (Some(End::Finished(ending)), _) => match ending.outcome {
            Outcome::Drawn => "drawn".to_owned(),
            Outcome::Won(seat) => format!("won by {}", board.at(seat).userid),
        },
        (None, Some(seat)) => format!("{} to move", board.at(seat).userid),
        (None, None) => String::new(),
    }
}

/// Boards as a table; empty if there are none.
pub fn table(boards: &[Board]) -> String {
    if boards.is_empty() {
        return String::new();
    }
    let heading = ["Board", "First", "Second", "Turns", "State", "Options"]
        .map(str::to_owned)
        .to_vec();
    let row = |board: &Board| {
        let [first, second] = &board.players;
        vec![
            format!("{} {}", board.game.facts.name, board.number),
            first.marked(),
            second.marked(),
            board.turns.to_string(),
            state(board),
            board.options.to_string(),
        ]
    };
    columns(
        &std::iter::once(heading)
            .chain(boards.iter().map(row))
            .collect::<Vec<_>>(),
    )
}

/// The boards of these readers: with whom, whose turn it is, and until when. Those that wait for the readers stand first, the
/// nearest deadline before the others.
pub(crate) fn own_table(
    context: &Context<'_>,
    boards: &[Board],
    readers: &[PlayerId],
) -> Result<String, InternalError> {
    if boards.is_empty() {
        return Ok(String::new());
    }
    let times = context.times(readers.first().copied())?;
    let mut rows = Vec::new();
    for board in boards {
        let own = readers.iter().find_map(|reader| board.seat_of(*reader));
        let Some(own) = own else { continue };
        let mover = board.to_move.filter(|_| board.end.is_none());
        let is_mine = mover.is_some_and(|seat| readers.contains(&board.at(seat).id));
        let (until, shown) = match mover {
            None => (None, String::new()),
            Some(seat) => match mover_clock(context.store, board, seat, context.now)? {
                MoverClock::Until(at) => (Some(at), times.brief(at)),
                MoverClock::Still(_) => (None, "on vacation".to_owned()),
                MoverClock::Paused(_) => (None, "paused".to_owned()),
                MoverClock::Free => (None, "no limit".to_owned()),
            },
        };
        let state = match board.end {
            Some(End::Finished(ending)) => match ending.outcome {
                Outcome::Won(seat) if seat == own => "you won".to_owned(),
                Outcome::Won(_) => "you lost".to_owned(),
                Outcome::Drawn => "drawn".to_owned(),
            },
            None if is_mine => "your turn".to_owned(),
            _ => state(board),
        };
        let row = vec![
            format!("{} {}", board.game.facts.name, board.number),
            board.at(own.other()).marked(),
            state,
            shown,
        ];
        rows.push(((!is_mine, until.is_none(), until), row));
    }
    rows.sort_by_key(|(key, _)| *key);
    let heading = ["Board", "With", "State", "Until"].map(str::to_owned).to_vec();
    let rows = rows.into_iter().map(|(_, row)| row);
    Ok(columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>()))
}

/// The game, or all games, as part of a sentence.
pub(crate) fn of(game: Option<&Game>) -> String {
    game.map_or_else(
        || "in all games".to_owned(),
        |game| format!("of {}", game.facts.name),
    )
}

/// The letter that lists boards of a game, or of all games.
pub(crate) fn listed(game: Option<&'static Game>, boards: &[Board]) -> Listing {
    let place = of(game);
    let sentence = match boards.len() {
        0 => format!("There are no such boards {place}."),
        1 => format!("One board {place}."),
        MAX_LISTED => format!("The newest {MAX_LISTED} boards {place}."),
        count => format!("{count} boards {place}."),
    };
    let verb = game.map_or("GAME", |game| game.facts.name);
    Listing {
        subject: format!("{} games", game.map_or("all", |game| game.facts.name)),
        sentence,
        table: table(boards),
        hint: format!("{verb} show NUMBER shows a board; {verb} challenge USERID USERID begins one."),
        ..Listing::default()
    }
}
