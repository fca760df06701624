//! `subscribe`, `unsubscribe`, `notify`: mails about boards of other players.

use pbmserv_games::Game;

use crate::command::vocabulary::is_digits;
use crate::command::wording::news::News;
use crate::command::{
    Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Refused, Run, Scope, Trailing,
    Undecided, WithoutPassword, Word,
};
use crate::letters::Done;
use crate::store::{Watched, Watcher};
use crate::table::{Board, Player};

pub(crate) static SUBSCRIBE: Command = Command {
    verb: "subscribe",
    aliases: &["watch"],
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME subscribe board|all userid password",
    summary: "watches a board of others, or all boards of a game",
    help: "Sends you each mail of a board of other players, with what they write to each other with their \
           turns. With all instead of the number, it sends you the mails of all boards of the game from now on. \
           It ends with the board, or with GAME unsubscribe. If you want to hear only how a game ends, use GAME \
           notify. You can watch at most 50 boards and games. At most 100 players can watch the same board, and \
           100 a whole game. Only the players of a board can chat on it. Others can use message.",
    examples: &[
        "GAME subscribe 101 alice fig7elk",
        "GAME subscribe all alice fig7elk",
    ],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| matches!(words, [what] if is_watchable(what)),
    run: Run::PlayerAfter {
        first: |context, line| Target::read(context, line).map(drop),
        then: |context, line, player| subscribe(context, &Target::read(context, line)?, player),
    },
    ..Command::USUAL
};

pub(crate) static UNSUBSCRIBE: Command = Command {
    verb: "unsubscribe",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    syntax: "GAME unsubscribe board|all userid password",
    summary: "ends what subscribe or notify has begun",
    help: "Ends the mails of GAME subscribe or GAME notify, for a board or for all boards of the game.",
    examples: &["GAME unsubscribe 101 alice fig7elk"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| matches!(words, [what] if is_watchable(what)),
    run: Run::PlayerAfter {
        first: |context, line| Target::read(context, line).map(drop),
        then: |context, line, player| unsubscribe(context, line, &Target::read(context, line)?, player),
    },
    ..Command::USUAL
};

pub(crate) static NOTIFY: Command = Command {
    verb: "notify",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME notify userid password [board] [off]",
    summary: "tells you how boards of others end",
    help: "Sends you the last mail of a board of other players, and nothing before. Without a board, it sends \
           you the last mail of each board of the game. It replaces GAME subscribe for the same board or game. \
           off, or GAME unsubscribe, ends it.",
    examples: &[
        "GAME notify alice fig7elk",
        "GAME notify alice fig7elk 101",
        "GAME notify alice fig7elk off",
    ],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| match words {
        [] | ["off"] => true,
        [what] | [what, "off"] => is_watchable(what),
        _ => false,
    },
    run: Run::Player(notify),
    ..Command::USUAL
};

/// The most subscriptions of one player.
const MAX_WATCHED: u32 = 50;

/// The most watchers of one board, and of one game. This bounds the mails per event.
const MAX_WATCHERS: u32 = 100;

fn is_watchable(word: &str) -> bool {
    word.eq_ignore_ascii_case("all") || is_digits(word)
}

/// What to watch.
enum Target {
    Board(Box<Board>),
    All(&'static Game),
}

impl Target {
    /// Reads a board's number, or `all`.
    fn read(context: &Context<'_>, line: &Line) -> Result<Self, Undecided> {
        Self::named(context, context.game(line)?, &line.fixed[0])
    }

    fn named(context: &Context<'_>, game: &'static Game, word: &Word) -> Result<Self, Undecided> {
        if word.text.eq_ignore_ascii_case("all") {
            return Ok(Self::All(game));
        }
        Ok(Self::Board(Box::new(context.board(game, word)?)))
    }

    fn watched(&self) -> Watched {
        match self {
            Self::Board(board) => Watched::Board(board.id),
            Self::All(game) => Watched::Game(game),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Board(board) => board.name(),
            Self::All(game) => format!("the boards of {}", game.facts.name),
        }
    }

    fn game(&self) -> &'static Game {
        match self {
            Self::Board(board) => board.game,
            Self::All(game) => game,
        }
    }

    /// The word as it is typed.
    fn word(&self) -> String {
        match self {
            Self::Board(board) => board.number.to_string(),
            Self::All(_) => "all".to_owned(),
        }
    }
}

/// Checks that this player may watch this.
fn check(context: &Context<'_>, target: &Target, player: &Player) -> Result<(), Undecided> {
    let (userid, watched) = (&player.userid, target.watched());
    if player.away_since.is_some() {
        let sentence = format!("You have signed off. To come back, write signup {userid} and your password.");
        return Err(Refused::impossible(sentence).into());
    }
    if let Target::Board(board) = target {
        let name = board.name();
        if board.end.is_some() {
            let sentence = format!("{name} is over: no more mails of it come.");
            return Err(Refused::impossible(sentence).into());
        }
        if board.seat_of(player.id).is_some() {
            let sentence = format!("You play on {name} and get its mails already.");
            return Err(Refused::impossible(sentence).into());
        }
    }
    if context.store.watches(player.id, watched)?.is_some() {
        return Ok(());
    }
    if context.store.watched_by(player.id)? >= MAX_WATCHED {
        let sentence = format!(
            "You watch {MAX_WATCHED} boards and games already, and more are not possible: end one with \
             unsubscribe first."
        );
        return Err(Refused::impossible(sentence).into());
    }
    if context.store.watchers_of(watched)? >= MAX_WATCHERS {
        let sentence = format!(
            "{MAX_WATCHERS} players watch {} already, and more are not possible.",
            target.name()
        );
        return Err(Refused::impossible(sentence).into());
    }
    Ok(())
}

fn subscribe(context: &Context<'_>, target: &Target, player: &Player) -> Result<Decision, Undecided> {
    check(context, target, player)?;
    let letter = match target {
        Target::Board(board) => shown(context, board, player)?,
        Target::All(game) => {
            let (name, userid) = (game.facts.name, &player.userid);
            let done = Done {
                subject: format!("{name} subscribe {userid}"),
                sentence: format!("You watch all boards of {name} from now on."),
                hint: format!("To end it, write {name} unsubscribe all."),
            };
            Letter::answer_to(player, done)
        }
    };
    Ok(watch(player, target, false, letter))
}

/// The current position of the board that is watched from now on.
fn shown(context: &Context<'_>, board: &Board, player: &Player) -> Result<Letter, InternalError> {
    let news = News {
        board,
        position: &context.position(board)?,
        sentence: format!("You watch {} from now on.", board.name()).into(),
        comment: None,
    };
    let watcher = Watcher {
        player: player.id,
        userid: player.userid.clone(),
        ends_only: false,
        is_board: true,
    };
    Ok(Letter {
        is_answer: true,
        weight: None,
        ..news.to_watcher(context, &watcher)?
    })
}

fn notify(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let is_off = |word: &&Word| word.text.eq_ignore_ascii_case("off");
    let (off, named): (Vec<&Word>, Vec<&Word>) = line.words.iter().partition(is_off);
    if let Some(surplus) = named.get(1).or(off.get(1)) {
        let sentence = "notify takes one board, or none for all boards of the game.";
        return Err(Refused::unreadable(sentence).about(surplus).into());
    }
    let target = match named.first() {
        Some(word) => Target::named(context, game, word)?,
        None => Target::All(game),
    };
    if !off.is_empty() {
        return unsubscribe(context, line, &target, player);
    }
    check(context, &target, player)?;
    let (name, userid) = (game.facts.name, &player.userid);
    let what = match &target {
        Target::Board(board) => board.name(),
        Target::All(_) => format!("each board of {name}"),
    };
    let done = Done {
        subject: format!("{name} notify {userid}"),
        sentence: format!("You are told how {what} ends, and nothing before."),
        hint: format!("To end it, write {name} unsubscribe {}.", target.word()),
    };
    Ok(watch(player, &target, true, Letter::answer_to(player, done)))
}

fn watch(player: &Player, target: &Target, ends_only: bool, letter: Letter) -> Decision {
    let change = Change::Watch {
        player: player.id,
        watched: target.watched(),
        ends_only,
    };
    Decision {
        changes: vec![change],
        letters: vec![letter],
        proven: Some(player.id),
    }
}

fn unsubscribe(
    context: &Context<'_>,
    line: &Line,
    target: &Target,
    player: &Player,
) -> Result<Decision, Undecided> {
    let (userid, game) = (&player.userid, target.game());
    let name = game.facts.name;
    let of_game = context.store.watches(player.id, Watched::Game(game))?;
    if context.store.watches(player.id, target.watched())?.is_none() {
        let instead = match (of_game, target) {
            (Some(_), Target::Board(_)) => {
                format!(" but all boards of {name}: end that with {name} unsubscribe all.")
            }
            _ => ".".to_owned(),
        };
        let by_itself = if instead.len() > 1 { " by itself," } else { "" };
        let sentence = format!("You do not watch {}{by_itself}{instead}", target.name());
        return Err(Refused::impossible(sentence).into());
    }
    let hint = match (of_game, target) {
        (Some(ends_only), Target::Board(_)) => {
            let what = if ends_only {
                "told of the end of"
            } else {
                "watching"
            };
            format!("As {what} all boards of {name}, you still get mails of it.")
        }
        _ => String::new(),
    };
    let done = Done {
        subject: format!("{name} {} {userid}", line.command.verb),
        sentence: format!("You do not watch {} any more.", target.name()),
        hint,
    };
    Ok(Decision {
        changes: vec![Change::Unwatch {
            player: player.id,
            watched: target.watched(),
        }],
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    })
}
