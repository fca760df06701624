//! Plays a turn, and then the turns that the other player has queued.

use crate::command::playing::ended::{Ended, ended};
use crate::command::playing::queued::{Fired, fire};
use crate::command::playing::turns::{TurnSequence, check_number, offering_queue, refused, to_move};
use crate::command::wording::news::News;
use crate::command::wording::told::{Told, sentence};
use crate::command::{Addressee, Context, Decision, InternalError, Letter, Undecided, Word};
use crate::games::Seat;
use crate::letters::Comment;
use crate::table::{Board, Player, PlayerId};

/// Plays a turn of the player who wrote the message, and then the other player's queued turns.
pub(crate) fn play(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
) -> Result<Decision, Undecided> {
    let comment = context.clean_comment().map(|text| Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let around = TurnContext {
        comment,
        writer: Some(player.id),
    };
    play_with(context, board, player, text, number, &around)
}

/// Who caused a turn, and the comment with it.
pub(crate) struct TurnContext {
    /// For everybody who gets a letter about the turn.
    pub comment: Option<Comment>,
    /// The player who wrote the message; `None` if the operator plays the turn.
    pub writer: Option<PlayerId>,
}

/// As [`play`], with this comment and writer.
pub(crate) fn play_with(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
    around: &TurnContext,
) -> Result<Decision, Undecided> {
    let to_move = to_move(context, board, player);
    let (board, position, seat) = to_move.map_err(|stop| offering_queue(stop, text))?;
    let (board, position) = check_number(board, position, player, text, number)?;
    let mut sequence = TurnSequence::from(context, board, position)?;
    let before = sequence.position.game.fork();
    let texts = match sequence.play(seat, &text.text) {
        Ok(texts) => texts,
        Err(refusal) => {
            let TurnSequence { board, position, .. } = sequence;
            return Err(refused(refusal, "played", board, position, player, text));
        }
    };
    let own = Told::of(before.as_ref(), &texts);
    let before = sequence.position.game.fork();
    let fired = fire(&mut sequence, seat.other());
    let answer = fired
        .as_ref()
        .map(|fired| Told::of(before.as_ref(), &fired.played));
    let ended = ended(context.store, &sequence.board, context.now)?;
    let sentence = sentence(&sequence.board, seat, &own, answer.as_ref());
    let letters = letters(
        context,
        &sequence,
        seat,
        &sentence,
        fired.as_ref(),
        &ended,
        around,
    )?;
    Ok(Decision {
        changes: ended.changes(sequence.board),
        letters,
        proven: around.writer,
    })
}

/// The letters about a turn of the player in this seat, and about the other player's queued turns.
fn letters(
    context: &Context<'_>,
    sequence: &TurnSequence,
    seat: Seat,
    sentence: &str,
    fired: Option<&Fired>,
    ended: &Ended,
    around: &TurnContext,
) -> Result<Vec<Letter>, InternalError> {
    let board = &sequence.board;
    let news = |sentence: String| News {
        board,
        position: &sequence.position,
        sentence: ended.with_ratings(sentence),
        comment: around.comment.clone(),
    };
    let mut letters = news(sentence.to_owned()).to_all(context, around.writer)?;
    if let Some(failed) = fired.and_then(|fired| fired.failed.as_ref()) {
        // Only the owner of the queue learns why a queued turn failed.
        let owner = board.at(seat.other());
        let to = Addressee::Player(owner.id);
        let own = news(format!("{sentence} {failed}")).to(context, to.clone(), Some(owner))?;
        if let Some(letter) = letters.iter_mut().find(|letter| letter.to == to) {
            *letter = own;
        }
    }
    Ok(letters)
}
