//! `accept`, `reject`, `limit`: whether a player can be challenged to a game, and to how many boards.

use pbmserv_games::Game;

use crate::command::vocabulary::is_digits;
use crate::command::{
    Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Reason, Refused, Run, Scope,
    Trailing, Undecided, WithoutPassword,
};
use crate::letters::Done;
use crate::table::{Player, Taking};

pub(crate) static ACCEPT: Command = Command {
    verb: "accept",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME accept userid password",
    summary: "takes challenges of a game again, after reject",
    help: "Takes challenges of a game again, after reject. At first you take the challenges of all games.\n\n\
           This does not answer an offer on a board. To accept a draw, for example, write accept instead of a \
           turn (GAME move board userid password accept), or on the first line of an answer to a mail about the \
           board.",
    examples: &["GAME accept alice fig7elk"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| words.is_empty(),
    run: Run::PlayerAfter {
        first: nothing_more,
        then: |context, line, player| open(context, line, player, true),
    },
    ..Command::USUAL
};

pub(crate) static REJECT: Command = Command {
    verb: "reject",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME reject userid password",
    summary: "takes no challenges of a game any more",
    help: "Takes no more challenges of a game, and ends your open challenges of it. Running boards go on. GAME \
           accept ends this.\n\n\
           This does not answer an offer on a board. To reject a draw, for example, write reject instead of a \
           turn (GAME move board userid password reject), or on the first line of an answer to a mail about the \
           board. To decline a board that has begun, use GAME resign.",
    examples: &["GAME reject alice fig7elk"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| words.is_empty(),
    run: Run::PlayerAfter {
        first: nothing_more,
        then: |context, line, player| open(context, line, player, false),
    },
    ..Command::USUAL
};

pub(crate) static LIMIT: Command = Command {
    verb: "limit",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME limit userid password [N|none]",
    summary: "how many boards of a game you play at a time",
    help: "Sets how many boards of a game you play at a time. If you have as many as that, no other board \
           begins, even if you are the challenger. Running boards go on. none removes the limit. Without a \
           number, the answer says what your limit is.",
    examples: &["GAME limit alice fig7elk 5", "GAME limit alice fig7elk none"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| {
        matches!(words, [] | ["none"]) || matches!(words, [most] if is_digits(most))
    },
    run: Run::Player(limit),
    ..Command::USUAL
};

const HIGHEST_LIMIT: u32 = 1000;

/// Refuses a word after the password.
fn nothing_more(context: &Context<'_>, line: &Line) -> Result<(), Undecided> {
    let game = context.game(line)?;
    match line.words.first() {
        None => Ok(()),
        Some(surplus) => Err(another_thing(game, line).pointing_at(surplus).into()),
    }
}

fn open(context: &Context<'_>, line: &Line, player: &Player, is_open: bool) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let before = context.store.taking(player.id, game)?;
    let taking = Taking { is_open, ..before };
    Ok(done(context, line, game, player, Some(taking))?)
}

/// The refusal of a word after the password. If it is the number of a board, the player meant an offer on it.
fn another_thing(game: &Game, line: &Line) -> Refused {
    let (name, verb) = (game.facts.name, line.command.verb);
    let is_board = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    if line.fixed.first().is_some_and(|word| is_board(&word.text)) {
        return Refused::impossible(format!(
            "{name} {verb} names no board: what is offered on one is answered in the place of a turn, with {verb} on the \
             first line of an answer to a letter about it."
        ));
    }
    Refused::unreadable(Reason::SurplusWord(verb))
}

fn limit(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let before = context.store.taking(player.id, game)?;
    let most = match line.words.as_slice() {
        [] => return Ok(done(context, line, game, player, None)?),
        [word] if ["none", "off", "-"].contains(&word.text.to_ascii_lowercase().as_str()) => Ok(None),
        [word] => match word.text.parse() {
            Ok(most) if most <= HIGHEST_LIMIT && word.text.bytes().all(|c| c.is_ascii_digit()) => {
                Ok(Some(most))
            }
            _ => Err(Refused::unreadable(format!(
                "A limit is a number of boards from 0 to {HIGHEST_LIMIT}, or none."
            ))
            .about(word)),
        },
        [_, surplus, ..] => Err(Refused::unreadable(Reason::SurplusWord("limit")).about(surplus)),
    };
    Ok(done(
        context,
        line,
        game,
        player,
        Some(Taking {
            most: most?,
            ..before
        }),
    )?)
}

/// The answer to one of these commands; `None` changes nothing.
fn done(
    context: &Context<'_>,
    line: &Line,
    game: &'static Game,
    player: &Player,
    new: Option<Taking>,
) -> Result<Decision, InternalError> {
    let (name, userid) = (game.facts.name, &player.userid);
    let taking = match new {
        Some(taking) => taking,
        None => context.store.taking(player.id, game)?,
    };
    let running = context.store.running(player.id, game)?;
    let running = match running {
        0 => "none is running".to_owned(),
        1 => "one is running".to_owned(),
        count => format!("{count} are running"),
    };
    let mut hint = String::new();
    let sentence = match taking {
        Taking { is_open: false, .. } => {
            hint = format!("To take boards again, write {name} accept.");
            format!("{userid} takes no boards of {name}; {running}.")
        }
        Taking { most: None, .. } => format!("{userid} takes any number of boards of {name}; {running}."),
        Taking { most: Some(1), .. } => {
            format!("{userid} takes one board of {name} at a time; {running}.")
        }
        Taking { most: Some(most), .. } => {
            format!("{userid} takes {most} boards of {name} at a time; {running}.")
        }
    };
    let mut changes = Vec::new();
    if let Some(taking) = new {
        changes.push(Change::Taking {
            player: player.id,
            game,
            taking,
        });
        if !taking.is_open && context.store.seek(player.id, game)?.is_some() {
            changes.push(Change::EndSeek {
                player: player.id,
                game,
            });
            hint = format!("What {userid} sought of {name} is ended. {hint}");
        }
    }
    let done = Done {
        subject: format!("{name} {} {userid}", line.command.verb),
        sentence,
        hint,
    };
    Ok(Decision {
        changes,
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    })
}
