//! Plays a turn, and then what both players have planned.

use pbmserv_games::Seat;

use crate::command::playing::computer::{awaiting, no_reader};
use crate::command::playing::ended::{Ended, ended};
use crate::command::playing::planned::fire;
use crate::command::playing::planning::{below, kept};
use crate::command::playing::turns::{TurnSequence, check_number, offering_queue, refused, to_move};
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::wording::turn_summary::{Origin, TurnReport, TurnSummary, report};
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter, Refused, Undecided, Word};
use crate::letters::Comment;
use crate::store::{Awaits, RateLimit};
use crate::table::{Board, Player, PlayerId};

/// Plays a turn of the player who wrote the message, and then what is planned: `plan` stood behind the turn, and goes on in the lines
/// below it.
pub(crate) fn play(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    text: &Word,
    number: Option<usize>,
    plan: Option<&str>,
) -> Result<Decision, Undecided> {
    let (below, comment) = below(context, &board)?;
    let plan: Vec<&str> = plan.into_iter().chain(below.as_deref()).collect();
    let comment = comment.map(|text| Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let around = TurnContext {
        comment,
        writer: Some(player.id),
        plan: (!plan.is_empty()).then(|| plan.join("\n")),
    };
    play_with(context, board, player, text, number, &around)
}

/// Who caused a turn, and the comment with it.
pub(crate) struct TurnContext {
    /// For everybody who gets a letter about the turn.
    pub comment: Option<Comment>,
    /// The player who wrote the message; `None` if the operator plays the turn.
    pub writer: Option<PlayerId>,
    /// What the player plans after it.
    pub plan: Option<String>,
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
    let shown = around.plan.as_ref().map(|_| board.clone());
    let mut sequence = TurnSequence::from(context, board, position)?;
    let before = sequence.position.game.fork();
    let texts = match sequence.play(seat, &text.text) {
        Ok(texts) => texts,
        Err(refusal) => {
            let TurnSequence { board, position, .. } = sequence;
            return Err(refused(refusal, "played", board, position, player, text));
        }
    };
    let plan = match around.plan.as_ref().zip(shown) {
        Some((plan, board)) => {
            let since = sequence.position.turns.len();
            let plan = kept(plan, since, sequence.position.game.as_ref(), seat);
            Some((
                seat,
                plan.or_else(|reason| Err(unplanned(context, board, player, &reason)?))?,
            ))
        }
        None => None,
    };
    let own = TurnReport {
        seat,
        origin: Origin::Played,
        summary: TurnSummary::of(before.as_ref(), &texts),
    };
    let fired = fire(&mut sequence, plan)?;
    let ended = ended(context.store, &sequence.board, context.now)?;
    let turns: Vec<_> = std::iter::once(own).chain(fired.turns).collect();
    let sentence = report(&sequence.board, &turns);
    let board = &sequence.board;
    let words = match &around.comment {
        Some(_) if around.writer.is_some() => words_to_computer(context, board, player, seat)?,
        _ => None,
    };
    let awaits = match words {
        Some(_) if board.waits_for_computer() => Awaits::AnswerToWords,
        _ => Awaits::Answer,
    };
    let notes = Notes {
        failed: fired.failed,
        words: words.as_ref().map(|(sentence, _)| sentence.as_str()),
    };
    let letters = letters(context, &sequence, seat, &sentence, &notes, &ended, around)?;
    let letters = awaiting(board, letters, awaits);
    let mut changes = ended.changes(sequence.board);
    changes.extend(words.map(|(_, counted)| counted));
    Ok(Decision {
        changes,
        letters,
        proven: around.writer,
    })
}

/// The refusal of a turn whose plan cannot be kept: nothing is played.
fn unplanned(
    context: &Context<'_>,
    board: Board,
    player: &Player,
    reason: &str,
) -> Result<Undecided, InternalError> {
    let position = context.position(&board)?;
    let sentence = format!(
        "Nothing was played on {}, {}, since your plan cannot be kept. {reason}",
        board.name(),
        player.userid
    );
    Ok(Refused::impossible(sentence).on(board, position).into())
}

/// What only one of the players reads.
struct Notes<'a> {
    /// Why what the player in this seat had planned was not played.
    failed: Option<(Seat, String)>,
    /// That nobody reads the words of the player.
    words: Option<&'a str>,
}

/// What is said, once a day, to a player who writes words to a computer.
fn words_to_computer(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    seat: Seat,
) -> Result<Option<(String, Change)>, InternalError> {
    let other = board.at(seat.other());
    let key = player.id.0.to_string();
    let what = RateLimit::ToComputer;
    if !other.id.is_computer() || context.store.tally(what, &key, context.now)? > 0 {
        return Ok(None);
    }
    let counted = Change::Count { what, key, more: 1 };
    Ok(Some((no_reader(&other.userid), counted)))
}

/// The letters about a turn of the player in this seat, and about what was planned.
fn letters(
    context: &Context<'_>,
    sequence: &TurnSequence,
    seat: Seat,
    sentence: &Sentence,
    notes: &Notes<'_>,
    ended: &Ended,
    around: &TurnContext,
) -> Result<Vec<Letter>, InternalError> {
    let board = &sequence.board;
    let news = |sentence: Sentence| News {
        board,
        position: &sequence.position,
        sentence: ended.with_ratings(sentence),
        comment: around.comment.clone(),
    };
    let mut letters = news(sentence.clone()).to_all(context, around.writer)?;
    let failed =
        (notes.failed.as_ref()).map(|(owner, failed)| (*owner, sentence.clone().with(&format!(" {failed}"))));
    let words = notes
        .words
        .map(|words| (seat, sentence.clone().with(&format!("\n\n{words}"))));
    for (seat, sentence) in failed.into_iter().chain(words) {
        let reader = board.at(seat);
        let to = Addressee::Player(reader.id);
        if let Some(letter) = letters.iter_mut().find(|letter| letter.to == to) {
            *letter = Letter {
                is_answer: letter.is_answer,
                weight: letter.weight,
                ..news(sentence).to(context, to, Some(reader))?
            };
        }
    }
    Ok(letters)
}
