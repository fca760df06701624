//! `challenge`: begins a board.

use crate::games::{Game, Match, Options, Seat};
use crate::store::{AddressRow, Counted, Seek};
use crate::table::{Board, NewBoard, Player, PlayerId, Position, Seated, Terms};

use super::board::News;
use super::seek::sought;
use super::taking::no_room;
use super::{
    Addressee, Change, Command, Context, Decision, Letter, Line, Place, Refused, Rest, Scope, Stop, Word,
    hidden,
};

pub(super) static CHALLENGE: Command = Command {
    verb: "challenge",
    aliases: &[],
    scope: Scope::Game,
    places: &[Place::Userid, Place::Userid],
    rest: Rest::Nothing,
    takes_game_options: true,
    options: &TERMS,
    syntax: "GAME challenge userid1 userid2 [-options] [--options]",
    summary: "begins a board between two players",
    help: "Begins a board between two players at once; userid1 has the first turn. Both get the board. No \
           password is needed, but you must write from the address of a player. Who does not want the game \
           resigns before a first turn: then it is removed and counts for nobody.\n\n\
           Without options the board has those that the player whom you challenge seeks (see help seek), or else \
           none. A player who takes no boards of the game, or has as many as are wanted, is not challenged (see \
           help reject and help limit).\n\n\
           Options with one hyphen are the game's: see GAME help. With two hyphens: --unrated (the result does \
           not count), --nagtime=DAYS (a reminder after so many days, normally 7), --forfeittime=DAYS (the game is \
           lost after so many days without a turn, normally 21), --totaltime=DAYS (all of a player's thinking \
           together, normally without limit). See help clocks.",
    examples: &["GAME challenge alice bob", "GAME challenge alice bob --unrated"],
    run,
};

/// The server's options of a board.
pub(super) const TERMS: [&str; 4] = ["unrated", "nagtime=DAYS", "forfeittime=DAYS", "totaltime=DAYS"];

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Stop> {
    let game = context.game(line)?;
    let mut reasons = Reasons::default();
    let mut found = Vec::new();
    for word in &line.fixed {
        found.extend(
            reasons
                .take(opponent(context, word))?
                .map(|player| (player, word)),
        );
    }
    let players: Vec<Player> = found.iter().map(|(player, _)| player.clone()).collect();
    if let [a, b] = players.as_slice()
        && a.id == b.id
    {
        reasons.add(Refused::impossible("A player cannot play alone: name two.").about(&line.fixed[1]));
    }
    if let [a, b] = players.as_slice()
        && (context.store.has_blocked(a.id, b.id)? || context.store.has_blocked(b.id, a.id)?)
    {
        let sentence = format!(
            "{} and {} do not play each other: one of them does not wish it.",
            a.userid, b.userid
        );
        reasons.add(Refused::impossible(sentence));
    }
    let known = context.known_senders()?;
    let is_alone = matches!(players.as_slice(), [a, b] if a.id == b.id);
    for (player, word) in &found[..if is_alone { 1 } else { found.len() }] {
        if let Some(sentence) = no_room(context, game, player, 1, known.contains(&player.id))? {
            reasons.add(Refused::impossible(sentence).about(word));
        }
    }
    let is_plain = line.game_options.is_empty() && line.server_options.is_empty();
    let seek = if is_plain && !is_alone {
        sought(context, game, &players, &known)?
    } else {
        None
    };
    let (options, terms) = match &seek {
        Some(seek) => (Some(seek.options.clone()), Some(seek.terms)),
        None => (
            reasons.take(options(game, line))?,
            reasons.take(terms(&line.server_options))?,
        ),
    };
    let start = match &options {
        Some(options) => reasons.take(start(game, options, line))?,
        None => None,
    };
    if known.is_empty() {
        let sentence =
            "Your address belongs to no player: sign up first, or write from the address of your account.";
        reasons.add(Refused::impossible(sentence));
    }
    let mut changes = Vec::new();
    if let Some(by) = known.first() {
        for player in players.iter().filter(|player| !known.contains(&player.id)) {
            let most = context.settings.challenges_a_day;
            let too_many = || {
                let userid = &player.userid;
                format!("Enough boards were begun for {userid} from your address today: try again tomorrow.")
            };
            changes.extend(reasons.take(context.count(
                Counted::Challenged,
                *by,
                player.id,
                most,
                too_many,
            ))?);
        }
    }
    reasons.done()?;
    let (Some(options), Some(terms), Some(start), [first, second]) =
        (options, terms, start, players.as_slice())
    else {
        return Err(Refused::impossible("The board cannot be begun.").into());
    };
    let number = context.store.next_number(game)?;
    let position = Position {
        game: start,
        turns: Vec::new(),
    };
    let seated = |player: &Player| Seated {
        id: player.id,
        userid: player.userid.clone(),
    };
    let new = NewBoard {
        game,
        number,
        options,
        players: [seated(first), seated(second)],
        terms,
    };
    let on_vacation = [
        context.is_on_vacation(first.id)?,
        context.is_on_vacation(second.id)?,
    ];
    let board = Board::begun(new, position.to_move(), on_vacation, context.now);
    let letters = letters(context, &board, &position, &known, seek.as_ref())?;
    changes.push(Change::Begin(Box::new(board)));
    changes.extend(seek.map(|seek| Change::TakeSeek {
        player: seek.player,
        game,
    }));
    Ok(Decision {
        changes,
        letters,
        proven: None,
    })
}

fn letters(
    context: &Context<'_>,
    board: &Board,
    position: &Position,
    known: &[PlayerId],
    seek: Option<&Seek>,
) -> Result<Vec<Letter>, Stop> {
    let [first, second] = Seat::BOTH.map(|seat| &board.at(seat).userid);
    let writer = board
        .players
        .iter()
        .find(|player| known.contains(&player.id))
        .map(|player| player.id);
    let as_sought = seek.map_or_else(String::new, |seek| format!(", as {} sought", seek.userid));
    let sentence = format!("{} has begun: {first} against {second}{as_sought}.", board.name());
    let saying = match board.players.iter().find(|player| Some(player.id) == writer) {
        Some(by) => context.saying().map(|text| crate::letters::Saying {
            by: by.userid.clone(),
            text,
        }),
        None => None,
    };
    let news = News {
        board,
        position,
        sentence,
        saying,
    };
    let mut letters = news.to_all(context, writer)?;
    if writer.is_none() {
        letters.push(Letter {
            is_answer: true,
            is_urgent: false,
            ..news.to(context, Addressee::Sender, None)?
        });
    }
    Ok(letters)
}

/// All that is wrong with a challenge, for one mail.
#[derive(Default)]
struct Reasons(Vec<Refused>);

impl Reasons {
    fn add(&mut self, refused: Refused) {
        self.0.push(refused);
    }

    fn take<T>(&mut self, result: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Refused(refused)) => {
                self.0.push(*refused);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// The first reason, with the sentences of all.
    fn done(self) -> Result<(), Stop> {
        let mut reasons = self.0.into_iter();
        let Some(mut first) = reasons.next() else {
            return Ok(());
        };
        for other in reasons {
            if !first.sentence.contains(&other.sentence) {
                first.sentence.push(' ');
                first.sentence.push_str(&other.sentence);
            }
            first.near.extend(other.near);
        }
        Err(first.into())
    }
}

/// A player who can be challenged.
fn opponent(context: &Context<'_>, word: &Word) -> Result<Player, Stop> {
    if word.text.eq_ignore_ascii_case("anyone") {
        let sentence = "A challenge names two players: who seeks a game stands in the standings.";
        return Err(Refused::impossible(sentence).about(word).into());
    }
    let player = context.player(word)?;
    can_sit(context, &player, word)?;
    Ok(player)
}

/// Whether boards can begin for a player: one who is here, and one of whose addresses is confirmed.
pub(super) fn can_sit(context: &Context<'_>, player: &Player, word: &Word) -> Result<(), Stop> {
    if player.away_since.is_some() {
        let sentence = format!("{} has signed off and cannot be challenged.", player.userid);
        return Err(Refused::impossible(sentence).about(word).into());
    }
    if player.disabled_at.is_some() {
        let sentence = format!(
            "The account of {} is closed by the operator, and takes no challenges.",
            player.userid
        );
        return Err(Refused::impossible(sentence).about(word).into());
    }
    let rows = context.store.addresses(player.id)?;
    if rows.iter().any(AddressRow::is_reachable) {
        return Ok(());
    }
    let sentence = if rows.iter().any(|row| row.confirmed_at.is_some()) {
        format!(
            "Mail to {} fails: no board can be begun until one comes from there.",
            player.userid
        )
    } else {
        format!(
            "{} has not confirmed an address yet and cannot be challenged.",
            player.userid
        )
    };
    Err(Refused::impossible(sentence).about(word).into())
}

pub(super) fn options(game: &Game, line: &Line) -> Result<Options, Stop> {
    // The refusal of an unknown option names it: that must not be a password with a hyphen before it.
    let unknown = |word: &&Word| !hidden::is_plainly_no_password(&word.text);
    if let Some(word) = line.game_options.iter().find(unknown) {
        let sentence = format!("{} has no such option.", game.facts.name);
        return Err(Refused::unreadable(sentence).hiding(word).into());
    }
    let words = line.game_options.iter().map(|word| word.text.as_str());
    Options::parse(game.facts, words).map_err(|refusal| whole(line, refusal))
}

/// The position at the start; the options may not go together.
pub(super) fn start(game: &Game, options: &Options, line: &Line) -> Result<Box<dyn Match>, Stop> {
    game.start(options).map_err(|refusal| whole(line, refusal))
}

/// The refusal of the options of a line; it points at the one that is meant, if it is the only one.
fn whole(line: &Line, refusal: crate::games::Refusal) -> Stop {
    let named = |word: &&Word| {
        refusal
            .reason
            .contains(word.text.split('=').next().unwrap_or(&word.text))
    };
    let first = line
        .game_options
        .iter()
        .find(named)
        .or_else(|| line.game_options.first());
    match first {
        Some(word) => Refused::of_turn(crate::games::Refusal { at: None, ..refusal }, word).into(),
        None => Refused::impossible(refusal.to_string()).into(),
    }
}

/// The longest clock that can be set, in days.
const LONGEST_CLOCK_DAYS: u32 = 3650;

pub(super) fn terms(words: &[Word]) -> Result<Terms, Stop> {
    let mut terms = Terms::default();
    for word in words {
        let bare = word.text.trim_start_matches('-').to_ascii_lowercase();
        let (name, value) = bare
            .split_once('=')
            .map_or((bare.as_str(), None), |(name, value)| (name, Some(value)));
        if name == "unrated" {
            terms.rated = false;
            continue;
        }
        let days = value
            .and_then(|value| value.parse().ok())
            .filter(|days| (1..=LONGEST_CLOCK_DAYS).contains(days));
        let Some(days) = days else {
            let sentence = format!("--{name} takes a number of days from 1 to {LONGEST_CLOCK_DAYS}.");
            return Err(Refused::unreadable(sentence)
                .hiding(word)
                .near(vec![format!("--{name}=14")])
                .into());
        };
        match name {
            "nagtime" => terms.nag_days = days,
            "forfeittime" => terms.forfeit_days = days,
            _ => terms.total_days = Some(days),
        }
    }
    Ok(terms)
}
