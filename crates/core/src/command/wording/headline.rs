//! What the list of an inbox says of a letter about a board.

use pbmserv_games::{Outcome, Seat};

use crate::command::{Letter, Topic};
use crate::letters::Headline;
use crate::table::{Board, End};

/// A headline in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InboxLine {
    /// The name of the sender: `Your turn – bob`.
    pub sender: String,
    /// The subject for those who want the news there: `Your turn: Pow2 101 against bob`.
    pub subject: String,
}

/// The headline of a letter about this board for the reader in this seat, or for a watcher.
pub(crate) fn inbox_line(board: &Board, letter: &Letter, reader: Option<Seat>) -> InboxLine {
    let headline = headline(board, letter, reader);
    let [first, second] = Seat::BOTH.map(|seat| board.at(seat).userid.as_str());
    let (name, number) = (board.game.facts.name, board.number);
    let (who, about) = match reader {
        Some(seat) => {
            let other = &board.at(seat.other()).userid;
            (other.clone(), format!("{name} {number} against {other}"))
        }
        None => (
            format!("{first} - {second}"),
            format!("{name} {number}, {first} against {second}"),
        ),
    };
    InboxLine {
        sender: headline.sender(&who),
        subject: headline.subject(&about),
    }
}

fn headline(board: &Board, letter: &Letter, reader: Option<Seat>) -> Headline {
    match (letter.topic, reader) {
        (Topic::NotPlayed, _) => Headline::NotPlayed,
        (Topic::NotDone, _) => Headline::NotDone,
        (Topic::Preview, _) => Headline::Preview,
        (Topic::Record, _) => Headline::Record,
        (Topic::Board | Topic::Vacation, Some(seat)) => as_it_stands(board, seat),
        (Topic::Hint, _) => Headline::Hint,
        (Topic::Chat, Some(_)) if letter.is_answer => Headline::ChatSent,
        (Topic::Chat, Some(_)) => Headline::Chat,
        (Topic::Reminder, Some(_)) => Headline::StillYourTurn,
        (Topic::Warning, Some(_)) => Headline::OneDayLeft,
        (Topic::NoOffer(offer), Some(_)) => Headline::NoOffer(offer),
        (_, None) if board.end.is_some() => Headline::Over,
        (_, None) => Headline::News,
    }
}

/// The state of the board for the player in this seat. An open offer comes first, since it asks for an answer.
fn as_it_stands(board: &Board, seat: Seat) -> Headline {
    match (board.offer, board.end) {
        (Some((offer, by)), _) if by == seat => Headline::Offered(offer),
        (Some((offer, _)), _) => Headline::Offers(offer),
        (None, Some(End::Removed(_))) => Headline::Removed,
        (None, Some(End::Void)) => Headline::Void,
        (None, Some(End::Finished(ending))) => match ending.outcome {
            Outcome::Drawn => Headline::Drawn,
            Outcome::Won(winner) if winner == seat => Headline::Won,
            Outcome::Won(_) => Headline::Lost,
        },
        (None, None) => match (board.turns, board.to_move == Some(seat)) {
            (0, true) => Headline::FirstTurn,
            (0, false) => Headline::NewGame,
            (_, true) => Headline::YourTurn,
            (_, false) => Headline::TheirTurn,
        },
    }
}
