//! A game on the first line and the text of an answer to its board below it.

use pbmserv_core::command::COMMANDS;
use pbmserv_core::table::{Board, BoardId, NewBoard, Player, PlayerId, Presence, Seated, Terms};
use pbmserv_games::Seat;

/// Reads the bytes as an answer of the first player.
pub fn run(bytes: &[u8]) {
    let Some((first, body)) = super::first_line(bytes) else {
        return;
    };
    let Some((game, options)) = super::game_of(first) else {
        return;
    };
    let Ok(position) = game.start(&options) else {
        return;
    };
    let seated = |id, userid: &str| Seated {
        id: PlayerId(id),
        userid: userid.to_owned(),
    };
    let now = chrono::DateTime::UNIX_EPOCH;
    let new = NewBoard {
        game,
        number: 101,
        options,
        players: [seated(1, "alice"), seated(2, "bob")],
        terms: Terms::default(),
        dice: None,
    };
    let mut board = Board::begun(new, Some(Seat::First), [Presence::HERE; 2], now);
    board.id = BoardId(1);
    let player = Player {
        id: PlayerId(1),
        userid: "alice".to_owned(),
        password_hash: String::new(),
        generation: 1,
        away_since: None,
        disabled_at: None,
    };
    let subject = body.lines().next().unwrap_or_default();
    let answer = COMMANDS.read_reply(body, subject, &board, &player, position.as_ref());
    assert!(answer.doubt.is_none() || answer.commands.is_empty());
    assert!(answer.commands.len() <= 10);
    for (line, comment) in &answer.commands {
        assert_eq!(line.by_token, Some(player.id));
        // A comment is what was written, but for a password hidden in it.
        assert!(comment.len() <= 4 * body.len() + 4096);
    }
}
