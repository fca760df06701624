//! What a command decides, as data. Only `dispatch` carries it out.

use chrono::{DateTime, Utc};
use pbmserv_games::{Display, Game};

use crate::command::CompanyChange;
use crate::letters::{Content, LetterKind, News};
use crate::store::{
    Advice, Awaits, BoardNote, GazetteAnswer, InvitedTo, KeptLine, ListedBoard, NewPlayer, NoticeForm,
    RateLimit, Seek, Watched,
};
use crate::table::{Board, BoardId, GuestGame, Offer, Player, PlayerId, Preferences, Rated, Taking, Unasked};
use pbmserv_mail::Address;

/// What changes in the database, and which letters are sent.
#[derive(Debug, Default)]
pub struct Decision {
    /// Applied in this order, all or none.
    pub changes: Vec<Change>,
    /// Written after the changes are applied.
    pub letters: Vec<Letter>,
    /// The player who was authenticated by a password or a token.
    pub proven: Option<PlayerId>,
}

impl Decision {
    /// No change and no letter.
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

    /// What is said to the player who asked for it on a page: what the answer by mail says first.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        let answer = self.letters.iter().rfind(|letter| letter.is_answer)?;
        let content = &answer.content;
        if answer.topic == Topic::Chat {
            let other = content.field("other")?;
            return Some(format!("Your words go to {other} by mail."));
        }
        if content.kind == LetterKind::PageLink {
            return Some("The link to your page is on its way to you by mail.".to_owned());
        }
        if content.kind == LetterKind::Proposal {
            return Some(
                "One question first: it stands on your page, and comes to you by mail too.".to_owned(),
            );
        }
        let sentence = content.field("sentence")?.replace("\n\n", " ");
        // In the letter words follow.
        Some(match sentence.strip_suffix(':') {
            Some(sentence) => format!("{sentence}."),
            None => sentence,
        })
    }

    /// Whether it asks somebody without an account for a name.
    #[must_use]
    pub fn asks_for_name(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| matches!(change, Change::AskForName { .. }))
    }

    /// Whether it changes anything but counters and open questions.
    #[must_use]
    pub fn has_effect(&self) -> bool {
        let is_slight = |change: &Change| {
            matches!(
                change,
                Change::Count { .. }
                    | Change::Propose { .. }
                    | Change::AskForName { .. }
                    | Change::KeepGame { .. }
                    | Change::ProposeName { .. }
                    | Change::Uninvite { .. }
            )
        };
        !self.changes.iter().all(is_slight)
    }
}

/// One change of the database.
#[expect(missing_docs, reason = "most fields say by their names what they hold")]
#[derive(Debug)]
pub enum Change {
    /// A new account.
    Signup {
        /// Its userid and the hash of its password.
        player: NewPlayer,
        /// At most five.
        addresses: Vec<Address>,
        /// When they count as confirmed; `None`: each gets a confirmation question.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// The address in this row is confirmed.
    ConfirmAddress(i64),
    /// Adds an address to an account.
    AddAddress {
        player: PlayerId,
        address: Address,
        /// When it counts as confirmed; `None`: it gets a confirmation question.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// Removes the address in this row from its account.
    RemoveAddress(i64),
    /// Somebody is asked under which name they want to play.
    AskForName {
        address: Address,
        /// The name that is proposed.
        userid: String,
        /// Who has invited them, and to what.
        invited: Option<InvitedTo>,
    },
    /// Nobody may invite the mailbox with this hash.
    Uninvite {
        hash: String,
        /// `None`: for ever.
        until: Option<DateTime<Utc>>,
    },
    /// The game that somebody has begun on a page is kept with the newest question to this address.
    KeepGame {
        address: Address,
        game: GuestGame,
        /// Who has an account there; `None`: nobody yet.
        player: Option<PlayerId>,
    },
    /// The game that is kept with the question in this row has a board, or cannot have one.
    KeptGameBegins(i64),
    /// Another name is proposed in the question in this row.
    ProposeName { row: i64, userid: String },
    /// The answer to the question in this row makes an account, with the address that was asked.
    Join {
        row: i64,
        player: NewPlayer,
        address: Address,
    },
    /// Replaces all addresses of an account. The old confirmed ones stay until one of the new ones is confirmed.
    ReplaceAddresses {
        player: PlayerId,
        addresses: Vec<Address>,
        /// When they count as confirmed; `None`: each gets a confirmation question.
        confirmed_at: Option<DateTime<Utc>>,
    },
    /// Sets another password. Tokens that were mailed under the old one become invalid.
    Password {
        player: PlayerId,
        /// The PHC string of its hash.
        password_hash: String,
    },
    /// A player has signed off, or is back.
    Away {
        player: PlayerId,
        /// When the player signed off; `None`: the player is back.
        since: Option<DateTime<Utc>>,
    },
    /// A player goes on vacation. Boards whose clocks stop are separate changes.
    Vacation { player: PlayerId, until: DateTime<Utc> },
    /// A player's vacation is over.
    EndVacation(PlayerId),
    /// The operator closes an account, or opens it again.
    Disable {
        player: PlayerId,
        /// When it was closed; `None`: it is open again.
        since: Option<DateTime<Utc>>,
    },
    /// Gives an account another userid.
    Rename {
        player: PlayerId,
        /// Must not be taken.
        userid: String,
    },
    /// Erases all personal data of a player; the boards stay.
    Delete(PlayerId),
    /// A player blocks another, or no longer blocks them.
    Block {
        player: PlayerId,
        /// The player who is blocked.
        other: PlayerId,
        /// False ends the block.
        is_on: bool,
    },
    /// Adds to today's count of a rate limit.
    Count {
        /// Which limit.
        what: RateLimit,
        /// Who is counted: an address, a player, or two players as `from>to`.
        key: String,
        /// The number to add.
        more: u32,
    },
    /// A new board.
    Begin(Box<Board>),
    /// A player is asked to confirm a challenge. The letter of this decision to that player is the question.
    Propose {
        player: PlayerId,
        opponent: PlayerId,
        /// The challenge as a command.
        line: String,
    },
    /// A proposed board has begun.
    EndProposal {
        player: PlayerId,
        /// The challenge as a command.
        line: String,
    },
    /// Stores a board after its transitions. A decision must change a board at most once, since it read the board
    /// before.
    Board(Box<Board>),
    /// Stores the offer on this finished board.
    Offer(Box<Board>),
    /// Rates a finished game.
    Rate(Rated),
    /// Makes a finished game void: the ratings are computed again without it.
    Overturn(BoardId),
    /// How boards of a game are drawn for a player.
    Display {
        player: PlayerId,
        game: &'static Game,
        display: Display,
    },
    /// Starts or ends the daily mail of a player. A letter of this decision holds what was collected for it.
    Digest {
        player: PlayerId,
        /// When the next one is due; `None`: no daily mail.
        due_at: Option<DateTime<Utc>>,
    },
    /// Stores what the daily mail of this decision shows, so that it can be answered.
    DigestLetter {
        player: PlayerId,
        boards: Vec<ListedBoard>,
    },
    /// Sets how a player wants mails.
    Preferences {
        player: PlayerId,
        preferences: Preferences,
    },
    /// Stores an open challenge. It replaces the player's earlier one of the same game.
    Seek(Seek),
    /// Removes a player's open challenge.
    EndSeek { player: PlayerId, game: &'static Game },
    /// A board of an open challenge has begun: one fewer is sought.
    TakeSeek { player: PlayerId, game: &'static Game },
    /// Whether a player can be challenged to a game, and to how many boards.
    Taking {
        player: PlayerId,
        game: &'static Game,
        taking: Taking,
    },
    /// Makes a player's links to the pages invalid.
    RenewLinks(PlayerId),
    /// A player asks for advice.
    Ask(Advice),
    /// Advice was given, or is not wanted any more.
    EndAdvice(Advice),
    /// A comment of the record of a board.
    Note { board: BoardId, note: BoardNote },
    /// A player's private words on a board; `None`: there are none any more.
    OwnNote {
        player: PlayerId,
        board: BoardId,
        words: Option<String>,
    },
    /// A line of turns that a player keeps on a board.
    KeepLine {
        player: PlayerId,
        board: BoardId,
        kept: KeptLine,
    },
    /// A player drops the line of this name.
    DropLine {
        player: PlayerId,
        board: BoardId,
        name: String,
    },
    /// The same on another player.
    PlayerNote {
        player: PlayerId,
        other: PlayerId,
        words: Option<String>,
    },
    /// A player's words on a turn of a finished game, from 1; `None`: there are none any more.
    TurnComment {
        player: PlayerId,
        board: BoardId,
        ordinal: u32,
        words: Option<String>,
    },
    /// A player agrees that everybody may read the words on the turns of a board, or does not any more.
    OpenComments {
        player: PlayerId,
        board: BoardId,
        is_open: bool,
    },
    /// What the computer of a board thinks of the position, in thousandths for itself.
    Estimate { board: BoardId, estimate: i32 },
    /// A player watches a board or a game.
    Watch {
        player: PlayerId,
        watched: Watched,
        /// Whether only the ends of games are mailed.
        ends_only: bool,
    },
    /// A player stops watching.
    Unwatch { player: PlayerId, watched: Watched },
    /// A player names a place for notices of turns: it gets a code.
    NotifyAt {
        player: PlayerId,
        /// A web address or a mail address.
        target: String,
        form: NoticeForm,
    },
    /// The code has come back: notices go there.
    BeginNotices(PlayerId),
    /// No notices are sent any more.
    EndNotices(PlayerId),
    /// Plans the first issue of the gazette, unless one is planned: it tells of what happens after `since`.
    PlanGazette {
        since: DateTime<Utc>,
        due_at: DateTime<Utc>,
    },
    /// A reader answers the position of the gazette.
    Solve(GazetteAnswer),
    /// A league, a ladder or a cup changes.
    Company(CompanyChange),
}

/// The recipient of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// All confirmed addresses of a player.
    Player(PlayerId),
    /// The sender of the current message: at the mailbox in `From` if it is believed and a player's, otherwise at the
    /// envelope sender.
    Sender,
    /// Somebody without an account, who is asked under which name they want to play.
    Newcomer(Address),
    /// An address of an account that this decision closes, or that it takes off the account.
    Former(Address),
    /// The mail address at which a player wants notices.
    Elsewhere { player: PlayerId, address: Address },
    /// One address of a player, confirmed or not: for the confirmation question and the reply to its answer.
    Mailbox {
        /// The player's userid. The same decision may create the account.
        userid: String,
        /// Where the letter is sent.
        address: Address,
    },
}

/// What a letter about a board tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topic {
    /// The board as it stands now.
    #[default]
    Board,
    /// Words of a player.
    Chat,
    /// A reminder for the player to move.
    Reminder,
    /// The warning before the player to move loses on time.
    Warning,
    /// The end of this offer without agreement.
    NoOffer(Offer),
    /// The refusal of a turn.
    NotPlayed,
    /// Another refusal.
    NotDone,
    /// A position that was not played.
    Preview,
    /// The game as a file.
    Record,
    /// That a player is on vacation.
    Vacation,
    /// The advice of a computer about a turn.
    Hint,
}

/// How much an event means to the reader of the letter about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It makes it the reader's turn, or the board begins or ends: it is always mailed.
    Needed,
    /// Another change of the position: over the daily bound it joins the next letter about the board.
    Turn,
    /// Anything else, such as an offer: the same, and a reader who has blocked its player does not hear of it.
    Slight,
}

/// One letter, not rendered yet.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The recipient.
    pub to: Addressee,
    /// The board whose mail thread it belongs to. The same decision may create the board.
    pub board: Option<(&'static Game, u32)>,
    /// What it tells about that board, for the headline.
    pub topic: Topic,
    /// If it tells of an event, what that means to the reader. Letters about events that one message causes on a board
    /// become one.
    pub weight: Option<Weight>,
    /// What happened on the board before, and the reader has not heard of.
    pub earlier: Vec<News>,
    /// Whether it answers the current message; otherwise it is news.
    pub is_answer: bool,
    /// Whether it is sent at once, even to a player who wants one mail a day.
    pub is_urgent: bool,
    /// What it waits a minute for: that makes it needless.
    pub awaits: Option<Awaits>,
    /// The kind of subscription that causes it, if the reader can end that.
    pub unasked: Option<Unasked>,
    /// Whether it is sent because its reader watches.
    pub is_watching: bool,
    /// Whether its reader may answer it with a command that begins a game.
    pub is_invitation: bool,
    /// An attached file: its name and its text.
    pub attachment: Option<(String, String)>,
    /// The fields of its template.
    pub content: Content,
}

impl Letter {
    /// The answer to the current message, sent to its envelope sender.
    #[must_use]
    pub const fn answer(content: Content) -> Self {
        Self {
            to: Addressee::Sender,
            board: None,
            topic: Topic::Board,
            weight: None,
            earlier: Vec::new(),
            is_answer: true,
            is_urgent: false,
            awaits: None,
            unasked: None,
            is_watching: false,
            is_invitation: false,
            attachment: None,
            content,
        }
    }

    /// An answer to all addresses that a player has after the changes.
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
            topic: Topic::Board,
            weight: None,
            earlier: Vec::new(),
            is_answer: false,
            is_urgent: false,
            awaits: None,
            unasked: None,
            is_watching: false,
            is_invitation: false,
            attachment: None,
            content,
        }
    }

    /// Puts the letter in the mail thread of a board.
    #[must_use]
    pub fn on(self, game: &'static Game, number: u32) -> Self {
        Self {
            board: Some((game, number)),
            ..self
        }
    }
}
