//! What the server tells its directors by itself.

use crate::command::{Context, Decision, Letter, Undecided};
use crate::letters::Listing;
use crate::table::PlayerId;

use super::operate::news;

/// A sentence to each director who can be reached.
pub fn directors(context: &Context<'_>, subject: &str, sentence: &str) -> Result<Decision, Undecided> {
    to_each(context, |director| {
        news(director, subject.to_owned(), sentence.to_owned(), "")
    })
}

/// The summary of a week to each director: how the server is, and what `pbmserv stats` counts.
pub fn summary(context: &Context<'_>, state: &str, counted: &str) -> Result<Decision, Undecided> {
    to_each(context, |director| {
        let listing = Listing {
            subject: "pbmserv this week".to_owned(),
            sentence: state.to_owned(),
            table: counted.trim_end().to_owned(),
            ..Listing::default()
        };
        Letter::news(director, listing.into())
    })
}

fn to_each(context: &Context<'_>, letter: impl Fn(PlayerId) -> Letter) -> Result<Decision, Undecided> {
    let mut letters = Vec::new();
    for userid in &context.settings.directors {
        if let Some(director) = context.store.player(userid)?
            && context.is_reachable(director.id)?
        {
            letters.push(letter(director.id));
        }
    }
    Ok(Decision {
        letters,
        ..Decision::default()
    })
}
