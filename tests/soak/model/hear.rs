//! The effect of a mail: its commands one after the other, and the letters that answer it.

use std::cell::{Cell, RefCell};

use pbmserv_core::command::COMMANDS;

use super::{DAY, Done, Expected, MAX_UNPROVEN, Model, No, Out, QUESTIONS_A_DAY, Standing, To, Verdict};
use crate::deed::{Act, At, Deed, Who};
use crate::foreseen::End;
use crate::mail::{Letter, Reply, Way};

/// The mail at hand.
pub(super) struct Mail<'a> {
    pub(super) from: &'a str,
    /// Whether the mail has text apart from commands.
    pub(super) says: bool,
    /// The player authenticated by a token: then commands need no password.
    pub(super) seat: Option<usize>,
    /// The newest event that the answered letter knew.
    pub(super) shown: Option<usize>,
    /// The players whom it has proven so far.
    pub(super) proven: RefCell<Vec<usize>>,
    /// How far its writer is known so far.
    pub(super) standing: Cell<Standing>,
    /// Whether somebody else was asked because of it, with nothing proven.
    pub(super) has_asked: Cell<bool>,
}

impl Mail<'_> {
    /// A password or a token may prove its writer.
    fn prove(&self, player: Option<usize>) {
        if let Some(player) = player {
            self.standing.set(Standing::Proven);
            self.proven.borrow_mut().push(player);
        }
    }

    /// Whether a stranger has sent it, also if this command is carried out.
    fn is_strange(&self, done: &Done) -> bool {
        self.standing.get() == Standing::Stranger && done.proven.is_none()
    }
}

/// Whether the command of this verb needs a password, or a token.
fn needs_proof(verb: &str) -> bool {
    let found = COMMANDS.iter().find(|command| command.verb == verb);
    found.is_some_and(|command| command.run.is_proven())
}

/// Whether a command only shows boards.
const fn is_query(deed: &Deed) -> bool {
    matches!(deed, Deed::Show(_) | Deed::ShowAs(..) | Deed::All { .. })
}

impl Model {
    /// The expected outcome of a mail; the model then has the state that the server must have.
    pub(crate) fn hear(&mut self, letter: &Letter) -> Expected {
        if let Way::Bounce(mail, _) = letter.way {
            return self.bounce(mail, &letter.from);
        }
        if !matches!(letter.way, Way::Again) {
            self.works(&letter.from);
        }
        let mail = Mail {
            from: &letter.from,
            says: !letter.saying.is_empty(),
            seat: None,
            shown: None,
            proven: RefCell::default(),
            standing: Cell::new(self.unproven(&letter.from)),
            has_asked: Cell::new(false),
        };
        match &letter.way {
            Way::Again => expected("duplicate"),
            Way::Automatic => expected("ignored"),
            Way::Bounce(..) => expected("done"),
            Way::Prose => self.answered(
                "refused",
                &mail,
                "notdone",
                "I did not understand your first line",
            ),
            Way::Subject(deed) => self.single(&mail, deed),
            Way::Batch(deeds) => self.batch(&mail, deeds),
            Way::Answer {
                at,
                account,
                by,
                shown,
                is_stale,
                deed,
            } => {
                let is_token = matches!(by, Reply::Token(_));
                match is_token && *is_stale {
                    true => self.dead(&mail),
                    false => {
                        let mail = Mail {
                            shown: *shown,
                            ..mail
                        };
                        self.answer(&mail, *at, *account, is_token, deed.as_ref())
                    }
                }
            }
            Way::Invited { is_stale: true, .. } => self.dead(&mail),
            Way::Invited { account, deed, .. } => {
                let mail = Mail {
                    seat: Some(*account),
                    standing: Cell::new(Standing::Proven),
                    ..mail
                };
                self.single(&mail, deed)
            }
            Way::Confirm(_) => self.confirm(&mail),
            Way::Leave(_, _, _, true) => self.dead(&mail),
            Way::Leave(_, player, unasked, false) => self.leave(&mail, *player, *unasked),
        }
    }

    fn answered(&mut self, fate: &'static str, mail: &Mail<'_>, kind: &'static str, mark: &str) -> Expected {
        let mut expected = expected(fate);
        expected.rows = self.post(
            &[Out::answer(To::Sender, kind)],
            Some(mail.from),
            mail.standing.get(),
        );
        expected.commands.push(("", fate == "done", mark.to_owned()));
        expected
    }

    fn single(&mut self, mail: &Mail<'_>, deed: &Deed) -> Expected {
        let verdict = self.decide(mail, deed);
        let mut expected = expected(if verdict.is_ok() { "done" } else { "refused" });
        let verb = deed.verb().unwrap_or_default();
        match verdict {
            Ok(done) => {
                mail.prove(done.proven);
                expected.rows = self.post(&done.out, Some(mail.from), mail.standing.get());
                expected.commands.push((verb, true, done.mark));
            }
            Err(no) => {
                mail.prove(no.proven);
                expected.rows = self.note_guess(mail, &no);
                let to = no.proven.map_or(To::Sender, To::Player);
                let refusal = [Out::answer(to, "notdone")];
                let rows = self.post(&refusal, Some(mail.from), mail.standing.get());
                expected.rows.extend(rows);
                expected.commands.push((verb, false, no.mark.to_owned()));
            }
        }
        expected.rows.sort();
        expected
    }

    /// Counts a wrong password. The player is told once a day when no more are read from there.
    fn note_guess(&mut self, mail: &Mail<'_>, no: &No) -> Vec<(String, &'static str, bool)> {
        let Some(player) = no.wrong_password_of else {
            return Vec::new();
        };
        let guess = (self.guesser(player, mail.from), self.now);
        self.accounts[player].guesses.push(guess);
        let warned = format!("warned {player}");
        if !self.is_refused(player, mail.from) || self.tally(&warned) > 0 {
            return Vec::new();
        }
        self.count(warned, 1);
        self.post(
            &[Out::news(To::Player(player), "guesses")],
            Some(mail.from),
            mail.standing.get(),
        )
    }

    /// A list of commands: one transcript answers all, and letters to others are sent.
    fn batch(&mut self, mail: &Mail<'_>, deeds: &[Deed]) -> Expected {
        let mut batch = expected("done");
        let (mut proven, mut unproven) = (None, 0);
        let mut changed: Vec<(usize, To)> = Vec::new();
        for deed in deeds {
            let verb = deed.verb().unwrap_or_default();
            let is_over = unproven >= MAX_UNPROVEN && mail.standing.get() != Standing::Proven;
            let mut mark = String::new();
            if !is_over || needs_proof(verb) {
                match self.decide(mail, deed) {
                    Ok(done) if done.out.iter().any(|out| out.has_file) && mail.is_strange(&done) => {
                        batch.fate = "refused";
                        mark = "a file is sent in answer to a mail with this command alone".to_owned();
                    }
                    Ok(done) => {
                        proven = proven.or(done.proven);
                        let is_shown = |letter: &Out| {
                            let is_own = match letter.to {
                                To::Sender => true,
                                To::Player(_) => letter.is_answer,
                                To::Address(_) => false,
                            };
                            is_own && !letter.has_file
                        };
                        let (own, mut others): (Vec<Out>, Vec<Out>) =
                            done.out.into_iter().partition(is_shown);
                        for news in others.iter().filter(|out| out.kind == "board") {
                            let about = self.board_of(deed);
                            changed.retain(|(board, to)| about != Some(*board) || *to != news.to);
                        }
                        let boards = own.into_iter().filter(|out| out.kind == "board");
                        let boards = boards.filter_map(|out| Some((self.board_of(deed)?, out.to)));
                        for (board, to) in boards.collect::<Vec<_>>() {
                            match is_query(deed) {
                                true if !self.is_to_move(board, &to, mail) => {}
                                true => {
                                    changed.retain(|kept| *kept != (board, to.clone()));
                                    others.push(Out::answer(to, "board"));
                                }
                                false => {
                                    changed.retain(|kept| *kept != (board, to.clone()));
                                    changed.push((board, to));
                                }
                            }
                        }
                        mail.prove(done.proven);
                        let standing = mail.standing.get();
                        batch.rows.extend(self.post(&others, Some(mail.from), standing));
                        batch.commands.push((verb, true, done.mark));
                        unproven += usize::from(mail.standing.get() != Standing::Proven);
                        continue;
                    }
                    Err(no) => {
                        proven = proven.or(no.proven);
                        batch.rows.extend(self.note_guess(mail, &no));
                        mail.prove(no.proven);
                        if !is_over || no.proven.is_some() {
                            no.mark.clone_into(&mut mark);
                        }
                    }
                }
            }
            batch.fate = "refused";
            unproven += usize::from(mail.standing.get() != Standing::Proven);
            batch.commands.push((verb, false, mark));
        }
        let to = proven.map_or(To::Sender, To::Player);
        let transcript = [Out::answer(to, "transcript")];
        let rows = self.post(&transcript, Some(mail.from), mail.standing.get());
        batch.rows.extend(rows);
        for (board, to) in changed {
            if self.is_to_move(board, &to, mail) {
                let rows = self.post(&[Out::answer(to, "board")], Some(mail.from), mail.standing.get());
                batch.rows.extend(rows);
            }
        }
        batch.rows.sort();
        batch
    }

    /// The board in the answer to a command that was carried out last.
    fn board_of(&self, deed: &Deed) -> Option<usize> {
        match deed {
            Deed::Show(at) | Deed::ShowAs(at, _) | Deed::On(at, ..) => self.by_place.get(at).copied(),
            Deed::Challenge { .. } => self.boards.len().checked_sub(1),
            Deed::All { userid, .. } => self.shown(self.player(userid).ok()?, deed).first().copied(),
            _ => None,
        }
    }

    /// Whether the reader of a letter is to move on this board.
    fn is_to_move(&self, board: usize, to: &To, mail: &Mail<'_>) -> bool {
        let board = &self.boards[board];
        let Some(mover) = board.to_move().map(|seat| board.at(seat)) else {
            return false;
        };
        match to {
            To::Player(player) => *player == mover,
            To::Sender => self.known(mail.from) == Some(mover),
            To::Address(_) => false,
        }
    }

    /// A reply to a board's mail. The caller has checked that the token, or the Message-ID, went to this account.
    fn answer(
        &mut self,
        mail: &Mail<'_>,
        at: At,
        account: usize,
        is_token: bool,
        deed: Option<&Deed>,
    ) -> Expected {
        let board = self.by_place[&at];
        let end = self.boards[board].end();
        let is_own = self.accounts[account]
            .addresses
            .iter()
            .any(|own| own.confirmed && own.text == mail.from);
        let is_good = self.boards[board].seat_of(account).is_some() && (is_token || is_own);
        if !is_good || end == Some(End::Removed) {
            return self.dead(mail);
        }
        let mail = Mail {
            seat: Some(account),
            proven: RefCell::default(),
            standing: Cell::new(Standing::Proven),
            has_asked: Cell::new(false),
            ..*mail
        };
        match deed {
            Some(deed) => self.single(&mail, deed),
            None if end.is_some() => {
                let mail = Mail { says: true, ..mail };
                self.single(&mail, &Deed::On(at, Who::default(), Act::Chat))
            }
            None => {
                let mut prose = expected("refused");
                let refusal = [Out::answer(To::Player(account), "notdone")];
                prose.rows = self.post(&refusal, Some(mail.from), Standing::Proven);
                let mark = "I did not understand your first line".to_owned();
                prose.commands.push(("", false, mark));
                prose
            }
        }
    }

    /// An expired token is answered once a day, if a player writes.
    pub(super) fn dead(&mut self, mail: &Mail<'_>) -> Expected {
        let may_be_told = self.known(mail.from).is_some() && self.sent_today(mail.from, "dead") == 0;
        let mut dead = expected("refused");
        if may_be_told {
            let out = [Out::answer(To::Sender, "dead")];
            dead.rows = self.post(&out, Some(mail.from), mail.standing.get());
        }
        dead
    }

    /// The confirmation question is answered with yes.
    fn confirm(&mut self, mail: &Mail<'_>) -> Expected {
        let mut done = expected("done");
        let has = |account: &super::Account| account.addresses.iter().position(|own| own.text == mail.from);
        let found = self
            .accounts
            .iter()
            .enumerate()
            .find_map(|(player, account)| Some((player, has(account)?)));
        let Some((player, place)) = found else {
            done.rows = self.post(
                &[Out::answer(To::Sender, "notdone")],
                Some(mail.from),
                Standing::Proven,
            );
            return done;
        };
        let account = &mut self.accounts[player];
        account.expires_at = None;
        let is_first = !account.is_confirmed();
        let kind = if is_first { "welcome" } else { "done" };
        let asked = self.others_to_ask(player, mail.from, is_first);
        let account = &mut self.accounts[player];
        let was_confirmed = account.addresses[place].confirmed;
        if !was_confirmed {
            let own = &mut account.addresses[place];
            (own.confirmed, own.failed_days, own.failed_on) = (true, 0, None);
            account.drop_replaced();
        }
        let is_there = self.accounts[player]
            .addresses
            .iter()
            .any(|own| own.text == mail.from && !own.is_failing());
        if is_there {
            let out = Out::answer(To::Address(mail.from.to_owned()), kind);
            done.rows = self.post(&[out], Some(mail.from), Standing::Proven);
        }
        let rows = self.post(&asked, Some(mail.from), Standing::Proven);
        done.rows.extend(rows);
        done.rows.sort();
        let mark = match (was_confirmed, is_first) {
            (true, _) => "This address is confirmed already",
            (false, true) => "Welcome",
            (false, false) => "is now an address of",
        };
        done.commands.push(("", true, mark.to_owned()));
        done
    }

    /// A mail came from this address: it gets mail again.
    fn works(&mut self, address: &str) {
        for account in &mut self.accounts {
            for own in account.addresses.iter_mut().filter(|own| own.text == address) {
                (own.failed_days, own.failed_on) = (0, None);
            }
        }
    }

    /// A mail to this address bounced.
    fn bounce(&mut self, mail: i64, address: &str) -> Expected {
        if !self.bounced.insert(mail) {
            return expected("ignored");
        }
        let today = self.now / DAY;
        let mut bounce = expected("done");
        for player in 0..self.accounts.len() {
            let mut failed = false;
            for own in self.accounts[player]
                .addresses
                .iter_mut()
                .filter(|own| own.text == address)
            {
                if own.failed_on.is_none_or(|day| day < today) {
                    own.failed_days += 1;
                    own.failed_on = Some(today);
                    failed = own.failed_days == 3;
                }
            }
            if failed && !self.accounts[player].is_reachable() {
                let mut others: Vec<usize> = self.accounts[player]
                    .running
                    .iter()
                    .map(|board| {
                        let [first, second] = self.boards[*board].players;
                        if first == player { second } else { first }
                    })
                    .collect();
                others.sort_unstable();
                others.dedup();
                let out: Vec<Out> = others
                    .into_iter()
                    .map(|other| Out::news(To::Player(other), "unreachable"))
                    .collect();
                bounce.rows.extend(self.post(&out, None, Standing::Proven));
            }
        }
        bounce.rows.sort();
        bounce
    }

    /// The player who sends a command.
    pub(super) fn writer(&self, mail: &Mail<'_>, who: &Who) -> Result<usize, No> {
        match mail.seat {
            Some(player) => self.open(player),
            None => self.prove(who, mail.from),
        }
    }

    fn decide(&mut self, mail: &Mail<'_>, deed: &Deed) -> Verdict {
        match deed {
            Deed::Garbled(_) => Err(No::because("Not done:")),
            Deed::Help(_) => Done::answer("help", "elp"),
            Deed::Signup(who, address) => self.signup(mail, who, address.as_deref()),
            Deed::Add(who, address) => self.add(mail, who, address),
            Deed::Remove(who, address) => self.remove(mail, who, address),
            Deed::ChangePassword(who, new) => self.change_password(mail, who, new),
            Deed::ChangeAddress(who, address) => self.change_address(mail, who, address),
            Deed::Forgot(userid) => self.forgot(mail, userid),
            Deed::Reset {
                userid, new, is_good, ..
            } => self.reset(userid, new, *is_good),
            Deed::Block(who, other) => self.block(mail, who, other, true),
            Deed::Unblock(who, other) => self.block(mail, who, other, false),
            Deed::Message(who, to) => self.message(mail, who, to),
            Deed::Broadcast(who) => self.broadcast(mail, who),
            Deed::Vacation(who, wish) => self.vacation(mail, who, wish),
            Deed::Signoff(who) => self.signoff(mail, who),
            Deed::Delete(who) => self.delete(mail, who),
            Deed::Set { who, game, words } => self.set(mail, who, *game, words),
            Deed::Challenge {
                game,
                players,
                options,
            } => self.challenge(mail, *game, players, options),
            Deed::Seek {
                game,
                who,
                count,
                options,
            } => self.seek(mail, *game, who, *count, options),
            Deed::Accept(game, who) => self.take(mail, *game, who, true),
            Deed::Reject(game, who) => self.take(mail, *game, who, false),
            Deed::Limit(game, who, most) => self.limit(mail, *game, who, most),
            Deed::Page(who, _) => Ok(Done::by(self.writer(mail, who)?, "page", "Here is your page")),
            Deed::On(at, who, act) => match act {
                Act::Show => self.show_own(mail, *at),
                act => self.act(mail, *at, who, act),
            },
            Deed::Subscribe(what, who) => self.watch(mail, *what, who, false),
            Deed::Unsubscribe(what, who) => self.unwatch(mail, *what, who),
            Deed::Notify(what, who) => self.watch(mail, *what, who, true),
            _ => self.look(mail, deed),
        }
    }

    /// Another confirmation question to an address, if the limits allow it.
    pub(super) fn may_be_asked(&self, address: &str) -> bool {
        self.sent_today(address, "question") < QUESTIONS_A_DAY
    }
}

pub(super) fn expected(fate: &'static str) -> Expected {
    Expected {
        fate,
        ..Expected::default()
    }
}
