//! `games` and `list`: the table of games, and tables of boards.

use pbmserv_games::{GAMES as SERVED, Game};

use crate::command::reading::near::{nearest, shorten};
use crate::command::verbs::seek::open_challenges;
use crate::command::wording::listing::{MAX_LISTED, listed, own_table, table};
use crate::command::{
    Command, Context, Decision, InternalError, Letter, Line, Refused, Run, Scope, Trailing, Undecided,
    WithoutPassword, Word,
};
use crate::letters::{Listing, columns};
use crate::store::BoardFilter;
use crate::table::{Board, Player, PlayerId};

pub(crate) static GAMES: Command = Command {
    verb: "games",
    aliases: &["boards"],
    scope: Scope::Both,
    trailing: Trailing::Words,
    syntax: "games [userid...] [active|inactive|all|next]",
    summary: "a table of boards: yours, or those of a game",
    help: "games (or my games) lists your own running boards of all games, if you write from an address of your \
           account. GAME games lists the boards of one game, newest first, of all players or of the players that you \
           name; the word me stands for you. Add active for the running boards, which is the default, inactive for \
           the finished ones, all for both, or next for those where it is the player's turn. next without a userid means \
           your boards.",
    examples: &[
        "games",
        "my games next",
        "GAME games",
        "GAME games alice all",
        "GAME games alice bob next",
    ],
    takes_my: true,
    without_password: WithoutPassword::Known,
    is_meant: |words| words.iter().all(|word| Selector::read(word).is_some()),
    run: Run::ReadOnly(run_games),
    ..Command::USUAL
};

pub(crate) static LIST: Command = Command {
    verb: "list",
    trailing: Trailing::Words,
    syntax: "list [game...]",
    summary: "the games served, or the running boards of some",
    help: "Lists the games of this server, each with the number of running and finished boards. With the name \
           of a game it lists the running boards of that game. The open challenges follow (see help seek).",
    examples: &["list", "list GAME"],
    without_password: WithoutPassword::Known,
    run: Run::ReadOnly(run_list),
    ..Command::USUAL
};

/// The most open challenges per game in the list of all games.
const MAX_SOUGHT_LISTED: usize = 20;

const MAX_PLAYERS: usize = 10;

/// How to take an open challenge.
const TAKE_ONE: &str = "GAME challenge and the two players, without options, takes an open challenge.";

/// Which boards of a player to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selector {
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

    pub(crate) fn read(word: &str) -> Option<Self> {
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

/// The boards of these userids that match a selector, newest first, at most [`MAX_LISTED`]. Without a userid those of
/// all players of the game; but `next`, and a list over all games, then mean the readers.
pub(crate) fn select(
    context: &Context<'_>,
    game: Option<&'static Game>,
    words: &[&Word],
    readers: &[PlayerId],
) -> Result<Vec<Board>, Undecided> {
    let mut selector = None;
    let mut players: Vec<PlayerId> = Vec::new();
    for word in words {
        match Selector::read(&word.text) {
            Some(_) if selector.is_some() => {
                let sentence = "One choice at a time: active, inactive, all or next.";
                return Err(Refused::unreadable(sentence).about(word).into());
            }
            Some(found) => selector = Some(found),
            None if players.len() == MAX_PLAYERS => {
                let sentence = format!("At most {MAX_PLAYERS} players are looked up at once.");
                return Err(Refused::impossible(sentence).hiding(word).into());
            }
            None => players.push(player_or_selector(context, word)?.id),
        }
    }
    let selector = selector.unwrap_or(Selector::Active);
    if players.is_empty() && (selector == Selector::Next || game.is_none()) {
        if readers.is_empty() {
            let sentence = "Whose boards? Name a player, or write from the address of your account.";
            return Err(Refused::unreadable(sentence).into());
        }
        players = readers.to_vec();
    }
    let filter = filter(game, selector);
    if players.is_empty() {
        return Ok(context.store.boards(filter)?);
    }
    let mut boards: Vec<Board> = Vec::new();
    for player in players {
        boards.extend(context.store.boards(BoardFilter {
            player: Some(player),
            ..filter
        })?);
    }
    boards.sort_by_key(|board| std::cmp::Reverse(board.id.0));
    boards.dedup_by_key(|board| board.id);
    boards.truncate(MAX_LISTED);
    Ok(boards)
}

/// The filter for a selector, in one game or in all.
fn filter(game: Option<&'static Game>, selector: Selector) -> BoardFilter {
    BoardFilter {
        game,
        player: None,
        running: selector.running(),
        is_to_move: selector == Selector::Next,
        limit: u32::try_from(MAX_LISTED).unwrap_or(u32::MAX),
    }
}

fn player_or_selector(context: &Context<'_>, word: &Word) -> Result<Player, Undecided> {
    context.player(word).map_err(|stop| match stop {
        Undecided::Refused(mut refused) => {
            refused.near.extend(nearest(
                &word.text,
                Selector::WORDS.map(|(name, _)| name.to_owned()),
            ));
            Undecided::Refused(refused)
        }
        other => other,
    })
}

fn run_games(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let words: Vec<_> = line.words.iter().collect();
    let mut readers = context.writers()?;
    readers.dedup();
    // Who has no account means the games that are played here.
    if line.game.is_none() && words.is_empty() && readers.is_empty() {
        return Ok(served(context)?);
    }
    let boards = select(context, line.game, &words, &readers)?;
    let selectors = words.iter().map(|word| Selector::read(&word.text));
    let selectors: Option<Vec<Selector>> = selectors.collect();
    let listing = match (line.game, selectors) {
        (None, Some(selectors)) => own(
            context,
            &boards,
            &readers,
            selectors.first().copied().unwrap_or(Selector::Active),
        )?,
        (game, _) => listed(game, &boards),
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

/// The boards of the readers, in all games.
fn own(
    context: &Context<'_>,
    boards: &[Board],
    readers: &[PlayerId],
    selector: Selector,
) -> Result<Listing, InternalError> {
    let waits = |board: &&Board| {
        board
            .to_move
            .is_some_and(|seat| readers.contains(&board.at(seat).id))
    };
    let waiting = boards.iter().filter(waits).count();
    let count = match boards.len() {
        0 => "no".to_owned(),
        1 => "one".to_owned(),
        MAX_LISTED => format!("{MAX_LISTED} or more"),
        count => count.to_string(),
    };
    let s = if boards.len() == 1 { "" } else { "s" };
    let sentence = match (selector, boards.len(), waiting) {
        (Selector::Next, ..) => format!("It is your turn on {count} board{s}."),
        (Selector::Inactive, ..) => format!("You have {count} finished board{s}."),
        (Selector::All, ..) => format!("You have {count} board{s}, running and finished."),
        (Selector::Active, 0, _) => "You have no running board.".to_owned(),
        (Selector::Active, 1, 0) => "You have one running board; the other player is to move.".to_owned(),
        (Selector::Active, 1, _) => "You have one running board; it is your turn.".to_owned(),
        (Selector::Active, _, 0) => format!("You have {count} running boards; on none is it your turn."),
        (Selector::Active, ..) => {
            format!("You have {count} running boards; on {waiting} of them it is your turn.")
        }
    };
    let hint = match boards.first() {
        Some(board) => format!(
            "{} show {} shows a board; my games next lists those that wait for you, and my games inactive the finished \
             ones.",
            board.game.facts.name, board.number
        ),
        None => "who lists players whom you can challenge.".to_owned(),
    };
    Ok(Listing {
        subject: "my games".to_owned(),
        sentence,
        table: own_table(context, boards, readers)?,
        has_pages: matches!(selector, Selector::Active | Selector::Next),
        hint,
        ..Listing::default()
    })
}

/// The game of this name.
///
/// # Errors
/// There is none; the refusal suggests similar names.
pub(crate) fn game_named(context: &Context<'_>, word: &Word) -> Result<&'static Game, Undecided> {
    if let Some(game) = pbmserv_games::find(&word.text) {
        return Ok(game);
    }
    let near = nearest(&word.text, SERVED.iter().map(|game| game.facts.name.to_owned()));
    let refused = if near.is_empty() && !context.commands.is_plainly_no_password(&word.text) {
        Refused::impossible("There is no such game here.").hiding(word)
    } else {
        let sentence = format!("There is no game called {} here.", shorten(&word.text));
        Refused::impossible(sentence).about(word)
    };
    Err(refused.near(near).into())
}

fn run_list(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    if line.words.is_empty() {
        return Ok(served(context)?);
    }
    let (mut boards, mut seeks) = (Vec::new(), Vec::new());
    for word in &line.words {
        let game = game_named(context, word)?;
        boards.extend(context.store.boards(filter(Some(game), Selector::Active))?);
        seeks.extend(context.store.seeks(game, MAX_LISTED)?);
    }
    seeks.truncate(MAX_LISTED);
    boards.truncate(MAX_LISTED);
    let sentence = match boards.len() {
        0 => "No board runs.".to_owned(),
        1 => "One running board.".to_owned(),
        count => format!("{count} running boards."),
    };
    let listing = Listing {
        subject: "list".into(),
        sentence,
        table: format!("{}\n\n{}", table(&boards), open_challenges(&seeks)),
        hint: if seeks.is_empty() {
            String::new()
        } else {
            TAKE_ONE.to_owned()
        },
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

fn served(context: &Context<'_>) -> Result<Decision, InternalError> {
    let mut rows = vec![["Game", "Running", "Finished", ""].map(str::to_owned).to_vec()];
    let mut seeks = Vec::new();
    for game in SERVED {
        seeks.extend(context.store.seeks(game, MAX_SOUGHT_LISTED)?);
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
    let mut hint = "help GAME tells the rules; GAME games lists the boards.".to_owned();
    if !seeks.is_empty() {
        hint = format!("{TAKE_ONE} {hint}");
    }
    let listing = Listing {
        subject: "list".into(),
        sentence,
        table: format!("{}\n\n{}", columns(&rows), open_challenges(&seeks)),
        hint,
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}
