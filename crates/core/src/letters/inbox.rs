//! What the list of an inbox says of a letter about a board: in the name of the sender, or for readers who set so in the
//! subject.
//!
//! The subject itself stays the same, since Gmail and Outlook begin another conversation when it changes. One of ours that comes
//! back is neither a turn nor a command.

use crate::table::Offer;

use super::SubjectMark;

/// The news of a letter about a board, for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headline {
    /// A new board, and the reader begins.
    FirstTurn,
    /// A new board, and the opponent begins.
    NewGame,
    /// The reader is to move.
    YourTurn,
    /// The opponent is to move.
    TheirTurn,
    /// A reminder: the reader has been to move for days.
    StillYourTurn,
    /// The warning: the reader loses on time after this day.
    OneDayLeft,
    /// The reader has won.
    Won,
    /// The reader has lost.
    Lost,
    /// The game is a draw.
    Drawn,
    /// The board was removed before both had moved.
    Removed,
    /// The operator has declared the game void.
    Void,
    /// The opponent offers or asks this.
    Offers(Offer),
    /// The reader has offered or asked this.
    Offered(Offer),
    /// This offer was rejected or taken back.
    NoOffer(Offer),
    /// Words of the opponent.
    Chat,
    /// The receipt for the reader's own words.
    ChatSent,
    /// The reader's turn was refused.
    NotPlayed,
    /// Another command of the reader was refused.
    NotDone,
    /// A position that was not played.
    Preview,
    /// The game as a file.
    Record,
    /// The advice of a computer about a turn.
    Hint,
    /// Anything on a board of others.
    News,
    /// A game of others is over.
    Over,
}

impl Headline {
    /// All of them.
    pub const ALL: [Self; 32] = [
        Self::FirstTurn,
        Self::NewGame,
        Self::YourTurn,
        Self::TheirTurn,
        Self::StillYourTurn,
        Self::OneDayLeft,
        Self::Won,
        Self::Lost,
        Self::Drawn,
        Self::Removed,
        Self::Void,
        Self::Offers(Offer::Draw),
        Self::Offers(Offer::Undo),
        Self::Offers(Offer::Pause),
        Self::Offers(Offer::Rematch),
        Self::Offered(Offer::Draw),
        Self::Offered(Offer::Undo),
        Self::Offered(Offer::Pause),
        Self::Offered(Offer::Rematch),
        Self::NoOffer(Offer::Draw),
        Self::NoOffer(Offer::Undo),
        Self::NoOffer(Offer::Pause),
        Self::NoOffer(Offer::Rematch),
        Self::Chat,
        Self::ChatSent,
        Self::NotPlayed,
        Self::NotDone,
        Self::Preview,
        Self::Record,
        Self::Hint,
        Self::News,
        Self::Over,
    ];

    /// The name of the sender. `who` is the opponent's userid; on a board of others the players.
    #[must_use]
    pub fn sender(self, who: &str) -> String {
        match self {
            Self::FirstTurn
            | Self::NewGame
            | Self::YourTurn
            | Self::StillYourTurn
            | Self::OneDayLeft
            | Self::Won
            | Self::Lost
            | Self::Drawn
            | Self::NoOffer(_) => format!("{} \u{2013} {who}", self.words()),
            Self::Offered(Offer::Undo) => format!("Undo asked of {who}"),
            Self::Offered(Offer::Pause) => format!("Pause asked of {who}"),
            Self::Offered(_) => format!("{} to {who}", self.words()),
            Self::TheirTurn => format!("{who}'s turn"),
            Self::Removed | Self::Void => format!("Game {} \u{2013} {who}", self.words().to_lowercase()),
            Self::Offers(Offer::Draw) => format!("{who} offers a draw"),
            Self::Offers(Offer::Undo) => format!("{who} asks to undo"),
            Self::Offers(Offer::Pause) => format!("{who} asks for a pause"),
            Self::Offers(Offer::Rematch) => format!("{who} offers a rematch"),
            Self::Chat => format!("Message \u{2013} {who}"),
            Self::ChatSent => format!("Message sent \u{2013} {who}"),
            Self::NotPlayed | Self::NotDone | Self::Preview | Self::Record | Self::Hint => {
                self.words().to_owned()
            }
            Self::News => who.to_owned(),
            Self::Over => format!("{who}: over"),
        }
    }

    /// The subject for readers who want the news there. `board` is `Pow2 101 against bob`, or of others
    /// `Pow2 101, alice against bob`.
    #[must_use]
    pub fn subject(self, board: &str) -> String {
        format!("{}: {board}", self.words())
    }

    const fn words(self) -> &'static str {
        match self {
            Self::FirstTurn => "Your first turn",
            Self::NewGame => "New game",
            Self::YourTurn => "Your turn",
            Self::TheirTurn => "Opponent's turn",
            Self::StillYourTurn => "Still your turn",
            Self::OneDayLeft => "One day left",
            Self::Won => "You won",
            Self::Lost => "You lost",
            Self::Drawn => "A draw",
            Self::Removed => "Removed",
            Self::Void => "Void",
            Self::Offers(Offer::Draw) | Self::Offered(Offer::Draw) => "Draw offered",
            Self::Offers(Offer::Undo) | Self::Offered(Offer::Undo) => "Undo asked",
            Self::Offers(Offer::Pause) | Self::Offered(Offer::Pause) => "Pause asked",
            Self::Offers(Offer::Rematch) | Self::Offered(Offer::Rematch) => "Rematch offered",
            Self::NoOffer(Offer::Draw) => "No draw",
            Self::NoOffer(Offer::Undo) => "No undo",
            Self::NoOffer(Offer::Pause) => "No pause",
            Self::NoOffer(Offer::Rematch) => "No rematch",
            Self::Chat => "New message",
            Self::ChatSent => "Your message",
            Self::NotPlayed => "Not played",
            Self::NotDone => SubjectMark::NotDone.words(),
            Self::Preview => "Preview",
            Self::Record => "Record",
            Self::Hint => "Hint",
            Self::News => "News",
            Self::Over => "Over",
        }
    }

    /// Whether a subject, without what mail programs add, is exactly one that [`Headline::subject`] makes.
    ///
    /// ```
    /// # use pbmserv_core::letters::Headline;
    /// assert!(Headline::is_subject("Your turn: Pow2 101 against bob"));
    /// assert!(!Headline::is_subject("Your turn: Pow2 101 against bob m13-j7"));
    /// ```
    #[must_use]
    pub fn is_subject(subject: &str) -> bool {
        let Some((words, board)) = subject.split_once(':') else {
            return false;
        };
        let is_game = |game: &str| pbmserv_games::find(game).is_some();
        let is_number = |number: &str| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
        let against = |word: &str| word.eq_ignore_ascii_case("against");
        let is_board = match board.split_whitespace().collect::<Vec<_>>().as_slice() {
            [game, number, word, _] => is_game(game) && is_number(number) && against(word),
            [game, number, _, word, _] => {
                is_game(game) && number.strip_suffix(',').is_some_and(is_number) && against(word)
            }
            _ => false,
        };
        let words = words.trim();
        is_board
            && Self::ALL
                .iter()
                .any(|one| one.words().eq_ignore_ascii_case(words))
    }
}
