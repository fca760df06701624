//! The mail about a board, for one reader: what every command that shows a board shares.

use chrono::{DateTime, Utc};

use crate::games::record::Record;
use crate::games::{Display, Outcome, Seat};
use crate::letters::{BoardMail, Content, Saying, Step, Verb, columns};
use crate::store::{Reader, Watcher};
use crate::table::{Board, End, Offer, Played, PlayerId, Position, Seated, Unasked};

use super::clocks::clock_line;
use super::context::legal_turn;
use super::{Addressee, Context, Fault, Letter, queue};

/// How many rows of turns a board mail shows.
const LAST_TURNS: usize = 6;

/// What happened on a board.
pub(super) struct News<'a> {
    /// The board as it is after it happened.
    pub board: &'a Board,
    /// Its position.
    pub position: &'a Position,
    /// The first sentence.
    pub sentence: String,
    /// What a player wrote with it.
    pub saying: Option<Saying>,
}

impl News<'_> {
    /// One letter for each of the two players and for those who watch; the player who wrote the message gets it
    /// as the answer.
    pub(super) fn to_all(
        &self,
        context: &Context<'_>,
        writer: Option<PlayerId>,
    ) -> Result<Vec<Letter>, Fault> {
        let mut letters = self.to_watchers(context)?;
        for seated in &self.board.players {
            let is_answer = writer == Some(seated.id);
            let letter = self.to(context, Addressee::Player(seated.id), Some(seated))?;
            letters.push(Letter { is_answer, ..letter });
        }
        // The news first, then the receipt: a crash between two deliveries then costs the writer's own copy.
        letters.sort_by_key(|letter| (letter.is_answer, letter.is_watching));
        Ok(letters)
    }

    /// One letter for each who watches; who only wants to hear of ends gets none before.
    pub(super) fn to_watchers(&self, context: &Context<'_>) -> Result<Vec<Letter>, Fault> {
        let mut letters = Vec::new();
        for watcher in context.store.watchers(self.board.id, self.board.game)? {
            let is_player = self.board.seat_of(watcher.player).is_some();
            if is_player || (watcher.ends_only && self.board.end.is_none()) {
                continue;
            }
            letters.push(self.to_watcher(context, &watcher)?);
        }
        Ok(letters)
    }

    /// The letter for one who watches.
    pub(super) fn to_watcher(&self, context: &Context<'_>, watcher: &Watcher) -> Result<Letter, Fault> {
        let reader = Seated {
            id: watcher.player,
            userid: watcher.userid.clone(),
        };
        let mut mail = self.mail_for(context, Some(&reader))?;
        mail.steps = stop_watching(self.board, watcher);
        Ok(Letter {
            is_watching: true,
            unasked: Some(why_unasked(self.board, watcher)),
            ..Letter::news(reader.id, self.content(mail)).on(self.board.game, self.board.number)
        })
    }

    /// The letter for one reader, a player of the board or not.
    pub(super) fn to(
        &self,
        context: &Context<'_>,
        to: Addressee,
        reader: Option<&Seated>,
    ) -> Result<Letter, Fault> {
        let mut mail = self.mail_for(context, reader)?;
        mail.status
            .push_str(&queue::note(context, self.board, &to, reader)?);
        Ok(Letter {
            to,
            board: Some((self.board.game, self.board.number)),
            is_answer: false,
            ..Letter::answer(self.content(mail))
        })
    }

    /// A mail with the picture of the position.
    fn content(&self, mail: BoardMail) -> Content {
        Content::from(mail).showing(record(self.board, self.position))
    }

    fn mail_for(&self, context: &Context<'_>, reader: Option<&Seated>) -> Result<BoardMail, Fault> {
        let display = match reader {
            Some(reader) => context.store.display(reader.id, self.board.game)?,
            None => Display::default(),
        };
        let mut mail = self.mail(reader, display);
        mail.about = about_with_clock(context.store, self.board, context.now)?;
        if mail.can_answer && context.store.is_watched(self.board.id, self.board.game)? {
            mail.other.push_str(" and those who watch");
        }
        if let (Some(reader), Some(saying)) = (reader, &mail.saying)
            && let Some(by) = self
                .board
                .players
                .iter()
                .find(|player| player.userid == saying.by)
            && context.store.has_blocked(reader.id, by.id)?
        {
            mail.saying = None;
        }
        Ok(mail)
    }

    fn mail(&self, reader: Option<&Seated>, display: Display) -> BoardMail {
        let seat = reader.and_then(|reader| self.board.seat_of(reader.id));
        let can_answer = seat.is_some() && self.board.end.is_none();
        let turn = match seat {
            Some(_) if self.board.to_move == seat => {
                legal_turn(self.position.game.as_ref()).unwrap_or_default()
            }
            _ => String::new(),
        };
        let has_moved = seat.is_some_and(|seat| self.board.has_moved(seat));
        BoardMail {
            subject: subject(self.board, reader),
            sentence: self.sentence.clone(),
            saying: self.saying.clone(),
            board: self.position.game.draw(display),
            status: status(self.board, seat),
            turns: last_turns(&self.position.turns),
            steps: seat
                .map(|seat| steps(self.board, &turn, seat))
                .unwrap_or_default(),
            can_answer,
            turn,
            other: seat
                .map(|seat| self.board.at(seat.other()).userid.clone())
                .unwrap_or_default(),
            verbs: verbs(self.board, has_moved, seat),
            about: String::new(),
        }
    }
}

/// A position of a board as a record, for its picture.
pub(super) fn record(board: &Board, position: &Position) -> String {
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.iter().map(|turn| turn.text.clone()).collect();
    // An earlier position has no end yet.
    if let Some(End::Finished(ending)) = board.end
        && position.turns.len() == board.turns as usize
    {
        record.ending = Some(ending);
    }
    record.to_string()
}

/// What brings mails about this board to one who watches, and may be ended.
pub(super) fn why_unasked(board: &Board, watcher: &Watcher) -> Unasked {
    if watcher.is_board {
        Unasked::Board(board.id)
    } else {
        Unasked::Game(board.game)
    }
}

/// How one who watches gets no more of these mails; nothing is to be done when the only board watched has ended.
fn stop_watching(board: &Board, watcher: &Watcher) -> Vec<Step> {
    let game = board.game.facts.name;
    let what = match (watcher.is_board, board.end) {
        (true, Some(_)) => return Vec::new(),
        (true, None) => board.number.to_string(),
        (false, _) => "all".to_owned(),
    };
    vec![Step {
        line: format!("{game} unsubscribe {what} {} PASSWORD", watcher.userid),
        does: "ends these mails, which come because you watch".to_owned(),
    }]
}

/// `Pow2 Board 101 alice`: the subject of all mails about a board to one reader.
pub(super) fn subject(board: &Board, reader: Option<&Seated>) -> String {
    match reader.filter(|reader| board.seat_of(reader.id).is_some()) {
        Some(reader) => format!("{} {}", board.name(), reader.userid),
        None => board.name(),
    }
}

/// `alice (Light)`.
fn with_side(board: &Board, seat: Seat) -> String {
    format!(
        "{} ({})",
        board.at(seat).userid,
        board.game.facts.sides[seat.index()]
    )
}

/// What is offered, for the reader in this seat or for one who only watches; empty if nothing is.
fn offered(board: &Board, reader: Option<Seat>) -> String {
    let Some((offer, by)) = board.offer else {
        return String::new();
    };
    let (who, what) = (
        &board.at(by).userid,
        match offer {
            Offer::Draw => "offers a draw",
            Offer::Undo => "asks to take the last turn back",
        },
    );
    match reader {
        Some(seat) if seat != by && board.to_move == Some(seat) => {
            format!(" {who} {what}: answer accept or reject, or play on.")
        }
        Some(seat) if seat != by => format!(" {who} {what}: answer accept or reject."),
        _ => format!(" {who} {what}."),
    }
}

/// Whose turn it is, or how it ended, for the reader in this seat or for one who only watches.
pub(crate) fn status(board: &Board, reader: Option<Seat>) -> String {
    use crate::games::By;
    match board.end {
        Some(End::Removed) => "The board was removed before both had moved; it does not count.".to_owned(),
        Some(End::Void) => "The game was declared void; it counts for nobody.".to_owned(),
        Some(End::Finished(ending)) => {
            let by = match ending.by {
                By::Rules => "",
                By::Resignation => " by resignation",
                By::Forfeit => " because the time ran out",
                By::Agreement => " by agreement",
                By::Adjudication => " by adjudication",
            };
            match ending.outcome {
                Outcome::Drawn => format!("The game is over: a draw{by}."),
                Outcome::Won(seat) => format!("The game is over: {} has won{by}.", with_side(board, seat)),
            }
        }
        None => match board.to_move {
            Some(seat) if Some(seat) == reader => {
                format!(
                    "It is your turn, {}.{}",
                    with_side(board, seat),
                    offered(board, reader)
                )
            }
            Some(seat) => format!(
                "It is the turn of {}.{}",
                with_side(board, seat),
                offered(board, reader)
            ),
            None => String::new(),
        },
    }
}

/// The words that an answer may hold in the place of a turn.
fn verbs(board: &Board, has_moved: bool, seat: Option<Seat>) -> Vec<Verb> {
    let mut verbs = Vec::new();
    let mut add = |word: &str, note: &str| {
        verbs.push(Verb {
            word: word.to_owned(),
            note: note.to_owned(),
        });
    };
    if let Some((offer, by)) = board.offer
        && Some(by) != seat
    {
        add("accept", "");
        add("reject", &format!(" (the {})", offer.name()));
    }
    if board.to_move != seat {
        add("queue", " and a turn (played when it is yours)");
    }
    add("chat", " and some words");
    add("show", "");
    add("help", "");
    if board.game.facts.knows_draws {
        add("propose", " (a draw)");
    }
    add("undo", " (asks to take your last turn back)");
    add(
        "resign",
        if has_moved {
            " (gives the game up)"
        } else {
            " (declines, and the board is removed)"
        },
    );
    verbs
}

/// Lines for the subject of a new mail.
fn steps(board: &Board, turn: &str, seat: Seat) -> Vec<Step> {
    let (name, number) = (board.game.facts.name, board.number);
    let (own, other) = (&board.at(seat).userid, &board.at(seat.other()).userid);
    let step = |line: String, does: &str| {
        vec![Step {
            line,
            does: does.to_owned(),
        }]
    };
    if board.end.is_some() {
        step(format!("{name} challenge {own} {other}"), "begins another game")
    } else if turn.is_empty() {
        Vec::new()
    } else {
        step(
            format!("{name} move {number} {own} PASSWORD {turn}"),
            "your password stands for PASSWORD",
        )
    }
}

/// Who plays, by which options, since when.
pub(crate) fn about(board: &Board) -> String {
    let mut text = format!(
        "{}: {} against {}",
        board.name(),
        with_side(board, Seat::First),
        with_side(board, Seat::Second)
    );
    let options = board.options.to_string();
    if !options.is_empty() {
        text.push_str(&format!(", {options}"));
    }
    if !board.terms.rated {
        text.push_str(", unrated");
    }
    text.push_str(&format!(". Begun {}", board.started_at.format("%Y-%m-%d")));
    match (board.ended_at, board.to_move) {
        (Some(ended_at), _) => text.push_str(&format!(", ended {}.", ended_at.format("%Y-%m-%d"))),
        (None, Some(seat)) => {
            let since = board.moved_at.format("%Y-%m-%d %H:%M");
            text.push_str(&format!("; {} to move since {since} UTC.", board.at(seat).userid));
        }
        (None, None) => text.push('.'),
    }
    text
}

/// The same with its clock.
pub(super) fn about_with_clock(store: &Reader, board: &Board, now: DateTime<Utc>) -> Result<String, Fault> {
    let about = about(board);
    let clock = clock_line(store, board, now)?;
    Ok(format!("{about} {clock}").trim_end().to_owned())
}

/// The last turns, two columns, numbered by the first player's turns. Turns that one player played in a row
/// stand together.
fn last_turns(turns: &[Played]) -> String {
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut last = None;
    for turn in turns {
        let new_row = turn.seat == Seat::First && last != Some(Seat::First);
        if new_row || rows.is_empty() {
            rows.push([String::new(), String::new()]);
        }
        if let Some(row) = rows.last_mut() {
            let cell = &mut row[turn.seat.index()];
            cell.push_str(if cell.is_empty() { "" } else { "," });
            cell.push_str(&turn.text);
        }
        last = Some(turn.seat);
    }
    let first = rows.len().saturating_sub(LAST_TURNS);
    let numbered = rows.into_iter().enumerate().skip(first);
    let lines: Vec<_> = numbered
        .map(|(index, [a, b])| vec![format!("{:>4}.", index + 1), a, b])
        .collect();
    columns(&lines)
}
