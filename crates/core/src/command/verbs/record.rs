//! `record`: sends a game as a file that any later version can replay.

use pbmserv_games::tagged::Tagged;
use pbmserv_games::{GAMES, Game};

use crate::command::wording::board::subject;
use crate::command::wording::planned::is_private;
use crate::command::{
    Addressee, AnswerWord, Argument, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run, Scope,
    Topic, Undecided,
};
use crate::letters::{Done, MAX_TEXT_BYTES};
use crate::table::{Board, End};
use pbmserv_mail::outbox::wire_bytes;

/// The longest record for a mail from nobody's address, in bytes as it is sent.
const MAX_FOR_A_STRANGER: usize = 12_000;

pub(crate) static RECORD: Command = Command {
    verb: "record",
    scope: Scope::Game,
    arguments: &[Argument::Board],
    options: &["sgf", "pgn", "mat", "json"],
    syntax: "GAME record board [--sgf] [--pgn] [--mat] [--json]",
    summary: "a game as a file, with all its turns",
    help: "Sends the record of a game as an attached file, whether the game is running or finished. It has the \
           players, the options, all turns and the result, and as comments the advice of computers and what the players have written on its turns (see comment). It is plain text that people can read and programs \
           can replay. A board that was removed has no record.\n\n\
           --sgf sends it in the Smart Game Format, which other programs read, of games that are written in it; --pgn as programs \
           for chess (PGN) and for draughts (PDN) write it, and --mat as those for backgammon do. --json \
           sends a finished game as a record of Abstract Play.",
    examples: &["GAME record 101"],
    in_answer: InAnswer::Alone,
    answer_words: &[AnswerWord {
        word: "record",
        rank: 7,
        note: |board, _| {
            let is_finished = matches!(board.end, Some(End::Finished(_)));
            is_finished.then(|| " (the game as a file)".to_owned())
        },
    }],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let board = context.board(context.game(line)?, &line.fixed[0])?;
    let name = board.name();
    let known = line
        .by_token
        .map_or_else(|| context.known_senders(), |player| Ok(vec![player]))?;
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    let reader = board.players.iter().find(|player| known.contains(&player.id));
    let own = match reader {
        Some(reader) if is_private(context, &board, &to, reader)? => Some(reader.id),
        _ => None,
    };
    let Some(record) = context.store.record_of(&board, own, &[])? else {
        let sentence = match board.end {
            Some(End::Void) => format!("{name} is void: it has no record."),
            _ => format!("{name} was removed: it has no record."),
        };
        return Err(Refused::impossible(sentence).into());
    };
    let (text, kind) = match format(line)? {
        Format::Own => (record.to_string(), "txt"),
        Format::Sgf => (record.sgf().ok_or_else(|| no_sgf(board.game))?, "sgf"),
        Format::Tagged => {
            let kind = board.game.tagged.map_or("pgn", Tagged::extension);
            (record.tagged().ok_or_else(|| no_pgn(board.game))?, kind)
        }
        Format::Mat => {
            let no_mat = || not_written(board.game, ".mat", |game| game.mat.is_some());
            (record.mat().ok_or_else(no_mat)?, "mat")
        }
        Format::Json => {
            let turns = context.store.turns(board.id)?;
            let site = format!("pbmserv at {}", context.settings.own.present().domain());
            let json = board.game_record(&turns, &site, context.now).ok_or_else(|| {
                Refused::impossible(format!(
                    "{name} is not finished, and Abstract Play's records are of finished games."
                ))
            })?;
            (json, "json")
        }
    };
    // A truncated record would be the record of another game.
    if text.len() > MAX_TEXT_BYTES {
        return Err(Refused::impossible(format!("The record of {name} is too long for a mail.")).into());
    }
    if known.is_empty() && wire_bytes(&text) > MAX_FOR_A_STRANGER {
        let sentence = format!(
            "The record of {name} is too long for an answer to somebody unknown: write from the address of your account."
        );
        return Err(Refused::impossible(sentence).into());
    }
    let file = format!("{}-{}.{kind}", board.game.facts.name, board.number);
    let done = Done {
        subject: subject(&board, reader),
        sentence: sentence(&board, &file),
        hint: String::new(),
    };
    let letter = Letter {
        to,
        attachment: Some((file, text)),
        topic: Topic::Record,
        ..Letter::answer(done.into()).on(board.game, board.number)
    };
    Ok(Decision::answer(letter))
}

/// What a record is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Own,
    Sgf,
    Tagged,
    Mat,
    Json,
}

fn format(line: &Line) -> Result<Format, Undecided> {
    let [first, rest @ ..] = line.server_options.as_slice() else {
        return Ok(Format::Own);
    };
    if let [second, ..] = rest {
        return Err(Refused::unreadable("A record is sent in one format.")
            .about(second)
            .into());
    }
    Ok(match first.text.to_ascii_lowercase().as_str() {
        "--sgf" => Format::Sgf,
        "--pgn" => Format::Tagged,
        "--mat" => Format::Mat,
        _ => Format::Json,
    })
}

/// The refusal for a game that has no custom in SGF, with those that have.
fn no_sgf(game: &Game) -> Refused {
    not_written(game, "SGF", |game| game.sgf.is_some())
}

fn no_pgn(game: &Game) -> Refused {
    not_written(game, "PGN or PDN", |game| game.tagged.is_some())
}

fn not_written(game: &Game, format: &str, is_written: fn(&Game) -> bool) -> Refused {
    let known = GAMES.iter().filter(|game| is_written(game));
    let known: Vec<_> = known.map(|game| game.facts.name).collect();
    Refused::impossible(format!(
        "{} is not written in {format}; of our games, these are: {}.",
        game.facts.title,
        known.join(", ")
    ))
}

/// `The record of Pow2 Board 101, alice against bob, finished after 12 turns, is attached as Pow2-101.txt.`
fn sentence(board: &Board, file: &str) -> String {
    let [first, second] = &board.players;
    let turns = match board.turns {
        0 => "before the first turn".to_owned(),
        1 => "after 1 turn".to_owned(),
        turns => format!("after {turns} turns"),
    };
    let (so_far, finished) = if board.end.is_some() {
        ("", "finished ")
    } else {
        (" so far", "")
    };
    format!(
        "The record{so_far} of {}, {} against {}, {finished}{turns}, is attached as {file}.",
        board.name(),
        first.userid,
        second.userid
    )
}
