//! The section `[bots]`.

use serde::{Deserialize, Serialize};

use pbmserv_core::table::COMPUTERS;

/// Computer players.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bots {
    /// The userids of those that play.
    pub players: Vec<String>,
    /// The names of the games that they do not play.
    pub without: Vec<String>,
    /// Whether their games count for the ratings.
    pub rated: bool,
    /// How many positions are thought about at a time.
    pub threads: usize,
    /// Hints to one player in a day (UTC).
    pub hints_a_day: u32,
}

impl Default for Bots {
    fn default() -> Self {
        Self {
            players: COMPUTERS
                .iter()
                .map(|computer| computer.userid.to_owned())
                .collect(),
            without: Vec::new(),
            rated: false,
            threads: 1,
            hints_a_day: 10,
        }
    }
}

/// The most positions that may be thought about at a time: each needs memory.
const MAX_THREADS: usize = 8;

impl Bots {
    /// A wrong key, and what is wrong with it.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        let is_computer = |userid: &String| {
            COMPUTERS
                .iter()
                .any(|one| one.userid.eq_ignore_ascii_case(userid))
        };
        if let Some(other) = self.players.iter().find(|userid| !is_computer(userid)) {
            let why = format!(
                "names \"{other}\", which is no computer player: use bot-easy, bot-medium and bot-hard"
            );
            return Some(("bots.players", why));
        }
        if let Some(other) = self
            .without
            .iter()
            .find(|name| pbmserv_games::find(name).is_none())
        {
            let why = format!("names \"{other}\", which is no game of this server: write a game as Pow2");
            return Some(("bots.without", why));
        }
        let is_usable = (1..=MAX_THREADS).contains(&self.threads);
        (!is_usable).then(|| {
            (
                "bots.threads",
                format!("is not a usable number: use 1 to {MAX_THREADS}"),
            )
        })
    }
}
