//! The page of a player, behind the private link: the boards that wait, all others, games to begin, and the settings.

use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::GAMES;
use serde::{Deserialize, Serialize};

use pbmserv_core::command::{PageRequest, TURNS_BEFORE_INVITING, board_status, notice_said};
use pbmserv_core::letters::Times;
use pbmserv_core::store::{BoardFilter, PROPOSED_FOR, Reader};
use pbmserv_core::table::{COMPUTERS, Player, Preferences};

use crate::engine::forms::FormOutcome;

use super::access::Client;
use super::answer::{Kind, answer, see};
use super::company::own_facts;
use super::fault::Fault;
use super::listed::Listed;
use super::press::{Did, form_number, shown_at};
use super::questions::{offers, questions};
use super::sifted::Sifted;
use super::site::Site;
use super::times::times;
use super::viewer::Owner;
use super::waiting::{OwnBoard, own_boards};

/// The most finished boards.
const MAX_FINISHED: u32 = 20;

/// The most open challenges of a game.
const MAX_SEEKS: usize = 10;

/// The most of the boards that wait which have a picture: each is loaded by itself.
const MAX_PICTURES: usize = 12;

/// The boards of a list; the others are found by choosing a game or a player.
const MAX_ROWS: usize = 60;

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
    planned: String,
    has_picture: bool,
}

/// An open challenge of another player.
#[derive(Serialize)]
struct Seeking {
    game: &'static str,
    userid: String,
    options: String,
    rating: String,
}

/// An open challenge of the player.
#[derive(Serialize)]
struct Sought {
    game: &'static str,
    boards: u32,
    options: String,
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

/// What the other forms send.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    form: String,
    /// Empty for a vacation.
    #[serde(default)]
    game: String,
    /// What follows the verb: a player, an address, how many boards or days.
    #[serde(alias = "opponent", alias = "address", alias = "boards", alias = "days")]
    what: String,
    #[serde(default)]
    options: String,
}

/// The page.
pub(super) async fn show(site: &Site, owner: Owner, did: Did, sifted: Sifted) -> Result<Response, Fault> {
    page(site, owner, did, sifted, "").await
}

async fn page(site: &Site, owner: Owner, did: Did, sifted: Sifted, refused: &str) -> Result<Response, Fault> {
    let (now, look) = (site.now(), owner.clone());
    let facts = site.look(move |reader| facts(reader, &look, &did, &sifted, now));
    let facts = facts.await?;
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

fn facts(
    reader: &Reader,
    owner: &Owner,
    did: &Did,
    sifted: &Sifted,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let (player, viewer) = (owner.player(), &owner.viewer);
    let times = times(reader, viewer, now)?;
    let (mut waiting, mut running) = own_boards(reader, owner, now)?;
    let waiting_count = waiting.len();
    let choices = sifted.choices(&waiting.iter().chain(&running).collect::<Vec<_>>());
    let offers = offers(reader, player, &waiting)?;
    sifted.sift(&mut waiting);
    sifted.sift(&mut running);
    let shown = |boards: Vec<OwnBoard>| boards.iter().map(|own| Own::of(own, times)).collect::<Vec<_>>();
    let (mut waiting, mut running) = (shown(waiting), shown(running));
    let more = [&mut waiting, &mut running].map(|boards| {
        let more = boards.len().saturating_sub(MAX_ROWS);
        boards.truncate(MAX_ROWS);
        more
    });
    for board in waiting.iter_mut().take(MAX_PICTURES) {
        board.has_picture = true;
    }
    let over = BoardFilter {
        running: Some(false),
        limit: MAX_FINISHED,
        player: Some(player.id),
        ..BoardFilter::default()
    };
    let preferences = reader.preferences(player.id)?;
    Ok(context! {
        did => did.said(reader, now)?,
        waiting => Value::from(Serde(waiting)),
        waiting_count,
        more,
        choices => Value::from(Serde(choices)),
        offers => Value::from(Serde(offers)),
        questions => Value::from(Serde(questions(reader, player, times, now)?)),
        sought => Value::from(Serde(sought(reader, player)?)),
        company => own_facts(reader, player.id, times, now)?,
        vacation => reader.vacation(player.id)?.map(|vacation| times.said(vacation.ends_at)),
        can_invite => reader.has_played(player.id, TURNS_BEFORE_INVITING)?,
        running => Value::from(Serde(running)),
        finished => Value::from(Serde(Listed::all(reader, viewer, over, times)?)),
        seeking => Value::from(Serde(seeking(reader, player, now)?)),
        games => GAMES.iter().map(|game| game.facts.name).collect::<Vec<_>>(),
        settings => context! {
            html => preferences.html,
            picture => preferences.picture,
            reminders => preferences.reminders,
            reminder_days => preferences.reminder_days.to_string(),
            quiet => preferences.quiet.to_string(),
            autovacation => preferences.has_automatic_vacation,
            digest => preferences.digest,
            forced => preferences.plays_forced,
            broadcasts => preferences.broadcasts,
            subjects => preferences.news_subjects,
            boards => preferences.both_boards,
            display => display(reader, player)?,
            web => !preferences.is_hidden,
            gazette => preferences.gazette,
            named => preferences.is_named,
            width => preferences.width,
            narrowest => Preferences::NARROWEST,
            widest => Preferences::WIDEST,
            zone => preferences.zone.name(),
            notify => notice_said(reader.notice_target(player.id)?.as_ref()),
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

impl Own {
    fn of(own: &OwnBoard, times: Times) -> Self {
        let OwnBoard { board, seat, until } = own;
        Self {
            game: board.game.facts.name,
            title: board.game.facts.title,
            number: board.number,
            other: board.at(seat.other()).userid.clone(),
            status: board_status(board, Some(*seat)),
            until: until.map(|until| times.brief(until)),
            since: times.brief(board.moved_at),
            planned: board
                .plan_of(*seat)
                .map(|plan| {
                    plan.as_queue()
                        .map_or_else(|| plan.to_line(), |turns| turns.join(" "))
                })
                .unwrap_or_default(),
            has_picture: false,
        }
    }
}

/// The player's own open challenges.
fn sought(reader: &Reader, player: &Player) -> Result<Vec<Sought>, Fault> {
    let mut sought = Vec::new();
    for game in GAMES {
        let seek = reader.seek(player.id, game)?;
        sought.extend(seek.map(|seek| Sought {
            game: game.facts.name,
            boards: seek.left_over,
            options: seek.options.to_string(),
        }));
    }
    Ok(sought)
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

/// The button that says no to a question.
#[derive(Debug, Deserialize)]
pub(super) struct No {
    row: i64,
}

/// Says no to a question.
pub(super) async fn say_no(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<No>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(No { row }) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let (player, since) = (owner.player().id, site.now() - PROPOSED_FOR);
    let open = site
        .look(move |reader| Ok(reader.proposals_to(player, since)?))
        .await?;
    if !open.iter().any(|question| question.id == row) {
        let why = "That question has ended: there is nothing to say yes or no to.";
        return page(&site, owner, Did::default(), Sifted::default(), why).await;
    }
    let outcome = site.server.say_no(row, owner.player(), client).await?;
    said(&site, owner, outcome).await
}

/// Does what this verb does.
pub(super) async fn ask(
    verb: &'static str,
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Wish>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(wish) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let game = pbmserv_games::find(&wish.game);
    if game.is_none() && !wish.game.is_empty() {
        return Err(Fault::unreadable("There is no such game, so nothing was done."));
    }
    let asked = PageRequest {
        game,
        rest: format!("{} {}", wish.what, wish.options),
        ..owner.asks(verb, &wish.form, client)
    };
    let (Some(game), "challenge") = (game, verb) else {
        return done(&site, owner, asked).await;
    };
    // Whoever begins a game moves first.
    let outcome = site.server.press(asked).await?;
    let FormOutcome::Done(mark) = &outcome else {
        return said(&site, owner, outcome).await;
    };
    let newest = BoardFilter {
        game: Some(game),
        player: Some(owner.player().id),
        running: Some(true),
        limit: 1,
        ..BoardFilter::default()
    };
    let begun = site.look(move |reader| Ok(reader.boards(newest)?)).await?;
    match begun.first() {
        Some(board) => see(&format!(
            "{}board/{}/{}/turn?did={mark}",
            owner.viewer.root, game.facts.name, board.number
        )),
        None => said(&site, owner, outcome).await,
    }
}

/// Has it carried out, and shows the page again.
async fn done(site: &Site, owner: Owner, asked: PageRequest) -> Result<Response, Fault> {
    let outcome = site.server.press(asked).await?;
    said(site, owner, outcome).await
}

async fn said(site: &Site, owner: Owner, outcome: FormOutcome) -> Result<Response, Fault> {
    match shown_at(&owner.viewer.root, outcome) {
        Ok(shown) => shown,
        Err(why) => page(site, owner, Did::default(), Sifted::default(), &why).await,
    }
}
