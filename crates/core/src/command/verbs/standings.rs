//! `standings`: the players of a game in the order of their ratings.

use crate::command::verbs::seek::open_challenges;
use crate::command::wording::listing::MAX_LISTED;
use crate::command::{Command, Context, Decision, Letter, Line, Run, Scope, Undecided};
use crate::letters::{Listing, columns};
use crate::store::Ranked;
use crate::table::ESTABLISHED_BELOW;

pub(crate) static STANDINGS: Command = Command {
    verb: "standings",
    aliases: &["ratings"],
    scope: Scope::Game,
    syntax: "GAME standings",
    summary: "the players of a game by their ratings",
    help: "Lists the players of a game: rank, rating, deviation, how many rated games they have won, lost and \
           drawn, how many boards they have running, how many they take at most (- is no limit, 0 is none), and \
           how many games they seek. Players with an established rating come first. The others have no rank \
           yet. Players who have finished no rated game come last. Below are the open challenges, the oldest \
           first: GAME challenge with a name from there takes it (see help seek). help ratings explains the \
           numbers.",
    examples: &["GAME standings", "GAME ratings"],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let name = game.facts.name;
    let established = context.store.ranked(game, true, context.now, MAX_LISTED)?;
    let room = MAX_LISTED - established.len();
    let others = context.store.ranked(game, false, context.now, room)?;
    let room = room - others.len();
    let newcomers = if room > 0 {
        context.store.newcomers(game, room)?
    } else {
        Vec::new()
    };
    let listed = established.len() + others.len() + newcomers.len();
    let sentence = match listed {
        0 => format!("Nobody plays or seeks {name} yet."),
        1 => format!("One player of {name}."),
        MAX_LISTED => format!("The first {MAX_LISTED} players of {name} by their ratings."),
        count => format!("{count} players of {name} by their ratings."),
    };
    let table = if listed == 0 {
        String::new()
    } else {
        let heading = [
            "Rank", "Name", "Rating", "Dev.", "Won", "Lost", "Drawn", "Running", "Seeking",
        ];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        let ranks = (1..).map(|rank: usize| rank.to_string());
        let unranked = others.iter().chain(&newcomers).map(|row| ("-".to_owned(), row));
        rows.extend(
            ranks
                .zip(&established)
                .chain(unranked)
                .map(|(rank, ranked)| row(context, rank, ranked)),
        );
        let sought = open_challenges(&context.store.seeks(game, MAX_LISTED)?);
        format!("{}\n\n{sought}", columns(&rows))
    };
    let listing = Listing {
        subject: format!("{name} standings"),
        sentence,
        table,
        hint: format!(
            "A rating is established, and has a rank, once its deviation is below {ESTABLISHED_BELOW}; help ratings \
             explains this. {name} history USERID lists a player's finished games."
        ),
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

fn row(context: &Context<'_>, rank: String, ranked: &Ranked) -> Vec<String> {
    let standing = &ranked.standing;
    let rating = standing.rating_at(context.now);
    vec![
        rank,
        ranked.userid.clone(),
        rating.shown(),
        format!("{:.0}", rating.deviation),
        standing.won.to_string(),
        standing.lost.to_string(),
        standing.drawn.to_string(),
        format!(
            "{}/{}",
            ranked.running,
            ranked
                .most
                .map_or_else(|| "-".to_owned(), |most| most.to_string())
        ),
        match ranked.seeking {
            0 => String::new(),
            count => count.to_string(),
        },
    ]
}
