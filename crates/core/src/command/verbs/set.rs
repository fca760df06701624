//! `set`: a player's settings for mails and boards.

use chrono_tz::{TZ_VARIANTS, Tz};
use pbmserv_games::{Display, GAMES, Game};

use crate::command::accounts::preferences::prefer;
use crate::command::reading::near::nearest;
use crate::command::vocabulary::is_digits;
use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InternalError, Letter, Line, Refused, Run,
    Scope, Trailing, Undecided, Word,
};
use crate::letters::{Done, Listing, columns};
use crate::table::{Player, Preferences};

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
           reminders on|off\n                   when it has been your turn for days\n  \
           digest on|off    one mail a day in the place of all news\n  \
           broadcasts on|off\n                   what the directors write to all players\n  \
           width N          columns of prose in plain text, from 30 to 78\n  \
           zone Europe/Lisbon\n                   the zone of the times in your mails and on your pages\n  \
           web on|off       off: pages for everybody leave out your userid\n  \
           small, large     which of the two boards is drawn\n\n\
           small and large can be set for one game, with its name before: GAME set alice fig7elk small. Without an \
           option it tells what is set.",
    examples: &[
        "set alice fig7elk picture off width 60",
        "set alice fig7elk digest on",
        "GAME set alice fig7elk small",
    ],
    in_invitation: true,
    fits_without_password: are_settings,
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
    Reminders(bool),
    Digest(bool),
    Broadcasts(bool),
    Width(u32),
    Zone(Tz),
    Web(bool),
    Display(Display),
}

/// The words that begin a setting. Settings that can be for one game come first.
const WORDS: [&str; 13] = [
    "small",
    "large",
    "text",
    "html",
    "picture",
    "boards",
    "subjects",
    "reminders",
    "digest",
    "broadcasts",
    "width",
    "zone",
    "web",
];

/// What may follow these, but for numbers and zones.
const VALUES: [&str; 6] = ["on", "off", "one", "both", "plain", "news"];

/// Whether these words are settings, as far as no password can be among them.
fn are_settings(words: &[&str]) -> bool {
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
    let is_one = |(at, word): (usize, &&str)| is_known(word) || is_digits(word) || is_zone(at, word);
    words.iter().enumerate().all(is_one)
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
            Self::Reminders(true) => "reminders".to_owned(),
            Self::Reminders(false) => {
                "no reminders but the last one before a game is lost on time".to_owned()
            }
            Self::Digest(true) => "one mail a day".to_owned(),
            Self::Digest(false) => "a mail for each thing that happens".to_owned(),
            Self::Broadcasts(true) => "broadcasts".to_owned(),
            Self::Broadcasts(false) => "no broadcasts".to_owned(),
            Self::Width(width) => format!("prose of at most {width} columns"),
            Self::Zone(zone) => format!("the times of {}", zone.name()),
            Self::Web(true) => "your userid shown on the pages for everybody".to_owned(),
            Self::Web(false) => "your userid left out of the pages for everybody".to_owned(),
            Self::Display(display) => format!("the {} board of {games}", display.word()),
        }
    }

    const fn set(self, preferences: &mut Preferences) {
        match self {
            Self::Html(is_on) => preferences.html = is_on,
            Self::Picture(is_on) => preferences.picture = is_on,
            Self::BothBoards(is_on) => preferences.both_boards = is_on,
            Self::NewsSubjects(is_on) => preferences.news_subjects = is_on,
            Self::Reminders(is_on) => preferences.reminders = is_on,
            Self::Digest(is_on) => preferences.digest = is_on,
            Self::Broadcasts(is_on) => preferences.broadcasts = is_on,
            Self::Width(width) => preferences.width = width,
            Self::Zone(zone) => preferences.zone = zone,
            Self::Web(is_on) => preferences.is_hidden = !is_on,
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
    let mut words = line.words.iter();
    while let Some(word) = words.next() {
        let name = word.text.to_ascii_lowercase();
        let before = settings.len();
        let mut switch = || either(word, words.next(), ["off", "on"]);
        settings.push(match name.as_str() {
            "small" => Setting::Display(Display::Small),
            "large" => Setting::Display(Display::Large),
            _ if line.game.is_some() => return Err(unknown(word, &WORDS[..OF_A_GAME])),
            "text" => Setting::Html(false),
            "html" => Setting::Html(true),
            "picture" => Setting::Picture(switch()?),
            "boards" => Setting::BothBoards(either(word, words.next(), ["one", "both"])?),
            "subjects" => Setting::NewsSubjects(either(word, words.next(), ["plain", "news"])?),
            "reminders" => Setting::Reminders(switch()?),
            "digest" => Setting::Digest(switch()?),
            "broadcasts" => Setting::Broadcasts(switch()?),
            "width" => Setting::Width(width(word, words.next())?),
            "zone" => Setting::Zone(zone(word, words.next())?),
            "web" => Setting::Web(switch()?),
            _ => return Err(unknown(word, &WORDS)),
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

/// The most zones that are suggested.
const MAX_ZONES: usize = 3;

/// Names that people use for the time of half a year, and where that is. Some are zones of the tz database, which never have
/// summer time.
const SHORT_ZONES: [(&str, &[&str]); 16] = [
    ("EST", &["America/New_York", "America/Panama"]),
    ("EDT", &["America/New_York"]),
    ("CST", &["America/Chicago", "Asia/Shanghai"]),
    ("CDT", &["America/Chicago"]),
    ("MST", &["America/Denver", "America/Phoenix"]),
    ("MDT", &["America/Denver"]),
    ("PST", &["America/Los_Angeles"]),
    ("PDT", &["America/Los_Angeles"]),
    ("HST", &["Pacific/Honolulu"]),
    ("BST", &["Europe/London"]),
    ("CEST", &["Europe/Berlin", "Europe/Paris"]),
    ("EEST", &["Europe/Athens", "Europe/Kyiv"]),
    ("MSK", &["Europe/Moscow"]),
    ("IST", &["Asia/Kolkata", "Europe/Dublin"]),
    ("JST", &["Asia/Tokyo"]),
    ("AEST", &["Australia/Sydney", "Australia/Brisbane"]),
];

/// A zone of the tz database; upper and lower case are alike.
fn zone(name: &Word, value: Option<&Word>) -> Result<Tz, Undecided> {
    let sentence = "After zone stands the name of a zone, such as Europe/Lisbon, or UTC.";
    let Some(value) = value else {
        return Err(Refused::unreadable(sentence).about(name).into());
    };
    let is = |name: &str| name.eq_ignore_ascii_case(&value.text);
    if let Some((short, meant)) = SHORT_ZONES.iter().find(|(short, _)| is(short)) {
        let sentence = format!(
            "{short} is the time of half a year, or of several places: name a place for the whole year."
        );
        let near = meant.iter().map(|zone| (*zone).to_owned()).collect();
        return Err(Refused::unreadable(sentence).near(near).into());
    }
    let zones = || TZ_VARIANTS.iter().copied();
    if let Some(zone) = zones().find(|zone| is(zone.name())) {
        return Ok(zone);
    }
    // `Berlin`, or a name with a wrong letter.
    let place = |zone: &Tz| zone.name().rsplit('/').next().is_some_and(is);
    let mut near: Vec<String> = zones().filter(place).map(|zone| zone.name().to_owned()).collect();
    if near.is_empty() {
        near = nearest(&value.text, zones().map(|zone| zone.name().to_owned()));
    }
    near.truncate(MAX_ZONES);
    Err(Refused::unreadable(sentence).hiding(value).near(near).into())
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
            ("reminders", preferences.reminders),
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
        let (now, other) = match preferences.news_subjects {
            true => ("news", "plain"),
            false => ("plain", "news"),
        };
        add("subjects", now, "", &format!("subjects {other}"));
        add("width", &preferences.width.to_string(), "", "width 60");
        add("zone", preferences.zone.name(), "", "zone Europe/Lisbon");
        let (now, other) = switch(!preferences.is_hidden);
        add("web", now, "", &format!("web {other}"));
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
