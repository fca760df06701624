//! `page`: the link to a player's page.

use crate::command::{
    Addressee, Argument, Change, Command, Context, Decision, InAnswer, Letter, Line, Refused, Run, Trailing,
    Undecided, WithoutPassword,
};
use crate::letters::PageLink;
use crate::store::RateLimit;
use crate::table::Player;

/// How often in a day a player's link is mailed to who gives no password. Who has a letter can ask for it, and does not get it.
const MAX_WITHOUT_PASSWORD: u32 = 3;

pub(crate) static PAGE: Command = Command {
    verb: "page",
    arguments: &[Argument::Userid, Argument::Password],
    trailing: Trailing::Words,
    syntax: "page userid password [new]",
    summary: "mails you the link to your page",
    help: "Mails you the link to your page: the boards that wait for you, all others, and what can be set. Whoever has \
           the link plays for you. A letter about a board links to that board alone; page alone in an answer to it mails you \
           the link too, to the addresses of your account. With new, all your earlier links are invalid, also those in \
           letters about boards.",
    examples: &["page alice fig7elk", "page alice fig7elk new"],
    in_answer: InAnswer::Alone,
    without_password: WithoutPassword::ByToken,
    is_meant: |words| words.is_empty(),
    fits_without_password: |words| matches!(words, [] | ["new"]),
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
    let mut changes: Vec<_> = is_new
        .then_some(Change::RenewLinks(player.id))
        .into_iter()
        .collect();
    if line.by_token.is_some() {
        if !context.is_reachable(player.id)? {
            return Err(Refused::impossible("No address of your account takes mail now.").into());
        }
        let too_many = || {
            format!(
                "Your page was mailed to you {MAX_WITHOUT_PASSWORD} times today, and is not mailed again without your \
                 password."
            )
        };
        changes.push(context.count(
            RateLimit::Paged,
            player.id.0,
            player.id,
            MAX_WITHOUT_PASSWORD,
            too_many,
        )?);
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
        changes,
        letters: vec![letter],
        proven: Some(player.id),
    })
}

impl Line {
    /// Whether it asks for the link to the writer's page, and for nothing else: who has any key may.
    pub(crate) fn asks_for_page(&self) -> bool {
        self.command.verb == PAGE.verb && self.words.is_empty()
    }
}
