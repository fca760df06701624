//! The steps of a message: what it asks for, after its reply token has been resolved.

use std::borrow::Cow;

use chrono::TimeDelta;

use crate::command::{
    Answered, Batch, Belief, COMMANDS, Doubt, Entry, InternalError, Line, Misread, NameGiven, Offer, Script,
    proposals,
};
use crate::letters::LetterKind;
use crate::store::Proposal;
use crate::table::{Board, GuestGame, Player, Unasked};
use pbmserv_mail::Address;

use super::answered_digest::AnsweredDigest;
use super::answered_gazette::AnsweredGazette;
use super::invited_commands::InvitedCommand;
use super::message_run::Handling;
use super::reply_context::{BoardReply, Invited, ReplyContext};
use super::request::Click;

/// One step of a message.
#[derive(Debug)]
pub(super) enum Step<'a> {
    /// A command with its comment.
    Line(Cow<'a, Line>, String),
    /// Answers the question about the address in this row.
    Answered(i64, Answered),
    /// Takes a mail that answers nothing for this answer to the question about the address in this row.
    Confirm(i64, Answered),
    /// Confirms nothing, since several questions are open; this row has one of them.
    SeveralOpen(i64),
    /// Answers the question in this row under which name somebody wants to play.
    Named(i64, &'a NameGiven),
    /// Has somebody asked by mail under which name they want to play; this one is proposed, and this game kept.
    AskForName(&'a Address, &'a str, Option<&'a GuestGame>),
    /// Joins with this answer to the question in this row, which a page has given.
    Join(i64, &'a NameGiven),
    /// Begins the game of the invitation in this row, if somebody has joined by it.
    Begin(i64),
    /// Plays the first turn there.
    FirstTurn(i64, &'a str),
    /// Begins the board of the game that was kept with the question in this row, if its player has joined.
    Keep(i64),
    /// Ends mail of this kind for this player.
    Leave(&'a Player, Unasked),
    /// A line that is not a command.
    Misread(&'a Misread),
    /// Words of this player that hold no command.
    Offered(Player, Offer),
    /// A list of commands.
    Batch(&'a Batch),
    /// The lines of an answer to a daily mail, for several boards.
    Lines(Box<Batch>),
    /// An answer to a daily mail that does not say which board it is about.
    Which(&'a AnsweredDigest),
    /// No command; with the type of what the mail holds in place of a text, if it has none.
    Nothing(Option<&'a str>),
    /// A reply about this board that contains no command; with the same, and its words.
    Expected(&'a Board, &'a Player, Option<&'a str>, String),
    /// A reply about this board that may be meant as a turn or a command.
    Doubtful(&'a Board, &'a Player, Doubt),
    /// A reply to the question whether a game may begin, which begins none.
    NothingBegun {
        /// The player who was asked.
        player: &'a Player,
        /// Whether the question is still open.
        is_open: bool,
    },
    /// A no to the question whether the game of this line may begin.
    GameRefused(&'a Player, String),
    /// This line of an answer to this issue of the gazette, as a turn in its position, and whether it is a legal one.
    Solve(&'a Player, i64, &'a str, bool),
    /// A form of a page whose key has ended, or does not reach that.
    OutOfReach,
    /// An invalid token from the address of a player.
    Dead,
    /// An invalid token from any other address: no answer.
    Silent,
}

impl Step<'_> {
    /// The comment of the command.
    pub(super) fn comment(&self) -> &str {
        match self {
            Self::Line(_, comment) => comment,
            Self::Expected(.., words) => words,
            _ => "",
        }
    }

    /// Whether no command was understood.
    pub(super) const fn is_no_command(&self) -> bool {
        !matches!(
            self,
            Self::Line(..)
                | Self::Answered(_, Answered::Yes | Answered::No)
                | Self::Named(_, NameGiven::Proposed | NameGiven::Other(_) | NameGiven::No)
                | Self::Confirm(_, Answered::Yes)
                | Self::Join(..)
                | Self::Begin(_)
                | Self::FirstTurn(..)
                | Self::Keep(_)
                | Self::AskForName(..)
                | Self::Leave(..)
                | Self::GameRefused(..)
                | Self::Solve(_, _, _, true)
                | Self::Batch(_)
                | Self::Lines(_)
        )
    }
}

/// What a reader of the gazette asks for who wants to be named in it.
const NAMED: &str = "set named on";

impl InvitedCommand {
    fn step(&self) -> Step<'_> {
        match &self.read {
            Ok(line) => Step::Line(Cow::Borrowed(line), self.text.clone()),
            Err(misread) => Step::Misread(misread),
        }
    }
}

impl<'a> Handling<'a> {
    /// The steps in order; a step that fails ends its list, not the others. Reply tokens take precedence over the
    /// subject.
    pub(super) fn steps(&self) -> Result<Vec<Vec<Step<'a>>>, InternalError> {
        let request = self.request;
        if let (Some(page), Script::Command(line)) = (&request.page, &request.script) {
            return Ok(vec![vec![match self.answers {
                ReplyContext::Page(..) => Step::Line(Cow::Borrowed(line), page.words.clone()),
                _ => Step::OutOfReach,
            }]]);
        }
        if let Some(Click::AskForName { address, name, game }) = &request.click {
            return Ok(vec![vec![Step::AskForName(address, name, game.as_ref())]]);
        }
        let answers = match self.answers {
            ReplyContext::Question(row, answered) => return Ok(vec![vec![Step::Answered(*row, *answered)]]),
            // Anyone who writes another's address in From and envelope must not confirm it: the question is asked again.
            ReplyContext::OpenQuestion(row) => {
                return Ok(vec![vec![match request.sender.belief {
                    Belief::Authenticated => Step::Confirm(*row, Answered::Yes),
                    _ => Step::Confirm(*row, Answered::Unclear),
                }]]);
            }
            ReplyContext::OpenQuestions(row) => return Ok(vec![vec![Step::SeveralOpen(*row)]]),
            ReplyContext::Join(joining) => {
                let row = joining.row;
                let mut steps = vec![match request.click {
                    Some(_) => Step::Join(row, &joining.given),
                    None => Step::Named(row, &joining.given),
                }];
                steps.extend(self.keeps(row, &joining.given)?);
                steps.push(Step::Begin(row));
                steps.extend(joining.turn.as_deref().map(|turn| Step::FirstTurn(row, turn)));
                return Ok(vec![steps]);
            }
            ReplyContext::OutOfReach if request.click.is_some() => return Ok(vec![vec![Step::OutOfReach]]),
            ReplyContext::Leave(player, unasked) => return Ok(vec![vec![Step::Leave(player, *unasked)]]),
            ReplyContext::Proposal(player, proposal) => {
                if let Some(step) = self.confirmed(player, proposal.as_ref()) {
                    return Ok(vec![vec![step]]);
                }
                None
            }
            ReplyContext::Invitation(invited) => {
                if let Some(steps) = self.invited(invited) {
                    return Ok(vec![steps]);
                }
                None
            }
            ReplyContext::Boards(boards) => {
                let from_boards = self.steps_on(boards)?;
                if !from_boards.is_empty() {
                    return Ok(from_boards);
                }
                boards.first()
            }
            ReplyContext::Digest(digest) => {
                let steps = self.steps_on_digest(digest)?;
                if !steps.is_empty() {
                    return Ok(steps);
                }
                None
            }
            ReplyContext::Gazette(gazette) => {
                let steps = self.steps_on_gazette(gazette);
                if !steps.is_empty() {
                    return Ok(vec![steps]);
                }
                None
            }
            ReplyContext::Page(..)
            | ReplyContext::OutOfReach
            | ReplyContext::Dead
            | ReplyContext::Nothing => None,
        };
        let unread = request.mail.instead_of_text.as_deref();
        if let Some(steps) = self.own_words()? {
            return Ok(vec![steps]);
        }
        Ok(vec![vec![match (&request.script, answers) {
            (Script::Command(line), _) => Step::Line(Cow::Borrowed(line), request.comment.clone()),
            (Script::Batch(batch), _) => match batch.only() {
                Some(Entry { read: Ok(line), text }) => Step::Line(Cow::Borrowed(line), text.clone()),
                Some(Entry {
                    read: Err(misread), ..
                }) => Step::Misread(misread),
                None => Step::Batch(batch),
            },
            (_, Some(BoardReply { board, player, .. })) => match self.words_on(board, player)? {
                Some((line, words)) => Step::Line(Cow::Owned(line), words),
                None => Step::Expected(board, player, unread, request.comment.clone()),
            },
            (Script::Misread(_) | Script::Nothing, None) if matches!(self.answers, ReplyContext::Dead) => {
                if self.may_be_told()? {
                    Step::Dead
                } else {
                    Step::Silent
                }
            }
            (Script::Misread(misread), None) => Step::Misread(misread),
            (Script::Nothing, None) => Step::Nothing(unread),
        }]])
    }

    /// The beginning of the board that is kept with the question in this row: with the account, or by the yes of who has one.
    fn keeps(&self, row: i64, given: &NameGiven) -> Result<Option<Step<'a>>, InternalError> {
        let Some(join) = self.store.join(row)? else {
            return Ok(None);
        };
        let is_wanted = join.player.is_none() || *given == NameGiven::Proposed;
        let keeps = is_wanted && self.store.kept_game(row)?.is_some();
        Ok(keeps.then_some(Step::Keep(row)))
    }

    /// What a reply to an invitation does. `None`: its subject or its text is a command as in any other mail.
    fn invited(&self, invited: &'a Invited) -> Option<Vec<Step<'a>>> {
        if !invited.commands.is_empty() {
            return Some(invited.commands.iter().map(InvitedCommand::step).collect());
        }
        match &self.request.script {
            // The subject of a list is the command that asked for it.
            Script::Command(line) if line.command.may_change() || self.request.comment.trim().is_empty() => {
                None
            }
            Script::Batch(_) | Script::Misread(_) | Script::Nothing => None,
            Script::Command(_) => Some(vec![Step::Offered(invited.player.clone(), Offer::Anything)]),
        }
    }

    /// What a reply to the gazette does. Nothing: it is a command as in any other mail, or empty.
    fn steps_on_gazette(&self, gazette: &'a AnsweredGazette) -> Vec<Step<'a>> {
        let is_command = matches!(self.request.script, Script::Command(_) | Script::Batch(_));
        let (player, issue, is_turn) = (&gazette.player, gazette.issue, gazette.is_turn);
        let solve = |line: &'a String| Step::Solve(player, issue, line, is_turn);
        let line = gazette.line.as_ref().filter(|_| is_turn || !is_command);
        let mut steps: Vec<_> = line.map(solve).into_iter().collect();
        if gazette.names_me {
            let line = COMMANDS.read_own(NAMED, player);
            steps.extend(line.map(|line| Step::Line(Cow::Owned(line), String::new())));
        }
        steps.extend(gazette.commands.iter().map(InvitedCommand::step));
        steps
    }

    /// The commands in a reply, for each of the boards that it answers.
    fn steps_on(&self, boards: &'a [BoardReply]) -> Result<Vec<Vec<Step<'a>>>, InternalError> {
        let mut steps = Vec::new();
        for BoardReply {
            board,
            player,
            letter,
        } in boards
        {
            let turns = self.store.turns(board.id)?;
            // What it says is read as its writer meant it, who had this position before them.
            let (event, events) = (letter.event, board.events);
            let is_older = board.end.is_none() && event < events.position && !events.is_lost(event);
            let shown = match is_older {
                true => turns.iter().take_while(|turn| turn.event <= event).count(),
                false => turns.len(),
            };
            let position = board.replay(turns, shown)?;
            let (body, subject) = (&self.request.comment, &self.request.subject);
            let answer = COMMANDS.read_reply(body, subject, board, player, position.game.as_ref());
            // After the end nothing can be played by mistake, so words that name a turn are words.
            if let Some(doubt) = answer.doubt.filter(|_| board.end.is_none()) {
                steps.push(vec![Step::Doubtful(board, player, doubt)]);
            } else if answer.commands.is_empty()
                && !matches!(self.request.script, Script::Command(_) | Script::Batch(_))
                && let Some(step) = self.own_words_on(board, player, subject, body)?
            {
                steps.push(vec![step]);
            } else if !answer.commands.is_empty() {
                let step = |(line, comment)| Step::Line(Cow::Owned(line), comment);
                steps.push(answer.commands.into_iter().map(step).collect());
            }
        }
        Ok(steps)
    }

    /// A reply about a finished board that holds words alone: they go to the other player.
    fn words_on(&self, board: &Board, player: &Player) -> Result<Option<(Line, String)>, InternalError> {
        let words = self.request.comment.trim();
        if board.end.is_none() || words.is_empty() {
            return Ok(None);
        }
        let position = board.replay(self.store.turns(board.id)?, usize::MAX)?;
        Ok(COMMANDS.words_of_reply(words, board, player, position.game.as_ref()))
    }

    /// What a reply to the question whether a game may begin does: a yes gives the challenge, as if the player wrote
    /// it. `None`: the reply contains other commands.
    fn confirmed(&self, player: &'a Player, proposal: Option<&Proposal>) -> Option<Step<'a>> {
        let open = proposal.filter(|proposal| proposals::is_open(proposal.asked_at, self.now));
        let line = open.and_then(|proposal| match proposal.opponent == player.id {
            // The player has asked for it, without userid and password.
            true => COMMANDS.read_own(&proposal.line, player),
            false => COMMANDS.read_line(&proposal.line).ok(),
        });
        if let Some(proposal) = open.filter(|_| self.says_no()) {
            return Some(Step::GameRefused(player, proposal.line.clone()));
        }
        match (self.request.said().is_yes(), line, &self.request.script) {
            (true, Some(line), _) => Some(Step::Line(Cow::Owned(line), String::new())),
            (false, _, Script::Command(_) | Script::Batch(_)) => None,
            _ => Some(Step::NothingBegun {
                player,
                is_open: open.is_some(),
            }),
        }
    }

    /// Whether an invalid token gets an answer: only to the address of a player, and once a day.
    fn may_be_told(&self) -> Result<bool, InternalError> {
        let (store, now) = (self.store, self.now);
        let Some(sender) = self.request.sender.believed() else {
            return Ok(false);
        };
        let is_known = store
            .address_rows(sender)?
            .iter()
            .any(|row| row.confirmed_at.is_some());
        Ok(is_known && store.sent_since(sender, &[LetterKind::Dead], now - TimeDelta::days(1))? == 0)
    }
}
