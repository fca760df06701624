//! What an issue of the gazette says, in its letter and on its page, and when it is made.
//!
//! Only games are in it of which everybody may know who played, by what holds when it is shown: who was erased since, or has the
//! userid left out, is not in it any more.

use chrono::{DateTime, Datelike, TimeDelta, Utc, Weekday};
use pbmserv_games::kit::words::{list, number};
use pbmserv_games::{Ending, GAMES, Game, Outcome, Seat};

use crate::command::InternalError;
use crate::command::Letter;
use crate::command::wording::board::{how, record};
use crate::command::wording::digest::next_digest;
use crate::command::wording::listing::state;
use crate::command::wording::opponents::{HERE, written};
use crate::command::wording::turn_summary::cost_of_turn;
use crate::letters::{self, Content, GazetteBoard, GazetteSeek, Times, columns};
use crate::store::{Audience, Gazette, Reader, Riddle, Seek};
use crate::table::{Board, End, Played, Player, PlayerId, Position, Unasked};

/// The most results of an issue.
const MAX_RESULTS: usize = 20;

/// The most open challenges of an issue, and among how many of a game these are chosen.
const MAX_SEEKS: usize = 12;
const MAX_COMPARED: u32 = 50;

/// The most solvers who are named.
const MAX_SOLVERS: u32 = 30;

/// The day on which it appears.
const DAY: Weekday = Weekday::Sat;

/// How long before that its game and its position are looked for.
const SOUGHT_BEFORE: TimeDelta = TimeDelta::days(1);

/// The least time for that after an outage.
const SOUGHT_FOR: TimeDelta = TimeDelta::hours(1);

/// When the search for the next issue begins; `hour` is that of the daily mails, in UTC.
pub(crate) fn next_search(now: DateTime<Utc>, hour: u32) -> DateTime<Utc> {
    let mut at = next_digest(now, hour);
    while at.weekday() != DAY {
        at += TimeDelta::days(1);
    }
    at - SOUGHT_BEFORE
}

/// When an issue appears whose search was due then and begins now.
pub(crate) fn appears(search_due: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    (search_due + SOUGHT_BEFORE).max(now + SOUGHT_FOR)
}

/// An issue, as everybody may see it.
#[derive(Debug)]
pub struct Issue {
    /// What there is, in one sentence.
    pub sentence: String,
    /// The game of the week.
    pub game: Option<GameOfWeek>,
    /// The position to solve.
    pub riddle: Option<ShownRiddle>,
    /// What the last issue's position was.
    pub solution: Option<Solution>,
    /// The games that ended, the last one first.
    pub results: Vec<Board>,
    /// How many are left out.
    pub left_out: usize,
}

/// The game of the week.
#[derive(Debug)]
pub struct GameOfWeek {
    pub board: Board,
    turns: Vec<Played>,
    /// Who played, and how it ended.
    pub sentence: String,
    pub pictures: Vec<Pictured>,
}

/// A picture of the game of the week.
#[derive(Debug)]
pub struct Pictured {
    /// How many turns are played in it.
    pub played: usize,
    pub title: String,
    pub caption: String,
}

/// A position to solve.
#[derive(Debug)]
pub struct ShownRiddle {
    pub board: Board,
    /// The turns that are played in it.
    pub turns: Vec<Played>,
    /// `White to move and win in two turns.`
    pub caption: String,
    /// A legal turn that does not solve it; empty if there is none.
    pub example: String,
}

/// The position of an earlier issue, and what solves it.
#[derive(Debug)]
pub struct Solution {
    pub board: Board,
    /// How many turns are played in the position.
    pub played: u32,
    pub sentence: String,
}

impl Issue {
    /// The issue as it is shown now.
    ///
    /// # Errors
    /// The database failed, or a board does not replay.
    pub fn of(reader: &Reader, gazette: &Gazette, now: DateTime<Utc>) -> Result<Self, InternalError> {
        let mut results = reader.results_between(gazette.since, gazette.published_at.unwrap_or(now))?;
        let count = results.len();
        results.truncate(MAX_RESULTS);
        let game = GameOfWeek::of(reader, gazette, now)?;
        let riddle = match &gazette.finds.riddle {
            Some(riddle) => ShownRiddle::of(reader, riddle)?,
            None => None,
        };
        let solution = Solution::before(reader, gazette)?;
        Ok(Self {
            sentence: sentence(count, riddle.as_ref(), solution.is_some()),
            game,
            riddle,
            solution,
            left_out: count - results.len(),
            results,
        })
    }

    /// Whether there is nothing in it, but for open challenges.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.results.is_empty() && self.game.is_none() && self.riddle.is_none() && self.solution.is_none()
    }
}

/// What there is.
fn sentence(results: usize, riddle: Option<&ShownRiddle>, has_solution: bool) -> String {
    let ended = match results {
        0 => String::new(),
        1 => "One game ended".to_owned(),
        many => format!("{} games ended", capital(&number(many))),
    };
    match (ended.as_str(), riddle) {
        ("", None) if has_solution => {
            "No game ended this week; here is the solution of the last position.".to_owned()
        }
        ("", None) => "No game ended this week; here is who seeks one.".to_owned(),
        ("", Some(riddle)) => format!("A position to solve: {}", riddle.caption),
        (ended, None) => format!("{ended} this week."),
        (ended, Some(riddle)) => format!("{ended}, and there is a position to solve: {}", riddle.caption),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

impl GameOfWeek {
    fn of(reader: &Reader, gazette: &Gazette, now: DateTime<Utc>) -> Result<Option<Self>, InternalError> {
        let Some(found) = &gazette.finds.game else {
            return Ok(None);
        };
        let Some(board) = reader.public_board(found.board)? else {
            return Ok(None);
        };
        let turns = reader.turns(board.id)?;
        let played = found.number as usize;
        let Some(turn) = played.checked_sub(1).and_then(|before| turns.get(before)) else {
            return Ok(None);
        };
        let mut players = Vec::new();
        for seat in Seat::BOTH {
            let seated = board.at(seat);
            let rating = reader.standing(seated.id, board.game)?.rating_at(now).shown();
            players.push(format!(
                "{} ({}, {rating})",
                seated.userid,
                side(board.game, seat)
            ));
        }
        let ended = ended(&board, turns.len());
        let by = &board.at(turn.seat).userid;
        let mut pictures = vec![
            Pictured {
                played: played - 1,
                title: match played {
                    1 => "The start".to_owned(),
                    _ => format!("After turn {}", played - 1),
                },
                caption: format!("{by} is to move."),
            },
            Pictured {
                played,
                title: format!("Turn {played}: {}", turn.text),
                caption: format!("{}.", cost_of_turn(by, &turn.text, &found.better, found.lost)),
            },
        ];
        if played < turns.len() {
            pictures.push(Pictured {
                played: turns.len(),
                title: format!("The end, after turn {}", turns.len()),
                caption: ended.clone(),
            });
        }
        Ok(Some(Self {
            sentence: format!("{}: {}. {}", board.name(), players.join(" against "), ended),
            board,
            turns,
            pictures,
        }))
    }
}

/// `alice won by resignation after 41 turns.`
fn ended(board: &Board, turns: usize) -> String {
    match board.end {
        Some(End::Finished(Ending {
            outcome: Outcome::Won(seat),
            by,
        })) => format!("{} won{} after {turns} turns.", board.at(seat).userid, how(by)),
        _ => format!("It ended after {turns} turns."),
    }
}

/// The side of a seat, as a sentence begins with it: `Dark`.
fn side(game: &Game, seat: Seat) -> String {
    let role = game.facts.role(seat);
    capital(role.split([':', '(']).next().unwrap_or(role).trim())
}

impl ShownRiddle {
    pub(crate) fn of(reader: &Reader, riddle: &Riddle) -> Result<Option<Self>, InternalError> {
        let Some(mut board) = reader.public_board(riddle.board)? else {
            return Ok(None);
        };
        // It is shown as it was then: its end would tell who wins.
        board.end = None;
        let position = board.replay(reader.turns(board.id)?, riddle.played as usize)?;
        let Some(mover) = position.to_move() else {
            return Ok(None);
        };
        let when = within(riddle.needs);
        let turns = position.game.turns(64);
        let mut others = turns.iter().filter(|turn| !riddle.wins.contains(turn));
        let example = others.find(|turn| *turn != "pass").cloned().unwrap_or_default();
        Ok(Some(Self {
            caption: format!(
                "{}, {} to move and win {when}.",
                board.game.facts.title,
                side(board.game, mover)
            ),
            turns: position.turns,
            board,
            example,
        }))
    }

    /// The position.
    ///
    /// # Errors
    /// The board does not replay.
    pub fn position(&self) -> Result<Position, InternalError> {
        Ok(self.board.replay(self.turns.clone(), usize::MAX)?)
    }
}

/// `at once`, `in two turns`.
pub(crate) fn within(turns: u32) -> String {
    match turns {
        1 => "at once".to_owned(),
        many => format!("in {} turns", number(many as usize)),
    }
}

/// `b4 wins`, `b4 and c5 win`.
pub(crate) fn winning(riddle: &Riddle) -> String {
    match riddle.wins.as_slice() {
        [one] => format!("{one} wins"),
        many => format!("{} win", list(many)),
    }
}

impl Solution {
    /// That of the last issue with a position before this one.
    fn before(reader: &Reader, gazette: &Gazette) -> Result<Option<Self>, InternalError> {
        let before = gazette.number - 1;
        let last = reader.gazette(before)?.filter(|last| last.published_at.is_some());
        let Some(riddle) = last.and_then(|last| last.finds.riddle) else {
            return Ok(None);
        };
        let Some(board) = reader.public_board(riddle.board)? else {
            return Ok(None);
        };
        let [first, second] = Seat::BOTH.map(|seat| board.at(seat).marked());
        let (count, names) = reader.solvers(before, MAX_SOLVERS)?;
        let solved = match (count, names.len()) {
            (0, _) => "Nobody has solved it.".to_owned(),
            (1, 0) => "One reader has solved it.".to_owned(),
            (1, _) => format!("{} has solved it.", list(&names)),
            (count, 0) => format!("{} readers have solved it.", capital(&number(count as usize))),
            (count, named) if count as usize == named => format!("{} have solved it.", list(&names)),
            (count, _) => {
                let count = capital(&number(count as usize));
                format!("{count} readers have solved it, among them {}.", list(&names))
            }
        };
        Ok(Some(Self {
            sentence: format!(
                "The position of number {before} was {}, {first} against {second}, after turn {}: {}. {solved}",
                board.name(),
                riddle.played,
                winning(&riddle)
            ),
            board,
            played: riddle.played,
        }))
    }
}

/// The open challenges that this reader, or everybody, may take: who seeks, with the rating. Who has the userid left out is not
/// among them.
///
/// # Errors
/// The database failed.
pub fn seeking(
    reader: &Reader,
    who: Option<PlayerId>,
    now: DateTime<Utc>,
) -> Result<Vec<(Seek, String)>, InternalError> {
    let audience = Audience {
        reader: who,
        since: now - HERE,
    };
    let mut seeking = Vec::new();
    for game in GAMES {
        for seek in reader.seeks_here(game, audience, MAX_COMPARED)? {
            if seeking.len() < MAX_SEEKS && !reader.preferences(seek.player)?.is_hidden {
                let rating = reader.standing(seek.player, game)?.rating_at(now).shown();
                seeking.push((seek, rating));
            }
        }
    }
    Ok(seeking)
}

/// What is said of an open challenge below its name: `Rating 1500, two games, -size=9`.
#[must_use]
pub fn sought(seek: &Seek, rating: &str) -> String {
    let mut said = vec![format!("Rating {rating}")];
    said.extend((seek.left_over > 1).then(|| format!("{} games", number(seek.left_over as usize))));
    said.push(written(seek));
    said.retain(|text| !text.is_empty());
    said.join(", ")
}

/// Whether there is nothing to say in an issue that appears now.
pub(crate) fn is_empty(
    reader: &Reader,
    gazette: &Gazette,
    now: DateTime<Utc>,
) -> Result<bool, InternalError> {
    Ok(Issue::of(reader, gazette, now)?.is_empty() && seeking(reader, None, now)?.is_empty())
}

/// The subject of answers about this issue: that of its letter.
pub(crate) fn subject(number: i64) -> String {
    format!("The gazette, number {number}")
}

/// The letter with an issue for this player; `None` if nothing is in it for this reader.
pub(crate) fn gazette(
    reader: &Reader,
    player: &Player,
    gazette: &Gazette,
    now: DateTime<Utc>,
) -> Result<Option<Letter>, InternalError> {
    let issue = Issue::of(reader, gazette, now)?;
    let seeks = seeking(reader, Some(player.id), now)?;
    if issue.is_empty() && seeks.is_empty() {
        return Ok(None);
    }
    let times = Times {
        now,
        zone: reader.zone(Some(player.id))?,
    };
    let (mut boards, mut records) = (Vec::new(), Vec::new());
    let mut show = |board: &Board, position: &Position, [title, caption]: [&str; 2], is_large: bool| {
        boards.push(GazetteBoard {
            title: title.to_owned(),
            caption: caption.to_owned(),
            board: position.game.draw(reader.display(player.id, board.game)?),
            is_large,
        });
        records.push(record(board, position));
        Ok::<_, InternalError>(())
    };
    if let Some(game) = &issue.game {
        for picture in &game.pictures {
            let position = game.board.replay(game.turns.clone(), picture.played)?;
            show(&game.board, &position, [&picture.title, &picture.caption], false)?;
        }
    }
    let pictures = issue.game.as_ref().map_or(0, |game| game.pictures.len());
    if let Some(riddle) = &issue.riddle {
        show(
            &riddle.board,
            &riddle.position()?,
            ["A position to solve", &riddle.caption],
            true,
        )?;
    }
    let letter = letters::Gazette {
        number: gazette.number,
        date: times.date(gazette.published_at.unwrap_or(now)),
        sentence: issue.sentence,
        game_board: issue.game.as_ref().map_or_else(String::new, |game| {
            format!("{} {}", game.board.game.facts.name, game.board.number)
        }),
        game: issue.game.map_or_else(String::new, |game| game.sentence),
        game_pictures: pictures,
        boards,
        how: issue.riddle.as_ref().map_or_else(String::new, how_to_answer),
        solution: issue
            .solution
            .map_or_else(String::new, |solution| solution.sentence),
        results: results(&issue.results),
        left_out: issue.left_out,
        seeks: seeks
            .iter()
            .map(|(seek, rating)| GazetteSeek {
                label: format!("Play {} against {}", seek.game.facts.title, seek.userid),
                word: format!("{} challenge {}", seek.game.facts.name, seek.userid),
                note: sought(seek, rating),
            })
            .collect(),
    };
    let content = Content::from(letter).showing_each(&records);
    Ok(Some(Letter {
        unasked: Some(Unasked::Gazette),
        ..Letter::news(player.id, content)
    }))
}

fn how_to_answer(riddle: &ShownRiddle) -> String {
    let such = match riddle.example.as_str() {
        "" => String::new(),
        example => format!(" A turn is written as {example} is, which does not win."),
    };
    format!(
        "Answer this mail with the first turn that wins, alone on the first line.{such} Your first answer counts. The next \
         gazette has the solution, and says who found it: of those who agree to be named."
    )
}

/// The results as a table; empty if there are none.
fn results(boards: &[Board]) -> String {
    if boards.is_empty() {
        return String::new();
    }
    let heading = ["Board", "First", "Second", "Result"].map(str::to_owned).to_vec();
    let row = |board: &Board| {
        let [first, second] = Seat::BOTH.map(|seat| board.at(seat).userid.clone());
        let name = format!("{} {}", board.game.facts.name, board.number);
        vec![name, first, second, state(board)]
    };
    let rows = std::iter::once(heading).chain(boards.iter().map(row));
    columns(&rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_for_on_fridays_and_appears_on_saturdays() {
        let at = |text: &str| -> DateTime<Utc> { text.parse().unwrap() };
        for (now, search, out) in [
            (
                "2026-11-20T07:59:00Z",
                "2026-11-20T08:00:00Z",
                "2026-11-21T08:00:00Z",
            ),
            (
                "2026-11-20T12:00:00Z",
                "2026-11-20T08:00:00Z",
                "2026-11-21T08:00:00Z",
            ),
            (
                "2026-11-21T07:30:00Z",
                "2026-11-20T08:00:00Z",
                "2026-11-21T08:30:00Z",
            ),
            (
                "2026-11-21T08:00:00Z",
                "2026-11-27T08:00:00Z",
                "2026-11-28T08:00:00Z",
            ),
        ] {
            assert_eq!(next_search(at(now), 8), at(search));
            assert_eq!(appears(at(search), at(now)), at(out));
        }
        // The server was down.
        let back = at("2026-11-25T10:00:00Z");
        assert_eq!(
            appears(at("2026-11-20T08:00:00Z"), back),
            back + TimeDelta::hours(1)
        );
    }
}
