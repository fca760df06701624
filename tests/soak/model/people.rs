//! Commands about accounts.

use super::accounts::Own;
use super::hear::Mail;
use super::{ASKS_A_DAY, Account, DAY, Done, Model, No, Out, Standing, To, Verdict};
use crate::deed::Who;

/// Why a new password is refused; the soak has no password that contains the userid.
fn check_password(password: &str) -> Result<(), No> {
    match password.len() {
        6..=100 => Ok(()),
        _ => Err(No::because("A password has 6 to 100 characters")),
    }
}

impl Model {
    pub(super) fn count_asked(&mut self, by: &str) -> Result<(), No> {
        let key = format!("asked {by}");
        if self.tally(&key) + 1 > ASKS_A_DAY {
            let mark = "You have had enough mails sent to others today";
            return Err(No::because(mark));
        }
        self.count(key, 1);
        Ok(())
    }

    /// As `count_asked`, of a mail that need not prove its writer: it has one other person asked.
    pub(super) fn count_asked_unproven(&mut self, mail: &Mail<'_>) -> Result<(), No> {
        let is_proven = mail.standing.get() == Standing::Proven;
        if mail.has_asked.get() && !is_proven {
            return Err(No::because("Somebody else was written to already"));
        }
        self.count_asked(mail.from)?;
        mail.has_asked.set(true);
        Ok(())
    }

    /// The questions to the other addresses of an account whose first one is confirmed.
    pub(super) fn others_to_ask(&mut self, player: usize, first: &str, is_first: bool) -> Vec<Out> {
        let others = self.accounts[player].addresses.iter();
        let others = others.filter(|own| is_first && own.text != first && !own.replaced);
        let others: Vec<String> = others.map(|own| own.text.clone()).collect();
        let fresh = others
            .into_iter()
            .filter(|address| self.sent_today(address, "question") == 0);
        let fresh: Vec<String> = fresh.collect();
        let key = format!("asked {first}");
        let more = u32::try_from(fresh.len()).unwrap();
        if more == 0 || self.tally(&key) + more > ASKS_A_DAY {
            return Vec::new();
        }
        self.count(key, more);
        let question = |address: &String| self.question(player, address);
        fresh.iter().filter_map(question).collect()
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
        self.count_asked_unproven(mail)?;
        let mut account = Account::new(&who.userid, &who.password);
        account.addresses.push(Own::new(address));
        account.expires_at = Some(self.now + 7 * DAY);
        self.by_userid
            .insert(who.userid.to_ascii_lowercase(), self.accounts.len());
        self.accounts.push(account);
        Ok(Done {
            out: vec![Out::news(To::Address(address.to_owned()), "question")],
            ..Done::default()
        })
    }

    /// With the right password a player returns after a signoff, or is asked again.
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
        let Some(address) = asked.into_iter().find(|address| self.may_be_asked(address)) else {
            return Err(No::because("has been asked often enough today"));
        };
        self.count_asked_unproven(mail)?;
        Ok(Done {
            out: vec![Out::news(To::Address(address), "question")],
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

    /// The confirmation question to an address of an account; none if mail to it bounces.
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
        // Only a confirmed address got tokens.
        account.generation += u32::from(account.addresses[place].confirmed);
        account.addresses = rest;
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

    /// Another address replaces all; the confirmed ones remain until it is confirmed.
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
        self.count_asked_unproven(mail)?;
        let mut out = vec![Out::answer(To::Sender, "done")];
        if let Some(&player) = self.by_userid.get(&userid.to_ascii_lowercase()) {
            let mut own = self.accounts[player].addresses.clone();
            own.retain(Own::is_reachable);
            own.sort_by_key(|own| own.text != mail.from);
            let mut open = own.iter().filter(|own| self.sent_today(&own.text, "forgot") < 3);
            out.extend(
                open.next()
                    .map(|own| Out::news(To::Address(own.text.clone()), "forgot")),
            );
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
            _ => Err(No::because("This token is not valid for that userid")),
        }
    }
}
