//! A visitor's game as a text in an address: only this server can make one, and it is good for its own game alone.

use data_encoding::BASE64URL_NOPAD;
use pbmserv_core::table::GuestGame;
use pbmserv_games::Game;
use pbmserv_mail::Key;

use crate::web::press::form_number;

/// What the tags are for.
const DOMAIN: &str = "visitor's game";

/// What the tag covers.
fn tagged(game: &Game, text: &str) -> Vec<u8> {
    format!("{}\n{text}", game.facts.name).into_bytes()
}

pub(super) fn seal(key: &Key, game: &GuestGame) -> String {
    let text = game.text();
    let tag = key.tag(DOMAIN, &tagged(game.game, &text));
    let [text, tag] = [text.as_bytes(), &tag].map(|bytes| BASE64URL_NOPAD.encode(bytes));
    format!("{text}.{tag}")
}

/// The game in a text, or one that begins if it is empty. `None`: this server has not made it.
pub(super) fn open(key: &Key, game: &'static Game, sealed: &str) -> Option<GuestGame> {
    let seed = game.facts.has_dice.then(|| seed(key));
    if sealed.is_empty() {
        return Some(match seed {
            Some(seed) => GuestGame::with_dice(game, seed, &form_number()),
            None => GuestGame::new(game),
        });
    }
    let (text, tag) = sealed.split_once('.')?;
    let [text, tag] = [text, tag].map(|part| BASE64URL_NOPAD.decode(part.as_bytes()).ok());
    let (text, tag) = (String::from_utf8(text?).ok()?, tag?);
    let is_ours = tag.len() == WHOLE && key.agrees(DOMAIN, &tagged(game, &text), &tag);
    GuestGame::read(game, &text, seed).filter(|_| is_ours)
}

/// What the dice of all visitors follow from: nothing is stored of their games, and nobody else knows the key.
fn seed(key: &Key) -> [u8; 32] {
    let halves = ["first", "second"].map(|half| key.tag("visitors' dice", half.as_bytes()));
    let mut seed = [0; 32];
    seed.copy_from_slice(halves.as_flattened());
    seed
}

/// The length of a tag: a shorter one would be another spelling of the same game.
const WHOLE: usize = 16;

#[cfg(test)]
mod tests {
    use pbmserv_games::find;

    use super::*;

    #[test]
    fn a_game_is_opened_as_it_was_sealed_and_no_other_way() {
        let key = Key::from_bytes([7; 32]);
        let [hex, gomoku] = ["Hex", "Gomoku"].map(|name| find(name).unwrap());
        let mut game = GuestGame::new(hex);
        game.turns = vec!["a1".to_owned(), "b2".to_owned()];
        let sealed = seal(&key, &game);
        assert_eq!(open(&key, hex, &sealed), Some(game.clone()));
        assert_eq!(open(&key, hex, ""), Some(GuestGame::new(hex)));
        assert_eq!(open(&key, gomoku, &sealed), None, "another game");
        assert_eq!(open(&Key::from_bytes([8; 32]), hex, &sealed), None);
        let (text, tag) = sealed.split_once('.').unwrap();
        game.turns.pop();
        let shorter = BASE64URL_NOPAD.encode(game.text().as_bytes());
        let forged = [
            format!("{shorter}.{tag}"),
            format!("{text}."),
            format!("{text}.{}", &tag[..16]),
            text.to_owned(),
            format!(".{tag}"),
            format!("{sealed}A"),
            ".".to_owned(),
            "\u{e9}.\u{e9}".to_owned(),
        ];
        for sealed in forged {
            assert_eq!(open(&key, hex, &sealed), None, "{sealed}");
        }
    }
}
