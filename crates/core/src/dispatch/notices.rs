//! Notices of turns: where a letter says that it is a player's turn, the place that the player named hears of it too.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::{Addressee, InternalError, Letter, Weight, notices_given_up};
use crate::letters::{Short, Times};
use crate::store::{NoticeForm, NoticeTarget, Store};
use crate::table::{Board, PlayerId};
use pbmserv_mail::{Address, Key};

use super::handler::{Cause, Handler};

/// After so many failures in a row nothing is sent any more; a code is not tried as often.
const MAX_FAILURES: u32 = 10;
const MAX_FAILURES_OF_A_CODE: u32 = 3;

/// The first pause after a failure; each is twice as long as the one before. All are shorter than a day together.
const PAUSE: TimeDelta = TimeDelta::minutes(1);

/// The code that goes to a place: who reads it there gives it back.
#[must_use]
pub fn notice_code(key: &Key, target: &NoticeTarget) -> String {
    let message = format!(
        "{} {} {}",
        target.player.0,
        target.asked_at.timestamp_millis(),
        target.target
    );
    let tag = key.tag("notices", message.as_bytes());
    let mut code = data_encoding::BASE32_NOPAD.encode(&tag);
    code.truncate(crate::command::NOTICE_CODE_CHARS);
    code
}

/// What a notice says of a board after the words `Your turn: `.
#[must_use]
pub fn notice_line(board: &Board, times: Times) -> String {
    let ends_at = board
        .to_move
        .and_then(|seat| board.clock.ends_at(&board.terms, seat));
    let name = format!("{} {}", board.game.facts.name, board.number);
    match ends_at {
        Some(ends_at) => format!("{name}, until {}", times.brief(ends_at)),
        None => name,
    }
}

impl Handler {
    /// Has the place hear of what this letter says, if that is that it is its reader's turn. A computer answers at once, and its
    /// player is there: nothing is said of that.
    pub(super) fn notify(
        &mut self,
        store: &Store,
        cause: &Cause<'_>,
        letter: &Letter,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let (Addressee::Player(player), Some(Weight::Needed), false, false, Some((game, number))) = (
            &letter.to,
            letter.weight,
            letter.is_answer,
            letter.is_watching,
            letter.board,
        ) else {
            return Ok(());
        };
        let Some(target) = store.notice_target(*player)?.filter(|target| target.is_on) else {
            return Ok(());
        };
        let Some(board) = store.board(game, number)? else {
            return Ok(());
        };
        if !board.is_turn_of(*player) || board.computer().is_some() {
            return Ok(());
        }
        if target.form != NoticeForm::Mail {
            return Ok(store.add_notice(*player, board.id, now)?);
        }
        let Ok(address) = Address::parse(&target.target) else {
            return Ok(());
        };
        let times = Times {
            now,
            zone: store.preferences(*player)?.zone,
        };
        let short = Short {
            code: String::new(),
            userid: String::new(),
            line: notice_line(&board, times),
        };
        let to = Addressee::Elsewhere {
            player: *player,
            address,
        };
        let notice = Letter {
            to,
            ..Letter::news(*player, short.into()).on(game, number)
        };
        self.post(store, cause, &notice, now)
    }

    /// A notice or a code was not taken. After several in a row nothing more is sent, and the player is told.
    pub fn notice_failed(
        &mut self,
        store: &Store,
        player: PlayerId,
        asked_at: Option<DateTime<Utc>>,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        // Another place may have been named since.
        let same = |target: &NoticeTarget| asked_at.is_none_or(|at| at == target.asked_at);
        let Some(target) = store.notice_target(player)?.filter(same) else {
            return Ok(());
        };
        let failures = target.failures.saturating_add(1);
        let most = match (target.is_on, target.form) {
            (true, _) => MAX_FAILURES,
            (false, NoticeForm::Mail) => 1,
            (false, _) => MAX_FAILURES_OF_A_CODE,
        };
        if failures < most {
            let pause = PAUSE * 2_i32.pow(failures.min(MAX_FAILURES) - 1);
            return Ok(store.put_off_notices(player, failures, now + pause)?);
        }
        store.end_notices(player)?;
        self.post(store, &Cause::default(), &notices_given_up(&target, why), now)
    }
}
