//! Checks the dice of a finished game by its record alone.

use pbmserv_games::Refusal;
use pbmserv_games::record::Record;
use thiserror::Error;

use super::Dice;

/// Why the dice of a record cannot be checked, or are wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnfairDice {
    /// The game has none.
    #[error("{0} has no dice.")]
    NoDice(&'static str),
    /// Only the record of a finished game has its secret.
    #[error("The tag [{0} \"...\"] is missing: only the record of a finished game of a board has it.")]
    NoTag(&'static str),
    /// A tag has something else.
    #[error("The tag {0} cannot be read.")]
    Unreadable(&'static str),
    /// Another secret was announced.
    #[error("The secret is not the one that was announced: its SHA-256 is {0}.")]
    OtherSecret(String),
    /// A turn has other dice than were rolled.
    #[error("Turn {turn} has the dice {}{}, but roll {number} was {}{}.", .written[0], .written[1], .right[0], .right[1])]
    OtherDice {
        /// From 1; the turns of both players count.
        turn: usize,
        /// From 1.
        number: u32,
        /// The dice of the record.
        written: [u8; 2],
        /// The dice that follow from the secret and the words.
        right: [u8; 2],
    },
    /// The record is none of a game.
    #[error("Turn {0} cannot be played: {1}")]
    Turn(usize, Refusal),
}

/// How many rolls of a finished game were checked; all follow from what was announced.
///
/// # Errors
/// The record lacks something, or a roll is another one.
pub fn check_dice(record: &Record) -> Result<u32, UnfairDice> {
    if !record.game.facts.has_dice {
        return Err(UnfairDice::NoDice(record.game.facts.title));
    }
    let tag = |name: &'static str| {
        let found = record
            .others
            .iter()
            .find(|(tag, _)| tag.eq_ignore_ascii_case(name));
        found
            .map(|(_, value)| value.as_str())
            .ok_or(UnfairDice::NoTag(name))
    };
    let (seed, commitment, words) = (tag("Seed")?, tag("Commitment")?, tag("Words")?);
    let number = record.board.as_deref().ok_or(UnfairDice::NoTag("Board"))?;
    let words = words.split_once(' ').ok_or(UnfairDice::Unreadable("Words"))?;
    let words = [words.0, words.1].map(str::to_owned);
    let dice = Dice::of_text(seed, words).ok_or(UnfairDice::Unreadable("Seed"))?;
    if !dice.commitment().eq_ignore_ascii_case(commitment.trim()) {
        return Err(UnfairDice::OtherSecret(dice.commitment()));
    }
    let board = format!("{} {number}", record.game.facts.name);
    let start = record.game.start(&record.options);
    let mut position = start.map_err(|refusal| UnfairDice::Turn(0, refusal))?;
    let mut rolls = 0;
    for (turn, text) in (1..).zip(&record.turns) {
        if let Some(due) = position.due_roll() {
            let right = dice.roll(&board, due);
            position.roll_as_written(text);
            let is_right = |written: [u8; 2]| match due.must_differ {
                true => written == right,
                false => written == right || written == [right[1], right[0]],
            };
            match position.dice() {
                Some(written) if is_right(written) => rolls += 1,
                Some(written) => {
                    let number = due.number;
                    return Err(UnfairDice::OtherDice {
                        turn,
                        number,
                        written,
                        right,
                    });
                }
                // The turn has no dice, and is refused below.
                None => {}
            }
        }
        position
            .play(text)
            .map_err(|refusal| UnfairDice::Turn(turn, refusal))?;
    }
    Ok(rolls)
}

#[cfg(test)]
mod tests {
    use pbmserv_games::{Options, find};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    /// A whole match with the dice of a board.
    fn played(name: &str) -> Record {
        let game = find(name).unwrap();
        let options = Options::parse(game.facts, ["-points=3"]).unwrap();
        let dice = Dice {
            words: ["plum", "black"].map(str::to_owned),
            ..Dice::new([9; 32], game)
        };
        let mut position = game.start(&options).unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        let mut record = Record::new(game, options);
        record.board = Some("104".to_owned());
        record.others = [
            ("Commitment", dice.commitment()),
            ("Words", dice.words.join(" ")),
            ("Seed", dice.seed_text()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec();
        loop {
            if let Some(due) = position.due_roll() {
                position.roll(dice.roll(&format!("{name} 104"), due));
            }
            let Some(turn) = position.random_turn(&mut rng) else {
                break;
            };
            record.turns.push(position.play(&turn).unwrap());
        }
        record
    }

    #[test]
    fn the_dice_of_a_finished_game_are_checked_from_its_text() {
        for name in ["Backgammon", "Nackgammon", "Hypergammon"] {
            let text = played(name).to_string();
            let record: Record = text.parse().unwrap();
            let rolls = check_dice(&record).unwrap();
            let with_dice = record.turns.iter().filter(|turn| turn.contains(':')).count();
            assert_eq!(rolls as usize, with_dice, "{name}");
        }
    }

    #[test]
    fn one_other_word_roll_or_secret_is_found() {
        let record = played("Hypergammon");
        let with = |name: &str, value: &str| {
            let mut other = record.clone();
            for (tag, of) in &mut other.others {
                if tag == name {
                    value.clone_into(of);
                }
            }
            check_dice(&other)
        };
        assert!(matches!(
            with("Words", "fig black"),
            Err(UnfairDice::OtherDice { .. })
        ));
        assert!(matches!(
            with("Seed", &"09".repeat(31)),
            Err(UnfairDice::Unreadable("Seed"))
        ));
        assert!(matches!(
            with("Seed", &"08".repeat(32)),
            Err(UnfairDice::OtherSecret(_))
        ));
        let mut other = record.clone();
        other.board = Some("105".to_owned());
        assert!(matches!(check_dice(&other), Err(UnfairDice::OtherDice { .. })));
        let mut other = record;
        other.others.clear();
        assert_eq!(check_dice(&other), Err(UnfairDice::NoTag("Seed")));
    }
}
