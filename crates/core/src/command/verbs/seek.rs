//! `seek`: an open challenge to all players.

use pbmserv_games::Game;

use crate::command::playing::beginning::{TERMS, can_sit, no_room, options, start, terms};
use crate::command::wording::opponents::{what_is_sought, written};
use crate::command::{
    Argument, Change, Command, Context, Decision, Letter, Line, Reason, Refused, Run, Scope, Trailing,
    Undecided, WithoutPassword, Word,
};
use crate::letters::{Done, columns, wrap};
use crate::store::Seek;
use crate::table::{Player, PlayerId};

pub(crate) static SEEK: Command = Command {
    verb: "seek",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    takes_game_options: true,
    options: &TERMS,
    syntax: "GAME seek userid password [N] [-options] [--options]",
    summary: "an open challenge, for whoever wants to play",
    help: "Says that you want to play this game with these options against anybody, on one board, or on as many \
           boards as you say. GAME standings and list show it. If another player challenges you without \
           options, such a board begins at once. With GAME challenge alice bob, alice has the first turn, and \
           with GAME challenge bob alice, bob. Seek again to change the number or the options. The number 0 \
           ends it. The options are those of a challenge.",
    examples: &[
        "GAME seek alice fig7elk",
        "GAME seek alice fig7elk 3 --unrated",
        "GAME seek alice fig7elk 0",
    ],
    without_password: WithoutPassword::Known,
    run: Run::Player(seek),
    ..Command::USUAL
};

/// The most boards of one open challenge.
const MAX_SOUGHT: u32 = 100;

/// The width of the options of a challenge in a list, in characters.
const OPTIONS_WIDTH: usize = 36;

fn seek(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let (name, userid) = (game.facts.name, &player.userid);
    let count = match line.words.as_slice() {
        [] => 1,
        [word] => count(word)?,
        [_, surplus, ..] => {
            return Err(Refused::unreadable(Reason::SurplusWord("seek"))
                .about(surplus)
                .near(line.option_meant_by(surplus).into_iter().collect())
                .into());
        }
    };
    let (options, terms) = (options(game, line)?, terms(&line.server_options)?);
    start(game, &options, line)?;
    let subject = format!("{name} seek {userid}");
    if count == 0 {
        if context.store.seek(player.id, game)?.is_none() {
            return Err(Refused::impossible(format!("{userid} seeks no game of {name}.")).into());
        }
        let change = Change::EndSeek {
            player: player.id,
            game,
        };
        let sentence = format!("You seek no game of {name} any more.");
        return Ok(answer(player, subject, sentence, String::new(), change));
    }
    can_sit(context, player, &line.fixed[0])?;
    if let Some(sentence) = no_room(context, game, player, count, true)? {
        return Err(Refused::impossible(sentence).into());
    }
    let seek = Seek {
        player: player.id,
        userid: userid.clone(),
        game,
        left_over: count,
        options,
        terms,
        since: context.now,
    };
    let sentence = format!("You seek {}.", what_is_sought(&seek));
    let end = match line.by_token {
        Some(_) => format!("answer seek {name} 0"),
        None => format!("write {name} seek 0"),
    };
    let hint = format!(
        "{name} standings, list and who show it. If another player writes {name} challenge {userid} USERID, or the two \
         names in the other order, a board with these options begins at once. To end it, {end}."
    );
    Ok(answer(player, subject, sentence, hint, Change::Seek(seek)))
}

fn answer(player: &Player, subject: String, sentence: String, hint: String, change: Change) -> Decision {
    let done = Done {
        subject,
        sentence,
        hint,
    };
    Decision {
        changes: vec![change],
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    }
}

fn count(word: &Word) -> Result<u32, Undecided> {
    let is_number = word.text.bytes().all(|c| c.is_ascii_digit());
    let count = word
        .text
        .parse()
        .ok()
        .filter(|count| is_number && *count <= MAX_SOUGHT);
    count.ok_or_else(|| {
        let sentence = format!("The number of games sought is one from 0 to {MAX_SOUGHT}.");
        Refused::unreadable(sentence).about(word).into()
    })
}

/// The open challenge that a new board of these two players takes. If both seek, it is the one of the player who did
/// not write.
pub(crate) fn sought(
    context: &Context<'_>,
    game: &'static Game,
    players: &[Player],
    writers: &[PlayerId],
) -> Result<Option<Seek>, Undecided> {
    let [first, second] = players else { return Ok(None) };
    // A player who challenges another by name accepts the other's open challenge, not their own.
    let writer = players.iter().find(|player| writers.contains(&player.id));
    let candidates = match writer {
        Some(writer) if writer.id == first.id => vec![second],
        Some(_) => vec![first],
        None => vec![first, second],
    };
    for player in candidates {
        if let Some(seek) = context.store.seek(player.id, game)? {
            return Ok(Some(seek));
        }
    }
    Ok(None)
}

/// Open challenges as a table with a line above it; empty if there are none.
pub(crate) fn open_challenges(seeks: &[Seek]) -> String {
    if seeks.is_empty() {
        return String::new();
    }
    let mut rows = vec![
        ["Open challenge", "By", "Games", "Options"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for seek in seeks {
        let options = wrap(&written(seek), OPTIONS_WIDTH);
        let mut lines = options.lines();
        rows.push(vec![
            seek.game.facts.name.to_owned(),
            seek.userid.clone(),
            seek.left_over.to_string(),
            lines.next().unwrap_or_default().to_owned(),
        ]);
        rows.extend(lines.map(|line| vec![String::new(), String::new(), String::new(), line.to_owned()]));
    }
    columns(&rows)
}
