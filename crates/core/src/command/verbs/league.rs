//! `league`: the league of a game, whose seasons begin by the calendar.

use pbmserv_games::Game;

use crate::command::playing::beginning::{can_sit, no_room};
use crate::command::playing::contests::withdrawn;
use crate::command::wording::tables::{all_tables, capital, standing};
use crate::command::{
    Argument, Change, Command, CompanyChange, Context, Decision, Letter, Line, Reason, Refused, Run, Scope,
    Trailing, Undecided, WithoutPassword,
};
use crate::letters::{Button, Done, Listing};
use crate::store::{ContestKind, ContestRow};
use crate::table::Player;

pub(crate) static LEAGUE: Command = Command {
    verb: "league",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME league userid password [join | leave | withdraw]",
    summary: "seasons of a game, in divisions of up to ten players",
    help: "The league of a game has seasons by the calendar. In a division of up to ten players everybody plays everybody \
           once, all at the same time. A win is a point, a draw half a point; who is level is placed by Sonneborn-Berger, \
           then by the games between them, by wins and by rating. The first two go up, the last two go down. A game that \
           is not over when the next season begins is played on.\n\n\
           join takes you into all seasons from the next one on, until you leave. leave ends that; your games of this \
           season go on. withdraw leaves the season that runs, too: before half of your games there are over they count \
           for nobody, later those that run are lost. Who plays no turn in a season leaves the league. Games of a league \
           count for the ratings. Without a word, the answer shows the table of your division.",
    examples: &[
        "GAME league alice fig7elk join",
        "GAME league alice fig7elk leave",
    ],
    without_password: WithoutPassword::Known,
    fits_without_password: |words| {
        let is_known = |word: &&str| {
            ["join", "leave", "withdraw"]
                .iter()
                .any(|one| one.eq_ignore_ascii_case(word))
        };
        words.len() <= 1 && words.iter().all(is_known)
    },
    is_meant: |words| words.len() <= 3,
    run: Run::Player(run),
    ..Command::USUAL
};

/// The most games that a player has in a season.
const MAX_GAMES: u32 = 9;

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let word = match line.words.as_slice() {
        [] => String::new(),
        [word] => word.text.to_ascii_lowercase(),
        [_, surplus, ..] => {
            return Err(Refused::unreadable(Reason::SurplusWord("league"))
                .about(surplus)
                .into());
        }
    };
    match word.as_str() {
        "" => show(context, game, player),
        "join" => join(context, line, game, player),
        "leave" => leave(context, game, player),
        "withdraw" => withdraw(context, game, player),
        _ => Err(
            Refused::unreadable("After league stands join, leave or withdraw.")
                .about(&line.words[0])
                .into(),
        ),
    }
}

fn done(game: &Game, player: &Player, sentence: String, hint: String) -> Letter {
    let done = Done {
        subject: format!("{} league {}", game.facts.name, player.userid),
        sentence,
        hint,
    };
    Letter::answer_to(player, done)
}

fn join(
    context: &Context<'_>,
    line: &Line,
    game: &'static Game,
    player: &Player,
) -> Result<Decision, Undecided> {
    let title = game.facts.bare_title();
    let settings = &context.settings.company;
    if settings.seasons.is_empty() {
        let sentence = "This server has no leagues: no season is in its calendar.";
        return Err(Refused::impossible(sentence).into());
    }
    if context.store.in_league_since(game, player.id)?.is_some() {
        let sentence = format!("You are in the {title} league already, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    can_sit(context, player, line.fixed.first().unwrap_or(&line.verb))?;
    if let Some(sentence) = no_room(context, game, player, MAX_GAMES, true)? {
        return Err(Refused::impossible(sentence).into());
    }
    let next = match context.store.league(game)? {
        Some(league) => league.due_at,
        None => settings.next_season(context.now, context.settings.digest_hour),
    };
    let when = context.times(Some(player.id))?.said(next);
    let sentence = format!(
        "You are in the {title} league, {}. Its next season begins on {when}.",
        player.userid
    );
    let hint = format!(
        "You play up to {MAX_GAMES} games at once then, each turn in {} days. You are in each season from then on, until \
         you write {} league leave.",
        settings.league_days, game.facts.name
    );
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::JoinLeague {
            player: player.id,
            game,
            next,
        })],
        letters: vec![done(game, player, sentence, hint)],
        proven: Some(player.id),
    })
}

/// The divisions of this game in which a player plays now.
fn running(context: &Context<'_>, game: &Game, player: &Player) -> Result<Vec<ContestRow>, Undecided> {
    let mut rows = context.store.contests_of(player.id, context.now)?;
    rows.retain(|row| {
        std::ptr::eq(row.new.game, game) && matches!(row.new.kind, ContestKind::Division { .. })
    });
    Ok(rows)
}

fn leave(context: &Context<'_>, game: &'static Game, player: &Player) -> Result<Decision, Undecided> {
    let (title, name) = (game.facts.bare_title(), game.facts.name);
    if context.store.in_league_since(game, player.id)?.is_none() {
        let sentence = format!("You are not in the {title} league, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let hint = match running(context, game, player)?.is_empty() {
        true => String::new(),
        false => format!("Your games of this season go on. To end them too, write {name} league withdraw."),
    };
    let sentence = format!(
        "You are in no further season of the {title} league, {}.",
        player.userid
    );
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::LeaveLeague {
            player: player.id,
            game,
        })],
        letters: vec![done(game, player, sentence, hint)],
        proven: Some(player.id),
    })
}

fn withdraw(context: &Context<'_>, game: &'static Game, player: &Player) -> Result<Decision, Undecided> {
    let title = game.facts.bare_title();
    let mut changes = Vec::new();
    let mut letters = Vec::new();
    for row in running(context, game, player)? {
        let contest = context.store.filled(row)?;
        let has_left = contest
            .place_of(player.id)
            .is_none_or(|place| contest.entrants[place].left_at.is_some());
        if !has_left {
            let (more, written) = withdrawn(context, &contest, player)?;
            changes.extend(more);
            letters.extend(written);
        }
    }
    if changes.is_empty() {
        let sentence = format!(
            "You play in no season of the {title} league now, {}.",
            player.userid
        );
        return Err(Refused::impossible(sentence).into());
    }
    changes.push(Change::Company(CompanyChange::LeaveLeague {
        player: player.id,
        game,
    }));
    let sentence = format!(
        "You have left the {title} league and its season, {}.",
        player.userid
    );
    letters.push(done(game, player, sentence, String::new()));
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// The tables of the divisions in which the player plays, or when the next season begins.
fn show(context: &Context<'_>, game: &'static Game, player: &Player) -> Result<Decision, Undecided> {
    let (title, name) = (game.facts.bare_title(), game.facts.name);
    let rows = running(context, game, player)?;
    let is_in = context.store.in_league_since(game, player.id)?.is_some();
    let next = match context.store.league(game)? {
        Some(league) => league.due_at,
        None => context
            .settings
            .company
            .next_season(context.now, context.settings.digest_hour),
    };
    let when = context.times(Some(player.id))?.said(next);
    let mut sentences = Vec::new();
    for row in &rows {
        let contest = context.store.filled(row.clone())?;
        if let Some(standing) = standing(&contest, player.id) {
            sentences.push(format!("{}: you are {standing}.", capital(&row.name())));
        }
    }
    sentences.push(match is_in {
        true => format!(
            "You are in the {title} league, {}; its next season begins on {when}.",
            player.userid
        ),
        false => format!(
            "You are not in the {title} league, {}; its next season begins on {when}.",
            player.userid
        ),
    });
    let listing = Listing {
        subject: format!("{name} league {}", player.userid),
        sentence: sentences.join(" "),
        table: all_tables(context.store, rows)?,
        action: (!is_in).then(|| Button {
            label: "Join the league".to_owned(),
            word: format!("{name} league join"),
        }),
        hint: format!("{name} tables shows all divisions."),
        ..Listing::default()
    };
    Ok(Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter {
            is_invitation: true,
            ..Letter::answer_to(player, listing)
        })
    })
}
