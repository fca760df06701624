//! The letter about a board, for one reader. Every command that shows a board uses it.
//!
//! Watchers are looked up when the letters of a board are decided. At most 100 watch a board and 100 its game, so one turn causes
//! at most 202 letters.

use pbmserv_games::{Display, Facts, Seat};

use crate::command::wording::board::{
    about, head, last_turns, legal_turn, record, running_ratings, subject, without_name,
};
use crate::command::wording::dice::of_dice;
use crate::command::wording::planned::note;
use crate::command::wording::sentence::{Sentence, said};
use crate::command::wording::status::{action, answers, result, standing};
use crate::command::{Addressee, AnswerWord, Commands, Context, InternalError, Letter, Weight};
use crate::letters::{BoardMail, Comment, Content, LastTurns, ReplyWord, Status, Step, Times, preheader};
use crate::store::Watcher;
use crate::table::{Board, End, PlayerId, Position, Seated, Unasked, is_erased};

/// What happened on a board.
pub(crate) struct News<'a> {
    /// The board after it happened.
    pub board: &'a Board,
    /// The position to draw.
    pub position: &'a Position,
    /// The first sentence of the letter. One that ends with a colon announces the text of a player.
    pub sentence: Sentence,
    /// The text that a player sent with the command.
    pub comment: Option<Comment>,
}

/// What all letters about a board share, for all readers.
struct Shared {
    /// The ratings of the players, if the letter has them.
    ratings: Option<[String; 2]>,
    turns: LastTurns,
    record: String,
    /// Whether anybody watches it while it runs.
    is_watched: bool,
}

impl News<'_> {
    /// Letters to both players and all watchers. For the player who wrote the message the letter is the answer.
    pub(crate) fn to_all(
        &self,
        context: &Context<'_>,
        writer: Option<PlayerId>,
    ) -> Result<Vec<Letter>, InternalError> {
        let mut letters = self.to_players(context, writer)?;
        letters.extend(self.to_watchers(context)?);
        letters.sort_by_key(|letter| (letter.is_answer, letter.is_watching));
        Ok(letters)
    }

    /// Letters to both players, unless one is a computer.
    pub(crate) fn to_players(
        &self,
        context: &Context<'_>,
        writer: Option<PlayerId>,
    ) -> Result<Vec<Letter>, InternalError> {
        let mut letters = Vec::new();
        let shared = self.shared(context)?;
        for seated in self
            .board
            .players
            .iter()
            .filter(|seated| !seated.id.is_computer())
        {
            let letter = self.with(&shared, context, Addressee::Player(seated.id), Some(seated))?;
            letters.push(Letter {
                is_answer: writer == Some(seated.id),
                weight: Some(self.weight(Some(seated.id))),
                ..letter
            });
        }
        // Others first, the writer last: if a crash loses a letter between two deliveries, it is the writer's own copy.
        letters.sort_by_key(|letter| letter.is_answer);
        Ok(letters)
    }

    /// Letters to all watchers. A watcher who wants only the ends of games gets none earlier.
    pub(crate) fn to_watchers(&self, context: &Context<'_>) -> Result<Vec<Letter>, InternalError> {
        let mut watchers = context.store.watchers(self.board.id, self.board.game)?;
        watchers.retain(|watcher| {
            let is_player = self.board.seat_of(watcher.player).is_some();
            !is_player && (!watcher.ends_only || self.board.end.is_some())
        });
        if watchers.is_empty() {
            return Ok(Vec::new());
        }
        let shared = self.shared(context)?;
        let letters = watchers
            .iter()
            .map(|watcher| self.watching(&shared, context, watcher));
        letters.collect()
    }

    /// The letter to one watcher.
    pub(crate) fn to_watcher(
        &self,
        context: &Context<'_>,
        watcher: &Watcher,
    ) -> Result<Letter, InternalError> {
        self.watching(&self.shared(context)?, context, watcher)
    }

    fn watching(
        &self,
        shared: &Shared,
        context: &Context<'_>,
        watcher: &Watcher,
    ) -> Result<Letter, InternalError> {
        let reader = Seated {
            id: watcher.player,
            userid: watcher.userid.clone(),
        };
        let mut mail = self.mail_for(context, Some(&reader), shared)?;
        mail.steps = stop_watching(self.board, watcher);
        Ok(Letter {
            is_watching: true,
            weight: Some(self.weight(None)),
            unasked: Some(why_unasked(self.board, watcher)),
            ..Letter::news(reader.id, content(mail, shared)).on(self.board.game, self.board.number)
        })
    }

    /// What the event means to a player of the board, or to a watcher.
    fn weight(&self, player: Option<PlayerId>) -> Weight {
        let board = self.board;
        let is_new = board.is_new() && player.is_some();
        let makes_turn = board.has_just_moved() && player.is_some_and(|player| board.is_turn_of(player));
        if board.has_just_ended() || is_new || makes_turn {
            Weight::Needed
        } else if board.is_new() || board.has_just_moved() {
            Weight::Turn
        } else {
            Weight::Slight
        }
    }

    /// The letter to one reader, who need not be a player of the board.
    pub(crate) fn to(
        &self,
        context: &Context<'_>,
        to: Addressee,
        reader: Option<&Seated>,
    ) -> Result<Letter, InternalError> {
        self.with(&self.shared(context)?, context, to, reader)
    }

    fn with(
        &self,
        shared: &Shared,
        context: &Context<'_>,
        to: Addressee,
        reader: Option<&Seated>,
    ) -> Result<Letter, InternalError> {
        let mut mail = self.mail_for(context, reader, shared)?;
        mail.status
            .more
            .push_str(&note(context, self.board, &to, reader)?);
        Ok(Letter {
            to,
            board: Some((self.board.game, self.board.number)),
            is_answer: false,
            ..Letter::answer(content(mail, shared))
        })
    }

    fn shared(&self, context: &Context<'_>) -> Result<Shared, InternalError> {
        let (store, board) = (context.store, self.board);
        Ok(Shared {
            ratings: running_ratings(store, board, context.now)?,
            turns: last_turns(board, &self.position.turns),
            record: record(board, self.position),
            is_watched: board.end.is_none() && store.is_watched(board.id, board.game)?,
        })
    }

    fn mail_for(
        &self,
        context: &Context<'_>,
        reader: Option<&Seated>,
        shared: &Shared,
    ) -> Result<BoardMail, InternalError> {
        let display = match reader {
            Some(reader) => context.store.display(reader.id, self.board.game)?,
            None => Display::default(),
        };
        let times = context.times(reader.map(|reader| reader.id))?;
        let mut mail = self.mail(context.commands, reader, (display, times), shared);
        let seat = reader.and_then(|reader| self.board.seat_of(reader.id));
        if let Some(seat) = seat.filter(|_| self.board.has_just_ended()) {
            mail.result = result(self.board, self.position.game.as_ref(), seat);
        }
        if mail.result.is_empty() {
            mail.status = standing(context.store, self.board, seat, times)?;
        }
        let dice = of_dice(self.board, self.position, seat);
        mail.status.more = format!("{}{dice}", mail.status.more).trim_start().to_owned();
        if let Some(reader) = reader.filter(|_| seat.is_some()) {
            mail.fewer = fewer(context, reader)?;
        }
        if mail.can_answer && shared.is_watched {
            mail.other.push_str(match mail.other.as_str() {
                "" => "those who watch",
                _ => " and those who watch",
            });
        }
        if let (Some(reader), Some(saying)) = (reader, &mail.saying)
            && let Some(by) = self
                .board
                .players
                .iter()
                .find(|player| saying.by.as_ref() == Some(&player.userid))
            && reader.id != by.id
            && context.store.has_blocked(reader.id, by.id)?
        {
            mail.saying = None;
        }
        mail.said = said(&mail, reader);
        let again = seat.map_or("", |seat| &self.board.at(seat.other()).userid);
        mail.hint = hint(&mail, again);
        mail.preheader = self.preheader(&mail);
        Ok(mail)
    }

    fn mail(
        &self,
        commands: &Commands,
        reader: Option<&Seated>,
        (display, times): (Display, Times),
        shared: &Shared,
    ) -> BoardMail {
        let seat = reader.and_then(|reader| self.board.seat_of(reader.id));
        let can_answer = seat.is_some() && self.board.can_be_answered();
        let turn = match seat {
            Some(_) if self.board.to_move == seat => {
                legal_turn(self.position.game.as_ref()).unwrap_or_default()
            }
            _ => String::new(),
        };
        let action = seat.and_then(|seat| action(self.board, seat));
        let choices = seat.map(|seat| answers(self.board, seat)).unwrap_or_default();
        let example = match &action {
            Some(button) if !button.word.is_empty() => button.word.clone(),
            _ => turn.clone(),
        };
        BoardMail {
            subject: subject(self.board, reader),
            head: head(self.board, seat),
            preheader: String::new(),
            result: String::new(),
            sentence: self.sentence.to(seat).to_owned(),
            choices,
            saying: self.comment.clone(),
            said: String::new(),
            board: self.position.game.draw(display),
            goal: seat
                .filter(|seat| can_answer && self.is_first_letter(*seat))
                .map(|_| goal(self.board.game.facts))
                .unwrap_or_default(),
            status: Status::default(),
            turns: shared.turns.clone(),
            steps: seat.map(|seat| steps(self.board, seat)).unwrap_or_default(),
            can_answer,
            turn,
            action,
            hint: String::new(),
            example,
            other: seat
                .map(|seat| self.board.at(seat.other()))
                .filter(|other| !other.id.is_computer() && !is_erased(&other.userid))
                .map(|other| other.userid.clone())
                .unwrap_or_default(),
            verbs: offered_words(commands, self.board, seat),
            about: about(self.board, shared.ratings.as_ref(), times),
            is_removed: matches!(self.board.end, Some(End::Removed(_))),
            earlier: Vec::new(),
            fewer: Vec::new(),
        }
    }

    /// Whether the player in this seat reads of the board for the first time: a computer may have moved before.
    fn is_first_letter(&self, seat: Seat) -> bool {
        let board = self.board;
        let is_answered = board.at(seat.other()).id.is_computer() && !board.has_moved(seat);
        board.end.is_none() && (board.turns == 0 || is_answered)
    }

    /// What the reader must do, what happened, and how the words begin.
    fn preheader(&self, mail: &BoardMail) -> String {
        let happened = without_name(self.board, mail.sentence.split("\n\n").next().unwrap_or_default());
        let brief = match mail.status.brief.as_str() {
            "" => String::new(),
            brief => format!("{brief}:"),
        };
        let words = match &mail.saying {
            Some(saying) => format!("\"{}\"", saying.text.trim()),
            None => String::new(),
        };
        match happened.ends_with(':') {
            true => preheader([&*happened, &words, brief.trim_end_matches(':')]),
            false => preheader([&*brief, &mail.result, &happened, &words]),
        }
    }
}

fn goal(facts: &Facts) -> String {
    format!(
        "The goal of {}: {} The word help, alone on the first line, brings the rules.",
        facts.title, facts.summary
    )
}

/// Adds the picture of the position.
fn content(mail: BoardMail, shared: &Shared) -> Content {
    Content::from(mail).showing(shared.record.clone())
}

/// How to answer with the example; words to the player in the other seat, if that is no computer.
fn hint(mail: &BoardMail, again: &str) -> String {
    match (&mail.action, mail.other.as_str()) {
        (None, _) => String::new(),
        (Some(button), "") if button.word.is_empty() => {
            "Answer this mail with your turn alone on the first line. For example".to_owned()
        }
        (Some(button), other) if button.word.is_empty() => format!(
            "Answer this mail with your turn alone on the first line; words below it go to {other}. For example"
        ),
        (Some(_), _) => format!("To play {again} again, answer this mail with the one word"),
    }
}

/// Commands with which the reader gets fewer mails than now.
fn fewer(context: &Context<'_>, reader: &Seated) -> Result<Vec<Step>, InternalError> {
    let wanted = context.store.preferences(reader.id)?;
    let step = |setting: &str, does: &str| Step {
        line: format!("set {setting}"),
        does: does.to_owned(),
    };
    let digest = (!wanted.digest).then(|| step("digest on", "one mail a day"));
    let reminders = wanted.reminders.then(|| step("reminders off", "no reminders"));
    Ok(digest.into_iter().chain(reminders).collect())
}

/// The subscription that a watcher can end to get no more mails about this board.
pub(crate) fn why_unasked(board: &Board, watcher: &Watcher) -> Unasked {
    if watcher.is_board {
        Unasked::Board(board.id)
    } else {
        Unasked::Game(board.game)
    }
}

/// The command that ends these mails for a watcher. Empty if the subscription is to this board only, and it has ended.
fn stop_watching(board: &Board, watcher: &Watcher) -> Vec<Step> {
    let game = board.game.facts.name;
    let what = match (watcher.is_board, board.end) {
        (true, Some(_)) => return Vec::new(),
        (true, None) => board.number.to_string(),
        (false, _) => "all".to_owned(),
    };
    vec![Step {
        line: format!("{game} unsubscribe {what}"),
        does: "ends these mails, which come because you watch".to_owned(),
    }]
}

/// The words with which the reader in this seat may reply.
pub fn offered_words(commands: &Commands, board: &Board, seat: Option<Seat>) -> Vec<ReplyWord> {
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

/// The command that begins another game, of a board that was removed: its letter cannot be answered.
fn steps(board: &Board, seat: Seat) -> Vec<Step> {
    if !board.has_both_players() || board.can_be_answered() {
        return Vec::new();
    }
    let (own, other) = (&board.at(seat).userid, &board.at(seat.other()).userid);
    vec![Step {
        line: format!("{} challenge {own} {other}", board.game.facts.name),
        does: "begins another game".to_owned(),
    }]
}
