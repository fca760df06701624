//! `board`: the boards. A doc comment of a verb or an argument is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

pub(super) mod show;

use clap::{Args, Subcommand, ValueEnum};
use pbmserv_games::{Game, Outcome, Seat};
use serde::{Deserialize, Serialize};

use crate::engine::server::Server;
use pbmserv_core::command::operator::ruling::{self, Case};
use pbmserv_core::command::{Context, Decision, Undecided};
use pbmserv_core::store::TableRuling;

use super::audit::change;
use super::caller::Caller;
use super::caller::Why;

#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum BoardVerb {
    /// List the running boards, of one game or of all.
    List {
        /// The game.
        game: Option<String>,
        /// Include the finished boards.
        #[arg(long)]
        all: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one board with its turns.
    Show {
        #[command(flatten)]
        board: BoardArgs,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Play a turn for a player.
    Turn {
        #[command(flatten)]
        board: BoardArgs,
        /// The userid.
        userid: String,
        /// The turn.
        #[arg(allow_hyphen_values = true)]
        turn: String,
        #[command(flatten)]
        why: Why,
    },
    /// Take the last turn back.
    Undo {
        #[command(flatten)]
        board: BoardArgs,
        #[command(flatten)]
        why: Why,
    },
    /// Make a board void, so that it counts for nobody. Also for a board that does not replay, or is finished.
    Void {
        #[command(flatten)]
        board: BoardArgs,
        #[command(flatten)]
        why: Why,
    },
    /// End a board by your decision. It counts for the ratings as any other game.
    End {
        #[command(flatten)]
        board: BoardArgs,
        /// The winner: the first or the second player, or nobody.
        result: BoardResult,
        #[command(flatten)]
        why: Why,
    },
    /// Decide how a game counts in the table of its league or cup, whatever its board says. The board itself stays.
    Table {
        #[command(flatten)]
        board: BoardArgs,
        /// How it counts.
        result: TableResult,
        #[command(flatten)]
        why: Why,
    },
    /// Give the seat of a player to a substitute, who gets the full time.
    Reseat {
        #[command(flatten)]
        board: BoardArgs,
        /// The userid of the player who leaves.
        from: String,
        /// The userid of the substitute.
        to: String,
        #[command(flatten)]
        why: Why,
    },
    /// Give the player to move more time.
    Clock {
        #[command(flatten)]
        board: BoardArgs,
        /// This many days from now.
        #[arg(long, value_name = "N")]
        days: u32,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub struct BoardArgs {
    /// The game.
    pub game: String,
    /// The number of the board.
    pub number: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum BoardResult {
    /// The first player wins.
    First,
    /// The second player wins.
    Second,
    /// Nobody wins.
    Draw,
}

#[derive(Clone, Copy, Debug, ValueEnum, Serialize, Deserialize)]
pub enum TableResult {
    /// Won by the first player.
    First,
    /// Won by the second player.
    Second,
    /// Drawn.
    Draw,
    /// Lost by both.
    None,
    /// As if it had not been.
    Void,
    /// As its board ended: takes an earlier decision back.
    Played,
}

impl TableResult {
    const fn ruling(self) -> Option<TableRuling> {
        match self {
            Self::First => Some(TableRuling::Won(Seat::First)),
            Self::Second => Some(TableRuling::Won(Seat::Second)),
            Self::Draw => Some(TableRuling::Drawn),
            Self::None => Some(TableRuling::BothLost),
            Self::Void => Some(TableRuling::Void),
            Self::Played => None,
        }
    }
}

/// Decides a ruling on a board.
type Decide = Box<dyn FnOnce(&Context<'_>, &Case) -> Result<Decision, Undecided> + Send>;

impl BoardVerb {
    pub(super) async fn run(self, server: &Server, caller: Caller) -> anyhow::Result<String> {
        let (board, why, verb, what, decide): (BoardArgs, Why, &str, String, Decide) = match self {
            Self::List { game, all, json } => return show::list(server, game.as_deref(), all, json),
            Self::Show { board, json } => return show::show(server, board.game()?, board.number, json),
            Self::Turn {
                board,
                userid,
                turn,
                why,
            } => {
                let what = format!("{turn} played for {userid}");
                let decide: Decide =
                    Box::new(move |context, case| ruling::turn(context, case, &userid, &turn));
                (board, why, "board turn", what, decide)
            }
            Self::Undo { board, why } => {
                let what = "the last turn taken back".to_owned();
                (board, why, "board undo", what, Box::new(ruling::undo))
            }
            Self::Void { board, why } => {
                let what = "ended, and counts for nobody".to_owned();
                (board, why, "board void", what, Box::new(ruling::void))
            }
            Self::End { board, result, why } => {
                let (outcome, what) = match result {
                    BoardResult::First => (Outcome::Won(Seat::First), "ended: the first player has won"),
                    BoardResult::Second => (Outcome::Won(Seat::Second), "ended: the second player has won"),
                    BoardResult::Draw => (Outcome::Drawn, "ended as a draw"),
                };
                let decide = move |context: &Context<'_>, case: &Case| ruling::end(context, case, outcome);
                (board, why, "board end", what.to_owned(), Box::new(decide))
            }
            Self::Table { board, result, why } => {
                let ruling = result.ruling();
                let what = match ruling {
                    Some(ruling) => format!("counts in its table as: {}", ruling.word()),
                    None => "counts in its table as it was played".to_owned(),
                };
                let decide = move |context: &Context<'_>, case: &Case| ruling::table(context, case, ruling);
                (board, why, "board table", what, Box::new(decide))
            }
            Self::Reseat { board, from, to, why } => {
                let what = format!("{to} in the place of {from}");
                let decide: Decide = Box::new(move |context, case| ruling::reseat(context, case, &from, &to));
                (board, why, "board reseat", what, decide)
            }
            Self::Clock { board, days, why } => {
                let what = format!("the player to move has {days} days from now");
                let decide = move |context: &Context<'_>, case: &Case| ruling::clock(context, case, days);
                (board, why, "board clock", what, Box::new(decide))
            }
        };
        let game = board.game()?.facts.name;
        let case = Case {
            game: game.to_owned(),
            number: board.number,
            why: why.why.clone(),
        };
        let about = format!("{game} {}", board.number);
        let entry = caller.audited(verb, &about, what, why.why);
        change(server, entry, move |context, _| decide(context, &case)).await
    }
}

impl BoardArgs {
    fn game(&self) -> anyhow::Result<&'static Game> {
        show::find(&self.game)
    }
}
