//! A player's mail preferences.

use chrono_tz::Tz;

use super::{Calendar, QuietDays, Reminders};

/// What the `set` command changes, except the displays of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// Whether mails have an HTML part in addition to the plain text.
    pub html: bool,
    /// Whether the HTML part has a picture of the board.
    pub picture: bool,
    /// Whether HTML with a picture has the board as text too.
    pub both_boards: bool,
    /// Whether the subjects of letters about a board say the news. Otherwise a board has one subject.
    pub news_subjects: bool,
    /// Whether reminders are sent. The warning before a forfeit is always sent.
    pub reminders: bool,
    /// When they are sent.
    pub reminder_days: Reminders,
    /// On these days the player's clocks stand still, from midnight to midnight in the zone.
    pub quiet: QuietDays,
    /// Whether a vacation begins by itself when the player would lose on time.
    pub has_automatic_vacation: bool,
    /// Whether the only turn that there is, in a game with dice, is played unasked.
    pub plays_forced: bool,
    /// Whether one daily digest replaces the separate mails.
    pub digest: bool,
    /// Whether messages from the directors to all players are sent.
    pub broadcasts: bool,
    /// The column at which prose is wrapped.
    pub width: u32,
    /// The zone of the times in mails and on the player's own pages.
    pub zone: Tz,
    /// Whether the pages for everybody leave out the userid.
    pub is_hidden: bool,
    /// Whether those who are invited may see the address.
    pub shows_address: bool,
    /// Whether the gazette is sent.
    pub gazette: bool,
    /// Whether the gazette may name the player for having solved its position.
    pub is_named: bool,
}

impl Preferences {
    /// The lowest width: a narrow telephone.
    pub const NARROWEST: u32 = 30;
    /// The highest width (RFC 5322, section 2.1.1: a line should have no more than 78 characters).
    pub const WIDEST: u32 = 78;

    /// When the player's clocks run.
    #[must_use]
    pub const fn calendar(&self) -> Calendar {
        Calendar::of(self.quiet, self.zone)
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            html: true,
            picture: true,
            both_boards: false,
            news_subjects: false,
            reminders: true,
            reminder_days: Reminders::USUAL,
            quiet: QuietDays::NONE,
            has_automatic_vacation: false,
            plays_forced: true,
            digest: false,
            broadcasts: true,
            width: 72,
            zone: Tz::UTC,
            is_hidden: false,
            shows_address: false,
            gazette: false,
            is_named: false,
        }
    }
}
