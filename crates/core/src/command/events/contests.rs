//! What leagues and cups do by themselves: seasons begin, rounds follow each other, players get their letters.

use crate::command::wording::digest::games_begin;
use crate::command::wording::news::News;
use crate::command::wording::tables::{capital, standing, tables, what_follows};
use crate::command::{Change, Context, Decision, InternalError, Letter};
use crate::letters::{Done, Listing, SubjectMark};
use crate::seasons::{Format, Next, Planned};
use crate::store::{ContestKind, ContestRow, FullContest, PairingRow};
use crate::table::{Board, Player, PlayerId};

/// The most boards that begin in one transaction.
const BOARDS_AT_ONCE: usize = 50;

/// The fewest players of a season, and of a cup.
pub(crate) const FEWEST: usize = 3;

/// The next thing that a contest does.
#[derive(Debug)]
pub(crate) enum ContestStep {
    /// It begins with these players, best first.
    Begins(Vec<(PlayerId, f64)>),
    /// Too few have come.
    Fails,
    /// The account of a player is erased or closed.
    Leaves(PlayerId),
    /// These boards begin.
    Boards(Vec<PairingRow>),
    /// The players get the letters of this round.
    Announces(u32),
    /// These games are next.
    Plans(Vec<Planned>),
    Ends,
    Waits,
}

/// What a contest does now.
pub(crate) fn contest_step(
    context: &Context<'_>,
    contest: &FullContest,
) -> Result<ContestStep, InternalError> {
    if contest.row.begun_at.is_none() {
        let players = present(
            context,
            contest.entrants.iter().map(|entrant| entrant.player),
            &contest.row,
        )?;
        return Ok(match players.len() {
            0 | 1 => ContestStep::Fails,
            few if few < FEWEST && !is_for_two(contest.row.new.format) => ContestStep::Fails,
            _ => ContestStep::Begins(players),
        });
    }
    for entrant in contest
        .entrants
        .iter()
        .filter(|entrant| entrant.left_at.is_none())
    {
        let player = context.store.player_by_id(entrant.player)?;
        if player.is_none_or(|player| player.disabled_at.is_some()) {
            return Ok(ContestStep::Leaves(entrant.player));
        }
    }
    let has_left = |entrant: usize| contest.entrants[entrant].left_at.is_some();
    let to_begin = contest.pairings.iter().filter(|row| {
        let Some(second) = row.pairing.second else {
            return false;
        };
        row.board.is_none() && !row.is_ruled && !has_left(row.pairing.first) && !has_left(second)
    });
    let boards: Vec<_> = to_begin.take(BOARDS_AT_ONCE).cloned().collect();
    if !boards.is_empty() {
        return Ok(ContestStep::Boards(boards));
    }
    let round = contest.round();
    if contest.row.announced_round < round {
        return Ok(ContestStep::Announces(round));
    }
    Ok(match contest.facts().next() {
        Next::Wait => ContestStep::Waits,
        Next::Round(planned) => ContestStep::Plans(planned),
        Next::Over => ContestStep::Ends,
    })
}

/// A cup for two is a knockout of one game.
const fn is_for_two(format: Format) -> bool {
    matches!(format, Format::Knockout)
}

/// Those of these players who can play now, each with the rating, best first.
fn present(
    context: &Context<'_>,
    players: impl Iterator<Item = PlayerId>,
    contest: &ContestRow,
) -> Result<Vec<(PlayerId, f64)>, InternalError> {
    let mut present = Vec::new();
    for id in players {
        if can_play(context, id)? {
            let standing = context.store.standing(id, contest.new.game)?;
            present.push((id, standing.rating.value));
        }
    }
    // Who is level stands in the order of coming.
    present.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Ok(present)
}

pub(crate) fn can_play(context: &Context<'_>, id: PlayerId) -> Result<bool, InternalError> {
    let Some(player) = context.store.player_by_id(id)? else {
        return Ok(false);
    };
    let is_here = player.away_since.is_none() && player.disabled_at.is_none();
    Ok(is_here && context.is_reachable(id)?)
}

/// The letters of a round: one to each player, with all their boards of it.
pub(crate) fn round_letters(
    context: &Context<'_>,
    contest: &FullContest,
    round: u32,
) -> Result<Decision, InternalError> {
    let mut decision = Decision::default();
    for (place, entrant) in contest.entrants.iter().enumerate() {
        if entrant.left_at.is_some() {
            continue;
        }
        let Some(player) = context.store.player_by_id(entrant.player)? else {
            continue;
        };
        let own = contest.pairings.iter().filter(|row| {
            row.pairing.round == round && (row.pairing.first == place || row.pairing.second == Some(place))
        });
        let (mut boards, mut has_bye) = (Vec::new(), false);
        for row in own {
            has_bye |= row.pairing.second.is_none();
            if let Some(paired) = row.board.filter(|board| !board.is_over) {
                boards.extend(context.store.board_by_id(paired.id)?);
            }
        }
        match boards.as_slice() {
            [] if has_bye => decision.letters.push(bye(contest, &player, round)),
            [] => {}
            [board] => decision
                .letters
                .push(one_game(context, contest, &player, board, round)?),
            _ if context.store.preferences(player.id)?.digest => {}
            _ => {
                let (letter, change) = many_games(context, contest, &player, boards)?;
                // Each is sent with the number of the newest such mail to its reader.
                decision.letters.push(letter);
                decision.changes.push(change);
            }
        }
    }
    Ok(decision)
}

fn bye(contest: &FullContest, player: &Player, round: u32) -> Letter {
    let name = contest.row.name();
    let what = match contest.row.new.format {
        Format::Swiss { .. } => "you have a bye, which is a point",
        _ => "you go on without a game",
    };
    let done = Done {
        subject: SubjectMark::Table.before(&name),
        sentence: format!("Round {round} of {name} has begun, {}: {what}.", player.userid),
        hint: String::new(),
    };
    Letter::news(player.id, done.into())
}

fn one_game(
    context: &Context<'_>,
    contest: &FullContest,
    player: &Player,
    board: &Board,
    round: u32,
) -> Result<Letter, InternalError> {
    let name = contest.row.name();
    let position = context.position(board)?;
    let seat = board.seat_of(player.id);
    let other = seat.map_or("", |seat| board.at(seat.other()).userid.as_str());
    let news = News {
        board,
        position: &position,
        sentence: format!(
            "Round {round} of {name} has begun, {}: you play {other}.",
            player.userid
        )
        .into(),
        comment: None,
    };
    let seated = seat.map(|seat| board.at(seat));
    let letter = news.to(context, crate::command::Addressee::Player(player.id), seated)?;
    Ok(Letter {
        is_answer: false,
        weight: Some(crate::command::Weight::Needed),
        ..letter
    })
}

fn many_games(
    context: &Context<'_>,
    contest: &FullContest,
    player: &Player,
    boards: Vec<Board>,
) -> Result<(Letter, Change), InternalError> {
    let name = contest.row.name();
    let waiting = boards.iter().filter(|board| board.is_turn_of(player.id)).count();
    let first = match waiting {
        0 => "You wait for the other players".to_owned(),
        1 => "One waits for your first turn".to_owned(),
        many => format!("{many} wait for your first turn"),
    };
    let sentence = format!(
        "{} has begun, {}: you play {} games at once. {first}. Each turn has at most {} days.",
        capital(&name),
        player.userid,
        boards.len(),
        contest.row.new.terms.forfeit_days
    );
    games_begin(context.store, player, (name, sentence), boards, context.now)
}

/// The last letters of a contest: where everybody stands. Who wants one mail a day reads it there.
pub(crate) fn end_letters(
    context: &Context<'_>,
    contest: &FullContest,
) -> Result<Vec<Letter>, InternalError> {
    let (name, table) = (contest.row.name(), tables(contest));
    let mut letters = Vec::new();
    for (place, entrant) in contest.entrants.iter().enumerate() {
        if entrant.left_at.is_some() || context.store.preferences(entrant.player)?.digest {
            continue;
        }
        let Some(standing) = standing(contest, entrant.player) else {
            continue;
        };
        let follows = what_follows(context.store, contest, place)?;
        let letter = Listing {
            subject: SubjectMark::Table.before(&name),
            sentence: format!(
                "{} is over, {}: you are {standing}.{follows} Thank you for playing!",
                capital(&name),
                entrant.userid
            ),
            table: table.clone(),
            hint: hint(&contest.row),
            ..Listing::default()
        };
        letters.push(Letter::news(entrant.player, letter.into()));
    }
    Ok(letters)
}

fn hint(row: &ContestRow) -> String {
    match row.new.kind {
        ContestKind::Division { .. } => {
            let game = row.new.game.facts.name;
            format!("You play in the next season too, unless you write {game} league leave.")
        }
        ContestKind::Cup { .. } => String::new(),
    }
}

/// A cup that does not come about: its players hear why, and so does who made it.
pub(crate) fn failed_letters(
    context: &Context<'_>,
    contest: &FullContest,
) -> Result<Vec<Letter>, InternalError> {
    let name = contest.row.name();
    let mut readers: Vec<_> = contest.entrants.iter().map(|entrant| entrant.player).collect();
    if let ContestKind::Cup { made_by, .. } = contest.row.new.kind
        && !readers.contains(&made_by)
    {
        readers.push(made_by);
    }
    let count = match contest.entrants.len() {
        0 => "nobody has joined".to_owned(),
        1 => "only one player has joined".to_owned(),
        many => format!("only {many} players have joined"),
    };
    let mut letters = Vec::new();
    for id in readers {
        let Some(player) = context.store.player_by_id(id)? else {
            continue;
        };
        let done = Done {
            subject: SubjectMark::Table.before(&name),
            sentence: format!(
                "{} does not come about, {}: {count}.",
                capital(&name),
                player.userid
            ),
            hint: String::new(),
        };
        letters.push(Letter::news(id, done.into()));
    }
    Ok(letters)
}
