//! Reads a mail whose text is a list of commands, one per line.

use crate::command::{Argument, Commands, Line, Misread};
use pbmserv_mail::plain;

/// The most commands in one mail.
const MAX_COMMANDS: usize = 100;

/// The most different passwords in one mail, since each takes time to check.
const MAX_PASSWORDS: usize = 20;

/// Reading stops after this many consecutive lines that are not commands.
const STRAY_LINES: usize = 5;

/// Reading stops at a line that is one of these words.
const STOPS: [&str; 4] = ["quit", "end", "stop", "thanks"];

/// A mail that lists commands.
#[derive(Debug, Default)]
pub struct Batch {
    /// The lines that were read, in order.
    pub entries: Vec<Entry>,
    /// Why reading stopped before the end of the mail, if the reader must know.
    pub cut: Option<&'static str>,
}

/// One line of a list.
#[derive(Debug)]
pub struct Entry {
    /// The command, or why the line is not one.
    pub read: Result<Line, Box<Misread>>,
    /// The text of the lines below it that begin with a colon, without the colons.
    pub text: String,
}

impl Entry {
    /// The line with every word masked that may be a password, before the command is run.
    #[must_use]
    pub fn unjudged(&self) -> String {
        match &self.read {
            Ok(line) => line.unjudged(),
            Err(misread) => misread.echo.text.clone(),
        }
    }
}

/// Reads the text of a mail as a list, if the text begins with a command and the subject does not. Such a subject is
/// empty, announces the list (`multiple`, `batch`, `commands`), or is unrelated.
pub(crate) fn read_batch(commands: &'static Commands, subject: &str, body: &str) -> Option<Batch> {
    let first = body.lines().map(plain).find(|line| !line.trim().is_empty())?;
    if commands.begins_a_command(subject) || !commands.begins_a_command(&first) {
        return None;
    }
    let mut batch = Batch::default();
    let mut stray = 0;
    for line in body.lines() {
        let words = plain(line);
        let words = words.trim();
        if line.trim_start().starts_with('>') || line.trim_end() == "--" || is_stop(words) {
            break;
        }
        if let Some(text) = line.trim_start().strip_prefix(':') {
            if let Some(entry) = batch.entries.last_mut() {
                entry.text.push_str(text.strip_prefix(' ').unwrap_or(text));
                entry.text.push('\n');
            }
            continue;
        }
        if words.is_empty() {
            continue;
        }
        if batch.entries.len() == MAX_COMMANDS {
            batch.cut = Some("A mail may hold 100 commands: the lines after them were not read.");
            break;
        }
        stray = if commands.begins_a_command(words) {
            0
        } else {
            stray + 1
        };
        if stray == STRAY_LINES {
            batch.cut = Some("Five lines in a row were no commands: the rest was not read.");
            break;
        }
        batch.entries.push(Entry {
            read: commands.read_line(words),
            text: String::new(),
        });
    }
    if batch.passwords() > MAX_PASSWORDS {
        batch.entries.truncate(0);
        batch.cut = Some("There are more than 20 different passwords in the mail: nothing of it was done.");
    }
    Some(batch)
}

fn is_stop(words: &str) -> bool {
    let word = words.trim_end_matches(['.', '!', ',']);
    STOPS.iter().any(|stop| stop.eq_ignore_ascii_case(word))
}

impl Batch {
    /// Its only line. It is answered as in a subject: a transcript is for several.
    pub(crate) fn only(&self) -> Option<&Entry> {
        match self.entries.as_slice() {
            [one] if self.cut.is_none() => Some(one),
            _ => None,
        }
    }

    /// The lines that are commands.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.entries.iter().filter_map(|entry| entry.read.as_ref().ok())
    }

    fn passwords(&self) -> usize {
        let of_line = |line: &Line| {
            let userid = line
                .word_in(Argument::Userid)
                .map(|word| word.text.to_lowercase());
            let words: Vec<_> = line.secrets().map(|(_, word)| word.text.clone()).collect();
            words.into_iter().map(move |word| (userid.clone(), word))
        };
        let mut distinct: Vec<_> = self.lines().flat_map(of_line).collect();
        distinct.sort();
        distinct.dedup();
        distinct.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::COMMANDS;

    fn masked(subject: &str, body: &str) -> Option<Vec<String>> {
        read_batch(&COMMANDS, subject, body).map(|batch| batch.entries.iter().map(Entry::unjudged).collect())
    }

    #[test]
    fn a_list_is_read_where_the_subject_gives_way_to_it() {
        let list = Some(vec!["list".to_owned(), "Pow2 show 101".to_owned()]);
        for subject in ["", "multiple", "Batch", "commands", "good morning"] {
            assert_eq!(masked(subject, "\nlist\n\nPow2 show 101\n"), list, "{subject}");
        }
        assert_eq!(masked("Pow2 show 101", "list\n"), None);
        assert_eq!(masked("", "Hello,\nlist\n"), None);
        assert_eq!(masked("", ""), None);
    }

    #[test]
    fn reading_stops_at_a_farewell_at_a_quotation_and_after_five_stray_lines() {
        for end in ["quit", "End.", "STOP", "Thanks!", "-- ", "> help"] {
            assert_eq!(
                masked("", &format!("list\n{end}\nhelp\n")).unwrap().len(),
                1,
                "{end}"
            );
        }
        let batch = read_batch(&COMMANDS, "", "list\na\nb\nc\nd\ne\nhelp\n").unwrap();
        assert_eq!((batch.entries.len(), batch.cut.is_some()), (5, true));
        let batch = read_batch(&COMMANDS, "", &"list\n".repeat(150)).unwrap();
        assert_eq!((batch.entries.len(), batch.cut.is_some()), (100, true));
    }

    #[test]
    fn lines_with_a_colon_are_the_text_of_the_command_above() {
        let batch = read_batch(
            &COMMANDS,
            "",
            "Pow2 chat 101 alice fig7elk\n: Hello\n:\n: Bob\nlist",
        )
        .unwrap();
        assert_eq!(batch.entries[0].text, "Hello\n\nBob\n");
        assert_eq!(batch.entries[1].text, "");
    }

    #[test]
    fn a_mail_cannot_try_a_hundred_passwords() {
        let body: String = (0..21)
            .map(|n| format!("Pow2 set alice guess{n:02} small\n"))
            .collect();
        let batch = read_batch(&COMMANDS, "", &body).unwrap();
        assert!(batch.entries.is_empty() && batch.cut.is_some());
    }
}
