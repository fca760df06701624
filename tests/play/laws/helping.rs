//! What the help shows is what the server does: its examples are read as what they claim, and its boards and words are made
//! by the rules.

use pbmserv_core::command::COMMANDS;
use pbmserv_games::kit::words::list;
use pbmserv_games::{Display, GAMES, Game, Match, Options};

use super::{ALICE, alice_and_bob, ask};

/// The example in the help of a game: a board, what the first turn did, a board, what the second did, a board.
fn example(game: &Game) -> [String; 5] {
    let facts = game.facts;
    let options = Options::parse(facts, facts.worked.options.iter().copied()).unwrap();
    let mut position = game.start(&options).unwrap();
    for turn in facts.worked.before {
        assert_eq!(position.play(turn).as_deref(), Ok(*turn));
    }
    let board = |position: &dyn Match| {
        let drawn = position.draw(Display::Small);
        words(drawn.rsplit("\n\n").next().unwrap())
    };
    let start = board(position.as_ref());
    let [first, second] = facts.worked.turns.map(|(turn, why)| {
        let side = facts.sides[position.to_move().unwrap().index()];
        let effects = position.effects(&[turn.to_owned()]);
        assert_eq!(
            position.play(turn).as_deref(),
            Ok(turn),
            "the turn is written in full"
        );
        let played = match turn.split_once(':') {
            Some((dice, play)) if facts.has_dice => {
                let (high, low) = dice.split_at(1);
                format!("{side} played {} with {high}-{low}", play.replace(',', " "))
            }
            _ => format!("{side} played {turn}"),
        };
        let told = std::iter::once(played).chain(effects);
        (format!("{}. {why}", list(told)), board(position.as_ref()))
    });
    [start, first.0, first.1, second.0, second.1]
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_help_of_a_game_shows_three_boards_with_what_the_turns_between_them_did() {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let name = game.facts.name;
        let [help] = ask(&stage, ALICE, &format!("help {name}"))
            .await
            .try_into()
            .unwrap();
        let text = words(&help.text);
        let mut rest = text.as_str();
        for part in example(game) {
            let at = rest
                .find(&part)
                .unwrap_or_else(|| panic!("{name}: {part}\nis not in\n{rest}"));
            rest = &rest[at + part.len()..];
        }
        let last = game.facts.worked.turns[1].0;
        assert!(
            !example(game)[3].contains(&format!("{last}.")),
            "{name}: the second turn does something"
        );
    }
    stage.close().await;
}

/// The verbs of the lines that the tutorial sets off, in its order.
const TAUGHT: [&str; 13] = [
    "signup",
    "help",
    "challenge",
    "who",
    "seek",
    "preview",
    "move",
    "show",
    "queue",
    "games",
    "chat",
    "set",
    "resign",
];

#[tokio::test]
async fn every_line_of_the_tutorial_is_read_as_what_it_teaches() {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let name = game.facts.name;
        let subject = format!("{name} help tutorial");
        let [help] = ask(&stage, ALICE, &subject).await.try_into().unwrap();
        let shown = help.text.lines().filter_map(|line| line.strip_prefix("  "));
        let mut turns = 0;
        let mut taught = Vec::new();
        for line in shown.filter(|line| !line.starts_with(' ')) {
            let mut board = game.start(&Options::none(game.facts)).unwrap();
            if board.play_all(line).is_ok() {
                turns += 1;
                continue;
            }
            let read = COMMANDS.read_line(line);
            let read = read.unwrap_or_else(|misread| panic!("{line}: {:?}", misread.refused));
            assert!(!line.contains('{'), "{line}");
            taught.push(read.command.verb);
        }
        assert_eq!((turns, taught.as_slice()), (1, &TAUGHT[..]), "{name}");
    }
    stage.close().await;
}

#[tokio::test]
async fn the_help_of_a_game_has_an_example_of_each_command_for_that_game() {
    let stage = alice_and_bob().await;
    for game in GAMES {
        let name = game.facts.name;
        let [help] = ask(&stage, ALICE, &format!("{name} rules"))
            .await
            .try_into()
            .unwrap();
        let (_, lines) = help.text.split_once("An example of each command:").unwrap();
        let lines = lines.lines().filter_map(|line| line.strip_prefix("  "));
        let verbs: Vec<_> = lines
            .map(|line| {
                assert!(line.starts_with(name), "{line}");
                let read = COMMANDS.read_line(line);
                read.unwrap_or_else(|misread| panic!("{line}: {:?}", misread.refused))
                    .command
                    .verb
            })
            .collect();
        let all = COMMANDS
            .iter()
            .filter(|command| command.examples.iter().any(|line| line.starts_with("GAME")));
        let all: Vec<_> = all.map(|command| command.verb).collect();
        assert_eq!(verbs, all, "{name}");
    }
    stage.close().await;
}
