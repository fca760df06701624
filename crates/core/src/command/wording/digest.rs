//! The daily mail, which some players want instead of single news.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::wording::board::{legal_turn, record, subject};
use crate::command::wording::clock::until;
use crate::command::wording::dice::rolled;
use crate::command::wording::status::{answers, standing};
use crate::command::wording::tables::own_tables;
use crate::command::{Change, Context, InternalError, Letter};
use crate::letters::{
    Content, Digest, DigestBoard, DigestQuestion, News, NotDone, Status, SubjectMark, Times,
};
use crate::store::{BoardFilter, ListedBoard, PROPOSED_FOR, Proposal, Reader};
use crate::table::{Board, BoardId, Offer, Player, Unasked};

/// How many boards are drawn: the first that wait for the player. With pictures the mail stays under half a megabyte.
const MAX_DRAWN: usize = 10;

/// The most boards in one mail.
const MAX_BOARDS: usize = 200;

/// How many lines the example of an answer has.
const MAX_EXAMPLES: usize = 2;

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

/// A board that waits for the player, and until when.
type WaitingBoard = (Board, Option<DateTime<Utc>>);

/// The daily mail of a player, and the change that stores what it shows; `None` if no board waits and there is no news. `since`
/// is when the last one was made.
pub(crate) fn digest(
    reader: &Reader,
    player: &Player,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<(Letter, Change)>, InternalError> {
    let news = reader.digest_news(player.id)?;
    let running = reader.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let (waiting, others) = by_deadline(reader, player, running, now)?;
    // The order of the mail: boards that wait for the player, finished ones with news, the other running ones.
    let mut quiet = Vec::new();
    for (id, _) in &news {
        let is_known = |board: &Board| board.id == *id;
        let is_waiting = waiting.iter().any(|(board, _)| is_known(board));
        if !is_waiting && !quiet.iter().chain(&others).any(is_known) {
            quiet.extend(reader.board_by_id(*id)?);
        }
    }
    quiet.extend(others);
    let has_ended = reader.contests_of(player.id, since)?;
    let has_ended = has_ended.iter().any(|contest| contest.ended_at.is_some());
    if waiting.is_empty() && news.is_empty() && !has_ended {
        return Ok(None);
    }
    let mut questions = Vec::new();
    for proposal in reader.proposals_to(player.id, now - PROPOSED_FOR)? {
        questions.extend(asked(reader, player, &proposal)?);
    }
    let begun = Digest {
        userid: player.userid.clone(),
        occasion: String::new(),
        sentence: sentence(player, waiting.len(), &news),
        first: String::new(),
        questions,
        how: String::new(),
        examples: Vec::new(),
        boards: Vec::new(),
        tables: own_tables(reader, player.id, since)?
            .into_iter()
            .map(|own| own.sentence)
            .collect(),
        left_out: 0,
    };
    let (letter, change) = filled(reader, player, begun, (waiting, quiet, news), now)?;
    let letter = Letter {
        unasked: Some(Unasked::Digest),
        ..letter
    };
    Ok(Some((letter, change)))
}

/// The mail about the games of a contest that have begun at once, and the change that stores what it shows.
pub(crate) fn games_begin(
    reader: &Reader,
    player: &Player,
    (occasion, sentence): (String, String),
    boards: Vec<Board>,
    now: DateTime<Utc>,
) -> Result<(Letter, Change), InternalError> {
    let begun = Digest {
        userid: player.userid.clone(),
        occasion,
        sentence,
        first: String::new(),
        questions: Vec::new(),
        how: String::new(),
        examples: Vec::new(),
        boards: Vec::new(),
        tables: Vec::new(),
        left_out: 0,
    };
    let (waiting, others) = by_deadline(reader, player, boards, now)?;
    filled(reader, player, begun, (waiting, others, Vec::new()), now)
}

/// The boards of a mail: those that wait for the reader, the others, and the news of all.
type Boards = (Vec<WaitingBoard>, Vec<Board>, Vec<(BoardId, News)>);

/// The mail with its boards, and the change that stores what it shows.
fn filled(
    reader: &Reader,
    player: &Player,
    begun: Digest,
    (mut waiting, quiet, mut news): Boards,
    now: DateTime<Utc>,
) -> Result<(Letter, Change), InternalError> {
    let times = Times {
        now,
        zone: reader.zone(Some(player.id))?,
    };
    let first = waiting.first().and_then(|waiting| first(waiting, times));
    let left_out = (waiting.len() + quiet.len()).saturating_sub(MAX_BOARDS);
    waiting.truncate(MAX_BOARDS);
    let waiting_count = waiting.len();
    let boards = waiting.into_iter().map(|(board, _)| board).chain(quiet);
    let (mut entries, mut listed, mut pictures) = (Vec::new(), Vec::new(), Vec::new());
    let mut questions = begun.questions;
    for (place, board) in boards.take(MAX_BOARDS).enumerate() {
        let (own, rest) = news.into_iter().partition(|(of, _)| *of == board.id);
        news = rest;
        let mut entry = DigestBoard {
            news: own.into_iter().map(|(_, news)| news).collect(),
            ..entry(player, &board)
        };
        let mut rolled_now = String::new();
        if place < waiting_count || !begun.occasion.is_empty() {
            let position = board.replay(reader.turns(board.id)?, usize::MAX)?;
            if place < waiting_count {
                entry.turn = legal_turn(position.game.as_ref()).unwrap_or_default();
            }
            if place < MAX_DRAWN {
                entry.board = position.game.draw(reader.display(player.id, board.game)?);
                pictures.push(record(&board, &position));
            }
            rolled_now = rolled(&board, &position, board.seat_of(player.id));
        }
        questions.extend(offer(player, &board));
        entry.status = standing(reader, &board, board.seat_of(player.id), times)?;
        entry.status.more.push_str(&rolled_now);
        listed.push(ListedBoard::of(&board, player.id));
        entries.push(entry);
    }
    let letter = Digest {
        first: first.unwrap_or_default(),
        questions,
        how: how_to_answer(&entries),
        examples: examples(&entries),
        boards: entries,
        left_out,
        ..begun
    };
    let content = Content::from(letter).showing_each(&pictures);
    let letter = Letter::news(player.id, content);
    let change = Change::DigestLetter {
        player: player.id,
        boards: listed,
    };
    Ok((letter, change))
}

/// The boards that wait for the player, the earliest deadline first, and the others.
fn by_deadline(
    reader: &Reader,
    player: &Player,
    boards: Vec<Board>,
    now: DateTime<Utc>,
) -> Result<(Vec<WaitingBoard>, Vec<Board>), InternalError> {
    let (waiting, others): (Vec<_>, Vec<_>) =
        boards.into_iter().partition(|board| board.is_turn_of(player.id));
    let mut dated = Vec::with_capacity(waiting.len());
    for board in waiting {
        let ends_at = match board.seat_of(player.id) {
            Some(seat) if reader.vacation(player.id)?.is_none() => until(reader, &board, seat, now)?,
            _ => None,
        };
        dated.push((board, ends_at));
    }
    dated.sort_by_key(|(_, ends_at)| ends_at.unwrap_or(DateTime::<Utc>::MAX_UTC));
    Ok((dated, others))
}

/// The first deadline, as a sentence.
fn first((board, ends_at): &WaitingBoard, times: Times) -> Option<String> {
    let name = board.name();
    ends_at.map(|ends_at| format!("The first: {name}, until {}.", times.said(ends_at)))
}

/// What the mail says of a board of this player, without its position.
fn entry(player: &Player, board: &Board) -> DigestBoard {
    let seat = board.seat_of(player.id);
    let (name, number) = (board.game.facts.name, board.number);
    DigestBoard {
        subject: subject(board, seat.map(|seat| board.at(seat))),
        news: Vec::new(),
        status: Status::default(),
        is_waiting: board.is_turn_of(player.id),
        can_answer: seat.is_some() && board.can_be_answered(),
        board: String::new(),
        prefix: format!("{name} {number}"),
        turn: String::new(),
    }
}

/// What another letter asks this player. Only an answer to that one counts.
fn asked(
    reader: &Reader,
    player: &Player,
    proposal: &Proposal,
) -> Result<Option<DigestQuestion>, InternalError> {
    let what = match reader.player_by_id(proposal.opponent)? {
        None => return Ok(None),
        // The question whether the own address may be shown.
        Some(other) if other.id == player.id => "Your invitation".to_owned(),
        Some(other) => {
            let game = proposal.line.split(' ').next().unwrap_or_default();
            format!("A game of {game} with {}", other.userid)
        }
    };
    Ok(Some(DigestQuestion {
        sentence: format!("{what} waits for your yes: answer the letter that asks you."),
        answers: Vec::new(),
    }))
}

/// What the other player offers on this board.
fn offer(player: &Player, board: &Board) -> Option<DigestQuestion> {
    let seat = board.seat_of(player.id)?;
    let (offer, by) = board.offer?;
    let what = match offer {
        Offer::Draw => "offers you a draw on",
        Offer::Undo => "asks to take the last turn back on",
        Offer::Pause => "asks for a pause of",
        Offer::Rematch => "offers you a rematch of",
    };
    let mut answers = answers(board, seat);
    for button in &mut answers {
        button.word = format!("{} {} {}", board.game.facts.name, board.number, button.word);
    }
    (!answers.is_empty()).then(|| DigestQuestion {
        sentence: format!("{} {what} {}.", board.at(by).userid, board.name()),
        answers,
    })
}

/// How the mail is answered; empty if it shows no board that can be answered.
fn how_to_answer(boards: &[DigestBoard]) -> String {
    let waiting = boards.iter().filter(|board| board.is_waiting).count();
    let others = boards.iter().filter(|board| board.can_answer).count() - waiting;
    match (waiting, others) {
        (0, 0) => "",
        (0, _) => "To write to another player, answer with the board, chat and your words on the first line, such as:",
        (1, 0) => "Answer this mail with a turn alone on the first line, such as:",
        (1, _) => {
            "Answer this mail with a turn alone on the first line, such as the one below. For another board its name \
             stands first."
        }
        _ => "Answer this mail with a board and a turn on a line, for several boards with a line each, such as:",
    }
    .to_owned()
}

/// Lines as an answer may hold them.
fn examples(boards: &[DigestBoard]) -> Vec<String> {
    let waiting: Vec<_> = boards.iter().filter(|board| board.is_waiting).collect();
    match waiting.as_slice() {
        [] => boards
            .iter()
            .find(|board| board.can_answer)
            .map(|board| format!("{} chat Thank you!", board.prefix))
            .into_iter()
            .collect(),
        [one] => vec![one.turn.clone()],
        many => many
            .iter()
            .take(MAX_EXAMPLES)
            .map(|board| format!("{} {}", board.prefix, board.turn))
            .collect(),
    }
}

/// The answer to an answer to a daily mail that does not say which of these boards it is about.
pub(crate) fn which_letter<'a>(
    context: &Context<'_>,
    boards: impl Iterator<Item = &'a Board>,
    player: &Player,
) -> Result<Letter, InternalError> {
    let mut lines = Vec::new();
    for board in boards.filter(|board| board.is_turn_of(player.id)).take(MAX_DRAWN) {
        if let Some(turn) = legal_turn(context.position(board)?.game.as_ref()) {
            lines.push(format!("  {} {} {turn}", board.game.facts.name, board.number));
        }
    }
    let userid = &player.userid;
    let sentence = match lines.is_empty() {
        true => format!(
            "Nothing was done, {userid}: your answer does not say for which board it is, and none of that mail waits \
             for your turn."
        ),
        false => format!(
            "Nothing was done, {userid}: your answer does not say for which board it is. Begin a line with one \
             that waits for your turn."
        ),
    };
    let letter = NotDone {
        subject: SubjectMark::NotDone.before("which board?"),
        sentence,
        syntax: lines.join("\n"),
        ..NotDone::default()
    };
    Ok(Letter::answer_to(player, letter))
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
