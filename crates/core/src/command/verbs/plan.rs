//! `plan`: conditional turns, which are played when the other player's turn fits them.

use pbmserv_games::Match;
use pbmserv_games::record::Record;

use crate::command::decide::with_turns;
use crate::command::playing::planning::{below, kept};
use crate::command::playing::turns::not_now;
use crate::command::reading::turn_text::is_off;
use crate::command::wording::board::subject;
use crate::command::wording::older::older_letter;
use crate::command::{
    About, Addressee, AnswerWord, Argument, Change, Command, Context, Decision, InAnswer, InternalError,
    Letter, Refused, Run, Scope, Topic, Trailing, Undecided,
};
use crate::letters::{Content, Drawn, Listing};
use crate::table::{Board, Plan, PlannedTurn, Player, Position, play_with_roll};

pub(crate) static PLAN: Command = Command {
    verb: "plan",
    scope: Scope::Game,
    arguments: &[Argument::Board, Argument::Userid, Argument::Password],
    trailing: Trailing::TextIfAny,
    syntax: "GAME plan board userid password [if MOVE then MOVE ... | off]",
    summary: "plays your answer as soon as a turn fits it",
    help: "Keeps turns that depend on what the other player plays: if e5 then d5 else if f5 then f4. As soon as one \
           fits, your answer is played, if it is legal then. What fits nothing drops the plan, and you are told. \
           Nobody else sees it.\n\n\
           The word any stands for every turn, and then between two of your turns for the same: if any then c3 then \
           c4. What follows an answer can stand on the lines below it, indented:\n\n\
           if e5 then d5\n  if e6 then d6\nif f5 then f4\n\n\
           With dice, answers to the same turn may have a roll each: if any then 31: 8/5 6/5, and below it if any then 64: 24/14. \
           In a match they are rolled without a double.\n\n\
           A plan has at most a hundred answers, and looks ten of your turns ahead. It is dropped when a turn is taken back. \
           A new plan replaces the old one, and off drops it.\n\n\
           In an answer to a mail about the board, write it alone if you are waiting, or behind your turn or below it: \
           d4; if e5 then d5. The word plan alone shows your plan, with boards.",
    examples: &["GAME plan 101 alice fig7elk if any then MOVE"],
    in_answer: InAnswer::Plan,
    answer_words: &[AnswerWord {
        word: "plan",
        rank: 4,
        note: |board, seat| {
            let has_plan = seat.and_then(|seat| board.plan_of(seat)).is_some();
            has_plan.then(|| " (shows yours)".to_owned())
        },
    }],
    about: |board, seat, text| match text.trim().is_empty() || is_off(text) || board.to_move == Some(seat) {
        true => About::Nothing,
        false => About::Position,
    },
    run: Run::OnBoard(|context, line, board, player| match &line.turns {
        None => plan(context, board, player, None),
        Some(_) => with_turns(line, |turns| plan(context, board, player, Some(&turns.text))),
    }),
    ..Command::USUAL
};

/// The most boards that a letter about a plan shows.
const BOARDS_MAX: usize = 6;

/// Shows the plan of a player, drops it, or keeps another, whose lines may stand in the mail.
pub(crate) fn plan(
    context: &Context<'_>,
    mut board: Board,
    player: &Player,
    text: Option<&str>,
) -> Result<Decision, Undecided> {
    let position = context.position(&board)?;
    let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
        return Err(not_now(board, position, player));
    };
    let (name, userid) = (board.name(), &player.userid);
    let (lines, words) = below(context, &board)?;
    let text: Vec<&str> = text.into_iter().chain(lines.as_deref()).collect();
    let text = text.join("\n");
    let refused =
        |sentence: String, position| Err(Refused::impossible(sentence).on(board.clone(), position).into());
    if text.is_empty() && words.is_some() {
        let sentence =
            format!("Your plan on {name} is not kept, {userid}. A plan is written like this: if e5 then d5.");
        return refused(sentence, position);
    }
    if text.is_empty() || is_off(&text) {
        let Some(plan) = board.plan_of(seat) else {
            return refused(format!("You have planned nothing on {name}, {userid}."), position);
        };
        if text.is_empty() {
            let sentence = format!("This is your plan on {name}, {userid}; nobody else sees it.");
            let letter = letter(context, &board, &position, player, sentence, plan)?;
            return Ok(decided(player, Vec::new(), letter));
        }
        board.planned(seat, None);
        let sentence = format!("Nothing is planned any more on {name}, {userid}.");
        let letter = letter(
            context,
            &board,
            &position,
            player,
            sentence,
            &Plan::queue(0, Vec::new()),
        )?;
        return Ok(decided(player, vec![Change::Board(Box::new(board))], letter));
    }
    if board.to_move == Some(seat) {
        let sentence = format!(
            "It is your turn on {name}, {userid}: play a turn, and write your plan behind it on the same line."
        );
        return refused(sentence, position);
    }
    // A plan in the text of the mail is not in the line that was looked at.
    if let Some(why) = older_letter(context, &board, seat, About::Position)? {
        let sentence = format!("Not planned on {name}, {userid}: {why}. This is the board now.");
        return refused(sentence, position);
    }
    let kept = kept(&text, position.turns.len(), position.game.as_ref(), seat);
    let plan = match kept {
        Ok(plan) => plan,
        Err(reason) => {
            return refused(
                format!("Your plan on {name} is not kept, {userid}. {reason}"),
                position,
            );
        }
    };
    let mut sentence = format!("Your plan on {name} is kept, {userid}, and nobody else sees it.");
    if words.is_some() {
        sentence.push_str(" The other text of your mail was sent to nobody: chat does that.");
    }
    let letter = letter(context, &board, &position, player, sentence, &plan)?;
    board.planned(seat, Some(plan));
    Ok(decided(player, vec![Change::Board(Box::new(board))], letter))
}

fn decided(player: &Player, changes: Vec<Change>, letter: Letter) -> Decision {
    Decision {
        changes,
        letters: vec![letter],
        proven: Some(player.id),
    }
}

/// The letter with a plan as a tree, and the boards at the ends of its lines.
fn letter(
    context: &Context<'_>,
    board: &Board,
    position: &Position,
    player: &Player,
    sentence: String,
    plan: &Plan,
) -> Result<Letter, InternalError> {
    let display = context.store.display(player.id, board.game)?;
    let reader = board.players.iter().find(|seated| seated.id == player.id);
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.iter().map(|turn| turn.text.clone()).collect();
    record.roll = position.game.dice();
    let lines = lines(plan, position.game.as_ref());
    let drawn = lines.iter().take(BOARDS_MAX).map(|line| Drawn {
        about: format!("After {}:", line.turns.join(" ")),
        board: line.end.draw(display),
    });
    let listing = Listing {
        subject: subject(board, reader),
        sentence,
        table: plan.to_string(),
        boards: drawn.collect(),
        hint: match lines.len() > BOARDS_MAX {
            true => format!("The first {BOARDS_MAX} ends are drawn."),
            false => String::new(),
        },
        ..Listing::default()
    };
    let letter = Letter {
        to: Addressee::Player(player.id),
        topic: Topic::Preview,
        ..Letter::answer(Content::from(listing).showing(record.to_string()))
    };
    Ok(letter.on(board.game, board.number))
}

/// A line of a plan that is known to its end.
struct KnownLine {
    turns: Vec<String>,
    end: Box<dyn Match>,
}

/// The lines of a plan, up to the first answer to any turn.
fn lines(plan: &Plan, game: &dyn Match) -> Vec<KnownLine> {
    let answers = plan.answers();
    let mut lines: Vec<KnownLine> = Vec::new();
    let mut path: Vec<&PlannedTurn> = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        path.truncate(answer.depth);
        path.push(answer);
        let goes_on = answers.get(at + 1).is_some_and(|next| next.depth > answer.depth);
        if goes_on {
            continue;
        }
        let mut end = game.fork();
        let mut turns = Vec::new();
        for answer in &path {
            let Some(when) = &answer.when else { break };
            let Ok(played) = play_with_roll(end.as_mut(), when) else {
                break;
            };
            turns.extend(played);
            let Ok(played) = play_with_roll(end.as_mut(), &answer.reply) else {
                break;
            };
            turns.extend(played);
        }
        if !turns.is_empty() && !lines.iter().any(|line| line.turns == turns) {
            lines.push(KnownLine { turns, end });
        }
    }
    lines
}
