//! `set`: how a player wants to see the boards.

use crate::games::{Display, GAMES, Game};
use crate::letters::Done;

use super::line::nearest;
use super::{
    Addressee, Change, Command, Context, Decision, Letter, Line, Place, Refused, Rest, Scope, Stop, Word,
};

pub(super) static SET: Command = Command {
    verb: "set",
    aliases: &["display"],
    scope: Scope::Both,
    places: &[Place::Userid, Place::Password],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "set userid password [small|large]",
    summary: "chooses how boards are shown",
    help: "Chooses the small or the large board, for one game or, without the name of a game, for all. Without \
           a choice it tells what is set.",
    examples: &["GAME set alice secret1 small", "set alice secret1 large"],
    run,
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let player = context.prove(line)?;
    let games: Vec<&'static Game> = line
        .game
        .map_or_else(|| GAMES.iter().collect(), |game| vec![game]);
    let name = line
        .game
        .map_or_else(|| "all games".to_owned(), |game| game.facts.name.to_owned());
    let display = match line.words.as_slice() {
        [] => return Ok(settings(context, &player.userid, player.id, &games)?),
        [word] => display(word),
        [_, surplus, ..] => Err(Refused::unreadable("One choice at a time: small or large.")
            .about(surplus)
            .into()),
    };
    let display = display.map_err(|stop| stop.proven_by(player.id))?;
    let changes = games
        .into_iter()
        .map(|game| Change::Display {
            player: player.id,
            game,
            display,
        })
        .collect();
    let sentence = format!(
        "{} now gets the {} board of {name}.",
        player.userid,
        display.word()
    );
    let subject = line
        .game
        .map_or_else(String::new, |game| format!("{} ", game.facts.name));
    let done = Done {
        subject: format!("{subject}set {}", player.userid),
        sentence,
        hint: String::new(),
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(done.into())
    };
    Ok(Decision {
        changes,
        letters: vec![letter],
        proven: Some(player.id),
    })
}

fn display(word: &Word) -> Result<Display, Stop> {
    let all = [Display::Small, Display::Large];
    let found = all
        .into_iter()
        .find(|display| display.word().eq_ignore_ascii_case(&word.text));
    found.ok_or_else(|| {
        let mut near = nearest(&word.text, all.map(|display| display.word().to_owned()));
        if near.is_empty() {
            near = all.map(|display| display.word().to_owned()).to_vec();
        }
        Refused::unreadable("The board can be set to small or large.")
            .about(word)
            .near(near)
            .into()
    })
}

fn settings(
    context: &Context<'_>,
    userid: &str,
    player: crate::table::PlayerId,
    games: &[&'static Game],
) -> Result<Decision, super::Fault> {
    let mut lines = Vec::new();
    for game in games {
        lines.push(format!(
            "  {}: {}",
            game.facts.name,
            context.store.display(player, game)?.word()
        ));
    }
    let done = Done {
        subject: format!("set {userid}"),
        sentence: format!("These boards {userid} gets:"),
        hint: lines.join("\n"),
    };
    let letter = Letter {
        to: Addressee::Player(player),
        ..Letter::answer(done.into())
    };
    Ok(Decision {
        proven: Some(player),
        ..Decision::answer(letter)
    })
}
