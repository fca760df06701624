//! Tables of boards.

use pbmserv_games::{Game, Outcome};

use crate::letters::{Listing, columns};
use crate::table::{Board, End};

/// The most boards in one table.
pub(crate) const MAX_LISTED: usize = 200;

/// Whose turn it is, or the result.
pub(crate) fn state(board: &Board) -> String {
    match (board.end, board.to_move) {
        (Some(End::Removed), _) => "removed".to_owned(),
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
