//! Reads an answer to a daily mail: which of its boards each line is about.
//!
//! A line that begins with a board, `Pow2 101 m13-j7` or `101 m13-j7`, begins a part. The lines below it belong to it, as
//! those of a reply belong to its board. A mail without such a line is about the board in its subject, or else about the
//! one board that waited; if several did, its writer is asked.
//!
//! The token of the mail is for all boards that it showed, which are kept for the last 60 mails (`digest_boards`): a turn is
//! played only on a board that still stands so.

use pbmserv_games::families::backgammon::is_like_a_play;
use pbmserv_games::{GAMES, Game};

use crate::command::reading::hidden;
use crate::command::reading::seat::stands_for_a_turn;
use crate::command::{Commands, Doubt, Echo, InAnswer, Line, Misread, RefusalKind, Refused, Word};
use crate::table::Board;
use pbmserv_mail::plain;

/// The most parts of an answer.
const MAX_PARTS: usize = 100;

/// The most digits of a board's number.
const MAX_DIGITS: usize = 9;

/// A part of an answer to a daily mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which board it is about.
    pub about: WhichBoard,
    /// The board as it was written; empty if it was not.
    pub named: String,
    /// What is written after the board, and the lines below.
    pub text: String,
}

/// The board that a part is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichBoard {
    /// The one with this index among those of the mail.
    Board(usize),
    /// A number that boards of several games have.
    Several,
    /// None of the mail.
    Unknown,
}

/// How an answer names its boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts {
    /// It names none.
    None,
    /// At least one part.
    Some(Vec<Part>),
    /// It begins with something else that may be meant as a turn or a command.
    Doubtful,
}

impl Commands {
    /// Divides an answer to a daily mail that showed these boards to the player with this userid.
    #[must_use]
    pub fn parts(&'static self, text: &str, boards: &[&Board], userid: &str) -> Parts {
        let reader = Reader {
            commands: self,
            boards,
            userid,
        };
        let mut parts: Vec<Part> = Vec::new();
        let mut is_doubtful = false;
        for line in text.lines().take_while(|line| !is_of_a_daily_mail(line)) {
            let words = plain(line);
            if parts.len() < MAX_PARTS
                && let Some(part) = reader.part(words.trim())
            {
                parts.push(part);
            } else if let Some(last) = parts.last_mut() {
                last.text.push('\n');
                last.text.push_str(line);
            } else {
                is_doubtful |= self.may_be_meant(words.trim());
            }
        }
        match parts.is_empty() {
            true => Parts::None,
            false if is_doubtful => Parts::Doubtful,
            false => Parts::Some(parts),
        }
    }

    /// The part of an answer whose subject names a board, with all of its text.
    #[must_use]
    pub fn part_of_subject(
        &'static self,
        subject: &str,
        text: &str,
        boards: &[&Board],
        userid: &str,
    ) -> Option<Part> {
        let reader = Reader {
            commands: self,
            boards,
            userid,
        };
        let part = reader.part(subject.trim())?;
        Some(Part {
            text: format!("{}\n{text}", part.text).trim_start().to_owned(),
            ..part
        })
    }

    /// Whether a text begins with a turn, or is a verb of an answer or a word for a turn.
    fn may_be_meant(&self, text: &str) -> bool {
        let is_verb = |word: &str| {
            self.iter()
                .any(|command| command.in_answer != InAnswer::No && command.verb.eq_ignore_ascii_case(word))
        };
        let text = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let first = text.split(' ').next().unwrap_or_default();
        is_like_a_turn(first) || (first == text && (is_verb(text) || stands_for_a_turn(text)))
    }
}

/// Whether a line is the first one of a daily mail, which some programs quote without a mark. Its examples are no turns of
/// the reader.
fn is_of_a_daily_mail(line: &str) -> bool {
    let first = line.split_whitespace().nth(1).unwrap_or_default();
    matches!(first, "board" | "boards") && line.contains("for your turn,")
}

/// Whether a word is written as turns are: short names of points, with a digit.
fn is_like_a_turn(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    is_like_a_play(word)
        || hidden::is_shaped_as_a_turn(word) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// What is needed to find the board of a line.
#[derive(Clone, Copy)]
struct Reader<'a> {
    commands: &'static Commands,
    boards: &'a [&'a Board],
    userid: &'a str,
}

impl Reader<'_> {
    /// The part that begins with this line; `None` if it names no board.
    fn part(&self, line: &str) -> Option<Part> {
        let (game, rest) = after_game(line);
        let (is_called, rest) = match rest.split_once(' ') {
            Some((word, rest)) if word.eq_ignore_ascii_case("board") => (true, rest.trim_start()),
            _ => (false, rest),
        };
        let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let number = number
            .trim_start_matches('#')
            .trim_end_matches([':', '.', ')', ',', ';', '-']);
        if !(1..=MAX_DIGITS).contains(&number.len()) || !number.bytes().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let number: u32 = number.parse().ok()?;
        // As in the subject of a board's mails.
        let rest = rest.trim_start();
        let text = match rest.split_once(' ').unwrap_or((rest, "")) {
            (word, rest) if word.trim_end_matches(':').eq_ignore_ascii_case(self.userid) => rest,
            _ => rest,
        };
        let about = self.find(game, number);
        // "100 thanks" names no board, but "109 m13-j7" is meant to.
        let is_plain = game.is_some() || is_called || matches!(about, WhichBoard::Board(_));
        if !is_plain && !self.commands.may_be_meant(text) {
            return None;
        }
        let named = line.get(..line.len() - text.len()).unwrap_or_default();
        Some(Part {
            about,
            named: named.trim_end().to_owned(),
            text: text.to_owned(),
        })
    }

    /// The board with this number; one that waits for the reader before one that does not.
    fn find(&self, game: Option<&'static Game>, number: u32) -> WhichBoard {
        let is_meant = |board: &Board| board.number == number && game.is_none_or(|game| game == board.game);
        let all: Vec<_> = (0..)
            .zip(self.boards)
            .filter(|(_, board)| is_meant(board))
            .collect();
        let waiting: Vec<_> = all.iter().filter(|(_, board)| self.is_to_move(board)).collect();
        match (all.as_slice(), waiting.as_slice()) {
            ([], _) => WhichBoard::Unknown,
            ([(one, _)], _) | (_, [(one, _)]) => WhichBoard::Board(*one),
            _ => WhichBoard::Several,
        }
    }

    fn is_to_move(&self, board: &Board) -> bool {
        board
            .to_move
            .is_some_and(|seat| board.at(seat).userid.eq_ignore_ascii_case(self.userid))
    }
}

/// The game with which a line begins, by its name or its title, and the rest.
fn after_game(line: &str) -> (Option<&'static Game>, &str) {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Some(game) = pbmserv_games::find(first) {
        return (Some(game), rest.trim_start());
    }
    let titled = GAMES.iter().find_map(|game| {
        let (title, rest) = line.split_at_checked(game.facts.title.len())?;
        let is_it = title.eq_ignore_ascii_case(game.facts.title) && rest.starts_with(' ');
        is_it.then(|| (Some(game), rest.trim_start()))
    });
    titled.unwrap_or((None, line))
}

impl Line {
    /// The same line with the board before it, as its writer wrote it.
    #[must_use]
    pub fn after(mut self, named: &str) -> Self {
        if named.is_empty() {
            return self;
        }
        let named: Vec<_> = named.split_whitespace().collect();
        let named = named.join(" ");
        let shift = named.len() + 1;
        self.text = format!("{named} {}", self.text);
        for word in self
            .turns
            .iter_mut()
            .chain(&mut self.words)
            .chain([&mut self.verb])
        {
            word.at = word.at.start + shift..word.at.end + shift;
        }
        self
    }
}

impl Misread {
    /// A part of an answer that is about no board, or holds nothing.
    #[must_use]
    pub fn of_part(part: &Part) -> Self {
        let refused = match part.about {
            WhichBoard::Unknown => Refused::impossible("This board was not in the mail that you answered."),
            WhichBoard::Several => Refused::new(
                RefusalKind::Ambiguous,
                "Several games have a board with this number: the game stands before it.",
            ),
            WhichBoard::Board(_) => Refused::unreadable("There is no turn and no command after the board."),
        };
        let line = part.text.lines().next().unwrap_or_default();
        let is_open = |word: &Word| hidden::is_shaped_as_a_turn(&word.text);
        let rest = Echo::of(line, |word| !is_open(word), None).text;
        Self::told(refused, &format!("{} {rest}", part.named))
    }

    /// A part in which a turn or a command may be meant. `mask` hides what must not be shown.
    #[must_use]
    pub fn of_doubt(part: &Part, doubt: &Doubt, mask: impl Fn(&str) -> String) -> Self {
        let refused = Refused::new(
            RefusalKind::Ambiguous,
            "It is not clear what is meant by this line.",
        )
        .near(doubt.meant.clone());
        Self::told(refused, &format!("{} {}", part.named, doubt.echo(mask).text))
    }

    fn told(refused: Refused, text: &str) -> Self {
        Self {
            refused,
            echo: Echo {
                text: text.trim().to_owned(),
                caret: None,
            },
            command: None,
            line: None,
        }
    }
}
