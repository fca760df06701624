//! `set`: a player's settings for mails and boards.

use std::iter::Peekable;

use chrono::Weekday;
use chrono_tz::Tz;
use pbmserv_games::{Display, GAMES, Game};

use crate::command::accounts::notify;
use crate::command::accounts::preferences::prefer;
use crate::command::reading::near::nearest;
use crate::command::verbs::zone::zone;
use crate::command::vocabulary::is_digits;
use crate::command::wording::clock::listed;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Refused, Run,
    Scope, Trailing, Undecided, WithoutPassword, Word,
};
use crate::letters::{Done, Listing, SubjectMark, columns};
use crate::table::{NoReminders, NotQuiet, Player, Preferences, QuietDays, Reminders};

pub(crate) static SET: Command = Command {
    verb: "set",
    aliases: &["display"],
    scope: Scope::Both,
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "set userid password [option...]",
    summary: "chooses how mails and boards are written",
    help: "Chooses how your mails are written. Options, one or several:\n\n  \
           text             plain text alone\n  \
           html             plain text and HTML\n  \
           picture on|off   the board as a picture in the HTML\n  \
           boards one|both  both: below the picture as text too\n  \
           subjects plain|news\n                   news: subjects say whose turn it is\n  \
           reminders on|off|7 3\n                   when it is your turn for days, or days before the end\n  \
           quiet Sat Sun    days on which your clocks stand still, at most three; or off\n  \
           autovacation on|off\n                   on: a vacation begins by itself when you would lose on time\n  \
           forced on|off    on: with dice, your only turn is played unasked\n  \
           digest on|off    one mail a day in the place of all news\n  \
           broadcasts on|off\n                   what the directors write to all players\n  \
           width N          columns of prose in plain text, from 30 to 78\n  \
           zone Europe/Lisbon\n                   the zone of the times in your mails and on your pages\n  \
           web on|off       off: pages for everybody leave out your userid\n  \
           gazette on|off   a letter a week: results, a game, a position to solve\n  \
           named on|off     on: it may name you for having solved that\n  \
           notify ADDRESS   a line when it is your turn, to another address:\n                   \
           a web address such as https://ntfy.sh/TOPIC, or a mail\n                   \
           address. Then the code that comes there; or off\n  \
           small, large     which of the two boards is drawn\n\n\
           small and large can be set for one game, with its name before: GAME set alice fig7elk small. Without an \
           option it tells what is set.",
    examples: &[
        "set alice fig7elk picture off width 60",
        "set alice fig7elk digest on",
        "GAME set alice fig7elk small",
    ],
    without_password: WithoutPassword::Known,
    fits_without_password: are_settings,
    not_done: SubjectMark::SettingsNotChanged,
    run: Run::Player(run),
    ..Command::USUAL
};

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Setting {
    Html(bool),
    Picture(bool),
    BothBoards(bool),
    NewsSubjects(bool),
    /// `None`: off.
    Reminders(Option<Reminders>),
    Quiet(QuietDays),
    AutoVacation(bool),
    Forced(bool),
    Digest(bool),
    Broadcasts(bool),
    Width(u32),
    Zone(Tz),
    Web(bool),
    Gazette(bool),
    Named(bool),
    Display(Display),
}

/// The words that begin a setting. Settings that can be for one game come first.
const WORDS: [&str; 19] = [
    "small",
    "large",
    "text",
    "html",
    "picture",
    "boards",
    "subjects",
    "reminders",
    "quiet",
    "autovacation",
    "forced",
    "digest",
    "broadcasts",
    "width",
    "zone",
    "web",
    "gazette",
    "named",
    "notify",
];

/// What may follow these, but for numbers and zones.
const VALUES: [&str; 6] = ["on", "off", "one", "both", "plain", "news"];

/// Whether these words are settings, as far as no password can be among them.
fn are_settings(words: &[&str]) -> bool {
    if let [first, rest @ ..] = words
        && is_notify(first)
    {
        return notify::fits(rest);
    }
    let is_known = |word: &str| {
        WORDS
            .iter()
            .chain(&VALUES)
            .any(|known| known.eq_ignore_ascii_case(word))
    };
    let is_zone = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|before| before.eq_ignore_ascii_case("zone")) && word.parse::<Tz>().is_ok()
    };
    let is_quiet = |at: usize, word: &str| {
        let before = words[..at].iter().rev().find(|before| !is_day(before));
        is_day(word) && before.is_some_and(|before| before.eq_ignore_ascii_case("quiet"))
    };
    let is_one = |(at, word): (usize, &&str)| {
        is_known(word) || is_digits(word) || is_zone(at, word) || is_quiet(at, word)
    };
    words.iter().enumerate().all(is_one)
}

/// Whether a line is about notices: these stand alone in it.
fn is_notify(word: &str) -> bool {
    word.eq_ignore_ascii_case("notify")
}

/// How many of [`WORDS`] can be for one game.
const OF_A_GAME: usize = 2;

impl Setting {
    /// The end of the sentence `You will now get ...`.
    fn described(self, games: &str) -> String {
        match self {
            Self::Html(true) => "plain text and HTML".to_owned(),
            Self::Html(false) => "plain text alone".to_owned(),
            Self::Picture(true) => "pictures of the boards".to_owned(),
            Self::Picture(false) => "no pictures".to_owned(),
            Self::BothBoards(true) => "each board as a picture and below it as text".to_owned(),
            Self::BothBoards(false) => "no text below the pictures of boards".to_owned(),
            Self::NewsSubjects(true) => "the news in the subjects of boards".to_owned(),
            Self::NewsSubjects(false) => "one subject for all mails about a board".to_owned(),
            Self::Reminders(None) => "no reminders but the last one before a game is lost on time".to_owned(),
            Self::Reminders(Some(days)) if !days.is_set() => "reminders".to_owned(),
            Self::Reminders(Some(days)) => format!(
                "reminders {} days before your time ends, from your next turn on each board on",
                listed(&days.days().map(|day| day.to_string()).collect::<Vec<_>>())
            ),
            Self::Quiet(days) if days.is_none() => {
                "no quiet days, from your next turn on each board on".to_owned()
            }
            Self::Quiet(days) => format!(
                "quiet days, on which your clocks stand still: {days}, from your next turn on each board on"
            ),
            Self::AutoVacation(true) => {
                "a vacation that begins by itself when you would lose on time".to_owned()
            }
            Self::AutoVacation(false) => "no vacation that begins by itself".to_owned(),
            Self::Forced(true) => "no question where you have one turn only, in games with dice".to_owned(),
            Self::Forced(false) => "a question for each turn, also where you have only one".to_owned(),
            Self::Digest(true) => "one mail a day".to_owned(),
            Self::Digest(false) => "a mail for each thing that happens".to_owned(),
            Self::Broadcasts(true) => "broadcasts".to_owned(),
            Self::Broadcasts(false) => "no broadcasts".to_owned(),
            Self::Width(width) => format!("prose of at most {width} columns"),
            Self::Zone(zone) => format!("the times of {}", zone.name()),
            Self::Web(true) => "your userid shown on the pages for everybody".to_owned(),
            Self::Web(false) => "your userid left out of the pages for everybody".to_owned(),
            Self::Gazette(true) => "the gazette on Saturdays".to_owned(),
            Self::Gazette(false) => "no gazette".to_owned(),
            Self::Named(true) => "your userid in the gazette if you solve its position".to_owned(),
            Self::Named(false) => "no mention in the gazette for solving its position".to_owned(),
            Self::Display(display) => format!("the {} board of {games}", display.word()),
        }
    }

    const fn set(self, preferences: &mut Preferences) {
        match self {
            Self::Html(is_on) => preferences.html = is_on,
            Self::Picture(is_on) => preferences.picture = is_on,
            Self::BothBoards(is_on) => preferences.both_boards = is_on,
            Self::NewsSubjects(is_on) => preferences.news_subjects = is_on,
            Self::Reminders(days) => {
                preferences.reminders = days.is_some();
                preferences.reminder_days = match days {
                    Some(days) => days,
                    None => Reminders::USUAL,
                };
            }
            Self::Quiet(days) => preferences.quiet = days,
            Self::AutoVacation(is_on) => preferences.has_automatic_vacation = is_on,
            Self::Forced(is_on) => preferences.plays_forced = is_on,
            Self::Digest(is_on) => preferences.digest = is_on,
            Self::Broadcasts(is_on) => preferences.broadcasts = is_on,
            Self::Width(width) => preferences.width = width,
            Self::Zone(zone) => preferences.zone = zone,
            Self::Web(is_on) => preferences.is_hidden = !is_on,
            Self::Gazette(is_on) => preferences.gazette = is_on,
            Self::Named(is_on) => preferences.is_named = is_on,
            Self::Display(_) => {}
        }
    }
}

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let games: Vec<&'static Game> = line
        .game
        .map_or_else(|| GAMES.iter().collect(), |game| vec![game]);
    if line.words.is_empty() {
        return Ok(settings(context, player, &games)?);
    }
    if let (None, [first, rest @ ..]) = (line.game, line.words.as_slice())
        && is_notify(&first.text)
    {
        return notify::notify(context, player, rest);
    }
    let settings = read(line)?;
    let mut preferences = context.store.preferences(player.id)?;
    let mut changes = Vec::new();
    for setting in &settings {
        setting.set(&mut preferences);
        if let Setting::Display(display) = *setting {
            changes.extend(games.iter().map(|game| Change::Display {
                player: player.id,
                game,
                display,
            }));
        }
    }
    let (preferred, mut letters) = prefer(context, player, preferences)?;
    changes.extend(preferred);
    let of = line.game.map_or("all games", |game| game.facts.name);
    let described: Vec<_> = settings.iter().map(|setting| setting.described(of)).collect();
    let game = line
        .game
        .map_or_else(String::new, |game| format!("{} ", game.facts.name));
    let done = Done {
        subject: format!("{game}set {}", player.userid),
        sentence: format!("You will now get {}.", described.join("; ")),
        hint: hint(&preferences, &settings),
    };
    letters.push(Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(done.into())
    });
    Ok(Decision {
        changes,
        letters,
        proven: Some(player.id),
    })
}

/// Related settings that the player may want to know.
fn hint(preferences: &Preferences, settings: &[Setting]) -> String {
    let is_hidden = settings.contains(&Setting::Picture(true)) && !preferences.html;
    if is_hidden {
        "The picture stands in the HTML, and that is off.".to_owned()
    } else {
        String::new()
    }
}

/// Parses the words after the password.
fn read(line: &Line) -> Result<Vec<Setting>, Undecided> {
    let mut settings = Vec::new();
    let mut words = line.words.iter().peekable();
    while let Some(word) = words.next() {
        let before = settings.len();
        let found = match line.game {
            Some(_) => None,
            None => several(word, &mut words)?,
        };
        settings.push(match found {
            Some(setting) => setting,
            None => one(line, word, &mut words)?,
        });
        let kind = |setting: &Setting| std::mem::discriminant(setting);
        let (earlier, last) = settings.split_at(before);
        if last
            .iter()
            .any(|last| earlier.iter().any(|one| kind(one) == kind(last)))
        {
            return Err(Refused::unreadable("That is set twice in one line.")
                .about(word)
                .into());
        }
    }
    Ok(settings)
}

/// The words of the line that are not read yet.
type Words<'a> = Peekable<std::slice::Iter<'a, Word>>;

/// A setting with one value or none.
fn one(line: &Line, word: &Word, words: &mut Words<'_>) -> Result<Setting, Undecided> {
    let name = word.text.to_ascii_lowercase();
    let mut switch = || either(word, words.next(), ["off", "on"]);
    Ok(match name.as_str() {
        "small" => Setting::Display(Display::Small),
        "large" => Setting::Display(Display::Large),
        _ if line.game.is_some() => return Err(unknown(word, &WORDS[..OF_A_GAME])),
        "text" => Setting::Html(false),
        "html" => Setting::Html(true),
        "picture" => Setting::Picture(switch()?),
        "boards" => Setting::BothBoards(either(word, words.next(), ["one", "both"])?),
        "subjects" => Setting::NewsSubjects(either(word, words.next(), ["plain", "news"])?),
        "reminders" => Setting::Reminders(switch()?.then_some(Reminders::USUAL)),
        "autovacation" => Setting::AutoVacation(switch()?),
        "forced" => Setting::Forced(switch()?),
        "digest" => Setting::Digest(switch()?),
        "broadcasts" => Setting::Broadcasts(switch()?),
        "width" => Setting::Width(width(word, words.next())?),
        "zone" => Setting::Zone(zone(word, words.next())?),
        "web" => Setting::Web(switch()?),
        "gazette" => Setting::Gazette(switch()?),
        "named" => Setting::Named(switch()?),
        "notify" => {
            return Err(Refused::unreadable("A line with notify sets nothing else.")
                .about(word)
                .into());
        }
        _ => return Err(unknown(word, &WORDS)),
    })
}

/// A setting with several values: days of the week, numbers of days. `None`: it is another one.
fn several(name: &Word, words: &mut Words<'_>) -> Result<Option<Setting>, Undecided> {
    let mut values = Vec::new();
    let mut take = |fits: &dyn Fn(&str) -> bool| {
        while let Some(word) = words.next_if(|word| fits(&word.text)) {
            values.push(word.text.as_str());
        }
        values.join(" ")
    };
    let refuse = |sentence: String| Undecided::from(Refused::unreadable(sentence).about(name));
    Ok(match name.text.to_ascii_lowercase().as_str() {
        "quiet" => {
            let days = take(&is_day);
            let is_off = days.is_empty()
                && words
                    .next_if(|word| word.text.eq_ignore_ascii_case("off"))
                    .is_some();
            if days.is_empty() && !is_off {
                return Err(refuse(
                    "After quiet stand days of the week, such as Sat Sun, or off.".to_owned(),
                ));
            }
            let days = days.parse().map_err(|why: NotQuiet| refuse(why.to_string()))?;
            Some(Setting::Quiet(days))
        }
        "reminders" => match take(&is_digits) {
            days if days.is_empty() => None,
            days => {
                let days = days.parse().map_err(|why: NoReminders| refuse(why.to_string()))?;
                Some(Setting::Reminders(Some(days)))
            }
        },
        _ => None,
    })
}

/// Whether a word is a day of the week.
fn is_day(word: &str) -> bool {
    word.parse::<Weekday>().is_ok()
}

/// Whether the value is the second of these two words.
fn either(name: &Word, value: Option<&Word>, [no, yes]: [&str; 2]) -> Result<bool, Undecided> {
    let sentence = format!("After {} stands {yes} or {no}.", name.text.to_ascii_lowercase());
    let Some(value) = value else {
        return Err(Refused::unreadable(sentence).about(name).into());
    };
    match value.text.to_ascii_lowercase() {
        word if word == yes => Ok(true),
        word if word == no => Ok(false),
        _ => Err(Refused::unreadable(sentence).hiding(value).into()),
    }
}

fn width(name: &Word, value: Option<&Word>) -> Result<u32, Undecided> {
    let (least, most) = (Preferences::NARROWEST, Preferences::WIDEST);
    let sentence = format!("After width stands a number of columns, from {least} to {most}.");
    let Some(value) = value else {
        return Err(Refused::unreadable(sentence).about(name).into());
    };
    let read = value
        .text
        .parse()
        .ok()
        .filter(|width| (least..=most).contains(width));
    read.ok_or_else(|| Refused::unreadable(sentence).hiding(value).into())
}

fn unknown(word: &Word, words: &[&str]) -> Undecided {
    let open = || words.iter().map(|word| (*word).to_owned());
    let mut near = nearest(&word.text, open());
    if near.is_empty() {
        near = open().collect();
    }
    let sentence = match words.len() {
        OF_A_GAME => "For one game, small or large can be set.",
        _ => "There is no such setting.",
    };
    Refused::unreadable(sentence).about(word).near(near).into()
}

/// The current settings, each with the command that changes it.
fn settings(
    context: &Context<'_>,
    player: &Player,
    games: &[&'static Game],
) -> Result<Decision, InternalError> {
    let preferences = context.store.preferences(player.id)?;
    let switch = |is_on: bool| if is_on { ("on", "off") } else { ("off", "on") };
    let mut rows = vec![["Setting", "Now", "To change it"].map(str::to_owned).to_vec()];
    let mut add = |name: &str, now: &str, game: &str, option: &str| {
        let line = format!("{game}set {option}");
        rows.push(vec![name.to_owned(), now.to_owned(), line]);
    };
    // With the name of a game only the settings of that game are shown.
    if games.len() == GAMES.len() {
        let html = if preferences.html { "text" } else { "html" };
        add("html", switch(preferences.html).0, "", html);
        for (name, is_on) in [
            ("picture", preferences.picture),
            ("autovacation", preferences.has_automatic_vacation),
            ("forced", preferences.plays_forced),
            ("digest", preferences.digest),
            ("broadcasts", preferences.broadcasts),
        ] {
            let (now, other) = switch(is_on);
            add(name, now, "", &format!("{name} {other}"));
        }
        let (now, other) = match preferences.both_boards {
            true => ("both", "one"),
            false => ("one", "both"),
        };
        add("boards", now, "", &format!("boards {other}"));
        match preferences.reminder_days.is_set() && preferences.reminders {
            true => add(
                "reminders",
                &preferences.reminder_days.to_string(),
                "",
                "reminders on",
            ),
            false => {
                let (now, other) = switch(preferences.reminders);
                add("reminders", now, "", &format!("reminders {other}"));
            }
        }
        match preferences.quiet.is_none() {
            true => add("quiet", "off", "", "quiet Sat Sun"),
            false => add("quiet", &preferences.quiet.to_string(), "", "quiet off"),
        }
        let (now, other) = match preferences.news_subjects {
            true => ("news", "plain"),
            false => ("plain", "news"),
        };
        add("subjects", now, "", &format!("subjects {other}"));
        add("width", &preferences.width.to_string(), "", "width 60");
        add("zone", preferences.zone.name(), "", "zone Europe/Lisbon");
        let (now, other) = switch(!preferences.is_hidden);
        add("web", now, "", &format!("web {other}"));
        for (name, is_on) in [("gazette", preferences.gazette), ("named", preferences.is_named)] {
            let (now, other) = switch(is_on);
            add(name, now, "", &format!("{name} {other}"));
        }
        add("notify", &notify::setting(context, player)?, "", "notify ADDRESS");
    }
    for game in games {
        let display = context.store.display(player.id, game)?;
        let other = match display {
            Display::Small => Display::Large,
            Display::Large => Display::Small,
        };
        let name = game.facts.name;
        add(name, display.word(), &format!("{name} "), other.word());
    }
    let listing = Listing {
        subject: format!("set {}", player.userid),
        sentence: "These are your settings.".to_owned(),
        table: columns(&rows),
        hint: "Several can be changed in one line; help set explains each.".to_owned(),
        ..Listing::default()
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(listing.into())
    };
    Ok(Decision {
        proven: Some(player.id),
        ..Decision::answer(letter)
    })
}
