//! Players who can be challenged now: those with an open challenge, and those who wrote lately.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::GAMES;

use crate::command::InternalError;
use crate::store::{Audience, Reader, Seek};
use crate::table::{PlayerId, Standing};

/// How long ago a player of the list of those who are here may have written.
pub(crate) const HERE: TimeDelta = TimeDelta::weeks(4);

/// The same for the few whom the welcome names.
const HERE_LATELY: TimeDelta = TimeDelta::weeks(1);

/// The open challenges of a game among which the nearest are chosen.
const MAX_COMPARED: u32 = 50;

/// The most players of each kind that the welcome names.
const MAX_NAMED: usize = 5;

/// The few players whom a newcomer may challenge at once.
pub(crate) struct Company {
    /// Open challenges, one a player, whose players have ratings near the newcomer's.
    pub seeks: Vec<(Seek, Standing)>,
    /// Userids of others who wrote lately, the last first.
    pub others: Vec<(PlayerId, String)>,
}

impl Company {
    /// For a player, who may be about to get an account.
    pub(crate) fn of(
        store: &Reader,
        reader: Option<PlayerId>,
        now: DateTime<Utc>,
    ) -> Result<Self, InternalError> {
        let since = |ago| Audience {
            reader,
            since: now - ago,
        };
        let mut seeks = Vec::new();
        for game in GAMES {
            let own = match reader {
                Some(reader) => store.standing(reader, game)?,
                None => Standing::default(),
            };
            for seek in store.seeks_here(game, since(HERE), MAX_COMPARED)? {
                let standing = store.standing(seek.player, game)?;
                let distance = (standing.rating_at(now).value - own.rating_at(now).value).abs();
                seeks.push((distance, seek, standing));
            }
        }
        seeks.sort_by(|(one, a, _), (other, b, _)| one.total_cmp(other).then(a.since.cmp(&b.since)));
        let mut named: Vec<PlayerId> = Vec::new();
        seeks.retain(|(_, seek, _)| {
            let is_new = !named.contains(&seek.player) && named.len() < MAX_NAMED;
            named.extend(is_new.then_some(seek.player));
            is_new
        });
        let most = u32::try_from(2 * MAX_NAMED).unwrap_or(u32::MAX);
        let mut others = store.players_here(None, since(HERE_LATELY), most)?;
        others.retain(|(player, _)| !named.contains(player));
        others.truncate(MAX_NAMED);
        Ok(Self {
            seeks: seeks
                .into_iter()
                .map(|(_, seek, standing)| (seek, standing))
                .collect(),
            others,
        })
    }
}

/// The ratings of a player in the games that they have finished: `Pow2 1623, Forms 1498`; empty without any.
pub(crate) fn ratings(store: &Reader, player: PlayerId, now: DateTime<Utc>) -> Result<String, InternalError> {
    let mut ratings = Vec::new();
    for game in GAMES {
        let standing = store.standing(player, game)?;
        if standing.rated_at.is_some() {
            ratings.push(format!("{} {}", game.facts.name, standing.rating_at(now).shown()));
        }
    }
    Ok(ratings.join(", "))
}

/// What an open challenge is for, as part of a sentence: `a game of Pow2`, `2 games of Forms with -size=5`.
pub(crate) fn what_is_sought(seek: &Seek) -> String {
    let boards = match seek.left_over {
        1 => "a game".to_owned(),
        count => format!("{count} games"),
    };
    let with = match written(seek) {
        text if text.is_empty() => String::new(),
        text => format!(" with {text}"),
    };
    format!("{boards} of {}{with}", seek.game.facts.name)
}

/// The options and terms of an open challenge as a player types them.
pub(crate) fn written(seek: &Seek) -> String {
    let mut words = vec![seek.options.to_string()];
    words.extend(seek.terms.words());
    words.retain(|word| !word.is_empty());
    words.join(" ")
}
