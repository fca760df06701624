//! `mynotes`: a player's private words on other players.

use crate::command::playing::own_note::with_words;
use crate::command::{
    Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Trailing, Undecided,
};
use crate::letters::Listing;
use crate::table::Player;

pub(crate) static MYNOTES: Command = Command {
    verb: "mynotes",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "mynotes userid password [other [words | off]]",
    summary: "keeps private words on players, for you alone",
    help: "Adds words, and the text of the mail, to your note on another player. Nobody else ever reads it. With the userid alone \
           you get the note by mail, without it all your notes on players. off empties the note. It ends with either account.\n\n\
           In an answer to a mail about a board, write note on, the userid and your words, such as: note on bob he plays \
           fast. Your notes stand on the page of the player, and in what show sends to you.",
    examples: &["mynotes alice fig7elk bob he plays fast", "mynotes alice fig7elk"],
    run: Run::Player(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let listing = |sentence: String, words: String| Listing {
        subject: "mynotes".to_owned(),
        sentence,
        // Each line stays one.
        hint: words.replace('\n', "\n\n"),
        ..Listing::default()
    };
    let Some(word) = line.words.first() else {
        let notes = context.store.player_notes(player.id)?;
        if notes.is_empty() {
            let sentence = format!("You have no notes on players, {}.", player.userid);
            return Err(Refused::impossible(sentence).into());
        }
        let each = notes.iter().map(|(userid, words)| format!("{userid}:\n{words}"));
        let text = each.collect::<Vec<_>>().join("\n\n");
        let sentence = format!(
            "Your notes on players, {}, which nobody else reads:",
            player.userid
        );
        let letter = Letter::answer_to(player, listing(sentence, text));
        return Ok(Decision {
            proven: Some(player.id),
            ..Decision::answer(letter)
        });
    };
    let other = context.player(word)?;
    let typed = line
        .words
        .get(1)
        .map_or("", |second| &line.text[second.at.start.min(line.text.len())..]);
    let text = [context.masked(typed), context.clean_comment().unwrap_or_default()].join("\n");
    let text = Some(text.trim()).filter(|text| !text.is_empty());
    let before = context.store.player_note(player.id, other.id)?;
    let (sentence, words) = with_words((&other.userid, &player.userid), before, text)
        .map_err(|sentence| Undecided::from(Refused::impossible(sentence)))?;
    let letter = Letter::answer_to(player, listing(sentence, words.clone().unwrap_or_default()));
    Ok(Decision {
        changes: vec![Change::PlayerNote {
            player: player.id,
            other: other.id,
            words,
        }],
        letters: vec![letter],
        proven: Some(player.id),
    })
}
