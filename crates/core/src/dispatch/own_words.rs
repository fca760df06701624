//! What a message asks for in its writer's own words, once no command was found in it.
//!
//! A board's token proves its seat only, and words that may be meant otherwise end no game: what accepts, ends or answers another
//! player is asked about, and so is what needs a proof that the message does not have. A refused offer is refused as plainly as
//! it was said. Nothing here reaches passwords, addresses, or the private link.

use std::borrow::Cow;

use pbmserv_games::{GAMES, Game, Seat};

use crate::command::{
    Argument, Batch, Belief, COMMANDS, Doubt, Intent, InternalError, InvitedLine, Line, Meant, Misread,
    Offer, Opponent, Run, Script, Wish, WithoutPassword, YesNo, export_button, game_against,
    is_word_of_a_match,
};
use crate::letters::{Button, Listing, Mail as _, NotDone};
use crate::store::Purpose;
use crate::table::{Board, BoardLetter, Offer as BoardOffer, Player};

use super::message_run::Handling;
use super::reply_context::ReplyContext;
use super::steps::Step;

impl<'a> Handling<'a> {
    /// What a reply about this board asks for in which no turn and no command was found. `None`: nothing that is understood.
    pub(super) fn own_words_on(
        &self,
        board: &'a Board,
        player: &'a Player,
        subject: &str,
        words: &str,
    ) -> Result<Option<Step<'a>>, InternalError> {
        let Some(seat) = board.seat_of(player.id) else {
            return Ok(None);
        };
        let Some(meant) = COMMANDS.meant(subject, words) else {
            return Ok(None);
        };
        if meant.intent == Intent::Yes
            && meant.is_plain()
            && let Some(word) = self.asked_by(|purpose, number| {
                purpose == Purpose::Seat && BoardLetter::of_number(number).board == board.id
            })?
        {
            return self.verb_on(board, player, &word, "");
        }
        let is_whole = meant.is_whole;
        let theirs = board.offer.filter(|(_, by)| *by != seat).map(|(offer, _)| offer);
        let is_running = board.end.is_none();
        let is_computer = board.at(seat.other()).id.is_computer();
        let context = self.context("");
        let can_play = |word| is_word_of_a_match(&context, board, seat, word);
        let ask = |meant: &[&str]| Some(Step::Doubtful(board, player, doubted(words, meant, !is_whole)));
        Ok(match meant.intent {
            Intent::Yes if theirs.is_some() => ask(&["accept"]),
            Intent::Again if theirs == Some(BoardOffer::Rematch) => ask(&["accept"]),
            Intent::Stop if is_whole => Some(Step::Offered(player.clone(), Offer::Less)),
            Intent::Data if is_whole => Some(Step::Offered(player.clone(), Offer::Asked(export_button()))),
            Intent::YesOrNo if theirs.is_some() => ask(&["accept", "reject"]),
            Intent::No if theirs.is_some() && meant.is_plain() => {
                self.verb_on(board, player, "reject", words)?
            }
            Intent::No if theirs.is_some() => ask(&["reject"]),
            Intent::Draw | Intent::Undo | Intent::Pause if is_running && is_agreed(&meant.intent, theirs) => {
                ask(&["accept"])
            }
            Intent::Draw if is_running && board.game.facts.knows_draws => ask(&["propose"]),
            Intent::Undo if is_running => ask(&["undo"]),
            Intent::Pause if is_running && board.paused_until.is_none() => ask(&["pause"]),
            // In a match one may mean the game, and may accept that the other player gives one up.
            Intent::Yes if can_play("accept")? => ask(&["accept"]),
            Intent::Resign if can_play("concede")? => ask(&["concede", "resign"]),
            Intent::Resign if is_running => ask(&["resign"]),
            Intent::No if is_running && !board.has_moved(seat) => ask(&["resign"]),
            Intent::Again if !is_running && is_computer && meant.is_whole => {
                self.verb_on(board, player, "rematch", "")?
            }
            // The answer to a question keeps the board at hand.
            Intent::Help(game) if meant.is_plain() => {
                match game.filter(|game| game.facts.name != board.game.facts.name) {
                    Some(game) => read(&format!("{} help", game.facts.name)),
                    None => self.verb_on(board, player, "help", "")?,
                }
            }
            _ => None,
        })
    }

    /// The one word or line that the letter asks about which the message answers, if its token is such a one.
    fn asked_by(&self, is_it: impl Fn(Purpose, i64) -> bool) -> Result<Option<String>, InternalError> {
        for id in &self.request.mail.in_reply_to {
            let sent = self.store.sent_mail(id)?.and_then(|mail| mail.purpose);
            if !sent.is_some_and(|(purpose, number)| is_it(purpose, number)) {
                continue;
            }
            let letter = self.store.sent_letter(id)?;
            return Ok(letter.and_then(|(kind, draft)| match kind {
                Some(NotDone::KIND) => NotDone::asked(&draft.facts),
                Some(Listing::KIND) => Listing::asked(&draft.facts),
                _ => None,
            }));
        }
        Ok(None)
    }

    /// The one line that the invitation asks about which the message answers.
    fn asked_for_line(&self) -> Result<Option<String>, InternalError> {
        self.asked_by(|purpose, _| purpose == Purpose::Invitation)
    }

    /// A verb as if it stood alone in the reply, with these words for the other player.
    fn verb_on(
        &self,
        board: &Board,
        player: &Player,
        verb: &str,
        words: &str,
    ) -> Result<Option<Step<'a>>, InternalError> {
        let position = board.replay(self.store.turns(board.id)?, usize::MAX)?;
        let answer = COMMANDS.read_reply(verb, "", board, player, position.game.as_ref());
        let line = answer.commands.into_iter().next().map(|(line, _)| line);
        let words = COMMANDS.without_passwords(words);
        Ok(line.map(|line| Step::Line(Cow::Owned(line), words)))
    }

    /// Whether a reply to a question says no and nothing else.
    pub(super) fn says_no(&self) -> bool {
        let request = self.request;
        let is_no = |meant: Meant| meant.intent == Intent::No && meant.is_plain();
        request.said() == YesNo::No
            || COMMANDS
                .meant(&request.subject, &request.comment)
                .is_some_and(is_no)
    }

    /// What a message that is about no board asks for, if its writer is known: by the token of an invitation, or by the
    /// address of one player.
    pub(super) fn own_words(&self) -> Result<Option<Vec<Step<'a>>>, InternalError> {
        let request = self.request;
        if request.mail.instead_of_text.is_some() || request.page.is_some() || request.click.is_some() {
            return Ok(None);
        }
        let context = self.context("");
        let (player, is_token) = match self.answers {
            ReplyContext::Invitation(invited) => (Some(invited.player.clone()), true),
            ReplyContext::Boards(boards) => (boards.first().map(|one| one.player.clone()), false),
            ReplyContext::Nothing => match context.known_senders()?.as_slice() {
                [one] => (self.store.player_by_id(*one)?, false),
                _ => (None, false),
            },
            _ => (None, false),
        };
        let Some(player) = player.filter(|player| player.disabled_at.is_none()) else {
            return Ok(None);
        };
        let writer = Writer {
            is_authenticated: request.sender.belief == Belief::Authenticated
                && context.known_senders()?.contains(&player.id),
            is_token,
            player,
        };
        if let Some(steps) = self.lines_without_password(&writer)? {
            return Ok(Some(steps));
        }
        let is_command = matches!(request.script, Script::Command(_) | Script::Batch(_));
        if is_command || matches!(self.answers, ReplyContext::Boards(_)) {
            return Ok(None);
        }
        let meant = COMMANDS.meant(&request.subject, &request.comment);
        let is_yes = meant
            .as_ref()
            .is_some_and(|meant| meant.intent == Intent::Yes && meant.is_plain());
        let is_no = self.says_no();
        if is_token
            && (is_yes || is_no)
            && let Some(line) = self.asked_for_line()?
        {
            if is_no {
                return Ok(Some(vec![Step::Offered(writer.player, Offer::Declined)]));
            }
            let read = COMMANDS.read_invited(&line, "", &writer.player);
            if let Some((line, _)) = read.into_iter().next() {
                let step = self.without_password(&writer, line, String::new())?;
                return Ok(step.map(|step| vec![step]));
            }
        }
        let is_exact = match &request.script {
            Script::Misread(misread) => misread.is_near() && COMMANDS.meant(&request.subject, "").is_none(),
            _ => false,
        };
        Ok(match meant {
            Some(meant) => Some(vec![self.meant(&writer, &meant)?]),
            None if is_exact => None,
            None => Some(vec![Step::Offered(writer.player, Offer::Anything)]),
        })
    }

    /// Commands of a player without userid and password, as they stand in answers to invitations.
    fn lines_without_password(&self, writer: &Writer) -> Result<Option<Vec<Step<'a>>>, InternalError> {
        let request = self.request;
        let most = match &request.script {
            Script::Misread(_) | Script::Nothing => usize::MAX,
            Script::Command(line) if is_for_me(line) || self.lacks_userid(line)? => 1,
            Script::Batch(batch) if is_only_for_me(batch) => batch.entries.len(),
            Script::Command(_) | Script::Batch(_) => return Ok(None),
        };
        // In a new mail the subject is the command, and the text below belongs to it.
        let by_subject = match writer.is_token {
            true => None,
            false => COMMANDS.read_invited_subject(&request.subject, &request.comment, &writer.player),
        };
        let found = match by_subject {
            Some(one) => vec![one],
            None => COMMANDS.read_invited(&request.comment, &request.subject, &writer.player),
        };
        if found.is_empty() || (most != usize::MAX && found.len() != most) {
            return Ok(None);
        }
        let mut steps = Vec::new();
        for (line, text) in found {
            let Some(step) = self.without_password(writer, line, text)? else {
                return Ok(None);
            };
            steps.push(step);
        }
        Ok(Some(steps))
    }

    /// Whether a line was read as one with a password, and a word of its command stands in the place of the userid: `cup join
    /// spring`.
    fn lacks_userid(&self, line: &Line) -> Result<bool, InternalError> {
        let Some(userid) = line.word_in(Argument::Userid) else {
            return Ok(false);
        };
        let given: Vec<&str> = line
            .fixed
            .iter()
            .chain(&line.words)
            .map(|word| word.text.as_str())
            .collect();
        let fits = matches!(line.command.run, Run::Player(_)) && (line.command.fits_without_password)(&given);
        Ok(fits && self.store.player(&userid.text)?.is_none())
    }

    /// One of these; `None`: some of its words have no place, or may be a password.
    fn without_password(
        &self,
        writer: &Writer,
        line: InvitedLine,
        text: String,
    ) -> Result<Option<Step<'a>>, InternalError> {
        let mut game = None;
        if line.lacks_game() {
            let other = line.other(self.store)?;
            game = match &other {
                Some(other) => self.game_against(other)?,
                None => None,
            };
            if game.is_none() {
                let offer = other.map_or(Offer::Anything, |other| Offer::WhichGame(other.userid));
                return Ok(Some(Step::Offered(writer.player.clone(), offer)));
            }
        }
        if line.may_hold_a_password(self.store)? {
            return Ok(None);
        }
        let said = line.text().to_owned();
        let without = line.without_password();
        let Ok(line) = line.read(game) else {
            return Ok(None);
        };
        let needs_proof = line.command.run.is_proven();
        let was_asked = writer.is_token && self.asked_for_line()?.is_some_and(|asked| asked == said);
        let is_enough = match without {
            WithoutPassword::Never => false,
            WithoutPassword::Known => writer.is_token || writer.is_authenticated,
            WithoutPassword::ByToken => writer.is_token,
            WithoutPassword::BySender => was_asked || writer.is_authenticated,
            WithoutPassword::Asked => was_asked,
        };
        if needs_proof && !is_enough {
            let button = Button {
                label: format!("Yes: {said}"),
                word: said,
            };
            return Ok(Some(Step::Offered(writer.player.clone(), Offer::Asked(button))));
        }
        let by_token = line.by_token.filter(|_| needs_proof || writer.is_token);
        Ok(Some(Step::Line(Cow::Owned(Line { by_token, ..line }), text)))
    }

    /// The game for a board against this player, if none was named: the only one that the player seeks, or that for a beginner
    /// against a computer.
    fn game_against(&self, other: &Player) -> Result<Option<&'static Game>, InternalError> {
        if other.id.is_computer() {
            return Ok(self.context("").settings.computers.first_game());
        }
        let mut sought = Vec::new();
        for game in GAMES {
            if self.store.seek(other.id, game)?.is_some() {
                sought.push(game);
            }
        }
        Ok(match sought.as_slice() {
            [one] => Some(*one),
            _ => None,
        })
    }

    fn meant(&self, writer: &Writer, meant: &Meant) -> Result<Step<'a>, InternalError> {
        let player = writer.player.clone();
        Ok(match &meant.intent {
            Intent::Play(wish) => self.wished(writer, wish, meant.is_plain())?,
            Intent::Help(Some(game)) if meant.is_whole => {
                let line = read(&format!("{} help", game.facts.name));
                line.unwrap_or(Step::Offered(player, Offer::Anything))
            }
            Intent::Help(_) => Step::Offered(player, Offer::HowToBegin),
            Intent::Stop => Step::Offered(player, Offer::Less),
            Intent::Data => Step::Offered(player, Offer::Asked(export_button())),
            Intent::League(game) => self.company(writer, "league", *game, meant)?,
            Intent::Ladder(game) => self.company(writer, "ladder", *game, meant)?,
            Intent::Join => Step::Offered(player, Offer::Already),
            Intent::Courtesy => Step::Offered(player, Offer::Courtesy),
            _ => Step::Offered(player, Offer::Anything),
        })
    }

    /// A league or a ladder that a player wants to join.
    fn company(
        &self,
        writer: &Writer,
        verb: &'static str,
        game: Option<&'static Game>,
        meant: &Meant,
    ) -> Result<Step<'a>, InternalError> {
        let player = writer.player.clone();
        let Some(game) = game else {
            return Ok(Step::Offered(player, Offer::WhichCompany(verb)));
        };
        let join = format!("{} {verb} join", game.facts.name);
        let found = COMMANDS.read_invited(&join, "", &writer.player);
        let step = match found.into_iter().next() {
            Some((line, _)) if meant.is_plain() => self.without_password(writer, line, String::new())?,
            _ => None,
        };
        // Who has to be asked reads what is meant, not the line.
        let step = step.filter(|step| !matches!(step, Step::Offered(..)));
        let button = Button {
            label: format!("Join the {} {verb}", game.facts.title),
            word: join,
        };
        Ok(step.unwrap_or(Step::Offered(player, Offer::Asked(button))))
    }

    /// The game that a player wishes: it begins if it is plain.
    fn wished(&self, writer: &Writer, wish: &Wish, is_plain: bool) -> Result<Step<'a>, InternalError> {
        let player = writer.player.clone();
        let context = self.context("");
        let other = match &wish.against {
            None | Some(Opponent::Computer) => match context.settings.computers.easiest() {
                Some(computer) => self.store.player(computer.userid)?,
                None => None,
            },
            Some(Opponent::Userid(userid)) => self.store.player(userid)?,
            Some(Opponent::Anyone) => {
                return Ok(match wish.game {
                    Some(game) => self.sought(writer, game, is_plain && wish.size.is_none())?,
                    None => Step::Offered(player, Offer::NoSuchPlayer),
                });
            }
        };
        let Some(other) = other else {
            return Ok(Step::Offered(player, Offer::NoSuchPlayer));
        };
        let game = match wish.game {
            Some(game) => Some(game),
            None => self.game_against(&other)?,
        };
        let Some(game) = game else {
            return Ok(Step::Offered(player, Offer::WhichGame(other.userid)));
        };
        let mut line = match wish.seat {
            Some(Seat::Second) => format!("{} challenge {} {}", game.facts.name, other.userid, player.userid),
            _ => format!("{} challenge {} {}", game.facts.name, player.userid, other.userid),
        };
        if let Some(size) = wish.size {
            line.push_str(&format!(" -size={size}"));
        }
        let step = read(&line).filter(|_| is_plain);
        let asked = Offer::Asked(game_against(&line, game, &other.userid));
        Ok(step.unwrap_or(Step::Offered(player, asked)))
    }

    /// An open challenge of this writer.
    fn sought(
        &self,
        writer: &Writer,
        game: &'static Game,
        is_plain: bool,
    ) -> Result<Step<'a>, InternalError> {
        let seek = format!("{} seek", game.facts.name);
        let found = COMMANDS.read_invited(&seek, "", &writer.player);
        let step = match found.into_iter().next() {
            Some((line, _)) if is_plain => self.without_password(writer, line, String::new())?,
            _ => None,
        };
        Ok(step.unwrap_or(Step::Offered(writer.player.clone(), Offer::Anything)))
    }
}

/// The writer of a message, as far as known.
struct Writer {
    player: Player,
    /// Whether the mail servers prove it.
    is_authenticated: bool,
    /// Whether a token does, which its player alone has.
    is_token: bool,
}

/// Whether somebody asks for what the other player has offered.
const fn is_agreed(intent: &Intent, theirs: Option<BoardOffer>) -> bool {
    matches!(
        (intent, theirs),
        (Intent::Draw, Some(BoardOffer::Draw))
            | (Intent::Undo, Some(BoardOffer::Undo))
            | (Intent::Pause, Some(BoardOffer::Pause))
    )
}

/// The question whether one of these is meant by the first line of some words.
fn doubted(words: &str, meant: &[&str], may_be_words: bool) -> Doubt {
    let line = words.lines().find(|line| !line.trim().is_empty());
    Doubt {
        line: COMMANDS.without_passwords(line.unwrap_or_default().trim()),
        at: 0..0,
        meant: meant.iter().map(|word| (*word).to_owned()).collect(),
        is_in_chat: false,
        is_about_capital: false,
        is_in_own_words: true,
        may_be_words,
    }
}

/// A line that was written in other words.
fn read<'a>(line: &str) -> Option<Step<'a>> {
    let line = COMMANDS.read_line(line).ok()?;
    let line = Line {
        is_in_own_words: true,
        ..line
    };
    Some(Step::Line(Cow::Owned(line), String::new()))
}

/// Whether a line was read as one with a password, and has `me` in the place of the userid.
fn is_for_me(line: &Line) -> bool {
    let is_me = |userid: &str| userid.eq_ignore_ascii_case("me");
    let userid = line.word_in(Argument::Userid);
    matches!(line.command.run, Run::Player(_)) && userid.is_some_and(|word| is_me(&word.text))
}

/// Whether each line of a list is one for `me`, or lacks its password.
fn is_only_for_me(batch: &Batch) -> bool {
    let is_one = |misread: &Misread| {
        let command = misread.command.map(|(_, command)| command.without_password);
        command.is_some_and(|without| without != WithoutPassword::Never)
    };
    batch.entries.iter().all(|entry| match &entry.read {
        Ok(line) => is_for_me(line),
        Err(misread) => is_one(misread),
    })
}
