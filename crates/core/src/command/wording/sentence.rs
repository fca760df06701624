//! A sentence about a board in the words of each reader: who did it reads `You`, all others the name.

use pbmserv_games::Seat;

use crate::letters::BoardMail;
use crate::table::{Board, Seated};

/// A sentence, for the players and for everybody else.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    players: [String; 2],
    others: String,
}

impl Sentence {
    /// Words the sentence for each reader.
    pub(crate) fn of(board: &Board, words: impl Fn(&Names<'_>) -> String) -> Self {
        let to = |reader| words(&Names { board, reader });
        Self {
            players: Seat::BOTH.map(|seat| to(Some(seat))),
            others: to(None),
        }
    }

    /// The sentence for the player in this seat, or for a watcher.
    pub(crate) fn to(&self, reader: Option<Seat>) -> &str {
        reader.map_or(&self.others, |seat| &self.players[seat.index()])
    }

    /// With this sentence after it.
    #[must_use]
    pub(crate) fn then(mut self, next: &Self) -> Self {
        for (one, next) in self.players.iter_mut().zip(&next.players) {
            *one = format!("{one} {next}");
        }
        self.others = format!("{} {}", self.others, next.others);
        self
    }

    /// With this after it, which is the same for all.
    #[must_use]
    pub(crate) fn with(mut self, more: &str) -> Self {
        for one in self.players.iter_mut().chain([&mut self.others]) {
            one.push_str(more);
        }
        self
    }
}

impl From<String> for Sentence {
    fn from(sentence: String) -> Self {
        Self {
            players: [sentence.clone(), sentence.clone()],
            others: sentence,
        }
    }
}

/// What the players are called in a sentence for one reader.
pub(crate) struct Names<'a> {
    board: &'a Board,
    reader: Option<Seat>,
}

impl Names<'_> {
    /// One of two forms of a word: for the reader, and for anybody else.
    fn form<'a>(&self, seat: Seat, you: &'a str, other: &'a str) -> &'a str {
        if self.reader == Some(seat) { you } else { other }
    }

    /// The player in this seat within a sentence.
    pub(crate) fn name(&self, seat: Seat) -> &str {
        self.form(seat, "you", &self.board.at(seat).userid)
    }

    /// The player in this seat at the beginning of a sentence.
    pub(crate) fn first(&self, seat: Seat) -> &str {
        self.form(seat, "You", &self.board.at(seat).userid)
    }

    /// `have won` or `has won`: what the player in this seat does.
    pub(crate) fn does<'a>(&self, seat: Seat, you: &'a str, other: &'a str) -> &'a str {
        self.form(seat, you, other)
    }

    /// `your` or `alice's`.
    pub(crate) fn whose(&self, seat: Seat) -> String {
        match self.reader == Some(seat) {
            true => "your".to_owned(),
            false => format!("{}'s", self.board.at(seat).userid),
        }
    }

    /// `you have won` or `alice has won`.
    pub(crate) fn won(&self, seat: Seat) -> String {
        format!("{} {}", self.name(seat), self.does(seat, "have won", "has won"))
    }
}

/// `Pow2 Board 101 has begun: you against bob.`, with more before the full stop.
pub(crate) fn begun(board: &Board, more: impl Fn(&Names<'_>) -> String) -> Sentence {
    let name = board.name();
    Sentence::of(board, |names| {
        let [first, second] = Seat::BOTH.map(|seat| names.name(seat));
        format!("{name} has begun: {first} against {second}{}.", more(names))
    })
}

/// Who says the words of the letter; empty if its sentence says so.
pub(crate) fn said(mail: &BoardMail, reader: Option<&Seated>) -> String {
    match mail.saying.as_ref().map(|saying| saying.by.as_deref()) {
        None => String::new(),
        Some(_) if mail.sentence.ends_with(':') => String::new(),
        Some(None) => "With the challenge came these words".to_owned(),
        Some(Some(by)) if reader.is_some_and(|reader| reader.userid == by) => "You wrote".to_owned(),
        Some(Some(by)) => format!("{by} writes"),
    }
}
