//! `board turn|undo|void|end|reseat|clock`: what the operator rules on a board.

use serde::{Deserialize, Serialize};

use crate::command::operator::ruling::{self, Case};
use crate::engine::server::Server;
use crate::games::{self, Outcome, Seat};

use super::change::{Hand, Note, change};

/// What is ruled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ruling {
    /// A turn is played for a player.
    Turn {
        /// The userid.
        userid: String,
        /// The turn.
        turn: String,
    },
    /// The last turn is taken back.
    Undo,
    /// It ends and counts for nobody.
    Void,
    /// It ends, and counts.
    End(Verdict),
    /// A substitute takes a player's seat.
    Reseat {
        /// Who leaves it.
        from: String,
        /// Who takes it.
        to: String,
    },
    /// The player to move has so many days from now.
    Clock {
        /// How many.
        days: u32,
    },
}

/// How a game ends by decision.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, clap::ValueEnum)]
pub enum Verdict {
    /// The first player wins.
    First,
    /// The second player wins.
    Second,
    /// Nobody does.
    Draw,
}

impl Verdict {
    const fn outcome(self) -> Outcome {
        match self {
            Self::First => Outcome::Won(Seat::First),
            Self::Second => Outcome::Won(Seat::Second),
            Self::Draw => Outcome::Drawn,
        }
    }
}

/// Makes it so; gives what to print.
pub(super) async fn run(
    server: &Server,
    game: &str,
    number: u32,
    ruling: Ruling,
    hand: Hand,
) -> anyhow::Result<String> {
    let game = games::find(game).ok_or_else(|| anyhow::anyhow!("there is no game called {game}"))?;
    let about = format!("{} {number}", game.facts.name);
    let case = Case {
        game: game.facts.name.to_owned(),
        number,
        why: hand.why.clone(),
    };
    match ruling {
        Ruling::Turn { userid, turn } => {
            let note = Note::new("board turn", &about, format!("{turn} played for {userid}"));
            change(server, note, hand, move |context| {
                ruling::turn(context, &case, &userid, &turn)
            })
            .await
        }
        Ruling::Undo => {
            let note = Note::new("board undo", &about, "the last turn taken back");
            change(server, note, hand, move |context| ruling::undo(context, &case)).await
        }
        Ruling::Void => {
            let note = Note::new("board void", &about, "ended, and counts for nobody");
            change(server, note, hand, move |context| ruling::void(context, &case)).await
        }
        Ruling::End(verdict) => {
            let what = match verdict {
                Verdict::First => "ended: the first player has won",
                Verdict::Second => "ended: the second player has won",
                Verdict::Draw => "ended as a draw",
            };
            let note = Note::new("board end", &about, what);
            change(server, note, hand, move |context| {
                ruling::end(context, &case, verdict.outcome())
            })
            .await
        }
        Ruling::Reseat { from, to } => {
            let note = Note::new("board reseat", &about, format!("{to} in the place of {from}"));
            change(server, note, hand, move |context| {
                ruling::reseat(context, &case, &from, &to)
            })
            .await
        }
        Ruling::Clock { days } => {
            let what = format!("the player to move has {days} days from now");
            let note = Note::new("board clock", &about, what);
            change(server, note, hand, move |context| {
                ruling::clock(context, &case, days)
            })
            .await
        }
    }
}
