//! Reads a game from SGF. The turns are played while they are read: colours, passes and swaps depend on the position.

use super::tree::{Property, games, main_line};
use crate::record::{Error, Lines, Record, shown, wrong};
use crate::sgf::{GO_OPTIONS, Points, Sgf};
use crate::{By, Ending, GAMES, Game, Match, Options, Outcome, Seat};

/// The number of rows and columns on this record's board.
pub(super) fn size(record: &Record) -> u32 {
    record.options.number(record.game.facts, "size")
}

/// Where SGF begins in a text; `None` if it is not meant as SGF. Words may stand before, but no tag of a record of
/// ours, and no comment of one.
pub(in crate::record) fn start(text: &str) -> Option<usize> {
    let begins = |rest: &str| {
        rest.strip_prefix('(')
            .is_some_and(|rest| rest.trim_start().starts_with(';'))
    };
    let is_at = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        begins(rest)
            && rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';')
                .trim_start()
                .starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let words = text.len() - text.trim_start().len();
    if begins(text.get(words..).unwrap_or_default()) {
        return Some(words);
    }
    let at = text.match_indices('(').map(|(at, _)| at).find(|at| is_at(*at))?;
    let before = text.get(words..at).unwrap_or_default();
    let has_tag = before.split('[').skip(1).any(|rest| {
        let value = rest
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        value.trim_start().starts_with('"')
    });
    (!before.starts_with([';', '{']) && !has_tag).then_some(at)
}

/// Whether the file is one of Hex by Little Golem. There White begins, but PB and RE\[B\] mean the first player.
fn is_little_golems(properties: &[Property], game: &Game) -> bool {
    let source = value(properties, "SO").unwrap_or_default().to_ascii_lowercase();
    let host = source
        .trim_start_matches("http://")
        .trim_start_matches("https://");
    let host = host.strip_prefix("www.").unwrap_or(host);
    game.facts.name == "Hex"
        && ["littlegolem.com", "littlegolem.net"]
            .iter()
            .any(|name| host.starts_with(name))
}

/// Reads the main line of the one game in a file. `at` is where it begins.
///
/// # Errors
/// The text is not SGF, has several games, a game that we do not know, a move that its rules refuse, or a result that
/// the moves contradict.
pub(in crate::record) fn read(text: &str, at: usize) -> Result<Record, Error> {
    let (before, text) = text.split_at_checked(at).unwrap_or(("", text));
    let line = 1 + before.matches('\n').count();
    let properties = main_line(text, line)?;
    let found = games(text);
    if found > 1 {
        let reason = format!("The file has {found} games; a record is that of one game.");
        return Err(wrong(line, reason));
    }
    let (game, custom) = game(&properties)?;
    let options = options(&properties, game)?;
    let mut record = Record::new(game, options);
    let position = game.start(&record.options).map_err(Error::Start)?;
    is_the_start(&properties, custom, size(&record), position.as_ref())?;
    let is_move = |property: &&Property| matches!(property.name.as_str(), "B" | "W");
    // On Little Golem White begins in Hex. Who begins is First.
    let begins = properties.iter().find(is_move).map(|first| first.name.as_str());
    // With a handicap Second begins, and is White.
    let first = match position.to_move() {
        Some(Seat::Second) => "B",
        _ => begins.unwrap_or("B"),
    };
    let mut moves = Moves {
        custom,
        position,
        record: &mut record,
    };
    let mut resigned = None;
    for property in properties.iter().filter(is_move) {
        let seat = if property.name == first {
            Seat::First
        } else {
            Seat::Second
        };
        resigned = moves.play(property, seat)?;
        if resigned.is_some() {
            break;
        }
    }
    let reached = moves.position.outcome();
    let [black, white] = ["PB", "PW"].map(|name| value(&properties, name).map(str::to_owned));
    // The colour by which the file means First in its names and its result.
    let named = if is_little_golems(&properties, game) {
        "B"
    } else {
        first
    };
    (record.first, record.second) = if named == "B" {
        (black, white)
    } else {
        (white, black)
    };
    record.date = value(&properties, "DT").map(str::to_owned);
    let said = value(&properties, "RE").and_then(|result| ending(result, named));
    let played = reached.map(Ending::by_rules).or(resigned);
    record.ending = match (said, played) {
        (Some(result), Some(played)) if result.outcome != played.outcome => {
            let truth = match value(&properties, "RU") {
                Some(rules) if !rules.is_empty() => {
                    format!(
                        "the turns end with \"{played}\" by our rules, and the file says RU[{}]",
                        shown(rules)
                    )
                }
                _ => format!("the turns end with \"{played}\""),
            };
            return Err(Error::Result { result, truth });
        }
        (said, played) => played.or(said),
    };
    Ok(record)
}

fn value<'a>(properties: &'a [Property], name: &str) -> Option<&'a str> {
    let found = properties.iter().find(|property| property.name == name)?;
    Some(found.value.trim())
}

/// The game that GM names. Little Golem leaves it out, and says in GN or EV what is played.
fn game(properties: &[Property]) -> Result<(&'static Game, &'static Sgf), Error> {
    let known = || GAMES.iter().filter_map(|game| Some((game, game.sgf.as_ref()?)));
    let found = match value(properties, "GM") {
        Some(number) => known().find(|(_, sgf)| number.parse() == Ok(sgf.number)),
        None => {
            let said =
                ["EV", "GN"].map(|name| value(properties, name).unwrap_or_default().to_ascii_lowercase());
            known().find(|(game, _)| {
                let name = game.facts.name.to_ascii_lowercase();
                said.iter().any(|said| said.starts_with(&name))
            })
        }
    };
    found.ok_or_else(|| {
        let games: Vec<_> = known()
            .map(|(game, sgf)| format!("GM[{}] ({})", sgf.number, game.facts.name))
            .collect();
        let line = properties.iter().find(|property| property.name == "GM");
        let reason = format!("SGF is read of these games: {}.", games.join(", "));
        wrong(line.map_or(1, |property| property.line), reason)
    })
}

/// The size of SZ, the komi of KM, the handicap of HA, and those words of RU that are options of ours.
fn options(properties: &[Property], game: &Game) -> Result<Options, Error> {
    let facts = game.facts;
    let mut words = Vec::new();
    if let Some(said) = properties.iter().find(|property| property.name == "SZ") {
        // SZ[11:11] is a square too.
        let number = match said.value.split_once(':') {
            Some((columns, rows)) if columns.trim() == rows.trim() => columns.trim(),
            Some(_) => return Err(wrong(said.line, "The board is a square: SZ has one number.")),
            None => said.value.trim(),
        };
        let size = format!("-size={number}");
        let is_usual = Options::none(game.facts).number(game.facts, "size").to_string() == number;
        if !is_usual {
            Options::parse(game.facts, [size.as_str()])
                .map_err(|refusal| wrong(said.line, refusal.to_string()))?;
            words.push(size);
        }
    }
    for (property, option) in GO_OPTIONS {
        let Some(said) = properties.iter().find(|said| said.name == property) else {
            continue;
        };
        let name = option.trim_start_matches('-');
        let fact = facts.options.iter().find(|fact| fact.name == name);
        // Programs write HA[0] and HA[1] for a game without a handicap.
        let number = said.value.trim();
        let is_none = property == "HA" && matches!(number, "" | "0" | "1");
        let Some(range) = fact.and_then(|fact| fact.range).filter(|_| !is_none) else {
            continue;
        };
        let word = format!("{option}={number}");
        let read = Options::parse(facts, [word.as_str()]);
        let options = read.map_err(|refusal| wrong(said.line, refusal.to_string()))?;
        if property == "HA" || options.number(facts, name) != range.default {
            words.push(word);
        }
    }
    let rules = properties.iter().find(|property| property.name == "RU");
    if let Some(other) = rules.filter(|rules| rules.value.to_ascii_lowercase().contains("renju")) {
        let reason = format!("These are other rules than ours: RU[{}].", shown(&other.value));
        return Err(wrong(other.line, reason));
    }
    let rules = rules.map_or("", |rules| &rules.value).split_whitespace();
    for word in rules.filter(|word| word.starts_with('-')) {
        if Options::parse(game.facts, [word]).is_ok() && !words.iter().any(|other| other == word) {
            words.push(word.to_owned());
        }
    }
    Options::parse(game.facts, words.iter().map(String::as_str))
        .map_err(|refusal| wrong(1, refusal.to_string()))
}

/// Stones that are set up are those of the start position, or none.
fn is_the_start(properties: &[Property], custom: &Sgf, size: u32, position: &dyn Match) -> Result<(), Error> {
    let mut cells = position.cells();
    let Some(line) = properties
        .iter()
        .find(|property| matches!(property.name.as_str(), "AB" | "AW" | "AE"))
    else {
        return Ok(());
    };
    let mut placed: Vec<_> = properties
        .iter()
        .filter_map(|property| {
            let seat = match property.name.as_str() {
                "AB" => Seat::First,
                "AW" => Seat::Second,
                _ => return None,
            };
            let letter = position.facts().letters[seat.index()].chars().next()?;
            Some((custom.read(&property.value, size), letter))
        })
        .collect();
    cells.sort();
    placed.sort();
    match cells == placed {
        true => Ok(()),
        false => Err(wrong(
            line.line,
            "The stones that are set up are not the start position of the game.",
        )),
    }
}

struct Moves<'a> {
    custom: &'static Sgf,
    position: Box<dyn Match>,
    record: &'a mut Record,
}

impl Moves<'_> {
    /// Plays a move of this seat. Returns the end of the game if the move is a resignation.
    fn play(&mut self, property: &Property, seat: Seat) -> Result<Option<Ending>, Error> {
        let facts = self.position.facts();
        let text = self.custom.read(&property.value, size(self.record));
        if matches!(text.as_str(), "resign" | "forfeit") {
            let outcome = Outcome::Won(seat.other());
            let by = if text == "resign" {
                By::Resignation
            } else {
                By::Forfeit
            };
            return Ok(Some(Ending { outcome, by }));
        }
        // Some programs leave passes out.
        let must_pass = |position: &dyn Match| facts.knows_pass && position.turns(2) == ["pass"];
        if self.position.to_move() == Some(seat.other()) && must_pass(self.position.as_ref()) {
            self.turn("pass", property.line)?;
        }
        if self.position.to_move() == Some(seat.other()) {
            let reason = format!("It is not the turn of {}.", property.name);
            return Err(wrong(property.line, reason));
        }
        // The letters of a pass would be those of a point on a larger board.
        let said = property.value.trim().to_ascii_lowercase();
        let is_first_again = self.record.turns.len() == 1 && self.record.turns.first() == Some(&text);
        let turn = match said.as_str() {
            "" | "pa" | "pass" | "--" if facts.knows_pass => "pass",
            // In older files of Go, tt is a pass on boards that have no such point.
            "tt" if facts.knows_pass && self.custom.points == Points::LettersWithI => "pass",
            "swap" | "swap-pieces" if facts.knows_swap => "swap",
            _ if facts.knows_swap && is_first_again => "swap",
            _ => &text,
        };
        self.turn(turn, property.line)?;
        Ok(None)
    }

    fn turn(&mut self, text: &str, line: usize) -> Result<(), Error> {
        let turn = self.position.play(text).map_err(|refusal| Error::Turn {
            number: self.record.turns.len() + 1,
            line: Some(line),
            text: shown(text),
            refusal: Box::new(refusal),
        })?;
        self.record.turns.push(turn);
        let Lines(lines) = &mut self.record.lines;
        lines.push(line);
        Ok(())
    }
}

/// What RE says of a game that its rules have not ended. Little Golem writes the colour alone.
fn ending(result: &str, first: &str) -> Option<Ending> {
    let (who, how) = result.split_once('+').unwrap_or((result, "R"));
    let won = |colour: &str| {
        Outcome::Won(if colour == first {
            Seat::First
        } else {
            Seat::Second
        })
    };
    let outcome = match who.trim() {
        colour @ ("B" | "W") => won(colour),
        "Black" => won("B"),
        "White" => won("W"),
        "0" | "Draw" => Outcome::Drawn,
        _ => return None,
    };
    let by = match (outcome, how.chars().next()) {
        (Outcome::Drawn, _) => By::Agreement,
        (_, Some('R' | 'r')) => By::Resignation,
        (_, Some('T' | 't')) => By::Forfeit,
        _ => By::Adjudication,
    };
    Some(Ending { outcome, by })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_after_words_but_not_in_a_record_of_ours() {
        for (text, at) in [
            ("(;FF[4])", Some(0)),
            (" \n( ;)", Some(2)),
            ("From: [a@x.example] (ann)\n( ;GM[11]PB[ann])", Some(26)),
            ("[Game \"Hex\"]\n{see (;FF[4])} a1", None),
            ("{see (;FF[4])}\n[Game \"Hex\"]", None),
            ("[Site \"(;FF[4])\"]", None),
            ("bye (ann) :( ;-)", None),
            ("", None),
        ] {
            assert_eq!(start(text), at, "{text}");
        }
    }
}
