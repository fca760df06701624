//! What an answer to a daily mail asks for on its boards.

use crate::command::{Batch, COMMANDS, Entry, InternalError, Line, Misread, Part, Parts, Script, WhichBoard};

use super::answered_digest::AnsweredDigest;
use super::message_run::Handling;
use super::steps::Step;

/// What a part of an answer asks for.
enum Asked {
    /// Commands, each with the words for the other player.
    Commands(Vec<(Line, String)>),
    /// Perhaps something, or nothing that was understood.
    Unclear(Box<Misread>),
    /// Words alone.
    Nothing,
}

impl<'a> Handling<'a> {
    /// What an answer to a daily mail asks for. Empty: it is a command like any other.
    pub(super) fn steps_on_digest(
        &self,
        digest: &'a AnsweredDigest,
    ) -> Result<Vec<Vec<Step<'a>>>, InternalError> {
        let (text, subject) = (&self.request.comment, &self.request.subject);
        let boards: Vec<_> = digest.boards.iter().map(|(board, _)| board).collect();
        let userid = &digest.player.userid;
        let parts = match COMMANDS.parts(text, &boards, userid) {
            Parts::Doubtful => Vec::new(),
            Parts::Some(parts) => parts,
            Parts::None => {
                let by_subject = COMMANDS.part_of_subject(subject, text, &boards, userid);
                let only = || {
                    digest.only().map(|place| Part {
                        about: WhichBoard::Board(place),
                        named: String::new(),
                        text: text.clone(),
                    })
                };
                match by_subject.or_else(only) {
                    Some(part) => vec![part],
                    None if self.is_command() => return Ok(Vec::new()),
                    None => Vec::new(),
                }
            }
        };
        match parts.as_slice() {
            [] => Ok(vec![vec![Step::Which(digest)]]),
            [one] => self.steps_of_part(digest, one),
            _ => {
                let mut lines = self.lines_of(digest, parts)?;
                // All other parts were words below one board.
                if let [_] = lines.entries.as_slice()
                    && let Some(Entry { read: Ok(line), text }) = lines.entries.pop()
                {
                    return Ok(vec![vec![Step::Line(std::borrow::Cow::Owned(line), text)]]);
                }
                Ok(vec![vec![match lines.entries.is_empty() {
                    true => Step::Which(digest),
                    false => Step::Lines(lines),
                }]])
            }
        }
    }

    /// Whether the message is a command, or begins with one.
    fn is_command(&self) -> bool {
        match &self.request.script {
            Script::Command(_) => true,
            Script::Batch(batch) => batch.lines().next().is_some(),
            Script::Misread(_) | Script::Nothing => false,
        }
    }

    /// The steps of an answer about one board, which is read as a reply to the board's own mail.
    fn steps_of_part(
        &self,
        digest: &'a AnsweredDigest,
        part: &Part,
    ) -> Result<Vec<Vec<Step<'a>>>, InternalError> {
        let WhichBoard::Board(place) = part.about else {
            return Ok(vec![vec![Step::Which(digest)]]);
        };
        let Some((board, _)) = digest.boards.get(place) else {
            return Ok(vec![vec![Step::Which(digest)]]);
        };
        let player = &digest.player;
        // The subject counts only where nothing names a board.
        let subject = match part.named.is_empty() {
            true => self.request.subject.as_str(),
            false => "",
        };
        let position = board.replay(self.store.turns(board.id)?, usize::MAX)?;
        let answer = COMMANDS.read_reply(&part.text, subject, board, player, position.game.as_ref());
        if let Some(doubt) = answer.doubt.filter(|_| board.end.is_none()) {
            return Ok(vec![vec![Step::Doubtful(board, player, doubt)]]);
        }
        let mut commands = answer.commands;
        if commands.is_empty() && part.named.is_empty() && self.is_command() {
            return Ok(Vec::new());
        }
        if commands.is_empty()
            && let Some(step) = self.own_words_on(board, player, subject, &part.text)?
        {
            return Ok(vec![vec![step]]);
        }
        if commands.is_empty() && board.end.is_some() {
            let words = part.text.trim();
            commands.extend(COMMANDS.words_of_reply(words, board, player, position.game.as_ref()));
        }
        if commands.is_empty() {
            return Ok(vec![vec![Step::Expected(board, player, None, part.text.clone())]]);
        }
        let step = |(line, words)| Step::Line(std::borrow::Cow::Owned(line), words);
        Ok(vec![commands.into_iter().map(step).collect()])
    }

    /// The commands of an answer about several boards. A part that only begins with the number of a board belongs to the
    /// words of the part above.
    fn lines_of(&self, digest: &AnsweredDigest, parts: Vec<Part>) -> Result<Box<Batch>, InternalError> {
        let mut read: Vec<(Part, Asked)> = Vec::new();
        for part in parts {
            let asked = self.asked(digest, &part)?;
            match (asked, read.last_mut()) {
                (Asked::Nothing, Some((above, asked))) => {
                    above.text = format!("{}\n{} {}", above.text, part.named, part.text);
                    *asked = self.asked(digest, above)?;
                }
                (asked, _) => read.push((part, asked)),
            }
        }
        let mut batch = Batch::default();
        for (part, asked) in read {
            let refused = |misread: Box<Misread>| Entry {
                read: Err(misread),
                text: String::new(),
            };
            match asked {
                Asked::Commands(commands) => {
                    batch
                        .entries
                        .extend(commands.into_iter().map(|(line, text)| Entry {
                            read: Ok(line.after(&part.named)),
                            text,
                        }));
                }
                Asked::Unclear(misread) => batch.entries.push(refused(misread)),
                Asked::Nothing => batch.entries.push(refused(Box::new(Misread::of_part(&part)))),
            }
        }
        Ok(Box::new(batch))
    }

    fn asked(&self, digest: &AnsweredDigest, part: &Part) -> Result<Asked, InternalError> {
        let shown = match part.about {
            WhichBoard::Board(place) => digest.boards.get(place),
            WhichBoard::Several | WhichBoard::Unknown => None,
        };
        let Some((board, _)) = shown else {
            return Ok(Asked::Unclear(Box::new(Misread::of_part(part))));
        };
        let position = board.replay(self.store.turns(board.id)?, usize::MAX)?;
        let game = position.game.as_ref();
        let answer = COMMANDS.read_reply(&part.text, "", board, &digest.player, game);
        if let Some(doubt) = answer.doubt.filter(|_| board.end.is_none()) {
            let mask = |text: &str| self.context("").masked(text);
            return Ok(Asked::Unclear(Box::new(Misread::of_doubt(part, &doubt, mask))));
        }
        let commands = answer.commands;
        if commands.is_empty() {
            return Ok(Asked::Nothing);
        }
        Ok(Asked::Commands(commands))
    }
}
