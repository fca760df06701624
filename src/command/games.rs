//! `games` and `list`: tables of boards and of what is served.

use crate::games::{GAMES as SERVED, Game, Outcome};
use crate::letters::{Listing, columns};
use crate::store::BoardFilter;
use crate::table::{Board, End, Player};

use super::line::{nearest, shorten};
use super::show::filter;
use super::{Command, Context, Decision, Letter, Line, Refused, Rest, Scope, Stop, Word, hidden};

/// The most boards in one table.
pub(super) const MOST_LISTED: usize = 200;

pub(super) static GAMES: Command = Command {
    verb: "games",
    aliases: &["boards"],
    scope: Scope::Game,
    places: &[],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "GAME games [userid...] [active|inactive|all|next]",
    summary: "a table of boards",
    help: "A table of the boards of a game, newest first: of all players or of those named; the running ones \
           (active), the finished ones (inactive), all, or those where the players are to move (next).",
    examples: &["GAME games", "GAME games alice all"],
    run: run_games,
};

pub(super) static LIST: Command = Command {
    verb: "list",
    aliases: &[],
    scope: Scope::Server,
    places: &[],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "list [game...]",
    summary: "the games served, or the running boards of some",
    help: "Lists the games that are played here, with how many boards run and how many are finished; with names of \
           games, their running boards.",
    examples: &["list", "list GAME"],
    run: run_list,
};

/// Which boards of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    Active,
    Inactive,
    All,
    Next,
}

impl Selector {
    const WORDS: [(&'static str, Self); 4] = [
        ("active", Self::Active),
        ("inactive", Self::Inactive),
        ("all", Self::All),
        ("next", Self::Next),
    ];

    fn read(word: &str) -> Option<Self> {
        Self::WORDS
            .into_iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word))
            .map(|(_, selector)| selector)
    }

    const fn running(self) -> Option<bool> {
        match self {
            Self::Active | Self::Next => Some(true),
            Self::Inactive => Some(false),
            Self::All => None,
        }
    }
}

/// The boards that userids and a selector name, newest first; of all players if no userid is there.
pub(super) fn select(
    context: &Context<'_>,
    game: Option<&'static Game>,
    words: &[&Word],
    default: Selector,
) -> Result<Vec<Board>, Stop> {
    let mut selector = default;
    let mut players: Vec<Player> = Vec::new();
    for word in words {
        match Selector::read(&word.text) {
            Some(found) => selector = found,
            None => players.push(player_or_selector(context, word)?),
        }
    }
    let filter = filter(game, selector.running(), MOST_LISTED);
    if players.is_empty() {
        return Ok(context.store.boards(filter)?);
    }
    let mut boards: Vec<Board> = Vec::new();
    for player in players {
        let found = context.store.boards(BoardFilter {
            player: Some(player.id),
            ..filter
        })?;
        let wanted = |board: &Board| {
            selector != Selector::Next || board.to_move.is_some_and(|seat| board.at(seat).id == player.id)
        };
        for board in found.into_iter().filter(wanted) {
            if boards.iter().all(|other| other.id != board.id) {
                boards.push(board);
            }
        }
    }
    Ok(boards)
}

fn player_or_selector(context: &Context<'_>, word: &Word) -> Result<Player, Stop> {
    context.player(word).map_err(|stop| match stop {
        Stop::Refused(mut refused) => {
            refused.near.extend(nearest(
                &word.text,
                Selector::WORDS.map(|(name, _)| name.to_owned()),
            ));
            Stop::Refused(refused)
        }
        other => other,
    })
}

/// Whose turn it is, or who has won.
pub(super) fn state(board: &Board) -> String {
    match (board.end, board.to_move) {
        (Some(End::Removed), _) => "removed".to_owned(),
        (Some(End::Finished(ending)), _) => match ending.outcome {
            Outcome::Drawn => "drawn".to_owned(),
            Outcome::Won(seat) => format!("won by {}", board.at(seat).userid),
        },
        (None, Some(seat)) => format!("{} to move", board.at(seat).userid),
        (None, None) => String::new(),
    }
}

/// Boards as a table.
pub(crate) fn table(boards: &[Board]) -> String {
    let heading = ["Board", "First", "Second", "Turns", "State", "Options"]
        .map(str::to_owned)
        .to_vec();
    let row = |board: &Board| {
        let [first, second] = &board.players;
        vec![
            format!("{} {}", board.game.facts.name, board.number),
            first.userid.clone(),
            second.userid.clone(),
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

fn run_games(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let game = context.game(line)?;
    let words: Vec<_> = line.words.iter().collect();
    let boards = select(context, Some(game), &words, Selector::Active)?;
    let name = game.facts.name;
    let sentence = match boards.len() {
        0 => format!("There are no such boards of {name}."),
        1 => format!("One board of {name}."),
        MOST_LISTED => format!("The newest {MOST_LISTED} boards of {name}."),
        count => format!("{count} boards of {name}."),
    };
    let table = if boards.is_empty() {
        String::new()
    } else {
        table(&boards)
    };
    let hint = format!("{name} show NUMBER shows a board; {name} challenge USERID USERID begins one.");
    let listing = Listing {
        subject: format!("{name} games"),
        sentence,
        table,
        hint,
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

fn run_list(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    if line.words.is_empty() {
        return Ok(served(context)?);
    }
    let mut boards = Vec::new();
    for word in &line.words {
        let Some(game) = crate::games::find(&word.text) else {
            let near = nearest(&word.text, SERVED.iter().map(|game| game.facts.name.to_owned()));
            let refused = if near.is_empty() && !hidden::is_plainly_no_password(&word.text) {
                Refused::impossible("There is no such game here.").hiding(word)
            } else {
                let sentence = format!("There is no game called {} here.", shorten(&word.text));
                Refused::impossible(sentence).about(word)
            };
            return Err(refused.near(near).into());
        };
        boards.extend(
            context
                .store
                .boards(filter(Some(game), Some(true), MOST_LISTED))?,
        );
    }
    boards.truncate(MOST_LISTED);
    let sentence = match boards.len() {
        0 => "No board runs.".to_owned(),
        1 => "One running board.".to_owned(),
        count => format!("{count} running boards."),
    };
    let table = if boards.is_empty() {
        String::new()
    } else {
        table(&boards)
    };
    let listing = Listing {
        subject: "list".into(),
        sentence,
        table,
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

fn served(context: &Context<'_>) -> Result<Decision, super::Fault> {
    let mut rows = vec![["Game", "Running", "Finished", ""].map(str::to_owned).to_vec()];
    for game in SERVED {
        let (running, finished) = context.store.board_counts(game)?;
        let facts = game.facts;
        rows.push(vec![
            facts.name.into(),
            running.to_string(),
            finished.to_string(),
            facts.title.into(),
        ]);
    }
    let sentence = match SERVED.len() {
        1 => "One game is played here.".to_owned(),
        count => format!("{count} games are played here."),
    };
    let hint = "help GAME tells the rules; GAME games lists the boards.".to_owned();
    let listing = Listing {
        subject: "list".into(),
        sentence,
        table: columns(&rows),
        hint,
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}
