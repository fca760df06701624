//! `show`: the current position of boards.

use pbmserv_games::{Display, Game};

use crate::command::reading::turn_text::hash_number;
use crate::command::verbs::games::{Selector, select};
use crate::command::wording::board::{about_with_clock, status};
use crate::command::wording::listing::{MAX_LISTED, of, table};
use crate::command::wording::news::News;
use crate::command::wording::turn_words::asked_for;
use crate::command::{
    Addressee, AnswerWord, Argument, Command, Context, Decision, InAnswer, InternalError, Letter, Line,
    Refused, Run, Scope, Trailing, Undecided, Word,
};
use crate::letters::{Comment, Drawn, Listing};
use crate::table::{Board, Player, PlayerId, Position, Seated};

pub(crate) static SHOW: Command = Command {
    verb: "show",
    aliases: &["look"],
    scope: Scope::Game,
    trailing: Trailing::Words,
    syntax: "GAME show board[#n]... | userid... [active|inactive|all|next]",
    summary: "shows boards, by number or by player",
    help: "Shows boards as they are now, each with its players, its state and its last turns. With #n after its \
           number, a board is shown as it was before turn number n of its first player. With userids, it shows \
           the boards of these players: add active for the running boards, which is the default, inactive for \
           the finished ones, all for both, or next for those where it is their turn. Without userids it shows \
           the boards of all players, but next means yours. More than ten boards are listed, not drawn.",
    examples: &[
        "GAME show 101",
        "GAME show 101#2",
        "GAME show alice next",
        "GAME show active",
    ],
    // "Amazons show no mercy"
    is_meant: |words| {
        let is_known =
            |word: &&str| Selector::read(word).is_some() || word.contains(|c: char| c.is_ascii_digit());
        words.len() <= 1 || words.iter().any(is_known)
    },
    in_answer: InAnswer::OfBoard,
    answer_words: &[AnswerWord {
        word: "show",
        rank: 5,
        note: |_, _| Some(String::new()),
    }],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

pub(crate) static SHOWAS: Command = Command {
    verb: "showas",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME showas userid password board...",
    summary: "shows boards as a player sees them",
    help: "Shows boards as show does, but drawn as this player has chosen (see help set), and mails them to \
           this player, whoever asks for them.",
    examples: &["GAME showas alice fig7elk 101", "GAME showas alice fig7elk 101#2"],
    run: Run::Player(run_as),
    ..Command::USUAL
};

/// More boards than this are listed without drawings.
const MAX_DRAWN: usize = 10;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let known = line
        .by_token
        .map_or_else(|| context.known_senders(), |player| Ok(vec![player]))?;
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    let view = View { to, readers: known };
    let boards = named(context, game, &line.words, &view.readers)?;
    Ok(view.show(context, Some(game), &boards)?)
}

fn run_as(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let view = View {
        to: Addressee::Player(player.id),
        readers: vec![player.id],
    };
    let boards = named(context, game, &line.words, &view.readers)?;
    Ok(Decision {
        proven: Some(player.id),
        ..view.show(context, Some(game), &boards)?
    })
}

/// A board, and the turn of its first player before which it is shown.
pub(crate) type Named = (Board, Option<usize>);

/// The boards of a game that the numbers, userids and selector of a line mean.
fn named(
    context: &Context<'_>,
    game: &'static Game,
    words: &[Word],
    readers: &[PlayerId],
) -> Result<Vec<Named>, Undecided> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (numbers, others): (Vec<_>, Vec<_>) = words.iter().partition(|word| is_number(&word.text));
    if words.is_empty() {
        return Err(Refused::unreadable("Which boards? Name a number or a player.").into());
    }
    if let Some(surplus) = numbers.get(MAX_LISTED) {
        let sentence = format!("At most {MAX_LISTED} boards are shown at once.");
        return Err(Refused::impossible(sentence).hiding(surplus).into());
    }
    let mut boards = Vec::new();
    for word in &numbers {
        boards.push((context.board(game, word)?, hash_number(word)?));
    }
    if !others.is_empty() {
        let found = select(context, Some(game), &others, readers)?;
        boards.extend(found.into_iter().map(|board| (board, None)));
    }
    Ok(boards)
}

/// Who gets the answer, and who probably reads it.
pub(crate) struct View {
    pub to: Addressee,
    /// The players who may read it, the most probable first.
    pub readers: Vec<PlayerId>,
}

impl View {
    /// One board, several, or a list if there are too many; of one game or of all.
    pub(crate) fn show(
        &self,
        context: &Context<'_>,
        game: Option<&'static Game>,
        boards: &[Named],
    ) -> Result<Decision, InternalError> {
        let letter = match boards {
            [(board, number)] => self.one(context, board, *number)?,
            _ => Letter {
                to: self.to.clone(),
                ..Letter::answer(self.several(context, game, boards)?.into())
            },
        };
        Ok(Decision::answer(letter))
    }

    /// One board: the same letter as for news of it, in the same mail thread.
    fn one(
        &self,
        context: &Context<'_>,
        board: &Board,
        number: Option<usize>,
    ) -> Result<Letter, InternalError> {
        let position = position(context, board, number)?;
        let mut players = board.players.iter();
        let reader = players.find(|player| self.readers.contains(&player.id));
        let spectator = self.readers.first().map(|id| Seated {
            id: *id,
            userid: String::new(),
        });
        let sentence = match number {
            Some(number) => format!(
                "{} before turn {number} of {}.",
                board.name(),
                board.players[0].userid
            ),
            None => format!("{}, as it stands.", board.name()),
        };
        let more = match number {
            Some(_) => None,
            None => asked_for(context, board, &position.turns, &self.to, reader)?,
        };
        let (sentence, comment) = match more {
            // Without an author: what an answer quotes of it is not sent on.
            Some((with, text)) => (
                format!("{}, as it stands, {with}:", board.name()),
                Some(Comment { by: None, text }),
            ),
            None => (sentence, None),
        };
        let news = News {
            board,
            position: &position,
            sentence: sentence.into(),
            comment,
        };
        let letter = news.to(context, self.to.clone(), reader.or(spectator.as_ref()))?;
        Ok(Letter {
            is_answer: true,
            is_urgent: false,
            ..letter
        })
    }

    fn several(
        &self,
        context: &Context<'_>,
        game: Option<&'static Game>,
        boards: &[Named],
    ) -> Result<Listing, InternalError> {
        let place = of(game);
        let subject = format!("{} show", game.map_or("all", |game| game.facts.name));
        if boards.len() > MAX_DRAWN || boards.is_empty() {
            let plain: Vec<_> = boards.iter().map(|(board, _)| board.clone()).collect();
            let sentence = match plain.len() {
                0 => format!("There are no such boards {place}."),
                count => format!("{count} boards {place}: too many to draw, so they are listed."),
            };
            return Ok(Listing {
                subject,
                sentence,
                table: table(&plain),
                hint: format!(
                    "{} show NUMBER draws one.",
                    game.map_or("GAME", |game| game.facts.name)
                ),
                ..Listing::default()
            });
        }
        let times = context.times(self.readers.first().copied())?;
        let mut drawn = Vec::new();
        for (board, number) in boards {
            let display = match self.readers.first() {
                Some(reader) => context.store.display(*reader, board.game)?,
                None => Display::default(),
            };
            let position = position(context, board, *number)?;
            drawn.push(Drawn {
                about: format!(
                    "{} {}",
                    about_with_clock(context.store, board, times)?,
                    status(board, None)
                ),
                board: position.game.draw(display),
            });
        }
        Ok(Listing {
            subject,
            sentence: format!("{} boards {place}.", boards.len()),
            boards: drawn,
            ..Listing::default()
        })
    }
}

fn position(context: &Context<'_>, board: &Board, number: Option<usize>) -> Result<Position, InternalError> {
    match number {
        Some(number) => context.position_before(board, number),
        None => context.position(board),
    }
}
