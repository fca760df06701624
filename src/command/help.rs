//! `help`: printed from the lists of commands and games.

use crate::games::{GAMES, Game};
use crate::letters::{Help, columns, wrap};
use crate::mail::Address;

use super::context::examples;
use super::line::{nearest, shorten};
use super::{
    Addressee, COMMANDS, Command, Context, Decision, Letter, Line, Refused, Rest, Scope, Stop, Verb, Word,
    find_verb, hidden,
};

pub(super) static HELP: Command = Command {
    verb: "help",
    aliases: &["?", "rules"],
    scope: Scope::Both,
    places: &[],
    rest: Rest::Words,
    takes_game_options: false,
    options: &[],
    syntax: "help [topic...]",
    summary: "help on a command, a game, or a topic",
    help: "Help on commands, tutorial, mail, ratings or clocks, on a command, or on a game: its rules, its options and how a turn is \
           written. No account is needed.",
    examples: &["help", "help tutorial", "help challenge", "GAME help"],
    run,
};

/// Topics that are neither a verb nor a game.
const TOPICS: [&str; 5] = ["commands", "tutorial", "mail", "ratings", "clocks"];

/// The most topics of one answer.
const MOST_TOPICS: usize = 10;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let server = &context.settings.address;
    let mut parts = Vec::new();
    let mut topics = Vec::new();
    if let Some(game) = line.game.filter(|_| line.words.is_empty()) {
        parts.push(game_help(game));
        topics.push(game.facts.name.to_owned());
    } else if line.words.is_empty() {
        parts.push(overview(server));
        topics.push("overview".to_owned());
    }
    if let Some(surplus) = line.words.get(MOST_TOPICS) {
        let sentence = format!("One mail brings help on at most {MOST_TOPICS} topics.");
        return Err(Refused::impossible(sentence).hiding(surplus).into());
    }
    for word in &line.words {
        parts.push(topic(word, line.game, server)?);
        topics.push(shorten(&word.text));
    }
    let help = Help {
        topic: topics.join(" "),
        text: parts.join("\n\n\n"),
    };
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    Ok(Decision::answer(Letter {
        to,
        ..Letter::answer(help.into())
    }))
}

fn topic(word: &Word, game: Option<&'static Game>, server: &Address) -> Result<String, Stop> {
    let text = word.text.to_ascii_lowercase();
    match text.as_str() {
        "commands" => return Ok(commands(server)),
        "tutorial" => return Ok(tutorial(game, server)),
        "mail" => return Ok(about_mail(server)),
        "ratings" => return Ok(about_ratings()),
        "clocks" => return Ok(about_clocks()),
        _ => {}
    }
    if let Some(game) = crate::games::find(&text) {
        return Ok(game_help(game));
    }
    match find_verb(&text, |_| true) {
        Verb::One(command) => Ok(command_help(command, game)),
        Verb::Several(verbs) => {
            let sentence = format!("\"{}\" could mean {}.", shorten(&text), verbs.join(" or "));
            Err(Refused::new(super::Kind::Ambiguous, sentence).about(word).into())
        }
        Verb::Unknown => {
            let verbs = COMMANDS.iter().map(|command| command.verb);
            let games = GAMES.iter().map(|game| game.facts.name);
            let near = nearest(
                &text,
                TOPICS.into_iter().chain(verbs).chain(games).map(str::to_owned),
            );
            let refused = if near.is_empty() && !hidden::is_plainly_no_password(&word.text) {
                Refused::unreadable("There is no help on that.").hiding(word)
            } else {
                let sentence = format!("There is no help on \"{}\".", shorten(&word.text));
                Refused::unreadable(sentence).about(word)
            };
            let refused = Refused {
                show_syntax: near.is_empty(),
                ..refused
            };
            Err(refused.near(near).into())
        }
    }
}

/// The few lines that stand under an answer to a mail that was not understood.
pub(super) fn short(server: &Address) -> String {
    let game = GAMES.first().map_or("GAME", |game| game.facts.name);
    let text = format!(
        "Commands are written as the subject of a mail to {server}, for example:\n\n\
         \x20 help\n\x20 help tutorial\n\x20 signup USERID PASSWORD\n\x20 {game} challenge USERID USERID\n\x20 {game} help"
    );
    wrap(&text, 72)
}

fn overview(server: &Address) -> String {
    [
        wrap(
            &format!(
                "This is a play-by-mail game server. You write a command as the subject of a mail to {server}; \
                 the rules are judged here, and the boards come by mail."
            ),
            72,
        ),
        format!("The games:\n\n{}", games()),
        format!("The commands:\n\n{}", command_table()),
        wrap(
            "More: help tutorial (from here to a first turn), help commands (all of them in full), help mail (how \
             your mails are read), help ratings, help clocks, help and the name of a command or a game.",
            72,
        ),
    ]
    .join("\n\n")
}

/// The games served, each with what it is about.
pub(super) fn games() -> String {
    let game = |game: &Game| {
        let summary = wrap(game.facts.summary, 66).replace('\n', "\n      ");
        format!("  {}\n      {summary}", title(game))
    };
    GAMES.iter().map(game).collect::<Vec<_>>().join("\n")
}

/// `Pow2 (The Power of Two)`, or the name alone if it is the title.
fn title(game: &Game) -> String {
    let facts = game.facts;
    if facts.title == facts.name {
        facts.name.to_owned()
    } else {
        format!("{} ({})", facts.name, facts.title)
    }
}

fn command_table() -> String {
    let rows: Vec<_> = COMMANDS
        .iter()
        .map(|command| {
            let name = if command.scope == Scope::Game {
                format!("  GAME {}", command.verb)
            } else {
                format!("  {}", command.verb)
            };
            vec![name, command.summary.to_owned()]
        })
        .collect();
    columns(&rows)
}

fn commands(server: &Address) -> String {
    let head = wrap(
        &format!(
            "Each command is the subject of a mail to {server}. GAME is the name of a game; case does not matter \
             but in passwords; a verb may be shortened to three letters or more if that is enough to tell it apart; \
             [brackets] mark what may be left out."
        ),
        72,
    );
    let each = COMMANDS.iter().map(|command| command_help(command, None));
    std::iter::once(head).chain(each).collect::<Vec<_>>().join("\n\n")
}

fn command_help(command: &Command, game: Option<&'static Game>) -> String {
    let mut parts = vec![command.syntax_for(game), wrap(command.help, 72)];
    let listed: Vec<_> = examples(command, game)
        .iter()
        .map(|example| format!("  {example}"))
        .collect();
    parts.push(format!("For example:\n\n{}", listed.join("\n")));
    if !command.aliases.is_empty() {
        parts.push(format!("Also written: {}.", command.aliases.join(", ")));
    }
    parts.join("\n\n")
}

fn game_help(game: &'static Game) -> String {
    let facts = game.facts;
    let mut parts = vec![
        title(game),
        wrap(&format!("Invented by {}.", facts.designer), 72),
        facts.rules.trim_end().to_owned(),
        wrap(&format!("How a turn is written: {}", facts.notation), 72),
    ];
    if !facts.options.is_empty() {
        let row = |option: &crate::games::OptionFact| {
            let name = match option.range {
                Some(range) => format!("  -{}=N", option.name).replace("=N", &format!("={}", range.default)),
                None => format!("  -{}", option.name),
            };
            let range = option
                .range
                .map(|range| format!(" ({range}, normally {})", range.default))
                .unwrap_or_default();
            let words = wrap(&format!("{}{range}", option.help), 60);
            format!(
                "{name}\n{}",
                words
                    .lines()
                    .map(|line| format!("      {line}"))
                    .collect::<Vec<_>>()
                    .join("\n")
            )
        };
        let rows: Vec<_> = facts.options.iter().map(row).collect();
        parts.push(format!("Options of a challenge:\n\n{}", rows.join("\n")));
    }
    let commands = COMMANDS.iter().filter(|command| command.scope != Scope::Server);
    let lines: Vec<_> = commands
        .filter_map(|command| {
            examples(command, Some(game))
                .into_iter()
                .find(|e| e.starts_with(facts.name))
        })
        .map(|line| format!("  {line}"))
        .collect();
    parts.push(format!("An example of each command:\n\n{}", lines.join("\n")));
    parts.push(wrap(&format!("Source: {}", facts.source), 72));
    parts.join("\n\n")
}

fn tutorial(game: Option<&'static Game>, server: &Address) -> String {
    let facts = game.or_else(|| GAMES.first()).map(|game| game.facts);
    let (name, turn) = facts.map_or(("GAME", "MOVE"), |facts| {
        (facts.name, super::context::example_turn(facts))
    });
    let text = include_str!("tutorial.txt");
    let text = text
        .replace("{server}", server.as_str())
        .replace("{game}", name)
        .replace("{turn}", turn);
    wrap(&text, 72)
}

fn about_mail(server: &Address) -> String {
    wrap(&include_str!("mail.txt").replace("{server}", server.as_str()), 72)
}

fn about_clocks() -> String {
    wrap(include_str!("clocks.txt"), 72)
}

fn about_ratings() -> String {
    wrap(include_str!("ratings.txt"), 72)
}
