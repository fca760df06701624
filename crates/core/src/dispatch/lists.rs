//! Answers to our letters that came by a mailing list. They are not read, since the list would get what is answered.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::{COMMANDS, InternalError, Letter};
use crate::letters::{NotDone, SubjectMark};
use crate::store::{RateLimit, Store};

use super::handler::Handler;
use super::reply_context::{BoardReply, ReplyContext};
use super::request::Request;

/// A player is written to about it once in this many days.
const DAYS: i64 = 7;

impl Handler {
    /// Writes to the players whose token and turn came by a list, at their own addresses.
    pub(super) fn tell_of_list(
        &mut self,
        store: &Store,
        request: &Request,
        answers: &ReplyContext,
        id: i64,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let ReplyContext::Boards(boards) = answers else {
            return Ok(());
        };
        for BoardReply { board, player, .. } in boards {
            let position = board.replay(store.turns(board.id)?, usize::MAX)?;
            let (body, subject) = (&request.comment, &request.subject);
            let answer = COMMANDS.read_reply(body, subject, board, player, position.game.as_ref());
            let key = player.id.0.to_string();
            if answer.commands.is_empty() || store.tally(RateLimit::Listed, &key, now)? > 0 {
                continue;
            }
            // Days that are past are forgotten, so the days to come are marked.
            for day in 0..DAYS {
                store.count(RateLimit::Listed, &key, 1, now + TimeDelta::days(day))?;
            }
            let name = board.name();
            let content = NotDone {
                subject: SubjectMark::NotDone.before(&format!("{name} {}", player.userid)),
                sentence: format!(
                    "Nothing was done on {name}, {}: your answer came by a mailing list, and mail by a list is not read. \
                     Write to the address of this server yourself.",
                    player.userid
                ),
                ..NotDone::default()
            };
            let letter = Letter {
                is_urgent: true,
                ..Letter::news(player.id, content.into())
            };
            self.post(store, &request.cause(id), &letter, now)?;
        }
        Ok(())
    }
}
