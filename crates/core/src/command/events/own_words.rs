//! The answer to a mail of a player that holds no command: three things that this player can do now.

use pbmserv_games::{GAMES, Game};

use crate::command::{Context, Decision, InternalError, Letter};
use crate::letters::{Button, NotDone};
use crate::store::BoardFilter;
use crate::table::{COMPUTERS, Player};

/// The most lines that are offered.
const MAX_OFFERED: usize = 3;

/// Why a player is offered some lines.
#[derive(Clone, Debug)]
pub(crate) enum Offer {
    /// Nothing was understood.
    Anything,
    /// This line is meant, and its writer is not proven, or asked whether it can be done.
    Asked(Button),
    /// A game against this player, and none was named.
    WhichGame(String),
    /// To join a league or a ladder, and no game was named.
    WhichCompany(&'static str),
    /// A game against somebody who is no player here.
    NoSuchPlayer,
    /// The writer wants less mail, or none.
    Less,
    /// The writer asks how to play.
    HowToBegin,
    /// The writer wants to be a player, and is one.
    Already,
    /// Thanks or a greeting.
    Courtesy,
    /// No, to the question whether a line is meant.
    Declined,
}

/// What a game against this opponent is called on a button.
pub(crate) fn game_against(line: &str, game: &Game, userid: &str) -> Button {
    Button {
        label: format!("Play {} against {userid}", game.facts.title),
        word: line.to_owned(),
    }
}

/// The answer to this player.
pub(crate) fn offered(
    context: &Context<'_>,
    player: &Player,
    offer: &Offer,
) -> Result<Decision, InternalError> {
    let userid = &player.userid;
    let button = |word: &str, label: &str| Button {
        label: label.to_owned(),
        word: word.to_owned(),
    };
    let (sentence, mut choices) = match offer {
        Offer::Anything => (
            "I did not understand your first line. Try one of these:".to_owned(),
            Vec::new(),
        ),
        Offer::Asked(button) => (
            format!(
                "Is this what you want, {userid}? Nothing was done yet. If it is, press the button, or answer with this line:"
            ),
            vec![button.clone()],
        ),
        Offer::WhichGame(other) => {
            let is_computer = COMPUTERS.iter().any(|one| one.userid.eq_ignore_ascii_case(other));
            let computers = &context.settings.computers;
            let mut choices = Vec::new();
            for game in GAMES.iter().filter(|game| !is_computer || computers.play(game)) {
                let line = format!("{} challenge {userid} {other}", game.facts.name);
                choices.push(game_against(&line, game, other));
            }
            (
                format!("Which game do you want to play against {other}, {userid}?"),
                choices,
            )
        }
        Offer::WhichCompany(verb) => {
            let join = |game: &Game| Button {
                label: format!("Join the {} {verb}", game.facts.bare_title()),
                word: format!("{} {verb} join", game.facts.name),
            };
            (
                format!("Which {verb} do you want to join, {userid}?"),
                GAMES.iter().map(join).collect(),
            )
        }
        Offer::NoSuchPlayer => (
            format!("There is no player of that name, {userid}. Try one of these:"),
            vec![button("who", "See who plays here")],
        ),
        Offer::Less => (
            format!("You can have less mail, {userid}, or none for a while:"),
            vec![
                button("set digest on", "Get one mail a day"),
                button("vacation 14", "Stop my clocks for two weeks"),
                button("help signoff", "Read how to leave"),
            ],
        ),
        Offer::HowToBegin => (
            format!("Here is how to begin, {userid}. Each of these lines is an answer:"),
            Vec::new(),
        ),
        Offer::Already => (
            format!("You are a player here already, {userid}. Try one of these:"),
            Vec::new(),
        ),
        Offer::Declined => (format!("Nothing was done, {userid}. What next?"), Vec::new()),
        Offer::Courtesy => (format!("You are welcome, {userid}. What next?"), Vec::new()),
    };
    let has_one = matches!(offer, Offer::Asked(_)) && !choices.is_empty();
    let is_full = matches!(offer, Offer::Less | Offer::WhichGame(_) | Offer::WhichCompany(_)) || has_one;
    if !is_full {
        let more = usual(context, player)?;
        choices.extend(more);
        choices.truncate(MAX_OFFERED);
    }
    let letter = NotDone {
        subject: "Help: what you can do now".to_owned(),
        sentence,
        choices,
        ..NotDone::default()
    };
    let letter = Letter {
        is_invitation: true,
        ..Letter::answer(letter.into())
    };
    Ok(Decision::answer(letter))
}

/// What this player can do at any time: the board that waits, a game against a computer, help.
fn usual(context: &Context<'_>, player: &Player) -> Result<Vec<Button>, InternalError> {
    let waiting = context.store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        is_to_move: true,
        limit: 1,
        ..BoardFilter::default()
    })?;
    let mut usual: Vec<Button> = waiting
        .iter()
        .map(|board| Button {
            label: format!("See {}, where it is your turn", board.name()),
            word: format!("{} show {}", board.game.facts.name, board.number),
        })
        .collect();
    let computers = &context.settings.computers;
    if let (Some(game), Some(computer)) = (computers.first_game(), computers.easiest()) {
        let line = format!(
            "{} challenge {} {}",
            game.facts.name, player.userid, computer.userid
        );
        usual.push(game_against(&line, game, computer.userid));
    }
    usual.push(Button {
        label: "Read how a first game goes".to_owned(),
        word: "help tutorial".to_owned(),
    });
    usual.push(Button {
        label: "See who plays here".to_owned(),
        word: "who".to_owned(),
    });
    Ok(usual)
}
