//! A subject on the first line and a text below it: what a player's words ask for.

use pbmserv_core::command::{COMMANDS, YesNo};
use pbmserv_mail::{clean_subject, plain};

/// The most that is kept of a line that is no command.
const MAX_ECHO: usize = 4000;

/// Reads the bytes as the subject and the text of a mail, and each of its lines as a command.
pub fn run(bytes: &[u8]) {
    let Some((subject, body)) = super::first_line(bytes) else {
        return;
    };
    let subject = plain(&clean_subject(subject));
    let script = COMMANDS.read_script(&subject, body);
    // What is kept of a mail before anything is done is bounded, whatever it asks for.
    assert!(script.unjudged().len() <= 4 * bytes.len() + MAX_ECHO);
    for text in body.lines().chain([subject.as_str()]) {
        match COMMANDS.read_line(text) {
            Ok(line) => {
                for (_, secret) in line.secrets() {
                    assert!(!secret.text.is_empty() && text.contains(&secret.text));
                }
            }
            Err(misread) => {
                assert!(misread.echo.text.len() <= MAX_ECHO, "{}", misread.echo.text.len());
            }
        }
    }
    let _ = YesNo::of(&subject, body);
}
