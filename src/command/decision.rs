//! What a command has decided, as data: `dispatch` alone carries it out.

use chrono::{DateTime, Utc};

use crate::games::{Display, Game};
use crate::letters::Content;
use crate::mail::Address;
use crate::store::{NewPlayer, RateLimit, Seek, Watched};
use crate::table::{Board, BoardId, Player, PlayerId, Preferences, Rated, Taking, Unasked};

/// What is to change and what is to be sent.
#[derive(Debug, Default)]
pub struct Decision {
    /// Carried out in this order, all or none.
    pub changes: Vec<Change>,
    /// Written after the changes.
    pub letters: Vec<Letter>,
    /// Whose command it was, if a password or a token showed it.
    pub proven: Option<PlayerId>,
}

impl Decision {
    /// Nothing changes, and nobody is written to.
    #[must_use]
    pub const fn nothing() -> Self {
        Self {
            changes: Vec::new(),
            letters: Vec::new(),
            proven: None,
        }
    }

    /// An answer that changes nothing.
    #[must_use]
    pub fn answer(letter: Letter) -> Self {
        Self {
            letters: vec![letter],
            ..Self::default()
        }
    }
}

/// One change of the database.
#[derive(Debug)]
pub enum Change {
    /// A new account.
    Signup {
        /// The account.
        player: NewPlayer,
        /// Its addresses.
        addresses: Vec<Address>,
        /// Since when they count as confirmed; `None`: each is asked first.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// The owner of the address in this row has said that it is theirs.
    ConfirmAddress(i64),
    /// One address more.
    AddAddress {
        /// Whose.
        player: PlayerId,
        /// The address.
        address: Address,
        /// Since when it counts as confirmed; `None`: it is asked first.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// The address in this row is its player's no more.
    RemoveAddress(i64),
    /// Other addresses in the place of all; the confirmed ones before stay until one of these is confirmed.
    ReplaceAddresses {
        /// Whose.
        player: PlayerId,
        /// The addresses.
        addresses: Vec<Address>,
        /// Since when they count as confirmed; `None`: each is asked first.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// Another password; what was offered under the one before ends.
    Password {
        /// Whose.
        player: PlayerId,
        /// The PHC string of its hash.
        password_hash: String,
    },
    /// A player is away since then, or here again.
    Away {
        /// Who.
        player: PlayerId,
        /// Since when.
        since: Option<DateTime<Utc>>,
    },
    /// A player is on vacation until then; the boards whose clocks that stops are changes of their own.
    Vacation {
        /// Whose.
        player: PlayerId,
        /// Until when.
        until: DateTime<Utc>,
    },
    /// A player's vacation is over.
    EndVacation(PlayerId),
    /// The operator closes an account since then, or opens it again.
    Disable {
        /// Whose.
        player: PlayerId,
        /// Since when.
        since: Option<DateTime<Utc>>,
    },
    /// Another userid.
    Rename {
        /// Whose.
        player: PlayerId,
        /// The userid, which nobody has.
        userid: String,
    },
    /// All that tells who a player was is erased; the boards stay.
    Delete(PlayerId),
    /// Whether a player wants to hear nothing of another.
    Block {
        /// Who.
        player: PlayerId,
        /// Of whom.
        other: PlayerId,
        /// Whether that begins, or ends.
        is_on: bool,
    },
    /// So many more are counted today for a limit.
    Count {
        /// What.
        what: RateLimit,
        /// By whom, or by whom to whom.
        key: String,
        /// How many.
        more: u32,
    },
    /// A new board.
    Begin(Box<Board>),
    /// A board as its transitions have left it. A decision changes a board once: what it knows of it was read before.
    Board(Box<Board>),
    /// A game that has ended counts for the ratings.
    Rate(Rated),
    /// A finished game is void after all: its board counts for nobody, and the ratings are counted without it.
    Overturn(BoardId),
    /// A player wants to see the boards of a game so.
    Display {
        /// Who.
        player: PlayerId,
        /// Of which game.
        game: &'static Game,
        /// How.
        display: Display,
    },
    /// The daily mail of a player begins, or ends; what was collected for it is told by a letter of this decision.
    Digest {
        /// Who.
        player: PlayerId,
        /// When the first is due; `None`: there will be none.
        due_at: Option<DateTime<Utc>>,
    },
    /// A player wants mails so.
    Preferences {
        /// Who.
        player: PlayerId,
        /// How.
        preferences: Preferences,
    },
    /// A player seeks boards, in the place of what was sought before of that game.
    Seek(Seek),
    /// A player seeks no board of a game any more.
    EndSeek {
        /// Who.
        player: PlayerId,
        /// Of which game.
        game: &'static Game,
    },
    /// One of the boards that a player seeks has begun.
    TakeSeek {
        /// Who.
        player: PlayerId,
        /// Of which game.
        game: &'static Game,
    },
    /// Whether, and how many, boards of a game a player takes.
    Taking {
        /// Who.
        player: PlayerId,
        /// Of which game.
        game: &'static Game,
        /// Which boards.
        taking: Taking,
    },
    /// A player watches, all or the ends only.
    Watch {
        /// Who.
        player: PlayerId,
        /// What.
        watched: Watched,
        /// Whether the ends only.
        ends_only: bool,
    },
    /// A player watches no more.
    Unwatch {
        /// Who.
        player: PlayerId,
        /// What.
        watched: Watched,
    },
}

/// Whom a letter goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// All confirmed addresses of a player.
    Player(PlayerId),
    /// The envelope sender of the message at hand.
    Sender,
    /// An address that was confirmed as a player's until this decision took the account away.
    Former(Address),
    /// One address of a player, confirmed or not: for the question whether it is theirs, and its answer.
    Mailbox {
        /// The player, who may have been made by the same decision.
        userid: String,
        /// The address.
        address: Address,
    },
}

/// One letter, not yet in words.
#[derive(Debug)]
pub struct Letter {
    /// Whom it goes to.
    pub to: Addressee,
    /// The board whose thread it stands in, which may have been made by the same decision.
    pub board: Option<(&'static Game, u32)>,
    /// Whether it answers the message at hand; otherwise it is news.
    pub is_answer: bool,
    /// Whether it cannot wait for the one mail a day that some players want instead of all news.
    pub is_urgent: bool,
    /// Of which kind it is, if it comes unasked and its reader may end that.
    pub unasked: Option<Unasked>,
    /// Whether it comes because its reader watches, so that the reader may end that.
    pub is_watching: bool,
    /// A file that goes with it: its name and its text.
    pub attachment: Option<(String, String)>,
    /// What it says.
    pub content: Content,
}

impl Letter {
    /// The answer to the message at hand, to its envelope sender.
    #[must_use]
    pub const fn answer(content: Content) -> Self {
        Self {
            to: Addressee::Sender,
            board: None,
            is_answer: true,
            is_urgent: false,
            unasked: None,
            is_watching: false,
            attachment: None,
            content,
        }
    }

    /// An answer to all addresses that a player has once the changes are made.
    pub(crate) fn answer_to(player: &Player, content: impl Into<Content>) -> Self {
        Self {
            to: Addressee::Player(player.id),
            ..Self::answer(content.into())
        }
    }

    /// News for a player.
    #[must_use]
    pub const fn news(player: PlayerId, content: Content) -> Self {
        Self {
            to: Addressee::Player(player),
            board: None,
            is_answer: false,
            is_urgent: false,
            unasked: None,
            is_watching: false,
            attachment: None,
            content,
        }
    }

    /// The same, in the thread of a board.
    #[must_use]
    pub fn on(self, game: &'static Game, number: u32) -> Self {
        Self {
            board: Some((game, number)),
            ..self
        }
    }
}
