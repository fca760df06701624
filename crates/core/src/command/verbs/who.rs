//! `who`: the players who can be challenged now.

use pbmserv_games::kit::words::list;
use pbmserv_games::{GAMES, Game};

use crate::command::verbs::games::game_named;
use crate::command::wording::opponents::{HERE, ratings, what_is_sought, written};
use crate::command::{
    Command, Context, Decision, InternalError, Letter, Line, Refused, Run, Scope, Trailing, Undecided,
    WithoutPassword,
};
use crate::letters::{Button, Listing, columns, wrap};
use crate::store::{Audience, Seek};
use crate::table::{COMPUTERS, PlayerId};

pub(crate) static WHO: Command = Command {
    verb: "who",
    scope: Scope::Both,
    trailing: Trailing::Words,
    syntax: "who [game]",
    summary: "players whom you can challenge now",
    help: "Lists players who wrote in the last four weeks and take challenges, with their ratings: first those who seek \
           a game (see help seek), then the others, the last to write first. With the name of a game, only players \
           who take boards of it. Players on vacation are left out, and so are those who have blocked you or whom you \
           have blocked. Last come the computers (see help fair play).\n\n\
           If you write from an address of your account, you can answer the list with challenge and a name from it.",
    examples: &["who", "who GAME"],
    without_password: WithoutPassword::Known,
    is_meant: |words| words.iter().all(|word| pbmserv_games::find(word).is_some()),
    run: Run::ReadOnly(who),
    ..Command::USUAL
};

/// The most players in the list.
const MAX_LISTED: usize = 50;

/// The width of the last column, in characters.
const LAST_WIDTH: usize = 36;

/// A player in the list, with open challenges.
struct Listed {
    player: PlayerId,
    userid: String,
    seeks: Vec<Seek>,
}

fn who(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = match (line.game, line.words.as_slice()) {
        (game, []) => game,
        (None, [word]) => Some(game_named(context, word)?),
        (Some(_), [surplus, ..]) | (None, [_, surplus, ..]) => {
            let sentence = "who takes the name of one game, or none.";
            return Err(Refused::unreadable(sentence).hiding(surplus).into());
        }
    };
    let reader = context.writers()?.first().copied();
    let audience = Audience {
        reader,
        since: context.now - HERE,
    };
    let listed = listed(context, game, audience)?;
    let at = game.map_or_else(String::new, |game| format!(" of {}", game.facts.name));
    let sentence = match listed.as_slice() {
        [] => format!("Nobody who wrote in the last four weeks takes challenges{at} now."),
        [one] => format!(
            "One player who wrote in the last four weeks takes challenges{at}: {}.",
            one.userid
        ),
        several => {
            let count = several.len();
            let seeking = several.iter().filter(|listed| !listed.seeks.is_empty()).count();
            let seeking = match seeking {
                0 => String::new(),
                1 => "; the first of them seeks a game".to_owned(),
                count => format!("; the first {count} of them seek a game"),
            };
            format!("{count} players who wrote in the last four weeks take challenges{at}{seeking}.")
        }
    };
    let table = match (listed.as_slice(), game) {
        ([], _) => String::new(),
        (listed, Some(game)) => table_of(context, game, listed)?,
        (listed, None) => table_of_all(context, listed)?,
    };
    let table = [table, computers(context, game)]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    let listing = Listing {
        subject: game.map_or_else(|| "who".to_owned(), |game| format!("{} who", game.facts.name)),
        sentence,
        table,
        answers: match reader {
            Some(_) => listed.iter().map(|one| challenge(game, one)).collect(),
            None => Vec::new(),
        },
        hint: hint(game, &listed, reader.is_some()),
        ..Listing::default()
    };
    Ok(Decision::answer(Letter {
        is_invitation: true,
        ..Letter::answer(listing.into())
    }))
}

/// The computers that play this game, or any.
fn computers(context: &Context<'_>, game: Option<&Game>) -> String {
    let settings = &context.settings.computers;
    let here = COMPUTERS.iter().filter(|computer| settings.has(computer));
    let here: Vec<_> = here.map(|computer| computer.userid).collect();
    if here.is_empty() || game.is_some_and(|game| !settings.play(game)) {
        return String::new();
    }
    let sentence = format!("Computers, who take every challenge at once: {}.", list(here));
    wrap(&sentence, 72)
}

/// Those who seek first, then the others.
fn listed(
    context: &Context<'_>,
    game: Option<&'static Game>,
    audience: Audience,
) -> Result<Vec<Listed>, InternalError> {
    let most = u32::try_from(MAX_LISTED).unwrap_or(u32::MAX);
    let mut listed: Vec<Listed> = Vec::new();
    let mut seeks = Vec::new();
    for one in GAMES {
        if game.is_none_or(|game| game.facts.name == one.facts.name) {
            seeks.extend(context.store.seeks_here(one, audience, most)?);
        }
    }
    seeks.sort_by_key(|seek| seek.since);
    for seek in seeks {
        match listed.iter_mut().find(|listed| listed.player == seek.player) {
            Some(listed) => listed.seeks.push(seek),
            None => listed.push(Listed {
                player: seek.player,
                userid: seek.userid.clone(),
                seeks: vec![seek],
            }),
        }
    }
    let seeking = listed.len();
    for (player, userid) in context.store.players_here(game, audience, most)? {
        if listed.iter().take(seeking).all(|listed| listed.player != player) {
            listed.push(Listed {
                player,
                userid,
                seeks: Vec::new(),
            });
        }
    }
    listed.truncate(MAX_LISTED);
    Ok(listed)
}

fn table_of(context: &Context<'_>, game: &Game, listed: &[Listed]) -> Result<String, InternalError> {
    let mut rows = vec![
        ["Name", "Rating", "Dev.", "Seeks", "Options"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for one in listed {
        let rating = context.store.standing(one.player, game)?.rating_at(context.now);
        let seek = one.seeks.first();
        let first = [
            one.userid.clone(),
            rating.shown(),
            format!("{:.0}", rating.deviation),
            seek.map_or_else(String::new, |seek| seek.left_over.to_string()),
        ];
        add(&mut rows, first.to_vec(), &seek.map_or_else(String::new, written));
    }
    Ok(columns(&rows))
}

fn table_of_all(context: &Context<'_>, listed: &[Listed]) -> Result<String, InternalError> {
    let mut rows = vec![["Name", "Seeks", "Ratings"].map(str::to_owned).to_vec()];
    for one in listed {
        let seeks: Vec<_> = one.seeks.iter().map(|seek| seek.game.facts.name).collect();
        let first = vec![one.userid.clone(), seeks.join(", ")];
        let ratings = match ratings(context.store, one.player, context.now)? {
            none if none.is_empty() => "none yet".to_owned(),
            some => some,
        };
        add(&mut rows, first, &ratings);
    }
    Ok(columns(&rows))
}

/// Adds a row whose last cell is wrapped.
fn add(rows: &mut Vec<Vec<String>>, first: Vec<String>, last: &str) {
    let last = wrap(last, LAST_WIDTH);
    let mut lines = last.lines();
    let empty = vec![String::new(); first.len()];
    rows.push([first, vec![lines.next().unwrap_or_default().to_owned()]].concat());
    rows.extend(lines.map(|line| [empty.clone(), vec![line.to_owned()]].concat()));
}

/// The answer that begins a game with a player of the list: the one that is sought, if there is one.
fn challenge(game: Option<&Game>, one: &Listed) -> Button {
    let seek = one.seeks.first();
    let game = seek.map(|seek| seek.game).or(game).or(GAMES.first());
    let name = game.map_or("GAME", |game| game.facts.name);
    let userid = &one.userid;
    Button {
        label: match seek {
            Some(seek) => format!("{userid} seeks {}", what_is_sought(seek)),
            None => format!("begins a game of {name} with {userid}"),
        },
        word: format!("{name} challenge {userid}"),
    }
}

/// How to begin a game with the first player of the list.
fn hint(game: Option<&Game>, listed: &[Listed], is_known: bool) -> String {
    let named = |game: Option<&Game>| {
        let first = GAMES.first();
        game.or(first).map_or("GAME", |game| game.facts.name)
    };
    let Some(first) = listed.first() else {
        let name = named(game);
        return match is_known {
            true => format!("Answer this mail with seek {name}: whoever comes then finds you in this list."),
            false => {
                format!("{name} seek says that you want to play: whoever comes then finds you in this list.")
            }
        };
    };
    let other = &first.userid;
    let name = first
        .seeks
        .first()
        .map_or(named(game), |seek| seek.game.facts.name);
    if is_known {
        return format!(
            "To begin a game, answer this mail with one of these lines, or with another game in it, alone on the first \
             line; or write {name} challenge me {other} as the subject of a mail."
        );
    }
    let takes = match first.seeks.first() {
        Some(seek) => format!(", who seeks {}", what_is_sought(seek)),
        None => String::new(),
    };
    format!(
        "{name} challenge USERID {other}, with your userid, begins a game with {other}{takes}. If you have no account \
         yet, write join: a mail asks for your name."
    )
}
