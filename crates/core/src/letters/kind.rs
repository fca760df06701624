//! The letters that there are. All that is known of one without its facts stands here.

/// Lists the letters: each with its name, which is that of its file in `templates/` and its word in the database.
macro_rules! letters {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal,)+) => {
        /// Which letter a mail is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum LetterKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl LetterKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Its word in the database and in logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// The name of its file in `templates/`.
            pub(super) const fn file(self) -> &'static str {
                match self {
                    $(Self::$kind => concat!($name, ".letter"),)+
                }
            }

            /// Its built-in template.
            pub(super) const fn template(self) -> &'static str {
                match self {
                    $(Self::$kind => include_str!(concat!("../../../../templates/", $name, ".letter")),)+
                }
            }
        }
    };
}

letters! {
    /// The operator writes to all players.
    Announcement = "announcement",
    /// A fault of ours: the mail was not handled.
    Apology = "apology",
    /// News of a board.
    Board = "board",
    /// The address that a mail came to is no longer valid.
    Dead = "dead",
    /// The daily mail.
    Digest = "digest",
    /// A receipt.
    Done = "done",
    /// All that is stored of its reader.
    Export = "export",
    /// How to choose a new password.
    Forgot = "forgot",
    /// An issue of the gazette, with its riddle.
    Gazette = "gazette",
    /// Somebody tries passwords.
    Guesses = "guesses",
    /// Help.
    Help = "help",
    /// A player invites somebody without an account.
    Invitation = "invitation",
    /// Under which name a newcomer wants to play.
    Join = "join",
    /// A list that was asked for.
    Listing = "listing",
    /// The words of another player.
    Message = "message",
    /// A refusal.
    NotDone = "notdone",
    /// To a second mail address: a code, or that it is the player's turn.
    Notice = "notice",
    /// The link to the reader's page.
    PageLink = "page",
    /// A mail to the postmaster.
    Postmaster = "postmaster",
    /// Somebody asks for a game in the reader's name.
    Proposal = "proposal",
    /// Whether an address is the reader's.
    Question = "question",
    /// What came of a list of commands.
    Transcript = "transcript",
    /// A line of turns that was tried.
    Tried = "tried",
    /// An opponent gets no mail.
    Unreachable = "unreachable",
    /// A new account.
    Welcome = "welcome",
}

impl LetterKind {
    /// The letter with this name; `None`: a newer version has written it.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::find(|kind| kind.name() == name)
    }

    /// The letter whose template has this file.
    pub(super) fn of_file(file: &str) -> Option<Self> {
        Self::find(|kind| kind.file() == file)
    }

    fn find(is_it: impl Fn(Self) -> bool) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| is_it(*kind))
    }

    /// Whether the store counts how many went to a mailbox, since only a few may go to it in a day.
    #[must_use]
    pub const fn is_limited(self) -> bool {
        matches!(
            self,
            Self::Apology
                | Self::Dead
                | Self::Forgot
                | Self::Join
                | Self::Message
                | Self::NotDone
                | Self::Question
        )
    }

    /// Whether it says that a mail was not carried out.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::Apology | Self::NotDone)
    }

    /// Whether it has pictures of several boards.
    #[must_use]
    pub const fn has_several_pictures(self) -> bool {
        matches!(self, Self::Digest | Self::Gazette)
    }

    /// Whether it has links to the pages of the board that it is about, or else to all of its reader's.
    #[must_use]
    pub const fn has_links(self, is_about_board: bool) -> bool {
        match is_about_board {
            true => matches!(self, Self::Board | Self::NotDone | Self::Tried),
            false => matches!(self, Self::Digest | Self::PageLink),
        }
    }
}
