//! The seasons of leagues: who plays in which division, and who is in the league no longer.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use pbmserv_games::Options;

use crate::command::events::contests::{FEWEST, can_play};
use crate::command::{Context, InternalError, Letter};
use crate::letters::{Button, Listing};
use crate::seasons::{Format, divisions, reordered};
use crate::store::{ContestKind, League, NewContest};
use crate::table::PlayerId;

/// A season of a league that begins.
pub(crate) struct NewSeason {
    pub(crate) number: u32,
    /// The divisions, the strongest first, each with its players by rating; none if there are too few.
    pub(crate) divisions: Vec<(NewContest, Vec<(PlayerId, f64)>)>,
    /// Who played no turn in the last one, and is in the league no longer.
    pub(crate) idle: Vec<PlayerId>,
    /// When the next one begins.
    pub(crate) next: DateTime<Utc>,
}

/// The season of a league that begins now.
pub(crate) fn season(context: &Context<'_>, league: &League) -> Result<NewSeason, InternalError> {
    let settings = &context.settings.company;
    let next = settings.next_season(context.now, context.settings.digest_hour);
    let (mut last, mut idle) = (Vec::new(), Vec::new());
    for row in context.store.divisions(league.game, league.season)? {
        let contest = context.store.filled(row)?;
        let rows = contest.facts().tables().into_iter().flat_map(|table| table.rows);
        last.push(
            rows.map(|row| contest.entrants[row.entrant].player)
                .collect::<Vec<_>>(),
        );
        for (place, entrant) in contest.entrants.iter().enumerate() {
            let mut games = contest
                .games_of(place)
                .filter(|row| row.board.is_some())
                .peekable();
            let had_games = games.peek().is_some();
            let has_played = games.any(|row| {
                let moved = row.board.map_or([false; 2], |board| board.has_moved);
                moved[usize::from(row.pairing.first != place)]
            });
            if had_games && !has_played {
                idle.push(entrant.player);
            }
        }
    }
    let members = context.store.league_members(league.game)?;
    let known: HashSet<_> = members.iter().copied().collect();
    idle.retain(|id| known.contains(id));
    let is_idle: HashSet<_> = idle.iter().copied().collect();
    let mut members_here = Vec::new();
    for id in members {
        if !is_idle.contains(&id) && can_play(context, id)? {
            let rating = context.store.standing(id, league.game)?.rating.value;
            members_here.push((id, rating));
        }
    }
    let mut none = NewSeason {
        number: league.season,
        divisions: Vec::new(),
        idle,
        next,
    };
    if members_here.len() < FEWEST || settings.seasons.is_empty() {
        return Ok(none);
    }
    let rating_of: HashMap<PlayerId, f64> = members_here.iter().copied().collect();
    let before: HashSet<PlayerId> = last.iter().flatten().copied().collect();
    let mut newcomers: Vec<_> = members_here
        .iter()
        .filter(|(id, _)| !before.contains(id))
        .collect();
    newcomers.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let newcomers: Vec<_> = newcomers.into_iter().map(|(id, _)| *id).collect();
    let order = reordered(&last, |id: PlayerId| rating_of.contains_key(&id), &newcomers);
    let number = league.season + 1;
    let mut rest = order.as_slice();
    for (division, size) in (1..).zip(divisions(order.len())) {
        let (own, others) = rest.split_at(size.min(rest.len()));
        rest = others;
        let mut players: Vec<_> = own
            .iter()
            .map(|id| (*id, rating_of.get(id).copied().unwrap_or_default()))
            .collect();
        players.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        none.divisions.push((
            NewContest {
                game: league.game,
                kind: ContestKind::Division {
                    season: number,
                    division,
                },
                format: Format::League,
                seats: u32::try_from(size).unwrap_or(u32::MAX),
                options: Options::none(league.game.facts),
                terms: settings.league_terms(),
                begins_at: context.now,
            },
            players,
        ));
    }
    none.number = number;
    Ok(none)
}

/// What somebody hears who has left a league since they played no turn.
pub(crate) fn idle_letter(
    context: &Context<'_>,
    league: &League,
    id: PlayerId,
) -> Result<Option<Letter>, InternalError> {
    let Some(player) = context.store.player_by_id(id)? else {
        return Ok(None);
    };
    let (title, name) = (league.game.facts.bare_title(), league.game.facts.name);
    let letter = Listing {
        subject: format!("{name} league {}", player.userid),
        sentence: format!(
            "You are in the {title} league no longer, {}: you played no turn in its last season. You are welcome again \
             in any season.",
            player.userid
        ),
        action: Some(Button {
            label: "Join again".to_owned(),
            word: format!("{name} league join"),
        }),
        ..Listing::default()
    };
    Ok(Some(Letter::news(id, letter.into())))
}
