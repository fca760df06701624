//! Records as programs for chess (PGN, <https://www.chessclub.com/help/PGN-spec>) and for draughts (PDN) write them: tags, then turns with
//! numbers, and the result.

use std::fmt::Write as _;

use super::{Error, Record, shown, wrong};
use crate::tagged::Tagged;
use crate::{By, Ending, GAMES, Game, Match, Options, Outcome, Seat};

/// Lines are wrapped at this column.
const COLUMNS: usize = 78;

/// The seat of White: in draughts of 1 to 32 it is the second.
fn white(game: &Game) -> Seat {
    match game.facts.sides[0] {
        "Black" => Seat::Second,
        _ => Seat::First,
    }
}

/// The words for a win of White, of Black and a draw; some programs for draughts count two points a game.
const RESULTS: [(&str, Option<bool>); 6] = [
    ("1-0", Some(true)),
    ("2-0", Some(true)),
    ("0-1", Some(false)),
    ("0-2", Some(false)),
    ("1/2-1/2", None),
    ("1-1", None),
];

impl Record {
    /// The record in PGN or PDN; `None` if the game is written in neither, or its turns cannot be played. The signs of check and mate
    /// are left out, which readers do not need.
    #[must_use]
    pub fn tagged(&self) -> Option<String> {
        let tagged = self.game.tagged?;
        let replayed = self.replay().ok()?;
        let white = white(self.game);
        let result = match replayed.ending.map(|ending| ending.outcome) {
            None => "*",
            Some(Outcome::Drawn) => "1/2-1/2",
            Some(Outcome::Won(winner)) if winner == white => "1-0",
            Some(Outcome::Won(_)) => "0-1",
        };
        let unknown = || "?".to_owned();
        let [first, second] = [&self.first, &self.second].map(|name| name.clone().unwrap_or_else(unknown));
        let [white_name, black_name] = match white {
            Seat::First => [first, second],
            Seat::Second => [second, first],
        };
        let event = self
            .board
            .as_ref()
            .map(|board| format!("{} Board {board}", self.game.facts.name));
        let date = self.date.as_ref().map(|date| date.replace('-', "."));
        let mut tags = vec![
            ("Event", event.unwrap_or_else(unknown)),
            ("Site", unknown()),
            ("Date", date.unwrap_or_else(|| "????.??.??".to_owned())),
            ("Round", "-".to_owned()),
            ("White", white_name),
            ("Black", black_name),
            ("Result", result.to_owned()),
        ];
        match tagged {
            Tagged::Pdn(kind) => tags.push(("GameType", kind.to_owned())),
            Tagged::Pgn(variant) => {
                let start = self.start();
                let variant = variant.or(start.map(|_| "Chess960"));
                tags.extend(variant.map(|variant| ("Variant", variant.to_owned())));
                if start.is_some() {
                    let position = self.game.start(&self.options).ok()?;
                    tags.extend([("SetUp", "1".to_owned()), ("FEN", fen(position.as_ref()))]);
                }
            }
        }
        let mut text = String::new();
        for (name, value) in tags {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{name} \"{value}\"]");
        }
        text.push('\n');
        let mut words = Vec::new();
        for (at, turn) in replayed.turns.iter().enumerate() {
            let said = self.comments.0.iter().filter(|(number, _)| *number == at + 1);
            let said: Vec<_> = said.map(|(_, comment)| comment.replace(['{', '}'], "")).collect();
            let number = if at % 2 == 0 {
                format!("{}. ", at / 2 + 1)
            } else {
                String::new()
            };
            words.push(format!("{number}{turn}"));
            if !said.is_empty() {
                words.extend(format!("{{{}}}", said.join(" ")).split(' ').map(str::to_owned));
            }
        }
        words.push(result.to_owned());
        let mut column = 0;
        for word in words {
            let blank = usize::from(column > 0);
            if column + blank + word.len() > COLUMNS {
                text.push('\n');
                column = 0;
            } else if blank > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(&word);
            column += word.len();
        }
        text.push('\n');
        Some(text)
    }

    /// The number of a start of Chess960 that is not the usual one.
    fn start(&self) -> Option<u32> {
        let facts = self.game.facts;
        let option = facts.options.iter().find(|option| option.name == "960")?;
        let number = self.options.number(facts, "960");
        (Some(number) != option.range.map(|range| range.default)).then_some(number)
    }
}

/// The position at the start, in Forsyth-Edwards notation: with all rights to castle.
fn fen(position: &dyn Match) -> String {
    let cells = position.cells();
    let rows = (1..=8).rev().map(|row| {
        let mut text = String::new();
        let mut empty = 0;
        for column in 'a'..='h' {
            let name = format!("{column}{row}");
            match cells.iter().find(|(cell, _)| *cell == name) {
                Some((_, letter)) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                    }
                    empty = 0;
                    text.push(*letter);
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        text
    });
    let rows: Vec<_> = rows.collect();
    format!("{} w KQkq - 0 1", rows.join("/"))
}

/// A tag as it stands in the file.
pub(super) struct Given<'a> {
    pub(super) line: usize,
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// The tags that a record of ours has not and a file of these programs has.
const SIGNS: [&str; 6] = ["White", "Black", "Event", "Variant", "GameType", "FEN"];

/// Whether these tags are those of PGN or PDN.
pub(super) fn is_meant(tags: &[Given<'_>]) -> bool {
    let is = |name: &str| tags.iter().any(|tag| tag.name.eq_ignore_ascii_case(name));
    !is("Game") && SIGNS.iter().any(|name| is(name))
}

/// Reads the game of these tags; `words` are what follows them, without comments, each with its line.
pub(super) fn read<'a>(
    tags: &[Given<'_>],
    words: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Record, Error> {
    let value = |name: &str| tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name));
    let known = |name: &str| {
        let is_said = |value: &String| value.contains(|c: char| !"?.- ".contains(c));
        value(name).map(|tag| tag.value.trim().to_owned()).filter(is_said)
    };
    let game = game(value("Variant"), value("GameType"))?;
    let mut record = Record::new(game, Options::none(game.facts));
    let white = white(game);
    let [white_name, black_name] = ["White", "Black"].map(known);
    [record.first, record.second] = match white {
        Seat::First => [white_name, black_name],
        Seat::Second => [black_name, white_name],
    };
    // A day that is known in part is none.
    record.date = known("Date")
        .filter(|date| !date.contains('?'))
        .map(|date| date.replace('.', "-"));
    let mut position = start(&mut record, value("FEN"))?;
    let said = play(&mut record, position.as_mut(), words)?;
    let result = said.or_else(|| known("Result"));
    let termination = known("Termination").unwrap_or_default().to_ascii_lowercase();
    record.ending = ending(
        position.as_ref(),
        &result.unwrap_or_default(),
        &termination,
        white,
    );
    Ok(record)
}

/// The game of these tags.
fn game(variant: Option<&Given<'_>>, kind: Option<&Given<'_>>) -> Result<&'static Game, Error> {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let variant = variant.map(|tag| (tag.line, plain(tag.value), tag.value));
    let found = GAMES.iter().find(|game| match (game.tagged, kind, &variant) {
        (Some(Tagged::Pdn(own)), Some(kind), _) => kind.value.split(',').next().map(str::trim) == Some(own),
        (Some(Tagged::Pgn(own)), None, Some((_, variant, _))) => match own {
            Some(own) => plain(own) == *variant,
            None => [
                "standard",
                "chess",
                "chess960",
                "fischerandom",
                "fischerrandom",
                "normal",
                "",
            ]
            .contains(&variant.as_str()),
        },
        (Some(Tagged::Pgn(own)), None, None) => own.is_none(),
        _ => false,
    });
    found.ok_or_else(|| {
        let (line, value) = match (kind, &variant) {
            (Some(kind), _) => (kind.line, kind.value),
            (None, Some((line, _, value))) => (*line, *value),
            (None, None) => (1, ""),
        };
        wrong(line, format!("No game here is written with {}.", shown(value)))
    })
}

/// The start, which must be one of the game's own.
fn start(record: &mut Record, given: Option<&Given<'_>>) -> Result<Box<dyn Match>, Error> {
    let usual = record.game.start(&record.options).map_err(Error::Start)?;
    let Some(given) = given else { return Ok(usual) };
    let fields: Vec<&str> = given.value.split_whitespace().collect();
    let [pieces, rest @ ..] = fields.as_slice() else {
        return Ok(usual);
    };
    let is_start = |position: &dyn Match| fen(position).split(' ').next() == Some(*pieces);
    let other = || {
        let reason = "The game does not begin at one of its own starts, so its turns cannot be judged.";
        wrong(given.line, reason)
    };
    // White moves, and all may castle still.
    let option = record
        .game
        .facts
        .options
        .iter()
        .find(|option| option.name == "960");
    let castles = |rights: &&str| rights.len() == if option.is_some() { 4 } else { 1 };
    if rest.first().is_some_and(|mover| *mover != "w") || !rest.get(1).is_none_or(castles) {
        return Err(other());
    }
    if is_start(usual.as_ref()) {
        return Ok(usual);
    }
    let numbers = option
        .and_then(|option| option.range)
        .map_or(0..0, |range| range.min..range.max + 1);
    for number in numbers {
        let word = format!("-960={number}");
        let options = Options::parse(record.game.facts, [word.as_str()]).map_err(Error::Start)?;
        let position = record.game.start(&options).map_err(Error::Start)?;
        if is_start(position.as_ref()) {
            record.options = options;
            return Ok(position);
        }
    }
    Err(other())
}

/// The parts of a word before, at and after brackets, which programs write without blanks.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split_inclusive(['(', ')']).flat_map(|part| {
        let end = part.trim_end_matches(['(', ')']).len();
        let (text, bracket) = part.split_at(end);
        [text, bracket]
    })
}

/// Plays the turns, and returns the result if it stands behind them.
fn play<'a>(
    record: &mut Record,
    position: &mut dyn Match,
    words: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Option<String>, Error> {
    let mut result = None;
    let mut depth = 0_usize;
    let words = words.flat_map(|(line, word)| parts(word).map(move |part| (line, part)));
    for (line, word) in words {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            // Variations, what is said of a turn by a number, and signs for it that stand alone.
            _ if depth > 0 || word.starts_with('$') || word == "e.p." => {}
            _ if word.chars().all(|c| "!?.+-=".contains(c)) => {}
            _ if result.is_some() => return Err(wrong(line, "A file is the record of one game.")),
            _ if word == "*" || RESULTS.iter().any(|(text, _)| *text == word) => {
                result = Some(word.to_owned());
            }
            _ => {
                let turn = word.trim_end_matches(['!', '?']);
                let number = record.turns.len() + 1;
                let played = position.play(turn).map_err(|refusal| Error::Turn {
                    number,
                    line: Some(line),
                    text: shown(turn),
                    refusal: Box::new(refusal),
                })?;
                record.turns.push(played);
                record.lines.0.push(line);
            }
        }
    }
    Ok(result)
}

/// How the game ended. Why it ended before its rules say so is told by `Termination` at most: otherwise players resign, and agree.
fn ending(position: &dyn Match, result: &str, termination: &str, white: Seat) -> Option<Ending> {
    let (_, winner) = RESULTS.iter().find(|(text, _)| *text == result)?;
    let outcome = match winner {
        None => Outcome::Drawn,
        Some(true) => Outcome::Won(white),
        Some(false) => Outcome::Won(white.other()),
    };
    let by = match outcome {
        _ if position.outcome().is_some() => By::Rules,
        _ if termination.contains("adjudication") => By::Adjudication,
        Outcome::Drawn => By::Agreement,
        Outcome::Won(_) if termination.contains("time") || termination.contains("forfeit") => By::Forfeit,
        Outcome::Won(_) => By::Resignation,
    };
    Some(Ending { outcome, by })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Record {
        text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn a_game_of_a_chess_site_is_read() {
        let record = read(
            "[Event \"Rated Blitz game\"]\r\n[Site \"https://chess.example/abc\"]\r\n[Date \"2024.05.01\"]\r\n[White \"ann\"]\r\n\
             [Black \"ben\"]\r\n[Result \"1-0\"]\r\n[UTCDate \"2024.05.01\"]\r\n[Variant \"Standard\"]\r\n[TimeControl \"180+2\"]\r\n\r\n\
             1. e4 { [%clk 0:03:00] } 1... e5 $6 { [%clk 0:02:58] } 2. Qh5?! Nc6 (2... g6 3. Qxe5+ (3. Qf3 Nf6) 3... Qe7) 3. Bc4 Nf6?? \
             4. Qxf7# 1-0\r\n",
        );
        assert_eq!(record.game.facts.name, "Chess");
        assert_eq!(record.turns, ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7"]);
        assert_eq!(record.first.as_deref(), Some("ann"));
        assert_eq!(record.date.as_deref(), Some("2024-05-01"));
        assert_eq!(
            record.ending.map(|ending| ending.to_string()).as_deref(),
            Some("First wins")
        );
        assert!(record.replay().is_ok());
    }

    #[test]
    fn results_before_the_end_are_a_resignation_or_an_agreement() {
        let ending = |result: &str| {
            let record = read(&format!(
                "[White \"a\"]\n[Black \"b\"]\n\n1.d4 d5 2.c4 dxc4 {result}"
            ));
            record.ending.map(|ending| ending.to_string())
        };
        assert_eq!(ending("0-1").as_deref(), Some("Second wins by resignation"));
        assert_eq!(ending("1/2-1/2").as_deref(), Some("Draw by agreement"));
        assert_eq!(ending("*"), None);
    }

    #[test]
    fn what_stands_without_blanks_or_in_tags_only_is_read() {
        let record = read(
            "[White \"a\"]\n[Date \"2024.??.??\"]\n[Result \"0-1\"]\n[Termination \"Time forfeit\"]\n\n\
             1. Nf3(1. f4 e5(1... d5)) d5 2. g3 ! Nf6 3. Bg2 e6 4. 0-0",
        );
        assert_eq!(record.turns.join(" "), "Nf3 d5 g3 Nf6 Bg2 e6 O-O");
        assert_eq!(record.date, None);
        let ending = record.ending.map(|ending| ending.to_string());
        assert_eq!(ending.as_deref(), Some("Second wins by forfeit"));
        let two = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 *"
            .parse::<Record>()
            .unwrap_err();
        assert_eq!(two.to_string(), "Line 5: A file is the record of one game.");
    }

    #[test]
    fn a_variant_and_a_start_of_960_are_read_and_written() {
        let hill = read("[Variant \"King of the Hill\"]\n[White \"a\"]\n\n1. e4 e5 2. Ke2 *");
        assert_eq!(hill.game.facts.name, "KingOfTheHill");
        let fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";
        let record = read(&format!(
            "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *"
        ));
        assert_eq!(record.options.to_string(), "-960=0");
        let text = record.tagged().unwrap();
        assert!(
            text.contains(&format!(
                "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *\n"
            )),
            "{text}"
        );
        let error = "[FEN \"8/8/8/8/8/8/8/K6k w - - 0 1\"]\n\n1. Ka2"
            .parse::<Record>()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "Line 1: The game does not begin at one of its own starts, so its turns cannot be judged."
        );
    }

    #[test]
    fn a_game_of_a_draughts_program_is_read() {
        let record = read(
            "[Event \"x\"]\n[Black \"ann\"]\n[White \"ben\"]\n[Result \"*\"]\n[GameType \"21\"]\n\n1. 11-15 22-18 2. 15x22 25x18 {book} *",
        );
        assert_eq!(record.game.facts.name, "Checkers");
        assert_eq!(record.turns, ["11-15", "22-18", "15x22", "25x18"]);
        assert_eq!(
            (record.first.as_deref(), record.second.as_deref()),
            (Some("ann"), Some("ben"))
        );
        let other = "[GameType \"23\"]\n\n1. c3-d4".parse::<Record>().unwrap_err();
        assert_eq!(other.to_string(), "Line 1: No game here is written with 23.");
    }

    #[test]
    fn a_refused_turn_is_told_with_its_line() {
        let error = "[White \"a\"]\n\n1. e4 e5\n2. Ke3".parse::<Record>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("Turn 3 on line 4, Ke3, is refused: "),
            "{error}"
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        use rand::SeedableRng as _;
        for game in GAMES.iter().filter(|game| game.tagged.is_some()) {
            let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(7);
            let mut position = game.start(&Options::none(game.facts)).unwrap();
            let mut record = Record::new(game, Options::none(game.facts));
            while let Some(turn) = position.random_turn(&mut rng) {
                record.turns.push(position.play(&turn).unwrap());
            }
            record.ending = position.outcome().map(Ending::by_rules);
            (record.first, record.board) = (Some("a\"b".to_owned()), Some("101".to_owned()));
            let text = record.tagged().unwrap();
            assert!(text.lines().all(|line| line.len() <= COLUMNS + 40));
            let again = read(&text);
            assert_eq!(
                (again.game.facts.name, &again.turns),
                (game.facts.name, &record.turns)
            );
            assert_eq!(
                (again.ending, &again.first),
                (record.ending, &record.first),
                "{text}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn junk_is_no_game_and_never_a_panic(text in "(\\[White \"a\"\\]|\\[FEN \"[a-z8/]{0,9}\"\\]|\\[GameType \"2[01]\"\\]|1\\.|e4|11-15|\\(|\\)|\\$|\\{|\\}|1-0|\n| ){0,20}") {
            let _ = text.parse::<Record>();
        }
    }
}
