//! The page of a player, behind the private link: the boards that wait, all others, games to begin, and the settings.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::{GAMES, Seat};
use serde::{Deserialize, Serialize};

use pbmserv_core::command::{PageRequest, board_status, clock_until};
use pbmserv_core::letters::Times;
use pbmserv_core::store::{BoardFilter, Reader};
use pbmserv_core::table::{Board, COMPUTERS, Player, Preferences};

use super::access::Client;
use super::answer::{Kind, answer};
use super::fault::Fault;
use super::listed::Listed;
use super::press::{Did, form_number, shown_at};
use super::site::Site;
use super::times::times;
use super::viewer::Owner;

/// The most boards of a list.
const MAX_BOARDS: u32 = 100;

/// The most finished boards.
const MAX_FINISHED: u32 = 20;

/// The most open challenges of a game.
const MAX_SEEKS: usize = 10;

/// The most of the boards that wait which have a picture: each is loaded by itself.
const MAX_PICTURES: usize = 12;

/// A running board of the player.
#[derive(Serialize)]
struct Own {
    game: &'static str,
    title: &'static str,
    number: u32,
    other: String,
    /// Whose turn it is, and what is offered.
    status: String,
    until: Option<String>,
    since: String,
    queued: String,
    has_picture: bool,
    #[serde(skip)]
    at: Option<DateTime<Utc>>,
}

/// An open challenge of another player.
#[derive(Serialize)]
struct Seeking {
    game: &'static str,
    userid: String,
    options: String,
    rating: String,
}

/// The settings that a form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Settings {
    form: String,
    option: String,
    /// What is typed after the option.
    #[serde(default)]
    value: String,
}

/// A game that a form begins.
#[derive(Debug, Deserialize)]
pub(super) struct Beginning {
    form: String,
    game: String,
    opponent: String,
}

/// The page.
pub(super) async fn show(site: &Site, owner: Owner, did: Did) -> Result<Response, Fault> {
    page(site, owner, did, "").await
}

async fn page(site: &Site, owner: Owner, did: Did, refused: &str) -> Result<Response, Fault> {
    let (now, look) = (site.now(), owner.clone());
    let facts = site.look(move |reader| facts(reader, &look, &did, now)).await?;
    let settings = site.server.computers();
    let computers = COMPUTERS.iter().filter(|computer| settings.has(computer));
    let played = GAMES.iter().filter(|game| settings.play(game));
    let facts = context! {
        refused,
        form => form_number(),
        computers => computers.map(|computer| computer.userid).collect::<Vec<_>>(),
        played => played.map(|game| game.facts.name).collect::<Vec<_>>(),
        ..facts
    };
    Ok(answer(Kind::Html, site.page(&owner.viewer, "home.html", facts)?))
}

fn facts(reader: &Reader, owner: &Owner, did: &Did, now: DateTime<Utc>) -> Result<Value, Fault> {
    let (player, viewer) = (owner.player(), &owner.viewer);
    let times = times(reader, viewer, now)?;
    let filter = BoardFilter {
        player: Some(player.id),
        limit: MAX_BOARDS,
        ..BoardFilter::default()
    };
    let (mut waiting, mut running) = (Vec::new(), Vec::new());
    let ours = BoardFilter {
        running: Some(true),
        ..filter
    };
    for board in reader.boards(ours)? {
        let Some(seat) = board.seat_of(player.id) else {
            continue;
        };
        let own = own(reader, &board, seat, times)?;
        // An offer waits for an answer too.
        let is_asked = board.offer.is_some_and(|(_, by)| by != seat);
        match board.to_move == Some(seat) || is_asked {
            true => waiting.push(own),
            false => running.push(own),
        }
    }
    // The nearest deadline first; without one, last.
    waiting.sort_by_key(|board| (board.at.is_none(), board.at));
    for board in waiting.iter_mut().take(MAX_PICTURES) {
        board.has_picture = true;
    }
    let over = BoardFilter {
        running: Some(false),
        limit: MAX_FINISHED,
        ..filter
    };
    let preferences = reader.preferences(player.id)?;
    Ok(context! {
        did => did.said(reader, now)?,
        waiting => Value::from(Serde(waiting)),
        running => Value::from(Serde(running)),
        finished => Value::from(Serde(Listed::all(reader, viewer, over, times)?)),
        seeking => Value::from(Serde(seeking(reader, player, now)?)),
        games => GAMES.iter().map(|game| game.facts.name).collect::<Vec<_>>(),
        settings => context! {
            html => preferences.html,
            picture => preferences.picture,
            reminders => preferences.reminders,
            digest => preferences.digest,
            broadcasts => preferences.broadcasts,
            subjects => preferences.news_subjects,
            boards => preferences.both_boards,
            display => display(reader, player)?,
            web => !preferences.is_hidden,
            width => preferences.width,
            narrowest => Preferences::NARROWEST,
            widest => Preferences::WIDEST,
            zone => preferences.zone.name(),
        },
    })
}

/// Which of the two boards is drawn as text.
fn display(reader: &Reader, player: &Player) -> Result<&'static str, Fault> {
    let mut chosen = "";
    for game in GAMES {
        let word = reader.display(player.id, game)?.word();
        if !chosen.is_empty() && chosen != word {
            return Ok("by game");
        }
        chosen = word;
    }
    Ok(chosen)
}

fn own(reader: &Reader, board: &Board, seat: Seat, times: Times) -> Result<Own, Fault> {
    let until = match board.to_move.filter(|mover| *mover == seat) {
        Some(_) => clock_until(reader, board, seat, times.now)?,
        None => None,
    };
    Ok(Own {
        game: board.game.facts.name,
        title: board.game.facts.title,
        number: board.number,
        other: board.at(seat.other()).userid.clone(),
        status: board_status(board, Some(seat)),
        until: until.map(|until| times.brief(until)),
        since: times.brief(board.moved_at),
        queued: board.queue_of(seat).join(" "),
        has_picture: false,
        at: until,
    })
}

/// The open challenges of others.
fn seeking(reader: &Reader, player: &Player, now: DateTime<Utc>) -> Result<Vec<Seeking>, Fault> {
    let mut seeking = Vec::new();
    for game in GAMES {
        for seek in reader.seeks(game, MAX_SEEKS)? {
            if seek.player != player.id {
                seeking.push(Seeking {
                    game: game.facts.name,
                    rating: reader.standing(seek.player, game)?.rating_at(now).shown(),
                    options: seek.options.to_string(),
                    userid: seek.userid,
                });
            }
        }
    }
    Ok(seeking)
}

/// Changes a setting, as `set` does.
pub(super) async fn set(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Settings>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(wanted) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let asked = PageRequest {
        rest: format!("{} {}", wanted.option, wanted.value),
        ..owner.asks("set", &wanted.form, client)
    };
    done(&site, owner, asked).await
}

/// Begins a game, as `challenge` does.
pub(super) async fn begin(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Beginning>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(wanted) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let game = pbmserv_games::find(&wanted.game)
        .ok_or_else(|| Fault::unreadable("There is no such game, so nothing was done."))?;
    let asked = PageRequest {
        game: Some(game),
        rest: wanted.opponent,
        ..owner.asks("challenge", &wanted.form, client)
    };
    done(&site, owner, asked).await
}

/// Has it carried out, and shows the page again.
async fn done(site: &Site, owner: Owner, asked: PageRequest) -> Result<Response, Fault> {
    match shown_at(&owner.viewer.root, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => page(site, owner, Did::default(), &why).await,
    }
}
