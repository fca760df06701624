//! Mail to the postmaster.

use crate::daemon::mailbox;
use crate::daemon::smtp::{Client, message, send};
use crate::daemon::{Setup, count};

const ALICE: &str = "alice@home.example";

#[test]
fn the_directors_get_what_is_written_to_the_postmaster_and_nothing_of_it_is_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path()).with("PBMSERV_SERVER_DIRECTORS", "alice");
    let daemon = setup.serve();
    send(daemon.port, ALICE, "1@home.example", "signup alice fig7elk", "");
    send(daemon.port, ALICE, "2@home.example", "signup bob oak4jay", "");
    let mut client = Client::connect(daemon.port).unwrap();
    for (number, recipient) in ["postmaster", "Postmaster@localhost", "postmaster@LOCALHOST"]
        .into_iter()
        .enumerate()
    {
        let mail = message(
            "carol@far.example",
            &format!("{number}@far.example"),
            "Pow2 challenge alice bob",
            &format!("Complaint {number}.\nchange password alice fig7elk bay5owl\n"),
        );
        let reply = client.send_to("carol@far.example", &[recipient], &mail).unwrap();
        assert!(reply.starts_with("250"), "{recipient}: {reply}");
    }
    // A player who has chosen the wrong address tells no password.
    let mail = message(ALICE, "3@home.example", "Pow2 resign 101 alice fig7elk", "");
    client.send_to(ALICE, &["postmaster"], &mail).unwrap();
    setup.wait_for_delivery();
    let mails = mailbox::of(&setup.data.join("mail").join(ALICE));
    let complaints: Vec<_> = (mails.iter())
        .filter(|mail| mail.subject.starts_with("To the postmaster: "))
        .collect();
    assert_eq!(complaints.len(), 4);
    for number in 0..3 {
        assert!(
            complaints
                .iter()
                .any(|mail| mail.text.contains(&format!("Complaint {number}.")))
        );
    }
    for mail in complaints {
        assert!(
            !mail.text.contains("secret") && !mail.subject.contains("secret"),
            "{mail:?}"
        );
    }
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM boards"), 0);
    assert!(mailbox::of(&setup.data.join("mail").join("carol@far.example")).is_empty());
    // Nobody is flooded with such mail.
    for number in 10..20 {
        let mail = message("carol@far.example", &format!("{number}@far.example"), "Again", "");
        client
            .send_to("carol@far.example", &["postmaster"], &mail)
            .unwrap();
    }
    setup.wait_for_delivery();
    let mails = mailbox::of(&setup.data.join("mail").join(ALICE));
    let again = mails
        .iter()
        .filter(|mail| mail.subject == "To the postmaster: Again");
    assert_eq!(again.count(), 2, "five a day from one source");
    daemon.stop_well();
}
