//! Which of our mails a message answers: by the token in the address, or by `In-Reply-To`.

use chrono::{DateTime, Utc};
use pbmserv_games::Options;

use crate::command::{
    Answered, InternalError, LetterAnswered, NameGiven, Script, YesNo, first_line, name_in, was_asked,
};
use crate::store::{Proposal, Purpose, Store};
use crate::table::{Board, BoardLetter, Player, PlayerId, Unasked};
use pbmserv_mail::Key;

use super::answered_digest::AnsweredDigest;
use super::answered_gazette::AnsweredGazette;
use super::claims::{answered, claimed, claims, is_of, leaving};
use super::form::letter_of;
use super::invited_commands::{InvitedCommand, invited};
use super::request::{Click, Request};
use super::token::{player_and_row, player_of_expiring, row_of_player, seat_generation};

/// What a message answers.
#[derive(Debug)]
pub(super) enum ReplyContext {
    /// The question whether the address in this row is the player's.
    Question(i64, Answered),
    /// The question in this row under which name somebody wants to play.
    Join(Joining),
    /// None of our mails, but it says `confirm`, and the sender, who is believed but not proven, is the address in this
    /// row, about which one question is open.
    OpenQuestion(i64),
    /// The same, with several open questions, of which this row has one.
    OpenQuestions(i64),
    /// The `List-Unsubscribe` address of a mail: this player wants no more mail of this kind.
    Leave(Box<Player>, Unasked),
    /// The question to this player whether a game may begin; `None` if it was confirmed or has expired.
    Proposal(Box<Player>, Option<Proposal>),
    Invitation(Box<Invited>),
    /// Mails about boards, at least one, each for another seat. There are several if the message is addressed to the tokens
    /// of several seats.
    Boards(Vec<BoardReply>),
    /// A daily mail.
    Digest(Box<AnsweredDigest>),
    /// An issue of the gazette.
    Gazette(Box<AnsweredGazette>),
    /// A page of this player, which has shown the board of this letter.
    Page(PlayerId, Option<LetterAnswered>),
    /// A page whose key has ended, or does not reach what is asked for.
    OutOfReach,
    /// Nothing: its token is invalid or expired.
    Dead,
    /// Nothing of ours.
    Nothing,
}

/// A reply to a mail about a board.
#[derive(Debug)]
pub(super) struct BoardReply {
    /// The board as it stands.
    pub(super) board: Board,
    /// The player in the seat that the mail went to.
    pub(super) player: Player,
    /// The mail; of several for this seat the oldest.
    pub(super) letter: BoardLetter,
}

/// An answer to the question under which name somebody wants to play.
#[derive(Clone, Debug)]
pub(super) struct Joining {
    /// The row of the question.
    pub(super) row: i64,
    pub(super) given: NameGiven,
    /// The first turn in the game of the invitation, if the answer begins with one.
    pub(super) turn: Option<String>,
}

/// An answer to an invitation.
#[derive(Debug)]
pub(super) struct Invited {
    /// Who was invited.
    pub(super) player: Player,
    /// The number of the invitation's token.
    pub(super) number: i64,
    /// The commands in the answer.
    pub(super) commands: Vec<InvitedCommand>,
}

impl ReplyContext {
    /// What a message answers. A token takes precedence over `In-Reply-To`.
    pub(super) fn of(
        request: &Request,
        store: &Store,
        key: &Key,
        now: DateTime<Utc>,
    ) -> Result<Self, InternalError> {
        if let Some(page) = &request.page {
            return Ok(match request.page_player(page, store, key)? {
                Some(player) => Self::Page(player, letter_of(page, store)?),
                None => Self::OutOfReach,
            });
        }
        match &request.click {
            // A link to unsubscribe ends mails of its kind: no other token stands for it.
            Some(Click::Leave) => {
                let leave = |(player, kind)| Self::Leave(Box::new(player), kind);
                return Ok(leaving(request, store, key)?.map_or(Self::Nothing, leave));
            }
            Some(Click::AskForName { .. }) => return Ok(Self::Nothing),
            Some(Click::Join(name)) => {
                let given = name.clone().map_or(NameGiven::Proposed, NameGiven::Other);
                let join = |row| {
                    Self::Join(Joining {
                        row,
                        given,
                        turn: None,
                    })
                };
                return Ok(claimed(request, Purpose::Join, key).map_or(Self::OutOfReach, join));
            }
            None => {}
        }
        if let Some(joining) = joining(request, store, key)? {
            return Ok(Self::Join(joining));
        }
        let question = question(request, store, key)?;
        if let Some((row, answered @ (Answered::Yes | Answered::No))) = question {
            return Ok(Self::Question(row, answered));
        }
        if let Some((player, unasked)) = leaving(request, store, key)? {
            return Ok(Self::Leave(Box::new(player), unasked));
        }
        if let Some((player, proposal)) = proposal(request, store, key)? {
            return Ok(Self::Proposal(Box::new(player), proposal));
        }
        if let Some((player, number)) = invitation(request, store, key, now)? {
            let commands = invited(request, store, &player)?;
            return Ok(Self::Invitation(Box::new(Invited {
                player,
                number,
                commands,
            })));
        }
        if let Some(gazette) = AnsweredGazette::of(request, store, key, now)? {
            return Ok(Self::Gazette(Box::new(gazette)));
        }
        Ok(match (boards(request, store, key)?, question) {
            (boards @ Self::Boards(_), _) => boards,
            (_, Some((row, answered))) => Self::Question(row, answered),
            (_, None) if let Some(digest) = AnsweredDigest::of(request, store, key)? => {
                Self::Digest(Box::new(digest))
            }
            (Self::Nothing, None) => open_questions(request, store)?,
            (other, None) => other,
        })
    }

    /// The players whose tokens it bears.
    pub(super) fn bearers(&self) -> Vec<PlayerId> {
        match self {
            Self::Leave(player, _) | Self::Proposal(player, _) => vec![player.id],
            Self::Invitation(invited) => vec![invited.player.id],
            Self::Boards(boards) => boards.iter().map(|from| from.player.id).collect(),
            Self::Digest(digest) => vec![digest.player.id],
            Self::Gazette(gazette) => vec![gazette.player.id],
            Self::Page(player, _) => vec![*player],
            Self::Question(..)
            | Self::Join(..)
            | Self::OpenQuestion(_)
            | Self::OpenQuestions(_)
            | Self::OutOfReach
            | Self::Dead
            | Self::Nothing => Vec::new(),
        }
    }

    /// The first of them.
    pub(super) fn token_player(&self) -> Option<PlayerId> {
        self.bearers().first().copied()
    }

    /// Whether it bears the token of somebody who has no account yet.
    pub(super) const fn is_newcomer(&self) -> bool {
        matches!(self, Self::Join(joining) if !matches!(joining.given, NameGiven::WithoutToken))
    }

    /// The letters about boards that it answers.
    pub(super) fn letters(&self) -> Vec<LetterAnswered> {
        match self {
            Self::Boards(boards) => boards
                .iter()
                .map(|from| LetterAnswered::new(from.letter, &from.board))
                .collect(),
            Self::Digest(digest) => digest.letters(),
            Self::Page(_, shown) => shown.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// What the valid tokens stand for, whatever their spelling. For a board's letter it is the seat.
    pub(super) fn tokens(&self) -> Vec<(Purpose, i64)> {
        match self {
            Self::Question(row, _) => vec![(Purpose::Confirm, *row)],
            Self::Proposal(player, proposal) => {
                let row = proposal.as_ref().map_or(0, |proposal| proposal.id);
                vec![(Purpose::Proposal, row_of_player(player.id, row))]
            }
            Self::Leave(player, unasked) => {
                let number = unasked.number(player.id);
                number
                    .map(|number| (Purpose::Leave, number))
                    .into_iter()
                    .collect()
            }
            Self::Invitation(invited) => vec![(Purpose::Invitation, invited.number)],
            Self::Boards(boards) => boards
                .iter()
                .map(|from| (Purpose::Seat, from.letter.seat_number()))
                .collect(),
            Self::Digest(digest) => vec![(Purpose::Digest, digest.row)],
            Self::Gazette(gazette) => {
                vec![(Purpose::Gazette, row_of_player(gazette.player.id, gazette.issue))]
            }
            Self::Page(player, _) => vec![(Purpose::Page, player.0)],
            Self::Join(joining) if joining.given != NameGiven::WithoutToken => {
                vec![(Purpose::Join, joining.row)]
            }
            Self::Join(..)
            | Self::OpenQuestion(_)
            | Self::OpenQuestions(_)
            | Self::OutOfReach
            | Self::Dead
            | Self::Nothing => Vec::new(),
        }
    }
}

/// The row of the question under which name somebody wants to play that a message answers, and the answer. It counts with the token
/// alone: the account is made for the address to which that went.
fn joining(request: &Request, store: &Store, key: &Key) -> Result<Option<Joining>, InternalError> {
    let proven = claimed(request, Purpose::Join, key);
    let joining = |(row, given)| Joining {
        row,
        given,
        turn: None,
    };
    if let Some(row) = proven
        && let Some(turn) = first_turn(request, store, row)?
    {
        return Ok(Some(Joining {
            turn: Some(turn),
            ..joining((row, NameGiven::Proposed))
        }));
    }
    let said = match (request.said(), name_in(&request.comment)) {
        (YesNo::Confirm | YesNo::Yes, _) => Some(NameGiven::Proposed),
        (YesNo::No, _) => Some(NameGiven::No),
        (YesNo::Neither, Some(name)) if !matches!(request.script, Script::Command(_)) => {
            Some(NameGiven::Other(name))
        }
        (YesNo::Neither, _) => None,
    };
    let is_command = matches!(request.script, Script::Command(_) | Script::Batch(_));
    let found = match (proven, said) {
        (Some(row), Some(said)) => Some((row, said)),
        (Some(row), None) if !is_command => Some((row, NameGiven::Unclear)),
        (None, Some(_)) => answered(request, store, Purpose::Join)?.map(|row| (row, NameGiven::WithoutToken)),
        _ => None,
    };
    Ok(found.map(joining))
}

/// The turn with which an answer to an invitation begins, if it is legal there.
fn first_turn(request: &Request, store: &Store, row: i64) -> Result<Option<String>, InternalError> {
    let Some(invited) = store.join(row)?.and_then(|join| join.invited) else {
        return Ok(None);
    };
    let options = invited.options.split(' ').filter(|word| !word.starts_with("--"));
    let options = Options::parse(invited.game.facts, options.filter(|word| !word.is_empty()));
    let start = options.and_then(|options| invited.game.start(&options));
    let Some(line) = first_line(&request.comment) else {
        return Ok(None);
    };
    Ok(start.ok().and_then(|start| start.read(&line).ok()))
}

/// The row of the address whose question a message answers, and the answer. It must contain the token of the question, or
/// answer the question from the address concerned.
///
/// A blank mail is a yes if it has the token and answers the question by `In-Reply-To`. People send one who press "reply"
/// and "send"; no program is known to. Whatever answers by itself has words, a mark (RFC 3834) or the null sender;
/// scanners that open links send no mail; one-click unsubscribing writes to `List-Unsubscribe`, which the question does
/// not have, and gives no `In-Reply-To`.
fn question(request: &Request, store: &Store, key: &Key) -> Result<Option<(i64, Answered)>, InternalError> {
    let proven = claimed(request, Purpose::Confirm, key);
    let row = match proven {
        Some(row) => Some(row),
        None => answered(request, store, Purpose::Confirm)?,
    };
    let Some(row) = row else {
        return Ok(None);
    };
    let is_open = || -> Result<bool, InternalError> {
        Ok((store.address_by_id(row)?).is_some_and(|row| row.confirmed_at.is_none()))
    };
    let answered = match (request.said(), &request.script) {
        (YesNo::Confirm | YesNo::Yes, _) => Answered::Yes,
        (YesNo::No, _) => Answered::No,
        (YesNo::Neither, Script::Command(_) | Script::Batch(_)) => return Ok(None),
        (YesNo::Neither, _)
            if proven.is_some() && request.mail.is_blank && is_reply(request, store, row)? =>
        {
            Answered::Yes
        }
        (YesNo::Neither, _) if is_open()? => Answered::Unclear,
        (YesNo::Neither, _) => return Ok(None),
    };
    Ok(Some((row, answered)))
}

/// Whether a message is a reply, by `In-Reply-To`, to the question about this row.
fn is_reply(request: &Request, store: &Store, row: i64) -> Result<bool, InternalError> {
    for message_id in &request.mail.in_reply_to {
        if let Some(kept) = store.sent_mail(message_id)?
            && kept.purpose == Some((Purpose::Confirm, row))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The open questions to the sender of a mail that says `confirm`, answers nothing and holds no command.
fn open_questions(request: &Request, store: &Store) -> Result<ReplyContext, InternalError> {
    let is_command = matches!(request.script, Script::Command(_) | Script::Batch(_));
    let says_it = !is_command && request.said() == YesNo::Confirm;
    let Some(sender) = request.sender.believed().filter(|_| says_it) else {
        return Ok(ReplyContext::Nothing);
    };
    let mut open = store.address_rows(sender)?;
    open.retain(|row| row.confirmed_at.is_none());
    Ok(match open.as_slice() {
        [first, others @ ..] if was_asked(store, sender)? => match others {
            [] => ReplyContext::OpenQuestion(first.id),
            _ => ReplyContext::OpenQuestions(first.id),
        },
        _ => ReplyContext::Nothing,
    })
}

/// The player and the proposed game that a message answers for, found as [`boards`] finds a seat.
fn proposal(
    request: &Request,
    store: &Store,
    key: &Key,
) -> Result<Option<(Player, Option<Proposal>)>, InternalError> {
    let asked = |number: i64| -> Result<_, InternalError> {
        let (player, row) = player_and_row(number);
        let Some(player) = store.player_by_id(player)? else {
            return Ok(None);
        };
        let proposal = store.proposal(row)?;
        let proposal = proposal.filter(|proposal| proposal.player == player.id);
        Ok(Some((player, proposal)))
    };
    for claim in claims(request, Purpose::Proposal) {
        if let Some((player, proposal)) = asked(claim.row)?
            && claim.is_true(key, player.generation)
        {
            return Ok(Some((player, proposal)));
        }
    }
    let Some(number) = answered(request, store, Purpose::Proposal)? else {
        return Ok(None);
    };
    let asked = asked(number)?;
    Ok(match asked {
        Some((player, proposal)) if is_of(request, store, &player)? => Some((player, proposal)),
        _ => None,
    })
}

/// The player whose invitation a message answers, and the number of its token, found as [`boards`] finds a seat.
fn invitation(
    request: &Request,
    store: &Store,
    key: &Key,
    now: DateTime<Utc>,
) -> Result<Option<(Player, i64)>, InternalError> {
    let invited = |number: i64| match player_of_expiring(number, now) {
        Some(player) => store.player_by_id(player),
        None => Ok(None),
    };
    for claim in claims(request, Purpose::Invitation) {
        if let Some(player) = invited(claim.row)?
            && claim.is_true(key, player.generation)
        {
            return Ok(Some((player, claim.row)));
        }
    }
    let Some(number) = answered(request, store, Purpose::Invitation)? else {
        return Ok(None);
    };
    Ok(match invited(number)? {
        Some(player) if is_of(request, store, &player)? => Some((player, number)),
        _ => None,
    })
}

/// The boards and the seats that a message answers from. The tokens identify them. Some providers remove the token from
/// the address: then a reply (`In-Reply-To`) counts if it comes from the address to which our mail was sent.
fn boards(request: &Request, store: &Store, key: &Key) -> Result<ReplyContext, InternalError> {
    let mut boards: Vec<BoardReply> = Vec::new();
    for claim in claims(request, Purpose::Seat) {
        let Some(from) = seated(store, claim.row)? else {
            continue;
        };
        if !claim.is_true(key, seat_generation(from.player.id, from.player.generation)) {
            continue;
        }
        let letter = from.letter;
        match boards
            .iter_mut()
            .find(|other| other.letter.seat_number() == letter.seat_number())
        {
            // The older of two letters counts.
            Some(other) => other.letter.event = other.letter.event.min(letter.event),
            None => boards.push(from),
        }
    }
    if !boards.is_empty() {
        return Ok(ReplyContext::Boards(boards));
    }
    if !request.details.is_empty() {
        return Ok(ReplyContext::Dead);
    }
    Ok(match answered(request, store, Purpose::Seat)? {
        None => ReplyContext::Nothing,
        Some(number) => match seated(store, number)? {
            // The address may have been removed from the account after our mail.
            Some(from) if is_of(request, store, &from.player)? => ReplyContext::Boards(vec![from]),
            _ => ReplyContext::Dead,
        },
    })
}

/// The seat that the letter with this number went to. A board may be over: its players still write to each other about it.
fn seated(store: &Store, number: i64) -> Result<Option<BoardReply>, InternalError> {
    let letter = BoardLetter::of_number(number);
    let board = store.board_by_id(letter.board)?;
    let Some(board) = board.filter(Board::can_be_answered) else {
        return Ok(None);
    };
    let player = store.player_by_id(board.at(letter.seat).id)?;
    Ok(player.map(|player| BoardReply {
        board,
        player,
        letter,
    }))
}
