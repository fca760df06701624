//! Commands about accounts.

use chrono::{DateTime, Datelike};

use super::hear::Mail;
use super::{
    ASKS_A_DAY, Account, DAY, Done, MESSAGES_A_DAY, Model, No, Out, To, Verdict, accounts::Own, boards::End,
};
use crate::mail::{Who, Wish};

/// Why a new password is none; a password that can be read in the userid does not happen here.
fn check_password(password: &str) -> Result<(), No> {
    match password.len() {
        6..=100 => Ok(()),
        _ => Err(No::because("A password has 6 to 100 characters")),
    }
}

fn year(at: i64) -> i32 {
    DateTime::from_timestamp_millis(at).unwrap().year()
}

/// How many days of a year a vacation takes: each counts in the year in which it begins.
fn days_in(vacation: (i64, i64), of: i32) -> i64 {
    let days = (0..61).map(|day| vacation.0 + day * DAY);
    let taken = days
        .take_while(|day| *day < vacation.1)
        .filter(|day| year(*day) == of);
    i64::try_from(taken.count()).unwrap()
}

impl Model {
    fn count_asked(&mut self, by: &str) -> Result<(), No> {
        let key = format!("asked {by}");
        if self.tally(&key) + 1 > ASKS_A_DAY {
            let mark = "You have had enough mails about accounts sent to others today";
            return Err(No::because(mark));
        }
        self.count(key, 1);
        Ok(())
    }

    pub(super) fn signup(&mut self, mail: &Mail<'_>, who: &Who, address: Option<&str>) -> Verdict {
        check_password(&who.password)?;
        if !(2..=20).contains(&who.userid.len()) {
            return Err(No::because("A userid has 2 to 20 letters"));
        }
        if ["pow2", "server", "move"].contains(&who.userid.to_ascii_lowercase().as_str()) {
            return Err(No::because("has a meaning of its own here"));
        }
        let address = address.unwrap_or(mail.from);
        if let Some(&player) = self.by_userid.get(&who.userid.to_ascii_lowercase()) {
            return self.signup_again(mail, who, player);
        }
        if !self.may_be_asked(address) {
            return Err(No::because("has been asked often enough today"));
        }
        self.count_asked(mail.from)?;
        let mut account = Account::new(&who.userid, &who.password);
        account.addresses.push(Own::new(address));
        self.by_userid
            .insert(who.userid.to_ascii_lowercase(), self.accounts.len());
        self.accounts.push(account);
        Ok(Done {
            out: vec![Out::news(To::Address(address.to_owned()), "question")],
            ..Done::default()
        })
    }

    /// Who knows the password comes back after a signoff, or is asked once more.
    fn signup_again(&mut self, mail: &Mail<'_>, who: &Who, player: usize) -> Verdict {
        let taken = "is taken: choose another";
        let account = &self.accounts[player];
        let is_asked = !account.addresses.is_empty() && account.addresses.iter().all(|own| !own.confirmed);
        if !account.away && !is_asked {
            return Err(No::because(taken));
        }
        self.prove(who, mail.from)
            .map_err(|no| match no.wrong_password_of {
                Some(_) => No { mark: taken, ..no },
                None => no,
            })?;
        if self.accounts[player].away {
            self.accounts[player].away = false;
            return Ok(Done::by(player, "done", "Welcome back"));
        }
        let asked: Vec<String> = self.accounts[player]
            .addresses
            .iter()
            .map(|own| own.text.clone())
            .collect();
        let asked = asked.into_iter().filter(|address| self.may_be_asked(address));
        Ok(Done {
            out: asked
                .map(|address| Out::news(To::Address(address), "question"))
                .collect(),
            ..Done::default()
        })
    }

    pub(super) fn add(&mut self, mail: &Mail<'_>, who: &Who, address: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        let no = |mark| Err(No::because(mark).to(player));
        let own = self.accounts[player]
            .addresses
            .iter()
            .find(|own| own.text == address);
        let is_new = own.is_none();
        if own.is_some_and(|own| own.confirmed && !own.replaced) {
            return no("That is an address of * already");
        }
        if !self.may_be_asked(address) {
            return no("has been asked often enough today");
        }
        let lasting = self.accounts[player]
            .addresses
            .iter()
            .filter(|own| !own.replaced)
            .count();
        if lasting + usize::from(is_new) > 5 {
            return no("An account has at most 5 addresses");
        }
        self.count_asked(&format!("player {player}"))
            .map_err(|no| no.to(player))?;
        if is_new {
            self.accounts[player].addresses.push(Own::new(address));
        }
        let mut done = Done::by(player, "done", "has been asked whether it belongs to");
        let question = self.question(player, address);
        done.out.extend(question);
        Ok(done)
    }

    /// The question about an address of an account; none to one to which mail fails.
    fn question(&self, player: usize, address: &str) -> Option<Out> {
        let own = self.accounts[player]
            .addresses
            .iter()
            .find(|own| own.text == address);
        own.filter(|own| !own.is_failing())
            .map(|own| Out::news(To::Address(own.text.clone()), "question"))
    }

    pub(super) fn remove(&mut self, mail: &Mail<'_>, who: &Who, address: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        let account = &mut self.accounts[player];
        let Some(place) = account.addresses.iter().position(|own| own.text == address) else {
            return Err(No::because("That is no address of").to(player));
        };
        let mut rest = account.addresses.clone();
        rest.remove(place);
        let needs_confirmed = account.is_confirmed();
        if !rest.iter().any(|own| own.confirmed || !needs_confirmed) {
            return Err(No::because("would have no confirmed address left").to(player));
        }
        account.addresses = rest;
        account.generation += 1;
        Ok(Done::by(player, "done", "is no address of"))
    }

    pub(super) fn change_password(&mut self, mail: &Mail<'_>, who: &Who, new: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        if who.password == new {
            return Err(No::because("The new password is the old one").to(player));
        }
        self.new_password(player, new)
    }

    fn new_password(&mut self, player: usize, new: &str) -> Verdict {
        check_password(new).map_err(|no| no.to(player))?;
        let account = &mut self.accounts[player];
        account.password = new.to_owned();
        account.generation += 1;
        Ok(Done::by(player, "done", "has a new password"))
    }

    /// Another address in the place of all; the confirmed ones before stay until it is confirmed.
    pub(super) fn change_address(&mut self, mail: &Mail<'_>, who: &Who, address: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        let addresses = &self.accounts[player].addresses;
        let is_confirmed = addresses.iter().any(|own| own.text == address && own.confirmed);
        if !is_confirmed {
            if !self.may_be_asked(address) {
                return Err(No::because("has been asked often enough today").to(player));
            }
            self.count_asked(&format!("player {player}"))
                .map_err(|no| no.to(player))?;
        }
        let account = &mut self.accounts[player];
        account
            .addresses
            .retain(|own| own.text == address || own.confirmed);
        for own in &mut account.addresses {
            own.replaced = own.text != address;
        }
        if account.addresses.iter().all(|own| own.text != address) {
            account.addresses.push(Own::new(address));
        }
        account.generation += 1;
        account.drop_replaced();
        let mark = if is_confirmed {
            "in the place of all"
        } else {
            "in the place of the addresses before"
        };
        let mut done = Done::by(player, "done", mark);
        if !is_confirmed {
            let question = self.question(player, address);
            done.out.extend(question);
        }
        Ok(done)
    }

    pub(super) fn forgot(&mut self, mail: &Mail<'_>, userid: &str) -> Verdict {
        self.count_asked(mail.from)?;
        let mut out = vec![Out::answer(To::Sender, "done")];
        if let Some(&player) = self.by_userid.get(&userid.to_ascii_lowercase()) {
            for own in &self.accounts[player].addresses {
                if own.is_reachable() && self.sent_today(&own.text, "forgot") < 3 {
                    out.push(Out::news(To::Address(own.text.clone()), "forgot"));
                }
            }
        }
        Ok(Done {
            out,
            mark: "If there is a player of that userid".into(),
            ..Done::default()
        })
    }

    pub(super) fn reset(&mut self, userid: &str, new: &str, is_good: bool) -> Verdict {
        match self.by_userid.get(&userid.to_ascii_lowercase()) {
            Some(&player) if is_good => self.new_password(player, new),
            _ => Err(No::because("This token is not good for that userid")),
        }
    }

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

    /// All who are here and have confirmed an address.
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

    pub(super) fn vacation(&mut self, mail: &Mail<'_>, who: &Who, wish: &Wish) -> Verdict {
        let player = self.writer(mail, who)?;
        let now = self.now;
        let account = &self.accounts[player];
        let before = account.vacation;
        let days = match wish {
            Wish::Tell => {
                let mark = if before.is_some() {
                    "is on vacation until"
                } else {
                    "is not on vacation"
                };
                return Ok(Done::by(player, "done", mark));
            }
            Wish::Off if before.is_none() => return Err(No::because("is not on vacation").to(player)),
            Wish::Off => {
                self.end_vacation(player);
                return Ok(Done::by(player, "done", "vacation is over"));
            }
            Wish::Days(days) => i64::from(*days),
        };
        if account.away {
            return Err(No::because("has signed off: there is no clock to stop").to(player));
        }
        let wanted = (before.map_or(now, |(begun, _)| begun), now + days * DAY);
        for year in [year(wanted.0), year(wanted.1)] {
            let taken: i64 = account.vacations.iter().map(|taken| days_in(*taken, year)).sum();
            if days_in(wanted, year) > 30 - taken.min(30) {
                let mark = match before {
                    Some(_) => "The whole vacation would then take",
                    None => "That takes * of which",
                };
                return Err(No::because(mark).to(player));
            }
        }
        let mut done = Done::by(player, "done", "is on vacation until");
        if before.is_none() {
            done.out.extend(
                self.others(player)
                    .into_iter()
                    .map(|other| Out::news(To::Player(other), "done")),
            );
            for board in self.accounts[player].running.clone() {
                let board = &mut self.boards[board];
                if board.to_move().is_some_and(|seat| board.at(seat) == player) {
                    board.clock.stop(now);
                }
            }
        }
        self.accounts[player].vacation = Some(wanted);
        Ok(done)
    }

    /// The other players of a player's running boards, each once.
    fn others(&self, player: usize) -> Vec<usize> {
        let boards = self.accounts[player]
            .running
            .iter()
            .map(|board| &self.boards[*board]);
        let mut others: Vec<usize> = boards
            .map(|board| board.players.into_iter().find(|other| *other != player).unwrap())
            .collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    pub(super) fn end_vacation(&mut self, player: usize) {
        let now = self.now;
        let Some((begun, ends)) = self.accounts[player].vacation.take() else {
            return;
        };
        self.accounts[player].vacations.push((begun, ends.min(now)));
        for board in self.accounts[player].running.clone() {
            let board = &mut self.boards[board];
            if board.to_move().is_some_and(|seat| board.at(seat) == player) {
                board.clock.resume(now);
            }
        }
    }

    pub(super) fn signoff(&mut self, mail: &Mail<'_>, who: &Who) -> Verdict {
        let player = self.writer(mail, who)?;
        if self.accounts[player].away {
            return Err(No::because("has signed off already").to(player));
        }
        let mut done = Done::by(player, "done", "has signed off:");
        done.out.extend(self.leave_boards(player));
        self.end_interest(player);
        self.accounts[player].away = true;
        Ok(done)
    }

    pub(super) fn delete(&mut self, mail: &Mail<'_>, who: &Who) -> Verdict {
        let player = self.writer(mail, who)?;
        let (mut out, former) = self.erase(player);
        match former.is_empty() {
            true => out.push(Out::answer(To::Sender, "done")),
            false => out.extend(former.into_iter().map(|to| Out::answer(To::Address(to), "done"))),
        }
        Ok(Done {
            proven: Some(player),
            out,
            mark: "is erased".into(),
        })
    }

    /// Nothing is left of an account but its games; gives the letters to others, and the addresses that it had.
    pub(super) fn erase(&mut self, player: usize) -> (Vec<Out>, Vec<String>) {
        let out = self.leave_boards(player);
        self.end_interest(player);
        let account = &mut self.accounts[player];
        let former = account
            .addresses
            .iter()
            .filter(|own| own.confirmed)
            .map(|own| own.text.clone())
            .collect();
        self.by_userid.remove(&account.userid.to_ascii_lowercase());
        let record = account.record.clone();
        let disabled = account.disabled;
        *account = Account {
            deleted: true,
            disabled,
            record,
            generation: account.generation + 1,
            ..Account::new("", "")
        };
        for other in &mut self.accounts {
            other.blocks.remove(&player);
        }
        (out, former)
    }

    /// All boards of one who goes end: lost where both have moved.
    fn leave_boards(&mut self, player: usize) -> Vec<Out> {
        let mut out = Vec::new();
        for board in self.accounts[player].running.clone() {
            let has_begun = {
                let board = &self.boards[board];
                pbmserv::games::Seat::BOTH
                    .into_iter()
                    .all(|seat| board.has_moved(seat))
            };
            let seat = self.boards[board].seat_of(player).unwrap().other();
            let end = if has_begun {
                End::Finished(Some(seat), "resignation")
            } else {
                End::Removed
            };
            self.end(board, end);
            out.push(self.of_board(self.boards[board].at(seat), None));
            out.extend(self.to_watchers(board));
            self.unwatch_ended(board);
        }
        out
    }

    /// Who goes away seeks nothing and watches nothing.
    pub(super) fn end_interest(&mut self, player: usize) {
        let account = &mut self.accounts[player];
        account.seeks.fill(None);
        for board in std::mem::take(&mut account.watches).into_keys() {
            self.boards[board].watchers.remove(&player);
        }
        for game in &mut self.watchers {
            game.remove(&player);
        }
    }

    pub(super) fn set(&mut self, mail: &Mail<'_>, who: &Who, game: Option<usize>, words: &str) -> Verdict {
        let player = self.writer(mail, who)?;
        if words.is_empty() {
            return Ok(Done {
                ..Done::by(player, "listing", "These are the settings of")
            });
        }
        let mut wants = self.accounts[player].wants;
        let mut words = words.split(' ');
        while let Some(word) = words.next() {
            let mut switch = || match words.next() {
                Some("on") => Ok(true),
                Some("off") => Ok(false),
                _ => Err(No::because("After * stands on or off").to(player)),
            };
            match word {
                "small" | "large" => {}
                _ if game.is_some() => {
                    return Err(No::because("For one game, small or large can be set").to(player));
                }
                "text" => wants.html = false,
                "html" => wants.html = true,
                "picture" => wants.picture = switch()?,
                "reminders" => wants.reminders = switch()?,
                "digest" => wants.digest = switch()?,
                "broadcasts" => wants.broadcasts = switch()?,
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
        account.wants = wants;
        Ok(done)
    }
}
