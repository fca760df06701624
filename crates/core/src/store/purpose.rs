//! What a token of a mail is for. Which token that is, and who made it, is known where tokens are made: `dispatch`.

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Confirms the address in this row.
    Confirm,
    /// Acts for the player in a seat of a board. The number holds the seat and the newest event that the letter knew.
    Seat,
    /// Joins, as the player whose name the answer gives. The number is the row of the question. The letter has no player.
    Join,
    /// Sets a new password. The number holds the player and the hour of expiry.
    Reset,
    /// Ends mail of one kind, in `List-Unsubscribe`. The number holds the player and the kind.
    Leave,
    /// Begins a board that somebody proposed. The number holds the player and the row of the proposal.
    Proposal,
    /// Acts for a player on the boards that a daily mail showed. The number is that of the mail.
    Digest,
    /// Answers an invitation. The number holds the player and the hour of expiry.
    Invitation,
    /// Opens all pages of a player, and acts there. The number is that of the player.
    Page,
    /// Opens the pages of a board, and acts there for the player in a seat. The number is that of the seat.
    BoardPage,
    /// Opens the pages of the boards that a daily mail showed. The number is that of the mail.
    DigestPage,
    /// Fetches all that is stored of a player. The number holds the player and the hour of expiry.
    Export,
    /// Answers an issue of the gazette. The number holds the player and the issue.
    Gazette,
}

impl Purpose {
    const ALL: [Self; 13] = [
        Self::Confirm,
        Self::Seat,
        Self::Join,
        Self::Reset,
        Self::Leave,
        Self::Proposal,
        Self::Digest,
        Self::Invitation,
        Self::Page,
        Self::BoardPage,
        Self::DigestPage,
        Self::Export,
        Self::Gazette,
    ];

    /// Its word in the database and in the tag, so that a token for one purpose is never valid for another.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Confirm => "confirm",
            Self::Seat => "seat",
            Self::Join => "join",
            Self::Reset => "reset",
            Self::Leave => "leave",
            Self::Proposal => "proposal",
            Self::Digest => "digest",
            Self::Invitation => "invitation",
            Self::Page => "own page",
            Self::BoardPage => "board page",
            Self::DigestPage => "digest page",
            Self::Export => "export",
            Self::Gazette => "gazette",
        }
    }

    /// The purpose with this word; `None`: a newer version has written it.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.word() == word)
    }
}
