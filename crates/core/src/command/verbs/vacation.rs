//! `vacation`: stops a player's clocks for some days.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use pbmserv_games::Seat;

use crate::command::playing::vacation::{to_move, vacation_over};
use crate::command::vocabulary::is_digits;
use crate::command::wording::clock::{listed, span};
use crate::command::wording::news::News;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Refused, Run,
    Topic, Trailing, Undecided, Weight, WithoutPassword, Word,
};
use crate::letters::{Done, SubjectMark, Times};
use crate::store::BoardFilter;
use crate::table::{Board, DAYS_A_YEAR, Player, PlayerId, Vacation, WARNED_BEFORE, days_left};

pub(crate) static VACATION: Command = Command {
    verb: "vacation",
    aliases: &["holiday"],
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "vacation userid password [N | until DATE | off]",
    summary: "stops your clocks for a while",
    help: "Stops your clocks for N days from now, or until the end of a day, written as 2026-12-24. You get no \
           reminders, you lose no game, and no thinking time is used. The players on your boards are told, unless they have blocked you. You \
           can still play. You have 30 days in a calendar year, and a day that has begun counts whole. off ends \
           a vacation early and gives the other days back. If you write the command again during a vacation, it \
           changes the end. Without a number or a date, the answer says how many days you have left.",
    examples: &[
        "vacation alice fig7elk 10",
        "vacation alice fig7elk until 2026-12-24",
        "vacation alice fig7elk off",
    ],
    without_password: WithoutPassword::Known,
    fits_without_password: |words| match words {
        [] => true,
        [days] => is_digits(days) || days.eq_ignore_ascii_case("off"),
        [days, unit] if is_digits(days) => ["day", "days"].iter().any(|one| one.eq_ignore_ascii_case(unit)),
        [until, date] => until.eq_ignore_ascii_case("until") && date.split('-').all(is_digits),
        _ => false,
    },
    not_done: SubjectMark::VacationNotSet,
    run: Run::Player(run),
    ..Command::USUAL
};

/// The form of the command.
enum Wish {
    Tell,
    Off,
    Until(DateTime<Utc>),
}

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let vacation = context.store.vacation(player.id)?;
    match wish(&line.words, context.times(Some(player.id))?)? {
        Wish::Tell => tell(context, player, vacation),
        Wish::Off => off(context, player, vacation),
        Wish::Until(until) => begin(context, line, player, vacation, until),
    }
}

fn wish(words: &[Word], times: Times) -> Result<Wish, Undecided> {
    let is = |word: &Word, text: &str| word.text.eq_ignore_ascii_case(text);
    match words {
        [] => Ok(Wish::Tell),
        [word] if is(word, "off") => Ok(Wish::Off),
        [word] if is(word, "until") => Err(Refused::unreadable("Until which day?").into()),
        [until, date] if is(until, "until") => Ok(Wish::Until(end_of(date, times.zone)?)),
        [count, days] if is(days, "days") || is(days, "day") => Ok(Wish::Until(times.now + days_of(count)?)),
        [count] => Ok(Wish::Until(times.now + days_of(count)?)),
        [_, surplus, ..] => Err(Refused::unreadable(
            "Write a number of days, until and a day, or off, and nothing more.",
        )
        .hiding(surplus)
        .into()),
    }
}

/// Parses a date as the end of that day in this zone.
fn end_of(word: &Word, zone: Tz) -> Result<DateTime<Utc>, Undecided> {
    let refused = |sentence: &str| Undecided::from(Refused::unreadable(sentence).hiding(word));
    let is_date = word.text.len() == 10 && word.text.bytes().all(|c| c.is_ascii_digit() || c == b'-');
    if !is_date {
        return Err(refused("The day is written as year, month and day: 2026-12-24."));
    }
    let day = NaiveDate::parse_from_str(&word.text, "%Y-%m-%d")
        .map_err(|_| refused("There is no such day; it is written as 2026-12-24."))?;
    // Where clocks are put forward at midnight, the day may end earlier: then its end is that in UTC.
    let end = |end: NaiveDateTime| match zone.from_local_datetime(&end).latest() {
        Some(end) => end.to_utc(),
        None => end.and_utc(),
    };
    day.and_hms_milli_opt(23, 59, 59, 999)
        .map(end)
        .ok_or_else(|| refused("There is no such day; it is written as 2026-12-24."))
}

fn days_of(word: &Word) -> Result<TimeDelta, Undecided> {
    let is_number = word.text.bytes().all(|c| c.is_ascii_digit());
    match word.text.parse::<u16>() {
        Ok(days) if is_number && days > 0 => Ok(TimeDelta::days(i64::from(days))),
        _ => Err(Refused::unreadable(
            "A number of days is expected here, from 1 to 30, or until and a day, or off.",
        )
        .hiding(word)
        .into()),
    }
}

/// The vacations that count for this year and later, without the current one.
fn earlier(context: &Context<'_>, player: PlayerId) -> Result<Vec<Vacation>, InternalError> {
    let year = Utc.with_ymd_and_hms(context.now.year(), 1, 1, 0, 0, 0);
    let since = year.single().unwrap_or(context.now);
    Ok(context.store.vacations_since(player, since)?)
}

/// `18 of 30 days are left in 2026`, for each year that a vacation touches.
fn what_is_left(vacations: &[Vacation], now: DateTime<Utc>, last: DateTime<Utc>) -> String {
    let years = now.year()..=last.year().max(now.year());
    let sentences: Vec<_> = years
        .map(|year| match days_left(vacations, year) {
            1 => format!("1 of {DAYS_A_YEAR} days is left in {year}"),
            left => format!("{left} of {DAYS_A_YEAR} days are left in {year}"),
        })
        .collect();
    format!("{}.", sentences.join(", "))
}

fn tell(context: &Context<'_>, player: &Player, vacation: Option<Vacation>) -> Result<Decision, Undecided> {
    let mut vacations = earlier(context, player.id)?;
    vacations.extend(vacation);
    let sentence = match vacation {
        Some(vacation) => format!(
            "You are on vacation until {}.",
            context.times(Some(player.id))?.said(vacation.ends_at)
        ),
        None => "You are not on vacation.".to_owned(),
    };
    let last = vacation.map_or(context.now, |vacation| vacation.ends_at);
    let left = what_is_left(&vacations, context.now, last);
    Ok(done(player, sentence, left, Vec::new()))
}

fn off(context: &Context<'_>, player: &Player, vacation: Option<Vacation>) -> Result<Decision, Undecided> {
    let Some(vacation) = vacation else {
        let sentence = "You are not on vacation.";
        return Err(Refused::impossible(sentence).into());
    };
    let mut vacations = earlier(context, player.id)?;
    vacations.push(Vacation {
        ends_at: context.now.min(vacation.ends_at),
        ..vacation
    });
    let sentence = "Your vacation is over: the clocks go on from where they stood.".to_owned();
    let left = what_is_left(&vacations, context.now, context.now);
    let changes = vacation_over(context, player, to_move(context, player)?);
    Ok(done(player, sentence, left, changes))
}

fn begin(
    context: &Context<'_>,
    line: &Line,
    player: &Player,
    before: Option<Vacation>,
    ends_at: DateTime<Utc>,
) -> Result<Decision, Undecided> {
    let refuse = |sentence: String| match line.words.last() {
        Some(word) => Undecided::from(Refused::impossible(sentence).hiding(word)),
        None => Undecided::from(Refused::impossible(sentence)),
    };
    if player.away_since.is_some() {
        let sentence = "You have signed off: there is no clock to stop.".to_owned();
        return Err(refuse(sentence));
    }
    if ends_at <= context.now {
        return Err(refuse("That day is past.".to_owned()));
    }
    let vacation = Vacation {
        begun_at: before.map_or(context.now, |before| before.begun_at),
        ends_at,
    };
    let mut vacations = earlier(context, player.id)?;
    // A vacation that reaches the third year covers the whole second one, which is more than a year allows. So later
    // years need no check, and a date in the far future does not make this loop long.
    for year in vacation.begun_at.year()..=ends_at.year().min(vacation.begun_at.year() + 2) {
        let (wanted, left) = (vacation.days_in(year), days_left(&vacations, year));
        if wanted > left {
            let what = match before {
                Some(_) => "The whole vacation would then take",
                None => "That takes",
            };
            let wanted = match wanted {
                more if more > DAYS_A_YEAR => format!("more than {DAYS_A_YEAR} days"),
                days => format!("{days} days"),
            };
            let sentence = format!("{what} {wanted} of {year}, of which you have {left} left.");
            return Err(refuse(sentence));
        }
    }
    let boards = all_running(context, player.id)?;
    let sentence = format!(
        "You are on vacation until {}: {}.",
        context.times(Some(player.id))?.said(ends_at),
        match boards.len() {
            0 => "no board is running".to_owned(),
            1 => "the clock stands still on one board".to_owned(),
            count => format!("the clock stands still on {count} boards"),
        }
    );
    vacations.push(vacation);
    let hint = format!(
        "{}{} To end it early, write vacation off.",
        little_time(player, &boards, context.now),
        what_is_left(&vacations, context.now, ends_at)
    );
    let mut decision = done(player, sentence, hint, Vec::new());
    if before.is_none() {
        let begun = begun(context, player, boards, ends_at)?;
        // Others first, the writer last: if a crash loses a letter between two deliveries, it is the writer's own copy.
        decision.letters.splice(0..0, begun.letters);
        decision.changes = begun.changes;
    } else {
        decision.changes = vec![Change::Vacation {
            player: player.id,
            until: ends_at,
        }];
    }
    Ok(decision)
}

/// A vacation that begins now: the clocks of these boards, which are all running boards of the player, stand still, and the other
/// players hear of it.
fn begun(
    context: &Context<'_>,
    player: &Player,
    boards: Vec<Board>,
    ends_at: DateTime<Utc>,
) -> Result<Decision, InternalError> {
    let letters = news(context, player, &boards, ends_at)?;
    let to_move = boards.into_iter().filter(|board| board.is_turn_of(player.id));
    let stopped = to_move.map(|mut board| {
        board.vacation_begun(context.now);
        Change::Board(Box::new(board))
    });
    let change = Change::Vacation {
        player: player.id,
        until: ends_at,
    };
    Ok(Decision {
        changes: std::iter::once(change).chain(stopped).collect(),
        letters,
        proven: None,
    })
}

/// The vacation that begins by itself when the time of the player in this seat is up, if the player has chosen so and has days
/// left.
pub(crate) fn begins_by_itself(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
) -> Result<Option<Decision>, InternalError> {
    let mover = board.at(seat);
    let wants_it = context.store.preferences(mover.id)?.has_automatic_vacation;
    if !wants_it || context.store.vacation(mover.id)?.is_some() {
        return Ok(None);
    }
    let mut vacations = earlier(context, mover.id)?;
    let (Some(vacation), Some(player)) = (
        Vacation::automatic(&vacations, context.now),
        context.store.account(mover.id)?,
    ) else {
        return Ok(None);
    };
    let boards = all_running(context, player.id)?;
    let mut decision = begun(context, &player, boards, vacation.ends_at)?;
    vacations.push(vacation);
    let sentence = format!(
        "Your time is up on {}, {}: so a vacation has begun by itself, as you have chosen, until {}. {} The game is not lost: play now, \
         or within a day after the vacation.",
        board.name(),
        player.userid,
        context.times(Some(player.id))?.said(vacation.ends_at),
        what_is_left(&vacations, context.now, vacation.ends_at)
    );
    let mut stopped = board.clone();
    stopped.vacation_begun(context.now);
    let news = News {
        board: &stopped,
        position: &context.position(board)?,
        sentence: sentence.into(),
        comment: None,
    };
    decision.letters.push(Letter {
        is_urgent: true,
        topic: Topic::Vacation,
        ..news.to(context, Addressee::Player(player.id), Some(mover))?
    });
    Ok(Some(decision))
}

fn all_running(context: &Context<'_>, player: PlayerId) -> Result<Vec<Board>, InternalError> {
    Ok(context.store.boards(BoardFilter {
        player: Some(player),
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?)
}

/// On which boards little of the player's time is left after the vacation, as a sentence; empty if on none.
fn little_time(player: &Player, boards: &[Board], now: DateTime<Utc>) -> String {
    let left = |board: &Board| {
        let seat = board.to_move.filter(|_| board.is_turn_of(player.id))?;
        let left = board.clock.ends_at(&board.terms, seat)? - now;
        (left < WARNED_BEFORE).then(|| format!("{} on {}", span(left), board.name()))
    };
    let names: Vec<String> = boards.iter().filter_map(left).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "Little time is left after it: {}. You are warned then, and have a day. ",
            listed(&names)
        ),
    }
}

/// One letter to each opponent, about all boards with that opponent.
fn news(
    context: &Context<'_>,
    player: &Player,
    boards: &[Board],
    ends_at: DateTime<Utc>,
) -> Result<Vec<Letter>, InternalError> {
    let mut others: BTreeMap<i64, (PlayerId, Vec<String>)> = BTreeMap::new();
    for board in boards.iter().rev() {
        if let Some(seat) = board.seat_of(player.id) {
            let other = board.at(seat.other()).id;
            others
                .entry(other.0)
                .or_insert((other, Vec::new()))
                .1
                .push(board.name());
        }
    }
    let letter = |(other, names): (PlayerId, Vec<String>)| -> Result<Letter, InternalError> {
        let sentence = format!(
            "{} is on vacation until {}: {}'s clock stands still on {}.",
            player.userid,
            context.times(Some(other))?.said(ends_at),
            player.userid,
            listed(&names)
        );
        let done = Done {
            subject: SubjectMark::Vacation.before(&player.userid),
            sentence,
            hint: "Your own clock runs when it is your turn.".to_owned(),
        };
        Ok(Letter {
            topic: Topic::Vacation,
            weight: Some(Weight::Slight),
            ..Letter::news(other, done.into())
        })
    };
    others.into_values().map(letter).collect()
}

fn done(player: &Player, sentence: String, hint: String, changes: Vec<Change>) -> Decision {
    let done = Done {
        subject: format!("vacation {}", player.userid),
        sentence,
        hint,
    };
    Decision {
        changes,
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    }
}
