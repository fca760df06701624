//! What the buttons do: each form becomes the verb of the command line.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::response::Response;
use clap::ValueEnum as _;
use serde::Deserialize;

use crate::admin::Verb;
use crate::admin::board::{BoardArgs, BoardResult, BoardVerb, TableResult};
use crate::admin::queue::{QueueVerb, Retry};
use crate::admin::sure::Sure;
use crate::admin::user::{AddressVerb, UserVerb};
use crate::admin::{PerhapsWhy, Why};
use crate::web::Fault;
use crate::web::answer::see;

use super::desk::{Desk, capitalised};
use super::gate::sent_before;
use super::queue::retried;
use super::sessions::{Said, Visit};
use super::shown::in_address;

/// The longest reason, in characters.
const MAX_REASON: usize = 500;

/// The fields of all forms. Each form has some of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Act {
    r#do: String,
    form: String,
    why: String,
    number: String,
    r#box: String,
    state: String,
    game: String,
    userid: String,
    to: String,
    turn: String,
    result: String,
    days: String,
    address: String,
}

/// A verb, and the page that shows what it did.
struct Ordered {
    verb: Verb,
    page: String,
}

impl Act {
    /// One line: a reason stands in a letter and in the audit log.
    fn reason(&self) -> Result<String, Fault> {
        let reason = self.why.split_whitespace().collect::<Vec<_>>().join(" ");
        if reason.chars().count() > MAX_REASON {
            return Err(Fault::unreadable(format!(
                "The reason is longer than {MAX_REASON} characters, so nothing was done."
            )));
        }
        Ok(reason)
    }

    /// The reason of a ruling, which its players read.
    fn why(&self) -> Result<Why, Fault> {
        let why = self.reason()?;
        match why.is_empty() {
            true => Err(Fault::unreadable(
                "The reason is missing, so nothing was done. It goes to the players and into the audit log.",
            )),
            false => Ok(Why { why }),
        }
    }

    fn order(&self) -> Result<Ordered, Fault> {
        match self.r#do.split_once(' ') {
            Some(("queue", verb)) => self.of_queue(verb),
            Some(("board", verb)) => self.of_board(verb),
            Some(("user", verb)) => self.of_user(verb),
            _ => Err(unknown()),
        }
    }

    fn of_queue(&self, verb: &str) -> Result<Ordered, Fault> {
        let inbox = self.r#box == "in";
        let which = if inbox { "in" } else { "out" };
        let why = self.reason()?;
        if verb == "retry all" {
            let sure = Sure {
                dry_run: false,
                yes: true,
            };
            return match self.state.as_str() {
                "waiting" | "held" | "failed" => Ok(Ordered {
                    verb: retried(inbox, &self.state, why, sure),
                    page: format!("/queue?box={which}&state={}", self.state),
                }),
                _ => Err(unknown()),
            };
        }
        let number = number(&self.number)?;
        let verb = match verb {
            "retry" => QueueVerb::Retry(Retry {
                inbox,
                ..Retry::of(Some(number), why)
            }),
            "drop" => QueueVerb::Drop {
                number,
                inbox,
                why: PerhapsWhy { why },
            },
            "hold" if !inbox => QueueVerb::Hold {
                number,
                why: PerhapsWhy { why },
            },
            _ => return Err(unknown()),
        };
        Ok(Ordered {
            verb: Verb::Queue(verb),
            page: format!("/queue/{which}/{number}"),
        })
    }

    fn of_board(&self, verb: &str) -> Result<Ordered, Fault> {
        let game = pbmserv_games::find(&self.game).ok_or_else(unknown)?.facts.name;
        let board = BoardArgs {
            game: game.to_owned(),
            number: number(&self.number)?,
        };
        let page = format!("/boards/{game}/{}", board.number);
        let why = self.why()?;
        let verb = match verb {
            "turn" => BoardVerb::Turn {
                board,
                userid: self.userid.trim().to_owned(),
                turn: self.turn.trim().to_owned(),
                why,
            },
            "undo" => BoardVerb::Undo { board, why },
            "void" => BoardVerb::Void { board, why },
            "end" => BoardVerb::End {
                board,
                result: match self.result.as_str() {
                    "first" => BoardResult::First,
                    "second" => BoardResult::Second,
                    "draw" => BoardResult::Draw,
                    _ => {
                        return Err(Fault::unreadable(
                            "Nobody is chosen as the winner, so nothing was done.",
                        ));
                    }
                },
                why,
            },
            "table" => BoardVerb::Table {
                board,
                result: TableResult::from_str(&self.result, false)
                    .map_err(|_| Fault::unreadable("How it counts is not chosen, so nothing was done."))?,
                why,
            },
            "reseat" => BoardVerb::Reseat {
                board,
                from: self.userid.trim().to_owned(),
                to: self.to.trim().to_owned(),
                why,
            },
            "clock" => BoardVerb::Clock {
                board,
                days: number(&self.days)?,
                why,
            },
            _ => return Err(unknown()),
        };
        Ok(Ordered {
            verb: Verb::Board(verb),
            page,
        })
    }

    fn of_user(&self, verb: &str) -> Result<Ordered, Fault> {
        let (userid, why) = (self.userid.trim().to_owned(), self.why()?);
        let page = format!("/players/{}", in_address(&userid));
        let verb = match verb {
            "disable" => UserVerb::Disable { userid, why },
            "enable" => UserVerb::Enable { userid, why },
            "address add" => UserVerb::Address(AddressVerb::Add {
                userid,
                address: self.address.trim().to_owned(),
                confirmed: false,
                why,
            }),
            "address remove" => UserVerb::Address(AddressVerb::Remove {
                userid,
                address: self.address.trim().to_owned(),
                why,
            }),
            _ => return Err(unknown()),
        };
        Ok(Ordered {
            verb: Verb::User(verb),
            page,
        })
    }
}

fn unknown() -> Fault {
    Fault::unreadable("There is no such button, so nothing was done.")
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Fault> {
    let number = text.trim().parse();
    number.map_err(|_| Fault::unreadable("A number is missing, or is none, so nothing was done."))
}

/// Does what a form asks for, once, and shows the page that says so.
pub(super) async fn act(
    State(desk): State<Arc<Desk>>,
    Extension(visit): Extension<Visit>,
    form: Result<Form<Act>, FormRejection>,
) -> Result<Response, Fault> {
    let Form(act) = form.map_err(|rejection| Fault::of_form(&rejection))?;
    let Ordered { verb, mut page } = act.order()?;
    if !desk.sessions.take(&visit.token, &act.form) {
        return Err(sent_before());
    }
    let answer = desk.run(verb).await;
    let said = Said {
        is_done: answer.code == 0,
        sentence: match answer.code {
            0 => capitalised(&answer.out) + ".",
            _ => format!("Nothing was done: {}.", answer.err.trim().trim_end_matches('.')),
        },
    };
    desk.sessions.note(&visit.token, &act.form, said);
    let before = if page.contains('?') { '&' } else { '?' };
    // Writing to a string cannot fail.
    let _ = write!(page, "{before}said={}", act.form);
    see(&page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(r#do: &str) -> Act {
        Act {
            r#do: r#do.to_owned(),
            number: "101".to_owned(),
            game: "pow2".to_owned(),
            userid: "alice".to_owned(),
            days: "3".to_owned(),
            result: "draw".to_owned(),
            why: " it was\r\nagreed ".to_owned(),
            ..Act::default()
        }
    }

    #[test]
    fn each_button_is_a_verb_with_its_reason_in_one_line() {
        for order in [
            "board turn",
            "board undo",
            "board void",
            "board end",
            "board table",
            "board reseat",
            "board clock",
            "user disable",
            "user enable",
            "user address add",
            "user address remove",
            "queue retry",
            "queue drop",
            "queue hold",
        ] {
            let verb = act(order).order().unwrap().verb;
            let json = serde_json::to_string(&verb).unwrap();
            assert!(json.contains("\"why\":\"it was agreed\""), "{json}");
        }
    }

    #[test]
    fn a_mail_received_is_never_taken_for_one_to_send() {
        for (r#box, expected) in [("in", true), ("out", false)] {
            for order in ["queue retry", "queue drop"] {
                let of = Act {
                    r#box: r#box.to_owned(),
                    ..act(order)
                };
                let Ordered { verb, page } = of.order().unwrap();
                let json = serde_json::to_string(&verb).unwrap();
                assert!(json.contains(&format!("\"inbox\":{expected}")), "{json}");
                assert_eq!(page, format!("/queue/{box}/101"));
            }
        }
        let held = Act {
            r#box: "in".to_owned(),
            ..act("queue hold")
        };
        assert!(held.order().is_err());
    }

    #[test]
    fn no_ruling_is_without_a_reason_and_nothing_else_is_a_verb() {
        for order in ["board end", "board table", "board void", "user disable"] {
            let empty = Act {
                why: " \n".to_owned(),
                ..act(order)
            };
            assert!(empty.order().is_err(), "{order}");
        }
        for order in [
            "",
            "board",
            "board erase",
            "user erase",
            "queue retry all",
            "serve",
            "user passwd",
        ] {
            assert!(act(order).order().is_err(), "{order}");
        }
        let long = Act {
            why: "x".repeat(MAX_REASON + 1),
            ..act("board void")
        };
        assert!(long.order().is_err());
    }
}
