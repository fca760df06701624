//! Reads PGN and PDN.

use super::super::{Error, Record, shown, wrong};
use super::write::fen;
use super::{RESULTS, TERMINATIONS, white};
use crate::tagged::Tagged;
use crate::{By, Ending, GAMES, Game, Match, Options, Outcome, Seat};

/// A tag as it stands in the file.
pub(in crate::record) struct Given<'a> {
    pub(in crate::record) line: usize,
    pub(in crate::record) name: &'a str,
    pub(in crate::record) value: &'a str,
}

/// The tags that a record of ours has not and a file of these programs has.
const SIGNS: [&str; 6] = ["White", "Black", "Event", "Variant", "GameType", "FEN"];

/// Whether these tags are those of PGN or PDN.
pub(in crate::record) fn is_meant(tags: &[Given<'_>]) -> bool {
    let is = |name: &str| tags.iter().any(|tag| tag.name.eq_ignore_ascii_case(name));
    !is("Game") && SIGNS.iter().any(|name| is(name))
}

/// Reads the game of these tags; `words` are what follows them, without comments, each with its line.
pub(in crate::record) fn read<'a>(
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

/// What programs write as the variant of a game of chess by its own rules, without signs.
const NAMES_OF_CHESS: [&str; 8] = [
    "standard",
    "chess",
    "chess960",
    "fischerandom",
    "fischerrandom",
    "fromposition",
    "normal",
    "",
];

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
            Some(own) => {
                let mut names = game.facts.aliases.iter().chain([&own]);
                names.any(|name| plain(name) == *variant)
            }
            None => NAMES_OF_CHESS.contains(&variant.as_str()),
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
    let option = record
        .game
        .facts
        .options
        .iter()
        .find(|option| option.name == "960");
    // White moves, and no right to castle is lost: programs write all, or none where nobody castles.
    let has_all = |rights: &&str| rights.len() == 4 || *rights == "-";
    if rest.first().is_some_and(|mover| *mover != "w") || !rest.get(1).is_none_or(has_all) {
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
            // The number of a turn without its point.
            _ if word.chars().all(|c| c.is_ascii_digit()) => {}
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

/// How the game ended. At most `Termination` says why it ended before its rules say so: otherwise players resign, and agree.
fn ending(position: &dyn Match, result: &str, termination: &str, white: Seat) -> Option<Ending> {
    let (_, winner) = RESULTS.iter().find(|(text, _)| *text == result)?;
    let outcome = match winner {
        None => Outcome::Drawn,
        Some(true) => Outcome::Won(white),
        Some(false) => Outcome::Won(white.other()),
    };
    let [(time, forfeit), (adjudication, adjudicated)] = &TERMINATIONS;
    let by = match outcome {
        _ if position.outcome().is_some() => By::Rules,
        _ if termination.contains(adjudication) => *adjudicated,
        Outcome::Drawn => By::Agreement,
        Outcome::Won(_) if time.split(' ').any(|word| termination.contains(word)) => *forfeit,
        Outcome::Won(_) => By::Resignation,
    };
    Some(Ending { outcome, by })
}
