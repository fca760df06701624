//! The commands that players write, and what each decides.
//!
//! A command decides and changes nothing: it reads through a [`Context`] and gives a [`Decision`], which
//! `dispatch` carries out. To add one, write its file in `verbs/`, then its `mod` line and its line in [`COMMANDS`];
//! help is printed from that list.
//!
//! The modules, each of which may use those before it:
//! - `vocabulary` describes a command; `context`, `proofs`, `guessing` and `letter_answered` are its input; `decision`, `refused` and
//!   `unchecked` its result.
//! - `reading/`: parses text into commands, and masks passwords in what is shown of it.
//! - `wording/`: the sentences and tables of letters.
//! - `accounts/` and `playing/`: helpers that several commands share, for accounts and for boards.
//! - `verbs/`: the commands, a file each or one for a close family.
//! - `operator/`: decisions of the operator; `events/`: decisions without a command.
//!
//! Any function that reads the store can fail with an [`InternalError`]. `# Errors` names only other failures.

mod accounts;
mod company_change;
mod context;
mod decide;
mod decision;
mod events;
mod guessing;
mod letter_answered;
pub mod operator;
mod playing;
mod proofs;
mod reading;
mod reason;
mod refused;
mod sender;
mod unchecked;
mod verbs;
mod vocabulary;
mod wording;

pub(crate) use accounts::addresses::{DAYS_TO_CONFIRM, was_asked};
pub(crate) use accounts::greetings::INVITED_FOR;
pub(crate) use accounts::joining::{NameGiven, ask_on_page, ask_sender, join_on_page, named, still_asked};
pub use accounts::notify::shown as notice_said;
pub(crate) use accounts::notify::{CODE_CHARS as NOTICE_CODE_CHARS, given_up as notices_given_up};
pub use company_change::CompanyChange;
pub use context::{CompanySettings, ComputerSettings, Context, Settings};
pub use decide::decide;
pub use decision::{Addressee, Change, Decision, Letter, Topic, Weight};
pub(crate) use events::clocks::{pause_is_over, remind, time_is_up, vacation_is_over, warn};
pub(crate) use events::confirm::{Answered, answered, several_open};
pub(crate) use events::contests::{ContestStep, contest_step, end_letters, failed_letters, round_letters};
pub(crate) use events::gazette::{NAME_ME, solve};
pub(crate) use events::leave::{has_ended, leave};
pub(crate) use events::own_words::{Offer, game_against, offered};
pub(crate) use events::postmaster::postmaster;
pub(crate) use events::seasons::{idle_letter, season};
pub use guessing::{GuessLimits, Guesser, TooMany};
pub use letter_answered::LetterAnswered;
pub(crate) use playing::advice::{hint, no_advice, no_hint, review};
pub(crate) use playing::computer::{leave as computer_leaves, play as computer_plays};
pub(crate) use playing::contests::game_begins;
pub use playing::contests::is_annulled;
pub(crate) use playing::kept::keep;
pub use playing::proposals;
pub use playing::trying::{Tried, TriedTurn, line_in_path, line_of_path, walked};
pub(crate) use playing::turns::is_word_of_a_match;
pub use proofs::{Proof, Proofs, Tokens};
pub use reading::batch::{Batch, Entry};
pub use reading::daily::{Part, Parts, WhichBoard};
pub use reading::echo::Echo;
pub use reading::first_lines::{Doubt, SeatCommands};
pub(crate) use reading::intent::wish::{Opponent, Wish};
pub(crate) use reading::intent::{Intent, Meant};
pub use reading::invitation::InvitedLine;
pub use reading::line::{Line, Misread};
pub(crate) use reading::name::{first_line, name_in};
pub use reading::page::{PAGE_DOOR, PageRequest};
pub use reading::script::Script;
pub use reading::typed::is_typed;
pub use reading::word::Word;
pub use reading::yes_no::YesNo;
pub(crate) use reason::Reason;
pub use refused::{InternalError, RefusalKind, Refused, Undecided, UnplayedTurn};
pub use sender::{Belief, Sender};
pub use unchecked::{Secret, Unchecked};
pub use verbs::cup::{made_by as cup_made_by, may_see as may_see_cup};
pub(crate) use verbs::export::export_button;
pub(crate) use verbs::forgot::good_until;
pub use verbs::help::{every_command, help_on};
pub use verbs::invite::TURNS_BEFORE as TURNS_BEFORE_INVITING;
pub(crate) use verbs::invite::challenge as challenge_of_invitation;
pub use verbs::ladder::{
    OPEN_AT_ONCE as CHALLENGES_AT_ONCE, open_to as open_on_ladder, ranking as ladder_ranking,
};
pub(crate) use vocabulary::VerbMatch;
pub use vocabulary::{
    About, AnswerWord, Argument, Command, Commands, Form, InAnswer, Run, Scope, Trailing, WithoutPassword,
};
pub use wording::board::{
    about as board_about, ended as board_ended, last_turns as board_turns, legal_turn, record_after,
    status as board_status, subject as board_subject,
};
pub use wording::clock::{
    MoverClock, deadline_since, mover_clock, other_clocks, until as clock_until, warned_at,
};
pub(crate) use wording::digest::{digest, next_digest, which_letter};
pub use wording::gazette::{Issue, seeking as gazette_seeking, sought as gazette_sought};
pub(crate) use wording::gazette::{
    appears as gazette_appears, gazette, is_empty as is_gazette_empty, next_search as next_gazette_search,
};
pub use wording::grid::{Grid, GridCell, GridRow, crosstable, points, swiss};
pub(crate) use wording::headline::{InboxLine, inbox_line};
pub use wording::listing::table as board_table;
pub use wording::news::offered_words;
pub(crate) use wording::refusals::{
    dead_letter, echo as echo_of, in_short, misread, misread_letter, refusal_letter,
};
pub use wording::tables::{OwnTable, capital, is_frozen, ordinal, own_tables};
pub use wording::turn_summary::TurnSummary;
pub(crate) use wording::unread::{doubt_letter, expected_letter, nothing_letter};

/// Every command, in the order of the help.
pub static COMMANDS: Commands = Commands(&[
    &verbs::help::HELP,
    &verbs::signup::SIGNUP,
    &verbs::addresses::ADD,
    &verbs::addresses::REMOVE,
    &verbs::change::CHANGE,
    &verbs::forgot::FORGOT,
    &verbs::forgot::RESET,
    &verbs::block::BLOCK,
    &verbs::block::UNBLOCK,
    &verbs::mynotes::MYNOTES,
    &verbs::message::MESSAGE,
    &verbs::message::BROADCAST,
    &verbs::vacation::VACATION,
    &verbs::signoff::SIGNOFF,
    &verbs::signoff::DELETE,
    &verbs::export::EXPORT,
    &verbs::games::LIST,
    &verbs::who::WHO,
    &verbs::all::ALL,
    &verbs::challenge::CHALLENGE,
    &verbs::seek::SEEK,
    &verbs::invite::INVITE,
    &verbs::league::LEAGUE,
    &verbs::ladder::LADDER,
    &verbs::cup::CUP,
    &verbs::tables::TABLES,
    &verbs::taking::ACCEPT,
    &verbs::taking::REJECT,
    &verbs::taking::LIMIT,
    &verbs::play::MOVE,
    &verbs::queue::QUEUE,
    &verbs::plan::PLAN,
    &verbs::submit::SUBMIT,
    &verbs::submit::CONFIRM,
    &verbs::hint::HINT,
    &verbs::resign::RESIGN,
    &verbs::rematch::REMATCH,
    &verbs::preview::PREVIEW,
    &verbs::tries::TRY,
    &verbs::show::SHOW,
    &verbs::show::SHOWAS,
    &verbs::games::GAMES,
    &verbs::history::HISTORY,
    &verbs::record::RECORD,
    &verbs::review::REVIEW,
    &verbs::standings::STANDINGS,
    &verbs::chat::CHAT,
    &verbs::note::NOTE,
    &verbs::comment::COMMENT,
    &verbs::watch::SUBSCRIBE,
    &verbs::watch::UNSUBSCRIBE,
    &verbs::watch::NOTIFY,
    &verbs::set::SET,
    &verbs::page::PAGE,
]);
