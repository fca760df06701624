//! `help`: printed from the lists of commands and games.

use pbmserv_games::{GAMES, Game};

use crate::command::reading::near::{nearest, shorten};
use crate::command::vocabulary::example_turn;
use crate::command::wording::served::{games, title};
use crate::command::wording::worked::worked;
use crate::command::{
    Addressee, AnswerWord, Command, Commands, Context, Decision, InAnswer, Letter, Line, RefusalKind,
    Refused, Run, Scope, Trailing, Undecided, VerbMatch, WithoutPassword, Word,
};
use crate::letters::{Button, Help, columns, wrap};
use pbmserv_mail::Address;

pub(crate) static HELP: Command = Command {
    verb: "help",
    aliases: &["?", "rules"],
    scope: Scope::Both,
    trailing: Trailing::Words,
    syntax: "help [topic...]",
    summary: "help on a command, a game, or a topic",
    help: "Gives help on a topic (commands, tutorial, mail, ratings, clocks, fair play or dice), on a command, or on a game: its \
           rules, an example, its options and how a turn is written. You need no account.",
    examples: &["help", "help tutorial", "help challenge", "GAME help"],
    in_answer: InAnswer::Alone,
    without_password: WithoutPassword::Known,
    answer_words: &[AnswerWord {
        word: "help",
        rank: 6,
        note: |_, _| Some(String::new()),
    }],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

/// Help topics that are neither a verb nor a game.
const TOPICS: [&str; 7] = [
    "commands", "tutorial", "mail", "ratings", "clocks", "fair", "dice",
];

/// The topic of the help without one.
const OVERVIEW: &str = "overview";

/// The most topics in one answer.
const MAX_TOPICS: usize = 10;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let server = context.settings.own.present();
    let words = match line.words.as_slice() {
        [words @ .., last] if last.text.eq_ignore_ascii_case("please") => words,
        words => words,
    };
    let mut parts = Vec::new();
    let mut topics = Vec::new();
    if let Some(game) = line.game.filter(|_| words.is_empty()) {
        parts.push(game_help(context.commands, game));
        topics.push(game.facts.name.to_owned());
    } else if words.is_empty() {
        parts.push(overview(context.commands, server));
        topics.push(OVERVIEW.to_owned());
    }
    if let Some(surplus) = words.get(MAX_TOPICS) {
        let sentence = format!("One mail brings help on at most {MAX_TOPICS} topics.");
        return Err(Refused::impossible(sentence).hiding(surplus).into());
    }
    let mut named = named(words);
    let together: String = named.iter().map(|word| &*word.text).collect();
    if let Some(game) = pbmserv_games::find(&together) {
        parts.push(game_help(context.commands, game));
        topics.push(game.facts.name.to_owned());
        named = &[];
    }
    let fair_play = |at: usize| at > 0 && named[at - 1].text.eq_ignore_ascii_case("fair");
    for (at, word) in named.iter().enumerate() {
        if word.text.eq_ignore_ascii_case("play") && fair_play(at) {
            continue;
        }
        parts.push(topic(context.commands, word, line.game, server)?);
        topics.push(shorten(&word.text));
    }
    let topic = topics.join(" ");
    let text = parts.join("\n\n\n");
    let (opening, text) = text.split_once("\n\n").unwrap_or((&text, ""));
    let help = Help {
        page: page_of(&topic),
        choices: next(context, &topic),
        topic,
        opening: opening.to_owned(),
        text: text.to_owned(),
    };
    let to = line.by_token.map_or(Addressee::Sender, Addressee::Player);
    Ok(Decision::answer(Letter {
        to,
        ..Letter::answer(help.into())
    }))
}

/// Where a page for everybody shows the help on one topic: `games/Hex`, `help/mail`. Empty: none does.
fn page_of(topic: &str) -> String {
    match pbmserv_games::find(topic) {
        Some(game) => format!("games/{}", game.facts.name),
        None if topic == OVERVIEW => "help".to_owned(),
        None if topic.contains(' ') => String::new(),
        None => format!("help/{}", topic.to_ascii_lowercase()),
    }
}

/// What the help on this topic leads to.
fn next(context: &Context<'_>, topic: &str) -> Vec<Button> {
    let button = |word: &str, label: &str| Button {
        label: label.to_owned(),
        word: word.to_owned(),
    };
    let computers = &context.settings.computers;
    let game = pbmserv_games::find(topic).filter(|game| computers.play(game));
    match (game, computers.easiest()) {
        (Some(game), Some(computer)) => {
            let line = format!("{} challenge me {}", game.facts.name, computer.userid);
            vec![button(
                &line,
                &format!("Play {} against {}", game.facts.title, computer.userid),
            )]
        }
        _ if topic == OVERVIEW => vec![
            button("help tutorial", "Read how a first game goes"),
            button("who", "See who plays here"),
            button("help commands", "Read all commands in full"),
        ],
        _ => Vec::new(),
    }
}

/// Words without those that people put before a topic, as in `rules of hex` and `help with the clocks`.
fn named(words: &[Word]) -> &[Word] {
    const BEFORE_A_TOPIC: [&str; 7] = ["with", "about", "on", "for", "of", "the", "rules"];
    let is_topic = |word: &Word| {
        !BEFORE_A_TOPIC
            .iter()
            .any(|other| word.text.eq_ignore_ascii_case(other))
    };
    let from = words.iter().position(is_topic).unwrap_or(0);
    &words[from..]
}

fn topic(
    commands: &Commands,
    word: &Word,
    game: Option<&'static Game>,
    server: &Address,
) -> Result<String, Undecided> {
    let text = word.text.to_ascii_lowercase();
    match text.as_str() {
        "commands" => return Ok(all_commands(commands, server)),
        "tutorial" => return Ok(tutorial(game, server)),
        "mail" => return Ok(about_mail(server)),
        "ratings" => return Ok(about_ratings()),
        "clocks" => return Ok(about_clocks()),
        "fair" | "fairplay" | "bots" => return Ok(about_fair_play()),
        "dice" => return Ok(about_dice()),
        _ => {}
    }
    if let Some(game) = pbmserv_games::find(&text) {
        return Ok(game_help(commands, game));
    }
    match commands.find_verb(&text, |_| true) {
        VerbMatch::One(command) => Ok(command_help(command, game)),
        VerbMatch::Several(verbs) => {
            let sentence = format!("\"{}\" could mean {}.", shorten(&text), verbs.join(" or "));
            Err(Refused::new(RefusalKind::Ambiguous, sentence).about(word).into())
        }
        VerbMatch::Unknown => {
            let verbs = commands.iter().map(|command| command.verb);
            let games = GAMES.iter().map(|game| game.facts.name);
            let near = nearest(
                &text,
                TOPICS.into_iter().chain(verbs).chain(games).map(str::to_owned),
            );
            let refused = if near.is_empty() && !commands.is_plainly_no_password(&word.text) {
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

/// The help on a word, or the overview without one; `None` if there is none. For the pages.
pub fn help_on(commands: &Commands, word: Option<&str>, server: &Address) -> Option<String> {
    let Some(word) = word else {
        return Some(overview(commands, server));
    };
    let word = Word {
        text: word.to_owned(),
        at: 0..0,
    };
    topic(commands, &word, None, server).ok()
}

fn overview(commands: &Commands, server: &Address) -> String {
    [
        wrap(
            &format!(
                "This is a play-by-mail game server. Write a command as the subject of a mail to {server}. The \
                 server checks each turn by the rules of its game, and sends the boards by mail."
            ),
            72,
        ),
        format!("The games:\n\n{}", games()),
        format!("The commands:\n\n{}", command_table(commands)),
        wrap(
            "More help: help tutorial (from here to your first turn), help commands (all commands in full), help \
             mail (how your mails are read), help ratings, help clocks, help fair play (what help of computers is allowed), help dice (why nobody can choose a roll), and help with the name of a command or of a \
             game.",
            72,
        ),
    ]
    .join("\n\n")
}

fn command_table(commands: &Commands) -> String {
    let rows: Vec<_> = commands
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

fn all_commands(commands: &Commands, server: &Address) -> String {
    let (head, each) = every_command(commands, server);
    let each = each.into_iter().map(|(_, help)| help);
    std::iter::once(head).chain(each).collect::<Vec<_>>().join("\n\n")
}

/// What `help commands` says first, and each command with its help. For the page, which lists them at its top.
pub fn every_command(commands: &Commands, server: &Address) -> (String, Vec<(&'static Command, String)>) {
    let head = wrap(
        &format!(
            "Each command is the subject of a mail to {server}. GAME stands for the name of a game. Capital and \
             small letters are alike, except in passwords and where the help of a game says so. You can shorten a command to \
             its first letters, three or more, if no other command begins with them. What stands in [brackets] may \
             be left out."
        ),
        72,
    );
    let each = commands
        .iter()
        .map(|command| (*command, command_help(command, None)));
    (head, each.collect())
}

fn command_help(command: &Command, game: Option<&'static Game>) -> String {
    let mut parts = vec![command.syntax_for(game), wrap(command.help, 72)];
    let listed: Vec<_> = command
        .examples_for(game)
        .iter()
        .map(|example| format!("  {example}"))
        .collect();
    parts.push(format!("For example:\n\n{}", listed.join("\n")));
    if !command.aliases.is_empty() {
        parts.push(format!("Also written: {}.", command.aliases.join(", ")));
    }
    parts.join("\n\n")
}

fn game_help(commands: &Commands, game: &'static Game) -> String {
    let facts = game.facts;
    let mut parts = vec![
        title(game),
        wrap(&format!("Invented by {}.", facts.designer), 72),
        facts.rules.trim_end().to_owned(),
        wrap(&format!("How a turn is written. {}", facts.notation), 72),
        worked(game),
    ];
    if !facts.options.is_empty() {
        let row = |option: &pbmserv_games::OptionFact| {
            let name = match option.range {
                Some(range) => format!("  -{}=N", option.name)
                    .replace("=N", &format!("={}", range.written(range.default))),
                None => format!("  -{}", option.name),
            };
            let range = option
                .range
                .map(|range| format!(" ({range}, normally {})", range.written(range.default)))
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
    let commands = commands.iter().filter(|command| command.scope != Scope::Server);
    let lines: Vec<_> = commands
        .filter_map(|command| {
            command
                .examples_for(Some(game))
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
    let (name, turn) = facts.map_or(("GAME", "MOVE"), |facts| (facts.name, example_turn(facts)));
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

fn about_fair_play() -> String {
    wrap(include_str!("fair.txt"), 72)
}

fn about_dice() -> String {
    wrap(include_str!("dice.txt"), 72)
}

fn about_ratings() -> String {
    wrap(include_str!("ratings.txt"), 72)
}
