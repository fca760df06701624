//! `try`: walks a line of turns that nobody plays, and keeps it for its writer.

use crate::command::playing::tried_letter::{addressed, letter, place, said};
use crate::command::playing::trying::{texts, tried};
use crate::command::reading::tried::{TryLine, TryRequest, is_name};
use crate::command::{
    Argument, Change, Command, Context, Decision, InAnswer, Line, Refused, Run, Scope, Trailing, Undecided,
    Word,
};
use crate::letters::{Button, TriedMail};
use crate::store::KeptLine;
use crate::table::{Board, PlayerId, Position};

pub(crate) static TRY: Command = Command {
    verb: "try",
    aliases: &["tries"],
    scope: Scope::Game,
    arguments: &[Argument::Board],
    trailing: Trailing::Text("MOVE"),
    syntax: "GAME try board [at N] MOVE...",
    summary: "walks a line of turns on any position, unplayed",
    help: "Shows the board after a line of turns, for both sides in order: what each turn does, and who is to move. Nothing is \
           played, nobody else is told, and no computer helps. With at 14 the line begins after turn 14 of the board. If a \
           turn is not possible, you see the board before it and what the rules say.\n\n\
           In an answer to a mail about the board, write try and the turns on the first line. There you can keep a line under a \
           name with a hyphen or a digit: try as plan-b and the turns. Then try plan-b shows it, try plan-b off drops it, and \
           tries alone lists what you have kept. Nobody else sees that.",
    examples: &["GAME try 101 MOVE", "GAME try 101 at 0 MOVE"],
    in_answer: InAnswer::Line,
    run: Run::Public(run),
    ..Command::USUAL
};

/// The most lines that a player keeps on a board.
const MAX_KEPT: usize = 20;

/// The most bytes of a line that is kept.
const MAX_BYTES: usize = 1500;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let board = context.board(game, &line.fixed[0])?;
    let nothing = Word {
        text: String::new(),
        at: line.text.len()..line.text.len(),
    };
    let asked = TryRequest::of(line.turns.as_ref().unwrap_or(&nothing));
    if let (
        TryRequest::Line(TryLine {
            name: None,
            after,
            turns,
        }),
        None,
    ) = (&asked, line.by_token)
    {
        return shown(context, board, None, (*after, turns), None);
    }
    let Some(player) = line.by_token else {
        let sentence = "Lines are kept on your page of the board, or by an answer to a letter about it.";
        let word = line.turns.as_ref().unwrap_or(&nothing);
        return Err(Refused::impossible(sentence).pointing_at(word).into());
    };
    let kept = context.store.kept_lines(player, board.id)?;
    let found = |name: &Word| {
        let name = name.text.to_ascii_lowercase();
        kept.iter().find(|kept| kept.name == name)
    };
    let decided = match asked {
        TryRequest::List => listed(&board, player, &kept),
        TryRequest::Line(TryLine {
            name: None,
            after,
            turns,
        }) => shown(context, board, Some(player), (after, &turns), None),
        TryRequest::Line(TryLine {
            name: Some(name),
            after,
            turns,
        }) => keep(context, &board, player, (&kept, &name), (after, &turns)),
        TryRequest::Kept(name) => match found(&name) {
            Some(kept) => {
                let turns = Word {
                    text: kept.turns.clone(),
                    at: 0..0,
                };
                let line = (Some(kept.after as usize), &turns);
                shown(context, board, Some(player), line, Some(&kept.name))
            }
            None => Err(unknown(&board, &kept, &name).into()),
        },
        TryRequest::Off(name) => match found(&name) {
            Some(found) => Ok(dropped(&board, player, found)),
            None => Err(unknown(&board, &kept, &name).into()),
        },
    };
    let decided = decided.map(|decision| Decision {
        proven: Some(player),
        ..decision
    });
    match decided {
        // The answer to the refusal is about the board too.
        Err(Undecided::Refused(refused)) if refused.board.is_none() => {
            let board = context.board(game, &line.fixed[0])?;
            let position = context.position(&board)?;
            Err(Undecided::from(refused.on(board, position)).proven_by(player))
        }
        decided => decided.map_err(|stop| stop.proven_by(player)),
    }
}

/// The board after as many of its turns, and how many these are.
fn begun(context: &Context<'_>, board: &Board, after: Option<usize>) -> Result<(Position, usize), Undecided> {
    let turns = context.store.turns(board.id)?;
    let count = turns.len();
    let after = after.unwrap_or(count);
    if after > count {
        let sentence = format!(
            "{} has {count} turns: a line begins after one of them, or at 0.",
            board.name()
        );
        return Err(Refused::impossible(sentence).into());
    }
    Ok((board.replay(turns, after)?, after))
}

/// The letter that shows a line, which may be kept under this name.
fn shown(
    context: &Context<'_>,
    board: Board,
    player: Option<PlayerId>,
    (after, turns): (Option<usize>, &Word),
    name: Option<&str>,
) -> Result<Decision, Undecided> {
    let (position, after) = begun(context, &board, after)?;
    let mut tried = tried(position.game.as_ref(), turns);
    let place = place(&board, after);
    let title = name.map_or_else(|| "A try".to_owned(), |name| format!("Your line {name}"));
    let stopped = tried.stopped.take();
    let sentence = match stopped {
        Some(stopped) if tried.turns.is_empty() => {
            let refused = stopped.refused(context, board.game);
            return Err(refused.on(board, position).into());
        }
        Some(stopped) => {
            let at = match stopped.is_seen(context.commands) {
                true => format!(", before {}", stopped.word.text),
                false => String::new(),
            };
            let reason = stopped.reason(context, board.game);
            format!(
                "{title} on {place} stops after {}{at}. {reason} Nothing was played.",
                said(&tried.turns)
            )
        }
        None if tried.turns.is_empty() => format!("This is {place}."),
        None => format!("{title} on {place}: {}. Nothing was played.", said(&tried.turns)),
    };
    let letter = letter(
        context,
        &board,
        player,
        (&position, after),
        (tried, sentence, name),
    )?;
    Ok(Decision::answer(letter))
}

/// Keeps a line, and shows it.
fn keep(
    context: &Context<'_>,
    board: &Board,
    player: PlayerId,
    (kept, name): (&[KeptLine], &Word),
    (after, turns): (Option<usize>, &Word),
) -> Result<Decision, Undecided> {
    if !is_name(&name.text) {
        let sentence = "Not kept: the name of a line has a hyphen or a digit, and is too long for a turn, such as plan-b.";
        return Err(Refused::unreadable(sentence).hiding(name).into());
    }
    let name = name.text.to_ascii_lowercase();
    let is_new = kept.iter().all(|kept| kept.name != name);
    if is_new && kept.len() >= MAX_KEPT {
        let sentence = format!(
            "Not kept: you have {MAX_KEPT} lines on {} already. Write try, the name of one, and off to drop it.",
            board.name()
        );
        return Err(Refused::impossible(sentence).into());
    }
    let (position, after) = begun(context, board, after)?;
    let tried = tried(position.game.as_ref(), turns);
    if let Some(stopped) = tried.stopped {
        let refused = stopped.refused(context, board.game);
        let reason = format!("Not kept: {}", refused.reason);
        return Err(Refused { reason, ..refused }.into());
    }
    let line = texts(&tried.turns).join(" ");
    if line.is_empty() || line.len() > MAX_BYTES {
        let sentence = match line.is_empty() {
            true => "Not kept: the turns are missing after the name.".to_owned(),
            false => format!("Not kept: a line has at most {MAX_BYTES} letters."),
        };
        return Err(Refused::impossible(sentence).into());
    }
    let sentence = format!(
        "Kept as {name} on {}: {}. Nobody else sees it, and nothing was played.",
        place(board, after),
        said(&tried.turns)
    );
    let letter = letter(
        context,
        board,
        Some(player),
        (&position, after),
        (tried, sentence, Some(&name)),
    )?;
    let kept = KeptLine {
        name,
        after: u32::try_from(after).unwrap_or(u32::MAX),
        turns: line,
    };
    Ok(Decision {
        changes: vec![Change::KeepLine {
            player,
            board: board.id,
            kept,
        }],
        ..Decision::answer(letter)
    })
}

fn dropped(board: &Board, player: PlayerId, kept: &KeptLine) -> Decision {
    let sentence = format!("The line {} on {} is dropped.", kept.name, board.name());
    let tried = TriedMail {
        sentence,
        ..TriedMail::default()
    };
    Decision {
        changes: vec![Change::DropLine {
            player,
            board: board.id,
            name: kept.name.clone(),
        }],
        ..Decision::answer(addressed(board, (Some(player), Some(player)), tried))
    }
}

fn listed(board: &Board, player: PlayerId, kept: &[KeptLine]) -> Result<Decision, Undecided> {
    if kept.is_empty() {
        let sentence = format!(
            "You have kept no line on {}: write try as plan-b and the turns of the line.",
            board.name()
        );
        return Err(Refused::impossible(sentence).into());
    }
    let answer = |kept: &KeptLine| Button {
        label: format!(
            "shows the line of {} after turn {}",
            counted(kept.turns.split(' ').count()),
            kept.after
        ),
        word: format!("try {}", kept.name),
    };
    let tried = TriedMail {
        sentence: format!("You have kept {} on {}.", lines(kept.len()), board.name()),
        answers: kept.iter().map(answer).collect(),
        ..TriedMail::default()
    };
    Ok(Decision::answer(addressed(
        board,
        (Some(player), Some(player)),
        tried,
    )))
}

fn counted(turns: usize) -> String {
    match turns {
        1 => "one turn".to_owned(),
        many => format!("{many} turns"),
    }
}

fn lines(count: usize) -> String {
    match count {
        1 => "one line".to_owned(),
        many => format!("{many} lines"),
    }
}

fn unknown(board: &Board, kept: &[KeptLine], name: &Word) -> Refused {
    let sentence = format!("You have kept no line of that name on {}.", board.name());
    let near = kept.iter().map(|kept| format!("try {}", kept.name));
    Refused::impossible(sentence)
        .hiding(name)
        .near(near.take(3).collect())
}
