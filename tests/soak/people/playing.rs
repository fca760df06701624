//! Players' commands on their boards, and their replies to mails of boards.

use pbmserv_core::table::{BoardLetter, Unasked};
use pbmserv_games::{GAMES, Seat};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Person, Sight, any_board};
use crate::deed::{Act, Deed, What, Who};
use crate::mail::{Answer, Letter, Way};
use crate::view::{Board, COMPUTER, HOUR, place};

impl Person {
    /// Commands on some of the boards that wait for this player.
    pub(super) fn play(
        &mut self,
        sight: &mut Sight<'_>,
        number: usize,
        who: &Who,
        from: &str,
    ) -> Vec<Letter> {
        let boards = sight.view.accounts[number].running.clone();
        let mut deeds = Vec::new();
        for board in boards.into_iter().take(4) {
            let board = &sight.view.boards[board];
            let seat = board.seat_of(number).unwrap();
            let act = if board.players.contains(&COMPUTER) {
                against_computer(board, sight.rng)
            } else if board.to_move() == Some(seat) {
                turn(board, seat, sight.rng)
            } else {
                waiting(board, seat, self.chatty, sight.rng)
            };
            if let Some(act) = act {
                deeds.push(Deed::on(board.at, &self.misspelt(sight, who.clone()), act));
            }
        }
        if sight.rng.random_bool(self.clumsy / 4.0) {
            deeds.push(Deed::on(any_board(sight), who, Act::Turn("a1-b1".into())));
        }
        if deeds.len() > 1 && sight.rng.random_bool(0.3) {
            let saying = "Greetings from the train.".into();
            return vec![Letter {
                from: from.to_owned(),
                way: Way::Batch(deeds),
                saying,
            }];
        }
        let letter = |deed: Deed| {
            let saying = self.saying(sight, &deed);
            let way = reply(sight, from, number, &deed).unwrap_or(Way::Subject(deed));
            Letter {
                from: from.to_owned(),
                way,
                saying,
            }
        };
        deeds.into_iter().map(letter).collect()
    }
}

/// The number that a token names.
fn number_in(token: &str) -> Option<i64> {
    let (number, _) = token.split_once('-')?;
    let bytes = data_encoding::BASE32_NOPAD_NOCASE.decode(number.as_bytes());
    Some(
        bytes
            .ok()?
            .iter()
            .fold(0, |row, byte| (row << 8) | i64::from(*byte)),
    )
}

/// A reply to the newest mail of the command's board, or to the one before it, if there is one and a reply may contain the command.
fn reply(sight: &mut Sight<'_>, address: &str, number: usize, deed: &Deed) -> Option<Way> {
    let mailbox = sight.post.mailbox(address);
    let What::On(at, act) = &deed.what else {
        return None;
    };
    let is_wrong = deed.who.as_ref()?.password != sight.view.accounts[number].password
        || !sight.view.by_place.contains_key(at);
    // In a reply a line that does not look like a turn is taken for prose.
    let is_odd = matches!(act, Act::Turn(turn) | Act::Submit(turn) if turn.starts_with("a1"));
    if is_wrong || is_odd || sight.rng.random_bool(0.5) {
        return None;
    }
    let mails = match sight.rng.random_bool(0.1) {
        true => &mailbox.older,
        false => &mailbox.boards,
    };
    let (token, message_id) = mails.get(&at.list())?;
    let (is_valid, own) = (
        sight.holds(number, token),
        sight.view.known(address) == Some(number),
    );
    let by_token = sight.rng.random_bool(0.7);
    let deed = match sight.rng.random_range(0..30) {
        0 => None,
        1 => Some(Deed::on(*at, &Who::default(), Act::Nothing("show"))),
        _ => Some(deed.clone()),
    };
    let event = BoardLetter::of_number(number_in(&token.text)?).event;
    Some(Way::Answer(Answer {
        token: by_token.then(|| token.text.clone()),
        message_id: (!by_token).then(|| message_id.clone()),
        bearer: (if by_token { is_valid } else { own }).then_some(number),
        about: Some((*at, event.into())),
        deed,
        words: "Let me think about it.",
    }))
}

/// An open challenge as a reply to the newest invitation.
pub(super) fn invited(sight: &mut Sight<'_>, address: &str, number: usize, deed: &Deed) -> Option<Way> {
    let is_seek = deed.reply.as_ref()?.starts_with("seek ");
    let is_right = deed.who.as_ref()?.password == sight.view.accounts[number].password;
    if !is_seek || !is_right || sight.rng.random_bool(0.3) {
        return None;
    }
    let token = sight.post.mailbox(address).invitation?;
    // The player, and in the last 24 bits the hour of expiry.
    let holds = number_in(token.text.strip_prefix('i')?)?;
    let (account, hour) = (place(holds >> 24), holds & 0xff_ffff);
    let is_valid = sight.holds(account, &token) && sight.view.now / HOUR < hour;
    (account == number).then(|| {
        Way::Answer(Answer {
            bearer: is_valid.then_some(account),
            token: Some(token.text),
            deed: Some(deed.clone()),
            ..Answer::default()
        })
    })
}

/// A reply to the `List-Unsubscribe` of the newest mail that has one.
pub(super) fn leave(sight: &Sight<'_>, address: &str) -> Option<Way> {
    let token = sight.post.mailbox(address).leave?;
    let (player, _) = Unasked::of_number(number_in(token.text.strip_prefix('u')?)?)?;
    let player = place(player.0);
    Some(Way::Answer(Answer {
        bearer: sight.holds(player, &token).then_some(player),
        token: Some(token.text),
        words: "unsubscribe",
        ..Answer::default()
    }))
}

/// The command of the player to move.
fn turn(board: &Board, seat: Seat, rng: &mut ChaCha8Rng) -> Option<Act> {
    let legal = match towards_an_end(board, seat) {
        Some(turn) if rng.random_bool(0.9) => turn,
        _ => board.progress.position.random_turn(rng)?,
    };
    if board.row.offer().is_some_and(|(_, by)| by != seat) && rng.random_bool(0.8) {
        return Some(if rng.random_bool(0.6) {
            Act::Accept
        } else {
            Act::Reject
        });
    }
    // Long games are resigned, or drawn by agreement.
    let is_long = board.progress.turns.len() > 90;
    Some(match rng.random_range(0..200) {
        0..2 => Act::Resign,
        2..4 => Act::Propose,
        10..13 => Act::Accept,
        13..16 => Act::Reject,
        16..24 => Act::Submit(legal),
        24..28 => Act::Confirm,
        28..32 => Act::Queue(vec![legal]),
        32..37 => Act::Turn("a1-z99".into()),
        37 => Act::Submit("a1-z99".into()),
        38..60 if is_long => Act::Propose,
        60..66 if is_long => Act::Resign,
        _ if board.row.has("submitted") => Act::Confirm,
        _ => Act::Turn(legal),
    })
}

/// The command of the player on a board against a computer, which has always played already.
fn against_computer(board: &Board, rng: &mut ChaCha8Rng) -> Option<Act> {
    let legal = board.progress.position.random_turn(rng)?;
    Some(match rng.random_range(0..100) {
        0..2 => Act::Resign,
        2..5 => Act::Nothing("hint"),
        5..7 => Act::Chat,
        7..10 => Act::Submit(legal),
        10..12 => Act::Turn("a1-z99".into()),
        _ if board.row.has("submitted") => Act::Confirm,
        _ => Act::Turn(legal),
    })
}

/// A random game of Shape Chess would never end. So its players build a row of five and one of three next to it,
/// each on one side of the board, and then place the stone between them: nine in a row are four points.
fn towards_an_end(board: &Board, seat: Seat) -> Option<String> {
    if GAMES[board.at.game].facts.name != "ShapeChess" {
        return None;
    }
    let row = match seat {
        Seat::First => "1",
        Seat::Second => "12",
    };
    let taken = board.progress.position.cells();
    "abcdeghif"
        .chars()
        .map(|column| format!("{column}{row}"))
        .find(|place| !taken.iter().any(|(name, _)| name == place))
}

/// The command of the waiting player.
fn waiting(board: &Board, seat: Seat, chatty: f64, rng: &mut ChaCha8Rng) -> Option<Act> {
    if board.row.offer().is_some_and(|(_, by)| by != seat) && rng.random_bool(0.6) {
        return Some(Act::Accept);
    }
    if rng.random_bool(chatty / 2.0) {
        return Some(Act::Chat);
    }
    let later = || {
        let mut position = board.progress.position.fork();
        let mut rng = ChaCha8Rng::from_seed([7; 32]);
        position.play(&position.random_turn(&mut rng)?).ok()?;
        position.random_turn(&mut rng)
    };
    Some(match rng.random_range(0..100) {
        0..3 => Act::Undo,
        3..7 => Act::Queue(vec![later()?]),
        7 => Act::Queue(vec![later()?, later()?]),
        8 => Act::Queue(vec!["off".into()]),
        9 => Act::Turn("a1-b1".into()),
        10 => Act::Propose,
        11..14 => Act::Accept,
        _ => return None,
    })
}
