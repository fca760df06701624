//! The gazette that a message answers.

use chrono::{DateTime, Utc};

use crate::command::{INVITED_FOR, InternalError, NAME_ME, first_line};
use crate::store::{Purpose, Store};
use crate::table::Player;
use pbmserv_mail::Key;

use super::claims::{answered, claims, is_of};
use super::invited_commands::{InvitedCommand, invited};
use super::request::Request;
use super::token::player_and_row;

/// How many lines of an answer may be the wish to be named.
const MAX_LINES: usize = 8;

/// An issue that a message answers.
#[derive(Debug)]
pub(super) struct AnsweredGazette {
    pub(super) player: Player,
    pub(super) issue: i64,
    /// The commands in the answer, such as one that takes an open challenge. None if the issue is old.
    pub(super) commands: Vec<InvitedCommand>,
    /// The first line, if the position may be meant: it is no command, or a legal turn.
    pub(super) line: Option<String>,
    /// Whether that is a legal turn in the position.
    pub(super) is_turn: bool,
    /// Whether its reader agrees to be named.
    pub(super) names_me: bool,
}

impl AnsweredGazette {
    /// The issue that a message answers: by its token, or by `In-Reply-To` if it comes from its reader.
    pub(super) fn of(
        request: &Request,
        store: &Store,
        key: &Key,
        now: DateTime<Utc>,
    ) -> Result<Option<Self>, InternalError> {
        let Some((player, issue)) = reader(request, store, key)? else {
            return Ok(None);
        };
        let gazette = store.gazette(issue)?;
        let published_at = gazette.as_ref().and_then(|gazette| gazette.published_at);
        let is_fresh = published_at.is_some_and(|at| now < at + INVITED_FOR);
        let line = first_line(&request.comment);
        let is_wish = |line: &str| {
            line.trim()
                .trim_end_matches(['.', '!'])
                .eq_ignore_ascii_case(NAME_ME)
        };
        let names_me = request.comment.lines().take(MAX_LINES).any(is_wish);
        let line = line.filter(|line| !is_wish(line));
        let is_turn = match (&line, gazette.and_then(|gazette| gazette.finds.riddle)) {
            (Some(line), Some(riddle)) => match store.board_by_id(riddle.board)? {
                Some(board) => {
                    let position = board.replay(store.turns(board.id)?, riddle.played as usize)?;
                    position.game.read(line).is_ok()
                }
                None => false,
            },
            _ => false,
        };
        let commands = match is_fresh && !is_turn {
            true => invited(request, store, &player)?,
            false => Vec::new(),
        };
        Ok(Some(Self {
            line: line.filter(|_| is_turn || commands.is_empty()),
            player,
            issue,
            is_turn,
            commands,
            names_me,
        }))
    }
}

fn reader(request: &Request, store: &Store, key: &Key) -> Result<Option<(Player, i64)>, InternalError> {
    let named = |number: i64| -> Result<_, InternalError> {
        let (player, issue) = player_and_row(number);
        Ok(store.account(player)?.map(|player| (player, issue)))
    };
    for claim in claims(request, Purpose::Gazette) {
        if let Some((player, issue)) = named(claim.row)?
            && claim.is_true(key, player.generation)
        {
            return Ok(Some((player, issue)));
        }
    }
    if !request.details.is_empty() {
        return Ok(None);
    }
    let Some(number) = answered(request, store, Purpose::Gazette)? else {
        return Ok(None);
    };
    Ok(match named(number)? {
        Some((player, issue)) if is_of(request, store, &player)? => Some((player, issue)),
        _ => None,
    })
}
