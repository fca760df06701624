use sha2::{Digest as _, Sha256};

use super::super::{Content, Letters, samples};
use super::*;
use crate::mail::Address;

fn letters() -> Letters {
    Letters::load(None, &Address::parse("pbmserv@localhost").unwrap()).unwrap()
}

fn drafts() -> Vec<(Content, Draft)> {
    let mut packer = Packer::new().unwrap();
    let drafts = samples().into_iter().map(|sample| {
        let draft = Draft {
            has_html: true,
            notice: "This is the last answer today.".to_owned(),
            ..Draft::of(sample.facts().unwrap(), 72)
        };
        let draft = Draft::unpacked(&packer.pack(&draft).unwrap()).unwrap();
        (sample, draft)
    });
    drafts.collect()
}

#[test]
fn the_dictionary_never_changes_since_stored_letters_need_it() {
    for (part, digest) in [
        (
            TEXT,
            "5f1c12baa629a77fa7ffb2dd090036b82df69140be21d70aa60ac1de83ea2b5e",
        ),
        (
            CODES,
            "bdd68406c805a6efb405b3beb0075391dc94808116da54a31bf91ef6d54d6f6e",
        ),
    ] {
        assert_eq!(data_encoding::HEXLOWER.encode(&Sha256::digest(part)), digest);
    }
    let stored = data_encoding::HEXLOWER.decode(STORED.as_bytes()).unwrap();
    let draft = Draft::unpacked(&stored).unwrap();
    assert_eq!(draft, Draft::of(serde_json::json!({"number": 12}), 72));
}

/// A letter of [`Apology`](crate::letters::Apology) as it is stored.
const STORED: &str = "0128b52ffd2101227d00001831327d03fcb24ffdf76604feed33";

#[test]
fn the_text_of_a_stored_letter_is_that_of_its_struct() {
    let letters = letters();
    for (sample, draft) in drafts() {
        let written = letters.write(&sample, 72).unwrap().text;
        let text = letters.text(sample.kind, &draft).unwrap();
        let notice = "\nThis is the last answer today.\n";
        assert_eq!(text, written + notice, "{}", sample.kind);
    }
}

#[test]
fn a_letter_like_those_of_the_dictionary_takes_a_small_part_of_its_json() {
    let typical = String::from_utf8_lossy(TEXT);
    let typical = typical
        .lines()
        .last()
        .unwrap()
        .replace("alice", "dave")
        .replace("101", "2207");
    let draft: Draft = serde_json::from_str(&typical).unwrap();
    let packed = Packer::new().unwrap().pack(&draft).unwrap();
    assert!(
        packed.len() * 4 < typical.len(),
        "{} of {}",
        packed.len(),
        typical.len()
    );
}

#[test]
fn facts_that_are_longer_than_any_letter_are_cut_and_have_no_html() {
    let facts = serde_json::json!({"table": "a line of a table\n".repeat(1_000_000), "sentence": "Many."});
    let draft = Draft {
        has_html: true,
        ..Draft::of(facts, 72)
    };
    let packed = Packer::new().unwrap().pack(&draft).unwrap();
    assert!(packed.len() < LONGEST_TEXT_BYTES / 10, "{}", packed.len());
    let draft = Draft::unpacked(&packed).unwrap();
    let table = draft.facts["table"].as_str().unwrap();
    assert!(!draft.has_html && table.len() < LONGEST_TEXT_BYTES + 100);
    assert!(table.ends_with("long with it.]\n"));
    let many: Vec<_> = (0..100).map(|_| "x".repeat(LONGEST_TEXT_BYTES)).collect();
    let draft = Draft::of(many, 72);
    assert!(matches!(
        Packer::new().unwrap().pack(&draft),
        Err(DraftError::TooLong)
    ));
}

#[test]
fn what_is_damaged_is_no_draft_and_a_small_blob_that_unpacks_to_gigabytes_is_not_read() {
    for stored in [
        &b""[..],
        b"{",
        b"\x01",
        b"\x01junk",
        b"\x01{}",
        b"\x02{}",
        b"\x00{}",
        br#"{"facts": {}, "width": 72}"#,
    ] {
        assert!(Draft::unpacked(stored).is_err(), "{stored:?}");
    }
    let mut bomb = zstd::bulk::compress(&vec![b' '; 1 << 27], 1).unwrap();
    bomb.insert(0, NUMBER);
    assert!(matches!(Draft::unpacked(&bomb), Err(DraftError::TooLong)));
}

#[test]
fn the_bare_words_of_a_letter_are_all_there() {
    for (sample, draft) in drafts() {
        let words = Letters::bare(&draft);
        assert!(
            !words.trim().is_empty() || sample.kind == "apology",
            "{}",
            sample.kind
        );
    }
    let draft = drafts().remove(7).1;
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
