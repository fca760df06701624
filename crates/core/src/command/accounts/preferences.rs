//! How a player wants mails.

use chrono::TimeDelta;

use crate::command::wording::digest::{digest, next_digest};
use crate::command::wording::gazette::next_search;
use crate::command::{Change, Context, InternalError, Letter};
use crate::table::{Player, Preferences};

/// How far back the first issue of the gazette looks.
const FIRST_WEEK: TimeDelta = TimeDelta::weeks(1);

/// Changes the settings of a player. If that ends the daily mail, the news collected for it is sent at once.
pub(crate) fn prefer(
    context: &Context<'_>,
    player: &Player,
    preferences: Preferences,
) -> Result<(Vec<Change>, Vec<Letter>), InternalError> {
    let before = context.store.preferences(player.id)?;
    if preferences == before {
        return Ok((Vec::new(), Vec::new()));
    }
    let player_id = player.id;
    let mut changes = vec![Change::Preferences {
        player: player_id,
        preferences,
    }];
    let mut letters = Vec::new();
    if preferences.digest != before.digest {
        let hour = context.settings.digest_hour;
        changes.push(Change::Digest {
            player: player_id,
            due_at: preferences.digest.then(|| next_digest(context.now, hour)),
        });
        if before.digest && !context.store.digest_news(player_id)?.is_empty() {
            let since = context.store.digested_at(player_id)?.unwrap_or(context.now);
            let (letter, shown) = digest(context.store, player, since, context.now)?.unzip();
            letters.extend(letter);
            changes.extend(shown);
        }
    }
    if preferences.gazette && !before.gazette {
        changes.push(Change::PlanGazette {
            since: context.now - FIRST_WEEK,
            due_at: next_search(context.now, context.settings.digest_hour),
        });
    }
    Ok((changes, letters))
}
