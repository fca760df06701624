//! The letter about a line of turns.

use pbmserv_games::Display;
use pbmserv_games::kit::words::list;
use pbmserv_games::record::Record;

use crate::command::playing::trying::{Tried, TriedTurn, line_in_path, state, texts};
use crate::command::wording::board::subject;
use crate::command::{Addressee, Context, Letter, Topic, Undecided};
use crate::letters::{Button, TriedMail, wrap};
use crate::table::{Board, PlayerId, Position};

/// A longer line is told by its number of turns.
const MAX_SAID: usize = 12;

/// How wide the text about a turn is: the narrowest that a reader can choose, with its indentation.
const WIDTH: usize = 50;

pub(crate) fn said(turns: &[TriedTurn]) -> String {
    match turns.len() {
        ..=MAX_SAID => texts(turns).join(" "),
        many => format!("{many} turns"),
    }
}

/// The board, and after which of its turns a line begins there.
pub(crate) fn place(board: &Board, after: usize) -> String {
    match after {
        all if all == board.turns as usize => board.name(),
        0 => format!("{} from the start", board.name()),
        after => format!("{} after turn {after}", board.name()),
    }
}

/// The answer that drops the line of this name.
fn drops(name: &str) -> Button {
    Button {
        label: "drops this line".to_owned(),
        word: format!("try {name} off"),
    }
}

/// The letter about a line.
pub(crate) fn letter(
    context: &Context<'_>,
    board: &Board,
    player: Option<PlayerId>,
    (position, after): (&Position, usize),
    (tried, sentence, kept): (Tried, String, Option<&str>),
) -> Result<Letter, Undecided> {
    let reader = match player {
        Some(player) => Some(player),
        None => context.reader()?,
    };
    let display = match reader {
        Some(reader) => context.store.display(reader, board.game)?,
        None => Display::default(),
    };
    let seat = player.and_then(|player| board.seat_of(player));
    let is_running = board.end.is_none() && after == board.turns as usize;
    let first: Vec<_> = tried
        .turns
        .iter()
        .take_while(|turn| is_running && Some(turn.seat) == seat)
        .map(|turn| turn.text.as_str())
        .collect();
    let action = (!first.is_empty()).then(|| Button {
        label: format!("Play {}", first.join(", ")),
        word: first.join(","),
    });
    let turns = texts(&tried.turns);
    let mail = TriedMail {
        sentence,
        board: tried.game.draw(display),
        table: turn_table(&tried.turns, after, board.game.facts.sides),
        hint: state(tried.game.as_ref()),
        walk: format!("/try/{after}/{}/{}", line_in_path(&turns), turns.len()),
        action,
        answers: kept.map(drops).into_iter().collect(),
        ..TriedMail::default()
    };
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.iter().map(|turn| turn.text.clone()).collect();
    record.turns.extend(turns);
    let letter = addressed(board, (player, reader), mail);
    Ok(Letter {
        content: letter.content.showing(record.to_string()),
        ..letter
    })
}

/// Each turn with what it does.
fn turn_table(turns: &[TriedTurn], after: usize, sides: [&str; 2]) -> String {
    let row = |(number, turn): (usize, &TriedTurn)| {
        let does = match turn.effects.as_slice() {
            [] => turn.text.clone(),
            effects => format!("{}: {}", turn.text, list(effects.iter().map(String::as_str))),
        };
        let does = wrap(&does, WIDTH).replace('\n', "\n      ");
        format!("  {number}. {}\n      {does}", sides[turn.seat.index()])
    };
    let rows: Vec<_> = (after + 1..).zip(turns).map(row).collect();
    rows.join("\n")
}

/// To all addresses of the player who has proven to be its writer, since what is kept is private.
pub(crate) fn addressed(
    board: &Board,
    (player, reader): (Option<PlayerId>, Option<PlayerId>),
    mail: TriedMail,
) -> Letter {
    let seated = board.players.iter().find(|player| Some(player.id) == reader);
    let mail = TriedMail {
        subject: subject(board, seated),
        ..mail
    };
    let letter = Letter {
        to: player.map_or(Addressee::Sender, Addressee::Player),
        topic: Topic::Preview,
        ..Letter::answer(mail.into())
    };
    letter.on(board.game, board.number)
}
