use super::wish::Opponent;
use super::*;
use proptest::prelude::*;

fn read(subject: &str, text: &str) -> String {
    let Some(meant) = Meant::of(subject, text) else {
        return "-".to_owned();
    };
    let mut said = match &meant.intent {
        Intent::Play(wish) => {
            let game = wish.game.map_or("any", |game| game.facts.name);
            let against = match &wish.against {
                None => String::new(),
                Some(Opponent::Computer) => " against a computer".to_owned(),
                Some(Opponent::Anyone) => " against anyone".to_owned(),
                Some(Opponent::Userid(userid)) => format!(" against {userid}"),
            };
            let seat = wish.seat.map_or_else(String::new, |seat| format!(" as {seat:?}"));
            let size = wish.size.map_or_else(String::new, |size| format!(" size {size}"));
            format!("play {game}{against}{seat}{size}")
        }
        Intent::Help(game) => format!("help {}", game.map_or("", |game| game.facts.name))
            .trim_end()
            .to_owned(),
        Intent::League(game) => format!("league {}", game.map_or("any", |game| game.facts.name)),
        Intent::Ladder(game) => format!("ladder {}", game.map_or("any", |game| game.facts.name)),
        other => format!("{other:?}").to_lowercase(),
    };
    if meant.is_question {
        said.push('?');
    }
    if !meant.is_whole {
        said.push_str(" ...");
    }
    said
}

#[test]
fn people_say_it_in_nine_languages() {
    for (text, meant) in [
        ("I want to play against bot-easy", "play any against bot-easy"),
        ("play reversi with bot-easy", "play Reversi against bot-easy"),
        ("Reversi", "play Reversi"),
        ("join the Hex league", "league Hex"),
        (
            "I would like to play in the Reversi league, please",
            "league Reversi",
        ),
        ("Hex league?", "league Hex?"),
        ("Ich möchte in der Hex Liga mitspielen", "league Hex"),
        ("je veux participer au championnat de Hex", "league Hex"),
        ("Join the ladder!", "ladder any"),
        ("join the league of tom", "-"),
        ("Reversi?", "play Reversi?"),
        ("bot-easy", "play any against bot-easy"),
        ("play", "play any"),
        (
            "Hello, I'd like to play Hex against Tom please.",
            "play Hex against Tom",
        ),
        (
            "The Power of Two against the computer",
            "play Pow2 against a computer",
        ),
        (
            "Ich möchte Reversi gegen den Computer spielen",
            "play Reversi against a computer",
        ),
        ("je veux jouer contre l'ordinateur", "play any against a computer"),
        ("quiero jugar contra bot-easy", "play any against bot-easy"),
        (
            "voglio giocare a Hex contro il computer",
            "play Hex against a computer",
        ),
        ("quero jogar Reversi", "play Reversi"),
        ("ik wil graag Hex spelen tegen tom", "play Hex against tom"),
        (
            "chcę zagrać w Reversi z bot-easy",
            "play Reversi against bot-easy",
        ),
        (
            "хочу играть в Reversi против компьютера",
            "play Reversi against a computer",
        ),
        (
            "play reversi 6x6 as black against bot-hard",
            "play Reversi against bot-hard as First size 6",
        ),
        ("hex size 5, you start", "play Hex as Second size 5"),
        ("No thank you", "no"),
        ("Nein danke!", "no"),
        ("non merci", "no"),
        ("nie, dziękuję", "no"),
        ("no, gracias", "no"),
        ("no", "yesorno"),
        ("no dobra", "yes"),
        ("no, dzięki", "yes"),
        ("ok, no problem", "yes"),
        ("tak", "yes"),
        ("да", "yes"),
        ("yes please", "yes"),
        ("👍", "yes"),
        ("I don't want to play", "no"),
        ("Nein danke, ich spiele weiter", "no ..."),
        ("Me rindo, bien jugado", "resign ..."),
        ("decline", "no"),
        ("no draw", "no"),
        ("draw?", "draw?"),
        ("remis?", "draw?"),
        ("ничья?", "draw?"),
        ("ok, draw", "draw"),
        ("I resign", "resign"),
        ("Ich gebe auf.", "resign"),
        ("сдаюсь", "resign"),
        ("me rindo", "resign"),
        ("I resign. Well played!", "resign"),
        ("stop", "stop"),
        ("thanks", "courtesy"),
        ("thanks for the game tom!", "courtesy"),
        ("Vielen Dank!", "courtesy"),
        ("hello, how can I play?", "help?"),
        ("Hilfe", "help"),
        ("how do I play Hex?", "help Hex?"),
        ("rules of Reversi", "-"),
        ("ich möchte mitspielen", "join"),
        ("another game?", "again?"),
    ] {
        assert_eq!(read("", text), meant, "{text}");
    }
}

#[test]
fn prose_is_not_understood() {
    for text in [
        "I do not want to resign",
        "never resign",
        "yes, but later",
        "no, wait",
        "Reversi is a fine game",
        "a2-a3 please",
        "play with fire and water",
        "",
        "  ",
        "1234",
        "http://bot-easy",
    ] {
        assert_eq!(read("", text), "-", "{text}");
    }
}

#[test]
fn a_subject_and_later_lines_count() {
    for (subject, text, meant) in [
        ("Reversi", "", "play Reversi"),
        (
            "Hello",
            "I want to play reversi with bot-easy\n\nBob",
            "play Reversi against bot-easy",
        ),
        ("Hello", "", "courtesy"),
        ("Reversi", "Thanks!\nBob Miller", "play Reversi"),
        ("Reversi", "The forms are attached.", "play Reversi ..."),
        ("My first mail", "play hex", "play Hex"),
        ("Not now", "play hex", "no ..."),
        ("partie", "jouer à Reversi contre bob", "play Reversi against bob"),
        ("http://bot.example/", "play", "play any ..."),
        ("I never wrote that", "play hex", "play Hex ..."),
        ("", "I resign\nYou played better than I did.", "resign ..."),
        ("", "No thank you\nyes please", "no ..."),
    ] {
        assert_eq!(read(subject, text), meant, "{subject} / {text}");
    }
    let long = "yes ".repeat(10_000);
    assert_eq!(read(&long, &long), "-");
}

proptest! {
    #[test]
    fn anything_is_read(subject in "\\PC{0,120}", text in "\\PC{0,250}(\n\\PC{0,80}){0,12}") {
        let _ = Meant::of(&subject, &text);
    }

    #[test]
    fn a_word_that_nobody_knows_makes_it_no_order(
        said in "(play|Reversi|bot-easy|yes|no|resign|draw|stop|join|ja|nein|da|remis)",
        word in "q[a-z]{3,8}x",
        before in any::<bool>(),
    ) {
        let text = if before { format!("{word} {said}") } else { format!("{said} {word}") };
        prop_assert_eq!(Meant::of("", &text), None, "{}", text);
    }

    #[test]
    fn a_denial_makes_it_no_order(
        said in "(I resign|play Reversi|a draw|I accept|stop|play against bot-easy)",
        doubt in "(not|never|maybe|nicht|pas|nunca|niet|nie|не|but)",
        words in "([a-z]{3,8} ){0,3}",
    ) {
        for text in [
            format!("{doubt} {words}{said}"),
            format!("{said} {words}{doubt}"),
            format!("{said}, {words}{doubt}"),
        ] {
            let meant = Meant::of("", &text);
            let is_order = meant.is_some_and(|meant| meant.is_plain() && !matches!(meant.intent, Intent::No));
            prop_assert!(!is_order, "{text}");
        }
    }
}
