//! Messages to other players, blocking, and mail preferences.

use super::accounts::Own;
use super::hear::Mail;
use super::{Account, Done, MESSAGES_A_DAY, Model, No, Out, To, Verdict};
use crate::deed::Who;

impl Model {
    pub(super) fn block(&mut self, mail: &Mail<'_>, who: &Who, other: &str, is_on: bool) -> Verdict {
        let player = self.writer(mail, who)?;
        let other = self.player(other).map_err(|no| no.to(player))?;
        let blocks = &mut self.accounts[player].blocks;
        if is_on && other == player {
            return Err(No::because("You cannot block yourself").to(player));
        }
        if is_on {
            blocks.insert(other);
            return Ok(Done::by(player, "done", "hears nothing of"));
        }
        if !blocks.remove(&other) {
            return Err(No::because("has not blocked").to(player));
        }
        Ok(Done::by(player, "done", "may write to"))
    }

    pub(super) fn message(&mut self, mail: &Mail<'_>, who: &Who, to: &[String]) -> Verdict {
        let player = self.writer(mail, who)?;
        let no = |mark| Err(No::because(mark).to(player));
        if !mail.says {
            return no("There is no text in the mail to send on");
        }
        if !self.accounts[player].is_confirmed() {
            return no("has to confirm an address first");
        }
        let mut readers = Vec::new();
        for userid in to {
            let reader = self.player(userid).map_err(|no| no.to(player))?;
            let account = &self.accounts[reader];
            if account.away {
                return no("has signed off and gets no messages");
            }
            if account.disabled {
                return no("has an account that is closed, and gets no messages");
            }
            if !account.is_confirmed() {
                return no("has not confirmed an address yet and gets no messages");
            }
            if account.blocks.contains(&player) {
                return no("does not wish to hear from");
            }
            if !account.is_reachable() {
                return no("gets no messages: mail to that player fails");
            }
            let often = |own: &Own| self.sent_today(&own.text, "message") >= 50;
            if account.addresses.iter().any(often) {
                return no("has had too many messages today");
            }
            if !readers.contains(&reader) {
                if self.tally(&format!("said {player}>{reader}")) >= MESSAGES_A_DAY {
                    return no("has had enough messages from");
                }
                readers.push(reader);
            }
        }
        let mut done = Done::by(player, "done", "The message of * has gone to");
        for reader in readers {
            self.count(format!("said {player}>{reader}"), 1);
            done.out.push(Out::news(To::Player(reader), "message"));
        }
        Ok(done)
    }

    /// All active players with a confirmed address.
    pub(super) fn here(&self) -> impl Iterator<Item = usize> {
        let is_here = |player: &usize| {
            let account = &self.accounts[*player];
            !account.deleted && !account.away && !account.disabled && account.is_confirmed()
        };
        (0..self.accounts.len()).filter(is_here)
    }

    pub(super) fn broadcast(&mut self, mail: &Mail<'_>, who: &Who) -> Verdict {
        let player = self.writer(mail, who)?;
        if !self.accounts[player].userid.eq_ignore_ascii_case(&self.director) {
            return Err(No::because("Only the directors of this server").to(player));
        }
        if !mail.says {
            return Err(No::because("There is no text in the mail to send on").to(player));
        }
        let wants = |reader: &usize| {
            let account = &self.accounts[*reader];
            *reader != player && account.wants.broadcasts && !account.blocks.contains(&player)
        };
        let readers: Vec<usize> = self.here().filter(wants).collect();
        let mut done = Done::by(player, "done", "The message of * has gone to all players");
        let letters = readers
            .into_iter()
            .map(|reader| Out::news(To::Player(reader), "message"));
        done.out.extend(letters);
        Ok(done)
    }

    pub(super) fn set(&mut self, mail: &Mail<'_>, who: &Who, game: Option<usize>, words: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        if words.is_empty() {
            return Ok(Done {
                ..Done::by(player, "listing", "These are the settings of")
            });
        }
        let mut wants = self.accounts[player].wants;
        let mut displays = self.accounts[player].displays.clone();
        let mut words = words.split(' ');
        while let Some(word) = words.next() {
            let mut switch = || match words.next() {
                Some("on") => Ok(true),
                Some("off") => Ok(false),
                _ => Err(No::because("After * stands on or off").to(player)),
            };
            match word {
                "small" | "large" => {
                    let of_games = game.map_or(0..displays.len(), |game| game..game + 1);
                    displays[of_games].fill(Some(word.to_owned()));
                }
                _ if game.is_some() => {
                    return Err(No::because("For one game, small or large can be set").to(player));
                }
                "text" => wants.html = false,
                "html" => wants.html = true,
                "picture" => wants.picture = switch()?,
                "reminders" => wants.reminders = switch()?,
                "digest" => wants.digest = switch()?,
                "broadcasts" => wants.broadcasts = switch()?,
                "subjects" => wants.news_subjects = words.next() == Some("news"),
                "width" => wants.width = words.next().unwrap().parse().unwrap(),
                _ => return Err(No::because("There is no such setting").to(player)),
            }
        }
        let mut done = Done::by(player, "done", "now gets");
        let now = self.now;
        let account = &mut self.accounts[player];
        if wants.digest != account.wants.digest {
            account.digest_due = wants.digest.then(|| Account::next_digest(now));
            if std::mem::take(&mut account.news) > 0 {
                done.out.insert(0, Out::news(To::Player(player), "digest"));
            }
        }
        (account.wants, account.displays) = (wants, displays);
        Ok(done)
    }
}
