use super::*;
use proptest::prelude::*;

fn said(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
    own_text(&lines).lines.join("\n")
}

#[test]
fn answers_above_below_and_between_are_read_alike() {
    let on = "On Thu, 5 Nov 2026 at 10:21, Bob <bob@b.example> wrote:";
    for text in [
        format!("m13-j7\n\nHi!\n\n{on}\n> old\n> older"),
        format!("{on}\n> old\n\nm13-j7\n\nHi!"),
        format!("{on}\n> old\n\nm13-j7\n\n> older\n\nHi!"),
        format!("m13-j7\n{on}\n\n> old\n>\n> old\nHi!"),
    ] {
        assert_eq!(said(&text), "m13-j7\n\nHi!", "{text}");
    }
}

#[test]
fn a_move_right_above_a_quotation_is_no_attribution() {
    assert_eq!(said("m13-j7\n> old"), "m13-j7");
    assert_eq!(said("a1-e1:d2\n> old"), "a1-e1:d2");
    assert_eq!(said("a1-e1:d2\nBob:\n> old"), "a1-e1:d2");
    assert_eq!(said("m13-j7\nBob <b@b.example> wrote:\n> old"), "m13-j7");
}

#[test]
fn an_attribution_is_known_by_its_colon_in_any_language() {
    for above in [
        "Am 05.11.26 um 10:21 schrieb Bob Builder:",
        "Kovács Bob <bob@b.example> ezt írta (időpont: 2026. nov. 5., Cs, 10:21):",
        "Kovács Bob <bob@b.example> ezt írta (időpont:\n2026. nov. 5., Cs, 10:21):",
        "2026年11月5日(木) 10:21 Bob <bob@b.example>:",
        "On Thursday, 5 November 2026 at 10:21,\nBob Builder of Somewhere\n<bob@b.example> wrote:",
        "On Thursday, 5 November 2026 at 10:21\nBob Builder of Somewhere\nwrote:",
        "在 2026年11月5日，Bob 写道：",
        "*Bob wrote:*",
    ] {
        assert_eq!(
            said(&format!("m13-j7\n{above}\n> old\nmore")),
            "m13-j7\n\nmore",
            "{above}"
        );
        assert_eq!(said(&format!("m13-j7\n\n{above}\n\n> old")), "m13-j7", "{above}");
    }
}

#[test]
fn reading_ends_where_a_program_repeats_a_message_or_a_signature_begins() {
    for end in [
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "---------- Forwarded message ---------",
        "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐",
        "-------- Message d’origine --------",
        "From: Bob\nSent: Thursday\nTo: Al\nSubject: x",
        "Von: Bob\nGesendet: Donnerstag\nAn: Al\nBetreff: x",
        "*De :* Bob\n*Envoyé :* jeudi\n*À :* Al\n*Objet :* x",
        "Date: now\nFrom: Bob\nTo: Al\nSubject: x",
        "On Thu, 5 Nov 2026 at 10:21, Bob <bob@b.example> wrote:\nold",
        "On Thu, 5 Nov 2026 at 10:21,\nBob <bob@b.example>\nwrote:\n\nold",
        "Am 05.11.26 um 10:21 schrieb Bob:\n\nalt",
        "Bob <bob@b.example> schrieb am Do., 5. Nov. 2026, 10:21:\n\nalt",
        "On Thu, 5 Nov 2026 at 10:21, Bob <bob@b.example> wrote:",
        "--\nBob",
        "________________________________",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Begin forwarded message:",
        "-----BEGIN PGP SIGNATURE-----",
    ] {
        assert_eq!(said(&format!("m13-j7\nHi\n{end}\nrest")), "m13-j7\nHi", "{end}");
    }
}

#[test]
fn ordinary_text_does_not_end_the_reading() {
    for text in [
        "On 5 Nov you asked: why?",
        "On my way.\nI wrote: yes",
        "On 5 Nov 2026 Bob wrote: why?",
        "On 5 Nov 2026 <3 wrote: why?",
        "--- On we go, as 1 wrote ---\nfor them",
        "To: all of you, well done",
        "From: here on it is easy\nTo: me at least",
        "---- so there ----",
        "---",
        "____",
        "a -- b",
        "Sent from heaven",
    ] {
        assert_eq!(said(text), text);
    }
}

#[test]
fn an_attribution_whose_quotation_was_deleted_ends_the_reading() {
    for end in [
        "On Sunday, Bob wrote:",
        "On Sunday,\nBob Builder of Somewhere\n<bob@b.example>\nwrote:",
        "On 2026-11-05 Bob wrote",
        "*On Sunday Bob wrote:*",
        "Am Sonntag schrieb Bob:",
        "Le dimanche, Bob a écrit :",
    ] {
        assert_eq!(said(&format!("m13-j7\nHi\n\n{end}\n\n")), "m13-j7\nHi", "{end}");
    }
    for text in [
        "Hi\n\nOn Sunday I read what Bob wrote",
        "On Sunday Bob wrote:\nHello",
        "On we go: as Bob wrote:",
        "I read what he wrote:",
    ] {
        assert_eq!(said(text), text);
    }
}

#[test]
fn an_attribution_may_lack_its_colon_if_its_words_and_a_date_are_known() {
    for above in [
        "Am 05.11.26 um 10:14 schrieb Bob",
        "Quoting Bob (2026-11-05 09:14:02)",
        "On 2026-11-05 Bob wrote",
    ] {
        assert_eq!(said(&format!("m13-j7\n\n{above}\n> old")), "m13-j7", "{above}");
    }
    for words in ["On we go, Bob wrote", "Quoting Bob", "At 10:14 I moved"] {
        assert_eq!(said(&format!("{words}\n> old")), words);
    }
}

#[test]
fn a_line_of_a_telephone_above_a_quotation_ends_nothing() {
    let sent = "Sent from my iPhone";
    assert_eq!(
        said(&format!("{sent}\n\n> On 5 Nov Bob wrote:\n> old\n\nm13-j7\n\nHi")),
        "m13-j7\n\nHi"
    );
    assert_eq!(said(&format!("{sent}\n\n> old\n{sent}\nm13-j7")), "m13-j7");
    assert_eq!(said(&format!("m13-j7\n{sent}\n> old\nHi")), "m13-j7");
    assert_eq!(said(sent), "");
    assert_eq!(said(&format!("{sent}\n____________\nFrom: Bob")), "");
}

#[test]
fn empty_lines_are_kept_single_and_within() {
    assert_eq!(said("\n\na\n\n\n\nb\n\n"), "a\n\nb");
}

#[test]
fn a_signed_text_is_read_without_its_armour() {
    let text =
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nm13-j7\n-----BEGIN PGP SIGNATURE-----\nxyz";
    assert_eq!(said(text), "m13-j7");
}

#[test]
fn the_kept_text_is_limited_and_reports_the_cut() {
    let lines = vec!["x".to_owned(); LINES_MAX + 1];
    let read = own_text(&lines);
    assert_eq!((read.lines.len(), read.is_cut), (LINES_MAX, true));
    assert!(!own_text(&lines[..LINES_MAX]).is_cut);
    let read = own_text(&["y".repeat(BYTES_MAX)]);
    assert_eq!((read.lines.len(), read.is_cut), (0, true));
}

proptest! {
    #[test]
    fn the_own_text_has_only_unquoted_lines_of_the_message(text in "((m13-j7|> q|On 5 Nov 2026 wrote:|Bob:|From: b|Subject: x|Date: y|--|)\n){0,12}") {
        let once = said(&text);
        let lines: Vec<&str> = text.lines().collect();
        for line in once.lines().filter(|line| !line.is_empty()) {
            prop_assert!(lines.contains(&line));
        }
        prop_assert!(!once.lines().any(|line| line.starts_with('>')));
    }

    #[test]
    fn lines_of_moves_are_all_kept(moves in prop::collection::vec("[a-q][0-9]{1,2}-[a-q][0-9]{1,2}(:[a-q][0-9])?", 1..9)) {
        let text = moves.join("\n");
        prop_assert_eq!(said(&format!("{text}\n> old")), text);
    }
}
