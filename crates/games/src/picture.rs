//! Draws a position of any game. The game gives the layout and the pieces; the marks of the last turn come from the
//! difference between two positions.

use std::collections::{BTreeMap, BTreeSet};

use super::{Ending, Facts, Match, Outcome, Seat};
use crate::continuations;
use crate::kit::picture::{Kind, Picture, Piece, Status, Tone};

/// The contents of a picture.
#[derive(Clone, Copy)]
pub struct BoardPicture<'a> {
    /// The title, such as the game and its options.
    pub title: &'a str,
    /// The state of the game as a sentence.
    pub sentence: &'a str,
    /// The position to draw.
    pub now: &'a dyn Match,
    /// The position before the last turn, or before all turns of the player who moved last.
    pub before: &'a dyn Match,
    /// The turns between `before` and `now`.
    pub last: &'a [String],
    /// How the game ended, if it did.
    pub ending: Option<Ending>,
}

impl BoardPicture<'_> {
    /// Builds the picture, with marks on the points that the last turn touched.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let layout = self.now.layout();
        let places: BTreeMap<&str, usize> = (layout.points.iter().zip(0..))
            .map(|(point, place)| (point.name.as_str(), place))
            .collect();
        let cells = self.now.cells();
        let piece = |(name, letter): &(String, char)| {
            Some(Piece {
                point: *places.get(name.as_str())?,
                kind: kind(self.now.facts(), *letter),
            })
        };
        let pieces = cells.iter().filter_map(piece).collect();
        let touched = self.touched(&cells);
        let touched: BTreeSet<usize> = touched
            .iter()
            .filter_map(|name| places.get(name.as_str()).copied())
            .collect();
        Picture {
            title: self.title.to_owned(),
            description: self.description(&cells),
            pieces,
            touched: touched.into_iter().collect(),
            statuses: Seat::BOTH.map(|seat| self.status(seat)).to_vec(),
            layout,
        }
    }

    /// The points whose content changed, and those that the turns name: a stone that was dropped and removed in the
    /// same turn has left no difference.
    fn touched(&self, cells: &[(String, char)]) -> BTreeSet<String> {
        if self.last.is_empty() || self.now.is_next_game() {
            return BTreeSet::new();
        }
        let before: BTreeSet<_> = self.before.cells().into_iter().collect();
        let now: BTreeSet<_> = cells.iter().cloned().collect();
        let changed = before.symmetric_difference(&now).map(|(name, _)| name.clone());
        let numbers = |of: &dyn Match| of.numbers().into_iter().collect::<BTreeSet<_>>();
        let numbers = &numbers(self.before) ^ &numbers(self.now);
        let words = self.last.iter().flat_map(|turn| continuations::words(turn));
        (changed.chain(numbers.into_iter().map(|(name, _)| name)))
            .chain(words.map(str::to_owned))
            .collect()
    }

    fn description(&self, cells: &[(String, char)]) -> String {
        let mut description = self.sentence.to_owned();
        if !self.last.is_empty() {
            description += &format!(" The last turn: {}.", self.last.join(", "));
        }
        let said = self.now.in_words();
        if !said.is_empty() {
            return [description]
                .into_iter()
                .chain(said)
                .collect::<Vec<_>>()
                .join(" ");
        }
        let facts = self.now.facts();
        let owners = facts
            .sides
            .iter()
            .zip(facts.letters)
            .map(|(side, letters)| (format!("{side} has"), letters));
        for (owner, letters) in owners.chain([("There is".to_owned(), facts.neutral)]) {
            for letter in letters.chars() {
                let of_letter = cells.iter().filter(|(_, shown)| *shown == letter);
                let names: Vec<_> = of_letter.map(|(name, _)| name.as_str()).collect();
                if !names.is_empty() {
                    description += &format!(" {owner} {letter} on {}.", names.join(", "));
                }
            }
        }
        description
    }

    fn status(&self, seat: Seat) -> Status {
        let facts = self.now.facts();
        let side = facts.sides[seat.index()];
        let state = match self.ending.map(|ending| ending.outcome) {
            Some(Outcome::Won(winner)) if winner == seat => " wins",
            Some(Outcome::Drawn) => " draws",
            None if self.now.to_move() == Some(seat) => " to move",
            _ => "",
        };
        let counts = self.now.info().into_iter().flat_map(|(name, counts)| {
            let own = counts.into_iter().filter(move |(of, _)| *of == side);
            own.map(move |(_, count)| format!("{name} {count}"))
        });
        let letter = facts.letters[seat.index()].chars().next().unwrap_or('o');
        Status {
            kind: kind(facts, letter),
            text: [format!("{}{state}", side.to_lowercase())]
                .into_iter()
                .chain(counts)
                .collect::<Vec<_>>()
                .join("   "),
        }
    }
}

/// The appearance of a piece. The side with an `o` is the light one, as in a plain text mail; if neither has one, the
/// side called White, or the second. Pieces of x and o have rings, others their letter.
fn kind(facts: &Facts, letter: char) -> Kind {
    if facts.neutral.contains(letter) {
        let (tone, rings) = (Tone::Neutral, 0);
        return Kind { tone, letter, rings };
    }
    let place = |letters: &str| letters.chars().position(|own| own == letter);
    let light = facts
        .letters
        .iter()
        .position(|letters| letters.contains(['o', 'O']))
        .or_else(|| facts.sides.iter().position(|side| *side == "White"));
    let [first, second] = facts.letters.map(place);
    let (side, rings) = match (first, second) {
        (Some(rings), _) => (0, rings),
        (None, rings) => (1, rings.unwrap_or(0)),
    };
    let tone = if side == light.unwrap_or(1) {
        Tone::Light
    } else {
        Tone::Dark
    };
    let rings = if "xXoO".contains(letter) { rings } else { 0 };
    Kind { tone, letter, rings }
}

#[cfg(test)]
mod tests {
    use crate::kit::picture::{Picture, Tone};
    use crate::record::Record;

    fn picture(record: &str) -> Picture {
        let record: Record = record.parse().unwrap();
        record.replay().unwrap().picture()
    }

    fn touched(picture: &Picture) -> Vec<&str> {
        let names = picture
            .touched
            .iter()
            .map(|place| picture.layout.points[*place].name.as_str());
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_picture_tells_the_game_the_turns_and_whose_turn_it_is() {
        let picture = picture("[Game \"Pow2\"][Options \"-exact\"]\n m13-j7 a1-e1");
        assert_eq!(picture.title, "The Power of Two -exact");
        assert_eq!(
            picture.description,
            "After 2 turns it is Light's turn. The last turn: a1-e1. Light has O on m1, j7. Dark has X on e1, a13."
        );
        let texts: Vec<_> = picture
            .statuses
            .iter()
            .map(|status| status.text.as_str())
            .collect();
        assert_eq!(texts, ["light to move   remaining 14", "dark   remaining 14"]);
        assert_eq!(picture.statuses[0].kind.tone, Tone::Light);
        assert_eq!(touched(&picture), ["a1", "e1"]);
    }

    #[test]
    fn the_bar_the_tray_and_the_cube_are_marked_when_a_turn_goes_there() {
        let of = |game: &str, turns: &str| {
            let record = format!("[Game \"{game}\"][Options \"-points=5\"]\n roll roll {turns}");
            let picture = picture(&record);
            touched(&picture).join(" ")
        };
        let opened = "31:8/5,6/5";
        assert_eq!(of("Backgammon", &format!("{opened} double")), "cube");
        assert_eq!(of("Backgammon", &format!("{opened} double take")), "cube");
        assert_eq!(of("Backgammon", &format!("{opened} concede")), "");
        // The checkers stand as at the start: that is nothing a turn has done.
        assert_eq!(of("Backgammon", &format!("{opened} concede accept")), "");
        assert_eq!(of("Backgammon", &format!("{opened} double drop")), "");
        assert_eq!(of("Hypergammon", "64:24/14 roll 65:22/11*"), "14.1 25.1 3.1");
        let race = "65:24/18,23/18 roll 66:24/12,23/17,22/16 roll 66:22/10,18/12(2) roll 66:17/5,16/10,12/6";
        let off = of("Hypergammon", &format!("{race} roll 66:12/off,12/6,10/4"));
        assert!(off.ends_with(" whiteoff"), "{off}");
        // A sixth checker is no piece of its own: the last that is drawn stands for it.
        let sixth = of("Backgammon", "61:13/7,8/7 roll 52:13/8,13/11 roll 61:7/6,8/2");
        assert!(sixth.contains("6.4"), "{sixth}");
    }

    #[test]
    fn an_aged_piece_has_a_ring_and_ageing_is_marked() {
        let picture = picture("[Game \"Pow2\"]\n m13-m5:l4");
        let ringed = picture.pieces.iter().filter(|piece| piece.kind.rings == 1);
        let letters: Vec<_> = ringed.map(|piece| piece.kind.letter).collect();
        assert_eq!(letters, ['o', 'o']);
        assert_eq!(touched(&picture), ["l4", "m1", "m13", "m5"]);
    }

    #[test]
    fn all_turns_of_the_player_who_moved_last_are_marked() {
        // The sixth stone in a row scores and is removed at once, and Black acts again.
        let turns = "a1 l12 b1 l10 c1 l8 d1 l6 e1 l4 f1 g7";
        let picture = picture(&format!("[Game \"ShapeChess\"]\n{turns}"));
        assert_eq!(touched(&picture), ["a1", "b1", "c1", "d1", "e1", "f1", "g7"]);
        assert!(picture.description.contains(" The last turn: f1, g7."));
    }

    #[test]
    fn the_start_marks_nothing_and_a_resigned_game_has_a_winner() {
        let picture = picture("[Game \"Forms\"][Options \"-size=4\"][Result \"Second wins by resignation\"]");
        assert!(picture.touched.is_empty());
        let texts: Vec<_> = picture
            .statuses
            .iter()
            .map(|status| status.text.as_str())
            .collect();
        assert_eq!(texts, ["black", "white wins"]);
        assert_eq!(picture.statuses[1].kind.tone, Tone::Light);
        assert_eq!(picture.pieces.len(), 16);
    }
}
