//! The commands that players write, and what each decides.
//!
//! A command decides and changes nothing: it reads through a [`Context`] and gives a [`Decision`], which
//! `dispatch` carries out. To add one, write its file in `verbs/`, then its `mod` line and its line in [`COMMANDS`];
//! help is printed from that list.
//!
//! The modules, each of which may use those before it:
//! - `vocabulary` describes a command; `context` and `proofs` are its input; `decision` and `refused` its result.
//! - `reading/`: parses text into commands, and masks passwords in what is shown of it.
//! - `wording/`: the sentences and tables of letters.
//! - `accounts/` and `playing/`: helpers that several commands share, for accounts and for boards.
//! - `verbs/`: the commands, a file each or one for a close family.
//! - `operator/`: decisions of the operator; `events/`: decisions without a command.
//!
//! Any function that reads the store can fail with an [`InternalError`]. `# Errors` names only other failures.

mod accounts;
mod context;
mod decide;
mod decision;
mod events;
pub(crate) mod operator;
mod playing;
mod proofs;
mod reading;
mod refused;
mod verbs;
mod vocabulary;
mod wording;

pub use context::{Context, Sender, Settings};
pub use decide::decide;
pub use decision::{Addressee, Change, Decision, Letter};
pub(crate) use events::clocks::{remind, time_is_up, vacation_is_over, warn};
pub(crate) use events::confirm::confirm;
pub(crate) use events::leave::leave;
pub use proofs::{Proof, Proofs, Secret, Tokens};
pub use reading::batch::{Batch, Entry};
pub use reading::echo::Echo;
pub use reading::line::{Line, Misread};
pub use reading::reply::SeatCommands;
pub use reading::script::Script;
pub use reading::word::Word;
pub use refused::{InternalError, RefusalKind, Refused, Undecided};
pub(crate) use verbs::forgot::good_until;
use verbs::{
    addresses, all, block, challenge, change, chat, forgot, games, help, history, message, play, preview,
    queue, record, resign, seek, set, show, signoff, signup, standings, submit, taking, vacation, watch,
};
pub(crate) use vocabulary::VerbMatch;
pub use vocabulary::{AnswerWord, Argument, Command, Commands, Form, InAnswer, Run, Scope, Trailing};
pub(crate) use wording::board::{about as board_about, status as board_status};
pub(crate) use wording::digest::{digest, next_digest};
pub(crate) use wording::listing::table as board_table;
pub(crate) use wording::refusals::{
    dead_letter, echo as echo_of, expected_letter, in_short, misread_letter, nothing_letter, refusal_letter,
};

/// Every command, in the order of the help.
pub static COMMANDS: Commands = Commands(&[
    &help::HELP,
    &signup::SIGNUP,
    &addresses::ADD,
    &addresses::REMOVE,
    &change::CHANGE,
    &forgot::FORGOT,
    &forgot::RESET,
    &block::BLOCK,
    &block::UNBLOCK,
    &message::MESSAGE,
    &message::BROADCAST,
    &vacation::VACATION,
    &signoff::SIGNOFF,
    &signoff::DELETE,
    &games::LIST,
    &all::ALL,
    &challenge::CHALLENGE,
    &seek::SEEK,
    &taking::ACCEPT,
    &taking::REJECT,
    &taking::LIMIT,
    &play::MOVE,
    &queue::QUEUE,
    &submit::SUBMIT,
    &submit::CONFIRM,
    &resign::RESIGN,
    &preview::PREVIEW,
    &show::SHOW,
    &show::SHOWAS,
    &games::GAMES,
    &history::HISTORY,
    &record::RECORD,
    &standings::STANDINGS,
    &chat::CHAT,
    &watch::SUBSCRIBE,
    &watch::UNSUBSCRIBE,
    &watch::NOTIFY,
    &set::SET,
]);
