//! Letters about mails in which no turn and no command was found: what may be meant, and what their writers can do now.

use crate::command::reading::hidden;
use crate::command::wording::board::{legal_turn, record, subject};
use crate::command::wording::older::older_letter;
use crate::command::wording::refusals::{about_board, with_caret};
use crate::command::wording::served::short;
use crate::command::{About, Addressee, Context, Doubt, InternalError, Letter, Topic};
use crate::letters::{Button, Content, Near, NotDone, SubjectMark, preheader};
use crate::table::{Board, Offer, POINTS, Player, Position};
use pbmserv_mail::Address;

/// The answer to a reply about a board that contains no command: what its writer can do now. Its words may have been meant for
/// the other player.
pub(crate) fn expected_letter(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    unread: Option<&str>,
) -> Result<Letter, InternalError> {
    let position = context.position(board)?;
    let is_mine = board.to_move.is_some() && board.to_move == board.seat_of(player.id);
    let sentence = match unread {
        Some(kind) => format!(
            "Nothing was done on {}, {}: {}. A turn or a command stands alone on the first line.",
            board.name(),
            player.userid,
            unread_kind(kind)
        ),
        None => "I did not understand your first line. Try one of these:".to_owned(),
    };
    let sent = match unread {
        None => Sent::of(context, board, player),
        Some(_) => Sent::default(),
    };
    let letter = NotDone {
        sentence,
        buttons: sent.long.into_iter().collect(),
        choices: sent.short.into_iter().chain(choices(board, player)).collect(),
        unsent: sent.hint,
        example: match legal_turn(position.game.as_ref()) {
            Some(turn) if is_mine => turn,
            _ => String::new(),
        },
        ..NotDone::default()
    };
    unread_letter(context, board, player, &position, letter)
}

/// The longest words that a button sends on, in bytes.
const MAX_SENT_ON: usize = 600;

/// The longest words that stand in a line, in bytes.
const MAX_LINE_SENT_ON: usize = 60;

/// How words that may have been meant for the other player are sent to that player.
#[derive(Default)]
struct Sent {
    /// A line, if they fit in one.
    short: Option<Button>,
    /// Otherwise a button and a sentence.
    long: Option<Button>,
    hint: String,
}

impl Sent {
    fn of(context: &Context<'_>, board: &Board, player: &Player) -> Self {
        let other = board.seat_of(player.id).map(|seat| board.at(seat.other()));
        let other = other.filter(|other| !other.id.is_computer());
        let words = context
            .clean_comment()
            .filter(|words| !may_hold_a_password(context, player, words));
        let Some((other, words)) = other.zip(words) else {
            return Self::default();
        };
        let userid = &other.userid;
        let button = Button {
            label: format!("Send these words to {userid}"),
            word: format!("chat {words}"),
        };
        if words.len() <= MAX_LINE_SENT_ON && !words.contains('\n') {
            return Self {
                short: Some(button),
                ..Self::default()
            };
        }
        Self {
            long: Some(button).filter(|_| words.len() <= MAX_SENT_ON),
            hint: format!("If your words are for {userid}, send them again with chat before them."),
            ..Self::default()
        }
    }
}

/// Whether words are like those of a command with a password: they are not repeated.
fn may_hold_a_password(context: &Context<'_>, player: &Player, words: &str) -> bool {
    let is_one = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let has = |kind: fn(char) -> bool| word.contains(kind);
        let is_mixed = has(|c| c.is_ascii_digit()) && has(char::is_alphabetic);
        let is_own = word.eq_ignore_ascii_case(&player.userid);
        is_own || (hidden::may_be_a_password(word) && is_mixed && !hidden::is_shaped_as_a_turn(word))
    };
    words.lines().any(|line| context.commands.begins_a_command(line)) || words.split_whitespace().any(is_one)
}

/// What a player of a board can do with an answer at any time.
fn choices(board: &Board, player: &Player) -> Vec<Button> {
    let button = |word: String, label: String| Button { label, word };
    let mut choices = Vec::new();
    if board.computer().is_some() && board.is_turn_of(player.id) && board.end.is_none() {
        choices.push(button(
            "hint".to_owned(),
            "Ask a computer for a good turn".to_owned(),
        ));
    }
    let title = board.game.facts.title;
    choices.push(button(
        "rules".to_owned(),
        format!("Read the rules of {title}, and how a turn is written"),
    ));
    choices.push(button("show".to_owned(), "See the board as it stands".to_owned()));
    choices
}

/// What one of the words that stand for an offer or an end does on this board, for a button and as a question: `Accept the draw`,
/// `Do you accept the draw`.
fn deed(board: &Board, player: &Player, word: &str) -> (String, String) {
    let seat = board.seat_of(player.id);
    let offer = board.offer.map(|(offer, _)| offer);
    let (label, question) = match (word, offer) {
        ("accept", Some(Offer::Draw)) => ("Accept the draw", "Do you accept the draw"),
        ("accept", Some(Offer::Undo)) => (
            "Let the turn be taken back",
            "Do you let the last turn be taken back",
        ),
        ("accept", Some(Offer::Pause)) => ("Let the clocks stand still", "Do you agree to the pause"),
        ("accept", Some(Offer::Rematch)) => ("Play again", "Do you accept the new game"),
        ("reject", Some(Offer::Draw)) => ("No draw", "Do you refuse the draw"),
        ("reject", Some(_)) => ("No, thanks", "Do you refuse what is asked"),
        ("concede", _) => ("Give up this game alone", "Do you give up this game alone"),
        ("resign", _) if board.options.number(board.game.facts, POINTS) > 1 => {
            ("Give up the whole match", "Do you give up the whole match")
        }
        ("resign", _) if seat.is_some_and(|seat| board.has_moved(seat)) => {
            ("Give this game up", "Do you give the game up")
        }
        ("resign", _) => (
            "Decline this game",
            "Do you decline the game, so that the board is removed",
        ),
        ("propose", _) => ("Offer a draw", "Do you offer a draw"),
        ("pause", _) => ("Ask for a pause", "Do you ask for a pause"),
        ("resume", _) => ("End the pause", "Do you end the pause"),
        ("undo", _) => (
            "Ask to take my turn back",
            "Do you ask to take your last turn back",
        ),
        (turn, _) if turn.contains(|c: char| c.is_ascii_digit()) => {
            return (format!("Play {turn}"), format!("Do you play {turn}"));
        }
        (word, _) => return (word.to_owned(), format!("Do you mean {word}")),
    };
    (label.to_owned(), question.to_owned())
}

/// The answer to a reply about a board in which a turn or a command may be meant.
pub(crate) fn doubt_letter(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    doubt: &Doubt,
) -> Result<Letter, InternalError> {
    let position = context.position(board)?;
    let seat = board.seat_of(player.id).filter(|_| !doubt.is_in_chat);
    if let Some(seat) = seat
        && let Some(why) = older_letter(context, board, seat, About::Position)?
    {
        let letter = NotDone {
            sentence: format!(
                "Nothing was done on {}, {}: {why}. This is the board now.",
                board.name(),
                player.userid
            ),
            line: with_caret(&doubt.echo(|text| context.masked(text))),
            ..NotDone::default()
        };
        return unread_letter(context, board, player, &position, letter);
    }
    let (name, userid) = (board.name(), &player.userid);
    let buttons = |words: &[String]| -> Vec<Button> {
        let button = |word: &String| Button {
            label: deed(board, player, word).0,
            word: word.clone(),
        };
        words.iter().map(button).collect()
    };
    let sent = match doubt.may_be_words {
        true => Sent::of(context, board, player),
        false => Sent::default(),
    };
    let with_words = |buttons: Vec<Button>| buttons.into_iter().chain(sent.long.clone()).collect::<Vec<_>>();
    if doubt.is_in_own_words {
        let question = match doubt.meant.as_slice() {
            [one] => deed(board, player, one).1,
            [concede, _] if concede == "concede" => "Do you give up this game, or the whole match".to_owned(),
            _ => "Is that a yes or a no".to_owned(),
        };
        let letter = NotDone {
            sentence: format!("{question}, {userid}? Nothing was done on {name} yet."),
            line: with_caret(&doubt.echo(|text| context.masked(text))),
            near: Near {
                before: "If so, answer with ".to_owned(),
                words: doubt.meant.clone(),
                after: ", alone on the first line.".to_owned(),
                are_answers: true,
            },
            buttons: with_words(buttons(&doubt.meant)),
            choices: sent.short.into_iter().collect(),
            unsent: sent.hint,
            ..NotDone::default()
        };
        return unread_letter(context, board, player, &position, letter);
    }
    if doubt.is_about_capital {
        let letter = NotDone {
            sentence: format!(
                "Nothing was done on {name}, {userid}: {} are different turns, and telephones often write the first \
                 letter of a line as a capital.",
                doubt.meant.join(" and ")
            ),
            line: with_caret(&doubt.echo(|text| context.masked(text))),
            near: Near {
                before: format!("{} Answer with ", position.game.capitals().unwrap_or_default()),
                words: doubt.meant.iter().map(|turn| format!("move {turn}")).collect(),
                after: ", alone on the first line.".to_owned(),
                are_answers: true,
            },
            buttons: doubt
                .meant
                .iter()
                .map(|turn| Button {
                    label: format!("Play {turn}"),
                    word: format!("move {turn}"),
                })
                .collect(),
            ..NotDone::default()
        };
        return unread_letter(context, board, player, &position, letter);
    }
    let sentence = match doubt.is_in_chat {
        true => {
            format!("Nothing was sent on {name}, {userid}: in your chat stands a line that reads as a turn.")
        }
        false => format!("Nothing was done on {name}, {userid}: it is not clear what you mean by this line."),
    };
    let one = if doubt.meant.len() == 1 {
        "it"
    } else {
        "one of them"
    };
    let otherwise = match doubt.is_in_chat {
        true => " To chat about it, write it within a sentence.",
        false => "",
    };
    let letter = NotDone {
        sentence,
        line: with_caret(&doubt.echo(|text| context.masked(text))),
        near: Near {
            before: "If you mean ".to_owned(),
            words: doubt.meant.clone(),
            after: format!(
                ", answer with {one} alone on the first line, and with any words below it.{otherwise}"
            ),
            are_answers: true,
        },
        buttons: with_words(buttons(&doubt.meant)),
        choices: sent.short.into_iter().collect(),
        unsent: sent.hint,
        ..NotDone::default()
    };
    unread_letter(context, board, player, &position, letter)
}

/// A letter about an answer from this player's seat that was not carried out, with the board.
fn unread_letter(
    context: &Context<'_>,
    board: &Board,
    player: &Player,
    position: &Position,
    letter: NotDone,
) -> Result<Letter, InternalError> {
    let seat = board.seat_of(player.id);
    let mut letter = NotDone {
        subject: subject(board, seat.map(|seat| board.at(seat))),
        board: position.game.draw(context.store.display(player.id, board.game)?),
        ..letter
    };
    about_board(context, board, seat, &mut letter)?;
    letter.preheader = preheader([&*letter.sentence, &letter.status.brief]);
    let thread = Some((board.game, board.number));
    Ok(Letter {
        to: Addressee::Player(player.id),
        board: thread,
        topic: match seat {
            Some(seat) if board.to_move == Some(seat) => Topic::NotPlayed,
            _ => Topic::NotDone,
        },
        ..Letter::answer(Content::from(letter).showing(record(board, position)))
    })
}

/// Says that a mail has no text that can be read, but this.
fn unread_kind(kind: &str) -> String {
    format!("your mail holds no plain text that can be read here, but {kind}")
}

/// The answer to a mail without any command.
pub(crate) fn nothing_letter(server: &Address, unread: Option<&str>) -> Letter {
    let sentence = match unread {
        Some(kind) => format!(
            "Nothing was done: {}. Write your command as its subject.",
            unread_kind(kind)
        ),
        None => "Your mail holds no command: write one as its subject, or one a line in its text.".to_owned(),
    };
    let subject = SubjectMark::NotDone.before("no command");
    Letter::answer(
        NotDone {
            subject,
            sentence,
            help: short(server),
            ..NotDone::default()
        }
        .into(),
    )
}
