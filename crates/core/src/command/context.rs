//! What a command sees: the sender of the message, the stored boards, the checked passwords.

use std::cell::RefCell;
use std::fmt::Display;

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use pbmserv_games::{GAMES, Game, Seat};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::command::reading::hidden;
use crate::command::reading::near::{nearest, shorten};
use crate::command::reading::turn_text::hash_number;
use crate::command::{
    Belief, Change, Commands, GuessLimits, Guesser, InternalError, LetterAnswered, Line, Proofs, Refused,
    Secret, Sender, Tokens, TooMany, Unchecked, Undecided, Word,
};
use crate::letters::Times;
use crate::store::{AddressRow, RateLimit, Reader};
use crate::table::{Board, COMPUTERS, Computer, Dice, Player, PlayerId, Position, Presence, Refill, Terms};
use pbmserv_mail::outbox::Reach;
use pbmserv_mail::{OwnAddresses, cut, without_secrets};

/// The longest chat or comment that is forwarded, in characters.
pub(crate) const MAX_COMMENT: usize = 8000;

/// The part of the configuration that commands need.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server's addresses.
    pub own: OwnAddresses,
    /// Which addresses can be written to.
    pub reach: Reach,
    /// Whether an address must be confirmed before it gets any other mail.
    pub confirm: bool,
    /// Wrong passwords for one userid.
    pub guesses: GuessLimits,
    /// Confirmation questions mailed to one address in a day; the same bounds those to one player about games that others ask for.
    pub questions_a_day: u32,
    /// Confirmation questions and reset tokens that one sender or account may cause in a day.
    pub asks_a_day: u32,
    /// Boards that one player may begin against one opponent in a day.
    pub challenges_a_day: u32,
    /// Boards that one player may begin for two others in a day. The directors have no such limit.
    pub challenges_for_others_a_day: u32,
    /// Messages and chats from one player to another in a day.
    pub messages_a_day: u32,
    /// The hour, in UTC, at which the daily mails are sent.
    pub digest_hour: u32,
    /// Whether there are pages for players.
    pub has_pages: bool,
    /// Whether notices of turns can go to web addresses.
    pub has_web_notices: bool,
    /// Which computers play what, and how.
    pub computers: ComputerSettings,
    /// When seasons begin, and how long a player may think there.
    pub company: CompanySettings,
    /// The display name in `From`.
    pub server_name: String,
    /// The userids of the players who may `broadcast`, and begin any number of boards for others.
    pub directors: Vec<String>,
}

/// When the seasons of leagues begin, and how long a player may think in leagues and on ladders.
#[derive(Clone, Debug)]
pub struct CompanySettings {
    /// The days of the year, each its month and day, on which a season begins, at the hour of the daily mail.
    pub seasons: Vec<(u32, u32)>,
    /// Days for one turn in a league.
    pub league_days: u32,
    /// Days for all turns of a player in a game of a league.
    pub league_total_days: u32,
    /// Days for one turn on a ladder.
    pub ladder_days: u32,
}

impl Default for CompanySettings {
    fn default() -> Self {
        Self {
            seasons: vec![(1, 1), (5, 1), (9, 1)],
            league_days: 14,
            league_total_days: 45,
            ladder_days: 7,
        }
    }
}

impl CompanySettings {
    /// The terms of a game in a league.
    pub(crate) fn league_terms(&self) -> Terms {
        terms(self.league_days, Some(self.league_total_days))
    }

    /// The terms of a game on a ladder.
    pub(crate) fn ladder_terms(&self) -> Terms {
        terms(self.ladder_days, None)
    }

    /// When the next season begins after this time; `hour` is in UTC.
    #[must_use]
    pub fn next_season(&self, now: DateTime<Utc>, hour: u32) -> DateTime<Utc> {
        let begins = |year: i32| {
            let days = self.seasons.iter();
            days.filter_map(move |(month, day)| {
                let date = NaiveDate::from_ymd_opt(year, *month, *day)?;
                Some(date.and_hms_opt(hour, 0, 0)?.and_utc())
            })
        };
        let later = begins(now.year()).chain(begins(now.year() + 1));
        // Without a calendar there is none for a year.
        later
            .filter(|at| *at > now)
            .min()
            .unwrap_or(now + TimeDelta::days(365))
    }
}

/// With no reminder after the end of a turn's time.
fn terms(forfeit_days: u32, total_days: Option<u32>) -> Terms {
    let usual = Terms::default();
    Terms {
        rated: true,
        nag_days: usual.nag_days.min(forfeit_days),
        forfeit_days,
        total_days,
        refill: Refill::Never,
    }
}

/// The game for somebody who names none: its rules are said in three sentences.
const FIRST_GAME: &str = "Breakthrough";

/// Which computers play what, and how.
#[derive(Clone, Debug)]
pub struct ComputerSettings {
    /// The userids of those that play.
    pub players: Vec<String>,
    /// The names of the games that they do not play.
    pub without: Vec<String>,
    /// Whether their games count for the ratings.
    pub rated: bool,
    /// Hints to one player in a day.
    pub hints_a_day: u32,
}

impl ComputerSettings {
    /// Whether a computer plays.
    pub fn has(&self, computer: &Computer) -> bool {
        let mut players = self.players.iter();
        players.any(|userid| userid.eq_ignore_ascii_case(computer.userid))
    }

    /// Whether computers play this game.
    pub fn play(&self, game: &Game) -> bool {
        let mut without = self.without.iter();
        !without.any(|name| name.eq_ignore_ascii_case(game.facts.name))
    }

    /// The weakest computer that plays here.
    pub fn easiest(&self) -> Option<&'static Computer> {
        COMPUTERS.iter().find(|computer| self.has(computer))
    }

    /// The game for somebody who names none.
    pub fn first_game(&self) -> Option<&'static Game> {
        let mut served = GAMES.iter().filter(|game| self.play(game));
        let mut first = served.clone().filter(|game| game.facts.name == FIRST_GAME);
        first.next().or_else(|| served.next())
    }
}

impl Settings {
    /// Whether a player is a director.
    #[must_use]
    pub fn is_director(&self, player: &Player) -> bool {
        let mut directors = self.directors.iter();
        directors.any(|director| director.eq_ignore_ascii_case(&player.userid))
    }
}

/// What a command sees.
#[derive(Debug)]
pub struct Context<'a> {
    /// All commands, for help and for suggestions.
    pub commands: &'static Commands,
    /// The database, read-only.
    pub store: &'a Reader,
    /// When the message is handled.
    pub now: DateTime<Utc>,
    /// The part of the configuration that commands need.
    pub settings: &'a Settings,
    /// The sender of the message.
    pub sender: &'a Sender,
    /// The players whom the message has proven to be its writers so far: by the token in its address, or by a password
    /// or token in an earlier line.
    pub proven: &'a [PlayerId],
    /// The passwords of the message.
    pub proofs: &'a Proofs,
    /// Verifies tokens.
    pub tokens: &'a dyn Tokens,
    /// Makes the secrets of dice.
    pub rng: &'a RefCell<StdRng>,
    /// The text of the mail that belongs to the command, as received.
    pub comment: &'a str,
    /// Whether an earlier command of the message, without a proof, has caused mail to a third party.
    pub has_asked: bool,
    /// The letters about boards that the message answers, one for a seat.
    pub letters: &'a [LetterAnswered],
}

impl Context<'_> {
    /// Times as they are said to this player; to everybody without one.
    pub(crate) fn times(&self, reader: Option<PlayerId>) -> Result<Times, InternalError> {
        Ok(Times {
            now: self.now,
            zone: self.store.zone(reader)?,
        })
    }

    /// What the dice of a new board of this game follow from; `None` if it has none.
    pub(crate) fn dice(&self, game: &Game) -> Option<Dice> {
        let seed = || self.rng.borrow_mut().random();
        game.facts.has_dice.then(|| Dice::new(seed(), game))
    }

    /// The game of the line. The line reader already refuses a line whose game is missing.
    pub(crate) fn game(&self, line: &Line) -> Result<&'static Game, Undecided> {
        let missing = || {
            Refused::unreadable(format!(
                "{} needs the name of a game before it.",
                line.command.verb
            ))
        };
        line.game.ok_or_else(|| missing().into())
    }

    /// The player with this userid, or the writer if the word is `me`.
    ///
    /// # Errors
    /// There is no such player; the refusal suggests similar userids. It shows the word only if there are any:
    /// otherwise the word might be a password. Or it is not known who the writer is.
    pub(crate) fn player(&self, word: &Word) -> Result<Player, Undecided> {
        if let Some(player) = self.found(word)? {
            return Ok(player);
        }
        if is_me(word) {
            let sentence = match self.possible_writers()?.as_slice() {
                [] => "It is not known who you are: write your userid in the place of me.",
                _ => "Several players write from your address: write a userid in the place of me.",
            };
            return Err(Refused::impossible(sentence).about(word).into());
        }
        let near = nearest(&word.text, self.store.userids_like(&word.text, 500)?);
        let refused = if near.is_empty() {
            Refused::impossible("There is no player of that userid.").hiding(word)
        } else {
            let shown = shorten(&word.text);
            Refused::impossible(format!("There is no player called {shown}.")).about(word)
        };
        Err(refused.near(near).into())
    }

    /// The same; `None`: there is none.
    pub(crate) fn found(&self, word: &Word) -> Result<Option<Player>, InternalError> {
        let named = self.store.player(&word.text)?;
        if named.is_some() || !is_me(word) {
            return Ok(named);
        }
        match self.possible_writers()?.as_slice() {
            [writer] => Ok(self.store.player_by_id(*writer)?),
            _ => Ok(None),
        }
    }

    /// The players who may be meant by `me`, each once.
    fn possible_writers(&self) -> Result<Vec<PlayerId>, InternalError> {
        let mut writers = match self.proven {
            [] => self.known_senders()?,
            proven => proven.to_vec(),
        };
        writers.dedup();
        Ok(writers)
    }

    /// The player whose userid and password are in the line, authenticated.
    ///
    /// A password is checked on another thread, against the hash that was stored at that time. The result counts only
    /// if the same hash is stored now.
    ///
    /// # Errors
    /// No such player, a wrong password, too many wrong passwords before, or a password that is not checked yet.
    pub(crate) fn prove(&self, line: &Line) -> Result<Player, Undecided> {
        if let Some(player) = line.by_token {
            let found = self.store.player_by_id(player)?;
            let found = found.ok_or_else(|| Refused::impossible("There is no such player any more."))?;
            return open(found);
        }
        let Some((userid, password)) = line.password() else {
            return Err(Refused::unreadable("The password is missing.").into());
        };
        // The userid and the password may have changed places. So the word is hidden even if it is near a userid.
        let player = self.player(userid).map_err(|stop| match stop {
            Undecided::Refused(refused) if !self.commands.is_plainly_no_password(&userid.text) => {
                let hidden = Refused::impossible("There is no player of that userid.").hiding(userid);
                hidden.near(refused.near).into()
            }
            other => other,
        })?;
        if player.id.is_computer() {
            let sentence = format!("{} is a computer: nobody writes in its name.", player.userid);
            return Err(Refused::impossible(sentence).hiding(password).into());
        }
        if password.text == "PASSWORD" {
            let sentence = "Your own password belongs in the place of PASSWORD.";
            return Err(Refused::unreadable(sentence).pointing_at(password).into());
        }
        if player.password_hash.is_empty() {
            let sentence = format!(
                "{0} has no password: answer one of my letters to {0} with the command, or write forgot {0} to set one.",
                player.userid
            );
            return Err(Refused::impossible(sentence).hiding(password).into());
        }
        // `me` has no password of its own.
        let userid = &Word {
            text: player.userid.clone(),
            at: userid.at.clone(),
        };
        let guesser = Guesser::of(self.store, self.sender, player.id)?;
        if let Some(bound) = guesser.is_refused(self.store, self.settings.guesses, self.now)? {
            let whose = match bound {
                TooMany::OfAccount => format!("for {}", player.userid),
                TooMany::OfSource => "from where this mail comes from".to_owned(),
            };
            let sentence = format!(
                "There were too many wrong passwords {whose}: none is read until an hour has passed."
            );
            return Err(Refused::impossible(sentence).hiding(password).into());
        }
        // Also if it is known to be right: the answer would be a guess that does not count.
        if self.proofs.are_too_wrong_for(userid, password) {
            let sentence = "Five passwords in this mail were wrong: no more of them are read.";
            return Err(Refused::impossible(sentence).hiding(password).into());
        }
        let Some(good) = self.proofs.is_good(userid, password, &player.password_hash) else {
            return Err(self.unchecked(userid, password, Some(&player))?);
        };
        if good {
            return open(player);
        }
        let refused = Refused::impossible(format!("That is not the password of {}.", player.userid));
        Err(Refused {
            wrong_password_of: Some(player.id),
            ..refused.hiding(password)
        }
        .into())
    }

    /// The new hash of the password in the line. A command asks for it last, so that what is refused costs none.
    ///
    /// # Errors
    /// It has not been computed yet, or the mail sets too many passwords.
    pub(crate) fn hash(&self, userid: &Word, password: &Word) -> Result<String, Undecided> {
        if let Some(fresh) = self.proofs.fresh(userid, password) {
            return Ok(fresh.clone());
        }
        if self.proofs.are_too_many() {
            let sentence = "A mail sets at most five passwords: write this command in another mail.";
            return Err(Refused::impossible(sentence).into());
        }
        Err(self.unchecked(userid, password, None)?)
    }

    /// The request for the hash that is missing. `against` is the player with whose hash it is compared.
    fn unchecked(
        &self,
        userid: &Word,
        password: &Word,
        against: Option<&Player>,
    ) -> Result<Undecided, InternalError> {
        let account = self.store.player(&userid.text)?.map(|player| player.id);
        let is_from_owner = match account {
            Some(account) => self.known_senders()?.contains(&account),
            None => false,
        };
        Ok(Undecided::PasswordUnchecked(Box::new(Unchecked {
            userid_key: userid.text.to_ascii_lowercase(),
            password: Secret(password.text.clone()),
            stored: against.map(|player| player.password_hash.clone()),
            is_from_owner,
            proven: None,
        })))
    }

    /// The board with this number; `#n` after it is ignored.
    ///
    /// # Errors
    /// The word is not a number, or there is no such board.
    pub(crate) fn board(&self, game: &'static Game, word: &Word) -> Result<Board, Undecided> {
        hash_number(word)?;
        let number = word.text.split('#').next().unwrap_or_default();
        let is_digits = number.bytes().all(|c| c.is_ascii_digit());
        let Some(number) = number.parse::<u32>().ok().filter(|_| is_digits) else {
            let sentence = format!(
                "A number of a board of {} is expected here, such as 101.",
                game.facts.name
            );
            return Err(Refused::unreadable(sentence).hiding(word).into());
        };
        if let Some(board) = self.store.board(game, number)? {
            return Ok(board);
        }
        let name = game.facts.name;
        Err(if hidden::is_number(&word.text) {
            Refused::impossible(format!("There is no {name} Board {number}.")).about(word)
        } else {
            Refused::impossible(format!("There is no board of {name} of that number.")).hiding(word)
        }
        .into())
    }

    /// The current position of a board, by replaying its turns.
    pub(crate) fn position(&self, board: &Board) -> Result<Position, InternalError> {
        Ok(board.replay(self.store.turns(board.id)?, usize::MAX)?)
    }

    /// The letter about this board that the message answers from the player's seat.
    pub(crate) fn letter_answered(&self, board: &Board, player: PlayerId) -> Option<&LetterAnswered> {
        let seat = board.seat_of(player)?;
        let is_it = |letter: &&LetterAnswered| letter.about.board == board.id && letter.about.seat == seat;
        self.letters.iter().find(is_it)
    }

    /// When a player's clocks run: not on vacation, and never those of a computer, which must not lose because the server was
    /// down.
    pub(crate) fn presence(&self, player: PlayerId) -> Result<Presence, InternalError> {
        let preferences = self.store.preferences(player)?;
        Ok(Presence {
            is_timeless: player.is_computer() || self.store.vacation(player)?.is_some(),
            calendar: preferences.calendar(),
            reminders: preferences.reminder_days,
        })
    }

    /// When the clocks run of the players of a board, by seat.
    pub(crate) fn presences(&self, board: &Board) -> Result<[Presence; 2], InternalError> {
        let [first, second] = board.players.each_ref();
        Ok([self.presence(first.id)?, self.presence(second.id)?])
    }

    /// The position before turn `n` of the first player, counted from 1. The current position if there is no such turn
    /// yet.
    pub(crate) fn position_before(&self, board: &Board, n: usize) -> Result<Position, InternalError> {
        let turns = self.store.turns(board.id)?;
        let firsts = turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.seat == Seat::First);
        let count = firsts
            .map(|(index, _)| index)
            .nth(n.saturating_sub(1))
            .unwrap_or(turns.len());
        Ok(board.replay(turns, count)?)
    }

    /// Whether the player has a confirmed address.
    pub(crate) fn is_confirmed(&self, player: &Player) -> Result<bool, InternalError> {
        let rows = self.store.addresses(player.id)?;
        Ok(rows.iter().any(|row| row.confirmed_at.is_some()))
    }

    /// The key under which an action of a writer is counted: the player if that is proven, otherwise where the message
    /// came from. So a forger uses up nothing of the player whom the message names.
    pub(crate) fn counted_as(&self, writer: PlayerId) -> Result<String, InternalError> {
        Ok(match self.is_proven(writer)? {
            true => writer.0.to_string(),
            false => self.sender.source(),
        })
    }

    /// The change that counts one more action towards a player. `by` is the key of who acts.
    ///
    /// # Errors
    /// The daily limit is reached; `too_many` gives the sentence.
    pub(crate) fn count(
        &self,
        what: RateLimit,
        by: impl Display,
        to: PlayerId,
        most: u32,
        too_many: impl FnOnce() -> String,
    ) -> Result<Change, Undecided> {
        let key = format!("{by}>{}", to.0);
        if self.store.tally(what, &key, self.now)? >= most {
            return Err(Refused::impossible(too_many()).into());
        }
        Ok(Change::Count { what, key, more: 1 })
    }

    /// Whether the player has an address to which mail may be sent.
    pub(crate) fn is_reachable(&self, player: PlayerId) -> Result<bool, InternalError> {
        let rows = self.store.addresses(player)?;
        Ok(rows.iter().any(AddressRow::is_reachable))
    }

    /// The players with a confirmed address that is the sender's.
    pub(crate) fn known_senders(&self) -> Result<Vec<PlayerId>, InternalError> {
        let Some(address) = self.sender.believed() else {
            return Ok(Vec::new());
        };
        let rows = self.store.address_rows(address)?;
        let confirmed = rows.iter().filter(|row| row.confirmed_at.is_some());
        Ok(confirmed.map(|row| row.player).collect())
    }

    /// The players who may be the writer: those who are proven, then those whose address is believed.
    pub(crate) fn writers(&self) -> Result<Vec<PlayerId>, InternalError> {
        let mut writers = self.proven.to_vec();
        writers.extend(self.known_senders()?);
        Ok(writers)
    }

    /// Whether a writer is proven: by this message, or by the mail server before this one.
    pub(crate) fn is_proven(&self, writer: PlayerId) -> Result<bool, InternalError> {
        let is_authenticated = self.sender.belief == Belief::Authenticated;
        Ok(self.proven.contains(&writer) || (is_authenticated && self.known_senders()?.contains(&writer)))
    }

    /// The player who most probably reads the answer. Boards are drawn by that player's settings.
    pub(crate) fn reader(&self) -> Result<Option<PlayerId>, InternalError> {
        Ok(self.known_senders()?.first().copied())
    }

    /// A text with the passwords of the message and our tokens masked.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut text = without_secrets(text, &self.settings.own);
        for proof in &self.proofs.0 {
            text = hidden::masked(&text, &proof.password.0);
        }
        text
    }

    /// The text of the mail that belongs to the command, cut to [`MAX_COMMENT`], with the passwords of the message
    /// and our tokens masked. `None` if it is empty.
    pub(crate) fn clean_comment(&self) -> Option<String> {
        self.clean(self.comment)
    }

    /// The same of a part of it.
    pub(crate) fn clean(&self, comment: &str) -> Option<String> {
        let mut text = self.masked(comment.trim_matches(['\n', '\r', ' ']));
        if text.chars().count() > MAX_COMMENT {
            text = cut::chars(&text, MAX_COMMENT).to_owned();
            text.push_str("\n[cut]");
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Whether a word stands for the writer.
fn is_me(word: &Word) -> bool {
    word.text.eq_ignore_ascii_case("me")
}

/// The player, unless the operator has closed the account.
fn open(player: Player) -> Result<Player, Undecided> {
    if player.disabled_at.is_none() {
        return Ok(player);
    }
    let sentence = format!(
        "The account of {} is closed by the operator of this server.",
        player.userid
    );
    Err(Undecided::from(Refused::impossible(sentence)).proven_by(player.id))
}
