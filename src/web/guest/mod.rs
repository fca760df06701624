//! Playing now, without an account: a game against the weakest computer, of which nothing is stored.
//!
//! The address carries the game with a tag that only this server can make (`seal`), so each step is a link, and opening one
//! changes nothing and thinks nothing. A turn is a form: it is played, the computer answers in the visitors' place
//! (`engine/thinking/guests.rs`), and the browser is sent to the game with both turns. The same form has the same answer.

mod facts;
mod seal;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Extension, Form, Query, RawPathParams, State};
use axum::response::Response;
use axum::routing::{get, post};
use hyper::StatusCode;
use minijinja::context;
use pbmserv_games::{GAMES, Game, Seat};
use serde::Deserialize;

use crate::engine::thinking::NoAnswer;
use pbmserv_core::table::GuestGame;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::fault::Fault;
use super::join::Joining;
use super::site::Site;
use super::viewer::Viewer;
use facts::Wanted;

/// The longest game that goes on here, as text in bytes: its address must fit a request twice, as itself and as what links.
const MAX_GAME: usize = 4000;

pub(super) fn routes(base: &str) -> Router<Arc<Site>> {
    Router::new()
        .route(&format!("{base}play"), get(which))
        .route(&format!("{base}play/{{game}}"), get(show).post(play))
        .route(&format!("{base}play/{{game}}/keep"), post(keep))
}

/// What stands in the address, or in the form.
#[derive(Debug, Default, Deserialize)]
struct Given {
    /// The game so far, sealed; empty: it begins.
    #[serde(default)]
    so: String,
    /// The turn so far.
    #[serde(default)]
    turn: String,
    /// Whether the board is larger than a telephone's screen.
    #[serde(default)]
    large: bool,
}

/// The form that keeps a game.
#[derive(Debug, Deserialize)]
struct Keeping {
    so: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    address: String,
}

impl Site {
    /// Whether visitors can play this game now.
    pub(super) fn plays_now(&self, game: &Game) -> bool {
        let computers = self.server.computers();
        self.is_public && computers.has(GuestGame::opponent()) && computers.play(game)
    }
}

/// The games that can be played; the one for a beginner leads.
async fn which(State(site): State<Arc<Site>>) -> Result<Response, Fault> {
    let mut played: Vec<_> = GAMES.iter().filter(|game| site.plays_now(game)).collect();
    let first = site.server.computers().first_game().map(|game| game.facts.name);
    played.sort_by_key(|game| Some(game.facts.name) != first);
    let games: Vec<_> = played
        .into_iter()
        .map(|game| context! { name => game.facts.name, title => game.facts.title, summary => game.facts.summary })
        .collect();
    if games.is_empty() {
        return Err(Fault::not_found());
    }
    let facts = context! { games, other => GuestGame::opponent().userid };
    let page = site.page(&Viewer::public(&site), "play_which.html", facts)?;
    Ok(answer(Kind::Html, page))
}

/// The game of the path.
fn game_of(site: &Site, params: &RawPathParams) -> Result<&'static Game, Fault> {
    let name = params.iter().find(|(name, _)| *name == "game");
    let game = name.and_then(|(_, name)| pbmserv_games::find(name));
    game.filter(|game| site.plays_now(game))
        .ok_or_else(Fault::not_found)
}

fn opened(site: &Site, game: &'static Game, sealed: &str) -> Result<GuestGame, Fault> {
    seal::open(&site.server.key, game, sealed).ok_or_else(|| {
        Fault::unreadable("The address of this game is cut off or changed. Go back, or begin a new game.")
    })
}

/// The board, and how the turn goes on.
async fn show(
    State(site): State<Arc<Site>>,
    params: RawPathParams,
    given: Result<Query<Given>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(Given { so, turn, large }) = given.map_err(|_| Fault::not_found())?;
    let game = opened(&site, game_of(&site, &params)?, &so)?;
    page(
        &site,
        game,
        Wanted {
            turn,
            is_large: large,
            ..Wanted::default()
        },
    )
    .await
}

/// Plays a turn, and the computer's answer to it.
async fn play(
    State(site): State<Arc<Site>>,
    params: RawPathParams,
    form: Result<Form<Given>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(Given { so, turn, .. }) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let game = opened(&site, game_of(&site, &params)?, &so)?;
    let (before, text) = (game.clone(), turn.clone());
    let played = site.look(move |_| played(before, &text)).await?;
    let refuse = async |refused: String, status| {
        let wanted = Wanted {
            turn,
            refused,
            ..Wanted::default()
        };
        refusal(&site, game, wanted, status).await
    };
    let mut played = match played {
        Ok(played) => played,
        Err(why) => return refuse(why, StatusCode::CONFLICT).await,
    };
    match site.server.thinking.answer_visitor(&played).await {
        Ok(turns) => played.turns.extend(turns),
        Err(NoAnswer::Busy) => {
            let why = format!(
                "{} plays with many others now, so nothing was played. Try again.",
                GuestGame::opponent().userid
            );
            return refuse(why, StatusCode::SERVICE_UNAVAILABLE).await;
        }
        Err(NoAnswer::Left) => {
            let why = format!(
                "{} cannot go on after this turn: that is a fault of the server, which its operators see. Play another one.",
                GuestGame::opponent().userid
            );
            return refuse(why, StatusCode::CONFLICT).await;
        }
        Err(NoAnswer::Fault(why)) => return Err(Fault::internal(&why)),
    }
    let so = seal::seal(&site.server.key, &played);
    see(&format!("{}?so={so}", path(&site, &played)))
}

/// Keeps the game for whoever reads the mail of an address, and asks there for a name.
async fn keep(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    params: RawPathParams,
    form: Result<Form<Keeping>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(Keeping { so, name, address }) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let game = opened(&site, game_of(&site, &params)?, &so)?;
    let keeping = Joining { name, address };
    if !game.can_be_kept() {
        return Err(Fault::not_found());
    }
    let kept = Some(game.clone()).filter(|game| !game.turns.is_empty());
    match keeping.send(&site, kept, client).await? {
        Ok(sent) => Ok(sent),
        Err(refused) => {
            let wanted = Wanted {
                refused,
                keeping: Some(keeping),
                ..Wanted::default()
            };
            refusal(&site, game, wanted, StatusCode::CONFLICT).await
        }
    }
}

/// The page of a game with the reason why a form did nothing.
async fn refusal(
    site: &Site,
    game: GuestGame,
    wanted: Wanted,
    status: StatusCode,
) -> Result<Response, Fault> {
    let mut page = page(site, game, wanted).await?;
    *page.status_mut() = status;
    Ok(page)
}

/// The path of a game's page.
fn path(site: &Site, game: &GuestGame) -> String {
    format!("{}play/{}", site.base.path(), game.game.facts.name)
}

/// The game after this turn of the visitor, or several in a row; `Err`: why there is none.
fn played(mut game: GuestGame, text: &str) -> Result<Result<GuestGame, String>, Fault> {
    let replayed = game.record().replay().map_err(|error| Fault::internal(&error))?;
    let mut position = replayed.position;
    if position.to_move() != Some(Seat::First) {
        return Ok(Err("This game is over.".to_owned()));
    }
    if game.text().len() > MAX_GAME {
        let why = "This game has become too long for this page: keep it, and it goes on by mail.";
        return Ok(Err(why.to_owned()));
    }
    Ok(match position.play_all(text) {
        Ok(turns) => {
            game.turns.extend(turns);
            Ok(game)
        }
        Err(refusal) => Err(format!("Nothing was played. {}", refusal.reason)),
    })
}

async fn page(site: &Site, game: GuestGame, wanted: Wanted) -> Result<Response, Fault> {
    // Without one each page of a game with dice would be of another game.
    let so = match game.turns.is_empty() && game.dice.is_none() {
        true => String::new(),
        false => seal::seal(&site.server.key, &game),
    };
    let here = path(site, &game);
    let facts = site
        .look(move |_| facts::facts(&game, (&here, &so), &wanted))
        .await?;
    let page = site.page(&Viewer::public(site), "play.html", facts)?;
    Ok(answer(Kind::Html, page))
}
