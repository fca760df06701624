//! Commands on a board, by its players.

use pbmserv_games::{Kind, Refusal, Seat};

use super::boards::Offer;
use super::computers::COMPUTER;
use super::hear::Mail;
use super::older::Event;
use super::{Board, Done, MESSAGES_A_DAY, Model, No, Out, To, Verdict};
use crate::deed::{Act, At, Who};
use crate::foreseen::End;

impl Model {
    pub(super) fn act(&mut self, mail: &Mail<'_>, at: At, who: &Who, act: &Act) -> Verdict {
        let board = self.board(at)?;
        let player = self.writer(mail, who)?;
        if let Some(verdict) = self.if_older(mail, board, player, act) {
            return verdict.map_err(|no| no.to(player));
        }
        let done = match act {
            Act::Move(word) => match word.as_str() {
                "resign" => self.resign(board, player),
                "propose" => self.ask(board, player, Offer::Draw),
                "undo" => self.ask(board, player, Offer::Undo),
                "accept" => self.accept_offer(board, player),
                "reject" => self.reject_offer(board, player),
                turn => self.play(board, player, turn),
            },
            Act::Queue(turns) => self.queue(board, player, turns),
            Act::Submit(turn) => self.submit(board, player, turn),
            Act::Confirm => {
                self.seat_to_move(board, player)
                    .and_then(|_| match self.boards[board].submitted.clone() {
                        Some(turn) => self.play(board, player, &turn),
                        None => Err(No::because("you have submitted no turn since")),
                    })
            }
            Act::Resign => self.resign(board, player),
            Act::Rematch => self.rematch(board, player),
            Act::Hint => self.hint(board, player),
            Act::Review => self.review(board, player),
            Act::Chat => self.chat(mail, board, player),
            Act::Show => unreachable!("answered by look"),
        };
        done.map_err(|no| no.to(player))
    }

    fn hint(&mut self, board: usize, player: usize) -> Result<Done, No> {
        self.seat_to_move(board, player)?;
        if !self.boards[board].players.contains(&COMPUTER) {
            return Err(No::because("two people play there"));
        }
        self.advise(player, "The hint for * comes in a moment")
    }

    fn review(&mut self, board: usize, player: usize) -> Result<Done, No> {
        if self.boards[board].seat_of(player).is_none() {
            return Err(self.not_now(board, player));
        }
        match self.boards[board].end() {
            None => return Err(No::because("the game is not over")),
            Some(End::Removed | End::Void) => return Err(No::because("no game came about there")),
            Some(_) => {}
        }
        self.advise(player, "is being made")
    }

    /// Why a player cannot move on a board now.
    fn not_now(&self, board: usize, player: usize) -> No {
        let board = &self.boards[board];
        No::because(match (board.seat_of(player), board.end()) {
            (None, _) => "does not play on",
            (Some(_), Some(_)) => "is over,",
            (Some(_), None) => "It is the turn of * not yours",
        })
    }

    fn seat_to_move(&self, board: usize, player: usize) -> Result<Seat, No> {
        let seat = self.boards[board].seat_of(player);
        seat.filter(|seat| self.boards[board].to_move() == Some(*seat))
            .ok_or_else(|| self.not_now(board, player))
    }

    fn running_seat(&self, board: usize, player: usize) -> Result<Seat, No> {
        let seat = self.boards[board].seat_of(player);
        seat.filter(|_| self.boards[board].end().is_none())
            .ok_or_else(|| self.not_now(board, player))
    }

    /// One player's turn, with all its effects.
    pub(super) fn make_turn(&mut self, board: usize, seat: Seat, text: &str) -> Result<(), Refusal> {
        let count = self.boards[board].progress.play(text)?;
        for _ in 0..count {
            self.boards[board].note(Event::Turn(seat));
        }
        let next = self.boards[board].to_move();
        let is_next_away =
            |model: &Self, seat: Option<Seat>| seat.is_none_or(|seat| model.is_timeless(board, seat));
        for played in 1..=count {
            let is_away = is_next_away(self, if played == count { next } else { Some(seat) });
            let now = self.now;
            self.boards[board].clock.turned(seat, is_away, now);
        }
        (self.boards[board].offer, self.boards[board].submitted) = (None, None);
        Ok(())
    }

    /// A turn, and the other player's queued one.
    pub(super) fn play(&mut self, board: usize, player: usize, text: &str) -> Verdict {
        let seat = self.seat_to_move(board, player)?;
        self.make_turn(board, seat, text)
            .map_err(|_| No::because("Not played"))?;
        self.fire(board, seat.other());
        self.end_by_rules(board);
        let deed = if text.eq_ignore_ascii_case("pass") {
            "passed"
        } else {
            "played *"
        };
        let name = self.boards[board].at.name();
        let done = Done {
            proven: Some(player),
            out: self.to_all(board, Some(player)),
            mark: self
                .result(board, seat)
                .unwrap_or_else(|| format!("{deed} on {name}")),
        };
        if self.boards[board].end().is_some() {
            self.unwatch_ended(board);
        }
        Ok(done)
    }

    /// Plays the queued turns of this seat as long as it is their turn.
    fn fire(&mut self, board: usize, seat: Seat) {
        let Some((by, mut turns)) = self.boards[board].queue.take() else {
            return;
        };
        while by == seat && !turns.is_empty() && self.boards[board].to_move() == Some(seat) {
            let turn = turns.remove(0);
            if self.make_turn(board, seat, &turn).is_err() {
                return;
            }
        }
        if !turns.is_empty() {
            self.boards[board].queue = Some((by, turns));
        }
    }

    pub(super) fn resign(&mut self, board: usize, player: usize) -> Verdict {
        let seat = self.running_seat(board, player)?;
        let (end, mark) = if self.boards[board].has_moved(seat) {
            (End::Finished(Some(seat.other()), "resignation"), "resigned on")
        } else {
            (End::Removed, "declined")
        };
        Ok(self.over(board, end, Some(player), mark))
    }

    /// A board ends, and all players and watchers are notified.
    pub(super) fn over(&mut self, board: usize, end: End, writer: Option<usize>, mark: &str) -> Done {
        self.end(board, end);
        let out = self.to_all(board, writer);
        self.unwatch_ended(board);
        let seat = writer.and_then(|writer| self.boards[board].seat_of(writer));
        let result = seat.and_then(|seat| self.result(board, seat));
        Done {
            proven: writer,
            out,
            mark: result.unwrap_or_else(|| mark.to_owned()),
        }
    }

    /// How an answer begins that ends a game, for the player in this seat.
    fn result(&self, board: usize, seat: Seat) -> Option<String> {
        let Some(End::Finished(winner, how)) = self.boards[board].end() else {
            return None;
        };
        let verdict = match winner {
            Some(winner) if winner == seat => "You won, *",
            Some(_) => "You lost, *",
            None => "A draw, *",
        };
        let how = match how {
            "resignation" | "agreement" => format!(" by {how}"),
            _ => String::new(),
        };
        Some(format!("{verdict}{how}"))
    }

    fn notify_all(&self, board: usize, player: usize, mark: &str) -> Done {
        Done {
            proven: Some(player),
            out: self.to_all(board, Some(player)),
            mark: mark.to_owned(),
        }
    }

    fn ask(&mut self, board: usize, player: usize, offer: Offer) -> Verdict {
        let seat = self.running_seat(board, player)?;
        let Board {
            offer: offered,
            progress,
            ..
        } = &self.boards[board];
        if offer == Offer::Draw && *offered == Some((Offer::Draw, seat.other())) {
            return self.accept_offer(board, player);
        }
        if *offered == Some((offer, seat)) {
            return Err(No::because("has not answered yet what you asked"));
        }
        if offer == Offer::Draw && !progress.position.facts().knows_draws {
            return Err(No::because("has no draws, so none is offered"));
        }
        if offer == Offer::Undo {
            match progress.turns.last() {
                None => return Err(No::because("There is no turn to take back on")),
                Some((by, _)) if *by != seat => {
                    return Err(No::because("only * can ask to take it back"));
                }
                Some(_) => {}
            }
        }
        if self.blocks(self.boards[board].at(seat.other()), player) {
            return Err(No::because("does not wish to hear from"));
        }
        self.boards[board].offer = Some((offer, seat));
        self.boards[board].note(Event::Offer);
        let mark = match offer {
            Offer::Draw => "offers a draw on",
            Offer::Undo => "asks to take back",
            Offer::Rematch => unreachable!("a command of its own"),
        };
        Ok(self.to_who_listens(self.notify_all(board, player, mark), player))
    }

    /// Without news of an offer for those who have blocked its player.
    fn to_who_listens(&self, mut done: Done, player: usize) -> Done {
        done.out
            .retain(|letter| !matches!(letter.to, To::Player(reader) if self.blocks(reader, player)));
        done
    }

    fn accept_offer(&mut self, board: usize, player: usize) -> Verdict {
        if self.is_offered_a_rematch(board, player) {
            return self.begin_rematch(board, player);
        }
        let seat = self.running_seat(board, player)?;
        match self.boards[board].offer {
            Some((Offer::Draw, by)) if by != seat => Ok(self.over(
                board,
                End::Finished(None, "agreement"),
                Some(player),
                "agreed to a draw on",
            )),
            Some((Offer::Undo, by)) if by != seat => {
                self.take_back(board);
                Ok(self.notify_all(board, player, "agreed: * is taken back on"))
            }
            _ => Err(No::because("There is nothing to accept on")),
        }
    }

    /// Takes back the last turn; offers, queued and submitted turns are discarded.
    pub(super) fn take_back(&mut self, board: usize) {
        let now = self.now;
        let before = self.boards[board].to_move().unwrap();
        let taken = &mut self.boards[board];
        taken.progress.take_back();
        taken.note(Event::TakenBack);
        (taken.offer, taken.queue, taken.submitted) = (None, None, None);
        let next = taken.at(taken.to_move().unwrap());
        let is_away = self.accounts[next].vacation.is_some();
        self.boards[board].clock.turned(before, is_away, now);
    }

    fn reject_offer(&mut self, board: usize, player: usize) -> Verdict {
        if self.is_offered_a_rematch(board, player) {
            self.boards[board].offer = None;
            return Ok(self.to_who_listens(self.notify_players(board, player, "rejects"), player));
        }
        let seat = self.running_seat(board, player)?;
        let mark = match self.boards[board].offer.take() {
            None => return Err(No::because("There is nothing to reject on")),
            Some((_, by)) if by == seat => "takes the * back on",
            Some(_) => "rejects",
        };
        Ok(self.to_who_listens(self.notify_all(board, player, mark), player))
    }

    fn queue(&mut self, board: usize, player: usize, turns: &[String]) -> Verdict {
        let seat = self.running_seat(board, player)?;
        let own = self.boards[board]
            .queue
            .as_ref()
            .is_some_and(|(by, _)| *by == seat);
        let mark = if turns == ["off"] {
            if !own {
                return Err(No::because("You have queued nothing on"));
            }
            self.boards[board].queue = None;
            "Nothing is queued any more on"
        } else if self.boards[board].to_move() == Some(seat) {
            return Err(No::because("It is your turn on * so nothing is queued"));
        } else {
            self.boards[board].queue = Some((seat, turns.to_vec()));
            "has queued"
        };
        Ok(Done::by(player, "board", mark))
    }

    fn submit(&mut self, board: usize, player: usize, text: &str) -> Verdict {
        self.seat_to_move(board, player)?;
        let mut after = self.boards[board].progress.position.fork();
        match after.play_all(text) {
            Ok(turns) => {
                self.boards[board].submitted = Some(turns.join(","));
                self.boards[board].note(Event::Submitted);
                Ok(Done::by(player, "listing", "nothing is played yet"))
            }
            Err(Refusal {
                kind: Kind::Unreadable | Kind::Illegal | Kind::Ambiguous,
                ..
            }) => Err(No::because("Not submitted")),
        }
    }

    fn chat(&mut self, mail: &Mail<'_>, board: usize, player: usize) -> Verdict {
        if self.boards[board].seat_of(player).is_none() {
            return Err(No::because("does not play on"));
        }
        let players = self.boards[board].players;
        let other = players.into_iter().find(|other| *other != player).unwrap();
        if other == COMPUTER {
            return Err(No::because("is a computer and reads no words"));
        }
        if self.accounts[other].blocks.contains(&player) {
            return Err(No::because("does not wish to hear from"));
        }
        if !self.accounts[other].is_reachable() {
            return Err(No::because("fails: * gets no words until"));
        }
        let key = format!("said {player}>{other}");
        if self.tally(&key) >= MESSAGES_A_DAY {
            return Err(No::because("has had enough messages from"));
        }
        if !mail.says {
            return Err(No::because("There is no text in the mail to send on"));
        }
        self.count(key, 1);
        let is_over = self.boards[board].end().is_some();
        let mut done = self.notify_all(board, player, "A message from");
        done.out.retain(|letter| {
            let To::Player(reader) = letter.to else {
                return true;
            };
            players.contains(&reader) || (!is_over && !self.accounts[reader].blocks.contains(&player))
        });
        Ok(done)
    }

    pub(super) fn show_own(&mut self, mail: &Mail<'_>, at: At) -> Verdict {
        self.board(at)?;
        Ok(Done {
            out: vec![Out::answer(mail.seat.map_or(To::Sender, To::Player), "board")],
            mark: "as it stands".into(),
            ..Done::default()
        })
    }
}
