//! `block` and `unblock`: keeps mails of another player away.

use crate::command::reading::places::is_formed_as_a_userid;
use crate::command::{
    Argument, Change, Command, Context, Decision, Letter, Line, Refused, Run, Undecided, WithoutPassword,
};
use crate::letters::Done;
use crate::table::Player;

pub(crate) static BLOCK: Command = Command {
    verb: "block",
    arguments: &[Argument::Userid, Argument::Password, Argument::Userid],
    syntax: "block userid password other",
    summary: "keeps another player's challenges, offers and words away",
    help: "Stops the challenges, chats and messages of another player, the offers of a draw, an undo or a rematch, the \
           news of vacations, and the comments with that player's turns. It does so whenever you write it, also while \
           boards between you run. These go on: you get every turn, and the end. The other player is not told, but gets \
           a polite refusal on trying. unblock ends it.",
    examples: &["block alice fig7elk bob"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| matches!(words, [other] if is_formed_as_a_userid(other)),
    run: Run::Player(block),
    ..Command::USUAL
};

pub(crate) static UNBLOCK: Command = Command {
    verb: "unblock",
    arguments: &[Argument::Userid, Argument::Password, Argument::Userid],
    syntax: "unblock userid password other",
    summary: "lets a blocked player write to you again",
    help: "Ends a block: the other player can challenge you and write to you again.",
    examples: &["unblock alice fig7elk bob"],
    without_password: WithoutPassword::BySender,
    fits_without_password: |words| matches!(words, [other] if is_formed_as_a_userid(other)),
    run: Run::Player(unblock),
    ..Command::USUAL
};

fn block(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let other = context.player(&line.fixed[2])?;
    if other.id == player.id {
        return Err(Refused::impossible("You cannot block yourself.")
            .about(&line.fixed[2])
            .into());
    }
    let sentence = format!("You hear nothing of {} any more.", other.userid);
    let hint = format!("To undo it, write unblock {}.", other.userid);
    let change = Change::Block {
        player: player.id,
        other: other.id,
        is_on: true,
    };
    Ok(done(player, "block", sentence, hint, change))
}

fn unblock(context: &Context<'_>, line: &Line, player: &Player) -> Result<Decision, Undecided> {
    let other = context.player(&line.fixed[2])?;
    if !context.store.has_blocked(player.id, other.id)? {
        let sentence = format!("You have not blocked {}.", other.userid);
        return Err(Refused::impossible(sentence).about(&line.fixed[2]).into());
    }
    let sentence = format!("{} may write to you again.", other.userid);
    let change = Change::Block {
        player: player.id,
        other: other.id,
        is_on: false,
    };
    Ok(done(player, "unblock", sentence, String::new(), change))
}

fn done(player: &Player, verb: &str, sentence: String, hint: String, change: Change) -> Decision {
    let done = Done {
        subject: format!("{verb} {}", player.userid),
        sentence,
        hint,
    };
    Decision {
        changes: vec![change],
        letters: vec![Letter::answer_to(player, done)],
        proven: Some(player.id),
    }
}
