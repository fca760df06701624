//! The forms of leagues, ladders and cups: each becomes the command that a mail would have.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::rejection::FormRejection;
use axum::extract::{Extension, Form, State};
use axum::response::Response;
use hyper::StatusCode;
use pbmserv_games::Game;
use serde::Deserialize;

use pbmserv_core::command::PageRequest;

use crate::web::access::Client;
use crate::web::fault::Fault;
use crate::web::press::{Did, shown_at};
use crate::web::site::Site;
use crate::web::viewer::Owner;

use super::cups::Wanted;
use super::{cup, cups, ladder, league};

/// The fields of all forms. Each form has some of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wish {
    form: String,
    r#do: String,
    game: String,
    /// Of a cup.
    name: String,
    /// Who is challenged or invited.
    userid: String,
    format: String,
    rounds: String,
    size: String,
    from: String,
    options: String,
    private: String,
}

impl Wish {
    fn of(form: Result<Form<Self>, FormRejection>) -> Result<Self, Fault> {
        let Form(wish) = form.map_err(|rejection| Fault::of_form(&rejection))?;
        Ok(wish)
    }

    fn game(&self) -> Result<&'static Game, Fault> {
        let none = || Fault::unreadable("There is no such game, so nothing was done.");
        pbmserv_games::find(&self.game).ok_or_else(none)
    }

    /// The name of a cup, if it can stand in an address.
    fn place(&self) -> Option<&str> {
        let name = self.name.trim();
        let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        Some(name).filter(|name| !name.is_empty() && name.chars().all(is_good))
    }

    /// What stands after `cup new`.
    fn new_cup(&self) -> String {
        let mut line = format!("new {} {} {}", self.name, self.game, self.options);
        let rounds = match self.format.as_str() {
            "swiss" => self.rounds.as_str(),
            _ => "",
        };
        for (name, value) in [
            ("format", self.format.as_str()),
            ("rounds", rounds),
            ("size", &self.size),
            ("from", &self.from),
        ] {
            if !value.trim().is_empty() {
                line.push_str(&format!(" --{name}={}", value.trim()));
            }
        }
        if !self.private.is_empty() {
            line.push_str(" --private");
        }
        line
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            name: self.name.clone(),
            game: self.game.clone(),
            format: self.format.clone(),
            rounds: self.rounds.clone(),
            size: self.size.clone(),
            from: self.from.clone(),
            options: self.options.clone(),
            is_private: !self.private.is_empty(),
        }
    }

    fn asks(
        &self,
        owner: &Owner,
        client: IpAddr,
        verb: &'static str,
        game: Option<&'static Game>,
        rest: String,
    ) -> PageRequest {
        PageRequest {
            game,
            rest,
            ..owner.asks(verb, &self.form, client)
        }
    }
}

fn unknown() -> Fault {
    Fault::unreadable("There is no such button, so nothing was done.")
}

/// A page that says why nothing was done.
fn not_done(page: Result<Response, Fault>) -> Result<Response, Fault> {
    let mut page = page?;
    *page.status_mut() = StatusCode::CONFLICT;
    Ok(page)
}

/// Joins or leaves a league, or its season too.
pub(super) async fn league(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Wish>, FormRejection>,
) -> Result<Response, Fault> {
    let wish = Wish::of(form)?;
    if !["join", "leave", "withdraw"].contains(&wish.r#do.as_str()) {
        return Err(unknown());
    }
    let game = wish.game()?;
    let asked = wish.asks(&owner, client, "league", Some(game), wish.r#do.clone());
    let page = format!("{}games/{}/league", owner.viewer.root, game.facts.name);
    match shown_at(&page, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => {
            let asked = league::Asked {
                game,
                season: None,
                from: 1,
            };
            not_done(league::page(&site, &owner.viewer, asked, Did::default(), &why).await)
        }
    }
}

/// Joins or leaves a ladder, or challenges somebody on it.
pub(super) async fn ladder(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Wish>, FormRejection>,
) -> Result<Response, Fault> {
    let wish = Wish::of(form)?;
    let game = wish.game()?;
    let rest = match wish.r#do.as_str() {
        "join" | "leave" => wish.r#do.clone(),
        "challenge" => format!("challenge {}", wish.userid),
        _ => return Err(unknown()),
    };
    let asked = wish.asks(&owner, client, "ladder", Some(game), rest);
    let page = format!("{}games/{}/ladder", owner.viewer.root, game.facts.name);
    match shown_at(&page, site.server.press(asked).await?) {
        Ok(shown) => shown,
        Err(why) => not_done(ladder::page(&site, &owner.viewer, game, 1, Did::default(), &why).await),
    }
}

/// Makes a cup, or does something in one.
pub(super) async fn cup(
    State(site): State<Arc<Site>>,
    Extension(Client(client)): Extension<Client>,
    owner: Owner,
    form: Result<Form<Wish>, FormRejection>,
) -> Result<Response, Fault> {
    let wish = Wish::of(form)?;
    let rest = match wish.r#do.as_str() {
        "new" => wish.new_cup(),
        "join" | "leave" | "end" => format!("{} {}", wish.r#do, wish.name),
        "invite" => format!("invite {} {}", wish.name, wish.userid),
        _ => return Err(unknown()),
    };
    let asked = wish.asks(&owner, client, "cup", None, rest);
    let root = &owner.viewer.root;
    // Who has left a private cup may not see it any more.
    let page = match wish.place() {
        Some(name) if !["leave", "end"].contains(&wish.r#do.as_str()) => format!("{root}cups/{name}"),
        _ => format!("{root}cups"),
    };
    let why = match shown_at(&page, site.server.press(asked).await?) {
        Ok(shown) => return shown,
        Err(why) => why,
    };
    let (viewer, name) = (&owner.viewer, wish.name.clone());
    if wish.r#do != "new" {
        match cup::page(&site, viewer, name, 0, Did::default(), &why).await {
            Err(fault) if fault.status == StatusCode::NOT_FOUND => {}
            page => return not_done(page),
        }
    }
    let wanted = match wish.r#do.as_str() {
        "new" => wish.wanted(),
        _ => Wanted::default(),
    };
    not_done(cups::page(&site, viewer, 0, Did::default(), wanted, &why).await)
}
