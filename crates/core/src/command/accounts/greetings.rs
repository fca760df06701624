//! The letters about an account that is ready.

use chrono::TimeDelta;
use pbmserv_games::GAMES;

use crate::command::wording::opponents::{Company, ratings, what_is_sought};
use crate::command::wording::served::games;
use crate::command::{Context, InternalError};
use crate::letters::{Done, Opening, Welcome};
use crate::store::Seek;
use crate::table::{COMPUTERS, PlayerId, Standing};

/// For how long an invitation can be answered: long enough for a newcomer who reads mail on some weekends, and not so
/// long that a mail that is passed on begins games for ever.
pub(crate) const INVITED_FOR: TimeDelta = TimeDelta::weeks(2);

/// The reply to a `confirm` for an address that is already confirmed.
pub(crate) fn already(userid: &str) -> Done {
    Done {
        subject: format!("Welcome back, {userid}"),
        sentence: format!("This address is confirmed already, {userid}."),
        hint: "Try help, or help tutorial.".into(),
    }
}

/// The greeting of a player whose account is ready. The account may be about to be made: then it has no number yet.
pub(crate) fn welcome(
    context: &Context<'_>,
    userid: &str,
    player: Option<PlayerId>,
) -> Result<Welcome, InternalError> {
    let (store, now) = (context.store, context.now);
    let company = Company::of(store, player, now)?;
    let opening = |(seek, standing): &(_, Standing)| {
        let seek: &Seek = seek;
        let rating = match standing.rated_at {
            Some(_) => format!(" (rating {})", standing.rating_at(now).shown()),
            None => String::new(),
        };
        Opening {
            line: format!("{} challenge {}", seek.game.facts.name, seek.userid),
            does: format!("{} seeks {}{rating}", seek.userid, what_is_sought(seek)),
        }
    };
    let game = GAMES.iter().find(|game| context.settings.computers.play(game));
    let computer = COMPUTERS.iter().find(|one| context.settings.computers.has(one));
    let practice = game.zip(computer).map(|(game, computer)| Opening {
        line: format!("{} challenge {}", game.facts.name, computer.userid),
        does: format!(
            "{} is a computer, for a first game; it answers within a minute",
            computer.userid
        ),
    });
    let mut here = Vec::new();
    for (player, userid) in &company.others {
        here.push(match ratings(store, *player, now)? {
            none if none.is_empty() => userid.clone(),
            some => format!("{userid} ({some})"),
        });
    }
    Ok(Welcome {
        userid: userid.to_owned(),
        openings: practice
            .into_iter()
            .chain(company.seeks.iter().map(opening))
            .collect(),
        here: here.join(", "),
        until: context.times(player)?.day(now + INVITED_FOR),
        games: games(),
        game: GAMES.first().map_or("", |game| game.facts.name).to_owned(),
        has_pages: context.settings.has_pages,
    })
}
