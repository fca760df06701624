//! The game to which somebody was invited who joins by the answer: it begins in the same message, and perhaps the first turn is played.

use std::borrow::Cow;

use crate::command::{COMMANDS, InternalError, Line, PageRequest, challenge_of_invitation, first_line};
use crate::store::{BoardFilter, InvitedTo};
use crate::table::Player;

use super::message_run::Handling;
use super::steps::Step;

impl Handling<'_> {
    /// The command that a step of an invitation stands for, now that the steps before it are taken. `None`: it is another step, or
    /// nobody has joined, or there is nothing to begin.
    pub(super) fn of_invitation<'s>(&mut self, step: &Step<'_>) -> Result<Option<Step<'s>>, InternalError> {
        let (Step::Begin(row) | Step::FirstTurn(row, _)) = step else {
            return Ok(None);
        };
        let Some(join) = self.store.join(*row)? else {
            return Ok(None);
        };
        let player = join
            .player
            .map(|player| self.store.player_by_id(player))
            .transpose()?
            .flatten();
        let Some(player) = player else {
            return Ok(None);
        };
        let line = match (step, join.invited) {
            (Step::FirstTurn(_, turn), _) => self.first_turn(&player, turn)?,
            (_, Some(invited)) => {
                // A second yes begins nothing.
                self.store.game_has_begun(*row)?;
                self.challenge(&player, &invited)?
            }
            (_, None) => None,
        };
        self.prove([player.id])?;
        let words = match step {
            Step::FirstTurn(..) => words_below(&self.request.comment),
            _ => String::new(),
        };
        Ok(line.map(|line| Step::Line(Cow::Owned(line), words)))
    }

    fn challenge(&self, player: &Player, invited: &InvitedTo) -> Result<Option<Line>, InternalError> {
        let by = self.store.player_by_id(invited.by)?;
        let text =
            by.map(|by| challenge_of_invitation(invited.game, &player.userid, &by.userid, &invited.options));
        let line = text.and_then(|text| COMMANDS.read_line(&text).ok());
        Ok(line.map(|line| Line {
            by_token: Some(player.id),
            ..line
        }))
    }

    /// It is the only board of somebody who has just joined.
    fn first_turn(&self, player: &Player, turn: &str) -> Result<Option<Line>, InternalError> {
        let begun = self.store.boards(BoardFilter {
            player: Some(player.id),
            running: Some(true),
            limit: 1,
            ..BoardFilter::default()
        })?;
        let line = begun.first().map(|board| PageRequest::turn(player, board, turn));
        Ok(line.and_then(|page| COMMANDS.read_page(&page).ok()))
    }
}

/// What stands below the turn goes to the other player.
fn words_below(text: &str) -> String {
    let turn = first_line(text);
    let mut lines = text.lines();
    let _ = lines.find(|line| turn.as_deref() == Some(&*pbmserv_mail::plain(line.trim())));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
