//! The turns of computer players, and how they answer offers.

use pbmserv_games::Seat;

use crate::command::playing::ended::ended;
use crate::command::playing::planned::fire;
use crate::command::playing::turns::TurnSequence;
use crate::command::wording::news::News;
use crate::command::wording::sentence::begun;
use crate::command::wording::turn_summary::{Origin, TurnReport, TurnSummary, report};
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter, PAGE_DOOR};
use crate::store::{AwaitedReceipt, Awaits};
use crate::table::{Board, Played};

/// What is said to a player who writes words to a computer.
pub(crate) fn no_reader(computer: &str) -> String {
    format!("{computer} is a computer: the text of your mail went to nobody but those who watch.")
}

/// These letters about a board after a turn or its beginning. If a computer is to move, the answer to the writer waits for
/// its turn.
pub(crate) fn awaiting(board: &Board, mut letters: Vec<Letter>, awaits: Awaits) -> Vec<Letter> {
    if board.waits_for_computer() {
        let own = |letter: &&mut Letter| {
            letter.is_answer
                && matches!(letter.to, Addressee::Player(player) if board.seat_of(player).is_some())
        };
        for letter in letters.iter_mut().filter(own) {
            letter.awaits = Some(awaits);
        }
    }
    letters
}

/// The turn of the computer on a board, which it chose for the position as it is. Its letter to the other player says what a
/// receipt would have said that was dropped.
///
/// # Errors
/// Also if the turn is not legal: a bug of ours, since it was found in this position.
pub(crate) fn play(
    context: &Context<'_>,
    board: Board,
    (seat, turn, estimate): (Seat, &str, i32),
    receipt: Option<&AwaitedReceipt>,
) -> Result<Decision, InternalError> {
    let position = context.position(&board)?;
    // What it has played before it is to move again is said in the same letter.
    let since = match receipt {
        Some(_) => run(&position.turns, seat),
        None => position.turns.len(),
    };
    let own = match receipt {
        Some(_) => last_turn(&board, &position.turns[..since], seat.other())?,
        None => None,
    };
    let before = board.replay(position.turns.clone(), since)?;
    let earlier: Vec<_> = position.turns[since..]
        .iter()
        .map(|turn| turn.text.clone())
        .collect();
    let has_begun = receipt.is_some() && since == 0;
    let mut sequence = TurnSequence::from(context, board, position)?;
    let texts = sequence.play(seat, turn).map_err(|refusal| {
        InternalError::Letter(format!("a computer chose {turn}, which is refused: {refusal}"))
    })?;
    let texts = [earlier, texts].concat();
    let answer = TurnSummary::of(before.game.as_ref(), &texts);
    let fired = fire(&mut sequence, None)?;
    let is_planned = !fired.turns.is_empty();
    let board = &sequence.board;
    let ended = ended(context.store, board, context.now)?;
    let origin = if own.is_some() {
        Origin::Answered
    } else {
        Origin::Played
    };
    let own = own.map(|summary| (seat.other(), Origin::Played, summary));
    let turns = own.into_iter().chain([(seat, origin, answer)]);
    let turns = turns.map(|(seat, origin, summary)| TurnReport {
        seat,
        origin,
        summary,
    });
    let mut news = report(board, &turns.chain(fired.turns).collect::<Vec<_>>());
    if has_begun {
        news = begun(board, |_| String::new()).then(&news);
    }
    let news = |more: &str| News {
        board,
        position: &sequence.position,
        sentence: ended.with_ratings(news.clone().with(more)),
        comment: None,
    };
    let mut letters = news("").to_all(context, None)?;
    let reader = board.at(seat.other());
    let failed = fired.failed.map(|(_, reason)| reason);
    let mut more = failed
        .as_ref()
        .map_or_else(String::new, |failed| format!(" {failed}"));
    if receipt.is_some_and(|receipt| receipt.had_words) {
        more.push_str(&format!("\n\n{}", no_reader(&board.at(seat).userid)));
    }
    let to = Addressee::Player(reader.id);
    // Who plays on a page sees it there. The first letter of a board and the last one come all the same, and what is said of a plan.
    let may_be_seen = !is_planned && failed.is_none() && !has_begun && board.end.is_none();
    let by_page = receipt.filter(|receipt| receipt.door.as_deref() == Some(PAGE_DOOR));
    let own = Letter {
        // It answers a turn.
        is_urgent: receipt.is_some(),
        awaits: match board.waits_for_computer() {
            true => Some(Awaits::Answer),
            false => by_page.filter(|_| may_be_seen).map(|_| Awaits::Look),
        },
        ..news(&more).to(context, to.clone(), Some(reader))?
    };
    if let Some(letter) = letters.iter_mut().find(|letter| letter.to == to) {
        *letter = own;
    }
    let id = board.id;
    let mut changes = ended.changes(sequence.board);
    changes.push(Change::Estimate { board: id, estimate });
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

/// The letter to the opponent of a computer that cannot think about this position.
pub(crate) fn leave(context: &Context<'_>, board: &Board) -> Result<Decision, InternalError> {
    let Some(seat) = board.to_move else {
        return Ok(Decision::default());
    };
    let (computer, reader) = (board.at(seat), board.at(seat.other()));
    let news = News {
        board,
        position: &context.position(board)?,
        sentence: format!(
            "{} cannot go on with {}, {}: that is a fault of the server, which its operators see. You can take your last turn \
             back with undo and play another, offer a draw, or resign.",
            computer.userid,
            board.name(),
            reader.userid
        )
        .into(),
        comment: None,
    };
    let letter = Letter {
        is_urgent: true,
        ..news.to(context, Addressee::Player(reader.id), Some(reader))?
    };
    Ok(Decision {
        letters: vec![letter],
        ..Decision::default()
    })
}

/// Where the last turns begin that the player in this seat has played in a row.
fn run(turns: &[Played], seat: Seat) -> usize {
    let other = turns.iter().rposition(|turn| turn.seat != seat);
    other.map_or(0, |at| at + 1)
}

/// The last of these turns, if the player in this seat has played them.
fn last_turn(board: &Board, turns: &[Played], seat: Seat) -> Result<Option<TurnSummary>, InternalError> {
    let since = run(turns, seat);
    let texts: Vec<_> = turns[since..].iter().map(|turn| turn.text.clone()).collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let before = board.replay(turns.to_vec(), since)?;
    Ok(Some(TurnSummary::of(before.game.as_ref(), &texts)))
}
