use super::*;
use proptest::prelude::*;

fn said(text: &str) -> YesNo {
    YesNo::of("", text)
}

#[test]
fn a_word_for_confirming_confirms_with_courtesies_greetings_and_marks() {
    for text in [
        "confirm",
        "Confirm",
        "CONFIRM!",
        "\"confirm\"",
        "*confirm*",
        "  confirm .",
        "\n\nconfirm\n\nAlice",
        "confirm\nAlice",
        "I confirm",
        "I confirm.",
        "confirm please",
        "Confirmed",
        "Confirm, thank you",
        "Confirmed, thanks!",
        "Thanks, confirmed",
        "Yes, I confirm",
        "Yes, I confirm that this is my address.",
        "Hi,\nconfirm",
        "Hi,\n\nconfirm",
        "Hi confirm",
        "Hello pbmserv, confirm",
        "Dear Sir or Madam,\nI hereby confirm my address.",
        "Sehr geehrte Damen und Herren,\n\nhiermit bestätige ich das.\n\nMit freundlichen Grüßen\nOtto",
        "Ich bestätige.",
        "Bestätigt",
        "Je confirme",
        "Bonjour,\nje confirme, merci",
        "Confirmo, gracias",
        "Hola,\n\nconfirmado",
        "Confermo",
        "Ik bevestig, dank u",
        "Eu confirmo",
        "Jag bekräftar",
        "Jeg bekræfter",
        "Jeg bekrefter",
        "Vahvistan",
        "Potwierdzam",
        "Potvrzuji",
        "Подтверждаю, спасибо",
        "确认",
        "はい、確認しました。",
        "confirm\n\nThis mail is confidential. If you are not its recipient, delete it.",
        "confirm\nOn Friday pbmserv wrote:\nIf it was not you, do nothing",
    ] {
        assert_eq!(said(text), YesNo::Confirm, "{text}");
    }
}

#[test]
fn a_plain_yes_is_one_in_the_common_languages() {
    for text in [
        "Yes",
        "yes!",
        "YES PLEASE",
        "Yep",
        "ok",
        "OK.",
        "Okay, thanks",
        "Sure",
        "Of course!",
        "That's me",
        "That’s me",
        "Yes, it is me",
        "Yes, that's right.",
        "Yes, this is my address",
        "Hi,\nyes",
        "Hello!\nYes, thank you\nAlice",
        "👍",
        "👍🏽",
        "Ja",
        "Ja, bitte",
        "Ja, das bin ich",
        "Jawohl",
        "Einverstanden",
        "Oui",
        "Oui, c'est moi",
        "D'accord, merci",
        "Sí",
        "si",
        "Sí, soy yo",
        "Vale",
        "Sì, sono io",
        "Va bene",
        "Ja, dat klopt",
        "Akkoord",
        "Sim, sou eu",
        "Ja tack",
        "Okej",
        "Ja, det er mig",
        "Kyllä",
        "Tak",
        "Tak, to ja",
        "Ano",
        "Áno",
        "Igen",
        "Da",
        "Evet",
        "Ναι",
        "Да, это я",
        "Так",
        "是的",
        "はい",
        "네",
        "Hej!\nJa",
    ] {
        assert_eq!(said(text), YesNo::Yes, "{text}");
    }
}

#[test]
fn a_plain_no_is_one() {
    for text in [
        "no",
        "No.",
        "NO!",
        "Nope",
        "No, thanks",
        "No thank you",
        "not me",
        "Not me!",
        "That was not me.",
        "It wasn't me",
        "It wasn’t me",
        "I did not sign up",
        "No, I did not sign up.",
        "No. I never heard of this.",
        "No, who are you?",
        "Hi,\nthis is not me",
        "Hello, wrong address.",
        "Unsubscribe",
        "Stop",
        "Cancel, please",
        "Nein",
        "Nein, danke",
        "Nein, das war ich nicht",
        "Non",
        "Non merci",
        "Ce n'est pas moi",
        "No soy yo",
        "No, gracias",
        "Non sono io",
        "Nee",
        "Nee, dat ben ik niet",
        "Não",
        "Não fui eu",
        "Nej tack",
        "Det var inte jag",
        "Nei",
        "Ei",
        "Nie",
        "To nie ja",
        "Ne",
        "Nem",
        "Nu",
        "Нет",
        "Это не я",
        "不是我",
        "いいえ",
        "👎",
    ] {
        assert_eq!(said(text), YesNo::No, "{text}");
    }
}

#[test]
fn what_is_not_plain_is_neither() {
    for text in [
        "",
        "\n\n",
        "Hi,",
        "Hello Bob,\n\nHow are you",
        "What is this?",
        "Who are you",
        "yes?",
        "Confirm?",
        "ok, but what is this?",
        "Is it ok?",
        "do I confirm",
        "I will not confirm this",
        "I do not confirm",
        "I don't confirm",
        "I can't confirm",
        "I cannot confirm",
        "not confirmed",
        "I don't know",
        "I don't know, ok",
        "Not yet",
        "No problem",
        "No idea",
        "No, it's me",
        "No problem, confirm",
        "Yes and no",
        "yes\nno",
        "Yes\nbut it was not me",
        "confirm\nDo I have to?",
        "Hi this isn't me, ok",
        "Please confirm",
        "Please confirm that you are no program",
        "To confirm that you are no program, answer this mail.",
        "Thank you for your mail. I shall confirm that I have read it on Monday.",
        "Confirmed: I am away until Monday.",
        "Confirmed\nThis is an automatic answer.",
        "Yes, I am away until Monday",
        "Your mail was received. Yes.",
        "If it was you, answer this mail with the one word\n\n  confirm\n",
        "I am away. You wrote:\n\nconfirm",
        "confirm 101 alice fig7elk",
        "confirm alice",
        "Pow2 confirm 101 alice fig7elk",
        "m13-j7",
        "help",
        "signup alice fig7elk",
        "yesterday",
        "Yes Minister is a good series",
        "Ja, aber das war ich nicht",
        "Ich bin nicht sicher",
        "Weiß nicht",
        "Oui et non",
        "Je ne confirme pas",
        "No confirmo",
        "Non confermo",
        "Ik bevestig niet",
        "Não confirmo",
        "Nie potwierdzam",
        "Thanks",
        "danke",
    ] {
        assert_eq!(said(text), YesNo::Neither, "{text}");
    }
}

#[test]
fn the_subject_counts_if_the_text_says_nothing() {
    for (subject, text, expected) in [
        ("confirm", "", YesNo::Confirm),
        ("Yes", "", YesNo::Yes),
        ("not me", "", YesNo::No),
        ("confirm", "Alice Adams", YesNo::Confirm),
        ("confirm", "I did not sign up", YesNo::No),
        ("confirm", "What is this?", YesNo::Neither),
        ("confirm", "I do not want this", YesNo::Neither),
        ("no", "confirm", YesNo::Confirm),
        ("Is alice@example.org your address, alice?", "", YesNo::Neither),
        ("Is alice@example.org your address, alice?", "yes", YesNo::Yes),
        ("Please confirm", "", YesNo::Neither),
    ] {
        assert_eq!(YesNo::of(subject, text), expected, "{subject}: {text}");
    }
}

proptest! {
    #[test]
    fn anything_is_read_and_other_words_make_it_no_yes(
        before in "[a-z]{3,8}( [a-z]{2,8}){0,5}",
        yes in "(yes|ok|confirm|I confirm|ja|oui)",
        after in "[a-z]{3,8}( [a-z]{2,8}){0,5}",
        junk in "\\PC{0,300}(\n\\PC{0,80}){0,8}",
    ) {
        let _ = YesNo::of(&junk, &junk);
        let is_known = |text: &str| {
            words(text).any(|word| PHRASES.has_part(&word))
        };
        prop_assume!(!is_known(&before) && !is_known(&after));
        let around = [format!("{before} {yes}"), format!("{yes} {after}"), format!("{before} {yes} {after}")];
        for text in around {
            prop_assert_eq!(said(&text), YesNo::Neither, "{}", text);
        }
    }

    #[test]
    fn a_denial_or_a_question_in_the_paragraph_makes_it_no_yes(
        yes in "(Yes|ok|Confirm|I confirm|Ja|Oui|Sí)",
        doubt in "(not|never|don't|didn't|nicht|kein|pas|niet|nunca|inte|ikke|nie|не)",
        words in "([a-z]{3,8} ){0,4}",
    ) {
        for text in [
            format!("{yes}\n{words}{doubt} {words}"),
            format!("{yes}, {words}{doubt}"),
            format!("{doubt} {yes}"),
            format!("{yes}\n{words}?"),
            format!("{yes}?"),
        ] {
            prop_assert!(!said(&text).is_yes(), "{text}");
        }
    }
}
