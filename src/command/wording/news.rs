//! The mail about a board, for one reader: what every command that shows a board shares.

use crate::command::wording::board::{about_with_clock, last_turns, legal_turn, record, status, subject};
use crate::command::wording::queued::note;
use crate::command::{Addressee, AnswerWord, Commands, Context, InternalError, Letter};
use crate::games::{Display, Seat};
use crate::letters::{BoardMail, Comment, Content, ReplyWord, Step};
use crate::store::Watcher;
use crate::table::{Board, PlayerId, Position, Seated, Unasked};

/// What happened on a board.
pub(crate) struct News<'a> {
    /// The board as it is after it happened.
    pub board: &'a Board,
    /// Its position.
    pub position: &'a Position,
    /// The first sentence.
    pub sentence: String,
    /// What a player wrote with it.
    pub saying: Option<Comment>,
}

impl News<'_> {
    /// One letter for each of the two players and for those who watch; the player who wrote the message gets it
    /// as the answer.
    pub(crate) fn to_all(
        &self,
        context: &Context<'_>,
        writer: Option<PlayerId>,
    ) -> Result<Vec<Letter>, InternalError> {
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
    pub(crate) fn to_watchers(&self, context: &Context<'_>) -> Result<Vec<Letter>, InternalError> {
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
    pub(crate) fn to_watcher(
        &self,
        context: &Context<'_>,
        watcher: &Watcher,
    ) -> Result<Letter, InternalError> {
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
    pub(crate) fn to(
        &self,
        context: &Context<'_>,
        to: Addressee,
        reader: Option<&Seated>,
    ) -> Result<Letter, InternalError> {
        let mut mail = self.mail_for(context, reader)?;
        mail.status.push_str(&note(context, self.board, &to, reader)?);
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

    fn mail_for(&self, context: &Context<'_>, reader: Option<&Seated>) -> Result<BoardMail, InternalError> {
        let display = match reader {
            Some(reader) => context.store.display(reader.id, self.board.game)?,
            None => Display::default(),
        };
        let mut mail = self.mail(context.commands, reader, display);
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

    fn mail(&self, commands: &Commands, reader: Option<&Seated>, display: Display) -> BoardMail {
        let seat = reader.and_then(|reader| self.board.seat_of(reader.id));
        let can_answer = seat.is_some() && self.board.end.is_none();
        let turn = match seat {
            Some(_) if self.board.to_move == seat => {
                legal_turn(self.position.game.as_ref()).unwrap_or_default()
            }
            _ => String::new(),
        };
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
            verbs: offered_words(commands, self.board, seat),
            about: String::new(),
        }
    }
}

/// What brings mails about this board to one who watches, and may be ended.
pub(crate) fn why_unasked(board: &Board, watcher: &Watcher) -> Unasked {
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

/// The words with which the reader in this seat may answer.
fn offered_words(commands: &Commands, board: &Board, seat: Option<Seat>) -> Vec<ReplyWord> {
    let mut words: Vec<_> = commands.iter().flat_map(|command| command.answer_words).collect();
    words.sort_by_key(|word| word.rank);
    let offered = |word: &AnswerWord| {
        let note = (word.note)(board, seat)?;
        Some(ReplyWord {
            word: word.word.to_owned(),
            note,
        })
    };
    words.into_iter().filter_map(offered).collect()
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
