//! The facts of the page of a visitor's game.

use minijinja::{Value, context};
use pbmserv_games::record::Replayed;
use pbmserv_games::{Display, Outcome, Seat};

use crate::web::board::told;
use crate::web::fault::Fault;
use crate::web::join::Joining;
use crate::web::turn::{Choosing, Chosen};
use pbmserv_core::table::GuestGame;

/// What a page is asked for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The turn so far.
    pub(super) turn: String,
    /// Whether the board is larger than a telephone's screen.
    pub(super) is_large: bool,
    /// Why a form did nothing; empty if none was sent.
    pub(super) refused: String,
    /// The form that would have kept the game.
    pub(super) keeping: Option<Joining>,
}

/// The facts of the page of this game, which has this path and is sealed as this text.
pub(super) fn facts(game: &GuestGame, (here, so): (&str, &str), wanted: &Wanted) -> Result<Value, Fault> {
    let then = game.record().replay().map_err(|error| Fault::internal(&error))?;
    let facts = game.game.facts;
    let other = GuestGame::opponent().userid;
    let at = format!("?so={so}&turn=");
    let choosing = Choosing {
        then: &then,
        seat: Seat::First,
        other,
        here,
        at: &at,
        is_large: wanted.is_large,
    };
    let board_facts = match then.to_move() {
        Some(_) => Chosen::of(choosing, &wanted.turn)?.facts(&wanted.turn),
        None => context! {
            here => Value::from_safe_string(here.to_owned()),
            picture => Value::from_safe_string(then.picture().svg()),
            drawing => then.position.draw(Display::Small),
        },
    };
    let result = then.position.outcome().map(|outcome| match outcome {
        Outcome::Won(Seat::First) => "You won!".to_owned(),
        Outcome::Won(Seat::Second) => format!("{other} won."),
        Outcome::Drawn => "It is a draw.".to_owned(),
    });
    Ok(context! {
        game => context! {
            name => facts.name,
            title => facts.title,
            summary => facts.summary,
            has_dice => facts.has_dice,
        },
        is_new => game.turns.is_empty(),
        can_be_kept => game.can_be_kept() && !game.turns.is_empty(),
        gives_word => false,
        other,
        so,
        side => facts.sides[Seat::First.index()],
        told => told_to_visitor(&then, other),
        result,
        refused => wanted.refused.as_str(),
        keeping => wanted.keeping.as_ref().map(|Joining { name, address }| context! { name, address }),
        ..board_facts
    })
}

/// The last turn in words; empty at the start.
fn told_to_visitor(then: &Replayed, other: &str) -> String {
    let (before, last) = then.last();
    match before.to_move() {
        _ if last.is_empty() => String::new(),
        Some(Seat::First) => told(then, "You"),
        _ => told(then, other),
    }
}
