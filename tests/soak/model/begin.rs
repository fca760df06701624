//! Beginning boards: challenges, seeks, limits on taking.

use std::collections::HashMap;

use pbmserv_games::{GAMES, Options, Seat};

use super::clock::Clock;
use super::computers::COMPUTER;
use super::hear::Mail;
use super::{
    Board, CHALLENGES_A_DAY, CHALLENGES_FOR_OTHERS_A_DAY, DAY, Done, Model, No, Out, QUESTIONS_A_DAY, To,
    Verdict,
};
use crate::deed::{At, Who};
use crate::foreseen::Progress;

/// An open challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sought {
    pub(crate) left: u32,
    pub(crate) options: String,
}

/// A game that a player was asked to confirm: the game, the players and the options.
pub(super) type Proposal = (usize, [String; 2], String);

/// The options in a line: those of the game, and the terms.
struct Terms {
    game: String,
    rated: bool,
    nag: i64,
    forfeit: i64,
    total: Option<i64>,
}

fn terms(options: &str) -> Result<Terms, No> {
    let mut terms = Terms {
        game: String::new(),
        rated: true,
        nag: 7,
        forfeit: 21,
        total: None,
    };
    let mut own = Vec::new();
    for word in options.split_whitespace() {
        let Some(term) = word.strip_prefix("--") else {
            own.push(word);
            continue;
        };
        let (name, value) = term.split_once('=').unwrap_or((term, ""));
        if name == "unrated" {
            terms.rated = false;
            continue;
        }
        let days = value.parse().ok().filter(|days| (1..=3650).contains(days));
        let days = days.ok_or_else(|| No::because("takes a number of days from 1"))?;
        match name {
            "nagtime" => terms.nag = days,
            "forfeittime" => terms.forfeit = days,
            _ => terms.total = Some(days),
        }
    }
    terms.game = own.join(" ");
    Ok(terms)
}

/// Why no board can begin with these options: unknown ones first, then the terms, then conflicts.
fn check_options(options: &str) -> Result<(), No> {
    if options.contains("-nonsense") {
        return Err(No::because("has no such option"));
    }
    terms(options)?;
    if options.contains("-fast") && options.contains("-middle") {
        return Err(No::because("are two set-ups"));
    }
    Ok(())
}

impl Model {
    /// Whether boards can begin for a player.
    pub(super) fn can_sit(&self, player: usize) -> Result<(), No> {
        let Some(account) = self.accounts.get(player) else {
            return Ok(());
        };
        Err(No::because(if account.away {
            "has signed off and cannot be challenged"
        } else if account.disabled {
            "is closed by the operator, and takes no challenges"
        } else if account.is_reachable() {
            return Ok(());
        } else if account.is_confirmed() {
            "fails: no board can be begun"
        } else {
            "has not confirmed an address yet and cannot be challenged"
        }))
    }

    pub(super) fn has_room(&self, player: usize, game: usize, more: u32) -> Result<(), No> {
        if player == COMPUTER {
            return Ok(());
        }
        let (is_open, most) = self.accounts[player].taking[game];
        if !is_open {
            return Err(No::because("takes no boards of"));
        }
        let running = self.accounts[player]
            .running
            .iter()
            .filter(|board| self.boards[**board].at.game == game);
        let running = u32::try_from(running.count()).unwrap();
        match most {
            Some(most) if running + more > most => Err(No::because("takes at most")),
            _ => Ok(()),
        }
    }

    /// The server's mail names every reason; the model looks for the first.
    pub(super) fn challenge(
        &mut self,
        mail: &Mail<'_>,
        game: usize,
        players: &[String; 2],
        options: &str,
    ) -> Verdict {
        let proven: Vec<usize> = mail
            .seat
            .into_iter()
            .chain(mail.proven.borrow().iter().copied())
            .collect();
        let verdict = self.begin_or_ask(mail, &proven, game, players, options);
        verdict.map_err(|no| match proven.first() {
            Some(player) => no.to(*player),
            None => no,
        })
    }

    fn begin_or_ask(
        &mut self,
        mail: &Mail<'_>,
        proven: &[usize],
        game: usize,
        players: &[String; 2],
        options: &str,
    ) -> Verdict {
        let line = (
            game,
            players.each_ref().map(|userid| userid.to_ascii_lowercase()),
            options.to_owned(),
        );
        let found = players.each_ref().map(|userid| {
            self.player(userid)
                .and_then(|player| self.can_sit(player).map(|()| player))
        });
        let [first, second] = found;
        let (first, second) = (first?, second?);
        if first == second {
            return Err(No::because("A player cannot play alone"));
        }
        if self.blocks(first, second) || self.blocks(second, first) {
            return Err(No::because("do not play each other"));
        }
        self.has_room(first, game, 1)?;
        self.has_room(second, game, 1)?;
        let known = self.known(mail.from);
        let writers: Vec<usize> = proven.iter().copied().chain(known).collect();
        let mut sought = None;
        if options.is_empty() {
            let candidates = match [first, second]
                .into_iter()
                .find(|player| writers.contains(player))
            {
                Some(writer) if writer == first => vec![second],
                Some(writer) if writer == second => vec![first],
                _ => vec![first, second],
            };
            sought = candidates
                .into_iter()
                .filter(|player| *player != COMPUTER)
                .find(|player| self.accounts[*player].seeks[game].is_some());
        }
        let options = match sought {
            Some(player) => self.accounts[player].seeks[game].clone().unwrap().options,
            None => options.to_owned(),
        };
        check_options(&options)?;
        let Some(by) = self.author(mail, [first, second], proven, &writers) else {
            if writers.iter().any(|writer| self.blocks(first, *writer)) {
                return Err(No::because("does not wish to hear from"));
            }
            return self.propose(mail, first, line);
        };
        let others = [first, second]
            .into_iter()
            .filter(|player| !writers.contains(player));
        let others: Vec<usize> = others.collect();
        let is_for_others = by != first && by != second;
        if is_for_others
            && others
                .iter()
                .any(|player| self.blocks(*player, by) || self.blocks(by, *player))
        {
            return Err(No::because("do not play each other"));
        }
        let counted_as = Self::counted_as(mail, by, proven);
        let keys: Vec<String> = others
            .iter()
            .map(|player| format!("challenged {counted_as}>{player}"))
            .collect();
        if keys.iter().any(|key| self.tally(key) >= CHALLENGES_A_DAY) {
            return Err(No::because("Enough boards were begun for"));
        }
        for key in keys {
            self.count(key, 1);
        }
        if is_for_others && !self.is_director(by) {
            self.count(format!("for others {counted_as}"), 1);
        }
        self.proposals.remove(&line);
        if let Some(player) = sought {
            let seek = &mut self.accounts[player].seeks[game];
            *seek = seek.take().filter(|seek| seek.left > 1).map(|seek| Sought {
                left: seek.left - 1,
                ..seek
            });
        }
        let board = self.begin(game, [first, second], &options);
        let writer = (!is_for_others).then_some(by);
        let mut out = self.to_all(board, writer);
        if writer.is_none() {
            out.push(Out::answer(To::Sender, "board"));
        }
        Ok(Done {
            proven: proven.contains(&by).then_some(by),
            out,
            mark: format!("{} has begun", self.boards[board].at.name()),
        })
    }

    /// What counts against a player is proven; other mail counts for its sender.
    fn counted_as(mail: &Mail<'_>, by: usize, proven: &[usize]) -> String {
        match proven.contains(&by) {
            true => by.to_string(),
            false => mail.from.to_owned(),
        }
    }

    fn is_director(&self, player: usize) -> bool {
        self.accounts[player].userid == self.director
    }

    /// The writer who may begin a board: one of its players, the director, or anybody a few times a day.
    fn author(
        &self,
        mail: &Mail<'_>,
        players: [usize; 2],
        proven: &[usize],
        writers: &[usize],
    ) -> Option<usize> {
        let among = |ids: &[usize]| players.into_iter().find(|player| ids.contains(player));
        if let Some(player) = among(proven).or_else(|| among(writers)) {
            return Some(player);
        }
        let mut open = writers
            .iter()
            .copied()
            .filter(|player| !self.accounts[*player].disabled);
        if let Some(director) = open.clone().find(|player| self.is_director(*player)) {
            return Some(director);
        }
        let is_within = |by: &usize| {
            let counted_as = Self::counted_as(mail, *by, proven);
            self.tally(&format!("for others {counted_as}")) < CHALLENGES_FOR_OTHERS_A_DAY
        };
        open.next().filter(is_within)
    }

    /// Asks the first player, once in seven days for the same game.
    fn propose(&mut self, mail: &Mail<'_>, first: usize, line: Proposal) -> Verdict {
        let mut out = vec![Out::answer(To::Sender, "done")];
        let asked = self.proposals.get(&line);
        if asked.is_none_or(|at| self.now >= at + 7 * DAY) {
            let key = format!("proposed {first}");
            if self.tally(&key) as usize >= QUESTIONS_A_DAY {
                return Err(No::because("has been asked for enough games today"));
            }
            self.count_asked_unproven(mail)?;
            self.count(key, 1);
            self.proposals.insert(line, self.now);
            out.push(Out::news(To::Player(first), "proposal"));
        }
        Ok(Done {
            proven: None,
            out,
            mark: "has been asked by mail".to_owned(),
        })
    }

    pub(super) fn begin(&mut self, game: usize, players: [usize; 2], options: &str) -> usize {
        let at = At {
            game,
            number: self.next_number[game],
        };
        self.next_number[game] += 1;
        let Ok(terms) = terms(options) else {
            unreachable!("checked before")
        };
        let rules = &GAMES[game];
        let options = Options::parse(rules.facts, terms.game.split_whitespace()).unwrap();
        let id = self.boards.len();
        self.boards.push(Board {
            at,
            options: options.to_string(),
            rated: terms.rated && !players.contains(&COMPUTER),
            players,
            progress: Progress::begin(rules, options),
            clock: Clock::started(terms.nag, terms.forfeit, terms.total, self.now),
            offer: None,
            queue: None,
            submitted: None,
            events: Vec::new(),
            turn_events: Vec::new(),
            watchers: HashMap::new(),
        });
        self.by_place.insert(at, id);
        if self.is_timeless(id, Seat::First) {
            self.boards[id].clock.stop(self.now);
        }
        for player in players.into_iter().filter(|player| *player != COMPUTER) {
            self.accounts[player].running.push(id);
        }
        id
    }

    pub(super) fn seek(
        &mut self,
        mail: &Mail<'_>,
        game: usize,
        who: &Who,
        count: u32,
        options: &str,
    ) -> Verdict {
        let player = self.writer(mail, who)?;
        let to = |no: No| no.to(player);
        check_options(options).map_err(to)?;
        if count == 0 {
            if self.accounts[player].seeks[game].take().is_none() {
                return Err(No::because("seeks no game of").to(player));
            }
            return Ok(Done::by(player, "done", "seeks no game of * any more"));
        }
        self.can_sit(player).map_err(to)?;
        self.has_room(player, game, count).map_err(to)?;
        self.accounts[player].seeks[game] = Some(Sought {
            left: count,
            options: options.to_owned(),
        });
        Ok(Done::by(player, "done", "seeks"))
    }

    /// `accept` and `reject` of a game.
    pub(super) fn take(&mut self, mail: &Mail<'_>, game: usize, who: &Who, is_open: bool) -> Verdict {
        let player = self.writer(mail, who)?;
        let account = &mut self.accounts[player];
        account.taking[game].0 = is_open;
        if !is_open {
            account.seeks[game] = None;
        }
        Ok(Done::by(player, "done", "takes"))
    }

    pub(super) fn limit(&mut self, mail: &Mail<'_>, game: usize, who: &Who, most: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        let taking = &mut self.accounts[player].taking[game];
        match most {
            "" => {}
            "none" => taking.1 = None,
            most => match most.parse() {
                Ok(most) => taking.1 = Some(most),
                Err(_) => return Err(No::because("A limit is a number of boards").to(player)),
            },
        }
        Ok(Done::by(player, "done", "takes"))
    }
}
