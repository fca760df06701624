//! `ladder`: an endless ranking, in which one plays for the place of somebody above.

use chrono::TimeDelta;
use pbmserv_games::{Game, Options, Seat};

use crate::command::playing::beginning::{begin, can_sit, no_room};
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::wording::tables::{is_frozen, ladder, ordinal};
use crate::command::{
    Argument, Change, Command, CompanyChange, Context, Decision, InternalError, Letter, Line, Reason,
    Refused, Run, Scope, Trailing, Undecided, WithoutPassword, Word,
};
use crate::letters::{Button, Comment, Done, Listing};
use crate::seasons::{challengeable, ranks};
use crate::store::Reader;
use crate::table::{Player, PlayerId};

pub(crate) static LADDER: Command = Command {
    verb: "ladder",
    scope: Scope::Game,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "GAME ladder userid password [join | leave | challenge USERID]",
    summary: "an endless ranking: win, and take the place",
    help: "On the ladder of a game you challenge somebody up to five places above you. The board begins at once; whom you \
           challenge has the first turn. If you win, you take that place, and those between move down by one; a draw \
           changes nothing. Each turn has a week, unless the server says otherwise; who has not moved by then, after a \
           warning, loses. You can have two challenges at a time. Who is away keeps the place and cannot be challenged.\n\n\
           join puts you at the end, leave takes you off. Without a word, the answer shows the ladder. Its games count \
           for the ratings.",
    examples: &[
        "GAME ladder alice fig7elk join",
        "GAME ladder alice fig7elk challenge bob",
    ],
    without_password: WithoutPassword::Known,
    fits_without_password: |words| match words {
        [] => true,
        [word] => ["join", "leave"].iter().any(|one| one.eq_ignore_ascii_case(word)),
        [challenge, _] => challenge.eq_ignore_ascii_case("challenge"),
        _ => false,
    },
    is_meant: |words| words.len() <= 4,
    run: Run::Player(run),
    ..Command::USUAL
};

/// How many places above one may challenge.
pub(crate) const REACH: usize = 5;

/// Challenges of a player that are not over, and such to a player.
pub const OPEN_AT_ONCE: usize = 2;

/// How often one may leave a ladder in a week, and come back: each time is remembered for ever.
const LEAVES_A_WEEK: u32 = 3;

/// The most places that a mail shows.
const MAX_SHOWN: usize = 200;

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let is = |word: &Word, text: &str| word.text.eq_ignore_ascii_case(text);
    match line.words.as_slice() {
        [] => show(context, game, player),
        [word] if is(word, "join") => join(context, line, game, player),
        [word] if is(word, "leave") => leave(context, game, player),
        [word, other] if is(word, "challenge") => challenge(context, game, player, other),
        [word] if is(word, "challenge") => {
            Err(Refused::unreadable("Whom do you challenge? A userid stands after challenge.").into())
        }
        [_, _, surplus, ..] => Err(Refused::unreadable(Reason::SurplusWord("ladder"))
            .about(surplus)
            .into()),
        [word, ..] => Err(
            Refused::unreadable("After ladder stands join, leave, or challenge and a userid.")
                .about(word)
                .into(),
        ),
    }
}

/// The players of a ladder, best first.
///
/// # Errors
/// The database cannot be read.
pub fn ranking(reader: &Reader, game: &Game) -> Result<Vec<PlayerId>, InternalError> {
    Ok(ranks(reader.ladder_events(game)?))
}

fn done(game: &Game, player: &Player, sentence: String, hint: String) -> Letter {
    let done = Done {
        subject: format!("{} ladder {}", game.facts.name, player.userid),
        sentence,
        hint,
    };
    Letter::answer_to(player, done)
}

fn join(
    context: &Context<'_>,
    line: &Line,
    game: &'static Game,
    player: &Player,
) -> Result<Decision, Undecided> {
    let (title, name) = (game.facts.bare_title(), game.facts.name);
    let ranks = ranking(context.store, game)?;
    if ranks.contains(&player.id) {
        let sentence = format!("You are on the {title} ladder already, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let since = context.now - TimeDelta::days(7);
    if context.store.ladder_left(game, player.id, since)? >= LEAVES_A_WEEK {
        let sentence = format!(
            "You have left the {title} ladder {LEAVES_A_WEEK} times this week, {}: come back next week.",
            player.userid
        );
        return Err(Refused::impossible(sentence).into());
    }
    can_sit(context, player, line.fixed.first().unwrap_or(&line.verb))?;
    if let Some(sentence) = no_room(context, game, player, 1, true)? {
        return Err(Refused::impossible(sentence).into());
    }
    let place = u32::try_from(ranks.len()).unwrap_or(u32::MAX).saturating_add(1);
    let sentence = format!(
        "You are on the {title} ladder, {}, as the {} of {place}.",
        player.userid,
        ordinal(place)
    );
    let hint = match place {
        1 => "You are the first here: others come and challenge you.".to_owned(),
        _ => format!("To play for a place above yours, write {name} ladder challenge and a userid."),
    };
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::JoinLadder {
            player: player.id,
            game,
        })],
        letters: vec![done(game, player, sentence, hint)],
        proven: Some(player.id),
    })
}

fn leave(context: &Context<'_>, game: &'static Game, player: &Player) -> Result<Decision, Undecided> {
    let title = game.facts.bare_title();
    on_it(context, game, player)?;
    let sentence = format!("You are off the {title} ladder, {}.", player.userid);
    let hint = "Games that run are played on, and count for the ratings.".to_owned();
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::LeaveLadder {
            player: player.id,
            game,
        })],
        letters: vec![done(game, player, sentence, hint)],
        proven: Some(player.id),
    })
}

/// The ranks, on which this player is.
fn on_it(context: &Context<'_>, game: &Game, player: &Player) -> Result<Vec<PlayerId>, Undecided> {
    let ranks = ranking(context.store, game)?;
    if ranks.contains(&player.id) {
        return Ok(ranks);
    }
    let sentence = format!(
        "You are not on the {} ladder, {}: write {} ladder join.",
        game.facts.bare_title(),
        player.userid,
        game.facts.name
    );
    Err(Refused::impossible(sentence).into())
}

/// Whom this player may challenge now, best first, but for what the limits of both say.
///
/// # Errors
/// The database cannot be read.
pub fn open_to(
    reader: &Reader,
    game: &Game,
    ranks: &[PlayerId],
    player: &Player,
) -> Result<Vec<Player>, InternalError> {
    let boards = reader.ladder_boards(game)?;
    // Only the next ones above are asked about.
    let mut frozen = Vec::new();
    let place = ranks.iter().position(|id| *id == player.id).unwrap_or_default();
    let mut seen = 0;
    for id in ranks[..place].iter().rev() {
        let other = reader.player_by_id(*id)?;
        match other {
            Some(other) if !is_frozen(reader, &other)? => seen += 1,
            _ => frozen.push(*id),
        }
        if seen >= REACH {
            break;
        }
    }
    let near = challengeable(ranks, player.id, REACH, |id| frozen.contains(&id));
    let mut players = Vec::new();
    for id in near {
        let asked = boards.iter().filter(|board| board.defender == id).count();
        let is_met = boards
            .iter()
            .any(|board| board.defender == id && board.challenger == player.id);
        if asked < OPEN_AT_ONCE && !is_met {
            players.extend(reader.player_by_id(id)?);
        }
    }
    Ok(players)
}

fn challenge(
    context: &Context<'_>,
    game: &'static Game,
    player: &Player,
    word: &Word,
) -> Result<Decision, Undecided> {
    let title = game.facts.bare_title();
    let ranks = on_it(context, game, player)?;
    let other = context.player(word)?;
    let refuse = |sentence: String| Err(Refused::impossible(sentence).about(word).into());
    if other.id == player.id {
        return refuse("You cannot challenge yourself.".to_owned());
    }
    if !ranks.contains(&other.id) {
        return refuse(format!("{} is not on the {title} ladder.", other.userid));
    }
    let boards = context.store.ladder_boards(game)?;
    let own = boards.iter().filter(|board| board.challenger == player.id);
    if own.count() >= OPEN_AT_ONCE {
        return refuse(format!(
            "You have {OPEN_AT_ONCE} challenges on the {title} ladder that are not over: that is enough at a time."
        ));
    }
    can_sit(context, player, word)?;
    let open = open_to(context.store, game, &ranks, player)?;
    if !open.iter().any(|one| one.id == other.id) {
        let names: Vec<_> = open.iter().map(|one| one.userid.clone()).collect();
        let sentence = match names.as_slice() {
            [] => format!(
                "You cannot challenge {} on the {title} ladder now, nor anybody else.",
                other.userid
            ),
            [one] => format!(
                "You cannot challenge {} on the {title} ladder now, but {one}.",
                other.userid
            ),
            [many @ .., last] => format!(
                "You cannot challenge {} on the {title} ladder now, but {} or {last}.",
                other.userid,
                many.join(", ")
            ),
        };
        return refuse(sentence);
    }
    for (one, is_reader) in [(player, true), (&other, false)] {
        if let Some(sentence) = no_room(context, game, one, 1, is_reader)? {
            return refuse(sentence);
        }
    }
    let options = Options::none(game.facts);
    let start = game
        .start(&options)
        .map_err(|refusal| Refused::impossible(refusal.to_string()))?;
    let terms = context.settings.company.ladder_terms();
    let (board, position) = begin(context, game, start, (options, terms), [&other, player])?;
    let place = ranks.iter().position(|id| *id == other.id).unwrap_or_default() + 1;
    let place = ordinal(u32::try_from(place).unwrap_or(u32::MAX));
    let sentence = Sentence::of(&board, |names| {
        let (who, whom) = (names.first(Seat::Second), names.name(Seat::First));
        let challenges = names.does(Seat::Second, "challenge", "challenges");
        format!(
            "{who} {challenges} {whom} on the {title} ladder, for the {place} place: {} has begun.",
            board.name()
        )
    });
    let comment = context.clean_comment().map(|text| Comment {
        by: Some(player.userid.clone()),
        text,
    });
    let news = News {
        board: &board,
        position: &position,
        sentence,
        comment,
    };
    let letters = news.to_all(context, Some(player.id))?;
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::BeginLadderBoard(Box::new(board)))],
        letters,
        proven: Some(player.id),
    })
}

fn show(context: &Context<'_>, game: &'static Game, player: &Player) -> Result<Decision, Undecided> {
    let (title, name) = (game.facts.bare_title(), game.facts.name);
    let ranks = ranking(context.store, game)?;
    let place = ranks.iter().position(|id| *id == player.id);
    let mut answers = Vec::new();
    let sentence = match place {
        Some(place) => {
            for other in open_to(context.store, game, &ranks, player)? {
                answers.push(Button {
                    label: format!("Challenge {}", other.userid),
                    word: format!("{name} ladder challenge {}", other.userid),
                });
            }
            let place = u32::try_from(place + 1).unwrap_or(u32::MAX);
            format!(
                "You are the {} of {} on the {title} ladder, {}.",
                ordinal(place),
                ranks.len(),
                player.userid
            )
        }
        None => format!("You are not on the {title} ladder, {}.", player.userid),
    };
    let listing = Listing {
        subject: format!("{name} ladder {}", player.userid),
        sentence,
        table: ladder(context, &ranks, MAX_SHOWN)?,
        action: place.is_none().then(|| Button {
            label: "Join the ladder".to_owned(),
            word: format!("{name} ladder join"),
        }),
        answers,
        ..Listing::default()
    };
    Ok(Decision {
        proven: Some(player.id),
        ..Decision::answer(Letter {
            is_invitation: true,
            ..Letter::answer_to(player, listing)
        })
    })
}
