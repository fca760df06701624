//! The player's own boards by game and by opponent, in an order: what stands in the address, and the links that change it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::form_urlencoded::Serializer;

use super::waiting::OwnBoard;

/// Fewer boards are seen at once.
const FEW: usize = 6;

/// What stands in the address.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Sifted {
    /// Only boards of this game.
    #[serde(default)]
    game: String,
    /// Only boards with this player.
    #[serde(default)]
    with: String,
    /// The order: "game", "opponent", otherwise the deadline.
    #[serde(default)]
    by: String,
}

/// A link to the same page with another choice.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Choice {
    label: String,
    target: String,
    is_chosen: bool,
}

/// The links, a row a choice.
#[derive(Debug, Default, Serialize)]
pub(super) struct Choices {
    orders: Vec<Choice>,
    games: Vec<Choice>,
    players: Vec<Choice>,
}

fn other(own: &OwnBoard) -> &str {
    &own.board.at(own.seat.other()).userid
}

impl Sifted {
    /// The address of the page with these words in the place of its own.
    fn target(&self) -> String {
        let mut pairs = Serializer::new(String::new());
        for (name, value) in [("by", &self.by), ("game", &self.game), ("with", &self.with)] {
            if !value.is_empty() {
                pairs.append_pair(name, value);
            }
        }
        format!("?{}", pairs.finish())
    }

    /// Keeps what is chosen, in the order that is chosen. The boards come in the order of their deadlines.
    pub(super) fn sift(&self, boards: &mut Vec<OwnBoard>) {
        let fits = |chosen: &str, has: &str| chosen.is_empty() || chosen.eq_ignore_ascii_case(has);
        boards.retain(|own| fits(&self.game, own.board.game.facts.name) && fits(&self.with, other(own)));
        match self.by.as_str() {
            "game" => boards.sort_by_key(|own| (own.board.game.facts.name, own.board.number)),
            "opponent" => boards.sort_by_key(|own| other(own).to_lowercase()),
            _ => {}
        }
    }

    /// The links for these boards, before they are sifted; none if they are few and nothing is chosen.
    pub(super) fn choices(&self, boards: &[&OwnBoard]) -> Choices {
        let is_plain = self.game.is_empty() && self.with.is_empty() && self.by.is_empty();
        if is_plain && boards.len() <= FEW {
            return Choices::default();
        }
        let (mut games, mut players) = (BTreeMap::new(), BTreeMap::new());
        for own in boards {
            *games.entry(own.board.game.facts.name.to_owned()).or_insert(0) += 1;
            *players.entry(other(own).to_owned()).or_insert(0) += 1;
        }
        let orders = [("", "Deadline"), ("game", "Game"), ("opponent", "Opponent")].map(|(by, label)| {
            let then = Self {
                by: by.to_owned(),
                ..self.clone()
            };
            Choice {
                label: label.to_owned(),
                target: then.target(),
                is_chosen: self.by == by,
            }
        });
        let by_game = |game: String| Self { game, ..self.clone() };
        let by_player = |with: String| Self { with, ..self.clone() };
        Choices {
            orders: orders.into(),
            games: links(boards.len(), &games, &self.game, by_game),
            players: links(boards.len(), &players, &self.with, by_player),
        }
    }
}

/// `All 7`, then each name with its count.
fn links(
    all: usize,
    counts: &BTreeMap<String, u32>,
    chosen: &str,
    then: impl Fn(String) -> Sifted,
) -> Vec<Choice> {
    let each = counts.iter().map(|(name, count)| Choice {
        label: format!("{name} {count}"),
        target: then(name.clone()).target(),
        is_chosen: chosen.eq_ignore_ascii_case(name),
    });
    let all = Choice {
        label: format!("All {all}"),
        target: then(String::new()).target(),
        is_chosen: chosen.is_empty(),
    };
    std::iter::once(all).chain(each).collect()
}
