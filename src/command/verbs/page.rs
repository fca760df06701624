//! `page`: the link to a player's page.

use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Trailing, Undecided,
};
use crate::letters::PageLink;
use crate::table::Player;

pub(crate) static PAGE: Command = Command {
    verb: "page",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "page userid password [new]",
    summary: "mails you the link to your page",
    help: "Mails you the link to your page: the boards that wait for you, all others, and what can be set. Whoever has \
           the link plays for you. With new, all your earlier links are invalid, also those in letters about boards.",
    examples: &["page alice fig7elk", "page alice fig7elk new"],
    in_invitation: true,
    is_meant: |words| words.is_empty(),
    run: Run::Player(run),
    ..Command::USUAL
};

fn run(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let is_new = match line.words.as_slice() {
        [] => false,
        [word] if word.text.eq_ignore_ascii_case("new") => true,
        [word, ..] => {
            return Err(Refused::unreadable("Only new may stand there.")
                .hiding(word)
                .into());
        }
    };
    if !context.settings.has_pages {
        return Err(Refused::impossible("This server has no pages.").into());
    }
    let content = PageLink {
        userid: player.userid.clone(),
        is_new,
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        ..Letter::answer(content.into())
    };
    Ok(Decision {
        changes: is_new
            .then_some(Change::RenewLinks(player.id))
            .into_iter()
            .collect(),
        letters: vec![letter],
        proven: Some(player.id),
    })
}
