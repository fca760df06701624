//! Two players who play each other on several boards of all games, and their other mails.

use std::collections::HashMap;

use pbmserv_games::{GAMES, Match, Options, Seat};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::computers::{self, COMPUTER};
use super::{Deed, Mail, Table};

/// Boards that a pair plays at once.
const BOARDS: usize = 4;

/// The most private messages of a pair: the server limits them per day.
const MAX_MESSAGES: usize = 40;

const PASSWORD: &str = "fig7elk";

/// A board as its players know it: from the turns that they have sent.
struct Playing {
    table: Table,
    position: Box<dyn Match>,
    /// The number of turns played.
    turns: usize,
    has_moved: [bool; 2],
    /// Whether a computer has the second seat, and if so, whether it has answered.
    computer: Option<HasAnswered>,
    /// The next turn and the other player's reply to it, which is queued or planned.
    planned: Option<[String; 2]>,
}

impl Playing {
    fn play(&mut self, turn: &str) {
        let seat = self.position.to_move().unwrap();
        self.turns += self.position.play_all(turn).unwrap().len();
        self.has_moved[seat.index()] = true;
    }
}

/// The opponent of the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    Person,
    Computer,
}

/// Whether a computer has played all its turns so far.
type HasAnswered = bool;

/// A pair of players. Each mail assumes that those before it are accepted.
pub(crate) struct Pair {
    pub(crate) index: usize,
    rng: StdRng,
    sent: usize,
    messages: usize,
    /// Challenges without their letter yet, by Message-ID.
    asked: HashMap<String, (&'static str, Against)>,
    /// Whether the first player plays a computer too.
    likes_computers: bool,
    playing: Vec<Playing>,
}

impl Pair {
    pub(crate) fn new(index: usize, seed: u64) -> Self {
        Self {
            index,
            rng: StdRng::seed_from_u64(seed.wrapping_mul(31).wrapping_add(index as u64)),
            sent: 0,
            messages: 0,
            asked: HashMap::new(),
            likes_computers: false,
            playing: Vec::new(),
        }
    }

    /// The same pair, whose first player also has a board against a computer.
    pub(crate) fn with_computer(self) -> Self {
        Self {
            likes_computers: true,
            ..self
        }
    }

    /// The boards on which a computer has not answered yet as far as its opponent knows, each with the number of turns that it
    /// has then.
    pub(crate) fn awaited(&self) -> Vec<(Table, usize)> {
        let awaited = self
            .playing
            .iter()
            .filter(|playing| playing.computer == Some(false));
        awaited.map(|playing| (playing.table, playing.turns)).collect()
    }

    /// The computer has answered on a board.
    pub(crate) fn answered(&mut self, table: Table) {
        for playing in self.playing.iter_mut().filter(|playing| playing.table == table) {
            playing.computer = Some(true);
        }
    }

    fn userid(&self, seat: Seat) -> String {
        format!("{}{}", ["light", "dark"][seat.index()], self.index)
    }

    /// The address of the player in this seat.
    pub(crate) fn address(&self, seat: Seat) -> String {
        format!("{}@home.example", self.userid(seat))
    }

    /// A letter arrived; the reply to a challenge has the number of the board.
    pub(crate) fn letter(&mut self, in_reply_to: &str, subject: &str) {
        let Some((name, against)) = self.asked.remove(in_reply_to) else {
            return;
        };
        let number = subject.split(' ').nth(2).unwrap().parse().unwrap();
        let game = pbmserv_games::find(name).unwrap();
        self.playing.push(Playing {
            table: (name, number),
            position: game.start(&Options::none(game.facts)).unwrap(),
            turns: 0,
            has_moved: [false; 2],
            computer: (against == Against::Computer).then_some(true),
            planned: None,
        });
    }

    /// The next mail.
    pub(crate) fn next(&mut self) -> Mail {
        if self.sent < 2 {
            let seat = Seat::BOTH[self.sent];
            let userid = self.userid(seat);
            let line = format!("signup {userid} {PASSWORD}");
            return self.mail(seat, &line, vec![Deed::Signup(userid)], &[seat]);
        }
        // All but one pair want plain text, since drawing pictures is slow, above all in a debug build.
        if self.sent < 4 && self.index > 0 {
            let seat = Seat::BOTH[self.sent - 2];
            let userid = self.userid(seat);
            let line = format!("set {userid} {PASSWORD} text");
            return self.mail(seat, &line, vec![Deed::PlainText(userid)], &[seat]);
        }
        if self.playing.len() + self.asked.len() < BOARDS {
            return self.challenge();
        }
        if self.playing.is_empty() || self.rng.random_ratio(1, 6) {
            return self.aside();
        }
        let at = self.rng.random_range(0..self.playing.len());
        let mail = if let Some(has_answered) = self.playing[at].computer {
            match has_answered {
                true => self.against_computer(at),
                false => self.aside(),
            }
        } else if self.playing[at].planned.is_some() {
            self.planned(at)
        } else if self.rng.random_ratio(1, 6) {
            self.batch(at)
        } else if self.rng.random_ratio(1, 8) {
            self.queue(at)
        } else if self.rng.random_ratio(1, 60) && self.playing[at].has_moved == [true; 2] {
            self.resign(at)
        } else {
            self.turn(at)
        };
        self.playing
            .retain(|playing| playing.position.to_move().is_some());
        mail
    }

    fn mail(&mut self, from: Seat, subject: &str, deeds: Vec<Deed>, letters: &[Seat]) -> Mail {
        let id = format!("{}-{}@home.example", self.index, self.sent);
        self.sent += 1;
        let mut letters: Vec<_> = letters.iter().map(|&seat| self.address(seat)).collect();
        letters.sort();
        Mail {
            id,
            from: self.address(from),
            subject: subject.to_owned(),
            text: String::new(),
            deeds,
            is_refused: false,
            letters,
            against_computer: None,
        }
    }

    /// A command about a board, as a line.
    fn line(&self, verb: &str, (game, number): Table, seat: Seat, rest: &str) -> String {
        let line = format!("{game} {verb} {number} {} {PASSWORD} {rest}", self.userid(seat));
        line.trim_end().to_owned()
    }

    /// A game without dice, whose positions follow from the turns alone.
    fn any_game(&mut self) -> &'static str {
        let games = GAMES.iter().filter(|game| !game.facts.has_dice);
        let games: Vec<_> = games.map(|game| game.facts.name).collect();
        games[self.rng.random_range(0..games.len())]
    }

    fn challenge(&mut self) -> Mail {
        let game = self.any_game();
        let has_computer = self
            .playing
            .iter()
            .map(|playing| playing.computer.is_some())
            .chain(
                self.asked
                    .values()
                    .map(|(_, against)| *against == Against::Computer),
            )
            .any(|has_computer| has_computer);
        let against = match self.likes_computers && !has_computer {
            true => Against::Computer,
            false => Against::Person,
        };
        let (other, readers) = match against {
            Against::Person => (self.userid(Seat::Second), &Seat::BOTH[..]),
            Against::Computer => (COMPUTER.to_owned(), &[Seat::First][..]),
        };
        let players = [self.userid(Seat::First), other];
        let line = format!("{game} challenge {} {}", players[0], players[1]);
        let mail = self.mail(Seat::First, &line, vec![Deed::Begin(game, players)], readers);
        self.asked.insert(mail.id.clone(), (game, against));
        mail
    }

    /// A turn against the computer with its answers, or the end of the game.
    fn against_computer(&mut self, at: usize) -> Mail {
        let table = self.playing[at].table;
        if self.playing[at].has_moved == [true; 2] && self.rng.random_ratio(1, 60) {
            self.playing.swap_remove(at);
            let line = self.line("resign", table, Seat::First, "");
            return self.mail(
                Seat::First,
                &line,
                vec![Deed::Resign(table, Seat::First)],
                &[Seat::First],
            );
        }
        let (seat, turn) = self.play(at);
        let line = self.line("move", table, seat, &turn);
        let mut deeds = vec![Deed::Turn(table, seat, turn)];
        let playing = &mut self.playing[at];
        while let Some(seat @ Seat::Second) = playing.position.to_move() {
            let answer = computers::answer(table, playing.turns, playing.position.as_ref());
            playing.play(&answer);
            playing.computer = Some(false);
            deeds.push(Deed::Answer(table, seat, answer));
        }
        Mail {
            against_computer: Some(table),
            ..self.mail(seat, &line, deeds, &[Seat::First])
        }
    }

    /// Plays a random turn; returns its player.
    fn play(&mut self, at: usize) -> (Seat, String) {
        let playing = &mut self.playing[at];
        let seat = playing.position.to_move().unwrap();
        let turn = playing.position.random_turn(&mut self.rng).unwrap();
        playing.play(&turn);
        (seat, turn)
    }

    fn turn(&mut self, at: usize) -> Mail {
        let table = self.playing[at].table;
        let (seat, turn) = self.play(at);
        let line = self.line("move", table, seat, &turn);
        self.mail(seat, &line, vec![Deed::Turn(table, seat, turn)], &Seat::BOTH)
    }

    /// The other player queues the reply to the next turn, or plans it for just that turn; plays a turn if there is nothing to queue.
    fn queue(&mut self, at: usize) -> Mail {
        let playing = &self.playing[at];
        let (table, seat) = (playing.table, playing.position.to_move().unwrap());
        let turn = playing.position.random_turn(&mut self.rng).unwrap();
        let mut after = playing.position.fork();
        after.play(&turn).unwrap();
        if after.to_move() != Some(seat.other()) {
            return self.turn(at);
        }
        let answer = after.random_turn(&mut self.rng).unwrap();
        let condition = format!("if {turn} then {answer}");
        self.playing[at].planned = Some([turn, answer.clone()]);
        let seat = seat.other();
        let line = match self.rng.random() {
            true => self.line("queue", table, seat, &answer),
            false => self.line("plan", table, seat, &condition),
        };
        self.mail(seat, &line, vec![Deed::Queue(table, seat, answer)], &[seat])
    }

    /// The planned turn, after which the queued one is played.
    fn planned(&mut self, at: usize) -> Mail {
        let playing = &mut self.playing[at];
        let table = playing.table;
        let mut deeds = Vec::new();
        let first = playing.position.to_move().unwrap();
        let turns = playing.planned.take().unwrap();
        for turn in &turns {
            let seat = playing.position.to_move().unwrap();
            playing.play(turn);
            deeds.push(Deed::Turn(table, seat, turn.clone()));
        }
        let line = self.line("move", table, first, &turns[0]);
        self.mail(first, &line, deeds, &Seat::BOTH)
    }

    fn resign(&mut self, at: usize) -> Mail {
        let table = self.playing.swap_remove(at).table;
        let seat = Seat::BOTH[self.rng.random_range(0..2)];
        let line = self.line("resign", table, seat, "");
        self.mail(seat, &line, vec![Deed::Resign(table, seat)], &Seat::BOTH)
    }

    /// Several turns of both players in one mail, with text, a display, and sometimes a refused command between
    /// them. Each player gets one letter about all that the other has done.
    fn batch(&mut self, at: usize) -> Mail {
        let table = self.playing[at].table;
        let (mut lines, mut deeds) = (Vec::new(), Vec::new());
        let mut has_played = [false; 2];
        let writer = self.playing[at].position.to_move().unwrap();
        for _ in 0..self.rng.random_range(2..=10) {
            if self.playing[at].position.to_move().is_none() {
                break;
            }
            let (seat, turn) = self.play(at);
            lines.push(self.line("move", table, seat, &turn));
            deeds.push(Deed::Turn(table, seat, turn));
            has_played[seat.index()] = true;
        }
        let words = self.words();
        lines.push(format!("{}\n: {words}", self.line("chat", table, writer, "")));
        deeds.push(Deed::Say(words));
        // The other one gets what was played and said, the writer the transcript.
        let mut letters = vec![writer, writer.other()];
        // The transcript cannot be answered with a turn, so the board comes to the writer who is to move.
        let is_to_move = self.playing[at].position.to_move() == Some(writer);
        if is_to_move || has_played[writer.other().index()] {
            letters.push(writer);
        }
        let is_refused = self.rng.random_bool(0.5);
        if is_refused {
            let line = self.line("move", table, writer, "nowhere");
            lines.insert(self.rng.random_range(1..lines.len()), line);
        }
        let (line, deed) = self.display(writer);
        lines.push(line);
        deeds.push(deed);
        Mail {
            is_refused,
            text: lines.join("\n"),
            ..self.mail(writer, "multiple", deeds, &letters)
        }
    }

    fn words(&self) -> String {
        format!("words-{}-{}-of-these-two", self.index, self.sent)
    }

    fn display(&mut self, seat: Seat) -> (String, Deed) {
        let game = self.any_game();
        let display = ["small", "large"][self.rng.random_range(0..2)];
        let userid = self.userid(seat);
        let line = format!("{game} set {userid} {PASSWORD} {display}");
        (line, Deed::Display(userid, game, display))
    }

    /// Commands other than turns.
    fn aside(&mut self) -> Mail {
        let seat = Seat::BOTH[self.rng.random_range(0..2)];
        let people = self.playing.iter().filter(|playing| playing.computer.is_none());
        let people: Vec<Table> = people.map(|playing| playing.table).collect();
        let at = self.rng.random_range(0..people.len().max(1));
        let table = people.get(at).copied();
        let words = self.words();
        match (self.rng.random_range(0..6), table) {
            (0 | 1, Some(table)) => {
                let line = self.line("chat", table, seat, "");
                let mail = self.mail(seat, &line, vec![Deed::Say(words.clone())], &Seat::BOTH);
                Mail { text: words, ..mail }
            }
            // Not a turn of any game.
            (2, Some(table)) => {
                let line = self.line("move", table, seat, "nowhere");
                Mail {
                    is_refused: true,
                    ..self.mail(seat, &line, Vec::new(), &[seat])
                }
            }
            (3, _) if self.messages < MAX_MESSAGES => {
                self.messages += 1;
                let other = self.userid(seat.other());
                let line = format!("message {} {PASSWORD} {other}", self.userid(seat));
                let mail = self.mail(seat, &line, vec![Deed::Say(words.clone())], &Seat::BOTH);
                Mail { text: words, ..mail }
            }
            (4, _) => {
                let (line, deed) = self.display(seat);
                self.mail(seat, &line, vec![deed], &[seat])
            }
            _ => {
                let game = self.any_game();
                self.mail(seat, &format!("{game} standings"), Vec::new(), &[seat])
            }
        }
    }
}
