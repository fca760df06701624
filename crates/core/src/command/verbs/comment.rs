//! `comment`: words of the players on the turns of a finished game.

use crate::command::context::MAX_COMMENT;
use crate::command::playing::turns::not_now;
use crate::command::reading::on_turns::{OnTurn, is_open, number, on_turns};
use crate::command::wording::news::News;
use crate::command::wording::turn_words::{turn_in_words, turn_words};
use crate::command::{
    Addressee, AnswerWord, Argument, Change, Command, Context, Decision, InAnswer, InternalError, Letter,
    Line, Reason, Refused, Run, Scope, Topic, Trailing, Undecided, Weight,
};
use crate::letters::Comment;
use crate::table::{Board, End, Player, Position, is_erased};
use pbmserv_games::Seat;

pub(crate) static COMMENT: Command = Command {
    verb: "comment",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME comment board userid password [turn words | turn off | public | private]",
    summary: "your words on a turn of a finished game",
    help: "After a game, its players may write on each of its turns. Write comment, the number of the turn and your words, \
           which may go on below; another line that begins with comment and a number begins the words on another turn. Turns \
           are counted from 1 over both players, as on the page of the board. Your words on a turn take the place of earlier \
           ones there, and off removes them. The other player reads them too. Without a number you get all that was said.\n\n\
           Both players find the words on the page of the board, in the record, and in what show and review send. Nobody \
           else does, unless both players write comment public. comment private by either ends that.\n\n\
           In an answer to a mail about the board, the first line is such as: comment 14 here I was lost.",
    examples: &[
        "GAME comment 101 alice fig7elk 14 here I was lost",
        "GAME comment 101 alice fig7elk public",
    ],
    in_answer: InAnswer::Private,
    // "Comment on your last turn: it was good": these are words for the other player. In a whole line the board comes first.
    is_meant: |words| match words {
        [] => true,
        [first, rest @ ..] => number(first).is_some() || rest.is_empty() && is_open(first).is_some(),
    },
    answer_words: &[AnswerWord {
        word: "comment",
        rank: 8,
        note: |board, _| {
            let is_finished = matches!(board.end, Some(End::Finished(_)));
            is_finished.then(|| " and the number of a turn (for your words on it)".to_owned())
        },
    }],
    run: Run::OnBoard(run),
    ..Command::USUAL
};

/// The longest words of a player on one turn, in characters. On all turns of a board they are at most as long as a note.
const MAX_ON_A_TURN: usize = 1000;

fn run(context: &Context<'_>, line: &Line, board: Board, player: &Player) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id) else {
        return Err(not_now(board, position, player));
    };
    let (name, userid) = (board.name(), &player.userid);
    let refused = |sentence: String, board, position| {
        Err(Undecided::from(Refused::impossible(sentence).on(board, position)))
    };
    match board.end {
        Some(End::Finished(_)) => {}
        Some(End::Removed(_) | End::Void) => {
            let sentence =
                format!("Nobody writes on the turns of {name}, {userid}: no game came about there.");
            return Err(Refused::impossible(sentence).into());
        }
        None => {
            let sentence = format!(
                "{name} is not over, {userid}: its players write on its turns after the end. note keeps words for you alone."
            );
            return refused(sentence, board, position);
        }
    }
    let typed = line
        .words
        .first()
        .map_or("", |first| &line.text[first.at.start.min(line.text.len())..]);
    let text = [context.masked(typed), context.clean_comment().unwrap_or_default()].join("\n");
    let text = text.trim();
    let desk = Desk {
        context,
        board: &board,
        position: &position,
        player,
        seat,
    };
    let wanted = match is_open(text) {
        _ if text.is_empty() => desk.all()?,
        Some(is_open) => desk.open(is_open)?,
        None => match on_turns(text) {
            Some(wanted) => desk.write(wanted)?,
            None => Err(format!(
                "Which turn is it, {userid}? Write its number after comment, then your words: comment 14 here I was lost."
            )),
        },
    };
    match wanted {
        Ok(decision) => Ok(decision),
        Err(sentence) => refused(sentence, board, position),
    }
}

/// A decision, or the sentence of a refusal.
type Outcome = Result<Result<Decision, String>, Undecided>;

/// A player at a finished board.
struct Desk<'a> {
    context: &'a Context<'a>,
    board: &'a Board,
    position: &'a Position,
    player: &'a Player,
    seat: Seat,
}

impl Desk<'_> {
    /// All that was said.
    fn all(&self) -> Outcome {
        let store = self.context.store;
        let comments = store.turn_comments(self.board, Some(self.player.id))?;
        let notes = store.board_notes(self.board.id)?;
        let text = turn_words(self.board, &self.position.turns, &notes, &comments);
        let (name, userid) = (self.board.name(), &self.player.userid);
        let (sentence, text) = match text.is_empty() {
            true => (
                format!(
                    "Nothing is written on the turns of {name} yet, {userid}: write comment, the number of a turn and your \
                     words, such as comment 1 I always begin so."
                ),
                None,
            ),
            false => (
                format!("What was said on the turns of {name}, {userid}:"),
                Some(text),
            ),
        };
        Ok(Ok(self.decided(Vec::new(), vec![self.answer(sentence, text)?])))
    }

    /// Agrees that everybody may read the words, or ends that.
    fn open(&self, is_open: bool) -> Outcome {
        let (store, name, userid) = (self.context.store, self.board.name(), &self.player.userid);
        let other = self.board.at(self.seat.other());
        let agrees = store.opens_comments(self.board, self.seat)?;
        if agrees == is_open {
            let how = if is_open { "do already" } else { "do not" };
            return Ok(Err(format!(
                "You {how} agree that everybody may read the words on the turns of {name}, {userid}: nothing was changed."
            )));
        }
        if is_open && store.turn_comments(self.board, Some(self.player.id))?.is_empty() {
            return Ok(Err(format!(
                "Nothing is written on the turns of {name} yet, {userid}."
            )));
        }
        let other_agrees = store.opens_comments(self.board, self.seat.other())?;
        let public = format!("Everybody may read now what is written on the turns of {name}");
        let private = format!("Only its two players read now what is written on the turns of {name}");
        let (to_writer, to_other) = match (is_open, other_agrees) {
            (true, true) => (
                format!("{public}, {userid}."),
                format!("{public}: {userid} agrees too."),
            ),
            (true, false) => (
                format!(
                    "You agree that everybody may read what is written on the turns of {name}, {userid}: they may when {} \
                     agrees too.",
                    other.userid
                ),
                format!(
                    "{userid} agrees that everybody may read what is written on the turns of {name}. If you do too, answer \
                     with comment public; otherwise you need do nothing."
                ),
            ),
            (false, true) => (
                format!("{private}, {userid}."),
                format!("{private}: {userid} wishes it."),
            ),
            (false, false) => (
                format!(
                    "You do not agree any more that everybody may read the words on the turns of {name}, {userid}."
                ),
                String::new(),
            ),
        };
        let change = Change::OpenComments {
            player: self.player.id,
            board: self.board.id,
            is_open,
        };
        let mut letters = Vec::new();
        if !to_other.is_empty() {
            letters.extend(self.to_other(to_other, None, self.position)?);
        }
        letters.push(self.answer(to_writer, None)?);
        Ok(Ok(self.decided(vec![change], letters)))
    }

    /// Keeps words on turns.
    fn write(&self, wanted: Vec<OnTurn>) -> Outcome {
        let (store, name, userid) = (self.context.store, self.board.name(), &self.player.userid);
        let other = self.board.at(self.seat.other());
        if !other.id.is_computer() && store.has_blocked(other.id, self.player.id)? {
            let reason = Reason::NotHeard {
                reader: &other.userid,
                writer: userid,
            };
            return Ok(Err(reason.to_string()));
        }
        let comments = store.turn_comments(self.board, Some(self.player.id))?;
        let mut own: Vec<(u32, String)> = comments
            .into_iter()
            .filter(|comment| comment.seat == self.seat)
            .map(|comment| (comment.ordinal, comment.words))
            .collect();
        let (mut changes, mut kept) = (Vec::new(), Vec::new());
        for (ordinal, words) in wanted {
            let before = own.iter().position(|(turn, _)| *turn == ordinal);
            let wrong = match (&words, before) {
                _ if !(1..=self.board.turns).contains(&ordinal) => Some(format!(
                    "{name} has {} turns, {userid}: there is no turn {ordinal}.",
                    self.board.turns
                )),
                (None, None) => Some(format!(
                    "You have no words on turn {ordinal} of {name}, {userid}."
                )),
                (Some(words), _) if words.is_empty() => Some(format!(
                    "Some words are missing after the number {ordinal}, {userid}."
                )),
                (Some(words), _) if words.chars().count() > MAX_ON_A_TURN => Some(format!(
                    "Your words on turn {ordinal} of {name} are too long, {userid}: they have at most {MAX_ON_A_TURN} \
                     characters."
                )),
                (Some(words), Some(at)) if own.get(at).is_some_and(|(_, before)| before == words) => {
                    Some(format!(
                        "Your words on turn {ordinal} of {name} are the same already, {userid}: nothing was changed."
                    ))
                }
                _ => None,
            };
            if let Some(wrong) = wrong {
                return Ok(Err(wrong));
            }
            if let Some(at) = before {
                own.remove(at);
            }
            if let Some(words) = &words {
                own.push((ordinal, words.clone()));
                kept.push((ordinal, words.clone()));
            }
            changes.push(Change::TurnComment {
                player: self.player.id,
                board: self.board.id,
                ordinal,
                words,
            });
        }
        if own.iter().map(|(_, words)| words.chars().count()).sum::<usize>() > MAX_COMMENT {
            return Ok(Err(format!(
                "Your words on {name} would be too long, {userid}: on all its turns they have at most {MAX_COMMENT} \
                 characters. To remove some, write comment, the number of the turn and off."
            )));
        }
        let Some(((first, words), more)) = kept.split_first() else {
            let what = match changes.as_slice() {
                [Change::TurnComment { ordinal, .. }] => {
                    format!("Your words on turn {ordinal} of {name} are removed")
                }
                _ => format!("Your words on {} turns of {name} are removed", changes.len()),
            };
            let letter = self.answer(format!("{what}, {userid}."), None)?;
            return Ok(Ok(self.decided(changes, vec![letter])));
        };
        let turns = &self.position.turns;
        let (on, comma, text, shown) = match more {
            // The letter shows the board as it was after that turn.
            [] => {
                let then = self.board.replay(turns.clone(), *first as usize);
                let on = turn_in_words(self.board, turns, *first).replacen(',', &format!(" of {name},"), 1);
                (on, ",", words.clone(), Some(then.map_err(InternalError::from)?))
            }
            _ => {
                let each = kept.iter().map(|(turn, words)| {
                    format!(
                        "{}:\n{words}",
                        turn_in_words(self.board, turns, *turn).replacen('t', "T", 1)
                    )
                });
                let text = each.collect::<Vec<_>>().join("\n\n");
                (format!("{} turns of {name}", kept.len()), "", text, None)
            }
        };
        let who = match store.has_public_comments(self.board)? {
            true => "everybody may read them".to_owned(),
            false if other.id.is_computer() || is_erased(&other.userid) => {
                "nobody else reads them".to_owned()
            }
            false => format!("{} reads them too", other.userid),
        };
        let comment = Comment {
            by: Some(userid.clone()),
            text: text.clone(),
        };
        let shown = shown.as_ref().unwrap_or(self.position);
        let mut letters: Vec<_> = self
            .to_other(format!("{userid} wrote on {on}:"), Some(comment), shown)?
            .into_iter()
            .collect();
        letters.push(self.answer(
            format!("Your words on {on}{comma} are kept, {userid}, and {who}:"),
            Some(text),
        )?);
        Ok(Ok(self.decided(changes, letters)))
    }

    /// The letter to the other player, if that is a person.
    fn to_other(
        &self,
        sentence: String,
        comment: Option<Comment>,
        position: &Position,
    ) -> Result<Option<Letter>, InternalError> {
        let other = self.board.at(self.seat.other());
        if other.id.is_computer() || is_erased(&other.userid) {
            return Ok(None);
        }
        let news = News {
            board: self.board,
            position,
            sentence: sentence.into(),
            comment,
        };
        Ok(Some(Letter {
            topic: Topic::Chat,
            // Beyond the daily bound they join the next letter about the board.
            weight: Some(Weight::Slight),
            ..news.to(self.context, Addressee::Player(other.id), Some(other))?
        }))
    }

    /// The answer to the writer. Its words have no author: an answer that quotes them does not send them again.
    fn answer(&self, sentence: String, text: Option<String>) -> Result<Letter, InternalError> {
        let news = News {
            board: self.board,
            position: self.position,
            sentence: sentence.into(),
            comment: text.map(|text| Comment { by: None, text }),
        };
        let own = Some(self.board.at(self.seat));
        Ok(Letter {
            is_answer: true,
            ..news.to(self.context, Addressee::Player(self.player.id), own)?
        })
    }

    fn decided(&self, changes: Vec<Change>, letters: Vec<Letter>) -> Decision {
        Decision {
            changes,
            letters,
            proven: Some(self.player.id),
        }
    }
}
