//! The daily mail, which some players want instead of single news.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::wording::board::{legal_turn, status, subject};
use crate::command::wording::clock::clock_line;
use crate::command::{InternalError, Letter};
use crate::letters::{Digest, DigestBoard, News};
use crate::store::{BoardFilter, Reader};
use crate::table::{Board, BoardId, Player, Unasked};

/// If more boards than this wait for the player, none is drawn.
const MOST_DRAWN: usize = 10;

/// The most boards in one mail.
const MOST_BOARDS: usize = 200;

/// When the next daily mail is due; `hour` is in UTC.
pub(crate) fn next_digest(now: DateTime<Utc>, hour: u32) -> DateTime<Utc> {
    let today = now
        .date_naive()
        .and_hms_opt(hour, 0, 0)
        .unwrap_or_default()
        .and_utc();
    if today > now {
        today
    } else {
        today + TimeDelta::days(1)
    }
}

/// The daily mail of a player; `None` if no board waits and there is no news.
pub(crate) fn digest(
    reader: &Reader,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<Option<Letter>, InternalError> {
    let mut news = reader.digest_news(player.id)?;
    let running = reader.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let waits = |board: &Board| board.is_turn_of(player.id);
    let (mut boards, others): (Vec<_>, Vec<_>) = running.into_iter().partition(waits);
    let waiting = boards.len();
    // The order of the mail: boards that wait for the player, finished ones with news, the other running ones.
    for (id, _) in &news {
        let is_known = |board: &Board| board.id == *id;
        if !boards.iter().chain(&others).any(is_known) {
            boards.extend(reader.board_by_id(*id)?);
        }
    }
    boards.extend(others);
    if waiting == 0 && news.is_empty() {
        return Ok(None);
    }
    let left_out = boards.len().saturating_sub(MOST_BOARDS);
    boards.truncate(MOST_BOARDS);
    let sentence = sentence(player, waiting, &news);
    let entries = boards.iter().enumerate().map(|(place, board)| {
        let is_drawn = place < waiting && waiting <= MOST_DRAWN;
        let mut own = Vec::new();
        news.retain(|(of, news)| {
            if *of == board.id {
                own.push(news.clone());
            }
            *of != board.id
        });
        let mut entry = entry(reader, player, board, own, is_drawn)?;
        let clock = clock_line(reader, board, now)?;
        entry.status = format!("{} {clock}", entry.status).trim_end().to_owned();
        Ok(entry)
    });
    let letter = Digest {
        userid: player.userid.clone(),
        sentence,
        boards: entries.collect::<Result<_, InternalError>>()?,
        left_out,
    };
    Ok(Some(Letter {
        unasked: Some(Unasked::Digest),
        ..Letter::news(player.id, letter.into())
    }))
}

fn entry(
    reader: &Reader,
    player: &Player,
    board: &Board,
    news: Vec<News>,
    is_drawn: bool,
) -> Result<DigestBoard, InternalError> {
    let seat = board.seat_of(player.id);
    let (mut drawing, mut command, mut turn) = (String::new(), String::new(), String::new());
    if seat.is_some() && board.to_move == seat {
        let position = board.replay(reader.turns(board.id)?, usize::MAX)?;
        let (name, number) = (board.game.facts.name, board.number);
        turn = legal_turn(position.game.as_ref()).unwrap_or_default();
        command = format!("{name} move {number} {} PASSWORD", player.userid);
        if is_drawn {
            drawing = position.game.draw(reader.display(player.id, board.game)?);
        }
    }
    Ok(DigestBoard {
        subject: subject(board, seat.map(|seat| board.at(seat))),
        news,
        status: status(board, seat),
        board: drawing,
        command,
        turn,
        seat: seat
            .filter(|_| board.end.is_none())
            .map(|seat| board.letter_to(seat).number()),
    })
}

fn sentence(player: &Player, waiting: usize, news: &[(BoardId, News)]) -> String {
    let userid = &player.userid;
    let mut boards: Vec<_> = news.iter().map(|(board, _)| board.0).collect();
    boards.sort_unstable();
    boards.dedup();
    let happened = match boards.len() {
        0 => "nothing has happened since the last mail".to_owned(),
        1 => "there is news of one".to_owned(),
        many => format!("there is news of {many}"),
    };
    match waiting {
        0 => format!("No board waits for your turn, {userid}; {happened}."),
        1 => format!("One board waits for your turn, {userid}; {happened}."),
        many => format!("{many} boards wait for your turn, {userid}; {happened}."),
    }
}
