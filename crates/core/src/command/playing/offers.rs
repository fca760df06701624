//! `propose`, `undo`, `pause`, `resume`, `accept`, `reject`: offers between the players. The words are written in place of a turn, or
//! alone in a reply.

use pbmserv_games::{By, Ending, Outcome, Seat};

use crate::command::playing::ended::ended;
use crate::command::playing::rematch;
use crate::command::playing::turns::not_now;
use crate::command::reading::turn_text::OfferWord;
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::{Change, Context, Decision, InternalError, Reason, Refused, Topic, Undecided};
use crate::letters::Comment;
use crate::store::{BoardNote, NoteKind};
use crate::table::{Board, End, Offer, Player, Position};

/// The result of a word: the board after it, and the sentence for the letters.
struct Event {
    after: Board,
    position: Position,
    sentence: Sentence,
}

/// Decides an offer, or the answer to one.
pub(crate) fn offer(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    word: OfferWord,
) -> Result<Decision, Undecided> {
    if board.end.is_some()
        && let Some((Offer::Rematch, by)) = board.offer
        && board.seat_of(player.id) == Some(by.other())
    {
        match word {
            OfferWord::Accept => return rematch::accepted(context, board, player),
            OfferWord::Reject => return rematch::rejected(context, board, player, by),
            OfferWord::Propose | OfferWord::Undo | OfferWord::Pause | OfferWord::Resume => {}
        }
    }
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let rejected = board.offer.filter(|_| word == OfferWord::Reject);
    let theirs = board.offer.filter(|(_, by)| *by != seat).map(|(offer, _)| offer);
    let computer = board.players[seat.other().index()].id.is_computer();
    let mut changes = Vec::new();
    let event = match (word, theirs) {
        (OfferWord::Propose, _) if computer && board.game.facts.knows_draws => {
            draw_with_computer(context, board, position, player, seat)?
        }
        (OfferWord::Undo, _) if computer => {
            let (event, note) = undone_by_computer(context, board, position, player, seat)?;
            changes.push(note);
            event
        }
        (OfferWord::Resume, _) => resume(context, board, position, player, seat)?,
        // Nobody waits for a computer, and a computer does not mind.
        (OfferWord::Pause, _) if computer && board.paused_until.is_none() => {
            pause(context, board, position, seat.other())
        }
        (OfferWord::Accept | OfferWord::Pause, Some(Offer::Pause)) => pause(context, board, position, seat),
        // To offer a draw to a player who has already offered one is to accept it.
        (OfferWord::Accept | OfferWord::Propose, Some(Offer::Draw)) => draw(context, board, position, seat),
        (OfferWord::Accept, Some(Offer::Undo)) => agree(context, board, position, seat)?,
        (OfferWord::Accept, None | Some(Offer::Rematch)) => {
            let sentence = format!(
                "There is nothing to accept on {}, {}.",
                board.name(),
                player.userid
            );
            return Err(refused(board, position, sentence));
        }
        (OfferWord::Reject, _) => reject(board, position, player, seat)?,
        (OfferWord::Propose, _) => ask(context, board, position, player, seat, Offer::Draw)?,
        (OfferWord::Undo, _) => ask(context, board, position, player, seat, Offer::Undo)?,
        (OfferWord::Pause, _) => ask(context, board, position, player, seat, Offer::Pause)?,
    };
    let Event {
        after,
        position,
        sentence,
    } = event;
    let ended = ended(context.store, &after, context.now)?;
    let comment = context.clean_comment().map(|text| Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let news = News {
        board: &after,
        position: &position,
        sentence: ended.with_ratings(sentence),
        comment,
    };
    let mut letters = news.to_all(context, Some(player.id))?;
    if let Some((offer, _)) = rejected {
        for letter in &mut letters {
            letter.topic = Topic::NoOffer(offer);
        }
    }
    changes.extend(ended.changes(after));
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// A computer agrees to a draw if it does not think that it is better.
fn draw_with_computer(
    context: &Context<'_>,
    board: Board,
    position: Position,
    player: &Player,
    seat: Seat,
) -> Result<Event, Undecided> {
    let (name, computer) = (board.name(), board.at(seat.other()).clone());
    let estimate = context.store.estimate(board.id)?;
    let reason = match estimate {
        _ if board.to_move != Some(seat) => "is to move",
        Some(..=0) => {
            return Ok(draw(context, board, position, seat.other()));
        }
        _ => "wants to play on",
    };
    let sentence = format!(
        "No draw on {name}, {}: {} {reason}.",
        player.userid, computer.userid
    );
    Err(refused(board, position, sentence))
}

/// A computer lets the last turn of the other player be taken back once a game, with its own answer.
fn undone_by_computer(
    context: &Context<'_>,
    mut board: Board,
    position: Position,
    player: &Player,
    seat: Seat,
) -> Result<(Event, Change), Undecided> {
    let (name, computer) = (board.name(), board.at(seat.other()).userid.clone());
    let notes = context.store.board_notes(board.id)?;
    if notes.iter().any(|note| note.kind == NoteKind::Undo) {
        let sentence = format!(
            "{computer} lets one turn be taken back in a game, {}, and on {name} it has done so.",
            player.userid
        );
        return Err(refused(board, position, sentence));
    }
    let Some(at) = position.turns.iter().rposition(|turn| turn.seat == seat) else {
        let reason = Reason::NothingToUndo {
            board: &name,
            userid: &player.userid,
        };
        return Err(refused(board, position, reason.to_string()));
    };
    if !board.can_go_back_to(at) {
        return Err(refused(board, position, word_stays(&name)));
    }
    let texts = |seat: Seat| {
        let turns = position.turns[at..].iter().filter(|turn| turn.seat == seat);
        turns.map(|turn| turn.text.as_str()).collect::<Vec<_>>().join(",")
    };
    let (turn, answer) = (texts(seat), texts(seat.other()));
    let what = match answer.as_str() {
        "" => format!("{turn} is taken back"),
        answer => format!("{turn} and the answer {answer} are taken back"),
    };
    let before = board.replay(position.turns, at)?;
    board.taken_back(&before, context.presences(&board)?, context.now);
    let note = Change::Note {
        board: board.id,
        note: BoardNote {
            ordinal: u32::try_from(at + 1).unwrap_or(u32::MAX),
            kind: NoteKind::Undo,
            text: format!("{}: {what}", player.userid),
        },
    };
    let event = Event {
        sentence: format!("{computer} agreed: {what} on {name}.").into(),
        after: board,
        position: before,
    };
    Ok((event, note))
}

fn word_stays(board: &str) -> String {
    format!("The word for the dice of {board} is given once: what was said before the first roll stays.")
}

fn refused(board: Board, position: Position, sentence: String) -> Undecided {
    Refused {
        board: Some(Box::new((board, position))),
        ..Refused::impossible(sentence)
    }
    .into()
}

/// Offers a draw, or asks to take a turn back or for a pause.
fn ask(
    context: &Context<'_>,
    mut board: Board,
    position: Position,
    player: &Player,
    seat: Seat,
    offer: Offer,
) -> Result<Event, Undecided> {
    let (name, title) = (board.name(), board.game.facts.title);
    let other = board.at(seat.other()).userid.clone();
    let reason = match (offer, position.turns.last()) {
        _ if board.offer == Some((offer, seat)) => Some(format!(
            "{other} has not answered yet what you asked on {name}, {}.",
            player.userid
        )),
        (Offer::Draw, _) if !board.game.facts.knows_draws => Some(format!(
            "{title} has no draws, so none is offered on {name}, {}.",
            player.userid
        )),
        (Offer::Undo, None) => {
            let (board, userid) = (name.as_str(), player.userid.as_str());
            Some(Reason::NothingToUndo { board, userid }.to_string())
        }
        (Offer::Undo, Some(turn)) if turn.seat != seat => Some(format!(
            "The last turn on {name} was that of {other}: only {other} can ask to take it back."
        )),
        (Offer::Undo, _) if !board.can_go_back_to(position.turns.len() - 1) => Some(word_stays(&name)),
        (Offer::Pause, _) if board.paused_until.is_some() => {
            Some(format!("{name} is paused already, {}.", player.userid))
        }
        (Offer::Pause, _) if context.store.contest_of(board.id)?.is_some() => Some(format!(
            "Others wait for the end of {name}, so it has no pause, {}: a vacation stops your clocks.",
            player.userid
        )),
        _ if context.store.has_blocked(board.at(seat.other()).id, player.id)? => {
            let (reader, writer) = (other.as_str(), player.userid.as_str());
            Some(Reason::NotHeard { reader, writer }.to_string())
        }
        _ => None,
    };
    if let Some(reason) = reason {
        return Err(refused(board, position, reason));
    }
    let sentence = match (offer, position.turns.last()) {
        (Offer::Undo, Some(turn)) => Sentence::of(&board, |names| {
            let asks = names.does(seat, "ask", "asks");
            format!(
                "{} {asks} to take back {} on {name}.",
                names.first(seat),
                turn.text
            )
        }),
        (Offer::Pause, _) => Sentence::of(&board, |names| {
            let asks = names.does(seat, "ask", "asks");
            format!(
                "{} {asks} for a pause of {name}: nobody's clock runs then, until one of the two writes resume.",
                names.first(seat)
            )
        }),
        _ => Sentence::of(&board, |names| {
            let offers = names.does(seat, "offer", "offers");
            format!("{} {offers} a draw on {name}.", names.first(seat))
        }),
    };
    board.offered(Some((offer, seat)));
    Ok(Event {
        after: board,
        position,
        sentence,
    })
}

fn reject(mut board: Board, position: Position, player: &Player, seat: Seat) -> Result<Event, Undecided> {
    let name = board.name();
    let sentence = match board.offer {
        None => {
            let sentence = format!("There is nothing to reject on {name}, {}.", player.userid);
            return Err(refused(board, position, sentence));
        }
        Some((offer, by)) if by == seat => {
            let offer = offer.name();
            Sentence::of(&board, |names| {
                let takes = names.does(seat, "take", "takes");
                format!("{} {takes} the {offer} back on {name}.", names.first(seat))
            })
        }
        Some((offer, by)) => {
            let offer = offer.name();
            Sentence::of(&board, |names| {
                let (rejects, whose) = (names.does(seat, "reject", "rejects"), names.whose(by));
                format!("{} {rejects} {whose} {offer} on {name}.", names.first(seat))
            })
        }
    };
    board.offered(None);
    Ok(Event {
        after: board,
        position,
        sentence,
    })
}

fn draw(context: &Context<'_>, mut board: Board, position: Position, seat: Seat) -> Event {
    let end = End::Finished(Ending {
        outcome: Outcome::Drawn,
        by: By::Agreement,
    });
    board.ended(end, context.now);
    Event {
        sentence: Sentence::of(&board, |names| {
            format!("{} agreed to a draw on {}.", names.first(seat), board.name())
        }),
        after: board,
        position,
    }
}

/// Both clocks stand still from now on.
fn pause(context: &Context<'_>, mut board: Board, position: Position, seat: Seat) -> Event {
    board.offered(None);
    board.paused(None, context.now);
    Event {
        sentence: Sentence::of(&board, |names| {
            format!(
                "{} agreed to a pause of {}: nobody's clock runs until one of the two writes resume, for at most a year.",
                names.first(seat),
                board.name()
            )
        }),
        after: board,
        position,
    }
}

/// Ends the pause of a board. The clock runs again, unless the player to move is on vacation.
pub(crate) fn end_pause(context: &Context<'_>, board: &mut Board) -> Result<(), InternalError> {
    let is_timeless = match board.to_move {
        Some(mover) => context.presence(board.at(mover).id)?.is_timeless,
        None => false,
    };
    board.pause_over(is_timeless, context.now);
    Ok(())
}

fn resume(
    context: &Context<'_>,
    mut board: Board,
    position: Position,
    player: &Player,
    seat: Seat,
) -> Result<Event, Undecided> {
    let name = board.name();
    if board.paused_until.is_none() {
        let sentence = format!("{name} is not paused, {}.", player.userid);
        return Err(refused(board, position, sentence));
    }
    end_pause(context, &mut board)?;
    Ok(Event {
        sentence: Sentence::of(&board, |names| {
            let ends = names.does(seat, "end", "ends");
            format!(
                "{} {ends} the pause of {name}: the clocks run again.",
                names.first(seat)
            )
        }),
        after: board,
        position,
    })
}

fn agree(context: &Context<'_>, board: Board, position: Position, seat: Seat) -> Result<Event, Undecided> {
    let back = taken_back(context, board, position)?;
    let name = back.board.name();
    Ok(Event {
        sentence: Sentence::of(&back.board, |names| {
            format!(
                "{} agreed: {} is taken back on {name}.",
                names.first(seat),
                back.turn
            )
        }),
        after: back.board,
        position: back.position,
    })
}

/// A board without its last turn.
pub(crate) struct TakenBack {
    pub board: Board,
    pub position: Position,
    /// The text of the removed turn.
    pub turn: String,
}

/// Takes the last turn back.
pub(crate) fn taken_back(
    context: &Context<'_>,
    mut board: Board,
    position: Position,
) -> Result<TakenBack, Undecided> {
    let mut turns = position.turns;
    let Some(undone) = turns.pop() else {
        return Err(Refused::impossible("There is no turn to take back.").into());
    };
    if !board.can_go_back_to(turns.len()) {
        return Err(Refused::impossible(word_stays(&board.name())).into());
    }
    let position = board.replay(turns, usize::MAX)?;
    let presences = context.presences(&board)?;
    board.taken_back(&position, presences, context.now);
    Ok(TakenBack {
        board,
        position,
        turn: undone.text,
    })
}
