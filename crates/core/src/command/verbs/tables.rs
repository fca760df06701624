//! `tables`: the tables of leagues and cups, for anybody.

use crate::command::verbs::ladder::ranking;
use crate::command::wording::tables::{all_tables, capital, ladder, tables};
use crate::command::{
    Command, Context, Decision, Letter, Line, Reason, Refused, Run, Scope, Trailing, Undecided,
};
use crate::letters::{Listing, SubjectMark, columns};
use crate::store::{ContestKind, ContestRow};

pub(crate) static TABLES: Command = Command {
    verb: "tables",
    scope: Scope::Both,
    trailing: Trailing::Words,
    syntax: "tables [cup] | GAME tables [season]",
    summary: "the tables of leagues, ladders and cups",
    help: "GAME tables shows the league of a game, all its divisions, and its ladder; with a number, that season. tables with the \
           name of a cup shows the cup; without a name it lists the cups.",
    examples: &["tables", "GAME tables"],
    is_meant: |words| words.len() <= 1,
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

/// The most cups in a list, and places of a ladder.
const MAX_SHOWN: u32 = 100;

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    if let [_, surplus, ..] = line.words.as_slice() {
        return Err(Refused::unreadable(Reason::SurplusWord("tables"))
            .hiding(surplus)
            .into());
    }
    match (line.game, line.words.first()) {
        (Some(_), _) => of_game(context, line),
        (None, Some(word)) => {
            let cup = context.store.cup(&word.text)?.filter(|cup| !cup.is_private());
            let Some(cup) = cup else {
                return Err(Refused::impossible("There is no such cup for everybody.")
                    .hiding(word)
                    .into());
            };
            of_cup(context, &cup)
        }
        (None, None) => list(context),
    }
}

/// The letter with a cup.
pub(crate) fn of_cup(context: &Context<'_>, cup: &ContestRow) -> Result<Decision, Undecided> {
    let cup_name = cup.name();
    let subject = capital(&cup_name);
    let full = context.store.filled(cup.clone())?;
    let (players, seats) = (full.entrants.len(), cup.new.seats);
    let sentence = match (cup.begun_at, cup.ended_at) {
        (None, None) => format!(
            "{subject} begins on {}: {players} of {seats} seats are taken.",
            context.times(context.reader()?)?.said(cup.new.begins_at)
        ),
        (None, Some(_)) => format!("{subject} did not come about."),
        (Some(_), None) => format!("{subject} is being played, by {players}."),
        (Some(_), Some(_)) => format!("{subject} is over."),
    };
    let table = match cup.begun_at {
        Some(_) => tables(&full),
        None => full
            .entrants
            .iter()
            .map(|entrant| entrant.userid.clone())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let listing = Listing {
        subject: SubjectMark::Table.before(&cup_name),
        sentence,
        table,
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

fn of_game(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let (title, name) = (game.facts.bare_title(), game.facts.name);
    let league = context.store.league(game)?;
    let newest = league.as_ref().map_or(0, |league| league.season);
    let season = match line.words.first() {
        None => newest,
        Some(word) => match word.text.parse::<u32>() {
            Ok(season) if (1..=newest).contains(&season) => season,
            _ => {
                let sentence = match newest {
                    0 => format!("The {title} league has had no season yet."),
                    1 => format!("The {title} league has had one season: number 1."),
                    _ => format!("The {title} league has had seasons 1 to {newest}."),
                };
                return Err(Refused::impossible(sentence).hiding(word).into());
            }
        },
    };
    let mut table = all_tables(context.store, context.store.divisions(game, season)?)?;
    let ranks = ranking(context.store, game)?;
    if !ranks.is_empty() {
        if !table.is_empty() {
            table.push_str("\n\n\n");
        }
        let ranks = ladder(context, &ranks, MAX_SHOWN as usize)?;
        table.push_str(&format!("The {title} ladder\n\n{ranks}"));
    }
    let sentence = match (season, ranks.len()) {
        (0, 0) => format!("The {title} league has had no season yet, and nobody is on the {title} ladder."),
        (0, _) => format!("The {title} league has had no season yet; this is the ladder."),
        (season, 0) => format!("This is season {season} of the {title} league."),
        (season, _) => format!("This is season {season} of the {title} league, and the ladder."),
    };
    let listing = Listing {
        subject: format!("{name} tables"),
        sentence,
        table,
        hint: format!("To play there, write {name} league join or {name} ladder join."),
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

/// The cups that everybody may see.
fn list(context: &Context<'_>) -> Result<Decision, Undecided> {
    let times = context.times(context.reader()?)?;
    let mut rows = vec![["Cup", "Game", "Seats", "State"].map(str::to_owned).to_vec()];
    for cup in context.store.cups(MAX_SHOWN)? {
        let ContestKind::Cup {
            name,
            is_private: false,
            ..
        } = &cup.new.kind
        else {
            continue;
        };
        let state = match (cup.begun_at, cup.ended_at) {
            (None, None) => format!("begins {}", times.said(cup.new.begins_at)),
            (None, Some(_)) => continue,
            (Some(_), None) => "is played".to_owned(),
            (Some(_), Some(_)) => "over".to_owned(),
        };
        rows.push(vec![
            name.clone(),
            cup.new.game.facts.name.to_owned(),
            cup.new.seats.to_string(),
            state,
        ]);
    }
    let (sentence, table) = match rows.len() {
        1 => ("There is no cup now.".to_owned(), String::new()),
        _ => ("These are the cups.".to_owned(), columns(&rows)),
    };
    let listing = Listing {
        subject: "tables".to_owned(),
        sentence,
        table,
        hint: "tables and a name shows a cup, cup join and a name joins it. A game and tables, such as Hex tables, shows the \
               league and the ladder of the game."
            .to_owned(),
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}
