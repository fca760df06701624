//! A forged word of the mail server in front, in a spelling that it may not know as its own and so leave in place.

use super::silence::{MX, Post, authenticating};
use crate::daemon::http::ALICE;
use crate::daemon::{SERVER, count};

const PASS: &str = "dmarc=pass header.from=home.example";

#[test]
fn odd_spellings_of_authentication_results_authenticate_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let setup = authenticating(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    let odd = [
        format!("Authentication-Results : {MX}; {PASS}"),
        format!("Authentication-Results\t: {MX}; {PASS}"),
        format!("Authentication-Results: \"{MX}\"; {PASS}"),
        format!("Authentication-Results: {MX} 2; {PASS}"),
        format!("Authentication-Results: {MX}\0; {PASS}"),
        format!("Authentication-Results: {MX}\0evil; {PASS}"),
        format!("Authentication-Results: (a) {MX}; {PASS}"),
        format!("Authentication-Results: {MX}; {PASS}\x0b"),
        format!("Authentication-Results\0: {MX}; {PASS}"),
        format!("X: y\r\n\0Authentication-Results: {MX}; {PASS}"),
    ];
    for field in &odd {
        let fields = format!("{field}\r\nFrom: {ALICE}\r\nSubject: help\r\n");
        post.hand_in([ALICE, SERVER], &fields, "");
    }
    let dropped = "SELECT COUNT(*) FROM inbox WHERE state = 'dropped'";
    assert_eq!(count(&setup.look(), dropped), i64::try_from(odd.len()).unwrap());
    assert_eq!(post.mails(ALICE).len(), 0);
    for own in [
        format!("Authentication-Results: {MX}; {PASS}"),
        format!("authentication-results:\r\n\t{MX} 1 (a; b);\r\n\t{PASS}"),
    ] {
        let fields = format!("{own}\r\nFrom: {ALICE}\r\nSubject: help\r\n");
        post.hand_in([ALICE, SERVER], &fields, "");
    }
    assert_eq!(post.mails(ALICE).len(), 2);
    daemon.stop_well();
}
