//! Any bytes as a message: read or refused, within bounds, and alike with LF and CRLF.

use std::sync::LazyLock;

use pbmserv_core::command::is_typed;
use pbmserv_core::letters::Letters;
use pbmserv_mail::{
    Address, Given, LetterWords, OwnAddresses, Unreadable, clean_subject, envelope_from_header, plain, read,
};

/// The words of the letters of a server.
pub static WORDS: LazyLock<LetterWords> = LazyLock::new(|| {
    let server = Address::parse("pbmserv@games.example").expect("an address");
    let letters = Letters::load(None, &server).expect("the built-in templates");
    let mut words = LetterWords::new(is_typed);
    letters.teach(&mut words).expect("the built-in templates");
    words
});

/// Reads the bytes as a message.
pub fn run(bytes: &[u8]) {
    let own = OwnAddresses::from(Address::parse("pbmserv@games.example").expect("an address"));
    let envelope = envelope_from_header(bytes, &Given::default(), &own).expect("nothing was given");
    let found = read(bytes, &envelope, &own, &WORDS);
    assert_ne!(found, Err(Unreadable::Damaged));
    if let Ok(mail) = &found {
        let size: usize = mail.text.iter().map(String::len).sum();
        assert!(mail.text.len() <= 2_000 && size <= 64 * 1024);
        for line in &mail.text {
            assert!(!line.contains(char::is_control));
            assert_eq!(plain(&plain(line)), plain(line));
        }
        assert!(!mail.subject.contains(char::is_control));
        let clean = clean_subject(&mail.subject);
        assert_eq!(clean_subject(&clean), clean);
    }
    if !bytes.contains(&b'\r') {
        let mut crlf = Vec::with_capacity(bytes.len() * 2);
        for &c in bytes {
            if c == b'\n' {
                crlf.push(b'\r');
            }
            crlf.push(c);
        }
        assert_eq!(read(&crlf, &envelope, &own, &WORDS), found);
    }
}
