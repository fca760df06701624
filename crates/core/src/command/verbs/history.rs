//! `history`: finished games, and the score of two players against each other.

use pbmserv_games::{GAMES, Game};

use crate::command::wording::listing::{MAX_LISTED, state};
use crate::command::{Command, Context, Decision, Letter, Line, Refused, Run, Scope, Trailing, Undecided};
use crate::letters::{Listing, Times, columns};
use crate::store::Score;
use crate::table::{Board, Player};

pub(crate) static HISTORY: Command = Command {
    verb: "history",
    scope: Scope::Game,
    trailing: Trailing::Words,
    syntax: "GAME history [userid] [userid]",
    summary: "finished games, and the score of two players",
    help: "Lists the finished games, newest first: of all players, of one player, or of two players against \
           each other. With two userids it also says how often each has won against the other in every game \
           that they played. Games that do not count for the ratings are listed too. Boards that were removed \
           are not.",
    examples: &["GAME history", "GAME history alice", "GAME history alice bob"],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let game = context.game(line)?;
    let name = game.facts.name;
    if let Some(surplus) = line.words.get(2) {
        return Err(Refused::unreadable("At most two players are expected.")
            .hiding(surplus)
            .into());
    }
    let mut players = Vec::new();
    for word in &line.words {
        players.push(context.player(word)?);
    }
    if let ([one, other], [_, word]) = (players.as_slice(), line.words.as_slice())
        && one.id == other.id
    {
        return Err(
            Refused::impossible("Nobody plays against themselves: name two players.")
                .about(word)
                .into(),
        );
    }
    let ids: Vec<_> = players.iter().map(|player| player.id).collect();
    let boards = context.store.finished(game, &ids, MAX_LISTED)?;
    let mut parts = Vec::new();
    let mut sentence = match players.as_slice() {
        [] => format!("The finished games of {name}: {}.", number(boards.len())),
        [one] => format!(
            "The finished games of {name} of {}: {}.",
            one.userid,
            number(boards.len())
        ),
        [one, other, ..] => {
            let scores = context.store.scores(one.id, other.id)?;
            if !scores.is_empty() {
                parts.push(score_table(&scores, one, other));
            }
            score_sentence(scores.iter().find(|score| score.game == name), game, one, other)
        }
    };
    if boards.len() == MAX_LISTED {
        sentence.push_str(&format!(" The newest {MAX_LISTED} are shown."));
    }
    if !boards.is_empty() {
        let reader = match line.by_token {
            Some(player) => Some(player),
            None => context.known_senders()?.first().copied(),
        };
        parts.push(table(&boards, context.times(reader)?));
    }
    let listing = Listing {
        subject: format!("{name} history"),
        sentence,
        table: parts.join("\n\n"),
        hint: format!("{name} show NUMBER shows a board; {name} record NUMBER sends the record of a game."),
        ..Listing::default()
    };
    Ok(Decision::answer(Letter::answer(listing.into())))
}

/// A count; zero in words.
fn number(count: usize) -> String {
    match count {
        0 => "none yet".to_owned(),
        MAX_LISTED => format!("{MAX_LISTED} or more"),
        count => count.to_string(),
    }
}

/// `alice has won 3 games of Pow2 against bob, lost 1 and drawn 0.`
fn score_sentence(score: Option<&Score>, game: &Game, one: &Player, other: &Player) -> String {
    let (name, one, other) = (game.facts.name, &one.userid, &other.userid);
    let Some(score) = score else {
        return format!("{one} and {other} have finished no game of {name} against each other.");
    };
    let games = if score.won == 1 { "game" } else { "games" };
    format!(
        "{one} has won {} {games} of {name} against {other}, lost {} and drawn {}.",
        score.won, score.lost, score.drawn
    )
}

fn score_table(scores: &[Score], one: &Player, other: &Player) -> String {
    let heading = vec![
        "Game".to_owned(),
        format!("Won by {}", one.userid),
        format!("Won by {}", other.userid),
        "Drawn".to_owned(),
    ];
    let row = |score: &Score| {
        vec![
            score.game.clone(),
            score.won.to_string(),
            score.lost.to_string(),
            score.drawn.to_string(),
        ]
    };
    // The order of `GAMES`, as in all lists.
    let known = GAMES.iter().filter_map(|game| {
        let of_game = |score: &&Score| score.game == game.facts.name;
        scores.iter().find(of_game)
    });
    columns(&std::iter::once(heading).chain(known.map(row)).collect::<Vec<_>>())
}

fn table(boards: &[Board], times: Times) -> String {
    let heading = ["Board", "First", "Second", "Turns", "Result", "Ended"]
        .map(str::to_owned)
        .to_vec();
    let row = |board: &Board| {
        let [first, second] = &board.players;
        let ended = board.ended_at.map(|at| times.date_in_digits(at));
        vec![
            format!("{} {}", board.game.facts.name, board.number),
            first.marked(),
            second.marked(),
            board.turns.to_string(),
            state(board),
            ended.unwrap_or_default(),
        ]
    };
    columns(
        &std::iter::once(heading)
            .chain(boards.iter().map(row))
            .collect::<Vec<_>>(),
    )
}
