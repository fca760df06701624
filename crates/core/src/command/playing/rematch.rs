//! The offer of a rematch on a finished board, and the board that begins when it is accepted.

use pbmserv_games::Seat;

use crate::command::playing::beginning::{begin, can_meet, can_sit, no_room};
use crate::command::playing::computer::awaiting;
use crate::command::playing::turns::not_now;
use crate::command::wording::news::News;
use crate::command::wording::sentence::{Sentence, begun};
use crate::command::{Change, Context, Decision, Reason, Refused, Topic, Undecided, Word};
use crate::letters::Comment;
use crate::store::{Awaits, RateLimit};
use crate::table::{Board, End, Offer, Player, PlayerId};

/// Offers a rematch, or accepts the one that the other player offers.
pub(crate) fn rematch(context: &Context<'_>, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id) else {
        return Err(not_now(board, position, player));
    };
    let name = board.name();
    let sentence = match (board.end, board.offer) {
        (None, _) => format!(
            "{name} is not over, {}: a rematch is offered after the end.",
            player.userid
        ),
        (Some(End::Removed(_)), _) => {
            let (game, other) = (board.game.facts.name, &board.at(seat.other()).userid);
            format!(
                "{name} was removed before it was played: write {game} challenge {} {other}.",
                player.userid
            )
        }
        (_, Some((Offer::Rematch, by))) if by != seat => return accepted(context, board, player),
        (_, Some((Offer::Rematch, _))) => {
            let other = &board.at(seat.other()).userid;
            format!(
                "{other} has not answered your offer of a rematch of {name} yet, {}.",
                player.userid
            )
        }
        _ => return offered(context, board, player, seat),
    };
    Err(Refused {
        board: Some(Box::new((board, position))),
        ..Refused::impossible(sentence)
    }
    .into())
}

/// The offer, which counts as a challenge. A computer takes it at once.
fn offered(
    context: &Context<'_>,
    mut board: Board,
    player: &Player,
    seat: Seat,
) -> Result<Decision, Undecided> {
    let other = present(context, board.at(seat.other()).id)?;
    can_begin(context, &board, player, &other, player.id)?;
    let is_computer = other.id.is_computer();
    let too_many = || Reason::EnoughBoards(&other.userid).to_string();
    let most = context.settings.challenges_a_day;
    let counted = context.count(RateLimit::Challenged, player.id.0, other.id, most, too_many)?;
    if is_computer {
        let mut decision = accepted(context, board, player)?;
        decision.changes.push(counted);
        return Ok(decision);
    }
    board.offered(Some((Offer::Rematch, seat)));
    let sentence = Sentence::of(&board, |names| {
        format!(
            "{} {} {} a rematch of {}: the same game, with the seats exchanged.",
            names.first(seat),
            names.does(seat, "offer", "offers"),
            names.name(seat.other()),
            board.name()
        )
    });
    let letters = News {
        board: &board,
        position: &context.position(&board)?,
        sentence,
        comment: comment(context, player),
    }
    .to_players(context, Some(player.id))?;
    Ok(Decision {
        changes: vec![counted, Change::Offer(Box::new(board))],
        letters,
        proven: Some(player.id),
    })
}

/// Begins the rematch that the other player of this board has offered.
pub(crate) fn accepted(
    context: &Context<'_>,
    mut board: Board,
    player: &Player,
) -> Result<Decision, Undecided> {
    let seats = Seat::BOTH.map(|seat| board.at(seat.other()).id);
    let [first, second] = [present(context, seats[0])?, present(context, seats[1])?];
    let other = if first.id == player.id { &second } else { &first };
    can_begin(context, &board, player, other, player.id)?;
    let start = board.game.start(&board.options);
    let start = start.map_err(|refusal| Refused::impossible(refusal.to_string()))?;
    let terms = (board.options.clone(), board.terms);
    let (new, position) = begin(context, board.game, start, terms, [&first, &second])?;
    let sentence = begun(&new, |_| format!(", the rematch of {}", board.name()));
    let letters = News {
        board: &new,
        position: &position,
        sentence,
        comment: comment(context, player),
    }
    .to_all(context, Some(player.id))?;
    let letters = awaiting(&new, letters, Awaits::Answer);
    board.offered(None);
    Ok(Decision {
        changes: vec![Change::Begin(Box::new(new)), Change::Offer(Box::new(board))],
        letters,
        proven: Some(player.id),
    })
}

/// Rejects the rematch that the other player offers.
pub(crate) fn rejected(
    context: &Context<'_>,
    mut board: Board,
    player: &Player,
    by: Seat,
) -> Result<Decision, Undecided> {
    let sentence = Sentence::of(&board, |names| {
        let rejects = names.does(by.other(), "reject", "rejects");
        let (who, whose) = (names.first(by.other()), names.whose(by));
        format!("{who} {rejects} {whose} offer of a rematch of {}.", board.name())
    });
    board.offered(None);
    let mut letters = News {
        board: &board,
        position: &context.position(&board)?,
        sentence,
        comment: comment(context, player),
    }
    .to_players(context, Some(player.id))?;
    for letter in &mut letters {
        letter.topic = Topic::NoOffer(Offer::Rematch);
    }
    Ok(Decision {
        changes: vec![Change::Offer(Box::new(board))],
        letters,
        proven: Some(player.id),
    })
}

fn comment(context: &Context<'_>, player: &Player) -> Option<Comment> {
    let by = Some(player.userid.clone());
    context.clean_comment().map(|text| Comment { by, text })
}

/// A player of the old board, whose account may be gone.
fn present(context: &Context<'_>, id: PlayerId) -> Result<Player, Undecided> {
    let player = context.store.account(id)?;
    player.ok_or_else(|| Refused::impossible("The other player has no account any more.").into())
}

/// Whether both may begin a board of this game with each other now.
fn can_begin(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    other: &Player,
    reader: PlayerId,
) -> Result<(), Undecided> {
    can_meet(context, player, other)?;
    for one in [player, other] {
        let word = Word {
            text: one.userid.clone(),
            at: 0..0,
        };
        can_sit(context, one, &word)?;
        if let Some(sentence) = no_room(context, board.game, one, 1, one.id == reader)? {
            return Err(Refused::impossible(sentence).into());
        }
    }
    Ok(())
}
