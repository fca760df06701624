//! Atom feeds (RFC 4287): of a board, a player, a game, the house, and of a player's own turns.

use std::sync::Arc;

use atom_syndication::{Entry, Feed, Link, Person, Text};
use axum::extract::{RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, NaiveTime, Utc};
use pbmserv_games::{By, Ending, Game, Outcome, Seat};

use pbmserv_core::command::{TurnSummary, board_ended};
use pbmserv_core::store::{BoardFilter, Gazette, Reader};
use pbmserv_core::table::{Board, End};

use super::answer::{Kind, answer};
use super::board::Place;
use super::fault::Fault;
use super::names::{is_shown, seen};
use super::site::Site;
use super::viewer::{Owner, Viewer};

/// The most entries of a feed.
pub(super) const MAX_ENTRIES: u32 = 40;

/// What a feed says once.
pub(super) struct About {
    pub(super) title: String,
    /// The page that it is about, below the root of the viewer.
    pub(super) page: String,
    /// Its own address, below the root.
    pub(super) own: String,
}

/// One thing that happened.
pub(super) struct Item {
    /// What it is, for ever: the end of its `tag:` URI (RFC 4151).
    pub(super) id: String,
    pub(super) title: String,
    pub(super) author: String,
    pub(super) at: DateTime<Utc>,
    /// The page, below the root of the viewer.
    pub(super) page: String,
}

pub(super) fn feed(
    site: &Site,
    viewer: &Viewer,
    about: About,
    items: &[Item],
    now: DateTime<Utc>,
) -> Response {
    let host = site.base.host_str().unwrap_or("localhost");
    let origin = site.base.origin().ascii_serialization();
    let url = |page: &str| format!("{origin}{}{page}", viewer.root);
    let tag = |id: &str| format!("tag:{host},2026:{}{id}", site.base.path().trim_start_matches('/'));
    let link = |rel: &str, page: &str, mime: &str| Link {
        href: url(page),
        rel: rel.to_owned(),
        mime_type: Some(mime.to_owned()),
        ..Link::default()
    };
    let person = |name: &str| Person {
        name: name.to_owned(),
        ..Person::default()
    };
    // An empty one is as old as the day, so that a program that has it is not sent it again each time.
    let today = now.date_naive().and_time(NaiveTime::MIN).and_utc();
    let updated = items.iter().map(|item| item.at).max().unwrap_or(today);
    let entries = items.iter().map(|item| Entry {
        title: Text::plain(item.title.clone()),
        id: tag(&item.id),
        updated: item.at.fixed_offset(),
        published: Some(item.at.fixed_offset()),
        authors: vec![person(&item.author)],
        links: vec![link("alternate", &item.page, "text/html")],
        ..Entry::default()
    });
    let feed = Feed {
        title: Text::plain(about.title),
        // The token of a private feed is no name of it.
        id: tag(&about.own),
        updated: updated.fixed_offset(),
        authors: vec![person(&site.server.name)],
        links: vec![
            link("self", &about.own, "application/atom+xml"),
            link("alternate", &about.page, "text/html"),
        ],
        entries: entries.collect(),
        ..Feed::default()
    };
    answer(Kind::Atom, feed.to_string())
}

fn name(board: &Board) -> String {
    let [first, second] = Seat::BOTH.map(|seat| &board.at(seat).userid);
    format!(
        "{} {}, {first} against {second}",
        board.game.facts.name, board.number
    )
}

fn page_of(board: &Board) -> String {
    format!("board/{}/{}", board.game.facts.name, board.number)
}

/// The turns of a board, each with what it did.
pub(super) async fn board(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    place: Place,
) -> Result<Response, Fault> {
    let (now, look) = (site.now(), viewer.clone());
    let items = site.look(move |reader| {
        let board = place.board(reader, &look)?;
        let turns = reader.turns(board.id)?;
        let mut position = board
            .game
            .start(&board.options)
            .map_err(|error| Fault::internal(&error))?;
        let first = turns.len().saturating_sub(MAX_ENTRIES as usize);
        let (at, mut items) = (page_of(&board), Vec::new());
        for (after, turn) in (1..).zip(&turns) {
            let before = (after > first).then(|| position.fork());
            position
                .play(&turn.text)
                .map_err(|error| Fault::internal(&error))?;
            let Some(before) = before else { continue };
            let told = TurnSummary::of(before.as_ref(), std::slice::from_ref(&turn.text));
            let author = &board.at(turn.seat).userid;
            items.push(Item {
                id: format!("{at}/event/{}", turn.event),
                title: told.sentence(author),
                author: author.clone(),
                at: turn.at,
                page: format!("{at}/{after}"),
            });
        }
        items.extend(end(&board));
        items.reverse();
        let about = About {
            title: name(&board),
            own: format!("{at}/feed.atom"),
            page: at,
        };
        Ok((about, items))
    });
    let (about, items) = items.await?;
    Ok(feed(&site, &viewer, about, &items, now))
}

pub(super) fn end(board: &Board) -> Option<Item> {
    let at = page_of(board);
    let end = board.end?;
    // A ruling on a game that is over is news: with the same entry readers would keep the old title.
    let what = match end {
        End::Void => "/void".to_owned(),
        End::Finished(Ending {
            outcome,
            by: By::Adjudication,
        }) => match outcome {
            Outcome::Drawn => "/ruling/draw".to_owned(),
            Outcome::Won(seat) => format!("/ruling/{}", seat.index() + 1),
        },
        _ => String::new(),
    };
    Some(Item {
        id: format!("{at}/end{what}"),
        title: format!("{}: {}", name(board), board_ended(board, end)),
        author: "the game".to_owned(),
        at: board.ended_at?,
        page: at,
    })
}

pub(super) fn begin(board: &Board) -> Item {
    let at = page_of(board);
    Item {
        id: format!("{at}/begin"),
        title: format!("{}: the game has begun", name(board)),
        author: board.at(Seat::First).userid.clone(),
        at: board.started_at,
        page: at,
    }
}

/// The beginnings and ends of the newest boards, the newest first.
fn events(reader: &Reader, viewer: &Viewer, filter: BoardFilter) -> Result<Vec<Item>, Fault> {
    let mut items = Vec::new();
    for running in [true, false] {
        let filter = BoardFilter {
            running: Some(running),
            limit: MAX_ENTRIES,
            ..filter
        };
        for board in reader.boards(filter)? {
            if !matches!(board.end, Some(End::Removed(_))) {
                let board = seen(reader, viewer, board)?;
                items.extend(end(&board));
                items.push(begin(&board));
            }
        }
    }
    items.sort_by_key(|item| std::cmp::Reverse(item.at));
    items.truncate(MAX_ENTRIES as usize);
    Ok(items)
}

/// What begins and ends in the house, or in one game.
pub(super) async fn house(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let named = params
        .iter()
        .find(|(name, _)| *name == "game")
        .map(|(_, text)| text);
    let game = match named {
        Some(text) => Some(pbmserv_games::find(text).ok_or_else(Fault::not_found)?),
        None => None,
    };
    let (now, look) = (site.now(), viewer.clone());
    let items = site.look(move |reader| {
        let filter = BoardFilter {
            game,
            ..BoardFilter::default()
        };
        events(reader, &look, filter)
    });
    let about = match game {
        Some(Game { facts, .. }) => About {
            title: format!("{}: {}", site.server.name, facts.title),
            page: format!("games/{}", facts.name),
            own: format!("games/{}/feed.atom", facts.name),
        },
        None => About {
            title: site.server.name.clone(),
            page: match viewer.key {
                Some(_) => "house".to_owned(),
                None => String::new(),
            },
            own: "feed.atom".to_owned(),
        },
    };
    Ok(feed(&site, &viewer, about, &items.await?, now))
}

/// What begins and ends with one player.
pub(super) async fn player(
    State(site): State<Arc<Site>>,
    viewer: Viewer,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let userid = params
        .iter()
        .find(|(name, _)| *name == "userid")
        .map(|(_, text)| text.to_owned());
    let (now, look) = (site.now(), viewer.clone());
    let items = site.look(move |reader| {
        let player = reader
            .player(&userid.unwrap_or_default())?
            .ok_or_else(Fault::not_found)?;
        if !is_shown(reader, &look, player.id)? {
            return Err(Fault::not_found());
        }
        let filter = BoardFilter {
            player: Some(player.id),
            ..BoardFilter::default()
        };
        Ok((player.userid, events(reader, &look, filter)?))
    });
    let (userid, items) = items.await?;
    let about = About {
        title: format!("{}: {userid}", site.server.name),
        page: format!("players/{userid}"),
        own: format!("players/{userid}/feed.atom"),
    };
    Ok(feed(&site, &viewer, about, &items, now))
}

/// The issues of the gazette.
pub(super) async fn gazette(State(site): State<Arc<Site>>, viewer: Viewer) -> Result<Response, Fault> {
    let (now, editor) = (site.now(), site.server.name.clone());
    let items = site.look(move |reader| {
        let issues = reader.gazettes(MAX_ENTRIES)?.into_iter();
        let item = |issue: Gazette| {
            let at = issue.published_at?;
            Some(Item {
                id: format!("gazette/{}", issue.number),
                title: format!("The gazette, number {}, {}", issue.number, at.format("%-d %B %Y")),
                author: editor.clone(),
                at,
                page: format!("gazette/{}", issue.number),
            })
        };
        Ok(issues.filter_map(item).collect::<Vec<_>>())
    });
    let about = About {
        title: format!("{}: the gazette", site.server.name),
        page: "gazette".to_owned(),
        own: "gazette.atom".to_owned(),
    };
    Ok(feed(&site, &viewer, about, &items.await?, now))
}

/// The boards where it is the player's turn.
pub(super) async fn turns(State(site): State<Arc<Site>>, owner: Owner) -> Result<Response, Fault> {
    let (now, player) = (site.now(), owner.player().id);
    let items = site.look(move |reader| {
        let filter = BoardFilter {
            player: Some(player),
            running: Some(true),
            is_to_move: true,
            limit: MAX_ENTRIES,
            ..BoardFilter::default()
        };
        let item = |board: &Board| Item {
            // Who gets a seat back is to move once more, at the position that their reader knows.
            id: format!(
                "{}/turn/{}/{}",
                page_of(board),
                board.events.position,
                board.moved_at.timestamp()
            ),
            title: format!("Your turn: {}", name(board)),
            author: match board.seat_of(player) {
                Some(seat) => board.at(seat.other()).userid.clone(),
                None => String::new(),
            },
            at: board.moved_at,
            page: format!("{}/turn", page_of(board)),
        };
        let mut items: Vec<_> = reader.boards(filter)?.iter().map(item).collect();
        items.sort_by_key(|item| std::cmp::Reverse(item.at));
        Ok(items)
    });
    let about = About {
        title: format!("{}: the turns of {}", site.server.name, owner.player().userid),
        page: String::new(),
        own: "turns.atom".to_owned(),
    };
    Ok(feed(&site, &owner.viewer, about, &items.await?, now))
}
