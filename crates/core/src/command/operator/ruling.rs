//! Rulings of the operator on a board, as decisions: both players and all watchers get a letter with the reason.

use chrono::TimeDelta;
use pbmserv_games::{By, Ending, Outcome};

use crate::command::operator::operate::{news, person, player, word};
use crate::command::playing::ended::ended;
use crate::command::playing::offers::{TakenBack, taken_back};
use crate::command::playing::play::{TurnContext, play_with};
use crate::command::reading::turn_text::split_number;
use crate::command::wording::news::{News, why_unasked};
use crate::command::wording::sentence::Sentence;
use crate::command::{
    Addressee, Change, CompanyChange, Context, Decision, InternalError, Letter, Refused, Undecided,
};
use crate::letters::Comment;
use crate::store::{PairingRow, TableRuling};
use crate::table::{Board, End, Player, Position, Seated};

/// The board of a ruling, and the reason.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the game.
    pub game: String,
    pub number: u32,
    /// The reason, which the letters quote.
    pub why: String,
}

impl Case {
    /// The board, which must run.
    fn board(&self, context: &Context<'_>) -> Result<Board, Undecided> {
        let board = self.any_board(context)?;
        match board.end {
            None => Ok(board),
            Some(_) => Err(Refused::impossible(format!("{} is over.", board.name())).into()),
        }
    }

    /// The board, running or finished.
    fn any_board(&self, context: &Context<'_>) -> Result<Board, Undecided> {
        let refuse = |sentence: String| Undecided::from(Refused::impossible(sentence));
        if self.why.trim().is_empty() {
            return Err(refuse("Say why: the players are told.".to_owned()));
        }
        let game = pbmserv_games::find(&self.game)
            .ok_or_else(|| refuse(format!("There is no game called {}.", self.game)))?;
        let board = context.store.board(game, self.number)?;
        board.ok_or_else(|| refuse(format!("There is no {} Board {}.", game.facts.name, self.number)))
    }

    /// The running board and its position.
    fn position(&self, context: &Context<'_>) -> Result<(Board, Position), Undecided> {
        let board = self.board(context)?;
        match context.position(&board) {
            Ok(position) => Ok((board, position)),
            Err(InternalError::Unreplayable(error)) => {
                let sentence = format!("{error}: all that can be done is to void it.");
                Err(Refused::impossible(sentence).into())
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// The reason, as the comment of the letters.
    fn comment(&self) -> Option<Comment> {
        Some(Comment {
            by: Some("The operator".to_owned()),
            text: self.why.trim().to_owned(),
        })
    }

    /// The news of a ruling.
    fn news<'a>(&self, board: &'a Board, position: &'a Position, sentence: impl Into<Sentence>) -> News<'a> {
        News {
            board,
            position,
            sentence: sentence.into(),
            comment: self.comment(),
        }
    }
}

/// Plays a turn for a player.
pub fn turn(context: &Context<'_>, case: &Case, userid: &str, turn: &str) -> Result<Decision, Undecided> {
    let (board, _) = case.position(context)?;
    let player = player(context, userid)?;
    let (text, number) = split_number(&word(turn))?;
    let why = case.why.trim();
    let comment = Comment {
        by: Some("The operator".to_owned()),
        text: format!(
            "I have played this turn for {}, for this reason: {why}",
            player.userid
        ),
    };
    let around = TurnContext {
        comment: Some(comment),
        writer: None,
        plan: None,
    };
    play_with(context, board, &player, &text, number, &around)
}

/// Takes the last turn back.
pub fn undo(context: &Context<'_>, case: &Case) -> Result<Decision, Undecided> {
    let (board, position) = case.position(context)?;
    if position.turns.is_empty() {
        let sentence = format!("There is no turn to take back on {}.", board.name());
        return Err(Refused::impossible(sentence).into());
    }
    let TakenBack {
        board,
        position,
        turn,
    } = taken_back(context, board, position)?;
    let sentence = format!("The operator has taken {turn} back on {}.", board.name());
    let letters = case.news(&board, &position, sentence).to_all(context, None)?;
    Ok(Decision {
        changes: vec![Change::Board(Box::new(board))],
        letters,
        proven: None,
    })
}

/// Makes a board void, so that it counts for nobody. Also works for a board that does not replay, or is finished.
pub fn void(context: &Context<'_>, case: &Case) -> Result<Decision, Undecided> {
    let mut board = case.any_board(context)?;
    match board.end {
        None => {}
        Some(End::Finished(_)) => return overturn(context, case, &board),
        Some(End::Removed(_) | End::Void) => {
            let sentence = format!("{} counts for nobody already.", board.name());
            return Err(Refused::impossible(sentence).into());
        }
    }
    let sentence = format!(
        "The operator has declared {} void: it is over, and counts for nobody.",
        board.name()
    );
    match context.position(&board) {
        Ok(position) => end_so(context, case, board, &position, End::Void, sentence),
        // Without a position there is nothing to draw, so the letters have only a sentence.
        Err(InternalError::Unreplayable(_)) => {
            board.ended(End::Void, context.now);
            Ok(Decision {
                letters: plain(context, case, &board, &sentence)?,
                changes: vec![Change::Board(Box::new(board))],
                proven: None,
            })
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Makes a finished game void.
fn overturn(context: &Context<'_>, case: &Case, board: &Board) -> Result<Decision, Undecided> {
    let about_ratings = match board.terms.rated {
        true => " The ratings are computed again without it.",
        false => "",
    };
    let sentence = format!(
        "The operator has declared {} void after its end: it counts for nobody.{about_ratings}",
        board.name()
    );
    let contest = context.store.contest_of(board.id)?;
    let look = contest.map(|contest| Change::Company(CompanyChange::LookAt(contest.id)));
    Ok(Decision {
        changes: [Change::Overturn(board.id)].into_iter().chain(look).collect(),
        letters: plain(context, case, board, &sentence)?,
        proven: None,
    })
}

/// Ends a board by a decision that counts for the ratings.
pub fn end(context: &Context<'_>, case: &Case, outcome: Outcome) -> Result<Decision, Undecided> {
    let (board, position) = case.position(context)?;
    let name = board.name();
    let sentence = match outcome {
        Outcome::Won(seat) => format!(
            "The operator has decided {name}: {} has won.",
            board.at(seat).userid
        ),
        Outcome::Drawn if !board.game.facts.knows_draws => {
            let title = board.game.facts.title;
            let sentence = format!("{title} has no draws: end {name} for one of the players, or void it.");
            return Err(Refused::impossible(sentence).into());
        }
        Outcome::Drawn => format!("The operator has decided {name}: the game is a draw."),
    };
    let end = End::Finished(Ending {
        outcome,
        by: By::Adjudication,
    });
    end_so(context, case, board, &position, end, sentence)
}

/// Decides how a game counts in the table of its contest; `None`: as its board ended. The board itself stays.
pub fn table(context: &Context<'_>, case: &Case, ruling: Option<TableRuling>) -> Result<Decision, Undecided> {
    let board = case.any_board(context)?;
    let name = board.name();
    let refuse = |sentence: String| Undecided::from(Refused::impossible(sentence));
    let row = context.store.contest_of(board.id)?;
    let row = row.ok_or_else(|| refuse(format!("{name} is no game of a league or a cup.")))?;
    let contest = context.store.filled(row)?;
    let is_its = |paired: &&PairingRow| paired.board.is_some_and(|paired| paired.id == board.id);
    let Some(pairing) = contest.pairings.iter().find(is_its) else {
        return Err(refuse(format!("{name} is no game of a league or a cup.")));
    };
    let counts = match ruling {
        None => "as it is played".to_owned(),
        Some(TableRuling::Won(seat)) => format!("as won by {}", board.at(seat).userid),
        Some(TableRuling::Drawn) => "as a draw".to_owned(),
        Some(TableRuling::BothLost) => "as lost by both".to_owned(),
        Some(TableRuling::Void) => "for nobody".to_owned(),
    };
    let sentence = format!(
        "The operator has decided how {name} counts in {}: {counts}.",
        contest.row.name()
    );
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::Rule {
            pairing: pairing.id,
            ruling,
        })],
        letters: plain(context, case, &board, &sentence)?,
        proven: None,
    })
}

fn end_so(
    context: &Context<'_>,
    case: &Case,
    mut board: Board,
    position: &Position,
    end: End,
    sentence: String,
) -> Result<Decision, Undecided> {
    board.ended(end, context.now);
    let ended = ended(context.store, &board, context.now)?;
    let letters = case
        .news(&board, position, ended.with_ratings(sentence.into()))
        .to_all(context, None)?;
    Ok(Decision {
        changes: ended.changes(board),
        letters,
        proven: None,
    })
}

/// A letter with one sentence instead of the drawing, to everybody who gets mails about the board.
fn plain(
    context: &Context<'_>,
    case: &Case,
    board: &Board,
    sentence: &str,
) -> Result<Vec<Letter>, InternalError> {
    let letter = |player| {
        let letter = news(player, board.name(), sentence.to_owned(), case.why.trim());
        letter.on(board.game, board.number)
    };
    let mut letters: Vec<_> = board.players.iter().map(|seated| letter(seated.id)).collect();
    for watcher in context.store.watchers(board.id, board.game)? {
        if board.seat_of(watcher.player).is_none() {
            letters.push(Letter {
                is_watching: true,
                unasked: Some(why_unasked(board, &watcher)),
                ..letter(watcher.player)
            });
        }
    }
    Ok(letters)
}

/// Gives the seat of a player to a substitute. The clock of that seat restarts. Open offers on the board and the
/// queued turns of the old player are dropped. The old player's reply tokens become invalid, since the tag of a
/// token covers the player in the seat.
pub fn reseat(context: &Context<'_>, case: &Case, old: &str, new: &str) -> Result<Decision, Undecided> {
    let (mut board, position) = case.position(context)?;
    let (old, new) = (player(context, old)?, person(context, new)?);
    let name = board.name();
    let Some(seat) = board.seat_of(old.id) else {
        let sentence = format!("{} does not play on {name}.", old.userid);
        return Err(Refused::impossible(sentence).into());
    };
    if let Some(sentence) = why_not(context, &board, &new)? {
        return Err(Refused::impossible(sentence).into());
    }
    let presence = context.presence(new.id)?;
    let seated = Seated {
        id: new.id,
        userid: new.userid.clone(),
    };
    board.reseated(seat, seated, presence, context.now);
    let sentence = format!(
        "{} plays in the place of {} on {name} from now on.",
        new.userid, old.userid
    );
    let letter = case.news(&board, &position, sentence.clone());
    let (own, other) = (board.at(seat), board.at(seat.other()));
    let mut letters = vec![
        letter.to(context, Addressee::Player(own.id), Some(own))?,
        letter.to(context, Addressee::Player(other.id), Some(other))?,
        news(old.id, name, sentence, case.why.trim()).on(board.game, board.number),
    ];
    let watching = letter.to_watchers(context)?;
    letters.extend(
        watching
            .into_iter()
            .filter(|letter| letter.to != Addressee::Player(old.id)),
    );
    for letter in &mut letters {
        letter.is_answer = false;
    }
    Ok(Decision {
        changes: vec![Change::Board(Box::new(board))],
        letters,
        proven: None,
    })
}

/// Why this player cannot take a seat at this board; `None` if they can.
fn why_not(context: &Context<'_>, board: &Board, new: &Player) -> Result<Option<String>, InternalError> {
    let (name, userid) = (board.name(), &new.userid);
    Ok(if board.seat_of(new.id).is_some() {
        Some(format!("{userid} plays on {name} already."))
    } else if new.disabled_at.is_some() {
        Some(format!("The account of {userid} is closed."))
    } else if new.away_since.is_some() {
        Some(format!("{userid} has signed off."))
    } else if !context.is_confirmed(new)? {
        Some(format!("{userid} has no confirmed address."))
    } else {
        None
    })
}

/// Gives the player to move more time: this many days from now.
pub fn clock(context: &Context<'_>, case: &Case, days: u32) -> Result<Decision, Undecided> {
    let (mut board, position) = case.position(context)?;
    let name = board.name();
    let refuse = |sentence: String| Err(Refused::impossible(sentence).into());
    let Some(seat) = board.to_move else {
        return refuse(format!("It is nobody's turn on {name}."));
    };
    let most = board
        .terms
        .forfeit_days
        .min(board.terms.total_days.unwrap_or(u32::MAX));
    if days == 0 || days > most {
        return refuse(format!(
            "By the terms of {name} a player can have 1 to {most} days."
        ));
    }
    let mover = board.at(seat).userid.clone();
    let left = TimeDelta::days(i64::from(days));
    let counted = match days {
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    if !board.extended(left, context.now) {
        return refuse(format!("{mover} has {counted} or more on {name} already."));
    }
    let sentence = format!("The operator gives {mover} time to move on {name}: {counted} from now.");
    let letters = case.news(&board, &position, sentence).to_all(context, None)?;
    Ok(Decision {
        changes: vec![Change::Board(Box::new(board))],
        letters,
        proven: None,
    })
}
