//! The keys in links to pages, `k/KEY/`, and what each opens.
//!
//! A letter has the smaller key: it opens what an answer to that letter reaches. The key to all of a player's pages is mailed
//! only when it is asked for. Keys are made as reply tokens are, each kind for its own purpose: no key answers a letter, and
//! no reply token opens a page.
//!
//! What a key reaches is asked twice: when a page is made, and in the engine when its form is handled (`Reach::allows`), since a
//! form can be made by hand and a key can end while a page is open.

use chrono::{DateTime, Utc};
use pbmserv_games::{Game, Seat};

use crate::command::{InAnswer, Line};
use crate::store::{self, Purpose, Reader};
use crate::table::{Board, BoardId, BoardLetter, Player, PlayerId};
use pbmserv_mail::Key;

use super::token::{Claim, player_of_expiring, seat_generation, token};

/// A key that was verified.
#[derive(Clone, Debug)]
pub struct Opened {
    pub player: Player,
    /// What it opens.
    pub reach: Reach,
}

/// What a key opens.
#[derive(Clone, Debug)]
pub enum Reach {
    /// All boards of its player, the games to begin, and the settings.
    All,
    /// What an answer to its letter reaches.
    Letter(Vec<Reached>, Reply),
}

/// How the letter of a smaller key is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// As a letter about a board.
    Seat,
    /// As the daily mail with this number.
    Digest(i64),
}

/// A board that a smaller key opens.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// The seat of the key's player.
    pub seat: Seat,
    pub game: &'static Game,
    /// The number of the board.
    pub number: u32,
    board: BoardId,
    /// Whether it was removed: then its players see what became of it, and nothing can be done there.
    is_removed: bool,
}

impl Reached {
    /// The board, if the player sits there.
    fn of(board: &Board, player: PlayerId) -> Option<Self> {
        Some(Self {
            seat: board.seat_of(player)?,
            game: board.game,
            number: board.number,
            board: board.id,
            is_removed: !board.can_be_answered(),
        })
    }
}

impl Reach {
    /// Whether it has the pages of this board.
    #[must_use]
    pub fn has(&self, game: &Game, number: u32) -> bool {
        match self {
            Self::All => true,
            Self::Letter(boards, _) => boards
                .iter()
                .any(|reached| reached.number == number && reached.game.facts.name == game.facts.name),
        }
    }

    /// Whether a form may give this command, on the board that its page has shown.
    pub(super) fn allows(&self, line: &Line, shown: Option<BoardLetter>) -> bool {
        let Self::Letter(boards, _) = self else {
            return true;
        };
        let Some(shown) = shown else {
            return line.asks_for_page();
        };
        let is_it = |reached: &Reached| {
            let name = (reached.game.facts.name, i64::from(reached.number));
            !reached.is_removed
                && reached.board == shown.board
                && reached.seat == shown.seat
                && line.board() == Some(name)
        };
        line.command.in_answer != InAnswer::No && boards.iter().any(is_it)
    }
}

impl Opened {
    /// The reply token of a letter that shows the board as this page does: it reaches no further than the key.
    #[must_use]
    pub fn reply_token(&self, key: &Key, letter: BoardLetter) -> String {
        let Player { id, generation, .. } = self.player;
        match self.reach {
            Reach::Letter(_, Reply::Digest(row)) => token(key, Purpose::Digest, row, generation),
            Reach::Letter(_, Reply::Seat) | Reach::All => token(
                key,
                Purpose::Seat,
                letter.number(),
                seat_generation(id, generation),
            ),
        }
    }
}

/// The key of the links of a letter whose reply token has this purpose and row; of the letter that brings it, the key to all
/// pages. `renewed` says how often the player has had new links. `None`: the letter has no key.
#[must_use]
pub fn page_key(
    key: &Key,
    (purpose, row): (Purpose, i64),
    player: PlayerId,
    generation: i64,
    renewed: i64,
) -> Option<String> {
    let links = links_generation(generation, renewed);
    let (purpose, row, generation) = match purpose {
        // Whenever it was written: a form says itself what its page has shown.
        Purpose::Seat => {
            let seat = BoardLetter::of_number(row).seat_number();
            (Purpose::BoardPage, seat, seat_generation(player, links))
        }
        Purpose::Digest => (Purpose::DigestPage, row, links),
        Purpose::Page => (Purpose::Page, player.0, links),
        Purpose::Export => (Purpose::Export, row, links),
        _ => return None,
    };
    Some(token(key, purpose, row, generation))
}

/// Who was asked by mail under which name they want to play.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// The row of the question.
    pub row: i64,
    pub address: String,
    /// The name that is proposed.
    pub userid: String,
    /// Who has joined.
    pub player: Option<PlayerId>,
    /// The title of the game that is kept; `None`: none is, or its board has begun.
    pub kept: Option<&'static str>,
}

/// Who was asked by the letter with this token; `None`: the token is none, or the question has ended.
///
/// # Errors
/// Those of the database.
pub fn newcomer(key: &Key, store: &Reader, text: &str) -> store::Result<Option<Newcomer>> {
    let claim = Claim::read(text, Purpose::Join).filter(|claim| claim.is_true(key, 0));
    let join = claim.map(|claim| store.join(claim.row)).transpose()?.flatten();
    let Some(join) = join else {
        return Ok(None);
    };
    Ok(Some(Newcomer {
        row: join.id,
        address: join.address.to_string(),
        userid: join.userid,
        player: join.player,
        kept: store.kept_game(join.id)?.map(|game| game.game.facts.title),
    }))
}

/// The key to all pages of the player who has joined by the question in this row.
///
/// # Errors
/// Those of the database.
pub fn page_of(key: &Key, store: &Reader, row: i64) -> store::Result<Option<String>> {
    let Some(id) = store.join(row)?.and_then(|join| join.player) else {
        return Ok(None);
    };
    let Some(player) = store.account(id)? else {
        return Ok(None);
    };
    let renewed = store.page_links(id)?;
    Ok(page_key(
        key,
        (Purpose::Page, id.0),
        id,
        player.generation,
        renewed,
    ))
}

/// The player whose data the link with this key gives; `None`: it gives none, or none any more.
///
/// # Errors
/// Those of the database.
pub fn exporter(key: &Key, store: &Reader, text: &str, now: DateTime<Utc>) -> store::Result<Option<Player>> {
    let claim = Claim::read(text, Purpose::Export);
    let Some((claim, id)) = claim.and_then(|claim| {
        let id = player_of_expiring(claim.row, now)?;
        Some((claim, id))
    }) else {
        return Ok(None);
    };
    let Some(player) = store.account(id)?.filter(|player| player.disabled_at.is_none()) else {
        return Ok(None);
    };
    let links = links_generation(player.generation, store.page_links(id)?);
    Ok(claim.is_true(key, links).then_some(player))
}

/// What a key opens; `None`: nothing, or nothing any more.
///
/// # Errors
/// Those of the database.
pub fn opened(key: &Key, store: &Reader, text: &str) -> store::Result<Option<Opened>> {
    let found = match Claim::of(text, [Purpose::Page, Purpose::BoardPage, Purpose::DigestPage]) {
        Some((Purpose::Page, claim)) => Some((claim, None)),
        Some((Purpose::BoardPage, claim)) => {
            let letter = BoardLetter::of_number(claim.row);
            let board = store.board_by_id(letter.board)?;
            board.map(|board| (claim, Some((board.at(letter.seat).id, vec![board], Reply::Seat))))
        }
        Some((_, claim)) => match store.digest_letter(claim.row)? {
            Some(letter) => {
                let reply = Reply::Digest(claim.row);
                let mut boards = Vec::with_capacity(letter.boards.len());
                for listed in letter.boards {
                    boards.extend(store.board_by_id(listed.board)?);
                }
                Some((claim, Some((letter.player, boards, reply))))
            }
            None => None,
        },
        None => None,
    };
    let Some((claim, letter)) = found else {
        return Ok(None);
    };
    let id = letter
        .as_ref()
        .map_or(PlayerId(claim.row), |(player, ..)| *player);
    let Some(player) = store.account(id)?.filter(|player| player.disabled_at.is_none()) else {
        return Ok(None);
    };
    let links = links_generation(player.generation, store.page_links(id)?);
    let (generation, reach) = match letter {
        None => (links, Reach::All),
        Some((_, boards, reply)) => {
            let boards = boards.iter().filter_map(|board| Reached::of(board, id)).collect();
            let generation = match reply {
                Reply::Seat => seat_generation(id, links),
                Reply::Digest(_) => links,
            };
            (generation, Reach::Letter(boards, reply))
        }
    };
    let is_empty = matches!(&reach, Reach::Letter(boards, Reply::Seat) if boards.is_empty());
    Ok((claim.is_true(key, generation) && !is_empty).then_some(Opened { player, reach }))
}

/// The generation of an account and how often its player has had new links, in one number. Both only grow, so after a change
/// of either it is one that never was before.
const fn links_generation(generation: i64, renewed: i64) -> i64 {
    generation + renewed
}
