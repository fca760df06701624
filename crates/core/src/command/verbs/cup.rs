//! `cup`: contests that a player makes, which then run by themselves.

use chrono::TimeDelta;

use crate::command::playing::beginning::{can_sit, no_room, options, start, terms};
use crate::command::playing::contests::withdrawn;
use crate::command::reading::places::is_formed_as_a_userid;
use crate::command::verbs::cup_options::{CupOptions, USUAL_DAYS, with_values};
use crate::command::verbs::invite::TURNS_BEFORE;
use crate::command::verbs::tables::of_cup;
use crate::command::wording::tables::capital;
use crate::command::{
    Argument, Change, Command, CompanyChange, Context, Decision, InternalError, Letter, Line, Reason,
    Refused, Run, Trailing, Undecided, WithoutPassword, Word,
};
use crate::letters::{Button, Done, Listing, SubjectMark};
use crate::seasons::Format;
use crate::store::{ContestKind, ContestRow, NewContest, RateLimit, Reader};
use crate::table::{Player, PlayerId};

pub(crate) static CUP: Command = Command {
    verb: "cup",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    takes_game_options: true,
    options: &[
        "format=swiss|knockout|groups",
        "rounds=N",
        "size=N",
        "from=DATE",
        "private",
        "nagtime=DAYS",
        "forfeittime=DAYS",
        "totaltime=DAYS",
        "days=BANK",
    ],
    syntax: "cup userid password new | join | leave | invite | show | end NAME",
    summary: "makes, joins and shows cups, which run by themselves",
    help: "new makes a cup of a game under a name of your choice. It begins on the day that you say (--from=2027-02-01; otherwise \
           in a week), for 2 to 64 players (--size, otherwise 16), and each next round begins as soon as the last is over. \
           --format says how: swiss, in as many rounds as you say (--rounds, otherwise 5), with opponents of the same \
           points; knockout, where who loses is out, and a draw is played again; or groups of four, whose two best play a \
           knockout. --private: only whom you invite may join. The options are those of a challenge, and its games count \
           for the ratings. A player who has finished a game or played ten turns may have two cups at a time. end takes back a \
           cup of yours that has not begun.\n\n\
           join takes a seat, leave gives it back. Who leaves a cup that is played loses what runs; in a group, before half \
           of the games are over, these count for nobody. show shows the tables, and so does tables NAME.",
    examples: &[
        "cup alice fig7elk new spring Hex --format=swiss --rounds=5",
        "cup alice fig7elk join spring",
    ],
    without_password: WithoutPassword::Known,
    fits_without_password: |words| {
        words.len() >= 2 && VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(words[0]))
    },
    is_meant: |words| {
        words.len() >= 2
            && words
                .iter()
                .any(|word| VERBS.contains(&word.to_ascii_lowercase().as_str()))
    },
    run: Run::Player(run),
    ..Command::USUAL
};

const VERBS: [&str; 6] = ["new", "join", "leave", "invite", "show", "end"];

/// Cups of one player that did not come about, in a week.
const FALLEN_IN_A_WEEK: u32 = 4;

/// Cups of one player that are not over.
const OPEN_AT_ONCE: u32 = 2;

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let Some((verb, words)) = line.words.split_first() else {
        return Err(what(None));
    };
    let verb_word = verb.text.to_ascii_lowercase();
    // Another word might be a password, and is not quoted.
    if verb_word != "new"
        && VERBS.contains(&verb_word.as_str())
        && let Some(surplus) = line.game_options.iter().chain(&line.server_options).next()
    {
        let sentence = format!("cup {verb_word} takes no options.");
        return Err(Refused::unreadable(sentence).about(surplus).into());
    }
    if verb_word == "new" {
        let (options, words) = with_values(&line.server_options, words);
        return match words.as_slice() {
            [name, game] => new(context, line, player, (name, game), &options),
            [_, _, surplus, ..] => Err(Refused::unreadable(Reason::SurplusWord("cup"))
                .about(surplus)
                .near(line.option_meant_by(surplus).into_iter().collect())
                .into()),
            _ => Err(Refused::unreadable("After new stand a name of your choice and a game.").into()),
        };
    }
    match (verb_word.as_str(), words) {
        ("join", [name]) => join(context, player, name),
        ("leave", [name]) => leave(context, player, name),
        ("show", [name]) => {
            let cup = known(context, player, name)?;
            let decision = of_cup(context, &cup)?;
            Ok(Decision {
                proven: Some(player.id),
                ..decision
            })
        }
        ("end", [name]) => end(context, player, name),
        ("invite", [name, other]) => invite(context, player, name, other),
        ("invite", _) => {
            Err(Refused::unreadable("After invite stand the name of your cup and a userid.").into())
        }
        (known, _) if VERBS.contains(&known) => {
            Err(Refused::unreadable(format!("After {known} stands the name of one cup.")).into())
        }
        _ => Err(what(Some(verb))),
    }
}

fn what(word: Option<&Word>) -> Undecided {
    let refused = Refused::unreadable("After cup stands new, join, leave, invite, show or end.");
    match word {
        Some(word) => refused.about(word).into(),
        None => refused.into(),
    }
}

/// The subject of a receipt about the cup of this name.
fn of(name: &Word) -> String {
    format!("cup {}", name.text)
}

fn done(subject: String, player: &Player, sentence: String, hint: String) -> Letter {
    Letter::answer_to(
        player,
        Done {
            subject,
            sentence,
            hint,
        },
    )
}

/// The cup with this name, if the player may know of it.
fn known(context: &Context<'_>, player: &Player, name: &Word) -> Result<ContestRow, Undecided> {
    let cup = match context.store.cup(&name.text)? {
        Some(cup) if may_see(context.store, &cup, player.id)? => Some(cup),
        _ => None,
    };
    cup.ok_or_else(|| {
        Refused::impossible("There is no such cup: tables lists those for everybody.")
            .about(name)
            .into()
    })
}

/// Who made it; `None`: it is a division.
#[must_use]
pub const fn made_by(cup: &ContestRow) -> Option<PlayerId> {
    match cup.new.kind {
        ContestKind::Cup { made_by, .. } => Some(made_by),
        ContestKind::Division { .. } => None,
    }
}

/// Whether this player may know of the cup.
///
/// # Errors
/// The database cannot be read.
pub fn may_see(reader: &Reader, cup: &ContestRow, player: PlayerId) -> Result<bool, InternalError> {
    Ok(!cup.is_private()
        || made_by(cup) == Some(player)
        || reader.is_cup_guest(cup.id, player)?
        || reader.is_entrant(cup.id, player)?)
}

fn new(
    context: &Context<'_>,
    line: &Line,
    player: &Player,
    (name, game_word): (&Word, &Word),
    server_options: &[Word],
) -> Result<Decision, Undecided> {
    let is_director = context.settings.is_director(player);
    if !is_formed_as_a_userid(&name.text) || pbmserv_games::find(&name.text).is_some() {
        let sentence =
            "The name of a cup is one word of letters and digits, such as spring-2027, and no game.";
        return Err(Refused::unreadable(sentence).about(name).into());
    }
    let Some(game) = pbmserv_games::find(&game_word.text) else {
        return Err(Refused::unreadable("There is no such game.")
            .about(game_word)
            .into());
    };
    if context.store.cup(&name.text)?.is_some() {
        let sentence = "A cup of that name is there already: take another.";
        return Err(Refused::impossible(sentence).about(name).into());
    }
    can_sit(context, player, name)?;
    if !is_director {
        if !context.store.has_played(player.id, TURNS_BEFORE)? {
            let sentence =
                format!("Finish a game first, or play {TURNS_BEFORE} turns: then you can make cups.");
            return Err(Refused::impossible(sentence).into());
        }
        if context.store.open_cups_by(player.id)? >= OPEN_AT_ONCE {
            let sentence =
                format!("You have {OPEN_AT_ONCE} cups that are not over: that is enough at a time.");
            return Err(Refused::impossible(sentence).into());
        }
        let since = context.now - TimeDelta::days(7);
        if context.store.cups_taken_back(player.id, since)? >= FALLEN_IN_A_WEEK {
            let sentence = format!(
                "{FALLEN_IN_A_WEEK} cups of yours have come to nothing this week: that is enough for now."
            );
            return Err(Refused::impossible(sentence).into());
        }
    }
    let (mut own, mut others) = (CupOptions::default(), Vec::new());
    for word in server_options {
        if !own.read(word, context.now)? {
            others.push(word.clone());
        }
    }
    let format = own.format()?;
    let terms = terms(&others)?;
    let options = options(game, line)?;
    start(game, &options, line)?;
    let begins_at = own.from.unwrap_or(context.now + TimeDelta::days(USUAL_DAYS));
    let seats = own.size.unwrap_or(16);
    let new = NewContest {
        game,
        kind: ContestKind::Cup {
            name: name.text.clone(),
            made_by: player.id,
            is_private: own.is_private,
        },
        format,
        seats,
        options,
        terms,
        begins_at,
    };
    let when = context.times(Some(player.id))?.said(begins_at);
    let how = match format {
        Format::Swiss { rounds } => format!("by the Swiss system in {rounds} rounds"),
        Format::Knockout => "as a knockout".to_owned(),
        Format::Groups => "in groups, then as a knockout".to_owned(),
        Format::League => "everybody against everybody".to_owned(),
    };
    let sentence = format!(
        "Your {} cup {} is there, {}: it begins on {when} for up to {seats} players, {how}.",
        game.facts.bare_title(),
        name.text,
        player.userid
    );
    let hint = match own.is_private {
        true => format!(
            "You are not in it yourself: write cup join {0} for that, and cup invite {0} USERID for each guest.",
            name.text
        ),
        false => format!(
            "You are not in it yourself yet: write cup join {0} for that. Others do the same; tables lists the cups.",
            name.text
        ),
    };
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::NewCup(Box::new(new)))],
        letters: vec![done(of(name), player, sentence, hint)],
        proven: Some(player.id),
    })
}

fn join(context: &Context<'_>, player: &Player, word: &Word) -> Result<Decision, Undecided> {
    let cup = known(context, player, word)?;
    let name = cup.name();
    let refuse = |sentence: String| Err(Refused::impossible(sentence).into());
    if cup.begun_at.is_some() || cup.ended_at.is_some() {
        return refuse(format!("{} has begun already.", capital(&name)));
    }
    let full = context.store.filled(cup.clone())?;
    if full.place_of(player.id).is_some() {
        return refuse(format!("You are in {name} already, {}.", player.userid));
    }
    if full.entrants.len() >= usize::try_from(cup.new.seats).unwrap_or(usize::MAX) {
        return refuse(format!("All seats of {name} are taken."));
    }
    can_sit(context, player, word)?;
    let at_once = match cup.new.format {
        Format::Groups => 4,
        _ => 1,
    };
    if let Some(sentence) = no_room(context, cup.new.game, player, at_once, true)? {
        return refuse(sentence);
    }
    let when = context.times(Some(player.id))?.said(cup.new.begins_at);
    let sentence = format!("You are in {name}, {}. It begins on {when}.", player.userid);
    let hint = format!(
        "To give the seat back before that, write cup leave {}.",
        word.text
    );
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::JoinCup {
            contest: cup.id,
            player: player.id,
        })],
        letters: vec![done(of(word), player, sentence, hint)],
        proven: Some(player.id),
    })
}

fn leave(context: &Context<'_>, player: &Player, word: &Word) -> Result<Decision, Undecided> {
    let cup = known(context, player, word)?;
    let name = cup.name();
    let full = context.store.filled(cup.clone())?;
    let place = full
        .place_of(player.id)
        .filter(|place| full.entrants[*place].left_at.is_none());
    if place.is_none() || cup.ended_at.is_some() {
        let sentence = format!("You do not play in {name}, {}.", player.userid);
        return Err(Refused::impossible(sentence).into());
    }
    let (changes, mut letters) = withdrawn(context, &full, player)?;
    let sentence = format!("You have left {name}, {}.", player.userid);
    letters.push(done(of(word), player, sentence, String::new()));
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// The cup of this player with this name.
fn own(context: &Context<'_>, player: &Player, word: &Word) -> Result<ContestRow, Undecided> {
    let cup = known(context, player, word)?;
    if made_by(&cup) == Some(player.id) || context.settings.is_director(player) {
        return Ok(cup);
    }
    let sentence = format!("{} is not yours, {}.", capital(&cup.name()), player.userid);
    Err(Refused::impossible(sentence).about(word).into())
}

fn end(context: &Context<'_>, player: &Player, word: &Word) -> Result<Decision, Undecided> {
    let cup = own(context, player, word)?;
    let name = cup.name();
    if cup.begun_at.is_some() || cup.ended_at.is_some() {
        let sentence = format!("{} has begun: it runs by itself to its end.", capital(&name));
        return Err(Refused::impossible(sentence).into());
    }
    let mut letters = Vec::new();
    for entrant in context.store.filled(cup.clone())?.entrants {
        if entrant.player != player.id {
            let done = Done {
                subject: SubjectMark::Table.before(&name),
                sentence: format!(
                    "{} does not come about: {} has taken it back.",
                    capital(&name),
                    player.userid
                ),
                hint: String::new(),
            };
            letters.push(Letter::news(entrant.player, done.into()));
        }
    }
    let sentence = format!("{} does not come about, {}.", capital(&name), player.userid);
    letters.push(done(of(word), player, sentence, String::new()));
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::EndContest(cup.id))],
        letters,
        proven: Some(player.id),
    })
}

fn invite(
    context: &Context<'_>,
    player: &Player,
    word: &Word,
    other_word: &Word,
) -> Result<Decision, Undecided> {
    let cup = own(context, player, word)?;
    let name = cup.name();
    if cup.begun_at.is_some() || cup.ended_at.is_some() {
        let sentence = format!("{} has begun already.", capital(&name));
        return Err(Refused::impossible(sentence).into());
    }
    let other = context.player(other_word)?;
    let refuse = |sentence: String| Err(Refused::impossible(sentence).about(other_word).into());
    if other.id.is_computer() {
        return refuse("Computers take no part in cups.".to_owned());
    }
    can_sit(context, &other, other_word)?;
    if context.store.has_blocked(other.id, player.id)? || context.store.has_blocked(player.id, other.id)? {
        return refuse(format!(
            "{} is not invited by you: one of you does not wish it.",
            other.userid
        ));
    }
    if context.store.is_cup_guest(cup.id, other.id)? {
        return refuse(format!("{} is invited already.", other.userid));
    }
    // No more are asked than could be seated twice over, and nobody is asked often by one player.
    if context.store.cup_guests(cup.id)? >= cup.new.seats.saturating_mul(2) {
        return refuse(format!("{} has enough guests.", capital(&name)));
    }
    let most = context.settings.messages_a_day;
    let too_many = || format!("You have written to {} often enough today.", other.userid);
    let counted = context.count(RateLimit::Said, player.id.0, other.id, most, too_many)?;
    let ContestKind::Cup { name: bare, .. } = &cup.new.kind else {
        return Ok(Decision::nothing());
    };
    let when = context.times(Some(other.id))?.said(cup.new.begins_at);
    let invitation = Listing {
        subject: SubjectMark::Cup.before(&format!("{} invites you to {bare}", player.userid)),
        sentence: format!(
            "{} invites you to {name}, {}. It begins on {when}; nothing happens unless you join.",
            player.userid, other.userid
        ),
        action: Some(Button {
            label: "Join the cup".to_owned(),
            word: format!("cup join {bare}"),
        }),
        ..Listing::default()
    };
    let sentence = format!("{} is invited to {name}.", other.userid);
    Ok(Decision {
        changes: vec![
            counted,
            Change::Company(CompanyChange::InviteToCup {
                contest: cup.id,
                player: other.id,
            }),
        ],
        letters: vec![
            Letter {
                is_invitation: true,
                ..Letter::news(other.id, invitation.into())
            },
            done(of(word), player, sentence, String::new()),
        ],
        proven: Some(player.id),
    })
}
