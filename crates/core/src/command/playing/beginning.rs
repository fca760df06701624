//! What a new board needs: players who can be challenged, options, terms.

use pbmserv_games::{Game, Match, Options};

use crate::command::{Context, InternalError, Line, Refused, Undecided, Word};
use crate::store::AddressRow;
use crate::table::{Board, NewBoard, Player, Position, Seated, Terms};

/// The server options for a new board.
pub(crate) const TERMS: [&str; 5] = [
    "unrated",
    "nagtime=DAYS",
    "forfeittime=DAYS",
    "totaltime=DAYS",
    "days=BANK",
];

/// Checks that boards can begin for a player: not signed off, not closed, and reachable by mail.
pub(crate) fn can_sit(context: &Context<'_>, player: &Player, word: &Word) -> Result<(), Undecided> {
    if player.away_since.is_some() {
        let sentence = format!("{} has signed off and cannot be challenged.", player.userid);
        return Err(Refused::impossible(sentence).about(word).into());
    }
    if player.disabled_at.is_some() {
        let sentence = format!(
            "The account of {} is closed by the operator, and takes no challenges.",
            player.userid
        );
        return Err(Refused::impossible(sentence).about(word).into());
    }
    if let Some(computer) = player.id.computer() {
        if context.settings.computers.has(computer) {
            return Ok(());
        }
        let sentence = format!("{} does not play on this server.", player.userid);
        return Err(Refused::impossible(sentence).about(word).into());
    }
    let rows = context.store.addresses(player.id)?;
    if rows.iter().any(AddressRow::is_reachable) {
        return Ok(());
    }
    let sentence = if rows.iter().any(|row| row.confirmed_at.is_some()) {
        format!(
            "Mail to {} fails: no board can be begun until one comes from there.",
            player.userid
        )
    } else {
        format!(
            "{} has not confirmed an address yet and cannot be challenged.",
            player.userid
        )
    };
    Err(Refused::impossible(sentence).about(word).into())
}

/// Whether two players play each other: neither has blocked the other, and one of them is a person.
pub(crate) fn can_meet(context: &Context<'_>, a: &Player, b: &Player) -> Result<(), Undecided> {
    if a.id.is_computer() && b.id.is_computer() {
        let sentence = "Two computers do not play each other here: name a player.";
        return Err(Refused::impossible(sentence).into());
    }
    if !context.store.has_blocked(a.id, b.id)? && !context.store.has_blocked(b.id, a.id)? {
        return Ok(());
    }
    let sentence = format!(
        "{} and {} do not play each other: one of them does not wish it.",
        a.userid, b.userid
    );
    Err(Refused::impossible(sentence).into())
}

/// Why `more` boards of a game cannot begin for this player, and what to do if the player is the reader.
pub(crate) fn no_room(
    context: &Context<'_>,
    game: &Game,
    player: &Player,
    more: u32,
    is_reader: bool,
) -> Result<Option<String>, InternalError> {
    let (name, userid) = (game.facts.name, &player.userid);
    if player.id.is_computer() {
        let is_played = context.settings.computers.play(game);
        return Ok((!is_played).then(|| format!("{userid} does not play {name} on this server.")));
    }
    let taking = context.store.taking(player.id, game)?;
    if !taking.is_open {
        let remedy = if is_reader {
            format!(" To take some, write {name} accept first.")
        } else {
            String::new()
        };
        return Ok(Some(format!("{userid} takes no boards of {name}.{remedy}")));
    }
    let Some(most) = taking.most else { return Ok(None) };
    let wanted = context.store.running(player.id, game)?.saturating_add(more);
    if wanted <= most {
        return Ok(None);
    }
    let remedy = if is_reader {
        format!(" To take more, write {name} limit {wanted} first.")
    } else {
        String::new()
    };
    let boards = if most == 1 { "board" } else { "boards" };
    Ok(Some(format!(
        "{userid} takes at most {most} {boards} of {name} at a time, and that would be {wanted}.{remedy}"
    )))
}

pub(crate) fn options(game: &Game, line: &Line) -> Result<Options, Undecided> {
    // The refusal of an unknown option quotes it. It might be a password that begins with a hyphen.
    let unknown = |word: &&Word| !line.commands.is_plainly_no_password(&word.text);
    if let Some(word) = line.game_options.iter().find(unknown) {
        let sentence = format!("{} has no such option.", game.facts.name);
        return Err(Refused::unreadable(sentence).hiding(word).into());
    }
    let words = line.game_options.iter().map(|word| word.text.as_str());
    Options::parse(game.facts, words).map_err(|refusal| whole(line, refusal))
}

/// The starting position. Refused if the options contradict each other.
pub(crate) fn start(game: &Game, options: &Options, line: &Line) -> Result<Box<dyn Match>, Undecided> {
    game.start(options).map_err(|refusal| whole(line, refusal))
}

/// The refusal of the game options of a line. It points at the option that it names, otherwise at the first one.
fn whole(line: &Line, refusal: pbmserv_games::Refusal) -> Undecided {
    let named = |word: &&Word| {
        refusal
            .reason
            .contains(word.text.split('=').next().unwrap_or(&word.text))
    };
    let first = line
        .game_options
        .iter()
        .find(named)
        .or_else(|| line.game_options.first());
    match first {
        Some(word) if let Some(meant) = line.option_with_next(word) => {
            let refused = Refused::of_turn(pbmserv_games::Refusal { at: None, ..refusal }, word);
            refused.near(vec![meant]).into()
        }
        Some(word) => Refused::of_turn(pbmserv_games::Refusal { at: None, ..refusal }, word).into(),
        None => Refused::impossible(refusal.to_string()).into(),
    }
}

pub(crate) fn terms(words: &[Word]) -> Result<Terms, Undecided> {
    Terms::read(words.iter().map(|word| word.text.as_str())).map_err(|(at, why)| {
        Refused::unreadable(why.to_string())
            .hiding(&words[at])
            .near(why.near())
            .into()
    })
}

/// A board that begins now, and its position. Games against computers count only if the operator wants it.
pub(crate) fn begin(
    context: &Context<'_>,
    game: &'static Game,
    start: Box<dyn Match>,
    (options, terms): (Options, Terms),
    players: [&Player; 2],
) -> Result<(Board, Position), InternalError> {
    let is_rated = context.settings.computers.rated || players.iter().all(|player| !player.id.is_computer());
    let terms = Terms {
        rated: terms.rated && is_rated,
        ..terms
    };
    let position = Position {
        game: start,
        turns: Vec::new(),
    };
    let new = NewBoard {
        game,
        number: context.store.next_number(game)?,
        options,
        players: players.map(|player| Seated {
            id: player.id,
            userid: player.userid.clone(),
        }),
        terms,
        dice: context.dice(game),
    };
    let [first, second] = players;
    let presences = [context.presence(first.id)?, context.presence(second.id)?];
    let board = Board::begun(new, position.to_move(), presences, context.now);
    Ok((board, position))
}
