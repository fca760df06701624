//! The section `[bots]`.

use pbmserv_core::table::COMPUTERS;

use super::Bots;

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
