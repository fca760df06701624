//! Mails about an account, and messages between players.

use serde::Serialize;

use super::{LetterKind, Mail};

/// Asks the owner of an address to confirm it: the only mail that goes to an unconfirmed address.
#[derive(Debug, Serialize)]
pub struct Question {
    /// The account that wants to use the address.
    pub userid: String,
    /// The address to confirm.
    pub address: String,
    /// Whether the account exists already and the address is new.
    pub is_added: bool,
    /// A new account is removed after this many days unless an address is confirmed.
    pub days: i64,
    /// Whether it answers a mail that said neither yes nor no.
    pub is_repeated: bool,
    /// Whether no further mail of that kind is answered today.
    pub is_last: bool,
}

impl Question {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            address: "alice@example.org".into(),
            is_added: false,
            days: 7,
            is_repeated: false,
            is_last: false,
        }
    }
}

impl Mail for Question {
    const KIND: LetterKind = LetterKind::Question;

    fn sender_name(&self) -> String {
        "Please confirm".to_owned()
    }
}

/// Asks somebody without an account under which name they want to play, or a player whether to keep a game.
#[derive(Debug, Serialize)]
pub struct Join {
    /// The name that is proposed.
    pub userid: String,
    /// Why an answer did not count, as a sentence; empty in the first letter.
    pub reason: String,
    /// For how many days it can be answered.
    pub days: i64,
    /// What the games are, in a few words each.
    pub games: String,
    /// The title of the game that a player may keep; empty: a name is asked for.
    pub game: String,
}

impl Join {
    pub(super) fn sample() -> Self {
        Self {
            userid: "quiet-heron".into(),
            reason: "The name carol is taken.".into(),
            days: 30,
            games: "Hex, Reversi".into(),
            game: String::new(),
        }
    }
}

impl Mail for Join {
    const KIND: LetterKind = LetterKind::Join;

    fn sender_name(&self) -> String {
        match self.game.is_empty() {
            true => "Your name to play?".to_owned(),
            false => "Keep your game?".to_owned(),
        }
    }
}

/// Asks a player whether a game may begin that somebody, perhaps another, has asked for in the player's name.
#[derive(Debug, Serialize)]
pub struct Proposed {
    /// The player who is asked.
    pub userid: String,
    /// The other player.
    pub opponent: String,
    /// The challenge as a command.
    pub line: String,
    /// Until when it can be confirmed.
    pub until: String,
    /// Whether the opponent invites to the game; otherwise nobody knows who has asked for it.
    pub is_invitation: bool,
    /// The address of the reader that an invitation shows, if it is that which is asked; `opponent` is the address that is
    /// invited. Otherwise empty.
    pub shows: String,
}

impl Proposed {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            opponent: "bob".into(),
            line: "Pow2 challenge alice bob".into(),
            until: "2026-11-27 08:00 UTC".into(),
            is_invitation: false,
            shows: String::new(),
        }
    }
}

/// Invites somebody to a game whom a player knows.
#[derive(Debug, Serialize)]
pub struct FriendInvited {
    /// The player who invites.
    pub by: String,
    /// The address of that player.
    pub address: String,
    /// The game.
    pub title: String,
    /// Its goal.
    pub goal: String,
    /// How a turn is written.
    pub notation: String,
    /// The options of the challenge; empty for none.
    pub options: String,
    /// The name that the reader would play under.
    pub userid: String,
    /// The board at the start.
    pub board: String,
    /// A legal first turn.
    pub turn: String,
    /// Until when it can be answered.
    pub until: String,
}

impl FriendInvited {
    pub(super) fn sample() -> Self {
        Self {
            by: "alice".into(),
            address: "alice@example.org".into(),
            title: "Breakthrough".into(),
            goal: "The first pawn on the last row wins.".into(),
            notation: "A turn is two points.".into(),
            options: String::new(),
            userid: "quiet-heron".into(),
            board: "  a b c".into(),
            turn: "a2-a3".into(),
            until: "Fri 4 December, 09:00 UTC".into(),
        }
    }
}

impl Mail for FriendInvited {
    const KIND: LetterKind = LetterKind::Invitation;

    fn sender_name(&self) -> String {
        format!("{} invites you", self.by)
    }
}

impl Mail for Proposed {
    const KIND: LetterKind = LetterKind::Proposal;

    fn sender_name(&self) -> String {
        match self.shows.is_empty() {
            true => format!("A game with {}?", self.opponent),
            false => "Your invitation".to_owned(),
        }
    }
}

/// Welcomes a new player: who wants to play, the games, and what to try next.
#[derive(Clone, Debug, Serialize)]
pub struct Welcome {
    /// The new player.
    pub userid: String,
    /// The first game, against a computer; `None` if there is no computer.
    pub first: Option<Opening>,
    /// Commands that begin a game at once with those who seek one.
    pub openings: Vec<Opening>,
    /// Others who wrote lately, with their ratings, as a list in a sentence; empty if there are none.
    pub here: String,
    /// The last day on which it can be answered.
    pub until: String,
    /// Each game, with the command that begins it.
    pub games: Vec<Opening>,
    /// The game of the examples.
    pub game: String,
    /// Whether the server has pages.
    pub has_pages: bool,
}

/// A command that begins a game.
#[derive(Clone, Debug, Serialize)]
pub struct Opening {
    /// What is begun, as the label of a button.
    pub title: String,
    /// The command, without the reader's userid.
    pub line: String,
    /// What it does, in a few words.
    pub does: String,
}

impl Welcome {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            first: Some(Opening {
                title: "Breakthrough against bot-easy".into(),
                line: "Breakthrough challenge bot-easy".into(),
                does: "bot-easy is a computer".into(),
            }),
            openings: vec![Opening {
                title: "Pow2 with bob".into(),
                line: "Pow2 challenge bob".into(),
                does: "bob seeks a game of Pow2".into(),
            }],
            here: "carol, dave (Pow2 1623)".into(),
            until: "2026-12-04".into(),
            games: vec![Opening {
                title: "The Power of Two".into(),
                line: "Pow2 challenge bot-easy".into(),
                does: "Form triangles.".into(),
            }],
            game: "Pow2".into(),
            has_pages: true,
        }
    }
}

impl Mail for Welcome {
    const KIND: LetterKind = LetterKind::Welcome;

    fn sender_name(&self) -> String {
        format!("Welcome, {}", self.userid)
    }
}

/// Helps a player who forgot the password.
#[derive(Debug, Serialize)]
pub struct Forgot {
    /// The player.
    pub userid: String,
    /// The placeholder for the token. The token is inserted when the mail is sent, and never stored.
    token: &'static str,
    /// When the token expires.
    pub until: String,
}

impl Forgot {
    /// The placeholder for the token.
    pub const TOKEN: &'static str = "[token]";

    /// A mail for this player, with a token that is valid until then.
    #[must_use]
    pub const fn new(userid: String, until: String) -> Self {
        Self {
            userid,
            token: Self::TOKEN,
            until,
        }
    }

    pub(super) fn sample() -> Self {
        Self::new("alice".into(), "tomorrow, Sat 21 November, 09:00 UTC".into())
    }
}

impl Mail for Forgot {
    const KIND: LetterKind = LetterKind::Forgot;

    fn sender_name(&self) -> String {
        "A new password".to_owned()
    }
}

/// Warns a player that somebody tries passwords.
#[derive(Debug, Serialize)]
pub struct Guesses {
    /// The player.
    pub userid: String,
    /// Whether the mails came in the name of an address of the player.
    pub is_in_own_name: bool,
}

impl Guesses {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            is_in_own_name: false,
        }
    }
}

impl Mail for Guesses {
    const KIND: LetterKind = LetterKind::Guesses;

    fn sender_name(&self) -> String {
        "Password warning".to_owned()
    }
}

/// Warns a player that an opponent gets no mail.
#[derive(Debug, Serialize)]
pub struct Unreachable {
    /// The unreachable player.
    pub userid: String,
    /// Whether the opponent's mail provider asked for that; otherwise mail could not be delivered.
    pub is_unwanted: bool,
    /// The boards with both players, as part of a sentence.
    pub boards: String,
    /// Whether there are several boards.
    pub are_several: bool,
}

impl Unreachable {
    pub(super) fn sample() -> Self {
        Self {
            userid: "bob".into(),
            is_unwanted: false,
            boards: "Pow2 Board 101 and Forms Board 103".into(),
            are_several: true,
        }
    }
}

impl Mail for Unreachable {
    const KIND: LetterKind = LetterKind::Unreachable;

    fn sender_name(&self) -> String {
        let what = if self.is_unwanted { "no mail" } else { "mail fails" };
        format!("{}, {what}", self.userid)
    }
}

/// Mail to the postmaster, for the directors.
#[derive(Clone, Debug, Serialize)]
pub struct Postmaster {
    /// The mailbox in `From`, or `nobody`.
    pub from: String,
    /// The envelope sender, or `nobody`.
    pub envelope_sender: String,
    pub original_subject: String,
    pub text: String,
}

impl Postmaster {
    pub(super) fn sample() -> Self {
        Self {
            from: "carol@example.org".into(),
            envelope_sender: "nobody".into(),
            original_subject: "Your server".into(),
            text: "Hello".into(),
        }
    }
}

impl Mail for Postmaster {
    const KIND: LetterKind = LetterKind::Postmaster;

    fn sender_name(&self) -> String {
        "To the postmaster".to_owned()
    }
}

/// A message from one player to others, about no board.
#[derive(Debug, Serialize)]
pub struct Message {
    /// The author.
    pub by: String,
    /// The recipients, as part of a sentence.
    pub to: String,
    /// The message.
    pub text: String,
}

impl Message {
    pub(super) fn sample() -> Self {
        Self {
            by: "alice".into(),
            to: "bob and carol".into(),
            text: "Hello".into(),
        }
    }
}

impl Mail for Message {
    const KIND: LetterKind = LetterKind::Message;

    fn sender_name(&self) -> String {
        format!("message from {}", self.by)
    }
}

/// A message from the operator to all players.
#[derive(Debug, Serialize)]
pub struct Announcement {
    /// The message.
    pub text: String,
    /// The recipient of this copy.
    pub reader: String,
}

impl Announcement {
    pub(super) fn sample() -> Self {
        Self {
            text: "The server moves to another machine tonight.".into(),
            reader: "bob".into(),
        }
    }
}

impl Mail for Announcement {
    const KIND: LetterKind = LetterKind::Announcement;
}
