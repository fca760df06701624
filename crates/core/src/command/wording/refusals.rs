//! Letters about refused commands: what is wrong, where, and what to type instead.

use std::ops::Range;

use pbmserv_games::{Display, GAMES, Game, Seat};

use crate::command::wording::board::{head, legal_turn, record, subject};
use crate::command::wording::served::short;
use crate::command::wording::status::{action, standing};
use crate::command::{
    Addressee, Command, Context, Echo, InAnswer, InternalError, Letter, Line, Misread, RefusalKind, Refused,
    Scope, Topic,
};
use crate::letters::{Button, Content, Dead, Near, NotDone, SubjectMark, preheader, wrap};
use crate::table::Board;
use pbmserv_mail::{Address, cut};

/// The widest echoed line, in characters. Of a longer one the part around the caret is shown.
const WIDEST_ECHO: usize = 66;

/// The answer to a command that was read but is refused.
pub(crate) fn refusal_letter(
    context: &Context<'_>,
    line: &Line,
    refused: &Refused,
) -> Result<Letter, InternalError> {
    let echo = echo(context, line, refused)?;
    let mut letter = NotDone {
        syntax: match (refused.show_syntax, line.by_token) {
            (false, _) => String::new(),
            (true, None) => syntax(line.command, line.game),
            (true, Some(_)) => syntax_by_token(line.command, line.game),
        },
        is_unchanged: line.command.may_change(),
        ..plain(line.command.not_done, refused, &echo)
    };
    let mut thread = None;
    let mut picture = None;
    if let Some((board, position)) = refused.board.as_deref() {
        let proven = refused.proven.map(|player| vec![player]);
        let readers = proven.map_or_else(|| context.known_senders(), Ok)?;
        let reader = board.players.iter().find(|player| readers.contains(&player.id));
        let display = match readers.first() {
            Some(reader) => context.store.display(*reader, board.game)?,
            None => Display::default(),
        };
        let seat: Option<Seat> = reader.and_then(|reader| board.seat_of(reader.id));
        letter.subject = subject(board, reader);
        letter.board = position.game.draw(display);
        about_board(context, board, seat, &mut letter)?;
        if line.turns.is_some()
            && letter.status.is_mine
            && let Some(turn) = legal_turn(position.game.as_ref())
        {
            letter.syntax.clear();
            letter.example = turn;
        }
        letter.near.are_answers = letter.status.is_mine && line.command.verb == "move";
        if reader.is_some() {
            letter.sentence = refused.above(board);
        }
        if context.clean_comment().is_some()
            && line.command.in_answer != InAnswer::Private
            && let Some(seat) = seat
            && let other = board.at(seat.other())
            && !other.id.is_computer()
        {
            let other = &other.userid;
            letter.unsent = format!("Your words to {other} were not sent: write them again with the turn.");
        }
        if let Some(turn) = &refused.early {
            letter.queue = format!("queue {turn}");
        }
        letter.preheader = preheader([&*letter.sentence, &letter.status.brief]);
        thread = Some((board.game, board.number));
        picture = Some(record(board, position));
    }
    let to = refused.proven.map_or(Addressee::Sender, Addressee::Player);
    let is_turn = line.command.verb == "move";
    Ok(Letter {
        to,
        board: thread,
        topic: if is_turn { Topic::NotPlayed } else { Topic::NotDone },
        ..Letter::answer(Content::from(letter).showing(picture))
    })
}

/// The line of a refusal, with every word masked that may be a password.
pub(crate) fn echo(context: &Context<'_>, line: &Line, refused: &Refused) -> Result<Echo, InternalError> {
    with_userids(context, |is_userid| line.echo(refused, is_userid))
}

/// What is found by looking up whether words are userids.
fn with_userids<T>(
    context: &Context<'_>,
    find: impl FnOnce(&dyn Fn(&str) -> bool) -> T,
) -> Result<T, InternalError> {
    let failure = std::cell::Cell::new(None);
    let found = find(&|word| match context.store.player(word) {
        Ok(player) => player.is_some(),
        Err(error) => {
            failure.set(Some(error));
            false
        }
    });
    match failure.into_inner() {
        None => Ok(found),
        Some(error) => Err(error.into()),
    }
}

/// Tells why a line is not a command, with the line as it is shown. The database knows the userids in it: so the refusal
/// can say which word is missing.
pub(crate) fn misread<T>(
    context: &Context<'_>,
    line: &Misread,
    tell: impl FnOnce(&Refused, &Echo) -> T,
) -> Result<T, InternalError> {
    let Some(words) = &line.line else {
        return Ok(tell(&line.refused, &line.echo));
    };
    with_userids(context, |is_userid| {
        let missing = words.missing(is_userid);
        let refused = missing.as_ref().unwrap_or(&line.refused);
        tell(refused, &words.echo(refused, is_userid))
    })
}

/// The answer to a line that is not a command.
pub(crate) fn misread_letter(context: &Context<'_>, line: &Misread) -> Result<Letter, InternalError> {
    let letter = misread(context, line, |refused, echo| {
        let syntax = match line.command {
            Some((game, command)) if refused.show_syntax => match &line.line {
                Some(line) if line.by_token.is_some() => syntax_by_token(command, game),
                _ => syntax(command, game),
            },
            _ => String::new(),
        };
        let help = if syntax.is_empty() {
            short(context.settings.own.present())
        } else {
            String::new()
        };
        let mark = match line.command {
            Some((_, command)) => command.not_done,
            None => SubjectMark::NotDone,
        };
        NotDone {
            syntax,
            help,
            ..plain(mark, refused, echo)
        }
    })?;
    Ok(Letter::answer(letter.into()))
}

/// Adds what a letter about a board has: whose turn it is and until when, and the way to play it.
pub(super) fn about_board(
    context: &Context<'_>,
    board: &Board,
    seat: Option<Seat>,
    letter: &mut NotDone,
) -> Result<(), InternalError> {
    letter.head = head(board, seat);
    let times = context.times(seat.map(|seat| board.at(seat).id))?;
    letter.status = standing(context.store, board, seat, times)?;
    letter.action = seat.and_then(|seat| action(board, seat)).map(|button| Button {
        label: if letter.status.is_mine {
            "Try again".to_owned()
        } else {
            button.label
        },
        word: button.word,
    });
    Ok(())
}

/// The answer to a mail whose token is not valid any more.
pub(crate) fn dead_letter(server: &Address) -> Letter {
    Letter::answer(Dead { help: short(server) }.into())
}

/// A refusal as one line of a transcript, with suggestions.
pub(crate) fn in_short(refused: &Refused) -> String {
    let words = format!("Not done: {} {}", refused.sentence(), nearest(refused));
    wrap(words.trim_end(), 72)
}

fn nearest(refused: &Refused) -> Near {
    let (before, after) = match refused.kind {
        RefusalKind::Ambiguous => ("It could be ", "."),
        RefusalKind::Impossible if refused.board.is_some() => ("Possible: ", "."),
        RefusalKind::Unreadable | RefusalKind::Impossible => ("Did you mean ", "?"),
    };
    Near {
        before: before.to_owned(),
        words: refused.near.clone(),
        after: after.to_owned(),
        are_answers: false,
    }
}

fn plain(mark: SubjectMark, refused: &Refused, echo: &Echo) -> NotDone {
    let shown = cut::chars(&echo.text, 60);
    let near = nearest(refused);
    NotDone {
        subject: if shown.is_empty() {
            mark.words().to_owned()
        } else {
            mark.before(shown)
        },
        sentence: refused.sentence(),
        line: with_caret(echo),
        near,
        ..NotDone::default()
    }
}

/// The line, cut to a width that fits on a phone, with `^^^` under the part that is wrong.
pub(super) fn with_caret(echo: &Echo) -> String {
    let characters: Vec<char> = echo.text.chars().collect();
    let Range { start, end } = echo.caret.clone().unwrap_or_default();
    let from = if characters.len() <= WIDEST_ECHO {
        0
    } else {
        start.saturating_sub(WIDEST_ECHO / 2)
    };
    let to = characters.len().min(from + WIDEST_ECHO);
    let dots = if from > 0 { "..." } else { "" };
    let part: String = characters.get(from..to).unwrap_or_default().iter().collect();
    let tail = if to < characters.len() { "..." } else { "" };
    let line = format!("  {dots}{part}{tail}");
    if echo.caret.is_none() {
        return if part.is_empty() { String::new() } else { line };
    }
    let blanks = " ".repeat(2 + dots.len() + start.saturating_sub(from));
    let carets = "^".repeat(end.saturating_sub(start).clamp(1, WIDEST_ECHO));
    format!("{line}\n{blanks}{carets}")
}

fn syntax(command: &Command, game: Option<&'static Game>) -> String {
    let first = game.or_else(|| GAMES.first());
    // Only a command that needs a game is shown with one.
    let named = if command.scope == Scope::Game { first } else { game };
    let mut lines = vec![format!("  {}", command.syntax_for(named))];
    lines.extend(
        command
            .examples_for(first)
            .first()
            .map(|example| format!("  {example}")),
    );
    lines.join("\n")
}

/// The syntax of a command where a token stands for userid and password.
fn syntax_by_token(command: &Command, game: Option<&'static Game>) -> String {
    let syntax = command.syntax_for(game.or_else(|| GAMES.first()));
    format!(
        "  {}",
        syntax
            .replacen(" board", "", 1)
            .replacen(" userid password", "", 1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_what_is_spoken_of() {
        let echo = Echo {
            text: "Pow2 mvve 101".into(),
            caret: Some(5..9),
        };
        assert_eq!(with_caret(&echo), "  Pow2 mvve 101\n       ^^^^");
    }

    #[test]
    fn a_long_line_is_cut_about_the_caret() {
        let echo = Echo {
            text: "x".repeat(500),
            caret: Some(400..403),
        };
        let shown = with_caret(&echo);
        assert!(shown.lines().all(|line| line.len() <= 76), "{shown}");
        let (line, carets) = shown.split_once('\n').unwrap();
        assert!(carets.len() <= line.len());
    }

    #[test]
    fn choices_are_listed_as_people_do() {
        let near = |words: &[&str]| Near {
            before: "It could be ".into(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            after: ".".into(),
            are_answers: false,
        };
        assert_eq!(near(&["a", "b", "c"]).to_string(), "It could be a, b or c.");
        assert_eq!(near(&["a"]).to_string(), "It could be a.");
        assert_eq!(near(&[]).to_string(), "");
    }
}
