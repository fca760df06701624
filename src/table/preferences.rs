//! How a player wants their mail.

/// What `set` sets, beside the displays of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// Whether mails have an HTML part beside the plain text.
    pub html: bool,
    /// Whether the HTML part shows the board as a picture.
    pub picture: bool,
    /// Whether reminders come before the one that announces a forfeit, which always comes.
    pub reminders: bool,
    /// Whether one mail a day tells all news, in the place of a mail for each.
    pub digest: bool,
    /// Whether what the directors write to all comes too.
    pub broadcasts: bool,
    /// At how many columns prose is wrapped.
    pub width: u32,
}

impl Preferences {
    /// The fewest columns of prose that can be set: a narrow telephone.
    pub const NARROWEST: u32 = 30;
    /// The most (RFC 5322, section 2.1.1: a line should have no more than 78 characters).
    pub const WIDEST: u32 = 78;
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            html: true,
            picture: true,
            reminders: true,
            digest: false,
            broadcasts: true,
            width: 72,
        }
    }
}
