//! The dice of a board, which everybody can check when the game is over: `docs/dice.md`.
//!
//! A roll follows from a secret seed, a word of each player, the name of the board and the number of the roll, and from nothing else. So
//! nobody can choose it, and a turn that is taken back and played again has the same dice.

use hmac::{Hmac, KeyInit, Mac};
use pbmserv_games::record::Record;
use pbmserv_games::{DueRoll, Game, Refusal};
use sha2::{Digest, Sha256};

/// The longest word of a player, in characters.
const MAX_WORD: usize = 20;

/// What the rolls of a board follow from.
#[derive(Clone, PartialEq, Eq)]
pub struct Dice {
    /// Nobody knows it while the game runs.
    pub seed: [u8; 32],
    /// The words of the first and the second player; those of their sides until they give others.
    pub words: [String; 2],
}

impl std::fmt::Debug for Dice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dice")
            .field("words", &self.words)
            .finish_non_exhaustive()
    }
}

impl Dice {
    /// Those of a new board of this game. The words are those of the sides.
    #[must_use]
    pub fn new(seed: [u8; 32], game: &Game) -> Self {
        let words = game.facts.sides.map(str::to_ascii_lowercase);
        Self { seed, words }
    }

    /// What is said of the seed before the first roll: its SHA-256, in hexadecimal digits.
    #[must_use]
    pub fn commitment(&self) -> String {
        hex(&Sha256::digest(self.seed))
    }

    /// The seed in hexadecimal digits.
    #[must_use]
    pub fn seed_text(&self) -> String {
        hex(&self.seed)
    }

    /// What [`seed_text`](Self::seed_text) has written.
    #[must_use]
    pub fn of_text(seed: &str, words: [String; 2]) -> Option<Self> {
        let bytes = data_encoding::HEXLOWER_PERMISSIVE
            .decode(seed.trim().as_bytes())
            .ok()?;
        let seed = bytes.try_into().ok()?;
        Some(Self { seed, words })
    }

    /// The dice of a roll on the board with this name: `Backgammon 101`.
    ///
    /// They are the first two numbers of a stream that may stand: bytes below 252, modulo 6. Where they must differ, equal pairs are
    /// passed over.
    #[must_use]
    pub fn roll(&self, board: &str, due: DueRoll) -> [u8; 2] {
        let mut stream = (0_u32..).flat_map(|block| self.block(board, due.number, block));
        let mut die = || {
            stream
                .by_ref()
                .find(|byte| *byte < 252)
                .map_or(1, |byte| byte % 6 + 1)
        };
        loop {
            let dice = [die(), die()];
            if !due.must_differ || dice[0] != dice[1] {
                return dice;
            }
        }
    }

    /// The dice that are due after the turns of a record of the board with this name.
    pub(super) fn roll_after(&self, record: &Record, board: &str) -> Option<[u8; 2]> {
        let mut position = record.game.start(&record.options).ok()?;
        for turn in &record.turns {
            position.play(turn).ok()?;
        }
        Some(self.roll(board, position.due_roll()?))
    }

    /// HMAC-SHA-256 under the seed of the lines that name a roll.
    fn block(&self, board: &str, number: u32, block: u32) -> [u8; 32] {
        let [first, second] = &self.words;
        let mut key = [0; 64];
        key[..32].copy_from_slice(&self.seed);
        let mut mac = Hmac::<Sha256>::new((&key).into());
        mac.update(format!("{board}\n{first}\n{second}\n{number}\n{block}").as_bytes());
        mac.finalize().into_bytes().into()
    }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// The word that a player gives with the first `roll`: `roll plum`. `None`: no word, or another turn.
///
/// # Errors
/// It is not one word of letters and digits.
pub fn word_given(text: &str) -> Result<Option<String>, Refusal> {
    let mut words = text.split_whitespace();
    if !words.next().is_some_and(|roll| roll.eq_ignore_ascii_case("roll")) {
        return Ok(None);
    }
    let Some(word) = words.next() else { return Ok(None) };
    let is_word = word.len() <= MAX_WORD && word.chars().all(|c| c.is_ascii_alphanumeric());
    match is_word && words.next().is_none() {
        true => Ok(Some(word.to_ascii_lowercase())),
        false => Err(Refusal::illegal(format!(
            "The word for the dice is one word of at most {MAX_WORD} letters and digits, such as: roll plum."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dice() -> Dice {
        Dice {
            seed: [7; 32],
            words: ["plum", "quince"].map(str::to_owned),
        }
    }

    const fn due(number: u32, must_differ: bool) -> DueRoll {
        DueRoll { number, must_differ }
    }

    #[test]
    fn a_roll_follows_from_seed_words_board_and_number_alone() {
        let roll = |dice: &Dice, board: &str| {
            let rolls = (1..=20).map(|number| dice.roll(board, due(number, false)));
            rolls.collect::<Vec<_>>()
        };
        let usual = roll(&dice(), "Backgammon 101");
        assert_eq!(usual, roll(&dice(), "Backgammon 101"));
        assert_ne!(usual, roll(&dice(), "Backgammon 102"));
        for place in 0..2 {
            let mut other = dice();
            other.words[place] = "fig".to_owned();
            assert_ne!(usual, roll(&other, "Backgammon 101"));
        }
        let other = Dice {
            seed: [8; 32],
            ..dice()
        };
        assert_ne!(usual, roll(&other, "Backgammon 101"));
        assert_ne!(dice().commitment(), other.commitment());
    }

    #[test]
    fn a_seed_is_read_back_and_equal_dice_of_a_start_are_passed_over() {
        let dice = dice();
        assert_eq!(
            Dice::of_text(&dice.seed_text(), dice.words.clone()),
            Some(dice.clone())
        );
        assert_eq!(Dice::of_text("07", dice.words.clone()), None);
        for number in 1..500 {
            let [one, other] = dice.roll("Hypergammon 5", due(number, true));
            assert_ne!(one, other);
        }
    }

    #[test]
    fn words_for_the_dice_are_single_words() {
        for without in ["roll", "", "24/21 13/7"] {
            assert_eq!(word_given(without), Ok(None));
        }
        assert_eq!(word_given("ROLL Plum"), Ok(Some("plum".to_owned())));
        for wrong in [
            "roll two words",
            "roll plum!",
            &format!("roll {}", "x".repeat(21)),
        ] {
            assert!(word_given(wrong).is_err(), "{wrong}");
        }
    }

    /// A million rolls: each of the 36 pairs is as frequent as the others, within what chance allows once in ten thousand times.
    #[test]
    #[ignore = "takes long: make long"]
    fn a_million_rolls_are_even() {
        const ROLLS: u32 = 1_000_000;
        let (dice, mut counts) = (dice(), [0_u32; 36]);
        for number in 1..=ROLLS {
            let [one, other] = dice.roll("Backgammon 101", due(number, false));
            counts[usize::from(one - 1) * 6 + usize::from(other - 1)] += 1;
        }
        let expected = f64::from(ROLLS) / 36.0;
        let squares = counts
            .iter()
            .map(|count| (f64::from(*count) - expected).powi(2) / expected);
        let chi_squared: f64 = squares.sum();
        println!("chi squared with 35 degrees of freedom: {chi_squared:.1}");
        assert!((9.0..76.0).contains(&chi_squared), "{chi_squared}");
    }
}
