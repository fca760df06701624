use proptest::prelude::*;

use super::*;

const TAG: &str = "mfzwizdfmzsgk3lqn5xgk4tfmy";

fn cleaned(text: &str) -> String {
    without_secrets(text, &Address::parse("pbmserv@games.example").unwrap().into())
}

#[test]
fn a_token_is_taken_out_of_our_address_and_other_addresses_stay() {
    let text = "To: PBMserv+C2k-abc@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}";
    assert_eq!(
        cleaned(text),
        "To: PBMserv@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}"
    );
}

#[test]
fn a_token_in_a_former_address_is_taken_out_too() {
    let address = |text: &str| Address::parse(text).unwrap();
    let own = OwnAddresses::new(address("games@new.example"), vec![address("pbmserv@old.example")]);
    assert_eq!(
        without_secrets(
            "games+a@new.example, PBMSERV+a@old.example, games+a@old.example",
            &own
        ),
        "games@new.example, PBMSERV@old.example, games+a@old.example"
    );
}

#[test]
fn it_is_found_however_programs_write_it() {
    let (half, rest) = TAG.split_at(13);
    for (text, expected) in [
        (
            format!("<mailto:pbmserv%2B2k-{TAG}%40games.example?subject=x%20y>"),
            "<mailto:pbmserv%40games.example?subject=x%20y>",
        ),
        (
            format!("?url=mailto%3Apbmserv%252b2k%252D{TAG}%2540games%252Eexample&x"),
            "?url=mailto%3Apbmserv%2540games%252Eexample&x",
        ),
        (
            format!("> To: pbmserv+2k-{half}\n> {rest}@games.example"),
            "> To: pbmserv@games.example",
        ),
        (
            format!("pbmserv+2k-{half}=\r\n{rest}@games.example!"),
            "pbmserv@games.example!",
        ),
        (
            format!("pbm=\n> > serv+2k-{TAG}\n> > @games.ex\n > > ample"),
            "pbm=\n> > serv@games.ex\n > > ample",
        ),
        (
            format!("pbmserv+2k-{half}\u{200b}{rest}@games.example"),
            "pbmserv@games.example",
        ),
        (
            format!("pbmserv+2k- {half} {rest} @games.example"),
            "pbmserv @games.example",
        ),
        // The rest of the address is cut off, or mangled.
        (format!("pbmserv+2k-{TAG}\n\nwords"), "pbmserv\n\nwords"),
        (format!("pbmserv+u2k-{TAG} [at] games"), "pbmserv [at] games"),
    ] {
        assert_eq!(cleaned(&text), expected, "{text}");
    }
}

#[test]
fn prose_with_a_plus_stays() {
    for text in [
        "pbmserv+\nmore words\n> quoted",
        "pbmserv+ and 50% of 100%2 = 5",
        "write to pbmserv+something",
        "a-b pbmserv + 2k",
        "%",
        "100%\r\n",
    ] {
        assert_eq!(cleaned(text), text);
    }
}

/// What would take hours if each character were looked at again for all others.
#[test]
fn time_is_linear() {
    for piece in [
        " ",
        "=",
        "= ",
        "%25",
        "%",
        "&#",
        "pbmserv+",
        "pbmserv+2k-",
        "a-",
        "/k/",
        "/k/aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\n> ",
        "QUJD",
        "pbmserv+a@games.exampl ",
    ] {
        cleaned(&piece.repeat((1 << 16) / piece.len()));
    }
}

#[test]
fn a_private_link_becomes_the_public_one() {
    let (half, rest) = TAG.split_at(13);
    for (text, expected) in [
        (
            format!("http://games.example:8080/k/kae-{TAG}/board/Hex/101/turn."),
            "http://games.example:8080/board/Hex/101.",
        ),
        (format!("<https://g.example/k/kae-{TAG}>"), "<https://g.example>"),
        (
            format!("https://g.example/j/jae-{TAG} joins"),
            "https://g.example joins",
        ),
        (
            format!("https://g.example/u/uae-{TAG} stops it"),
            "https://g.example stops it",
        ),
        (
            format!("?url=http%3A%2F%2Fg.example%2Fk%2Fkae-{TAG}%2Fboard%2FHex%2F101&data=05"),
            "?url=http%3A%2F%2Fg.example%2Fboard%2FHex%2F101&data=05",
        ),
        (
            format!("https://urldefense.example/v2/url?u=http-3A__g.example_k_kae-2D{TAG}_board_Hex_101&d=x"),
            "https://urldefense.example/v2/url?u=http-3A__g.example_board_Hex_101&d=x",
        ),
        (
            format!("http://g.example/k/kae-{half}\n> {rest}/board/Hex/101"),
            "http://g.example/board/Hex/101",
        ),
        (
            format!("http://g.example/k/kae=2D{half}=\n{rest}/board"),
            "http://g.example/board",
        ),
        (
            format!("http://g.example/k/kae-{half}\u{ad}{rest}/board"),
            "http://g.example/board",
        ),
        (
            format!("http://g.example/k/kae\u{ad}{TAG}/board"),
            "http://g.example/board",
        ),
        (
            format!("http://g.example/k/kae&#45;{TAG}/board"),
            "http://g.example/board",
        ),
        (
            format!("http://g.example/k/kae%E2%80%91{TAG}/board"),
            "http://g.example/board",
        ),
    ] {
        assert_eq!(cleaned(&text), expected, "{text}");
    }
}

#[test]
fn a_tag_that_begins_like_an_encoded_character_is_found_too() {
    let first = || "234567abcdef".chars();
    for pair in first().flat_map(|one| first().map(move |two| format!("{one}{two}"))) {
        let tag = format!("{pair}{}", &TAG[2..]);
        for link in [
            format!("http-3A__g.example_k_kae-2D{tag}_board_Hex_101"),
            format!("http-3A-2F-2Fg.example-2Fk-2Fkae-2D{tag}-2Fboard"),
            format!("http-253A-252F-252Fg.example-252Fk-252Fkae-252D{tag}-252Fboard"),
            format!("http://g.example/k/kae=2D{tag}/board"),
            format!("http%3A%2F%2Fg.example%2Fk%2Fkae%2D{tag}%2Fboard"),
            format!("my key is kae-2D{tag}"),
        ] {
            let shown = cleaned(&link);
            assert!(!shown.contains(&tag[2..]), "{link} gives {shown}");
        }
    }
}

#[test]
fn a_token_alone_is_masked() {
    let (half, rest) = TAG.split_at(13);
    for (text, expected) in [
        (format!("my key is kae-{TAG}"), "my key is ******"),
        (format!("KAE-{}!", TAG.to_uppercase()), "******!"),
        (format!("kae\u{2011}{TAG}\nAlice"), "******\nAlice"),
        (format!("kae-{half}\n{rest}\nAlice"), "******\nAlice"),
        (format!("see\nkae-{TAG} please"), "see\n****** please"),
        (format!("token=2k-{TAG}&x"), "token=******&x"),
        (format!("pbmserv\u{ff0b}2k-{TAG}"), "pbmserv"),
    ] {
        assert_eq!(cleaned(&text), expected, "{text}");
    }
}

#[test]
fn a_token_within_base64_is_masked() {
    let link = format!("http://g.example/k/kae-{TAG}/board/Hex/101/turn");
    for encoding in [data_encoding::BASE64, data_encoding::BASE64URL_NOPAD] {
        let encoded = encoding.encode(link.as_bytes());
        let shown = cleaned(&format!("https://p.example/?d=x&u={encoded}&p=1"));
        assert!(shown.starts_with("https://p.example/?d=x&u=******"), "{shown}");
        // Something else before it in the same run, and lines of a mail.
        let (one, two) = encoded.split_at(30);
        for text in [
            format!("/v3/x{encoded}"),
            format!("See:\n{one}\n{two}\nBye, Alice"),
        ] {
            let shown = cleaned(&text);
            assert!(!shown.contains(&encoded[40..60]), "{shown}");
        }
    }
    let twice = data_encoding::BASE64.encode("an ordinary text of more than forty characters".as_bytes());
    assert_eq!(cleaned(&twice), twice);
}

#[test]
fn long_words_and_links_of_others_stay() {
    for text in [
        "Donau-Dampfschifffahrtsgesellschaft",
        "https://forum.example/u/some-name/k/board",
        "https://news.example/k/an-article-about-play-by-mail-games-in-nineteen-ninety-four",
        "a well-known fact that this is a lovely game of ours, isn't it",
        "b1c2-aaaaaaaaaaaaaaaaaaaaaaaaab",
    ] {
        assert_eq!(cleaned(text), text);
    }
}

/// A token in an address, a private link or alone, each character as some program may write it.
fn spelled() -> impl Strategy<Value = (String, String)> {
    let breaks = [
        "", "", "", "", "\n", "=\n", " =\r\n> ", "\n> > ", " \n| ", "\n: ", "\n\t", "\u{200b}", "\u{ad}",
    ];
    let spelling = (any::<bool>(), 0..6_usize, prop::sample::select(breaks.to_vec()));
    let around = prop::sample::select(vec![
        ("pbmserv+", "@games.example"),
        ("https://games.example/k/", "/board/Hex/101"),
        ("https://games.example/u/", ""),
        ("", ""),
    ]);
    let token = ("[cdikpru]?[a-z2-7]{1,13}", "[a-z2-7]{25}[aeimquy4]");
    (around, token, prop::collection::vec(spelling, 100)).prop_map(
        |((before, after), (number, tag), spellings)| {
            let whole = format!("{before}{number}-{tag}{after}");
            let mut text = String::new();
            for (c, (is_upper, level, gap)) in whole.chars().zip(spellings) {
                let c = if is_upper { c.to_ascii_uppercase() } else { c };
                match (c, level) {
                    ('-', 4) => text.push('\u{2010}'),
                    ('+', 4) => text.push('\u{ff0b}'),
                    (_, 1..=3) if !c.is_ascii_alphanumeric() => {
                        text.push_str(&format!("%{}{:02X}", "25".repeat(level - 1), u32::from(c)));
                    }
                    (_, 5) => text.push_str(&format!("%{:02x}", u32::from(c))),
                    _ => text.push(c),
                }
                text.push_str(gap);
            }
            (text, tag)
        },
    )
}

/// The letters and digits of a text in lower case: what a reader could put together again.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}

proptest! {
    #[test]
    fn no_token_survives(before in "([a-zA-Z .,;!>\n-]{0,40}[ .,;!\n])?", (token, tag) in spelled(), after in "([ ,;!][a-zA-Z .,;!>\n?&-]{0,40})?") {
        let text = format!("{before}{token}{after}");
        let shown = cleaned(&text);
        prop_assert!(!letters(&shown).contains(&tag), "{text:?} gives {shown:?}");
        prop_assert!(shown.starts_with(&before), "{shown:?}");
        prop_assert!(shown.ends_with(&after), "{shown:?}");
        prop_assert_eq!(cleaned(&shown), shown);
    }

    #[test]
    fn ordinary_text_stays(text in "[a-zA-Z0-9 .,;:!?%=@>|\r\n()\u{e4}\u{200b}-]{0,200}") {
        prop_assert_eq!(cleaned(&text), text);
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        cleaned(&text);
    }
}
