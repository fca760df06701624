//! Commands other than turns: accounts, new boards, questions, and floods.

use pbmserv_games::GAMES;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{Person, Sight, any_board, pick, someone};
use crate::deed::{Act, At, Deed, What, Who, name};
use crate::mail::{Letter, Way};
use crate::post::Token;
use crate::view::{Board, DAY};
use crate::world::{BOT, SECRET};

/// The server's options.
const TERMS: [&str; 8] = [
    "",
    "",
    "",
    "--unrated",
    "--nagtime=3 --forfeittime=9",
    "--totaltime=60",
    "--totaltime=15 --forfeittime=10",
    "--nagtime=soon",
];

/// What people write besides turns, and how often each. A new command gets a line here. With `{by}` it is proven.
pub(crate) const LINES: &[(u32, &str)] = &[
    (10, "help commands"),
    (10, "help clocks"),
    (10, "help"),
    (20, "add {by} {new address}"),
    (2, "add {by} {home}"),
    (20, "remove {by} {address}"),
    (2, "remove {by} x@home.example"),
    (20, "change password {by} {new}"),
    (10, "change address {by} {new address}"),
    (2, "forgot nobody"),
    (18, "forgot {who}"),
    (30, "{reset}"),
    (20, "block {by} {other}"),
    (30, "block {by} {opponent}"),
    (1, "block {by} {own}"),
    (30, "unblock {by} {blocked}"),
    (50, "message {by} {other}"),
    (10, "broadcast {by}"),
    (6, "vacation {by}"),
    (6, "vacation {by} off"),
    (90, "vacation {by} {days}"),
    (2, "vacation {by} 50"),
    (10, "signoff {by}"),
    (4, "delete {by} really"),
    (25, "set {by} text width 60"),
    (10, "set {by} html picture on"),
    (10, "set {by} picture off subjects news"),
    (10, "set {by} reminders off subjects plain"),
    (20, "set {by} digest on"),
    (10, "set {by} digest off"),
    (10, "set {by} reminders on large"),
    (10, "set {by} broadcasts off"),
    (10, "set {by} gazette on named on"),
    (3, "set {by} gazette off named off"),
    (10, "{game} set {by} small"),
    (3, "set {by} notify https://ntfy.example/topic"),
    (3, "set {by} notify off"),
    (3, "set {by} notify AAAABBBB"),
    (10, "set {by}"),
    (10, "set {by} digest perhaps"),
    (8, "my games"),
    (3, "who"),
    (2, "who {game}"),
    (10, "list {game}"),
    (10, "all games {other} inactive"),
    (10, "all show {other} next"),
    (60, "{game} seek {by} {count} {options}"),
    (30, "{game} accept {by}"),
    (20, "{game} reject {by}"),
    (20, "{game} limit {by} 5"),
    (10, "{game} limit {by} many"),
    (30, "{preview}"),
    (10, "{on} try {number} at 0 a1 b2"),
    (20, "{on} show {number}"),
    (20, "{on} showas {by} {number}"),
    (20, "{game} games {other}"),
    (1, "{game} games all"),
    (20, "{game} history {other} {own}"),
    (20, "{on} record {number}"),
    (2, "page {by} new"),
    (2, "export {by}"),
    (10, "{game} standings"),
    // Boards that begin by themselves are judged elsewhere (tests/play/laws/company/): here no season begins, and nobody is asked
    // on a ladder.
    (6, "{game} league {by}"),
    (6, "{game} league {by} join"),
    (6, "{game} ladder {by}"),
    (6, "{game} ladder {by} join"),
    (6, "{game} ladder {by} leave"),
    (6, "cup {by} join nowhere"),
    (6, "tables"),
    (6, "{game} tables"),
    (90, "{on} subscribe {number} {by}"),
    // Few, since each gets a letter for every turn of that game.
    (1, "{game} subscribe all {by}"),
    (1, "{game} notify {by}"),
    (60, "{on} notify {by} {number}"),
    (48, "{of watched} unsubscribe {watched} {by}"),
    (2, "{game} unsubscribe all {by}"),
    (10, "{ended} rematch"),
    (1, "{ended} review"),
    (6, "{ended} comment"),
    (6, "mynotes {by} {other} quick"),
    (1, "{on} hint"),
    (20, "{on} chat"),
    (10, "{on} note"),
    (10, "{on} resign"),
    (10, "{on} accept"),
];

impl Person {
    pub(super) fn wants_board(&self, sight: &mut Sight<'_>, number: usize) -> bool {
        sight.view.accounts[number].running.len() < 3 && sight.rng.random_bool(0.6)
    }

    pub(super) fn challenge(&mut self, sight: &mut Sight<'_>, number: usize) -> Deed {
        let own = sight.view.accounts[number].userid().to_owned();
        let game = sight.rng.random_range(0..GAMES.len());
        let options = options(name(game), sight.rng);
        if sight.rng.random_ratio(1, 10) {
            return challenge(game, [own, BOT.to_owned()], &options);
        }
        let other = someone(sight).unwrap_or_else(|| own.clone());
        let mut players = if sight.rng.random_bool(0.5) {
            [own, other]
        } else {
            [other, own]
        };
        if sight.rng.random_bool(0.02) {
            players[0] = someone(sight).unwrap();
        }
        challenge(game, players, &options)
    }

    /// Any other command.
    pub(super) fn other(&mut self, sight: &mut Sight<'_>, number: usize, who: &Who) -> Deed {
        let total = LINES.iter().map(|(weight, _)| weight).sum();
        let mut drawn = sight.rng.random_range(0..total);
        let chosen = LINES.iter().find(|(weight, _)| {
            let is_it = drawn < *weight;
            drawn = drawn.saturating_sub(*weight);
            is_it
        });
        let line = chosen.unwrap().1;
        let at = match line.contains("{ended}") {
            true => finished(sight, number),
            false => None,
        };
        let at = at.unwrap_or_else(|| any_board(sight));
        match line {
            "{reset}" => {
                let forgot = || Deed::open(format!("forgot {}", who.userid));
                return self.reset(sight, number).unwrap_or_else(forgot);
            }
            "{preview}" => return preview(sight, at),
            "{ended} rematch" => return Deed::on(at, who, Act::Rematch),
            "{ended} review" => return Deed::on(at, who, Act::Nothing("review")),
            "{ended} comment" => return Deed::on(at, who, Act::Comment),
            "{on} hint" => return Deed::on(at, who, Act::Nothing("hint")),
            "{on} note" => return Deed::on(at, who, Act::Nothing("note")),
            "{on} chat" => return Deed::on(at, who, Act::Chat),
            "{on} resign" => return Deed::on(at, who, Act::Resign),
            "{on} accept" => return Deed::on(at, who, Act::Accept),
            _ => {}
        }
        // Without a director nobody writes to all.
        let line = if number == 0 {
            line.replace("delete", "signoff").replace(" really", "")
        } else {
            line.to_owned()
        };
        let game = name(sight.rng.random_range(0..GAMES.len()));
        let mut line = line;
        while let Some((start, end)) = line.find('{').zip(line.find('}')) {
            let word = self.word(sight, (number, who), (game, at), &line[start + 1..end]);
            line.replace_range(start..=end, &word);
        }
        match line.contains(&who.words()) {
            true => Deed::by(who, line),
            false => Deed::open(line),
        }
    }

    /// What stands in a line in this place.
    fn word(
        &mut self,
        sight: &mut Sight<'_>,
        (number, who): (usize, &Who),
        (game, at): (&str, At),
        place: &str,
    ) -> String {
        let account = &sight.view.accounts[number];
        let watched = account.named("watched_boards");
        let watched = watched.first().map_or(at, |board| sight.view.boards[*board].at);
        let nobody = || "nobody".to_owned();
        match place {
            "by" => who.words(),
            "who" => who.userid.clone(),
            "own" => account.userid().to_owned(),
            "other" => someone(sight).unwrap_or_else(nobody),
            "opponent" => {
                let players = account
                    .running
                    .first()
                    .map(|board| sight.view.boards[*board].players);
                let mut others = players.into_iter().flatten().filter(|player| *player != number);
                let other = others.next().and_then(|other| sight.view.accounts.get(other));
                other.map_or_else(nobody, |other| other.userid().to_owned())
            }
            "blocked" => {
                let blocked = account.named("blocks").into_iter();
                let blocked = blocked.filter_map(|other| sight.view.accounts.get(other)).next();
                blocked.map_or_else(nobody, |other| other.userid().to_owned())
            }
            "address" => pick(sight.rng, &account.addresses()).clone(),
            "new address" if account.addresses().len() < 5 => self.new_address(),
            "home" | "new address" => self.home.clone(),
            "new" => self.new_password(),
            "game" => game.to_owned(),
            "options" => options(game, sight.rng),
            "on" => name(at.game).to_owned(),
            "number" => at.number.to_string(),
            "of watched" => name(watched.game).to_owned(),
            "watched" => watched.number.to_string(),
            "count" => sight.rng.random_range(0..4).to_string(),
            "days" => sight.rng.random_range(2..16).to_string(),
            _ => unreachable!("{place}"),
        }
    }

    /// The same command repeatedly, until it reaches a limit.
    pub(super) fn flood(
        &mut self,
        sight: &mut Sight<'_>,
        number: usize,
        who: &Who,
        from: &str,
    ) -> Vec<Letter> {
        let other = someone(sight).unwrap_or_default();
        let letter = |deed| Letter {
            from: from.to_owned(),
            way: Way::Subject(deed),
            saying: "Once more.".into(),
        };
        if sight.rng.random_bool(0.15) {
            // Games for two others: a few begin, of a few more the first player is asked.
            let players = [other, someone(sight).unwrap_or_default()];
            let game = |days| challenge(1, players.clone(), &format!("-size=4 --nagtime={days}"));
            return (1..=9).map(game).map(letter).collect();
        }
        let account = &sight.view.accounts[number];
        let (times, deed) = match sight.rng.random_range(0..6) {
            0 => {
                let password = format!("{SECRET}guess");
                let guess = Who {
                    password,
                    ..who.clone()
                };
                (7, Deed::by(&guess, format!("set {}", guess.words())))
            }
            1 => (12, Deed::open("forgot nobody")),
            2 => (
                5,
                Deed::by(who, format!("add {} {}", who.words(), self.new_address())),
            ),
            3 => (52, Deed::by(who, format!("message {} {other}", who.words()))),
            4 => (32, challenge(1, [who.userid.clone(), other], "-size=4")),
            _ => match account.running.first() {
                Some(board) => (52, Deed::on(sight.view.boards[*board].at, who, Act::Chat)),
                None => (2, Deed::by(who, format!("signoff {}", who.words()))),
            },
        };
        vec![letter(deed); times]
    }

    /// A new password by a token: a valid one, an old one, or one of another account.
    fn reset(&mut self, sight: &Sight<'_>, number: usize) -> Option<Deed> {
        let Token { text, delivered, at } = sight.post.mailbox(&self.home).reset?;
        let (account, now) = (&sight.view.accounts[number], sight.view.now);
        let is_fresh = delivered > account.tokens_since;
        let is_good = account.addresses().contains(&self.home) && is_fresh && now < at + DAY;
        let is_certain = is_good || !is_fresh || now > at + 2 * DAY;
        is_certain.then(|| {
            let new = self.new_password();
            Deed {
                by_token: is_good.then_some(number),
                ..Deed::open(format!("reset {} {text} {new}", account.userid()))
            }
            .meaning(What::NewPassword(new))
        })
    }
}

fn challenge(game: usize, players: [String; 2], options: &str) -> Deed {
    Deed::open(format!(
        "{} challenge {} {options}",
        name(game),
        players.join(" ")
    ))
    .meaning(What::Begin(game, players))
}

fn preview(sight: &mut Sight<'_>, at: At) -> Deed {
    let known = sight
        .view
        .by_place
        .get(&at)
        .filter(|_| sight.rng.random_bool(0.5));
    let position = known.map(|board| &sight.view.boards[*board].progress.position);
    let turn = position.and_then(|position| position.random_turn(sight.rng));
    let board = turn
        .as_ref()
        .map_or_else(|| "new".to_owned(), |_| at.number.to_string());
    let turn = turn.unwrap_or_else(|| GAMES[at.game].facts.example.join(" "));
    Deed::open(format!("{} preview {board} {turn}", name(at.game)))
}

/// Options of a game; the last ones cannot be. A game that is not named here is played without any.
fn of_game(game: &str) -> &'static [&'static str] {
    match game {
        "Pow2" => &["", "-exact", "-noborder", "-fast", "-middle", "-fast -middle"],
        "Forms" => &["-size=6", "-size=8", "-size=6 -standard", "-nonsense"],
        "ShapeChess" => &["-size=12 -target=4", "-size=12 -target=4", "-size=13 -target=5"],
        "Breakthrough" => &["-size=5", "-size=6", "", "-nonsense"],
        "Reversi" | "Amazons" => &["-size=6", "-size=6", "-size=8", "-nonsense"],
        "LOA" => &["", "-scrambled"],
        "Hex" => &["-size=4", "-size=5 -noswap", "-size=6", "-nonsense"],
        "Gomoku" => &["-size=9", "-size=9 -exact", "-size=9 -noswap"],
        _ => &[""],
    }
}

fn options(game: &str, rng: &mut ChaCha8Rng) -> String {
    let possible = of_game(game);
    let plain = rng.random_bool(0.2);
    let (mut own, mut terms) = (*pick(rng, possible), *pick(rng, &TERMS));
    // Sometimes something invalid.
    if !rng.random_bool(0.05) {
        if own.contains("-middle") || own.contains("nonsense") {
            own = possible[1 % possible.len()];
        }
        terms = terms.trim_start_matches("--nagtime=soon");
    }
    if plain {
        return String::new();
    }
    format!("{own} {terms}").trim().to_owned()
}

/// The newest finished board of this player, or one on which the other offers a rematch.
fn finished(sight: &Sight<'_>, number: usize) -> Option<At> {
    let boards = sight.view.boards.iter().rev().take(2000);
    let mut own = boards.filter(|board| board.row.is_over() && board.seat_of(number).is_some());
    let is_offered = |board: &&Board| {
        let offer = board.row.offer();
        offer.is_some_and(|(_, by)| Some(by) != board.seat_of(number))
    };
    let newest = own.clone().next();
    own.find(is_offered).or(newest).map(|board| board.at)
}
