use super::super::{Content, LetterKind, Letters, samples};
use super::*;
use pbmserv_mail::Address;

fn letters() -> Letters {
    Letters::load(None, &Address::parse("pbmserv@localhost").unwrap()).unwrap()
}

fn drafts() -> Vec<(Content, Draft)> {
    let drafts = samples().into_iter().map(|sample| {
        let draft = Draft {
            has_html: true,
            notice: "This is the last answer today.".to_owned(),
            ..Draft::of(sample.facts().unwrap(), 72)
        };
        let draft = Draft::unpacked(&draft.packed().unwrap()).unwrap();
        (sample, draft)
    });
    drafts.collect()
}

#[test]
fn the_text_of_a_stored_letter_is_that_of_its_struct() {
    let letters = letters();
    for (sample, draft) in drafts() {
        let written = letters.write(&sample, 72).unwrap().text;
        let text = letters.text(sample.kind, &draft).unwrap();
        let notice = "\nThis is the last answer today.\n";
        assert_eq!(text, written + notice, "{}", sample.kind.name());
    }
}

#[test]
fn facts_that_are_longer_than_any_letter_are_cut_and_have_no_html() {
    let facts = serde_json::json!({"table": "a line of a table\n".repeat(1_000_000), "sentence": "Many."});
    let draft = Draft {
        has_html: true,
        ..Draft::of(facts, 72)
    };
    let packed = draft.packed().unwrap();
    assert!(packed.len() < MAX_TEXT_BYTES / 10, "{}", packed.len());
    let draft = Draft::unpacked(&packed).unwrap();
    let table = draft.facts["table"].as_str().unwrap();
    assert!(!draft.has_html && table.len() < MAX_TEXT_BYTES + 100);
    assert!(table.ends_with("long with it.]\n"));
    let many: Vec<_> = (0..100).map(|_| "x".repeat(MAX_TEXT_BYTES)).collect();
    let draft = Draft::of(many, 72);
    assert!(matches!(draft.packed(), Err(DraftError::TooLong)));
}

#[test]
fn what_is_damaged_is_no_draft_and_a_small_blob_that_unpacks_to_gigabytes_is_not_read() {
    for stored in [&b""[..], b"{", b"\x01", b"\x01junk", b"{}", b"\x00{}"] {
        assert!(Draft::unpacked(stored).is_err(), "{stored:?}");
    }
    let mut bomb = DeflateEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![b' '; 1 << 27]).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(matches!(Draft::unpacked(&bomb), Err(DraftError::TooLong)));
}

#[test]
fn the_bare_words_of_a_letter_are_all_there() {
    for (sample, draft) in drafts() {
        let words = Letters::bare(&draft);
        assert!(
            !words.trim().is_empty() || sample.kind == LetterKind::Apology,
            "{}",
            sample.kind.name()
        );
    }
    let draft = drafts().remove(9).1;
    let words = Letters::bare(&draft);
    for said in [
        "bob played a1-e1 on Pow2 Board 101.",
        "Hello",
        "m13-m5",
        "the last answer",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
}
