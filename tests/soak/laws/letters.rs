//! Who gets letters, and who does not.

use std::collections::BTreeSet;

use super::boards::is_news;
use super::{Step, Why};
use crate::clock::Tick;
use crate::deed::{Act, What};
use crate::mail::{Letter, Way};
use crate::rows::Change;
use crate::view::{Account, COMPUTER, View, place};
use crate::world::Written;

pub(super) fn judge(view: &View, step: &Step<'_>) {
    let mut seen = BTreeSet::new();
    for letter in &step.effect.letters {
        goes_to_its_reader(view, step, letter);
        assert!(
            letter.is_answer || has_a_cause(view, step, letter),
            "why does this go out? {letter:?}"
        );
        is_not_of_a_blocked_player(view, step, letter);
        tells_no_address(view, step, letter);
        let is_first = seen.insert((&letter.to, &letter.kind, letter.board, &letter.text));
        assert!(is_first || letter.text.is_empty(), "twice: {letter:?}");
    }
    all_hear(view, step);
    words_arrive(view, step);
    daily_mails(view, step);
    if let Why::Mail(mail, fate) = step.why {
        let is_silent = ["ignored", "duplicate"].contains(fate);
        assert!(is_silent || ["done", "refused"].contains(fate), "{fate}");
        assert!(
            !is_silent || step.effect.letters.is_empty(),
            "{fate}, and letters"
        );
        assert!(
            !matches!(mail.way, Way::Automatic) || is_silent,
            "a program was answered"
        );
    }
}

/// Whether mail for a player goes to an address, before the step or after it.
fn is_of(view: &View, step: &Step<'_>, player: usize, address: &str) -> bool {
    let now = view.accounts.get(player).map(Account::reached_at);
    let mut before = step
        .effect
        .changes
        .iter()
        .filter(|change| change.table == "addresses");
    now.is_some_and(|now| now.iter().any(|own| own == address))
        || before.any(|change| {
            let old = change.old.as_ref().is_some_and(|old| old.has("confirmed_at"));
            old && change.owner() == Some(player) && change.text("address_key") == Some(address)
        })
}

/// An address gets what is for its player, or the answer to its own mail, or the question whether it is a player's.
fn goes_to_its_reader(view: &View, step: &Step<'_>, letter: &Written) {
    let is_sender = step.letter().is_some_and(|mail| mail.from == letter.to);
    let is_writers = || {
        step.acting
            .iter()
            .any(|player| is_of(view, step, *player, &letter.to))
    };
    let may = match letter.player {
        // Also to one that is not confirmed yet.
        Some(player) if letter.kind == "question" => view.accounts[player].addresses().contains(&letter.to),
        Some(player) => is_of(view, step, player, &letter.to) || is_sender && letter.is_answer,
        None => is_sender || is_writers(),
    };
    assert!(may, "this address is not its reader's: {letter:?}");
    let is_for_writer = is_sender || letter.player.is_none_or(|player| step.is_writer(player));
    let is_computer = matches!(step.why, Why::Computer(..));
    assert!(
        !letter.is_answer || is_computer || is_for_writer,
        "an answer to another: {letter:?}"
    );
}

/// Whether the clock of a board has reminded or warned its player in this step.
fn ticks(step: &Step<'_>, board: usize) -> Option<Tick> {
    let mut changes = step
        .effect
        .changes
        .iter()
        .filter(|change| change.board() == Some(board));
    changes.find_map(|change| match change.table.as_str() {
        "warnings" if change.new.is_some() => Some(Tick::Warn),
        "boards" if change.alters("reminded") && change.after("reminded").is_some() => Some(Tick::Remind),
        _ => None,
    })
}

/// News of a board goes to its players and watchers, and only if there are any.
fn has_a_cause(view: &View, step: &Step<'_>, letter: &Written) -> bool {
    let reader = letter.player;
    match (letter.kind.as_str(), letter.board) {
        ("board", Some(id)) => {
            let (board, reader) = (&view.boards[id], reader.unwrap());
            let watchers = step.watchers_before(view, id);
            let watches = watchers
                .get(&reader)
                .is_some_and(|ends_only| !ends_only || board.row.is_over());
            let is_told = |act: &Act| !matches!(act, Act::Queue(_) | Act::Submit(_) | Act::Nothing(_));
            let is_said =
                step.asks(|what| matches!(what, What::On(at, act) if *at == board.at && is_told(act)));
            let answer = step.letter().and_then(Letter::answer);
            let is_prose = answer.is_some_and(|answer| answer.deed.is_none());
            let has_news = is_news(step, id, board) || is_said || is_prose;
            let is_mover = ticks(step, id).is_some() && board.mover() == Some(reader);
            is_mover || has_news && (watches || board.seat_of(reader).is_some())
        }
        ("message", _) => step.asks(|what| matches!(what, What::Say(_))),
        ("proposal", _) => step.asks(|what| matches!(what, What::Begin(..))),
        ("digest", _) => {
            reader.is_some_and(|player| step.digests.contains_key(&player) || step.is_writer(player))
        }
        ("gazette", _) => reader.is_some_and(|player| view.accounts[player].wants("gazette")),
        (kind, _) => [
            "announcement",
            "guesses",
            "unreachable",
            "question",
            "done",
            "forgot",
        ]
        .contains(&kind),
    }
}

/// Who has blocked a player hears nothing that this player says or does, but what happens in their games.
fn is_not_of_a_blocked_player(view: &View, step: &Step<'_>, letter: &Written) {
    let (Some(mail), Some(reader)) = (step.letter(), letter.player) else {
        return;
    };
    let known = step.known.filter(|_| step.acting.is_empty());
    let mut speakers = step.acting.iter().copied().chain(known);
    if letter.is_answer || letter.kind == "guesses" || !speakers.any(|speaker| view.blocks(reader, speaker)) {
        return;
    }
    let is_of_game = letter
        .board
        .is_some_and(|board| is_news(step, board, &view.boards[board]));
    let has_words = !mail.saying.is_empty() && letter.text.contains(&mail.saying);
    assert!(is_of_game && !has_words, "of a player who is blocked: {letter:?}");
}

/// A letter names no address but those of its reader, and what the mail said that it answers.
fn tells_no_address(view: &View, step: &Step<'_>, letter: &Written) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "@.-_".contains(c);
    let words = letter.text.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_matches(['.', '-']));
    for address in words.filter(|word| word.contains("@home") || word.contains("@work")) {
        let is_for_writer = letter.is_answer || letter.player.is_some_and(|player| step.is_writer(player));
        let has = |player: &usize| {
            view.accounts[*player]
                .addresses()
                .iter()
                .any(|own| own == address)
        };
        let is_own = letter.player.iter().chain(&step.acting).any(has);
        let is_said = step.letter().is_some_and(|mail| {
            mail.from == address || mail.deeds().iter().any(|deed| deed.line.contains(address))
        });
        let is_former = step
            .acting
            .iter()
            .any(|player| is_of(view, step, *player, address));
        let may = address == letter.to || is_for_writer && (is_own || is_said || is_former);
        assert!(may, "the address {address} of another: {letter:?}");
    }
}

/// How many letters about a board a player got, and how many notes for the daily mail.
fn heard(step: &Step<'_>, board: usize, player: usize) -> (usize, usize) {
    let letters = step.effect.letters.iter();
    let letters = letters.filter(|letter| letter.board == Some(board) && letter.player == Some(player));
    let notes = step.effect.changes.iter().filter(|change| {
        let is_of_board = change.after("board").map(place) == Some(board);
        change.table == "digest_news" && is_of_board && change.owner() == Some(player)
    });
    (letters.count(), notes.count())
}

/// Everybody who plays or watches a board that has changed is told once, at each of their addresses or in the daily mail.
fn all_hear(view: &View, step: &Step<'_>) {
    let is_batch = matches!(step.letter().map(|mail| &mail.way), Some(Way::Batch(_)));
    let began = step.effect.changes.iter().filter(|change| change.begins());
    for id in began.filter_map(Change::board).chain(step.before.keys().copied()) {
        let board = &view.boards[id];
        if !is_news(step, id, board) {
            is_told_of_time(view, step, id);
            continue;
        }
        let watchers = step.watchers_before(view, id).into_iter();
        let watchers = watchers.filter(|(_, ends_only)| !ends_only || board.row.is_over());
        let readers: BTreeSet<usize> = watchers.map(|(player, _)| player).chain(board.players).collect();
        for reader in readers.into_iter().filter(|reader| *reader != COMPUTER) {
            let own = view.accounts[reader].reached_at().len();
            let (letters, notes) = heard(step, id, reader);
            // The answer to a list is one letter, and its writer has read the turn.
            let is_told = match letters {
                0 => step.is_writer(reader) || notes == 1 || own == 0 || is_batch && notes > 0,
                _ => {
                    is_batch
                        || letters <= own.max(1) && (letters == own && notes == 0 || step.is_writer(reader))
                }
            };
            let name = board.at.name();
            assert!(
                is_told,
                "{reader} has {own} addresses, and {letters} letters and {notes} notes of {name}"
            );
        }
    }
}

/// Who was reminded or warned got one letter.
fn is_told_of_time(view: &View, step: &Step<'_>, id: usize) {
    let (Some(tick), Some(mover), Why::Due) = (ticks(step, id), view.boards[id].mover(), step.why) else {
        return;
    };
    let account = &view.accounts[mover];
    let heard = heard(step, id, mover);
    let expected = match tick {
        Tick::Remind if !account.wants("reminders") => (0, 0),
        Tick::Remind if account.wants("digest") => (0, 1),
        _ => (account.reached_at().len(), 0),
    };
    assert_eq!(
        heard, expected,
        "{tick:?}: letters and notes to {mover} of board {id}"
    );
}

/// Words arrive at those for whom they are, and at nobody else.
fn words_arrive(view: &View, step: &Step<'_>) {
    let Why::Mail(mail, "done") = step.why else { return };
    let (Some(writer), [deed]) = (step.acting.first(), mail.deeds()) else {
        return;
    };
    let news = step.effect.letters.iter().filter(|letter| !letter.is_answer);
    match &deed.what {
        What::On(at, Act::Chat) => {
            let id = view.by_place[at];
            let mut players = view.boards[id].players.into_iter();
            let other = players.find(|player| player != writer).unwrap();
            let heard = heard(step, id, other);
            let own = view.accounts[other].reached_at().len();
            assert!(
                heard == (own, 0) || heard == (0, 1),
                "{heard:?} letters and notes to {other}"
            );
            let mut of_other = news.filter(|letter| letter.player == Some(other));
            assert!(
                of_other.all(|letter| letter.text.contains(&mail.saying)),
                "no words for {other}"
            );
        }
        What::Say(to) => {
            let messages = news.filter(|letter| letter.kind == "message");
            let readers: BTreeSet<usize> = messages.filter_map(|letter| letter.player).collect();
            let wants = |id: &usize| {
                let account = &view.accounts[*id];
                let hears = account.wants("broadcasts") && !view.blocks(*id, *writer);
                account.is_here() && hears && id != writer
            };
            let expected: BTreeSet<usize> = match to {
                Some(userids) => userids.iter().filter_map(|userid| view.account(userid)).collect(),
                None => (0..view.accounts.len()).filter(wants).collect(),
            };
            assert_eq!(readers, expected, "the readers of a message");
        }
        _ => {}
    }
}

/// A daily mail comes if something waits or has happened, and tells of every board of it; news is forgotten only then.
fn daily_mails(view: &View, step: &Step<'_>) {
    let letters = &step.effect.letters;
    let is_daily = |letter: &&Written, player| letter.kind == "digest" && letter.player == Some(player);
    for (player, boards) in &step.digests {
        // The same moment may have ended a board.
        let same = |board: &&usize| step.row_before(view, **board).end() == view.boards[**board].row.end();
        let boards: Vec<String> = boards
            .iter()
            .filter(same)
            .map(|board| view.boards[*board].at.name())
            .collect();
        let daily: Vec<&Written> = letters
            .iter()
            .filter(|letter| is_daily(letter, *player))
            .collect();
        let own = view.accounts[*player].reached_at().len();
        assert!(
            boards.is_empty() || daily.len() == own,
            "daily mails to {player}, of {boards:?}: {daily:?}"
        );
        for letter in daily {
            let missing = boards.iter().find(|board| !letter.text.contains(*board));
            assert_eq!(missing, None, "not in the daily mail: {}", letter.text);
        }
    }
    let changes = step.effect.changes.iter();
    for change in changes.filter(|change| change.table == "digest_news" && change.new.is_none()) {
        let (player, board) = (change.owner().unwrap(), change.number("board").map(place));
        let is_told = letters.iter().any(|letter| {
            is_daily(&letter, player) || letter.board == board && letter.player == Some(player)
        });
        assert!(
            is_told || !view.accounts[player].is_here(),
            "news was lost: {change:?}"
        );
    }
}
