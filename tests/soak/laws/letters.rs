//! Who gets letters, and who does not.

use std::collections::BTreeSet;

use super::{Step, Why};
use crate::clock::Tick;
use crate::deed::{Act, What};
use crate::mail::{Letter, Way};
use crate::view::{COMPUTER, Change, View, place};
use crate::world::Written;

pub(super) fn judge(view: &View, step: &Step<'_>) {
    let mut seen = BTreeSet::new();
    for letter in &step.effect.letters {
        goes_to_its_reader(view, step, letter);
        has_a_cause(view, step, letter);
        is_not_of_a_blocked_player(view, step, letter);
        tells_no_address(view, step, letter);
        // A flood of mails is answered mail by mail.
        let is_first = seen.insert((&letter.to, &letter.kind, letter.board, &letter.text));
        assert!(is_first || letter.text.is_empty(), "twice: {letter:?}");
    }
    all_hear(view, step);
    words_arrive(view, step);
    daily_mails(view, step);
    if let Why::Mail(mail, fate) = step.why {
        assert!(
            ["done", "refused", "ignored", "duplicate"].contains(fate),
            "{fate}"
        );
        let is_silent = ["ignored", "duplicate"].contains(fate);
        assert!(
            !is_silent || step.effect.letters.is_empty(),
            "{fate}, and letters"
        );
        assert!(
            !matches!(mail.way, Way::Automatic) || *fate == "ignored",
            "a program was answered"
        );
    }
}

/// The addresses at which a player is reached, before the step or after it.
fn reached(view: &View, step: &Step<'_>, player: usize) -> Vec<String> {
    let mut all = step.reached.get(&player).cloned().unwrap_or_default();
    all.extend(
        view.accounts
            .get(player)
            .map(|account| account.reached_at())
            .unwrap_or_default(),
    );
    all.sort();
    all.dedup();
    all
}

/// An address gets what is for its player, or the answer to its own mail, or the question whether it is a player's.
fn goes_to_its_reader(view: &View, step: &Step<'_>, letter: &Written) {
    let from = step.letter().map(|mail| mail.from.as_str());
    let is_sender = from == Some(&letter.to);
    let to = std::slice::from_ref(&letter.to);
    let may = match letter.player {
        // Also to one that is not confirmed yet.
        Some(player) if letter.kind == "question" => view.accounts[player].addresses().contains(&letter.to),
        Some(player) => reached(view, step, player).contains(&letter.to) || is_sender && letter.is_answer,
        None => {
            is_sender
                || step
                    .acting
                    .iter()
                    .any(|player| step.reached.get(player).is_some_and(|own| own.contains(&to[0])))
        }
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
    let of_board = |change: &&Change| {
        change
            .number(if change.table == "boards" { "id" } else { "board" })
            .map(place)
            == Some(board)
    };
    let mut changes = step.effect.changes.iter().filter(of_board);
    changes.find_map(|change| match change.table.as_str() {
        "warnings" if change.after("warned_at").is_some() => Some(Tick::Warn),
        "boards" if change.alters("reminded") && change.after("reminded").is_some() => Some(Tick::Remind),
        _ => None,
    })
}

/// News of a board goes to its players and watchers, and only if there are any.
fn has_a_cause(view: &View, step: &Step<'_>, letter: &Written) {
    if letter.is_answer {
        return;
    }
    let asks = |is_it: fn(&Act) -> bool| {
        step.asks(|what| matches!(what, What::On(at, act) if is_it(act) && view.by_place.get(at).copied() == letter.board))
    };
    let may = match (letter.kind.as_str(), letter.board) {
        ("board", Some(id)) => {
            let board = &view.boards[id];
            let reader = letter.player.expect("the reader of news");
            let is_over = board.row.is_over();
            let before = step.before.get(&id).map(|was| was.watchers.clone());
            let watchers = before.unwrap_or_else(|| view.watchers_of(id));
            let is_watcher = watchers
                .get(&reader)
                .is_some_and(|ends_only| !ends_only || is_over);
            let is_player = board.seat_of(reader).is_some();
            let tick = ticks(step, id);
            let is_prose = matches!(
                step.letter().map(|mail| &mail.way),
                Some(Way::Answer { deed: None, .. })
            );
            let has_news = step.is_news(id, board)
                || asks(|act| {
                    matches!(
                        act,
                        Act::Chat | Act::Propose | Act::Undo | Act::Accept | Act::Reject | Act::Rematch
                    )
                })
                || is_prose;
            let is_mover = tick.is_some() && board.mover() == Some(reader);
            is_mover || has_news && (is_player || is_watcher)
        }
        ("message", _) => step.asks(|what| matches!(what, What::Say(_))),
        ("digest", _) => letter
            .player
            .is_some_and(|player| step.digests.contains_key(&player) || step.acting.contains(&player)),
        ("proposal", _) => step.asks(|what| matches!(what, What::Begin(..))),
        ("forgot", _) => step
            .letter()
            .is_some_and(|mail| mail.deeds().iter().any(|deed| deed.begins(&["forgot"]))),
        ("announcement" | "guesses" | "unreachable" | "question" | "done", _) => true,
        _ => false,
    };
    assert!(may, "why does this go out? {letter:?}");
}

/// Who has blocked a player hears nothing that this player says or does, but what happens in their games.
fn is_not_of_a_blocked_player(view: &View, step: &Step<'_>, letter: &Written) {
    let Some(mail) = step.letter() else { return };
    let mut speakers = step
        .acting
        .iter()
        .copied()
        .chain(step.known.filter(|_| step.acting.is_empty()));
    let reader = letter.player.unwrap_or(COMPUTER);
    if speakers.any(|speaker| speaker != reader && view.blocks(reader, speaker)) {
        let is_of_game = letter
            .board
            .is_some_and(|board| step.is_news(board, &view.boards[board]));
        assert!(
            is_of_game || letter.is_answer || letter.kind == "guesses",
            "of a player who is blocked: {letter:?}"
        );
        assert!(
            mail.saying.is_empty() || !letter.text.contains(&mail.saying),
            "words of a player who is blocked: {letter:?}"
        );
    }
}

/// A letter names no address but those of its reader and of the mail that it answers.
fn tells_no_address(view: &View, step: &Step<'_>, letter: &Written) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "@.-_".contains(c);
    let words = letter
        .text
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(['.', '-']));
    for address in words.filter(|word| word.contains("@home") || word.contains("@work")) {
        let is_own = letter
            .player
            .into_iter()
            .chain(step.acting.iter().copied())
            .any(|player| {
                view.accounts[player].addresses().iter().any(|own| own == address)
                    || step
                        .reached
                        .get(&player)
                        .is_some_and(|own| own.iter().any(|own| own == address))
            });
        let is_readers = address == letter.to;
        let is_quoted = step.letter().is_some_and(|mail| {
            mail.deeds().iter().any(|deed| deed.line.contains(address)) || mail.from == address
        });
        let is_question = letter.kind == "question";
        let may = is_readers
            || (is_own || is_quoted)
                && (letter.is_answer
                    || is_question
                    || letter.player.is_some_and(|player| step.acting.contains(&player)));
        assert!(may, "the address {address} of another: {letter:?}");
    }
}

/// How many letters about a board a player got, and how many notes for the daily mail.
fn heard(step: &Step<'_>, board: usize, player: usize) -> (usize, usize) {
    let letters = step.effect.letters.iter();
    let own = letters
        .filter(|letter| letter.board == Some(board) && letter.player == Some(player))
        .count();
    let is_note = |change: &&Change| {
        change.table == "digest_news"
            && change.after("board").map(place) == Some(board)
            && change.owner() == Some(player)
    };
    (own, step.effect.changes.iter().filter(is_note).count())
}

/// Everybody who plays or watches a board that has changed is told once, at each of their addresses or in the daily mail.
fn all_hear(view: &View, step: &Step<'_>) {
    let is_batch = matches!(step.letter().map(|mail| &mail.way), Some(Way::Batch(_)));
    let began = step
        .effect
        .changes
        .iter()
        .filter(|change| change.table == "boards" && change.old.is_none());
    let began = began.filter_map(|change| change.after("id")).map(place);
    let changed = step
        .before
        .keys()
        .copied()
        .filter(|id| step.is_news(*id, &view.boards[*id]))
        .chain(began);
    for id in changed {
        let board = &view.boards[id];
        let watchers = step
            .before
            .get(&id)
            .map_or_else(|| view.watchers_of(id), |was| was.watchers.clone());
        let watchers = watchers
            .into_iter()
            .filter(|(_, ends_only)| !ends_only || board.row.is_over());
        let readers: BTreeSet<usize> = watchers.map(|(player, _)| player).chain(board.players).collect();
        for reader in readers.into_iter().filter(|reader| *reader != COMPUTER) {
            let own = view.accounts[reader].reached_at().len();
            let (letters, notes) = heard(step, id, reader);
            let is_writer = step.is_writer(reader);
            let is_told = match letters {
                0 => is_writer || notes == 1 || own == 0 || is_batch && notes > 0,
                letters => notes == 0 && letters == own || is_batch || is_writer,
            };
            let name = board.at.name();
            assert!(
                is_told,
                "{reader} has {own} addresses, and {letters} letters and {notes} notes of {name}"
            );
            let is_same = letters <= own.max(1) || is_batch;
            assert!(is_same, "{reader} was told {letters} times of {name}");
        }
    }
    if !matches!(step.why, Why::Due) {
        return;
    }
    for id in step
        .before
        .keys()
        .filter(|id| !step.is_news(**id, &view.boards[**id]))
    {
        let (Some(tick), Some(mover)) = (ticks(step, *id), view.boards[*id].mover()) else {
            continue;
        };
        let account = &view.accounts[mover];
        let (letters, notes) = heard(step, *id, mover);
        let is_told = match tick {
            Tick::Remind if !account.wants("reminders") => letters + notes == 0,
            Tick::Remind if account.wants("digest") => letters == 0 && notes == 1,
            _ => letters == account.reached_at().len() && notes == 0,
        };
        assert!(
            is_told,
            "{tick:?}: {letters} letters and {notes} notes to {mover} of board {id}"
        );
    }
}

/// Words arrive at those for whom they are, and at nobody else.
fn words_arrive(view: &View, step: &Step<'_>) {
    let Why::Mail(
        mail @ Letter {
            way: Way::Subject(_) | Way::Answer { .. },
            ..
        },
        "done",
    ) = step.why
    else {
        return;
    };
    let (Some(deed), Some(&writer)) = (mail.deeds().first(), step.acting.first()) else {
        return;
    };
    let said: Vec<&Written> = step
        .effect
        .letters
        .iter()
        .filter(|letter| !letter.is_answer)
        .collect();
    match &deed.what {
        What::On(at, Act::Chat) => {
            let id = view.by_place[at];
            let players = view.boards[id].players;
            let other = players.into_iter().find(|player| *player != writer).unwrap();
            let (letters, notes) = heard(step, id, other);
            let own = view.accounts[other].reached_at().len();
            assert!(
                (letters, notes) == (own, 0) || (letters, notes) == (0, 1),
                "{letters} letters and {notes} notes to {other}"
            );
            let of_other = said.iter().filter(|letter| letter.player == Some(other));
            for letter in of_other {
                assert!(
                    letter.text.contains(&mail.saying),
                    "without the words: {letter:?}"
                );
            }
        }
        What::Say(to) => {
            let readers = said
                .iter()
                .filter(|letter| letter.kind == "message")
                .filter_map(|letter| letter.player);
            let readers: BTreeSet<usize> = readers.collect();
            let wants = |id: &usize| {
                let account = &view.accounts[*id];
                let is_here = !account.is_deleted() && !account.is_away() && !account.is_disabled();
                is_here
                    && account.wants("broadcasts")
                    && *id != writer
                    && !view.blocks(*id, writer)
                    && !account.reached_at().is_empty()
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
    let letters_to = |player: usize| {
        let letters = step.effect.letters.iter();
        letters.filter(move |letter| letter.kind == "digest" && letter.player == Some(player))
    };
    for (player, boards) in &step.digests {
        let account = &view.accounts[*player];
        // The same moment may have ended a board.
        let is_there = |board: &&usize| {
            step.before
                .get(*board)
                .is_none_or(|was| was.row.end() == view.boards[**board].row.end())
        };
        let boards: Vec<usize> = boards.iter().filter(is_there).copied().collect();
        let expected = if boards.is_empty() {
            0
        } else {
            account.reached_at().len()
        };
        let count = letters_to(*player).count();
        assert!(
            count == expected || boards.is_empty(),
            "{count} daily mails to {player}, of {boards:?}"
        );
        for letter in letters_to(*player) {
            for board in &boards {
                let name = view.boards[*board].at.name();
                assert!(
                    letter.text.contains(&name),
                    "the daily mail tells nothing of {name}: {}",
                    letter.text
                );
            }
        }
    }
    for change in step
        .effect
        .changes
        .iter()
        .filter(|change| change.table == "digest_news" && change.new.is_none())
    {
        let player = change.owner().unwrap();
        let board = change.number("board").map(place);
        let account = &view.accounts[player];
        let is_told = letters_to(player).count() > 0
            || step
                .effect
                .letters
                .iter()
                .any(|letter| letter.board == board && letter.player == Some(player));
        let is_gone = account.is_deleted() || account.is_away() || account.reached_at().is_empty();
        assert!(is_told || is_gone, "news was lost: {change:?}");
    }
}
