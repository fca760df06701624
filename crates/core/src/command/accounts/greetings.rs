//! The letters about an account that is ready.

use chrono::TimeDelta;
use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Game};

use crate::command::wording::opponents::{Company, ratings, what_is_sought};
use crate::command::{Context, InternalError};
use crate::letters::{Content, Done, Opening, Welcome};
use crate::store::Seek;
use crate::table::{PlayerId, Standing};

/// For how long an invitation can be answered, that of the server in a letter and that of a player: long enough for a newcomer who reads mail on some weekends, and not so
/// long that a mail that is passed on begins games for ever.
pub(crate) const INVITED_FOR: TimeDelta = TimeDelta::weeks(2);

/// The reply to a `confirm` for an address that is already confirmed.
pub(crate) fn already(userid: &str) -> Done {
    Done {
        subject: format!("Welcome back, {userid}"),
        sentence: format!("This address is confirmed already, {userid}."),
        hint: "To begin a game, write help tutorial.".into(),
    }
}

/// The greeting of a player whose account is ready. The account may be about to be made: then it has no number yet.
pub(crate) fn welcome(
    context: &Context<'_>,
    userid: &str,
    player: Option<PlayerId>,
) -> Result<Content, InternalError> {
    let (store, now) = (context.store, context.now);
    let company = Company::of(store, player, now)?;
    let opening = |(seek, standing): &(_, Standing)| {
        let seek: &Seek = seek;
        let rating = match standing.rated_at {
            Some(_) => format!(" (rating {})", standing.rating_at(now).shown()),
            None => String::new(),
        };
        let name = seek.game.facts.name;
        Opening {
            title: format!("{name} with {}", seek.userid),
            line: format!("{name} challenge {}", seek.userid),
            does: format!("{} seeks {}{rating}", seek.userid, what_is_sought(seek)),
        }
    };
    let computers = &context.settings.computers;
    let computer = computers.easiest();
    let against = |game: &Game| {
        let computer = computer.filter(|_| computers.play(game))?;
        Some(format!("{} challenge {}", game.facts.name, computer.userid))
    };
    let first_game = computer.and_then(|_| computers.first_game());
    let first = first_game.zip(computer).map(|(game, computer)| Opening {
        title: format!("{} against {}", game.facts.title, computer.userid),
        line: against(game).unwrap_or_default(),
        does: game.facts.summary.to_owned(),
    });
    let mut here = Vec::new();
    for (player, userid) in &company.others {
        here.push(match ratings(store, *player, now)? {
            none if none.is_empty() => userid.clone(),
            some => format!("{userid} ({some})"),
        });
    }
    let picture = first_game.and_then(|game| Record::worked(game).ok());
    let letter = Welcome {
        userid: userid.to_owned(),
        first,
        openings: company.seeks.iter().map(opening).collect(),
        here: here.join(", "),
        until: context.times(player)?.day(now + INVITED_FOR),
        games: GAMES
            .iter()
            .map(|game| Opening {
                title: game.facts.title.to_owned(),
                line: against(game).unwrap_or_else(|| format!("{} seek", game.facts.name)),
                does: game.facts.summary.to_owned(),
            })
            .collect(),
        game: GAMES.first().map_or("", |game| game.facts.name).to_owned(),
        has_pages: context.settings.has_pages,
    };
    Ok(Content::from(letter).showing(picture.map(|record| record.to_string())))
}
