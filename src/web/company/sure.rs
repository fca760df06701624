//! What ends games, or takes a cup back, is asked once more.

use std::sync::Arc;

use axum::extract::{RawPathParams, State};
use axum::response::Response;
use chrono::{DateTime, Utc};
use minijinja::context;

use pbmserv_core::command::{capital, cup_made_by, is_annulled};
use pbmserv_core::store::{ContestKind, FullContest, Reader};

use crate::web::answer::{Kind, answer};
use crate::web::fault::Fault;
use crate::web::press::form_number;
use crate::web::site::Site;
use crate::web::viewer::{Owner, Viewer};

use super::place::{cup_in, game_in, open_cup};

/// A question whose yes is a form.
struct Question {
    title: String,
    sentence: String,
    /// The form, below the root; empty: there is nothing to ask.
    action: &'static str,
    /// The hidden fields.
    fields: Vec<(&'static str, String)>,
    yes: &'static str,
    no: &'static str,
    /// Where no leads, below the root.
    back: String,
}

impl Question {
    fn page(self, site: &Site, viewer: &Viewer) -> Result<Response, Fault> {
        let facts = context! {
            title => self.title,
            sentence => self.sentence,
            action => self.action,
            fields => self.fields,
            yes => self.yes,
            no => self.no,
            back => self.back,
            form => form_number(),
        };
        Ok(answer(Kind::Html, site.page(viewer, "sure.html", facts)?))
    }
}

/// What becomes of the games of a player who leaves a contest now; `None`: the player has left, or never was in it.
fn would_be(
    reader: &Reader,
    viewer: &Viewer,
    contest: &FullContest,
    now: DateTime<Utc>,
) -> Result<Option<String>, Fault> {
    let place = viewer.player().and_then(|player| contest.place_of(player.id));
    let has_left = |place: usize| {
        contest
            .entrants
            .get(place)
            .is_none_or(|entrant| entrant.left_at.is_some())
    };
    let Some(place) = place.filter(|place| !has_left(*place)) else {
        return Ok(None);
    };
    let mut running = 0;
    for board in contest.games_of(place).filter_map(|row| row.board) {
        let board = reader.board_by_id(board.id)?;
        running += usize::from(board.is_some_and(|board| board.end.is_none()));
    }
    let is_annulled = is_annulled(contest, place, now);
    Ok(Some(match (running, is_annulled) {
        (_, true) => {
            "Less than half of your games there are over: all of them count for nobody then.".to_owned()
        }
        (0, false) => "No game of yours runs there.".to_owned(),
        (1, false) => "Your game that runs there is lost then.".to_owned(),
        (many, false) => format!("Your {many} games that run there are lost then."),
    }))
}

/// Whether to leave a league and its season.
pub(super) async fn withdraw(
    State(site): State<Arc<Site>>,
    owner: Owner,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let (game, now, look) = (game_in(&params)?, site.now(), owner.viewer.clone());
    let found = site.look(move |reader| {
        let Some(player) = look.player() else {
            return Ok(Vec::new());
        };
        let mut said = Vec::new();
        for row in reader.contests_of(player.id, now)? {
            if std::ptr::eq(row.new.game, game) && matches!(row.new.kind, ContestKind::Division { .. }) {
                said.extend(would_be(reader, &look, &reader.filled(row)?, now)?);
            }
        }
        Ok(said)
    });
    let said = found.await?;
    let title = game.facts.bare_title();
    let question = match said.is_empty() {
        false => Question {
            title: format!("Do you leave the {title} league and its season?"),
            sentence: format!("{} This cannot be taken back.", said.join(" ")),
            action: "league",
            fields: vec![
                ("game", game.facts.name.to_owned()),
                ("do", "withdraw".to_owned()),
            ],
            yes: "Yes, leave",
            no: "No, play on",
            back: format!("games/{}/league", game.facts.name),
        },
        true => Question {
            title: format!("You play in no season of the {title} league now."),
            sentence: String::new(),
            action: "",
            fields: Vec::new(),
            yes: "",
            no: "Back to the league",
            back: format!("games/{}/league", game.facts.name),
        },
    };
    question.page(&site, &owner.viewer)
}

/// Whether to leave a cup that is played.
pub(super) async fn leave(
    State(site): State<Arc<Site>>,
    owner: Owner,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let (name, now, look) = (cup_in(&params)?, site.now(), owner.viewer.clone());
    let found = site.look(move |reader| {
        let contest = reader.filled(open_cup(reader, &look, &name)?)?;
        let said = would_be(reader, &look, &contest, now)?;
        Ok((contest, said))
    });
    let (contest, said) = found.await?;
    let row = &contest.row;
    let (is_asked, sentence) = match (row.begun_at, row.ended_at, said) {
        (_, Some(_), _) => (false, "It is over.".to_owned()),
        (_, _, None) => (false, "You do not play in it now.".to_owned()),
        (None, None, Some(_)) => (true, "It has not begun: you give your seat back.".to_owned()),
        (Some(_), None, Some(said)) => {
            let sentence = format!("{said} You play no further round. This cannot be taken back.");
            (true, sentence)
        }
    };
    let asks = ("leave", "Do you leave", "Yes, leave", "No, play on");
    of_cup(&contest, asks, is_asked, sentence)?.page(&site, &owner.viewer)
}

/// Whether to take a cup back.
pub(super) async fn end(
    State(site): State<Arc<Site>>,
    owner: Owner,
    params: RawPathParams,
) -> Result<Response, Fault> {
    let (name, look) = (cup_in(&params)?, owner.viewer.clone());
    let found = site.look(move |reader| Ok(reader.filled(open_cup(reader, &look, &name)?)?));
    let contest = found.await?;
    let (row, player) = (&contest.row, owner.player());
    let is_own = cup_made_by(row) == Some(player.id) || site.server.is_director(player);
    let (is_asked, sentence) = match (is_own, row.begun_at.or(row.ended_at), contest.entrants.len()) {
        (false, _, _) => (false, "It is not yours."),
        (true, Some(_), _) => (false, "It has begun: it runs by itself to its end."),
        (true, None, 0) => (true, "Nobody has joined it."),
        (true, None, _) => (true, "Who has joined it hears of it by mail."),
    };
    let asks = ("end", "Do you take back", "Yes, take it back", "No, keep it");
    of_cup(&contest, asks, is_asked, sentence.to_owned())?.page(&site, &owner.viewer)
}

fn of_cup(
    contest: &FullContest,
    (verb, asks, yes, no): (&str, &str, &'static str, &'static str),
    is_asked: bool,
    sentence: String,
) -> Result<Question, Fault> {
    let ContestKind::Cup { name, .. } = &contest.row.new.kind else {
        return Err(Fault::not_found());
    };
    let cup = contest.row.name();
    let back = format!("cups/{name}");
    Ok(match is_asked {
        true => Question {
            title: format!("{asks} {cup}?"),
            sentence,
            action: "cup",
            fields: vec![("name", name.clone()), ("do", verb.to_owned())],
            yes,
            no,
            back,
        },
        false => Question {
            title: capital(&cup),
            sentence,
            action: "",
            fields: Vec::new(),
            yes: "",
            no: "Back to the cup",
            back,
        },
    })
}
