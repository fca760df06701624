//! `all`: the boards of players in all games.

use crate::command::verbs::games::select;
use crate::command::verbs::show::View;
use crate::command::wording::listing::listed;
use crate::command::{
    Addressee, Argument, Command, Context, Decision, Form, Letter, Line, Run, Trailing, Undecided, Word,
};

pub(crate) static ALL: Command = Command {
    verb: "all",
    trailing: Trailing::OneOf(&[SHOW, GAMES]),
    syntax: "all show|games userid [active|inactive|all|next]",
    summary: "the boards of a player in all games",
    help: "Shows the boards of a player in all games (all show), or lists them (all games). Add active for the \
           running boards, which is the default, inactive for the finished ones, all for both, or next for \
           those where it is the player's turn. You can name several players. More than ten boards are listed, \
           not drawn.",
    examples: &["all show alice next", "all games alice"],
    run: Run::ReadOnly(run),
    ..Command::USUAL
};

const SHOW: Form = Form {
    word: "show",
    arguments: &[Argument::Userid],
    trailing: Trailing::Words,
};

const GAMES: Form = Form {
    word: "games",
    ..SHOW
};

fn run(context: &Context<'_>, line: &Line) -> Result<Decision, Undecided> {
    let words: Vec<&Word> = line.fixed.iter().chain(&line.words).collect();
    let readers = context.known_senders()?;
    let boards = select(context, None, &words, &readers)?;
    if line.form.is_some_and(|form| form.word == GAMES.word) {
        return Ok(Decision::answer(Letter::answer(listed(None, &boards).into())));
    }
    let view = View {
        to: Addressee::Sender,
        readers,
    };
    let boards: Vec<_> = boards.into_iter().map(|board| (board, None)).collect();
    Ok(view.show(context, None, &boards)?)
}
