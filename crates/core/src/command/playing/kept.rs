//! The game that somebody has begun on a page, and keeps: its board begins when they have joined, or with the yes of a player.
//!
//! It is decided in the transaction that makes the account, so after a crash there are both or neither; the same change ends what
//! is kept, so a second yes begins nothing. Between the question and
//! its answer are up to thirty days: the computer may not play any more, or the game not be played by these rules.

use pbmserv_games::{Options, Seat};

use crate::command::playing::beginning::begin;
use crate::command::playing::turns::TurnSequence;
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::{Addressee, Change, Context, Decision, InternalError, Letter};
use crate::letters::Done;
use crate::table::{Board, GuestGame, Player, Position, Terms};

/// Begins the board of the game that is kept with the question in this row, if its reader has an account now.
pub(crate) fn keep(context: &Context<'_>, row: i64) -> Result<Decision, InternalError> {
    let store = context.store;
    let Some(game) = store.kept_game(row)? else {
        return Ok(Decision::default());
    };
    let Some(id) = store.join(row)?.and_then(|join| join.player) else {
        return Ok(Decision::default());
    };
    let Some(player) = store.account(id)? else {
        return Ok(Decision::default());
    };
    let mut changes = vec![Change::KeptGameBegins(row)];
    let letters = match begun(context, &game, &player)? {
        Some((board, position)) => {
            let news = News {
                board: &board,
                position: &position,
                sentence: sentence(&board),
                comment: None,
            };
            let letters = news.to_all(context, None)?;
            changes.push(Change::Begin(Box::new(board)));
            letters
        }
        None => vec![lost(&game, &player)],
    };
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

/// The board with the turns of the game. `None`: it cannot be played here any more.
fn begun(
    context: &Context<'_>,
    game: &GuestGame,
    player: &Player,
) -> Result<Option<(Board, Position)>, InternalError> {
    let computer = GuestGame::opponent();
    let Some(other) = context.store.player_by_id(computer.id)? else {
        return Ok(None);
    };
    let options = Options::none(game.game.facts).under(game.revision);
    let Ok(start) = game.game.start(&options) else {
        return Ok(None);
    };
    // A visitor of a page can take any turn back.
    let terms = Terms {
        rated: false,
        ..Terms::default()
    };
    let (board, position) = begin(context, game.game, start, (options, terms), [player, &other])?;
    let mut sequence = TurnSequence::from(context, board, position)?;
    for turn in &game.turns {
        let mover = sequence.board.to_move;
        if mover.is_none_or(|seat| sequence.play(seat, turn).is_err()) {
            return Ok(None);
        }
    }
    let TurnSequence { board, position, .. } = sequence;
    let computers = &context.settings.computers;
    let goes_on = computers.has(computer) && computers.play(game.game);
    Ok((board.end.is_some() || goes_on).then_some((board, position)))
}

fn sentence(board: &Board) -> Sentence {
    let (name, other) = (board.name(), &board.at(Seat::Second).userid);
    let what = match board.end {
        Some(_) => "is the finished game",
        None => "goes on with the game",
    };
    Sentence::of(board, |names| {
        let who = names.name(Seat::First);
        format!("{name} {what} that {who} began against {other} on a page.")
    })
}

fn lost(game: &GuestGame, player: &Player) -> Letter {
    let (title, other) = (game.game.facts.title, GuestGame::opponent().userid);
    let done = Done {
        subject: format!("Your game of {title} ends here"),
        sentence: format!(
            "Your game of {title} against {other} cannot go on, {}: it is not played here any more as it was when you began.",
            player.userid
        ),
        hint: "You can begin another one: the welcome says how.".to_owned(),
    };
    Letter {
        to: Addressee::Player(player.id),
        is_answer: false,
        ..Letter::answer(done.into())
    }
}
